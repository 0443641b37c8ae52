//! `decision.v1` and `trace.v1`: what was decided, why, and what came of it.
//!
//! What: the record made on leaving Deliberating, and the same with its outcome. Why: every decision, and every decision
//! to stay silent, can be read and replayed to the same bytes. Not here: making them (`orchestrator-machine`), keeping
//! them (`aura-memory`), showing them (`surfaces`).

use crate::{
    catalogue::ToolName,
    ids::{CallId, CardId, TraceId},
    message_class::EvidenceCode,
    milli::Milli,
    names::{
        ActionKind, AgentName, AgentStatus, Class, Outcome, ReasonCode, StateName, Surface, closed_enum,
    },
    result::ToolErrorCode,
    tick::{PerAgent, SignalReading, Subject, Trigger, TriggerSource, UserState},
    time::Timestamp,
};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The attention ledger at one moment. `free = ceiling + refunded - settled - reserved`, never below 0 or above
/// `ceiling`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerView {
    /// The local day.
    pub day: NaiveDate,
    /// Tokens a day, 0 to 5.
    pub ceiling: u8,
    /// Tokens that can still be reserved.
    pub free: u8,
    /// Tokens held by cards that were not shown yet.
    pub reserved: u8,
    /// Tokens spent by cards that were shown.
    pub settled: u8,
    /// Tokens given back by "Useful".
    pub refunded: u8,
}

/// The parts of a score, three decimals each:
/// `score = utility - surface_cost - confirm_cost - recent - dnd`, `utility = priority × confidence × M(state, kind)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreParts {
    /// Of the policy.
    pub priority: Milli,
    /// Of the policy's table of states.
    pub m: Milli,
    /// The product, rounded for display.
    pub utility: Milli,
    /// Of the policy.
    pub surface_cost: Milli,
    /// Of the policy, where the catalogue demands a confirmation.
    pub confirm_cost: Milli,
    /// For showing the same again.
    pub recent: Milli,
    /// While do not disturb is on.
    pub dnd: Milli,
    /// The result, rounded half away from zero for display; the machine compares the exact value.
    pub score: Milli,
}

/// A candidate after merging, with what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsideredCandidate {
    /// Its kind.
    pub kind: ActionKind,
    /// What it is about.
    pub subject: Subject,
    /// Who proposed it (the winner of the merge).
    pub agent: AgentName,
    /// Its class.
    pub class: Class,
    /// How sure the agent was.
    pub confidence: Milli,
    /// Who asked for it, where no agent proposed it: then it is not scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asker: Option<Asker>,
    /// Why it was this sure, as codes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceCode>,
    /// Whether the owner always lets it through: then it passes with any score that names no earlier time today (`recent`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub let_through: bool,
    /// What removed it before scoring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<ReasonCode>,
    /// The name of the owner's rule that removed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Its score, when it was scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreParts>,
}

impl ConsideredCandidate {
    /// Whether it passed whatever its score, because the owner always lets it through.
    pub fn passes_by_rule(&self) -> bool {
        let is_first = |score: &ScoreParts| score.recent <= Milli(0);
        self.let_through && self.score.as_ref().is_some_and(is_first)
    }
}

/// A trigger that came too late to start a tick.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaleTrigger {
    /// What it was.
    pub source: TriggerSource,
    /// When it happened.
    pub at: Timestamp,
}

/// What was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChosenAction {
    /// The action.
    pub kind: ActionKind,
    /// About what.
    pub subject: Subject,
    /// Its class.
    pub class: Class,
    /// Where it is to be shown.
    pub surface: Surface,
    /// Who asked for it, where no agent proposed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asker: Option<Asker>,
    /// Whether the owner is asked.
    pub confirm_required: bool,
    /// The companion on the same card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub companion: Option<ActionKind>,
    /// SHA-256 of the canonical arguments of the (primary) call.
    pub args_hash: String,
    /// The card.
    pub card_id: CardId,
}

closed_enum!(
    /// Who had a call made that no tick decided.
    Asker {
        /// The owner, on a page.
        OwnerPage = "owner_page",
        /// The owner, at the command line.
        OwnerCommand = "owner_command",
        /// The machine itself, because of what the owner did with a card.
        OwnerCard = "owner_card",
        /// A program that is not the owner's hand: what it asks for waits for the owner on a card.
        Program = "program",
    }
);

/// A call that somebody asked for, outside of ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestedCall {
    /// Its own number, from 1.
    pub number: u64,
    /// Who asked for it.
    pub asker: Asker,
}

/// `decision.v1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// The trace it becomes.
    pub trace_id: TraceId,
    /// The tick's number, from 1; of a call that was asked for, the last tick that had begun.
    pub tick: u64,
    /// The call that was asked for, where this is no tick's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<RequestedCall>,
    /// When it was decided (wall clock).
    pub ts: Timestamp,
    /// Why the tick started.
    pub trigger: Trigger,
    /// The owner's state as it was used.
    pub user: UserState,
    /// How each agent's part ended.
    pub agent_status: PerAgent<AgentStatus>,
    /// What each agent measured.
    pub signals: PerAgent<Vec<SignalReading>>,
    /// Everything proposed, ranked, with scores or reasons.
    pub candidates: Vec<ConsideredCandidate>,
    /// What was chosen; absent: do nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<ChosenAction>,
    /// Why nothing was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<ReasonCode>,
    /// How often in a row the owner had put off what was chosen: then it came back because it was asked for. 0: never.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub put_off: u8,
    /// The template's sentence, at most 500 characters.
    pub rationale: String,
    /// The ledger before.
    pub ledger_before: LedgerView,
    /// SHA-256 of the policy's text.
    pub policy_hash: String,
    /// SHA-256 of the catalogue's canonical JSON.
    pub catalogue_hash: String,
    /// Triggers that had expired since the last tick.
    pub stale_triggers: Vec<StaleTrigger>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &u8) -> bool {
    *n == 0
}

/// The time spent in one state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateVisit {
    /// Which state.
    pub state: StateName,
    /// When it was entered (wall clock).
    pub at: Timestamp,
    /// How long it lasted; the last one is open and counts up to the trace.
    pub ms: i64,
}

/// A call that was sent, with what came back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallRecord {
    /// The call's id.
    pub call_id: CallId,
    /// Its full name, e.g. `comms.mute_channel`.
    pub tool: String,
    /// The arguments: ids and numbers, no text.
    pub args: Arc<Value>,
    /// The result: ids and numbers, no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Arc<Value>>,
    /// Why there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolErrorCode>,
}

/// The owner's confirmation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confirmation {
    /// Where it was given.
    pub surface: Surface,
    /// When (wall clock).
    pub at: Timestamp,
}

/// Where the sentence came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RationaleSource {
    /// A template with real numbers.
    Template,
    /// The language model.
    Model,
}

/// When it could speak next, and what stands in the way until then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextPossible {
    /// The earliest moment.
    pub at: Timestamp,
    /// What has to change until then.
    pub when: ReasonCode,
}

/// `trace.v1`: decision plus outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// One per tick, and per call that was asked for.
    pub trace_id: TraceId,
    /// When it was completed (wall clock).
    pub ts: Timestamp,
    /// What was decided.
    pub decision: Arc<Decision>,
    /// How it ended.
    pub outcome: Outcome,
    /// Why; null for `executed_auto` and `confirmed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<ReasonCode>,
    /// The calls that were sent: the primary, then the companion.
    pub tool_calls: Vec<CallRecord>,
    /// The owner's confirmation; kept when the tool failed afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Confirmation>,
    /// The ledger at `LoggingTrace`.
    pub ledger_after: LedgerView,
    /// The states gone through.
    pub state_path: Vec<StateVisit>,
    /// One sentence, at most 500 characters.
    pub rationale: String,
    /// Where it came from.
    pub rationale_source: RationaleSource,
    /// Why the model's sentence was not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale_rejected: Option<String>,
    /// When silent: when it could speak next. When put off: when it comes again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_possible_at: Option<NextPossible>,
}

impl Trace {
    /// What was chosen, as it stands in `expected.json` and on screens: the kind, the tool that somebody had called, or
    /// `do_nothing`.
    pub fn chosen_name(&self) -> &'static str {
        let called = self.tool_calls.first().filter(|_| self.decision.call.is_some());
        match (&self.decision.chosen, called) {
            (Some(chosen), _) => chosen.kind.as_str(),
            (None, Some(call)) => ToolName::parse(&call.tool).map_or("do_nothing", ToolName::as_str),
            (None, None) => "do_nothing",
        }
    }
}

/// What a surface is handed to show. Everything on it comes from the decision, and from results that passed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The card.
    pub card_id: CardId,
    /// What it is made from.
    pub decision: Arc<Decision>,
    /// The calls with their results: empty while a prompt is open.
    pub tool_calls: Vec<CallRecord>,
    /// Where it may be answered, until when, with which capability. Empty for a card that asks nothing.
    pub prompts: Vec<Prompt>,
    /// Until when it is worth showing.
    pub valid_until: Timestamp,
}

/// The right to answer one card on one surface, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    pub surface: Surface,
    /// Until when (8 s on the watch, 60 s on the phone, from the decision).
    pub expires_at: Timestamp,
    /// HMAC-SHA256, 64 hexadecimal digits.
    pub capability: String,
}
