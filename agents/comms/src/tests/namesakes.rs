//! One name in two programs: who is taken for whom.

use super::*;
use crate::CommsAgentState;
use crate::testing::ask;
use agents_base::contract::KeptState as _;
use agents_base::host::AgentHost;
use toolcall_schema::{
    ToolName,
    catalogue::{correspondent::LetThrough, learning::LearnedThing},
    forget::ErasureScope,
    ids::{ChannelHash, PersonHash},
};

const WHATSAPP: &str = "com.whatsapp";
const BUSINESS: &str = "com.whatsapp.w4b";
const TELEGRAM: &str = "org.telegram.messenger";
const NOBODYS: &str = "net.example.talk";

fn posted(id: &str, minute: i64, app: &str, chat: &str, sender: &str) -> Signal {
    let payload = json!({"app": app, "channel": chat, "sender": sender, "text": "can you send the list?"});
    signal(
        id,
        t("2026-11-03T11:00:00Z").plus_min(minute),
        "notification",
        &payload,
    )
}

/// Who sent each of these, and in which chat, in order of time.
fn ids(agent: &CommsAgent) -> Vec<(PersonHash, ChannelHash)> {
    let items = agent.window().items().iter();
    items
        .map(|item| (item.person.clone().unwrap(), item.channel.clone()))
        .collect()
}

fn reading(posts: Vec<Signal>) -> CommsAgent {
    let mut agent = comms();
    agent.accept(posts);
    ingest(&mut agent, t(NOON));
    agent
}

fn restarted(agent: &CommsAgent) -> CommsAgent {
    let mut again = comms();
    again.restore(&agent.state()).unwrap();
    again
}

/// Bo of the first program came first, so that his ids are those of his name. Whoever calls themselves Bo in another program is somebody else.
#[test]
fn a_name_in_another_program_is_somebody_else_and_its_chat_another() {
    let plain = (setup().key.person("bo"), setup().key.channel("Family"));
    let posts = |from: i64| {
        vec![
            posted(&format!("w{from}"), from, WHATSAPP, "Family", "Bo"),
            posted(&format!("t{from}"), from + 1, TELEGRAM, "Family", "Bo"),
            posted(&format!("n{from}"), from + 2, NOBODYS, "Family", "bo "),
        ]
    };
    let mut agent = reading(posts(0));
    let first = ids(&agent);
    assert_eq!(first[0], plain);
    let people: BTreeSet<_> = first.iter().map(|(person, _)| person).collect();
    let chats: BTreeSet<_> = first.iter().map(|(_, chat)| chat).collect();
    assert_eq!((people.len(), chats.len()), (3, 3), "{first:?}");
    // The next ones are the same three, also after a restart.
    agent = restarted(&agent);
    agent.accept(posts(3));
    ingest(&mut agent, t(NOON));
    assert_eq!(ids(&agent)[3..], first);
    // What stands beside their names tells them apart.
    let mut host = AgentHost::new(Box::new(agent));
    let args = json!({"ids": [&first[0].0, &first[1].0]});
    let named = ask(&mut host, ToolName::CommsDescribe, &args, t(NOON)).unwrap();
    let said = |member: &str, n: usize| {
        let mut rows = named[member].as_array().unwrap().iter();
        rows.find(|row| row["id"] == json!(first[n].0)).unwrap()["label"].clone()
    };
    for (n, program) in ["WhatsApp", "Telegram"].iter().enumerate() {
        assert_eq!(
            (said("labels", n), said("marks", n)),
            (json!("Bo"), json!(program))
        );
    }
}

/// Who takes the name of somebody that is let through does not pass.
#[test]
fn whom_the_owner_lets_through_is_nobody_else_of_that_name() {
    let mut agent = reading(vec![
        posted("w", 0, WHATSAPP, "Bo", "Bo"),
        posted("t", 1, TELEGRAM, "Bo", "Bo"),
    ]);
    let said = LetThrough {
        about: LearnedThing::Person(setup().key.person("bo")),
        always: true,
    };
    agent
        .act(&Tool::Comms(CommsTool::LetThrough(said)), t(NOON))
        .unwrap();
    let both = ids(&agent);
    let passes = |n: usize| {
        agent
            .let_through
            .names(&LearnedThing::Person(both[n].0.clone()), &agent.merged)
    };
    assert_eq!((passes(0), passes(1)), (true, false));
}

#[test]
fn a_number_and_one_program_of_two_names_are_the_same_everywhere() {
    let agent = reading(vec![
        posted("a", 0, WHATSAPP, "+44 7700 900123", "+44 7700 900123"),
        posted("b", 1, TELEGRAM, "+44 7700 900123", "+447700900123"),
        posted("c", 2, WHATSAPP, "Family", "Bo"),
        posted("d", 3, BUSINESS, "Family", "Bo"),
    ]);
    let all = ids(&agent);
    assert_eq!(all[0], all[1]);
    assert_eq!(all[2], all[3]);
}

/// In states of before nothing says which program came first: of whom there are messages those say it.
#[test]
fn a_state_of_before_takes_those_who_wrote_as_the_first() {
    let agent = reading(vec![posted("w", 0, WHATSAPP, "Family", "Bo")]);
    let mut state = agent.state();
    assert!(state.as_object_mut().unwrap().remove("namesakes").is_some());
    let mut again = comms();
    again.restore(&state).unwrap();
    again.accept(vec![
        posted("t", 1, TELEGRAM, "Family", "Bo"),
        posted("v", 2, WHATSAPP, "Family", "Bo"),
    ]);
    ingest(&mut again, t(NOON));
    let all = ids(&again);
    assert_eq!(all[0], all[2]);
    assert!(all[0].0 != all[1].0 && all[0].1 != all[1].1, "{all:?}");
}

/// Of who is forgotten nothing says any more that the name was theirs.
#[test]
fn who_is_forgotten_leaves_the_name_to_who_comes_next() {
    let agent = reading(vec![posted("w", 0, WHATSAPP, "Family", "Bo")]);
    let bo = setup().key.person("bo");
    let family = setup().key.channel("Family");
    let mut state = CommsAgentState::from_json(&agent.state()).unwrap();
    let all = [bo.as_str().to_owned(), family.as_str().to_owned()];
    state.forget(&ErasureScope::naming(all));
    let left = serde_json::to_string(&state).unwrap();
    assert!(
        !left.contains(bo.as_str()) && !left.contains(family.as_str()),
        "{left}"
    );
    let mut again = comms();
    again.restore(&serde_json::to_value(&state).unwrap()).unwrap();
    again.accept(vec![posted("t", 1, TELEGRAM, "Family", "Bo")]);
    ingest(&mut again, t(NOON));
    assert_eq!(ids(&again), [(bo, family)]);
}

/// The state stays small, however many write once.
#[test]
fn names_beyond_the_limit_are_known_by_the_name_alone() {
    let posts = (0..4200).map(|n| {
        let name = format!("Somebody {n}");
        posted(&format!("p{n}"), n / 100, WHATSAPP, "Town", &name)
    });
    let agent = reading(posts.collect());
    let rows = agent.state()["namesakes"].to_string();
    assert!(rows.len() < 100_000, "{}", rows.len());
}
