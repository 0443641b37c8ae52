//! What the owner said about when to be quiet.
//!
//! What: rules in words. Why: the owner reads back what was understood. Not here: whether a rule holds (`orchestrator-machine`).

use super::action;
use crate::format::WEEK;
use toolcall_schema::rule::OwnerRule;

/// The last line of each drawer: how the owner says when not to speak. Words between backquotes are typed.
pub const TELL_ME_WHEN_NOT_TO: &str = "Tell me when not to: a rule for this kind or this chat, for hours and days (on Aura's page, \
    or `aura rule add`), or quiet for a time (`aura pause 2h`). Quiet hours for everything (`dnd`) are in your home file.";

/// What a rule of the owner forbids, in words.
pub fn rule(rule: &OwnerRule) -> String {
    let kinds: Vec<&str> = rule.kinds.iter().map(|kind| action(*kind)).collect();
    let mut parts = vec![if kinds.is_empty() {
        "Nothing".to_owned()
    } else {
        format!("Not: {}", kinds.join(", "))
    }];
    if let Some(subject) = &rule.subject {
        parts.push(
            if subject.as_str().starts_with("ch_") {
                "about one chat"
            } else {
                "about one thing"
            }
            .to_owned(),
        );
    }
    let clock = |time: chrono::NaiveTime| time.format("%H:%M").to_string();
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
    format!("{} ({})", parts.join(" "), rule.name)
}
