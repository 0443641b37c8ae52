//! When something is sent to the collector, and what becomes of it when that fails.
//!
//! What: [`start`], a task that notes what ended and a thread that sends it. Why: a collector that hangs, refuses or is not there holds up this thread and
//! nothing else. A tick is sent once, after its trace is on disk; while that fails it is tried again and at most [`TICKS_WAITING`] wait behind it, the oldest
//! of which goes first. Figures are never tried again: the next ones say more. Not here: what is sent (`otlp_json`).

use super::{CollectorAddress, CollectorError, CollectorReport, TelemetrySignal, otlp_json};
use crate::{
    backend::{HealthReport, ServiceBackend, kept_tick},
    outbound::OutboundTimeouts,
    outbound_health::OutboundHealth,
    reads::{ReadRecorder, RecordedSend},
};
use aura_memory::Vault;
use aura_platform::{clock::Clock, metric_families::families, metrics::METRICS};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded, select};
use serde_json::Value;
use std::{
    io, thread,
    time::{Duration, Instant},
};
use surfaces_base::backend::{Backend as _, UiEventKind, console::TickView};
use tokio::sync::{broadcast::error::RecvError, watch};
use toolcall_schema::{Timestamp, ids::TraceId};
use ureq::Agent;

/// Ticks that wait at most.
const TICKS_WAITING: usize = 256;

/// How often the figures are sent.
const FIGURES_EVERY: Duration = Duration::from_mins(1);

/// How long it is waited until the journal that says that a trace was kept is on disk itself.
const ON_DISK: Duration = Duration::from_secs(5);

/// How long it is tried to send a tick.
const TICK_LIVES: Duration = Duration::from_hours(1);

/// That something is sent to a machine outside is recorded once in this time.
const RECORDED_MS: i64 = 3_600_000;

/// A tick that ended, and the wall clock minus the timeline then.
type EndedTick = (TraceId, i64);

/// The figures as `/metrics` writes them, and when they were read.
type ReadFigures = (String, Timestamp);

/// Follows what ends until told to stop.
///
/// # Errors
/// The system gives no thread.
pub(in crate::outbound) fn start(
    collector: &CollectorAddress,
    patience: OutboundTimeouts,
    backend: &ServiceBackend,
    mut stopped: watch::Receiver<bool>,
) -> io::Result<()> {
    let (ticks_to, ticks) = bounded(TICKS_WAITING);
    let (figures_to, figures) = bounded(1);
    let (running, ended) = bounded::<()>(0);
    let exporter = TelemetryExporter {
        agent: collector.agent(),
        collector: collector.clone(),
        patience,
        vault: backend.vault.clone(),
        clock: backend.clock.clone(),
        reads: backend.reads.clone(),
        health: backend.outbound.clone(),
        since: backend.clock.wall(),
        ticks: ticks.clone(),
        figures: figures.clone(),
        ended,
        recorded: None,
        reached_at: None,
        not_before: None,
    };
    exporter.stands(None);
    thread::Builder::new()
        .name("telemetry".to_owned())
        .spawn(move || exporter.run())?;
    let (mut changes, backend) = (backend.events(), backend.clone());
    let mut told_to_stop = stopped.clone();
    actix::spawn(async move {
        let _running = running;
        let mut minutes = tokio::time::interval(FIGURES_EVERY);
        minutes.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => return,
                change = changes.recv() => match change.map(|event| event.what) {
                    Ok(UiEventKind::Tick(id)) => {
                        tokio::select! {
                            _ = told_to_stop.wait_for(|stop| *stop) => return,
                            // Where it takes longer, what is there is sent.
                            _ = tokio::time::timeout(ON_DISK, backend.flush_ends()) => {}
                        }
                        if let Ok(look) = backend.look().await {
                            put(&backend.outbound, &ticks_to, &ticks, (id, look.state.wall_offset_ms));
                        }
                    }
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => backend.outbound.count("traces", "dropped"),
                    Err(RecvError::Closed) => return,
                },
                _ = minutes.tick() => {
                    if let Ok(report) = HealthReport::gather(&backend).await {
                        let read = (report.metrics(), backend.clock.wall());
                        // What was not sent is older.
                        while let Err(TrySendError::Full(_)) = figures_to.try_send(read.clone()) {
                            let _ = figures.try_recv();
                        }
                    }
                }
            }
        }
    });
    Ok(())
}

/// Puts a tick behind those that wait; where there is no room, the oldest goes.
fn put(health: &OutboundHealth, to: &Sender<EndedTick>, from: &Receiver<EndedTick>, tick: EndedTick) {
    let mut tick = tick;
    while let Err(TrySendError::Full(back)) = to.try_send(tick) {
        if from.try_recv().is_ok() {
            health.count(TelemetrySignal::Traces.as_str(), "dropped");
        }
        tick = back;
    }
}

/// The thread that talks to the collector.
struct TelemetryExporter {
    collector: CollectorAddress,
    agent: Agent,
    patience: OutboundTimeouts,
    vault: Vault,
    clock: Clock,
    reads: ReadRecorder,
    health: OutboundHealth,
    /// Figures count from the process's begin; this is when it began to send.
    since: Timestamp,
    ticks: Receiver<EndedTick>,
    figures: Receiver<ReadFigures>,
    /// Without a sender once the service ends.
    ended: Receiver<()>,
    /// That it is sent there, and when that was recorded.
    recorded: Option<(RecordedSend, Timestamp)>,
    reached_at: Option<Timestamp>,
    /// The collector wants to be left alone until then.
    not_before: Option<Instant>,
}

/// That the service ends.
struct ServiceEnds;

impl TelemetryExporter {
    fn run(mut self) {
        loop {
            let done = select! {
                recv(self.ended) -> _ => Err(ServiceEnds),
                recv(self.ticks) -> tick => match tick {
                    Ok((id, offset_ms)) => self.export_tick(&id, offset_ms),
                    Err(_) => Err(ServiceEnds),
                },
                recv(self.figures) -> figures => match figures {
                    Ok((text, at)) => {
                        self.export_figures(&text, at);
                        Ok(())
                    }
                    Err(_) => Err(ServiceEnds),
                },
            };
            if done.is_err() {
                return;
            }
        }
    }

    fn export_figures(&mut self, text: &str, at: Timestamp) {
        if self.not_before.is_some_and(|until| Instant::now() < until) {
            return;
        }
        let message = otlp_json::metrics_message(&families(text), self.since, at);
        let _ = self.attempt(TelemetrySignal::Metrics, &message);
    }

    fn export_tick(&mut self, id: &TraceId, offset_ms: i64) -> Result<(), ServiceEnds> {
        let Some(view) = self.read_tick(id, offset_ms) else {
            self.count(TelemetrySignal::Traces, "missing");
            return Ok(());
        };
        let message = otlp_json::traces_message(&view);
        let (mut pause, begun) = (self.patience.pause, Instant::now());
        loop {
            if let Some(until) = self.not_before.take() {
                self.wait(until.saturating_duration_since(Instant::now()))?;
            }
            let wait = match self.attempt(TelemetrySignal::Traces, &message) {
                Ok(()) | Err(CollectorError::Refused(_)) => return Ok(()),
                Err(CollectorError::Silent(_)) => Duration::ZERO,
                Err(CollectorError::Later(wait)) => wait,
            };
            if begun.elapsed() + wait > TICK_LIVES {
                self.count(TelemetrySignal::Traces, "expired");
                return Ok(());
            }
            self.wait(wait.max(jittered(pause)))?;
            // It is over: what follows need not wait for it.
            self.not_before = None;
            pause = OutboundTimeouts::longer(pause);
        }
    }

    /// What is kept of a tick; without its events where the journal does not say how it ended.
    fn read_tick(&self, id: &TraceId, offset_ms: i64) -> Option<TickView> {
        kept_tick(&self.vault, id, (self.clock.wall(), offset_ms)).unwrap_or_else(|error| {
            tracing::warn!(code = error.code(), %error, "a tick could not be read for the collector");
            None
        })
    }

    fn wait(&self, long: Duration) -> Result<(), ServiceEnds> {
        match self.ended.recv_timeout(long) {
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Ok(()) | Err(RecvTimeoutError::Disconnected) => Err(ServiceEnds),
        }
    }

    /// Sends once, and notes what came of it.
    fn attempt(&mut self, signal: TelemetrySignal, message: &Value) -> Result<(), CollectorError> {
        let now = self.clock.wall();
        if !self.is_recorded(now) {
            return Err(CollectorError::Later(Duration::ZERO));
        }
        let bytes = serde_json::to_vec(message).unwrap_or_default();
        let sent = self
            .collector
            .send(&self.agent, signal, &bytes, self.patience.publish);
        match &sent {
            Ok(rejected) => {
                self.reached_at = Some(now);
                METRICS.outbound_many(signal.as_str(), "rejected", *rejected);
                self.stands(None);
                self.count(signal, "done");
            }
            Err(error) => {
                tracing::warn!(signal = signal.as_str(), %error, "the collector did not take it");
                let result = match error {
                    CollectorError::Refused(_) => "refused",
                    CollectorError::Silent(_) => "failed",
                    CollectorError::Later(wait) => {
                        self.not_before = Some(Instant::now() + *wait);
                        "failed"
                    }
                };
                self.stands(Some(error.to_string()));
                self.count(signal, result);
            }
        }
        sent.map(drop)
    }

    /// Whether the audit log says that something is sent there; what stays on this computer need not stand in it.
    fn is_recorded(&mut self, now: Timestamp) -> bool {
        let is_fresh = |(_, at): &(RecordedSend, Timestamp)| (0..RECORDED_MS).contains(&now.since(*at));
        if self.collector.is_here() || self.recorded.as_ref().is_some_and(is_fresh) {
            return true;
        }
        match self.reads.record_telemetry(now, self.collector.host()) {
            Ok(recorded) => {
                self.recorded = Some((recorded, now));
                true
            }
            Err(error) => {
                tracing::warn!(%error, "nothing is sent to the collector");
                false
            }
        }
    }

    fn stands(&self, failing: Option<String>) {
        self.health.collector(CollectorReport {
            host: self.collector.host().to_owned(),
            is_outside: !self.collector.is_here(),
            reached_at: self.reached_at,
            failing,
            waiting: self.ticks.len(),
        });
    }

    fn count(&self, signal: TelemetrySignal, result: &'static str) {
        self.health.count(signal.as_str(), result);
    }
}

/// Half of a pause, and a part of the other half that nobody foresees: many who were refused together come back one after the other.
fn jittered(pause: Duration) -> Duration {
    let parts = u32::from(uuid::Uuid::new_v4().as_bytes()[0]);
    pause / 2 + pause / 2 * parts / 255
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_is_between_its_half_and_itself() {
        let pause = Duration::from_secs(8);
        for _ in 0..200 {
            let jittered = jittered(pause);
            assert!((pause / 2..=pause).contains(&jittered), "{jittered:?}");
        }
    }

    #[test]
    fn oldest_tick_goes_where_there_is_no_room() {
        let health = OutboundHealth::default();
        let (to, from) = bounded(2);
        let id = |n: u64| TraceId::parse(&format!("tr_{n:012}")).unwrap();
        for n in 1..=4 {
            put(&health, &to, &from, (id(n), 0));
        }
        let waiting: Vec<TraceId> = from.try_iter().map(|(id, _)| id).collect();
        assert_eq!(waiting, [id(3), id(4)]);
    }
}
