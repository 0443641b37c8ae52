//! What the history says beside what happened.
//!
//! What: its title, its form and what it says where there is nothing. Why: one place, ready for another language. Not here: kinds and outcomes
//! (`kinds`, `why`), the acts of the owner (`acts`).

use crate::language::{Text, say};

/// Title, and where it is linked.
pub const HISTORY: Text = Text("history-history");
/// Within [`history_says`]: what was said and done, and what was held back.
pub const HISTORY_SAYS_SPOKE: Text = Text("history-says-spoke");
pub const HISTORY_SAYS_HELD: Text = Text("history-says-held");
/// A field: a name, or words of the line itself.
pub const HISTORY_WORDS: Text = Text("history-history-words");
/// Unfolds the other fields.
pub const HISTORY_NARROW: Text = Text("history-history-narrow");
/// A field: which kind of action.
pub const HISTORY_KIND: Text = Text("history-history-kind");
/// Any kind.
pub const HISTORY_ANY: Text = Text("history-history-any");
/// A field: what came of it.
pub const HISTORY_CAME: Text = Text("history-history-came");
/// All that came of it but silence.
pub const HISTORY_SPOKE: Text = Text("history-history-spoke");
/// Silence where something was proposed.
pub const HISTORY_HELD: Text = Text("history-history-held");
/// Fields: the first and the last day.
pub const HISTORY_FROM: Text = Text("history-history-from");
pub const HISTORY_TO: Text = Text("history-history-to");
/// Sends the form.
pub const HISTORY_FIND: Text = Text("history-history-find");
/// Nothing fits.
pub const HISTORY_NOTHING: Text = Text("history-history-nothing");
/// Heading of events that are found by their name.
pub const HISTORY_EVENTS: Text = Text("history-history-events");
/// Where such an event leads.
/// Heading of events that were called off.
pub const HISTORY_CANCELLED: Text = Text("history-history-cancelled");
pub const HISTORY_EVENT_SAYS: Text = Text("history-history-event-says");
/// More of it.
pub const HISTORY_OLDER: Text = Text("history-history-older");

/// What it is. `spoke`, `held`: what stands in the places of the two.
pub fn history_says(spoke: &str, held: &str) -> String {
    say!("history-history-says", spoke, held)
}

/// Which day the search came to, where it has to be asked again to go on.
pub fn history_until(day: &str) -> String {
    say!("history-history-until", day)
}

/// Below a line: how many like it there were before, and from when on. `since`: a local time.
pub fn more_like_it(count: usize, since: &str) -> String {
    say!("history-more-like-it", count, since)
}
