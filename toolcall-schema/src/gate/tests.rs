//! Single faults and their codes; what is admitted is admitted again.

use super::*;
use serde_json::json;

const NOW: &str = "2026-11-03T02:15:00.500Z";

fn at(text: &str) -> GateClock {
    GateClock::At(Timestamp::parse(text).unwrap())
}

fn mute() -> Value {
    json!({
        "call_id": "t_abcde01234", "agent": "comms", "tool": "mute_channel",
        "args": {"channel_hash": "ch_00112233445566aa", "ttl_seconds": 1800},
        "ts": "2026-11-03T02:15:00Z", "confirm_required": true, "deadline_ms": 5000
    })
}

/// The mute call with one thing changed: `null` removes a member.
fn with(pointer: &str, value: Value) -> Vec<u8> {
    let mut call = mute();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let object = call.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    if value.is_null() {
        object.remove(key);
    } else {
        object.insert(key.to_owned(), value);
    }
    serde_json::to_vec(&call).unwrap()
}

fn refused(bytes: &[u8]) -> (Code, String, String) {
    let error = admit(bytes, at(NOW)).unwrap_err().error;
    (error.code, error.pointer, error.keyword)
}

#[test]
fn admits_a_call_and_keeps_what_it_says() {
    let bytes = serde_json::to_vec(&mute()).unwrap();
    let call = admit(&bytes, at(NOW)).unwrap();
    assert_eq!(call.call_id().as_str(), "t_abcde01234");
    assert_eq!(call.tool().name(), ToolName::MuteChannel);
    assert_eq!(call.deadline_ms(), 5000);
    assert_eq!(call.args_hash(), canonical::hash(&mute()["args"]));
}

#[test]
fn refuses_a_single_fault_with_its_code_place_and_keyword() {
    let table: &[(&str, Value, Code, &str, &str)] = &[
        (
            "/call_id",
            json!("t_ABCDE01234"),
            Code::Gate007,
            "/call_id",
            "pattern",
        ),
        (
            "/call_id",
            json!("t_abcde01234\n"),
            Code::Gate007,
            "/call_id",
            "pattern",
        ),
        ("/call_id", Value::Null, Code::Gate007, "", "required"),
        ("/agent", json!("weather"), Code::Gate007, "/agent", "enum"),
        ("/tool", json!(7), Code::Gate007, "/tool", "type"),
        ("/args", json!([]), Code::Gate007, "/args", "type"),
        (
            "/ts",
            json!("2026-11-03 02:15:00Z"),
            Code::Gate007,
            "/ts",
            "format",
        ),
        (
            "/ts",
            json!("2026-11-03T02:15:00"),
            Code::Gate007,
            "/ts",
            "format",
        ),
        (
            "/ts",
            json!("2026-11-03T24:00:00Z"),
            Code::Gate007,
            "/ts",
            "format",
        ),
        (
            "/ts",
            json!("2026-02-29T02:15:00Z"),
            Code::Gate007,
            "/ts",
            "format",
        ),
        (
            "/confirm_required",
            json!("true"),
            Code::Gate007,
            "/confirm_required",
            "type",
        ),
        (
            "/expected_surface",
            json!("TABLET"),
            Code::Gate007,
            "/expected_surface",
            "enum",
        ),
        (
            "/deadline_ms",
            json!(49),
            Code::Gate007,
            "/deadline_ms",
            "minimum",
        ),
        (
            "/deadline_ms",
            json!(10001),
            Code::Gate007,
            "/deadline_ms",
            "maximum",
        ),
        ("/deadline_ms", json!(50.5), Code::Gate007, "/deadline_ms", "type"),
        ("/note", json!("hello"), Code::Gate007, "", "additionalProperties"),
        ("/tool", json!("mute"), Code::Gate008, "/tool", "catalogue"),
        ("/agent", json!("calendar"), Code::Gate008, "/tool", "catalogue"),
        (
            "/tool",
            json!("comms.mute_channel"),
            Code::Gate008,
            "/tool",
            "catalogue",
        ),
        (
            "/args/ttl_seconds",
            json!(59),
            Code::Gate009,
            "/args/ttl_seconds",
            "minimum",
        ),
        (
            "/args/ttl_seconds",
            Value::Null,
            Code::Gate009,
            "/args",
            "required",
        ),
        (
            "/args/why",
            json!("loud"),
            Code::Gate009,
            "/args",
            "additionalProperties",
        ),
        (
            "/confirm_required",
            json!(false),
            Code::Gate010,
            "/confirm_required",
            "confirm",
        ),
        (
            "/expected_surface",
            json!("PHONE_CARD"),
            Code::Gate010,
            "/expected_surface",
            "surface",
        ),
        (
            "/expected_surface",
            json!("EARBUD_TTS"),
            Code::Gate010,
            "/expected_surface",
            "surface",
        ),
        (
            "/ts",
            json!("2026-11-03T02:14:55.500Z"),
            Code::Gate011,
            "/deadline_ms",
            "deadline",
        ),
        (
            "/ts",
            json!("2026-11-03T02:15:05.501Z"),
            Code::Gate011,
            "/ts",
            "deadline",
        ),
    ];
    for (pointer, value, code, place, keyword) in table {
        let got = refused(&with(pointer, value.clone()));
        assert_eq!(
            got,
            (*code, (*place).to_owned(), (*keyword).to_owned()),
            "{pointer} {value}"
        );
    }
}

#[test]
fn admits_what_stands_on_the_edge() {
    let table: &[(&str, Value)] = &[
        ("/ts", json!("2026-11-03t02:15:00z")),
        ("/ts", json!("2026-11-03T07:45:00+05:30")),
        ("/ts", json!("2026-11-03T02:14:55.501Z")),
        ("/ts", json!("2026-11-03T02:15:05.500Z")),
        ("/expected_surface", json!("WATCH")),
        ("/expected_surface", json!("SILENT")),
        ("/args/ttl_seconds", json!(1800.0)),
        ("/args/ttl_seconds", json!(60)),
        ("/deadline_ms", json!(5e3)),
        ("/deadline_ms", Value::Null),
    ];
    for (pointer, value) in table {
        assert!(
            admit(&with(pointer, value.clone()), at(NOW)).is_ok(),
            "{pointer} {value}"
        );
    }
    assert!(admit(&with("/ts", json!("2016-12-31T23:59:60Z")), GateClock::Skip).is_ok());
}

#[test]
fn whole_numbers_written_as_fractions_are_the_same_call() {
    let one = admit(&with("/args/ttl_seconds", json!(1800.0)), at(NOW)).unwrap();
    let other = admit(&serde_json::to_vec(&mute()).unwrap(), at(NOW)).unwrap();
    assert_eq!(one, other);
    assert_eq!(one.args_hash(), other.args_hash());
    let pre = pre_admit(ToolName::MuteChannel, &with_args(1.8e3), true).unwrap();
    assert_eq!(pre.args_hash, one.args_hash());
}

fn with_args(ttl: f64) -> Value {
    json!({"channel_hash": "ch_00112233445566aa", "ttl_seconds": ttl})
}

#[test]
fn a_refusal_says_what_could_be_read_and_no_more() {
    let refusal = admit(&with("/tool", json!("call me at 5 pm")), at(NOW)).unwrap_err();
    assert_eq!(refusal.agent, Some(AgentName::Comms));
    assert_eq!(refusal.tool, None);
    assert_eq!(refusal.call_id.as_ref().map(CallId::as_str), Some("t_abcde01234"));
    assert!(!format!("{:?}", refusal.error).contains("5 pm"));
}

#[test]
fn a_call_in_auras_own_form_is_read_without_a_tree_of_its_envelope() {
    let ts = Timestamp::parse(NOW).unwrap();
    let mut args = DocumentBuffer::default();
    for name in ToolName::ALL {
        let columns = name.columns();
        let call = crate::ToolCall {
            call_id: CallId::parse("t_abcde01234").unwrap(),
            agent: columns.agent,
            tool: name.tool().to_owned(),
            args: serde_json::from_str(name.examples().valid).unwrap(),
            ts,
            confirm_required: columns.confirm == Confirm::Always,
            expected_surface: Some(columns.surface),
            deadline_ms: Some(2000),
        };
        let bytes = call.to_bytes();
        let read = envelope::read(&bytes, &mut args, at(NOW)).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(read, admit_by_schema(&bytes, at(NOW)).unwrap(), "{name}");
    }
}

#[test]
fn what_an_envelope_may_not_hold_is_left_to_its_schema() {
    const CALL: &str = r#"{"call_id":"t_abcde01234","agent":"comms","tool":"mute_channel","args":{"channel_hash":"ch_00112233445566aa","ttl_seconds":1800},"ts":"2026-11-03T02:15:00.000Z","confirm_required":true,"deadline_ms":5000}"#;
    let mut args = DocumentBuffer::default();
    assert!(envelope::read(CALL.as_bytes(), &mut args, at(NOW)).is_some());
    for (from, to) in [
        (
            r#""deadline_ms":5000"#,
            r#""deadline_ms":5000,"deadline_ms":5000"#,
        ),
        (r#""deadline_ms":5000"#, r#""deadline_ms":49"#),
        (r#""deadline_ms":5000"#, r#""deadline_ms":10001"#),
        (r#""deadline_ms":5000"#, r#""deadline_ms":null"#),
        (r#""deadline_ms":5000"#, r#""note":5000"#),
        (r#""deadline_ms":5000"#, r#""expected_surface":"PUSH""#),
        (r#""deadline_ms":5000"#, r#""expected_surface":"PHONE_CARD""#),
        (r#""deadline_ms":5000"#, r#""call_id":"t_abcde01234""#),
        (r#""deadline_ms":5000"#, r#""args":{}"#),
        ("true", "false"),
        ("true", "null"),
        ("t_abcde01234", "t_abcde0123"),
        (r#""comms""#, r#""orchestrator""#),
        ("mute_channel", "mute"),
        (".000Z", "Z"),
        ("02:15:00", "02:15:60"),
        (
            r#"{"channel_hash":"ch_00112233445566aa","ttl_seconds":1800}"#,
            "[]",
        ),
        (
            r#""ttl_seconds":1800"#,
            r#""ttl_seconds":1800,"ttl_seconds":1800"#,
        ),
        (r#""ttl_seconds":1800"#, r#""ttl_seconds":1e400"#),
        (r#""call_id":"t_abcde01234","#, ""),
        (r#""ts":"2026-11-03T02:15:00.000Z","#, ""),
        (
            r#""agent":"comms","tool":"mute_channel""#,
            r#""tool":"mute_channel","agent":"comms""#,
        ),
    ] {
        assert!(CALL.contains(from), "{from}");
        let text = CALL.replacen(from, to, 1);
        assert!(
            envelope::read(text.as_bytes(), &mut args, at(NOW)).is_none(),
            "{text}"
        );
        args = DocumentBuffer::default();
    }
    for text in [format!("{CALL}x"), format!("{CALL}{CALL}"), CALL.replace('}', "")] {
        assert!(envelope::read(text.as_bytes(), &mut args, at(NOW)).is_none());
    }
}
