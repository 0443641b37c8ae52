//! Answers that come back from a notification.
//!
//! What: what a button did is told and undone, and an answer that is forged, foreign or repeated does nothing. Why: whoever knows the topic may post to
//! it. Not here: the server that stands in (`ntfy`).

use super::{ANSWERS, Manner, Server, asked, on_actors, post, press, url};
use serde_json::{Value, json};
use toolcall_schema::{Outcome, Surface};

#[test]
fn what_a_button_did_is_told_without_a_name_and_its_undo_takes_it_back() {
    on_actors(async {
        let server = Server::start(Manner::Well);
        let mut day = asked(&url(&server)).await;
        let (_, message) = server.attempt();
        day.is_shown_on_push().await;
        press(&message["actions"][2]);
        day.sign("put off", async |me| me.shown().await.is_none()).await;
        day.until("2026-11-04T14:03:10+05:30").await;
        day.sign("what was done", async |me| me.count("push", "done").await == 2)
            .await;
        let (_, told) = server.attempt();
        let says = told["message"].as_str().unwrap();
        assert!(says.contains("15:03"), "{told}");
        let buttons = told["actions"].as_array().unwrap();
        assert_eq!((buttons.len(), &buttons[0]["label"]), (1, &json!("Undo")));
        assert_eq!(day.put_off().await, 1);
        // Who knows the topic and not the right takes nothing back.
        let forged = buttons[0]["body"].as_str().unwrap();
        let end = forged.len() - 6;
        let forged = format!("{}0000\"}}", &forged[..end]);
        post(&server.address.to_string(), ANSWERS, &forged);
        day.sign("refusal", async |me| me.count("answers", "refused").await == 1)
            .await;
        press(&buttons[0]);
        day.sign("undo", async |me| me.count("answers", "accepted").await == 2)
            .await;
        day.until("2026-11-04T14:10:00+05:30").await;
        day.sign("card that nobody brings back", async |me| me.put_off().await == 0)
            .await;
        day.end().await;
    });
}

#[test]
fn a_forged_a_foreign_and_a_repeated_answer_are_told_from_the_owners() {
    on_actors(async {
        let server = Server::start(Manner::Well);
        let mut day = asked(&url(&server)).await;
        let (_, message) = server.attempt();
        day.is_shown_on_push().await;
        let good = message["actions"][0]["body"].as_str().unwrap();
        let body: Value = serde_json::from_str(good).unwrap();
        let with = |key: &str, value: Value| {
            let mut body = body.clone();
            body[key] = value;
            body.to_string()
        };
        let host = server.address.to_string();
        // Another capability; another card. Both are well formed, so the machine is asked.
        for forged in [
            with("capability", json!("0".repeat(64))),
            with("card", json!("c_0123456789ab")),
        ] {
            post(&host, ANSWERS, &forged);
        }
        day.sign("two refusals", async |me| {
            me.count("answers", "refused").await == 2
        })
        .await;
        // What no button of ours sends is not asked about.
        for unreadable in [
            "not json".to_owned(),
            with("act", json!("useful")),
            with("capability", json!("short")),
            with("surface", json!("WATCH")),
            String::new(),
        ] {
            post(&host, ANSWERS, &unreadable);
        }
        day.sign("five that cannot be read", async |me| {
            me.count("answers", "unreadable").await == 5
        })
        .await;
        assert_eq!(day.shown().await, Some(vec![Surface::Push]), "it still waits");
        for _ in 0..2 {
            post(&host, ANSWERS, good);
        }
        day.sign("the first and its repeat", async |me| {
            me.count("answers", "accepted").await == 2
        })
        .await;
        day.until("2026-11-04T14:03:10+05:30").await;
        let traces = day.traces();
        assert_eq!(
            (traces.len(), traces[0].outcome, traces[0].tool_calls.len()),
            (1, Outcome::Confirmed, 1)
        );
        day.end().await;
    });
}
