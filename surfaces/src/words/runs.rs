//! What is said of runs of workflows.
//!
//! What: where a run stands, how often something was asked. Why: whoever waits for the owner says so. Not here: what a program said (`runs`).

use crate::backend::runs::RunStanding;

/// Where a run of a workflow stands.
pub fn standing(standing: RunStanding) -> &'static str {
    match standing {
        RunStanding::Running => "at work",
        RunStanding::Interrupted => "interrupted",
        RunStanding::Waiting => "waits for you",
        RunStanding::Stopped => "stopped",
        RunStanding::Completed => "completed",
        RunStanding::Expired => "not answered in time",
        RunStanding::Cancelled => "ended by you",
        RunStanding::Undone => "taken back",
    }
}

/// How often, in words.
pub fn times(count: u16) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}

/// The title of the list.
pub const WORKFLOWS_TITLE: &str = "Aura: workflows";
/// The title of one.
pub const WORKFLOW_TITLE: &str = "Aura: a workflow";
/// The heading of open questions.
pub const INBOX: &str = "Inbox";
/// There is none.
pub const NOBODY_ASKS: &str = "Nobody asks you anything.";
/// The heading of runs.
pub const WORKFLOWS: &str = "Workflows";
/// There is none.
pub const NO_RUN: &str = "No run yet. A run is begun in a terminal, in a project that has workflows.";
/// A step without an answer.
pub const IS_ASKED: &str = "is asked";
/// The heading of written files.
pub const WRITTEN: &str = "Written";
/// Behind the name of a workflow.
pub const ASKS_YOU: &str = "asks you";
/// Before the end of a question's time.
pub const YOUR_ANSWER: &str = "Your answer, until";
/// The button.
pub const ANSWER: &str = "Answer";
/// Puts the announcement away.
pub const NOT_NOW: &str = "Not now";

/// How a run goes on.
pub fn how_to_resume(run: &str) -> String {
    format!("To go on, resume `{run}` in a terminal.")
}

/// How to look at what was written, and how to take it back.
pub fn diff_or_undo(run: &str) -> String {
    format!("What `{run}` wrote can be compared and taken back in a terminal.")
}

/// Since when, under which id.
pub fn begun(at: &str, run: &str) -> String {
    format!("Begun {at}, id `{run}`")
}
