//! What is said in the palette.
//!
//! What: its pages, what it does, and its sentences. Why: one place, ready for another language. Not here: people and days, which the script asks for
//! (`assets/aura.js`).

use super as words;
use crate::language::{Text, say};

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
/// Names of days, from yesterday to the day after tomorrow.
pub const PALETTE_DAYS: Text = Text("palette-palette-days");
/// What stands before the name of a day that is not today.
pub const PALETTE_NEXT: Text = Text("palette-palette-next");
/// What stands before the week that goes on, and before the one that is over.
pub const PALETTE_THIS: Text = Text("palette-palette-this");
pub const PALETTE_LAST: Text = Text("palette-palette-last");
/// What stands before a number of days, how one is written, and how days, weeks and months begin.
pub const PALETTE_IN: Text = Text("palette-palette-in");
pub const PALETTE_AGO: Text = Text("palette-palette-ago");
pub const PALETTE_BEFORE: Text = Text("palette-palette-before");
pub const PALETTE_NUMBERS: Text = Text("palette-palette-numbers");
pub const PALETTE_ONE: Text = Text("palette-palette-one");
pub const PALETTE_WEEK: Text = Text("palette-palette-week");
pub const PALETTE_UNITS: Text = Text("palette-palette-units");
/// Quiet for a time.
pub const PALETTE_QUIET_HOURS: Text = Text("palette-palette-quiet-hours");
/// Quiet for the day.
pub const PALETTE_QUIET_DAY: Text = Text("palette-palette-quiet-day");
/// Ends it.
pub const PALETTE_SPEAK: Text = Text("palette-palette-speak");
/// Looks now.
pub const PALETTE_LOOK: Text = Text("palette-palette-look");

/// Leads to a day, a week or a month.
pub fn agenda_of(time: &str) -> String {
    say!("palette-palette-agenda-of", time)
}

/// Pages that no bar of sections leads to, and places of pages that are looked for by themselves.
pub const PALETTE_PAGES: [(&str, Text); 16] = [
    ("/month", words::MONTH),
    ("/doctor", words::DOCTOR),
    ("/settings#rules", words::RULES),
    ("/settings#about-you", words::ABOUT_YOU),
    ("/settings#sources", words::WHAT_I_READ),
    ("/settings#add-account", words::ACCOUNT_ADD),
    ("/settings#notify", words::NOTIFY),
    ("/settings#model", words::MODELS),
    ("/settings#backup", words::BACKUPS),
    ("/money/ahead#budgets", words::BUDGETS),
    ("/money/ahead#recurring", words::COMES_AGAIN),
    ("/memory#forget", words::FORGET),
    ("/memory#copy", words::COPY),
    ("/ops/quarantine", words::console::QUARANTINE),
    ("/ops/traces", words::console::TRACES),
    ("/ops/what-if", words::console::WHAT_IF),
];

/// What pages are also called.
pub const PALETTE_WORDS: [(&str, Text); 24] = [
    ("/", Text("palette-words-now")),
    ("/history", Text("palette-words-history")),
    ("/history/days", Text("palette-words-days")),
    ("/agenda", Text("palette-words-agenda")),
    ("/chats", Text("palette-words-chats")),
    ("/people", Text("palette-words-people")),
    ("/money", Text("palette-words-money")),
    ("/money/spending", Text("palette-words-spending")),
    ("/money/ahead", Text("palette-words-ahead")),
    ("/body/days", Text("palette-words-body")),
    ("/memory", Text("palette-words-memory")),
    ("/devices", Text("palette-words-devices")),
    ("/workflows", Text("palette-words-workflows")),
    ("/doctor", Text("palette-words-doctor")),
    ("/settings#rules", Text("palette-words-rules")),
    ("/settings#about-you", Text("palette-words-about-you")),
    ("/settings#sources", Text("palette-words-sources")),
    ("/settings#add-account", Text("palette-words-account")),
    ("/settings#model", Text("palette-words-model")),
    ("/settings#backup", Text("palette-words-backup")),
    ("/money/ahead#recurring", Text("palette-words-recurring")),
    ("/memory#forget", Text("palette-words-forget")),
    ("/memory#copy", Text("palette-words-copy")),
    ("/ops/quarantine", Text("palette-words-quarantine")),
];
