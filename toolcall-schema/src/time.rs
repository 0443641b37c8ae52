//! Instants and whole milliseconds.
//!
//! What: [`Timestamp`], an instant as milliseconds since 1970 UTC, RFC 3339 on the wire. Why: the machine does
//! arithmetic on instants and must give the same bytes everywhere. Not here: reading a clock (`aura_platform::clock`),
//! time zones of the owner (`orchestrator-machine`).

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// An instant, in milliseconds since 1970-01-01T00:00:00Z. On the wire: RFC 3339 in UTC with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The last instant that still prints as RFC 3339 with a four-digit year.
    const MAX_MS: i64 = 253_402_300_799_999;

    /// An instant from milliseconds since 1970 UTC, clamped to the years 1970 to 9999.
    pub fn from_ms(ms: i64) -> Self {
        Self(ms.clamp(0, Self::MAX_MS))
    }

    /// Milliseconds since 1970 UTC.
    pub fn ms(self) -> i64 {
        self.0
    }

    /// Parses RFC 3339 (any offset); fractions below a millisecond are cut.
    ///
    /// # Errors
    /// chrono's reason when the text is not RFC 3339.
    pub fn parse(text: &str) -> Result<Self, chrono::ParseError> {
        match as_printed(text.as_bytes()) {
            Some(t) => Ok(t.into()),
            None => DateTime::parse_from_rfc3339(text).map(|t| Self::from_ms(t.timestamp_millis())),
        }
    }

    /// Parses the form in which [`Timestamp`] is printed, and no other.
    pub(crate) fn parse_printed(text: &str) -> Option<Self> {
        as_printed(text.as_bytes()).map(Self::from)
    }

    /// The instant `ms` later (earlier when negative), saturating.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> Self {
        Self::from_ms(self.0.saturating_add(ms))
    }

    /// The instant `min` minutes later (earlier when negative), saturating.
    #[must_use]
    pub fn plus_min(self, min: i64) -> Self {
        self.plus_ms(min.saturating_mul(60_000))
    }

    /// Milliseconds from `earlier` to `self`; negative when `self` is before it.
    pub fn since(self, earlier: Self) -> i64 {
        self.0 - earlier.0
    }

    /// The same instant for chrono.
    pub fn utc(self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::milliseconds(self.0)
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(t: DateTime<Utc>) -> Self {
        Self::from_ms(t.timestamp_millis())
    }
}

impl Timestamp {
    /// As it is printed: nothing but ASCII.
    fn printed(self) -> [u8; 24] {
        let t = self.utc();
        // Clamped to the years 1970 to 9999, so the year has four digits.
        let [y0, y1, y2, y3] = digits(t.year().unsigned_abs());
        let [m0, m1] = digits(t.month());
        let [d0, d1] = digits(t.day());
        let [h0, h1] = digits(t.hour());
        let [i0, i1] = digits(t.minute());
        let [s0, s1] = digits(t.second());
        let [f0, f1, f2] = digits(t.timestamp_subsec_millis());
        [
            y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1, b'T', h0, h1, b':', i0, i1, b':', s0, s1, b'.', f0,
            f1, f2, b'Z',
        ]
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.printed()).unwrap_or_default())
    }
}

/// The last decimal digits of a number.
fn digits<const N: usize>(mut number: u32) -> [u8; N] {
    let mut text = [b'0'; N];
    for digit in text.iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
    }
    text
}

/// The number that some decimal digits are.
fn number<const N: usize>(digits: [u8; N]) -> Option<u32> {
    digits.into_iter().try_fold(0, |n, digit| {
        digit.is_ascii_digit().then(|| n * 10 + u32::from(digit - b'0'))
    })
}

/// Reads an instant in the form that [`Timestamp`] prints: nearly every instant that Aura reads it has written itself.
/// Everything else, a leap second too, is chrono's to read or to refuse.
fn as_printed(text: &[u8]) -> Option<DateTime<Utc>> {
    let &[
        y0,
        y1,
        y2,
        y3,
        b'-',
        m0,
        m1,
        b'-',
        d0,
        d1,
        b'T',
        h0,
        h1,
        b':',
        i0,
        i1,
        b':',
        s0,
        s1,
        b'.',
        f0,
        f1,
        f2,
        b'Z',
    ] = text
    else {
        return None;
    };
    let year = i32::try_from(number([y0, y1, y2, y3])?).ok()?;
    let date = NaiveDate::from_ymd_opt(year, number([m0, m1])?, number([d0, d1])?)?;
    let (hour, minute, second) = (number([h0, h1])?, number([i0, i1])?, number([s0, s1])?);
    Some(
        date.and_hms_milli_opt(hour, minute, second, number([f0, f1, f2])?)?
            .and_utc(),
    )
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(std::str::from_utf8(&self.printed()).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        crate::ids::parsed(d, |text| {
            Self::parse(text).map_err(|e| format!("not an RFC 3339 date-time: {e}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_instant_over_offsets_and_prints_utc() {
        let t = Timestamp::parse("2026-11-03T07:45:00+05:30").unwrap();
        assert_eq!(t.to_string(), "2026-11-03T02:15:00.000Z");
        assert_eq!(Timestamp::parse(&t.to_string()).unwrap(), t);
    }

    #[test]
    fn prints_as_chrono_does_and_reads_what_chrono_reads() {
        let table = [
            0,
            1,
            951_782_399_999,
            951_782_400_000,
            1_762_137_900_007,
            4_107_542_399_000,
            Timestamp::MAX_MS,
        ];
        for ms in table {
            let t = Timestamp::from_ms(ms);
            let printed = t.utc().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
            assert_eq!(t.to_string(), printed);
            assert_eq!(Timestamp::parse(&printed), Ok(t));
        }
        for text in [
            "2025-11-03T02:15:60.000Z",
            "2025-12-31T23:59:60.250Z",
            "2025-02-29T00:00:00.000Z",
            "2025-11-03T24:00:00.000Z",
            "2025-11-03t02:15:00.000z",
            "2025-11-03 02:15:00.000Z",
            "+025-11-03T02:15:00.000Z",
            "0000-01-01T00:00:00.000Z",
        ] {
            let chrono = DateTime::parse_from_rfc3339(text).map(|t| Timestamp::from_ms(t.timestamp_millis()));
            assert_eq!(Timestamp::parse(text), chrono, "{text}");
        }
    }
}
