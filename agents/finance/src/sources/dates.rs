//! Dates as exports write them.
//!
//! What: [`instant`], a text by a format in the notation of `strftime`. Why: reading and recognising take the same texts for dates. Not here:
//! which format a file has (`recognition`).

use super::on_day;
use agents_base::zone;
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime};
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
    Some(on_day(date, super::NOON, zone))
}
