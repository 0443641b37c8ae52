//! Names after every agent was restarted, and acts that are taken back.
//!
//! What: a household with a mailbox, notes of a phone, a calendar and a statement; its agents' processes are killed, then the service itself; whoever
//! waits, an event and a payee are named as before. What the owner did is undone, twice, and while the agent is stopped. Why: names live in no
//! store, and an act that cannot be taken back is not controlled. Not here: where names stand (`agents`), markup (`surfaces`).

use crate::support::{
    Service,
    named_household::{NamedHousehold, agent_processes, restart_agents},
    rows_of_who_waits, signal,
};
use rustix::process::{Signal, kill_process};
use serde_json::json;
use std::time::{Duration, Instant};

/// What of a kind is found by a name on the page Memory.
fn found(service: &Service, kind: &str, name: &str) -> bool {
    let body = json!({"kind": kind, "name": name});
    let (status, part) = service.request("POST", "/form/memory/find", Some(&body));
    assert_eq!(status, 200, "{part}");
    part.as_str().unwrap().contains(&format!("<bdi>{name}</bdi>"))
}

/// Everything in the household has its name.
fn until_named(service: &Service) {
    service.until("every name", |service| {
        let block = rows_of_who_waits(service);
        let here = [
            "<bdi>Asha Rao</bdi>",
            "<bdi>\u{5d0}\u{5e1}\u{5ea}\u{5e8}</bdi>",
            "<bdi>Bo</bdi>",
            "In Five-a-side.",
        ];
        let all = here.iter().all(|name| block.contains(name));
        (all && found(service, "shops", "Corner Shop") && found(service, "people", "Asha Rao")).then_some(())
    });
}

/// The address of the button that undoes the newest act.
fn undo_path(service: &Service) -> String {
    let page = service.page("/history");
    let (_, rest) = page
        .split_once(r#"data-undo-act=""#)
        .unwrap_or_else(|| panic!("no undo: {page}"));
    format!("/v1/acts/{}/undo", rest.split_once('"').unwrap().0)
}

#[test]
fn names_come_back_after_all_agents_and_after_the_service_were_killed() {
    let house = NamedHousehold::new();
    let service = house.start();
    until_named(&service);
    restart_agents(&service);
    until_named(&service);
    service.kill();
    let again = house.start();
    until_named(&again);
    // What is posted has no file: after a restart its chat is called by its program, and then by its owner's own name, and who wrote it by the chat.
    let post = json!([signal(
        "n9",
        "notification",
        &json!({"app": "org.telegram.messenger", "channel": "School", "sender": "Head", "text": "@Rohan please sign the form"})
    )]);
    let (status, reply) = again.request("POST", "/v1/signals", Some(&post));
    assert_eq!(status, 202, "{reply}");
    assert!(
        rows_of_who_waits(&again).contains("In School."),
        "{}",
        rows_of_who_waits(&again)
    );
    again.kill();
    let again = house.start();
    let block = again.until("the chat's program", |service| {
        let block = rows_of_who_waits(service);
        block
            .contains("<bdi>Somebody in Telegram chat</bdi>")
            .then_some(block)
    });
    let (_, form) = block.rsplit_once("Name this chat: Somebody").unwrap();
    let (_, chat) = form.split_once("data-naming=\"").unwrap();
    let chat = chat.split_once('"').unwrap().0;
    let path = format!("/v1/things/{chat}/name");
    let (status, reply) = again.request("POST", &path, Some(&json!({"name": "The school"})));
    assert_eq!(status, 204, "{reply}");
    for path in ["/chats", &format!("/people/{chat}")] {
        let page = again.page(path);
        assert!(
            page.contains("<bdi>Somebody in The school</bdi>"),
            "{path}: {page}"
        );
    }
    // The fourth of them has no row beside the card, and is led to.
    let now = again.page("/");
    let (before, _) = now
        .split_once("\" dir=\"auto\">One more message waits, in The school")
        .unwrap();
    let (_, message) = before.rsplit_once("/chats#").unwrap();
    assert!(
        again.page("/chats").contains(&format!("<li id=\"{message}\">")),
        "{message}"
    );
}

#[test]
fn an_act_is_undone_beside_an_open_prompt_twice_and_while_its_agent_is_stopped() {
    let house = NamedHousehold::new();
    let service = house.start();
    until_named(&service);
    let (_phone, card) = service.ask_owner();
    let block = rows_of_who_waits(&service);
    let (before, _) = block.split_once("Tomorrow: Asha Rao").unwrap();
    let (_, id) = before.rsplit_once("data-put-off=\"").unwrap();
    let path = format!("/v1/messages/{}/put-off", id.split_once('"').unwrap().0);
    let (status, reply) = service.request("POST", &path, None);
    assert_eq!(status, 200, "{reply}");
    assert!(!rows_of_who_waits(&service).contains("Asha Rao"));
    for page in [service.page("/history"), service.page("/chats")] {
        assert!(page.contains("Asha Rao is put off until"), "{page}");
    }
    let undo = undo_path(&service);
    // Comms would not answer: another process takes its place, and takes the act back. A call has 5 s.
    for pid in agent_processes(&service) {
        kill_process(pid, Signal::STOP).unwrap();
    }
    let begun = Instant::now();
    let (status, reply) = service.request("POST", &undo, None);
    let took = begun.elapsed();
    assert_eq!(status, 200, "{reply}");
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert_eq!(reply["says"], "Undone.", "{reply}");
    service.until("she waits again", |service| {
        rows_of_who_waits(service)
            .contains("<bdi>Asha Rao</bdi>")
            .then_some(())
    });
    let (status, reply) = service.request("POST", &undo, None);
    assert_eq!(status, 200, "{reply}");
    assert!(service.page("/history").contains("<p class=\"note\">Undone.</p>"));
    // The prompt is still there, and the undo has a trace of its own.
    assert_eq!(service.now()["card"]["card_id"], card["card_id"]);
    let (_, traces) = service.request("GET", "/v1/traces?limit=100", None);
    let calls = traces
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|trace| trace["tool_calls"].as_array().unwrap());
    assert!(
        calls.clone().any(|call| call["tool"] == "comms.take_back"),
        "{traces}"
    );
}

/// The second time an agent is replaced within ten seconds it pauses before its start; who asks meanwhile is answered after it.
#[test]
fn an_act_is_undone_each_of_three_times_that_its_agent_was_just_stopped() {
    let house = NamedHousehold::new();
    let service = house.start();
    until_named(&service);
    let _phone = service.ask_owner();
    for round in 1..=3 {
        let block = rows_of_who_waits(&service);
        let (before, _) = block.split_once("Tomorrow: Asha Rao").unwrap();
        let (_, id) = before.rsplit_once("data-put-off=\"").unwrap();
        let path = format!("/v1/messages/{}/put-off", id.split_once('"').unwrap().0);
        let (status, reply) = service.request("POST", &path, None);
        assert_eq!(status, 200, "{round}: {reply}");
        let undo = undo_path(&service);
        for pid in agent_processes(&service) {
            kill_process(pid, Signal::STOP).unwrap();
        }
        let (status, reply) = service.request("POST", &undo, None);
        assert_eq!(
            (status, &reply["says"]),
            (200, &json!("Undone.")),
            "{round}: {reply}"
        );
        service.until("she waits again", |service| {
            rows_of_who_waits(service)
                .contains("<bdi>Asha Rao</bdi>")
                .then_some(())
        });
    }
}
