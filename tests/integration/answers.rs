//! *Answer these* on a running service: done, not for me, a draft that is edited, discarded meanwhile, and killed.
//!
//! What: people who asked by mail; a reply that the owner confirmed on its card. Why: what the owner did stays so whatever is restarted, and no older
//! text replaces a newer one. Not here: who is listed in which order (`surfaces`), the outbox's files (`aura_memory::outbox`), the open page
//! (`tests/browser/answers.rs`).

use crate::support::{
    Service, mailbox_household::MailboxHousehold, named_household::restart_agents, rows_of_who_waits,
};
use serde_json::{Value, json};
use std::{fs, process::Command, thread};
use toolcall_schema::ids::sha256_hex;

const PEOPLE: [(&str, i64); 3] = [
    ("Asha Rao <asha@example.net>", 90),
    ("Bo <bo@example.net>", 60),
    ("cleo@example.net", 30),
];
const NAMES: [&str; 3] = ["Asha Rao", "Bo", "cleo@example.net"];

/// The message of somebody's row.
fn message(block: &str, who: &str) -> String {
    let (before, _) = block.split_once(&format!("Done: {who}")).unwrap();
    let (_, id) = before.rsplit_once("data-done-with=\"").unwrap();
    id.split_once('"').unwrap().0.to_owned()
}

fn act(service: &Service, message: &str, what: &str) -> Value {
    let (status, reply) = service.request("POST", &format!("/v1/messages/{message}/{what}"), None);
    assert_eq!(status, 200, "{reply}");
    reply["trace_id"].clone()
}

fn edit(service: &Service, message: &str, shown: &str, text: &str) -> (u16, Value) {
    let body = json!({"text": text, "shown": sha256_hex(shown.as_bytes())});
    service.request("POST", &format!("/v1/messages/{message}/draft"), Some(&body))
}

#[test]
fn who_is_done_with_stays_so_after_a_kill_until_it_is_undone() {
    let house = MailboxHousehold::new(&PEOPLE);
    let service = house.start();
    MailboxHousehold::until_waiting(&service, &NAMES);
    restart_agents(&service);
    MailboxHousehold::until_waiting(&service, &NAMES);
    let block = rows_of_who_waits(&service);
    let place = |name: &str| block.find(&format!("<bdi>{name}</bdi>")).unwrap();
    assert!(
        place("Asha Rao") < place("Bo") && place("Bo") < place("cleo@example.net"),
        "{block}"
    );
    let (asha, bo) = (message(&block, "Asha Rao"), message(&block, "Bo"));
    let done = act(&service, &asha, "done");
    let refused = act(&service, &bo, "not-for-me");
    let block = rows_of_who_waits(&service);
    assert!(
        !block.contains("Asha Rao") && !block.contains("<bdi>Bo</bdi>"),
        "{block}"
    );
    // One lesson, of the one that was not for the owner.
    let (_, traces) = service.request("GET", "/v1/traces?limit=100", None);
    let calls = traces.as_array().unwrap().iter();
    let calls: Vec<&Value> = calls
        .flat_map(|trace| trace["tool_calls"].as_array().unwrap())
        .collect();
    let lessons: Vec<&&Value> = calls
        .iter()
        .filter(|call| call["tool"] == "comms.learn_from_act")
        .collect();
    assert_eq!(lessons.len(), 1, "{traces}");
    assert_eq!(
        lessons[0]["args"],
        json!({"kind": "DRAFT_REPLY", "subject": bo, "act": "dismissed", "trace_id": refused})
    );

    service.kill();
    let service = house.start();
    let block = MailboxHousehold::until_waiting(&service, &["cleo@example.net"]);
    assert!(
        !block.contains("<bdi>Asha Rao</bdi>") && !block.contains("<bdi>Bo</bdi>"),
        "{block}"
    );
    assert!(
        service
            .page("/history")
            .contains("no longer waits for your answer.")
    );
    for trace in [&done, &refused] {
        let path = format!("/v1/acts/{}/undo", trace.as_str().unwrap());
        let (status, reply) = service.request("POST", &path, None);
        assert_eq!((status, &reply["says"]), (200, &json!("Undone.")), "{reply}");
        let (_, twice) = service.request("POST", &path, None);
        assert_eq!(twice["says"], "It was undone already.", "{twice}");
    }
    MailboxHousehold::until_waiting(&service, &NAMES);
    // What is not known any more cannot be done with.
    let (status, reply) = service.request("POST", "/v1/messages/it_0000000000000001/done", None);
    assert_eq!((status, &reply["code"]), (502, &json!("CALL-004")), "{reply}");
}

/// The address of the act whose button begins so.
fn undo_of(history: &str, button: &str) -> String {
    let (before, _) = history
        .split_once(&format!("aria-label=\"{button}"))
        .unwrap_or_else(|| panic!("{button}: {history}"));
    let (_, id) = before.rsplit_once("data-undo-act=\"").unwrap();
    format!("/v1/acts/{}/undo", id.split_once('"').unwrap().0)
}

#[test]
fn a_confirmed_draft_is_edited_and_no_restart_brings_the_first_text_back() {
    let house = MailboxHousehold::new(&PEOPLE);
    let service = house.start();
    MailboxHousehold::until_waiting(&service, &NAMES);
    let item = house.draft_reply(&service);
    let first = house.drafts()[0].1.clone();
    let block = rows_of_who_waits(&service);
    assert!(block.contains(&format!("data-draft=\"{item}\"")), "{block}");
    // Whoever was promised an answer comes first.
    assert!(
        block.find("data-draft").unwrap() < block.find("</li>").unwrap(),
        "{block}"
    );
    assert!(block.contains("mailto:"), "{block}");

    let (status, reply) = edit(&service, &item, &first, "I'll call you at six.");
    assert_eq!(
        (status, &reply["shown"]),
        (200, &json!(sha256_hex(b"I'll call you at six."))),
        "{reply}"
    );
    // Another page that is older.
    let (status, reply) = edit(&service, &item, &first, "Never.");
    assert_eq!((status, &reply["code"]), (409, &json!("DRAFT-003")), "{reply}");
    for (text, status, code) in [
        (String::new(), 422, "DRAFT-002"),
        ("x".repeat(1 << 20), 413, "DRAFT-001"),
    ] {
        let (got, reply) = edit(&service, &item, "I'll call you at six.", &text);
        assert_eq!((got, &reply["code"]), (status, &json!(code)), "{reply}");
    }
    let only =
        |house: &MailboxHousehold| house.drafts() == [(item.clone(), "I'll call you at six.".to_owned())];
    assert!(only(&house), "{:?}", house.drafts());
    // Killed at once, and within the seconds in which the tick's last state has the draft put once more.
    service.kill();
    let service = house.start();
    MailboxHousehold::until_waiting(&service, &NAMES);
    assert!(only(&house), "{:?}", house.drafts());
    assert!(
        rows_of_who_waits(&service).contains("I&#39;ll call you at six.")
            || rows_of_who_waits(&service).contains("I'll call you at six.")
    );
    // Each edit that was made is among the acts, without a text; what was refused is not.
    let history = service.page("/history");
    assert_eq!(
        history.matches("You edited your draft of a reply to").count(),
        1,
        "{history}"
    );
    let audit = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["memory", "audit", "list", "--limit", "1000", "--json", "--data"])
        .arg(house.data())
        .env("AURA_KEY_FILE", house.data().with_extension("key"))
        .output()
        .unwrap();
    let audit = String::from_utf8(audit.stdout).unwrap();
    assert_eq!(audit.matches(r#""kind":"draft""#).count(), 1, "{audit}");
    assert!(!audit.contains("at six"), "{audit}");
    // The call that was confirmed says what it said.
    let (_, traces) = service.request("GET", "/v1/traces?limit=100", None);
    assert!(!traces.to_string().contains("at six"), "{traces}");

    // Discarded by mistake: it comes back as its owner left it, also after a kill, and can be discarded again.
    let discard = undo_of(&service.page("/history"), "Discard draft");
    let (status, reply) = service.request("POST", &discard, None);
    assert_eq!(status, 200, "{reply}");
    assert!(
        !rows_of_who_waits(&service).contains("data-draft"),
        "the next look sees it"
    );
    service.kill();
    let service = house.start();
    let back = undo_of(&service.page("/history"), "Bring it back: The reply to");
    let (status, reply) = service.request("POST", &back, None);
    assert_eq!((status, &reply["says"]), (200, &json!("Undone.")), "{reply}");
    assert_eq!(house.drafts()[0].1, "I'll call you at six.");
    undo_of(&service.page("/history"), "Discard draft");
    // It stands where it stood, first of all, and is discarded from there.
    let list = rows_of_who_waits(&service);
    let (first, _) = list.split_once("</li>").unwrap();
    assert!(
        first.contains("data-draft") && first.contains("Discard draft"),
        "{list}"
    );

    // Forgotten: neither the draft nor anything beside it is left.
    let deleted = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["memory", "delete", "--everything", "--yes", "--data"])
        .arg(house.data())
        .env("AURA_KEY_FILE", house.data().with_extension("key"))
        .output()
        .unwrap();
    assert!(deleted.status.success(), "{deleted:?}");
    let left = fs::read_dir(house.data().join("outbox")).map_or(0, Iterator::count);
    assert_eq!(left, 0);
    let (status, reply) = edit(&service, &item, "I'll call you at six.", "Still there?");
    assert_eq!((status, &reply["code"]), (404, &json!("DRAFT-004")), "{reply}");
}

#[test]
fn a_draft_that_is_discarded_while_it_is_edited_is_gone() {
    let house = MailboxHousehold::new(&PEOPLE);
    let service = house.start();
    MailboxHousehold::until_waiting(&service, &NAMES);
    let item = house.draft_reply(&service);
    let first = house.drafts()[0].1.clone();
    let history = service.page("/history");
    let (_, rest) = history.split_once("data-undo-act=\"").unwrap();
    let undo = format!("/v1/acts/{}/undo", rest.split_once('"').unwrap().0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut shown = first.clone();
            for n in 0..200 {
                let text = format!("Version {n}");
                let (status, reply) = edit(&service, &item, &shown, &text);
                if status == 404 {
                    assert_eq!(reply["code"], "DRAFT-004", "{reply}");
                    return;
                }
                assert_eq!(status, 200, "{reply}");
                shown = text;
            }
            panic!("the draft was never discarded");
        });
        scope.spawn(|| {
            let (status, reply) = service.request("POST", &undo, None);
            assert_eq!(status, 200, "{reply}");
        });
    });
    assert!(house.drafts().is_empty());
    let (status, reply) = edit(&service, &item, &first, "Once more");
    assert_eq!((status, &reply["code"]), (404, &json!("DRAFT-004")), "{reply}");
    assert!(!rows_of_who_waits(&service).contains("data-draft"));
}

/// Who has waited for days stands there after every restart, as long as the owner neither answered nor let them go.
#[test]
fn who_has_waited_for_days_is_listed_drafted_an_answer_and_done_with() {
    let days = |days: i64| days * 24 * 60;
    let house = MailboxHousehold::new(&[
        ("Asha Rao <asha@example.net>", days(4)),
        ("\"boss@example.org\" <eve@example.net>", 60),
        ("Cleo <cleo@example.net>", days(15)),
    ]);
    let service = house.start();
    let names = ["Asha Rao", "boss@example.org"];
    MailboxHousehold::until_waiting(&service, &names);
    restart_agents(&service);
    let block = MailboxHousehold::until_waiting(&service, &names);
    assert!(!block.contains("Cleo"), "{block}");
    assert!(block.contains("wrote in the last 14 days"), "{block}");
    let (asha, eve) = (message(&block, "Asha Rao"), message(&block, "boss@example.org"));
    let drafted = act(&service, &asha, "draft-reply");
    act(&service, &eve, "draft-reply");
    let (_, twice) = service.request("POST", &format!("/v1/messages/{asha}/draft-reply"), None);
    assert_eq!(twice["code"], "CALL-001", "{twice}");
    restart_agents(&service);
    let block = MailboxHousehold::until_waiting(&service, &names);
    for (item, address) in [(&asha, "asha"), (&eve, "eve")] {
        assert!(block.contains(&format!("data-draft=\"{item}\"")), "{block}");
        assert!(
            block.contains(&format!("\"mailto:{address}@example.net?")),
            "{block}"
        );
    }
    assert!(!block.contains("mailto:boss"), "{block}");
    let undo = format!("/v1/acts/{}/undo", drafted.as_str().unwrap());
    let (status, reply) = service.request("POST", &undo, None);
    assert_eq!((status, &reply["says"]), (200, &json!("Undone.")), "{reply}");
    let block = rows_of_who_waits(&service);
    assert!(!block.contains(&format!("data-draft=\"{asha}\"")), "{block}");
    assert!(block.contains(&format!("data-write-reply=\"{asha}\"")), "{block}");

    act(&service, &asha, "done");
    service.kill();
    let service = house.start();
    MailboxHousehold::until_waiting(&service, &names[1..]);
    let block = rows_of_who_waits(&service);
    assert!(!block.contains("Asha Rao"), "{block}");
}
