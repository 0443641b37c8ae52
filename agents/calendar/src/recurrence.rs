//! Recurrence: the original starts of an event inside a span.
//!
//! What: [`starts`]. Why: rules are walked on wall-clock time and each result is resolved in the event's zone, so a meeting at
//! 9:00 stays at 9:00 over both edges of daylight saving. Not here: what a rule says (`rrule`), overrides (`series`).

use super::{
    rrule::{EventRecurrence, StepBudget},
    sources::{
        ics::{CalendarEvent, RecurrenceId},
        values::{EventDuration, EventTime},
    },
};
use agents_base::shared::SkipCode;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use std::collections::{BTreeMap, BTreeSet};

/// A span of instants, half open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InstantRange {
    /// First instant.
    pub(crate) from: DateTime<Utc>,
    /// First instant after it.
    pub(crate) to: DateTime<Utc>,
}

/// When something was meant to start, again and again.
#[derive(Clone, Copy)]
pub(crate) struct SeriesTimes<'a> {
    pub(crate) start: &'a EventTime,
    pub(crate) rules: &'a [EventRecurrence],
    pub(crate) extra: &'a [(EventTime, Option<EventDuration>)],
    pub(crate) excluded: &'a [RecurrenceId],
}

impl<'a> From<&'a CalendarEvent> for SeriesTimes<'a> {
    fn from(event: &'a CalendarEvent) -> Self {
        Self {
            start: &event.start,
            rules: &event.rules,
            extra: &event.extra,
            excluded: &event.excluded,
        }
    }
}

/// The original starts of a series inside a span, each with a length of its own where it has one: the first start, those of the rules,
/// the extra ones, without the excluded. `trouble` is called for each rule that cannot be expanded; the other dates count.
pub(crate) fn starts(
    series: SeriesTimes<'_>,
    owner: Tz,
    span: InstantRange,
    budget: &mut StepBudget,
    trouble: &mut dyn FnMut(SkipCode),
) -> BTreeMap<DateTime<Utc>, Option<EventDuration>> {
    let mut out = BTreeMap::from([(series.start.instant(owner), None)]);
    for recurrence in series.rules {
        match recurring(series, recurrence, owner, span, budget) {
            Ok(found) => out.extend(found.into_iter().map(|start| (start, None))),
            Err(code) => trouble(code),
        }
    }
    let extra = series.extra.iter();
    out.extend(extra.map(|(start, lasts)| (in_kind(start, series.start).instant(owner), *lasts)));
    out.retain(|start, _| *start >= span.from && *start < span.to && !is_excluded(series, *start, owner));
    out
}

/// The starts that one rule gives inside a span. `COUNT` counts different instants, the first start as the first, whether the rule
/// gives it or not (RFC 5545, 3.3.10): what falls into the gap of daylight saving and what comes after it is one.
fn recurring(
    series: SeriesTimes<'_>,
    EventRecurrence { rule, until }: &EventRecurrence,
    owner: Tz,
    span: InstantRange,
    budget: &mut StepBudget,
) -> Result<Vec<DateTime<Utc>>, SkipCode> {
    let zone = series.start.zone();
    let to = until.map_or(span.to, |until| span.to.min(until + TimeDelta::seconds(1)));
    // No zone's clocks are set by more than a day, so two days more find all that could fall into the span.
    let wall = |at: DateTime<Utc>, days: i64| {
        let local = zone.local(at, owner);
        local.checked_add_signed(TimeDelta::days(days)).unwrap_or(local)
    };
    let within = (wall(span.from, -2), wall(to, 2));
    let mut counted = BTreeSet::from([series.start.instant(owner)]);
    let mut found = Vec::new();
    rule.walk(series.start.local(), within, budget, &mut |local| {
        let at = zone.resolve(local, owner);
        if let Some(count) = rule.count() {
            counted.insert(at);
            if counted.len() > count as usize {
                return false;
            }
        }
        if at >= span.from && at < to {
            found.push(at);
        }
        true
    })?;
    Ok(found)
}

/// An extra date as its event is meant: of a timed event that day at the event's time, of an all-day event that day.
fn in_kind(extra: &EventTime, start: &EventTime) -> EventTime {
    match (extra, start) {
        (EventTime::Day(date), EventTime::Time(local, zone)) => {
            EventTime::Time(date.and_time(local.time()), zone.clone())
        }
        (EventTime::Time(local, _), EventTime::Day(_)) => EventTime::Day(local.date()),
        (EventTime::Day(_), EventTime::Day(_)) | (EventTime::Time(..), EventTime::Time(..)) => extra.clone(),
    }
}

fn is_excluded(series: SeriesTimes<'_>, start: DateTime<Utc>, owner: Tz) -> bool {
    series.excluded.iter().any(|excluded| match excluded {
        RecurrenceId::At(at) => *at == start,
        RecurrenceId::On(date) => series.start.zone().local(start, owner).date() == *date,
    })
}
