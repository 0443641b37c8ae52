//! What is said of runs of workflows.
//!
//! What: where a run stands, how often something was asked. Why: whoever waits for the owner says so. Not here: what a program said (`runs`).

use crate::backend::runs::RunStanding;
use crate::language::{Text, say, text};

/// Where a run of a workflow stands.
pub fn standing(standing: RunStanding) -> &'static str {
    match standing {
        RunStanding::Running => text("runs-standing-at-work"),
        RunStanding::Interrupted => text("runs-standing-interrupted"),
        RunStanding::Waiting => text("runs-standing-waits-for-you"),
        RunStanding::Stopped => text("runs-standing-stopped"),
        RunStanding::Completed => text("runs-standing-completed"),
        RunStanding::Expired => text("runs-standing-not-answered-in"),
        RunStanding::Cancelled => text("runs-standing-ended-by-you"),
        RunStanding::Undone => text("runs-standing-taken-back"),
    }
}

/// Where a run stands, and since when.
pub fn standing_since(standing: RunStanding, at: &str) -> String {
    say!("runs-standing-since", standing = self::standing(standing), at)
}

/// An agent of a workflow, and how often it was asked.
pub fn asked_times(agent: &str, count: u16) -> String {
    match count {
        1 => say!("runs-asked-once", agent),
        2 => say!("runs-asked-twice", agent),
        more => say!("runs-asked-times", agent, more),
    }
}

/// The title of the list.
pub const WORKFLOWS_TITLE: Text = Text("runs-workflows-title");
/// The title of one.
pub const WORKFLOW_TITLE: Text = Text("runs-workflow-title");
/// The heading of open questions.
pub const INBOX: Text = Text("runs-inbox");
/// There is none.
pub const NOBODY_ASKS: Text = Text("runs-nobody-asks");
/// The heading of runs.
pub const WORKFLOWS: Text = Text("runs-workflows");
/// There is none.
pub const NO_RUN: Text = Text("runs-no-run");
/// A step without an answer.
pub const IS_ASKED: Text = Text("runs-is-asked");
/// The heading of written files.
pub const WRITTEN: Text = Text("runs-written");
/// Behind the name of a workflow.
pub const ASKS_YOU: Text = Text("runs-asks-you");
/// Before the end of a question's time.
pub const YOUR_ANSWER: Text = Text("runs-your-answer");
/// The button.
pub const ANSWER: Text = Text("runs-answer");
/// Puts the announcement away.
pub const NOT_NOW: Text = Text("runs-not-now");

/// How a run goes on.
pub fn how_to_resume(run: &str) -> String {
    say!("runs-how-to-resume", run)
}

/// How to look at what was written, and how to take it back.
pub fn diff_or_undo(run: &str) -> String {
    say!("runs-diff-or-undo", run)
}

/// Since when, under which id.
pub fn begun(at: &str, run: &str) -> String {
    say!("runs-begun", at, run)
}
