//! What the world sees a machine do, and what it thinks of that.
//!
//! What: one event after the other, each effect held against the promises, by bookkeeping of the world's own. Why: the
//! machine must not be the judge of itself. Not here: what can happen (`world`), the walk (`explore`).

use crate::proof::{
    acts::{How, LET_THROUGH, SCENES},
    common::{answer, candidate, done},
    world::{CALL, CEILING, World},
};
use crate::support::is_admitted;
use orchestrator_machine::{
    Effect, EventKind, MachineEvent, MachineState, advance,
    calls::{CallAnswer, CallRefusal},
    effect::{OutgoingCall, ReplyTo, SubmissionVerdict},
    event::{ActionReply, CallSlot, IngestedFacts, TickAnswer},
    ledger::LedgerPosting,
    state::MachinePhase,
};
use serde_json::{Value, json};
use stateright::Property;
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
};
use toolcall_schema::{
    ActionKind, AgentName, AskState, Authority, Class, Confirm, Dispatch, Outcome, ReasonCode, StateName,
    Surface, ToolName, WellnessState, gate,
    ledger::LedgerEntry,
    milli::Milli,
    names::SubmitAct,
    result::ToolEffect,
    tick::IngestFact,
    trace::{ConsideredCandidate, Trace},
};

macro_rules! claims {
    ($($claim:ident = $text:literal,)+) => {
        /// What is promised.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Claim { $($claim),+ }

        impl Claim {
            pub(crate) fn properties<M: stateright::Model<State = World>>() -> Vec<Property<M>> {
                vec![$(Property::always($text, |_, world: &World| !world.broken.contains(&Claim::$claim))),+]
            }
        }
    };
}

claims! {
    Bounded = "every state is left in bounded time",
    Edges = "only edges of the diagram are taken",
    Admitted = "an action leaves only admitted, with the arguments that were decided",
    Durable = "an action leaves only when its decision or redemption is on disk",
    Asked = "an action that must be confirmed leaves only when it was, in time, where it was seen",
    Once = "an action leaves once",
    NotAfter = "no action leaves after its tick ended, or after a crash that may have hidden it",
    Shown = "a prompt is shown when its decision is on disk, a card when its trace is",
    Window = "within 30 minutes of another card only safety is first seen, and of a safety prompt not even that",
    Recovering = "nothing is first seen in the hour after entering RECOVERING",
    Dnd = "nothing but safety on the watch is first seen while not to be disturbed",
    Paused = "nothing is first seen during a pause",
    Ledger = "the ledger is conserved",
    Paid = "what was seen has its token, once",
    OneTrace = "each tick has one trace, which never changes",
    Rest = "at rest each tick has its trace",
    Confirmed = "a confirmation that was acknowledged is in the trace",
    Lapse = "no state of the owner's is known an hour after it was read",
    CallEnds = "a call that was asked for is over or handed to the disk again within ten seconds",
    CallTold = "who asked for a call is told when its trace is on disk",
    AskKept = "who asks is told to wait when the request is on disk",
    AskBehind = "what a program asked for is shown only where nothing of an agent's passes, and is never safety",
    AskOnce = "what a program asked for is done once at most",
    AskEnds = "an ask is over when its time is, or its tick",
    AskTaken = "what was taken back is on no card and is not done, and who took it back is told when that is on disk",
    TakenBack = "what the owner put off and takes back is asked for at once",
    Schema = "every decision and trace passes its schema",
}

/// What was reached on the way.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    pub(crate) edges: BTreeSet<(StateName, StateName)>,
    pub(crate) ends: BTreeSet<(Outcome, Option<ReasonCode>)>,
    pub(crate) seen: BTreeSet<(ActionKind, Surface)>,
    pub(crate) refused: BTreeSet<&'static str>,
    pub(crate) entries: BTreeSet<&'static str>,
    /// Whether something was chosen whatever its score, because the owner always lets it through.
    pub(crate) by_rule: bool,
    /// Whether something that was put off was taken back.
    pub(crate) undone: bool,
    /// In which states a program took its ask back.
    pub(crate) asks_taken_back: BTreeSet<StateName>,
    /// Hashes of records that were checked against their schema.
    checked: BTreeSet<u64>,
}

pub(crate) fn hash_of(record: &impl serde::Serialize) -> u64 {
    let mut hasher = DefaultHasher::new();
    serde_json::to_vec(record).unwrap().hash(&mut hasher);
    hasher.finish()
}

/// The state that is being stepped, and what its events have written.
pub(crate) struct Step<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) state: MachineState,
    pub(crate) rows: Vec<LedgerPosting>,
    pub(crate) traces: BTreeMap<u64, u64>,
    pub(crate) reached: &'a mut Coverage,
    /// What the event being stepped is the answer to: the barrier that was passed.
    pub(crate) passed: Option<u64>,
}

/// What the machine's own tool gives back.
fn undo_reply(args: &Value) -> ActionReply {
    let trace_id = serde_json::from_value(args["trace_id"].clone()).unwrap();
    ActionReply::Done {
        result: args.clone(),
        effects: vec![ToolEffect::LaterUndone { trace_id }],
    }
}

/// The account, worked out again from its rows alone.
pub(crate) fn account_agrees(s: &MachineState, rows: &[LedgerPosting]) -> bool {
    let view = s.ledger.view();
    let today = || rows.iter().filter(|row| row.day == view.day);
    let count = |entry: LedgerEntry| today().filter(|row| row.entry == entry).count();
    let (reserved, settled) = (count(LedgerEntry::Reserve), count(LedgerEntry::Settle));
    let (released, refunded) = (count(LedgerEntry::Release), count(LedgerEntry::Refund));
    // Each trace: reserved once, then settled or released once, then perhaps refunded once.
    let mut by_trace: BTreeMap<_, Vec<LedgerEntry>> = BTreeMap::new();
    for row in rows {
        if let Some(id) = &row.trace_id {
            by_trace.entry(id).or_default().push(row.entry);
        }
    }
    let legal = by_trace.values().all(|entries| {
        matches!(
            entries.as_slice(),
            [LedgerEntry::Reserve]
                | [LedgerEntry::Reserve, LedgerEntry::Settle | LedgerEntry::Release]
                | [LedgerEntry::Reserve, LedgerEntry::Settle, LedgerEntry::Refund]
        )
    });
    let held = reserved.saturating_sub(settled + released);
    let free = (usize::from(view.ceiling) + refunded)
        .saturating_sub(settled + held)
        .min(usize::from(view.ceiling));
    legal
        && settled <= usize::from(CEILING) + refunded
        && (usize::from(view.free), usize::from(view.settled)) == (free, settled)
        && (usize::from(view.reserved), usize::from(view.refunded)) == (held, refunded)
}

/// The diagram. A tick that was listening when the process died asks again.
const EDGES: [(StateName, StateName); 11] = [
    (StateName::Idle, StateName::Listening),
    (StateName::Listening, StateName::Listening),
    (StateName::Listening, StateName::Deliberating),
    (StateName::Deliberating, StateName::AwaitingConfirm),
    (StateName::Deliberating, StateName::Executing),
    (StateName::Deliberating, StateName::LoggingTrace),
    (StateName::AwaitingConfirm, StateName::Executing),
    (StateName::AwaitingConfirm, StateName::LoggingTrace),
    (StateName::Executing, StateName::LoggingTrace),
    (StateName::LoggingTrace, StateName::Cooldown),
    (StateName::Cooldown, StateName::Idle),
];

/// The edges that must be reached.
pub(crate) fn diagram() -> BTreeSet<(StateName, StateName)> {
    EDGES.into_iter().collect()
}

impl Step<'_> {
    pub(crate) fn start(&mut self) {
        let env = self.world.env();
        let wall = self.world.at;
        self.event(EventKind::Started {
            wall,
            policy_hash: env.policy.hash().to_owned(),
            catalogue_hash: env.catalogue_hash.clone(),
            settings_hash: String::new(),
            kept_ticks: 0,
            rules_number: self.world.rules_number,
        });
    }

    pub(crate) fn load(&mut self, state: WellnessState) {
        let at = self.world.at;
        self.world.eyes.read_at = Some(at);
        let fact = IngestFact::Load {
            score: 40,
            state,
            entered_at: at,
            at,
        };
        self.with_facts(
            EventKind::SourcesChanged {
                agent: AgentName::Wellness,
            },
            &[fact],
        );
    }

    pub(crate) fn answers(&mut self, scene: usize, how: How) {
        let (who, kinds, refused) = SCENES[scene];
        let MachinePhase::Listening { tick, attempt, .. } = &self.state.phase else {
            return;
        };
        let (tick, attempt, at) = (tick.number, *attempt, self.world.at);
        let n = u32::try_from(tick).unwrap();
        let proposed = kinds.iter().map(|kind| {
            let mut one = candidate(*kind, n, 850, at);
            if refused {
                one.args = json!({});
            }
            if scene == LET_THROUGH {
                (one.confidence, one.let_through) = (Milli(400), true);
            }
            one
        });
        let proposed = answer(proposed.collect());
        for agent in AgentName::FOUR {
            let answer = match how {
                _ if agent == who => proposed.clone(),
                How::Answer => answer(vec![]),
                How::Fail if agent == AgentName::Finance => TickAnswer::Rejected,
                How::Fail => TickAnswer::Failed,
                How::SayNothing => continue,
            };
            self.event(EventKind::TickAnswered {
                agent,
                tick,
                attempt,
                answer,
            });
        }
    }

    pub(crate) fn event(&mut self, what: EventKind) {
        self.with_facts(what, &[]);
    }

    /// One event; the ingests that follow from it are answered at once, Wellness's with these facts.
    fn with_facts(&mut self, what: EventKind, facts: &[IngestFact]) {
        let from = self.state.phase.name();
        let event = MachineEvent {
            at: self.world.at,
            what,
        };
        let effects = advance(self.world.env(), &mut self.state, event);
        let to = self.state.phase.name();
        // Edges that no trace shows, because it is built before they are taken.
        for edge in [
            (StateName::LoggingTrace, StateName::Cooldown),
            (StateName::Cooldown, StateName::Idle),
        ] {
            if (from, to) == edge {
                self.edge(edge);
            }
        }
        // Of this turn: what is done at once below may begin the next tick.
        let ticks = self.state.ticks;
        for effect in effects {
            if matches!(effect, Effect::Rest) {
                let all = (1..=ticks).all(|tick| self.traces.contains_key(&tick));
                self.break_unless(Claim::Rest, all);
            }
            if let Effect::Call(call) = &effect
                && let ReplyTo::Ingest { agent, number } = call.reply
            {
                let facts = if agent == AgentName::Wellness { facts } else { &[] };
                self.event(EventKind::Ingested {
                    agent,
                    number,
                    answer: Some(IngestedFacts {
                        cursor: number,
                        facts: facts.to_vec(),
                        more: false,
                    }),
                });
            } else {
                self.effect(effect);
            }
        }
    }

    fn break_unless(&mut self, claim: Claim, holds: bool) {
        if !holds {
            self.world.broken.insert(claim);
        }
    }

    fn edge(&mut self, edge: (StateName, StateName)) {
        self.break_unless(Claim::Edges, EDGES.contains(&edge));
        self.reached.edges.insert(edge);
    }

    fn effect(&mut self, effect: Effect) {
        match effect {
            Effect::Call(call) => self.call(&call),
            Effect::KeepDecision(decision) => {
                if self.reached.checked.insert(hash_of(&decision)) {
                    self.break_unless(Claim::Schema, is_admitted(&decision));
                }
                let by_rule = |c: &ConsideredCandidate| c.passes_by_rule();
                self.reached.by_rule |= decision.chosen.is_some() && decision.candidates.iter().any(by_rule);
                if let Some(chosen) = decision.chosen.as_ref().filter(|chosen| chosen.asker.is_some()) {
                    let passes = |c: &ConsideredCandidate| {
                        c.passes_by_rule() || c.score.as_ref().is_some_and(|parts| parts.score >= Milli(450))
                    };
                    let holds = chosen.class != Class::Safety && !decision.candidates.iter().any(passes);
                    self.break_unless(Claim::AskBehind, holds);
                }
            }
            Effect::CommitCall { call } if !self.is_walked(call) => {
                self.event(EventKind::CallCommitted { call, ok: true });
            }
            Effect::CommitCall { .. } => self.world.call_commit = Some(self.world.journal.len()),
            Effect::CallAnswer {
                answer: CallAnswer::Waiting(report),
                ..
            } => {
                let waits = report.state == AskState::Queued || report.state == AskState::Asking;
                // Who takes back what the owner has said yes to is told at once that it goes on.
                let late = matches!(self.state.phase, MachinePhase::Executing { .. });
                self.break_unless(Claim::AskKept, !waits || late || self.passed == Some(CALL));
                let cancelled = report.state == AskState::Cancelled;
                self.break_unless(Claim::AskTaken, !cancelled || self.passed == Some(CALL));
            }
            Effect::CallAnswer {
                answer: CallAnswer::Refused(CallRefusal::NotKept),
                ..
            } => self.break_unless(Claim::AskKept, self.world.disk_full),
            Effect::CallAnswer { .. } => {
                // One that is not walked is kept at once.
                let kept = !self.world.walks_calls || self.world.eyes.kept.contains(&CALL);
                self.break_unless(Claim::CallTold, kept);
            }
            Effect::Commit { tick } => self.world.commit = Some((tick, self.world.journal.len())),
            Effect::KeepTrace(trace) => self.trace(&trace),
            Effect::Ledger(row) => {
                self.reached.entries.insert(row.entry.as_str());
                self.rows.push(row);
            }
            Effect::Show(card) => {
                let tick = card.decision.tick;
                let eyes = &self.world.eyes;
                let durable = if card.prompts.is_empty() {
                    &eyes.kept
                } else {
                    &eyes.decided
                };
                let holds = durable.contains(&tick);
                self.break_unless(Claim::Shown, holds);
            }
            Effect::Reply { verdict, .. } => match (verdict, &self.state.phase) {
                (
                    SubmissionVerdict::Accepted {
                        act: SubmitAct::Confirm,
                        ..
                    },
                    MachinePhase::Executing { tick, .. },
                ) => {
                    self.world.eyes.told.insert(tick.number);
                }
                (SubmissionVerdict::Refused(code), _) => {
                    self.reached.refused.insert(code.as_str());
                }
                (SubmissionVerdict::Accepted { .. }, _) => {}
            },
            // The policy of the owner's file comes into force, at once.
            Effect::Adopt { .. } => {
                self.world.other_policy = self.world.other_file;
                self.event(EventKind::Adopted);
            }
            Effect::Rest
            | Effect::KeepRaw(_)
            | Effect::Quarantine { .. }
            | Effect::Outbox { .. }
            | Effect::Close { .. }
            | Effect::AskModel { .. }
            | Effect::AskTie { .. }
            | Effect::Announce { .. }
            | Effect::Ignored { .. } => {}
        }
    }

    /// Whether each step of a call is an act of its own. Others are done at once, as ingests are.
    fn is_walked(&self, call: u64) -> bool {
        self.world.walks_calls && call == 1
    }

    /// A call that was asked for leaves: once, admitted, on the owner's word, with its request on disk.
    fn requested_call(&mut self, call: &OutgoingCall) {
        let admitted = gate::admit(&call.call.to_bytes(), gate::GateClock::At(call.call.ts)).ok();
        let may = admitted.is_some_and(|admitted| Dispatch::new(admitted, call.authority).is_ok());
        self.break_unless(Claim::Admitted, may);
        // A lesson changes nothing that the owner would have to confirm.
        let lesson = call.tool == ToolName::LearnFromAct;
        let authority = if lesson {
            Authority::Auto
        } else {
            Authority::Confirmed
        };
        self.break_unless(Claim::Asked, call.authority == authority);
        let ReplyTo::Call { call: number } = call.reply else {
            return;
        };
        if !self.is_walked(number) {
            let undo = call.tool == ToolName::UndoLater;
            self.break_unless(Claim::Asked, lesson || undo);
            let reply = if undo { undo_reply(&call.call.args) } else { done() };
            return self.event(EventKind::CallExecuted { call: number, reply });
        }
        self.break_unless(Claim::Durable, self.passed == Some(CALL));
        let once = self.world.eyes.dispatched.insert((CALL, CallSlot::Primary));
        self.break_unless(Claim::Once, once);
        self.break_unless(Claim::NotAfter, !self.traces.contains_key(&CALL));
        self.world.call_out = true;
    }

    fn call(&mut self, call: &OutgoingCall) {
        if let ReplyTo::Call { .. } = call.reply {
            return self.requested_call(call);
        }
        let ReplyTo::Action { tick, slot } = call.reply else {
            return;
        };
        let admitted = gate::admit(&call.call.to_bytes(), gate::GateClock::At(call.call.ts)).ok();
        let MachinePhase::Executing { decided, .. } = &self.state.phase else {
            return self.break_unless(Claim::Durable, false);
        };
        let decided = decided.plan.as_ref();
        let planned = decided.and_then(|plan| match slot {
            CallSlot::Primary => Some(&plan.primary),
            CallSlot::Companion => plan.companion.as_ref(),
        });
        let as_decided = planned.is_some_and(|planned| call.args_hash.as_ref() == Some(&planned.args_hash));
        let may = admitted.is_some_and(|admitted| {
            let same = call
                .args_hash
                .as_ref()
                .is_some_and(|hash| admitted.require_args_hash(hash).is_ok());
            same && Dispatch::new(admitted, call.authority).is_ok()
        });
        let must_ask = call.tool.columns().confirm == Confirm::Always;
        if call.tool == ToolName::PermitLeisure {
            let once = self.world.eyes.ask_left.replace(tick).is_none();
            self.break_unless(Claim::AskOnce, once);
        }
        let eyes = &mut self.world.eyes;
        let asked = must_ask == (call.authority == Authority::Confirmed)
            && (!must_ask || eyes.redeemed.contains(&tick));
        let once = eyes.dispatched.insert((tick, slot));
        let before_the_end = !eyes.over.contains(&tick) && !self.traces.contains_key(&tick);
        self.world.calls.insert((tick, slot));
        self.break_unless(Claim::Admitted, may && as_decided);
        self.break_unless(Claim::Durable, self.passed == Some(tick));
        self.break_unless(Claim::Asked, asked);
        self.break_unless(Claim::Once, once);
        self.break_unless(Claim::NotAfter, before_the_end);
    }

    fn trace(&mut self, trace: &Trace) {
        let asked = trace.decision.call.is_some();
        let tick = if asked { CALL } else { trace.decision.tick };
        let hash = hash_of(trace);
        if self.reached.checked.insert(hash) {
            self.break_unless(Claim::Schema, gate::check_trace(trace).is_ok());
        }
        if trace
            .decision
            .call
            .is_some_and(|call| !self.is_walked(call.number))
        {
            let trace_id = trace.trace_id.clone();
            return self.event(EventKind::TraceKept { trace_id, ok: true });
        }
        let same = *self.traces.entry(tick).or_insert(hash) == hash;
        self.break_unless(Claim::OneTrace, same);
        if asked {
            self.world.call_kept_again = self.world.call_keep.is_some();
            self.world.call_keep = Some(self.world.journal.len());
            return;
        }
        let told = self.world.eyes.told.contains(&tick);
        self.break_unless(Claim::Confirmed, !told || trace.confirm.is_some());
        let path: Vec<StateName> = trace.state_path.iter().map(|visit| visit.state).collect();
        for pair in path.windows(2) {
            self.edge((pair[0], pair[1]));
        }
        self.reached.ends.insert((trace.outcome, trace.reason_code));
        self.world.keep = Some((tick, self.world.journal.len()));
    }
}
