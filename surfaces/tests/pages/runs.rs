//! Workflows on the pages, and the owner's inbox.
//!
//! What: what is shown of a run, when its question counts as announced, what a reply is. Why: a question must reach its owner once, and
//! what a program said must not act on the page. Not here: runs themselves. The backend is a double.

use crate::{
    client::server,
    live::Events,
    morning::{RUN, asking_run},
};
use serde_json::{Value, json};
use surfaces_base::backend::UiEventKind;

#[tokio::test]
async fn a_question_is_announced_once_a_connected_phone_has_got_it() {
    let server = server("asks").await;
    let mut phone = Events::open(&server, "phone").await;
    phone.until("data: 1 ").await;
    // Whoever only reads announces nothing.
    for path in ["/", "/workflows", "/v1/workflows", "/fragment/now"] {
        let answer = server.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(
            path == "/" || answer.body.contains("How long?"),
            "{path}: {}",
            answer.body
        );
    }
    server.get("/fragment/now?c=1").await;
    let announced = format!("announced {RUN} PHONE_CARD");
    server.called(&announced).await;
    // From now on it is known to be announced, and is not again.
    if let Some(question) = &mut server.double.runs.lock().unwrap()[0].question {
        question.announced = true;
    }
    let shown = server.get("/fragment/now?c=1").await.body;
    assert!(shown.contains(&format!(r#"data-dismiss="{RUN}""#)), "{shown}");
    // Put away, it is no longer on the phone's page, and still in the inbox.
    if let Some(question) = &mut server.double.runs.lock().unwrap()[0].question {
        question.dismissed = true;
    }
    assert!(
        !server
            .get("/fragment/now?c=1")
            .await
            .body
            .contains("data-dismiss")
    );
    assert!(server.get("/workflows").await.body.contains("data-reply"));
    assert_eq!(server.log().iter().filter(|line| **line == announced).count(), 1);
}

#[tokio::test]
async fn what_a_program_said_steers_nothing() {
    let server = server("asks").await;
    for path in ["/", "/workflows", &format!("/workflows/{RUN}")] {
        let body = server.get(path).await.body;
        assert!(
            body.contains(r"How long? &lt;script&gt;alert(1)&lt;/script&gt;\u{1b}[2J"),
            "{path}: {body}"
        );
        assert_eq!(body.matches("<script").count(), 1, "{path}");
        assert!(!body.contains('\u{1b}'), "{path}");
    }
}

#[tokio::test]
async fn a_run_is_shown_with_its_steps_and_what_was_refused() {
    let server = server("asks").await;
    let body = server.get(&format!("/workflows/{RUN}")).await.body;
    for shown in [
        "waits for you",
        "spec-validator, asked twice",
        "PROTO-002: it has no summary",
        "a &lt;b&gt;note&lt;/b&gt;",
        "<code>spec.md</code>",
    ] {
        assert!(body.contains(shown), "{shown}: {body}");
    }
    let list: Value = serde_json::from_str(&server.get("/v1/workflows").await.body).unwrap();
    assert_eq!(list, json!([asking_run()]));
    for path in [
        "/workflows/none",
        "/workflows/0b8f6f0e-5f4e-4a55-9d6e-3c8f1a2b3c4e",
    ] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_reply_reaches_the_run_and_only_a_run_that_asks() {
    let server = server("asks").await;
    let to = |what: &str| format!("/v1/workflows/{RUN}/{what}");
    let good = r#"{"answer":" for 30 days "}"#;
    let long = json!({"answer": "x".repeat(1901)}).to_string();
    for (path, body, status) in [
        (to("answer"), good, 204),
        (to("dismiss"), "", 204),
        (to("answer"), r#"{"answer":"  "}"#, 400),
        (to("answer"), long.as_str(), 400),
        (to("answer"), "{}", 400),
        (to("answer").replace("0b8f", "0b8e"), good, 409),
    ] {
        assert_eq!(server.post(&path, body).await.status, status, "{path} {body}");
    }
    // What the owner wrote is not in what may be logged.
    assert_eq!(
        server.log(),
        [
            format!("Answer(..) {RUN}"),
            format!("Dismiss {RUN}"),
            format!("Answer(..) {}", RUN.replace("0b8f", "0b8e")),
        ]
    );
}

#[tokio::test]
async fn a_page_of_workflows_is_told_of_changes_and_is_no_surface() {
    let server = server("asks").await;
    let mut page = Events::open(&server, "runs").await;
    page.until("event: hello").await;
    server.double.say(1, UiEventKind::Runs);
    page.until("-1\nevent: runs\n").await;
    assert_eq!(server.log(), Vec::<String>::new());
}
