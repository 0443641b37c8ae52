//! What is said of forgetting.
//!
//! What: the form, what would go, and what came of it. Not here: what is kept (`memory`).

use crate::backend::forgetting::{ForgetChoice, RemovedBySort};

/// Heading of the block.
pub const FORGET: &str = "Forget";
/// What it does and does not do.
pub const FORGET_SAYS: &str = "I show first what would go. Your own files (mail, calendars, statements) stay as they are, and so do copies and backups that you made.";
/// The field of the day.
pub const FORGET_DAY: &str = "A day";
/// Counts what would go.
pub const FORGET_LOOK: &str = "Show what would go";
/// The same for all there is.
pub const FORGET_LOOK_ALL: &str = "Show everything that would go";
/// Begins it.
pub const FORGET_IT: &str = "Forget it";
/// Calls it off.
pub const FORGET_UNDO: &str = "Undo";
/// It has not begun.
pub const FORGET_WAITS: &str = "In ten seconds it is gone for good.";
/// It has begun.
pub const FORGET_GOES: &str = "I am forgetting it now.";
/// It was called off.
pub const FORGET_CALLED_OFF: &str = "Nothing was forgotten.";
/// There was nothing.
pub const FORGET_NOTHING: &str = "I keep nothing of that.";

/// What would go; `day` in words.
pub fn forget_would_go(what: ForgetChoice, day: &str) -> String {
    match what {
        ForgetChoice::Day(_) => format!("Of {day} this would go:"),
        ForgetChoice::Everything => "Of everything I remember this would go:".to_owned(),
    }
}

/// What went.
pub fn forget_gone(what: ForgetChoice, day: &str) -> String {
    match what {
        ForgetChoice::Day(_) => format!("{day} is forgotten. This went:"),
        ForgetChoice::Everything => "Everything is forgotten. This went:".to_owned(),
    }
}

/// It could not be done.
pub fn forget_failed(why: &str) -> String {
    format!("It was not forgotten: {why}.")
}

/// What goes, in words and numbers, in the order of what people have words for.
pub fn removed_sorts(removed: &RemovedBySort) -> Vec<String> {
    const SORTS: [(&str, &str, &str); 11] = [
        ("nodes", "thing I remember", "things I remember"),
        ("edges", "link between them", "links between them"),
        ("labels", "name you gave", "names you gave"),
        ("decisions", "decision", "decisions"),
        ("traces", "explanation of a decision", "explanations of decisions"),
        (
            "ledger rows",
            "entry in the count of interruptions",
            "entries in the count of interruptions",
        ),
        ("drafts", "draft", "drafts"),
        ("runs", "run of a workflow", "runs of workflows"),
        ("quarantine lines", "refused message", "refused messages"),
        ("events", "entry of the journal", "entries of the journal"),
        ("damaged stores", "damaged copy", "damaged copies"),
    ];
    let known = SORTS.iter().filter_map(|(sort, one, many)| {
        let count = *removed.get(*sort)?;
        Some(format!("{count} {}", if count == 1 { one } else { many }))
    });
    let named = |sort: &str| SORTS.iter().any(|(known, _, _)| *known == sort);
    let other = removed.iter().filter(|(sort, _)| !named(sort));
    known
        .chain(other.map(|(sort, count)| format!("{count} {sort}")))
        .collect()
}
