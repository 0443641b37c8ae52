//! What a type guarantees of its schema, so that no tree is made to ask the schema about it.
//!
//! What: [`WithinSchema`], whether a trace is certainly one that its schema admits. Why: a tree of each trace, made of our own types a moment before, was a
//! sixth of a tick. `false` is no refusal: the schema is asked then, and it alone refuses. Tests hold every limit of the schemas against this, one by one
//! (`tests/by_type.rs`). Not here: the schemas' verdicts (the gate).

use crate::{
    catalogue::{ToolName, comms::EVIDENCE_MAX},
    milli::Milli,
    names::{AgentName, Outcome},
    strict::{self, MAX_DEPTH, MAX_INTEGER},
    tick::{PerAgent, SignalReading, TriggerSource, UserState},
    trace::{CallRecord, ConsideredCandidate, Decision, LedgerView, ScoreParts, Trace},
};
use chrono::{Datelike, NaiveDate};
use serde_json::Value;

/// A typed record whose schema is known here.
pub(super) trait WithinSchema {
    /// Whether the record, written as JSON, is certainly admitted by its schema and by the strict parser. `false`: ask them.
    fn is_within_schema(&self) -> bool;
}

/// `maxItems` of each list.
const CONSIDERED_MOST: usize = 72;
const READINGS_MOST: usize = 32;
const STALE_MOST: usize = 256;
const CALLS_MOST: usize = 2;
const STATES_MOST: usize = 16;
/// `maxLength` of a sentence.
const SENTENCE_MOST: usize = 500;
/// `maxLength` of a rule's name, and of why a model's sentence was not used.
const NAME_MOST: usize = 80;
/// The largest magnitude of a reading.
const READING_MOST: f64 = 1e15;
/// The largest magnitude of a part of a score: a million.
const SCORE_MOST: Milli = Milli(1_000_000_000);
/// How deep the arguments of a call lie: below the document, its list, and the record in it.
const DEPTH_IN_TRACE: u8 = 3;

impl WithinSchema for UserState {
    fn is_within_schema(&self) -> bool {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'+' | b'/' | b'-');
        self.load_score.is_none_or(|score| score <= 100)
            && (1..=64).contains(&self.zone.len())
            && self.zone.bytes().all(plain)
    }
}

fn are_within_schema(readings: &[SignalReading]) -> bool {
    readings.len() <= READINGS_MOST && readings.iter().all(SignalReading::is_within_schema)
}

impl WithinSchema for SignalReading {
    fn is_within_schema(&self) -> bool {
        // A zero below zero is read as another zero than it was written.
        let usable = |n: f64| n.abs() <= READING_MOST && !(n == 0.0 && n.is_sign_negative());
        let currency = |text: &String| text.len() == 3 && text.bytes().all(|b| b.is_ascii_uppercase());
        usable(self.value)
            && self.low.is_none_or(usable)
            && self.high.is_none_or(usable)
            && self.currency.as_ref().is_none_or(currency)
    }
}

impl WithinSchema for Trace {
    fn is_within_schema(&self) -> bool {
        let has_no_reason = match self.outcome {
            Outcome::ExecutedAuto | Outcome::Confirmed => true,
            Outcome::Silent | Outcome::Dismissed | Outcome::Failed => false,
        };
        let rejected = |text: &String| is_between(text, 1, NAME_MOST);
        let last = i64::try_from(MAX_INTEGER).unwrap_or(i64::MAX);
        self.reason_code.is_none() == has_no_reason
            && self.decision.is_within_schema()
            && self.tool_calls.len() <= CALLS_MOST
            && self.tool_calls.iter().all(CallRecord::is_within_schema)
            && self.ledger_after.is_within_schema()
            && self.state_path.len() <= STATES_MOST
            && self.state_path.iter().all(|visit| (0..=last).contains(&visit.ms))
            && is_between(&self.rationale, 0, SENTENCE_MOST)
            && self.rationale_rejected.as_ref().is_none_or(rejected)
    }
}

impl WithinSchema for CallRecord {
    fn is_within_schema(&self) -> bool {
        let usable =
            |value: &Value| value.is_object() && strict::is_strict(value, MAX_DEPTH - DEPTH_IN_TRACE);
        ToolName::parse(&self.tool).is_some()
            && usable(&self.args)
            && self.result.as_deref().is_none_or(usable)
    }
}

impl WithinSchema for Decision {
    fn is_within_schema(&self) -> bool {
        self.tick <= MAX_INTEGER
            && self
                .call
                .is_none_or(|call| (1..=MAX_INTEGER).contains(&call.number))
            && self.user.is_within_schema()
            && is_of_the_four(&self.agent_status)
            && is_of_the_four(&self.signals)
            && self.signals.values().all(|readings| are_within_schema(readings))
            && self.candidates.len() <= CONSIDERED_MOST
            && self.candidates.iter().all(ConsideredCandidate::is_within_schema)
            && self.chosen.as_ref().is_none_or(|chosen| is_hash(&chosen.args_hash))
            // 0 is not written.
            && self.put_off <= 3
            && is_between(&self.rationale, 0, SENTENCE_MOST)
            && self.ledger_before.is_within_schema()
            && is_hash(&self.policy_hash)
            && is_hash(&self.catalogue_hash)
            && self.stale_triggers.len() <= STALE_MOST
            && self
                .stale_triggers
                .iter()
                .all(|stale| stale.source != TriggerSource::Call)
    }
}

impl WithinSchema for ConsideredCandidate {
    fn is_within_schema(&self) -> bool {
        is_share(self.confidence)
            && self.evidence.len() <= EVIDENCE_MAX
            && self
                .rule
                .as_ref()
                .is_none_or(|name| is_between(name, 1, NAME_MOST))
            && self.score.as_ref().is_none_or(ScoreParts::is_within_schema)
    }
}

impl WithinSchema for ScoreParts {
    fn is_within_schema(&self) -> bool {
        let Self {
            priority,
            m,
            utility,
            surface_cost,
            confirm_cost,
            recent,
            dnd,
            score,
        } = *self;
        [
            priority,
            m,
            utility,
            surface_cost,
            confirm_cost,
            recent,
            dnd,
            score,
        ]
        .iter()
        .all(|part| (Milli(-SCORE_MOST.0)..=SCORE_MOST).contains(part))
    }
}

impl WithinSchema for LedgerView {
    fn is_within_schema(&self) -> bool {
        self.ceiling <= 5 && self.free <= 5 && is_written_in_four_digits(self.day)
    }
}

fn is_written_in_four_digits(day: NaiveDate) -> bool {
    (0..=9999).contains(&day.year())
}

/// From 0 to 1.
fn is_share(of: Milli) -> bool {
    (Milli(0)..=Milli::ONE).contains(&of)
}

/// Whether a text has so many characters; a byte is at most one.
fn is_between(text: &str, least: usize, most: usize) -> bool {
    text.len() >= least && (text.len() <= most || text.chars().count() <= most)
}

/// SHA-256 in hexadecimal digits.
fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_of_the_four<T>(map: &PerAgent<T>) -> bool {
    !map.contains_key(&AgentName::Orchestrator)
}
