//! What the history says beside what happened.
//!
//! What: its title, its form and what it says where there is nothing. Why: one place, ready for another language. Not here: kinds and outcomes
//! (`kinds`, `why`), the acts of the owner (`acts`).

/// Title, and where it is linked.
pub const HISTORY: &str = "Every day";
/// What it is.
pub const HISTORY_SAYS: &str = "What I said and did, and what I held back. Names are asked of my agents for the answer and kept nowhere.";
/// A field: a name, or words of the line itself.
pub const HISTORY_WORDS: &str = "Words or a name";
/// Unfolds the other fields.
pub const HISTORY_NARROW: &str = "Narrow it down";
/// A field: which kind of action.
pub const HISTORY_KIND: &str = "What";
/// Any kind.
pub const HISTORY_ANY: &str = "anything";
/// A field: what came of it.
pub const HISTORY_CAME: &str = "What came of it";
/// All that came of it but silence.
pub const HISTORY_SPOKE: &str = "said or done";
/// Silence where something was proposed.
pub const HISTORY_HELD: &str = "held back";
/// Fields: the first and the last day.
pub const HISTORY_FROM: &str = "From";
pub const HISTORY_TO: &str = "To";
/// Sends the form.
pub const HISTORY_FIND: &str = "Look";
/// Nothing fits.
pub const HISTORY_NOTHING: &str = "I said, did and held back nothing that fits.";
/// Heading of events that are found by their name.
pub const HISTORY_EVENTS: &str = "In your calendar";
/// Where such an event leads.
pub const HISTORY_EVENT_SAYS: &str = "What I said about it, or why I did not.";
/// More of it.
pub const HISTORY_OLDER: &str = "Earlier";

/// Which day the search came to, where it has to be asked again to go on.
pub fn history_until(day: &str) -> String {
    format!("Looked through down to {day}.")
}
