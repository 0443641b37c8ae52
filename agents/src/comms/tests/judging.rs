//! The rules, one row each.

use super::*;
use crate::comms::intent::{Intent, Judgement, Verb};

fn judged(text: &str, sender: &str, host: Option<&str>, to_owner: bool) -> Judgement {
    let message = intent::Message {
        text,
        sender,
        sender_host: host,
        channel: "Lab 4",
        to_owner,
        bulk: false,
    };
    judge(&message, &["rohan".to_owned()])
}

#[test]
fn judges_messages_by_the_rules_in_order() {
    use Intent::{Actionable, Broadcast, Social, Spam};
    for (text, sender, host, expected) in [
        ("", "Mira", None, (Social, 200, false)),
        ("😀👍 !!!", "Mira", None, (Social, 200, false)),
        ("haha ok", "Mira", None, (Social, 200, false)),
        // A top-level domain alone makes nothing spam; a link needs an offer beside it.
        ("see www.example.in tonight", "Mira", None, (Social, 200, false)),
        (
            "You won a prize, see https://example.com/x",
            "?",
            None,
            (Spam, 50, false),
        ),
        ("http://203.0.113.9/win", "?", None, (Spam, 50, false)),
        ("look https://secure-claim.test/a", "?", None, (Spam, 50, false)),
        ("you won a match, nice", "Mira", None, (Social, 200, false)),
        (
            "Please confirm your payment of Rs.500",
            "VK-HDFCBK",
            None,
            (Social, 200, false),
        ),
        (
            "Announcement: please check the lift",
            "House",
            None,
            (Broadcast, 200, false),
        ),
        // A mention beats the broadcast word: 1 action word of 6: 0.55 + 0.25 / 1.5 + 0.2 = 0.917.
        (
            "notice: @rohan please send the slides",
            "Mira",
            None,
            (Actionable, 917, true),
        ),
        // Academic sender, no question, one action word of 6: 0.55 + 0.25 / 1.5 = 0.717.
        (
            "submit the revised abstract by Thursday",
            "Dr N",
            Some("mail.example.ac.in"),
            (Actionable, 717, false),
        ),
        (
            "submit the revised abstract by Thursday",
            "Dr N",
            Some("example.com"),
            (Social, 200, false),
        ),
        ("lunch was good today", "Mira", None, (Social, 200, false)),
        // 1 of 5: 0.55 + 0.25 / 1.25 = 0.75.
        ("can you call me later", "Mira", None, (Actionable, 750, false)),
        ("@you call", "Mira", None, (Actionable, 1000, true)),
        ("@Rohan_2 call", "Mira", None, (Social, 200, false)),
        ("mail bo@me.example to call", "Mira", None, (Social, 200, false)),
        ("@Rohan how was it", "Mira", None, (Social, 200, true)),
    ] {
        let j = judged(text, sender, host, false);
        assert_eq!((j.intent, j.urgency.0, j.mention), expected, "{text}");
    }
}

#[test]
fn a_mail_to_the_owner_with_an_action_verb_is_a_mention() {
    // 2 action words ("send", "today") of 5: 0.55 + 0.25 * 2 / 1.25 + 0.2 = 1.15, at most 1.
    let j = judged("please send the form today", "Bo", Some("example.net"), true);
    assert_eq!(
        j,
        Judgement {
            intent: Intent::Actionable,
            urgency: Milli(1000),
            mention: true,
            verb: Verb::Send
        }
    );
    assert!(!judged("the form is green", "Bo", Some("example.net"), true).mention);
}
