//! What the forms of the settings say.
//!
//! What: labels, what a value means, and what came of a change. Why: beside the other sentences, in a file of their own. Not here: the settings as
//! they are only shown (`sections`), refusals (`web::error`).

use crate::backend::settings::SourceState;
use crate::language::{Text, say, text};
use std::ffi::OsStr;
use toolcall_schema::SourceKind;

/// Heading of when Aura speaks.
pub const WHEN_I_SPEAK: Text = Text("settings-form-when-i-speak");

/// What comes of the brief where something forbids it at its hour. `until`: the end of its time.
pub fn which_wins(until: &str) -> String {
    say!("settings-form-which-wins", until)
}

/// What rules are for, and what they do to the brief.
pub const RULES_MEAN: Text = Text("settings-form-rules-mean");
/// Why its fields cannot be changed, and what can.
pub const HOURS_ONLY_SHOWN: Text = Text("settings-form-hours-only-shown");
/// The same beside the hour of the brief: what can be tried in its place.
pub const BRIEF_ONLY_SHOWN: Text = Text("settings-form-brief-only-shown");
/// Heading of who the owner is.
pub const ABOUT_YOU: Text = Text("settings-form-about-you");

/// How a time may be written.
pub fn time_such_as(example: &str) -> String {
    say!("settings-form-time-such-as", example)
}

/// Heading of the sources.
pub const WHAT_I_READ: Text = Text("settings-form-what-i-read");
/// The number of interruptions.
pub const FORM_CEILING: Text = Text("settings-form-form-ceiling");
/// What it means.
pub const FORM_CEILING_MEANS: Text = Text("settings-form-form-ceiling-means");
/// From when on the brief comes.
pub const FORM_BRIEF: Text = Text("settings-form-form-brief");
/// How to have it later.
pub const FORM_BRIEF_MEANS: Text = Text("settings-form-form-brief-means");
/// The quiet hours.
pub const FORM_QUIET: Text = Text("settings-form-form-quiet");
/// What they mean.
pub const FORM_QUIET_MEANS: Text = Text("settings-form-form-quiet-means");
/// One span's beginning, for a screen reader.
pub const FORM_QUIET_FROM: Text = Text("settings-form-form-quiet-from");
/// Its end.
pub const FORM_QUIET_TO: Text = Text("settings-form-form-quiet-to");
/// Above both, before mail is read.
pub const WHO_FIRST: Text = Text("settings-form-who-first");
/// How others name the owner.
pub const FORM_NAMES: Text = Text("settings-form-form-names");
/// What they are for.
pub const FORM_NAMES_MEANS: Text = Text("settings-form-form-names-means");
/// The owner's addresses.
pub const FORM_ADDRESSES: Text = Text("settings-form-form-addresses");
/// What they are for.
pub const FORM_ADDRESSES_MEANS: Text = Text("settings-form-form-addresses-means");
/// How much sleep the owner wants.
pub const FORM_SLEEP: Text = Text("settings-form-form-sleep");
/// The zone.
pub const FORM_ZONE: Text = Text("settings-form-form-zone");
/// An example of one.
pub const FORM_ZONE_MEANS: Text = Text("settings-form-form-zone-means");
/// What is in the account.
pub const FORM_BALANCE: Text = Text("settings-form-form-balance");
/// What it is for.
pub const FORM_BALANCE_MEANS: Text = Text("settings-form-form-balance-means");
/// Its currency.
pub const FORM_CURRENCY: Text = Text("settings-form-form-currency");
/// Saves a form.
pub const FORM_SAVE: Text = Text("settings-form-form-save");
/// Undoes the last change.
pub const FORM_UNDO: Text = Text("settings-form-form-undo");
/// Has the change there again that was undone.
pub const FORM_REDO: Text = Text("settings-form-form-redo");
/// Below that button.
pub fn last_change(says: &str) -> String {
    say!("settings-form-last-change", says)
}
/// Where it is written.
pub const FORM_WHERE: Text = Text("settings-form-form-where");

/// No source is read.
pub const NO_SOURCE: Text = Text("settings-form-no-source");
/// Takes a source away.
pub const FORGET_SOURCE: Text = Text("settings-form-forget-source");
/// What that means.
pub const FORGET_SOURCE_MEANS: Text = Text("settings-form-forget-source-means");
/// Heading of what was found.
pub const FOUND_HERE: Text = Text("settings-form-found-here");
/// Nothing was.
pub const NOTHING_FOUND: Text = Text("settings-form-nothing-found");
/// Allows what is ticked.
pub const ALLOW_TICKED: Text = Text("settings-form-allow-ticked");
/// Adds a path.
pub const ADD_SOURCE: Text = Text("settings-form-add-source");
/// What it is.
pub const ADD_KIND: Text = Text("settings-form-add-kind");
/// The choice that leaves it to Aura.
pub const ADD_KIND_BY_CONTENT: Text = Text("settings-form-add-kind-by-content");
/// Why it is not shown: it does not say what it is.
pub const ADD_KIND_UNCLEAR: Text = Text("settings-form-add-kind-unclear");
/// Where it is.
pub const ADD_PATH: Text = Text("settings-form-add-path");
/// Looks what is there.
pub const ADD_LOOK: Text = Text("settings-form-add-look");
/// Why nothing can be allowed here.
pub const ALLOW_NOT_HERE: Text = Text("settings-form-allow-not-here");

/// Heading of how the desktop starts Aura.
pub const DESKTOP: Text = Text("settings-form-desktop");
/// At login.
pub const AT_LOGIN: Text = Text("settings-form-at-login");
/// It cannot be.
pub const AT_LOGIN_ASKS: Text = Text("settings-form-at-login-asks");
/// Among the programs.
pub const IN_MENU: Text = Text("settings-form-in-menu");
/// A switch is on.
pub const IS_ON: Text = Text("settings-form-is-on");
/// It is off.
pub const IS_OFF: Text = Text("settings-form-is-off");
/// Turns it on.
pub const SWITCH_ON: Text = Text("settings-form-switch-on");
/// Turns it off.
pub const SWITCH_OFF: Text = Text("settings-form-switch-off");

/// Reads every source from its beginning.
pub const READ_AGAIN: Text = Text("settings-form-read-again");
/// What that means.
pub const READ_AGAIN_MEANS: Text = Text("settings-form-read-again-means");

/// What could not be read.
pub fn left_out(count: u64) -> String {
    if count == 1 {
        text("settings-form-left-out-one-thing-was").to_owned()
    } else {
        say!("settings-form-left-out-things-were-left", count)
    }
}

/// Where in a file.
pub fn in_line(line: u64) -> String {
    say!("settings-form-in-line", line)
}

/// Pauses a source.
pub const PAUSE_SOURCE: Text = Text("settings-form-pause-source");
/// Resumes it.
pub const RESUME_SOURCE: Text = Text("settings-form-resume-source");

/// The name of that button.
pub fn pause_source(path: &str) -> String {
    say!("settings-form-pause-source-2", path)
}

/// The name of the other.
pub fn resume_source(path: &str) -> String {
    say!("settings-form-resume-source-2", path)
}

/// When a source was read last; `None`: not since the start.
pub fn read_last(when: Option<&str>) -> String {
    match when {
        Some(when) => say!("settings-form-read-last-looked-at-last", when),
        None => text("settings-form-read-last-not-looked-at").to_owned(),
    }
}

/// The name of the button that stops reading a source.
pub fn forget_source(path: &str) -> String {
    say!("settings-form-forget-source-2", path)
}

/// A list of sources.
pub fn source_list(list: SourceKind) -> &'static str {
    match list {
        SourceKind::Mail => text("settings-form-source-list-mail"),
        SourceKind::Notifications => text("settings-form-source-list-notifications"),
        SourceKind::Contacts => text("settings-form-source-list-contacts"),
        SourceKind::Calendar => text("settings-form-source-list-calendar"),
        SourceKind::Sms => text("settings-form-source-list-bank-messages"),
        SourceKind::Finance => text("settings-form-source-list-statements-and-journals"),
        SourceKind::Receipts => text("settings-form-source-list-receipts"),
        SourceKind::Wellness => text("settings-form-source-list-health"),
    }
}

/// What a source holds, by what its file is: lists of tasks stand among the calendars, and each sort of measurement has a file of its own.
pub fn source_name(list: SourceKind, file: &str, place: &str) -> &'static str {
    let file = file.to_lowercase();
    let holds = |word: &str| file.contains(word);
    let ending = std::path::Path::new(place).extension().and_then(OsStr::to_str);
    let is_tasks = holds("todo") || matches!(ending, Some("txt" | "task" | "data" | "sqlite3"));
    match list {
        SourceKind::Calendar if is_tasks => text("settings-form-source-name-tasks"),
        SourceKind::Wellness if holds("hrv") => text("settings-form-source-name-heart"),
        SourceKind::Wellness if holds("sleep") => text("settings-form-source-name-sleep"),
        SourceKind::Wellness if holds("activity") => text("settings-form-source-name-activity"),
        SourceKind::Mail
        | SourceKind::Notifications
        | SourceKind::Contacts
        | SourceKind::Calendar
        | SourceKind::Sms
        | SourceKind::Finance
        | SourceKind::Receipts
        | SourceKind::Wellness => source_list(list),
    }
}

/// Its file or folder, within a sentence.
pub fn source_place(place: &str) -> String {
    say!("settings-form-source-place", place)
}

/// What is read of it.
pub fn source_reads(list: SourceKind) -> &'static str {
    match list {
        SourceKind::Mail => text("settings-form-source-reads-who-wrote-when"),
        SourceKind::Notifications => text("settings-form-source-reads-which-chat-was"),
        SourceKind::Contacts => text("settings-form-source-reads-what-you-call"),
        SourceKind::Calendar => text("settings-form-source-reads-what-is-when"),
        SourceKind::Sms => text("settings-form-source-reads-payments-that-your"),
        SourceKind::Finance => text("settings-form-source-reads-payments-and-balances"),
        SourceKind::Receipts => text("settings-form-source-reads-what-you-paid"),
        SourceKind::Wellness => text("settings-form-source-reads-sleep-heart-rate"),
    }
}

/// How one stands that is being read.
pub const SOURCE_BEING_READ: Text = Text("settings-form-source-being-read");

/// How a source stands.
pub fn source_state(state: SourceState) -> &'static str {
    match state {
        SourceState::There => text("settings-form-source-state-is-there"),
        SourceState::Missing => text("settings-form-source-state-is-not-there"),
        SourceState::Unanswered => text("settings-form-source-state-is-on-a"),
        SourceState::Paused => text("settings-form-source-state-is-paused-nothing"),
    }
}

/// A change was refused, and why.
pub fn nothing_changed(why: &str) -> String {
    say!("settings-form-nothing-changed", why)
}
