//! Calls that a program asks for, until the owner has said yes or no.
//!
//! What: an ask from its journalled request over the card of a tick to its end. Why: who is not the owner may propose a call and never make one:
//! what needs the owner's confirm waits here as a candidate for ticks. Not here: what the owner asks for, which is its own confirm
//! (`calls`); the choice (`deliberate`), the card and its answer (`cards`, `answers`).
//!
//! | State | Left on | At its deadline | On disk before it is told |
//! |---|---|---|---|
//! | queued | a tick chooses it → asking | → expired | the request |
//! | asking | the end of that tick → done, refused, dismissed, expired, unknown; a card that was withdrawn unseen → queued | the card's own | |
//! | done, refused, dismissed, expired, unknown | nothing: who asks the same again is told it | | |
//!
//! An ask starts no tick and has no score. Whether it is being asked follows from the state of the machine and is kept nowhere, so
//! that no crash can leave the two apart.

use crate::{
    calls::{CallAnswer, CallRefusal, CallRequest},
    effect::Effect,
    rank::MergedCandidate,
    state::{ASKED_MAX, ActionPlan, MachinePhase, MachineState},
    step::StepContext,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::VecDeque;
use toolcall_schema::{
    ActionKind, Class, Outcome, ReasonCode, Timestamp, ToolName, gate,
    ids::{RequestId, TraceId},
    milli::Milli,
    tick::Subject,
    trace::Asker,
};

/// At most this many wait.
pub const ASKS_OPEN_MAX: usize = 8;
/// The ends of so many are remembered for whoever asks the same again.
pub const ASKS_ENDED_MAX: usize = 64;
/// How long an ask waits where its asker does not say, in minutes.
pub const ASK_WAIT_MIN: u16 = 60;
/// How long an ask may wait, in minutes.
pub const ASK_WAIT_MAX_MIN: u16 = 24 * 60;

/// What programs have asked for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitingAsks {
    /// Those that are not over, oldest first: at most [`ASKS_OPEN_MAX`].
    pub open: Vec<PendingAsk>,
    /// Those that are over, oldest first: at most [`ASKS_ENDED_MAX`].
    pub ended: VecDeque<EndedAsk>,
}

/// An ask that is not over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendingAsk {
    /// Its number, from the counter of calls.
    pub number: u64,
    /// The request.
    pub id: RequestId,
    /// Who asks.
    pub asker: Asker,
    /// What is to be done.
    pub kind: ActionKind,
    /// About what.
    pub subject: Subject,
    /// The normalised arguments.
    pub args: Value,
    /// Their hash.
    pub args_hash: String,
    /// When it was asked, on the timeline.
    pub at: Timestamp,
    /// Until when it waits, on the timeline.
    pub until: Timestamp,
    /// Whether its request is known to be on disk: before that it is no candidate.
    pub kept: bool,
    /// The requests that are answered when it is on disk: at most [`ASKED_MAX`].
    pub waiting: Vec<u64>,
}

/// An ask that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndedAsk {
    /// The request.
    pub id: RequestId,
    /// What was to be done.
    pub kind: ActionKind,
    /// The hash of its arguments.
    pub args_hash: String,
    /// When it was asked, on the timeline.
    pub at: Timestamp,
    /// What came of it.
    pub end: AskReport,
}

/// How far an ask is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskState {
    /// It waits for a tick that may show it.
    Queued,
    /// It is on a card, or about to be.
    Asking,
    /// The owner said yes, and the tool did it.
    Done,
    /// The owner said yes, and the tool did not.
    Refused,
    /// The owner said no.
    Dismissed,
    /// Its time is over, on a card or waiting.
    Expired,
    /// The owner said yes, and a crash left it unknown whether the tool ran.
    Unknown,
}

/// What an asker is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskReport {
    /// How far it is.
    pub state: AskState,
    /// Until when it waits (wall clock), while it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The decision that asked the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<TraceId>,
    /// Why it ended so, where that can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReasonCode>,
}

/// The action that a program may ask for with a tool, and about what. Only with the arguments that the card names: the owner
/// confirms what is written there, and nothing else.
pub fn asked_action(tool: ToolName, args: &Value) -> Option<(ActionKind, Subject)> {
    let number = |name: &str, wanted: u64| args.get(name).and_then(Value::as_u64) == Some(wanted);
    let own = |kind, as_named: bool| as_named.then(|| (kind, Subject::of_self()));
    if tool == ToolName::MuteChannel {
        let channel = args.get("channel_hash").and_then(Value::as_str)?;
        let about = Subject::parse(channel).ok()?;
        number("ttl_seconds", 1800).then_some((ActionKind::MuteGroup30, about))
    } else if tool == ToolName::GuideBreathing {
        own(ActionKind::Breathe478, number("cycles", 4))
    } else if tool == ToolName::StartNapTimer {
        own(ActionKind::Nap15, number("duration_min", 15))
    } else if tool == ToolName::PermitLeisure {
        own(ActionKind::PermitLeisure, number("window_min", 90))
    } else {
        None
    }
}

impl WaitingAsks {
    /// Whether nobody ever asked for anything: such a state reads as one of before there were asks.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.ended.is_empty()
    }

    /// The candidates for a tick, oldest first, each thing once however often it was asked for.
    pub(crate) fn candidates(&self, at: Timestamp) -> Vec<MergedCandidate> {
        let mut all: Vec<MergedCandidate> = Vec::new();
        for ask in self.open.iter().filter(|ask| ask.kept && ask.until > at) {
            if all
                .iter()
                .any(|other| other.kind == ask.kind && other.subject == ask.subject)
            {
                continue;
            }
            all.push(MergedCandidate {
                kind: ask.kind,
                subject: ask.subject.clone(),
                agent: ask.kind.tool().agent(),
                asker: Some(ask.asker),
                class: Class::Normal,
                confidence: Milli(0),
                args: ask.args.clone(),
                valid_until: None,
                evidence: vec![],
                let_through: false,
            });
        }
        all
    }
}

/// Asks whose time is over, and when that is: not those that are on a card, which ends by its own time.
pub(crate) fn deadlines(s: &MachineState) -> impl Iterator<Item = Timestamp> {
    let asked = plan_being_asked(&s.phase);
    s.asks
        .open
        .iter()
        .filter(move |ask| asked.is_none_or(|(plan, _)| !is_planned(ask, plan)))
        .map(|ask| ask.until)
}

/// What the open tick is about to do or to ask, and its trace.
fn plan_being_asked(phase: &MachinePhase) -> Option<(&ActionPlan, &TraceId)> {
    match phase {
        MachinePhase::Deliberating { decided, .. }
        | MachinePhase::AwaitingConfirm { decided, .. }
        | MachinePhase::Executing { decided, .. } => {
            Some((decided.plan.as_ref()?, &decided.decision.trace_id))
        }
        MachinePhase::Idle
        | MachinePhase::Listening { .. }
        | MachinePhase::Weighing { .. }
        | MachinePhase::LoggingTrace { .. }
        | MachinePhase::Cooldown { .. } => None,
    }
}

/// Whether a card is about what was asked for, whoever proposed it.
fn is_planned(ask: &PendingAsk, plan: &ActionPlan) -> bool {
    ask.kept && ask.kind == plan.primary.kind && ask.args_hash == plan.primary.args_hash
}

/// How an ask ends with the tick that asked the owner; `None`: it waits on.
fn end_of(outcome: Outcome, reason: Option<ReasonCode>) -> Option<AskState> {
    match (outcome, reason) {
        (Outcome::Confirmed | Outcome::ExecutedAuto, _) => Some(AskState::Done),
        (Outcome::Failed, Some(ReasonCode::UnknownAfterCrash)) => Some(AskState::Unknown),
        (Outcome::Failed, _) => Some(AskState::Refused),
        // The question was void or put off, and nobody has answered it.
        (Outcome::Dismissed, Some(ReasonCode::Superseded | ReasonCode::Later)) | (Outcome::Silent, _) => None,
        (Outcome::Dismissed, Some(ReasonCode::ConfirmTimeout)) => Some(AskState::Expired),
        (Outcome::Dismissed, _) => Some(AskState::Dismissed),
    }
}

impl StepContext<'_> {
    /// A program asks for a call. `None`: it is answered when the request is on disk.
    pub(crate) fn begin_ask(&mut self, request: Option<u64>, asked: CallRequest) -> Option<CallAnswer> {
        let refused = |why| Some(CallAnswer::Refused(why));
        let Ok(admitted) = gate::pre_admit(asked.tool, &asked.args, true) else {
            return refused(CallRefusal::Arguments);
        };
        let Some((kind, subject)) = asked_action(asked.tool, &admitted.args) else {
            return refused(CallRefusal::Arguments);
        };
        let same = |other: ActionKind, hash: &str| other == kind && *hash == admitted.args_hash;
        if let Some(open) = self.state.asks.open.iter_mut().find(|open| open.id == asked.id) {
            if !same(open.kind, &open.args_hash) {
                return refused(CallRefusal::OtherRequest);
            }
            if open.kept {
                return Some(CallAnswer::Waiting(self.report(&asked.id)?));
            }
            if open.waiting.len() >= ASKED_MAX {
                return refused(CallRefusal::TooMany);
            }
            open.waiting.extend(request);
            return None;
        }
        if let Some(ended) = self.state.asks.ended.iter().find(|ended| ended.id == asked.id) {
            if !same(ended.kind, &ended.args_hash) {
                return refused(CallRefusal::OtherRequest);
            }
            return Some(CallAnswer::Waiting(ended.end.clone()));
        }
        if self.state.asks.open.len() >= ASKS_OPEN_MAX {
            return refused(CallRefusal::TooMany);
        }
        self.state.calls.begun += 1;
        let number = self.state.calls.begun;
        let wait = asked.wait_min.unwrap_or(ASK_WAIT_MIN).clamp(1, ASK_WAIT_MAX_MIN);
        self.state.asks.open.push(PendingAsk {
            number,
            id: asked.id,
            asker: asked.asker,
            kind,
            subject,
            args: admitted.args,
            args_hash: admitted.args_hash,
            at: self.state.at,
            until: self.state.at.plus_min(i64::from(wait)),
            kept: false,
            waiting: request.into_iter().collect(),
        });
        self.push_effect(Effect::CommitCall { call: number });
        None
    }

    /// The request is on disk, or could not be written there: then nothing was asked. Whether the number was an ask's.
    pub(crate) fn ask_committed(&mut self, number: u64, ok: bool) -> bool {
        let waits = |open: &PendingAsk| open.number == number && !open.kept;
        let Some(index) = self.state.asks.open.iter().position(waits) else {
            return false;
        };
        let Some(open) = self.state.asks.open.get_mut(index) else {
            return false;
        };
        let waiting = std::mem::take(&mut open.waiting);
        open.kept = ok;
        let id = open.id.clone();
        if !ok {
            self.state.asks.open.remove(index);
        }
        let report = self.report(&id);
        for request in waiting {
            let answer = report
                .clone()
                .map_or(CallAnswer::Refused(CallRefusal::NotKept), CallAnswer::Waiting);
            self.push_effect(Effect::CallAnswer { request, answer });
        }
        true
    }

    /// How far an ask is that is not over.
    fn report(&self, id: &RequestId) -> Option<AskReport> {
        let ask = self.state.asks.open.iter().find(|open| open.id == *id)?;
        let asking = plan_being_asked(&self.state.phase).filter(|(plan, _)| is_planned(ask, plan));
        Some(AskReport {
            state: if asking.is_some() {
                AskState::Asking
            } else {
                AskState::Queued
            },
            until: Some(self.state.wall(ask.until)),
            trace_id: asking.map(|(_, trace)| trace.clone()),
            reason: None,
        })
    }

    /// A tick has ended: whoever asked for what it did or asked has their answer. What was only held back waits on, while there is time.
    pub(crate) fn end_asks(
        &mut self,
        plan: &ActionPlan,
        trace_id: &TraceId,
        outcome: Outcome,
        reason: Option<ReasonCode>,
    ) {
        let Some(state) = end_of(outcome, reason) else {
            return;
        };
        let end = AskReport {
            state,
            until: None,
            trace_id: Some(trace_id.clone()),
            reason,
        };
        let asks = std::mem::take(&mut self.state.asks.open);
        let (over, open) = asks.into_iter().partition(|ask| is_planned(ask, plan));
        self.state.asks.open = open;
        self.remember_ends(over, &end);
    }

    /// The trace of the open tick is kept, and the journal lost how it ended. A confirmation would be in the journal: without one
    /// nothing ran.
    pub(crate) fn end_asks_of(&mut self, phase: &MachinePhase) {
        let Some((plan, trace_id)) = plan_being_asked(phase) else {
            return;
        };
        let (outcome, reason) = if matches!(phase, MachinePhase::Executing { .. }) {
            (Outcome::Failed, ReasonCode::UnknownAfterCrash)
        } else {
            (Outcome::Dismissed, ReasonCode::ConfirmTimeout)
        };
        self.end_asks(plan, trace_id, outcome, Some(reason));
    }

    /// Asks whose time is over while they waited.
    pub(crate) fn expire_asks(&mut self, due: Timestamp) {
        let asked = plan_being_asked(&self.state.phase);
        let waits = |ask: &PendingAsk| asked.is_none_or(|(plan, _)| !is_planned(ask, plan));
        let over: Vec<u64> = self
            .state
            .asks
            .open
            .iter()
            .filter(|ask| ask.until <= due && waits(ask))
            .map(|ask| ask.number)
            .collect();
        if over.is_empty() {
            return;
        }
        let asks = std::mem::take(&mut self.state.asks.open);
        let (mut over, open): (Vec<_>, Vec<_>) = asks.into_iter().partition(|ask| over.contains(&ask.number));
        self.state.asks.open = open;
        // As if each had been looked at in its own time.
        over.sort_by_key(|ask| ask.until);
        let end = AskReport {
            state: AskState::Expired,
            until: None,
            trace_id: None,
            reason: None,
        };
        self.remember_ends(over, &end);
    }

    fn remember_ends(&mut self, over: Vec<PendingAsk>, end: &AskReport) {
        for ask in over {
            for request in ask.waiting {
                let answer = CallAnswer::Waiting(end.clone());
                self.push_effect(Effect::CallAnswer { request, answer });
            }
            if self.state.asks.ended.len() >= ASKS_ENDED_MAX {
                self.state.asks.ended.pop_front();
            }
            self.state.asks.ended.push_back(EndedAsk {
                id: ask.id,
                kind: ask.kind,
                args_hash: ask.args_hash,
                at: ask.at,
                end: end.clone(),
            });
        }
    }

    /// After a start: what the journal holds is on disk, and who asked has gone.
    pub(crate) fn resume_asks(&mut self) {
        for ask in &mut self.state.asks.open {
            ask.waiting.clear();
            ask.kept = true;
        }
    }
}
