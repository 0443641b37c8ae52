//! What is said in the palette.
//!
//! What: its pages, what it does, and its sentences. Why: one place, ready for another language. Not here: people and days, which the script asks for
//! (`assets/aura.js`).

use super as words;
use crate::language::Text;

/// What it is.
pub const PALETTE: Text = Text("palette-palette");
/// The button that opens it.
pub const PALETTE_OPEN: Text = Text("palette-palette-open");
/// Its field.
pub const PALETTE_FIELD: Text = Text("palette-palette-field");
/// What is found.
pub const PALETTE_FOUND: Text = Text("palette-palette-found");
/// Nothing fits.
pub const PALETTE_NOTHING: Text = Text("palette-palette-nothing");
/// How it is used.
pub const PALETTE_KEYS: Text = Text("palette-palette-keys");
/// Leads to a day; `{}` is the day.
pub const PALETTE_DAY: Text = Text("palette-palette-day");
/// Names of days, in the order of yesterday, today, tomorrow.
pub const PALETTE_DAYS: Text = Text("palette-palette-days");
/// What stands before the name of a day that is not today.
pub const PALETTE_NEXT: Text = Text("palette-palette-next");
/// Quiet for a time.
pub const PALETTE_QUIET_HOURS: Text = Text("palette-palette-quiet-hours");
/// Quiet for the day.
pub const PALETTE_QUIET_DAY: Text = Text("palette-palette-quiet-day");
/// Ends it.
pub const PALETTE_SPEAK: Text = Text("palette-palette-speak");
/// Looks now.
pub const PALETTE_LOOK: Text = Text("palette-palette-look");

/// Pages that no bar of sections leads to.
pub const PALETTE_PAGES: [(&str, Text); 2] = [("/month", words::MONTH), ("/doctor", words::DOCTOR)];
