//! What the owner said about when to be quiet.
//!
//! What: rules in words. Why: the owner reads back what was understood. Not here: whether a rule holds (`orchestrator-machine`).

use super::action;
use crate::format::{self, WEEK};
use crate::language::{Text, say, text};
use chrono_tz::Tz;
use toolcall_schema::{Timestamp, rule::OwnerRule};

/// The last line of each drawer: how the owner says when not to speak.
pub const TELL_ME_WHEN_NOT_TO: Text = Text("owner-tell-me-when-not-to");

/// Beside the pause's buttons, while nothing is paused.
pub const QUIET_FOR: Text = Text("owner-quiet-for");
/// Ends the pause.
pub const SPEAK_AGAIN: Text = Text("owner-speak-again");
/// A pause of two hours.
pub const TWO_HOURS: Text = Text("owner-two-hours");
/// A pause until midnight.
pub const UNTIL_TOMORROW: Text = Text("owner-until-tomorrow");
/// There is no rule.
pub const NO_RULE: Text = Text("owner-no-rule");
/// Takes a rule away.
pub const REMOVE: Text = Text("owner-remove");
/// The heading of the form.
pub const TELL_WHEN_NOT_TO: Text = Text("owner-tell-when-not-to");
/// What the rule is about.
pub const WHAT: Text = Text("owner-what");
/// It is about everything.
pub const ANYTHING: Text = Text("owner-anything");
/// It is about all that concerns a chat.
pub const ANYTHING_ABOUT_CHAT: Text = Text("owner-anything-about-chat");
/// It is about this kind, in this chat.
pub const THIS_ABOUT_CHAT: Text = Text("owner-this-about-chat");
/// The first hour.
pub const FROM: Text = Text("owner-from");
/// The last.
pub const TO: Text = Text("owner-to");
/// Without hours.
pub const ALL_DAY: Text = Text("owner-all-day");
/// Makes the rule.
pub const NOT_THEN: Text = Text("owner-not-then");

/// The name of the button that takes a rule away.
pub fn remove_rule(rule: &str) -> String {
    say!("owner-remove-rule", rule)
}

/// What a rule of the owner forbids, in words; `thing`: what it is about, where that has a name.
pub fn rule(rule: &OwnerRule, thing: Option<&str>, (now, zone): (Timestamp, Tz)) -> String {
    let kinds: Vec<&str> = rule.kinds.iter().map(|kind| action(*kind)).collect();
    let mut parts = vec![if kinds.is_empty() {
        text("owner-rule-nothing").to_owned()
    } else {
        say!("owner-rule-not", value = kinds.join(", "))
    }];
    if let Some(subject) = &rule.subject {
        parts.push(match thing {
            Some(thing) => say!("owner-rule-about", thing),
            None if subject.as_str().starts_with("ch_") => text("owner-rule-about-one-chat").to_owned(),
            None => text("owner-rule-about-one-thing").to_owned(),
        });
    }
    let clock = format::time_of_day;
    parts.extend(
        rule.hours
            .map(|(from, to)| say!("owner-rule-from-to", clock = clock(from), clock2 = clock(to))),
    );
    if !rule.days.is_empty() {
        let name = |day: &u8| {
            WEEK.get(usize::from(*day).wrapping_sub(1))
                .map_or("", |name| name.say())
        };
        parts.push(say!(
            "owner-rule-on",
            collect = rule.days.iter().map(name).collect::<Vec<_>>().join(", ")
        ));
    }
    parts.extend(
        rule.until
            .map(|until| say!("owner-rule-until", at = format::clock_on(until, now, zone))),
    );
    parts.join(" ")
}
