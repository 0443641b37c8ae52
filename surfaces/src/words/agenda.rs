//! What is said on the agenda.
//!
//! What: headings, links and sentences of a day, a week and a month. Why: one place, ready for another language. Not here: figures and order
//! (`render::section::agenda`).

use crate::{
    format,
    render::section::day_load::{DayLoad, DayWeight},
};
use toolcall_schema::catalogue::calendar::{TaskFormat, TaskPriority};

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

/// A task without a title.
pub const UNTITLED_TASK: &str = "A task without a title";
/// Beside a task: it is to be done that day, was to be done before, or is done.
pub const TASK_DUE: &str = "due";
pub const TASK_OVERDUE: &str = "overdue";
pub const TASK_DONE: &str = "done";
/// Another one follows it.
pub const TASK_REPEATS: &str = "repeats";
/// Where tasks are ticked off.
pub const TASKS_ELSEWHERE: &str = "Tick a task off in the program it comes from; I only read them.";
/// More tasks than are listed.
pub const TASKS_MORE: &str = "There are more tasks than I list here.";
/// Heading of the brief's page: what is due.
pub const TASKS_OF_TODAY: &str = "To do today";

/// Tasks that are due and not named.
pub fn tasks_more(count: usize) -> String {
    format!("These and {count} more, which stand on the agenda.")
}

/// Tasks without a date.
pub fn some_time(count: usize) -> String {
    format!("Some time ({count})")
}

/// Which program a task is from.
pub fn task_source(format: TaskFormat) -> &'static str {
    match format {
        TaskFormat::Icalendar => "calendar",
        TaskFormat::TodoTxt => "todo.txt",
        TaskFormat::Taskwarrior => "Taskwarrior",
    }
}

/// How a task ranks, where that is worth a word.
pub fn task_priority(priority: TaskPriority) -> Option<&'static str> {
    match priority {
        TaskPriority::High => Some("important"),
        TaskPriority::Medium | TaskPriority::Low => None,
    }
}

/// It was due before today.
pub fn task_late(day: &str) -> String {
    format!("was due {day}")
}

/// How many tasks a day has; empty without one.
pub fn tasks_of_day((open, done): (usize, usize)) -> String {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    match (open, done) {
        (0, 0) => String::new(),
        (open, 0) => format::count(count(open), "task", "tasks"),
        (0, done) => format!("{} done", format::count(count(done), "task", "tasks")),
        (open, done) => format!("{}, {done} done", format::count(count(open), "task", "tasks")),
    }
}

/// What a day will be like, with what makes it so.
pub fn day_load(load: &DayLoad) -> String {
    let day = match load.weight() {
        DayWeight::Empty => return "Nothing planned.".to_owned(),
        DayWeight::Light => "A light day",
        DayWeight::Busy => "A busy day",
        DayWeight::Full => "A full day",
    };
    let some = |n: u32, one: &str, many: &str| (n > 0).then(|| format::count(n, one, many));
    let parts = [
        (load.event_min > 0).then(|| format!("{} of events", format::minutes(rounded(load.event_min)))),
        some(load.ways, "way", "ways"),
        some(load.due, "task due", "tasks due"),
        some(load.overdue, "overdue task", "overdue tasks"),
        some(load.clashing, "event that overlaps", "events that overlap"),
        (load.quiet_min > 0)
            .then(|| format!("{} in your quiet hours", format::minutes(rounded(load.quiet_min)))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return format!("{day}.");
    }
    format!("{day}: {}.", parts.join(", "))
}

/// From an hour on in quarters, as a person says it.
fn rounded(min: i64) -> i64 {
    if min < 60 { min } else { (min + 7) / 15 * 15 }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_said_with_what_makes_it_so() {
        let load = DayLoad::default();
        for (load, says) in [
            (load, "Nothing planned."),
            (
                DayLoad {
                    has_all_day: true,
                    ..load
                },
                "A light day.",
            ),
            (
                DayLoad {
                    event_min: 358,
                    way_min: 44,
                    ways: 2,
                    due: 3,
                    ..load
                },
                "A full day: 6 h of events, 2 ways, 3 tasks due.",
            ),
            (
                DayLoad {
                    event_min: 50,
                    overdue: 1,
                    clashing: 2,
                    quiet_min: 67,
                    ..load
                },
                "A busy day: 50 min of events, 1 overdue task, 2 events that overlap, 1 h in your quiet hours.",
            ),
            (DayLoad { due: 1, ..load }, "A light day: 1 task due."),
        ] {
            assert_eq!(day_load(&load), says);
        }
        for (counts, says) in [
            ((0, 0), ""),
            ((1, 0), "1 task"),
            ((0, 2), "2 tasks done"),
            ((3, 1), "3 tasks, 1 done"),
        ] {
            assert_eq!(tasks_of_day(counts), says);
        }
    }
}
