//! What is said on the agenda.
//!
//! What: headings, links and sentences of a day, a week and a month. Why: one place, ready for another language. Not here: figures and order
//! (`render::section::agenda`).

use crate::format;

/// Title, and where it is linked.
pub const AGENDA: &str = "Agenda";
/// An event without a title.
pub const UNTITLED_EVENT: &str = "An event without a title";
/// What lasts whole days.
pub const ON_WHOLE_DAYS: &str = "all day";
/// Nothing stands on that day.
pub const AGENDA_EMPTY: &str = "Nothing.";
/// Calendar has read nothing, or does not answer.
pub const AGENDA_NOT_READ: &str =
    "I cannot read your calendar now. Either I have none, or it is busy: look again in a moment.";
/// Where a calendar is named.
pub const AGENDA_SOURCES: &str = "Your sources";
/// More events than are listed.
pub const AGENDA_MORE: &str = "There are more events than I list here. Look at fewer days.";
/// It overlaps another one.
pub const CLASHES: &str = "overlaps another";
/// The owner has not answered the invitation.
pub const NOT_ANSWERED: &str = "not answered yet";
/// It is not certain.
pub const TENTATIVE: &str = "not certain";
/// Its zone is not known.
pub const ZONE_UNKNOWN: &str = "its time zone is unknown";
/// A free time of the owner's working hours.
pub const FREE: &str = "Free";
/// Where the day is now.
pub const IT_IS_NOW: &str = "Now";
/// The next morning brief.
pub const BRIEF_COMES: &str = "Your morning brief";

/// When to leave, for what.
pub fn leave_for(what: &str) -> String {
    format!("Leave for {what}")
}

/// How many others are there.
pub fn with_others(others: u32) -> String {
    format!("with {}", format::count(others, "other", "others"))
}

/// How many events a day has, for whoever cannot see the dots.
pub fn events_of_day(count: usize) -> String {
    format::count(u32::try_from(count).unwrap_or(u32::MAX), "event", "events")
}

/// What one looks at in a month's table.
pub fn agenda_month(month: &str) -> String {
    format!("Events of {month}")
}
