//! Thousandths.
//!
//! What: [`Milli`], a number with exactly three decimals. Why: scores are compared with a threshold that is
//! inclusive; binary floating point would decide such ties by rounding noise. Not here: the score formula
//! (`orchestrator-machine::rank`).

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A number in thousandths: `Milli(850)` is 0.85. A JSON number on the wire, rounded to three decimals on the way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Milli(pub i64);

impl Milli {
    pub const ONE: Milli = Milli(1000);

    /// The nearest thousandth (half away from zero); `None` when not finite or beyond a million.
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() || value.abs() > 1e6 {
            return None;
        }
        // Bounded to 1e9 by the test above, so the cast is exact after rounding.
        #[expect(clippy::cast_possible_truncation, reason = "bounded to ±1e9 just above")]
        let thousandths = (value * 1000.0).round() as i64;
        Some(Self(thousandths))
    }

    /// As a float, for printing.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl fmt::Display for Milli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.to_f64())
    }
}

impl Serialize for Milli {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_f64(self.to_f64())
    }
}

impl<'de> Deserialize<'de> for Milli {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(d)?;
        Milli::from_f64(value).ok_or_else(|| serde::de::Error::custom("a number beyond ±1000000"))
    }
}
