//! What is said of the brief's hour, and of today and tomorrow.
//!
//! What: when the brief comes and what stands against it, how many events a day has, and which clash. Why: one place, ready for another language. Not here:
//! which events there are (`render::section::two_days`), the brief itself (`render::section::brief`).

use crate::backend::owner::BriefObstacle;
use crate::language::{Text, say, text};

/// Heading of the brief's hour.
pub const BRIEF_WHEN: Text = Text("two-days-brief-when");
/// Before the first look of a day.
pub const BRIEF_NOT_LOOKED: Text = Text("two-days-brief-not-looked");
/// After a look at which no agent knew anything for it.
pub const BRIEF_NOTHING_KNOWN: Text = Text("two-days-brief-nothing-known");
/// Opens the form that changes it.
pub const BRIEF_CHANGE: Text = Text("two-days-brief-change");
/// The way to the field of its hour.
pub const CHANGE_BRIEF_HOUR: Text = Text("brief-hour-change");
/// The way to the rules.
pub const YOUR_RULES: Text = Text("two-days-your-rules");
/// The way to the field of the quiet hours.
pub const CHANGE_QUIET: Text = Text("two-days-change-quiet");
/// The way to the field of the interruptions a day.
pub const CHANGE_CEILING: Text = Text("two-days-change-ceiling");
/// The way to the buttons of the pause.
pub const TO_PAUSE: Text = Text("two-days-to-pause");
/// Headings of the days.
pub const TODAY: Text = Text("two-days-today");
pub const TOMORROW_DAY: Text = Text("two-days-tomorrow-day");
/// Heading of the strip.
/// Above what was said or done on that day.
pub const PICTURE_SPOKE: Text = Text("picture-day-spoke");
pub const TODAY_BY_HOURS: Text = Text("two-days-today-by-hours");
/// A day without an event.
pub const NO_EVENT_TODAY: Text = Text("two-days-no-event-today");
pub const NO_EVENT_TOMORROW: Text = Text("two-days-no-event-tomorrow");
/// A stretch of time that the owner keeps to herself.
pub const FOCUS_BLOCK: Text = Text("two-days-focus-block");

/// When the brief comes.
pub fn brief_comes(at: &str) -> String {
    say!("two-days-brief-comes", at)
}

/// Why it does not come at its hour.
pub fn brief_against(due: &str, against: &BriefObstacle) -> String {
    match against {
        BriefObstacle::Pause => say!("two-days-brief-against-it-is-due", due),
        BriefObstacle::Rule(_) => say!("two-days-brief-against-it-is-due-2", due),
        BriefObstacle::QuietHours => say!("two-days-brief-against-it-is-due-3", due),
        BriefObstacle::NoInterruption => {
            say!("two-days-brief-against-it-is-due-4", due)
        }
    }
}

/// It comes later than it is due.
pub fn brief_comes_later(at: &str) -> String {
    say!("two-days-brief-comes-later", at)
}

/// It does not come at all.
pub const BRIEF_NEVER: Text = Text("two-days-brief-never");

/// How many events today has.
pub fn things_today(count: u32) -> String {
    say!("two-days-things-today", things = things(count))
}

/// How many events tomorrow has, and which begins it; `None`: one without a title.
pub fn things_tomorrow(count: u32, first: Option<&str>, at: &str) -> String {
    let things = things(count);
    match (count, first) {
        (1, Some(first)) => say!("two-days-things-tomorrow-one-thing-tomorrow", first, at),
        (1, None) => say!("two-days-things-tomorrow-one-at", at),
        (_, Some(first)) => say!("two-days-things-tomorrow-tomorrow-the-first", things, first, at),
        (_, None) => say!("two-days-things-tomorrow-the-first-at", things, at),
    }
}

/// How many events tomorrow has, where all of them last all day.
pub fn all_day_tomorrow(count: u32) -> String {
    say!("brief-hour-all-day-tomorrow", things = things(count))
}

/// Two events overlap from then on.
pub fn they_clash(first: &str, second: &str, at: &str) -> String {
    say!("two-days-they-clash", first, second, at)
}

/// More pairs overlap than are named.
pub fn more_clash(more: u32) -> String {
    say!("two-days-more-clash-more", count = more)
}

/// A number up to ten as a word.
fn things(count: u32) -> String {
    const WORDS: [Text; 11] = [
        Text("two-days-words-nothing"),
        Text("two-days-words-one"),
        Text("two-days-words-two"),
        Text("two-days-words-three"),
        Text("two-days-words-four"),
        Text("two-days-words-five"),
        Text("two-days-words-six"),
        Text("two-days-words-seven"),
        Text("two-days-words-eight"),
        Text("two-days-words-nine"),
        Text("two-days-words-ten"),
    ];
    match usize::try_from(count).ok().and_then(|n| WORDS.get(n)) {
        Some(_) if count == 0 => text("two-days-things-nothing").to_owned(),
        Some(word) if count == 1 => say!("two-days-things-one", word),
        Some(word) => say!("two-days-things-many", word),
        None => say!("two-days-things-many", word = count),
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
        for (count, first, says) in [
            (1, Some("Standup"), "One thing tomorrow: Standup at 09:00."),
            (1, None, "One thing tomorrow, at 09:00."),
            (
                3,
                Some("Standup"),
                "Three things tomorrow. The first is Standup at 09:00.",
            ),
            (3, None, "Three things tomorrow. The first is at 09:00."),
        ] {
            assert_eq!(things_tomorrow(count, first, "09:00"), says);
        }
    }
}
