//! The orchestrator actor: a thin shell around `advance`.
//!
//! What: gives each message its time, steps the machine, hands what it wrote to the memory actor and performs the
//! effects in order. Why: one place where effects happen. Not here: decisions (`orchestrator-machine`). Should a handler
//! panic, the process ends with code 70 and is started again from its journal: nothing is patched up.

use crate::{
    actors::{memory::Memory, model::Model, quarantine::Inbox, surfaces::Surfaces},
    perform::{self, Back},
    writes,
};
use actix::{Actor, ActorContext, Addr, AsyncContext, Context, Handler, Message, SpawnHandle, Supervised};
use agents::contract::Checkpoint;
use aura_memory::Write;
use aura_platform::{
    busy::{Busy, Ticket},
    clock::Clock,
    faults::Faults,
    health::Health,
    mailbox::send,
    retention_clock::RetentionClock,
};
use aura_process::agents_port::AgentsPort;
use orchestrator_machine::{
    Env, Event, RULES_NUMBER, State, What, advance,
    calls::{CallAnswer, CallRequest},
    effect::{Outgoing, ReplyTo, Verdict},
    next_due,
    state::Phase,
    supervision::Role,
};
use std::{collections::BTreeMap, sync::Arc};
use tokio::sync::oneshot;
use toolcall_schema::{AgentName, Timestamp};

mod at_rest;
mod effects;
mod intake;
mod messages;

pub use at_rest::{AgentsMust, AtRest, ReadOn};
pub use messages::{
    Committed, GetHealth, Happened, Look, LookAt, NotKept, Post, PostedSignal, Reload, RequestCall, Said,
    Stop, Submit,
};

/// Everything the orchestrator talks to.
pub struct Ports {
    pub memory: Addr<Memory>,
    /// What is shown.
    pub surfaces: Addr<Surfaces>,
    /// What was refused.
    pub quarantine: Inbox,
    /// Who phrases.
    pub model: Addr<Model>,
    /// The four agents.
    pub agents: AgentsPort,
    /// Watches the clock.
    pub retention: RetentionClock,
}

/// The actor.
pub struct Orchestrator {
    env: Arc<Env>,
    kept_ticks: u64,
    settings_hash: String,
    /// What a reload brought, until the machine asks for it.
    next_env: Option<Arc<Env>>,
    state: State,
    /// The number of the next event.
    seq: u64,
    /// The event that the newest snapshot holds.
    snapshot: u64,
    clock: Clock,
    busy: Busy,
    ports: Option<Ports>,
    timer: Option<(Timestamp, SpawnHandle)>,
    requests: BTreeMap<u64, oneshot::Sender<Verdict>>,
    /// Who waits for the outcome of a call.
    askers: BTreeMap<u64, oneshot::Sender<CallAnswer>>,
    next_request: u64,
    intake: intake::Intake,
    resting: at_rest::Resting,
    faults: Faults,
    health: Health,
    /// The store did not take an event: the next write begins with a snapshot, so that the journal has no hole.
    gap: bool,
    /// Whether the disk, which took nothing the last time, is about to be tried again.
    trying: bool,
}

/// How long after a failure the disk is tried again.
const DISK_AGAIN: std::time::Duration = std::time::Duration::from_millis(500);

/// What the orchestrator starts from.
pub struct Start {
    /// Policy, settings, seed.
    pub env: Arc<Env>,
    /// The last tick whose trace is kept; 0: none.
    pub kept_ticks: u64,
    /// By which the settings are kept.
    pub settings_hash: String,
    /// As recovered from the journal, or new.
    pub state: State,
    /// The number of the next event.
    pub seq: u64,
    /// Where each agent is by the journal; absent: it has read nothing.
    pub checkpoints: BTreeMap<AgentName, Checkpoint>,
    /// The clock.
    pub clock: Clock,
    /// What is in flight.
    pub busy: Busy,
    /// Faults of a recorded day; none in service.
    pub faults: Faults,
}

/// Events that may wait.
pub const MAILBOX: usize = 4096;
/// Submissions that may wait for their verdict.
const REQUESTS_MAX: usize = 256;

impl Orchestrator {
    /// An orchestrator without ports; [`Wire`] gives them, and only then it starts.
    pub fn new(start: Start) -> Self {
        Self {
            env: start.env,
            settings_hash: start.settings_hash,
            kept_ticks: start.kept_ticks,
            next_env: None,
            state: start.state,
            seq: start.seq,
            snapshot: 0,
            clock: start.clock,
            busy: start.busy,
            ports: None,
            timer: None,
            requests: BTreeMap::new(),
            askers: BTreeMap::new(),
            next_request: 1,
            intake: intake::Intake::from_checkpoints(start.checkpoints),
            resting: at_rest::Resting::default(),
            faults: start.faults,
            health: Health::default(),
            gap: false,
            trying: false,
        }
    }

    /// One turn, after a turn about the wall clock when that was set meanwhile: a call stamped by the old one would be
    /// refused as too old or as of the future.
    fn happen(&mut self, what: What, ctx: &mut Context<Self>) {
        self.happen_with(what, Vec::new(), ctx);
    }

    /// One turn, with rows that stand in the transaction of its event.
    fn happen_with(&mut self, what: What, rows: Vec<Write>, ctx: &mut Context<Self>) {
        if !matches!(what, What::Started { .. }) {
            self.watch_wall(ctx);
        }
        self.turn_with(what, rows, ctx);
    }

    fn turn(&mut self, what: What, ctx: &mut Context<Self>) {
        self.turn_with(what, Vec::new(), ctx);
    }

    fn turn_with(&mut self, what: What, rows: Vec<Write>, ctx: &mut Context<Self>) {
        let _in_tick = self.span().entered();
        let event = Event {
            at: self.clock.at().max(self.state.at),
            what,
        };
        let seq = self.seq;
        self.seq += 1;
        let mut writes = Vec::new();
        if std::mem::take(&mut self.gap) && seq > 1 {
            let json = serde_json::to_string(&self.state).unwrap_or_default();
            writes.push(Write::Snapshot { seq: seq - 1, json });
        }
        writes.extend(writes::base_of_rules(seq, &event, &self.state));
        // What moves the wall clock is neither remembered nor said by the owner, so the time before the turn is the right one.
        writes.extend(writes::event(seq, &event, self.state.wall(event.at)));
        let effects = advance(&self.env, &mut self.state, event);
        let mut then = Vec::new();
        let mut rest = Vec::new();
        for effect in effects {
            self.write_of(seq, effect, &mut writes, &mut then, &mut rest);
        }
        self.keep(writes, rows, then);
        for effect in rest {
            self.perform(effect, ctx);
        }
        self.rest(ctx);
        self.arm(ctx);
    }

    /// What happens in a tick is logged with its number.
    fn span(&self) -> tracing::Span {
        if matches!(self.state.phase, Phase::Idle) {
            tracing::Span::none()
        } else {
            tracing::info_span!("tick", tick = self.state.ticks)
        }
    }

    /// Asks for a commit after a while, again and again until one succeeds: what waits must not wait for the next thing to happen.
    fn try_disk_again(&mut self, ctx: &mut Context<Self>) {
        if std::mem::replace(&mut self.trying, true) {
            return;
        }
        ctx.run_later(DISK_AGAIN, |me, _| {
            me.trying = false;
            let Some(ports) = me.ports.as_ref().filter(|_| me.health.journal_down) else {
                return;
            };
            // Nobody waits for the answer but the health that it tells of.
            let (reply, _) = oneshot::channel();
            let ticket = me.busy.ticket_to(Role::Memory);
            let _ = send(&ports.memory, "memory", super::memory::Flush { reply, ticket });
        });
    }

    /// Wakes the machine when its next deadline is due, or the intake.
    fn arm(&mut self, ctx: &mut Context<Self>) {
        let at = self.clock.at();
        let wall = self.state.wall(at);
        let timeline = |instant: Timestamp| at.plus_ms(instant.since(wall));
        let intake = self.intake.due(wall, timeline);
        let due = next_due(&self.state).into_iter().chain(intake).min();
        if self.timer.as_ref().map(|(at, _)| *at) == due {
            return;
        }
        if let Some((_, handle)) = self.timer.take() {
            ctx.cancel_future(handle);
        }
        let Some(due) = due else { return };
        let (clock, busy, me) = (self.clock.clone(), self.busy.clone(), ctx.address());
        let handle = ctx.spawn(actix::fut::wrap_future(async move {
            let _woken = clock.sleep_until(due).await;
            let _ = send(
                &me,
                "orchestrator",
                Due {
                    at: due,
                    ticket: busy.ticket_to(Role::Orchestrator),
                },
            );
        }));
        self.timer = Some((due, handle));
    }

    /// A wall clock that was set is an event.
    fn watch_wall(&mut self, ctx: &mut Context<Self>) {
        const JUMP_MS: i64 = 1000;
        let wall = self.clock.wall();
        if wall.since(self.state.wall(self.clock.at())).abs() > JUMP_MS {
            tracing::warn!("the wall clock jumped");
            self.health.clock_jumps += 1;
            if let Some(ports) = &self.ports {
                // On disk before anything that is dated by it.
                ports.retention.observe();
            }
            self.turn(What::ClockSet { wall }, ctx);
        }
    }
}

/// The orchestrator to itself: a deadline is due.
#[derive(Message)]
#[rtype(result = "()")]
struct Due {
    at: Timestamp,
    ticket: Ticket,
}

/// The orchestrator to itself: an agent answered a call, or did not.
#[derive(Message)]
#[rtype(result = "()")]
struct Answered {
    outgoing: Box<Outgoing>,
    answer: Result<Vec<u8>, aura_process::agents_port::AskFault>,
    /// The checkpoint that an ingest began from.
    from: Option<u64>,
    ticket: Ticket,
}

/// The wiring: who the orchestrator talks to. It starts now.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Wire(pub Ports, pub Ticket);

impl Handler<NotKept> for Orchestrator {
    type Result = ();

    fn handle(&mut self, _not_kept: NotKept, ctx: &mut Self::Context) {
        self.health.not_written();
        self.gap = true;
        self.try_disk_again(ctx);
    }
}

impl Handler<Committed> for Orchestrator {
    type Result = ();

    fn handle(&mut self, committed: Committed, ctx: &mut Self::Context) {
        self.health.committed(committed.ok);
        if !committed.ok {
            self.try_disk_again(ctx);
        }
    }
}

impl Actor for Orchestrator {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
        ctx.run_interval(std::time::Duration::from_secs(5), |me, ctx| {
            me.watch_wall(ctx);
            // What waited for a clock that is right.
            me.offer(ctx);
        });
    }
}

impl Supervised for Orchestrator {}

impl Handler<Wire> for Orchestrator {
    type Result = ();

    fn handle(&mut self, Wire(ports, _ticket): Wire, ctx: &mut Self::Context) {
        intake::tell_agents(&self.intake, &ports);
        self.ports = Some(ports);
        let started = What::Started {
            wall: self.clock.wall(),
            policy_hash: self.env.policy.hash().to_owned(),
            catalogue_hash: self.env.catalogue_hash.clone(),
            kept_ticks: self.kept_ticks,
            settings_hash: self.settings_hash.clone(),
            rules_number: RULES_NUMBER,
        };
        self.happen(started, ctx);
    }
}

impl Handler<Stop> for Orchestrator {
    type Result = ();

    fn handle(&mut self, _stop: Stop, ctx: &mut Self::Context) {
        ctx.stop();
    }
}

impl Handler<Reload> for Orchestrator {
    type Result = ();

    fn handle(&mut self, reload: Reload, ctx: &mut Self::Context) {
        let what = What::Reloaded {
            policy_hash: reload.env.policy.hash().to_owned(),
            settings_hash: reload.settings_hash,
        };
        self.next_env = Some(reload.env);
        self.happen(what, ctx);
        drop(reload.ticket);
    }
}

impl Handler<Said> for Orchestrator {
    type Result = ();

    fn handle(&mut self, said: Said, ctx: &mut Self::Context) {
        self.happen(said.what, ctx);
        if let Some(ports) = &self.ports {
            let flush = super::memory::Flush {
                reply: said.reply,
                ticket: said.ticket,
            };
            let _ = send(&ports.memory, "memory", flush);
        }
    }
}

impl Handler<Happened> for Orchestrator {
    type Result = ();

    fn handle(&mut self, happened: Happened, ctx: &mut Self::Context) {
        self.happen(happened.what, ctx);
        drop(happened.ticket);
    }
}

impl Handler<Due> for Orchestrator {
    type Result = ();

    fn handle(&mut self, due: Due, ctx: &mut Self::Context) {
        if self.timer.as_ref().is_some_and(|(at, _)| *at == due.at) {
            self.timer = None;
            if next_due(&self.state).is_some_and(|at| at <= due.at) {
                self.happen(What::Time, ctx);
            }
            self.intake_due(ctx);
        }
        drop(due.ticket);
    }
}

impl Handler<Answered> for Orchestrator {
    type Result = ();

    fn handle(&mut self, answered: Answered, ctx: &mut Self::Context) {
        if matches!(answered.outgoing.reply, ReplyTo::Ingest { .. }) {
            return self.ingested(answered, ctx);
        }
        let Answered {
            outgoing,
            answer,
            from: _,
            ticket,
        } = answered;
        let _in_tick = self.span().entered();
        let agent = outgoing.tool.agent();
        self.health.agent(agent, answer.is_ok());
        let back = match &answer {
            Ok(bytes) => perform::answered(&outgoing, bytes),
            Err(fault) => {
                tracing::warn!(agent = agent.as_str(), %fault, "an agent gave no answer");
                if matches!(fault, aura_process::agents_port::AskFault::NoAnswer) {
                    // Its deadline has passed or will: the machine's own.
                    return drop(ticket);
                }
                Back::plain(perform::failed(outgoing.reply))
            }
        };
        if let (Some(error), Ok(bytes)) = (&back.refused, &answer) {
            self.refused_result(&outgoing, error, bytes);
        }
        self.happen(back.what, ctx);
        drop(ticket);
    }
}

impl Handler<Submit> for Orchestrator {
    type Result = ();

    fn handle(&mut self, submit: Submit, ctx: &mut Self::Context) {
        if self.requests.len() >= REQUESTS_MAX {
            return;
        }
        let request = self.next_request;
        self.next_request += 1;
        self.requests.insert(request, submit.reply);
        let (card_id, surface, act) = (submit.card_id, submit.surface, submit.act);
        self.happen(
            What::Submitted {
                request,
                card_id,
                surface,
                act,
                capability: submit.capability,
            },
            ctx,
        );
        drop(submit.ticket);
    }
}

impl Handler<RequestCall> for Orchestrator {
    type Result = ();

    fn handle(&mut self, asked: RequestCall, ctx: &mut Self::Context) {
        // Who has gone waits for nothing.
        self.askers.retain(|_, reply| !reply.is_closed());
        if self.askers.len() >= REQUESTS_MAX {
            return;
        }
        let request = self.next_request;
        self.next_request += 1;
        self.askers.insert(request, asked.reply);
        let CallRequest {
            id,
            asker,
            tool,
            args,
        } = asked.call;
        self.happen(
            What::CallRequested {
                request,
                id,
                asker,
                tool,
                args,
            },
            ctx,
        );
        drop(asked.ticket);
    }
}

impl Handler<LookAt> for Orchestrator {
    type Result = actix::MessageResult<LookAt>;

    fn handle(&mut self, _look: LookAt, _ctx: &mut Self::Context) -> Self::Result {
        actix::MessageResult(Box::new(Look {
            state: self.state.clone(),
            env: self.env.clone(),
            at: self.clock.at(),
            health: self.health.clone(),
        }))
    }
}

impl Handler<GetHealth> for Orchestrator {
    type Result = actix::MessageResult<GetHealth>;

    fn handle(&mut self, _get: GetHealth, _ctx: &mut Self::Context) -> Self::Result {
        actix::MessageResult(self.health.clone())
    }
}
