//! What is said of the owner's collector of ticks and figures.
//!
//! What: a sentence for *Now*. Why: what leaves this computer is named where she looks first. Not here: its fields in Settings (`home_fields`), the check of
//! `aura doctor` (`doctor`).

use crate::language::say;

/// That a collector on another computer is told.
pub fn collector_told(host: &str) -> String {
    say!("telemetry-told", host)
}
