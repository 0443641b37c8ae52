//! What the owner did is told in the drawer as in the history, and what was learned of it says from what.

use crate::{
    acts::{MAIL, names, said},
    acts_double::call,
    client::server,
};
use serde_json::json;
use std::sync::Arc;
use surfaces::render::acts::UndoState;
use toolcall_schema::ActionKind;

/// In the drawer and on its page the act stands as in the history, with its way back, and not once more in general words.
#[tokio::test]
async fn the_drawer_of_an_act_names_the_thing_and_takes_it_back() {
    let server = server("acts").await;
    for path in ["/fragment/trace/tr_mute00000001", "/trace/tr_mute00000001"] {
        let drawer = server.get(path).await.body;
        // The full record keeps its own words.
        let drawer = drawer.split("class=\"record\"").next().unwrap();
        for says in [
            "<p>Garden committee is muted until 23:01.</p>",
            r#"data-undo-act="tr_mute00000001" aria-label="Undo: Garden committee is muted until 23:01.""#,
        ] {
            assert_eq!(drawer.matches(says).count(), 1, "{path} {says}: {drawer}");
        }
        for general in ["You confirmed it, and it is done.", "Nothing is open here."] {
            assert!(!drawer.contains(general), "{path} {general}: {drawer}");
        }
    }
}

/// *Done* and *Not for me* both take a message off the list; the second teaches, which the lesson's trace says by the id of the act.
#[test]
fn what_was_not_for_the_owner_says_so_and_what_it_taught() {
    let args = json!({"item_id": MAIL, "ttl_seconds": surfaces_base::backend::LET_GO_SECONDS});
    let mut let_go = call(
        "tr_letgo0000001",
        "2026-11-03T17:00:00Z",
        "comms.snooze",
        &json!({"item_id": MAIL, "until": "2026-11-05T17:00:00Z"}),
    );
    let_go.tool_calls[0].args = Arc::new(args);
    let mut lesson = call(
        "tr_lesson000001",
        "2026-11-03T17:00:01Z",
        "comms.learn_from_act",
        &json!({"labels": 1}),
    );
    lesson.tool_calls[0].args = Arc::new(json!({
        "kind": ActionKind::DraftReply, "subject": MAIL, "act": "dismissed", "trace_id": "tr_letgo0000001",
    }));
    Arc::make_mut(&mut lesson.decision).call =
        serde_json::from_value(json!({"number": 2, "asker": "owner_card"})).unwrap();
    let at = "2026-11-03T17:11:50Z";
    let answered = said(std::slice::from_ref(&let_go), at, None);
    assert_eq!(
        answered[0],
        (
            "Asha no longer waits for your answer.".to_owned(),
            UndoState::Offered
        )
    );
    let refused = said(&[let_go, lesson.clone()], at, None);
    assert_eq!(
        refused,
        [(
            "Asha no longer waits for your answer, and I offer such messages a little less.".to_owned(),
            UndoState::Offered
        )]
    );
    // The lesson itself says what was learned, from what, about whom.
    assert_eq!(
        surfaces::render::history_line(&lesson, &names()).what,
        "You did not want “Draft a reply · Asha”, so I am a little less sure of such messages"
    );
    lesson.tool_calls[0].args = Arc::new(json!({"kind": ActionKind::DraftReply, "subject": MAIL}));
    assert_eq!(
        surfaces::render::history_line(&lesson, &names()).what,
        "I learned from what you did with a card"
    );
}
