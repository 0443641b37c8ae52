//! What is said where a source is stopped, or something of it could not be read.
//!
//! What: the links of remedies, and what goes with a source that is not read any more. Not here: what could not be read (`docs/errors`), how forgetting is
//! said (`forgetting`).

use crate::format;

/// To the list of what is read.
pub const REMEDY_SOURCES: &str = "See what I read.";
/// To the page on which files are chosen.
pub const REMEDY_FILE: &str = "Choose another file.";
/// To the questions about a statement.
pub const REMEDY_STATEMENT: &str = "Answer what the statement leaves open.";
/// To senders that are not counted yet.
pub const REMEDY_SENDER: &str = "Say whether this sender counts.";
/// To messages whose amount is to be tapped.
pub const REMEDY_MESSAGE: &str = "Show me what was paid.";
/// To reading all of it anew.
pub const REMEDY_AGAIN: &str = "Read everything once more.";
/// To what the phone's app is told.
pub const REMEDY_PHONE: &str = "See how your phone sends it.";

/// What is read cannot be written down.
pub const READ_DISK_FULL: &str = "I cannot keep what I read: this computer's disk is full. Make room on it, and I go on by myself; nothing is lost.";

/// Above what could be forgotten with a source.
pub const STOP_COUNTS: &str = "Of its kind I remember, from this source and others:";

/// How much of a kind was read since the start.
pub fn stop_read(items: u64) -> String {
    let items = u32::try_from(items).unwrap_or(u32::MAX);
    match items {
        0 => "I have read nothing of its kind since I started.".to_owned(),
        1 => "I have read one thing of its kind since I started.".to_owned(),
        many => format!(
            "I have read {} things of its kind since I started.",
            format::number(f64::from(many))
        ),
    }
}

/// Counts what would be forgotten.
pub fn stop_show(kind: &str) -> String {
    format!("Show what would be forgotten: {kind}")
}
