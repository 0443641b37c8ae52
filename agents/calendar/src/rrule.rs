//! Recurrence rules: one `RRULE`, read and walked on wall-clock time (RFC 5545, 3.3.10).
//!
//! What: [`RecurrenceRule`], [`StepBudget`]. Why: a rule is looked at period by period, so that its cost is known beforehand and one that
//! never comes ends where the span does. Not here: zones, `COUNT`, `UNTIL` and dates beside the rule (`recurrence`).

use agents_base::shared::SkipCode;
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Utc, Weekday};

/// The rule cannot be expanded.
pub(crate) const BAD_RULE: SkipCode = SkipCode {
    code: "AGENT-015",
    message: "this recurrence rule is not one of RFC 5545, repeats more often than hourly, names more than 64 times of day, takes more than 250000 steps, or is the event's 17th: only the event's other dates count",
};

/// All rules together took too long.
pub(crate) const OUT_OF_STEPS: SkipCode = SkipCode {
    code: "AGENT-033",
    message: "all recurrence rules together took more than four million steps: of this event only the dates beside its rule count; end old series that count their instances",
};

/// Steps that one rule may take: days visited and times found.
const MAX_STEPS: u32 = 250_000;
/// Characters of a rule.
const MAX_RULE: usize = 512;
/// Times of day that one rule names.
const MAX_TIMES: usize = 64;

/// Steps left for all rules of one expansion.
#[derive(Debug)]
pub(crate) struct StepBudget(u32);

impl Default for StepBudget {
    fn default() -> Self {
        Self(4_000_000)
    }
}

impl StepBudget {
    /// What is too much ends it for all that follow.
    fn spend(&mut self, steps: u32) -> Result<(), SkipCode> {
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or(0);
        left.map(|_| ()).ok_or(OUT_OF_STEPS)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleFrequency {
    Yearly,
    Monthly,
    Weekly,
    Daily,
    Hourly,
}

/// An `RRULE` without its `UNTIL`. An empty list means that the rule does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecurrenceRule {
    frequency: RuleFrequency,
    interval: u32,
    count: Option<u32>,
    week_start: Weekday,
    months: Vec<i32>,
    week_numbers: Vec<i32>,
    year_days: Vec<i32>,
    month_days: Vec<i32>,
    /// With their number in the month or year; 0 means each.
    weekdays: Vec<(i32, Weekday)>,
    hours: Vec<u32>,
    minutes: Vec<u32>,
    seconds: Vec<u32>,
    positions: Vec<i32>,
}

/// How an event repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventRecurrence {
    /// Its rule.
    pub(crate) rule: RecurrenceRule,
    /// The last instant at which this rule may give a start.
    pub(crate) until: Option<DateTime<Utc>>,
}

impl RecurrenceRule {
    /// Reads a rule and splits off the text of its `UNTIL`: exports write it as a date, a local or a UTC time, and each is
    /// taken as what it says.
    ///
    /// # Errors
    /// [`BAD_RULE`] for anything that RFC 5545 does not allow, or a rule over a limit.
    pub(crate) fn read(value: &str) -> Result<(Self, Option<String>), SkipCode> {
        let value = value.trim().to_ascii_uppercase();
        if value.len() > MAX_RULE {
            return Err(BAD_RULE);
        }
        let mut parts = Vec::new();
        for part in value.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, text) = part.split_once('=').ok_or(BAD_RULE)?;
            // What says nothing, or is somebody's own, changes no day.
            if says_nothing(name, text) || parts.contains(&(name, text)) {
                continue;
            }
            if parts.iter().any(|(known, _)| *known == name) {
                return Err(BAD_RULE);
            }
            parts.push((name, text));
        }
        let mut frequency = None;
        let mut until = None;
        let mut rule = Self {
            frequency: RuleFrequency::Yearly,
            interval: 1,
            count: None,
            week_start: Weekday::Mon,
            months: Vec::new(),
            week_numbers: Vec::new(),
            year_days: Vec::new(),
            month_days: Vec::new(),
            weekdays: Vec::new(),
            hours: Vec::new(),
            minutes: Vec::new(),
            seconds: Vec::new(),
            positions: Vec::new(),
        };
        for (name, text) in parts {
            match name {
                "FREQ" => frequency = frequency_of(text),
                "UNTIL" => until = Some(text.to_owned()),
                "COUNT" => rule.count = Some(positive(text)?),
                "INTERVAL" => rule.interval = positive(text)?,
                "WKST" => rule.week_start = weekday(text).ok_or(BAD_RULE)?,
                "BYMONTH" => rule.months = numbers(text, 1, 12)?,
                "BYWEEKNO" => rule.week_numbers = numbers(text, -53, 53)?,
                "BYYEARDAY" => rule.year_days = numbers(text, -366, 366)?,
                "BYMONTHDAY" => rule.month_days = numbers(text, -31, 31)?,
                "BYSETPOS" => rule.positions = numbers(text, -366, 366)?,
                "BYDAY" => rule.weekdays = list(text, numbered_weekday)?,
                "BYHOUR" => rule.hours = times(text, 23)?,
                "BYMINUTE" => rule.minutes = times(text, 59)?,
                "BYSECOND" => rule.seconds = times(text, 60)?,
                // RFC 7529: these two say what RFC 5545 does anyhow.
                "RSCALE" if text == "GREGORIAN" => {}
                "SKIP" if text == "OMIT" => {}
                _ => return Err(BAD_RULE),
            }
        }
        rule.frequency = frequency.ok_or(BAD_RULE)?;
        if rule.is_allowed() {
            Ok((rule, until))
        } else {
            Err(BAD_RULE)
        }
    }

    /// What RFC 5545 forbids in combination, and the limit of times of day.
    fn is_allowed(&self) -> bool {
        let frequency = self.frequency;
        let monthly_or_yearly = matches!(frequency, RuleFrequency::Monthly | RuleFrequency::Yearly);
        let numbered = self.weekdays.iter().any(|(n, _)| *n != 0);
        let others = [
            self.months.is_empty(),
            self.week_numbers.is_empty(),
            self.year_days.is_empty(),
            self.month_days.is_empty(),
            self.weekdays.is_empty(),
            self.hours.is_empty() && self.minutes.is_empty() && self.seconds.is_empty(),
        ];
        let per_day = [&self.hours, &self.minutes, &self.seconds]
            .iter()
            .map(|times| times.len().max(1))
            .product::<usize>();
        (self.week_numbers.is_empty() || frequency == RuleFrequency::Yearly)
            && (self.year_days.is_empty()
                || matches!(frequency, RuleFrequency::Yearly | RuleFrequency::Hourly))
            && (self.month_days.is_empty() || frequency != RuleFrequency::Weekly)
            && (!numbered || monthly_or_yearly && self.week_numbers.is_empty())
            && (self.positions.is_empty() || others.contains(&false))
            && per_day <= MAX_TIMES
    }

    /// How many times it gives, where it says so.
    pub(crate) fn count(&self) -> Option<u32> {
        self.count
    }

    /// Hands out the rule's times on the wall from `start` on, in order, until `each` returns false. Times before `from` may be left
    /// out, unless the rule has a `COUNT`; those after `to` are.
    ///
    /// # Errors
    /// [`BAD_RULE`] when this takes too many steps, [`OUT_OF_STEPS`] when the budget is spent.
    pub(crate) fn walk(
        &self,
        start: NaiveDateTime,
        (from, to): (NaiveDateTime, NaiveDateTime),
        budget: &mut StepBudget,
        each: &mut dyn FnMut(NaiveDateTime) -> bool,
    ) -> Result<(), SkipCode> {
        let step = i64::from(self.interval);
        let mut period = self.period(start);
        if self.count.is_none() {
            period += (self.period(from) - period).div_euclid(step).max(0) * step;
        }
        let mut steps: u32 = 0;
        while let Some((first, after)) = self.days(period).filter(|(first, _)| *first <= to.date()) {
            let times = self.positioned(self.times(period, (first, after), start));
            let looked = usize::try_from((after - first).num_days()).unwrap_or(0) + times.len();
            let looked = u32::try_from(looked).unwrap_or(u32::MAX);
            steps = steps.saturating_add(looked);
            if steps > MAX_STEPS {
                return Err(BAD_RULE);
            }
            budget.spend(looked)?;
            for time in times.into_iter().filter(|time| *time >= start) {
                if time > to || !each(time) {
                    return Ok(());
                }
            }
            period += step;
        }
        Ok(())
    }

    /// The number of the period of its frequency in which a time lies: of the year, month, week, day or hour. Rules of weeks' numbers
    /// count years of weeks, which begin up to three days before or after the calendar's.
    fn period(&self, time: NaiveDateTime) -> i64 {
        let date = time.date();
        let days = i64::from(date.num_days_from_ce());
        match self.frequency {
            RuleFrequency::Yearly if self.week_numbers.is_empty() => i64::from(date.year()),
            RuleFrequency::Yearly => i64::from(self.middle_of_week(date).year()),
            RuleFrequency::Monthly => i64::from(date.year()) * 12 + i64::from(date.month0()),
            // The first day of the common era was a Monday.
            RuleFrequency::Weekly => {
                (days - 1 - i64::from(self.week_start.num_days_from_monday())).div_euclid(7)
            }
            RuleFrequency::Daily => days,
            RuleFrequency::Hourly => days * 24 + i64::from(time.hour()),
        }
    }

    /// The days of a period: its first one, and the first after it.
    fn days(&self, period: i64) -> Option<(NaiveDate, NaiveDate)> {
        let of = |days: i64| NaiveDate::from_num_days_from_ce_opt(i32::try_from(days).ok()?);
        let year = |year: i64| i32::try_from(year).ok();
        Some(match self.frequency {
            RuleFrequency::Yearly if self.week_numbers.is_empty() => (
                NaiveDate::from_ymd_opt(year(period)?, 1, 1)?,
                NaiveDate::from_ymd_opt(year(period + 1)?, 1, 1)?,
            ),
            // Whatever day weeks begin on, the 4th of January lies in the first.
            RuleFrequency::Yearly => (
                self.week_of(NaiveDate::from_ymd_opt(year(period)?, 1, 4)?),
                self.week_of(NaiveDate::from_ymd_opt(year(period + 1)?, 1, 4)?),
            ),
            RuleFrequency::Monthly => (first_of_month(period)?, first_of_month(period + 1)?),
            RuleFrequency::Weekly => {
                let first = period * 7 + 1 + i64::from(self.week_start.num_days_from_monday());
                (of(first)?, of(first + 7)?)
            }
            RuleFrequency::Daily => (of(period)?, of(period + 1)?),
            RuleFrequency::Hourly => (of(period.div_euclid(24))?, of(period.div_euclid(24) + 1)?),
        })
    }

    /// All times of a period that the rule names, in order; some may lie before the start.
    fn times(
        &self,
        period: i64,
        (first, after): (NaiveDate, NaiveDate),
        start: NaiveDateTime,
    ) -> Vec<NaiveDateTime> {
        let named = |times: &[u32], of_start: u32| match times {
            [] => vec![of_start],
            times => times.to_vec(),
        };
        let hours = if self.frequency == RuleFrequency::Hourly {
            let hour = u32::try_from(period.rem_euclid(24)).unwrap_or(0);
            let wanted = self.hours.is_empty() || self.hours.contains(&hour);
            wanted.then_some(hour).into_iter().collect()
        } else {
            named(&self.hours, start.hour())
        };
        let minutes = named(&self.minutes, start.minute());
        let seconds = named(&self.seconds, start.second());
        let mut out = Vec::new();
        for day in first.iter_days().take_while(|day| *day < after) {
            if !self.names_day(day, start.date()) {
                continue;
            }
            for hour in &hours {
                for minute in &minutes {
                    let at = |second: &u32| NaiveTime::from_hms_opt(*hour, *minute, *second);
                    out.extend(seconds.iter().filter_map(at).map(|time| day.and_time(time)));
                }
            }
        }
        out
    }

    /// Of a period's times those at the positions that are asked for.
    fn positioned(&self, times: Vec<NaiveDateTime>) -> Vec<NaiveDateTime> {
        if self.positions.is_empty() {
            return times;
        }
        let length = times.len();
        let chosen = (1..)
            .zip(times)
            .filter(|(n, _)| is_nth(&self.positions, *n, length));
        chosen.map(|(_, time)| time).collect()
    }

    /// Whether the rule names a day. What it leaves open comes from the day of the start.
    fn names_day(&self, day: NaiveDate, start: NaiveDate) -> bool {
        let says =
            |list: &[i32], n: u32, length: u32| list.is_empty() || is_nth(list, n as usize, length as usize);
        let in_month =
            self.months.is_empty() || self.months.iter().any(|m| u32::try_from(*m) == Ok(day.month()));
        in_month
            && says(&self.month_days, day.day(), length_of_month(day))
            && says(&self.year_days, day.ordinal(), length_of_year(day))
            && (self.week_numbers.is_empty() || self.in_numbered_week(day))
            && (self.weekdays.is_empty() || self.is_named_weekday(day))
            && self.fits_start(day, start)
    }

    fn in_numbered_week(&self, day: NaiveDate) -> bool {
        let week = |day: NaiveDate| self.middle_of_week(day).ordinal0() / 7 + 1;
        let year = self.middle_of_week(day).year();
        // The 28th of December lies in the last week.
        let weeks = NaiveDate::from_ymd_opt(year, 12, 28).map_or(0, week);
        is_nth(&self.week_numbers, week(day) as usize, weeks as usize)
    }

    fn is_named_weekday(&self, day: NaiveDate) -> bool {
        let of_year = self.frequency == RuleFrequency::Yearly && self.months.is_empty();
        let (ordinal, length) = if of_year {
            (day.ordinal(), length_of_year(day))
        } else {
            (day.day(), length_of_month(day))
        };
        let nth = i64::from((ordinal - 1) / 7 + 1);
        let nth_last = -i64::from((length - ordinal) / 7 + 1);
        self.weekdays.iter().any(|(n, weekday)| {
            *weekday == day.weekday() && (*n == 0 || i64::from(*n) == nth || i64::from(*n) == nth_last)
        })
    }

    fn fits_start(&self, day: NaiveDate, start: NaiveDate) -> bool {
        if !(self.weekdays.is_empty() && self.month_days.is_empty() && self.year_days.is_empty()) {
            return true;
        }
        match self.frequency {
            RuleFrequency::Yearly if !self.week_numbers.is_empty() => day.weekday() == start.weekday(),
            RuleFrequency::Yearly => {
                day.day() == start.day() && (!self.months.is_empty() || day.month() == start.month())
            }
            RuleFrequency::Monthly => day.day() == start.day(),
            RuleFrequency::Weekly => day.weekday() == start.weekday(),
            RuleFrequency::Daily | RuleFrequency::Hourly => true,
        }
    }

    /// The first day of a day's week.
    fn week_of(&self, day: NaiveDate) -> NaiveDate {
        let into = i64::from(day.weekday().days_since(self.week_start));
        day.checked_sub_signed(TimeDelta::days(into)).unwrap_or(day)
    }

    /// The fourth day of a day's week: in its year lies most of the week.
    fn middle_of_week(&self, day: NaiveDate) -> NaiveDate {
        let first = self.week_of(day);
        first.checked_add_signed(TimeDelta::days(3)).unwrap_or(first)
    }
}

/// Whether `n` of `length` is asked for, counted from the begin, or from the end by negative numbers.
fn is_nth(list: &[i32], n: usize, length: usize) -> bool {
    let (n, length) = (i64::try_from(n).unwrap_or(0), i64::try_from(length).unwrap_or(0));
    list.iter().any(|wanted| {
        let wanted = i64::from(*wanted);
        wanted == n || wanted + length + 1 == n
    })
}

fn length_of_month(day: NaiveDate) -> u32 {
    u32::from(day.num_days_in_month())
}

fn length_of_year(day: NaiveDate) -> u32 {
    if day.leap_year() { 366 } else { 365 }
}

/// Of a month as the number of months since the year 0.
fn first_of_month(months: i64) -> Option<NaiveDate> {
    let year = i32::try_from(months.div_euclid(12)).ok()?;
    NaiveDate::from_ymd_opt(year, u32::try_from(months.rem_euclid(12)).ok()? + 1, 1)
}

fn frequency_of(text: &str) -> Option<RuleFrequency> {
    Some(match text {
        "YEARLY" => RuleFrequency::Yearly,
        "MONTHLY" => RuleFrequency::Monthly,
        "WEEKLY" => RuleFrequency::Weekly,
        "DAILY" => RuleFrequency::Daily,
        "HOURLY" => RuleFrequency::Hourly,
        _ => return None,
    })
}

fn weekday(text: &str) -> Option<Weekday> {
    Some(match text {
        "MO" => Weekday::Mon,
        "TU" => Weekday::Tue,
        "WE" => Weekday::Wed,
        "TH" => Weekday::Thu,
        "FR" => Weekday::Fri,
        "SA" => Weekday::Sat,
        "SU" => Weekday::Sun,
        _ => return None,
    })
}

/// `MO`, `2MO`, `+2MO` or `-1MO`.
fn numbered_weekday(text: &str) -> Option<(i32, Weekday)> {
    let (n, day) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let n = match n {
        "" => 0,
        n => number(n, -53, 53)?,
    };
    Some((n, weekday(day)?))
}

/// A number other than 0, perhaps with a sign.
fn number(text: &str, least: i32, most: i32) -> Option<i32> {
    let n: i32 = text.parse().ok()?;
    (n != 0 && (least..=most).contains(&n)).then_some(n)
}

/// Whether a part of a rule says nothing: it is empty, of a program's own, or the number by which programs write that there is no end.
fn says_nothing(name: &str, text: &str) -> bool {
    text.is_empty() || name.starts_with("X-") || (name, text) == ("COUNT", "-1")
}

fn positive(text: &str) -> Result<u32, SkipCode> {
    let n = text.parse().ok().filter(|n| *n > 0);
    n.filter(|_| text.bytes().all(|b| b.is_ascii_digit()))
        .ok_or(BAD_RULE)
}

fn list<T>(text: &str, one: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, SkipCode> {
    text.split(',')
        .map(|text| one(text.trim()).ok_or(BAD_RULE))
        .collect()
}

fn numbers(text: &str, least: i32, most: i32) -> Result<Vec<i32>, SkipCode> {
    list(text, |text| number(text, least, most))
}

/// Hours, minutes or seconds, in order and each once. A leap second is the second before it.
fn times(text: &str, most: u32) -> Result<Vec<u32>, SkipCode> {
    let mut out = list(text, |text| {
        text.parse().ok().filter(|n: &u32| *n <= most).map(|n| n.min(59))
    })?;
    out.sort_unstable();
    out.dedup();
    Ok(out)
}
