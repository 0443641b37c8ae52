//! How the service stands, gathered once and told in three ways.
//!
//! What: [`HealthReport`], and its renderings: what `aura status` prints, the figures of `/metrics`, the overview of the console. Why:
//! three readers of the same figures see the same. Not here: counting them (`aura_platform::metrics`, `aura_platform::health`),
//! pages (`surfaces`).

use super::ServiceBackend;
use crate::{
    accounts::{AccountReport, ServerDeliveryReport},
    actors::{
        model,
        orchestrator::{self, StateSnapshot},
        surfaces,
    },
    outbound::telemetry::CollectorReport,
};
use ::surfaces_base::backend::{
    BackendError, HealthFlag,
    console::{
        ProcessEndView, ProcessName, ProcessRestart, ProcessStatus, ProcessView, QueueName, QueueView,
        ServiceCounters, ServiceOverview, ServiceSample, StoreView,
    },
};
use aura_memory::{CAPACITY, quarantine::QuarantineHealth};
use aura_platform::{
    clock::Clock,
    metrics::{CurrentFigures, FigureShare},
    retention_clock::ClockReport,
};
use aura_process::{
    AgentProcessReport, ProcessEnd,
    model_supervisor::{ModelReport, ModelState},
    resident_kib,
    sandbox::SandboxLevel,
};
use orchestrator_machine::{
    state::{MachinePhase, QUEUE_MAX},
    supervision::SupervisedRole,
};
use serde_json::Value;
use std::{collections::BTreeMap, os::unix::process::ExitStatusExt as _, sync::Arc};
use toolcall_schema::AgentName;

/// The mailboxes with a bound. The other queues are their owners': the quarantine's and the agents' refuse what is too much, and say so.
const MAILBOXES: [(SupervisedRole, QueueName, usize); 4] = [
    (
        SupervisedRole::Orchestrator,
        QueueName::Machine,
        orchestrator::MAILBOX,
    ),
    (SupervisedRole::Memory, QueueName::Memory, CAPACITY),
    (SupervisedRole::Surfaces, QueueName::Surfaces, surfaces::MAILBOX),
    (SupervisedRole::Model, QueueName::Model, model::MAILBOX),
];

/// How the service stands at one moment.
pub(crate) struct HealthReport {
    look: Box<StateSnapshot>,
    share: Arc<FigureShare>,
    flags: Vec<HealthFlag>,
    in_flight: usize,
    /// Messages that wait in each of [`MAILBOXES`].
    waiting: [(SupervisedRole, usize); 4],
    quarantine: QuarantineHealth,
    /// Empty where agents run in this process.
    agents: BTreeMap<AgentName, AgentProcessReport>,
    sandbox: SandboxLevel,
    model: ModelReport,
    clock: ClockReport,
    /// Where restarts were.
    timeline: Clock,
    accounts: Vec<AccountReport>,
    deliveries: Vec<ServerDeliveryReport>,
    /// The owner's collector; absent: none.
    collector: Option<CollectorReport>,
}

impl ServiceBackend {
    /// What `aura status` prints.
    ///
    /// # Errors
    /// Busy or stopping.
    pub async fn status(&self) -> Result<Value, BackendError> {
        Ok(HealthReport::gather(self).await?.status())
    }
}

impl HealthReport {
    /// Asks every part.
    pub(crate) async fn gather(backend: &ServiceBackend) -> Result<Self, BackendError> {
        let look = backend.look().await?;
        Ok(Self {
            flags: backend.flags(&look.health),
            share: Arc::clone(&backend.share),
            look,
            in_flight: backend.busy.count(),
            waiting: MAILBOXES.map(|(role, _, _)| (role, backend.busy.waiting(role))),
            quarantine: backend.quarantine.health(),
            agents: backend.registry.reports(),
            sandbox: backend.registry.level(),
            model: backend.model.report(),
            clock: backend.retention.report(),
            timeline: backend.clock.clone(),
            collector: backend.outbound.collector_report(),
            accounts: backend.accounts.reports(),
            deliveries: backend.accounts.deliveries(),
        })
    }

    /// Ticks so far.
    pub(super) fn ticks(&self) -> u64 {
        self.look.state.ticks
    }

    /// What `aura status` prints.
    fn status(&self) -> Value {
        let StateSnapshot {
            state,
            env,
            at,
            health,
            last_tick: _,
        } = &*self.look;
        serde_json::json!({
            "state": state.phase.name(),
            "at": state.wall(*at),
            "ticks": state.ticks,
            "waiting_triggers": state.queue.len(),
            "dropped_triggers": state.queue_dropped,
            "ledger": state.ledger.view(),
            "surfaces": state.surfaces,
            "muted_channels": state.mutes_wall.len(),
            "prompt_open": matches!(state.phase, MachinePhase::AwaitingConfirm { .. }),
            "in_flight": self.in_flight,
            "paused_until": state.paused_until_wall,
            "rules": state.rules.len(),
            "policy_hash": env.policy.hash(),
            "catalogue_hash": env.catalogue_hash,
            "health": health,
            "quarantine": self.quarantine,
            "processes": self.agents,
            "model": self.model,
            "clock": self.clock,
            "telemetry": self.collector,
            "accounts": self.accounts,
            "deliveries": self.deliveries,
            "sandbox": self.sandbox.to_string(),
        })
    }

    /// The text of `GET /metrics`.
    pub(crate) fn metrics(&self) -> String {
        self.share.text(&self.figures())
    }

    fn figures(&self) -> CurrentFigures<'_> {
        CurrentFigures {
            state: &self.look.state,
            health: &self.look.health,
            in_flight: self.in_flight,
            waiting: &self.waiting,
            quarantine: self.quarantine,
            sandbox_whole: self.sandbox.is_whole(),
            landlock_abi: self.sandbox.landlock.abi(),
            model_up: self.model.standing == ModelState::Ready,
        }
    }

    /// What is kept of this moment for an hour.
    pub(super) fn sample(&self) -> ServiceSample {
        self.share.record(&self.figures());
        let StateSnapshot {
            state,
            env,
            at,
            health,
            last_tick: _,
        } = &*self.look;
        let (parts, queues) = (self.parts(), self.queues());
        let service = parts.iter().find(|part| part.name == ProcessName::Service);
        ServiceSample {
            at: state.wall(*at),
            zone: env.settings.zone.name().to_owned(),
            ticks: state.ticks,
            waiting: queues.iter().map(|queue| queue.waiting as u64).sum(),
            refused: health.refused_calls + health.refused_results,
            memory_kib: service.and_then(|part| part.memory_kib),
        }
    }

    /// The console's first page.
    pub(super) fn overview(self, store: StoreView) -> ServiceOverview {
        let (parts, queues, restarts) = (self.parts(), self.queues(), self.restarts());
        let StateSnapshot {
            state,
            env,
            at,
            health,
            last_tick: _,
        } = *self.look;
        ServiceOverview {
            at: state.wall(at),
            zone: env.settings.zone.name().to_owned(),
            version: env!("CARGO_PKG_VERSION"),
            policy_hash: env.policy.hash().to_owned(),
            catalogue_hash: env.catalogue_hash.clone(),
            health: self.flags,
            counters: ServiceCounters {
                refused_calls: health.refused_calls,
                refused_results: health.refused_results,
                refusals_lost: self.quarantine.overflowed + self.quarantine.failed,
                failed_commits: health.failed_commits,
                raw_traces: health.raw_traces,
                ignored: health.ignored,
                clock_jumps: health.clock_jumps,
                skipped: health.skipped.values().map(|skipped| skipped.count).sum(),
            },
            parts,
            restarts,
            queues,
            store,
            sandbox: self.sandbox.to_string(),
        }
    }

    /// What is remembered of restarts, oldest first.
    pub(super) fn restarts(&self) -> Vec<ProcessRestart> {
        let at = |end: &ProcessEnd| self.look.state.wall(self.timeline.timeline_of(end.at));
        let agents = self
            .agents
            .iter()
            .map(|(agent, report)| (ProcessName::Agent(*agent), &report.ends));
        let mut restarts: Vec<ProcessRestart> = agents
            .chain([(ProcessName::Model, &self.model.ends)])
            .flat_map(|(name, ends)| ends.iter().map(move |end| ProcessRestart { name, at: at(end) }))
            .collect();
        restarts.sort_by_key(|restart| restart.at);
        restarts
    }

    fn parts(&self) -> Vec<ProcessView> {
        let service = ProcessView {
            name: ProcessName::Service,
            standing: ProcessStatus::Running,
            pid: Some(std::process::id()),
            restarts: 0,
            last_end: None,
            memory_kib: resident_kib(std::process::id()),
        };
        let agents = AgentName::FOUR.iter().filter_map(|agent| {
            let report = self.agents.get(agent)?;
            Some(ProcessView {
                name: ProcessName::Agent(*agent),
                standing: match (report.pid, report.rests) {
                    (Some(_), _) => ProcessStatus::Running,
                    (None, true) => ProcessStatus::Resting,
                    (None, false) => ProcessStatus::Starting,
                },
                pid: report.pid,
                restarts: report.restarts,
                last_end: report.ends.last().map(end_view),
                memory_kib: report.pid.and_then(resident_kib),
            })
        });
        let report = &self.model;
        let model = ProcessView {
            name: ProcessName::Model,
            standing: match report.standing {
                ModelState::Off => ProcessStatus::Off,
                ModelState::Unknown | ModelState::NoFile | ModelState::NoWorker => ProcessStatus::Missing,
                ModelState::Starting => ProcessStatus::Starting,
                ModelState::Ready => ProcessStatus::Running,
                ModelState::Resting => ProcessStatus::Resting,
            },
            pid: report.pid,
            restarts: report.restarts,
            last_end: report.ends.last().map(end_view),
            memory_kib: report.pid.and_then(resident_kib),
        };
        std::iter::once(service).chain(agents).chain([model]).collect()
    }

    fn queues(&self) -> Vec<QueueView> {
        let triggers = QueueView {
            name: QueueName::Triggers,
            waiting: self.look.state.queue.len(),
            bound: QUEUE_MAX,
            lost: Some(self.look.state.queue_dropped),
        };
        let mailboxes = MAILBOXES.iter().zip(self.waiting);
        let mailboxes = mailboxes.map(|((_, name, bound), (_, waiting))| QueueView {
            name: *name,
            waiting,
            bound: *bound,
            lost: None,
        });
        std::iter::once(triggers).chain(mailboxes).collect()
    }
}

fn end_view(end: &ProcessEnd) -> ProcessEndView {
    ProcessEndView {
        cause: end.cause,
        exit_code: end.status.and_then(|status| status.code()),
        signal: end.status.and_then(|status| status.signal()),
    }
}
