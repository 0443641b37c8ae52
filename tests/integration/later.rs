//! A card that was put off is taken back, on a running service.
//!
//! What: a digest is put off until tomorrow, survives a kill and new agents, and is asked again at once when that is taken back, once; and the same beside an
//! open prompt, which stays. Why: "later" is the one answer that could not be taken back. Not here: what holds it up (`orchestrator/machine/tests/later.rs`),
//! the pages in a browser (`tests/browser/later.rs`).

use crate::support::{Service, loud_chat::LoudChat, named_household::restart_agents};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Answers a card on the phone.
fn answer(service: &Service, card: &Value, act: &str) {
    let path = format!("/v1/cards/{}/answer", card["card_id"].as_str().unwrap());
    let mut answer = json!({"act": act, "surface": "PHONE_CARD"});
    if let Some(prompt) = card["prompts"].as_array().and_then(|prompts| prompts.first()) {
        answer["capability"] = prompt["capability"].clone();
    }
    service.until("accepted answer", |service| {
        service.request("GET", "/fragment/now?c=1", None);
        let (status, _) = service.request("POST", &path, Some(&answer));
        (status == 200).then_some(())
    });
}

/// What the undo of a decision's act says, and in what time.
fn undo(service: &Service, card: &Value) -> (Value, Duration) {
    let path = format!("/v1/acts/{}/undo", card["decision"]["trace_id"].as_str().unwrap());
    let begun = Instant::now();
    let (status, reply) = service.request("POST", &path, None);
    assert_eq!(status, 200, "{reply}");
    (reply["says"].clone(), begun.elapsed())
}

fn until_history(service: &Service, says: &str) -> String {
    service.until(says, |service| {
        let (status, page) = service.request("GET", "/history", None);
        assert_eq!(status, 200, "{page}");
        let page = page.as_str().unwrap().to_owned();
        page.contains(says).then_some(page)
    })
}

fn is_the_digest(card: &Value, first: &Value) {
    let (again, before) = (&card["decision"], &first["decision"]);
    assert_eq!(again["chosen"]["kind"], "BATCH_DIGEST", "{card}");
    assert_eq!(again["chosen"]["subject"], before["chosen"]["subject"], "{card}");
    assert_eq!(
        (&again["put_off"], &again["trigger"]["source"]),
        (&json!(1), &json!("later")),
        "{card}"
    );
}

#[test]
fn what_was_put_off_survives_a_kill_and_is_taken_back_once() {
    let house = LoudChat::new();
    let service = house.start();
    let phone = service.phone();
    let card = LoudChat::get_loud(&service);
    answer(&service, &card, "later_tomorrow");
    // What is on disk after it, is on disk with it.
    let (status, reply) = service.request("POST", "/v1/rules", Some(&json!({"kind": "NAP_15"})));
    assert_eq!(status, 201, "{reply}");
    drop(phone);
    service.kill();

    let service = house.start();
    let _phone = service.phone();
    restart_agents(&service);
    let history = until_history(&service, "Put off: a digest of Five-a-side.");
    let button = format!(
        "data-undo-act=\"{}\"",
        card["decision"]["trace_id"].as_str().unwrap()
    );
    assert!(history.contains(&button), "{history}");
    let (says, took) = undo(&service, &card);
    assert_eq!(says, "Undone.");
    assert!(took < Duration::from_secs(1), "{took:?}");
    is_the_digest(&service.asked(), &card);
    assert_eq!(undo(&service, &card).0, "It was undone already.");
    let history = until_history(&service, "Asked again: A digest of many messages · Five-a-side.");
    assert!(!history.contains(&button), "{history}");
    // It left one trace of its own.
    let (_, traces) = service.request("GET", "/v1/traces?limit=20", None);
    let undone = traces
        .as_array()
        .unwrap()
        .iter()
        .filter(|trace| trace["tool_calls"][0]["tool"] == "orchestrator.undo_later");
    assert_eq!(undone.count(), 1, "{traces}");
}

#[test]
fn what_was_put_off_is_taken_back_within_a_second_while_a_prompt_is_open() {
    let house = LoudChat::new();
    let service = house.start();
    let _phone = service.phone();
    let card = LoudChat::get_loud(&service);
    answer(&service, &card, "later_1_hour");
    let (_second, open) = service.ask_owner();
    let (says, took) = undo(&service, &card);
    assert_eq!(says, "Undone.");
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert_eq!(
        service.now()["card"]["card_id"],
        open["card_id"],
        "the question is as it was"
    );
    answer(&service, &open, "dismiss");
    let again = service.until("the digest", |service| {
        let card = service.now()["card"].clone();
        (card["decision"]["put_off"] == 1).then_some(card)
    });
    is_the_digest(&again, &card);
}
