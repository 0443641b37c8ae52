//! Who has waited for more than a day is still on the list, and in no figure.

use super::*;
use crate::{CommsAgentState, older::OLDER_MAX, testing::ask};
use agents_base::{contract::KeptState as _, host::AgentHost};

use std::{fs, path::Path};
use toolcall_schema::{
    ToolName,
    catalogue::{
        comms::{MessageClass, SnoozeArgs, TakeBack, TakenBackAct},
        learning::LearnedThing,
    },
};

const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;

fn item(id: &str) -> ItemId {
    setup().key.item(id)
}

fn mail_item(id: &str) -> ItemId {
    item(&format!("mail:{id}@x"))
}

fn date(at: Timestamp) -> String {
    at.utc().format("%a, %-d %b %Y %H:%M:%S +0000").to_string()
}

/// A mail that asks something, sent so many minutes before noon.
fn asking(id: &str, ago: i64) -> String {
    let sent = date(t(NOON).plus_min(-ago));
    format!(
        "From: Asha Rao <{id}@example.net>\nTo: rohan@example.org\nMessage-ID: <{id}@x>\nDate: {sent}\n\nRohan, can you call me today?\n"
    )
}

fn answer(id: &str, to: &str, ago: i64) -> String {
    let sent = date(t(NOON).plus_min(-ago));
    format!(
        "From: rohan@example.org\nTo: {to}@example.net\nMessage-ID: <{id}@x>\nIn-Reply-To: <{to}@x>\nDate: {sent}\n\nHere it is.\n"
    )
}

fn over(mail: &Path) -> CommsAgent {
    let mut setup = setup();
    setup.owner.addresses = vec!["rohan@example.org".to_owned()];
    setup.sources.mail = vec![mail.to_owned()];
    CommsAgent::new(setup)
}

fn over_chat(file: &Path) -> CommsAgent {
    let mut setup = setup();
    setup.sources.notifications = vec![file.to_owned()];
    CommsAgent::new(setup)
}

fn line(id: &str, ago: i64, group: &str, sender: &str, text: &str) -> String {
    let signal = note(id, t(NOON).plus_min(-ago), group, sender, text);
    serde_json::to_string(&signal).unwrap() + "\n"
}

/// A copy by way of the state.
fn restarted(agent: &CommsAgent) -> CommsAgent {
    let mut copy = CommsAgent::new(agent.setup.clone());
    copy.restore(&agent.state()).unwrap();
    copy
}

/// Who waits, the longest first.
fn list(agent: &CommsAgent, at: Timestamp) -> Vec<ItemId> {
    let mut host = AgentHost::new(Box::new(restarted(agent)));
    let args = json!({"scope": "unread_24h", "longest": {}});
    let found = match ask(&mut host, ToolName::TriageInbox, &args, at) {
        Ok(found) => found,
        Err(ToolErrorCode::NotEnoughData) => return Vec::new(),
        Err(other) => panic!("{other:?}"),
    };
    let urgent = found["urgent"].as_array().unwrap();
    assert_eq!(found["urgent_count"], json!(urgent.len()));
    urgent
        .iter()
        .map(|one| ItemId::parse(one["item_id"].as_str().unwrap()).unwrap())
        .collect()
}

fn act(agent: &mut CommsAgent, tool: CommsTool, at: Timestamp) -> Result<Value, ToolErrorCode> {
    agent.act(&Tool::Comms(tool), at).map(|(result, _)| result)
}

fn let_go(agent: &mut CommsAgent, item: ItemId, at: Timestamp) {
    let args = SnoozeArgs {
        item_id: item,
        ttl_seconds: 86_400,
    };
    act(agent, CommsTool::Snooze(args), at).unwrap();
}

#[test]
fn who_asked_waits_for_fourteen_days_and_a_day_counts_as_before() {
    let mut agent = comms();
    let at = t(NOON);
    agent.accept(vec![note(
        "n",
        at.plus_min(-10),
        "Lab",
        "Asha",
        "can you call me?",
    )]);
    ingest(&mut agent, at);
    let sent = at.plus_min(-10);
    for (days, waits) in [(0, true), (1, true), (4, true), (13, true), (14, false)] {
        let later = sent.plus_min(days * DAY);
        ingest(&mut agent, later);
        let expected: Vec<ItemId> = if waits { vec![item("n")] } else { vec![] };
        assert_eq!(list(&agent, later), expected, "{days}");
        let tick = agent.tick(&question(later), later);
        let status = if days == 0 {
            TickStatus::Ok
        } else {
            TickStatus::NoData
        };
        assert_eq!(tick.status, status, "{days}");
        agent = restarted(&agent);
    }
}

#[test]
fn a_mailbox_that_is_added_today_tells_who_waits_since_the_days_before() {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    put("a.eml", &asking("asha", 4 * DAY));
    put("b.eml", &asking("bo", 13 * DAY));
    put("c.eml", &asking("chen", 14 * DAY));
    put("d.eml", &asking("dia", 2 * DAY));
    put("e.eml", &answer("r", "dia", DAY + HOUR));
    put("now.eml", &asking("eve", HOUR));
    put("broken.eml", "Date: Mon, 2 Nov 2026 10:00:00 +0000\n\n");
    let mbox = |id: &str, ago| format!("From - Mon Nov  2 10:00:00 2026\n{}\n", asking(id, ago));
    put(
        "Inbox.mbox",
        &[mbox("flo", 3 * DAY), mbox("gus", 5 * DAY)].concat(),
    );
    let mut agent = over(dir.path());
    let answer = ingest(&mut agent, t(NOON));
    let waiting = ["bo", "gus", "asha", "flo", "eve"].map(mail_item);
    assert_eq!(list(&agent, t(NOON)), waiting);
    // One is of the last day: that one is counted.
    assert_eq!((answer.read, answer.skipped, answer.holds), (1, 0, Some(1)));
    let readings = agent.tick(&question(t(NOON)), t(NOON)).readings;
    let counted = |key| readings.iter().find(|one| one.key == key).map(|one| one.value);
    for key in [
        ReadingKey::Messages,
        ReadingKey::Actionable,
        ReadingKey::ImportantMail,
    ] {
        assert_eq!(counted(key), Some(1.0), "{key:?}");
    }
    // After a restart their names stand where the mails do.
    let mut again = restarted(&agent);
    let ids = waiting.clone().map(ThingId::Item);
    let (names, _) = again.names_apart(&ids);
    assert_eq!(names.len(), 5, "{names:?}");
    assert!(names.values().all(|name| name == "Asha Rao"), "{names:?}");
    ingest(&mut again, t(NOON).plus_min(1));
    assert_eq!(list(&again, t(NOON).plus_min(1)), waiting);
}

/// A question of the owner's own.
fn own_question(to: &str, ago: i64) -> String {
    let sent = date(t(NOON).plus_min(-ago));
    format!(
        "From: rohan@example.org\nTo: {to}@example.net\nMessage-ID: <q-{to}@x>\nDate: {sent}\n\nCan you send me the list by Friday?\n"
    )
}

fn answer_of(from: &str, ago: i64, more: &str) -> String {
    let sent = date(t(NOON).plus_min(-ago));
    format!(
        "From: {from}@example.net\nTo: rohan@example.org\nMessage-ID: <a-{from}@x>\nReferences: <q-{from}@x>\nDate: {sent}\n\nHere it is.\n{more}\n"
    )
}

/// For whom the owner waits.
fn waited_for(agent: &CommsAgent, at: Timestamp) -> Vec<LearnedThing> {
    let rows = agent.list_learned(at).rows.into_iter();
    rows.filter(|row| row.class == MessageClass::Waiting)
        .map(|row| row.about)
        .collect()
}

fn person(name: &str) -> LearnedThing {
    LearnedThing::Person(setup().key.person(&format!("{name}@example.net")))
}

#[test]
fn a_mailbox_that_is_added_today_tells_whom_the_owner_waits_for() {
    let at = t(NOON);
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    // Asked five days ago: nobody answered Asha's, Bo did two days ago, Chen an hour ago; Dia was asked the day before yesterday, which is too short, Eve
    // too long ago.
    for (name, ago) in [
        ("asha", 5 * DAY),
        ("bo", 5 * DAY),
        ("chen", 5 * DAY),
        ("dia", 2 * DAY),
        ("eve", 20 * DAY),
    ] {
        put(&format!("z-{name}.eml"), &own_question(name, ago));
    }
    put("a-bo.eml", &answer_of("bo", 2 * DAY, ""));
    put("zz-chen.eml", &answer_of("chen", HOUR, ""));
    let mut agent = over(dir.path());
    ingest(&mut agent, at);
    assert_eq!(waited_for(&agent, at), [person("asha")]);
    assert_eq!(waited_for(&restarted(&agent), at), [person("asha")]);
    put("a-asha.eml", &answer_of("asha", HOUR, ""));
    ingest(&mut agent, at);
    assert_eq!(waited_for(&agent, at), []);
}

/// The answer is read in a slice before the question.
#[test]
fn an_answer_that_is_read_long_before_the_question_answers_it() {
    let at = t(NOON);
    let dir = tempfile::tempdir().unwrap();
    let large = format!("{}\n", "x".repeat(1023)).repeat(5 * 1024);
    let line = "From - Mon Nov  2 10:00:00 2026\n";
    let put = |name: &str, text: String| fs::write(dir.path().join(name), text).unwrap();
    put("A.mbox", format!("{line}{}\n", answer_of("bo", 2 * DAY, &large)));
    put(
        "Z.mbox",
        format!(
            "{line}{}\n{line}{}\n",
            own_question("bo", 5 * DAY),
            own_question("asha", 5 * DAY)
        ),
    );
    let mut agent = over(dir.path());
    let mut slices = 1;
    while ingest(&mut agent, at).left > 0 {
        slices += 1;
    }
    assert!(slices > 1);
    assert_eq!(waited_for(&agent, at), [person("asha")]);
}

#[test]
fn an_answer_takes_who_waits_for_days_off_whichever_is_read_first() {
    let at = t(NOON);
    for (ask_in, answer_in) in [("a.eml", "b.eml"), ("b.eml", "a.eml")] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(ask_in), asking("asha", 4 * DAY)).unwrap();
        let mut agent = over(dir.path());
        ingest(&mut agent, at);
        assert_eq!(list(&agent, at), [mail_item("asha")]);
        fs::write(dir.path().join(answer_in), answer("r", "asha", HOUR)).unwrap();
        ingest(&mut agent, at);
        assert_eq!(list(&agent, at), []);
        // Read once more after a restart, and when the answer is more than a day old: it stays answered.
        for days in [0, 1, 3] {
            agent = restarted(&agent);
            let later = at.plus_min(days * DAY);
            ingest(&mut agent, later);
            assert_eq!(list(&agent, later), [], "{days}");
        }
        // The same by files that are read for the first time.
        let mut first = over(dir.path());
        ingest(&mut first, at.plus_min(2 * DAY));
        assert_eq!(list(&first, at.plus_min(2 * DAY)), []);
    }
}

#[test]
fn a_mail_that_its_mailbox_calls_answered_waits_no_more() {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["cur", "new", "tmp"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
    }
    let path = |flags: &str| dir.path().join(format!("cur/1.h:2,{flags}"));
    fs::write(path("S"), asking("asha", 4 * DAY)).unwrap();
    let mut agent = over(dir.path());
    ingest(&mut agent, t(NOON));
    assert_eq!(list(&agent, t(NOON)), [mail_item("asha")]);
    fs::rename(path("S"), path("RS")).unwrap();
    ingest(&mut agent, t(NOON));
    assert_eq!(list(&agent, t(NOON)), []);
}

#[test]
fn chats_of_a_file_wait_for_days_until_the_owner_wrote_there() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("chat.jsonl");
    let lines = [
        line("lab", 5 * DAY, "Lab", "Asha", "can you call me?"),
        line("home", 4 * DAY, "Home", "Bo", "can you call me?"),
        line("talk", 3 * DAY, "Home", "Bo", "so good"),
        line("own", 3 * DAY, "Lab", "Rohan", "on my way"),
        line("again", 2 * DAY, "Lab", "Asha", "could you send it today?"),
        line("late", 15 * DAY, "Old", "Asha", "can you call me?"),
    ];
    fs::write(&file, lines.concat()).unwrap();
    let mut agent = over_chat(&file);
    let told = ingest(&mut agent, t(NOON));
    assert_eq!(list(&agent, t(NOON)), [item("home"), item("again")]);
    // What says nothing of who waits is left out as before.
    let skips: Vec<_> = told
        .skips
        .iter()
        .map(|skip| (skip.code.as_str(), skip.count))
        .collect();
    assert_eq!(skips, [("AGENT-017", 2)]);
    // The owner writes there today, as a phone posts it.
    agent.accept(vec![note(
        "own2",
        t(NOON).plus_min(-1),
        "Home",
        "Rohan",
        "here it is",
    )]);
    ingest(&mut agent, t(NOON));
    assert_eq!(list(&agent, t(NOON)), [item("again")]);
    let mut again = restarted(&agent);
    let ids = [ThingId::Item(item("again")), ThingId::Channel(channel("Lab"))];
    let names: Vec<String> = again.names_apart(&ids).0.into_values().collect();
    assert_eq!(names, ["Asha", "Lab"]);
}

#[test]
fn what_is_posted_after_a_day_is_refused_as_before() {
    let mut agent = comms();
    agent.accept(vec![note(
        "old",
        t(NOON).plus_min(-25 * HOUR),
        "Lab",
        "Asha",
        "can you call me?",
    )]);
    let told = ingest(&mut agent, t(NOON));
    assert_eq!((told.skipped, told.skips[0].code.as_str()), (1, "AGENT-017"));
    assert_eq!(list(&agent, t(NOON)), []);
}

#[test]
fn done_tomorrow_and_undo_hold_for_who_waits_for_days() {
    let dir = tempfile::tempdir().unwrap();
    let at = t(NOON);
    fs::write(dir.path().join("a.eml"), asking("asha", 4 * DAY)).unwrap();
    let mut agent = over(dir.path());
    ingest(&mut agent, at);
    let asha = mail_item("asha");
    let_go(&mut agent, asha.clone(), at);
    for minutes in [0, DAY, 3 * DAY] {
        // Its file is looked at again after each restart.
        agent = restarted(&agent);
        ingest(&mut agent, at.plus_min(minutes));
        assert_eq!(list(&agent, at.plus_min(minutes)), [], "{minutes}");
    }
    let at = at.plus_min(3 * DAY);
    let back = TakeBack {
        item_id: asha.clone(),
        what: TakenBackAct::PutOff,
    };
    act(&mut agent, CommsTool::TakeBack(back), at).unwrap();
    assert_eq!(list(&agent, at), std::slice::from_ref(&asha));
    let tomorrow = SnoozeArgs {
        item_id: asha.clone(),
        ttl_seconds: 18 * 3600,
    };
    act(&mut agent, CommsTool::Snooze(tomorrow.clone()), at).unwrap();
    assert_eq!(list(&agent, at.plus_min(17 * HOUR)), []);
    assert_eq!(list(&agent, at.plus_min(18 * HOUR)), std::slice::from_ref(&asha));
    // Put off on its last day it comes back, and stays for a day.
    let last = t(NOON).plus_min(10 * DAY - HOUR);
    ingest(&mut agent, last);
    act(&mut agent, CommsTool::Snooze(tomorrow), last).unwrap();
    for (hours, waits) in [(17, 0), (18, 1), (41, 1), (42, 0)] {
        let later = last.plus_min(hours * HOUR);
        agent = restarted(&agent);
        ingest(&mut agent, later);
        assert_eq!(list(&agent, later).len(), waits, "{hours}");
    }
}

#[test]
fn who_is_forgotten_does_not_come_back_from_a_file_of_days_ago() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.eml"), asking("asha", 4 * DAY)).unwrap();
    fs::write(dir.path().join("b.eml"), asking("bo", 4 * DAY)).unwrap();
    let mut agent = over(dir.path());
    ingest(&mut agent, t(NOON));
    let sent = t(NOON).plus_min(-4 * DAY);
    let person = setup().key.person("asha@example.net").as_str().to_owned();
    for (what, left) in [
        (ErasureScope::naming([person]), vec![mail_item("bo")]),
        (
            ErasureScope::naming([mail_item("bo").as_str().to_owned()]),
            vec![mail_item("asha")],
        ),
        (ErasureScope::within(sent, sent.plus_min(1)), vec![]),
    ] {
        let state = CommsAgentState::json_without(&agent.state(), &what).unwrap();
        let mut next = over(dir.path());
        next.restore(&state).unwrap();
        for days in [0, 2, 9] {
            let at = t(NOON).plus_min(days * DAY);
            ingest(&mut next, at);
            assert_eq!(list(&next, at), left, "{what:?} {days}");
            next = restarted(&next);
        }
        let text = next.state().to_string();
        for gone in ["asha", "bo"].map(mail_item) {
            assert_eq!(text.contains(gone.as_str()), left.contains(&gone), "{what:?}");
        }
    }
}

#[test]
fn mails_of_somebody_who_was_forgotten_before_they_were_read_wait_only_from_then_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut agent = over(dir.path());
    ingest(&mut agent, t(NOON));
    let person = setup().key.person("asha@example.net").as_str().to_owned();
    let state = CommsAgentState::json_without(&agent.state(), &ErasureScope::naming([person])).unwrap();
    let mut next = over(dir.path());
    next.restore(&state).unwrap();
    ingest(&mut next, t(NOON));
    fs::write(dir.path().join("a.eml"), asking("asha", 4 * DAY)).unwrap();
    ingest(&mut next, t(NOON));
    assert_eq!(list(&next, t(NOON)), []);
    // What they write after that is read, also when it is more than a day old by then.
    fs::write(
        dir.path().join("b.eml"),
        asking("asha", -HOUR).replace("<asha@x>", "<new@x>"),
    )
    .unwrap();
    let later = t(NOON).plus_min(3 * DAY);
    ingest(&mut next, later);
    assert_eq!(list(&next, later), [mail_item("new")]);
}

#[test]
fn who_has_waited_longest_stays_where_there_is_no_room_for_all() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("chat.jsonl");
    let many = OLDER_MAX + 10;
    let lines: String = (0..many)
        .map(|n| {
            let ago = 5 * DAY - i64::try_from(n).unwrap();
            line(
                &format!("n{n}"),
                ago,
                &format!("g{n}"),
                "Asha",
                "can you call me?",
            )
        })
        .collect();
    fs::write(&file, lines).unwrap();
    let mut agent = over_chat(&file);
    ingest(&mut agent, t(NOON));
    let mut waiting = agent.window().waiting_longest(t(NOON));
    assert_eq!(waiting.next().map(|one| one.item_id.clone()), Some(item("n0")));
    assert_eq!(waiting.count() + 1, OLDER_MAX);
    let state = agent.state().to_string();
    assert!(state.len() < 512 << 10, "{}", state.len());
    // Who was let go takes no room from those who wait.
    let_go(&mut agent, item("n0"), t(NOON));
    ingest(&mut agent, t(NOON));
    assert_eq!(agent.window().waiting_longest(t(NOON)).count(), OLDER_MAX - 1);
}

#[test]
fn a_page_about_somebody_says_since_when_they_wait() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.eml"), asking("asha", 4 * DAY)).unwrap();
    let mut agent = over(dir.path());
    ingest(&mut agent, t(NOON));
    let mut host = AgentHost::new(Box::new(agent));
    let about = json!({"about": mail_item("asha")});
    let said = ask(&mut host, ToolName::DescribeCorrespondent, &about, t(NOON)).unwrap();
    assert_eq!(
        (&said["day"], &said["waiting"], &said["waits_since"]),
        (&json!(0), &json!(1), &json!("2026-10-30T12:00:00.000Z"))
    );
}

#[test]
fn a_reply_can_be_drafted_for_who_waits_for_days_and_none_is_proposed() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.eml"), asking("asha", 4 * DAY)).unwrap();
    fs::write(
        dir.path().join("now.eml"),
        asking("bo", HOUR).replace("Rohan, can you call me today?", "So good."),
    )
    .unwrap();
    let mut agent = restarted(&{
        let mut agent = over(dir.path());
        ingest(&mut agent, t(NOON));
        agent
    });
    assert_eq!(agent.tick(&question(t(NOON)), t(NOON)).candidates, []);
    let reply = DraftReply {
        item_id: mail_item("asha"),
        tone: Tone::Casual,
        length_max: 280,
    };
    let (_, effects) = agent
        .act(&Tool::Comms(CommsTool::DraftReply(reply.clone())), t(NOON))
        .unwrap();
    let [ToolEffect::OutboxFile { text, .. }] = effects.as_slice() else {
        panic!("one file");
    };
    assert!(text.starts_with("Hi Asha, "), "{text}");
    let late = t(NOON).plus_min(10 * DAY);
    assert_eq!(
        act(&mut agent, CommsTool::DraftReply(reply), late),
        Err(ToolErrorCode::TooLate)
    );
}
