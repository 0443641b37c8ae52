//! What the owner said about when to be quiet.
//!
//! What: rules in words. Why: the owner reads back what was understood. Not here: whether a rule holds (`orchestrator-machine`).

use super::action;
use crate::format::{self, WEEK};
use toolcall_schema::rule::{OwnerRule, RuleName};

/// The last line of each drawer: how the owner says when not to speak.
pub const TELL_ME_WHEN_NOT_TO: &str = "Tell me when not to: a rule for this kind or this chat, for hours and days, or quiet for \
    a time. Quiet hours for everything are in Settings.";

/// Beside the pause's buttons, while nothing is paused.
pub const QUIET_FOR: &str = "Quiet for";
/// Ends the pause.
pub const SPEAK_AGAIN: &str = "Speak again";
/// A pause of two hours.
pub const TWO_HOURS: &str = "2 hours";
/// A pause until midnight.
pub const UNTIL_TOMORROW: &str = "until tomorrow";
/// There is no rule.
pub const NO_RULE: &str = "You have no rule: Aura may speak whenever something is worth it.";
/// Takes a rule away.
pub const REMOVE: &str = "Remove";
/// The heading of the form.
pub const TELL_WHEN_NOT_TO: &str = "Tell me when not to";
/// What the rule is about.
pub const WHAT: &str = "About";
/// It is about everything.
pub const ANYTHING: &str = "anything";
/// It is about all that concerns a chat.
pub const ANYTHING_ABOUT_CHAT: &str = "Anything about this chat";
/// It is about this kind, in this chat.
pub const THIS_ABOUT_CHAT: &str = "This, about this chat";
/// The first hour.
pub const FROM: &str = "From";
/// The last.
pub const TO: &str = "to";
/// Without hours.
pub const ALL_DAY: &str = "(empty: all day)";
/// Makes the rule.
pub const NOT_THEN: &str = "Not then";

/// The name of the button that takes a rule away.
pub fn remove_rule(name: &RuleName) -> String {
    // A rule made on a page is named after its kind, as a program would.
    format!("Remove the rule {}", name.as_str().replace('-', " "))
}

/// What a rule of the owner forbids, in words; `thing`: what it is about, where that has a name.
pub fn rule(rule: &OwnerRule, thing: Option<&str>) -> String {
    let kinds: Vec<&str> = rule.kinds.iter().map(|kind| action(*kind)).collect();
    let mut parts = vec![if kinds.is_empty() {
        "Nothing".to_owned()
    } else {
        format!("Not: {}", kinds.join(", "))
    }];
    if let Some(subject) = &rule.subject {
        parts.push(match thing {
            Some(thing) => format!("about {thing}"),
            None if subject.as_str().starts_with("ch_") => "about one chat".to_owned(),
            None => "about one thing".to_owned(),
        });
    }
    let clock = format::time_of_day;
    parts.extend(
        rule.hours
            .map(|(from, to)| format!("from {} to {}", clock(from), clock(to))),
    );
    if !rule.days.is_empty() {
        let name = |day: &u8| {
            WEEK.get(usize::from(*day).wrapping_sub(1))
                .copied()
                .unwrap_or_default()
        };
        parts.push(format!(
            "on {}",
            rule.days.iter().map(name).collect::<Vec<_>>().join(", ")
        ));
    }
    if rule.until.is_some() {
        parts.push("for a time".to_owned());
    }
    parts.join(" ")
}
