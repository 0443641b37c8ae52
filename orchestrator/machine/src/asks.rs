//! Calls that a program asks for, until the owner has said yes or no.
//!
//! What: an ask from its journalled request over the card of a tick to its end. Why: who is not the owner may propose a call and never make one:
//! what needs the owner's confirm waits here as a candidate for ticks. Not here: what the owner asks for, which is its own confirm
//! (`calls`); the choice (`deliberate`), the card and its answer (`cards`, `answers`).
//!
//! | State | Left on | At its deadline | On disk before it is told |
//! |---|---|---|---|
//! | queued | a tick chooses it → asking; taken back → cancelled | → expired | the request |
//! | asking | the end of that tick → done, refused, dismissed, expired, unknown; taken back before the owner said yes → cancelled; a card that was withdrawn unseen → queued | the card's own | |
//! | cancelled | nothing | | that it was taken back |
//! | done, refused, dismissed, expired, unknown | nothing: who asks the same again is told it | | |
//!
//! An ask starts no tick and has no score. Whether it is being asked follows from the state of the machine and is kept nowhere, so
//! that no crash can leave the two apart. All askers together have [`Policy::asks_per_day`](crate::policy::Policy::asks_per_day) cards a day, and
//! never the owner's last free token.

mod cancel;
mod origin;

pub use cancel::answer_cancel_without_event;
pub use origin::{AskOrigin, AskProtocol, AskerId};

use crate::{
    call_rights::is_on_request,
    calls::{CallAnswer, CallRefusal, CallRequest},
    effect::Effect,
    ledger::AttentionLedger,
    rank::MergedCandidate,
    state::{ASKED_MAX, ActionPlan, DeliberationResult, MachinePhase, MachineState},
    step::StepContext,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::VecDeque, sync::Arc};
use toolcall_schema::{
    ActionKind, AskReport, AskState, Class, Outcome, ReasonCode, Timestamp, ToolName,
    gate::{self, PreAdmitted},
    ids::{RequestId, TraceId},
    milli::Milli,
    tick::Subject,
    trace::Asker,
};

/// At most this many wait.
pub const ASKS_OPEN_MAX: usize = 8;
/// At most this many of one device wait: none of them takes all places.
pub const ASKS_OPEN_OF_DEVICE: usize = 3;
/// At most this many of all programs that use the owner's own socket wait.
pub const ASKS_OPEN_OF_SOCKET: usize = 5;
/// The ends of so many are remembered for whoever asks the same again.
pub const ASKS_ENDED_MAX: usize = 64;
/// When there is no room, who has so many ends remembered forgets one of its own.
const ENDS_OF_ONE: usize = 16;
/// The name that stands in a trace beside a candidate that only the asks' own cap holds back.
pub(crate) const ASKS_CAP: &str = "asks";
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
    /// Who is told of an ask that was taken back, when that is on disk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cancelling: Vec<CancelledAsk>,
    /// The traces of the cards that asks had, which hold tokens of the day.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cards: Vec<TraceId>,
}

/// An ask that was taken back, until that is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CancelledAsk {
    /// The ask's number.
    pub number: u64,
    /// The request.
    pub id: RequestId,
    /// Who is told: at most [`ASKED_MAX`].
    pub waiting: Vec<u64>,
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
    /// Which device, where one asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<AskOrigin>,
    /// What is to be done.
    pub kind: ActionKind,
    /// About what.
    pub subject: Subject,
    /// The normalised arguments.
    pub args: Arc<Value>,
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
    /// Which device asked, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<AskOrigin>,
    /// What was to be done.
    pub kind: ActionKind,
    /// The hash of its arguments.
    pub args_hash: String,
    /// When it was asked, on the timeline.
    pub at: Timestamp,
    /// What came of it.
    pub end: AskReport,
}

/// The argument that a card names in words, with the one value that it says.
fn named_argument(tool: ToolName) -> Option<(ActionKind, &'static str, u64)> {
    if tool == ToolName::MuteChannel {
        Some((ActionKind::MuteGroup30, "ttl_seconds", 1800))
    } else if tool == ToolName::GuideBreathing {
        Some((ActionKind::Breathe478, "cycles", 4))
    } else if tool == ToolName::StartNapTimer {
        Some((ActionKind::Nap15, "duration_min", 15))
    } else if tool == ToolName::PermitLeisure {
        Some((ActionKind::PermitLeisure, "window_min", 90))
    } else {
        None
    }
}

/// The arguments that have one value only, where a program asks for this tool: an object, empty where there are none.
pub fn fixed_arguments(tool: ToolName) -> Value {
    let named = named_argument(tool).map(|(_, name, value)| (name.to_owned(), Value::from(value)));
    Value::Object(named.into_iter().collect())
}

/// The action that a program may ask for with a tool, and about what. Only with the arguments that the card names: the owner
/// confirms what is written there, and nothing else.
pub(crate) fn asked_action(tool: ToolName, args: &Value) -> Option<(ActionKind, Subject)> {
    let (kind, name, value) = named_argument(tool)?;
    args.get(name)
        .and_then(Value::as_u64)
        .filter(|said| *said == value)?;
    let about = if tool == ToolName::MuteChannel {
        Subject::parse(args.get("channel_hash")?.as_str()?).ok()?
    } else {
        Subject::of_self()
    };
    Some((kind, about))
}

/// How far an ask of this device is; `None`: it has none of that id, or it is forgotten. Without a device: one of the owner's own socket.
pub fn report_of(s: &MachineState, id: &RequestId, device: Option<&AskerId>) -> Option<AskReport> {
    let is_own = |origin: Option<&AskOrigin>| origin.map(|origin| &origin.device) == device;
    let mut open = s.asks.open.iter().filter(|ask| ask.kept);
    if let Some(ask) = open.find(|ask| ask.id == *id && is_own(ask.origin.as_ref())) {
        return Some(report_open(s, ask));
    }
    let mut ended = s.asks.ended.iter();
    let ended = ended.find(|ended| ended.id == *id && is_own(ended.origin.as_ref()))?;
    Some(ended.end.clone())
}

/// How far an ask is, whoever asked; `None`: there is none of that id.
pub fn report_of_any(s: &MachineState, id: &RequestId) -> Option<AskReport> {
    let open = s.asks.open.iter().find(|ask| ask.id == *id);
    let ended = || s.asks.ended.iter().find(|ended| ended.id == *id);
    open.map(|ask| report_open(s, ask))
        .or_else(|| ended().map(|ended| ended.end.clone()))
}

/// How far an ask is that is not over.
fn report_open(s: &MachineState, ask: &PendingAsk) -> AskReport {
    let asking = plan_being_asked(&s.phase).filter(|(plan, _)| is_planned(ask, plan));
    AskReport {
        state: if asking.is_some() {
            AskState::Asking
        } else {
            AskState::Queued
        },
        until: Some(s.wall(ask.until)),
        trace_id: asking.map(|(_, trace)| trace.clone()),
        reason: None,
    }
}

/// The devices that asked for what the open prompt asks, in the order of asking.
pub fn devices_of_prompt(s: &MachineState) -> impl Iterator<Item = &AskerId> {
    let plan = match &s.phase {
        MachinePhase::AwaitingConfirm { decided, .. } => decided.plan.as_ref(),
        MachinePhase::Idle
        | MachinePhase::Listening { .. }
        | MachinePhase::Weighing { .. }
        | MachinePhase::Deliberating { .. }
        | MachinePhase::Executing { .. }
        | MachinePhase::LoggingTrace { .. }
        | MachinePhase::Cooldown { .. } => None,
    };
    let asked = s
        .asks
        .open
        .iter()
        .filter(move |ask| plan.is_some_and(|plan| is_planned(ask, plan)));
    asked.filter_map(|ask| Some(&ask.origin.as_ref()?.device))
}

impl WaitingAsks {
    /// Whether nobody ever asked for anything: such a state reads as one of before there were asks.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.ended.is_empty() && self.cancelling.is_empty() && self.cards.is_empty()
    }

    /// Whether a card asks for something that nobody asks for any more: it was taken back.
    pub(crate) fn is_taken_back(&self, decided: &DeliberationResult) -> bool {
        let asked_for = decided
            .decision
            .chosen
            .as_ref()
            .is_some_and(|chosen| chosen.asker.is_some());
        let mut open = self.open.iter();
        asked_for
            && decided
                .plan
                .as_ref()
                .is_some_and(|plan| !open.any(|ask| is_planned(ask, plan)))
    }

    /// The card of this decision asks for what a program wanted, and has its token.
    pub(crate) fn count_card(&mut self, trace: &TraceId, ledger: &AttentionLedger) {
        self.cards.retain(|card| ledger.holds(card));
        self.cards.push(trace.clone());
    }

    /// Whether the asks' own cap is reached: their cards of the day, and the owner's last free token, which is none of theirs.
    pub(crate) fn is_cap_reached(&self, ledger: &AttentionLedger, per_day: usize) -> bool {
        ledger.free() <= 1 || self.cards.iter().filter(|card| ledger.holds(card)).count() >= per_day
    }

    /// Whether one more of this asker's may wait.
    fn has_room(&self, origin: Option<&AskOrigin>) -> bool {
        let device = |of: Option<&AskOrigin>| of.map(|origin| origin.device.clone());
        let own = device(origin);
        let same = self
            .open
            .iter()
            .filter(|ask| device(ask.origin.as_ref()) == own)
            .count();
        let most = if own.is_some() {
            ASKS_OPEN_OF_DEVICE
        } else {
            ASKS_OPEN_OF_SOCKET
        };
        same < most && self.open.len() < ASKS_OPEN_MAX
    }

    /// Makes room for another end: who has many remembered loses one of its own.
    fn make_room(&mut self, origin: Option<&AskOrigin>) {
        if self.ended.len() < ASKS_ENDED_MAX {
            return;
        }
        let own = origin.map(|origin| &origin.device);
        let is_own = |ended: &EndedAsk| ended.origin.as_ref().map(|origin| &origin.device) == own;
        let first = self.ended.iter().position(is_own);
        let many = self.ended.iter().filter(|ended| is_own(ended)).count() >= ENDS_OF_ONE;
        self.ended.remove(first.filter(|_| many).unwrap_or_default());
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
                args: Arc::clone(&ask.args),
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

/// What becomes of an ask, by the state alone.
enum JudgedAsk {
    /// It is answered so, and changes nothing.
    Answered(CallAnswer),
    /// It came before, and its request is not on disk yet.
    OnItsWay,
    /// It was taken back, and that is not on disk yet.
    Cancelled,
    /// It is new.
    New(ActionKind, Subject, PreAdmitted),
}

fn judge_ask(s: &MachineState, asked: &CallRequest) -> JudgedAsk {
    let refused = |why| JudgedAsk::Answered(CallAnswer::Refused(why));
    if !is_on_request(asked.tool, asked.asker) {
        return refused(CallRefusal::NotOnRequest);
    }
    let Ok(admitted) = gate::pre_admit(asked.tool, &asked.args, true) else {
        return refused(CallRefusal::Arguments);
    };
    let Some((kind, subject)) = asked_action(asked.tool, &admitted.args) else {
        return refused(CallRefusal::Arguments);
    };
    let same = |other: ActionKind, hash: &str| other == kind && *hash == admitted.args_hash;
    let told = |report| JudgedAsk::Answered(CallAnswer::Waiting(report));
    if let Some(open) = s.asks.open.iter().find(|open| open.id == asked.id) {
        return match (same(open.kind, &open.args_hash), open.kept) {
            (false, _) => refused(CallRefusal::OtherRequest),
            (true, true) => told(report_open(s, open)),
            (true, false) => JudgedAsk::OnItsWay,
        };
    }
    if let Some(ended) = s.asks.ended.iter().find(|ended| ended.id == asked.id) {
        let mut cancelling = s.asks.cancelling.iter();
        return if !same(ended.kind, &ended.args_hash) {
            refused(CallRefusal::OtherRequest)
        } else if cancelling.any(|cancelled| cancelled.id == asked.id) {
            JudgedAsk::Cancelled
        } else {
            told(ended.end.clone())
        };
    }
    if s.asks.has_room(asked.origin.as_ref()) {
        JudgedAsk::New(kind, subject, admitted)
    } else {
        refused(CallRefusal::TooMany)
    }
}

/// What a program is answered for whom nothing has to be journalled, however often it asks: a repeat, and what is refused. `None`: the
/// machine is to be told.
pub fn answer_without_event(s: &MachineState, asked: &CallRequest) -> Option<CallAnswer> {
    match judge_ask(s, asked) {
        JudgedAsk::Answered(answer) => Some(answer),
        JudgedAsk::OnItsWay | JudgedAsk::Cancelled | JudgedAsk::New(..) => None,
    }
}

impl StepContext<'_> {
    /// A program asks for a call. `None`: it is answered when the request is on disk.
    pub(crate) fn begin_ask(&mut self, request: Option<u64>, asked: CallRequest) -> Option<CallAnswer> {
        let (kind, subject, admitted) = match judge_ask(self.state, &asked) {
            JudgedAsk::Answered(answer) => return Some(answer),
            JudgedAsk::Cancelled => return self.report_end(&asked.id, request),
            JudgedAsk::OnItsWay => {
                let mut open = self.state.asks.open.iter_mut();
                let open = open.find(|open| open.id == asked.id)?;
                if open.waiting.len() >= ASKED_MAX {
                    return Some(CallAnswer::Refused(CallRefusal::TooMany));
                }
                open.waiting.extend(request);
                return None;
            }
            JudgedAsk::New(kind, subject, admitted) => (kind, subject, admitted),
        };
        self.state.calls.begun += 1;
        let number = self.state.calls.begun;
        let wait = asked.wait_min.unwrap_or(ASK_WAIT_MIN).clamp(1, ASK_WAIT_MAX_MIN);
        self.state.asks.open.push(PendingAsk {
            number,
            id: asked.id,
            asker: asked.asker,
            origin: asked.origin,
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
        let is_cancelled = |cancelled: &CancelledAsk| cancelled.number == number;
        if let Some(index) = self.state.asks.cancelling.iter().position(is_cancelled) {
            let CancelledAsk { id, waiting, .. } = self.state.asks.cancelling.remove(index);
            for request in waiting {
                let told = if ok { self.report_end(&id, None) } else { None };
                let answer = told.unwrap_or(CallAnswer::Refused(CallRefusal::NotKept));
                self.push_effect(Effect::CallAnswer { request, answer });
            }
            return true;
        }
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
        Some(report_open(self.state, ask))
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
            self.state.asks.make_room(ask.origin.as_ref());
            self.state.asks.ended.push_back(EndedAsk {
                id: ask.id,
                origin: ask.origin,
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
        self.state.asks.cancelling.clear();
    }
}
