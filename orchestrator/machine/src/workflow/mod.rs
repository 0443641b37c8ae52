//! Workflows: agents of the owner's, one after another or side by side.
//!
//! What: what a workflow is ([`definition`], [`check`]), what happens in a run of it ([`event`]), where a run stands and what comes
//! next ([`run`]), what each agent is told ([`thread`]). All of it pure: the journal of a run is folded into its state, and the state
//! alone says what to do. Why: a run that was killed anywhere goes on where its journal ends, and every rule can be tried without
//! a program. Not here: asking programs, writing files, the journal on disk (`aura_workflow`, `aura_memory::workflows`).

pub mod check;
pub mod definition;
pub mod event;
pub mod proposal;
pub mod reading;
pub mod run;
pub mod thread;

mod join;
mod step;

use serde::{Deserialize, Serialize};
use std::fmt;

/// The largest shared memory, in bytes of JSON.
pub const SHARED_MAX_BYTES: usize = 256 << 10;
/// Number of earlier results passed to a step.
pub const RESULTS_MAX: usize = 32;
/// And they are so large at most, in bytes of JSON.
pub const RESULTS_MAX_BYTES: usize = 1 << 20;
/// How long a question to the owner can be answered.
pub const QUESTION_DAYS: i64 = 7;

/// How an asking came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// Envelope: go on.
    Proceed,
    /// Envelope: another attempt is needed.
    Retry,
    /// Envelope: the owner is needed.
    Escalate,
    /// Base: done. Read: answered.
    Completed,
    /// Base: done in part.
    Partial,
    /// Base: not done.
    Failed,
    /// Both: no answer, one that did not pass, or files that could not be written. Ask: nobody could be asked, or the tool did not do it.
    /// Read: it may not, or nothing is known.
    Refused,
    /// Ask: the owner said yes, and it was done.
    Done,
    /// Ask: the owner said no.
    Dismissed,
    /// Ask: nobody said yes in time.
    Expired,
    /// Ask: it was taken back.
    Cancelled,
    /// Ask: the owner said yes, and a crash left it unknown whether it was done.
    Unknown,
}

impl StepOutcome {
    /// As it stands in files.
    pub fn as_str(self) -> &'static str {
        match self {
            StepOutcome::Proceed => "proceed",
            StepOutcome::Retry => "retry",
            StepOutcome::Escalate => "escalate",
            StepOutcome::Completed => "completed",
            StepOutcome::Partial => "partial",
            StepOutcome::Failed => "failed",
            StepOutcome::Refused => "refused",
            StepOutcome::Done => "done",
            StepOutcome::Dismissed => "dismissed",
            StepOutcome::Expired => "expired",
            StepOutcome::Cancelled => "cancelled",
            StepOutcome::Unknown => "unknown",
        }
    }

    /// Whether what was asked for was done, at least in part.
    pub fn is_good(self) -> bool {
        match self {
            StepOutcome::Proceed | StepOutcome::Completed | StepOutcome::Partial | StepOutcome::Done => true,
            StepOutcome::Retry
            | StepOutcome::Escalate
            | StepOutcome::Failed
            | StepOutcome::Refused
            | StepOutcome::Dismissed
            | StepOutcome::Expired
            | StepOutcome::Cancelled
            | StepOutcome::Unknown => false,
        }
    }

    /// Where one leads after which nobody is asked again: to the owner where more could be done, else nowhere.
    fn without_another_asking(self) -> TransitionTarget {
        match self {
            StepOutcome::Failed
            | StepOutcome::Refused
            | StepOutcome::Dismissed
            | StepOutcome::Expired
            | StepOutcome::Cancelled
            | StepOutcome::Unknown => TransitionTarget::Stop,
            StepOutcome::Proceed
            | StepOutcome::Retry
            | StepOutcome::Escalate
            | StepOutcome::Completed
            | StepOutcome::Partial
            | StepOutcome::Done => TransitionTarget::Ask,
        }
    }
}

impl fmt::Display for StepOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where an outcome leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum TransitionTarget {
    /// To a step.
    Step(String),
    /// The run is over, and well.
    End,
    /// The run stops, and can be resumed.
    Stop,
    /// The same step once more, while its iterations last.
    Again,
    /// The owner is asked.
    Ask,
}

impl From<String> for TransitionTarget {
    fn from(text: String) -> Self {
        match text.as_str() {
            "end" => TransitionTarget::End,
            "stop" => TransitionTarget::Stop,
            "again" => TransitionTarget::Again,
            "ask" => TransitionTarget::Ask,
            _ => TransitionTarget::Step(text),
        }
    }
}

impl From<TransitionTarget> for String {
    fn from(target: TransitionTarget) -> Self {
        target.to_string()
    }
}

impl fmt::Display for TransitionTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            TransitionTarget::Step(name) => name,
            TransitionTarget::End => "end",
            TransitionTarget::Stop => "stop",
            TransitionTarget::Again => "again",
            TransitionTarget::Ask => "ask",
        })
    }
}
