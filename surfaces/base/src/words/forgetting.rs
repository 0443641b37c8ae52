//! What is said of forgetting.
//!
//! What: the form, what would go, and what came of it. Not here: what is kept (`memory`).

use crate::language::{Text, say, text};
use crate::{
    backend::{
        forgetting::{ForgetChoice, RemovedBySort},
        memory::KeptKind,
    },
    format,
};
use toolcall_schema::{catalogue::shared::ThingId, forget::MeasuredKind};

/// Heading of the block.
pub const FORGET: Text = Text("forgetting-forget");
/// What it does and does not do.
pub const FORGET_SAYS: Text = Text("forgetting-forget-says");
/// The field of the day.
pub const FORGET_DAY: Text = Text("forgetting-forget-day");
/// The field of the kind.
pub const FORGET_KIND: Text = Text("forgetting-forget-kind");
/// Counts what of it would go.
pub const FORGET_LOOK_KIND: Text = Text("forgetting-forget-look-kind");
/// Counts what would go.
pub const FORGET_LOOK: Text = Text("forgetting-forget-look");
/// The same for all there is.
pub const FORGET_LOOK_ALL: Text = Text("forgetting-forget-look-all");
/// Begins it.
pub const FORGET_IT: Text = Text("forgetting-forget-it");
/// Calls it off.
pub const FORGET_UNDO: Text = Text("forgetting-forget-undo");
/// It has not begun.
pub const FORGET_WAITS: Text = Text("forgetting-forget-waits");
/// The same while its seconds run, which are filled in.
pub const FORGET_WAITS_LEFT: Text = Text("forgetting-forget-waits-left");
/// It has begun.
pub const FORGET_GOES: Text = Text("forgetting-forget-goes");
/// It was called off.
pub const FORGET_CALLED_OFF: Text = Text("forgetting-forget-called-off");
/// There was nothing.
pub const FORGET_NOTHING: Text = Text("forgetting-forget-nothing");

/// Heading of what goes beside that.
pub const FORGET_ALSO: Text = Text("forgetting-forget-also");
/// That the agents no longer hold what they held of a person or a chat.
pub const FORGET_ALSO_GONE: Text = Text("forgetting-forget-also-gone");

/// What goes with a person or a chat and is no entry of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlsoForgotten {
    /// Of the last day.
    pub messages: u32,
    /// Those that wait for the owner's answer, also older ones.
    pub waiting: u32,
    /// Messages by which it was learned how they are answered.
    pub learned_of: u32,
    pub is_let_through: bool,
    /// Rules about them; a person's mute is one.
    pub rules: usize,
    /// Whether the chat is muted.
    pub is_muted: bool,
    /// How often the owner said that somebody is the same person.
    pub same_people: usize,
}

/// The same in words, what there is of it.
pub fn also_forgotten(also: &AlsoForgotten) -> Vec<String> {
    let AlsoForgotten {
        messages,
        waiting,
        learned_of,
        is_let_through,
        rules,
        is_muted,
        same_people,
    } = *also;
    let some = |is_there: bool, says: String| is_there.then_some(says);
    let parts = [
        some(messages > 0, say!("forgetting-also-messages", count = messages)),
        some(waiting > 0, say!("forgetting-also-waiting", waiting)),
        some(
            learned_of > 0,
            say!("forgetting-also-learned", count = learned_of),
        ),
        some(is_let_through, text("forgetting-also-let-through").to_owned()),
        some(rules > 0, say!("forgetting-also-rules", count = rules)),
        some(is_muted, text("forgetting-also-mute").to_owned()),
        some(same_people > 0, say!("forgetting-also-same", count = same_people)),
    ];
    parts.into_iter().flatten().collect()
}

/// How what would go stands to what the page about one lists.
pub fn forget_beside_known(name: &str, known: u64, all: u64) -> String {
    match all.saturating_sub(known) {
        0 => say!("forgetting-all-known", name),
        more => say!("forgetting-more-than-known", name, known, more),
    }
}
/// What would go; `name`: of the day, or of somebody or something, where it is known.
pub fn forget_would_go(what: &ForgetChoice, name: &str) -> String {
    match what {
        ForgetChoice::Day(_) => say!("forgetting-forget-would-go-of-this-would", name),
        ForgetChoice::Thing(_) => say!("forgetting-forget-would-go-with-this-would", name),
        ForgetChoice::Kind(kind) => say!(
            "forgetting-forget-would-go-with-all-this",
            kept_kind_inside = kept_kind_inside(*kind)
        ),
        ForgetChoice::Measured(kind) => say!(
            "forgetting-forget-would-go-with-this-would-2",
            measured_kind_inside = measured_kind_inside(*kind)
        ),
        ForgetChoice::Everything => text("forgetting-forget-would-go-of-everything-i").to_owned(),
    }
}

/// What is about to go, above the seconds that are left.
pub fn forget_waits_whom(what: &ForgetChoice, name: &str) -> String {
    let whom = match what {
        ForgetChoice::Day(_) | ForgetChoice::Thing(_) => name.to_owned(),
        ForgetChoice::Kind(kind) => kept_kind_inside(*kind).to_owned(),
        ForgetChoice::Measured(kind) => measured_kind_inside(*kind).to_owned(),
        ForgetChoice::Everything => text("forgetting-forget-waits-everything").to_owned(),
    };
    say!("forgetting-forget-waits-whom", whom)
}

/// What went. A name that went is not said any more.
pub fn forget_gone(what: &ForgetChoice) -> String {
    match what {
        ForgetChoice::Day(day) => say!(
            "forgetting-forget-gone-is-forgotten-this",
            date = format::date(*day)
        ),
        ForgetChoice::Thing(thing) => {
            let mut says = thing_without_name(thing).to_owned();
            if let Some(first) = says.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            say!("forgetting-forget-gone-is-forgotten-this-2", says)
        }
        ForgetChoice::Kind(kind) => say!(
            "forgetting-forget-gone-all-are-forgotten",
            kept_kind_inside = kept_kind_inside(*kind)
        ),
        ForgetChoice::Measured(kind) => {
            say!(
                "forgetting-forget-gone-i-have-forgotten",
                measured_kind_inside = measured_kind_inside(*kind)
            )
        }
        ForgetChoice::Everything => text("forgetting-forget-gone-everything-is-forgotten").to_owned(),
    }
}

/// A kind of what is remembered, as a heading.
pub fn kept_kind(kind: KeptKind) -> &'static str {
    match kind {
        KeptKind::People => text("forgetting-kept-kind-people"),
        KeptKind::Chats => text("forgetting-kept-kind-chats"),
        KeptKind::Shops => text("forgetting-kept-kind-shops"),
        KeptKind::Payments => text("forgetting-kept-kind-payments"),
        KeptKind::Events => text("forgetting-kept-kind-calendar"),
    }
}

/// The same within a sentence.
fn kept_kind_inside(kind: KeptKind) -> &'static str {
    match kind {
        KeptKind::People => text("forgetting-kept-kind-inside-people"),
        KeptKind::Chats => text("forgetting-kept-kind-inside-chats"),
        KeptKind::Shops => text("forgetting-kept-kind-inside-shops"),
        KeptKind::Payments => text("forgetting-kept-kind-inside-payments"),
        KeptKind::Events => text("forgetting-kept-kind-inside-events-of-the"),
    }
}

/// A kind of what was measured, as a choice.
pub fn measured_kind(kind: MeasuredKind) -> &'static str {
    match kind {
        MeasuredKind::HeartRateVariability => text("forgetting-measured-kind-heart-rate-variability"),
        MeasuredKind::RestingHeartRate => text("forgetting-measured-kind-resting-heart-rate"),
        MeasuredKind::Sleep => text("forgetting-measured-kind-sleep"),
        MeasuredKind::PhoneUse => text("forgetting-measured-kind-use-of-the"),
        MeasuredKind::Load => text("forgetting-measured-kind-how-stressed-i"),
    }
}

/// The same within a sentence.
fn measured_kind_inside(kind: MeasuredKind) -> &'static str {
    match kind {
        MeasuredKind::HeartRateVariability => text("forgetting-measured-kind-inside-all-heart-rate"),
        MeasuredKind::RestingHeartRate => text("forgetting-measured-kind-inside-all-resting"),
        MeasuredKind::Sleep => text("forgetting-measured-kind-inside-all-sleep"),
        MeasuredKind::PhoneUse => text("forgetting-measured-kind-inside-all-use-of"),
        MeasuredKind::Load => text("forgetting-measured-kind-inside-all-i-thought"),
    }
}

/// Something that nobody can name now.
pub fn thing_without_name(thing: &ThingId) -> &'static str {
    match thing {
        ThingId::Person(_) => text("forgetting-thing-without-name-this-person"),
        ThingId::Channel(_) => text("forgetting-thing-without-name-this-chat"),
        ThingId::Merchant(_) => text("forgetting-thing-without-name-this-shop"),
        ThingId::Txn(_) => text("forgetting-thing-without-name-this-payment"),
        ThingId::Event(_) => text("forgetting-thing-without-name-this-event"),
        ThingId::Item(_) => text("forgetting-thing-without-name-this-message"),
    }
}

/// It could not be done.
pub fn forget_failed(why: &str) -> String {
    say!("forgetting-forget-failed", why)
}

/// What goes, in words and numbers, in the order of what people have words for.
///
/// `of_sender`: of a person or a chat, whose page has words of its own for what it lists.
pub fn removed_sorts(removed: &RemovedBySort, of_sender: bool) -> Vec<String> {
    const KNOWN: [&str; 13] = [
        "nodes",
        "measurements",
        "agents' notes",
        "edges",
        "labels",
        "decisions",
        "traces",
        "ledger rows",
        "drafts",
        "runs",
        "quarantine lines",
        "events",
        "damaged stores",
    ];
    let known = KNOWN
        .iter()
        .filter_map(|sort| Some(removed_sort(sort, *removed.get(*sort)?, of_sender)));
    let other = removed.iter().filter(|(sort, _)| !KNOWN.contains(&sort.as_str()));
    known
        .chain(other.map(|(sort, count)| removed_sort(sort, *count, of_sender)))
        .collect()
}

fn removed_sort(sort: &str, count: u64, of_sender: bool) -> String {
    match sort {
        "nodes" if of_sender => say!("people-count-notes", count),
        "edges" if of_sender => say!("people-count-counts-of", count),
        "nodes" => say!("forgetting-removed-nodes", count),
        "measurements" => say!("forgetting-removed-measurements", count),
        "agents' notes" => say!("forgetting-removed-notes", count),
        "edges" => say!("forgetting-removed-edges", count),
        "labels" => say!("forgetting-removed-labels", count),
        "decisions" => say!("forgetting-removed-decisions", count),
        "traces" => say!("forgetting-removed-traces", count),
        "ledger rows" => say!("forgetting-removed-ledger-rows", count),
        "drafts" => say!("forgetting-removed-drafts", count),
        "runs" => say!("forgetting-removed-runs", count),
        "quarantine lines" => say!("forgetting-removed-quarantine-lines", count),
        "events" => say!("forgetting-removed-events", count),
        "damaged stores" => say!("forgetting-removed-damaged-stores", count),
        other => format!("{count} {other}"),
    }
}
