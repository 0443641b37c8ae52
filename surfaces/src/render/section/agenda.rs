//! The agenda: what stands on some days, in the order of their hours.
//!
//! What: [`days`], what Calendar lists, what is due and what Aura said, as rows of each day; [`some_time`], tasks without a date. Why: one time line in place of four lists.
//! Not here: markup (`web::agenda_page`), what overlaps and what is free (Calendar).

use super::{SectionBlock, SectionItem, week_grid::DayMinutes};
use crate::render::repeats::in_runs;
use chrono::{NaiveDate, Timelike as _};
use chrono_tz::Tz;
use std::collections::BTreeSet;
use surfaces_base::{
    backend::{DisplayNames, drafts::OutboxDrafts},
    day_load::spans_days,
    format, words,
};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        calendar::{CancelledEvent, EventList, ListedEvent, ListedTask, TaskList},
        shared::{DisplayLabel, ThingId},
    },
    ids::{EventId, TraceId},
};

/// What is left of a free time and shorter than half an hour is not shown, in milliseconds.
const FREE_MS: i64 = 30 * 60_000;

/// Tasks that the page of the brief names.
const DUE_MAX: usize = 12;

/// What Aura said or held back at some hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgendaRemark {
    pub at: Timestamp,
    /// May hold a name from outside.
    pub what: String,
    /// Why it was held back; absent: it was said.
    pub held_back: Option<&'static str>,
    pub trace: TraceId,
    /// How often the same was held back in a row; 1: once.
    pub times: usize,
}

/// A task beside the events. It is ticked off in the program that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgendaTask {
    /// From outside.
    pub title: String,
    /// Its list, where it comes from, and what else is to be known of it; may hold names from outside.
    pub notes: Vec<String>,
    pub is_done: bool,
    /// Whether it is due at an hour of the day, and so stands among the events.
    pub has_hour: bool,
}

/// What stands beside an hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AgendaEntry {
    /// Something lasts all day, or from an hour on.
    Event {
        id: EventId,
        /// May be a name from outside.
        title: String,
        /// From outside.
        place: Option<String>,
        /// What is to be known of it.
        notes: Vec<String>,
        clashes: bool,
        /// Whether it is an invitation that can still be declined.
        declinable: bool,
        /// Whether its decline lies in the outbox.
        is_decline_drafted: bool,
    },
    /// It would have been then, and was called off.
    Cancelled {
        id: EventId,
        /// May be a name from outside.
        title: String,
    },
    Task(AgendaTask),
    /// A payment that comes again is expected.
    Payment {
        /// To or from whom; may be a name from outside.
        name: String,
        amount: String,
        /// How often, and which way.
        note: String,
    },
    /// The owner should leave, with the title of what for.
    Leave(String),
    /// From when to when.
    Free(Timestamp, Timestamp),
    Brief,
    /// Aura looks by itself.
    Look,
    Said(AgendaRemark),
    Now,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgendaRow {
    /// The hours beside it, in words; empty where it has none.
    pub when: String,
    pub entry: AgendaEntry,
    /// The same in minutes, where it stands between the hours of its day.
    pub minutes: Option<DayMinutes>,
}

impl AgendaRow {
    /// Whether it is a task, at an hour or not.
    pub(crate) const fn is_task(&self) -> bool {
        matches!(self.entry, AgendaEntry::Task(_))
    }

    /// Whether it is a task of the day without an hour, which stands beside the time line.
    pub(crate) const fn is_without_hour(&self) -> bool {
        matches!(&self.entry, AgendaEntry::Task(task) if !task.has_hour)
    }

    /// The event that it is.
    pub(crate) const fn event(&self) -> Option<&EventId> {
        match &self.entry {
            AgendaEntry::Event { id, .. } => Some(id),
            AgendaEntry::Cancelled { .. }
            | AgendaEntry::Task(_)
            | AgendaEntry::Payment { .. }
            | AgendaEntry::Leave(_)
            | AgendaEntry::Free(..)
            | AgendaEntry::Brief
            | AgendaEntry::Look
            | AgendaEntry::Said(_)
            | AgendaEntry::Now => None,
        }
    }
}

/// One day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgendaDay {
    pub date: NaiveDate,
    pub is_today: bool,
    pub rows: Vec<AgendaRow>,
}

impl AgendaDay {
    /// The titles of its events.
    pub(crate) fn titles(&self) -> impl Iterator<Item = (&EventId, &str)> {
        self.rows.iter().filter_map(|row| match &row.entry {
            AgendaEntry::Event { id, title, .. } => Some((id, title.as_str())),
            AgendaEntry::Cancelled { .. }
            | AgendaEntry::Task(_)
            | AgendaEntry::Payment { .. }
            | AgendaEntry::Leave(_)
            | AgendaEntry::Free(..)
            | AgendaEntry::Brief
            | AgendaEntry::Look
            | AgendaEntry::Said(_)
            | AgendaEntry::Now => None,
        })
    }

    /// Its tasks that are open, and those that were done.
    pub(crate) fn task_counts(&self) -> (usize, usize) {
        let tasks = self.rows.iter().filter_map(|row| match &row.entry {
            AgendaEntry::Task(task) => Some(task),
            AgendaEntry::Event { .. }
            | AgendaEntry::Cancelled { .. }
            | AgendaEntry::Payment { .. }
            | AgendaEntry::Leave(_)
            | AgendaEntry::Free(..)
            | AgendaEntry::Brief
            | AgendaEntry::Look
            | AgendaEntry::Said(_)
            | AgendaEntry::Now => None,
        });
        let (done, open): (Vec<_>, Vec<_>) = tasks.partition(|task| task.is_done);
        (open.len(), done.len())
    }
}

/// What has to be named: events of which Calendar says no title.
pub(crate) fn ids(list: &EventList) -> BTreeSet<ThingId> {
    let untitled = list.events.iter().filter(|event| event.title.is_none());
    untitled
        .map(|event| ThingId::Event(event.event_id.clone()))
        .collect()
}

/// What the rows are made of beside the events.
pub(crate) struct AgendaContext<'a> {
    pub names: &'a DisplayNames,
    /// The time, and the owner's zone.
    pub now: Timestamp,
    pub zone: Tz,
    /// When the next morning brief comes, if it does.
    pub brief_at: Option<Timestamp>,
    /// When Aura looks by itself next, if it does.
    pub looks_at: Option<Timestamp>,
    /// The tasks of these days.
    pub tasks: &'a TaskList,
    /// What was said and held back on these days.
    pub remarks: &'a [AgendaRemark],
    /// The drafts that lie in the outbox.
    pub outbox: &'a OutboxDrafts,
    /// With what stands between the events: ways, free times, what Aura says and when it looks.
    pub in_full: bool,
}

/// The days from `first` on, each with its rows in the order of their hours: what lasts all day first.
pub(crate) fn days(
    list: &EventList,
    (first, count): (NaiveDate, u32),
    with: &AgendaContext<'_>,
) -> Vec<AgendaDay> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    first
        .iter_days()
        .take(count)
        .map(|date| AgendaDay {
            date,
            is_today: date == format::local_date(with.now, with.zone),
            rows: rows(list, date, with),
        })
        .collect()
}

fn rows(list: &EventList, date: NaiveDate, with: &AgendaContext<'_>) -> Vec<AgendaRow> {
    let begin = format::midnight(date, with.zone);
    let end = format::midnight(date.succ_opt().unwrap_or(date), with.zone);
    let is_within = |at: Timestamp| begin <= at && at < end;
    let (mut whole, mut timed): (Vec<AgendaRow>, Vec<(Timestamp, AgendaRow)>) = (Vec::new(), Vec::new());
    for event in &list.events {
        let starts = is_within(event.start);
        if !starts && (event.start >= end || event.end <= begin) {
            continue;
        }
        if event.all_day || event.start <= begin && event.end >= end {
            whole.push(row(
                words::ON_WHOLE_DAYS.say().to_owned(),
                event_entry(event, with),
            ));
            continue;
        }
        let from = if starts {
            format::clock(event.start, with.zone)
        } else {
            "00:00".to_owned()
        };
        let when = if event.end <= event.start {
            from
        } else if event.end > end {
            words::from_to(&from, "24:00")
        } else {
            words::from_to(&from, &clock_at_end(event.end, end, with.zone))
        };
        let entry = row(when, event_entry(event, with));
        if spans_days(event) {
            // The first or the last of its days.
            whole.push(entry);
        } else {
            let minutes = DayMinutes {
                from: minute_of_day(event.start.max(begin), end, with.zone),
                to: minute_of_day(event.end.min(end), end, with.zone),
            };
            timed.push((event.start.max(begin), at_hour(entry, minutes)));
        }
        if let Some(leave_by) = event.leave_by.filter(|at| with.in_full && is_within(*at)) {
            let leave = AgendaEntry::Leave(title(event, with.names));
            timed.push((leave_by, row(format::clock(leave_by, with.zone), leave)));
        }
    }
    let today = format::local_date(with.now, with.zone);
    for task in &with.tasks.tasks {
        let is_done = task.done_on.is_some();
        // What is overdue stands on today, and on no day before.
        let late = !is_done && task.due_day.is_some_and(|day| day < today);
        let stands_on = task.done_on.or(if late { Some(today) } else { task.due_day });
        if stands_on != Some(date) {
            continue;
        }
        let due_at = task.due_at.filter(|at| !is_done && is_within(*at));
        let entry = AgendaEntry::Task(AgendaTask {
            has_hour: due_at.is_some(),
            ..task_entry(task, with)
        });
        match due_at {
            Some(at) => {
                let minute = minute_of_day(at, end, with.zone);
                let (from, to) = (minute, minute);
                let when = format::clock(at, with.zone);
                timed.push((at, at_hour(row(when, entry), DayMinutes { from, to })));
            }
            None if is_done => whole.push(row(words::TASK_DONE.say().to_owned(), entry)),
            None if late => whole.push(row(words::TASK_OVERDUE.say().to_owned(), entry)),
            None => whole.push(row(words::TASK_DUE.say().to_owned(), entry)),
        }
    }
    if with.in_full {
        for event in list.cancelled.iter().filter(|event| is_within(event.start)) {
            let entry = AgendaEntry::Cancelled {
                id: event.event_id.clone(),
                title: cancelled_title(event, with.names),
            };
            if event.all_day {
                whole.push(row(words::ON_WHOLE_DAYS.say().to_owned(), entry));
            } else {
                timed.push((event.start, row(cancelled_hours(event, with.zone), entry)));
            }
        }
        let free = list.free.iter().filter(|slot| is_within(slot.start));
        let left = free.map(|slot| (slot.start.max(with.now), slot.end));
        let long = left.filter(|(from, to)| to.since(*from) >= FREE_MS);
        timed.extend(long.map(|(from, to)| {
            let hours = words::from_to(&format::clock(from, with.zone), &clock_at_end(to, end, with.zone));
            (from, row(hours, AgendaEntry::Free(from, to)))
        }));
        let mut said: Vec<&AgendaRemark> = with.remarks.iter().filter(|said| is_within(said.at)).collect();
        said.sort_by_key(|said| said.at);
        // What was held back again and again for one reason is one line, whatever came between: where it first was so, up to when it last was.
        let runs = in_runs(said, |remark| {
            remark.held_back.map(|reason| (reason, remark.what.clone()))
        });
        for run in &runs {
            let (Some(first), Some(last)) = (run.first(), run.last()) else {
                continue;
            };
            let [from, to] = [first.at, last.at].map(|at| format::clock(at, with.zone));
            let when = if from == to {
                from
            } else {
                words::from_to(&from, &to)
            };
            let entry = AgendaRemark {
                times: run.len(),
                ..(*last).clone()
            };
            timed.push((first.at, row(when, AgendaEntry::Said(entry))));
        }
        if let Some(at) = with.brief_at.filter(|at| is_within(*at) && *at > with.now) {
            timed.push((at, row(format::clock(at, with.zone), AgendaEntry::Brief)));
        }
        if let Some(at) = with.looks_at.filter(|at| is_within(*at) && *at > with.now) {
            timed.push((at, row(format::clock(at, with.zone), AgendaEntry::Look)));
        }
        if is_within(with.now) {
            let at = format::clock(with.now, with.zone);
            timed.push((with.now, row(at, AgendaEntry::Now)));
        }
    }
    // Stable: what begins at one time stays in the order of the list; what has begun stands before the line of now, what is left of a free time behind it.
    timed.sort_by_key(|(at, row)| {
        let behind = match row.entry {
            AgendaEntry::Free(..) => 2,
            AgendaEntry::Now => 1,
            AgendaEntry::Event { .. }
            | AgendaEntry::Cancelled { .. }
            | AgendaEntry::Task(_)
            | AgendaEntry::Payment { .. }
            | AgendaEntry::Leave(_)
            | AgendaEntry::Brief
            | AgendaEntry::Look
            | AgendaEntry::Said(_) => 0,
        };
        (*at, behind)
    });
    whole.extend(timed.into_iter().map(|(_, row)| row));
    whole
}

/// The end of something: midnight is the end of this day, not the begin of the next.
fn clock_at_end(at: Timestamp, end: Timestamp, zone: Tz) -> String {
    if at == end {
        "24:00".to_owned()
    } else {
        format::clock(at, zone)
    }
}

fn row(when: String, entry: AgendaEntry) -> AgendaRow {
    AgendaRow {
        when,
        entry,
        minutes: None,
    }
}

fn at_hour(row: AgendaRow, minutes: DayMinutes) -> AgendaRow {
    AgendaRow {
        minutes: Some(minutes),
        ..row
    }
}

/// A minute of the local day that ends at `end`, as its clock shows it.
fn minute_of_day(at: Timestamp, end: Timestamp, zone: Tz) -> u32 {
    if at >= end { 24 * 60 } else { minute_now(at, zone) }
}

/// The minute of its local day.
pub(crate) fn minute_now(at: Timestamp, zone: Tz) -> u32 {
    at.utc().with_timezone(&zone).num_seconds_from_midnight() / 60
}

fn title(event: &ListedEvent, names: &DisplayNames) -> String {
    let said = event.title.as_ref().map(DisplayLabel::as_str);
    let named = names.get(event.event_id.as_str());
    named.or(said).unwrap_or(words::UNTITLED_EVENT.say()).to_owned()
}

/// What an event is called that was called off.
pub(crate) fn cancelled_title(event: &CancelledEvent, names: &DisplayNames) -> String {
    let said = event.title.as_ref().map(DisplayLabel::as_str);
    let named = names.get(event.event_id.as_str());
    named.or(said).unwrap_or(words::UNTITLED_EVENT.say()).to_owned()
}

/// From when to when it would have been.
pub(crate) fn cancelled_hours(event: &CancelledEvent, zone: Tz) -> String {
    let from = format::clock(event.start, zone);
    if event.end <= event.start {
        return from;
    }
    words::from_to(&from, &format::clock(event.end, zone))
}

fn event_entry(event: &ListedEvent, with: &AgendaContext<'_>) -> AgendaEntry {
    let notes = [
        event.clashes.then(|| words::CLASHES.say().to_owned()),
        event.unanswered.then(|| words::NOT_ANSWERED.say().to_owned()),
        event.tentative.then(|| words::TENTATIVE.say().to_owned()),
        event.uncertain.then(|| words::ZONE_UNKNOWN.say().to_owned()),
        (event.others > 0).then(|| words::with_others(event.others)),
    ];
    AgendaEntry::Event {
        id: event.event_id.clone(),
        title: title(event, with.names),
        place: event.place.as_ref().map(|place| place.as_str().to_owned()),
        notes: notes.into_iter().flatten().collect(),
        clashes: event.clashes,
        declinable: is_declinable(event, with.outbox, with.now),
        is_decline_drafted: is_decline_drafted(event, with.outbox),
    }
}

/// Whether the owner is invited, has neither answered nor drafted a decline, and it has not begun.
pub(crate) fn is_declinable(event: &ListedEvent, outbox: &OutboxDrafts, now: Timestamp) -> bool {
    event.unanswered && event.start > now && !is_decline_drafted(event, outbox)
}

fn is_decline_drafted(event: &ListedEvent, outbox: &OutboxDrafts) -> bool {
    outbox.there.contains(&ThingId::Event(event.event_id.clone()))
}

/// The open tasks without a date, as today's page shows them.
pub(crate) fn some_time(tasks: &TaskList, with: &AgendaContext<'_>) -> Vec<AgendaTask> {
    let undated = tasks
        .tasks
        .iter()
        .filter(|task| task.due_day.is_none() && task.done_on.is_none());
    undated.map(|task| task_entry(task, with)).collect()
}

fn task_entry(task: &ListedTask, with: &AgendaContext<'_>) -> AgendaTask {
    let today = format::local_date(with.now, with.zone);
    let is_done = task.done_on.is_some();
    let late_since = task.due_day.filter(|day| !is_done && *day < today);
    let is_late = task.due_at.is_some_and(|at| !is_done && at < with.now);
    let notes = [
        task.list.as_ref().map(|list| list.as_str().to_owned()),
        Some(words::task_source(task.source).to_owned()),
        late_since.map(|day| words::task_late(&format::date_near(day, today))),
        (is_late && late_since.is_none()).then(|| words::TASK_OVERDUE.say().to_owned()),
        task.priority.and_then(words::task_priority).map(str::to_owned),
        task.repeats.then(|| words::TASK_REPEATS.say().to_owned()),
        task.uncertain.then(|| words::ZONE_UNKNOWN.say().to_owned()),
    ];
    AgendaTask {
        title: task_title(task).to_owned(),
        notes: notes.into_iter().flatten().collect(),
        is_done,
        has_hour: false,
    }
}

/// What is due today or was due before, for the page of the brief; `None` where that is nothing.
pub(crate) fn due_today(tasks: &TaskList, now: Timestamp, zone: Tz) -> Option<SectionBlock> {
    let today = format::local_date(now, zone);
    let is_due = |task: &&ListedTask| task.done_on.is_none() && task.due_day.is_some_and(|day| day <= today);
    let due: Vec<&ListedTask> = tasks.tasks.iter().filter(is_due).collect();
    let item = |task: &&ListedTask| {
        let is_late = task.due_day.is_some_and(|day| day < today);
        let when = match task.due_at {
            _ if is_late => words::TASK_OVERDUE.say().to_owned(),
            Some(at) => format::clock(at, zone),
            None => String::new(),
        };
        SectionItem::new(task_title(task), when)
    };
    let more = due.len().saturating_sub(DUE_MAX);
    (!due.is_empty()).then(|| SectionBlock {
        id: "due",
        title: words::TASKS_OF_TODAY.say(),
        says: (more > 0).then(|| words::tasks_more(more)).into_iter().collect(),
        items: due.iter().take(DUE_MAX).map(item).collect(),
    })
}

/// What a task is called.
fn task_title(task: &ListedTask) -> &str {
    task.title
        .as_ref()
        .map_or(words::UNTITLED_TASK.say(), DisplayLabel::as_str)
}
