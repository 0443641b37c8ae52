//! Rules against a second expander that looks at every hour of every day, and free times against one that tries every quarter of an hour.
//! Neither shares a line with what it checks.

use super::{reading::read, *};
use crate::{
    queries::suggest_slots,
    recurrence::{InstantRange, starts},
    rrule::StepBudget,
};
use chrono::{Datelike, Days, NaiveDate, NaiveDateTime, TimeDelta, Timelike, Weekday};
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
    by_year_day: Vec<i32>,
    by_week_no: Vec<i32>,
    by_month: Vec<u32>,
    by_hour: Vec<u32>,
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
        let numbers = |list: &[i32]| list.iter().map(ToString::to_string).collect();
        list("BYDAY", self.by_day.iter().map(day).collect());
        list("BYMONTHDAY", numbers(&self.by_month_day));
        list("BYYEARDAY", numbers(&self.by_year_day));
        list("BYWEEKNO", numbers(&self.by_week_no));
        list("BYMONTH", self.by_month.iter().map(ToString::to_string).collect());
        list("BYHOUR", self.by_hour.iter().map(ToString::to_string).collect());
        list("BYSETPOS", numbers(&self.by_set_pos));
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

    fn begin_of_week(&self, date: NaiveDate) -> NaiveDate {
        let into = (date.weekday().num_days_from_monday() + 7 - u32::try_from(self.wkst).unwrap()) % 7;
        date - Days::new(u64::from(into))
    }

    /// The year of weeks in which a day lies, the number of its week, and how many there are: the first has the 4th of January.
    fn week(&self, day: NaiveDate) -> (i32, i32, i32) {
        let begin = |year| self.begin_of_week(NaiveDate::from_ymd_opt(year, 1, 4).unwrap());
        let mut year = day.year() - 1;
        while begin(year + 1) <= day {
            year += 1;
        }
        let weeks = |until: NaiveDate| i32::try_from((until - begin(year)).num_days() / 7).unwrap();
        (year, weeks(day) + 1, weeks(begin(year + 1)))
    }

    /// In which period of the frequency a time lies, counted from that of the start.
    fn period(&self, time: NaiveDateTime, start: NaiveDateTime) -> i32 {
        let week = |time: NaiveDateTime| self.begin_of_week(time.date()).num_days_from_ce() / 7;
        let month = |time: NaiveDateTime| time.year() * 12 + i32::try_from(time.month0()).unwrap();
        let day = |time: NaiveDateTime| time.num_days_from_ce();
        let hour = |time: NaiveDateTime| day(time) * 24 + i32::try_from(time.hour()).unwrap();
        let year = |time: NaiveDateTime| {
            if self.by_week_no.is_empty() {
                time.year()
            } else {
                self.week(time.date()).0
            }
        };
        match self.freq {
            "HOURLY" => hour(time) - hour(start),
            "DAILY" => day(time) - day(start),
            "WEEKLY" => week(time) - week(start),
            "MONTHLY" => month(time) - month(start),
            _ => year(time) - year(start),
        }
    }

    fn matches(&self, day: NaiveDate, start: NaiveDate) -> bool {
        let month_length = (day.with_day(1).unwrap() + chrono::Months::new(1) - Days::new(1)).day();
        let year_length = if day.leap_year() { 366 } else { 365 };
        let nth = |list: &[i32], n: u32, length: i32| {
            let n = i32::try_from(n).unwrap();
            list.iter()
                .any(|wanted| *wanted == n || *wanted + length + 1 == n)
        };
        let unnamed = self.by_day.is_empty() && self.by_month_day.is_empty() && self.by_year_day.is_empty();
        let of_weeks = !self.by_week_no.is_empty();
        let by_month = if self.by_month.is_empty() {
            self.freq != "YEARLY" || !unnamed || of_weeks || day.month() == start.month()
        } else {
            self.by_month.contains(&day.month())
        };
        let by_month_day = if self.by_month_day.is_empty() {
            !unnamed || of_weeks || !matches!(self.freq, "MONTHLY" | "YEARLY") || day.day() == start.day()
        } else {
            nth(
                &self.by_month_day,
                day.day(),
                i32::try_from(month_length).unwrap(),
            )
        };
        let by_year_day = self.by_year_day.is_empty() || nth(&self.by_year_day, day.ordinal(), year_length);
        let (_, number, weeks) = self.week(day);
        let by_week_no = !of_weeks || nth(&self.by_week_no, u32::try_from(number).unwrap(), weeks);
        // The nth of the month, or of the year where no month is named.
        let (ordinal, length) = if self.freq == "YEARLY" && self.by_month.is_empty() {
            (day.ordinal(), u32::try_from(year_length).unwrap())
        } else {
            (day.day(), month_length)
        };
        let first = i32::try_from((ordinal - 1) / 7 + 1).unwrap();
        let last = -i32::try_from((length - ordinal) / 7 + 1).unwrap();
        let by_day = if self.by_day.is_empty() {
            !unnamed || !(self.freq == "WEEKLY" || of_weeks) || day.weekday() == start.weekday()
        } else {
            self.by_day.iter().any(|(n, weekday)| {
                WEEKDAYS[*weekday].1 == day.weekday() && (*n == 0 || *n == first || *n == last)
            })
        };
        by_month && by_month_day && by_year_day && by_week_no && by_day
    }

    /// All times until a day, by looking at every hour of every day. The start is the first, whether the rule names it or not.
    fn times(&self, first: NaiveDateTime, until: NaiveDate) -> Vec<NaiveDateTime> {
        let start = first.date();
        let mut sets: BTreeMap<i32, Vec<NaiveDateTime>> = BTreeMap::new();
        // From before the start's year of weeks to behind the last one's: sets are whole.
        let all = NaiveDate::from_ymd_opt(start.year() - 1, 1, 1).unwrap() - Days::new(7);
        for day in all.iter_days().take_while(|day| *day <= until + Days::new(400)) {
            if !self.matches(day, start) {
                continue;
            }
            for hour in 0..24 {
                let of_start = self.freq != "HOURLY" && hour != first.hour();
                let wanted = if self.by_hour.is_empty() {
                    !of_start
                } else {
                    self.by_hour.contains(&hour)
                };
                let time = day.and_hms_opt(hour, first.minute(), first.second()).unwrap();
                let period = self.period(time, first);
                if wanted && period >= 0 && period % self.interval == 0 {
                    sets.entry(period).or_default().push(time);
                }
            }
        }
        let chosen = |set: Vec<NaiveDateTime>| -> Vec<NaiveDateTime> {
            let positions = set.iter().enumerate().filter(|(i, _)| {
                let (n, length) = (i32::try_from(*i).unwrap() + 1, i32::try_from(set.len()).unwrap());
                self.by_set_pos.is_empty()
                    || self
                        .by_set_pos
                        .iter()
                        .any(|pos| *pos == n || *pos + length + 1 == n)
            });
            positions.map(|(_, time)| *time).collect()
        };
        let mut times: Vec<NaiveDateTime> = sets.into_values().flat_map(chosen).collect();
        times.retain(|time| *time > first);
        times.insert(0, first);
        times.truncate(self.count.unwrap_or(usize::MAX));
        times.retain(|time| self.last(first).is_none_or(|last| *time <= last) && time.date() <= until);
        times
    }
}

fn any_spec() -> impl Strategy<Value = Spec> {
    let freq = prop_oneof![
        1 => Just("HOURLY"),
        2 => Just("DAILY"),
        2 => Just("WEEKLY"),
        3 => Just("MONTHLY"),
        4 => Just("YEARLY")
    ];
    let end = prop_oneof![
        2 => Just((None, None)),
        1 => (1..40_usize).prop_map(|count| (Some(count), None)),
        1 => (0..900_u64).prop_map(|until| (None, Some(until))),
    ];
    let nth = prop_oneof![3 => Just(0), 1 => -6..=-1, 1 => 1..=6, 1 => -53..=-1, 1 => 1..=53];
    let by_day = proptest::collection::vec((nth, 0..7_usize), 0..4);
    let signed = |most: i32| {
        let one = prop_oneof![1..=most, -most..=-1_i32];
        prop_oneof![2 => Just(vec![]), 1 => proptest::collection::vec(one, 1..4)]
    };
    let by_month = prop_oneof![2 => Just(vec![]), 1 => proptest::collection::vec(1..=12_u32, 1..5)];
    let by_hour = prop_oneof![3 => Just(vec![]), 1 => proptest::collection::vec(0..24_u32, 1..4)];
    let pos = prop_oneof![1..=4_i32, -4..=-1_i32];
    let by_set_pos = prop_oneof![2 => Just(vec![]), 1 => proptest::collection::vec(pos, 1..3)];
    let whole = (freq, 1..5_i32, end, 0..7_usize);
    let days = (by_day, signed(31), signed(366), signed(53));
    (whole, days, by_month, by_hour, by_set_pos).prop_map(
        |((freq, interval, (count, until), wkst), days, by_month, by_hour, by_set_pos)| {
            let (by_day, by_month_day, by_year_day, by_week_no) = days;
            let mut spec = Spec {
                freq,
                interval,
                count,
                until,
                wkst,
                by_day,
                by_month_day,
                by_year_day,
                by_week_no,
                by_month,
                by_hour,
                by_set_pos,
            };
            // What RFC 5545 forbids together, and a position among nothing.
            if freq != "YEARLY" {
                spec.by_week_no.clear();
            }
            if !matches!(freq, "YEARLY" | "HOURLY") {
                spec.by_year_day.clear();
            }
            if freq == "WEEKLY" {
                spec.by_month_day.clear();
            }
            if !matches!(freq, "MONTHLY" | "YEARLY") || !spec.by_week_no.is_empty() {
                for (n, _) in &mut spec.by_day {
                    *n = 0;
                }
            }
            let lists = [&spec.by_month_day, &spec.by_year_day, &spec.by_week_no];
            let others = spec.by_day.len() + spec.by_month.len() + spec.by_hour.len();
            if others + lists.iter().map(|list| list.len()).sum::<usize>() == 0 {
                spec.by_set_pos.clear();
            }
            spec
        },
    )
}

/// What the agent makes of a rule inside a span.
fn expanded(spec: &Spec, first: NaiveDateTime, from: NaiveDate, to: NaiveDate) -> Vec<NaiveDateTime> {
    let lines = format!(
        "DTSTART:{}Z\nRRULE:{}",
        first.format("%Y%m%dT%H%M%S"),
        spec.text(first)
    );
    let read = read(&ics(&[("x", &lines)]));
    assert_eq!(read.skips, [], "{lines}");
    let midnight = |day: NaiveDate| day.and_hms_opt(0, 0, 0).unwrap().and_utc();
    let span = InstantRange {
        from: midnight(from),
        to: midnight(to + Days::new(1)),
    };
    let mut refused = |code: agents_base::shared::SkipCode| panic!("{} of {lines}", code.code);
    let found = starts(
        (&read.events[0]).into(),
        Tz::UTC,
        span,
        &mut StepBudget::default(),
        &mut refused,
    );
    found.into_keys().map(|at| at.naive_utc()).collect()
}

proptest! {
    #[test]
    fn a_rule_gives_the_times_that_looking_at_every_hour_gives(
        spec in any_spec(), start in 0..1200_u64, later in prop_oneof![0..3_u64, 0..1500_u64], length in 1..400_u64,
    ) {
        let start = NaiveDate::from_ymd_opt(2023, 1, 1).unwrap() + Days::new(start);
        let first = start.and_hms_opt(9, 30, 0).unwrap();
        // Hours are many.
        let (later, length) = if spec.freq == "HOURLY" { (later % 30, length % 30) } else { (later, length) };
        let from = start + Days::new(later);
        let to = from + Days::new(length);
        let mut expected = spec.times(first, to);
        expected.retain(|time| time.date() >= from);
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
        let preferences: CalendarPreferences = serde_json::from_value(json!({
            "working_days": ["mon", "wed", "thu", "fri", "sat", "sun"], "working_hours": ["01:30", "11:00"],
        })).unwrap();
        let span = |(start, lasts, _): &(i64, i64, bool)| (begin.plus_min(*start), begin.plus_min(start + lasts));
        let mut instances: Vec<EventInstance> = meetings.iter().map(|meeting| {
            let (start, end) = span(meeting);
            let id = setup().key.event("x", &start.to_string());
            EventInstance {
                series: id.clone(), id, start, end, focus: false, transparent: meeting.2, all_day: false, uncertain: false, tentative: false, travel: None,
                created: None, unanswered: false, others: 0, posted: false,
            }
        }).collect();
        instances.sort_by_key(|i| i.start);
        let busy: Vec<model::BusyTime> = taken.iter().map(|one| {
            let (start, end) = span(one);
            model::BusyTime { start, end }
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
        let last_day = agents_base::zone::local_date(args.after, tz) + Days::new(7);
        let quarters = (0..8 * 96).map(|n| begin.plus_min(after).plus_ms(-(args.after.ms().rem_euclid(900_000))).plus_min(n * 15));
        let first = quarters.filter(|at| agents_base::zone::local_date(*at, tz) < last_day).find(|at| fits(*at));
        prop_assert_eq!(found.first().map(|slot| slot.start), first);
    }
}
