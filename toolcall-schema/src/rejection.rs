//! Why something was refused.
//!
//! What: [`SchemaError`], with its code, and [`RefusalReason`], what is kept of a refusal whoever refused. Why: a refusal names the thing, the place, the limit and the remedy. Not here:
//! who refuses (`gate`), where refused calls are kept (`aura-memory`).

use crate::names::closed_enum;
use serde::{Deserialize, Serialize};
use std::fmt;

closed_enum!(
    /// The codes of the gate, of results, confirmations, signals, messages and traces. Each has a page `docs/errors/<code>.md`.
    Code {
        /// More than 64 KiB.
        Gate001 = "GATE-001",
        /// Not UTF-8.
        Gate002 = "GATE-002",
        /// Not JSON, or something after the JSON.
        Gate003 = "GATE-003",
        /// The same key twice.
        Gate004 = "GATE-004",
        /// Nested deeper than 32.
        Gate005 = "GATE-005",
        /// A number that is not finite, or an integer beyond ±2^53.
        Gate006 = "GATE-006",
        /// Not the envelope of `toolcall.v1`.
        Gate007 = "GATE-007",
        /// No such agent and tool.
        Gate008 = "GATE-008",
        /// Not the arguments of that tool.
        Gate009 = "GATE-009",
        /// `confirm_required` or `expected_surface` is not the catalogue's.
        Gate010 = "GATE-010",
        /// Too late, or from the future.
        Gate011 = "GATE-011",
        /// Not what was confirmed.
        Gate012 = "GATE-012",
        /// The bytes of a result are not strict JSON.
        Result001 = "RESULT-001",
        /// Not the envelope of `toolresult.v1`.
        Result002 = "RESULT-002",
        /// Not the result of that tool.
        Result003 = "RESULT-003",
        /// The answer to another call.
        Result004 = "RESULT-004",
        /// An effect that the catalogue does not list for that tool.
        Result005 = "RESULT-005",
        /// No such card is open.
        Confirm001 = "CONFIRM-001",
        /// The capability does not belong to this card, surface and content.
        Confirm002 = "CONFIRM-002",
        /// The card's time on that surface is over.
        Confirm003 = "CONFIRM-003",
        /// The card was answered already, differently.
        Confirm004 = "CONFIRM-004",
        /// The card was never shown on that surface.
        Confirm005 = "CONFIRM-005",
        /// The card cannot be put off, or not once more.
        Confirm006 = "CONFIRM-006",
        /// The bytes of a signal are not strict JSON.
        Signal001 = "SIGNAL-001",
        /// Not `signal.v1`.
        Signal002 = "SIGNAL-002",
        /// The bytes of a message are not strict JSON.
        Proto001 = "PROTO-001",
        /// Not a message of that protocol.
        Proto002 = "PROTO-002",
        /// Of a version that is not spoken.
        Proto003 = "PROTO-003",
        /// A message that contradicts itself.
        Proto004 = "PROTO-004",
        /// A message that is not its turn.
        Proto005 = "PROTO-005",
        /// Not the output that was asked for.
        Proto006 = "PROTO-006",
        /// Past a bound of the protocol.
        Proto007 = "PROTO-007",
        /// A decision, trace or card that is not of its schema: a bug of ours.
        Trace001 = "TRACE-001",
    }
);

/// A refusal: data, never an exception.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(deny_unknown_fields)]
#[error("{code} at {pointer:?}: {message}")]
pub struct SchemaError {
    /// Which rule was broken.
    pub code: Code,
    /// JSON pointer to the place; empty for the whole document.
    pub pointer: String,
    /// The schema keyword, or the gate's step where no schema is involved.
    pub keyword: String,
    /// The limit that was broken, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// A plain sentence with the remedy. Never holds a value of the refused document.
    pub message: String,
}

impl SchemaError {
    /// The rule that was broken, and its limit: `required id`, `maxLength 128`.
    pub fn broken_rule(&self) -> String {
        let limit = self.limit.as_ref().map(|limit| format!(" {limit}"));
        format!("{}{}", self.keyword, limit.unwrap_or_default())
    }
}

/// Why something was not taken, whoever refused it. Never holds a value of what was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(deny_unknown_fields)]
pub struct RefusalReason {
    /// With a page in `docs/errors`.
    pub code: String,
    /// The place in the message; empty for all of it.
    pub pointer: String,
    /// In words, with the remedy.
    pub message: String,
}

/// The place only where there is one.
impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code)?;
        if !self.pointer.is_empty() {
            write!(f, " at {:?}", self.pointer)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl From<SchemaError> for RefusalReason {
    fn from(error: SchemaError) -> Self {
        Self {
            code: error.code.to_string(),
            pointer: error.pointer,
            message: error.message,
        }
    }
}

impl From<&SchemaError> for RefusalReason {
    fn from(error: &SchemaError) -> Self {
        error.clone().into()
    }
}
