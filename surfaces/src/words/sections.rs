//! What the owner's sections say.
//!
//! What: headings, names of rows and sentences of the sections. Why: one place, ready for another language. Not here: the figures
//! (`render::section`).

use crate::backend::owner::ModelAvailability;
use toolcall_schema::{
    WellnessState,
    catalogue::{comms::MessageClass, wellness::FeatureName},
};

/// The language of the sentences, as HTML names it.
pub const LANG: &str = "en";
/// The direction in which they are read.
pub const DIR: &str = "ltr";

/// Said where nothing is known.
pub const NOT_KNOWN: &str = "not known yet";
/// Said where an agent did not answer.
pub const NOT_READ: &str = "not read";
/// A chat without a name.
pub const ONE_CHAT: &str = "One chat";
/// The link to a decision.
pub const WHY_THIS: &str = "Why this, why now";

/// The section with the card.
pub const NOW: &str = "Now";
/// The section of the morning brief.
pub const BRIEF: &str = "Brief";
/// The section of chats.
pub const CHATS: &str = "Chats";
/// The section of spending.
pub const MONEY: &str = "Money";
/// The section of load and sleep.
pub const BODY: &str = "Body";
/// The section of what is kept.
pub const MEMORY: &str = "Memory";
/// The section of settings.
pub const SETTINGS: &str = "Settings";
/// The name of the tab bar.
pub const SECTIONS: &str = "Sections";
/// The button that makes Aura look.
pub const LOOK_NOW: &str = "Look now";
/// Said without a script.
pub const NEEDS_SCRIPT: &str = "This page needs its own script to answer and to stay current.";
/// The link past the tab bar.
pub const SKIP: &str = "Skip to the content";
/// The list of what stands on a long page.
pub const ON_THIS_PAGE: &str = "On this page";
/// The table behind a picture.
pub const AS_TABLE: &str = "The same as a table";

/// Heading of a brief that was shown.
pub const TODAYS_BRIEF: &str = "Today's brief";
/// Heading before it was.
pub const NO_BRIEF_YET: &str = "What would stand in it";

/// When a brief was shown.
pub fn brief_shown(at: &str) -> String {
    format!("As it was put together at {at}.")
}

/// Heading of what waits for the owner.
pub const WAITS_FOR_YOU: &str = "Waits for your answer";
/// Nothing does.
pub const NOTHING_WAITS: &str = "Nothing of the last day waits for your answer.";
/// Nothing was read yet, or Comms is busy.
pub const WAITING_NOT_READ: &str =
    "I have no messages yet, or I am still reading them. Look again in a moment.";
/// The link from a card to all of it.
pub const ALL_THAT_WAITS: &str = "All that wait for your answer";
/// Puts a message off.
pub const TOMORROW: &str = "Tomorrow";
/// Who wrote, where no name is known any more.
pub const SOMEBODY_WROTE: &str = "Somebody";

/// The name of the button that puts a message off.
pub fn tomorrow(who: &str) -> String {
    format!("Tomorrow: {who}")
}

/// Since when somebody waits.
pub fn since(at: &str) -> String {
    format!("since {at}")
}

/// Where it was written, and what it is.
pub fn written_in(chat: Option<&str>, class: MessageClass) -> String {
    let what = match class {
        MessageClass::NeedsYou => "Asks you something.",
        MessageClass::Group => "Asks the group.",
        MessageClass::Date => "A date to agree on.",
        MessageClass::Bill => "A bill or a deadline.",
        MessageClass::Code => "A code.",
        MessageClass::News | MessageClass::Talk | MessageClass::Waiting | MessageClass::Spam => {
            "Wants an answer."
        }
    };
    match chat {
        // A folder's name says nothing to its owner.
        Some(chat) if chat.starts_with("mail:") => format!("{what} By mail."),
        Some(chat) => format!("{what} In {chat}."),
        None => what.to_owned(),
    }
}

/// How many more there are than are listed.
pub fn more_wait(more: u32) -> String {
    format!("{more} more wait; the most urgent are listed.")
}

/// One more than the rows above.
pub fn one_more_waits(chat: Option<&str>) -> String {
    match chat {
        Some(chat) if chat.starts_with("mail:") => "And one more by mail".to_owned(),
        Some(chat) => format!("And one more in {chat}"),
        None => "And one more".to_owned(),
    }
}

/// Several more than the rows above.
pub fn more_also_wait(more: u32) -> String {
    format!("And {more} more")
}

/// How many wait now, where a card said another number.
pub fn wait_now(count: u32) -> String {
    match count {
        1 => "One waits now:".to_owned(),
        count => format!("{count} wait now:"),
    }
}

/// Heading of muted chats.
pub const MUTED_NOW: &str = "Quiet now";
/// Ends a mute.
pub const UNMUTE: &str = "Unmute";

/// The name of the button that ends a chat's mute.
pub fn unmute(chat: &str) -> String {
    format!("Unmute {chat}")
}

/// Opens the chats that can be muted here.
pub const MUTE_A_CHAT: &str = "Mute a chat";
/// The way to the others.
pub const MUTE_ANOTHER: &str = "Mute another chat";

/// None is.
pub const NO_MUTE: &str = "No chat is muted.";
/// Heading of bursts.
pub const LOUD_TODAY: &str = "Loud today";
/// There was none.
pub const NO_BURST: &str = "No chat has been loud today: 30 messages in 10 minutes count as loud.";
/// Heading of the digest.
pub const LAST_DIGEST: &str = "The last digest today";
/// There was none.
pub const NO_DIGEST: &str = "No digest yet today. One comes when a mute ends.";

/// Until when.
pub fn until(at: &str) -> String {
    format!("until {at}")
}

/// What came of something, and when it was.
pub fn at_time(at: &str, came: &str) -> String {
    format!("{at}: {came}")
}

/// Heading of the day's spending.
pub const SPENT_TODAY: &str = "Today";
/// Heading of the forecast.
pub const MONTHS_END: &str = "The month's end";
/// Heading of what was unusual.
pub const UNUSUAL_LATELY: &str = "Unusual in the last seven days";
/// Nothing was.
pub const NOTHING_UNUSUAL: &str = "Nothing unusual was shown.";

/// How unusual, against what, on which day.
pub fn unusual(severity: &str, usual: &str, day: &str) -> String {
    format!("{severity}; a usual day: {usual}; {day}")
}

/// What is usual, and when it was measured.
pub fn measured(usual: Option<&str>, at: &str) -> String {
    match usual {
        Some(usual) => format!("usually {usual}; at {at}"),
        None => format!("at {at}"),
    }
}

/// Heading of the load score.
pub const LOAD_NOW: &str = "Load";
/// What the score can be.
pub const LOAD_RANGE: &str = "0 to 100; from 70 on you count as stressed";
/// Heading of its parts.
pub const WHAT_DRIVES_IT: &str = "What drives it";
/// Wellness did not say.
pub const DRIVERS_NOT_SAID: &str = "Wellness has not said: nothing is measured yet, or it is busy.";
/// Nothing stands out.
pub const NO_DRIVER: &str = "Nothing stands out.";
/// Heading of the measurements.
pub const MEASURED: &str = "Measured today";

/// The owner's state.
pub fn state_now(state: WellnessState) -> String {
    format!("You: {}.", super::wellness(state))
}

/// Until when Aura is quiet.
pub fn recovering_until(at: &str) -> String {
    format!("You are recovering: Aura stays quiet until {at}.")
}

/// A part of the load score.
pub fn points(points: &str) -> String {
    format!("{points} points")
}

/// What a feature measures.
pub fn feature(feature: FeatureName) -> &'static str {
    match feature {
        FeatureName::RmssdMs => "Heart-rate variability",
        FeatureName::AsleepMin => "Sleep",
        FeatureName::TypingEntropy => "Typing",
        FeatureName::AppSwitchRate => "Program switches",
        FeatureName::NotifDismissRate => "Dismissed notifications",
        FeatureName::ScreenOnMin => "Screen",
    }
}

/// Heading of settings.
pub const IN_FORCE: &str = "In force";
/// Where they are changed.
pub const SETTINGS_SAYS: &str = "This is what counts now.";
/// The owner's zone.
pub const ZONE: &str = "Time zone";
pub const CEILING: &str = "Interruptions a day, at most";
/// The brief's time.
pub const BRIEF_TIME: &str = "Morning brief";
/// The quiet hours.
pub const QUIET_HOURS: &str = "Quiet hours";
/// There are none.
pub const NO_HOURS: &str = "none";
/// The heading of what else there is.
pub const AROUND: &str = "Around it";
/// The language model.
pub const MODEL: &str = "Language model";
/// What is connected.
pub const CONNECTED: &str = "Connected";
/// No surface is that could show a card.
pub const ONLY_THIS_PAGE: &str = "only this page";
/// A value of the owner's file.
pub const ORIGIN_FILE: &str = "from your file";
/// A value that the file leaves out.
pub const ORIGIN_DEFAULT: &str = "the default";
/// Nobody knows.
pub const ORIGIN_UNKNOWN: &str = "where it is from is not known";
/// The heading of links to other pages.
pub const OTHER_PAGES: &str = "Other pages";
/// The heading of the rules.
pub const RULES: &str = "When not to speak";

/// Between two local times.
pub fn span(from: &str, to: &str) -> String {
    format!("{from} to {to}")
}

/// How the model stands.
pub fn model(standing: ModelAvailability) -> &'static str {
    match standing {
        ModelAvailability::Off => "none; sentences are templates",
        ModelAvailability::Ready => "ready",
        ModelAvailability::Starting => "being loaded",
        ModelAvailability::Unusable => {
            "cannot be used: its file is missing, or not as it was when it was chosen"
        }
    }
}

/// What a rule would have changed.
pub fn rule_tried(kept_back: usize, shown: usize, since: &str) -> String {
    match (kept_back, shown) {
        (_, 0) => format!("Nothing was shown since {since}, so nothing would have changed."),
        (0, _) => format!("Since {since} this would have changed nothing."),
        (1, shown) => format!("Since {since} this would have kept back 1 card of {shown}."),
        (n, shown) => format!("Since {since} this would have kept back {n} cards of {shown}."),
    }
}

/// Other pages, for the settings' last lines.
pub const ELSEWHERE: [(&str, &str); 5] = [
    ("/people", "People and chats"),
    ("/devices", "Devices that may come in"),
    ("/watch", "The watch's face"),
    ("/workflows", "Workflows and their questions"),
    ("/ops", "The operator's console"),
];

/// The same in the bar of sections, where there is room for a word.
pub const BELOW_SETTINGS: [(&str, &str); 3] = [
    ("/devices", "Devices"),
    ("/workflows", "Workflows"),
    ("/ops", "Console"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_it_was_written_is_said_as_people_say_it() {
        for (chat, class, said) in [
            (
                Some("mail:inbox"),
                MessageClass::NeedsYou,
                "Asks you something. By mail.",
            ),
            (Some("Lab"), MessageClass::Group, "Asks the group. In Lab."),
            (None, MessageClass::Bill, "A bill or a deadline."),
        ] {
            assert_eq!(written_in(chat, class), said);
        }
    }
}
