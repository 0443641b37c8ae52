//! What is said of forgetting.
//!
//! What: the form, what would go, and what came of it. Not here: what is kept (`memory`).

use crate::{
    backend::{
        forgetting::{ForgetChoice, RemovedBySort},
        memory::KeptKind,
    },
    format,
};
use toolcall_schema::{catalogue::shared::ThingId, forget::MeasuredKind};

/// Heading of the block.
pub const FORGET: &str = "Forget";
/// What it does and does not do.
pub const FORGET_SAYS: &str = "I show first what would go. Your own files (mail, calendars, statements) stay as they are, and so do copies and backups that you made.";
/// The field of the day.
pub const FORGET_DAY: &str = "A day";
/// The field of the kind.
pub const FORGET_KIND: &str = "Everything of one kind";
/// Counts what of it would go.
pub const FORGET_LOOK_KIND: &str = "Show what of it would go";
/// Counts what would go.
pub const FORGET_LOOK: &str = "Show what would go";
/// The same for all there is.
pub const FORGET_LOOK_ALL: &str = "Show everything that would go";
/// Begins it.
pub const FORGET_IT: &str = "Forget all of this";
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

/// What would go; `name`: of the day, or of somebody or something, where it is known.
pub fn forget_would_go(what: &ForgetChoice, name: &str) -> String {
    match what {
        ForgetChoice::Day(_) => format!("Of {name} this would go:"),
        ForgetChoice::Thing(_) => format!("With {name} this would go:"),
        ForgetChoice::Kind(kind) => format!("With all {} this would go:", kept_kind_inside(*kind)),
        ForgetChoice::Measured(kind) => format!("With {} this would go:", measured_kind_inside(*kind)),
        ForgetChoice::Everything => "Of everything I remember this would go:".to_owned(),
    }
}

/// What went. A name that went is not said any more.
pub fn forget_gone(what: &ForgetChoice) -> String {
    match what {
        ForgetChoice::Day(day) => format!("{} is forgotten. This went:", format::date(*day)),
        ForgetChoice::Thing(thing) => {
            let mut says = thing_without_name(thing).to_owned();
            if let Some(first) = says.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            format!("{says} is forgotten. This went:")
        }
        ForgetChoice::Kind(kind) => format!("All {} are forgotten. This went:", kept_kind_inside(*kind)),
        ForgetChoice::Measured(kind) => {
            format!("I have forgotten {}. This went:", measured_kind_inside(*kind))
        }
        ForgetChoice::Everything => "Everything is forgotten. This went:".to_owned(),
    }
}

/// A kind of what is remembered, as a heading.
pub fn kept_kind(kind: KeptKind) -> &'static str {
    match kind {
        KeptKind::People => "People",
        KeptKind::Chats => "Chats",
        KeptKind::Shops => "Shops",
        KeptKind::Payments => "Payments",
        KeptKind::Events => "Calendar",
    }
}

/// The same within a sentence.
fn kept_kind_inside(kind: KeptKind) -> &'static str {
    match kind {
        KeptKind::People => "people",
        KeptKind::Chats => "chats",
        KeptKind::Shops => "shops",
        KeptKind::Payments => "payments",
        KeptKind::Events => "events of the calendar",
    }
}

/// A kind of what was measured, as a choice.
pub fn measured_kind(kind: MeasuredKind) -> &'static str {
    match kind {
        MeasuredKind::HeartRateVariability => "Heart rate variability",
        MeasuredKind::Sleep => "Sleep",
        MeasuredKind::PhoneUse => "Use of the phone (typing, switching, screen)",
        MeasuredKind::Load => "How stressed I thought you were",
    }
}

/// The same within a sentence.
fn measured_kind_inside(kind: MeasuredKind) -> &'static str {
    match kind {
        MeasuredKind::HeartRateVariability => "all heart rate variability",
        MeasuredKind::Sleep => "all sleep",
        MeasuredKind::PhoneUse => "all use of the phone",
        MeasuredKind::Load => "all I thought of your stress",
    }
}

/// Something that nobody can name now.
pub fn thing_without_name(thing: &ThingId) -> &'static str {
    match thing {
        ThingId::Person(_) => "this person",
        ThingId::Channel(_) => "this chat",
        ThingId::Merchant(_) => "this shop",
        ThingId::Txn(_) => "this payment",
        ThingId::Event(_) => "this event",
        ThingId::Item(_) => "this message",
    }
}

/// It could not be done.
pub fn forget_failed(why: &str) -> String {
    format!("It was not forgotten: {why}.")
}

/// What goes, in words and numbers, in the order of what people have words for.
pub fn removed_sorts(removed: &RemovedBySort) -> Vec<String> {
    const SORTS: [(&str, &str, &str); 13] = [
        ("nodes", "thing I remember", "things I remember"),
        (
            "measurements",
            "measurement beside others of its day",
            "measurements beside others of their day",
        ),
        (
            "agents' notes",
            "note of the newest values and of what is usual for you",
            "notes of the newest values and of what is usual for you",
        ),
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
