//! Tasks beside the agenda: which of them are open or done, on which day.
//!
//! What: [`occurrences`], one of each task and series; [`list_tasks`], those of some days; [`count_open`]. Why: a series is one row, the first of it that is not done, as its own
//! program shows it. Not here: formats (`sources`), which copy of a task counts (`event_index`). Tasks are read and never changed; nothing of them is kept.

use super::{
    recurrence::{InstantRange, SeriesTimes, starts},
    rrule::StepBudget,
    sources::{
        tasks::{ReadTask, TaskSeries, TaskState},
        values::EventTime,
    },
};
use agents_base::zone::local_date;
use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use std::collections::BTreeSet;
use toolcall_schema::{
    Timestamp,
    catalogue::{
        calendar::{LISTED_MAX, ListedTask, TaskList, TaskPriority},
        shared::DisplayLabel,
    },
    ids::{SecretKey, TaskId},
    preview::TaskCount,
};

/// How far ahead the next occurrence of a series is looked for.
const AHEAD: TimeDelta = TimeDelta::days(400);
/// Days from today on whose tasks are due soon.
const SOON: Days = Days::new(6);

/// When a task is due, for its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DueTime {
    pub(crate) day: NaiveDate,
    /// At a time of that day; `None`: any.
    pub(crate) at: Option<Timestamp>,
}

/// Whether an occurrence is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OccurrenceState {
    Open,
    /// On a day that is known or not.
    Done(Option<NaiveDate>),
}

/// A task, or the occurrence of a series that stands for it.
pub(crate) struct TaskOccurrence<'a> {
    pub(crate) id: TaskId,
    pub(crate) task: &'a ReadTask,
    pub(crate) due: Option<DueTime>,
    pub(crate) state: OccurrenceState,
}

/// One of each task: of a series what was done of it, and the first that is neither done, moved nor left out. `merged` is sorted by UID, a
/// series before what replaces its occurrences.
pub(crate) fn occurrences<'a>(
    merged: &[&'a ReadTask],
    key: &SecretKey,
    owner: Tz,
    at: Timestamp,
) -> Vec<TaskOccurrence<'a>> {
    let mut budget = StepBudget::default();
    let mut out = Vec::new();
    for copies in merged.chunk_by(|a, b| a.uid == b.uid) {
        let master = copies.iter().copied().find(|task| task.replaces.is_none());
        let series = master.and_then(|task| task.series.as_deref());
        let mut replaced = BTreeSet::new();
        for task in copies {
            let Some(replaces) = task.replaces else { continue };
            let first = series.map(|series| &series.start).or(task.due.as_ref());
            let original = first.map(|first| replaces.instant(first, owner));
            replaced.extend(original);
            let name = original.map(|original| Timestamp::from(original).to_string());
            out.extend(occurrence(
                task,
                key,
                &name.unwrap_or_default(),
                due_time(task, owner),
                owner,
            ));
        }
        let Some(master) = master else { continue };
        match series.filter(|_| master.state == TaskState::Open) {
            None => out.extend(occurrence(master, key, "", due_time(master, owner), owner)),
            Some(series) => {
                if let Some(next) = next_start(series, &replaced, owner, at, &mut budget) {
                    let due = master.due.as_ref().map(|due| due_after(series, next, due, owner));
                    let name = Timestamp::from(next).to_string();
                    out.extend(occurrence(master, key, &name, due, owner));
                }
            }
        }
    }
    out
}

fn occurrence<'a>(
    task: &'a ReadTask,
    key: &SecretKey,
    original: &str,
    due: Option<DueTime>,
    owner: Tz,
) -> Option<TaskOccurrence<'a>> {
    let state = match &task.state {
        TaskState::Open => OccurrenceState::Open,
        TaskState::Done(at) => OccurrenceState::Done(at.as_ref().map(|at| day_of(at, owner))),
        TaskState::Dropped => return None,
    };
    Some(TaskOccurrence {
        id: key.task(&task.uid, original),
        task,
        due,
        state,
    })
}

/// The first start of a series that nothing replaces.
fn next_start(
    series: &TaskSeries,
    replaced: &BTreeSet<DateTime<Utc>>,
    owner: Tz,
    at: Timestamp,
    budget: &mut StepBudget,
) -> Option<DateTime<Utc>> {
    let first = series.start.instant(owner);
    if replaced.is_empty() && series.times.excluded.is_empty() {
        return Some(first);
    }
    let span = InstantRange {
        from: first,
        to: at.utc().max(first) + AHEAD,
    };
    let times = SeriesTimes {
        start: &series.start,
        rules: &series.times.rules,
        extra: &series.times.extra,
        excluded: &series.times.excluded,
    };
    // A rule that cannot be expanded gives its first start alone.
    let starts = starts(times, owner, span, budget, &mut |_| {});
    starts.into_keys().find(|start| !replaced.contains(start))
}

/// When the occurrence that starts then is due.
fn due_after(series: &TaskSeries, start: DateTime<Utc>, first: &EventTime, owner: Tz) -> DueTime {
    let end = series.due_after.end(start, series.start.zone(), owner);
    let at = Timestamp::from(end);
    DueTime {
        day: local_date(at, owner),
        at: matches!(first, EventTime::Time(..)).then_some(at),
    }
}

fn due_time(task: &ReadTask, owner: Tz) -> Option<DueTime> {
    task.due.as_ref().map(|due| DueTime {
        day: day_of(due, owner),
        at: matches!(due, EventTime::Time(..)).then(|| Timestamp::from(due.instant(owner))),
    })
}

/// The owner's day.
fn day_of(time: &EventTime, owner: Tz) -> NaiveDate {
    match time {
        EventTime::Day(day) => *day,
        EventTime::Time(..) => local_date(Timestamp::from(time.instant(owner)), owner),
    }
}

/// The tasks of the days from `first` to `last`, and when today is one of them what is overdue and what has no date.
pub(crate) fn list_tasks(
    all: &[TaskOccurrence<'_>],
    (first, last): (NaiveDate, NaiveDate),
    today: NaiveDate,
    owner: Tz,
) -> TaskList {
    let days = first..=last;
    let mut open: Vec<&TaskOccurrence<'_>> = Vec::new();
    let mut done: Vec<(NaiveDate, &TaskOccurrence<'_>)> = Vec::new();
    for one in all {
        match (one.state, one.due) {
            (OccurrenceState::Done(Some(day)), _) if days.contains(&day) => done.push((day, one)),
            (OccurrenceState::Done(_), _) => {}
            (OccurrenceState::Open, Some(due)) if days.contains(&due.day) => open.push(one),
            (OccurrenceState::Open, due) => {
                let is_past = due.is_none_or(|due| due.day < today);
                let hidden = one.task.hidden_until.as_ref();
                let is_hidden = hidden.is_some_and(|until| day_of(until, owner) > today);
                if days.contains(&today) && is_past && !is_hidden {
                    open.push(one);
                }
            }
        }
    }
    // Stable, and what has no date last; within a day what has no time first.
    open.sort_by_key(|one| (one.due.is_none(), one.due, rank(one)));
    done.sort_by_key(|(day, one)| (*day, one.due, rank(one)));
    let truncated = open.len() + done.len() > LISTED_MAX;
    let all = open.into_iter().chain(done.into_iter().map(|(_, one)| one));
    TaskList {
        tasks: all.take(LISTED_MAX).map(list_entry).collect(),
        truncated,
    }
}

/// What has no priority stands behind what has a low one.
fn rank(one: &TaskOccurrence<'_>) -> (bool, Option<TaskPriority>) {
    (one.task.priority.is_none(), one.task.priority)
}

fn list_entry(one: &TaskOccurrence<'_>) -> ListedTask {
    let label = |text: Option<&str>| text.and_then(DisplayLabel::sanitize);
    ListedTask {
        task_id: one.id.clone(),
        title: label(one.task.title.as_deref()),
        list: label(one.task.list.as_deref()),
        source: one.task.format,
        priority: one.task.priority,
        due_day: one.due.map(|due| due.day),
        due_at: one.due.and_then(|due| due.at),
        done_on: match one.state {
            OccurrenceState::Open => None,
            OccurrenceState::Done(day) => day,
        },
        repeats: one.task.repeats,
        uncertain: one.task.uncertain,
    }
}

/// How many are open, due within seven days, and overdue.
pub(crate) fn count_open(all: &[TaskOccurrence<'_>], today: NaiveDate) -> TaskCount {
    let soon = today.checked_add_days(SOON).unwrap_or(today);
    let mut count = TaskCount::default();
    for one in all.iter().filter(|one| one.state == OccurrenceState::Open) {
        count.open += 1;
        if let Some(due) = one.due {
            count.due += u32::from((today..=soon).contains(&due.day));
            count.overdue += u32::from(due.day < today);
        }
    }
    count
}
