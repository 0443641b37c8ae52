//! What dismissing a card meant: said by a button, in force as a rule or a correction, listed, and undone by the one undo.
//!
//! What: a digest is dismissed on the phone and a breathing break on the watch; its rules are added twice, survive all agents and the service, are undone
//! twice and given again. Why: "dismiss" alone says too little, and what it teaches is the owner's to take back. Not here: what is offered of which card
//! (`surfaces/src/render/feedback.rs`), the page in a browser (`tests/browser/feedback.rs`).

use crate::support::{
    Service,
    loud_chat::LoudChat,
    named_household::{agent_processes, restart_agents},
    signal,
};
use chrono::{TimeDelta, Timelike as _};
use serde_json::{Value, json};
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

/// Dismisses a card where it was asked or shown.
fn dismiss(service: &Service, card: &Value, surface: &str) {
    let prompts = card["prompts"].as_array().unwrap();
    let prompt = prompts.iter().find(|prompt| prompt["surface"] == surface);
    let answer = match prompt {
        Some(prompt) => json!({"act": "dismiss", "surface": surface, "capability": prompt["capability"]}),
        None => json!({"act": "dismiss", "surface": surface}),
    };
    let path = format!("/v1/cards/{}/answer", card["card_id"].as_str().unwrap());
    let fragment = if surface == "WATCH" { "watch" } else { "now" };
    service.until("accepted answer", |service| {
        service.request("GET", &format!("/fragment/{fragment}?c=1"), None);
        let (status, _) = service.request("POST", &path, Some(&answer));
        (status == 200).then_some(())
    });
}

/// What the page's buttons would send, by their words.
fn offers(page: &str) -> Vec<(String, Value)> {
    let buttons = page.split("data-teach=\"").skip(1);
    buttons
        .map(|rest| {
            let (rule, rest) = rest.split_once('"').unwrap();
            let (_, label) = rest.split_once("<b dir=\"auto\">").unwrap();
            let rule = rule.replace("&quot;", "\"");
            let label = label.split_once("</b>").unwrap().0.to_owned();
            (label, serde_json::from_str(&rule).unwrap())
        })
        .collect()
}

/// History, once it says so: names come from the agents.
fn until_history(service: &Service, says: &str) -> String {
    service.until(says, |service| {
        let page = service.page("/history");
        page.contains(says).then_some(page)
    })
}

/// The rules about digests.
fn rules(service: &Service) -> Vec<Value> {
    let rules = service.now()["rules"].as_array().unwrap().clone();
    let about_digests = |rule: &Value| rule["kinds"] == json!(["BATCH_DIGEST"]);
    rules.into_iter().filter(about_digests).collect()
}

#[test]
fn what_a_dismissed_digest_meant_is_a_rule_that_survives_and_is_undone_and_given_again() {
    let house = LoudChat::new();
    let service = house.start();
    let phone = service.phone();
    let card = LoudChat::get_loud(&service);
    dismiss(&service, &card, "PHONE_CARD");
    let undo = format!("/v1/acts/{}/undo", card["decision"]["trace_id"].as_str().unwrap());
    // The clock in Kolkata: 5 hours and a half ahead.
    let at: chrono::DateTime<chrono::Utc> = card["decision"]["ts"].as_str().unwrap().parse().unwrap();
    let hour = (at + TimeDelta::minutes(330)).hour();
    let clock = |hour: u32| match hour % 24 {
        0 => "midnight".to_owned(),
        hour => format!("{hour:02}:00"),
    };
    let effect = format!(
        "I will not show a digest of many messages between {} and {}.",
        clock(hour),
        clock(hour + 1)
    );

    restart_agents(&service);
    let now = service.until("the chat's name", |service| {
        let page = service.page("/fragment/now");
        page.contains("Dismissed: a digest of Five-a-side.")
            .then_some(page)
    });
    assert!(now.contains(&effect), "{now}");
    // Nothing has happened by itself.
    let (status, reply) = service.request("POST", &undo, None);
    assert_eq!((status, &reply["code"]), (409, &json!("CALL-008")), "{reply}");
    let offered = offers(&now);
    let labels: Vec<&str> = offered.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(
        labels,
        [
            "Not about Five-a-side",
            "Nothing of this kind",
            "Not at this hour"
        ]
    );
    let chat = &card["decision"]["chosen"]["subject"];
    let narrow = json!({"kind": "BATCH_DIGEST", "subject": chat});
    assert_eq!(offered[0].1, narrow);

    // Tapped twice it is one rule.
    let (status, first) = service.request("POST", "/v1/rules", Some(&offered[2].1));
    assert_eq!(status, 201, "{first}");
    let (status, again) = service.request("POST", "/v1/rules", Some(&offered[2].1));
    assert_eq!((status, &again), (200, &first));
    assert_eq!(rules(&service), std::slice::from_ref(&first));
    for path in ["/fragment/now", "/history"] {
        let page = service.page(path);
        assert!(page.contains(&effect) && offers(&page).is_empty(), "{page}");
    }
    assert!(service.page("/settings").contains("batch-digest-1"));

    drop(phone);
    service.kill();
    let service = house.start();
    let history = service.page("/history");
    assert!(history.contains(&effect), "{history}");
    let (status, reply) = service.request("POST", &undo, None);
    assert_eq!((status, &reply["says"]), (200, &json!("Undone.")), "{reply}");
    assert!(
        reply["named"]
            .as_str()
            .unwrap()
            .starts_with("You removed a rule. "),
        "{reply}"
    );
    assert_eq!(rules(&service), Vec::<Value>::new());
    let (status, reply) = service.request("POST", &undo, None);
    assert_eq!(
        (status, &reply["says"]),
        (200, &json!("It was undone already.")),
        "{reply}"
    );
    assert!(reply.get("trace_id").is_none(), "{reply}");

    // And given again, now about this chat alone.
    assert_eq!(offers(&service.page("/history")).len(), 3);
    let (status, rule) = service.request("POST", "/v1/rules", Some(&narrow));
    assert_eq!(status, 201, "{rule}");
    service.until("the chat's name in its rule", |service| {
        let named = service.page("/settings").contains("about Five-a-side");
        let said = service
            .page("/history")
            .contains("I will not show a digest of Five-a-side any more.");
        (named && said).then_some(())
    });
    let (status, reply) = service.request("POST", &undo, None);
    assert_eq!((status, &reply["says"]), (200, &json!("Undone.")), "{reply}");
    assert_eq!(rules(&service), Vec::<Value>::new());
}

#[test]
fn that_a_digest_was_wrong_corrects_what_is_learned_and_is_undone() {
    let house = LoudChat::new();
    let service = house.start();
    let _phone = service.phone();
    let card = LoudChat::get_loud(&service);
    dismiss(&service, &card, "PHONE_CARD");
    let now = service.until("the offer", |service| {
        let page = service.page("/fragment/now");
        page.contains("I will treat Five-a-side as news.").then_some(page)
    });
    let (_, rest) = now.split_once("data-correct=\"").unwrap();
    let chat = rest.split_once('"').unwrap().0;
    assert_eq!(card["decision"]["chosen"]["subject"], chat);
    let path = format!("/v1/learned/{chat}/correct");
    for _ in 0..2 {
        let (status, reply) = service.request("POST", &path, Some(&json!({"class": "news"})));
        assert_eq!(status, 200, "{reply}");
    }
    let history = until_history(&service, "I treat Five-a-side as news, because you said so.");
    // What stands is not offered once more, and is undone once: the older of the two is over.
    assert!(!history.contains("data-correct"), "{history}");
    assert_eq!(history.matches("data-undo-act=\"tr_").count(), 1, "{history}");
    service.until("the correction among what was learned", |service| {
        let told = "I treat this list as news: you told me so.";
        service.page("/chats").contains(told).then_some(())
    });
    let (_, rest) = history.split_once("data-undo-act=\"").unwrap();
    let undo = format!("/v1/acts/{}/undo", rest.split_once('"').unwrap().0);
    for (says, named) in [
        ("Undone.", "I forgot what I had learned about Five-a-side."),
        (
            "It was undone already.",
            "It was undone already. I treat Five-a-side as news, because you said so.",
        ),
    ] {
        let (status, reply) = service.request("POST", &undo, None);
        assert_eq!(
            (status, &reply["says"], &reply["named"]),
            (200, &json!(says), &json!(named)),
            "{reply}"
        );
    }
    let history = until_history(&service, "I forgot what I had learned about Five-a-side.");
    assert!(history.contains("data-correct"), "{history}");
}

#[test]
fn what_was_dismissed_on_the_watch_is_asked_about_on_the_phone() {
    let house = LoudChat::new();
    let service = house.start();
    let mut watch = TcpStream::connect(("127.0.0.1", service.port)).unwrap();
    write!(
        watch,
        "GET /events?surface=watch HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
        service.port, service.token
    )
    .unwrap();
    watch.read_exact(&mut [0; 15]).unwrap();
    let stress = json!([
        signal("h1", "hrv", &json!({ "rmssd_ms": 20.0 })),
        signal("s1", "sleep", &json!({ "asleep_min": 240 })),
        signal(
            "a1",
            "activity",
            &json!({ "typing_entropy": 5.2, "app_switch_rate": 18.0, "notif_dismiss_rate": 0.9, "screen_on_min": 50.0 })
        ),
    ]);
    let (status, reply) = service.request("POST", "/v1/signals", Some(&stress));
    assert_eq!(status, 202, "{reply}");
    let card = service.asked();
    dismiss(&service, &card, "WATCH");
    let now = service.until("what was dismissed", |service| {
        let page = service.page("/fragment/now");
        page.contains("Dismissed: a breathing break.").then_some(page)
    });
    let offered = offers(&now);
    assert_eq!(
        offered[0],
        ("Not about this".to_owned(), json!({"kind": "BREATHE_478"}))
    );
    assert_eq!(offered.len(), 2);
    // The watch has one line and nothing to choose.
    assert!(!service.page("/watch").contains("data-teach"));
    assert_eq!(agent_processes(&service).len(), 4);
}
