//! What a topic can say.
//!
//! What: every sort of line on the answers' topic. Why: anybody who knows the topic writes there. Not here: publishing, and what an answer
//! comes to (`tests/outbound` of the workspace).

use proptest::prelude::*;
use serde_json::{Value, json};
use surfaces::push::{TopicEvent, TopicLine, read};
use toolcall_schema::{SubmitAct, Surface};

const CARD: &str = "c_0123456789ab";

fn capability() -> String {
    "0f".repeat(32)
}

fn answer() -> Value {
    json!({"card": CARD, "act": "confirm", "capability": capability()})
}

fn line(id: &str, event: &str, message: &str) -> TopicLine {
    let line = json!({"id": id, "time": 1, "event": event, "topic": "t", "message": message, "expires": 2});
    read(line.to_string().as_bytes())
}

#[test]
fn what_a_button_sends_is_an_answer_on_push_with_its_capability() {
    for (act, wanted) in [
        ("confirm", SubmitAct::Confirm),
        ("dismiss", SubmitAct::Dismiss),
        ("later", SubmitAct::LaterHour),
    ] {
        let mut body = answer();
        body["act"] = json!(act);
        let line = line("a1B2-_", "message", &body.to_string());
        assert_eq!(line.id.as_deref(), Some("a1B2-_"));
        let TopicEvent::Pressed(pressed) = line.says else {
            panic!("{:?}", line.says)
        };
        assert_eq!(
            (pressed.card_id.as_str(), pressed.act, pressed.surface),
            (CARD, wanted, Surface::Push)
        );
        assert_eq!(pressed.capability, Some(capability()));
    }
}

#[test]
fn an_undo_is_read_with_its_right() {
    let body = json!({"undo": "tr_mute00000001", "capability": capability()});
    let TopicEvent::TakenBack(right) = line("a1", "message", &body.to_string()).says else {
        panic!("{body}")
    };
    assert_eq!(right.undo.as_str(), "tr_mute00000001");
    for (key, value) in [
        ("undo", json!("../now")),
        ("capability", json!("0f")),
        ("card", json!(CARD)),
    ] {
        let mut other = body.clone();
        other[key] = value;
        let says = line("a1", "message", &other.to_string()).says;
        assert_eq!(says, TopicEvent::Unreadable, "{other}");
    }
}

#[test]
fn signs_of_life_say_nothing_and_have_no_place_in_the_order() {
    for event in ["open", "keepalive"] {
        let says = TopicLine {
            id: None,
            says: TopicEvent::Alive,
        };
        assert_eq!(line("a1", event, ""), says);
    }
}

#[test]
fn what_no_button_sends_is_passed_over() {
    let with = |key: &str, value: Value| {
        let mut body = answer();
        body[key] = value;
        body.to_string()
    };
    for message in [
        String::new(),
        "confirm".to_owned(),
        "[]".to_owned(),
        with("act", json!("useful")),
        with("act", json!("edit")),
        with("surface", json!("WATCH")),
        with("capability", json!("0f")),
        with("capability", Value::Null),
        with("card", json!("../now")),
        with("card", json!(7)),
    ] {
        let line = line("a1", "message", &message);
        assert_eq!(
            (line.id.as_deref(), line.says),
            (Some("a1"), TopicEvent::Unreadable),
            "{message}"
        );
    }
}

#[test]
fn an_id_that_could_lead_elsewhere_is_not_remembered() {
    let long = "a".repeat(65);
    for id in ["", "a&poll=1", "../v1", "a b", "a\n", "ä", &long] {
        assert_eq!(line(id, "message", &answer().to_string()).id, None, "{id:?}");
    }
}

proptest! {
    #[test]
    fn no_bytes_are_taken_for_an_answer_by_chance(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(read(&bytes), TopicLine { id: None, says: TopicEvent::Unreadable });
    }

    #[test]
    fn no_text_in_a_message_is_taken_for_an_answer_by_chance(text in any::<String>()) {
        prop_assert_eq!(line("a1", "message", &text).says, TopicEvent::Unreadable);
    }
}
