//! What is said in the palette.
//!
//! What: its pages, what it does, and its sentences. Why: one place, ready for another language. Not here: people and days, which the script asks for
//! (`assets/aura.js`).

use super as words;

/// What it is.
pub const PALETTE: &str = "Go to";
/// The button that opens it.
pub const PALETTE_OPEN: &str = "Go to…";
/// Its field.
pub const PALETTE_FIELD: &str = "A page, a person, a chat or a day";
/// What is found.
pub const PALETTE_FOUND: &str = "Found";
/// Nothing fits.
pub const PALETTE_NOTHING: &str = "Nothing of that name.";
/// How it is used.
pub const PALETTE_KEYS: &str =
    "Arrow keys choose, Enter goes there, Escape closes. Ctrl K opens this on every page.";
/// Leads to a day; `{}` is the day.
pub const PALETTE_DAY: &str = "Agenda of {}";
/// Names of days, in the order of yesterday, today, tomorrow.
pub const PALETTE_DAYS: &str = "yesterday,today,tomorrow";
/// Quiet for a time.
pub const PALETTE_QUIET_HOURS: &str = "Quiet for two hours";
/// Quiet for the day.
pub const PALETTE_QUIET_DAY: &str = "Quiet until tomorrow";
/// Ends it.
pub const PALETTE_SPEAK: &str = "End the quiet";
/// Looks now.
pub const PALETTE_LOOK: &str = "Look now";

/// Pages that no bar of sections leads to.
pub const PALETTE_PAGES: [(&str, &str); 2] = [("/month", words::MONTH), ("/doctor", words::DOCTOR)];
