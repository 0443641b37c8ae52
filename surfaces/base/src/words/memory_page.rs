//! What is said where what is remembered is looked through and copied.
//!
//! What: the search, the copy, and the audit log in sentences. Not here: figures (`memory`), forgetting (`forgetting`).

use super::changed_setting;
use crate::backend::memory::{CopyForm, CopyReader};
use crate::language::{Text, say, text};

/// Heading of the search.
pub const FIND: Text = Text("memory-page-find");
/// What it searches, and what is not kept of it.
pub const FIND_SAYS: Text = Text("memory-page-find-says");
/// The field of the kind.
pub const FIND_KIND: Text = Text("memory-page-find-kind");
/// The field of the name.
pub const FIND_NAME: Text = Text("memory-page-find-name");
/// Begins it.
pub const FIND_DO: Text = Text("memory-page-find-do");
/// Nothing fits.
pub const FIND_NOTHING: Text = Text("memory-page-find-nothing");
/// The button of a row.
pub const FORGET_ONE: Text = Text("memory-page-forget-one");

/// The name of that button.
pub fn forget_this(name: &str) -> String {
    say!("memory-page-forget-this", name)
}

/// When a thing is that is still to come.
pub fn comes_on(when: &str) -> String {
    say!("memory-page-comes-on", when)
}

/// When a thing was seen.
pub fn seen_last(when: &str) -> String {
    say!("memory-page-seen-last", when)
}

/// More were found than are shown.
pub fn find_more(count: usize) -> String {
    say!("memory-page-find-more", count)
}

/// Some cannot be found by a name.
pub fn find_unnamed(count: usize) -> String {
    if count == 1 {
        text("memory-page-find-unnamed-one-more-has").to_owned()
    } else {
        say!("memory-page-find-unnamed-more-have-no", count)
    }
}

/// Heading of the copy.
pub const COPY: Text = Text("memory-page-copy");
/// What that is.
pub const COPY_SAYS: Text = Text("memory-page-copy-says");
/// Who it is for.
pub const COPY_FOR: Text = Text("memory-page-copy-for");
/// In which form.
pub const COPY_FORM: Text = Text("memory-page-copy-form");
/// Shows what it would hold.
pub const COPY_LOOK: Text = Text("memory-page-copy-look");
/// How its file begins.
pub const COPY_BEGINS: Text = Text("memory-page-copy-begins");
/// Saves it.
pub const COPY_SAVE: Text = Text("memory-page-copy-save");
/// Nothing is left out.
pub const COPY_WHOLE: Text = Text("memory-page-copy-whole");
/// Why it cannot be saved here.
pub const COPY_NOT_HERE: Text = Text("memory-page-copy-not-here");

/// Who a copy is for.
pub fn copy_reader(reader: CopyReader) -> &'static str {
    match reader {
        CopyReader::Myself => text("memory-page-copy-reader-me-everything"),
        CopyReader::Friend => text("memory-page-copy-reader-a-friend-days"),
        CopyReader::Clinician => text("memory-page-copy-reader-a-doctor-body"),
        CopyReader::Anybody => text("memory-page-copy-reader-anybody-counts-by"),
    }
}

/// In which form.
pub fn copy_form(form: CopyForm) -> &'static str {
    match form {
        CopyForm::Whole => text("memory-page-copy-form-everything-json"),
        CopyForm::Calendar => text("memory-page-copy-form-events-a-calendar"),
        CopyForm::Journal => text("memory-page-copy-form-payments-a-journal"),
    }
}

/// How its file is called.
pub fn copy_file(form: CopyForm) -> &'static str {
    match form {
        CopyForm::Whole => text("memory-page-copy-file-aura-copy-json"),
        CopyForm::Calendar => text("memory-page-copy-file-aura-copy-ics"),
        CopyForm::Journal => text("memory-page-copy-file-aura-copy-journal"),
    }
}

/// How much it holds.
pub fn copy_holds(rows: u64, bytes: u64) -> String {
    let size = match bytes {
        0..1_000 => text("memory-page-copy-holds-less-than-1").to_owned(),
        1_000..1_000_000 => say!("memory-page-copy-holds-kb", value = bytes / 1_000),
        _ => say!("memory-page-copy-holds-mb", value = bytes / 1_000_000),
    };
    say!("memory-page-copy-holds", rows, size)
}

/// What a field tells about, as the export names it.
pub fn copy_class(class: &str) -> String {
    match class {
        "channel" => text("memory-page-copy-class-chats-and-programs").to_owned(),
        "location" => text("memory-page-copy-class-where-you-were").to_owned(),
        "health" => text("memory-page-copy-class-your-body").to_owned(),
        "text" => text("memory-page-copy-class-sentences").to_owned(),
        "phone" => text("memory-page-copy-class-telephone-numbers").to_owned(),
        "money" => text("memory-page-copy-class-amounts").to_owned(),
        "person" => text("memory-page-copy-class-people").to_owned(),
        "merchant" => text("memory-page-copy-class-shops-and-accounts").to_owned(),
        other => other.replace('_', " "),
    }
}

/// What was done with it.
pub fn copy_removed(done: &str, count: u64) -> String {
    let done = match done {
        "remove" => text("memory-page-copy-removed-left-out"),
        "coarsen" => text("memory-page-copy-removed-made-rougher"),
        other => other,
    };
    say!("memory-page-copy-removed-times", count, done)
}

/// Heading of the last acts.
pub const ACTS: Text = Text("memory-page-acts");

/// An act of the audit log, in a sentence. `kind`: `None` where that was forgotten. `id`: of what.
pub fn audit_act(op: &str, kind: Option<&str>, id: Option<&str>, count: Option<u64>) -> String {
    if let ("write", Some("settings"), Some(id)) = (op, kind, id) {
        return changed_setting(id);
    }
    let what = match kind {
        Some("trace") => text("memory-page-audit-act-one-decision"),
        Some("traces") => text("memory-page-audit-act-the-list-of"),
        Some("node") => text("memory-page-audit-act-one-thing-that"),
        Some("graph") => text("memory-page-audit-act-what-i-remember"),
        Some("person") => text("memory-page-audit-act-what-i-know"),
        Some("span") => text("memory-page-audit-act-a-stretch-of"),
        Some("rule") => text("memory-page-audit-act-one-of-your"),
        Some("pause") => text("memory-page-audit-act-the-pause"),
        Some("call") => text("memory-page-audit-act-something-you-had"),
        Some("settings") => text("memory-page-audit-act-your-settings"),
        Some("ledger") => text("memory-page-audit-act-the-count-of"),
        Some("audit") => text("memory-page-audit-act-this-list"),
        Some("key") => text("memory-page-audit-act-the-key"),
        Some("memory") => text("memory-page-audit-act-all-that-is"),
        Some("folder") => text("memory-page-audit-act-the-names-in"),
        Some("notification") => text("memory-page-audit-act-a-notification"),
        Some("telemetry") => text("telemetry-sent"),
        Some("connection") => text("program-network-connection"),
        Some("draft") => text("memory-page-audit-act-the-draft-of"),
        Some(other) => return format!("{}: {}.", audit_done(op), other.replace('_', " ")),
        None => text("memory-page-audit-act-something-that-is"),
    };
    let counted = match count {
        // Of one thing how many rows it took says nothing.
        Some(_) if kind == Some("trace") => String::new(),
        Some(1) => text("memory-page-audit-act-1-entry").to_owned(),
        Some(count) => say!("memory-page-audit-act-entries", count),
        None => String::new(),
    };
    if op == "delete" && kind == Some("memory") {
        return say!("memory-page-audit-act-you-had-something", counted);
    }
    if op == "import" && kind == Some("memory") {
        return text("memory-page-audit-act-you-had-all-read").to_owned();
    }
    if op == "send" && kind == Some("connection") {
        return text("program-network-connected").to_owned();
    }
    if op == "write" && kind == Some("draft") {
        return text("memory-page-audit-act-you-edited-the").to_owned();
    }
    let done = match (op, kind) {
        ("write", Some("trace")) => text("memory-page-audit-act-written-down").to_owned(),
        _ => audit_done(op),
    };
    if matches!(kind, Some("settings" | "folder")) {
        say!("memory-page-audit-act-were", what, done, counted)
    } else {
        say!("memory-page-audit-act-was", what, done, counted)
    }
}

/// What was done, within a sentence.
fn audit_done(op: &str) -> String {
    match op {
        "read" => text("memory-page-audit-done-shown").to_owned(),
        "write" => text("memory-page-audit-done-changed").to_owned(),
        "delete" => text("memory-page-audit-done-deleted-by-you").to_owned(),
        "purge" => text("memory-page-audit-done-removed-at-the").to_owned(),
        "export" => text("memory-page-audit-done-copied-to-take").to_owned(),
        "import" => text("memory-page-audit-done-taken-in").to_owned(),
        "backup" => text("memory-page-audit-done-backed-up").to_owned(),
        "restore" => text("memory-page-audit-done-restored").to_owned(),
        "key_change" => text("memory-page-audit-done-changed").to_owned(),
        "label" => text("memory-page-audit-done-named-by-you").to_owned(),
        "send" => text("memory-page-audit-done-sent-to-another").to_owned(),
        "recovered" => text("memory-page-audit-done-recovered-after-damage").to_owned(),
        other => other.replace('_', " "),
    }
}

/// An edited draft of a reply, where it is known to whom.
pub fn edited_draft(whom: &str) -> String {
    say!("memory-page-audit-act-edited-draft", whom)
}

/// The owner changed the draft of a decline.
pub fn edited_decline(event: &str) -> String {
    say!("memory-page-audit-act-edited-decline", event)
}

/// Heading where the clock may be wrong.
pub const CLOCK_WAITS: Text = Text("memory-page-clock-waits");
/// What comes of a yes.
pub const CLOCK_CONFIRM_SAYS: Text = Text("memory-page-clock-confirm-says");
/// Says so.
pub const CLOCK_CONFIRM: Text = Text("memory-page-clock-confirm");
/// It was said.
pub const CLOCK_CONFIRMED: Text = Text("memory-page-clock-confirmed");
