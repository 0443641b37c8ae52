//! Contacts: names before others, several addresses as one person, and nothing of it on disk.

use super::*;
use crate::CommsAgentState;
use crate::testing::ask;
use agents_base::contract::KeptState as _;
use agents_base::host::AgentHost;
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use toolcall_schema::{
    ToolName, catalogue::comms::EvidenceCode, forget::ErasureScope, ids::PersonHash, tick::GraphObservation,
};

const WORK: &str = "asha@work.example";
const HOME: &str = "asha@home.example";

/// A folder of the owner's: an inbox, sent mail, an address book.
struct Owner(TempDir);

impl Owner {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn received(&self, id: &str, from: &str, at: &str, text: &str) {
        self.put("INBOX", id, &format!("From: {from}\nTo: rohan@example.org\nReceived: from a by b; {at}\nSubject: Visit\nMessage-ID: <{id}@x.example>\nDate: {at}"), text);
    }

    fn sent(&self, id: &str, to: &str, answers: Option<&str>, at: &str) {
        let answers = answers
            .map(|id| format!("\nIn-Reply-To: <{id}@x.example>"))
            .unwrap_or_default();
        self.put("Sent", id, &format!("From: Rohan <rohan@example.org>\nTo: {to}{answers}\nSubject: Re: Visit\nMessage-ID: <{id}@x.example>\nDate: {at}"), "Here it is.");
    }

    fn put(&self, folder: &str, id: &str, head: &str, text: &str) {
        fs::create_dir_all(self.path("mail").join(folder)).unwrap();
        let mail = format!("{}\r\n\r\n{text}", head.replace('\n', "\r\n"));
        fs::write(self.path("mail").join(folder).join(format!("{id}.eml")), mail).unwrap();
    }

    /// Writes the address book; each card's lines.
    fn knows(&self, cards: &[&str]) {
        let card = |lines: &&str| format!("BEGIN:VCARD\nVERSION:3.0\n{lines}\nEND:VCARD\n");
        let text: String = cards.iter().map(card).collect();
        fs::write(self.path("all.vcf"), text).unwrap();
    }

    fn agent(&self) -> CommsAgent {
        let mut setup = setup();
        setup.sources.mail = vec![self.path("mail")];
        if self.path("all.vcf").exists() {
            setup.sources.contacts = vec![self.path("all.vcf")];
        }
        CommsAgent::new(setup)
    }

    fn restored(&self, state: &Value) -> CommsAgent {
        let mut agent = self.agent();
        agent.restore(state).unwrap();
        agent
    }
}

fn asha() -> String {
    format!("FN:Asha Rao\nEMAIL:{WORK}\nEMAIL:{HOME}\nTEL:+44 7700 900123")
}

fn person(address: &str) -> PersonHash {
    setup().key.person(address)
}

fn item(id: &str) -> ItemId {
    setup().key.item(&format!("mail:{id}@x.example"))
}

fn described(agent: CommsAgent, ids: &Value) -> Value {
    let mut host = AgentHost::new(Box::new(agent));
    let answer = ask(&mut host, ToolName::CommsDescribe, &json!({"ids": ids}), t(NOON)).unwrap();
    let labels = answer["labels"].as_array().unwrap().iter();
    labels
        .map(|one| {
            (
                one["id"].as_str().unwrap().to_owned(),
                super::names::shown(&answer, one),
            )
        })
        .collect()
}

fn rows(agent: CommsAgent) -> Vec<Value> {
    let mut host = AgentHost::new(Box::new(agent));
    let list = ask(&mut host, ToolName::ListLearned, &json!({}), t(NOON)).unwrap();
    list["rows"].as_array().unwrap().clone()
}

/// Asha wrote twice from either address, and was answered three times: at work once, at home twice.
fn corresponded() -> Owner {
    let owner = Owner::new();
    for (id, from, hour) in [
        ("q1", WORK, 8),
        ("q2", HOME, 9),
        ("q3", HOME, 10),
        ("q4", WORK, 11),
    ] {
        let at = format!("Tue, 3 Nov 2026 {hour:02}:00:00 +0000");
        owner.received(id, &format!("asha79 <{from}>"), &at, "Can you call me today?");
    }
    owner.sent("a1", WORK, Some("q1"), "Tue, 3 Nov 2026 08:10:00 +0000");
    owner.sent("a2", HOME, Some("q2"), "Tue, 3 Nov 2026 09:20:00 +0000");
    owner.sent("a3", HOME, Some("q3"), "Tue, 3 Nov 2026 10:30:00 +0000");
    owner
}

#[test]
fn the_contacts_name_stands_before_the_senders_own_also_after_a_restart() {
    let owner = corresponded();
    owner.received(
        "s",
        "Stranger <s@x.example>",
        "Tue, 3 Nov 2026 11:30:00 +0000",
        "Hello.",
    );
    owner.knows(&[&asha()]);
    let mut agent = owner.agent();
    let state = ingest(&mut agent, t(NOON)).agent_state;
    let ids = json!([
        item("q1"),
        item("q3"),
        item("s"),
        person(WORK),
        person(HOME),
        person("s@x.example")
    ]);
    let names = json!({
        item("q1").as_str(): "Asha Rao", item("q3").as_str(): "Asha Rao", item("s").as_str(): "Stranger",
        person(WORK).as_str(): "Asha Rao", person(HOME).as_str(): "Asha Rao",
        person("s@x.example").as_str(): "Stranger",
    });
    assert_eq!(described(agent, &ids), names);
    // A start later, before anything was read: from the file, because nothing of it is in the state.
    assert_eq!(described(owner.restored(&state), &ids), names);
    let text = state.to_string();
    for word in ["Asha", "asha", "home.example", "7700", "all.vcf"] {
        assert!(!text.contains(word), "{word}");
    }
    // Without the contact the sender's own name is back.
    owner.knows(&["FN:Bo\nEMAIL:bo@x.example"]);
    let own = json!({item("q1").as_str(): "asha79"});
    assert_eq!(described(owner.restored(&state), &json!([item("q1")])), own);
}

#[test]
fn a_draft_greets_as_the_owner_calls_them() {
    let owner = Owner::new();
    owner.received(
        "q",
        &format!("asha79 <{WORK}>"),
        "Tue, 3 Nov 2026 11:00:00 +0000",
        "Can you call me today?",
    );
    owner.knows(&[&asha()]);
    let mut agent = owner.agent();
    ingest(&mut agent, t(NOON));
    let args = DraftReply {
        item_id: item("q"),
        tone: Tone::Casual,
        length_max: 280,
    };
    let (_, effects) = agent
        .act(&Tool::Comms(CommsTool::DraftReply(args)), t(NOON))
        .unwrap();
    let text = serde_json::to_string(&effects).unwrap();
    assert!(text.contains("Hi Asha, got your message."), "{text}");
}

#[test]
fn several_addresses_are_counted_and_learned_as_one_and_apart_again_without_the_contact() {
    let owner = corresponded();
    let alone = {
        let mut agent = owner.agent();
        ingest(&mut agent, t(NOON));
        rows(agent)
    };
    // Each answer weighs 20, and from 60 on it is said: at neither address there are three.
    assert_eq!(alone, Vec::<Value>::new());
    owner.knows(&[&asha()]);
    let mut agent = owner.agent();
    let state = ingest(&mut agent, t(NOON)).agent_state;
    let one = [json!({
        "about": person(WORK), "class": "needs_you", "why": "taught", "corrected": false,
        "received": 4, "answered": 3, "minutes": 20, "shift": 60,
    })];
    assert_eq!(rows(agent), one);
    // A start later it is the same before any file was read ...
    assert_eq!(rows(owner.restored(&state)), one);
    // ... and after the contact is gone, exactly as if it had never been.
    owner.knows(&["FN:Bo\nEMAIL:bo@x.example"]);
    let mut apart = owner.restored(&state);
    let state = ingest(&mut apart, t(NOON)).agent_state;
    assert_eq!(state.get("merged"), None);
    assert_eq!(rows(apart), alone);
    // Without any address book, too: it was paused, or is no longer allowed.
    fs::remove_file(owner.path("all.vcf")).unwrap();
    let mut none = owner.restored(&state);
    ingest(&mut none, t(NOON));
    assert_eq!(rows(none), alone);
}

#[test]
fn a_correction_at_one_address_holds_at_all_and_a_reset_unlearns_them() {
    let owner = corresponded();
    owner.knows(&[&asha()]);
    let mut agent = owner.agent();
    ingest(&mut agent, t(NOON));
    let correct = json!({"about": person(HOME), "class": "news"});
    let correct = serde_json::from_value(correct).unwrap();
    agent
        .act(&Tool::Comms(CommsTool::CorrectLearned(correct)), t(NOON))
        .unwrap();
    let keys = |address: &str| crate::history::LabelKeys {
        person: Some(person(address)),
        thread: None,
        list: None,
        hour: 0,
        class: toolcall_schema::catalogue::comms::MessageClass::Talk,
    };
    assert_eq!(
        (agent.history.shift(&keys(WORK)), agent.history.shift(&keys(HOME))),
        (-150, -150)
    );
    let reset = serde_json::from_value(json!({"about": person(WORK)})).unwrap();
    agent
        .act(&Tool::Comms(CommsTool::ResetLearned(reset)), t(NOON))
        .unwrap();
    assert_eq!(
        (agent.history.shift(&keys(WORK)), agent.history.shift(&keys(HOME))),
        (0, 0)
    );
    let standing = agent.history.standing(&keys(HOME));
    assert!(standing.wrote_to && standing.answered == 0, "{standing:?}");
    assert_eq!(rows(agent), Vec::<Value>::new());
}

#[test]
fn memory_is_told_of_one_person_in_a_folder() {
    let owner = corresponded();
    owner.knows(&[&asha()]);
    let told = ingest(&mut owner.agent(), t(NOON)).seen;
    let people: Vec<(PersonHash, u32, u32)> = told
        .into_iter()
        .filter_map(|seen| match seen {
            GraphObservation::Talk {
                person,
                messages,
                all,
                ..
            } => Some((person, messages, all)),
            GraphObservation::Payment { .. }
            | GraphObservation::Place { .. }
            | GraphObservation::Body { .. } => None,
        })
        .collect();
    assert_eq!(people, [(person(WORK), 4, 4)]);
}

#[test]
fn forgetting_somebody_forgets_all_their_addresses_and_they_stay_forgotten() {
    let owner = corresponded();
    owner.received(
        "b",
        "Bo <bo@x.example>",
        "Tue, 3 Nov 2026 11:00:00 +0000",
        "Can you call me?",
    );
    owner.knows(&[&asha()]);
    let state = ingest(&mut owner.agent(), t(NOON)).agent_state;
    let both = |text: &str| [WORK, HOME].map(|address| text.contains(person(address).as_str()));
    assert_eq!(both(&state.to_string()), [true, true]);
    // Named by either of them.
    for named in [WORK, HOME] {
        let what = ErasureScope::naming([person(named).as_str().to_owned()]);
        let left = CommsAgentState::json_without(&state, &what).unwrap();
        assert_eq!(both(&left.to_string()), [false, false], "{named}");
        assert!(left.to_string().contains(person("bo@x.example").as_str()));
        // The card is still in the owner's address book: nothing about the person is kept for it.
        let _ = fs::remove_dir_all(owner.path("mail"));
        let mut again = owner.restored(&left);
        let later = ingest(&mut again, t(NOON).plus_min(1)).agent_state;
        assert_eq!(both(&later.to_string()), [false, false], "{named}");
    }
}

#[test]
fn a_number_is_named_however_it_is_spaced() {
    let owner = Owner::new();
    fs::create_dir_all(owner.path("mail")).unwrap();
    owner.knows(&[&asha()]);
    let mut agent = owner.agent();
    agent.accept(vec![
        note(
            "n1",
            t("2026-11-03T11:00:00Z"),
            "+447700900123",
            "+44 7700 900123",
            "can you call?",
        ),
        note(
            "n2",
            t("2026-11-03T11:01:00Z"),
            "Hostel",
            "+44 7700-900-123",
            "can you call?",
        ),
        note(
            "n3",
            t("2026-11-03T11:02:00Z"),
            "Hostel",
            "+44 7700 900124",
            "can you call?",
        ),
        // Anybody may call themselves so: a name alone merges nobody.
        note(
            "n4",
            t("2026-11-03T11:03:00Z"),
            "Hostel",
            "Asha Rao",
            "can you call?",
        ),
    ]);
    ingest(&mut agent, t(NOON));
    let people: Vec<Option<PersonHash>> = agent
        .window()
        .items()
        .iter()
        .map(|item| item.person.clone())
        .collect();
    let number = person("+447700900123");
    assert_eq!(
        people,
        [
            number.clone(),
            number,
            person("+447700900124"),
            person("asha rao")
        ]
        .map(Some)
    );
    assert_eq!(agent.merged.first(&person("asha rao")), &person("asha rao"));
    let ids = json!([
        channel("+447700900123"),
        channel("Hostel"),
        setup().key.item("n2"),
        setup().key.item("n3")
    ]);
    let names = json!({
        channel("+447700900123").as_str(): "Asha Rao", channel("Hostel").as_str(): "Hostel",
        setup().key.item("n2").as_str(): "Asha Rao", setup().key.item("n3").as_str(): "+44 7700 900124",
    });
    assert_eq!(described(agent, &ids), names);
}

/// Whether the owner knows somebody follows from what the owner did, never from a card: anybody can send one.
#[test]
fn a_contact_is_no_acquaintance_but_an_acquaintance_is_one_at_all_addresses() {
    let judged = |owner: &Owner| {
        let mut agent = owner.agent();
        ingest(&mut agent, t(NOON));
        let known = agent.window().get(&item("p")).unwrap();
        known.evidence.contains(&EvidenceCode::UnknownSender)
    };
    let owner = Owner::new();
    owner.received(
        "p",
        &format!("Asha <{HOME}>"),
        "Tue, 3 Nov 2026 11:00:00 +0000",
        "Lunch was nice, see you.",
    );
    assert!(judged(&owner), "nobody knows her");
    owner.knows(&[&asha()]);
    assert!(judged(&owner), "a card alone vouches for nobody");
    // Years ago the owner wrote to the other address.
    owner.sent("o", WORK, None, "Sat, 4 Jul 2020 09:00:00 +0000");
    let first = |owner: &Owner| {
        let mut agent = owner.agent();
        ingest(&mut agent, t(NOON));
        agent.history.standing(&crate::history::LabelKeys {
            person: Some(person(HOME)),
            thread: None,
            list: None,
            hour: 0,
            class: toolcall_schema::catalogue::comms::MessageClass::Talk,
        })
    };
    assert!(first(&owner).wrote_to, "she is known at all her addresses");
    owner.knows(&["FN:Bo\nEMAIL:bo@x.example"]);
    assert!(!first(&owner).wrote_to, "without the contact they are two");
}

#[test]
fn what_cannot_be_read_is_counted_and_changes_are_seen() {
    let owner = Owner::new();
    fs::create_dir_all(owner.path("mail")).unwrap();
    fs::create_dir_all(owner.path("book")).unwrap();
    let write = |name: &str, lines: &str| {
        fs::write(
            owner.path("book").join(name),
            format!("BEGIN:VCARD\n{lines}\nEND:VCARD\n"),
        )
        .unwrap();
    };
    write("1.vcf", "FN:Asha\nEMAIL:a@x.example\nEMAIL:nothing");
    write("2.vcf", "NOTE:nobody");
    fs::write(owner.path("book").join("readme.txt"), "x").unwrap();
    let mut setup = setup();
    setup.sources.contacts = vec![owner.path("book"), Path::new("/nowhere").join("book.vcf")];
    let mut agent = CommsAgent::new(setup);
    let first = ingest(&mut agent, t(NOON));
    let codes: Vec<(&str, u32)> = first
        .skips
        .iter()
        .map(|skip| (skip.code.as_str(), skip.count))
        .collect();
    assert_eq!((first.read, first.skipped), (0, 3), "people are no messages");
    assert_eq!(codes, [("AGENT-001", 1), ("AGENT-042", 1), ("AGENT-040", 1)]);
    assert_eq!(agent.contacts.name(&person("a@x.example")), Some("Asha"));
    write("2.vcf", "FN:Bo\nEMAIL:bo@x.example");
    fs::remove_file(owner.path("book").join("1.vcf")).unwrap();
    let second = ingest(&mut agent, t(NOON).plus_min(1));
    assert_eq!((second.read, second.skipped), (0, 1));
    assert_eq!(agent.contacts.name(&person("a@x.example")), None);
    assert_eq!(agent.contacts.name(&person("bo@x.example")), Some("Bo"));
}

#[test]
fn a_state_of_before_contacts_is_read_and_a_wrong_one_is_mended() {
    let owner = corresponded();
    let mut agent = owner.agent();
    let state = ingest(&mut agent, t(NOON)).agent_state;
    assert_eq!(
        state.get("merged"),
        None,
        "nothing is written where nothing is merged"
    );
    owner.restored(&state);
    let mut odd = state;
    odd["merged"] = json!([[person(WORK)], [], [person(WORK), person(HOME), person(WORK)]]);
    let agent = owner.restored(&odd);
    assert_eq!(agent.merged.first(&person(HOME)), &person(WORK));
    let mut typed = CommsAgentState::from_json(&odd).unwrap();
    typed.forget(&ErasureScope::everything());
    assert!(!serde_json::to_string(&typed).unwrap().contains("merged"));
}

#[test]
fn who_is_described_at_any_address_is_one_person_with_all_of_them_also_after_a_restart() {
    let owner = corresponded();
    owner.knows(&[&asha()]);
    let mut agent = owner.agent();
    let state = ingest(&mut agent, t(NOON)).agent_state;
    for agent in [agent, owner.restored(&state)] {
        let mut host = AgentHost::new(Box::new(agent));
        for address in [WORK, HOME] {
            let about = json!({"about": person(address)});
            let said = ask(&mut host, ToolName::DescribeCorrespondent, &about, t(NOON)).unwrap();
            // Two addresses and a number; three of four were answered, after 10, 20 and 30 minutes.
            let wanted = json!({
                "about": person(WORK), "addresses": 3, "named_by": "contacts", "day": 4, "received": 4, "answered": 3,
                "minutes": 20, "wrote_to": true, "corrected": false, "class": "needs_you", "why": "taught",
            });
            for (name, wanted) in wanted.as_object().unwrap() {
                assert_eq!(said[name], *wanted, "{name} at {address}: {said}");
            }
        }
    }
    // Without the contact each address is somebody of its own.
    fs::remove_file(owner.path("all.vcf")).unwrap();
    let mut alone = owner.restored(&state);
    ingest(&mut alone, t(NOON).plus_min(1));
    let mut host = AgentHost::new(Box::new(alone));
    let about = json!({"about": person(HOME)});
    let said = ask(&mut host, ToolName::DescribeCorrespondent, &about, t(NOON)).unwrap();
    assert_eq!(said["addresses"], 1, "{said}");
}

/// Two of one name are told apart where both are asked for; one at two addresses, known as one person, is one.
#[test]
fn two_of_one_name_are_told_apart_by_their_addresses_also_after_a_restart() {
    let owner = Owner::new();
    for (id, from) in [
        ("q1", "Asha Rao <asha@work.example>"),
        ("q2", "asha rao <asha@home.example>"),
        ("q3", "Bo <bo@x.example>"),
        ("q4", "plain@x.example"),
    ] {
        owner.received(
            id,
            from,
            "Tue, 3 Nov 2026 09:00:00 +0000",
            "Can you call me today?",
        );
    }
    let mut agent = owner.agent();
    let state = ingest(&mut agent, t(NOON)).agent_state;
    let ids = json!([item("q1"), item("q2"), item("q3"), item("q4"), person(HOME)]);
    let told = json!({
        item("q1").as_str(): "Asha Rao (asha@work.example)",
        item("q2").as_str(): "asha rao (asha@home.example)",
        item("q3").as_str(): "Bo",
        item("q4").as_str(): "plain@x.example",
        person(HOME).as_str(): "asha rao (asha@home.example)",
    });
    assert_eq!(described(agent, &ids), told);
    assert_eq!(described(owner.restored(&state), &ids), told);
    assert!(!state.to_string().contains("home.example"));
    // Of one alone nothing more is said, nor of one person at both addresses.
    let alone = json!({item("q1").as_str(): "Asha Rao"});
    assert_eq!(described(owner.restored(&state), &json!([item("q1")])), alone);
    owner.knows(&[&asha()]);
    let both = json!([item("q1"), item("q2")]);
    let one = json!({item("q1").as_str(): "Asha Rao", item("q2").as_str(): "Asha Rao"});
    assert_eq!(described(owner.restored(&state), &both), one);
}

/// Two of one name who write by the same program: by the end of their numbers, and where those are not known any more by when they wrote last.
#[test]
fn two_of_one_name_in_one_program_are_told_apart_by_what_is_known_of_them() {
    let owner = Owner::new();
    fs::create_dir_all(owner.path("mail")).unwrap();
    owner.knows(&[&asha(), "FN:Asha Rao\nTEL:+44 7700 900124"]);
    let mut agent = owner.agent();
    let notes = [
        ("n1", "2026-11-03T11:01:00Z", "+44 7700 900123"),
        ("n2", "2026-11-03T11:02:00Z", "+44 7700 900124"),
        // Somebody who calls themselves so is a third.
        ("n3", "2026-11-03T11:03:00Z", "Asha Rao"),
        ("n4", "2026-11-03T11:04:00Z", "Bo"),
    ];
    let posted = notes.map(|(id, at, sender)| note(id, t(at), "Hostel", sender, "can you call?"));
    agent.accept(posted.to_vec());
    let state = ingest(&mut agent, t(NOON)).agent_state;
    let [one, two, three, bo] = notes.map(|(id, ..)| setup().key.item(id));
    let ids = json!([one, two, three, bo]);
    let told = |marks: [&str; 3]| {
        json!({
            one.as_str(): format!("Asha Rao ({})", marks[0]), two.as_str(): format!("Asha Rao ({})", marks[1]),
            three.as_str(): format!("Asha Rao{}", marks[2]), bo.as_str(): "Bo",
        })
    };
    assert_eq!(described(agent, &ids), told(["…0123", "…0124", ""]));
    // What was posted has no place: two are known by the contacts alone.
    let zone = setup().owner.zone;
    let hour = |minute: u32| {
        let at = t(&format!("2026-11-03T11:{minute:02}:00Z"))
            .utc()
            .with_timezone(&zone);
        at.format("%H:%M").to_string()
    };
    let names = described(owner.restored(&state), &json!([one, two]));
    assert_eq!(names[one.as_str()], format!("Asha Rao ({})", hour(1)));
    assert_eq!(names[two.as_str()], format!("Asha Rao ({})", hour(2)));
    // At two places of one person nothing is told apart.
    let alone = described(owner.restored(&state), &json!([one]));
    assert_eq!(alone[one.as_str()], "Asha Rao");
}
