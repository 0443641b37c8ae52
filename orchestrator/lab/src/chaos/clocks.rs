//! Clocks that are set.
//!
//! What: [`ClockFault`] and the clock of a household, which is a file that its processes read. Why: what jumps is the clock of the program
//! that ships, and of nobody else on this machine. Not here: what bears a clock out (`confirmed_time`).

use chrono::{Offset as _, TimeZone as _};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};
use toolcall_schema::Timestamp;

/// What the wall clock does; afterwards it is set right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum ClockFault {
    Jump {
        ahead_s: i64,
        for_ms: u64,
        /// The service is killed, and starts with it; and again when it is right.
        at_start: bool,
    },
    /// It is set to some seconds before the next night in which clocks change.
    DaylightSaving {
        /// Whether an hour is left out; else it comes twice.
        begins: bool,
    },
}

/// How long before the change of a night the clock is set.
const BEFORE_MS: i64 = 3000;

impl ClockFault {
    /// How far it is set ahead, when it is `now` in `zone`.
    pub(super) fn ahead_ms(self, now: Timestamp, zone: Tz) -> i64 {
        match self {
            ClockFault::Jump { ahead_s, .. } => ahead_s * 1000,
            ClockFault::DaylightSaving { begins } => {
                next_change(now, zone, begins).map_or(0, |change| change.since(now) - BEFORE_MS)
            }
        }
    }

    pub(super) fn lasts_ms(self) -> u64 {
        match self {
            ClockFault::Jump { for_ms, .. } => for_ms,
            ClockFault::DaylightSaving { .. } => 2 * BEFORE_MS.unsigned_abs(),
        }
    }

    pub(super) fn is_at_start(self) -> bool {
        matches!(self, ClockFault::Jump { at_start: true, .. })
    }
}

impl fmt::Display for ClockFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClockFault::Jump {
                ahead_s, at_start, ..
            } => {
                let start = if *at_start { " at a start" } else { "" };
                write!(f, "clock {:+} h{start}", ahead_s / 3600)
            }
            ClockFault::DaylightSaving { begins: true } => f.write_str("clock into daylight saving"),
            ClockFault::DaylightSaving { begins: false } => f.write_str("clock out of daylight saving"),
        }
    }
}

const QUARTER_MS: i64 = 900_000;
const DAY_MS: i64 = 86_400_000;

/// The next moment at which clocks are put forward, or back.
fn next_change(now: Timestamp, zone: Tz, forward: bool) -> Option<Timestamp> {
    let offset = |at: Timestamp| {
        zone.offset_from_utc_datetime(&at.utc().naive_utc())
            .fix()
            .local_minus_utc()
    };
    let whole = now.plus_ms(QUARTER_MS - now.ms().rem_euclid(QUARTER_MS));
    let mut quarters = (0..400 * DAY_MS / QUARTER_MS).map(|n| whole.plus_ms(n * QUARTER_MS));
    quarters.find(|at| {
        let change = offset(*at) - offset(at.plus_ms(-1));
        change != 0 && (change > 0) == forward
    })
}

/// The clock that every process of a household reads.
pub(super) struct HouseClock(PathBuf);

impl HouseClock {
    /// One that is right.
    pub(super) fn new(dir: &Path) -> io::Result<Self> {
        let clock = Self(dir.join("clock"));
        clock.set(0)?;
        Ok(clock)
    }

    pub(super) fn file(&self) -> &Path {
        &self.0
    }

    pub(super) fn set(&self, ahead_ms: i64) -> io::Result<()> {
        // Whole or not at all: it is read meanwhile.
        let next = self.0.with_extension("next");
        fs::write(&next, ahead_ms.to_string())?;
        fs::rename(next, &self.0)
    }
}

/// Whether a household's clock is right; one that cannot be read may not be.
pub(super) fn is_right(clock: &Path) -> bool {
    fs::read_to_string(clock).is_ok_and(|ahead_ms| ahead_ms == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nights_are_those_of_the_zone() {
        let now = Timestamp::parse("2026-06-01T12:00:00.000Z").unwrap();
        let zone = chrono_tz::Europe::Berlin;
        // The last Sundays of October and March, 01:00 UTC.
        for (begins, at) in [
            (false, "2026-10-25T01:00:00.000Z"),
            (true, "2027-03-28T01:00:00.000Z"),
        ] {
            let expected = Timestamp::parse(at).unwrap();
            assert_eq!(next_change(now, zone, begins), Some(expected));
            let fault = ClockFault::DaylightSaving { begins };
            assert_eq!(now.plus_ms(fault.ahead_ms(now, zone)), expected.plus_ms(-3000));
        }
        assert_eq!(next_change(now, chrono_tz::UTC, true), None);
    }
}
