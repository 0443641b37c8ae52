//! What a tenant's service and its host tell each other.
//!
//! What: [`HostLink`], a tenant's end, and [`TenantNews`], what it says. Why: a tenant knows no port, no signal of the system and no service
//! manager: what there is once in a process is its host's. Not here: the host (`host`).

use super::{ServiceError, ServiceReady};
use crate::control::ControlInbox;
use std::net::SocketAddr;
use surfaces::web::{ConnectionInbox, UnboundInbox};
use tokio::sync::{mpsc, watch};

/// What a tenant's service says to its host.
pub(crate) enum TenantNews {
    /// The folder is this process's alone.
    FolderTaken,
    /// Under which host names its pages are.
    Named(Vec<String>),
    /// Its folder waits for a passphrase.
    Locked,
    /// Its page can be opened; with what is said of it, the first time.
    Ready(Option<ServiceReady>),
    /// What it waits for in place of serving; no longer.
    Waiting(Option<&'static str>),
    /// It answers.
    Alive,
    /// Policy and settings were read again, whatever came of it.
    Reloaded,
    /// It ends, as its owner or its host wished.
    Ending,
    /// A part of it has failed past its limit.
    Broken,
    /// Its thread ends.
    Ended,
}

/// A tenant's end.
#[derive(Clone)]
pub(crate) struct HostLink {
    pub(crate) number: u32,
    pub(crate) news: mpsc::UnboundedSender<(u32, TenantNews)>,
    /// Where the host listens, once it does.
    pub(crate) address: watch::Receiver<Option<SocketAddr>>,
    pub(crate) pages: UnboundInbox,
    pub(crate) control: ControlInbox,
    pub(crate) end: watch::Receiver<bool>,
    pub(crate) reloads: watch::Receiver<u64>,
}

impl HostLink {
    /// A host that has ended hears nothing, and has ended its tenants.
    pub(crate) fn tell(&self, news: TenantNews) {
        let _ = self.news.send((self.number, news));
    }

    /// Where this tenant's connections come in, once the host listens.
    ///
    /// # Errors
    /// [`ServiceError::HostEnded`], also where it cannot listen.
    pub(crate) async fn connections(&self) -> Result<ConnectionInbox, ServiceError> {
        let mut address = self.address.clone();
        let address = tokio::select! {
            address = address.wait_for(Option::is_some) => address.ok().and_then(|address| *address),
            () = self.told_to_end() => None,
        };
        address
            .map(|address| self.pages.listening_at(address))
            .ok_or(ServiceError::HostEnded)
    }

    /// Where its commands come in.
    pub(crate) fn control(&self) -> ControlInbox {
        self.control.clone()
    }

    /// Until the host ends this tenant, also where that was said before.
    pub(crate) async fn told_to_end(&self) {
        let mut end = self.end.clone();
        // A host that is gone ends it too.
        let _ = end.wait_for(|end| *end).await;
    }

    /// Told of each wish to read policy and settings again from now on.
    pub(crate) fn reloads(&self) -> watch::Receiver<u64> {
        let mut reloads = self.reloads.clone();
        reloads.borrow_and_update();
        reloads
    }
}
