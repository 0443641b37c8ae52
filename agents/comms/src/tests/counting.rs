//! What memory is told of chats is counted, not taken from the window.

use super::*;
use crate::CommsAgentState;
use agents_base::contract::KeptState as _;
use agents_base::contract::SourcePaths;
use toolcall_schema::{
    forget::ErasureScope,
    ids::PersonHash,
    tick::{GraphObservation, SEEN_MAX},
};

/// What was told last of each chat: all of its messages, and what wants something.
fn told(seen: &[GraphObservation], of: &mut BTreeMap<ChannelHash, (u32, u32)>) {
    for seen in seen {
        let GraphObservation::Talk {
            channel,
            all,
            actionable,
            ..
        } = seen
        else {
            panic!("Comms tells of messages alone");
        };
        of.insert(channel.clone(), (*all, *actionable));
    }
}

fn person(name: &str) -> PersonHash {
    setup().key.person(name)
}

/// Each sender's messages of an answer.
fn by_person(seen: &[GraphObservation]) -> BTreeMap<PersonHash, (u32, u32)> {
    let one = |seen: &GraphObservation| match seen {
        GraphObservation::Talk {
            person,
            messages,
            all,
            ..
        } => (person.clone(), (*messages, *all)),
        GraphObservation::Payment { .. } | GraphObservation::Place { .. } | GraphObservation::Body { .. } => {
            panic!("Comms tells of messages alone")
        }
    };
    seen.iter().map(one).collect()
}

#[test]
fn messages_older_than_a_day_are_named_by_signal_or_by_file_with_their_number() {
    let at = t(NOON);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("chat.jsonl");
    let lines = [("a", 60), ("b", 24 * 60), ("c", 48 * 60), ("d", 30)];
    let text = lines.map(|(id, ago)| {
        let signal = note(id, at.plus_min(-ago), "F1", "asha", "hello");
        serde_json::to_string(&signal).unwrap() + "\n"
    });
    std::fs::write(&file, text.concat()).unwrap();
    let mut agent = CommsAgent::new(AgentSetup {
        sources: SourcePaths {
            notifications: vec![file],
            ..SourcePaths::default()
        },
        ..setup()
    });
    agent.accept(vec![
        note("old", at.plus_min(-25 * 60), "F1", "asha", "hello"),
        note("new", at.plus_min(-1), "F1", "asha", "hello"),
    ]);
    let answer = ingest(&mut agent, at);
    let skips: Vec<_> = answer
        .skips
        .iter()
        .map(|skip| (skip.code.as_str(), skip.item.as_str(), skip.line, skip.count))
        .collect();
    assert_eq!(
        skips,
        [
            ("AGENT-017", "chat.jsonl", Some(2), 2),
            ("AGENT-017", "old", None, 1)
        ]
    );
    assert_eq!((answer.read, answer.skipped), (3, 3));
    let mut last = BTreeMap::new();
    told(&answer.seen, &mut last);
    assert_eq!(last.values().copied().collect::<Vec<_>>(), [(3, 0)]);
}

#[test]
fn messages_of_more_chats_than_are_counted_are_named_by_day_with_their_number() {
    let mut agent = comms();
    let at = t(NOON);
    // 1024 chats, three messages of two further ones, and one of a chat that is counted.
    let chats = (0..1024).chain([1024, 1024, 1025, 5]);
    let notes: Vec<Signal> = (0..)
        .zip(chats)
        .map(|(i, chat)| {
            note(
                &format!("n{i}"),
                at.plus_ms(i - 5000),
                &format!("C{chat}"),
                "asha",
                "hello",
            )
        })
        .collect();
    let (first, rest) = notes.split_at(1000);
    let (mut read, mut skips) = (0, Vec::new());
    for notes in [first, rest] {
        agent.accept(notes.to_vec());
        let answer = ingest(&mut agent, at);
        read += answer.read;
        skips.extend(answer.skips);
    }
    let day = agents_base::zone::local_date(at, setup().owner.zone).to_string();
    let skips: Vec<_> = skips
        .iter()
        .map(|skip| (skip.code.as_str(), skip.item.as_str(), skip.count))
        .collect();
    assert_eq!((read, skips), (1025, vec![("AGENT-018", day.as_str(), 3)]));
}

#[test]
fn ten_thousand_messages_in_four_chats_are_counted_whole_over_restarts_too() {
    let mut agent = comms();
    let from = t("2026-11-03T11:00:00Z");
    let mut last = BTreeMap::new();
    // 40 batches of 256, ten to each chat, all in ten minutes: five times what the window holds.
    for batch in 0..40 {
        let group = format!("F{}", batch % 4);
        agent.accept(chat(from.plus_ms(batch * 15_000), 256, 0, &group));
        told(&ingest(&mut agent, t(NOON)).seen, &mut last);
        if batch % 7 == 0 {
            agent = stormed_with(&agent);
        }
    }
    assert_eq!(agent.window().items().len(), MAX_ITEMS);
    let expected = (0..4).map(|n| (channel(&format!("F{n}")), (2560, 10)));
    assert_eq!(last, expected.collect());
}

#[test]
fn a_message_that_is_told_again_is_counted_once_and_an_unchanged_day_is_not_told_again() {
    let mut agent = comms();
    let one = || vec![note("n-1", t("2026-11-03T11:00:00Z"), "Lab", "Asha", "hello")];
    agent.accept(one());
    let first = ingest(&mut agent, t(NOON)).seen;
    assert_eq!(by_person(&first), [(person("asha"), (1, 1))].into());
    agent.accept(one());
    assert_eq!(ingest(&mut agent, t(NOON)).seen, []);
}

#[test]
fn more_senders_than_one_answer_tells_of_are_told_in_the_next_over_a_restart_too() {
    let mut agent = comms();
    let at = t("2026-11-03T11:00:00Z");
    let many = SEEN_MAX + 100;
    let notes = (0..many).map(|n| note(&format!("n-{n}"), at, "Fair", &format!("Guest {n}"), "so good"));
    agent.accept(notes.collect());
    let first = ingest(&mut agent, t(NOON)).seen;
    let mut agent = stormed_with(&agent);
    let rest = ingest(&mut agent, t(NOON)).seen;
    assert_eq!((first.len(), rest.len()), (SEEN_MAX, 100));
    let mut people = by_person(&first);
    people.extend(by_person(&rest));
    assert_eq!(people.len(), many);
    assert_eq!(ingest(&mut agent, t(NOON)).seen, []);
}

#[test]
fn past_2048_senders_a_chat_is_still_counted_whole() {
    let mut agent = comms();
    let at = t("2026-11-03T11:00:00Z");
    for batch in 0..3 {
        let notes = (0..1000).map(|n| {
            let id = format!("n-{batch}-{n}");
            note(&id, at, "Fair", &format!("Guest {id}"), "so good")
        });
        agent.accept(notes.collect());
        ingest(&mut agent, t(NOON));
    }
    agent.accept(vec![note("n-last", at, "Fair", "Guest n-0-0", "so good")]);
    while !ingest(&mut agent, t(NOON)).seen.is_empty() {}
    agent.accept(vec![note("n-more", at, "Fair", "Guest n-0-0", "so good")]);
    let seen = ingest(&mut agent, t(NOON)).seen;
    assert_eq!(by_person(&seen), [(person("guest n-0-0"), (3, 3002))].into());
}

#[test]
fn counts_of_a_day_that_the_window_has_left_go() {
    let mut agent = comms();
    agent.accept(vec![note(
        "n-1",
        t("2026-11-03T11:00:00Z"),
        "Lab",
        "Asha",
        "hello",
    )]);
    ingest(&mut agent, t(NOON));
    let day = |agent: &CommsAgent| agent.state()["counts"]["rows"].as_object().unwrap().len();
    assert_eq!(day(&agent), 1);
    ingest(&mut agent, t("2026-11-04T18:00:00Z"));
    assert_eq!(
        day(&agent),
        1,
        "23:30 in Kolkata: the window still reaches into the 3rd"
    );
    ingest(&mut agent, t("2026-11-04T18:31:00Z"));
    assert_eq!(day(&agent), 0, "00:01 of the 5th: it does not");
}

#[test]
fn who_is_forgotten_is_not_counted_any_more_and_the_others_are() {
    let mut agent = comms();
    let at = t("2026-11-03T11:00:00Z");
    for batch in 0..3 {
        let mut notes = chat(at.plus_min(batch), 900, 0, "Hostel");
        notes.push(note(&format!("a-{batch}"), at, "Hostel", "Anu", "so good"));
        agent.accept(notes);
        ingest(&mut agent, t(NOON));
    }
    let forgotten = |what: &ErasureScope| {
        let state = CommsAgentState::json_without(&agent.state(), what).unwrap();
        let mut agent = comms();
        agent.restore(&state).unwrap();
        agent.accept(vec![note("last", at.plus_min(30), "Hostel", "Ila", "so good")]);
        by_person(&ingest(&mut agent, t(NOON)).seen)
    };
    // 2700 of Mira's and 3 of Anu's, of which the window holds the newest 2048.
    let mira = forgotten(&ErasureScope::naming([person("mira").as_str().to_owned()]));
    assert_eq!(mira, [(person("ila"), (1, 4))].into());
    let hour = forgotten(&ErasureScope::within(at, at.plus_min(20)));
    assert_eq!(hour, [(person("ila"), (1, 1))].into());
    let none = forgotten(&ErasureScope::naming([channel("Hostel").as_str().to_owned()]));
    assert_eq!(none, [(person("ila"), (1, 1))].into());
}

#[test]
fn a_state_of_before_messages_were_counted_is_counted_from_its_window() {
    let agent = stormed();
    let mut state = agent.state();
    assert!(state.as_object_mut().unwrap().remove("counts").is_some());
    let mut agent = comms();
    agent.restore(&state).unwrap();
    agent.accept(vec![note(
        "last",
        t("2026-11-03T11:59:00Z"),
        "Reunion",
        "Ila",
        "so good",
    )]);
    let seen = ingest(&mut agent, t(NOON)).seen;
    assert_eq!(by_person(&seen), [(person("ila"), (1, 41))].into());
}
