//! What is said of what is kept.
//!
//! What: headings and rows of the memory section. Why: one place, ready for another language. Not here: the figures
//! (`render::section::memory`).

pub const WHAT_IS_KEPT: &str = "What is kept";
/// What that is.
pub const KEPT_SAYS: &str =
    "Ids, numbers and times. No message, no title, no merchant's name; all of it is encrypted on disk.";
/// Heading of the log.
pub const WHO_LOOKED: &str = "What was done with it today";
/// Nothing was.
pub const NOBODY_LOOKED: &str = "Nothing was read, changed or taken away today.";
/// What counts.
pub const AUDIT_SAYS: &str = "Each act is recorded before it happens, this page's own reading too.";
pub const DECISIONS: &str = "Decisions with their reasons";
/// The journal.
pub const JOURNAL_EVENTS: &str = "Events of the journal";
/// Names that the owner gave.
pub const OWN_NAMES: &str = "Names you gave";
pub const ON_DISK: &str = "On disk";

/// A sort of what is remembered.
pub fn kept_sort(name: &str) -> String {
    match name {
        "user" => "You".to_owned(),
        "event" => "Events of the calendar".to_owned(),
        "app" => "Programs".to_owned(),
        "person" => "People and shops".to_owned(),
        "place" => "Places, as cells of a map".to_owned(),
        "transaction" => "Payments".to_owned(),
        "conversation" => "Chats, a day each".to_owned(),
        "health_snapshot" => "Measurements of load".to_owned(),
        "action" => "What Aura did".to_owned(),
        "trace" => "Decisions in the graph".to_owned(),
        other => other.replace('_', " "),
    }
}

/// The clock moved on by days.
pub const DELETION_WAITS_FOR_A_DAY: &str = "Nothing newer is deleted by its age yet: this computer's clock has moved on by days, and a later date will confirm it.";

/// The clock shows a date far ahead.
pub fn clock_may_be_ahead(date: &str) -> String {
    format!(
        "Nothing newer is deleted by its age for now: this computer's clock says {date}, which may be wrong. Deletion goes on when the \
         clock is set over the network, or when you confirm it."
    )
}

/// The clock shows a date before what was confirmed.
pub fn clock_is_behind(date: &str) -> String {
    format!(
        "Nothing is deleted by its age for now: this computer's clock says {date}, earlier than before. Deletion goes on when the clock \
         is set right, or when you confirm it."
    )
}

/// For how long, and since when.
pub fn kept_for(days: Option<u32>, oldest: &str) -> String {
    format!("{}; the oldest from {oldest}", kept_days(days))
}

/// For how long.
pub fn kept_days(days: Option<u32>) -> String {
    match days {
        Some(1) => "kept for 1 day".to_owned(),
        Some(days) => format!("kept for {days} days"),
        None => "kept until you delete it".to_owned(),
    }
}

/// A size.
pub fn kibibytes(bytes: u64) -> String {
    format!("{} KiB", bytes / 1024)
}

/// What was done, as the audit log names it.
pub fn audit(op: &str) -> String {
    match op {
        "read" => "Read".to_owned(),
        "write" => "Written".to_owned(),
        "delete" => "Deleted by you".to_owned(),
        "purge" => "Removed at the end of its time".to_owned(),
        "export" => "Taken away as a copy".to_owned(),
        "import" => "Taken in".to_owned(),
        "backup" => "Backed up".to_owned(),
        "restore" => "Restored".to_owned(),
        "key_change" => "Key changed".to_owned(),
        "label" => "Named by you".to_owned(),
        "send" => "Sent to another machine".to_owned(),
        "recovered" => "Recovered after damage".to_owned(),
        other => other.replace('_', " "),
    }
}
