//! What is said of whom the owner always lets through.
//!
//! What: the button with its effect, the rule read back, and what was done. Why: a rule that lets speak is told as plainly as one that forbids. Not here:
//! rules that forbid (`owner`), markup (`web::let_through`).

use crate::format;
use toolcall_schema::catalogue::learning::LearnedThing;

/// Heading of them.
pub const LET_THROUGH: &str = "Always let through";
/// Takes it back.
pub const LET_NO_LONGER: &str = "Take back";
/// Comms does not say whom.
pub const LET_THROUGH_NOT_READ: &str =
    "Comms is busy, so I cannot say whom you always let through. I look again in a moment.";
/// On a card that came because of it.
pub const LET_THROUGH_LINE: &str = "You always let this through.";
/// Beside a candidate that passed because of it.
pub const LET_THROUGH_BESIDE: &str = "you always let it through";
/// The same as a sentence.
pub const LET_THROUGH_BY_RULE: &str = "You always let it through, so its score does not matter.";

/// The button.
pub fn let_through(name: &str) -> String {
    format!("Always let {name} through")
}

/// What it does; `ceiling`: interruptions a day.
pub fn let_through_effect(about: &LearnedThing, name: &str, ceiling: u8) -> String {
    let from = match about {
        LearnedThing::Person(_) => "from",
        LearnedThing::Channel(_) => "in",
    };
    let cards = format::count(u32::from(ceiling), "card", "cards");
    format!(
        "I tell you of a message {from} {name} that wants an answer even when I would keep quiet about it. Still at most {cards} a day in all, and never \
         in quiet hours, in a pause, or against a mute or another rule of yours."
    )
}

/// The rule, read back.
pub fn is_let_through(name: &str) -> String {
    format!("You always let {name} through.")
}

/// It was said.
pub fn let_through_now(name: &str) -> String {
    format!("From now on I let {name} through.")
}

/// It was said, and is over.
pub fn was_let_through(name: &str) -> String {
    format!("I let {name} through.")
}

/// It was taken back.
pub fn let_through_no_longer(name: &str) -> String {
    format!("I no longer always let {name} through.")
}
