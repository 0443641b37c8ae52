//! What is said of refused calls.
//!
//! What: titles and counts. Why: the operator reads what was kept. Not here: what was refused (`backend`).

/// Where it was wrong.
pub const PLACE: &str = "Place";

/// In which decision it was refused.
pub const OF_DECISION: &str = "Decision";

/// What the empty pointer means.
pub const WHOLE_DOCUMENT: &str = "the whole of it";

/// How many are shown.
pub fn refused_count(more: bool, count: usize) -> String {
    match (more, count) {
        (_, 0) => "Nothing was refused.".to_owned(),
        (false, 1) => "One, and nothing came of it.".to_owned(),
        (false, count) => format!("{count}, newest first. Nothing came of them."),
        (true, count) => format!("The newest {count}. Nothing came of them."),
    }
}

/// What unfolds to show the kept bytes.
pub fn refused_bytes(bytes: u64, base64: bool) -> String {
    let how = if base64 { ", no text, shown as base64" } else { "" };
    format!("{bytes} bytes{how}")
}
