//! What is said of taking back that a card was put off.
//!
//! What: the act, its undo and its effect. Why: "put off" alone does not say that it can be had back. Not here: putting a card off (`feedback`), the
//! other acts (`acts`).

/// What the owner asked for, as a trace's sentence.
pub const UNDID_LATER: &str = "You took back that a card was put off.";
/// What Undo does to a card that was put off.
pub const UNDO_LATER_SAYS: &str = "Undo: I ask again now.";

/// A card was put off, and is no longer.
pub fn put_off_taken_back(what: &str) -> String {
    format!("Put off, and taken back: {what}.")
}

/// A card that was put off is asked again.
pub fn asked_again(what: &str) -> String {
    format!("Asked again: {what}.")
}

/// On the watch: a draft lies there.
pub const WATCH_DRAFTED: &str = "A draft is in your outbox";

/// On the watch: a chat is quiet until then.
pub fn watch_muted(until: &str) -> String {
    format!("Muted until {until}")
}

/// On the watch: something comes back then.
pub fn watch_put_off(until: &str) -> String {
    format!("Put off until {until}")
}
