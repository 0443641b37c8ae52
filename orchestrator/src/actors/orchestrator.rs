//! The orchestrator actor: a thin shell around `advance`.
//!
//! What: gives each message its time, steps the machine, hands what it wrote to the memory actor and performs the
//! effects in order. Why: one place where effects happen. Not here: decisions (`orchestrator-machine`). Should a handler
//! panic, the process ends with code 70 and is started again from its journal: nothing is patched up.

use crate::{
    actors::{
        memory::Memory,
        model::Model,
        quarantine::{Inbox, Line},
        send,
        surfaces::Surfaces,
    },
    agents_port::AgentsPort,
    busy::{Busy, Ticket},
    clock::Clock,
    faults::Faults,
    health::Health,
    perform::{self, Back},
    remember, writes,
};
use actix::{Actor, ActorContext, Addr, AsyncContext, Context, Handler, Message, SpawnHandle, Supervised};
use aura_memory::{Write, quarantine::Kind};
use orchestrator_machine::{
    Env, Event, State, What, advance,
    effect::{Outgoing, Verdict},
    event::SeenSignal,
    next_due,
    state::Phase,
    supervision::Role,
};
use std::{collections::BTreeMap, sync::Arc};
use surfaces::backend::BackendError;
use tokio::sync::oneshot;
use toolcall_schema::{AgentName, Timestamp, ids::hex, signal::Signal};

mod effects;
mod messages;

pub use messages::{Committed, Happened, Look, LookAt, NotKept, Post, Reload, Said, Stop, Submit};

/// Everything the orchestrator talks to.
pub struct Ports {
    /// Writes.
    pub memory: Addr<Memory>,
    /// What is shown.
    pub surfaces: Addr<Surfaces>,
    /// What was refused.
    pub quarantine: Inbox,
    /// Who phrases.
    pub model: Addr<Model>,
    /// The four agents.
    pub agents: AgentsPort,
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
    next_request: u64,
    posts: Vec<PendingPost>,
    faults: Faults,
    health: Health,
    /// The store did not take an event: the next write begins with a snapshot, so that the journal has no hole.
    gap: bool,
}

/// A post whose signals are not all read yet.
struct PendingPost {
    agents: Vec<AgentName>,
    reply: oneshot::Sender<bool>,
}

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
    /// The clock.
    pub clock: Clock,
    /// What is in flight.
    pub busy: Busy,
    /// Faults of a recorded day; none in service.
    pub faults: Faults,
}

/// Events that may wait.
pub const MAILBOX: usize = 4096;
/// Posts that may wait to be read.
const POSTS_MAX: usize = 256;
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
            next_request: 1,
            posts: Vec::new(),
            faults: start.faults,
            health: Health::default(),
            gap: false,
        }
    }

    /// One turn, after a turn about the wall clock when that was set meanwhile: a call stamped by the old one would be
    /// refused as too old or as of the future.
    fn happen(&mut self, what: What, ctx: &mut Context<Self>) {
        if !matches!(what, What::Started { .. }) {
            self.watch_wall(ctx);
        }
        self.turn(what, ctx);
    }

    fn turn(&mut self, what: What, ctx: &mut Context<Self>) {
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
        // What moves the wall clock is neither remembered nor said by the owner, so the time before the turn is the right one.
        writes.extend(writes::event(seq, &event, self.state.wall(event.at)));
        let effects = advance(&self.env, &mut self.state, event);
        let mut then = None;
        let mut rest = Vec::new();
        for effect in effects {
            self.write_of(seq, effect, &mut writes, &mut then, &mut rest);
        }
        self.keep(writes, then);
        for effect in rest {
            self.perform(effect, ctx);
        }
        self.answer_posts();
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

    /// Posts whose agents have read everything are answered once that is on disk.
    fn answer_posts(&mut self) {
        let read = |agent: &AgentName| {
            self.state
                .intake
                .get(agent)
                .is_none_or(|i| i.asked.is_none() && i.waiting.is_empty() && !i.again)
        };
        let (done, open): (Vec<_>, Vec<_>) = std::mem::take(&mut self.posts)
            .into_iter()
            .partition(|post| post.agents.iter().all(read));
        self.posts = open;
        if done.is_empty() {
            return;
        }
        let Some(ports) = &self.ports else { return };
        for post in done {
            let flush = super::memory::Flush {
                reply: post.reply,
                ticket: self.busy.ticket_to(Role::Memory),
            };
            let _ = send(&ports.memory, "memory", flush);
        }
    }

    /// Wakes the machine when its next deadline is due.
    fn arm(&mut self, ctx: &mut Context<Self>) {
        let due = next_due(&self.state);
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
    answer: Result<Vec<u8>, crate::agents_port::AskFault>,
    ticket: Ticket,
}

/// The wiring: who the orchestrator talks to. It starts now.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Wire(pub Ports, pub Ticket);

impl Handler<NotKept> for Orchestrator {
    type Result = ();

    fn handle(&mut self, _not_kept: NotKept, _ctx: &mut Self::Context) {
        self.health.not_written();
        self.gap = true;
    }
}

impl Handler<Committed> for Orchestrator {
    type Result = ();

    fn handle(&mut self, committed: Committed, _ctx: &mut Self::Context) {
        self.health.committed(committed.ok);
    }
}

impl Actor for Orchestrator {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
        ctx.run_interval(std::time::Duration::from_secs(5), Self::watch_wall);
    }
}

impl Supervised for Orchestrator {}

impl Handler<Wire> for Orchestrator {
    type Result = ();

    fn handle(&mut self, Wire(ports, _ticket): Wire, ctx: &mut Self::Context) {
        self.ports = Some(ports);
        let started = What::Started {
            wall: self.clock.wall(),
            policy_hash: self.env.policy.hash().to_owned(),
            catalogue_hash: self.env.catalogue_hash.clone(),
            kept_ticks: self.kept_ticks,
            settings_hash: self.settings_hash.clone(),
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
            self.happen(What::Time, ctx);
        }
        drop(due.ticket);
    }
}

impl Handler<Answered> for Orchestrator {
    type Result = ();

    fn handle(&mut self, answered: Answered, ctx: &mut Self::Context) {
        let Answered {
            outgoing,
            answer,
            ticket,
        } = answered;
        let _in_tick = self.span().entered();
        let agent = outgoing.tool.agent();
        self.health.agent(agent, answer.is_ok());
        let back = match &answer {
            Ok(bytes) => perform::answered(&outgoing, bytes),
            Err(fault) => {
                tracing::warn!(agent = agent.as_str(), %fault, "an agent gave no answer");
                if matches!(fault, crate::agents_port::AskFault::NoAnswer) {
                    // Its deadline has passed or will: the machine's own.
                    return drop(ticket);
                }
                Back::plain(perform::failed(outgoing.reply))
            }
        };
        if let (Some(error), Ok(bytes)) = (&back.refused, &answer) {
            self.health.refused_results += 1;
            let line = Line::of_error(Kind::Results, self.clock.wall(), error, bytes)
                .call(
                    Some(agent),
                    Some(outgoing.tool.tool().to_owned()),
                    Some(outgoing.call.call_id.clone()),
                )
                .trace(outgoing.trace_id.clone());
            self.quarantine(line);
        }
        self.health.skipped(agent, back.skipped, back.skips);
        if let Some((items, taken, left)) = back.read {
            self.health
                .reading
                .entry(agent)
                .or_default()
                .add(items, taken, left);
        }
        let read = matches!(&back.what, What::Ingested { answer: Some(_), .. });
        // In the same order as the event that follows them, so never newer on disk than it by more than a crash.
        let mut writes = remember::seen(&back.seen);
        writes.extend(back.agent_state.as_ref().map(|state| Write::AgentState {
            agent,
            json: state.to_string(),
        }));
        if !writes.is_empty() {
            self.keep(writes, None);
        }
        if let Some(ports) = self.ports.as_ref().filter(|_| read) {
            ports.agents.journalled(agent, back.agent_state);
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

impl Handler<Post> for Orchestrator {
    type Result = ();

    fn handle(&mut self, post: Post, ctx: &mut Self::Context) {
        if self.posts.len() >= POSTS_MAX {
            return;
        }
        let key = self.env.seed.key("signal hash v1");
        let mut by_agent: BTreeMap<AgentName, Vec<Signal>> = BTreeMap::new();
        let (mut seen, mut notices) = (Vec::new(), Vec::new());
        for (signal, payload) in post.signals {
            let bytes = serde_json::to_vec(&signal.payload).unwrap_or_default();
            seen.push(SeenSignal {
                id: signal.id.clone(),
                kind: signal.kind,
                at: signal.at,
                hash: hex(&key.mac(&[&bytes])),
            });
            match perform::notice(&payload) {
                Some(what) => notices.push(what),
                None => by_agent.entry(signal.kind.reader()).or_default().push(signal),
            }
        }
        let agents: Vec<AgentName> = by_agent.keys().copied().collect();
        if let Some(ports) = &self.ports {
            for (agent, signals) in by_agent {
                if ports.agents.deliver(agent, signals).is_err() {
                    self.health.agent(agent, false);
                }
            }
        }
        self.happen(What::SignalsSeen { signals: seen }, ctx);
        for notice in notices {
            self.happen(notice, ctx);
        }
        self.posts.push(PendingPost {
            agents,
            reply: post.reply,
        });
        self.answer_posts();
        drop(post.ticket);
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

impl From<super::NotTaken> for BackendError {
    fn from(_: super::NotTaken) -> Self {
        BackendError::Busy
    }
}
