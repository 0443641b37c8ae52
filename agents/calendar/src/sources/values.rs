//! Values of iCalendar properties: times with zones, lengths, places.
//!
//! What: [`EventTime`], [`EventDuration`] and the parsers. Why: zones and floating times are where calendars go wrong. Not here:
//! components (`lines`, `ics`), what a zone is (`zones`), recurrence (`recurrence`).

use super::zones::{EventZone, ZoneContext};
use agents_base::shared::SkipCode;
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use toolcall_schema::signal::LocationData;

/// A time of the event cannot be read.
pub(crate) const BAD_TIME: SkipCode = SkipCode {
    code: "AGENT-014",
    message: "this event has a time that cannot be read: dates need to exist, in a year from 1900 to 2200, and busy times end after their start",
};

/// The last year in which anything may be.
const LAST_YEAR: i32 = 2200;

/// The longest event, in days.
const MAX_DAYS: i64 = 400;

/// A time of an event: a day, or a local time in a zone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EventTime {
    /// An all-day event's date.
    Day(NaiveDate),
    /// A local time; UTC is a zone, and so is wherever the owner is.
    Time(NaiveDateTime, EventZone),
}

impl EventTime {
    /// The instant: a day begins at midnight of `owner`.
    pub(crate) fn instant(&self, owner: Tz) -> DateTime<Utc> {
        self.zone().resolve(self.local(), owner)
    }

    /// The time on the wall; of a day its midnight.
    pub(crate) fn local(&self) -> NaiveDateTime {
        match self {
            Self::Day(date) => date.and_time(NaiveTime::MIN),
            Self::Time(local, _) => *local,
        }
    }

    /// The zone; a day is the owner's.
    pub(crate) fn zone(&self) -> &EventZone {
        match self {
            Self::Day(_) => &EventZone::Owner,
            Self::Time(_, zone) => zone,
        }
    }
}

/// Reads `20261103`, `20261103T090000` (in the zone of `tzid`, else in `otherwise`) or `20261103T090000Z`.
///
/// # Errors
/// [`BAD_TIME`] for anything else, also a year outside 1900 to 2200.
pub(crate) fn when(
    value: &str,
    tzid: Option<&str>,
    zones: &ZoneContext<'_>,
    otherwise: &EventZone,
) -> Result<EventTime, SkipCode> {
    let value = value.trim();
    let (local, utc) = local(value).ok_or(BAD_TIME)?;
    let local = match local.year() {
        // Apple's year of birthdays whose year nobody said. Four hundred years later all days fall on the same days of the week.
        1604 => local.with_year(2004).ok_or(BAD_TIME)?,
        1900..=LAST_YEAR => local,
        _ => return Err(BAD_TIME),
    };
    if value.len() == 8 {
        return Ok(EventTime::Day(local.date()));
    }
    let zone = match tzid {
        _ if utc => EventZone::Known(Tz::UTC),
        Some(tzid) => zones.named(tzid),
        None => otherwise.clone(),
    };
    Ok(EventTime::Time(local, zone))
}

/// Whether the last time of a rule is in a year after those that are read.
pub(crate) fn is_for_ever(until: &str) -> bool {
    local(until).is_some_and(|(last, _)| last.year() > LAST_YEAR)
}

/// A date (its midnight) or a time of any year, and whether it is in UTC.
pub(crate) fn local(value: &str) -> Option<(NaiveDateTime, bool)> {
    let value = value.trim();
    if value.len() == 8 {
        let date = NaiveDate::parse_from_str(value, "%Y%m%d").ok()?;
        return Some((date.and_time(NaiveTime::MIN), false));
    }
    let (time, utc) = match value.strip_suffix(['Z', 'z']) {
        Some(time) => (time, true),
        None => (value, false),
    };
    // A leap second is the second before it: chrono would keep it as one that no clock shows.
    let time = NaiveDateTime::parse_from_str(time, "%Y%m%dT%H%M%S").ok()?;
    Some((chrono::Timelike::with_nanosecond(&time, 0)?, utc))
}

/// How long an event lasts, from its start: first whole days on the wall's clock, then an exact time (RFC 5545, 3.3.6
/// and 3.8.5.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct EventDuration {
    /// Days as the owner counts them: one over a change of the clocks has 23 or 25 hours.
    pub(crate) days: i64,
    /// What comes after them.
    pub(crate) exact: TimeDelta,
}

impl EventDuration {
    /// From a start to an end; days count as days.
    ///
    /// # Errors
    /// [`BAD_TIME`] when the end comes before the start, or more than 400 days after it.
    pub(crate) fn between(start: &EventTime, end: &EventTime, owner: Tz) -> Result<Self, SkipCode> {
        let lasts = match (start, end) {
            (EventTime::Day(first), EventTime::Day(after)) => Self {
                days: (*after - *first).num_days(),
                exact: TimeDelta::zero(),
            },
            (EventTime::Day(_) | EventTime::Time(..), _) => Self {
                days: 0,
                exact: end.instant(owner) - start.instant(owner),
            },
        };
        lasts.checked().ok_or(BAD_TIME)
    }

    /// Itself, when it is neither negative nor too long.
    pub(crate) fn checked(self) -> Option<Self> {
        let fits = self.days >= 0
            && self.exact >= TimeDelta::zero()
            && TimeDelta::days(self.days) + self.exact <= TimeDelta::days(MAX_DAYS);
        fits.then_some(self)
    }

    /// The end of what starts at `start` in a zone.
    pub(crate) fn end(self, start: DateTime<Utc>, zone: &EventZone, owner: Tz) -> DateTime<Utc> {
        if self.days == 0 {
            return start + self.exact;
        }
        zone.resolve(zone.local(start, owner) + TimeDelta::days(self.days), owner) + self.exact
    }

    /// No less than it lasts anywhere.
    pub(crate) fn most(self) -> TimeDelta {
        let spare = TimeDelta::days(i64::from(self.days > 0));
        TimeDelta::days(self.days) + spare + self.exact
    }
}

/// Reads a duration: `PT30M`, `P1DT2H`, `P2W`; a leading `-` makes it negative. At most ±400 days.
pub(crate) fn duration(value: &str) -> Option<EventDuration> {
    let value = value.trim();
    let (sign, value) = match value.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, value.strip_prefix('+').unwrap_or(value)),
    };
    let (mut days, mut seconds): (i64, i64) = (0, 0);
    let mut number: Option<i64> = None;
    let mut time = false;
    let mut any = false;
    for c in value.strip_prefix('P')?.chars() {
        if let Some(digit) = c.to_digit(10) {
            number = Some(
                number
                    .unwrap_or(0)
                    .checked_mul(10)?
                    .checked_add(i64::from(digit))?,
            );
            continue;
        }
        if c == 'T' && number.is_none() && !time {
            time = true;
            continue;
        }
        let (sum, unit) = match (c, time) {
            ('W', false) => (&mut days, 7),
            ('D', false) => (&mut days, 1),
            ('H', true) => (&mut seconds, 3600),
            ('M', true) => (&mut seconds, 60),
            ('S', true) => (&mut seconds, 1),
            _ => return None,
        };
        *sum = sum.checked_add(number.take()?.checked_mul(unit)?)?;
        any = true;
    }
    let whole = any && number.is_none();
    let fits = days <= MAX_DAYS && seconds <= MAX_DAYS * 86_400;
    (whole && fits).then(|| EventDuration {
        days: sign * days,
        exact: TimeDelta::seconds(sign * seconds),
    })
}

/// Reads `latitude;longitude` in degrees.
pub(crate) fn geo(value: &str) -> Option<LocationData> {
    let (lat, lon) = value.split_once(';')?;
    let place = LocationData {
        lat: lat.trim().parse().ok()?,
        lon: lon.trim().parse().ok()?,
    };
    ((-90.0..=90.0).contains(&place.lat) && (-180.0..=180.0).contains(&place.lon)).then_some(place)
}
