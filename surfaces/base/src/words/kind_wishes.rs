//! What is said of wanting more or less of a kind of card.
//!
//! What: the part of the month's page that tries it, and the setting. Why: one kind can be too much while all others are right. Not here: the other settings
//! that are tried there (`month`), rules (`feedback`).

use crate::language::{Text, say};

/// The part of the page.
pub const KIND_WISHES: Text = Text("kind-wishes-title");
/// What that does.
pub const KIND_WISHES_SAYS: Text = Text("kind-wishes-says");
/// Of which kind.
pub const KIND_WHICH: Text = Text("kind-wishes-which");
/// How often.
pub const KIND_HOW_OFTEN: Text = Text("kind-wishes-how-often");
/// A kind is left out.
pub const KIND_NONE: Text = Text("kind-wishes-none");
/// A kind comes less often.
pub const KIND_LESS: Text = Text("kind-wishes-less");
/// A kind comes more often.
pub const KIND_MORE: Text = Text("kind-wishes-more");
/// It comes as often as it would.
pub const KIND_AS_USUAL: Text = Text("kind-wishes-usual");
/// Puts what was tried into force.
pub const KIND_USE: Text = Text("kind-wishes-use");
/// Where it is taken back: before a link.
pub const KIND_WHERE: Text = Text("kind-wishes-where");
/// The group of fields in Settings.
pub const KIND_GROUP: Text = Text("kind-wishes-group");
/// What a field of it means.
pub const KIND_MEANS: Text = Text("kind-wishes-means");

/// What is in force.
pub fn kind_wish_stands(how: &str, what: &str) -> String {
    say!("kind-wishes-stands", how, what)
}
