//! Dates as statements write them.
//!
//! What: [`instant`], a text by a format in the notation of `strftime`; [`booked_at`], a time that a bank wrote; [`of_xml`], a text of XML's `date` or `dateTime`. Why: reading and recognising take the same texts for dates. Not here:
//! which format a file has (`recognition`).

use super::{NOON, on_day};
use agents_base::zone;
use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use chrono_tz::Tz;
use toolcall_schema::Timestamp;

/// A date, with a time where the format has one; of a format that ends with an offset or with `Z`, the instant it is.
pub(super) fn instant(text: &str, format: &str, zone: Tz) -> Option<Timestamp> {
    // `%Y` takes "26" for the year 26.
    let recent = |date: NaiveDate| (date.year() >= 1970).then_some(date);
    if format.ends_with("%z") || format.ends_with("%:z") {
        let at = DateTime::parse_from_str(text, format).ok()?;
        return recent(at.date_naive()).map(|_| Timestamp::from(at.to_utc()));
    }
    let zone = if format.ends_with('Z') { Tz::UTC } else { zone };
    if let Ok(at) = NaiveDateTime::parse_from_str(text, format) {
        return recent(at.date()).map(|_| Timestamp::from(zone::resolve(at, zone)));
    }
    let date = NaiveDate::parse_from_str(text, format).ok().and_then(recent)?;
    Some(on_day(date, NOON, zone))
}

/// The instant of a time so far ahead of Greenwich. Midnight and noon are no time: banks write them where they know a day alone, which is put at `usual`.
pub(super) fn booked_at(
    at: NaiveDateTime,
    ahead: TimeDelta,
    (usual, zone): (NaiveTime, Tz),
) -> Option<Timestamp> {
    if at.time() == NaiveTime::MIN || at.time() == NOON {
        return Some(on_day(at.date(), usual, zone));
    }
    let utc = at.checked_sub_signed(ahead)?;
    Some(Timestamp::from(DateTime::from_naive_utc_and_offset(
        utc,
        chrono::Utc,
    )))
}

/// The day of the same, as it is written.
pub(super) fn day_of_xml(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text.get(..10)?, "%Y-%m-%d").ok()
}

/// The instant of `2026-11-03` or `2026-11-03T14:05:00+01:00`. Without an offset it is the day that counts, at `usual`.
pub(super) fn of_xml(text: &str, (usual, zone): (NaiveTime, Tz)) -> Option<Timestamp> {
    let date = day_of_xml(text)?;
    let time = text.get(10..)?;
    // A date may have an offset as well.
    if !(time.is_empty() || time.starts_with(['T', 'Z', '+', '-'])) {
        return None;
    }
    match DateTime::<FixedOffset>::parse_from_rfc3339(text) {
        Ok(at) => {
            let ahead = TimeDelta::seconds(at.offset().local_minus_utc().into());
            booked_at(at.naive_local(), ahead, (usual, zone))
        }
        Err(_) => Some(on_day(date, usual, zone)),
    }
}
