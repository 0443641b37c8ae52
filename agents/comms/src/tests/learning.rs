//! What the owner's acts and own mails teach, through the tools and the folders.

use super::*;
use crate::CommsAgentState;
use crate::testing::ask;
use agents_base::contract::KeptState as _;
use agents_base::host::AgentHost;
use std::{fs, path::Path};
use toolcall_schema::{
    ToolName,
    catalogue::comms::EvidenceCode,
    forget::ErasureScope,
    ids::{ItemId, PersonHash},
    result::ToolErrorCode,
};

fn person(address: &str) -> PersonHash {
    setup().key.person(address)
}

fn write_mail(folder: &Path, name: &str, head: &str, body: &str) {
    fs::create_dir_all(folder).unwrap();
    let mail = format!("{}\r\n\r\n{body}", head.replace('\n', "\r\n"));
    fs::write(folder.join(format!("{name}.eml")), mail).unwrap();
}

/// An agent whose mail lies in a folder.
fn reading(folder: &Path) -> CommsAgent {
    let mut setup = setup();
    setup.sources.mail = vec![folder.to_owned()];
    CommsAgent::new(setup)
}

/// Whether the owner ever wrote to somebody, as the history has it.
fn wrote_to(agent: &CommsAgent, address: &str) -> bool {
    let keys = super::super::history::LabelKeys {
        person: Some(person(address)),
        thread: None,
        list: None,
        hour: 0,
        class: toolcall_schema::catalogue::comms::MessageClass::Talk,
    };
    agent.history.standing(&keys).wrote_to
}

const ASKED: &str = "From: Asha <asha@example.com>\nTo: rohan@example.org\nMessage-ID: <q1@example.com>\n\
    Received: from a by b; Tue, 3 Nov 2026 09:00:01 +0000\nSubject: list\nDate: Tue, 3 Nov 2026 09:00:00 +0000";
const ANSWERED: &str = "From: Rohan <rohan@example.org>\nTo: asha@example.com\nMessage-ID: <a1@example.org>\n\
    In-Reply-To: <q1@example.com>\nSubject: Re: list\nDate: Tue, 3 Nov 2026 09:40:00 +0000";

/// What was learned, through the gate.
fn learned(host: &mut AgentHost) -> serde_json::Value {
    ask(host, ToolName::ListLearned, &json!({}), t(NOON)).unwrap()
}

#[test]
fn an_own_mail_teaches_whom_the_owner_knows_and_what_they_answered() {
    let dir = tempfile::tempdir().unwrap();
    write_mail(&dir.path().join("INBOX"), "q", ASKED, "Can you send the list?");
    write_mail(&dir.path().join("Sent"), "a", ANSWERED, "Here it is.");
    let mut agent = reading(dir.path());
    ingest(&mut agent, t(NOON));
    assert!(wrote_to(&agent, "asha@example.com"));
    let mut host = AgentHost::new(Box::new(agent));
    assert_eq!(learned(&mut host)["labels"], 1);
}

#[test]
fn own_mails_are_read_again_after_a_restart_and_teach_no_second_time() {
    let dir = tempfile::tempdir().unwrap();
    write_mail(&dir.path().join("INBOX"), "q", ASKED, "Can you send the list?");
    write_mail(&dir.path().join("Sent"), "a", ANSWERED, "Here it is.");
    let mut agent = reading(dir.path());
    let state = ingest(&mut agent, t(NOON)).agent_state;
    let mut again = reading(dir.path());
    again.restore(&state).unwrap();
    ingest(&mut again, t(NOON));
    assert_eq!(again.history, agent.history);
}

#[test]
fn who_answers_himself_or_writes_the_owners_name_teaches_nothing() {
    let himself = ANSWERED.replace("Rohan <rohan@example.org>", "Asha <asha@example.com>");
    // As the owner, but handed over by a server, into the inbox.
    let forged = ANSWERED.replace(
        "Subject",
        "Received: from evil by b; Tue, 3 Nov 2026 09:40:01 +0000\nSubject",
    );
    for head in [himself, forged] {
        let dir = tempfile::tempdir().unwrap();
        write_mail(&dir.path().join("INBOX"), "q", ASKED, "Can you send the list?");
        write_mail(&dir.path().join("INBOX"), "a", &head, "Here it is.");
        let mut agent = reading(dir.path());
        ingest(&mut agent, t(NOON));
        assert!(!wrote_to(&agent, "asha@example.com"), "{head}");
        let mut host = AgentHost::new(Box::new(agent));
        assert_eq!(learned(&mut host)["labels"], 0, "{head}");
    }
}

#[test]
fn a_program_that_posts_an_own_mail_teaches_nothing() {
    let mail = json!({"message": format!("{}\r\n\r\nHere it is.", ANSWERED.replace('\n', "\r\n"))});
    let mut agent = comms();
    agent.accept(vec![signal("m-1", t("2026-11-03T09:40:00Z"), "mail", &mail)]);
    ingest(&mut agent, t(NOON));
    assert!(!wrote_to(&agent, "asha@example.com"));
}

#[test]
fn sent_mail_of_years_says_whom_the_owner_knows_once() {
    let dir = tempfile::tempdir().unwrap();
    let old = "From: rohan@example.org\nTo: Bo <bo@example.net>\nCc: asha@example.com\nMessage-ID: <o@example.org>\n\
        Date: Sat, 4 Jul 2020 09:00:00 +0000";
    write_mail(&dir.path().join("Sent"), "o", old, "See you.");
    let mut agent = reading(dir.path());
    let state = ingest(&mut agent, t(NOON)).agent_state;
    assert!(wrote_to(&agent, "bo@example.net") && wrote_to(&agent, "asha@example.com"));
    // What was forgotten does not come back from a folder that was read.
    let what = ErasureScope::naming([person("bo@example.net").as_str().to_owned()]);
    let state = CommsAgentState::json_without(&state, &what).unwrap();
    let mut again = reading(dir.path());
    again.restore(&state).unwrap();
    ingest(&mut again, t(NOON).plus_min(1));
    assert!(!wrote_to(&again, "bo@example.net") && wrote_to(&again, "asha@example.com"));
    // Reading everything again is the owner's wish to have it back.
    let state = CommsAgentState::json_unread(&again.state()).unwrap();
    let mut all = reading(dir.path());
    all.restore(&state).unwrap();
    ingest(&mut all, t(NOON).plus_min(2));
    assert!(wrote_to(&all, "bo@example.net"));
}

fn lesson(kind: &str, subject: &str, act: &str, trace: u32) -> serde_json::Value {
    json!({"kind": kind, "subject": subject, "act": act, "trace_id": format!("tr_{trace:012}")})
}

/// Two people ask for something; Bo more urgently.
fn asked() -> CommsAgent {
    let at = t(NOON);
    let mut agent = comms();
    agent.accept(vec![
        note(
            "mild",
            at.plus_min(-30),
            "Lab",
            "Asha",
            "@rohan could you call asha",
        ),
        note(
            "urgent",
            at.plus_min(-60),
            "Home",
            "Bo",
            "@rohan call asap please",
        ),
    ]);
    ingest(&mut agent, at);
    agent
}

fn item(id: &str) -> ItemId {
    setup().key.item(id)
}

#[test]
fn acts_on_a_card_move_the_confidence_and_which_reply_is_offered() {
    let mut agent = asked();
    let drafted = |agent: &CommsAgent| {
        let candidates = agent.tick(&question(t(NOON)), t(NOON)).candidates;
        let draft = candidates
            .into_iter()
            .find(|c| c.kind == ActionKind::DraftReply)
            .unwrap();
        (draft.subject, draft.confidence, draft.evidence)
    };
    let unknown = vec![EvidenceCode::UnknownSender];
    let urgent = Subject::from(&item("urgent"));
    assert_eq!(drafted(&agent), (urgent.clone(), Milli(850), unknown));
    let dismissed: toolcall_schema::catalogue::learning::LearnFromAct =
        serde_json::from_value(lesson("DRAFT_REPLY", urgent.as_str(), "dismissed", 1)).unwrap();
    let tool = Tool::Comms(CommsTool::LearnFromAct(dismissed));
    agent.act(&tool, t(NOON)).unwrap();
    // Bo's: urgency 1000 − 30 (sender) − 30 (chat) − 6 (class) − 3 (quarter of the day) = 931, before Asha's 950 − 6 − 3 = 941.
    let taught = vec![EvidenceCode::Taught, EvidenceCode::UnknownSender];
    let mild = Subject::from(&item("mild"));
    assert_eq!(drafted(&agent), (mild, Milli(841), taught));
    // The same act on the same card again teaches nothing more.
    let before = agent.history.clone();
    agent.act(&tool, t(NOON)).unwrap();
    assert_eq!(agent.history, before);
}

#[test]
fn a_lesson_about_what_is_not_known_is_an_error_and_one_about_a_day_is_none() {
    let mut host = AgentHost::new(Box::new(asked()));
    let mut teach = |args: serde_json::Value| ask(&mut host, ToolName::LearnFromAct, &args, t(NOON));
    let gone = item("gone");
    assert_eq!(
        teach(lesson("DRAFT_REPLY", gone.as_str(), "useful", 1)),
        Err(ToolErrorCode::NotFound)
    );
    for (kind, subject, act, labels) in [
        ("SHOW_BRIEF", "2026-11-03", "useful", 0),
        ("MUTE_GROUP_30", "ch_0000000000000001", "dismissed", 0),
        ("MUTE_GROUP_30", "ch_0000000000000001", "confirmed", 1),
        ("BATCH_DIGEST", "ch_0000000000000001", "not_about", 2),
    ] {
        let said = teach(lesson(kind, subject, act, labels + 7));
        assert_eq!(said, Ok(json!({"labels": labels})), "{kind} {act}");
    }
}

/// An undone mute says that it was not wanted: what its confirmation taught goes, of that chat alone, while a card's mute of 30 minutes lasts.
#[test]
fn a_mute_that_is_taken_back_teaches_nothing() {
    let (undone, other) = ("ch_0000000000000001", "ch_0000000000000002");
    let at = t(NOON).plus_ms(900);
    // A little before the card's mute would have ended, also after a restart, of which the state keeps whole seconds; and a second after.
    for (ms, restarts, labels) in [
        (-400, false, 1),
        (-400, true, 1),
        (1000, false, 2),
        (1000, true, 2),
    ] {
        let mut agent = asked();
        for (chat, n) in [(undone, 1), (other, 2)] {
            let taught = serde_json::from_value(lesson("MUTE_GROUP_30", chat, "confirmed", n)).unwrap();
            agent
                .act(&Tool::Comms(CommsTool::LearnFromAct(taught)), at)
                .unwrap();
        }
        assert_eq!(agent.history.labels(), 2);
        if restarts {
            let state = agent.state();
            agent = asked();
            agent.restore(&state).unwrap();
        }
        let unmute = serde_json::from_value(json!({"channel_hash": undone})).unwrap();
        let ended = at.plus_min(30).plus_ms(ms);
        agent
            .act(&Tool::Comms(CommsTool::UnmuteChannel(unmute)), ended)
            .unwrap();
        assert_eq!(agent.history.labels(), labels, "{ms} {restarts}");
    }
}

#[test]
fn the_owner_corrects_and_resets_and_the_state_holds_no_word() {
    let mut agent = asked();
    let bo = person("bo");
    let correct = toolcall_schema::catalogue::learning::CorrectLearned {
        about: toolcall_schema::catalogue::learning::LearnedThing::Person(bo.clone()),
        class: toolcall_schema::catalogue::comms::MessageClass::News,
    };
    agent
        .act(&Tool::Comms(CommsTool::CorrectLearned(correct)), t(NOON))
        .unwrap();
    let state = agent.state().to_string();
    assert!(state.contains(bo.as_str()));
    for word in ["Bo", "Asha", "asap", "Home", "Lab"] {
        assert!(!state.contains(&format!("\"{word}\"")), "{word}");
    }
    let mut host = AgentHost::new(Box::new(agent));
    let rows = learned(&mut host)["rows"].clone();
    assert_eq!(
        rows,
        json!([{"about": bo, "class": "news", "why": "taught", "corrected": true, "received": 1, "answered": 0, "shift": -150}])
    );
    let args = json!({"ids": [bo, person("nobody")]});
    let named = ask(&mut host, ToolName::CommsDescribe, &args, t(NOON)).unwrap();
    assert_eq!(
        named,
        json!({"labels": [{"id": bo, "label": "Bo"}], "unknown": [person("nobody")]})
    );
}

#[test]
fn on_the_recorded_day_the_owner_waits_for_the_one_who_was_asked_and_did_not_answer() {
    let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/days/no-answer-yet");
    let mut setup = setup();
    setup.owner.addresses = vec!["asha@example.net".to_owned()];
    setup.owner.names = vec!["asha".to_owned()];
    setup.sources.mail = vec![day.join("home/mail")];
    let mut agent = CommsAgent::new(setup);
    ingest(&mut agent, t("2026-11-03T09:30:00Z"));
    let signals = fs::read_to_string(day.join("signals.jsonl")).unwrap();
    let answer = signals
        .lines()
        .find(|line| line.contains(r#""kind":"mail""#))
        .unwrap();
    agent.accept(vec![serde_json::from_str(answer).unwrap()]);
    ingest(&mut agent, t("2026-11-03T09:33:00Z"));
    let mut host = AgentHost::new(Box::new(agent));
    // Asked at 14:00 on the owner's clock, 08:30 UTC.
    for (at, waits) in [
        ("2026-11-03T09:33:00Z", false),
        ("2026-11-06T08:29:59Z", false),
        ("2026-11-06T08:30:00Z", true),
        ("2026-12-03T08:29:59Z", true),
        ("2026-12-03T08:30:00Z", false),
    ] {
        let list = ask(&mut host, ToolName::ListLearned, &json!({}), t(at)).unwrap();
        let rows = list["rows"].as_array().unwrap().iter();
        let waiting: Vec<_> = rows.filter(|row| row["class"] == "waiting").collect();
        let expected = if waits {
            vec![json!(person("bo@example.org"))]
        } else {
            Vec::new()
        };
        let about: Vec<_> = waiting.iter().map(|row| row["about"].clone()).collect();
        assert_eq!(about, expected, "{at}");
        // For how long, to the minute.
        let minutes = t(at).since(t("2026-11-03T08:30:00Z")) / 60_000;
        assert!(
            waiting.iter().all(|row| row["minutes"] == json!(minutes)),
            "{at}: {waiting:?}"
        );
    }
}
