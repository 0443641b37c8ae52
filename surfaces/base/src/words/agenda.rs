//! What is said on the agenda.
//!
//! What: headings, links and sentences of a day, a week and a month. Why: one place, ready for another language. Not here: figures and order
//! (`render::section::agenda`).

use crate::language::{Text, say, text};
use crate::{
    day_load::{DayLoad, DayWeight},
    format,
};
use toolcall_schema::catalogue::calendar::{TaskFormat, TaskPriority};

/// Title, and where it is linked.
pub const AGENDA: Text = Text("agenda-agenda");
/// An event without a title.
pub const UNTITLED_EVENT: Text = Text("agenda-untitled-event");
/// The same within a sentence.
pub const UNTITLED_WITHIN: Text = Text("agenda-untitled-within");
/// What lasts whole days.
pub const ON_WHOLE_DAYS: Text = Text("agenda-on-whole-days");
/// Nothing stands on that day.
pub const AGENDA_EMPTY: Text = Text("agenda-agenda-empty");
/// Calendar has read nothing, or does not answer.
pub const AGENDA_NOT_READ: Text = Text("agenda-agenda-not-read");
/// Where a calendar is named.
pub const AGENDA_SOURCES: Text = Text("agenda-agenda-sources");
/// More events than are listed.
pub const AGENDA_MORE: Text = Text("agenda-agenda-more");
/// It overlaps another one.
pub const CLASHES: Text = Text("agenda-clashes");
/// The owner has not answered the invitation.
pub const CANCELLED: Text = Text("agenda-cancelled");
pub const NOT_ANSWERED: Text = Text("agenda-not-answered");
/// It is not certain.
pub const TENTATIVE: Text = Text("agenda-tentative");
/// Its zone is not known.
pub const ZONE_UNKNOWN: Text = Text("agenda-zone-unknown");
/// The way to the field of the working hours.
pub const CHANGE_WORKING_HOURS: Text = Text("agenda-change-hours");
/// A free time of the owner's working hours.
pub const FREE: Text = Text("agenda-free");
/// Where the day is now.
pub const IT_IS_NOW: Text = Text("agenda-it-is-now");
/// The next morning brief.
pub const BRIEF_COMES: Text = Text("agenda-brief-comes");

/// A task without a title.
pub const UNTITLED_TASK: Text = Text("agenda-untitled-task");
/// Beside a task: it is to be done that day, was to be done before, or is done.
pub const TASK_DUE: Text = Text("agenda-task-due");
pub const TASK_OVERDUE: Text = Text("agenda-task-overdue");
pub const TASK_DONE: Text = Text("agenda-task-done");
/// Another one follows it.
pub const TASK_REPEATS: Text = Text("agenda-task-repeats");
/// Where tasks are ticked off.
pub const TASKS_ELSEWHERE: Text = Text("agenda-tasks-elsewhere");
/// More tasks than are listed.
pub const TASKS_MORE: Text = Text("agenda-tasks-more");
/// Heading of the brief's page: what is due.
pub const TASKS_OF_TODAY: Text = Text("agenda-tasks-of-today");

/// Tasks that are due and not named.
pub fn tasks_more(count: usize) -> String {
    say!("agenda-tasks-more-2", count)
}

/// Tasks without a date.
pub fn some_time(count: usize) -> String {
    say!("agenda-some-time", count)
}

/// Which program a task is from.
pub fn task_source(format: TaskFormat) -> &'static str {
    match format {
        TaskFormat::Icalendar => text("agenda-task-source-calendar"),
        TaskFormat::TodoTxt => text("agenda-task-source-todo-txt"),
        TaskFormat::Taskwarrior => text("agenda-task-source-taskwarrior"),
    }
}

/// How a task ranks, where that is worth a word.
pub fn task_priority(priority: TaskPriority) -> Option<&'static str> {
    match priority {
        TaskPriority::High => Some(text("agenda-task-important")),
        TaskPriority::Medium | TaskPriority::Low => None,
    }
}

/// It was due before today.
pub fn task_late(day: &str) -> String {
    say!("agenda-task-late", day)
}

/// How many tasks a day has; empty without one.
pub fn tasks_of_day((open, done): (usize, usize)) -> String {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    match (open, done) {
        (0, 0) => String::new(),
        (open, 0) => say!("agenda-count-tasks", count = count(open)),
        (0, done) => say!(
            "agenda-tasks-of-day-done",
            count = say!("agenda-count-tasks", count = count(done))
        ),
        (open, done) => say!(
            "agenda-tasks-of-day-done-2",
            count = say!("agenda-count-tasks", count = count(open)),
            done
        ),
    }
}

/// How often the same was held back.
pub fn held_back_times(count: usize) -> String {
    say!("agenda-held-back-times", count)
}

/// What a day will be like, with what makes it so.
pub fn day_load(load: &DayLoad) -> String {
    let (day, parts) = day_load_parts(load);
    if parts.is_empty() {
        return format!("{day}.");
    }
    format!("{day}: {parts}.")
}

/// How full a day is, and what it consists of.
pub fn day_load_parts(load: &DayLoad) -> (&'static str, String) {
    let day = match load.weight() {
        DayWeight::Empty => text("agenda-day-load-nothing-planned"),
        DayWeight::Light => text("agenda-day-load-a-light-day"),
        DayWeight::Busy => text("agenda-day-load-a-busy-day"),
        DayWeight::Full => text("agenda-day-load-a-full-day"),
    };
    let parts = [
        (load.event_min > 0).then(|| {
            say!(
                "agenda-day-load-of-events",
                minutes = format::minutes(rounded(load.event_min))
            )
        }),
        (load.ways > 0).then(|| say!("agenda-day-load-ways", count = load.ways)),
        (load.due > 0).then(|| say!("agenda-day-load-tasks-due", count = load.due)),
        (load.overdue > 0).then(|| say!("agenda-day-load-overdue-tasks", count = load.overdue)),
        (load.clashing > 0).then(|| say!("agenda-day-load-events-that-overlap", count = load.clashing)),
        (load.quiet_min > 0).then(|| {
            say!(
                "agenda-day-load-in-your-quiet",
                minutes = format::minutes(rounded(load.quiet_min))
            )
        }),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (day, parts.join(", "))
}

/// From an hour on in quarters, as a person says it.
fn rounded(min: i64) -> i64 {
    if min < 60 { min } else { (min + 7) / 15 * 15 }
}

/// When to leave, for what.
pub fn leave_for(what: &str) -> String {
    say!("agenda-leave-for", what)
}

/// How many others are there.
pub fn with_others(others: u32) -> String {
    say!(
        "agenda-with-others-with",
        count = say!("agenda-count-others", count = others)
    )
}

/// How many events a day has, for whoever cannot see the dots.
pub fn events_of_day(count: usize) -> String {
    say!(
        "agenda-count-events",
        count = u32::try_from(count).unwrap_or(u32::MAX)
    )
}

/// What one looks at in a month's table.
pub fn agenda_month(month: &str) -> String {
    say!("agenda-agenda-month", month)
}

/// Within which hours free time is looked for. `hours`: the owner's working hours, where they are known.
pub fn free_within(hours: Option<&str>) -> String {
    match hours {
        Some(hours) => say!("agenda-free-within-hours", hours),
        None => text("agenda-free-within").to_owned(),
    }
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
                "A full day: 6 h of events, 2 journeys, 3 tasks due.",
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
