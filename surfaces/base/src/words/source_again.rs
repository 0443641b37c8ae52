//! What is said of reading one source again.
//!
//! What: the button and what it does. Why: what was forgotten may come back by it. Not here: reading everything again (`settings_form`).

use crate::language::{Text, say};

/// Reads one again.
pub const READ_THIS_AGAIN: Text = Text("source-again-read");

/// The same, for whoever hears the page.
pub fn read_place_again(place: &str) -> String {
    say!("source-again-read-place", place)
}

/// What it does. `reader`: which part reads it.
pub fn read_again_with(reader: &str) -> String {
    say!("source-again-with", reader)
}
