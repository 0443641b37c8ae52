//! Local days and local times.
//!
//! What: the local date of an instant, the instants of a local time at the edges of daylight saving. Why: days, hours
//! and floating events are the owner's, and both edges must be right. Not here: recurrence (`calendar`).

use chrono::{
    DateTime, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeDelta, TimeZone, Timelike, Utc,
};
use chrono_tz::Tz;
use toolcall_schema::Timestamp;

/// The local date of an instant.
pub fn local_date(at: Timestamp, zone: Tz) -> NaiveDate {
    at.utc().with_timezone(&zone).date_naive()
}

/// The local time of day in hours, minutes and seconds as a fraction: 0 up to 24.
pub fn local_hour(at: Timestamp, zone: Tz) -> f64 {
    f64::from(at.utc().with_timezone(&zone).num_seconds_from_midnight()) / 3600.0
}

/// The instant of a local time. A time that occurs twice is its first occurrence; a time that is left out is read with
/// the offset in force before the gap, so it falls after the gap (RFC 5545, 3.3.5).
pub fn resolve(local: NaiveDateTime, zone: Tz) -> DateTime<Utc> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(t) | LocalResult::Ambiguous(t, _) => t.to_utc(),
        LocalResult::None => {
            // No zone leaves out more than a day, so a day earlier is before the gap.
            let before = local.checked_sub_signed(TimeDelta::days(1)).unwrap_or(local);
            let offset = zone.offset_from_utc_datetime(&before).fix();
            local.checked_sub_offset(offset).unwrap_or(local).and_utc()
        }
    }
}

/// The first instant of a local day.
pub fn day_start(date: NaiveDate, zone: Tz) -> Timestamp {
    Timestamp::from(resolve(date.and_time(NaiveTime::MIN), zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_both_edges_of_daylight_saving_and_a_zone_without_it() {
        for (zone, local, utc) in [
            // Spring: 02:00 to 03:00 is left out on 2026-03-29; +01:00 is in force before.
            (
                Tz::Europe__Berlin,
                "2026-03-29T01:59:59",
                "2026-03-29T00:59:59.000Z",
            ),
            (
                Tz::Europe__Berlin,
                "2026-03-29T02:30:00",
                "2026-03-29T01:30:00.000Z",
            ),
            (
                Tz::Europe__Berlin,
                "2026-03-29T03:00:00",
                "2026-03-29T01:00:00.000Z",
            ),
            // Autumn: 02:00 to 03:00 occurs twice on 2026-10-25; the first is at +02:00.
            (
                Tz::Europe__Berlin,
                "2026-10-25T02:30:00",
                "2026-10-25T00:30:00.000Z",
            ),
            (
                Tz::Europe__Berlin,
                "2026-10-25T03:00:00",
                "2026-10-25T02:00:00.000Z",
            ),
            (
                Tz::Asia__Kolkata,
                "2026-03-29T02:30:00",
                "2026-03-28T21:00:00.000Z",
            ),
        ] {
            let local: NaiveDateTime = local.parse().unwrap();
            assert_eq!(
                Timestamp::from(resolve(local, zone)).to_string(),
                utc,
                "{zone} {local}"
            );
        }
    }

    #[test]
    fn a_day_starts_at_its_first_instant() {
        // Chile leaves out 00:00 to 01:00 on 2026-09-06 (from -04:00 to -03:00): the day starts at 01:00 local.
        let date: NaiveDate = "2026-09-06".parse().unwrap();
        let start = day_start(date, Tz::America__Santiago);
        assert_eq!(start.to_string(), "2026-09-06T04:00:00.000Z");
        assert_eq!(local_date(start, Tz::America__Santiago), date);
        assert!((local_hour(start, Tz::America__Santiago) - 1.0).abs() < 1e-9);
    }
}
