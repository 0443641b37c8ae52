//! Tests: bounds, weights by hand, exact forgetting.

use super::*;
use toolcall_schema::{catalogue::comms::EvidenceCode as Evidence, ids::OwnerSeed};

fn t(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn noon() -> Timestamp {
    t("2026-11-03T12:00:00Z")
}

fn key() -> toolcall_schema::ids::SecretKey {
    OwnerSeed::from_day_seed("history").key("agents")
}

fn person(name: &str) -> PersonHash {
    key().person(name)
}

fn list(name: &str) -> ChannelHash {
    key().channel(name)
}

fn thread(name: &str) -> ItemId {
    key().item(name)
}

fn trace(n: u32) -> TraceId {
    TraceId::parse(&format!("tr_{n:012}")).unwrap()
}

/// A message of Asha's in a thread of the club's list, at 9 o'clock.
fn keys() -> LabelKeys {
    LabelKeys {
        person: Some(person("asha")),
        thread: Some(thread("t1")),
        list: Some(list("club")),
        hour: 9,
        class: MessageClass::NeedsYou,
    }
}

fn label(n: u32, act: LabelAct) -> TaughtLabel {
    TaughtLabel {
        at: noon().plus_min(i64::from(n)),
        keys: keys(),
        act,
        trace: Some(trace(n)),
    }
}

fn taught(acts: &[LabelAct]) -> SenderHistory {
    let mut history = SenderHistory::default();
    for (n, act) in (0..).zip(acts) {
        assert!(history.teach(label(n, *act)));
    }
    history
}

fn restored(history: &SenderHistory) -> SenderHistory {
    serde_json::from_value(serde_json::to_value(history).unwrap()).unwrap()
}

#[test]
fn what_acts_weigh_is_worked_out_by_hand() {
    use LabelAct::{Answered, Confirmed, Dismissed, Edited, Muted, NotAbout, Useful};
    for (acts, shift) in [
        (&[][..], 0),
        // 40 on each of sender, thread and list, 40 / 5 on the class, 40 / 10 on the quarter: 132.
        (&[Useful], 132),
        // 30 × 3 + 6 + 3.
        (&[Confirmed], 99),
        // 20 × 3 + 4 + 2.
        (&[Answered], 66),
        // −10 × 3 − 2 − 1.
        (&[Edited], -33),
        // −30 × 3 − 6 − 3.
        (&[Dismissed], -99),
        // −60 × 3 − 12 − 6 is beyond the bound.
        (&[NotAbout], -150),
        (&[Muted], -150),
        // 30 − 30.
        (&[Confirmed, Dismissed], 0),
        // (20 − 30) × 3 − 2 − 1.
        (&[Answered, Dismissed], -33),
        (&[Useful, Useful, Useful, Useful, Useful], 150),
    ] {
        assert_eq!(taught(acts).shift(&keys()), shift, "{acts:?}");
    }
}

#[test]
fn an_act_weighs_less_the_less_a_message_is_like_its_own() {
    let history = taught(&[LabelAct::Useful]);
    let like = |change: &dyn Fn(&mut LabelKeys)| {
        let mut keys = keys();
        change(&mut keys);
        history.shift(&keys)
    };
    // Of 132: the thread's 40, the list's 40, the sender's 40, the class's 8, the quarter's 4.
    assert_eq!(like(&|keys| keys.thread = None), 92);
    assert_eq!(like(&|keys| keys.list = Some(list("work"))), 92);
    assert_eq!(like(&|keys| keys.person = Some(person("bo"))), 92);
    assert_eq!(like(&|keys| keys.class = MessageClass::Date), 124);
    assert_eq!(like(&|keys| keys.hour = 11), 132);
    assert_eq!(like(&|keys| keys.hour = 12), 128);
    let stranger = LabelKeys {
        person: None,
        thread: None,
        list: None,
        hour: 20,
        class: MessageClass::Talk,
    };
    assert_eq!(history.shift(&stranger), 0);
}

#[test]
fn one_act_on_one_card_teaches_once() {
    let mut history = taught(&[LabelAct::Dismissed]);
    assert!(!history.teach(label(0, LabelAct::Dismissed)));
    assert!(history.teach(label(0, LabelAct::Useful)));
    assert_eq!(history.labels(), 2);
}

#[test]
fn what_is_forgotten_was_never_taught() {
    use LabelAct::{Answered, Dismissed, Useful};
    let whole = taught(&[Useful, Dismissed, Answered]);
    let without_second = {
        let mut history = SenderHistory::default();
        history.teach(label(0, Useful));
        history.teach(label(2, Answered));
        history
    };
    for what in [
        ErasureScope::within(noon().plus_min(1), noon().plus_min(2)),
        ErasureScope::naming([trace(1).as_str().to_owned()]),
    ] {
        let mut history = restored(&whole);
        history.forget(&what);
        assert_eq!(history, without_second, "{what:?}");
    }
    for thing in [
        person("asha").as_str(),
        thread("t1").as_str(),
        list("club").as_str(),
    ] {
        let mut history = restored(&whole);
        history.forget(&ErasureScope::naming([thing.to_owned()]));
        assert_eq!(history, SenderHistory::default(), "{thing}");
    }
}

#[test]
fn a_history_is_the_same_after_a_restart() {
    let mut history = taught(&[LabelAct::Useful, LabelAct::Muted]);
    let asha = LearnedThing::Person(person("asha"));
    history.received(&asha, noon().plus_ms(1234));
    history.read(&asha, noon());
    history.answered(keys(), noon().plus_min(5), Some(5));
    history.correct(&LearnedThing::Channel(list("club")), MessageClass::News, noon());
    history.own_mail_known_until(noon());
    assert_eq!(restored(&history), history);
}

#[test]
fn a_list_that_is_never_answered_is_news_and_an_answer_ends_that() {
    let club = LearnedThing::Channel(list("club"));
    let came = |messages: u32, days: i64| {
        let mut history = SenderHistory::default();
        for n in 0..i64::from(messages) {
            history.received(&club, noon().plus_ms(days * DAY_MS * n / i64::from(messages - 1)));
        }
        history
    };
    let news = Some((MessageClass::News, Evidence::NeverAnswered));
    for (messages, days, treated) in [(10, 7, news), (9, 7, None), (10, 6, None), (500, 60, news)] {
        assert_eq!(
            came(messages, days).treated_as(&club),
            treated,
            "{messages} in {days} days"
        );
    }
    let mut answered = came(10, 7);
    answered.answered(keys(), noon(), None);
    assert_eq!(answered.treated_as(&club), None);
}

#[test]
fn a_sender_who_is_often_answered_needs_the_owner() {
    let asha = LearnedThing::Person(person("asha"));
    let often = Some((MessageClass::NeedsYou, Evidence::OftenAnswered));
    // Sender and list weigh 20 each answer, so from three on it is 60, which is said before the count.
    let taught = Some((MessageClass::NeedsYou, Evidence::Taught));
    for (received, answered, treated) in [(9, 2, None), (9, 3, taught), (10, 3, taught)] {
        let mut history = SenderHistory::default();
        for n in 0..received {
            history.received(&asha, noon().plus_min(n));
        }
        for n in 0..answered {
            history.answered(keys(), noon().plus_min(n), Some(10));
        }
        assert_eq!(history.treated_as(&asha), treated, "{answered} of {received}");
        // Where the labels have made room for newer ones, the counts are left.
        history.labels.clear();
        history.settle();
        let counted = (answered >= 3 && answered * 3 >= received)
            .then_some(())
            .and(often);
        assert_eq!(history.treated_as(&asha), counted, "{answered} of {received}");
    }
}

#[test]
fn the_owners_own_word_stands_until_it_is_reset() {
    let mut history = taught(&[LabelAct::NotAbout, LabelAct::Muted]);
    let (asha, club) = (
        LearnedThing::Person(person("asha")),
        LearnedThing::Channel(list("club")),
    );
    history.correct(&club, MessageClass::NeedsYou, noon());
    assert_eq!(history.shift(&keys()), 150);
    assert_eq!(
        history.treated_as(&club),
        Some((MessageClass::NeedsYou, Evidence::Taught))
    );
    history.correct(&asha, MessageClass::Talk, noon());
    assert_eq!(history.shift(&keys()), 0, "the sender's stands before the list's");
    history.correct(&asha, MessageClass::News, noon().plus_min(1));
    assert_eq!((history.shift(&keys()), history.labels()), (-150, 4));
    assert_eq!(history.reset(Some(&asha)), 3, "the two acts and the correction");
    assert_eq!((history.correction(&asha), history.shift(&keys())), (None, 150));
    assert_eq!(history.reset(None), 1);
    assert_eq!(history, SenderHistory::default());
}

#[test]
fn a_reset_keeps_whom_the_owner_wrote_to() {
    let mut history = SenderHistory::default();
    history.wrote_to(person("asha"), noon());
    history.answered(keys(), noon(), None);
    history.reset(None);
    let standing = history.standing(&keys());
    assert_eq!(
        standing,
        SenderStanding {
            wrote_to: true,
            ..SenderStanding::default()
        }
    );
}

#[test]
fn standing_says_what_was_counted() {
    let mut history = SenderHistory::default();
    assert_eq!(history.standing(&keys()), SenderStanding::default());
    let asha = LearnedThing::Person(person("asha"));
    for n in 0..5 {
        history.received(&asha, noon().plus_min(n));
    }
    history.answered(keys(), noon().plus_min(9), Some(4));
    history.answered(keys(), noon().plus_min(10), Some(8));
    // 2 × 20 each on sender and list, 40 on the thread, 40 / 5, 40 / 10.
    let expected = SenderStanding {
        wrote_to: true,
        answered: 2,
        ignored: 3,
        taught: 132,
        answers_owner: false,
        knows_own_mail: false,
        let_through: false,
    };
    assert_eq!(history.standing(&keys()), expected);
    let listed = history.list();
    // Both at 40 are below what is said to the owner, and two of five are no habit yet.
    assert_eq!((listed.rows, listed.labels, listed.counted), (vec![], 2, 2));
}

#[test]
fn the_list_names_the_owners_corrections_first() {
    let mut history = taught(&[LabelAct::Dismissed, LabelAct::Dismissed]);
    let other = LearnedThing::Person(person("bo"));
    history.correct(&other, MessageClass::Talk, noon());
    let rows: Vec<_> = history
        .list()
        .rows
        .into_iter()
        .map(|row| (row.about, row.class, row.corrected, row.shift))
        .collect();
    let mut of_acts = [
        (
            LearnedThing::Person(person("asha")),
            MessageClass::News,
            false,
            -60,
        ),
        (
            LearnedThing::Channel(list("club")),
            MessageClass::News,
            false,
            -60,
        ),
    ];
    of_acts.sort();
    let mut expected = vec![(other, MessageClass::Talk, true, 0)];
    expected.extend(of_acts);
    assert_eq!(rows, expected);
}

#[test]
fn bounds_hold_and_the_oldest_goes_first() {
    let mut history = SenderHistory::default();
    for n in 0..2100 {
        history.teach(label(n, LabelAct::Useful));
    }
    assert_eq!(
        (history.labels(), history.labels.front()),
        (2000, Some(&label(100, LabelAct::Useful)))
    );
    let stranger = |n: i64| LearnedThing::Person(person(&format!("stranger {n}")));
    history.wrote_to(person("asha"), noon());
    for n in 0..5200 {
        history.received(&stranger(n), noon().plus_min(n));
    }
    assert!(history.counted.len() <= COUNTED_MAX);
    assert!(history.counted.contains_key(&stranger(5199)) && !history.counted.contains_key(&stranger(0)));
    assert!(
        history.standing(&keys()).wrote_to,
        "a flood of strangers drives nobody out"
    );
    history.fit();
    assert!(history.bytes() <= BYTES_MAX);
    assert_eq!(history.labels(), 2000);
    assert!(history.standing(&keys()).wrote_to && history.counted.contains_key(&stranger(5199)));
}

#[test]
fn own_mail_is_looked_at_once() {
    let mut history = SenderHistory::default();
    assert!(history.is_own_mail_new(noon().plus_min(-100)));
    history.own_mail_known_until(noon());
    history.own_mail_known_until(noon().plus_min(-5));
    assert!(!history.is_own_mail_new(noon().plus_min(-1)) && history.is_own_mail_new(noon()));
    history.read_own_mail_again();
    assert!(history.is_own_mail_new(noon().plus_min(-1)));
}
