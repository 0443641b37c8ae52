//! What pages below a section say around their content.
//!
//! What: the head of tasks, what the demo says of settings that it only shows, why the month's end is not known. Why: one place, in two languages. Not here: sections (`sections`).

use crate::language::Text;

/// Heading of what is to be done, beside the day.
pub const AGENDA_TASKS: Text = Text("frames-agenda-tasks");
/// Nothing is to be done that day.
pub const AGENDA_NO_TASK: Text = Text("frames-agenda-no-task");
/// Settings that are only shown.
pub const SETTINGS_ONLY_SHOWN: Text = Text("frames-settings-only-shown");
/// Why it is not said where the month ends.
pub const MONTHS_END_NO_BALANCE: Text = Text("frames-months-end-no-balance");
pub const MONTHS_END_TOO_EARLY: Text = Text("frames-months-end-too-early");
/// Beside the hour at which Aura looks by itself.
pub const LOOKS_THEN: Text = Text("frames-looks-then");
