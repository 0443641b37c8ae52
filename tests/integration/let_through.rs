//! Who is always let through, on a running service that is killed.
//!
//! What: a rule is set on somebody's page, survives the service and all agents, lets a card pass that scores too low, is listed among the rules, undone
//! under an open prompt, and goes with whom it names. Why: "always let Miriam through" is a promise like any other rule. Not here: which messages are
//! marked (`agents`), scores and caps (`orchestrator/machine/tests/let_through.rs`), the page in a browser (`tests/browser/let_through.rs`).

use crate::support::{Service, afternoon_zone, named_household::restart_agents, signal};
use serde_json::{Value, json};
use std::{
    fs,
    time::{Duration, Instant},
};

const RULE: &str = "You always let Miriam through.";

fn undo(service: &Service, trace: &Value) -> Value {
    let path = format!("/v1/acts/{}/undo", trace.as_str().unwrap());
    let (status, reply) = service.request("POST", &path, None);
    assert_eq!(status, 200, "{reply}");
    reply["says"].clone()
}

#[test]
fn a_rule_survives_lets_a_low_score_pass_is_undone_under_a_prompt_and_goes_with_whom_it_names() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    let zone = afternoon_zone();
    fs::write(
        &home,
        format!("zone = \"{zone}\"\nnames = [\"Rohan\"]\n[sources]\nnotifications = [\"notes.jsonl\"]\n"),
    )
    .unwrap();
    let note = json!({"app": "com.whatsapp", "channel": "Choir", "sender": "Miriam", "text": "@Rohan please send the list asap"});
    fs::write(
        dir.path().join("notes.jsonl"),
        format!("{}\n", signal("n1", "notification", &note)),
    )
    .unwrap();
    let service = Service::start(&home, &data);
    let id = service.id_of("Miriam");
    // What was learned speaks against her: 0.85 × 0.70 − 0.25 = 0.345.
    let correct = format!("/v1/learned/{id}/correct");
    let (status, reply) = service.request("POST", &correct, Some(&json!({"class": "news"})));
    assert_eq!(status, 200, "{reply}");
    let set = format!("/v1/let-through/{id}");
    let (status, reply) = service.request("POST", &set, Some(&json!({"always": true})));
    assert_eq!(status, 200, "{reply}");
    let trace = reply["trace_id"].clone();
    let about = service.page(&format!("/people/{id}"));
    for says in [RULE, "From now on I let Miriam through.", "data-undo-act"] {
        assert!(about.contains(says), "{says}: {about}");
    }
    // A folder or a program's id is nobody who can be let through.
    let (status, _) = service.request(
        "POST",
        "/v1/let-through/it_0000000000000001",
        Some(&json!({"always": true})),
    );
    assert_eq!(status, 404);

    service.kill();
    let service = Service::start(&home, &data);
    restart_agents(&service);
    service.until_says(&format!("/people/{id}"), RULE);
    let settings = service.until_says("/settings", RULE);
    assert!(settings.contains("Always let through"), "{settings}");
    assert!(
        service
            .until_says("/history", RULE)
            .contains("data-always=\"false\"")
    );

    let _phone = service.phone();
    let (status, reply) = service.request("POST", "/v1/tick", None);
    assert!(status < 300, "{status} {reply}");
    let card = service.asked();
    let decision = &card["decision"];
    assert_eq!(decision["chosen"]["kind"], "DRAFT_REPLY", "{card}");
    let marked = &decision["candidates"][0];
    assert_eq!(marked["let_through"], true, "{card}");
    assert_eq!(marked["score"]["score"], 0.345, "{card}");
    let rationale = decision["rationale"].as_str().unwrap();
    assert!(
        rationale.starts_with("You always let this through."),
        "{rationale}"
    );
    assert!(
        service
            .page("/fragment/now")
            .contains("You always let this through.")
    );

    // Beside the open prompt.
    let begun = Instant::now();
    assert_eq!(undo(&service, &trace), "Undone.");
    assert!(begun.elapsed() < Duration::from_secs(1));
    assert_eq!(undo(&service, &trace), "It was undone already.");
    let about = service.page(&format!("/people/{id}"));
    assert!(
        !about.contains(RULE) && about.contains("data-always=\"true\""),
        "{about}"
    );
    assert!(!service.page("/settings").contains("Always let through"));

    // Nothing is forgotten under an open prompt.
    let answer =
        json!({"act": "dismiss", "surface": "PHONE_CARD", "capability": card["prompts"][0]["capability"]});
    let path = format!("/v1/cards/{}/answer", card["card_id"].as_str().unwrap());
    service.until("the card is dismissed", |service| {
        service.request("GET", "/fragment/now?c=1", None);
        (service.request("POST", &path, Some(&answer)).0 == 200).then_some(())
    });
    // Forgetting her takes the rule away.
    let (status, reply) = service.request("POST", &set, Some(&json!({"always": true})));
    assert_eq!(status, 200, "{reply}");
    service.until_says("/settings", "Always let through");
    let thing = json!({"thing": id});
    let (status, counted) = service.request("POST", "/form/forget/count", Some(&thing));
    assert_eq!(status, 200, "{counted}");
    let (status, begun) = service.request("POST", "/form/forget", Some(&thing));
    assert_eq!(status, 200, "{begun}");
    service.until("the end of the deletion", |service| {
        let open = service.page(&format!("/people/{id}?open=true"));
        open.contains("is forgotten. This went:").then_some(())
    });
    assert_eq!(service.request("GET", &format!("/people/{id}"), None).0, 404);
    service.until("settings without her", |service| {
        let settings = service.page("/settings");
        let read = !settings.contains("I cannot say whom you always let through");
        (read && !settings.contains("Always let through")).then_some(())
    });
}
