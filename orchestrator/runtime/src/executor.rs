//! The one place where effects happen, and where calls pass the gate on their way out.
//!
//! [`EffectExecutor`] steps the machine, makes one transaction of what a turn wrote, and performs its effects in order through [`EffectPorts`].
//! The service and the simulator of recorded days, benches and `selftest crash` are two sets of ports. Not here: which effects there are
//! (`orchestrator-machine`), what is behind a port.

use crate::{
    actors::quarantine::RecordRefusal,
    call_gate::{self, RefusedOutgoing},
    fault_plan::{DiskFault, FaultPlan},
    writes,
};
use agents::contract::AgentCall;
use aura_memory::{StoreWrite, quarantine::QuarantineKind};
use orchestrator_machine::{
    Effect, EventKind, MachineEnv, MachineEvent, MachineState, advance,
    calls::CallAnswer,
    effect::{IgnoreReason, OutgoingCall, ReplyTo, SubmissionVerdict},
};
use serde_json::value::RawValue;
use std::{
    collections::VecDeque,
    ops::ControlFlow::{self, Continue},
    sync::Arc,
};
use toolcall_schema::{
    ActionKind, Timestamp, gate,
    ids::{CardId, TraceId},
    trace::{Card, Decision, Trace},
};

/// A snapshot is worth writing at rest after so many events.
pub const SNAPSHOT_EVERY: u64 = 64;

/// The event that says whether a turn is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitNotification {
    Tick { tick: u64 },
    Call { call: u64 },
    Trace { trace_id: TraceId },
}

impl CommitNotification {
    /// The event for the machine.
    pub fn event(self, ok: bool) -> EventKind {
        match self {
            Self::Tick { tick } => EventKind::Committed { tick, ok },
            Self::Call { call } => EventKind::CallCommitted { call, ok },
            Self::Trace { trace_id } => EventKind::TraceKept { trace_id, ok },
        }
    }
}

/// What one turn writes.
pub struct TurnRecord {
    /// When the turn was, on the timeline.
    pub at: Timestamp,
    /// One transaction.
    pub writes: Vec<StoreWrite>,
    /// Told when all of it is on disk; empty: nobody waits.
    pub notify: Vec<CommitNotification>,
    /// What the disk does with it on purpose; nothing in service.
    pub disk: Option<DiskFault>,
}

/// What the machine wants to know.
pub enum ModelInquiry {
    /// Why it was decided so.
    Decision {
        /// 2 to 6 true sentences.
        sentences: Vec<String>,
        /// The decision, when its combination of kinds is novel.
        novel: Option<Arc<Decision>>,
    },
    /// Which of these.
    Tie {
        /// 2 to 6 true sentences.
        actions: Vec<String>,
    },
}

/// How a call that passed the gate is answered.
pub enum CallRoute {
    /// By these bytes, as the orchestrator's own tools are.
    Answer(Vec<u8>),
    /// By its agent, after a delay where that is made slow.
    Agent {
        call: Box<AgentCall>,
        delay_ms: Option<u32>,
    },
}

/// What effects are performed on. Nothing here waits: answers come back as events.
pub trait EffectPorts {
    /// The wall clock, for the gate.
    fn wall(&self, state: &MachineState) -> Timestamp;

    /// Writes a turn in one transaction and answers its notifications when that is on disk. `Break`: it was not taken, and the process
    /// ends before an effect is performed.
    fn persist(&mut self, turn: TurnRecord, state: &MachineState) -> ControlFlow<()>;

    /// Keeps a trace as a file, because the store was too slow.
    fn spill_trace(&mut self, trace: &Trace);

    /// Keeps what was refused.
    fn quarantine(&mut self, line: RecordRefusal);

    /// A call that may leave now; `None`: it is held back and leaves later through [`EffectExecutor::send`].
    fn hold(&mut self, outgoing: OutgoingCall) -> Option<OutgoingCall> {
        Some(outgoing)
    }

    /// Has an admitted call answered.
    fn call(&mut self, outgoing: OutgoingCall, route: CallRoute);

    /// The gate refused a call on the way out.
    fn call_refused(&mut self, outgoing: OutgoingCall);

    /// A trace was written.
    fn trace_written(&mut self, trace: Arc<Trace>);

    /// What is kept of a change of the outbox that a server is to have as well, in the transaction of the turn.
    fn deliver(&mut self, _trace_id: &TraceId, _name: &str, _text: Option<&str>) -> Vec<StoreWrite> {
        Vec::new()
    }

    fn show(&mut self, card: &Card);

    fn close(&mut self, card_id: CardId);

    fn announce(&mut self, kind: ActionKind);

    /// Answers a submission.
    fn reply(&mut self, request: u64, verdict: SubmissionVerdict);

    /// Answers who asked for a call.
    fn answer_call(&mut self, request: u64, answer: CallAnswer);

    fn ask_model(&mut self, tick: u64, about: ModelInquiry);

    /// The policy and settings that a reload announced.
    fn adopt(&mut self, settings_hash: String) -> Option<Arc<MachineEnv>>;

    /// An event made no sense.
    fn ignored(&mut self, what: &IgnoreReason);

    /// All effects of a turn were performed; a simulator may end its process here.
    fn turn_performed(&mut self) -> ControlFlow<()> {
        Continue(())
    }
}

/// The machine with its journal's numbers.
pub struct EffectExecutor {
    pub env: Arc<MachineEnv>,
    /// Shared with who looks at it; a step while somebody does works on a copy.
    pub state: Arc<MachineState>,
    next_seq: u64,
    /// The event that the newest snapshot holds.
    snapshot_seq: u64,
    snapshot_every: u64,
    /// The decision that was written last, with its JSON: its trace has it in it.
    decided: Option<(Arc<Decision>, Box<RawValue>)>,
    faults: Arc<dyn FaultPlan>,
}

impl EffectExecutor {
    /// An executor whose next event has the number `next_seq`, and that writes a snapshot at rest after `snapshot_every` events.
    pub fn new(
        env: Arc<MachineEnv>,
        state: MachineState,
        next_seq: u64,
        snapshot_every: u64,
        faults: Arc<dyn FaultPlan>,
    ) -> Self {
        Self {
            env,
            state: Arc::new(state),
            next_seq,
            snapshot_seq: 0,
            snapshot_every,
            decided: None,
            faults,
        }
    }

    /// The number of the newest event.
    pub(crate) fn last_seq(&self) -> u64 {
        self.next_seq.saturating_sub(1)
    }

    /// A snapshot of the newest event was written outside a turn.
    pub(crate) fn note_snapshot(&mut self) {
        self.snapshot_seq = self.last_seq();
    }

    /// The fault of the disk now.
    pub(crate) fn disk_fault(&self) -> Option<DiskFault> {
        self.faults.of_disk(self.state.ticks)
    }

    /// One turn and those that follow from it at once; `rows` stand in the transaction of its event.
    pub fn turn(
        &mut self,
        event: MachineEvent,
        rows: Vec<StoreWrite>,
        ports: &mut impl EffectPorts,
    ) -> ControlFlow<()> {
        let mut waiting = VecDeque::from([(event, rows)]);
        while let Some((event, rows)) = waiting.pop_front() {
            let at = event.at;
            for effect in self.record(event, rows, ports)? {
                if let Some(what) = self.perform(effect, ports) {
                    waiting.push_back((MachineEvent { at, what }, Vec::new()));
                }
            }
            ports.turn_performed()?;
        }
        Continue(())
    }

    /// Steps the machine, writes the turn, and returns the effects that are still to be performed.
    fn record(
        &mut self,
        event: MachineEvent,
        rows: Vec<StoreWrite>,
        ports: &mut impl EffectPorts,
    ) -> ControlFlow<(), Vec<Effect>> {
        let seq = self.next_seq;
        self.next_seq += 1;
        let mut writes = rows;
        writes.extend(writes::base_of_rules(seq, &event, &self.state));
        // What moves the wall clock is neither remembered nor said by the owner, so the time before the turn is the right one.
        writes.extend(writes::event(seq, &event, self.state.wall(event.at)));
        let at = event.at;
        let mut turn = TurnRecord {
            at,
            writes,
            notify: Vec::new(),
            disk: None,
        };
        let mut rest = Vec::new();
        for effect in advance(&self.env, Arc::make_mut(&mut self.state), event) {
            if let Some(effect) = self.write(seq, effect, &mut turn, ports) {
                rest.push(effect);
            }
        }
        turn.disk = self.disk_fault();
        ports.persist(turn, &self.state)?;
        Continue(rest)
    }

    fn snapshot(&self, seq: u64) -> StoreWrite {
        // Keys are strings and values finite: serializing cannot fail.
        let json = serde_json::to_string(&*self.state).unwrap_or_default();
        StoreWrite::Snapshot { seq, json }
    }

    /// Puts into the turn what an effect writes; returns one that is more than writing.
    fn write(
        &mut self,
        seq: u64,
        effect: Effect,
        turn: &mut TurnRecord,
        ports: &mut impl EffectPorts,
    ) -> Option<Effect> {
        if let Effect::KeepDecision(decision) = effect {
            let json = writes::decision_json(&decision);
            turn.writes.push(StoreWrite::Decision {
                trace_id: decision.trace_id.clone(),
                json: json.get().to_owned(),
            });
            self.decided = Some((decision, json));
        } else if let Effect::Ledger(row) = effect {
            turn.writes.extend(writes::ledger_rows(seq, &row, &self.state));
        } else if let Effect::KeepTrace(trace) = effect {
            let decided = self.decided.take();
            let json = decided
                .filter(|(decision, _)| Arc::ptr_eq(decision, &trace.decision))
                .map_or_else(|| writes::decision_json(&trace.decision), |(_, json)| json);
            let json = writes::trace_json(&trace, &json);
            let wall = ports.wall(&self.state);
            if let Err(error) = gate::check_kept_trace(&trace, &json) {
                // A trace that fails its own schema is quarantined; it is kept all the same.
                ports.quarantine(
                    RecordRefusal::of_error(QuarantineKind::Traces, wall, &error, json.as_bytes())
                        .trace(Some(trace.trace_id.clone())),
                );
            }
            turn.writes.extend(writes::trace(&trace, json, &self.state));
            turn.notify.push(CommitNotification::Trace {
                trace_id: trace.trace_id.clone(),
            });
            ports.trace_written(trace);
        } else if let Effect::Outbox { trace_id, name, text } = effect {
            turn.writes
                .extend(ports.deliver(&trace_id, &name, text.as_deref()));
            turn.writes.push(StoreWrite::Outbox { name, text });
        } else if let Effect::Commit { tick } = effect {
            turn.notify.push(CommitNotification::Tick { tick });
        } else if let Effect::CommitCall { call } = effect {
            turn.notify.push(CommitNotification::Call { call });
        } else if let Effect::Rest = effect {
            if seq - self.snapshot_seq >= self.snapshot_every {
                self.snapshot_seq = seq;
                turn.writes.push(self.snapshot(seq));
            }
        } else {
            return Some(effect);
        }
        None
    }

    /// Performs an effect; returns what follows from it at once.
    fn perform(&mut self, effect: Effect, ports: &mut impl EffectPorts) -> Option<EventKind> {
        match effect {
            Effect::Call(outgoing) => {
                if let Some(outgoing) = ports.hold(*outgoing) {
                    self.send(outgoing, ports);
                }
            }
            Effect::Quarantine {
                trace_id,
                call,
                error,
            } => {
                let wall = ports.wall(&self.state);
                let line = RecordRefusal::of_error(QuarantineKind::Calls, wall, &error, &call.to_bytes())
                    .call(
                        Some(call.agent),
                        Some(call.tool.clone()),
                        Some(call.call_id.clone()),
                    )
                    .trace(Some(trace_id));
                ports.quarantine(line);
            }
            Effect::KeepRaw(trace) => ports.spill_trace(&trace),
            Effect::Show(card) => ports.show(&card),
            Effect::Announce { kind } => ports.announce(kind),
            Effect::Close { card_id, .. } => ports.close(card_id),
            Effect::Reply { request, verdict } => ports.reply(request, verdict),
            Effect::CallAnswer { request, answer } => ports.answer_call(request, answer),
            Effect::AskModel {
                tick,
                sentences,
                novel,
            } => ports.ask_model(tick, ModelInquiry::Decision { sentences, novel }),
            Effect::AskTie { tick, actions } => ports.ask_model(tick, ModelInquiry::Tie { actions }),
            Effect::Adopt {
                policy_hash,
                settings_hash,
            } => {
                self.env = ports.adopt(settings_hash)?;
                tracing::info!(policy = policy_hash, "a reload is in force");
                return Some(EventKind::Adopted);
            }
            Effect::Ignored { what } => ports.ignored(&what),
            // Written with the turn.
            Effect::KeepDecision(_)
            | Effect::Commit { .. }
            | Effect::CommitCall { .. }
            | Effect::KeepTrace(_)
            | Effect::Ledger(_)
            | Effect::Outbox { .. }
            | Effect::Rest => {}
        }
        None
    }

    /// Sends one call through the gate; what the gate refuses is quarantined.
    pub fn send(&mut self, outgoing: OutgoingCall, ports: &mut impl EffectPorts) {
        let forged = self.faults.forged_call(&outgoing);
        let bytes = forged.unwrap_or_else(|| outgoing.call.to_bytes());
        let wall = ports.wall(&self.state);
        let call = match call_gate::ready(&outgoing, bytes, wall) {
            Ok(call) => Box::new(call),
            Err(refused) => {
                ports.quarantine(refused_line(&outgoing, &refused, wall));
                return ports.call_refused(outgoing);
            }
        };
        let tool = outgoing.tool.as_str();
        // Log before dispatch, so that a crash here still shows that the call may have run.
        match outgoing.reply {
            ReplyTo::Action { tick, slot } => tracing::info!(tick, ?slot, tool, "an action leaves"),
            ReplyTo::Call { call } => tracing::info!(call, tool, "a call that was asked for leaves"),
            ReplyTo::Ingest { .. } | ReplyTo::Tick { .. } => {}
        }
        let route = match call_gate::own_tool(&call.dispatch) {
            Some(bytes) => CallRoute::Answer(bytes),
            None => CallRoute::Agent { call, delay_ms: None },
        };
        if let Some(route) = self.faults.route(&outgoing, route) {
            ports.call(outgoing, route);
        }
    }
}

fn refused_line(outgoing: &OutgoingCall, refused: &RefusedOutgoing, wall: Timestamp) -> RecordRefusal {
    let refusal = &refused.refusal;
    RecordRefusal::of_error(QuarantineKind::Calls, wall, &refusal.error, &refused.bytes)
        .call(refusal.agent, refusal.tool.clone(), refusal.call_id.clone())
        .trace(outgoing.trace_id.clone())
}
