//! What is said of the brief's hour, and of today and tomorrow.
//!
//! What: when the brief comes and what stands against it, how many events a day has, and which clash. Why: one place, ready for another language. Not here:
//! which events there are (`render::section::two_days`), the brief itself (`render::section::brief`).

use crate::{backend::owner::BriefObstacle, format};

/// Heading of the brief's hour.
pub const BRIEF_WHEN: &str = "The next brief";
/// Before the first look of a day.
pub const BRIEF_NOT_LOOKED: &str = "I have not weighed anything today yet.";
/// Opens the form that changes it.
pub const BRIEF_CHANGE: &str = "Change the hour, or the quiet hours";
/// The way to the rules.
pub const YOUR_RULES: &str = "Your rules";
/// The way to the field of the quiet hours.
pub const CHANGE_QUIET: &str = "Change the quiet hours";
/// The way to the field of the interruptions a day.
pub const CHANGE_CEILING: &str = "Change how often I may interrupt you";
/// The way to the buttons of the pause.
pub const TO_PAUSE: &str = "End the pause";
/// Headings of the days.
pub const TODAY: &str = "Today";
pub const TOMORROW_DAY: &str = "Tomorrow";
/// Heading of the strip.
pub const TODAY_BY_HOURS: &str = "Today, hour by hour";
/// A day without an event.
pub const NO_EVENT_TODAY: &str = "Nothing in your calendar today.";
pub const NO_EVENT_TOMORROW: &str = "Nothing in your calendar tomorrow.";
/// An event that nobody names.
pub const ONE_EVENT: &str = "An event";
/// A stretch of time that the owner keeps to herself.
pub const FOCUS_BLOCK: &str = "Focus block";

/// When the brief comes.
pub fn brief_comes(at: &str) -> String {
    format!("The next brief may come from {at} on.")
}

/// Why it does not come at its hour.
pub fn brief_against(due: &str, against: &BriefObstacle) -> String {
    match against {
        BriefObstacle::Pause => format!("It is due at {due}, but you paused me for longer."),
        BriefObstacle::Rule(_) => format!("It is due at {due}, but a rule of yours forbids it then."),
        BriefObstacle::QuietHours => format!("It is due at {due}, but those are quiet hours."),
        BriefObstacle::NoInterruption => {
            format!("It is due at {due}, but you allow me no interruption a day.")
        }
    }
}

/// It comes later than it is due.
pub fn brief_comes_later(at: &str) -> String {
    format!("So it may come from {at} on.")
}

/// It does not come at all.
pub const BRIEF_NEVER: &str = "So no brief comes in the next days.";

/// How many events today has.
pub fn things_today(count: u32) -> String {
    format!("{} today.", things(count))
}

/// How many events tomorrow has, and which begins it.
pub fn things_tomorrow(count: u32, first: &str, at: &str) -> String {
    if count == 1 {
        format!("One thing tomorrow: {first} at {at}.")
    } else {
        format!("{} tomorrow. The first is {first} at {at}.", things(count))
    }
}

/// Two events overlap from then on.
pub fn they_clash(first: &str, second: &str, at: &str) -> String {
    format!("{first} and {second} clash at {at}.")
}

/// More pairs overlap than are named.
pub fn more_clash(more: u32) -> String {
    format!("{} more.", format::count(more, "pair clashes", "pairs clash"))
}

/// A number up to ten as a word.
fn things(count: u32) -> String {
    const WORDS: [&str; 11] = [
        "Nothing", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten",
    ];
    let many = if count == 1 { "thing" } else { "things" };
    match usize::try_from(count).ok().and_then(|n| WORDS.get(n)) {
        Some(_) if count == 0 => "Nothing".to_owned(),
        Some(word) => format!("{word} {many}"),
        None => format!("{count} {many}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_a_person_does() {
        for (count, says) in [
            (0, "Nothing today."),
            (1, "One thing today."),
            (7, "Seven things today."),
            (11, "11 things today."),
        ] {
            assert_eq!(things_today(count), says);
        }
        assert_eq!(
            things_tomorrow(1, "Standup", "09:00"),
            "One thing tomorrow: Standup at 09:00."
        );
        assert_eq!(
            things_tomorrow(3, "Standup", "09:00"),
            "Three things tomorrow. The first is Standup at 09:00."
        );
    }
}
