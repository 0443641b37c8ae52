//! Calls that somebody other than an agent's tick asks for.
//!
//! What: from [`CallRequest`] to its outcome: journalled first, through the whole gate, executed beside whatever state the
//! machine is in, with a deadline and a trace of its own. Why: there is one way to have a tool called outside of ticks, and
//! each use of it can be looked up. Not here: the states (`flow`), who may ask for what (`call_rights`), sending
//! (`aura_runtime::executor`).
//!
//! The table, as in the crate's documentation. It is independent of the machine's state:
//!
//! | Stage | Left on | At its deadline | On disk before the effect leaves |
//! |---|---|---|---|
//! | Committing | `CallCommitted` → Dispatched | 5000 ms after the request → Logging, `tool_failed`, nothing was sent | the request |
//! | Dispatched | `CallExecuted` → Logging | 5000 ms after the request → Logging, `tool_failed` | |
//! | Logging | `TraceKept` → over, answered | 1000 ms, then each 10 s: the trace is handed to the store again | the trace, before the answer |
//!
//! After a crash a call in one of the first two stages ends `unknown_after_crash` and is never sent again by itself. Whoever repeats a request gets
//! its outcome, or begins it anew where it is certain that nothing was done.

use crate::{
    asks::AskOrigin,
    call_rights::{authority, is_on_request},
    effect::{Effect, IgnoreReason, OutgoingCall, ReplyTo},
    event::ActionReply,
    flow::LOGGING_MS,
    rationale,
    state::{ASKED_MAX, OutboxChange},
    step::StepContext,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::VecDeque, sync::Arc};
use toolcall_schema::{
    AgentName, AskReport, Authority, Confirm, Outcome, ReasonCode, Timestamp, ToolCall, ToolName, gate,
    ids::{IdPurpose, RequestId, TraceId},
    result::ToolErrorCode,
    tick::{Subject, Trigger, TriggerSource},
    trace::{Asker, CallRecord, Decision, RationaleSource, RequestedCall, Trace},
};

/// At most this many are under way.
pub const CALLS_OPEN_MAX: usize = 8;
/// The outcomes of so many are remembered for whoever asks the same again.
pub const CALLS_ENDED_MAX: usize = 256;
/// How long a call may take, from the request.
const CALL_MS: u32 = 5000;
/// How often a trace that the store did not take is handed to it again.
const KEEP_AGAIN_MS: i64 = 10_000;

/// What somebody asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRequest {
    /// The request.
    pub id: RequestId,
    /// Who asks.
    pub asker: Asker,
    /// Which device, where one asks.
    pub origin: Option<AskOrigin>,
    /// Which tool.
    pub tool: ToolName,
    /// Its arguments.
    pub args: Value,
    /// For how many minutes it waits where the owner has to confirm it; absent: [`crate::asks::ASK_WAIT_MIN`].
    pub wait_min: Option<u16>,
}

/// The calls that were asked for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestedCalls {
    /// How many have begun: the number of the last one.
    pub begun: u64,
    /// Those under way, oldest first: at most [`CALLS_OPEN_MAX`].
    pub open: Vec<PendingCall>,
    /// Those that are over, oldest first: at most [`CALLS_ENDED_MAX`]. None of which nothing was done.
    pub ended: VecDeque<EndedCall>,
}

/// A call that is under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendingCall {
    /// Its number, from 1.
    pub number: u64,
    /// The request.
    pub id: RequestId,
    /// Which tool.
    pub tool: ToolName,
    /// The normalised arguments.
    pub args: Arc<Value>,
    /// Their hash.
    pub args_hash: String,
    /// What its trace begins with.
    pub decision: Arc<Decision>,
    /// When its stage is over, on the timeline.
    pub deadline: Timestamp,
    /// How far it is.
    pub stage: CallStage,
    /// The requests that are answered when it is over: at most [`ASKED_MAX`].
    pub waiting: Vec<u64>,
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case", deny_unknown_fields)]
pub enum CallStage {
    /// The request is being written to the disk.
    Committing,
    /// The call is out.
    Dispatched,
    /// The trace is being kept.
    Logging {
        /// What came of it.
        end: CallEnd,
        /// The trace.
        trace: Arc<Trace>,
        /// Changes of the outbox, made once the trace is durable.
        outbox: Vec<OutboxChange>,
    },
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallEnd {
    /// Its trace.
    pub trace_id: TraceId,
    /// How it ended: `confirmed`, `executed_auto` or `failed`.
    pub outcome: Outcome,
    /// Why it failed.
    pub reason: Option<ReasonCode>,
    /// What the tool said about it.
    pub error: Option<ToolErrorCode>,
}

/// A call that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndedCall {
    /// The request.
    pub id: RequestId,
    /// Which tool.
    pub tool: ToolName,
    /// The hash of the arguments.
    pub args_hash: String,
    /// What came of it.
    pub end: CallEnd,
}

/// What who asked for a call is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallAnswer {
    /// It is over, and its trace is on disk.
    Ended(CallEnd),
    /// It is an ask, which waits for the owner or is over.
    Waiting(AskReport),
    /// It did not begin.
    Refused(CallRefusal),
}

/// Why a call does not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallRefusal {
    /// The arguments do not pass the tool's schema.
    Arguments,
    /// Nobody but a tick may have this tool called.
    NotOnRequest,
    /// The same request id came with another tool or other arguments.
    OtherRequest,
    /// Too many are under way.
    TooMany,
    /// It could not be written to the disk.
    NotKept,
    /// Who takes an ask back has none of that id.
    NoSuchAsk,
}

impl RequestedCalls {
    /// Whether a request was made before.
    pub fn has_request(&self, id: &RequestId) -> bool {
        self.open.iter().any(|open| open.id == *id) || self.ended.iter().any(|ended| ended.id == *id)
    }
}

impl StepContext<'_> {
    /// Somebody asks for a call.
    pub(crate) fn call_requested(&mut self, request: u64, asked: CallRequest) {
        let answer = match asked.asker {
            Asker::OwnerPage | Asker::OwnerCommand | Asker::OwnerCard => {
                self.begin_call(Some(request), asked)
            }
            Asker::Program => self.begin_ask(Some(request), asked),
        };
        if let Some(answer) = answer {
            self.push_effect(Effect::CallAnswer { request, answer });
        }
    }

    /// `None`: it is answered when the call is over, if `request` is somebody.
    pub(crate) fn begin_call(&mut self, request: Option<u64>, asked: CallRequest) -> Option<CallAnswer> {
        let CallRequest {
            id,
            asker,
            tool,
            args,
            origin: _,
            wait_min: _,
        } = asked;
        let refused = |why| Some(CallAnswer::Refused(why));
        if !is_on_request(tool, asker) {
            return refused(CallRefusal::NotOnRequest);
        }
        let confirm = tool.columns().confirm == Confirm::Always;
        let Ok(admitted) = gate::pre_admit(tool, &args, confirm) else {
            return refused(CallRefusal::Arguments);
        };
        let same = |other: ToolName, hash: &str| other == tool && *hash == admitted.args_hash;
        if let Some(open) = self.state.calls.open.iter_mut().find(|open| open.id == id) {
            if !same(open.tool, &open.args_hash) {
                return refused(CallRefusal::OtherRequest);
            }
            if open.waiting.len() >= ASKED_MAX {
                return refused(CallRefusal::TooMany);
            }
            open.waiting.extend(request);
            return None;
        }
        if let Some(ended) = self.state.calls.ended.iter().find(|ended| ended.id == id) {
            if !same(ended.tool, &ended.args_hash) {
                return refused(CallRefusal::OtherRequest);
            }
            return Some(CallAnswer::Ended(ended.end.clone()));
        }
        if self.state.calls.open.len() >= CALLS_OPEN_MAX {
            return refused(CallRefusal::TooMany);
        }
        self.state.calls.begun += 1;
        let number = self.state.calls.begun;
        let decision = Arc::new(self.call_decision(RequestedCall { number, asker }, tool, &admitted.args));
        self.state.calls.open.push(PendingCall {
            number,
            id,
            tool,
            args: admitted.args,
            args_hash: admitted.args_hash,
            decision,
            deadline: self.state.at.plus_ms(i64::from(CALL_MS)),
            stage: CallStage::Committing,
            waiting: request.into_iter().collect(),
        });
        self.push_effect(Effect::CommitCall { call: number });
        None
    }

    /// What the trace of a call says about the moment at which it was asked for.
    fn call_decision(&self, call: RequestedCall, tool: ToolName, args: &Value) -> Decision {
        let at = self.wall();
        Decision {
            trace_id: self.env.seed.call_trace_id(call.number),
            tick: self.state.ticks,
            call: Some(call),
            ts: at,
            trigger: Trigger {
                source: TriggerSource::Call,
                subject: subject_of(args),
                at,
                valid_until: at.plus_ms(i64::from(CALL_MS)),
            },
            user: self.user_state(),
            agent_status: std::collections::BTreeMap::new(),
            signals: std::collections::BTreeMap::new(),
            candidates: vec![],
            chosen: None,
            reason_code: None,
            rationale: rationale::of_call(tool).to_owned(),
            ledger_before: self.state.ledger.view(),
            policy_hash: self.env.policy.hash().to_owned(),
            catalogue_hash: self.env.catalogue_hash.clone(),
            stale_triggers: vec![],
            put_off: 0,
        }
    }

    /// The request is on disk: the call may leave.
    pub(crate) fn call_committed(&mut self, number: u64, ok: bool) {
        if self.ask_committed(number, ok) {
            return;
        }
        let ts = self.wall();
        let waits = |open: &&mut PendingCall| {
            ok && open.number == number && matches!(open.stage, CallStage::Committing)
        };
        // Not on disk: nothing leaves; the call's own deadline decides.
        let Some(open) = self.state.calls.open.iter_mut().find(waits) else {
            return self.ignore(IgnoreReason::NotAwaited);
        };
        let Some(call) = open.decision.call else { return };
        open.stage = CallStage::Dispatched;
        let columns = open.tool.columns();
        let outgoing = OutgoingCall {
            tool: open.tool,
            call: ToolCall {
                call_id: self
                    .env
                    .seed
                    .call_id(IdPurpose::RequestedCall, number, open.tool.as_str(), 0),
                agent: columns.agent,
                tool: open.tool.tool().to_owned(),
                args: open.args.clone(),
                ts,
                confirm_required: columns.confirm == Confirm::Always,
                expected_surface: Some(columns.surface),
                deadline_ms: Some(CALL_MS),
            },
            authority: authority(open.tool, call.asker),
            args_hash: Some(open.args_hash.clone()),
            trace_id: Some(open.decision.trace_id.clone()),
            reply: ReplyTo::Call { call: number },
        };
        self.push_effect(Effect::Call(Box::new(outgoing)));
    }

    /// The tool has answered.
    pub(crate) fn on_call_reply(&mut self, number: u64, reply: ActionReply) {
        let out = |open: &PendingCall| open.number == number && matches!(open.stage, CallStage::Dispatched);
        match self.state.calls.open.iter().position(out) {
            Some(index) => self.end_call(index, Some(reply), ReasonCode::ToolFailed),
            None => self.ignore(IgnoreReason::NotAwaited),
        }
    }

    /// Takes the effects in, and hands the trace to the store. `without` is why there is no answer, where there is none.
    fn end_call(&mut self, index: usize, reply: Option<ActionReply>, without: ReasonCode) {
        let Some(open) = self.state.calls.open.get(index) else {
            return;
        };
        let (tool, decision) = (open.tool, open.decision.clone());
        let Some(call) = decision.call else { return };
        let dispatched = matches!(open.stage, CallStage::Dispatched);
        let (mut result, mut error, mut effects) = (None, None, vec![]);
        let (outcome, reason) = match reply {
            Some(ActionReply::Done {
                result: done,
                effects: wanted,
            }) => {
                (result, effects) = (Some(Arc::new(done)), wanted);
                match authority(tool, call.asker) {
                    Authority::Confirmed => (Outcome::Confirmed, None),
                    Authority::Auto => (Outcome::ExecutedAuto, None),
                }
            }
            Some(ActionReply::Failed(code)) => {
                error = code;
                (Outcome::Failed, Some(ReasonCode::ToolFailed))
            }
            Some(ActionReply::Rejected) => (Outcome::Failed, Some(ReasonCode::ResultRejected)),
            None => (Outcome::Failed, Some(without)),
        };
        let record = CallRecord {
            call_id: self
                .env
                .seed
                .call_id(IdPurpose::RequestedCall, call.number, tool.as_str(), 0),
            tool: tool.as_str().to_owned(),
            args: open.args.clone(),
            result,
            error,
        };
        let outbox = self.apply_effects(&decision.trace_id, effects);
        let trace = Trace {
            trace_id: decision.trace_id.clone(),
            ts: self.wall(),
            outcome,
            reason_code: reason,
            tool_calls: Vec::from_iter(dispatched.then_some(record)),
            confirm: None,
            ledger_after: self.state.ledger.view(),
            state_path: vec![],
            rationale: decision.rationale.clone(),
            rationale_source: RationaleSource::Template,
            rationale_rejected: None,
            next_possible_at: None,
            decision,
        };
        let end = CallEnd {
            trace_id: trace.trace_id.clone(),
            outcome,
            reason,
            error,
        };
        let trace = Arc::new(trace);
        self.push_effect(Effect::KeepTrace(Arc::clone(&trace)));
        let deadline = self.state.at.plus_ms(LOGGING_MS);
        if let Some(open) = self.state.calls.open.get_mut(index) {
            open.deadline = deadline;
            open.stage = CallStage::Logging { end, trace, outbox };
        }
    }

    /// Whether a trace was a call's. It is over when that is on disk.
    pub(crate) fn call_trace_kept(&mut self, trace_id: &TraceId, ok: bool) -> bool {
        let about = |open: &PendingCall| {
            open.decision.trace_id == *trace_id && matches!(open.stage, CallStage::Logging { .. })
        };
        let Some(index) = self.state.calls.open.iter().position(about) else {
            return false;
        };
        if !ok {
            let again = self.state.at.plus_ms(KEEP_AGAIN_MS);
            if let Some(open) = self.state.calls.open.get_mut(index) {
                open.deadline = again;
            }
            return true;
        }
        let open = self.state.calls.open.remove(index);
        let CallStage::Logging { end, trace, outbox } = open.stage else {
            return true;
        };
        self.change_outbox(trace_id, &outbox);
        if end.outcome != Outcome::Failed && AgentName::FOUR.contains(&open.tool.agent()) {
            // What it did changed what it knows: its answer brings the state that a restart needs.
            self.request_file_scan(open.tool.agent());
        }
        for request in open.waiting {
            let answer = CallAnswer::Ended(end.clone());
            self.push_effect(Effect::CallAnswer { request, answer });
        }
        if was_not_done(&end, &trace) {
            return true;
        }
        if self.state.calls.ended.len() >= CALLS_ENDED_MAX {
            self.state.calls.ended.pop_front();
        }
        self.state.calls.ended.push_back(EndedCall {
            id: open.id,
            tool: open.tool,
            args_hash: open.args_hash,
            end,
        });
        true
    }

    /// Calls whose time is over.
    pub(crate) fn expire_calls(&mut self, due: Timestamp) {
        for index in 0..self.state.calls.open.len() {
            let again = self.state.at.plus_ms(KEEP_AGAIN_MS);
            let Some(open) = self
                .state
                .calls
                .open
                .get_mut(index)
                .filter(|open| open.deadline <= due)
            else {
                continue;
            };
            match &open.stage {
                CallStage::Committing | CallStage::Dispatched => {
                    self.end_call(index, None, ReasonCode::ToolFailed);
                }
                CallStage::Logging { trace, .. } => {
                    let trace = trace.clone();
                    open.deadline = again;
                    self.push_effect(Effect::KeepTrace(trace));
                }
            }
        }
    }

    /// After a start: what may have left is not sent again, and every trace is kept. Who asked has gone.
    pub(crate) fn resume_calls(&mut self) {
        // Deadlines that passed meanwhile are still to pass at their own time.
        let before = std::mem::replace(&mut self.state.at, self.now);
        for index in 0..self.state.calls.open.len() {
            let deadline = self.state.at.plus_ms(LOGGING_MS);
            let Some(open) = self.state.calls.open.get_mut(index) else {
                continue;
            };
            open.waiting.clear();
            match &open.stage {
                CallStage::Committing | CallStage::Dispatched => {
                    self.end_call(index, None, ReasonCode::UnknownAfterCrash);
                }
                CallStage::Logging { trace, .. } => {
                    let trace = trace.clone();
                    open.deadline = deadline;
                    self.push_effect(Effect::KeepTrace(trace));
                }
            }
        }
        self.state.at = before;
    }
}

/// Whether it is certain that nothing of a call was done: it was never sent, or its process ended before an answer of the tool was in the journal. What a
/// tool does is in its answer alone. Such a call is not remembered: the same request begins it anew.
fn was_not_done(end: &CallEnd, trace: &Trace) -> bool {
    trace.tool_calls.is_empty() || end.reason == Some(ReasonCode::UnknownAfterCrash)
}

/// What the arguments are about, where they name one thing.
fn subject_of(args: &Value) -> Option<Subject> {
    ["channel_hash", "event_id", "item_id", "subject", "about"]
        .iter()
        .find_map(|name| args.get(name)?.as_str())
        .and_then(|text| Subject::parse(text).ok())
}
