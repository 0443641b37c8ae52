//! What a card about a clash says of it.

/// Before what an invitation clashes with.
pub const CLASH_LATER: &str = "It came later than what it clashes with:";
/// The way to what is free then.
pub const CLASH_DAY: &str = "See that day, and what is free on it";
