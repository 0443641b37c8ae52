//! Time zones of events: by name, or as their file defines them.
//!
//! What: [`EventZone`]; [`CalendarZones`], the definitions of one file; [`ZoneContext`], what a time without a known zone means. Why: a name that the
//! tz database knows is better kept there than in any file; a file's own definition is all there is for the others. Not here: names
//! (`zone_names`), the owner's zone (`agents_base::zone`), times (`values`).

use super::{
    ics::{props, text},
    lines::{ComponentBlock, ComponentKind},
    values::local,
    zone_names::{fixed_offset, known},
};
use crate::rrule::{RecurrenceRule, StepBudget};
use agents_base::{
    shared::{SkipCode, guarded},
    zone,
};
use chrono::{DateTime, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use icalendar::parser::{Component, read_calendar_simple};
use std::{cell::Cell, collections::BTreeMap, sync::Arc};

/// The event's zone is unknown.
pub(crate) const UNKNOWN_ZONE: SkipCode = SkipCode {
    code: "AGENT-030",
    message: "this event's TZID is no IANA or Windows zone, and its file does not define it: it is read in your zone and marked as uncertain; export it with its VTIMEZONE, or name an IANA zone",
};

/// The years for which the rules of a file's own zone are worked out.
const YEARS: (i32, i32) = (1970, 2100);
/// Changes of a file's own zone.
const MAX_CHANGES: usize = 1024;
/// Seconds in a day: no zone is further from UTC.
const DAY: i64 = 86_400;

/// Where a local time is meant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EventZone {
    /// A zone of the tz database.
    Known(Tz),
    /// A zone that only its file defines.
    Own(Arc<ZoneOffsets>),
    /// Wherever the owner is: a floating time.
    Owner,
    /// Unknown: read as the owner's.
    Unknown,
}

impl EventZone {
    /// The instant of a local time: of two the first, in a gap read with the offset before it (RFC 5545, 3.3.5).
    pub(crate) fn resolve(&self, local: NaiveDateTime, owner: Tz) -> DateTime<Utc> {
        match self {
            Self::Known(known) => zone::resolve(local, *known),
            Self::Own(offsets) => offsets.resolve(local),
            Self::Owner | Self::Unknown => zone::resolve(local, owner),
        }
    }

    /// The local time of an instant.
    pub(crate) fn local(&self, at: DateTime<Utc>, owner: Tz) -> NaiveDateTime {
        match self {
            Self::Known(known) => at.with_timezone(known).naive_local(),
            Self::Own(offsets) => at.naive_utc() + TimeDelta::seconds(offsets.at(at.timestamp())),
            Self::Owner | Self::Unknown => at.with_timezone(&owner).naive_local(),
        }
    }
}

/// The offsets of a zone over time, in seconds east of UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ZoneOffsets {
    /// Before the first change.
    first: i64,
    /// From which second since 1970 UTC which offset is in force, in order.
    changes: Vec<(i64, i64)>,
}

impl ZoneOffsets {
    /// The same at any time.
    fn fixed(offset: i64) -> Self {
        Self {
            first: offset,
            changes: Vec::new(),
        }
    }

    fn at(&self, second: i64) -> i64 {
        let after = self.changes.partition_point(|(from, _)| *from <= second);
        let last = after.checked_sub(1).and_then(|i| self.changes.get(i));
        last.map_or(self.first, |(_, offset)| *offset)
    }

    fn resolve(&self, local: NaiveDateTime) -> DateTime<Utc> {
        let wall = local.and_utc().timestamp();
        let before = self.at(wall - DAY);
        let near = self.changes.iter().filter(|(from, _)| (from - wall).abs() <= DAY);
        let offsets = near.map(|(_, offset)| *offset).chain([before]);
        let first = offsets
            .map(|offset| (wall - offset, offset))
            .filter(|(second, offset)| self.at(*second) == *offset)
            .map(|(second, _)| second)
            .min();
        DateTime::from_timestamp(first.unwrap_or(wall - before), 0).unwrap_or_default()
    }

    /// The standard and daylight observances of a VTIMEZONE: each begins at local times of the offset before it.
    fn from_timezone(definition: &Component<'_>) -> Option<Self> {
        let mut changes: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
        for observance in &definition.components {
            let (from, to) = (
                offset(text(observance, "TZOFFSETFROM")?)?,
                offset(text(observance, "TZOFFSETTO")?)?,
            );
            for onset in onsets(observance, from)? {
                changes.insert(onset.and_utc().timestamp() - from, (from, to));
            }
        }
        let first = changes.values().next()?.0;
        let changes: Vec<(i64, i64)> = changes
            .into_iter()
            .map(|(second, (_, to))| (second, to))
            .collect();
        (changes.len() <= MAX_CHANGES).then_some(Self { first, changes })
    }
}

/// When an observance begins, on the clock that it ends: its start, its rules', its extra dates.
fn onsets(observance: &Component<'_>, from: i64) -> Option<Vec<NaiveDateTime>> {
    let (start, _) = local(text(observance, "DTSTART")?)?;
    let mut out = vec![start];
    for property in props(observance, "RDATE") {
        for one in property.val.as_str().split(',') {
            out.push(local(one.split('/').next()?)?.0);
        }
    }
    for property in props(observance, "RRULE") {
        let (rule, until) = RecurrenceRule::read(property.val.as_str()).ok()?;
        // Until is an instant; exports also write it as a local time or a date.
        let until = match until.as_deref().map(local) {
            Some(None) => return None,
            Some(Some((until, utc))) if utc => Some(until + TimeDelta::seconds(from)),
            Some(Some((until, _))) => Some(until),
            None => None,
        };
        // Exchange lets all its zones begin in 1601: years that nobody asks for are left out.
        let edge = |year| NaiveDate::from_ymd_opt(year, 1, 1).map(|day| day.and_time(chrono::NaiveTime::MIN));
        let years = (edge(YEARS.0)?, edge(YEARS.1 + 1)?);
        let mut left = rule
            .count()
            .map_or(MAX_CHANGES, |count| MAX_CHANGES.min(count as usize));
        rule.walk(start, years, &mut StepBudget::default(), &mut |onset| {
            let goes_on = left > 0 && until.is_none_or(|until| onset <= until);
            left = left.saturating_sub(1);
            if goes_on {
                out.push(onset);
            }
            goes_on
        })
        .ok()?;
    }
    Some(out)
}

/// `+0530`, `-0800` or with seconds.
fn offset(value: &str) -> Option<i64> {
    let sign = match value.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let part = |range| {
        value
            .get(range)
            .and_then(|digits: &str| digits.parse::<i64>().ok())
    };
    let seconds = match value.len() {
        5 => 0,
        7 => part(5..7)?,
        _ => return None,
    };
    let total = part(1..3)? * 3600 + part(3..5)? * 60 + seconds;
    (total < DAY).then_some(sign * total)
}

/// The zones of one file.
#[derive(Debug, Clone, Default)]
pub(crate) struct CalendarZones(BTreeMap<String, EventZone>);

impl CalendarZones {
    /// The zones that only this file defines.
    pub(crate) fn from_blocks(blocks: &[ComponentBlock<'_>]) -> Self {
        let definitions = blocks.iter().filter(|block| block.kind == ComponentKind::Zone);
        let all = definitions.filter_map(|block| guarded(|| define(&block.text())).flatten());
        Self(all.collect())
    }

    fn defined(&self, tzid: &str) -> Option<EventZone> {
        self.0.get(tzid).cloned()
    }
}

/// What times of one component mean that name no zone, or one that nobody knows.
pub(crate) struct ZoneContext<'a> {
    /// Of the calendar around it.
    own: &'a CalendarZones,
    /// Of all calendars of the file.
    everywhere: &'a CalendarZones,
    /// The zone of the calendar around it, when that names one that is known.
    calendar: Option<EventZone>,
    met_unknown: Cell<bool>,
}

impl<'a> ZoneContext<'a> {
    /// Of a component in a calendar that defines its `own` zones and whose `X-WR-TIMEZONE` is `calendar`; what it does not define may be
    /// defined by another calendar of the file.
    pub(crate) fn new(
        (own, everywhere): (&'a CalendarZones, &'a CalendarZones),
        calendar: Option<&str>,
    ) -> Self {
        let mut context = Self {
            own,
            everywhere,
            calendar: None,
            met_unknown: Cell::new(false),
        };
        context.calendar = calendar.and_then(|name| context.find(name));
        context
    }

    /// The zone of a `TZID`: by its name; as the file defines it; by the offset that its name is.
    fn find(&self, tzid: &str) -> Option<EventZone> {
        let tzid = normalized(tzid);
        let defined = || self.own.defined(tzid).or_else(|| self.everywhere.defined(tzid));
        let offset = || fixed_offset(tzid).map(|offset| EventZone::Own(Arc::new(ZoneOffsets::fixed(offset))));
        known(tzid).map(EventZone::Known).or_else(defined).or_else(offset)
    }

    /// The zone of times without one: the calendar's, else wherever the owner is.
    pub(crate) fn floating(&self) -> EventZone {
        self.calendar.clone().unwrap_or(EventZone::Owner)
    }

    /// The zone of a `TZID`; when nobody knows it the calendar's, else the owner's, which is a guess.
    pub(crate) fn named(&self, tzid: &str) -> EventZone {
        let zone = self.find(tzid).or_else(|| self.calendar.clone());
        zone.unwrap_or_else(|| {
            self.met_unknown.set(true);
            EventZone::Unknown
        })
    }

    /// Whether a guess was made.
    pub(crate) fn has_met_unknown(&self) -> bool {
        self.met_unknown.get()
    }
}

/// The name of a definition and what it means; nothing for a name that is known anyhow.
fn define(text_of: &str) -> Option<(String, EventZone)> {
    let components = read_calendar_simple(text_of).ok()?;
    let definition = components.first()?;
    let tzid = normalized(text(definition, "TZID")?);
    if known(tzid).is_some() {
        return None;
    }
    let named = text(definition, "X-LIC-LOCATION").and_then(known);
    let zone = match named {
        Some(zone) => EventZone::Known(zone),
        None => EventZone::Own(Arc::new(ZoneOffsets::from_timezone(definition)?)),
    };
    Some((tzid.to_owned(), zone))
}

fn normalized(tzid: &str) -> &str {
    tzid.trim().trim_matches('"')
}
