//! What is said of whom the owner always lets through.
//!
//! What: the button with its effect, the rule read back, and what was done. Why: a rule that lets speak is told as plainly as one that forbids. Not here:
//! rules that forbid (`owner`), markup (`web::let_through`).

use crate::language::{Text, say, text};
use toolcall_schema::catalogue::learning::LearnedThing;

/// Heading of them.
pub const LET_THROUGH: Text = Text("let-through-let-through");
/// Takes it back.
pub const LET_NO_LONGER: Text = Text("let-through-let-no-longer");
/// Comms does not say whom.
pub const LET_THROUGH_NOT_READ: Text = Text("let-through-let-through-not-read");
/// On a card that came because of it.
pub const LET_THROUGH_LINE: Text = Text("let-through-let-through-line");
/// Beside a candidate that passed because of it.
pub const LET_THROUGH_BESIDE: Text = Text("let-through-let-through-beside");
/// The same as a sentence.
pub const LET_THROUGH_BY_RULE: Text = Text("let-through-let-through-by-rule");

/// The button.
pub fn let_through(name: &str) -> String {
    say!("let-through-let-through-2", name)
}

/// What it does; `ceiling`: interruptions a day.
pub fn let_through_effect(about: &LearnedThing, name: Option<&str>, ceiling: u8) -> String {
    let message = match (about, name) {
        (LearnedThing::Person(_), Some(name)) => say!("let-through-message-from", name),
        (LearnedThing::Person(_), None) => text("let-through-message-from-this-sender").to_owned(),
        (LearnedThing::Channel(_), Some(name)) => say!("let-through-message-in", name),
        (LearnedThing::Channel(_), None) => text("let-through-message-in-this-chat").to_owned(),
    };
    say!(
        "let-through-let-through-effect-i-tell-you",
        message,
        count = ceiling
    )
}

/// The rule, read back.
pub fn is_let_through(name: &str) -> String {
    say!("let-through-is-let-through", name)
}

/// It was said.
pub fn let_through_now(name: &str) -> String {
    say!("let-through-let-through-now", name)
}

/// It was said, and is over.
pub fn was_let_through(name: &str) -> String {
    say!("let-through-was-let-through", name)
}

/// It was taken back.
pub fn let_through_no_longer(name: &str) -> String {
    say!("let-through-let-through-no-longer", name)
}
