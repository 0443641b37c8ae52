//! Values of iCalendar properties: times with zones, durations, places.
//!
//! What: [`When`] and the parsers. Why: zones and floating times are where calendars go wrong. Not here: components
//! (`lines`, `ics`), recurrence (`recur`).

use crate::zone::resolve;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use toolcall_schema::signal::Location;

/// A time of an event: a day, or a local time in a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// An all-day event's date.
    Day(NaiveDate),
    /// A local time; UTC is a zone.
    Time(NaiveDateTime, Tz),
}

impl When {
    /// The instant: a day begins at midnight of `zone`.
    pub fn instant(self, zone: Tz) -> DateTime<Utc> {
        match self {
            When::Day(date) => resolve(date.and_time(NaiveTime::MIN), zone),
            When::Time(local, zone) => resolve(local, zone),
        }
    }
}

/// Reads `20261103`, `20261103T090000` (in the zone of `tzid`, else floating: in `owner`'s) or `20261103T090000Z`.
/// `None` for anything else, an unknown zone, or a year outside 1900 to 2200.
pub fn when(value: &str, tzid: Option<&str>, owner: Tz) -> Option<When> {
    let value = value.trim();
    if value.len() == 8 {
        return NaiveDate::parse_from_str(value, "%Y%m%d")
            .ok()
            .filter(|d| sane(*d))
            .map(When::Day);
    }
    let (local, zone) = match value.strip_suffix(['Z', 'z']) {
        Some(utc) => (utc, Tz::UTC),
        None => (value, tzid.map_or(Some(owner), zone_of)?),
    };
    let local = NaiveDateTime::parse_from_str(local, "%Y%m%dT%H%M%S").ok()?;
    sane(local.date()).then_some(When::Time(local, zone))
}

fn sane(date: NaiveDate) -> bool {
    use chrono::Datelike;
    (1900..=2200).contains(&date.year())
}

/// The zone of an IANA name, also behind a vendor's prefix (`/vendor/Europe/Berlin`).
fn zone_of(tzid: &str) -> Option<Tz> {
    let tzid = tzid.trim().trim_matches('"');
    let tail = |n: usize| {
        let parts: Vec<&str> = tzid.rsplitn(n + 1, '/').take(n).collect();
        parts.into_iter().rev().collect::<Vec<_>>().join("/")
    };
    [tzid.to_owned(), tail(2), tail(3)]
        .iter()
        .find_map(|name| name.parse().ok())
}

/// Reads a duration: `PT30M`, `P1DT2H`, `P2W`; a leading `-` makes it negative. At most ±400 days.
pub fn duration(value: &str) -> Option<TimeDelta> {
    let value = value.trim();
    let (sign, value) = match value.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, value.strip_prefix('+').unwrap_or(value)),
    };
    let mut seconds: i64 = 0;
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
        let unit = match (c, time) {
            ('W', false) => 604_800,
            ('D', false) => 86_400,
            ('H', true) => 3600,
            ('M', true) => 60,
            ('S', true) => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.take()?.checked_mul(unit)?)?;
        any = true;
    }
    let fits = any && number.is_none() && seconds <= 400 * 86_400;
    fits.then(|| TimeDelta::seconds(sign * seconds))
}

/// Reads `latitude;longitude` in degrees.
pub fn geo(value: &str) -> Option<Location> {
    let (lat, lon) = value.split_once(';')?;
    let place = Location {
        lat: lat.trim().parse().ok()?,
        lon: lon.trim().parse().ok()?,
    };
    ((-90.0..=90.0).contains(&place.lat) && (-180.0..=180.0).contains(&place.lon)).then_some(place)
}
