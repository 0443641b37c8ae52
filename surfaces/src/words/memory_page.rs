//! What is said where what is remembered is looked through and copied.
//!
//! What: the search, the copy, and the audit log in sentences. Not here: figures (`memory`), forgetting (`forgetting`).

use crate::backend::memory::{CopyForm, CopyReader};

/// Heading of the search.
pub const FIND: &str = "Look through it";
/// What it searches, and what is not kept of it.
pub const FIND_SAYS: &str =
    "By the names that your own mail, chats, calendar and payments give. What you look for is kept nowhere.";
/// The field of the kind.
pub const FIND_KIND: &str = "Among";
/// The field of the name.
pub const FIND_NAME: &str = "A name, or a part of it";
/// Begins it.
pub const FIND_DO: &str = "Find";
/// Nothing fits.
pub const FIND_NOTHING: &str = "I remember nothing of that name.";
/// The button of a row.
pub const FORGET_ONE: &str = "Forget…";

/// The name of that button.
pub fn forget_this(name: &str) -> String {
    format!("{FORGET_ONE} {name}")
}

/// When a thing is that is still to come.
pub fn comes_on(when: &str) -> String {
    format!("It is on {when}")
}

/// When a thing was seen.
pub fn seen_last(when: &str) -> String {
    format!("Last seen {when}")
}

/// More were found than are shown.
pub fn find_more(count: usize) -> String {
    format!("{count} more. Type more of the name to find them.")
}

/// Some cannot be found by a name.
pub fn find_unnamed(count: usize) -> String {
    if count == 1 {
        "One more has no name that I can ask for now. Leave the name empty to see it.".to_owned()
    } else {
        format!("{count} more have no name that I can ask for now. Leave the name empty to see them.")
    }
}

/// Heading of the copy.
pub const COPY: &str = "Take a copy along";
/// What that is.
pub const COPY_SAYS: &str =
    "I show first what would be in it. It is not encrypted: anybody who has the file can read it.";
/// Who it is for.
pub const COPY_FOR: &str = "For";
/// In which form.
pub const COPY_FORM: &str = "As";
/// Shows what it would hold.
pub const COPY_LOOK: &str = "Show what would be in it";
/// How its file begins.
pub const COPY_BEGINS: &str = "How the file begins";
/// Saves it.
pub const COPY_SAVE: &str = "Save this copy";
/// Nothing is left out.
pub const COPY_WHOLE: &str = "Nothing is left out.";
/// Why it cannot be saved here.
pub const COPY_NOT_HERE: &str = "A copy can be saved only in the browser that Aura itself has opened on this computer, within half an hour.";

/// Who a copy is for.
pub fn copy_reader(reader: CopyReader) -> &'static str {
    match reader {
        CopyReader::Myself => "me: everything",
        CopyReader::Friend => "a friend: days, rough amounts",
        CopyReader::Clinician => "a doctor: body and times",
        CopyReader::Anybody => "anybody: counts by day",
    }
}

/// In which form.
pub fn copy_form(form: CopyForm) -> &'static str {
    match form {
        CopyForm::Whole => "everything (JSON)",
        CopyForm::Calendar => "events (a calendar)",
        CopyForm::Journal => "payments (a journal)",
    }
}

/// How its file is called.
pub fn copy_file(form: CopyForm) -> &'static str {
    match form {
        CopyForm::Whole => "aura-copy.json",
        CopyForm::Calendar => "aura-copy.ics",
        CopyForm::Journal => "aura-copy.journal",
    }
}

/// How much it holds.
pub fn copy_holds(rows: u64, bytes: u64) -> String {
    let size = match bytes {
        0..1_000 => "less than 1 kB".to_owned(),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    };
    let entries = if rows == 1 { "entry" } else { "entries" };
    format!("{rows} {entries}, {size}.")
}

/// What a field tells about, as the export names it.
pub fn copy_class(class: &str) -> String {
    match class {
        "channel" => "Chats and programs".to_owned(),
        "location" => "Where you were".to_owned(),
        "health" => "Your body".to_owned(),
        "text" => "Sentences".to_owned(),
        "phone" => "Telephone numbers".to_owned(),
        "money" => "Amounts".to_owned(),
        "person" => "People".to_owned(),
        "merchant" => "Shops and accounts".to_owned(),
        other => other.replace('_', " "),
    }
}

/// What was done with it.
pub fn copy_removed(done: &str, count: u64) -> String {
    let done = match done {
        "remove" => "left out",
        "coarsen" => "made rougher",
        other => other,
    };
    format!("{done}, {count} {}", if count == 1 { "time" } else { "times" })
}

/// Heading of the last acts.
pub const ACTS: &str = "What was done last";

/// An act of the audit log, in a sentence. `kind`: `None` where that was forgotten.
pub fn audit_act(op: &str, kind: Option<&str>, count: Option<u64>) -> String {
    let what = match kind {
        Some("trace") => "One decision",
        Some("traces") => "The list of decisions",
        Some("node") => "One thing that I remember",
        Some("graph") => "What I remember",
        Some("person") => "What I know of one person",
        Some("span") => "A stretch of time",
        Some("rule") => "One of your rules",
        Some("pause") => "The pause",
        Some("call") => "Something you had me do",
        Some("settings") => "Your settings",
        Some("ledger") => "The count of interruptions",
        Some("audit") => "This list",
        Some("key") => "The key",
        Some("memory") => "All that is kept",
        Some("folder") => "The names in one of your folders",
        Some("notification") => "A notification",
        Some("draft") => "The draft of a reply",
        Some(other) => return format!("{}: {}.", audit_done(op), other.replace('_', " ")),
        None => "Something that is forgotten since",
    };
    let be = if matches!(kind, Some("settings" | "folder")) {
        "were"
    } else {
        "was"
    };
    let counted = match count {
        // Of one thing how many rows it took says nothing.
        Some(_) if kind == Some("trace") => String::new(),
        Some(1) => ": 1 entry".to_owned(),
        Some(count) => format!(": {count} entries"),
        None => String::new(),
    };
    if op == "delete" && kind == Some("memory") {
        return format!("You had something forgotten{counted}.");
    }
    if op == "write" && kind == Some("draft") {
        return "You edited the draft of a reply.".to_owned();
    }
    let done = match (op, kind) {
        ("write", Some("trace")) => "written down".to_owned(),
        _ => audit_done(op),
    };
    format!("{what} {be} {done}{counted}.")
}

/// What was done, within a sentence.
fn audit_done(op: &str) -> String {
    match op {
        "read" => "shown".to_owned(),
        "write" => "changed".to_owned(),
        "delete" => "deleted by you".to_owned(),
        "purge" => "removed at the end of its time".to_owned(),
        "export" => "copied to take along".to_owned(),
        "import" => "taken in".to_owned(),
        "backup" => "backed up".to_owned(),
        "restore" => "restored".to_owned(),
        "key_change" => "changed".to_owned(),
        "label" => "named by you".to_owned(),
        "send" => "sent to another machine".to_owned(),
        "recovered" => "recovered after damage".to_owned(),
        other => other.replace('_', " "),
    }
}

/// Heading where the clock may be wrong.
pub const CLOCK_WAITS: &str = "Is this computer's clock right?";
/// What comes of a yes.
pub const CLOCK_CONFIRM_SAYS: &str =
    "If it is, say so: what was kept long enough by its date is then deleted, as always.";
/// Says so.
pub const CLOCK_CONFIRM: &str = "The clock is right";
/// It was said.
pub const CLOCK_CONFIRMED: &str = "Thank you. I delete what is old again.";
