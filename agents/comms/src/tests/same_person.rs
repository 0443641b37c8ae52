//! Who is one person by the owner's word: what then counts together, and what becomes of it.

use super::*;
use crate::CommsAgentState;
use crate::testing::ask;
use agents_base::contract::KeptState as _;
use agents_base::host::AgentHost;
use std::{collections::BTreeSet, fs};
use toolcall_schema::{
    ToolName,
    catalogue::{
        correspondent::{LetThrough, SAME_PEOPLE_MAX, SamePeopleRow, SamePerson},
        learning::LearnedThing,
    },
    forget::ErasureScope,
    ids::PersonHash,
    result::ToolErrorCode,
};

fn person(name: &str) -> PersonHash {
    setup().key.person(name)
}

fn say(agent: &mut CommsAgent, one: &str, other: &str, same: bool) -> Result<(), ToolErrorCode> {
    let said = SamePerson {
        person: person(one),
        other: person(other),
        same,
    };
    let tool = Tool::Comms(CommsTool::SamePerson(said));
    agent.act(&tool, t(NOON)).map(|_| ())
}

fn row(one: &str, other: &str, first: &str) -> SamePeopleRow {
    SamePeopleRow {
        person: person(one),
        other: person(other),
        first: person(first),
    }
}

/// Asha wrote three times, A. Rao once, Bo once.
fn talked() -> CommsAgent {
    let mut agent = comms();
    let at = |minute: i64| t("2026-11-03T11:00:00Z").plus_min(minute);
    agent.accept(vec![
        note("n-1", at(0), "Lab", "Asha", "hello"),
        note("n-2", at(1), "Lab", "Asha", "so good"),
        note("n-3", at(2), "Lab", "Bo", "so good"),
        note("n-4", at(3), "Lab", "Asha", "so good"),
        note("n-5", at(4), "Choir", "A. Rao", "can you send the list?"),
    ]);
    ingest(&mut agent, t(NOON));
    agent
}

fn restored(agent: &mut CommsAgent) -> CommsAgent {
    let state = agent.state_after_act(t(NOON)).unwrap();
    let mut again = comms();
    again.restore(&state).unwrap();
    again
}

/// Whose an address is, how many of them they have, and messages of the day.
fn described(agent: CommsAgent, name: &str) -> (String, u64, u64) {
    let mut host = AgentHost::new(Box::new(agent));
    let about = json!({"about": person(name)});
    let said = ask(&mut host, ToolName::DescribeCorrespondent, &about, t(NOON)).unwrap();
    (
        said["about"].as_str().unwrap().to_owned(),
        said["addresses"].as_u64().unwrap(),
        said["day"].as_u64().unwrap(),
    )
}

#[test]
fn two_are_counted_as_one_at_either_address_after_a_restart_and_apart_again() {
    let asha = person("asha").as_str().to_owned();
    for name in ["asha", "a. rao"] {
        let mut agent = talked();
        say(&mut agent, "asha", "a. rao", true).unwrap();
        let mut again = restored(&mut agent);
        assert_eq!(described(agent, name), (asha.clone(), 2, 4), "{name}");
        // Also after the first look.
        ingest(&mut again, t(NOON));
        assert_eq!(again.list_same_people().rows, [row("asha", "a. rao", "asha")]);
        assert_eq!(described(again, name), (asha.clone(), 2, 4), "{name}");
    }
    // Taken back before anything was read, and with the two the other way round.
    let mut agent = talked();
    say(&mut agent, "asha", "a. rao", true).unwrap();
    let mut again = restored(&mut agent);
    say(&mut again, "a. rao", "asha", false).unwrap();
    assert_eq!(again.state_after_act(t(NOON)).unwrap().get("same"), None);
    assert!(again.list_same_people().rows.is_empty());
    assert_eq!(described(again, "asha"), (asha, 1, 3));
}

#[test]
fn what_was_said_of_one_address_holds_at_the_other() {
    let mut agent = talked();
    say(&mut agent, "asha", "a. rao", true).unwrap();
    let about = LearnedThing::Person(person("asha"));
    let tool = Tool::Comms(CommsTool::LetThrough(LetThrough { about, always: true }));
    agent.act(&tool, t(NOON)).unwrap();
    // What A. Rao asks does not name the owner: it is proposed because Asha is let through.
    let drafts = |agent: &CommsAgent| -> Vec<bool> {
        let candidates = agent.tick(&question(t(NOON)), t(NOON)).candidates.into_iter();
        let drafts = candidates.filter(|one| one.kind == ActionKind::DraftReply);
        drafts.map(|one| one.let_through).collect()
    };
    assert_eq!(drafts(&agent), [true]);
    say(&mut agent, "asha", "a. rao", false).unwrap();
    assert_eq!(drafts(&agent), Vec::<bool>::new());
}

#[test]
fn what_is_said_joins_what_contacts_know_and_a_chain_is_one_person() {
    let dir = tempfile::TempDir::new().unwrap();
    let book = dir.path().join("all.vcf");
    let card = "BEGIN:VCARD\nVERSION:3.0\nFN:Bo\nEMAIL:bo@work.example\nEMAIL:bo@home.example\nEND:VCARD\n";
    fs::write(&book, card).unwrap();
    let with_contacts = || {
        let mut setup = setup();
        setup.sources.contacts = vec![book.clone()];
        CommsAgent::new(setup)
    };
    let mut agent = with_contacts();
    say(&mut agent, "bo", "bo@home.example", true).unwrap();
    say(&mut agent, "bobby", "bo", true).unwrap();
    let all = ["bobby", "bo", "bo@work.example", "bo@home.example"];
    let mut again = with_contacts();
    again.restore(&agent.state_after_act(t(NOON)).unwrap()).unwrap();
    for mut agent in [agent, again] {
        ingest(&mut agent, t(NOON));
        let firsts: BTreeSet<PersonHash> = agent
            .list_same_people()
            .rows
            .into_iter()
            .map(|row| row.first)
            .collect();
        assert_eq!(firsts.len(), 1);
        for name in all {
            assert_eq!(agent.merged.all(&person(name)).count(), 4, "{name}");
        }
    }
    // Without the card what the owner said stays.
    let mut agent = with_contacts();
    say(&mut agent, "bo", "bo@home.example", true).unwrap();
    let state = agent.state_after_act(t(NOON)).unwrap();
    fs::remove_file(&book).unwrap();
    let mut alone = with_contacts();
    alone.restore(&state).unwrap();
    ingest(&mut alone, t(NOON));
    let count = |name: &str| alone.merged.all(&person(name)).count();
    assert_eq!((count("bo"), count("bo@work.example")), (2, 1));
}

#[test]
fn forgetting_either_takes_both_and_the_pair() {
    let mut agent = talked();
    say(&mut agent, "asha", "a. rao", true).unwrap();
    let state = agent.state_after_act(t(NOON)).unwrap();
    for name in ["asha", "a. rao"] {
        let what = ErasureScope::naming([person(name).as_str().to_owned()]);
        let left = CommsAgentState::json_without(&state, &what).unwrap();
        let text = left.to_string();
        for one in ["asha", "a. rao"] {
            assert!(!text.contains(person(one).as_str()), "{one} of {name}: {text}");
        }
        assert!(text.contains(person("bo").as_str()), "{text}");
    }
    let left = CommsAgentState::json_without(&state, &ErasureScope::everything()).unwrap();
    assert!(!left.to_string().contains(person("asha").as_str()));
}

#[test]
fn nobody_is_their_own_other_twice_is_once_and_there_is_an_end() {
    let mut agent = comms();
    assert_eq!(
        say(&mut agent, "asha", "asha", true),
        Err(ToolErrorCode::NotFound)
    );
    for _ in 0..2 {
        say(&mut agent, "asha", "a. rao", true).unwrap();
    }
    say(&mut agent, "a. rao", "asha", true).unwrap();
    assert_eq!(agent.list_same_people().rows.len(), 1);
    for n in 1..SAME_PEOPLE_MAX {
        say(&mut agent, &format!("one {n}"), &format!("other {n}"), true).unwrap();
    }
    let over = say(&mut agent, "one more", "other more", true);
    assert_eq!(over, Err(ToolErrorCode::Unavailable));
    // What was never said can be taken back.
    say(&mut agent, "one more", "other more", false).unwrap();
    assert_eq!(agent.list_same_people().rows.len(), SAME_PEOPLE_MAX);
}
