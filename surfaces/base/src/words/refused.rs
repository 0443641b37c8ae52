//! What is said of refused calls.
//!
//! What: titles and counts. Why: the operator reads what was kept. Not here: what was refused (`backend`).

use crate::language::{Text, say, text};

/// Where it was wrong.
pub const PLACE: Text = Text("refused-place");

/// In which decision it was refused.
pub const OF_DECISION: Text = Text("refused-of-decision");

/// What the empty pointer means.
pub const WHOLE_DOCUMENT: Text = Text("refused-whole-document");

/// How many are shown.
pub fn refused_count(more: bool, count: usize) -> String {
    match (more, count) {
        (_, 0) => text("refused-refused-count-nothing-was-refused").to_owned(),
        (false, 1) => text("refused-refused-count-one-and-nothing").to_owned(),
        (false, count) => say!("refused-refused-count-newest-first-nothing", count),
        (true, count) => say!("refused-refused-count-the-newest-nothing", count),
    }
}

/// What unfolds to show the kept bytes.
pub fn refused_bytes(bytes: u64, base64: bool) -> String {
    let how = if base64 {
        text("refused-refused-bytes-no-text-shown")
    } else {
        ""
    };
    say!("refused-refused-bytes-bytes", bytes, how)
}
