//! What is said of wanting more or less of a kind of card.
//!
//! What: the part of the month's page that tries it, and the setting. Why: one kind can be too much while all others are right. Not here: the other settings
//! that are tried there (`month`), rules (`feedback`).

/// The part of the page.
pub const KIND_WISHES: &str = "More or less of one kind";
/// What that does.
pub const KIND_WISHES_SAYS: &str = "Try the last 30 days with more or less of one kind of card, or without it. Less: only when I am surer that it is worth it. More: also when I am a little less sure. Your limits, quiet hours and rules hold all the same.";
/// Of which kind.
pub const KIND_WHICH: &str = "Kind of card";
/// How often.
pub const KIND_HOW_OFTEN: &str = "How often";
/// A kind is left out.
pub const KIND_NONE: &str = "Not at all";
/// A kind comes less often.
pub const KIND_LESS: &str = "Less";
/// A kind comes more often.
pub const KIND_MORE: &str = "More";
/// Puts what was tried into force.
pub const KIND_USE: &str = "Do that from now on";
/// Ends it.
pub const KIND_AS_USUAL: &str = "As usual";
/// Where it is taken back: before a link.
pub const KIND_WHERE: &str = "You can take it back here, and in";
/// The group of fields in Settings.
pub const KIND_GROUP: &str = "More or less of a kind of card";
/// What a field of it means.
pub const KIND_MEANS: &str =
    "Less: only when I am surer that it is worth it. More: also when I am a little less sure.";

/// What is in force.
pub fn kind_wish_stands(how: &str, what: &str) -> String {
    format!("{how}: {what}")
}
