//! Twelve or twenty-four hours.
//!
//! What: [`ClockStyle`], and the one that the owner of this process chose. Why: every page, notification and sentence writes a time as its owner reads it.
//! There is one owner to a process, so it is set once for all of it, at the start and when the settings change. Not here: dates and zones (`format`),
//! what commands and records write (always 24 hours).

use chrono::{NaiveTime, Timelike as _};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the twelve hours were chosen.
static TWELVE: AtomicBool = AtomicBool::new(false);

/// How times are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ClockStyle {
    /// `18:30`
    #[default]
    #[serde(rename = "24h")]
    Hours24,
    /// `6:30 pm`
    #[serde(rename = "12h")]
    Hours12,
}

impl ClockStyle {
    /// From now on times are written so.
    pub fn choose(self) {
        TWELVE.store(self == Self::Hours12, Ordering::Relaxed);
    }

    /// As it was chosen last.
    pub fn chosen() -> Self {
        if TWELVE.load(Ordering::Relaxed) {
            Self::Hours12
        } else {
            Self::Hours24
        }
    }

    /// A time of day, to the minute.
    pub fn write(self, time: NaiveTime) -> String {
        match self {
            Self::Hours24 => time.format("%H:%M").to_string(),
            Self::Hours12 => {
                let (is_pm, hour) = time.hour12();
                let half = if is_pm { "pm" } else { "am" };
                format!("{hour}:{:02} {half}", time.minute())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn midnight_and_noon_are_twelve_on_a_clock_of_twelve_hours() {
        for (hour, minute, of_24, of_12) in [
            (0, 0, "00:00", "12:00 am"),
            (0, 5, "00:05", "12:05 am"),
            (8, 23, "08:23", "8:23 am"),
            (12, 0, "12:00", "12:00 pm"),
            (18, 30, "18:30", "6:30 pm"),
            (23, 59, "23:59", "11:59 pm"),
        ] {
            let time = NaiveTime::from_hms_opt(hour, minute, 59).unwrap();
            assert_eq!(ClockStyle::Hours24.write(time), of_24);
            assert_eq!(ClockStyle::Hours12.write(time), of_12);
        }
        let named: Vec<ClockStyle> = serde_json::from_str(r#"["24h", "12h"]"#).unwrap();
        assert_eq!(named, [ClockStyle::Hours24, ClockStyle::Hours12]);
        assert_eq!(ClockStyle::chosen(), ClockStyle::default());
    }
}
