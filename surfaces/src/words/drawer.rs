//! What the drawer says beside what it shows.
//!
//! What: its small words. Why: one place, ready for another language. Not here: reasons and outcomes (`why`), names of figures
//! (`figures`).

/// No agent proposed anything.
pub const NOTHING_PROPOSED: &str = "Nothing was proposed.";
/// A cap or a rule took it out.
pub const REMOVED: &str = "removed";
/// It came too late to be scored.
pub const NOT_SCORED: &str = "not scored";
/// It was taken.
pub const CHOSEN: &str = "chosen";
/// Before a usual range.
pub const USUALLY: &str = "usually";
/// Of a value outside of its range.
pub const NOT_USUAL: &str = "not usual";
/// Of one of the seven states that was not gone through.
pub const NOT_ENTERED: &str = "not entered";
/// Of the one that comes after the trace was written.
pub const FOLLOWS: &str = "follows";
/// A card that asks nothing.
pub const ONLY_SHOWN: &str = "It was shown, and asked you nothing.";
/// Heading of the second layer.
pub const WOULD_CHANGE: &str = "What would have changed it";
/// What asking there does.
pub const OTHERWISE_NOTE: &str =
    "I decide that moment once more, with what I knew then. Nothing is shown, and nothing is counted.";
/// The first choice, and what it may be.
pub const OTHERWISE_MORE: &str = "Interruptions a day";
/// How many more, with the words.
pub const OTHERWISE_MORE_CHOICES: [(u8, &str); 3] =
    [(0, "as many as you allowed"), (1, "one more"), (2, "two more")];
/// The second choice, and what it may be.
pub const OTHERWISE_LATER: &str = "Time";
/// How many minutes later, with the words.
pub const OTHERWISE_LATER_CHOICES: [(u16, &str); 6] = [
    (0, "as it was"),
    (15, "a quarter of an hour later"),
    (30, "half an hour later"),
    (60, "an hour later"),
    (120, "two hours later"),
    (240, "four hours later"),
];
/// Has the machine decide once more.
pub const OTHERWISE_ASK: &str = "What then?";
/// The same decision.
pub const OTHERWISE_SAME: &str = "It would have come out the same.";
/// Silence in place of something.
pub const OTHERWISE_SILENT: &str = "I would have said nothing.";
/// Its events went.
pub const OTHERWISE_NOT_KEPT: &str = "What I knew at that moment is not kept any more, so I cannot tell.";
/// It was ended.
pub const OTHERWISE_TOO_LONG: &str = "There is too much before that moment to go through it here. `aura replay --what-if` takes the time it needs.";

/// What would have been chosen instead.
pub fn otherwise_chosen(what: &str) -> String {
    format!("I would have come with this: {what}.")
}

/// Unfolds the third layer.
pub const FULL_RECORD: &str = "The full record";
/// Unfolds the record.
pub const AS_JSON: &str = "The record itself, as JSON";
