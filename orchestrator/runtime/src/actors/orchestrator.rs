//! The orchestrator actor: a thin shell around `advance`.
//!
//! What: what it starts from, its timer, the wall clock, reloads and its end. Why: the machine has one owner. Not here: decisions
//! (`orchestrator-machine`), one turn and what its effects are performed on (`ports`), signals (`intake`). Should a handler panic, the
//! process ends with code 70 and is started again from its journal: nothing is patched up.

use crate::{
    accounts::LiveAccounts,
    actors::{model::ModelActor, quarantine::QuarantineInbox},
    executor::{EffectExecutor, SNAPSHOT_EVERY},
    fault_plan::FaultPlan,
};
use actix::{Actor, ActorContext, Addr, AsyncContext, Context, Handler, Message, SpawnHandle, Supervised};
use agents::{actor::AgentsPort, contract::AgentCheckpoint};
use aura_memory::Store;
use aura_platform::{
    clock::{Clock, is_set_by_file},
    health::ServiceHealth,
    in_flight::{InFlight, InFlightGuard},
    kernel_timer::WallClockWatch,
    mailbox::send,
    retention_clock::RetentionClock,
};
use orchestrator_machine::{
    EventKind, MachineEnv, MachineState, RULES_NUMBER,
    calls::CallAnswer,
    effect::{OutgoingCall, SubmissionVerdict},
    next_due,
    supervision::SupervisedRole,
};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use surfaces::web::UiEvents;
use tokio::sync::{Notify, broadcast, oneshot, watch};
use toolcall_schema::{ActionKind, AgentName, Timestamp};

mod at_rest;
mod intake;
mod messages;
mod ports;

pub use at_rest::{AgentsMust, AtRest, ReadOn};
use ports::{CallAnswered, CommitFinished, TurnPorts};

pub use messages::{
    CancelAsk, GetHealth, GetState, InjectEvent, LastTick, OwnerCommand, PostSignals, PostedSignal,
    ReloadSettings, RequestCall, StateSnapshot, Stop, SubmitCard,
};

/// Everything the orchestrator talks to.
pub struct PortAddresses {
    pub store: Arc<Store>,
    /// Who is told of changes that pages show.
    pub live: Arc<UiEvents>,
    /// Who says things aloud.
    pub announced: broadcast::Sender<ActionKind>,
    /// What was refused.
    pub quarantine: QuarantineInbox,
    /// Who phrases.
    pub model: Addr<ModelActor>,
    /// The four agents.
    pub agents: AgentsPort,
    /// Told when an agent took payments back that memory knows.
    pub withdrawals: Arc<Notify>,
    /// Watches the clock.
    pub retention: RetentionClock,
    /// Servers that are to have what is put into the outbox.
    pub accounts: LiveAccounts,
    /// Who waits for a change of the state is told of each turn.
    pub turns: watch::Sender<()>,
}

/// The actor: the machine's executor, and what its effects are performed on.
pub struct OrchestratorActor {
    executor: EffectExecutor,
    shell: OrchestratorShell,
}

/// What effects are performed on, and what the actor waits for.
struct OrchestratorShell {
    kept_ticks: u64,
    settings_hash: String,
    /// What a reload brought, until the machine asks for it.
    next_env: Option<Arc<MachineEnv>>,
    clock: Clock,
    busy: InFlight,
    addresses: Option<PortAddresses>,
    timer: Option<(Timestamp, SpawnHandle)>,
    requests: BTreeMap<u64, oneshot::Sender<SubmissionVerdict>>,
    /// Who waits for the outcome of a call.
    askers: BTreeMap<u64, oneshot::Sender<CallAnswer>>,
    next_request: u64,
    intake: intake::SignalIntake,
    resting: at_rest::IdleQueue,
    /// Ingests that leave when less waits for the disk.
    waits_for_disk: Vec<OutgoingCall>,
    health: ServiceHealth,
    /// Whether the disk, which took nothing the last time, is about to be tried again.
    trying: bool,
    /// What the last tick's trace says to a page; `None`: not known here, the store has it.
    last_tick: Option<LastTick>,
}

/// How long after a failure the disk is tried again.
const DISK_AGAIN: Duration = Duration::from_millis(500);

/// What the orchestrator starts from.
pub struct OrchestratorConfig {
    /// Policy, settings, seed.
    pub env: Arc<MachineEnv>,
    /// The last tick whose trace is kept; 0: none.
    pub kept_ticks: u64,
    /// By which the settings are kept.
    pub settings_hash: String,
    /// As recovered from the journal, or new.
    pub state: MachineState,
    /// The number of the next event.
    pub seq: u64,
    /// Where each agent is by the journal; absent: it has read nothing.
    pub checkpoints: BTreeMap<AgentName, AgentCheckpoint>,
    /// The clock.
    pub clock: Clock,
    /// What is in flight.
    pub busy: InFlight,
    /// What goes wrong on purpose; nothing in service.
    pub faults: Arc<dyn FaultPlan>,
}

/// Events that may wait.
pub const MAILBOX: usize = 4096;

impl OrchestratorActor {
    /// An orchestrator without ports; [`Start`] gives them, and only then it starts.
    pub fn new(start: OrchestratorConfig) -> Self {
        Self {
            executor: EffectExecutor::new(start.env, start.state, start.seq, SNAPSHOT_EVERY, start.faults),
            shell: OrchestratorShell {
                settings_hash: start.settings_hash,
                kept_ticks: start.kept_ticks,
                next_env: None,
                clock: start.clock,
                busy: start.busy,
                addresses: None,
                timer: None,
                requests: BTreeMap::new(),
                askers: BTreeMap::new(),
                next_request: 1,
                intake: intake::SignalIntake::from_checkpoints(start.checkpoints),
                resting: at_rest::IdleQueue::default(),
                waits_for_disk: Vec::new(),
                health: ServiceHealth::default(),
                trying: false,
                last_tick: None,
            },
        }
    }

    /// Asks for a commit after a while, again and again until one succeeds: what waits must not wait for the next thing to happen.
    fn try_disk_again(&mut self, ctx: &mut Context<Self>) {
        if std::mem::replace(&mut self.shell.trying, true) {
            return;
        }
        ctx.run_later(DISK_AGAIN, |me, ctx| {
            me.shell.trying = false;
            if me.shell.health.journal_down {
                // Nobody waits for the answer but the health that it tells of.
                let (reply, _) = oneshot::channel();
                let ticket = me.shell.busy.ticket_to(SupervisedRole::Memory);
                me.shell.flush_writes(ctx.address(), reply, ticket);
            }
        });
    }

    /// Wakes the machine when its next deadline is due, or the intake.
    fn arm(&mut self, ctx: &mut Context<Self>) {
        let at = self.shell.clock.at();
        let wall = self.executor.state.wall(at);
        let timeline = |instant: Timestamp| at.plus_ms(instant.since(wall));
        let intake = self.shell.intake.due(wall, timeline);
        let clock = self.shell.intake.clock_due(at, wall);
        let machine = next_due(&self.executor.state);
        let due = machine.into_iter().chain(intake).chain(clock).min();
        if self.shell.timer.as_ref().map(|(at, _)| *at) == due {
            return;
        }
        if let Some((_, handle)) = self.shell.timer.take() {
            ctx.cancel_future(handle);
        }
        let Some(due) = due else { return };
        let (clock, busy, me) = (self.shell.clock.clone(), self.shell.busy.clone(), ctx.address());
        let handle = ctx.spawn(actix::fut::wrap_future(async move {
            let _woken = clock.sleep_until(due).await;
            let _ = send(
                &me,
                "orchestrator",
                DeadlineDue {
                    at: due,
                    ticket: busy.ticket_to(SupervisedRole::Orchestrator),
                },
            );
        }));
        self.shell.timer = Some((due, handle));
    }

    /// Looks at the wall clock whenever the kernel says that it was set.
    fn follow_wall(ctx: &mut Context<Self>) {
        const LOOK: Duration = Duration::from_secs(5);
        // The kernel knows nothing of a clock that a test sets.
        let watch = (!is_set_by_file()).then(WallClockWatch::open);
        let Some(Ok(watch)) = watch else {
            ctx.run_interval(LOOK, Self::look_at_wall);
            return;
        };
        let me = ctx.address();
        ctx.spawn(actix::fut::wrap_future(async move {
            while watch.wait_until_set().await.is_ok() {
                // A mailbox that is full is one in which turns wait, which look as well.
                let _ = send(&me, "orchestrator", WallClockSet);
            }
        }));
    }

    fn look_at_wall(&mut self, ctx: &mut Context<Self>) {
        if self.shell.addresses.is_none() {
            return;
        }
        self.watch_wall(ctx);
        // What waited for a clock that is right.
        self.offer(ctx);
        self.arm(ctx);
    }

    /// A wall clock that was set is an event.
    fn watch_wall(&mut self, ctx: &mut Context<Self>) {
        const JUMP_MS: i64 = 1000;
        let wall = self.shell.clock.wall();
        if wall.since(self.executor.state.wall(self.shell.clock.at())).abs() > JUMP_MS {
            tracing::warn!("the wall clock jumped");
            self.shell.health.clock_jumps += 1;
            if let Some(addresses) = &self.shell.addresses {
                // On disk before anything that is dated by it.
                addresses.retention.observe();
            }
            self.turn(EventKind::ClockSet { wall }, ctx);
        }
    }
}

/// The orchestrator to itself: a deadline is due.
#[derive(Message)]
#[rtype(result = "()")]
struct DeadlineDue {
    at: Timestamp,
    ticket: InFlightGuard,
}

/// The orchestrator to itself: somebody set the wall clock.
#[derive(Message)]
#[rtype(result = "()")]
struct WallClockSet;

impl Handler<WallClockSet> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, _set: WallClockSet, ctx: &mut Self::Context) {
        self.look_at_wall(ctx);
    }
}

/// The wiring: who the orchestrator talks to. It starts now.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Start(pub PortAddresses, pub InFlightGuard);

impl Handler<CommitFinished> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, committed: CommitFinished, ctx: &mut Self::Context) {
        self.shell.health.committed(committed.ok);
        if !committed.ok {
            return self.try_disk_again(ctx);
        }
        for ingest in std::mem::take(&mut self.shell.waits_for_disk) {
            if let Some(ingest) = self.shell.hold_ingest(ingest, ctx.address()) {
                self.executor.send(
                    ingest,
                    &mut TurnPorts {
                        shell: &mut self.shell,
                        ctx,
                    },
                );
            }
        }
    }
}

impl Actor for OrchestratorActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
        Self::follow_wall(ctx);
    }
}

impl Supervised for OrchestratorActor {}

impl Handler<Start> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, Start(addresses, _ticket): Start, ctx: &mut Self::Context) {
        intake::tell_agents(&self.shell.intake, &addresses);
        self.shell.addresses = Some(addresses);
        let started = EventKind::Started {
            wall: self.shell.clock.wall(),
            policy_hash: self.executor.env.policy.hash().to_owned(),
            catalogue_hash: self.executor.env.catalogue_hash.clone(),
            kept_ticks: self.shell.kept_ticks,
            settings_hash: self.shell.settings_hash.clone(),
            rules_number: RULES_NUMBER,
        };
        self.take_turn(started, ctx);
    }
}

impl Handler<Stop> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, _stop: Stop, ctx: &mut Self::Context) {
        ctx.stop();
    }
}

impl Handler<ReloadSettings> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, reload: ReloadSettings, ctx: &mut Self::Context) {
        let what = EventKind::Reloaded {
            policy_hash: reload.env.policy.hash().to_owned(),
            settings_hash: reload.settings_hash,
        };
        self.shell.next_env = Some(reload.env);
        self.take_turn(what, ctx);
        drop(reload.ticket);
    }
}

impl Handler<OwnerCommand> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, said: OwnerCommand, ctx: &mut Self::Context) {
        self.take_turn(said.what, ctx);
        self.shell.flush_writes(ctx.address(), said.reply, said.ticket);
    }
}

impl Handler<InjectEvent> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, happened: InjectEvent, ctx: &mut Self::Context) {
        self.take_turn(happened.what, ctx);
        drop(happened.ticket);
    }
}

impl Handler<DeadlineDue> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, due: DeadlineDue, ctx: &mut Self::Context) {
        if self.shell.timer.as_ref().is_some_and(|(at, _)| *at == due.at) {
            self.shell.timer = None;
            if next_due(&self.executor.state).is_some_and(|at| at <= due.at) {
                self.take_turn(EventKind::Time, ctx);
            }
            self.intake_due(ctx);
        }
        drop(due.ticket);
    }
}

impl Handler<GetState> for OrchestratorActor {
    type Result = actix::MessageResult<GetState>;

    fn handle(&mut self, _look: GetState, _ctx: &mut Self::Context) -> Self::Result {
        actix::MessageResult(Box::new(StateSnapshot {
            state: self.executor.state.clone(),
            env: self.executor.env.clone(),
            at: self.shell.clock.at(),
            health: self.shell.health.clone(),
            last_tick: self.shell.last_tick.clone(),
        }))
    }
}

impl Handler<GetHealth> for OrchestratorActor {
    type Result = actix::MessageResult<GetHealth>;

    fn handle(&mut self, _get: GetHealth, _ctx: &mut Self::Context) -> Self::Result {
        actix::MessageResult(self.shell.health.clone())
    }
}
