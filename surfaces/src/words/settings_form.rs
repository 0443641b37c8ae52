//! What the forms of the settings say.
//!
//! What: labels, what a value means, and what came of a change. Why: beside the other sentences, in a file of their own. Not here: the settings as
//! they are only shown (`sections`), refusals (`web::error`).

use crate::backend::settings::SourceState;
use toolcall_schema::SourceKind;

/// Heading of how Aura behaves.
pub const HOW_I_BEHAVE: &str = "How I behave";
/// Heading of the sources.
pub const WHAT_I_READ: &str = "What I read";
/// The number of interruptions.
pub const FORM_CEILING: &str = "Interruptions a day";
/// What it means.
pub const FORM_CEILING_MEANS: &str =
    "0 to 5. Fewer hold at once, more from tomorrow on. Warnings about your health come on top.";
/// From when on the brief comes.
pub const FORM_BRIEF: &str = "Morning brief from";
/// The quiet hours.
pub const FORM_QUIET: &str = "Quiet hours";
/// What they mean.
pub const FORM_QUIET_MEANS: &str = "Nothing is shown between these times. Empty: no quiet hours.";
/// One span's beginning, for a screen reader.
pub const FORM_QUIET_FROM: &str = "Quiet from";
/// Its end.
pub const FORM_QUIET_TO: &str = "Quiet until";
/// How others name the owner.
pub const FORM_NAMES: &str = "Names others call you by";
/// What they are for.
pub const FORM_NAMES_MEANS: &str = "With commas between. A message that names you counts for more.";
/// The owner's addresses.
pub const FORM_ADDRESSES: &str = "Your mail addresses";
/// What they are for.
pub const FORM_ADDRESSES_MEANS: &str =
    "With commas between. They tell what you wrote from what others wrote.";
/// How much sleep the owner wants.
pub const FORM_SLEEP: &str = "Hours of sleep you want";
/// The zone.
pub const FORM_ZONE: &str = "Time zone";
/// An example of one.
pub const FORM_ZONE_MEANS: &str = "By continent and city, such as Europe/Berlin.";
/// What is in the account.
pub const FORM_BALANCE: &str = "Balance of your account now";
/// What it is for.
pub const FORM_BALANCE_MEANS: &str = "With it I can show where the month ends.";
/// Its currency.
pub const FORM_CURRENCY: &str = "Currency";
/// Saves a form.
pub const FORM_SAVE: &str = "Save";
/// Undoes the last change.
pub const FORM_UNDO: &str = "Undo the last change";
/// Where it is written.
pub const FORM_WHERE: &str = "Saved in your own settings file. What you wrote beside the values there stays.";

/// No source is read.
pub const NO_SOURCE: &str = "Nothing yet. Allow a folder or a file, and I read it on this computer.";
/// Takes a source away.
pub const FORGET_SOURCE: &str = "Stop reading";
/// What that means.
pub const FORGET_SOURCE_MEANS: &str = "What was read of it stays in memory until it is forgotten there.";
/// Heading of what was found.
pub const FOUND_HERE: &str = "Found on this computer";
/// Nothing was.
pub const NOTHING_FOUND: &str = "Nothing was found in the usual places that is not read already.";
/// Allows what is ticked.
pub const ALLOW_TICKED: &str = "Allow what is ticked";
/// Adds a path.
pub const ADD_SOURCE: &str = "By its path";
/// What it is.
pub const ADD_KIND: &str = "What it holds";
/// Where it is.
pub const ADD_PATH: &str = "Folder or file, from your home folder (~) or with its whole path";
/// Allows it.
pub const ALLOW: &str = "Allow";
/// Why nothing can be allowed here.
pub const ALLOW_NOT_HERE: &str = "New folders can be allowed only in the browser that Aura itself has opened on this computer, within half an hour. \
    Start Aura once more on this computer, and come back to this page.";

/// Heading of how the desktop starts Aura.
pub const DESKTOP: &str = "Starting Aura";
/// At login.
pub const AT_LOGIN: &str = "When I log in";
/// It cannot be.
pub const AT_LOGIN_ASKS: &str =
    "Aura cannot start by itself when you log in, because it asks for your passphrase.";
/// Among the programs.
pub const IN_MENU: &str = "From my programs";
/// A switch is on.
pub const IS_ON: &str = "on";
/// It is off.
pub const IS_OFF: &str = "off";
/// Turns it on.
pub const SWITCH_ON: &str = "Turn on";
/// Turns it off.
pub const SWITCH_OFF: &str = "Turn off";

/// Reads every source from its beginning.
pub const READ_AGAIN: &str = "Read everything once more";
/// What that means.
pub const READ_AGAIN_MEANS: &str = "From the beginning of each source. What you had forgotten comes back where your own files still have it. I have no copy of files that you dropped here: drop them once more.";

/// What could not be read.
pub fn left_out(count: u64) -> String {
    if count == 1 {
        "One thing was left out".to_owned()
    } else {
        format!("{count} things were left out")
    }
}

/// Where in a file.
pub fn in_line(line: u64) -> String {
    format!("line {line}")
}

/// Pauses a source.
pub const PAUSE_SOURCE: &str = "Pause";
/// Resumes it.
pub const RESUME_SOURCE: &str = "Go on reading";

/// The name of that button.
pub fn pause_source(path: &str) -> String {
    format!("Pause reading {path}")
}

/// The name of the other.
pub fn resume_source(path: &str) -> String {
    format!("Go on reading {path}")
}

/// When a source was read last; `None`: not since the start.
pub fn read_last(when: Option<&str>) -> String {
    match when {
        Some(when) => format!("Looked at last at {when}."),
        None => "Not looked at yet since I started.".to_owned(),
    }
}

/// The name of the button that stops reading a source.
pub fn forget_source(path: &str) -> String {
    format!("Stop reading {path}")
}

/// A list of sources.
pub fn source_list(list: SourceKind) -> &'static str {
    match list {
        SourceKind::Mail => "Mail",
        SourceKind::Notifications => "Notifications",
        SourceKind::Contacts => "Contacts",
        SourceKind::Calendar => "Calendar",
        SourceKind::Sms => "Bank messages",
        SourceKind::Finance => "Statements and journals",
        SourceKind::Receipts => "Receipts",
        SourceKind::Wellness => "Health",
    }
}

/// What is read of it.
pub fn source_reads(list: SourceKind) -> &'static str {
    match list {
        SourceKind::Mail => "Who wrote, when, and whether an answer is wanted. No text is kept.",
        SourceKind::Notifications => "Which chat was busy, and when. No text is kept.",
        SourceKind::Contacts => {
            "What you call people, and which addresses are one person's. No name is kept."
        }
        SourceKind::Calendar => "What is when and where.",
        SourceKind::Sms => "Payments that your bank tells you of. No text is kept.",
        SourceKind::Finance => "Payments and balances.",
        SourceKind::Receipts => "What you paid, from receipts of shops. No text is kept.",
        SourceKind::Wellness => "Sleep, heart rate and activity.",
    }
}

/// How a source stands.
pub fn source_state(state: SourceState) -> &'static str {
    match state {
        SourceState::There => "is there",
        SourceState::Missing => "is not there: moved, or on a disk that is not connected",
        SourceState::Unanswered => "is on a disk that does not answer",
        SourceState::Paused => "is paused: nothing new of it is read",
    }
}
