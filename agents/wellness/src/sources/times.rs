//! Instants and times of day as Apple Health writes them.
//!
//! What: [`instant`], [`time_of_day`]; [`offset_of`], [`duration_min`] of other apps. Why: there are two of them in each of millions of
//! records. Not here: the records (`health`, `tables`, `accounts`).

use chrono::NaiveDate;
use toolcall_schema::Timestamp;

/// An instant as `2026-11-03 07:12:00 +0530`.
pub(super) fn instant(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| {
        let digits = bytes.get(from..to)?;
        digits.iter().try_fold(0_i64, |sum, byte| {
            let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
            Some(sum * 10 + digit)
        })
    };
    let marks = [
        (4, b'-'),
        (7, b'-'),
        (10, b' '),
        (13, b':'),
        (16, b':'),
        (19, b' '),
    ];
    if bytes.len() != 25 || !marks.iter().all(|(at, mark)| bytes.get(*at) == Some(mark)) {
        return None;
    }
    let east = match bytes.get(20)? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let two = |from| number(from, from + 2).and_then(|n| u32::try_from(n).ok());
    let date = NaiveDate::from_ymd_opt(i32::try_from(number(0, 4)?).ok()?, two(5)?, two(8)?)?;
    let local = date.and_hms_opt(two(11)?, two(14)?, two(17)?)?.and_utc();
    let offset = east * (number(21, 23)? * 60 + number(23, 25)?) * 60_000;
    Some(Timestamp::from(local).plus_ms(-offset))
}

/// A time of day in milliseconds: hour, minute, second and a fraction, however a language writes and surrounds them.
pub(super) fn time_of_day(text: &str) -> Option<i64> {
    let mut groups = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty() && digits.len() <= 9);
    let mut next = || groups.next();
    let whole = |digits: &str| digits.parse::<i64>().ok();
    let (hour, minute, second) = (whole(next()?)?, whole(next()?)?, whole(next()?)?);
    let fraction = next().map_or(Some(0), |digits| {
        whole(&format!("{digits:0<3}").chars().take(3).collect::<String>())
    })?;
    (hour < 25 && minute < 60 && second < 61)
        .then_some(((hour * 60 + minute) * 60 + second) * 1000 + fraction)
}

/// An offset as `UTC+05:30`, `+05:30`, `UTCZ` or `Z`, in milliseconds east of UTC.
pub(super) fn offset_of(text: &str) -> Option<i64> {
    let bare = text
        .trim()
        .trim_start_matches("UTC")
        .trim_start_matches("GMT")
        .trim();
    if bare.is_empty() || bare == "Z" {
        return Some(0);
    }
    let (sign, digits) = match bare.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    ((0..=18).contains(&hours) && (0..60).contains(&minutes))
        .then_some(sign * (hours * 60 + minutes) * 60_000)
}

/// A duration of ISO 8601 without days, such as `PT7H41M30S`, in minutes.
pub(super) fn duration_min(text: &str) -> Option<f64> {
    let mut rest = text.strip_prefix("PT").filter(|rest| !rest.is_empty())?;
    let mut minutes = 0.0;
    for (unit, factor) in [('H', 60.0), ('M', 1.0), ('S', 1.0 / 60.0)] {
        if let Some((number, after)) = rest.split_once(unit) {
            minutes += number
                .parse::<f64>()
                .ok()
                .filter(|n| n.is_finite() && *n >= 0.0)?
                * factor;
            rest = after;
        }
    }
    rest.is_empty().then_some(minutes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_have_one_form_and_an_offset() {
        for (text, expected) in [
            ("2026-11-03 07:12:00 +0530", Some("2026-11-03T01:42:00Z")),
            ("2024-02-29 23:59:59 -0930", Some("2024-03-01T09:29:59Z")),
            ("2023-02-29 23:59:59 -0930", None),
            ("2026-11-03 24:00:00 +0000", None),
            ("2026-11-03T07:12:00 +0530", None),
            ("2026-11-03 07:12:00 +05:30", None),
            ("2026-11-03 07:12:0a +0530", None),
            ("２026-11-03 07:12:00 +05", None),
            ("", None),
        ] {
            let expected = expected.map(|text| Timestamp::parse(text).unwrap());
            assert_eq!(instant(text), expected, "{text}");
        }
    }

    #[test]
    fn offsets_and_durations_of_other_apps() {
        for (text, expected) in [
            ("UTC+05:30", Some(330)),
            ("UTC-08:00", Some(-480)),
            ("+02:00", Some(120)),
            ("UTC+2", Some(120)),
            ("UTCZ", Some(0)),
            ("Z", Some(0)),
            ("UTC", Some(0)),
            ("UTC+25:00", None),
            ("UTC+05:75", None),
            ("Europe/Berlin", None),
        ] {
            assert_eq!(
                offset_of(text),
                expected.map(|minutes: i64| minutes * 60_000),
                "{text}"
            );
        }
        for (text, expected) in [
            ("PT7H41M", Some(461.0)),
            ("PT6H", Some(360.0)),
            ("PT45M30S", Some(45.5)),
            ("PT0S", Some(0.0)),
            ("PT", None),
            ("P1D", None),
            ("PT7M2H", None),
            ("PT-7H", None),
            ("7H", None),
        ] {
            assert_eq!(duration_min(text), expected, "{text}");
        }
    }

    #[test]
    fn times_of_day_are_read_in_any_language() {
        let at =
            |hour: i64, minute: i64, second: i64, ms: i64| ((hour * 60 + minute) * 60 + second) * 1000 + ms;
        for (text, expected) in [
            ("6:14:48.94 PM", Some(at(6, 14, 48, 940))),
            ("18:14:48,94", Some(at(18, 14, 48, 940))),
            ("7:12:00.5\u{202f}AM", Some(at(7, 12, 0, 500))),
            ("下午6:14:48.123456", Some(at(6, 14, 48, 123))),
            ("18.14.48", Some(at(18, 14, 48, 0))),
            ("6:14 PM", None),
            ("6:74:48.94", None),
            ("", None),
        ] {
            assert_eq!(time_of_day(text), expected, "{text}");
        }
    }
}
