//! Rules against a second expander that looks at every day, and free times against one that tries every quarter of an hour.
//! Neither shares a line with what it checks.

use super::{reading::read, *};
use crate::calendar::{
    looking::suggest_slots,
    recur::{Budget, Span, starts},
};
use chrono::{Datelike, Days, NaiveDate, NaiveDateTime, TimeDelta, Weekday};
use chrono_tz::Tz;

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("MO", Weekday::Mon),
    ("TU", Weekday::Tue),
    ("WE", Weekday::Wed),
    ("TH", Weekday::Thu),
    ("FR", Weekday::Fri),
    ("SA", Weekday::Sat),
    ("SU", Weekday::Sun),
];

/// A rule in the words of RFC 5545, 3.3.10.
#[derive(Debug, Clone)]
struct Spec {
    freq: &'static str,
    interval: i32,
    count: Option<usize>,
    until: Option<u64>,
    wkst: usize,
    by_day: Vec<(i32, usize)>,
    by_month_day: Vec<i32>,
    by_month: Vec<u32>,
    by_set_pos: Vec<i32>,
}

impl Spec {
    fn text(&self, first: NaiveDateTime) -> String {
        let mut out = format!(
            "FREQ={};INTERVAL={};WKST={}",
            self.freq, self.interval, WEEKDAYS[self.wkst].0
        );
        let mut list = |name: &str, values: Vec<String>| {
            if !values.is_empty() {
                out = format!("{out};{name}={}", values.join(","));
            }
        };
        let day = |(n, day): &(i32, usize)| {
            let n = if *n == 0 { String::new() } else { n.to_string() };
            format!("{n}{}", WEEKDAYS[*day].0)
        };
        list("BYDAY", self.by_day.iter().map(day).collect());
        list(
            "BYMONTHDAY",
            self.by_month_day.iter().map(ToString::to_string).collect(),
        );
        list("BYMONTH", self.by_month.iter().map(ToString::to_string).collect());
        list(
            "BYSETPOS",
            self.by_set_pos.iter().map(ToString::to_string).collect(),
        );
        list("COUNT", self.count.iter().map(ToString::to_string).collect());
        let last = self
            .last(first)
            .map(|last| last.format("%Y%m%dT%H%M%SZ").to_string());
        list("UNTIL", last.into_iter().collect());
        out
    }

    fn last(&self, first: NaiveDateTime) -> Option<NaiveDateTime> {
        Some(first + TimeDelta::days(i64::try_from(self.until?).unwrap()))
    }

    /// In which period of the frequency a day lies, counted from that of the start.
    fn period(&self, day: NaiveDate, start: NaiveDate) -> i32 {
        let week = |date: NaiveDate| {
            let into = (date.weekday().num_days_from_monday() + 7 - u32::try_from(self.wkst).unwrap()) % 7;
            (date - Days::new(u64::from(into))).num_days_from_ce() / 7
        };
        let month = |date: NaiveDate| date.year() * 12 + i32::try_from(date.month0()).unwrap();
        match self.freq {
            "DAILY" => day.num_days_from_ce() - start.num_days_from_ce(),
            "WEEKLY" => week(day) - week(start),
            "MONTHLY" => month(day) - month(start),
            _ => day.year() - start.year(),
        }
    }

    fn matches(&self, day: NaiveDate, start: NaiveDate) -> bool {
        let month_length = (day.with_day(1).unwrap() + chrono::Months::new(1) - Days::new(1)).day();
        let named = self.by_day.is_empty() && self.by_month_day.is_empty();
        let by_month = if self.by_month.is_empty() {
            self.freq != "YEARLY" || !named || day.month() == start.month()
        } else {
            self.by_month.contains(&day.month())
        };
        let by_month_day = if self.by_month_day.is_empty() {
            !named || !matches!(self.freq, "MONTHLY" | "YEARLY") || day.day() == start.day()
        } else {
            let (day, length) = (
                i32::try_from(day.day()).unwrap(),
                i32::try_from(month_length).unwrap(),
            );
            self.by_month_day
                .iter()
                .any(|n| *n == day || *n + length + 1 == day)
        };
        // The nth of the month, or of the year where no month is named.
        let (ordinal, length) = if self.freq == "YEARLY" && self.by_month.is_empty() {
            (day.ordinal(), if day.leap_year() { 366 } else { 365 })
        } else {
            (day.day(), month_length)
        };
        let nth = i32::try_from((ordinal - 1) / 7 + 1).unwrap();
        let nth_last = -i32::try_from((length - ordinal) / 7 + 1).unwrap();
        let by_day = if self.by_day.is_empty() {
            !named || self.freq != "WEEKLY" || day.weekday() == start.weekday()
        } else {
            self.by_day.iter().any(|(n, weekday)| {
                WEEKDAYS[*weekday].1 == day.weekday() && (*n == 0 || *n == nth || *n == nth_last)
            })
        };
        by_month && by_month_day && by_day
    }

    /// All days until the last one that is asked for, by looking at every one.
    fn days(&self, first: NaiveDateTime, until: NaiveDate) -> Vec<NaiveDate> {
        let start = first.date();
        let mut sets: BTreeMap<i32, Vec<NaiveDate>> = BTreeMap::new();
        // From before the start's year to behind the last one's: sets are whole.
        let all = NaiveDate::from_ymd_opt(start.year(), 1, 1).unwrap() - Days::new(7);
        for day in all.iter_days().take_while(|day| *day <= until + Days::new(400)) {
            let period = self.period(day, start);
            if period >= 0 && period % self.interval == 0 && self.matches(day, start) {
                sets.entry(period).or_default().push(day);
            }
        }
        let chosen = |set: Vec<NaiveDate>| -> Vec<NaiveDate> {
            let positions = set.iter().enumerate().filter(|(i, _)| {
                let (n, length) = (i32::try_from(*i).unwrap() + 1, i32::try_from(set.len()).unwrap());
                self.by_set_pos.is_empty()
                    || self
                        .by_set_pos
                        .iter()
                        .any(|pos| *pos == n || *pos + length + 1 == n)
            });
            positions.map(|(_, day)| *day).collect()
        };
        let mut days: Vec<NaiveDate> = sets.into_values().flat_map(chosen).collect();
        days.retain(|day| *day >= start);
        days.truncate(self.count.unwrap_or(usize::MAX));
        days.retain(|day| self.last(first).is_none_or(|last| *day <= last.date()) && *day <= until);
        days
    }
}

fn any_spec() -> impl Strategy<Value = Spec> {
    let freq = prop_oneof![Just("DAILY"), Just("WEEKLY"), Just("MONTHLY"), Just("YEARLY")];
    let end = prop_oneof![
        2 => Just((None, None)),
        1 => (1..40_usize).prop_map(|count| (Some(count), None)),
        1 => (0..900_u64).prop_map(|until| (None, Some(until))),
    ];
    // The library refuses the fifth last of a month (AGENT-015), which is the first of some.
    let nth = prop_oneof![3 => Just(0), 1 => -4..=-1, 1 => 1..=5];
    let by_day = proptest::collection::vec((nth, 0..7_usize), 0..4);
    let month_day = prop_oneof![1..=31_i32, -31..=-1_i32];
    let by_month_day = prop_oneof![2 => Just(vec![]), 1 => proptest::collection::vec(month_day, 1..4)];
    let by_month = prop_oneof![2 => Just(vec![]), 1 => proptest::collection::vec(1..=12_u32, 1..5)];
    let pos = prop_oneof![1..=4_i32, -4..=-1_i32];
    let by_set_pos = prop_oneof![2 => Just(vec![]), 1 => proptest::collection::vec(pos, 1..3)];
    (
        freq,
        1..5_i32,
        end,
        0..7_usize,
        by_day,
        by_month_day,
        by_month,
        by_set_pos,
    )
        .prop_map(
            |(
                freq,
                interval,
                (count, until),
                wkst,
                mut by_day,
                mut by_month_day,
                by_month,
                mut by_set_pos,
            )| {
                if matches!(freq, "DAILY" | "WEEKLY") {
                    for (n, _) in &mut by_day {
                        *n = 0;
                    }
                }
                // RFC 5545 forbids it in weeks, and a position among nothing.
                if freq == "WEEKLY" {
                    by_month_day.clear();
                }
                if by_day.is_empty() && by_month_day.is_empty() && by_month.is_empty() {
                    by_set_pos.clear();
                }
                Spec {
                    freq,
                    interval,
                    count,
                    until,
                    wkst,
                    by_day,
                    by_month_day,
                    by_month,
                    by_set_pos,
                }
            },
        )
}

/// What the agent makes of a rule, as days, inside a span.
fn expanded(spec: &Spec, first: NaiveDateTime, from: NaiveDate, to: NaiveDate) -> Vec<NaiveDate> {
    let lines = format!(
        "DTSTART:{}Z\nRRULE:{}",
        first.format("%Y%m%dT%H%M%S"),
        spec.text(first)
    );
    let read = read(&ics(&[("x", &lines)]));
    assert_eq!(read.skips, [], "{lines}");
    let midnight = |day: NaiveDate| day.and_hms_opt(0, 0, 0).unwrap().and_utc();
    let span = Span {
        from: midnight(from),
        to: midnight(to + Days::new(1)),
    };
    let found = starts(&read.events[0], Tz::UTC, span, false, &mut Budget::default());
    let found = found.unwrap_or_else(|code| panic!("{} of {lines}", code.code));
    found.starts.into_keys().map(|at| at.date_naive()).collect()
}

proptest! {
    #[test]
    fn a_rule_gives_the_days_that_looking_at_every_day_gives(
        spec in any_spec(), start in 0..1200_u64, later in prop_oneof![0..3_u64, 0..1500_u64], length in 1..400_u64,
    ) {
        let start = NaiveDate::from_ymd_opt(2023, 1, 1).unwrap() + Days::new(start);
        let first = start.and_hms_opt(9, 30, 0).unwrap();
        let from = start + Days::new(later);
        let to = from + Days::new(length);
        let mut expected = spec.days(first, to);
        // The first start is an instance, whether its rule gives it or not (RFC 5545, 3.8.5.3).
        if !expected.contains(&start) {
            expected.insert(0, start);
        }
        expected.retain(|day| *day >= from);
        prop_assert_eq!(expanded(&spec, first, from, to), expected, "{}", spec.text(first));
    }
}

/// Meetings of a week around a change of the clocks, in minutes since its beginning: start, length, transparent.
fn any_week() -> impl Strategy<Value = Vec<(i64, i64, bool)>> {
    let one = (0..7 * 24 * 60_i64, 0..600_i64, proptest::bool::weighted(0.2));
    proptest::collection::vec(one, 0..40)
}

proptest! {
    #[test]
    fn a_free_time_is_the_first_that_trying_every_quarter_finds_and_none_is_taken(
        meetings in any_week(), taken in any_week(), after in 0..7 * 24 * 60_i64, duration_min in 5..=480_u32, zone in 0..4_usize,
    ) {
        // Berlin changes its clocks on Sunday, New York a week before, Lord Howe by half an hour, Kolkata never.
        let (tz, begin) = [
            (Tz::Europe__Berlin, "2026-03-25T00:00:00Z"),
            (Tz::America__New_York, "2026-03-04T00:00:00Z"),
            (Tz::Australia__Lord_Howe, "2026-04-01T00:00:00Z"),
            (Tz::Asia__Kolkata, "2026-03-25T00:00:00Z"),
        ][zone];
        let begin = t(begin);
        // Every day of the week is one of work, so that Sunday's clocks count.
        let preferences: Preferences = serde_json::from_value(json!({
            "working_days": ["mon", "wed", "thu", "fri", "sat", "sun"], "working_hours": ["01:30", "11:00"],
        })).unwrap();
        let span = |(start, lasts, _): &(i64, i64, bool)| (begin.plus_min(*start), begin.plus_min(start + lasts));
        let mut instances: Vec<Instance> = meetings.iter().map(|meeting| {
            let (start, end) = span(meeting);
            let id = setup().key.event("x", &start.to_string());
            Instance {
                series: id.clone(), id, start, end, focus: false, transparent: meeting.2, tentative: false, travel: None,
                created: None, unanswered: false, posted: false,
            }
        }).collect();
        instances.sort_by_key(|i| i.start);
        let busy: Vec<model::Busy> = taken.iter().map(|one| {
            let (start, end) = span(one);
            model::Busy { start, end }
        }).collect();
        let args = toolcall_schema::catalogue::calendar::SuggestSlots { duration_min, after: begin.plus_min(after) };
        let found = suggest_slots(&instances, busy.clone(), &args, tz, &preferences).slots;

        let blocks: Vec<(Timestamp, Timestamp)> = instances.iter().filter(|i| !i.transparent).map(|i| (i.start, i.end))
            .chain(busy.iter().map(|b| (b.start, b.end)))
            .filter(|(start, end)| start < end).collect();
        let fits = |start: Timestamp| {
            let end = start.plus_min(i64::from(duration_min));
            let (first, last) = (start.utc().with_timezone(&tz), end.utc().with_timezone(&tz));
            let minute = |time: chrono::DateTime<Tz>| chrono::Timelike::hour(&time) * 60 + chrono::Timelike::minute(&time);
            first.date_naive() == last.date_naive()
                && first.weekday() != Weekday::Tue
                && minute(first) >= 90
                && minute(last) <= 660
                && start >= args.after
                && blocks.iter().all(|(from, to)| end <= *from || *to <= start)
        };
        for slot in &found {
            prop_assert!(fits(slot.start), "{:?}", slot.start.to_string());
            prop_assert_eq!(slot.end, slot.start.plus_min(i64::from(duration_min)));
        }
        // Seven local days from that of `after` on.
        let last_day = crate::zone::local_date(args.after, tz) + Days::new(7);
        let quarters = (0..8 * 96).map(|n| begin.plus_min(after).plus_ms(-(args.after.ms().rem_euclid(900_000))).plus_min(n * 15));
        let first = quarters.filter(|at| crate::zone::local_date(*at, tz) < last_day).find(|at| fits(*at));
        prop_assert_eq!(found.first().map(|slot| slot.start), first);
    }
}
