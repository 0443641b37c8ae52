//! What the drawer says beside what it shows.
//!
//! What: its small words. Why: one place, ready for another language. Not here: reasons and outcomes (`why`), names of figures
//! (`figures`).

/// No agent proposed anything.
pub const NOTHING_PROPOSED: &str = "Nothing was proposed.";
/// A cap or a rule took it out.
pub const REMOVED: &str = "removed";
/// It came too late to be scored.
pub const NOT_SCORED: &str = "not scored";
/// It was taken.
pub const CHOSEN: &str = "chosen";
/// Before a usual range.
pub const USUALLY: &str = "usually";
/// Of a value outside of its range.
pub const NOT_USUAL: &str = "not usual";
/// Of one of the seven states that was not gone through.
pub const NOT_ENTERED: &str = "not entered";
/// Of the one that comes after the trace was written.
pub const FOLLOWS: &str = "follows";
/// Unfolds the record.
pub const AS_JSON: &str = "The record itself, as JSON";
