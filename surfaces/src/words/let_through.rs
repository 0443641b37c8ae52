//! What is said of whom the owner always lets through.
//!
//! What: the button with its effect, the rule read back, and what was done. Why: a rule that lets speak is told as plainly as one that forbids. Not here:
//! rules that forbid (`owner`), markup (`web::let_through`).

use crate::words::language::{Text, say, text};
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
pub fn let_through_effect(about: &LearnedThing, name: &str, ceiling: u8) -> String {
    let from = match about {
        LearnedThing::Person(_) => text("let-through-let-through-effect-from"),
        LearnedThing::Channel(_) => text("let-through-let-through-effect-in"),
    };
    let cards = say!("let-through-count-cards", count = u32::from(ceiling));
    say!("let-through-let-through-effect-i-tell-you", from, name, cards)
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
