//! What is said of what Comms learned.
//!
//! What: a sentence for each sender, list or chat, and the block around them. Why: the owner reads what is believed of their mail, and
//! takes it back by a button. Not here: what is learned (`agents`), markup (`web::learned`).

use crate::language::{Text, say, text};
use toolcall_schema::catalogue::{
    comms::{EvidenceCode, MessageClass},
    learning::{LearnedRow, LearnedThing},
};

/// The heading.
pub const LEARNED: Text = Text("learned-learned");
/// The agent is busy.
pub const LEARNED_NOT_READ: Text = Text("learned-learned-not-read");
/// Somebody whose name is not known.
pub const SOMEBODY: Text = Text("learned-somebody");
/// A list or chat whose name is not known.
pub const ONE_LIST: Text = Text("learned-one-list");
/// Somebody whose name is not known, and who was written to.
pub const SOMEBODY_ASKED: Text = Text("learned-somebody-asked");
/// Takes what was learned of one back.
pub const RESET: Text = Text("learned-reset");
/// Takes everything back.
pub const RESET_ALL: Text = Text("learned-reset-all");
/// Says that it is only news.
pub const ONLY_NEWS: Text = Text("learned-only-news");
/// Says that it matters.
pub const MATTERS: Text = Text("learned-matters");

/// The name of a button on a row.
pub fn on_row(button: &str, name: &str) -> String {
    format!("{button}: {name}")
}

/// Nothing was learned yet; so much was done that it could be learned from.
pub fn nothing_learned(labels: u32) -> String {
    match labels {
        0 => text("learned-nothing-learned").to_owned(),
        count => say!("learned-too-little", count),
    }
}

/// On how much it rests.
pub fn learned_from(labels: u32) -> String {
    match labels {
        0 => text("learned-learned-from-you-taught-me").to_owned(),
        1 => text("learned-learned-from-this-rests-on").to_owned(),
        more => say!("learned-learned-from-this-rests-on-2", more),
    }
}

/// What is believed of a sender, list or chat, and why.
pub fn learned(row: &LearnedRow) -> String {
    let who = match row.about {
        LearnedThing::Person(_) => text("learned-learned-this-sender"),
        LearnedThing::Channel(_) => text("learned-learned-this-list"),
    };
    let class = treated(row.class);
    if row.corrected {
        return say!("learned-learned-i-treat-as", who, class);
    }
    if row.class == MessageClass::Waiting {
        return text("learned-learned-you-asked-and").to_owned();
    }
    if row.why == EvidenceCode::NeverAnswered {
        return say!(
            "learned-learned-i-treat-as-2",
            who,
            class,
            received = row.received
        );
    }
    if row.why == EvidenceCode::OftenAnswered {
        let fast = row.minutes.map_or_else(String::new, |minutes| {
            say!("learned-learned-within", within = within(minutes))
        });
        return say!(
            "learned-learned-i-treat-as-3",
            who,
            class,
            answered = row.answered,
            received = row.received,
            fast
        );
    }
    let did = if row.shift < 0 {
        text("learned-learned-dismissed-or-muted")
    } else {
        text("learned-learned-answered-or-found")
    };
    say!("learned-learned-i-treat-as-4", who, class, did)
}

/// A class, after *I treat it as*.
pub(super) fn treated(class: MessageClass) -> &'static str {
    match class {
        MessageClass::NeedsYou => text("learned-treated-something-that-needs"),
        MessageClass::Group => text("learned-treated-a-question-to"),
        MessageClass::Date => text("learned-treated-a-date-to"),
        MessageClass::Bill => text("learned-treated-bills"),
        MessageClass::Code => text("learned-treated-codes"),
        MessageClass::News => text("learned-treated-news"),
        MessageClass::Talk => text("learned-treated-small-talk"),
        MessageClass::Waiting => text("learned-treated-something-you-wait"),
        MessageClass::Spam => text("learned-treated-spam"),
    }
}

/// A time that somebody took, as people say it.
pub(super) fn within(minutes: u32) -> String {
    match minutes {
        0..=1 => text("learned-within-a-minute").to_owned(),
        2..=59 => say!("learned-within-minutes", minutes),
        60..=89 => text("learned-within-an-hour").to_owned(),
        90..=1439 => say!("learned-within-hours", value = minutes.saturating_add(30) / 60),
        _ => text("learned-within-a-day").to_owned(),
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
    fn who_taught_something_is_not_told_to_begin() {
        for (labels, begins) in [
            (0, "Nothing yet."),
            (1, "You did one thing that I learn from."),
            (2, "You did 2 things that"),
        ] {
            let said = nothing_learned(labels);
            assert!(said.starts_with(begins), "{said}");
        }
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
