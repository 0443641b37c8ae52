//! What is said of muting a person.
//!
//! What: what a mute of somebody, and a rule against them, do. Why: they are said where they are set. Not here: chats (`people`), rules in words
//! (`owner`).

use crate::language::{Text, say};

/// Somebody who writes and whom nobody names, within a sentence.
pub const THIS_SENDER: Text = Text("muting-this-sender");

/// What muting somebody does.
pub fn muted_person(name: &str) -> String {
    say!("muting-muted-person", name)
}

/// The same for good.
pub fn nothing_of(name: &str) -> String {
    say!("muting-nothing-of", name)
}
