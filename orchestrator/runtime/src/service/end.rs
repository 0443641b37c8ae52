//! How a running service ends, and what it does at night.
//!
//! What: until when it runs, the removals of the night, and draining. Why: nothing that was taken in is lost, and nothing holds the
//! folder any more. Not here: what it consists of (`service`).

use super::{HostLink, ParkedTenant, ServiceMode, TenantEvent};
use crate::{
    actors::orchestrator::Stop,
    backend::ServiceBackend,
    control::{ControlHandler as _, ControlReply, ControlRequest, OfflineJob, ProgressSender},
    control_handler::ServiceControlHandler,
    removing::DataRemover,
    wiring::RunningSystem,
};
use aura_memory::StoreWrite;
use aura_platform::clock::is_set_by_file;
use aura_workflow::CloseReason;
use std::{pin::pin, time::Duration};
use surfaces::web::Visits;
use tokio::{
    sync::{mpsc, oneshot, watch as latch},
    task::JoinHandle,
};

/// How long all processes together are waited for. Each has one second of grace and is killed then; the rest is for a busy machine.
const PROCESSES_END: Duration = Duration::from_secs(4);

pub(super) async fn wait_for(mut stopped: latch::Receiver<bool>) {
    // The sender lives as long as the service.
    let _ = stopped.wait_for(|stop| *stop).await;
}

/// How often it is looked whether it is night, and the clock is borne out.
const NIGHT_AGAIN: Duration = Duration::from_mins(10);

/// How often, and how often in a row, it is looked whether what was taken back is on the disk.
const DISK_AGAIN: Duration = Duration::from_secs(1);
const DISK_TRIES: u32 = 10;

/// What is taken back leaves memory at once. Each night, as soon as the machine rests, what was kept long enough goes; the demo's day has none.
pub(super) async fn nights(
    mode: ServiceMode,
    backend: ServiceBackend,
    removing: DataRemover,
    visits: Visits,
) {
    if mode != ServiceMode::Run {
        return;
    }
    let mut soon = 0_u32;
    loop {
        // Nobody is parked meanwhile.
        let visit = visits.begin();
        backend.retention.observe();
        match removing.let_go_of_withdrawn().await {
            Ok(0) => soon = soon.saturating_sub(1),
            Ok(payments) => tracing::info!(
                payments,
                "memory has let go of what statements said by other columns"
            ),
            Err(fault) => tracing::warn!(
                ?fault,
                "payments that no statement says any more are still in memory"
            ),
        }
        backend.let_go_of_discarded().await;
        // Where it cannot be told now, the next look tells.
        if removing.night_has_come().await.unwrap_or(false) {
            match removing.purge(false, &ProgressSender::default()).await {
                Ok((removed, _)) => {
                    tracing::info!(?removed, "it is night: what was kept long enough has gone");
                }
                Err(fault) => tracing::warn!(?fault, "what was kept long enough could not be removed"),
            }
        }
        drop(visit);
        // A clock that a test sets jumps.
        let again = if is_set_by_file() {
            Duration::from_secs(1)
        } else {
            NIGHT_AGAIN
        };
        // What was taken back is on its way to the disk.
        let again = if soon > 0 { again.min(DISK_AGAIN) } else { again };
        tokio::select! {
            () = tokio::time::sleep(again) => {}
            () = backend.withdrawals.notified() => soon = DISK_TRIES,
        }
    }
}

/// Why a machine ends.
pub(super) enum EndReason {
    /// The service ends.
    Told,
    /// The machine is away while this is done, then it starts again.
    Offline(OfflineJob),
    /// Nothing of its owner's is due, and nobody is there.
    Parked(ParkedTenant),
}

/// Until the host or `aura stop`.
pub(super) async fn told_to_end(stopped: latch::Receiver<bool>, link: &HostLink) {
    tokio::select! {
        () = link.told_to_end() => {}
        () = wait_for(stopped) => tracing::info!("asked to stop"),
    }
}

/// Until the host, `aura stop`, work without the machine, or until it `parks`. Meanwhile policy and settings are read again whenever the host says so.
pub(super) async fn end_of(
    stopped: latch::Receiver<bool>,
    mut offline: mpsc::UnboundedReceiver<OfflineJob>,
    handler: ServiceControlHandler,
    (link, reloads): (&HostLink, &mut latch::Receiver<u64>),
    parks: impl Future<Output = ParkedTenant>,
) -> EndReason {
    let reload = async {
        while reloads.changed().await.is_ok() {
            // Read before the files are: what comes meanwhile is another wish.
            let count = *reloads.borrow_and_update();
            let reply = handler
                .answer(ControlRequest::Reload, &ProgressSender::default())
                .await;
            if let ControlReply::Config(why) | ControlReply::Error(why) | ControlReply::Busy(why) = reply {
                tracing::error!("SIGHUP: nothing was changed: {why}");
            } else {
                tracing::info!("SIGHUP: policy and settings were read again");
            }
            link.tell(TenantEvent::Reloaded(count));
        }
    };
    tokio::select! {
        () = told_to_end(stopped, link) => {}
        Some(job) = offline.recv() => {
            tracing::info!("the machine ends for a while, for work on its folder");
            return EndReason::Offline(job);
        }
        parked = parks => {
            tracing::debug!("nothing is due and nobody is there: the service ends until then");
            return EndReason::Parked(parked);
        }
        () = reload => tracing::warn!("the host has ended"),
    }
    EndReason::Told
}

/// The page first, then the machine.
pub(super) async fn drain(system: RunningSystem, page: JoinHandle<std::io::Result<()>>) {
    let _ = page.await;
    drain_machine(system).await;
}

/// The machine, then what is still to be written, then the agents' processes.
pub(super) async fn drain_machine(system: RunningSystem) {
    let RunningSystem {
        backend,
        store,
        setup: _,
        quarantine,
        processes,
        run_events: _,
    } = system;
    // What is executed goes on at the next start; its programs end now.
    let runs = backend.runs.clone();
    let closed = tokio::task::spawn_blocking(move || runs.close(CloseReason::Ends)).await;
    if closed.is_err() {
        tracing::error!("the runs that are executed could not be ended");
    }
    // What is being deleted goes on at the next start.
    store.abandon_removals();
    let (told, heard) = oneshot::channel();
    let day = backend.look().await.map(|look| look.state.ledger.view().day);
    let _ = backend.orchestrator.send(Stop).await;
    if let Ok(day) = day
        && let Err(error) = store.write(vec![StoreWrite::Head { day }])
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
    backend.agents.end();
    drop(backend);
    // What does not end by itself is killed; what that misses dies with this process.
    let late = late_processes(processes, tokio::time::sleep(PROCESSES_END)).await;
    if late > 0 {
        tracing::warn!(late, "not every agent's process ended in time");
    }
}

/// Waits for all of them until time is up, and says how many have not ended then.
async fn late_processes(processes: Vec<JoinHandle<()>>, time_is_up: impl Future<Output = ()>) -> usize {
    let mut time_is_up = pin!(time_is_up);
    let mut is_up = false;
    let mut late = 0;
    for mut ended in processes {
        if !is_up {
            tokio::select! {
                biased;
                _ = &mut ended => continue,
                () = &mut time_is_up => is_up = true,
            }
        }
        late += usize::from(!ended.is_finished());
    }
    late
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};

    #[tokio::test]
    async fn one_process_that_hangs_does_not_make_the_others_late() {
        let (tell, told) = oneshot::channel::<()>();
        let ends = |after: oneshot::Receiver<()>| tokio::spawn(async move { drop(after.await) });
        let (second, second_ends) = oneshot::channel();
        let processes = vec![
            tokio::spawn(ready(())),
            tokio::spawn(pending()),
            ends(second_ends),
        ];
        let waiting =
            tokio::spawn(async move { late_processes(processes, async { drop(told.await) }).await });
        // The last one ends while the one before it is waited for; time is up only then.
        second.send(()).unwrap();
        tokio::task::yield_now().await;
        tell.send(()).unwrap();
        assert_eq!(waiting.await.unwrap(), 1);
    }

    #[tokio::test]
    async fn nobody_is_late_who_ends_before_time_is_up() {
        let processes = vec![tokio::spawn(ready(())), tokio::spawn(ready(()))];
        assert_eq!(late_processes(processes, pending()).await, 0);
    }
}
