//! What the drawer says beside what it shows.
//!
//! What: its small words. Why: one place, ready for another language. Not here: reasons and outcomes (`why`), names of figures
//! (`figures`).

use crate::language::{Text, say};

/// No agent proposed anything.
pub const NOTHING_PROPOSED: Text = Text("drawer-nothing-proposed");
/// A cap or a rule took it out.
pub const REMOVED: Text = Text("drawer-removed");
/// It came too late to be scored.
pub const NOT_SCORED: Text = Text("drawer-not-scored");
/// It was taken.
pub const CHOSEN: Text = Text("drawer-chosen");
/// Before a usual range.
pub const USUALLY: Text = Text("drawer-usually");
/// Of a value outside of its range.
pub const NOT_USUAL: Text = Text("drawer-not-usual");
/// Of one of the seven states that was not gone through.
pub const NOT_ENTERED: Text = Text("drawer-not-entered");
/// Of the one that comes after the trace was written.
pub const FOLLOWS: Text = Text("drawer-follows");
/// Heading of the second layer.
pub const WOULD_CHANGE: Text = Text("drawer-would-change");
/// What asking there does.
pub const OTHERWISE_NOTE: Text = Text("drawer-otherwise-note");
/// The first choice, and what it may be.
pub const OTHERWISE_MORE: Text = Text("drawer-otherwise-more");
/// How many more, with the words.
pub const OTHERWISE_MORE_CHOICES: [(u8, Text); 3] = [
    (0, Text("drawer-as-many-as")),
    (1, Text("drawer-one-more")),
    (2, Text("drawer-two-more")),
];
/// The second choice, and what it may be.
pub const OTHERWISE_LATER: Text = Text("drawer-otherwise-later");
/// How many minutes later, with the words.
pub const OTHERWISE_LATER_CHOICES: [(u16, Text); 6] = [
    (0, Text("drawer-as-it-was")),
    (15, Text("drawer-a-quarter-of")),
    (30, Text("drawer-half-an-hour")),
    (60, Text("drawer-an-hour-later")),
    (120, Text("drawer-two-hours-later")),
    (240, Text("drawer-four-hours-later")),
];
/// Has the machine decide once more.
pub const OTHERWISE_ASK: Text = Text("drawer-otherwise-ask");
/// The same decision.
pub const OTHERWISE_SAME: Text = Text("drawer-otherwise-same");
/// Silence in place of something.
pub const OTHERWISE_SILENT: Text = Text("drawer-otherwise-silent");
/// Its events went.
pub const OTHERWISE_NOT_KEPT: Text = Text("drawer-otherwise-not-kept");
/// It was ended.
pub const OTHERWISE_TOO_LONG: Text = Text("drawer-otherwise-too-long");

/// What would have been chosen instead.
pub fn otherwise_chosen(what: &str) -> String {
    say!("drawer-otherwise-chosen", what)
}

/// Unfolds the third layer.
pub const FULL_RECORD: Text = Text("drawer-full-record");
/// Unfolds the record.
pub const AS_JSON: Text = Text("drawer-as-json");
