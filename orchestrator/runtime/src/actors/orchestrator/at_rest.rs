//! What is done while the machine rests.
//!
//! What: [`AtRest`], between two ticks: the machine and the agents forget, or only a base of the journal is kept; from then on nothing
//! that agents read counts until [`ReadOn`]. Why: forgetting never ends an open prompt, and what agents notice meanwhile is not taken out with
//! what they had noticed before (docs/adr/0057). Not here: taking things out of the store (`crate::deletion`).

use super::{OrchestratorActor, ports::TurnPorts};
use crate::{
    deletion,
    executor::{EffectPorts as _, TurnRecord},
};
use actix::{AsyncContext as _, Context, Handler, Message};
use agents::{contract::AgentCheckpoint, kept_state};
use aura_memory::{StoreWrite, erase::JournalCheckpoint};
use chrono_tz::Tz;
use orchestrator_machine::{
    EventKind,
    effect::{OutgoingCall, ReplyTo},
    state::MachinePhase,
    supervision::SupervisedRole,
};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::oneshot;
use toolcall_schema::{
    AgentName,
    agent_state::{JournalledState, StateRow},
    forget::ErasureScope,
};

/// What becomes of what agents keep.
#[derive(Debug, Clone)]
pub enum AgentsMust {
    /// They and the machine forget this, in the owner's zone.
    Forget(ErasureScope, Tz),
    /// They read their files from their beginning, or one of them does.
    ReadAgain(Option<AgentName>),
    /// Nothing: only a base of the journal is kept.
    GoOn,
}

/// Deferred work (deletion, re-reading): run it between two ticks. `reply` is told whether it is on disk; dropped before,
/// nothing is done.
#[derive(Message)]
#[rtype(result = "()")]
pub struct AtRest {
    /// What is done beside the base.
    pub agents: AgentsMust,
    /// Told once.
    pub reply: oneshot::Sender<bool>,
}

/// Whoever removes things: agents may read again.
#[derive(Message)]
#[rtype(result = "()")]
pub struct ReadOn;

/// What waits for the machine's rest, and what waits for the end of a removal.
#[derive(Default)]
pub(super) struct IdleQueue {
    asked: Vec<AtRest>,
    /// The ingests that wait; absent: agents may read.
    held: Option<Vec<OutgoingCall>>,
    /// Things are being removed: what an agent read before does not count.
    removing: bool,
}

impl IdleQueue {
    /// Whether an answer that is still under way does not count, and is read again.
    pub(super) fn removes(&self) -> bool {
        self.removing
    }

    /// Whether an ingest is kept back here.
    fn keeps(&self, ingest: u64) -> bool {
        self.held.iter().flatten().any(|call| is_ingest(call, ingest))
    }

    /// Keeps an ingest back where agents may not read now.
    pub(super) fn hold(&mut self, ingest: OutgoingCall) -> Option<OutgoingCall> {
        match &mut self.held {
            Some(held) => {
                held.push(ingest);
                None
            }
            None => Some(ingest),
        }
    }
}

impl OrchestratorActor {
    /// Does what was asked for, when the machine rests: between two ticks, whether or not one waits to begin.
    pub(super) fn run_idle_jobs(&mut self, ctx: &mut Context<Self>) {
        let rests = matches!(
            self.executor.state.phase,
            MachinePhase::Idle | MachinePhase::Cooldown { .. }
        );
        if self.shell.resting.asked.is_empty() || !rests {
            return;
        }
        // Whoever waits no longer is not done anything for.
        self.shell.resting.asked.retain(|asked| !asked.reply.is_closed());
        if self.shell.resting.asked.is_empty() {
            if !self.shell.resting.removing {
                self.resume_reading(ctx);
            }
            return;
        }
        // Nothing more is read, and what is being read ends first, within its deadline: it may be on a page already, so it goes as well.
        self.shell.resting.held.get_or_insert_default();
        if self.reads() {
            return;
        }
        self.shell.resting.removing = true;
        // What is removed may be what it says.
        self.shell.last_tick = None;
        for AtRest { agents, reply } in std::mem::take(&mut self.shell.resting.asked) {
            let seq = self.executor.last_seq();
            let writes = match agents {
                AgentsMust::Forget(forget, zone) => self.forget(seq, &forget, zone),
                AgentsMust::ReadAgain(only) => {
                    let at_ms = self.executor.state.wall(self.executor.state.at).ms();
                    let mut writes = self.settle_agents(|agent, state| {
                        let reads = only.is_none_or(|only| only == agent);
                        reads.then(|| kept_state::read_again(agent, state).ok()).flatten()
                    });
                    writes.push(StoreWrite::Audit(deletion::read_again_record(at_ms)));
                    writes
                }
                AgentsMust::GoOn => {
                    let mut writes = self.settle_agents(|_, _| None);
                    writes.push(StoreWrite::Base(JournalCheckpoint {
                        seq,
                        at: self.executor.state.wall(self.executor.state.at),
                        json: serde_json::to_string(&*self.executor.state).unwrap_or_default(),
                        forgot: false,
                    }));
                    writes
                }
            };
            self.write_at_rest(writes, ctx);
            let ticket = self.shell.busy.ticket_to(SupervisedRole::Memory);
            self.shell.flush_writes(ctx.address(), reply, ticket);
        }
        // A cooldown may have been forgotten too: what waited for its end begins now.
        if matches!(self.executor.state.phase, MachinePhase::Idle) && !self.executor.state.queue.is_empty() {
            self.turn(EventKind::Time, ctx);
        }
    }

    /// Whether an agent reads: an ingest was sent, its time is not over, and it is not kept back.
    fn reads(&self) -> bool {
        let is_back = |ingest| {
            self.shell.resting.keeps(ingest)
                || self
                    .shell
                    .waits_for_disk
                    .iter()
                    .any(|call| is_ingest(call, ingest))
        };
        let mut asked = self
            .executor
            .state
            .intake
            .values()
            .filter_map(|intake| intake.asked);
        asked.any(|(ingest, _)| !is_back(ingest))
    }

    /// Sends the ingests that were kept back.
    fn resume_reading(&mut self, ctx: &mut Context<Self>) {
        self.shell.resting.removing = false;
        for ingest in self.shell.resting.held.take().unwrap_or_default() {
            let mut ports = TurnPorts {
                shell: &mut self.shell,
                ctx,
            };
            self.executor.send(ingest, &mut ports);
        }
    }

    fn write_at_rest(&mut self, writes: Vec<StoreWrite>, ctx: &mut Context<Self>) {
        let turn = TurnRecord {
            at: self.executor.state.at,
            writes,
            notify: Vec::new(),
            disk: self.executor.disk_fault(),
        };
        let mut ports = TurnPorts {
            shell: &mut self.shell,
            ctx,
        };
        // A process that ends does not come to what follows.
        let _flow = ports.persist(turn, &self.executor.state);
    }

    fn forget(&mut self, seq: u64, forget: &ErasureScope, zone: Tz) -> Vec<StoreWrite> {
        let mut writes = deletion::begin(seq, Arc::make_mut(&mut self.executor.state), forget, zone);
        self.executor.note_snapshot();
        writes.extend(self.settle_agents(|agent, state| deletion::agent_forgets(agent, state, forget)));
        self.shell.intake.forget_just_now();
        writes
    }

    /// Has agents go on from another state than that of their last answer; `None`: from that. No row keeps what a state was before.
    fn settle_agents(&mut self, other: impl Fn(AgentName, &Value) -> Option<Value>) -> Vec<StoreWrite> {
        let mut writes = Vec::new();
        for (agent, checkpoint) in self.shell.intake.checkpoints() {
            let Some(state) = &checkpoint.state else { continue };
            let whole = state.to_value();
            let settled = match other(agent, &whole) {
                Some(other) => checkpoint.detached(other),
                None if matches!(state.row(), StateRow::Whole(_)) => continue,
                None => AgentCheckpoint {
                    number: checkpoint.number,
                    state: Some(JournalledState::new(whole)),
                },
            };
            writes.extend(
                settled
                    .state
                    .as_ref()
                    .map(|state| StoreWrite::agent_state(agent, state)),
            );
            self.set_checkpoint(agent, settled);
        }
        writes
    }
}

impl Handler<AtRest> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, asked: AtRest, ctx: &mut Self::Context) {
        self.shell.resting.asked.push(asked);
        self.run_idle_jobs(ctx);
        self.arm(ctx);
    }
}

impl Handler<ReadOn> for OrchestratorActor {
    type Result = ();

    fn handle(&mut self, _read_on: ReadOn, ctx: &mut Context<Self>) {
        self.resume_reading(ctx);
    }
}

fn is_ingest(call: &OutgoingCall, ingest: u64) -> bool {
    matches!(call.reply, ReplyTo::Ingest { number, .. } if number == ingest)
}
