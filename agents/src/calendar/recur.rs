//! Recurrence: the instances of a series inside a span.
//!
//! What: [`starts`]. Why: rules are expanded on wall-clock time and each result is resolved in the event's zone, so a
//! meeting at 9:00 stays at 9:00 over both edges of daylight saving. Not here: overrides (`model`), `UNTIL` (taken out
//! of the rule by `sources::ics` and applied here).

use super::sources::{ics::Event, values::When};
use crate::{
    shared::{PARSER_GAVE_UP, SkipCode, guarded},
    zone::resolve,
};
use chrono::{DateTime, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use rrule::{Frequency, RRule, RRuleSet, Unvalidated};
use std::collections::BTreeSet;

/// The rule cannot be expanded.
pub const BAD_RULE: SkipCode = SkipCode {
    code: "AGENT-015",
    message: "this event's recurrence rule cannot be expanded: rules repeat hourly at most, with at most 20000 instances until today",
};

/// Instances that one rule may give on the way to the span.
const MAX_STEPS: u32 = 20_000;
/// What a rule costs that ended without a `COUNT`: its library searched 100 000 periods in vain.
const VAIN: u32 = 50_000;

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
    fn spend(&mut self, steps: u32) -> Result<(), SkipCode> {
        self.0 = self.0.checked_sub(steps).ok_or(BAD_RULE)?;
        Ok(())
    }
}

/// The starts of an event whose instances touch the span: the first start, the rule's, the extra ones, without the
/// excluded. `owner` is the zone of all-day events.
///
/// # Errors
/// [`BAD_RULE`] for a rule that is wrong, too frequent or over a limit; [`PARSER_GAVE_UP`] when its library panicked.
pub fn starts(
    event: &Event,
    owner: Tz,
    span: Span,
    budget: &mut Budget,
) -> Result<BTreeSet<DateTime<Utc>>, SkipCode> {
    // An instance that began before the span may reach into it.
    let from = span.from - event.lasts;
    let first = event.start.instant(owner);
    let mut out: BTreeSet<DateTime<Utc>> = event.extra.iter().copied().chain([first]).collect();
    if let Some(rule) = &event.rule {
        let (local, zone) = match event.start {
            When::Day(date) => (date.and_time(NaiveTime::MIN), owner),
            When::Time(local, zone) => (local, zone),
        };
        let to = event
            .until
            .map_or(span.to, |until| span.to.min(until + TimeDelta::seconds(1)));
        budget.spend(1)?;
        out.extend(guarded(|| expand(rule, local, zone, Span { from, to }, budget)).ok_or(PARSER_GAVE_UP)??);
    }
    out.retain(|start| {
        let last = event.until.is_none_or(|until| *start <= until || *start == first);
        *start >= from && *start < span.to && last && !event.excluded.contains(start)
    });
    Ok(out)
}

fn expand(
    rule: &str,
    start: NaiveDateTime,
    zone: Tz,
    span: Span,
    budget: &mut Budget,
) -> Result<Vec<DateTime<Utc>>, SkipCode> {
    let plain =
        |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '=' | ';' | ',' | '+' | '-');
    if rule.len() > 512 || !rule.chars().all(plain) {
        return Err(BAD_RULE);
    }
    let rule: RRule<Unvalidated> = rule.parse().map_err(|_| BAD_RULE)?;
    if matches!(rule.get_freq(), Frequency::Secondly | Frequency::Minutely) {
        return Err(BAD_RULE);
    }
    let counted = rule.get_count().is_some();
    let start = if counted {
        start
    } else {
        nearer(&rule, start, zone, span.from)
    };
    // The library sees wall-clock time as if it were UTC: it then has no edges of daylight saving to get wrong.
    let wall = start.and_utc().with_timezone(&rrule::Tz::UTC);
    let rule = rule.validate(wall).map_err(|_| BAD_RULE)?;
    let set = RRuleSet::new(wall).rrule(rule).limit();
    let mut out = Vec::new();
    let mut steps = 0;
    for local in &set {
        steps += 1;
        budget.spend(1)?;
        let at = resolve(local.naive_utc(), zone);
        if at >= span.to {
            return Ok(out);
        }
        if steps > MAX_STEPS {
            return Err(BAD_RULE);
        }
        if at >= span.from {
            out.push(at);
        }
    }
    if !counted {
        budget.spend(VAIN)?;
    }
    Ok(out)
}

/// A later start with the same instances from `from` on: daily and weekly rules without `COUNT` are moved by whole
/// intervals, so that an old series costs no more than a new one.
fn nearer(rule: &RRule<Unvalidated>, start: NaiveDateTime, zone: Tz, from: DateTime<Utc>) -> NaiveDateTime {
    let days = match rule.get_freq() {
        Frequency::Daily => 1,
        Frequency::Weekly => 7,
        Frequency::Yearly
        | Frequency::Monthly
        | Frequency::Hourly
        | Frequency::Minutely
        | Frequency::Secondly => {
            return start;
        }
    };
    let period = i64::from(rule.get_interval().max(1)) * days;
    let gap = (from.with_timezone(&zone).naive_local() - start).num_days();
    // Two intervals of room, for weeks that begin on another day.
    let skipped = (gap / period - 2).max(0) * period;
    TimeDelta::try_days(skipped)
        .and_then(|d| start.checked_add_signed(d))
        .unwrap_or(start)
}
