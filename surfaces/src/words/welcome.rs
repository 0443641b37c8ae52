//! What the welcome says.
//!
//! What: the sentences of its screens. Why: the first that a person reads of Aura. Not here: the fields that it shares with the settings
//! (`settings_form`).

use super::at_work::read_things;
use crate::backend::keys::KeyPlaceView;
use toolcall_schema::{AgentName, SourceKind};

/// The title in the browser's list.
pub const WELCOME_TITLE_PAGE: &str = "Aura: welcome";
/// On to the next screen.
pub const WELCOME_CONTINUE: &str = "Continue";
/// The same without doing anything.
pub const WELCOME_SKIP: &str = "Skip";
/// Leaves the welcome.
pub const WELCOME_LEAVE: &str = "Leave the welcome";
/// Ends it.
pub const WELCOME_FINISH: &str = "Go to Aura";
/// The link to it among the other pages.
pub const WELCOME_AGAIN: &str = "The welcome, once more";

/// Where one is.
pub fn welcome_step(step: u8, of: u8) -> String {
    format!("Step {step} of {of}")
}

/// The first screen.
pub const WELCOME_WHAT: &str = "What Aura is";
/// Its four sentences.
pub const WELCOME_WHAT_SAYS: [&str; 4] = [
    "Aura reads what you allow on this computer: mail, calendars, payments, sleep.",
    "Most of the time it says nothing. At most three times a day it shows one card that is worth the interruption.",
    "Nothing leaves this computer unless you name a server yourself. There is no account, and what Aura keeps is encrypted.",
    "You can always see why it spoke or kept quiet, take back what you allowed, and have everything forgotten.",
];

/// The second.
pub const WELCOME_KEY: &str = "Your key";
/// What it is for.
pub const WELCOME_KEY_SAYS: &str =
    "Everything that Aura keeps is sealed with one key. It was made on this computer, for you alone.";
/// Without it.
pub const WELCOME_KEY_LOST: &str = "If the key is lost, and there is no recovery sheet, nobody can open what Aura kept: not you, and nobody else. Your own files stay as they are.";

/// Where the key is.
pub fn welcome_key_place(place: &KeyPlaceView) -> String {
    match place {
        KeyPlaceView::Keyring => {
            "It lies in this computer's keyring, which opens when you log in.".to_owned()
        }
        KeyPlaceView::Passphrase => {
            "It is made from your passphrase, which is asked for at each start.".to_owned()
        }
        KeyPlaceView::File(path) => format!(
            "It lies in the file {path}. Keep a copy of that file in another place: whoever has it and this computer's disk can read what Aura keeps."
        ),
        KeyPlaceView::Nowhere => "It is in Aura's own memory alone, and goes with it.".to_owned(),
    }
}

/// The third.
pub const WELCOME_SOURCES: &str = "What I may read";
/// What holds for all of it.
pub const WELCOME_SOURCES_SAYS: &str = "Tick what I may read. What each holds is counted by a program that can open this one file or folder and nothing else, and keeps nothing. You can stop any of it later.";

/// The fourth.
pub const WELCOME_YOU: &str = "About you";
/// What holds for all of it.
pub const WELCOME_YOU_SAYS: &str = "All of it can be changed later, and any of it left as it is.";

/// The fifth.
pub const WELCOME_SHOWN: &str = "Where cards appear";
/// The page.
pub const WELCOME_PAGE: &str = "This page";
/// How cards appear there.
pub const WELCOME_PAGE_SAYS: &str =
    "Keep it open, or add it to your home screen from the browser's menu. A card appears by itself.";
/// The watch.
pub const WELCOME_WATCH: &str = "Your watch";
/// How its page looks.
pub const WELCOME_WATCH_SAYS: &str = "A page made for a round screen.";
/// Notifications through a server of the owner's.
pub const WELCOME_NTFY: &str = "Notifications on your phone";
/// They are set up.
pub const WELCOME_NTFY_ON: &str = "Set up, through your own server.";
/// They are not.
pub const WELCOME_NTFY_OFF: &str = "Not set up. They need a notification server of your own.";
/// Cards that are said aloud.
pub const WELCOME_SPEECH: &str = "Said aloud";
/// It is on.
pub const WELCOME_SPEECH_ON: &str = "On: a card is announced once, without what it says.";
/// It is off.
pub const WELCOME_SPEECH_OFF: &str = "Off.";

/// The sixth.
pub const WELCOME_FIRST: &str = "Your first card";
/// Nothing is read, so there is none.
pub const WELCOME_NOTHING_READ: &str = "I may read nothing yet, so I have nothing to say. Allow your calendar, your mail or a statement, and I can make your first card.";
/// The link to the sources.
pub const WELCOME_TO_SOURCES: &str = "Allow something";
/// Makes it.
pub const WELCOME_LOOK: &str = "Look now";
/// What the button does.
pub const WELCOME_LOOK_SAYS: &str =
    "If something is worth a card, it appears here within a few seconds. If not, I say why I kept quiet.";
/// Heading of what was read.
pub const WELCOME_READ: &str = "Read so far";
/// Heading of what would help.
pub const WELCOME_MORE: &str = "What would make cards better";

/// What has to be there for a card of an agent, which has read so many items.
pub fn card_comes_when(agent: AgentName, items: u64, has_balance: bool) -> &'static str {
    match (agent, items) {
        (AgentName::Comms, 0) => {
            "Of the last day there is none. A card comes when somebody waits for your answer."
        }
        (AgentName::Comms, _) => "A card comes when somebody waits for your answer, or a chat gets loud.",
        (AgentName::Calendar, 0) => {
            "There is no event that I can read. A card comes when two of them clash, or it is time to leave."
        }
        (AgentName::Calendar, _) => "A card comes when two of them clash, or it is time to leave.",
        (AgentName::Finance, 0) => "There is no payment that I can read. A card comes when one is unusual.",
        (AgentName::Finance, _) if has_balance => {
            "A card comes when one is unusual, or when the month would end short."
        }
        (AgentName::Finance, _) => {
            "A card comes when one is unusual. Tell me your balance, and one comes too when the month would end short."
        }
        (AgentName::Wellness, 0) => "There is none that I can read. A card comes when you are under strain.",
        (AgentName::Wellness, _) => "A card comes when you are under strain, or have slept too little.",
        (AgentName::Orchestrator, _) => "",
    }
}

/// What an agent has read.
pub fn read_so_far(agent: AgentName, items: u64) -> String {
    if items == 0 {
        return match agent {
            AgentName::Comms => "No message yet",
            AgentName::Calendar => "No event yet",
            AgentName::Finance => "No payment yet",
            AgentName::Wellness => "No measurement yet",
            AgentName::Orchestrator => "No decision yet",
        }
        .to_owned();
    }
    let (one, more) = match agent {
        AgentName::Comms => ("message", "messages"),
        AgentName::Calendar => ("event", "events"),
        AgentName::Finance => ("payment", "payments"),
        AgentName::Wellness => ("measurement", "measurements"),
        AgentName::Orchestrator => ("decision", "decisions"),
    };
    format!("{items} {}", if items == 1 { one } else { more })
}

/// It goes on.
pub const STILL_READING: &str = "still reading";
/// What a bar stands for, for a screen reader.
pub fn reading_bar(agent: AgentName) -> String {
    format!("Reading {}", read_things(agent))
}

/// It was not begun.
pub const NOT_BEGUN: &str = "not begun yet";

/// What a list of sources would add; `None`: nothing that needs saying.
pub fn would_add(list: SourceKind) -> Option<&'static str> {
    match list {
        SourceKind::Calendar => Some("With your calendar I can tell you when to leave, and what clashes."),
        SourceKind::Mail => Some("With your mail I can tell you who waits for an answer."),
        SourceKind::Finance => Some("With a statement of your bank I can show where the month ends."),
        SourceKind::Wellness => Some("With your sleep and heart rate I know when to leave you in peace."),
        SourceKind::Contacts => {
            Some("With your contacts I call people as you do, and know that two addresses are one person.")
        }
        SourceKind::Notifications | SourceKind::Sms | SourceKind::Receipts => None,
    }
}
