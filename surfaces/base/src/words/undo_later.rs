//! What is said of taking back that a card was put off.
//!
//! What: the act, its undo and its effect, and what was done, as the watch says it. Why: "put off" alone does not say that it can be had back. Not here:
//! putting a card off (`feedback`), the other acts (`acts`).

use crate::language::{Text, say};

/// What the owner asked for, as a trace's sentence.
pub const UNDID_LATER: Text = Text("undo-later-undid");
/// What Undo does to a card that was put off.
pub const UNDO_LATER_SAYS: Text = Text("undo-later-says");
/// On the watch: a draft lies there.
pub const WATCH_DRAFTED: Text = Text("undo-later-watch-drafted");
/// Somebody no longer waits.
pub const WATCH_LET_GO: Text = Text("undo-later-watch-let-go");
/// A rule was added.
pub const WATCH_RULE: Text = Text("undo-later-watch-rule");
/// Aura learned something of somebody.
pub const WATCH_LEARNED: Text = Text("undo-later-watch-learned");
/// Somebody, or a chat, is always let through.
pub const WATCH_LET_THROUGH: Text = Text("undo-later-watch-let-through");
/// Something was said of spending.
pub const WATCH_SPENDING: Text = Text("undo-later-watch-spending");

/// A card was put off, and is no longer.
pub fn put_off_taken_back(what: &str) -> String {
    say!("undo-later-taken-back", what)
}

/// A card that was put off is asked again.
pub fn asked_again(what: &str) -> String {
    say!("undo-later-asked-again", what)
}

/// On the watch: time is kept free.
pub fn watch_held(from: &str) -> String {
    say!("undo-later-watch-held", from)
}

/// On the watch: a chat is quiet until then.
pub fn watch_muted(until: &str) -> String {
    say!("undo-later-watch-muted", until)
}

/// On the watch: nothing is said until then.
pub fn watch_paused(until: &str) -> String {
    say!("undo-later-watch-paused", until)
}

/// On the watch: something comes back then.
pub fn watch_put_off(until: &str) -> String {
    say!("undo-later-watch-put-off", until)
}
