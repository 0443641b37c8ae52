//! Instants and whole milliseconds.
//!
//! What: [`Timestamp`], an instant as milliseconds since 1970 UTC, RFC 3339 on the wire. Why: the machine does
//! arithmetic on instants and must give the same bytes everywhere. Not here: reading a clock (`orchestrator::clock`),
//! time zones of the owner (`orchestrator-machine`).

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
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
        DateTime::parse_from_rfc3339(text).map(|t| Self::from_ms(t.timestamp_millis()))
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

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.utc().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
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
}
