//! What the owner's sections say.
//!
//! What: headings, names of rows and sentences of the sections. Why: one place, ready for another language. Not here: the figures
//! (`render::section`).

use crate::backend::owner::ModelAvailability;
use crate::language::{Text, say, text};
use toolcall_schema::{
    WellnessState,
    catalogue::{
        comms::{MessageClass, WAITING_DAYS},
        wellness::FeatureName,
    },
};

/// Of a day of which nothing is known yet: what was measured, and what was spent.
pub const NOTHING_MEASURED: Text = Text("sections-nothing-measured");
pub const NOTHING_SPENT_KNOWN: Text = Text("sections-nothing-spent-known");
/// Said where an agent did not answer.
pub const NOT_READ: Text = Text("sections-not-read");
/// A chat without a name.
pub const ONE_CHAT: Text = Text("sections-one-chat");
/// The link to a decision.
pub const WHY_THIS: Text = Text("sections-why-this");

/// The section with the card.
pub const NOW: Text = Text("sections-now");
/// The section of the morning brief.
pub const BRIEF: Text = Text("sections-brief");
/// The section of chats.
pub const CHATS: Text = Text("sections-chats");
/// The section of spending.
pub const MONEY: Text = Text("sections-money");
/// The section of load and sleep.
pub const BODY: Text = Text("sections-body");
/// The section of what is kept.
pub const MEMORY: Text = Text("sections-memory");
/// The section of settings.
pub const SETTINGS: Text = Text("sections-settings");
/// The name of the tab bar.
pub const SECTIONS: Text = Text("sections-sections");
/// The button that makes Aura look.
pub const LOOK_NOW: Text = Text("sections-look-now");
/// Said without a script.
pub const NEEDS_SCRIPT: Text = Text("sections-needs-script");
/// The link past the tab bar.
pub const SKIP: Text = Text("sections-skip");
/// The list of what stands on a long page.
pub const ON_THIS_PAGE: Text = Text("sections-on-this-page");
/// The table behind a picture.
pub const AS_TABLE: Text = Text("sections-as-table");

/// Heading of a brief that was shown.
pub const TODAYS_BRIEF: Text = Text("sections-todays-brief");
/// Heading before it was.
pub const NO_BRIEF_YET: Text = Text("sections-no-brief-yet");

/// When a brief was shown.
pub fn brief_shown(at: &str) -> String {
    say!("sections-brief-shown", at)
}

/// Nothing does.
pub fn nothing_waits() -> String {
    say!("sections-nothing-waits", days = WAITING_DAYS)
}

/// Nothing was read yet, or Comms is busy.
pub const WAITING_NOT_READ: Text = Text("sections-waiting-not-read");
/// The link from a card to all of it.
pub const ALL_THAT_WAITS: Text = Text("sections-all-that-waits");
/// Puts a message off.
pub const TOMORROW: Text = Text("sections-tomorrow");
/// Who wrote, where no name is known any more.
pub const SOMEBODY_WROTE: Text = Text("sections-somebody-wrote");

/// The same of a chat.
pub fn somebody_in(chat: &str) -> String {
    say!("sections-somebody-in", chat)
}

/// The name of the button that puts a message off.
pub fn tomorrow(who: &str) -> String {
    say!("sections-tomorrow-2", who)
}

/// Since when somebody waits.
pub fn since(at: &str) -> String {
    say!("sections-since", at)
}

/// Where it was written, and what it is.
pub fn written_in(chat: Option<&str>, class: MessageClass) -> String {
    let what = match class {
        MessageClass::NeedsYou => text("sections-written-in-asks-you-something"),
        MessageClass::Group => text("sections-written-in-asks-the-group"),
        MessageClass::Date => text("sections-written-in-a-date-to"),
        MessageClass::Bill => text("sections-written-in-a-bill-or"),
        MessageClass::Code => text("sections-written-in-a-code"),
        MessageClass::News | MessageClass::Talk | MessageClass::Waiting | MessageClass::Spam => {
            text("sections-written-in-wants-an-answer")
        }
    };
    match chat {
        // A folder's name says nothing to its owner.
        Some(chat) if chat.starts_with("mail:") => say!("sections-written-in-by-mail", what),
        Some(chat) => say!("sections-written-in-in", what, chat),
        None => what.to_owned(),
    }
}

/// How many more there are than are listed.
pub fn more_wait(more: usize) -> String {
    say!("sections-more-wait", more)
}

/// One more than the rows above.
pub fn one_more_waits(chat: Option<&str>) -> String {
    match chat {
        Some(chat) if chat.starts_with("mail:") => text("sections-one-more-waits-and-one-more").to_owned(),
        Some(chat) => say!("sections-one-more-waits-and-one-more-2", chat),
        None => text("sections-one-more-waits-and-one-more-3").to_owned(),
    }
}

/// Several more than the rows above.
pub fn more_also_wait(more: u32) -> String {
    say!("sections-more-also-wait", more)
}

/// How many wait now, where a card said another number.
pub fn wait_now(count: u32) -> String {
    match count {
        1 => text("sections-wait-now-one-waits-now").to_owned(),
        count => say!("sections-wait-now-wait-now", count),
    }
}

/// Heading of muted chats.
pub const MUTED_NOW: Text = Text("sections-muted-now");
/// Ends a mute.
pub const UNMUTE: Text = Text("sections-unmute");

/// The name of the button that ends a chat's mute.
pub fn unmute(chat: &str) -> String {
    say!("sections-unmute-2", chat)
}

/// Opens the chats that can be muted here.
pub const MUTE_A_CHAT: Text = Text("sections-mute-a-chat");
/// The way to the others.
pub const MUTE_ANOTHER: Text = Text("sections-mute-another");

/// None is.
pub const NO_MUTE: Text = Text("sections-no-mute");
/// Heading of bursts.
pub const LOUD_TODAY: Text = Text("sections-loud-today");
/// There was none.
pub const NO_BURST: Text = Text("sections-no-burst");

/// Heading of the digest.
pub const LAST_DIGEST: Text = Text("sections-last-digest");
/// There was none.
pub const NO_DIGEST: Text = Text("sections-no-digest");

/// Until when.
pub fn until(at: &str) -> String {
    say!("sections-until", at)
}

/// What came of something, and when it was.
pub fn at_time(at: &str, came: &str) -> String {
    format!("{at}: {came}")
}

/// Heading of what was spent today and in the days before.
pub const SPENT_LATELY: Text = Text("sections-spent-lately");
/// Under the sum of seven days.
pub const SPENT_IN_SEVEN_DAYS: Text = Text("sections-spent-in-seven-days");
/// Heading of the forecast.
pub const MONTHS_END: Text = Text("sections-months-end");
/// Heading of what was unusual.
pub const UNUSUAL_LATELY: Text = Text("sections-unusual-lately");
/// Nothing was.
pub const NOTHING_UNUSUAL: Text = Text("sections-nothing-unusual");
/// Where some days or kinds are not known well enough.
pub const NOTHING_UNUSUAL_SO_FAR: Text = Text("sections-nothing-unusual-so-far");
/// When payments without a category get one.
pub const SORTED_WHEN_LOOKING: Text = Text("sections-sorted-when-looking");

/// Nothing can be unusual yet: so many days with payments came before today.
pub fn unusual_too_early(days: u32) -> String {
    say!("sections-unusual-too-early", days)
}

/// The same of one of several currencies.
pub fn unusual_too_early_in(currency: &str, days: u32) -> String {
    say!("sections-unusual-too-early-in", currency, days)
}

/// One of those of [`unusual_rare`]: on how many days something was spent.
pub fn unusual_rare_one(category: &str, days: usize) -> String {
    say!("sections-unusual-rare-one", category, days)
}

/// What is spent on too rarely to tell; `more`: how many of them are not named.
pub fn unusual_rare(named: &str, more: usize) -> String {
    let more = super::and_more(more);
    say!("sections-unusual-rare", named, more)
}

/// How many days are known that a day is compared with.
pub fn unusual_few_days(days: u32) -> String {
    say!("sections-unusual-few-days", days)
}

/// Who was paid.
pub fn paid_to(name: &str) -> String {
    say!("sections-paid-to", name)
}

/// A payment far above all others, or above all but bills: of how many days, how many times the next one, and when.
pub fn largest_payment(is_beside_bills: bool, days: u32, times: &str, day: &str) -> String {
    if is_beside_bills {
        say!("sections-largest-payment-beside-bills", days, times, day)
    } else {
        say!("sections-largest-payment", days, times, day)
    }
}

/// How unusual, against what, on which day.
pub fn unusual(severity: &str, usual: &str, day: &str) -> String {
    say!("sections-unusual", severity, usual, day)
}

/// What is usual, and when it was measured.
pub fn measured(usual: Option<&str>, at: &str) -> String {
    match usual {
        Some(usual) => say!("sections-measured-usually-at", usual, at),
        None => say!("sections-measured-at", at),
    }
}

/// Heading of the load score.
pub const LOAD_NOW: Text = Text("sections-load-now");
/// What the score can be.
pub const LOAD_RANGE: Text = Text("sections-load-range");
/// Heading of its parts.
pub const WHAT_DRIVES_IT: Text = Text("sections-what-drives-it");
/// The parts of a load score beside what drives it: where it starts, what is left, and what that is.
pub const LOAD_BASE: Text = Text("sections-load-base");
pub const LOAD_REST: Text = Text("sections-load-rest");
pub const LOAD_REST_SAYS: Text = Text("sections-load-rest-says");
/// Wellness did not say.
pub const DRIVERS_NOT_SAID: Text = Text("sections-drivers-not-said");
/// Nothing stands out.
pub const NO_DRIVER: Text = Text("sections-no-driver");
/// Heading of the measurements.
pub const MEASURED: Text = Text("sections-measured");
/// The same where none is of today.
pub const MEASURED_LAST: Text = Text("sections-measured-last");
/// How long the owner slept, in a night that is not the last.
pub const SLEPT: Text = Text("sections-slept");

/// The load is not raised, although single measurements are outside of their range.
pub const NOT_RAISED: Text = Text("sections-not-raised");

/// The owner's state.
pub fn state_now(state: WellnessState) -> String {
    say!("sections-state-now", wellness = super::wellness(state))
}

/// The owner was stressed at the last score, and is not by the score of now.
pub fn was_stressed(then: u8, now: u8) -> String {
    say!("sections-was-stressed", then, now)
}

/// The owner was as usual at the last score, and is stressed by the score of now.
pub fn was_as_usual(then: u8, now: u8) -> String {
    say!("sections-was-as-usual", then, now)
}

/// Until when Aura is quiet.
pub fn recovering_until(at: &str) -> String {
    say!("sections-recovering-until", at)
}

/// A part of the load score.
pub fn points(points: &str) -> String {
    if points == "1" {
        text("sections-one-point").to_owned()
    } else {
        say!("sections-points", points)
    }
}

/// What a feature measures.
pub fn feature(feature: FeatureName) -> &'static str {
    match feature {
        FeatureName::RmssdMs => text("sections-feature-heart-rate-variability"),
        FeatureName::AsleepMin => text("sections-feature-sleep"),
        FeatureName::TypingEntropy => text("sections-feature-typing"),
        FeatureName::AppSwitchRate => text("sections-feature-program-switches"),
        FeatureName::NotifDismissRate => text("sections-feature-dismissed-notifications"),
        FeatureName::ScreenOnMin => text("sections-feature-screen"),
    }
}

/// Heading of settings.
pub const IN_FORCE: Text = Text("sections-in-force");
/// Where they are changed.
pub const SETTINGS_SAYS: Text = Text("sections-settings-says");
/// The owner's zone.
pub const ZONE: Text = Text("sections-zone");
pub const CEILING: Text = Text("sections-ceiling");
/// The brief's time.
pub const BRIEF_TIME: Text = Text("sections-brief-time");
/// The quiet hours.
pub const QUIET_HOURS: Text = Text("sections-quiet-hours");
/// There are none.
pub const NO_HOURS: Text = Text("sections-no-hours");
/// The heading of what else there is.
pub const AROUND: Text = Text("sections-around");
/// The language model.
pub const MODEL: Text = Text("sections-model");
/// What is connected.
pub const CONNECTED: Text = Text("sections-connected");
/// No surface is that could show a card.
pub const OPEN_PAGE: Text = Text("sections-open-page");
pub const ONLY_THIS_PAGE: Text = Text("sections-only-this-page");
/// A value of the owner's file.
pub const ORIGIN_FILE: Text = Text("sections-origin-file");
/// A value that the file leaves out.
pub const ORIGIN_DEFAULT: Text = Text("sections-origin-default");
/// Nobody knows.
pub const ORIGIN_UNKNOWN: Text = Text("sections-origin-unknown");
/// The heading of links to other pages.
pub const OTHER_PAGES: Text = Text("sections-other-pages");
/// The heading of the rules.
pub const RULES: Text = Text("sections-rules");

/// Between two local times.
pub fn span(from: &str, to: &str) -> String {
    say!("sections-span", from, to)
}

/// How the model stands.
pub fn model(standing: ModelAvailability) -> &'static str {
    match standing {
        ModelAvailability::Off => text("sections-model-none-sentences-are"),
        ModelAvailability::Ready => text("sections-model-ready"),
        ModelAvailability::Starting => text("sections-model-being-loaded"),
        ModelAvailability::Unusable => text("sections-model-cannot-be-used"),
    }
}

/// What a rule would have changed.
pub fn rule_tried(kept_back: usize, shown: usize, since: &str) -> String {
    match (kept_back, shown) {
        (_, 0) => say!("sections-rule-tried-nothing-was-shown", since),
        (0, _) => say!("sections-rule-tried-since-this-would", since),
        (1, shown) => say!("sections-rule-tried-since-this-would-2", since, shown),
        (n, shown) => say!("sections-rule-tried-since-this-would-3", since, n, shown),
    }
}

/// Other pages, for the settings' last lines.
pub const ELSEWHERE: [(&str, Text); 5] = [
    ("/people", Text("sections-rule-tried-people-and-chats")),
    ("/devices", Text("sections-rule-tried-devices-that-may")),
    ("/watch", Text("sections-rule-tried-the-watchs-face")),
    ("/workflows", Text("sections-rule-tried-workflows-and-their")),
    ("/ops", Text("sections-rule-tried-the-operators-console")),
];

/// The same in the bar of sections, where there is room for a word.
pub const BELOW_SETTINGS: [(&str, Text); 3] = [
    ("/devices", Text("sections-rule-tried-devices")),
    ("/workflows", Text("sections-rule-tried-workflows")),
    ("/ops", Text("sections-rule-tried-console")),
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
