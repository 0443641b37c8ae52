//! Runs of workflows, as the pages show them.
//!
//! What: plain values of a run, its steps and its question. Why: whoever waits for the owner must be seen, and what programs did must be
//! readable. Not here: what a run does next (`orchestrator-machine`), its journal (`aura-memory`).
//!
//! What a program said is text from outside: shown with its control characters made visible, never logged.

use serde::Serialize;
use std::fmt;
use toolcall_schema::{Timestamp, protocol::OwnerQuestion};

/// The most runs on the page, newest first.
pub const RUNS_MAX: usize = 50;

/// A run.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct RunView {
    /// Its id, a UUID.
    pub id: String,
    /// The workflow's name.
    pub workflow: String,
    /// What it works on.
    pub feature: String,
    /// When it began.
    pub started: Timestamp,
    /// When something happened last.
    pub changed: Timestamp,
    /// Its status.
    pub standing: RunStanding,
    /// What is asked of the owner.
    pub question: Option<OwnerQuestion>,
    /// Each step that was asked, in the order of the workflow.
    pub steps: Vec<StepView>,
    /// What was written, from the feature's folder.
    pub written: Vec<String>,
}

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStanding {
    /// A process works on it.
    Running,
    /// Nobody works on it, and it is not over: it can be resumed.
    Interrupted,
    /// The owner is asked.
    Waiting,
    /// It stopped at a step: it can be resumed.
    Stopped,
    /// It came to its end.
    Completed,
    /// Its question was not answered in time.
    Expired,
    /// The owner ended it.
    Cancelled,
    /// The owner took back what it wrote.
    Undone,
}

/// A step, as it was asked last.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct StepView {
    /// Its name.
    pub name: String,
    /// Who serves it.
    pub agent: String,
    /// Which asking, from 1.
    pub iteration: u16,
    /// How it came out, in the protocol's word; absent: not yet.
    pub outcome: Option<String>,
    /// What was said.
    pub summary: Option<String>,
    /// Why the answer was not taken: code and sentence.
    pub refusal: Option<(String, String)>,
}

/// Without what programs said.
impl fmt::Debug for RunView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunView")
            .field("id", &self.id)
            .field("standing", &self.standing)
            .finish_non_exhaustive()
    }
}

/// What the owner says to a question.
#[derive(Clone, PartialEq, Eq)]
pub enum QuestionReply {
    /// This, and the run goes on.
    Answer(String),
    /// Not now: it is not announced any more, and stays open.
    Dismiss,
}

impl fmt::Debug for QuestionReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QuestionReply::Answer(_) => "Answer(..)",
            QuestionReply::Dismiss => "Dismiss",
        })
    }
}

/// The question does not exist or is no longer open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoOpenQuestion;
