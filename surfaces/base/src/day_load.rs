//! What a day will be like, by what stands in it.
//!
//! What: [`DayLoad`], hours of events, ways, tasks, clashes, and what lies in the quiet hours. Why: a sentence that names its parts can be checked; a score cannot. Not here: how it
//! is said (`words::day_load`), what stands in the day (`agenda`).

use crate::format;
use chrono::NaiveDate;
use chrono_tz::Tz;
use toolcall_schema::{
    Timestamp,
    catalogue::calendar::{EventList, ListedEvent, TaskList},
    rule::DailyWindow,
};

/// Minutes of events and ways from which a day is busy, and full.
const BUSY_MIN: i64 = 3 * 60;
const FULL_MIN: i64 = 6 * 60;
/// Tasks due from which a day is busy.
const BUSY_TASKS: u32 = 5;

/// From this length on an event lies over its days and not between their hours, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60_000;

/// How much there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayWeight {
    Empty,
    Light,
    Busy,
    Full,
}

/// What a day consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DayLoad {
    /// Minutes in which at least one event is, those of the night before and after left out.
    pub event_min: i64,
    /// Minutes of the ways there.
    pub way_min: i64,
    /// Events that one has to leave for.
    pub ways: u32,
    /// Open tasks that are due that day, and where that is today those overdue.
    pub due: u32,
    pub overdue: u32,
    /// Events that overlap another.
    pub clashing: u32,
    /// Minutes of events and ways within the owner's quiet hours.
    pub quiet_min: i64,
    /// Something lasts all day.
    pub has_all_day: bool,
}

/// Whether it is about whole days and takes no hours of them.
pub fn spans_days(event: &ListedEvent) -> bool {
    event.all_day || event.end.since(event.start) >= DAY_MS
}

impl DayLoad {
    /// Of a day. `quiet`: local times between which nothing disturbs the owner.
    pub fn on_day(
        date: NaiveDate,
        (events, tasks): (&EventList, &TaskList),
        quiet: &[DailyWindow],
        now: Timestamp,
        zone: Tz,
    ) -> Self {
        let begin = format::midnight(date, zone);
        let end = format::midnight(date.succ_opt().unwrap_or(date), zone);
        let within = |from: Timestamp, to: Timestamp| (from.max(begin), to.min(end));
        let mut load = Self::default();
        let (mut of_events, mut of_ways) = (Vec::new(), Vec::new());
        for event in &events.events {
            let touches = event.start < end && (event.end > begin || event.start >= begin);
            if !touches {
                continue;
            }
            if spans_days(event) {
                load.has_all_day = true;
                continue;
            }
            of_events.push(within(event.start, event.end));
            load.clashing += u32::from(event.clashes);
            let leaves = event.start.plus_min(-i64::from(event.travel_min));
            if event.travel_min > 0 && event.start >= begin {
                load.ways += 1;
                of_ways.push(within(leaves, event.start));
            }
        }
        load.event_min = minutes_in(&of_events);
        let mut all = of_events;
        all.extend(of_ways);
        load.way_min = minutes_in(&all) - load.event_min;
        let quiet: Vec<_> = quiet
            .iter()
            .flat_map(|window| spans_of_day(*window, date, zone))
            .collect();
        load.quiet_min = minutes_in(&overlaps(&all, &quiet));
        let today = format::local_date(now, zone);
        for task in tasks.tasks.iter().filter(|task| task.done_on.is_none()) {
            load.due += u32::from(task.due_day == Some(date) && date >= today);
            load.overdue += u32::from(date == today && task.due_day.is_some_and(|day| day < today));
        }
        load
    }

    /// Full from six hours of events and ways on; busy from three hours, five tasks, or where two events overlap.
    pub fn weight(&self) -> DayWeight {
        let taken = self.event_min + self.way_min;
        let tasks = self.due + self.overdue;
        if taken >= FULL_MIN {
            DayWeight::Full
        } else if taken >= BUSY_MIN || tasks >= BUSY_TASKS || self.clashing > 0 {
            DayWeight::Busy
        } else if taken > 0 || tasks > 0 || self.has_all_day {
            DayWeight::Light
        } else {
            DayWeight::Empty
        }
    }
}

type TakenSpan = (Timestamp, Timestamp);

/// Minutes that at least one of these covers.
fn minutes_in(spans: &[TakenSpan]) -> i64 {
    let mut spans: Vec<TakenSpan> = spans.to_vec();
    spans.sort_unstable();
    let (mut ms, mut until) = (0, None);
    for (from, to) in spans {
        let from = until.map_or(from, |until: Timestamp| from.max(until));
        ms += to.since(from).max(0);
        until = Some(until.map_or(to, |until| until.max(to)));
    }
    ms / 60_000
}

fn overlaps(spans: &[TakenSpan], others: &[TakenSpan]) -> Vec<TakenSpan> {
    let of_one = |(from, to): &TakenSpan| {
        let (from, to) = (*from, *to);
        others
            .iter()
            .map(move |(begin, end)| (from.max(*begin), to.min(*end)))
    };
    let all = spans.iter().flat_map(of_one);
    all.filter(|(from, to)| from < to).collect()
}

/// The parts of a day between two local times; one that ends before it begins lasts over midnight.
fn spans_of_day(window: DailyWindow, date: NaiveDate, zone: Tz) -> Vec<TakenSpan> {
    let begin = format::midnight(date, zone);
    let end = format::midnight(date.succ_opt().unwrap_or(date), zone);
    let at = |time| format::local_time(date, time, zone);
    if window.from < window.to {
        vec![(at(window.from), at(window.to))]
    } else {
        vec![(begin, at(window.to)), (at(window.from), end)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveTime;
    use toolcall_schema::{
        catalogue::calendar::{ListedEvent, ListedTask, TaskFormat},
        ids::{EventId, TaskId},
    };

    fn t(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    /// In Berlin, an hour ahead of UTC.
    fn event(start: &str, end: &str) -> ListedEvent {
        ListedEvent {
            event_id: EventId::parse("ev_00000000000000a1").unwrap(),
            title: None,
            start: t(&format!("2026-11-03T{start}:00Z")),
            end: t(&format!("2026-11-03T{end}:00Z")),
            all_day: false,
            uncertain: false,
            tentative: false,
            unanswered: false,
            clashes: false,
            others: 0,
            place: None,
            travel_min: 0,
            leave_by: None,
        }
    }

    fn task(due: u32, done: bool) -> ListedTask {
        let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        ListedTask {
            task_id: TaskId::parse("tk_00000000000000a1").unwrap(),
            title: None,
            list: None,
            source: TaskFormat::TodoTxt,
            priority: None,
            due_day: Some(day(due)),
            due_at: None,
            done_on: done.then(|| day(3)),
            repeats: false,
            uncertain: false,
        }
    }

    fn load(events: Vec<ListedEvent>, tasks: Vec<ListedTask>) -> DayLoad {
        let list = EventList {
            events,
            free: Vec::new(),
            truncated: false,
            cancelled: Vec::new(),
        };
        let tasks = TaskList {
            tasks,
            truncated: false,
        };
        DayLoad::on_day(
            NaiveDate::from_ymd_opt(2026, 11, 3).unwrap(),
            (&list, &tasks),
            &[DailyWindow {
                from: NaiveTime::from_hms_opt(22, 0, 0).unwrap(),
                to: NaiveTime::from_hms_opt(7, 0, 0).unwrap(),
            }],
            t("2026-11-03T08:00:00Z"),
            Tz::Europe__Berlin,
        )
    }

    #[test]
    fn the_parts_of_a_day_add_up() {
        // Nothing.
        let empty = load(vec![], vec![]);
        assert_eq!((empty, empty.weight()), (DayLoad::default(), DayWeight::Empty));
        // 10:00 to 12:00 and 11:00 to 13:00 are three hours, not four; both clash.
        let clash = |start, end| ListedEvent {
            clashes: true,
            ..event(start, end)
        };
        let busy = load(vec![clash("09:00", "11:00"), clash("10:00", "12:00")], vec![]);
        assert_eq!((busy.event_min, busy.clashing), (180, 2));
        assert_eq!(busy.weight(), DayWeight::Busy);
        // 09:00 to 14:30 are 5 h 30 min, the way before it is half an hour: six hours.
        let away = ListedEvent {
            travel_min: 30,
            ..event("08:00", "13:30")
        };
        let full = load(vec![away.clone()], vec![]);
        assert_eq!((full.event_min, full.way_min, full.ways), (330, 30, 1));
        assert_eq!(full.weight(), DayWeight::Full);
        // A minute less is no full day.
        let shorter = ListedEvent {
            end: away.end.plus_min(-1),
            ..away
        };
        assert_eq!(load(vec![shorter], vec![]).weight(), DayWeight::Busy);
        // What was done is not due; what is due on another day is overdue when that is past.
        let tasks = load(
            vec![],
            vec![task(3, false), task(3, true), task(1, false), task(4, false)],
        );
        assert_eq!((tasks.due, tasks.overdue), (1, 1));
        assert_eq!(tasks.weight(), DayWeight::Light);
        assert_eq!(load(vec![], vec![task(3, false); 5]).weight(), DayWeight::Busy);
        // Of a day that is over nothing is due any more: it is overdue on today.
        assert_eq!(load(vec![], vec![task(2, false)]).due, 0);
    }

    #[test]
    fn what_lies_in_the_quiet_hours_is_told() {
        // A flight at 06:30 with an hour's way: 05:30 to 07:00 are 90 minutes of the night.
        let flight = ListedEvent {
            travel_min: 60,
            ..event("05:30", "07:30")
        };
        // 21:30 to 23:30: 90 minutes after 22:00.
        let late = event("20:30", "22:30");
        // 23:00 to 01:00: an hour of it is this day's.
        let over = ListedEvent {
            end: t("2026-11-04T00:00:00Z"),
            ..event("22:00", "23:00")
        };
        for (events, minutes) in [
            (vec![flight.clone()], 90),
            (vec![late.clone()], 90),
            (vec![flight, late], 180),
            (vec![over], 60),
            (vec![event("09:00", "10:00")], 0),
        ] {
            assert_eq!(load(events, vec![]).quiet_min, minutes);
        }
    }

    #[test]
    fn an_event_of_three_weeks_lies_over_its_days_and_fills_no_hour() {
        let long = ListedEvent {
            start: t("2026-10-20T08:00:00Z"),
            end: t("2026-11-10T08:00:00Z"),
            travel_min: 60,
            ..event("08:00", "09:00")
        };
        let load = load(vec![long], vec![]);
        assert_eq!((load.event_min, load.ways, load.quiet_min), (0, 0, 0));
        assert_eq!((load.has_all_day, load.weight()), (true, DayWeight::Light));
    }
}
