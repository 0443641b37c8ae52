//! What is said before a meeting.
//!
//! What: sentences of the card and of the page about an event. Why: one place, ready for another language. Not here: figures and order
//! (`render::section::meeting`).

use crate::format;

/// Title of the page: the browser keeps it, so it names nothing.
pub const MEETING: &str = "An event";
/// An event without a title.
pub const UNTITLED_MEETING: &str = "A meeting";
/// An event without a title, within a sentence.
pub const THIS_EVENT: &str = "this event";
/// What stands beside the hour on a card.
pub const IT_STARTS: &str = "it starts";
/// Heading of who is there.
pub const MEETING_PEOPLE: &str = "Who will be there";
/// Begins the list of who is there.
pub const MEETING_WITH: &str = "With";
/// Nobody else is invited.
pub const MEETING_ALONE: &str = "Nobody else is invited.";
/// Nothing of theirs waits.
pub const MEETING_NOTHING_WAITS: &str = "None of their messages waits for you.";
/// Heading of their messages.
pub const MEETING_WAITS: &str = "Waiting for your answer";
/// Heading of place and way.
pub const MEETING_WHERE: &str = "Where";
/// The event names no place.
pub const MEETING_NO_PLACE: &str = "The event names no place.";
/// Names are gone after a restart.
pub const MEETING_NAMES_GONE: &str =
    "It was sent to me before I was started anew, so I do not know their names any more.";
/// There is no such event.
pub const EVENT_GONE: &str = "I know no such event now";
/// Why that may be.
pub const EVENT_GONE_SAYS: &str = "It was moved away or called off, it is more than a hundred days away, you had it forgotten, or Calendar is busy. Look again in a moment.";
/// The way to the switch.
pub const MEETING_SWITCH: &str = "Show me this ten minutes before each meeting";

/// The watch's line and the notification: no name.
pub fn meeting_at(at: &str) -> String {
    format!("A meeting at {at}")
}

/// How many others there are.
pub fn meeting_others(others: u32) -> String {
    format!("With {}.", format::count(others, "other", "others"))
}

/// Those that are not named.
pub fn meeting_more(more: u32) -> String {
    format!("and {more} more")
}

/// From when to when.
pub fn from_to(from: &str, to: &str) -> String {
    format!("{from} to {to}")
}

/// How long the way is, and when to leave where that lies ahead.
pub fn meeting_way(travel: &str, leave_by: Option<&str>) -> String {
    match leave_by {
        Some(at) => format!("{travel} to get there. Leave by {at}."),
        None => format!("{travel} to get there."),
    }
}
