//! Every day, looked through by words, by kind and by what came of it.
//!
//! What: the page over the double, and what counts as held back. Why: it is a claim of `docs/surfaces.md`. Not here: one decision's drawer (`sections`).

use crate::{
    client::server,
    morning::{brief_trace, held_trace, silent_trace},
};
use serde_json::json;
use std::sync::Arc;
use surfaces_base::backend::console;
use toolcall_schema::ActionKind;

#[tokio::test]
async fn every_day_is_looked_through_by_words_kind_and_what_came_of_it() {
    let server = server("brief").await;
    let page = server.get("/history/days").await.body;
    assert!(page.contains("data-post=\"/form/history/find\""), "{page}");
    let ask = |words: &str, came: &str| json!({"words": words, "kind": "", "came": came, "from": "", "to": "", "before": ""});
    let (brief, silent) = (
        "data-drawer=\"tr_brief0000001\"",
        "data-drawer=\"tr_silent000001\"",
    );
    for (words, came, has_brief, has_silent) in [
        ("", "", true, false),
        ("MORNING brief", "", true, false),
        ("dentist", "", false, false),
        ("standup", "", false, false),
        ("", "silent", false, true),
        ("30 minutes", "silent", false, true),
        // Nothing was proposed there, so nothing was held back.
        ("", "held", false, false),
        ("", "confirmed", false, false),
    ] {
        let found = server
            .post("/form/history/find", &ask(words, came).to_string())
            .await
            .body;
        assert_eq!(
            (found.contains(brief), found.contains(silent)),
            (has_brief, has_silent),
            "{words} {came}: {found}"
        );
    }
    // An appointment is found by its name, whatever was said about it.
    let event = format!("href=\"/calendar/{}\"", crate::people_double::MEETING);
    for (words, is_found) in [("LAKE standup", true), ("standup dentist", false), ("", false)] {
        let asked = ask(words, "").to_string();
        let found = server.post("/form/history/find", &asked).await.body;
        assert_eq!(found.contains(&event), is_found, "{words}: {found}");
    }
    // The store has more: the same question goes on from there.
    let found = server
        .post("/form/history/find", &ask("brief", "").to_string())
        .await
        .body;
    assert!(!found.contains("name=\"before\""), "{found}");
    let mut all = ask("", "");
    for (field, wrong) in [
        ("kind", "x"),
        ("came", "maybe"),
        ("from", "today"),
        ("before", "-1"),
        ("words", ""),
    ] {
        all[field] = json!(if field == "words" {
            "x".repeat(101)
        } else {
            wrong.to_owned()
        });
        let status = server.post("/form/history/find", &all.to_string()).await.status;
        assert_eq!(status, 400, "{field}");
        all = ask("", "");
    }
    all["from"] = json!("2026-11-04");
    all["to"] = json!("2026-11-03");
    assert_eq!(
        server.post("/form/history/find", &all.to_string()).await.status,
        400
    );
}

/// What was held back is of the kind that its line names, though nothing was chosen.
#[tokio::test]
async fn what_was_held_back_is_found_by_its_kind() {
    let server = server("held").await;
    let kind = held_trace().decision.candidates[0].kind;
    for (of, is_found) in [(kind, true), (ActionKind::Nap15, false)] {
        for came in ["held", "silent"] {
            let ask = json!({"words": "", "kind": of, "came": came, "from": "", "to": "", "before": ""});
            let found = server.post("/form/history/find", &ask.to_string()).await.body;
            assert_eq!(
                found.contains("data-drawer=\"tr_brief0000001\""),
                is_found,
                "{of:?} {came}: {found}"
            );
        }
    }
}

#[test]
fn held_back_is_what_was_proposed_and_not_chosen() {
    let spoke = brief_trace();
    let mut held = brief_trace();
    Arc::make_mut(&mut held.decision).chosen = None;
    let silent = silent_trace();
    assert!(!held.decision.candidates.is_empty() && silent.decision.candidates.is_empty());
    for (choice, fits) in [
        (console::TraceChoice::Spoke, [true, false, false]),
        (console::TraceChoice::HeldBack, [false, true, false]),
    ] {
        let filter = console::TraceFilter {
            choice: Some(choice),
            ..console::TraceFilter::default()
        };
        assert_eq!([&spoke, &held, &silent].map(|trace| filter.admits(trace)), fits);
    }
}
