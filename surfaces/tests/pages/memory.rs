//! The page Memory: looking through it, forgetting somebody or a kind, copies and the log in sentences.
//!
//! What: what is shown, what is asked of the rest of Aura, and who may take a copy along. Not here: what goes and what a copy holds (`orchestrator`).

use crate::client::{proven_cookie, send, server};
use serde_json::json;

#[tokio::test]
async fn people_are_found_by_the_names_that_agents_give_and_each_can_be_forgotten() {
    let server = server("brief").await;
    let (own, cookie) = (server.host(), server.cookie());
    let find = async |body| send(&server, &own, &cookie, "/form/memory/find", &body).await;
    let all = find(json!({ "kind": "people" })).await;
    assert_eq!(all.status, 200);
    for says in [
        "My dentist",
        r#"<input type="hidden" name="thing" value="pe_0000000000000001">"#,
    ] {
        assert!(all.body.contains(says), "{says}: {}", all.body);
    }
    let one = find(json!({ "kind": "people", "name": "DENT" })).await.body;
    assert!(
        one.contains("My dentist") && !one.contains("pe_0000000000000001"),
        "{one}"
    );
    // The other has no name now, which is said.
    assert!(one.contains("One more has no name"), "{one}");
    let none = find(json!({ "kind": "payments", "name": "x" })).await.body;
    assert!(none.contains("I remember nothing of that name."), "{none}");
    for bad in [
        json!({}),
        json!({ "kind": "everything" }),
        json!({ "kind": "people", "name": "x".repeat(101) }),
        json!({ "kind": "people", "sort": 1 }),
    ] {
        assert_eq!(find(bad.clone()).await.status, 400, "{bad}");
    }
}

#[tokio::test]
async fn somebody_a_chat_or_a_kind_is_counted_before_it_goes() {
    let server = server("brief").await;
    let (own, cookie, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let count = async |body| {
        send(&server, &own, &cookie, "/form/forget/count", &body)
            .await
            .body
    };
    for (body, says, sends) in [
        (
            json!({ "thing": "pe_0000000000000001" }),
            "With this person this would go:",
            r#"name="thing" value="pe_0000000000000001""#,
        ),
        (
            json!({ "kind": "payments" }),
            "With all payments this would go:",
            r#"name="kind" value="payments""#,
        ),
    ] {
        let counted = count(body).await;
        assert!(counted.contains(says) && counted.contains(sends), "{counted}");
    }
    let forget = async |cookie: &str, body| send(&server, &own, cookie, "/form/forget", &body).await;
    // A kind is much, as everything is: only in the browser that Aura opened.
    assert_eq!(forget(&cookie, json!({ "kind": "payments" })).await.status, 403);
    for (body, noted) in [
        (json!({ "kind": "payments" }), "forget Kind(Payments)"),
        (json!({ "thing": "ch_00000000000000c3" }), "forget Thing(Channel("),
    ] {
        let begun = forget(&proven, body).await;
        assert!(begun.body.contains("In ten seconds"), "{}", begun.body);
        let log = server.double.log.borrow().clone();
        assert!(log.iter().any(|line| line.starts_with(noted)), "{log:?}");
    }
    // A message alone is nothing that can be forgotten by itself, and one thing at a time.
    for bad in [
        json!({ "thing": "it_00000000000000b2" }),
        json!({ "thing": "Asha" }),
        json!({ "thing": "pe_0000000000000001", "kind": "people" }),
        json!({ "kind": "measurements" }),
    ] {
        assert_eq!(forget(&proven, bad.clone()).await.status, 400, "{bad}");
    }
}

#[tokio::test]
async fn copy_is_shown_first_and_saved_only_in_the_browser_that_aura_opened() {
    let server = server("brief").await;
    let (own, cookie, proven) = (server.host(), server.cookie(), proven_cookie(&server).await);
    let choice = json!({ "reader": "friend", "form": "whole" });
    let preview = async |cookie: &str| {
        send(&server, &own, cookie, "/form/memory/copy/preview", &choice)
            .await
            .body
    };
    let elsewhere = preview(&cookie).await;
    for says in [
        "1,341 entries, 2 MB.",
        "left out, 31 times",
        "made rougher, 1 time<",
    ] {
        assert!(elsewhere.contains(says), "{says}: {elsewhere}");
    }
    assert!(!elsewhere.contains("data-download"), "{elsewhere}");
    assert!(
        preview(&proven)
            .await
            .contains(r#"data-download="/form/memory/copy""#),
        "{elsewhere}"
    );

    let copy = async |cookie: &str| send(&server, &own, cookie, "/form/memory/copy", &choice).await;
    assert_eq!(copy(&cookie).await.status, 403);
    let whole = copy(&proven).await;
    assert_eq!(whole.status, 200);
    assert!(
        whole.body.contains(r#"{"version":"#) && whole.body.contains(r#""export.v1"}"#),
        "{}",
        whole.body
    );
    let log = server.double.log.borrow().clone();
    let copies = log.iter().filter(|line| line.starts_with("copy ")).count();
    assert_eq!(copies, 1, "{log:?}");
}

#[tokio::test]
async fn page_says_what_was_done_last_and_names_no_command() {
    let server = server("brief").await;
    let page = server.get("/memory").await.body;
    for says in [
        "The list of decisions was shown.",
        "You had something forgotten: 40 entries.",
        "Look through it",
        "Take a copy along",
    ] {
        assert!(page.contains(says), "{says}: {page}");
    }
    assert!(
        !page.contains("aura memory") && !page.contains("terminal"),
        "{page}"
    );
    // The copy that a browser keeps can change nothing.
    let kept = server
        .raw(
            "GET /memory",
            &format!("{}{}x-aura-keep: 1\n", server.host(), server.cookie()),
            "",
        )
        .await;
    assert!(!kept.body.contains("data-post"), "{}", kept.body);
}
