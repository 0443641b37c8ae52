//! What is said of what Comms learned.
//!
//! What: a sentence for each sender, list or chat, and the block around them. Why: the owner reads what is believed of their mail, and
//! takes it back by a button. Not here: what is learned (`agents`), markup (`web::learned`).

use toolcall_schema::catalogue::{
    comms::{EvidenceCode, MessageClass},
    learning::{LearnedRow, LearnedThing},
};

/// The heading.
pub const LEARNED: &str = "What I learned from you";
/// There is nothing yet.
pub const NOTHING_LEARNED: &str =
    "Nothing yet. Answer a mail, or tap Useful or Dismiss on a card, and I'll learn from that.";
/// The agent is busy.
pub const LEARNED_NOT_READ: &str = "Comms is busy. Look again in a moment.";
/// Somebody whose name is not known.
pub const SOMEBODY: &str = "Somebody you get mail from";
/// A list or chat whose name is not known.
pub const ONE_LIST: &str = "A list or chat";
/// Somebody whose name is not known, and who was written to.
pub const SOMEBODY_ASKED: &str = "Somebody you wrote to";
/// Takes what was learned of one back.
pub const RESET: &str = "Reset";
/// Takes everything back.
pub const RESET_ALL: &str = "Reset all";
/// Says that it is only news.
pub const ONLY_NEWS: &str = "Only news";
/// Says that it matters.
pub const MATTERS: &str = "Matters to me";

/// The name of a button on a row.
pub fn on_row(button: &str, name: &str) -> String {
    format!("{button}: {name}")
}

/// On how much it rests.
pub fn learned_from(labels: u32) -> String {
    match labels {
        0 => "You taught me nothing by hand: this is from what you answered.".to_owned(),
        1 => "This rests on one thing you did.".to_owned(),
        more => format!("This rests on {more} things you did."),
    }
}

/// What is believed of a sender, list or chat, and why.
pub fn learned(row: &LearnedRow) -> String {
    let who = match row.about {
        LearnedThing::Person(_) => "this sender",
        LearnedThing::Channel(_) => "this list",
    };
    let class = treated(row.class);
    if row.corrected {
        return format!("I treat {who} as {class}: you told me so.");
    }
    if row.class == MessageClass::Waiting {
        return "You asked, and there is no answer yet.".to_owned();
    }
    if row.why == EvidenceCode::NeverAnswered {
        return format!(
            "I treat {who} as {class}: {} messages, and you never answered.",
            row.received
        );
    }
    if row.why == EvidenceCode::OftenAnswered {
        let fast = row
            .minutes
            .map_or_else(String::new, |minutes| format!(", within {}", within(minutes)));
        return format!(
            "I treat {who} as {class}: you answered {} of {} messages{fast}.",
            row.answered, row.received
        );
    }
    let did = if row.shift < 0 {
        "dismissed or muted"
    } else {
        "answered or found useful"
    };
    format!("I treat {who} as {class}: you {did} what came from there.")
}

/// A class, after *I treat it as*.
pub(super) fn treated(class: MessageClass) -> &'static str {
    match class {
        MessageClass::NeedsYou => "something that needs you",
        MessageClass::Group => "a question to a group",
        MessageClass::Date => "a date to agree on",
        MessageClass::Bill => "bills",
        MessageClass::Code => "codes",
        MessageClass::News => "news",
        MessageClass::Talk => "small talk",
        MessageClass::Waiting => "something you wait for",
        MessageClass::Spam => "spam",
    }
}

/// A time that somebody took, as people say it.
pub(super) fn within(minutes: u32) -> String {
    match minutes {
        0..=1 => "a minute".to_owned(),
        2..=59 => format!("{minutes} minutes"),
        60..=89 => "an hour".to_owned(),
        90..=1439 => format!("{} hours", minutes.saturating_add(30) / 60),
        _ => "a day".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(class: MessageClass, why: EvidenceCode, shift: i32, corrected: bool) -> LearnedRow {
        LearnedRow {
            about: LearnedThing::parse("ch_0000000000000001").unwrap(),
            class,
            why,
            corrected,
            received: 412,
            answered: 9,
            minutes: Some(95),
            shift,
        }
    }

    #[test]
    fn each_belief_is_a_sentence_with_its_reason() {
        use EvidenceCode::{NeverAnswered, OftenAnswered, Taught};
        for (said, sentence) in [
            (
                row(MessageClass::News, NeverAnswered, 0, false),
                "I treat this list as news: 412 messages, and you never answered.",
            ),
            (
                row(MessageClass::NeedsYou, OftenAnswered, 0, false),
                "I treat this list as something that needs you: you answered 9 of 412 messages, within 2 hours.",
            ),
            (
                row(MessageClass::News, Taught, -60, false),
                "I treat this list as news: you dismissed or muted what came from there.",
            ),
            (
                row(MessageClass::NeedsYou, Taught, 80, false),
                "I treat this list as something that needs you: you answered or found useful what came from there.",
            ),
            (
                row(MessageClass::Talk, Taught, 0, true),
                "I treat this list as small talk: you told me so.",
            ),
        ] {
            assert_eq!(learned(&said), sentence);
        }
        let asha = LearnedRow {
            about: LearnedThing::parse("pe_0000000000000001").unwrap(),
            ..row(MessageClass::Spam, Taught, -150, true)
        };
        assert_eq!(learned(&asha), "I treat this sender as spam: you told me so.");
    }

    #[test]
    fn a_time_is_said_as_people_say_it() {
        for (minutes, said) in [
            (0, "a minute"),
            (2, "2 minutes"),
            (75, "an hour"),
            (90, "2 hours"),
            (1439, "24 hours"),
            (9000, "a day"),
        ] {
            assert_eq!(within(minutes), said, "{minutes}");
        }
    }
}
