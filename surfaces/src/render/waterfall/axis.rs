//! The rows of a tick, and the axis that they lie on.
//!
//! What: [`TickWaterfall`] with its [`WaterfallRow`]s, and where an instant lies ([`TickWaterfall::place`]). Why: the picture and what is sent to a collector are made of
//! one thing. Not here: which rows there are (`waterfall`).

use serde_json::Value;
use surfaces_base::{language::Text, words::tick as say};
use toolcall_schema::Timestamp;

/// The axis in units of the sheet.
pub const AXIS_WIDTH: i64 = 1000;

/// What a wait for the owner gets of it where it lasted longer than all else together.
const WAIT_WIDTH: i64 = 250;

/// A tick as rows on an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct TickWaterfall {
    /// Where the axis begins.
    pub from: Timestamp,
    /// How long it is.
    pub ms: i64,
    /// The wait for the owner that is drawn shorter than it was: from and to, in milliseconds of the axis.
    pub short_wait: Option<(i64, i64)>,
    pub rows: Vec<WaterfallRow>,
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct WaterfallRow {
    pub name: String,
    /// The same in a word of the program's, whatever the owner's language.
    pub code: String,
    /// What came of it, as a code of the program's; absent: nothing is known, or an instant just was.
    pub result: Option<String>,
    pub role: StepRole,
    /// Whether it belongs to the state above it.
    pub is_nested: bool,
    pub from: Timestamp,
    /// How long it took; absent: an instant, or no time of its own is kept.
    pub ms: Option<i64>,
    /// What came of it.
    pub says: String,
    /// Whether it went wrong or came late.
    pub is_bad: bool,
    pub input: StepSide,
    pub output: StepSide,
    /// What was refused, where the row is about that: its place among the refused of the view.
    pub refused: Option<usize>,
}

/// Who did a step; the style sheet gives each its ink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepRole {
    State,
    Agent,
    Gate,
    Decision,
    /// What had to be on disk before the next step.
    Barrier,
    Call,
    Owner,
    Model,
}

impl StepRole {
    /// Its class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            StepRole::State => "state",
            StepRole::Agent => "agent",
            StepRole::Gate => "gate",
            StepRole::Decision => "decision",
            StepRole::Barrier => "barrier",
            StepRole::Call => "call",
            StepRole::Owner => "owner",
            StepRole::Model => "model",
        }
    }

    /// The same in a word.
    pub fn word(self) -> &'static str {
        let [state, agent, gate, decision, barrier, call, owner, model] = say::ROLES.map(Text::say);
        match self {
            StepRole::State => state,
            StepRole::Agent => agent,
            StepRole::Gate => gate,
            StepRole::Decision => decision,
            StepRole::Barrier => barrier,
            StepRole::Call => call,
            StepRole::Owner => owner,
            StepRole::Model => model,
        }
    }
}

/// What went into a step, or came out of it.
#[derive(Debug, Clone, PartialEq)]
pub enum StepSide {
    /// As trace, journal or quarantine hold it.
    Json(Value),
    /// There is none.
    Nothing,
    /// There was, and it is kept nowhere.
    NotKept,
}

impl TickWaterfall {
    /// Where an instant lies on the axis, from 0 to [`AXIS_WIDTH`]. What lies outside of it is put at its end.
    pub fn place(&self, at: Timestamp) -> i64 {
        let whole = self.ms.max(1);
        let ms = at.since(self.from).clamp(0, whole);
        let Some((from, to)) = self.short_wait else {
            return ms * AXIS_WIDTH / whole;
        };
        let (wait, rest) = ((to - from).max(1), (whole - (to - from)).max(1));
        let width = AXIS_WIDTH - WAIT_WIDTH;
        if ms <= from {
            ms * width / rest
        } else if ms <= to {
            from * width / rest + (ms - from) * WAIT_WIDTH / wait
        } else {
            WAIT_WIDTH + (ms - (to - from)) * width / rest
        }
    }
}
