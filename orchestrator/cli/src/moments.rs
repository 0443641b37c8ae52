//! Times as people write them on a command line.
//!
//! What: lengths (`2h`), moments to come (`18:00`, `tomorrow`), moments that were (`08:15`), spans of hours and days of the
//! week. Why: every command reads them the same way, in the owner's zone. Not here: what they are used for.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, TimeZone as _};
use chrono_tz::Tz;
use toolcall_schema::Timestamp;

/// `90m`, `2h`, `3d` in milliseconds; at most four digits.
pub(crate) fn length_ms(text: &str) -> Option<i64> {
    let unit_ms = match text.chars().last()? {
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        _ => return None,
    };
    let digits = text.get(..text.len() - 1)?;
    let plain = (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse::<i64>().ok())?.map(|n| n * unit_ms)
}

/// A time of day: `08:15`, `08:15:30`.
pub(crate) fn time(text: &str) -> Option<NaiveTime> {
    let shapes = ["%H:%M:%S", "%H:%M"];
    shapes
        .iter()
        .find_map(|shape| NaiveTime::parse_from_str(text, shape).ok())
}

/// RFC 3339, or a local time with or without its day. An hour that came twice means the first one.
pub(crate) fn instant(text: &str, day: NaiveDate, zone: Tz) -> Option<Timestamp> {
    if let Ok(at) = Timestamp::parse(text) {
        return Some(at);
    }
    let naive = match text.split_once([' ', 'T']) {
        Some((date, clock)) => NaiveDateTime::new(date.parse().ok()?, time(clock)?),
        None => NaiveDateTime::new(day, time(text)?),
    };
    of_local(naive, zone)
}

/// The same, but a minute is meant to its end: that is how pages name the time of what was decided.
pub(crate) fn instant_by_the_end(text: &str, day: NaiveDate, zone: Tz) -> Option<Timestamp> {
    let at = instant(text, day, zone)?;
    let clock = text.split_once([' ', 'T']).map_or(text, |(_, clock)| clock);
    let is_minute = NaiveTime::parse_from_str(clock, "%H:%M").is_ok();
    Some(if is_minute { at.plus_ms(59_999) } else { at })
}

/// The moment that is meant when somebody says it at `now`: a time of day is the next one, `tomorrow` is midnight, a date
/// is its midnight.
pub(crate) fn next(text: &str, now: Timestamp, zone: Tz) -> Option<Timestamp> {
    let today = now.utc().with_timezone(&zone).date_naive();
    if text == "tomorrow" {
        return midnight(today.succ_opt()?, zone);
    }
    if let Ok(date) = text.parse::<NaiveDate>() {
        return midnight(date, zone);
    }
    let first = instant(text, today, zone);
    if first.is_some_and(|at| at > now) {
        return first;
    }
    time(text)?;
    instant(text, today.succ_opt()?, zone)
}

/// The beginning of a local day.
pub(crate) fn midnight(date: NaiveDate, zone: Tz) -> Option<Timestamp> {
    // Where a day begins at 01:00 because of a change of the clock, that is its beginning.
    [NaiveTime::MIN, NaiveTime::from_hms_opt(1, 0, 0)?]
        .into_iter()
        .find_map(|clock| of_local(date.and_time(clock), zone))
}

fn of_local(naive: NaiveDateTime, zone: Tz) -> Option<Timestamp> {
    zone.from_local_datetime(&naive)
        .earliest()
        .map(|local| local.to_utc().into())
}

/// `22:00-07:00`.
pub(crate) fn hours(text: &str) -> Option<(NaiveTime, NaiveTime)> {
    let (from, to) = text.split_once('-')?;
    Some((time(from)?, time(to)?))
}

/// `mon-fri,sun`: 1 = Monday to 7, in their order. A span may go over the week's end.
pub(crate) fn days(text: &str) -> Option<Vec<u8>> {
    let mut days = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (mut day, to) = (weekday(from)?, weekday(to)?);
        loop {
            days.push(day);
            if day == to {
                break;
            }
            day = day % 7 + 1;
        }
    }
    days.sort_unstable();
    days.dedup();
    Some(days)
}

const WEEK: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

fn weekday(text: &str) -> Option<u8> {
    (1..)
        .zip(WEEK)
        .find(|(_, name)| *name == text)
        .map(|(day, _)| day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 3).unwrap();
        // Kolkata is UTC+5:30; Berlin went from 03:00 to 02:00 on 25 October 2026 at 01:00Z, and from 02:00 to 03:00 on
        // 29 March.
        for (text, zone, expected) in [
            ("08:15", Tz::Asia__Kolkata, Some("2026-11-03T02:45:00.000Z")),
            ("08:15:30", Tz::Asia__Kolkata, Some("2026-11-03T02:45:30.000Z")),
            (
                "2026-11-02 00:00",
                Tz::Asia__Kolkata,
                Some("2026-11-01T18:30:00.000Z"),
            ),
            ("2026-11-03T08:15", Tz::UTC, Some("2026-11-03T08:15:00.000Z")),
            (
                "2026-11-03T08:15:00+01:00",
                Tz::Asia__Kolkata,
                Some("2026-11-03T07:15:00.000Z"),
            ),
            (
                "2026-10-25 02:30",
                Tz::Europe__Berlin,
                Some("2026-10-25T00:30:00.000Z"),
            ),
            ("2026-03-29 02:30", Tz::Europe__Berlin, None),
            ("quarter past", Tz::UTC, None),
            ("25:00", Tz::UTC, None),
        ] {
            let found = instant(text, day, zone).map(|at| at.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_minute_that_was_is_meant_to_its_end() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 3).unwrap();
        for (text, expected) in [
            ("08:15", Some("2026-11-03T08:15:59.999Z")),
            ("2026-11-02 08:15", Some("2026-11-02T08:15:59.999Z")),
            ("08:15:30", Some("2026-11-03T08:15:30.000Z")),
            ("2026-11-03T08:15:00Z", Some("2026-11-03T08:15:00.000Z")),
            ("noonish", None),
        ] {
            let found = instant_by_the_end(text, day, Tz::UTC).map(|at| at.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_moment_to_come_is_the_next_one() {
        let now = Timestamp::parse("2026-11-03T15:00:00+05:30").unwrap();
        for (text, expected) in [
            ("18:00", Some("2026-11-03T12:30:00.000Z")),
            ("14:00", Some("2026-11-04T08:30:00.000Z")),
            ("tomorrow", Some("2026-11-03T18:30:00.000Z")),
            ("2026-11-10", Some("2026-11-09T18:30:00.000Z")),
            ("2026-11-10 08:00", Some("2026-11-10T02:30:00.000Z")),
            // What has passed is not to come; who asks says so.
            ("2026-11-01 08:00", None),
            ("soon", None),
        ] {
            let found = next(text, now, Tz::Asia__Kolkata).map(|at| at.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn lengths_hours_and_days_are_read() {
        for (text, wanted) in [
            ("2h", Some(7_200_000)),
            ("90m", Some(5_400_000)),
            ("1d", Some(86_400_000)),
            ("h", None),
            ("-2h", None),
            ("2 h", None),
            ("99999m", None),
            ("2w", None),
            ("", None),
            ("2\u{e9}", None),
        ] {
            assert_eq!(length_ms(text), wanted, "{text:?}");
        }
        for (text, wanted) in [
            ("mon-fri", Some(vec![1, 2, 3, 4, 5])),
            ("sat-mon", Some(vec![1, 6, 7])),
            ("sun,wed", Some(vec![3, 7])),
            ("mon,mon", Some(vec![1])),
            ("Monday", None),
            ("", None),
        ] {
            assert_eq!(days(text), wanted, "{text:?}");
        }
        assert!(hours("22:00-07:00").is_some() && hours("22:00").is_none() && hours("22-7").is_none());
    }
}
