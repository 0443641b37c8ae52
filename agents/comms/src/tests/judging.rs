//! The rules, one row each.

use super::*;
use crate::{
    intent::{Intent, JudgedBy, MessageJudgement},
    message::RequestVerb,
};

fn judged(text: &str, sender: &str, host: Option<&str>, to_owner: bool) -> MessageJudgement {
    let message = message::JudgedMessage {
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
        // A link needs an offer beside it.
        (
            "You won a prize, see https://example.com/x",
            "?",
            None,
            (Spam, 50, false),
        ),
        ("http://203.0.113.9/win", "?", None, (Spam, 50, false)),
        ("look https://secure-claim.test/a", "?", None, (Spam, 50, false)),
        // A link alone says nothing.
        ("https://maps.example/p/1", "Mira", None, (Social, 200, false)),
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
        // 1 of 5: 0.55 + 0.25 / 1.25 = 0.75.
        ("can you call me later", "Mira", None, (Actionable, 750, false)),
        ("@you call", "Mira", None, (Actionable, 1000, true)),
    ] {
        let j = judged(text, sender, host, false);
        assert_eq!((j.intent, j.urgency.0, j.mention), expected, "{text}");
        assert_eq!(j.by, JudgedBy::Rule, "{text}");
    }
}

#[test]
fn a_mail_to_the_owner_with_an_action_verb_is_a_mention() {
    // 2 action words ("send", "today") of 5: 0.55 + 0.25 * 2 / 1.25 + 0.2 = 1.15, at most 1.
    let j = judged("please send the form today", "Bo", Some("example.net"), true);
    assert_eq!(
        j,
        MessageJudgement {
            intent: Intent::Actionable,
            urgency: Milli(1000),
            mention: true,
            verb: RequestVerb::Send,
            by: JudgedBy::Rule,
        }
    );
    assert!(!judged("the form is green", "Bo", Some("example.net"), true).mention);
}

#[test]
fn what_no_rule_recognises_is_left_to_the_classifier() {
    for (text, host, mention) in [
        // A top-level domain alone makes nothing spam.
        ("see www.example.in tonight", None, false),
        ("you won a match, nice", None, false),
        (
            "submit the revised abstract by Thursday",
            Some("example.com"),
            false,
        ),
        ("lunch was good today", None, false),
        ("@Rohan_2 call", None, false),
        ("mail bo@me.example to call", None, false),
        ("@Rohan how was it", None, true),
        // Pairs are neighbours.
        ("you can call it a day", None, false),
    ] {
        let j = judged(text, "Mira", host, false);
        assert_ne!(j.by, JudgedBy::Rule, "{text}");
        assert_eq!(j.mention, mention, "{text}");
    }
}

#[test]
fn the_classifier_knows_what_no_list_does() {
    use Intent::{Actionable, Broadcast, Social, Spam};
    for (text, class) in [
        (
            "we are out of milk and eggs, get some on your way home",
            Actionable,
        ),
        ("क्या तुम शाम को दूध ला सकते हो", Actionable),
        (
            "your bank statement has not reached us, we cannot go ahead",
            Actionable,
        ),
        (
            "the sunset yesterday was so lovely, i could not stop smiling",
            Social,
        ),
        // An action word that asks for nothing.
        ("i sent the photos to mom and she could not stop laughing", Social),
        (
            "the canteen will remain shut on Saturday for residents and members",
            Broadcast,
        ),
        // An offer without a link, and one that asks to confirm nothing.
        (
            "earn 5000 daily from home, no experience, message on telegram",
            Spam,
        ),
    ] {
        let j = judged(text, "Mira", None, false);
        assert_eq!((j.intent, j.by), (class, JudgedBy::Classifier), "{text}");
    }
}

#[test]
fn who_sells_is_not_asking_the_owner() {
    for (text, intent) in [
        (
            "please call now to claim your guaranteed cash prize, reply STOP to opt out",
            Intent::Spam,
        ),
        ("could you please call the plumber now", Intent::Actionable),
    ] {
        assert_eq!(
            judged(text, "+447700900123", None, false).intent,
            intent,
            "{text}"
        );
    }
    // Who names the owner is heard.
    let named = "@rohan please call now to claim your guaranteed cash prize";
    assert_eq!(judged(named, "Mira", None, false).intent, Intent::Actionable);
}

#[test]
fn in_doubt_a_message_is_social_and_nothing_else() {
    let mut doubts = 0;
    for text in [
        "zxq wvrtl",
        "qoph",
        "hjälpa grynna",
        "blue",
        "the chair",
        "half of it",
        "perhaps the other one then",
        "about that",
        "@rohan hm well",
        "the wall",
    ] {
        let message = message::JudgedMessage {
            text,
            sender: "Mira",
            sender_host: None,
            channel: "Lab 4",
            to_owner: false,
            bulk: false,
        };
        let verdict = intent::by_classifier(&message, &[]);
        let j = judge(&message, &[]);
        let unsure = !verdict.is_sure();
        assert_eq!(
            j.by,
            if unsure {
                JudgedBy::Doubt
            } else {
                JudgedBy::Classifier
            },
            "{text}"
        );
        if unsure {
            assert_eq!((j.intent, j.urgency.0), (Intent::Social, 200), "{text}");
        }
        doubts += u32::from(unsure);
    }
    assert!(doubts >= 2, "{doubts}");
}
