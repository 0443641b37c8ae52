//! What a card about a clash says of it.

use crate::language::Text;

/// Before what an invitation clashes with.
pub const CLASH_LATER: Text = Text("clash-later");
/// The way to what is free then.
pub const CLASH_DAY: Text = Text("clash-day");
