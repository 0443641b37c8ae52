//! Telling the service manager how the service is.
//!
//! What: READY, RELOADING, STOPPING and the watchdog's sign of life, in systemd's way. Why: whoever started Aura knows when
//! it can be used, and starts it again when its machine hangs. Where nobody asks, nothing is said. Not here: the unit
//! (`docs/aura.service`), what a reload does (`control_handler`).

use crate::{
    backend::ServiceBackend,
    service::{HostLink, TenantEvent},
};
use sd_notify::{NotifyState, notify, watchdog_enabled};
use std::time::Duration;
use surfaces_base::Backend as _;
use tokio::sync::watch;

/// The page can be opened.
pub(crate) fn ready() {
    say(&[NotifyState::Ready]);
}

/// Policy and settings are read again; [`ready`] follows, whatever came of it.
pub(crate) fn reloading() {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => say(&[NotifyState::Reloading, now]),
        Err(_) => say(&[NotifyState::Reloading]),
    }
}

/// It ends.
pub(crate) fn stopping() {
    say(&[NotifyState::Stopping]);
}

/// How often the service manager is to be told; absent: it does not ask.
pub(crate) fn sign_of_life() -> Option<Duration> {
    watchdog_enabled().map(|span| span / 2)
}

/// All tenants live.
pub(crate) fn alive() {
    say(&[NotifyState::Watchdog]);
}

/// What the service waits for; empty: nothing.
pub(crate) fn status(what: &str) {
    say(&[NotifyState::Status(what)]);
}

/// Tells the host while the machine answers, twice in each span that the manager allows; until told to stop.
pub(crate) fn watchdog(backend: ServiceBackend, link: HostLink, mut stopped: watch::Receiver<bool>) {
    let Some(every) = sign_of_life() else { return };
    actix::spawn(async move {
        loop {
            // The answer comes from the actor whose hanging is to be noticed; it copies no state.
            match backend.health().await {
                Ok(_) => link.tell(TenantEvent::Alive),
                Err(error) => tracing::warn!(%error, "no sign of life for the watchdog"),
            }
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(every) => {}
            }
        }
    });
}

/// Tells the host what the service waits for, and that it lives although no machine runs; until told to stop.
pub(crate) fn waiting(what: &'static str, link: HostLink, mut stopped: watch::Receiver<bool>) {
    link.tell(TenantEvent::Waiting(Some(what)));
    let every = sign_of_life();
    actix::spawn(async move {
        let alive = async {
            let Some(every) = every else {
                return std::future::pending().await;
            };
            loop {
                link.tell(TenantEvent::Alive);
                tokio::time::sleep(every).await;
            }
        };
        tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => link.tell(TenantEvent::Waiting(None)),
            () = alive => {}
        }
    });
}

fn say(states: &[NotifyState<'_>]) {
    if let Err(error) = notify(states) {
        tracing::warn!(%error, "the service manager could not be told");
    }
}
