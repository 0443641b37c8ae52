//! How a running service ends.
//!
//! What: why it ends (told to, a command that needs the folder, the night), leaving the folder to that command, and draining. Why:
//! nothing that was taken in is lost, and nothing holds the folder any more. Not here: what it consists of (`service`).

use super::{Mode, ServiceError};
use crate::{
    actors::orchestrator::Stop,
    control::{self, ControlHandler as _, Reply, Request},
    desk::Desk,
    housekeeping, notify,
    wiring::System,
};
use aura_memory::{Vault, Write};
use orchestrator_machine::state::Phase;
use std::{os::unix::net::UnixStream, time::Duration};
use tokio::sync::{oneshot, watch as latch};

/// How long an agent's process is waited for; its own grace is shorter.
const PROCESS_ENDS: Duration = Duration::from_millis(1500);

pub(super) async fn wait_for(mut stopped: latch::Receiver<bool>) {
    // The sender lives as long as the service.
    let _ = stopped.wait_for(|stop| *stop).await;
}

/// Why a service is no longer there.
pub(super) enum Ended {
    /// It was told to end.
    Stop,
    /// A command needs the folder for itself.
    Aside(UnixStream),
    /// It is night, and nothing is going on.
    Night,
}

/// Whether to go on.
#[derive(PartialEq, Eq)]
pub(super) enum Ends {
    Stop,
    GoOn,
}

/// Leaves the folder to who asked, once nothing holds it any more, until they are done; or until this process is told to end.
pub(super) async fn aside(vault: &Vault, asked: UnixStream) -> Result<Ends, ServiceError> {
    use tokio::signal::unix::{SignalKind, signal};
    let io = |source| ServiceError::Io {
        what: "listen for signals of the system",
        source,
    };
    let mut term = signal(SignalKind::terminate()).map_err(io)?;
    // A process that is ending may hold it for a moment longer.
    for _ in 0..FREE_TRIES {
        if aura_memory::is_free(vault.dir())? {
            break;
        }
        tokio::time::sleep(FREE_AGAIN).await;
    }
    notify::ready();
    tokio::select! {
        () = control::leave(asked) => Ok(Ends::GoOn),
        _ = term.recv() => Ok(Ends::Stop),
        _ = tokio::signal::ctrl_c() => Ok(Ends::Stop),
    }
}

/// How often it is looked whether the folder is free, and how long is waited in between: 5 s in all.
const FREE_TRIES: u32 = 250;
const FREE_AGAIN: Duration = Duration::from_millis(20);

/// How often it is looked whether it is night.
const NIGHT_AGAIN: Duration = Duration::from_mins(1);

/// Until a night has come in which nothing is going on; the demo's day has none.
pub(super) async fn night(mode: Mode, vault: Vault, backend: crate::backend::Actors) {
    if mode != Mode::Run {
        return std::future::pending().await;
    }
    loop {
        tokio::time::sleep(NIGHT_AGAIN).await;
        backend.retention.observe();
        let Ok(look) = backend.look().await else { continue };
        let (zone, now) = (look.env.settings.zone, look.state.wall(look.at));
        let resting = matches!(look.state.phase, Phase::Idle) && look.state.queue.is_empty();
        if resting && housekeeping::is_due(&vault, zone, now).unwrap_or(false) {
            return;
        }
    }
}

/// Until a signal of the system, `aura stop` or the night, which is true. SIGHUP reads policy and settings again.
pub(super) async fn end_of(
    stopped: latch::Receiver<bool>,
    desk: Desk,
    night: impl Future<Output = ()>,
) -> Result<bool, ServiceError> {
    use tokio::signal::unix::{SignalKind, signal};
    let io = |source| ServiceError::Io {
        what: "listen for signals of the system",
        source,
    };
    let mut term = signal(SignalKind::terminate()).map_err(io)?;
    let mut again = signal(SignalKind::hangup()).map_err(io)?;
    let reload = async {
        while again.recv().await.is_some() {
            notify::reloading();
            match desk.answer(Request::Reload).await {
                Reply::Reloaded(_) => tracing::info!("SIGHUP: policy and settings were read again"),
                Reply::Config(why) | Reply::Error(why) | Reply::Busy(why) => {
                    tracing::error!("SIGHUP: nothing was changed: {why}");
                }
                Reply::Trace(_)
                | Reply::Status(_)
                | Reply::Stopping
                | Reply::Aside
                | Reply::Labelled
                | Reply::ModelLooked
                | Reply::Standing(_)
                | Reply::Recorded
                | Reply::Clock(_)
                | Reply::QuarantinePurged(_)
                | Reply::Invitation(_)
                | Reply::DeviceAdded { .. }
                | Reply::Devices(_) => {}
            }
            notify::ready();
        }
    };
    tokio::select! {
        _ = term.recv() => tracing::info!("SIGTERM"),
        _ = tokio::signal::ctrl_c() => tracing::info!("SIGINT"),
        () = wait_for(stopped) => tracing::info!("asked to stop"),
        () = reload => tracing::warn!("no more signals of the system"),
        () = night => {
            tracing::info!("it is night: what was kept long enough goes");
            return Ok(true);
        }
    }
    Ok(false)
}

/// The page first, then the machine.
pub(super) async fn drain(system: System, page: tokio::task::JoinHandle<std::io::Result<()>>) {
    let _ = page.await;
    drain_machine(system).await;
}

/// The machine, then what is still to be written, then the agents' processes.
pub(super) async fn drain_machine(system: System) {
    let System {
        backend,
        store,
        quarantine,
        processes,
    } = system;
    let (told, heard) = oneshot::channel();
    let day = backend.look().await.map(|look| look.state.ledger.view().day);
    let _ = backend.orchestrator.send(Stop).await;
    if let Ok(day) = day
        && let Err(error) = store.write(vec![Write::Head { day }])
    {
        tracing::warn!(code = error.code(), %error, "no head of the audit log at the end");
    }
    let asked = store.commit(Box::new(move |result| {
        let _ = told.send(result);
    }));
    if asked.is_ok() {
        let _ = heard.await;
    }
    let (told, heard) = oneshot::channel();
    let asked = quarantine.flush(Box::new(move || {
        let _ = told.send(());
    }));
    if asked.is_ok() {
        let _ = heard.await;
    }
    // The actors hold the places that keep the processes, and the backend holds the actors.
    drop(backend);
    for ended in processes {
        // What does not end by itself is killed; what that misses dies with this process.
        if tokio::time::timeout(PROCESS_ENDS, ended).await.is_err() {
            tracing::warn!("an agent's process did not end in time");
        }
    }
}
