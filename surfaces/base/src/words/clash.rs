//! What a card about a clash says of it.

use crate::language::{Text, say};

/// Before what an invitation clashes with.
pub const CLASH_LATER: Text = Text("clash-later");
/// The way to what is free then.
pub const CLASH_DAY: Text = Text("clash-day");

/// Before the times that are free for an event instead. `alone`: nobody else is in it.
pub fn can_move(name: &str, alone: bool) -> String {
    if alone {
        say!("clash-move-alone", name)
    } else {
        say!("clash-move-others", name)
    }
}
