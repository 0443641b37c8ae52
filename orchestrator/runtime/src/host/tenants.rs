//! What a host keeps of each tenant, and the signals of the system.
//!
//! What: a tenant before it runs ([`PreparedTenant`]), while it runs ([`TenantHandle`]) and while its owner is parked ([`ParkedOwner`]). Why: names and
//! ways that lead to an owner outlive her tenants. Not here: what is done with them (`host`), who is served when (`lifecycle`).

use crate::{
    control::ControlSender,
    folder_watch::ParkedWatch,
    service::{HostLink, ServiceError, TenantEnd, TenantEvent},
};
use aura_platform::supervise::FatalFailure;
use std::thread;
use surfaces::web::ConnectionSender;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
    task::JoinHandle,
    time::Instant,
};
use toolcall_schema::Timestamp;

/// A tenant before it runs.
pub(super) struct PreparedTenant {
    pub(super) link: HostLink,
    pub(super) pages: ConnectionSender,
    pub(super) control: ControlSender,
    pub(super) end: watch::Sender<bool>,
}

/// A tenant that has ended until somebody comes, something of its owner's changes, or it is due.
pub(super) struct ParkedOwner {
    /// For the next one: names and ways of the one that ended lead to it.
    pub(super) tenant: PreparedTenant,
    /// By the wall clock.
    pub(super) until: Timestamp,
    /// Waits for who comes and what changes.
    pub(super) _waiting: WaitTask,
}

/// A task that ends when this is dropped.
pub(super) struct WaitTask(JoinHandle<()>);

impl Drop for WaitTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What a tenant does on its thread.
pub(super) type TenantRun = Box<dyn FnOnce(HostLink) -> Result<TenantEnd, ServiceError> + Send>;

/// A tenant's thread.
pub(super) enum TenantThread {
    /// It has none before its turn to start comes: where many are to start, some wait.
    Waits(TenantRun),
    Runs {
        thread: thread::JoinHandle<Result<TenantEnd, ServiceError>>,
        /// Since when it starts; `None`: that is over, however it went, or waits for its owner.
        starts_since: Option<Instant>,
    },
}

/// A tenant that runs, or will.
pub(super) struct TenantHandle {
    pub(super) tenant: PreparedTenant,
    pub(super) thread: TenantThread,
    /// What it ends by, where nobody told it to.
    pub(super) failure: Option<FatalFailure>,
    /// While it is here, no other host has her.
    pub(super) service: Option<Box<dyn Send>>,
    /// Whether it waits for its owner's passphrase: it has no store and no agents yet.
    pub(super) is_locked: bool,
    /// Whether its page can be opened and it does not end.
    pub(super) is_ready: bool,
    /// Whether it has said that it answers since the service manager was told.
    pub(super) is_alive: bool,
    /// What it waits for in place of serving.
    pub(super) waits_for: Option<&'static str>,
}

impl TenantHandle {
    /// Tells it to end. One that waits for its turn has ended by that.
    pub(super) fn tell_to_end(&self) {
        let was_told = self.tenant.end.send_replace(true);
        if !was_told && matches!(self.thread, TenantThread::Waits(_)) {
            self.tenant.link.tell(TenantEvent::Ended);
        }
    }

    pub(super) fn is_told_to_end(&self) -> bool {
        *self.tenant.end.borrow()
    }
}

/// Says that a tenant's thread ends, also where it panics.
pub(super) struct EndNotice(pub(super) HostLink);

impl Drop for EndNotice {
    fn drop(&mut self) {
        self.0.tell(TenantEvent::Ended);
    }
}

/// The signals of the system. Whoever holds this misses none: each is told once, also when nobody waited as it came.
pub(super) struct HostSignals {
    pub(super) terminate: Signal,
    pub(super) interrupt: Signal,
    pub(super) again: Signal,
    /// A file that may not grow any more (`ulimit -f`) is then an error of the write, like a full disk, and not the end of this process by
    /// SIGXFSZ.
    _full: Signal,
}

impl HostSignals {
    pub(super) fn listen() -> Result<Self, ServiceError> {
        let listen = |kind| {
            signal(kind).map_err(|source| ServiceError::Io {
                what: "listen for signals of the system",
                source,
            })
        };
        let full = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            again: listen(SignalKind::hangup())?,
            _full: listen(full)?,
        })
    }
}

impl WaitTask {
    /// Tells the host when somebody comes to a parked owner, or something of hers changes.
    pub(super) fn start(link: HostLink, watch: ParkedWatch) -> Self {
        Self(actix::spawn(async move {
            tokio::select! {
                () = link.visits.begun() => {}
                () = watch.changed() => {}
            }
            link.tell(TenantEvent::Woken);
        }))
    }
}
