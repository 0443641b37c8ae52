//! Forgetting on the page Memory.
//!
//! What: what is shown before anything goes, who may let all go, and what the page says of how far it is. Not here: the deletion (`orchestrator`).

use crate::{
    client::{Answer, server},
    forgetting_double::removed,
    morning::TOKEN,
};
use serde_json::{Value, json};
use surfaces_base::backend::forgetting::{ForgetChoice, ForgetStage, Forgetting};
use toolcall_schema::forget::MeasuredKind;

async fn post(server: &crate::client::Server, path: &str, body: &Value) -> Answer {
    let headers = format!("{}authorization: Bearer {TOKEN}\n", server.host());
    server
        .raw(&format!("POST {path}"), &headers, &body.to_string())
        .await
}

#[tokio::test]
async fn a_day_is_counted_first_then_it_waits_and_can_be_called_off() {
    let server = server("brief").await;
    let page = server.get("/memory").await.body;
    assert!(
        page.contains(r#"data-post="/form/forget/count" data-into="forget-look""#),
        "{page}"
    );
    let day = json!({ "day": "2026-11-03" });
    let counted = post(&server, "/form/forget/count", &day).await;
    assert_eq!(counted.status, 200);
    for says in [
        "Of Tue 3 Nov this would go:",
        "12 things I remember",
        "1 explanation of a decision",
        "40 entries of the journal",
        r#"<input type="hidden" name="day" value="2026-11-03">"#,
    ] {
        assert!(counted.body.contains(says), "{says}: {}", counted.body);
    }
    assert!(
        !server
            .double
            .log
            .borrow()
            .iter()
            .any(|line| line.starts_with("forget"))
    );

    let begun = post(&server, "/form/forget", &day).await;
    for says in [
        "To be forgotten: ",
        "In ten seconds it is gone for good.",
        "data-again-ms",
        // Counted down by the script, unheard.
        "data-left-ms=\"10000\" data-whole-ms=\"10000\"",
        "<span aria-hidden=\"true\">Gone for good in <b data-seconds>10</b> s</span>",
        "<button class=\"side\" type=\"submit\">Undo</button>",
    ] {
        assert!(begun.body.contains(says), "{says}: {}", begun.body);
    }
    assert!(server.get("/memory").await.body.contains("In ten seconds"));
    let called_off = post(&server, "/form/forget/undo", &json!({})).await;
    assert!(
        called_off.body.contains("Nothing was forgotten."),
        "{}",
        called_off.body
    );
    assert!(!called_off.body.contains("data-again-ms"), "{}", called_off.body);
}

#[tokio::test]
async fn everything_goes_only_in_a_browser_that_was_shown_to_be_the_owners() {
    let server = server("brief").await;
    let counted = post(&server, "/form/forget/count", &json!({ "all": "yes" })).await;
    assert!(
        counted.body.contains("Of everything I remember this would go:"),
        "{}",
        counted.body
    );
    let refused = post(&server, "/form/forget", &json!({ "all": "yes" })).await;
    assert_eq!(refused.status, 403);
    assert!(refused.body.contains("WEB-027"), "{}", refused.body);
    for bad in [
        json!({}),
        json!({ "day": "yesterday" }),
        json!({ "days": "2026-11-03" }),
        json!({ "day": "2026-11-03", "all": "yes" }),
    ] {
        assert_eq!(post(&server, "/form/forget", &bad).await.status, 400, "{bad}");
    }
    assert!(
        !server
            .double
            .log
            .borrow()
            .iter()
            .any(|line| line.starts_with("forget"))
    );
    assert!(
        !server
            .get("/memory")
            .await
            .body
            .contains("Show everything that would go")
    );
}

#[tokio::test]
async fn what_was_measured_of_a_kind_is_counted_and_needs_the_owners_browser() {
    let server = server("brief").await;
    for (kind, says) in [
        ("sleep", "With all sleep this would go:"),
        (
            "heart_rate_variability",
            "With all heart rate variability this would go:",
        ),
        (
            "resting_heart_rate",
            "With all of your resting heart rate this would go:",
        ),
        ("phone_use", "With all use of the phone this would go:"),
        ("load", "With all I thought of your stress this would go:"),
        ("people", "With all people this would go:"),
    ] {
        let counted = post(&server, "/form/forget/count", &json!({ "kind": kind })).await;
        let field = format!(r#"<input type="hidden" name="kind" value="{kind}">"#);
        assert!(
            counted.body.contains(says) && counted.body.contains(&field),
            "{kind}: {}",
            counted.body
        );
        assert_eq!(
            post(&server, "/form/forget", &json!({ "kind": kind }))
                .await
                .status,
            403,
            "{kind}"
        );
    }
    assert_eq!(
        post(&server, "/form/forget/count", &json!({ "kind": "steps" }))
            .await
            .status,
        400
    );
    let what = ForgetChoice::Measured(MeasuredKind::Sleep);
    *server.double.forgetting.lock().unwrap() = Some(Forgetting {
        what,
        stage: ForgetStage::Gone(removed()),
    });
    let page = server.get("/memory").await.body;
    assert!(page.contains("I have forgotten all sleep. This went:"), "{page}");
}

#[tokio::test]
async fn what_was_forgotten_is_said_once_and_stays_on_the_page_that_asked() {
    let server = server("brief").await;
    let ask = |page: &str| {
        let (_, since) = page.split_once("data-fragment=\"/memory?").unwrap();
        format!("/memory?{}&c=3", since.split_once('"').unwrap().0)
    };
    let open = ask(&server.get("/memory").await.body);
    let day = json!({ "day": "2026-11-03" });
    assert_eq!(post(&server, "/form/forget", &day).await.status, 200);
    server.double.forgetting.lock().unwrap().as_mut().unwrap().stage = ForgetStage::Gone(removed());
    let says = "Tue 3 Nov is forgotten. This went:";
    for _ in 0..2 {
        assert!(server.get(&open).await.body.contains(says));
    }
    let visit = server.get("/memory").await.body;
    assert!(!visit.contains(says), "{visit}");
    assert!(
        !server.get(&ask(&visit)).await.body.contains(says),
        "also when that page looks again"
    );
    // Another one, while no page is open: the next visit says it, and keeps it while it is open.
    assert_eq!(post(&server, "/form/forget", &day).await.status, 200);
    server.double.forgetting.lock().unwrap().as_mut().unwrap().stage = ForgetStage::Gone(removed());
    let visit = server.get("/memory").await.body;
    assert!(visit.contains(says), "{visit}");
    assert!(server.get(&ask(&visit)).await.body.contains(says));
    assert!(!server.get("/memory").await.body.contains(says));
}

#[tokio::test]
async fn each_stage_has_its_sentence() {
    let what = ForgetChoice::Everything;
    let server = server("brief").await;
    for (stage, says) in [
        (ForgetStage::Goes, "I am forgetting it now."),
        (
            ForgetStage::Gone(removed()),
            "Everything is forgotten. This went:",
        ),
        (
            ForgetStage::Failed("a question to you is open until 9:01".to_owned()),
            "It was not forgotten: a question to you is open until 9:01.",
        ),
    ] {
        *server.double.forgetting.lock().unwrap() = Some(Forgetting {
            what: what.clone(),
            stage,
        });
        let page = server.get("/memory").await.body;
        assert!(page.contains(says), "{says}: {page}");
    }
}

#[tokio::test]
async fn what_would_go_of_a_person_is_counted_in_the_words_of_their_page() {
    let server = server("brief").await;
    let counted = |thing: &str| json!({ "thing": thing });
    for (thing, says, not) in [
        ("pe_0000000000000001", "12 notes", "things I remember"),
        ("ch_00000000000000c3", "12 notes", "things I remember"),
        ("ev_00000000000000e1", "12 things I remember", "notes"),
    ] {
        let answer = post(&server, "/form/forget/count", &counted(thing)).await;
        assert!(
            answer.body.contains(says) && !answer.body.contains(not),
            "{thing}: {}",
            answer.body
        );
    }
}

#[tokio::test]
async fn what_goes_with_a_sender_and_is_no_entry_is_said_before_it_goes() {
    let server = server("brief").await;
    let of = |thing: &str| json!({ "thing": thing });
    let says = "And this, which is no entry:";
    // The double's correspondents have four messages of the last day and 31 that were counted.
    for (thing, also) in [
        (
            "pe_0000000000000001",
            &[
                "4 messages of the last day",
                "1 message that waits for your answer",
                "what I learned from 31 messages of theirs",
            ][..],
        ),
        (
            "ch_00000000000000c3",
            &[
                "1 message that waits for your answer",
                "that they are always let through",
            ],
        ),
    ] {
        let answer = post(&server, "/form/forget/count", &of(thing)).await.body;
        for also in [&[says], also].concat() {
            assert!(answer.contains(also), "{thing} {also}: {answer}");
        }
    }
    let event = post(&server, "/form/forget/count", &of("ev_00000000000000e1"))
        .await
        .body;
    assert!(!event.contains(says), "{event}");
}
