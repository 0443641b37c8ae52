//! What is said before a meeting.
//!
//! What: sentences of the card and of the page about an event. Why: one place, ready for another language. Not here: figures and order
//! (`render::section::meeting`).

use crate::language::{Text, say};

/// Title of the page: the browser keeps it, so it names nothing.
pub const MEETING: Text = Text("meeting-meeting");
/// An event without a title, within a sentence.
pub const THIS_EVENT: Text = Text("meeting-this-event");
/// What stands beside the hour on a card.
pub const IT_STARTS: Text = Text("meeting-it-starts");
/// Heading of who is there.
pub const MEETING_PEOPLE: Text = Text("meeting-meeting-people");
/// Begins the list of who is there.
pub const MEETING_WITH: Text = Text("meeting-meeting-with");
/// Nobody else is invited.
pub const MEETING_ALONE: Text = Text("meeting-meeting-alone");
/// Nothing of theirs waits.
pub const MEETING_NOTHING_WAITS: Text = Text("meeting-meeting-nothing-waits");
/// Heading of their messages.
pub const MEETING_WAITS: Text = Text("meeting-meeting-waits");
/// Heading of place and way.
pub const MEETING_WHERE: Text = Text("meeting-meeting-where");
/// The event names no place.
pub const MEETING_NO_PLACE: Text = Text("meeting-meeting-no-place");
/// Names are gone after a restart.
pub const MEETING_NAMES_GONE: Text = Text("meeting-meeting-names-gone");
/// There is no such event.
pub const EVENT_GONE: Text = Text("meeting-event-gone");
/// Why that may be.
pub const EVENT_GONE_SAYS: Text = Text("meeting-event-gone-says");
/// It was called off.
pub const CANCELLED_TITLE: Text = Text("meeting-cancelled-title");
/// And what follows from that.
pub const CANCELLED_SAYS: Text = Text("meeting-cancelled-says");
/// The way to its day.
pub const CANCELLED_DAY: Text = Text("meeting-cancelled-day");
/// The way to the switch.
pub const MEETING_SWITCH: Text = Text("meeting-meeting-switch");
pub const MEETING_SWITCHED_ON: Text = Text("meeting-meeting-switched-on");

/// The watch's line and the notification: no name.
pub fn meeting_at(at: &str) -> String {
    say!("meeting-meeting-at", at)
}

/// How many others there are.
pub fn meeting_others(others: u32) -> String {
    say!(
        "meeting-meeting-others-with",
        count = say!("meeting-count-others", count = others)
    )
}

/// Those that are not named.
pub fn meeting_more(more: u32) -> String {
    say!("meeting-meeting-more", more)
}

/// From when to when.
pub fn from_to(from: &str, to: &str) -> String {
    say!("meeting-from-to", from, to)
}

/// How long the way is, and when to leave where that lies ahead.
pub fn meeting_way(travel: &str, leave_by: Option<&str>) -> String {
    match leave_by {
        Some(at) => say!("meeting-meeting-way-to-get-there", travel, at),
        None => say!("meeting-meeting-way-to-get-there-2", travel),
    }
}
