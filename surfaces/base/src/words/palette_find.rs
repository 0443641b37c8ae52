//! What is said of what the palette finds.
//!
//! What: what each sort of finding is, and when. Why: a name alone does not tell a person from an event. Not here: the palette's own pages and sentences
//! (`palette`).

use crate::language::{Text, say};
use chrono::IsoWeek;

/// Sorts of findings.
pub const FOUND_PERSON: Text = Text("palette-find-person");
pub const FOUND_CHAT: Text = Text("palette-find-chat");
/// Today, of something without an hour.
pub const FOUND_TODAY: Text = Text("palette-find-today");

/// A week by its number (ISO 8601) and the year that it belongs to.
pub fn found_week(week: IsoWeek) -> String {
    say!(
        "palette-find-week",
        number = week.week(),
        year = week.year().to_string()
    )
}

/// An event, and when it is.
pub fn found_event(when: &str) -> String {
    say!("palette-find-event", when)
}

/// An event that was called off, and when it would be.
pub fn found_cancelled(when: &str) -> String {
    say!("palette-find-cancelled", when)
}

/// A payment that comes again, and when it is expected.
pub fn found_due(sum: &str, day: &str) -> String {
    say!("palette-find-due", sum, day)
}

/// A payment, and when it was.
pub fn found_payment(sum: &str, day: &str) -> String {
    say!("palette-find-payment", sum, day)
}
