//! Recurrence: the instances of a series inside a span.
//!
//! What: [`Rule`], [`starts`]. Why: rules are expanded on wall-clock time and each result is resolved in the event's zone,
//! so a meeting at 9:00 stays at 9:00 over both edges of daylight saving. Not here: overrides (`series`), `UNTIL` (taken
//! out of the rule by [`Rule::read`] and applied here).

use super::sources::{
    ics::{Event, Original},
    values::{Lasts, When},
};
use crate::shared::{PARSER_GAVE_UP, SkipCode, guarded};
use chrono::{DateTime, Datelike, NaiveDateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use rrule::{Frequency, NWeekday, RRule, RRuleSet, Unvalidated};
use std::collections::BTreeMap;

/// The rule cannot be expanded.
pub const BAD_RULE: SkipCode = SkipCode {
    code: "AGENT-015",
    message: "this event's recurrence rule cannot be expanded: rules repeat hourly at most, with at most 20000 instances until today and 64 times of day",
};

/// All rules together took too long.
pub const OUT_OF_STEPS: SkipCode = SkipCode {
    code: "AGENT-033",
    message: "all recurrence rules together took more than a million steps: this event's is tried again at the next look",
};

/// Instances that one rule may give on the way to the span.
const MAX_STEPS: u32 = 20_000;
/// What a rule costs that never comes: its library searched thousands of years in vain.
const VAIN: u32 = 250_000;
/// Characters of a rule.
const MAX_RULE: usize = 512;
/// Times of day that one rule names: its library makes all instances of a year at once.
const MAX_TIMES: usize = 64;

/// A span of instants, half open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First instant.
    pub from: DateTime<Utc>,
    /// First instant after it.
    pub to: DateTime<Utc>,
}

/// Steps left for all rules of one expansion: one million keep it below about a second.
#[derive(Debug)]
pub struct Budget(u32);

impl Default for Budget {
    fn default() -> Self {
        Self(1_000_000)
    }
}

impl Budget {
    /// What is too much ends it for all that follow.
    fn spend(&mut self, steps: u32) -> Result<(), SkipCode> {
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or(0);
        left.map(|_| ()).ok_or(OUT_OF_STEPS)
    }
}

/// An `RRULE` without its `UNTIL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Without `COUNT` too: what lies before the start does not count.
    rule: RRule<Unvalidated>,
    count: Option<u32>,
}

impl Rule {
    /// Reads a rule and splits off the text of its `UNTIL`: exports write it as a date, a local or a UTC time, and each is
    /// taken as what it says.
    ///
    /// # Errors
    /// [`BAD_RULE`] for anything that is no rule, or one over a limit; [`PARSER_GAVE_UP`] when its library panicked.
    pub fn read(value: &str) -> Result<(Self, Option<String>), SkipCode> {
        let value = value.trim().to_ascii_uppercase();
        let plain = |c: char| {
            c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '=' | ';' | ',' | '+' | '-')
        };
        if value.len() > MAX_RULE || !value.chars().all(plain) {
            return Err(BAD_RULE);
        }
        let (mut until, mut count, mut rest) = (None, None, Vec::new());
        for part in value.split(';').filter(|part| !part.is_empty()) {
            match part.split_once('=') {
                Some(("UNTIL", text)) => until = Some(text.to_owned()),
                Some(("COUNT", text)) => count = Some(text.parse().map_err(|_| BAD_RULE)?),
                Some(_) | None => rest.push(part),
            }
        }
        let rule = guarded(|| rest.join(";").parse::<RRule<Unvalidated>>()).ok_or(PARSER_GAVE_UP)?;
        let rule = rule.map_err(|_| BAD_RULE)?;
        let times = [rule.get_by_hour(), rule.get_by_minute(), rule.get_by_second()]
            .iter()
            .map(|times| times.len().max(1))
            .product::<usize>();
        let frequent = matches!(rule.get_freq(), Frequency::Secondly | Frequency::Minutely);
        if frequent || times > MAX_TIMES || rule.get_interval() == 0 {
            return Err(BAD_RULE);
        }
        Ok((Self { rule, count }, until))
    }

    /// Whether it comes every year, without a `COUNT`: it may then be looked at from any year on.
    pub fn every_year(&self) -> bool {
        self.rule.get_freq() == Frequency::Yearly && self.rule.get_interval() == 1 && self.count.is_none()
    }

    /// Hands out the rule's times on the wall, in order, until `each` returns false. Whether it did so.
    ///
    /// # Errors
    /// [`BAD_RULE`] for a rule that does not fit its start; [`PARSER_GAVE_UP`] when its library panicked.
    pub fn walk(
        &self,
        start: NaiveDateTime,
        each: &mut dyn FnMut(NaiveDateTime) -> bool,
    ) -> Result<bool, SkipCode> {
        guarded(|| {
            // The library sees wall-clock time as if it were UTC: it then has no edges of daylight saving to get wrong.
            let begin = self.first_period(start);
            let wall = begin.and_utc().with_timezone(&rrule::Tz::UTC);
            let rule = self.on(start).validate(wall).map_err(|_| BAD_RULE)?;
            let set = RRuleSet::new(wall).rrule(rule).limit();
            let mut left = self.count.unwrap_or(u32::MAX);
            for local in set.into_iter().map(|local| local.naive_utc()) {
                if local < start {
                    continue;
                }
                let Some(fewer) = left.checked_sub(1) else {
                    return Ok(false);
                };
                left = fewer;
                if !each(local) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
        .ok_or(PARSER_GAVE_UP)?
    }

    /// Where the library begins: positions in a week are those of the whole week, which it takes from its first day on only.
    fn first_period(&self, start: NaiveDateTime) -> NaiveDateTime {
        if self.rule.get_freq() != Frequency::Weekly || self.rule.get_by_set_pos().is_empty() {
            return start;
        }
        let into = start.weekday().days_since(self.rule.get_week_start());
        start
            .checked_sub_signed(TimeDelta::days(i64::from(into)))
            .unwrap_or(start)
    }

    /// As its library reads it right. A week without a day means the weekday of the start (RFC 5545, 3.3.10: what a rule
    /// leaves open comes from the start), where the library takes all seven of a week of the year. `MO,-1FR` means either, where the
    /// library asks for both: each Monday is the first to the 53rd.
    fn on(&self, start: NaiveDateTime) -> RRule<Unvalidated> {
        let rule = self.rule.clone();
        let days = rule.get_by_weekday();
        let named =
            !days.is_empty() || !rule.get_by_month_day().is_empty() || !rule.get_by_year_day().is_empty();
        let weekly = rule.get_freq() == Frequency::Weekly || !rule.get_by_week_no().is_empty();
        if weekly && !named {
            return rule.by_weekday(vec![NWeekday::Every(start.weekday())]);
        }
        let every = |day: &NWeekday| matches!(day, NWeekday::Every(_));
        if !days.iter().any(every) || days.iter().all(every) {
            return rule;
        }
        let most = if rule.get_freq() == Frequency::Yearly && rule.get_by_month().is_empty() {
            53
        } else {
            5
        };
        let days = days.iter().flat_map(|day| match *day {
            NWeekday::Every(day) => (1..=most).map(|n| NWeekday::Nth(n, day)).collect(),
            NWeekday::Nth(..) => vec![*day],
        });
        let days = days.collect();
        rule.by_weekday(days)
    }

    /// A later start with the same instances from `from` on: hourly, daily and weekly rules without `COUNT` are moved by
    /// whole intervals, so that an old series costs no more than a new one.
    fn nearer(&self, start: NaiveDateTime, from: NaiveDateTime) -> NaiveDateTime {
        let hours = match self.rule.get_freq() {
            Frequency::Hourly => 1,
            Frequency::Daily => 24,
            Frequency::Weekly => 7 * 24,
            Frequency::Yearly | Frequency::Monthly | Frequency::Minutely | Frequency::Secondly => {
                return start;
            }
        };
        if self.count.is_some() {
            return start;
        }
        let period = i64::from(self.rule.get_interval().max(1)) * hours;
        // Two intervals of room, for weeks that begin on another day.
        let skipped = ((from - start).num_hours() / period - 2).max(0) * period;
        TimeDelta::try_hours(skipped)
            .and_then(|d| start.checked_add_signed(d))
            .unwrap_or(start)
    }
}

/// Original starts, and what one that is extra lasts when it says so itself.
#[derive(Debug, Default)]
pub struct Starts {
    /// In order.
    pub starts: BTreeMap<DateTime<Utc>, Option<Lasts>>,
    /// Whether the rule turned out to name no time at all: it need not be looked at again.
    pub vain: bool,
}

/// The original starts of an event inside a span: the first start, the rule's (unless it is `vain`), the extra ones, without
/// the excluded.
///
/// # Errors
/// [`BAD_RULE`] for a rule that does not fit its start or gives too much, [`OUT_OF_STEPS`] when the budget is spent,
/// [`PARSER_GAVE_UP`] when its library panicked.
pub fn starts(
    event: &Event,
    owner: Tz,
    span: Span,
    vain: bool,
    budget: &mut Budget,
) -> Result<Starts, SkipCode> {
    let zone = event.start.zone();
    let first = event.start.instant(owner);
    let mut out = BTreeMap::from([(first, None)]);
    let mut found_vain = false;
    if let Some(rule) = event.rule.as_ref().filter(|_| !vain) {
        let to = event
            .until
            .map_or(span.to, |until| span.to.min(until + TimeDelta::seconds(1)));
        let start = event.start.local();
        let near = rule.nearer(start, zone.local(span.from, owner));
        budget.spend(1)?;
        let mut steps = 0;
        let mut spent = Ok(());
        let stopped = rule.walk(near, &mut |local| {
            steps += 1;
            spent = if steps > MAX_STEPS {
                Err(BAD_RULE)
            } else {
                budget.spend(1)
            };
            let at = zone.resolve(local, owner);
            if at >= span.from && at < to {
                out.insert(at, None);
            }
            spent.is_ok() && at < to
        })?;
        spent?;
        found_vain = !stopped && steps == 0;
        if found_vain {
            budget.spend(VAIN)?;
        }
    }
    let extra = event.extra.iter();
    out.extend(extra.map(|(start, lasts)| (on_that_day(start, &event.start).instant(owner), *lasts)));
    out.retain(|start, _| {
        let last = event.until.is_none_or(|until| *start <= until || *start == first);
        *start >= span.from && *start < span.to && last && !is_excluded(event, *start, owner)
    });
    Ok(Starts {
        starts: out,
        vain: found_vain,
    })
}

/// An extra date of a timed event: that day at the event's time.
fn on_that_day(extra: &When, start: &When) -> When {
    match (extra, start) {
        (When::Day(date), When::Time(local, zone)) => When::Time(date.and_time(local.time()), zone.clone()),
        (When::Day(_) | When::Time(..), _) => extra.clone(),
    }
}

fn is_excluded(event: &Event, start: DateTime<Utc>, owner: Tz) -> bool {
    event.excluded.iter().any(|excluded| match excluded {
        Original::At(at) => *at == start,
        Original::On(date) => event.start.zone().local(start, owner).date() == *date,
    })
}
