//! What the welcome says.
//!
//! What: the sentences of its screens. Why: the first that a person reads of Aura. Not here: the fields that it shares with the settings
//! (`settings_form`).

use crate::language::{Text, say, text};
use toolcall_schema::{AgentName, KeyPlaceKind, SourceKind};

/// The title in the browser's list.
pub const WELCOME_TITLE_PAGE: Text = Text("welcome-welcome-title-page");
/// On to the next screen.
pub const WELCOME_CONTINUE: Text = Text("welcome-welcome-continue");
/// The same without doing anything.
pub const WELCOME_SKIP: Text = Text("welcome-welcome-skip");
/// Leaves the welcome.
pub const WELCOME_LEAVE: Text = Text("welcome-welcome-leave");
/// Ends it.
pub const WELCOME_FINISH: Text = Text("welcome-welcome-finish");
/// The link to it among the other pages.
pub const WELCOME_AGAIN: Text = Text("welcome-welcome-again");

/// Where one is.
pub fn welcome_step(step: u8, of: u8) -> String {
    say!("welcome-welcome-step", step, of)
}

/// The first screen.
pub const WELCOME_WHAT: Text = Text("welcome-welcome-what");
/// Its four sentences.
pub const WELCOME_WHAT_SAYS: [Text; 4] = [
    Text("welcome-welcome-what-says-aura-reads-what"),
    Text("welcome-welcome-what-says-most-of-the"),
    Text("welcome-welcome-what-says-nothing-leaves-this"),
    Text("welcome-welcome-what-says-you-can-always"),
];

/// The second.
pub const WELCOME_KEY: Text = Text("welcome-welcome-key");
/// What it is for.
pub const WELCOME_KEY_SAYS: Text = Text("welcome-welcome-key-says");
/// Without it.
pub const WELCOME_KEY_LOST: Text = Text("welcome-welcome-key-lost");

/// Where the key is.
pub fn welcome_key_place(place: Option<&KeyPlaceKind<(), String>>) -> String {
    match place {
        Some(KeyPlaceKind::Keyring) => text("welcome-welcome-key-place-it-lies-in").to_owned(),
        Some(KeyPlaceKind::Passphrase(())) => text("welcome-welcome-key-place-it-is-made").to_owned(),
        Some(KeyPlaceKind::File(path)) => say!("welcome-welcome-key-place-it-lies-in-2", path),
        None => text("welcome-welcome-key-place-it-is-in").to_owned(),
    }
}

/// The third.
pub const WELCOME_SOURCES: Text = Text("welcome-welcome-sources");
/// What holds for all of it.
pub const WELCOME_SOURCES_SAYS: Text = Text("welcome-welcome-sources-says");

/// The fourth.
pub const WELCOME_YOU: Text = Text("welcome-welcome-you");
/// What holds for all of it.
pub const WELCOME_YOU_SAYS: Text = Text("welcome-welcome-you-says");

/// The fifth.
pub const WELCOME_SHOWN: Text = Text("welcome-welcome-shown");
/// The page.
pub const WELCOME_PAGE: Text = Text("welcome-welcome-page");
/// How cards appear there.
pub const WELCOME_PAGE_SAYS: Text = Text("welcome-welcome-page-says");
/// The watch.
pub const WELCOME_WATCH: Text = Text("welcome-welcome-watch");
/// How its page looks.
pub const WELCOME_WATCH_SAYS: Text = Text("welcome-welcome-watch-says");
/// Notifications through a server of the owner's.
pub const WELCOME_NTFY: Text = Text("welcome-welcome-ntfy");
/// They are set up.
pub const WELCOME_NTFY_ON: Text = Text("welcome-welcome-ntfy-on");
/// They are not.
pub const WELCOME_NTFY_OFF: Text = Text("welcome-welcome-ntfy-off");
/// Cards that are said aloud.
pub const WELCOME_SPEECH: Text = Text("welcome-welcome-speech");
/// It is on.
pub const WELCOME_SPEECH_ON: Text = Text("welcome-welcome-speech-on");
/// It is off.
pub const WELCOME_SPEECH_OFF: Text = Text("welcome-welcome-speech-off");

/// The sixth.
pub const WELCOME_FIRST: Text = Text("welcome-welcome-first");
/// Nothing is read, so there is none.
pub const WELCOME_NOTHING_READ: Text = Text("welcome-welcome-nothing-read");
/// The link to the sources.
pub const WELCOME_TO_SOURCES: Text = Text("welcome-welcome-to-sources");
/// Makes it.
pub const WELCOME_LOOK: Text = Text("welcome-welcome-look");
/// What the button does.
pub const WELCOME_LOOK_SAYS: Text = Text("welcome-welcome-look-says");
/// Heading of what was read.
pub const WELCOME_READ: Text = Text("welcome-welcome-read");
/// Heading of what would help.
pub const WELCOME_MORE: Text = Text("welcome-welcome-more");

/// What has to be there for a card of an agent, which has read so many items.
pub fn card_comes_when(agent: AgentName, items: u64, has_balance: bool) -> &'static str {
    match (agent, items) {
        (AgentName::Comms, 0) => text("welcome-card-comes-when-of-the-last"),
        (AgentName::Comms, _) => text("welcome-card-comes-when-a-card-comes"),
        (AgentName::Calendar, 0) => text("welcome-card-comes-when-there-is-no"),
        (AgentName::Calendar, _) => text("welcome-card-comes-when-a-card-comes-2"),
        (AgentName::Finance, 0) => text("welcome-card-comes-when-there-is-no-2"),
        (AgentName::Finance, _) if has_balance => text("welcome-card-comes-when-a-card-comes-3"),
        (AgentName::Finance, _) => text("welcome-card-comes-when-a-card-comes-4"),
        (AgentName::Wellness, 0) => text("welcome-card-comes-when-there-is-none"),
        (AgentName::Wellness, _) => text("welcome-card-comes-when-a-card-comes-5"),
        (AgentName::Orchestrator, _) => "",
    }
}

/// What an agent has read.
pub fn read_so_far(agent: AgentName, items: u64) -> String {
    if items == 0 {
        return match agent {
            AgentName::Comms => text("welcome-read-so-far-no-message-yet"),
            AgentName::Calendar => text("welcome-read-so-far-no-event-yet"),
            AgentName::Finance => text("welcome-read-so-far-no-payment-yet"),
            AgentName::Wellness => text("welcome-read-so-far-no-measurement-yet"),
            AgentName::Orchestrator => text("welcome-read-so-far-no-decision-yet"),
        }
        .to_owned();
    }
    match agent {
        AgentName::Comms => say!("welcome-count-messages", count = items),
        AgentName::Calendar => say!("welcome-count-events", count = items),
        AgentName::Finance => say!("welcome-count-payments", count = items),
        AgentName::Wellness => say!("welcome-count-measurements", count = items),
        AgentName::Orchestrator => say!("welcome-count-decisions", count = items),
    }
}

/// What an agent has: the messages of a day, all that was read of other things.
pub fn has_read(agent: AgentName, items: u64) -> String {
    match agent {
        AgentName::Comms if items > 0 => say!("welcome-messages-of-a-day", count = items),
        AgentName::Comms
        | AgentName::Calendar
        | AgentName::Finance
        | AgentName::Wellness
        | AgentName::Orchestrator => read_so_far(agent, items),
    }
}

/// It goes on.
pub const STILL_READING: Text = Text("welcome-still-reading");
/// What a bar stands for, for a screen reader: a source, or what an agent reads.
pub fn reading_bar(read_things: &str) -> String {
    say!("welcome-reading-bar", read_things)
}
/// All of a source was read.
pub const READ_TO_THE_END: Text = Text("welcome-read-to-the-end");
pub const READ_OTHERS: Text = Text("welcome-read-others");

/// It was not begun.
pub const NOT_BEGUN: Text = Text("welcome-not-begun");

/// What a list of sources would add; `None`: nothing that needs saying.
pub fn would_add(list: SourceKind) -> Option<&'static str> {
    match list {
        SourceKind::Calendar => Some(text("welcome-would-add-with-your-calendar")),
        SourceKind::Mail => Some(text("welcome-would-add-with-your-mail")),
        SourceKind::Finance => Some(text("welcome-would-add-with-a-statement")),
        SourceKind::Wellness => Some(text("welcome-would-add-with-your-sleep")),
        SourceKind::Contacts => Some(text("welcome-would-add-with-your-contacts")),
        SourceKind::Notifications | SourceKind::Sms | SourceKind::Receipts => None,
    }
}
