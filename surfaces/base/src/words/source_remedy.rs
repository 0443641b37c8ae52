//! What is said where a source is stopped, or something of it could not be read.
//!
//! What: the links of remedies, and what goes with a source that is not read any more. Not here: what could not be read (`docs/errors`), how forgetting is
//! said (`forgetting`).

use crate::language::{Text, say};

/// To the list of what is read.
pub const REMEDY_SOURCES: Text = Text("source-remedy-remedy-sources");
/// To the page on which files are chosen.
pub const REMEDY_FILE: Text = Text("source-remedy-remedy-file");
/// To the questions about a statement.
pub const REMEDY_STATEMENT: Text = Text("source-remedy-remedy-statement");
/// To senders that are not counted yet.
pub const REMEDY_SENDER: Text = Text("source-remedy-remedy-sender");
/// To messages whose amount is to be tapped.
pub const REMEDY_MESSAGE: Text = Text("source-remedy-remedy-message");
/// To reading all of it anew.
pub const REMEDY_AGAIN: Text = Text("source-remedy-remedy-again");
/// To what the phone's app is told.
pub const REMEDY_PHONE: Text = Text("source-remedy-remedy-phone");

/// What is read cannot be written down.
pub const READ_DISK_FULL: Text = Text("source-remedy-read-disk-full");

/// Above what could be forgotten with a source.
pub const STOP_COUNTS: Text = Text("source-remedy-stop-counts");

/// How much of a kind was read since the start.
pub fn stop_read(items: u64) -> String {
    say!("source-remedy-stop-read", items)
}

/// Counts what would be forgotten.
pub fn stop_show(kind: &str) -> String {
    say!("source-remedy-stop-show", kind)
}
