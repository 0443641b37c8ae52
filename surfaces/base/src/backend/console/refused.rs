//! What was refused.
//!
//! What: a line of the quarantine, which lines are meant, and what today's gate says of one. Why: why something did not happen can be
//! seen without a terminal. Not here: the files (`aura-memory`), how kept bytes are shown (`render::kept_content`).

use std::fmt;
use toolcall_schema::{AgentName, Code, QuarantineKind, Timestamp, ids::TraceId};

/// Lines on one page.
pub const REFUSED_MAX: usize = 100;

/// Which lines are meant. Nothing set: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefusedFilter {
    /// Of this kind.
    pub kind: Option<QuarantineKind>,
    /// With this code.
    pub code: Option<Code>,
    /// Of this agent.
    pub agent: Option<AgentName>,
    /// Of this trace.
    pub trace: Option<TraceId>,
}

impl RefusedFilter {
    /// Whether a line is meant.
    pub fn admits(&self, line: &RefusedItem) -> bool {
        self.kind.is_none_or(|kind| kind == line.line.kind)
            && self.code.is_none_or(|code| code.as_str() == line.code)
            && self.agent.is_none_or(|agent| line.agent == Some(agent))
            && self
                .trace
                .as_ref()
                .is_none_or(|trace| line.trace_id.as_ref() == Some(trace))
    }
}

/// Names one line: its number changes when older ones are purged, so its hash must fit too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedLine {
    /// In which file.
    pub kind: QuarantineKind,
    /// Its number there, from 1.
    pub number: u64,
    /// SHA-256 of what was refused; empty where entries were lost.
    pub sha256: String,
}

/// A call, a result, a trace or a program's message that was refused, as it was kept. `raw`, `pointer` and `tool` may hold text from
/// outside.
#[derive(Clone, PartialEq, Eq)]
pub struct RefusedItem {
    /// Its status.
    pub line: RefusedLine,
    /// When (wall clock).
    pub at: Timestamp,
    /// Which rule was broken: a code with a page in `docs/errors`.
    pub code: String,
    /// JSON pointer to the place.
    pub pointer: String,
    /// The code's sentence with the remedy.
    pub message: String,
    /// Whose it was, as far as known.
    pub agent: Option<AgentName>,
    /// Which tool, as far as known.
    pub tool: Option<String>,
    /// Which program of the owner's said it, by its manifest's name; absent: none of them.
    pub program: Option<String>,
    /// In which tick, as far as known.
    pub trace_id: Option<TraceId>,
    /// How many bytes it had.
    pub bytes: u64,
    /// What is kept of it: text, or base64.
    pub raw: String,
    /// Set where `raw` is base64: the first byte that is no UTF-8, from 0, as far as known.
    pub base64: Option<Option<usize>>,
}

impl fmt::Debug for RefusedItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RefusedItem")
            .field("line", &self.line)
            .field("at", &self.at)
            .field("code", &self.code)
            .finish_non_exhaustive()
    }
}

/// What today's gate says of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DryReplayVerdict {
    /// It would pass.
    Passes,
    /// All that can be judged again passes; its deadline, a confirmation or what was asked cannot.
    PassesOtherwise,
    /// It would be refused.
    Refused {
        /// By which rule.
        code: String,
        pointer: String,
        /// The rule's sentence.
        message: String,
        /// Whether code and place are those of then.
        same: bool,
    },
    /// Private leaves were hidden, so the bytes are not there any more.
    Redacted,
    /// The line does not say what it answers.
    NoCall,
    /// Only its beginning is kept.
    Cut,
}
