//! What is said of what is kept.
//!
//! What: headings and rows of the memory section. Why: one place, ready for another language. Not here: the figures
//! (`render::section::memory`).

use crate::language::{Text, say, text};

pub const WHAT_IS_KEPT: Text = Text("memory-what-is-kept");
/// What that is.
pub const KEPT_SAYS: Text = Text("memory-kept-says");
/// Heading of the log.
pub const WHO_LOOKED: Text = Text("memory-who-looked");
/// Nothing was.
pub const NOBODY_LOOKED: Text = Text("memory-nobody-looked");
/// What counts.
pub const AUDIT_SAYS: Text = Text("memory-audit-says");
pub const DECISIONS: Text = Text("memory-decisions");
/// Names that the owner gave.
pub const OWN_NAMES: Text = Text("memory-own-names");
pub const ON_DISK: Text = Text("memory-on-disk");

/// A sort of what is remembered.
pub fn kept_sort(name: &str) -> String {
    match name {
        "event" => text("memory-kept-sort-events-of-the").to_owned(),
        "app" => text("memory-kept-sort-programs").to_owned(),
        "person" => text("memory-kept-sort-people-and-shops").to_owned(),
        "place" => text("memory-kept-sort-places-as-cells").to_owned(),
        "transaction" => text("memory-kept-sort-payments").to_owned(),
        "conversation" => text("memory-kept-sort-chats-a-day").to_owned(),
        "health_snapshot" => text("memory-kept-sort-measurements-of-load").to_owned(),
        "action" => text("memory-kept-sort-what-aura-did").to_owned(),
        other => other.replace('_', " "),
    }
}

/// The clock moved on by days.
pub const DELETION_WAITS_FOR_A_DAY: Text = Text("memory-deletion-waits-for-a-day");

/// The clock shows a date far ahead.
pub fn clock_may_be_ahead(date: &str) -> String {
    say!("memory-clock-may-be-ahead", date)
}

/// The clock shows a date before what was confirmed.
pub fn clock_is_behind(date: &str) -> String {
    say!("memory-clock-is-behind", date)
}

/// For how long, and since when.
pub fn kept_for(days: Option<u32>, oldest: &str) -> String {
    say!("memory-kept-for", kept_days = kept_days(days), oldest)
}

/// For how long.
pub fn kept_days(days: Option<u32>) -> String {
    match days {
        Some(1) => text("memory-kept-days-kept-for-1").to_owned(),
        Some(days) => say!("memory-kept-days-kept-for-days", days),
        None => text("memory-kept-days-kept-until-you").to_owned(),
    }
}

/// A size, as a file manager says it.
pub fn disk_size(bytes: u64) -> String {
    let tenths = u32::try_from(bytes.saturating_add(50_000) / 100_000).unwrap_or(u32::MAX);
    if tenths < 10 {
        say!("memory-kilobytes", value = bytes.saturating_add(500) / 1000)
    } else {
        say!("frames-megabytes", value = crate::format::tenths(tenths))
    }
}

/// What was done, as the audit log names it.
pub fn audit(op: &str) -> String {
    match op {
        "read" => text("memory-audit-read").to_owned(),
        "write" => text("memory-audit-written").to_owned(),
        "delete" => text("memory-audit-deleted-by-you").to_owned(),
        "purge" => text("memory-audit-removed-at-the").to_owned(),
        "export" => text("memory-audit-taken-away-as").to_owned(),
        "import" => text("memory-audit-taken-in").to_owned(),
        "backup" => text("memory-audit-backed-up").to_owned(),
        "restore" => text("memory-audit-restored").to_owned(),
        "key_change" => text("memory-audit-key-changed").to_owned(),
        "label" => text("memory-audit-named-by-you").to_owned(),
        "send" => text("memory-audit-sent-to-another").to_owned(),
        "recovered" => text("memory-audit-recovered-after-damage").to_owned(),
        other => other.replace('_', " "),
    }
}
