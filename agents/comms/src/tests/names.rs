//! Names after a restart: from where they stand, and nowhere else.

use super::*;
use crate::CommsAgentState;
use crate::{names::PLACES_MAX, testing::ask};
use agents_base::contract::KeptState as _;
use agents_base::host::AgentHost;
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use toolcall_schema::{ToolName, forget::ErasureScope, ids::PersonHash};

const SEPARATOR: &str = "From - Tue Nov  3 10:00:00 2026\n";

/// A mail of this morning.
fn mail(id: &str, name: &str) -> String {
    format!(
        "From: {name} <{id}@example.net>\nTo: rohan@example.org\nMessage-ID: <{id}@example.net>\n\
         Date: Tue, 3 Nov 2026 10:00:00 +0000\nSubject: Visit\n\nCan you call me today?\n"
    )
}

fn item(id: &str) -> ItemId {
    setup().key.item(&format!("mail:{id}@example.net"))
}

fn person(id: &str) -> PersonHash {
    setup().key.person(&format!("{id}@example.net"))
}

fn agent_over(mail: &[&Path], notifications: &[&Path]) -> CommsAgent {
    let paths = |paths: &[&Path]| {
        paths
            .iter()
            .map(|path| path.to_path_buf())
            .collect::<Vec<PathBuf>>()
    };
    let mut setup = setup();
    (setup.sources.mail, setup.sources.notifications) = (paths(mail), paths(notifications));
    CommsAgent::new(setup)
}

/// The labels of these ids, by an agent that was just started with that state and has read nothing.
fn named(mut agent: CommsAgent, state: &Value, ids: &Value) -> Value {
    agent.restore(state).unwrap();
    let mut host = AgentHost::new(Box::new(agent));
    let answer = ask(&mut host, ToolName::CommsDescribe, &json!({"ids": ids}), t(NOON)).unwrap();
    let labels = answer["labels"].as_array().unwrap();
    labels
        .iter()
        .map(|one| (one["id"].as_str().unwrap().to_owned(), shown(&answer, one)))
        .collect()
}

/// A label as a page shows it: with what tells it apart behind it.
pub(super) fn shown(answer: &Value, one: &Value) -> Value {
    let mut marks = answer["marks"].as_array().into_iter().flatten();
    let mark = marks.find(|mark| mark["id"] == one["id"]);
    mark.map_or_else(
        || one["label"].clone(),
        |mark| {
            json!(format!(
                "{} ({})",
                one["label"].as_str().unwrap(),
                mark["label"].as_str().unwrap()
            ))
        },
    )
}

fn kept(mut agent: CommsAgent) -> Value {
    ingest(&mut agent, t(NOON)).agent_state
}

#[test]
fn whoever_is_still_known_is_called_as_before_by_the_next_process_and_who_was_forgotten_is_not() {
    let mut agent = agent_over(&[], &[]);
    let note = |id: &str, chat: &str, sender: &str| {
        let payload =
            json!({"app": "org.example.chat", "channel": chat, "sender": sender, "text": "can you call me?"});
        crate::testing::signal(id, t(NOON), "notification", &payload)
    };
    agent.accept(vec![note("a1", "Choir", "Asha"), note("b1", "Rowing", "Bo")]);
    let state = ingest(&mut agent, t(NOON)).agent_state;
    let key = setup().key;
    let (asha, bo) = (key.person("asha"), key.person("bo"));
    let (choir, rowing) = (key.channel("Choir"), key.channel("Rowing"));
    let ids = json!([asha, bo, choir, rowing, key.item("a1"), key.item("b1")]);
    let what = ErasureScope::naming([asha.as_str().to_owned(), choir.as_str().to_owned()]);
    let left = CommsAgentState::json_without(&state, &what).unwrap();

    let names = AgentHost::new(Box::new(agent)).names_in(left.clone());
    let mut next = agent_over(&[], &[]);
    next.take_names(names);
    assert_eq!(
        named(next, &left, &ids),
        json!({bo.as_str(): "Bo", rowing.as_str(): "Rowing", key.item("b1").as_str(): "Bo"})
    );
    assert_eq!(
        named(agent_over(&[], &[]), &left, &ids),
        json!({}),
        "nothing of them is kept"
    );
}

#[test]
fn senders_are_named_from_every_form_of_mail() {
    let dir = TempDir::new().unwrap();
    let maildir = dir.path().join("Maildir");
    for part in ["cur", "new", "tmp"] {
        fs::create_dir_all(maildir.join(part)).unwrap();
    }
    fs::write(maildir.join("new/1.a"), mail("asha", "Asha Rao")).unwrap();
    fs::write(dir.path().join("bo.eml"), mail("bo", "Bo")).unwrap();
    let inbox = format!(
        "{SEPARATOR}{}\n{SEPARATOR}{}\n",
        mail("chen", "=?utf-8?B?6ZmI?="),
        mail("dia", "D\u{131}a \u{1f33b}")
    );
    fs::write(dir.path().join("Inbox"), inbox).unwrap();
    let agent = || agent_over(&[dir.path()], &[]);
    let state = kept(agent());
    let people = ["asha", "bo", "chen", "dia"];
    let ids = json!(people.map(item));
    let names = json!({
        item("asha").as_str(): "Asha Rao", item("bo").as_str(): "Bo", item("chen").as_str(): "\u{9648}",
        item("dia").as_str(): "D\u{131}a \u{1f33b}",
    });
    assert_eq!(named(agent(), &state, &ids), names);
    // As people they have the same names, and no name or path stands in the state.
    assert_eq!(
        named(agent(), &state, &json!([person("asha"), person("dia")])),
        json!({person("asha").as_str(): "Asha Rao", person("dia").as_str(): "D\u{131}a \u{1f33b}"})
    );
    let text = state.to_string();
    for word in ["Asha", "Inbox", "Maildir", "example.net"] {
        assert!(!text.contains(word), "{word}");
    }
    // Opened, and then moved to another folder: it is the same file.
    let archive = dir.path().join(".Archive");
    for part in ["cur", "new", "tmp"] {
        fs::create_dir_all(archive.join(part)).unwrap();
    }
    fs::rename(maildir.join("new/1.a"), archive.join("cur/1.a:2,S")).unwrap();
    assert_eq!(named(agent(), &state, &ids), names);
    // Of each it is said whether it is still there, by a process that knows its name as well.
    let mut running = agent();
    ingest(&mut running, t(NOON));
    let mut host = AgentHost::new(Box::new(running));
    let mut gone = || {
        let ids = json!({"ids": people.map(item)});
        ask(&mut host, ToolName::CommsDescribe, &ids, t(NOON)).unwrap()["gone"].clone()
    };
    assert_eq!(gone(), Value::Null);
    // Moved once more, between two looks.
    fs::rename(archive.join("cur/1.a:2,S"), maildir.join("cur/1.a:2,S")).unwrap();
    assert_eq!(gone(), Value::Null);
    fs::remove_file(dir.path().join("bo.eml")).unwrap();
    assert_eq!(gone(), json!([item("bo")]));
    fs::write(
        dir.path().join("Inbox"),
        format!("{SEPARATOR}{}\n", mail("eve", "Eve")),
    )
    .unwrap();
    assert_eq!(gone(), json!(["bo", "chen", "dia"].map(item)));
}

/// A question of the owner's to somebody who never wrote.
fn question(id: &str, to: &str) -> String {
    format!(
        "From: Rohan <rohan@example.org>\nTo: {to}\nMessage-ID: <{id}@example.org>\n\
         Date: Tue, 3 Nov 2026 09:00:00 +0000\nSubject: Visit\n\nCan you send me the plan today?\n"
    )
}

#[test]
fn who_was_asked_and_never_wrote_is_named_from_the_owners_own_mail() {
    let dir = TempDir::new().unwrap();
    let sent = dir.path().join("Sent");
    for part in ["cur", "new", "tmp"] {
        fs::create_dir_all(sent.join(part)).unwrap();
    }
    let both = "Eve Adams <eve@example.net>, Rohan <rohan@example.org>, Fay <fay@example.net>";
    fs::write(sent.join("cur/1.a:2,S"), question("plan", both)).unwrap();
    fs::write(sent.join("cur/2.a:2,S"), question("list", "gus@example.net")).unwrap();
    let agent = || agent_over(&[&sent], &[]);
    let state = kept(agent());
    let ids = json!([person("eve"), person("gus"), person("hal")]);
    let names = json!({person("eve").as_str(): "Eve Adams", person("gus").as_str(): "gus@example.net"});
    assert_eq!(named(agent(), &state, &ids), names);
    let text = state.to_string();
    for word in ["Eve", "Adams", "example.net", "Sent"] {
        assert!(!text.contains(word), "{word}");
    }
    // What the place holds by now is another mail.
    fs::write(
        sent.join("cur/1.a:2,S"),
        question("other", "Mallory <eve@example.net>"),
    )
    .unwrap();
    assert_eq!(
        named(agent(), &state, &ids),
        json!({person("gus").as_str(): "gus@example.net"})
    );
}

#[test]
fn senders_of_fetched_mail_are_named_wherever_it_lies_after_a_restart() {
    let dir = TempDir::new().unwrap();
    let account = dir.path().join("home");
    let lay_out = |mails: &[(&str, String)], heads: &str| {
        let _ = fs::remove_dir_all(&account);
        for part in ["cur", "new", "tmp"] {
            fs::create_dir_all(account.join("INBOX").join(part)).unwrap();
        }
        for (name, mail) in mails {
            fs::write(account.join("INBOX/cur").join(name), mail).unwrap();
        }
        fs::write(account.join("INBOX/heads.mbox"), heads).unwrap();
    };
    let agent = || agent_over(&[&account], &[]);
    lay_out(
        &[
            ("1.aura:2,", mail("asha", "Asha Rao")),
            ("2.aura:2,", mail("bo", "Bo")),
        ],
        "",
    );
    let state = kept(agent());
    // Fetched again: another file with another number, and the older one's head alone.
    let (head, _) = mail("bo", "Bo")
        .split_once("\n\n")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    lay_out(
        &[
            ("9.aura:2,S", mail("dia", "Dia")),
            ("1.aura:2,S", mail("asha", "Asha Rao")),
        ],
        &format!("From aura Thu Jan  1 00:00:00 1970\n{head}\n\n\n"),
    );
    assert_eq!(
        named(agent(), &state, &json!([item("asha"), person("bo"), item("dia")])),
        json!({item("asha").as_str(): "Asha Rao", person("bo").as_str(): "Bo"})
    );
}

#[test]
fn fetched_mail_has_a_place_that_stays_and_what_was_asked_for_again_is_named_and_opened_by_it() {
    let dir = TempDir::new().unwrap();
    let account = dir.path().join("home");
    let cur = account.join("INBOX/cur");
    for part in ["cur", "new", "tmp"] {
        fs::create_dir_all(account.join("INBOX").join(part)).unwrap();
    }
    fs::write(cur.join("7.aura:2,"), mail("asha", "Asha Rao")).unwrap();
    fs::write(cur.join("8.aura:2,S"), mail("bo", "Bo")).unwrap();
    let state = kept(agent_over(&[&account], &[]));
    let inbox = agents_base::mail::fetched_folder_number("home", "INBOX");
    let mut places = crate::fetched_mails(&state);
    places.sort_unstable();
    places.dedup();
    assert_eq!(places, [(inbox, 7), (inbox, 8)]);
    assert_eq!(crate::fetched_mails(&json!({"window": 1})), []);

    // After a restart nothing of it is in memory but what was asked for again.
    fs::remove_dir_all(account.join("INBOX")).unwrap();
    let mut agent = agent_over(&[&account], &[]);
    agent.restore(&state).unwrap();
    let mut host = AgentHost::new(Box::new(agent));
    let mut described = |id: Value| {
        let answer = ask(&mut host, ToolName::CommsDescribe, &json!({"ids": [id]}), t(NOON)).unwrap();
        (answer["labels"][0]["label"].clone(), answer["message_id"].clone())
    };
    assert_eq!(described(json!(item("asha"))), (Value::Null, Value::Null));
    let head = "From aura Thu Jan  1 00:00:00 1970\nFrom: Asha Rao <asha@example.net>\nMessage-ID: <asha@example.net>\n\n\n";
    fs::write(account.join(agents_base::mail::FETCHED_AGAIN), head).unwrap();
    assert_eq!(
        described(json!(item("asha"))),
        (json!("Asha Rao"), json!("asha@example.net"))
    );
    assert_eq!(described(json!(person("bo"))).0, Value::Null);
}

#[test]
fn fetched_mail_that_went_from_its_server_is_gone_unless_it_lies_in_another_folder() {
    let dir = TempDir::new().unwrap();
    let account = dir.path().join("home");
    for folder in ["INBOX", "a1b2"] {
        for part in ["cur", "new", "tmp"] {
            fs::create_dir_all(account.join(folder).join(part)).unwrap();
        }
        fs::write(account.join(folder).join("heads.mbox"), "").unwrap();
    }
    let cur = account.join("INBOX/cur");
    for (uid, id) in [(7, "asha"), (8, "bo"), (9, "dia")] {
        fs::write(cur.join(format!("{uid}.aura:2,")), mail(id, id)).unwrap();
    }
    let state = kept(agent_over(&[&account], &[]));
    let mut agent = agent_over(&[&account], &[]);
    ingest(&mut agent, t(NOON));
    let mut host = AgentHost::new(Box::new(agent));
    let gone = |host: &mut AgentHost| {
        let ids = ["asha", "bo", "dia"].map(item);
        let asked = json!({"ids": ids});
        ask(host, ToolName::CommsDescribe, &asked, t(NOON)).unwrap()["gone"].clone()
    };
    let waiting = |host: &mut AgentHost| {
        let all = ask(
            host,
            ToolName::TriageInbox,
            &json!({"scope": "unread_24h"}),
            t(NOON),
        )
        .unwrap();
        let mut ids: Vec<Value> = all["urgent"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["item_id"].clone())
            .collect();
        ids.sort_by_key(ToString::to_string);
        json!(ids)
    };
    assert_eq!(gone(&mut host), Value::Null);
    assert_eq!(waiting(&mut host).as_array().unwrap().len(), 3);
    // One was removed, one moved; one lies here no more and is still on the server.
    for uid in [7, 8, 9] {
        fs::remove_file(cur.join(format!("{uid}.aura:2,"))).unwrap();
    }
    fs::write(account.join("a1b2/cur/1.aura:2,"), mail("bo", "bo")).unwrap();
    let inbox = agents_base::mail::fetched_folder_number("home", "INBOX");
    let went = format!("{inbox} 7\n{inbox} 8\n");
    fs::write(account.join(agents_base::mail::FETCHED_GONE), went).unwrap();
    assert_eq!(gone(&mut host), json!([item("asha")]));
    // With the next look nobody waits whose mail the owner removed, and nothing was learned of it.
    let mut again = agent_over(&[&account], &[]);
    again.restore(&state).unwrap();
    ingest(&mut again, t(NOON));
    let mut left = [item("bo"), item("dia")];
    left.sort_by_key(|id| json!(id).to_string());
    assert_eq!(waiting(&mut AgentHost::new(Box::new(again))), json!(left));
}

#[test]
fn a_mail_says_which_address_it_was_written_from_whatever_its_sender_is_called() {
    let dir = TempDir::new().unwrap();
    let names = [
        ("a", "\"boss@example.org\""),
        ("b", "Bo \u{202e}"),
        ("c", "=?utf-8?B?6ZmI?="),
    ];
    for (id, name) in names {
        fs::write(dir.path().join(format!("{id}.eml")), mail(id, name)).unwrap();
    }
    let state = kept(agent_over(&[dir.path()], &[]));
    let mut agent = agent_over(&[dir.path()], &[]);
    agent.restore(&state).unwrap();
    let mut host = AgentHost::new(Box::new(agent));
    let mut address = |ids: &Value| {
        let answer = ask(&mut host, ToolName::CommsDescribe, &json!({"ids": ids}), t(NOON)).unwrap();
        answer["address"].clone()
    };
    for (id, _) in names {
        assert_eq!(address(&json!([item(id)])), json!(format!("{id}@example.net")));
    }
    assert_eq!(address(&json!([item("a"), item("b")])), Value::Null);
    assert_eq!(address(&json!([person("a")])), Value::Null);
    assert_eq!(address(&json!([item("z")])), Value::Null);
}

#[test]
fn fetched_mail_without_a_message_id_is_named_by_the_head_that_it_was_known_by() {
    let dir = TempDir::new().unwrap();
    let account = dir.path().join("home");
    for part in ["cur", "new", "tmp"] {
        fs::create_dir_all(account.join("INBOX").join(part)).unwrap();
    }
    let whole = mail("asha", "Asha Rao");
    let lines = whole.lines().filter(|line| !line.starts_with("Message-ID"));
    let text: String = lines.flat_map(|line| [line, "\r\n"]).collect();
    fs::write(account.join("INBOX/cur/7.aura:2,"), &text).unwrap();
    let mut agent = agent_over(&[&account], &[]);
    let state = ingest(&mut agent, t(NOON)).agent_state;
    let id = agent.window().items()[0].item_id.clone();
    fs::remove_dir_all(account.join("INBOX")).unwrap();

    let ids = json!([id]);
    let (head, _) = text.split_once("\r\n\r\n").unwrap();
    let again = |head: &str| {
        let mbox = format!("From aura Thu Jan  1 00:00:00 1970\n{head}\r\n\r\n\n");
        fs::write(account.join(agents_base::mail::FETCHED_AGAIN), mbox).unwrap();
        named(agent_over(&[&account], &[]), &state, &ids)
    };
    assert_eq!(again(head), json!({ id.as_str(): "Asha Rao" }));
    // Another's, which has that number by now, is not taken for it.
    assert_eq!(again(&head.replace("Asha Rao", "Eve")), json!({}));
}

#[test]
fn a_mail_that_moved_within_its_file_is_named_again_once_it_was_read() {
    let dir = TempDir::new().unwrap();
    let inbox = dir.path().join("Inbox");
    let both = format!(
        "{SEPARATOR}{}\n{SEPARATOR}{}\n",
        mail("bo", "Bo"),
        mail("asha", "Asha")
    );
    fs::write(&inbox, both).unwrap();
    let agent = || agent_over(&[&inbox], &[]);
    let state = kept(agent());
    // Compacted: the first is gone, and at its place is another's mail.
    fs::write(&inbox, format!("{SEPARATOR}{}\n", mail("asha", "Asha"))).unwrap();
    let ids = json!([item("bo"), item("asha")]);
    assert_eq!(named(agent(), &state, &ids), json!({}));
    let mut read = agent();
    read.restore(&state).unwrap();
    let state = ingest(&mut read, t(NOON)).agent_state;
    assert_eq!(
        named(agent(), &state, &ids),
        json!({item("asha").as_str(): "Asha"})
    );
    fs::remove_file(&inbox).unwrap();
    assert_eq!(named(agent(), &state, &ids), json!({}));
}

#[test]
fn chats_are_named_from_their_file_and_what_was_posted_by_its_program() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("notes.jsonl");
    let line = |id: &str, chat: &str| {
        let payload =
            json!({"app": "com.whatsapp", "channel": chat, "sender": "Mira", "text": "can you call?"});
        json!({"id": id, "at": "2026-11-03T11:00:00Z", "source": "phone", "kind": "notification", "payload": payload})
    };
    let mut lines = fs::File::create(&file).unwrap();
    for (id, chat) in [("n-1", "Lab"), ("n-2", "Five-a-side")] {
        writeln!(lines, "{}", line(id, chat)).unwrap();
    }
    let agent = || agent_over(&[], &[&file]);
    let mut first = agent();
    let posted: Signal = serde_json::from_value(line("n-3", "School")).unwrap();
    first.accept(vec![posted]);
    let state = kept(first);
    let message = setup().key.item("n-2");
    let ids = json!([
        channel("Five-a-side"),
        channel("School"),
        message,
        setup().key.item("n-3"),
        channel("Never heard of")
    ]);
    assert_eq!(
        named(agent(), &state, &ids),
        json!({channel("Five-a-side").as_str(): "Five-a-side", channel("School").as_str(): "WhatsApp chat",
            message.as_str(): "Mira"})
    );
}

#[test]
fn what_was_forgotten_is_named_no_more() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("bo.eml"), mail("bo", "Bo")).unwrap();
    let agent = || agent_over(&[dir.path()], &[]);
    let whole = kept(agent());
    let ids = json!([item("bo"), person("bo")]);
    for what in [
        ErasureScope::naming([item("bo").as_str().to_owned()]),
        ErasureScope::naming([person("bo").as_str().to_owned()]),
        ErasureScope::within(t("2026-11-03T09:00:00Z"), t("2026-11-03T11:00:00Z")),
    ] {
        let mut state = CommsAgentState::from_json(&whole).unwrap();
        state.forget(&what);
        let state = serde_json::to_value(state).unwrap();
        assert_eq!(named(agent(), &state, &ids), json!({}));
    }
}

#[test]
fn a_mail_that_was_forgotten_does_not_come_back_when_its_file_is_looked_at_again() {
    let dir = TempDir::new().unwrap();
    for (id, name) in [("bo", "Bo"), ("mira", "Mira")] {
        fs::write(dir.path().join(format!("{id}.eml")), mail(id, name)).unwrap();
    }
    let own = mail("rohan", "Rohan").replace("To: rohan@example.org", "To: bo@example.net");
    let own = own.replace("rohan@example.net", "rohan@example.org");
    fs::write(dir.path().join("own.eml"), own).unwrap();
    let agent = || agent_over(&[dir.path()], &[]);
    let whole = kept(agent());
    // The agent of before the start looks at all three files again.
    let after = |state: &Value, at: &str| {
        let mut agent = agent();
        agent.restore(state).unwrap();
        let answer = ingest(&mut agent, t(at));
        (agent, answer)
    };
    let bo = ErasureScope::naming([person("bo").as_str().to_owned()]);
    let state = CommsAgentState::json_without(&whole, &bo).unwrap();
    let text = state.to_string();
    assert!(!text.contains(person("bo").as_str()) && !text.contains(item("bo").as_str()));
    let (agent, answer) = after(&state, "2026-11-03T12:01:00Z");
    let told = serde_json::to_string(&(&answer, agent.state())).unwrap();
    assert!(!told.contains(person("bo").as_str()), "{told}");
    assert_eq!(agent.window.items().len(), 1, "Mira's stays");
    // A new mail of the same person is a new mail.
    fs::write(
        dir.path().join("again.eml"),
        mail("bo", "Bo").replace("<bo@example.net>\nDate", "<two@example.net>\nDate"),
    )
    .unwrap();
    assert_eq!(after(&state, "2026-11-03T12:01:00Z").0.window.items().len(), 2);
    fs::remove_file(dir.path().join("again.eml")).unwrap();
    // Everything: neither comes back, until the owner wants all read again.
    let state = CommsAgentState::json_without(&whole, &ErasureScope::everything()).unwrap();
    assert_eq!(after(&state, "2026-11-03T12:01:00Z").0.window.items(), []);
    let again = CommsAgentState::json_unread(&state).unwrap();
    assert_eq!(after(&again, "2026-11-03T12:01:00Z").0.window.items().len(), 2);
    // After 14 days the mails are too old to be read, and nothing is kept of them.
    let (_, late) = after(&state, "2026-11-17T10:00:02Z");
    assert_eq!(late.agent_state.get("forgotten"), None);
}

#[test]
fn a_draft_greets_by_name_after_a_restart() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("asha.eml"), mail("asha", "Asha Rao")).unwrap();
    let state = kept(agent_over(&[dir.path()], &[]));
    let mut again = agent_over(&[dir.path()], &[]);
    again.restore(&state).unwrap();
    let draft = DraftReply {
        item_id: item("asha"),
        tone: Tone::Casual,
        length_max: 400,
    };
    let (_, effects) = again
        .act(&Tool::Comms(CommsTool::DraftReply(draft)), t(NOON))
        .unwrap();
    let [ToolEffect::OutboxFile { text, .. }] = &effects[..] else {
        panic!("a draft is one file");
    };
    assert!(text.starts_with("Hi Asha,"), "{text}");
}

#[test]
fn those_who_were_silent_longest_lose_their_place_first() {
    let mut places = NamePlaces::default();
    let at = |n: usize| t(NOON).plus_min(i64::try_from(n).unwrap());
    let mut agent = comms();
    agent.accept(vec![note("n", t(NOON), "Lab", "Asha", "hello")]);
    ingest(&mut agent, t(NOON).plus_min(1));
    let record = agent.window().items()[0].clone();
    for n in 0..=PLACES_MAX {
        places.note(&MessageRecord {
            mail: true,
            at: at(n),
            person: Some(setup().key.person(&n.to_string())),
            locator: agents_base::shared::SourceLocator::new(7, 0),
            ..record.clone()
        });
    }
    let text = serde_json::to_string(&places).unwrap();
    assert!(!text.contains(setup().key.person("0").as_str()));
    assert!(text.contains(setup().key.person("1").as_str()));
    assert!(text.len() < 64 << 10, "{}", text.len());
}
