//! What a tenant's service and its host tell each other.
//!
//! What: [`HostLink`], a tenant's end, and [`TenantEvent`], what it says. Why: a tenant knows no port, no signal of the system and no service
//! manager: what there is once in a process is its host's. Not here: the host (`host`).

use super::{ServiceReady, parking::HostParking};
use crate::{control::ControlInbox, folder_watch::FolderWatch};
use aura_platform::supervise::FatalFailure;
use std::{net::SocketAddr, sync::Arc};
use surfaces::web::{ConnectionInbox, PageNames, UnboundInbox, Visits};
use tokio::sync::{mpsc, watch};

/// What a tenant's service says to its host.
pub(crate) enum TenantEvent {
    /// The folder is this process's alone.
    FolderTaken,
    /// Under which host names its pages are.
    Named(PageNames),
    /// Its folder waits for a passphrase.
    Locked,
    /// No longer, and it starts.
    Unlocked,
    /// Its page can be opened; with what is said of it, the first time.
    Ready(Option<ServiceReady>),
    /// What it waits for in place of serving; no longer.
    Waiting(Option<&'static str>),
    /// It answers.
    Alive,
    /// Policy and settings were read again, whatever came of it, for so many wishes.
    Reloaded(u64),
    /// It ends, as its owner or its host wished.
    Ending,
    /// It cannot go on.
    Broken(FatalFailure),
    /// Its thread ends.
    Ended,
    /// Somebody came, something changed or is due, while it was parked.
    Woken,
}

/// A tenant's end.
#[derive(Clone)]
pub(crate) struct HostLink {
    pub(crate) number: u32,
    pub(crate) news: mpsc::UnboundedSender<(u32, TenantEvent)>,
    /// Where the host listens, once it does.
    pub(crate) address: watch::Receiver<Option<SocketAddr>>,
    pub(crate) pages: UnboundInbox,
    pub(crate) control: ControlInbox,
    pub(crate) end: watch::Receiver<bool>,
    /// How often it was wished that policy and settings are read again. What comes while no machine runs is seen by the next one.
    pub(crate) reloads: watch::Receiver<u64>,
    /// Who is there, and who waits to be answered.
    pub(crate) visits: Visits,
    /// The kernel's watch of folders, one for all tenants.
    pub(crate) folders: FolderWatch,
    /// Present: it ends when nothing of its owner's is due and nobody is there.
    pub(crate) parking: Option<Arc<HostParking>>,
}

impl HostLink {
    /// A host that has ended hears nothing, and has ended its tenants.
    pub(crate) fn tell(&self, news: TenantEvent) {
        let _ = self.news.send((self.number, news));
    }

    /// Where this tenant's connections come in, once the host listens; `None`: it is told to end before.
    pub(crate) async fn connections(&self) -> Option<ConnectionInbox> {
        let mut address = self.address.clone();
        tokio::select! {
            biased;
            () = self.told_to_end() => None,
            address = address.wait_for(Option::is_some) => {
                let address = address.ok().and_then(|address| *address)?;
                Some(self.pages.listening_at(address))
            }
        }
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
}
