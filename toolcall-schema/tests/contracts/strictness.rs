//! One fault at a time, in everything that two readers could read differently.
//!
//! What: bytes, numbers, instants and ids at the edge of what is allowed, each with the verdict that it must get. Why: what the
//! gate takes and what an agent reads must be the same thing. Not here: the members of a call (`gate.rs`, the gate's own
//! tests), generated calls (`differential.rs`).

use serde_json::{Value, json};
use toolcall_schema::{
    Code, Timestamp, ToolName,
    gate::{self, GateClock},
    ids::CallId,
    names::Confirm,
};

/// A call with the raw text of its time to live in place of a number, and something after it.
fn mute(ttl: &str, rest: &str) -> Vec<u8> {
    let head = r#"{"call_id":"t_abcde01234","agent":"comms","tool":"mute_channel","ts":"2026-11-03T02:15:00Z","confirm_required":true,"#;
    format!(r#"{head}"args":{{"channel_hash":"ch_00112233445566aa","ttl_seconds":{ttl}}}}}{rest}"#)
        .into_bytes()
}

fn refused(bytes: &[u8]) -> Option<(Code, String, String)> {
    let error = gate::admit(bytes, GateClock::Skip).err()?.error;
    Some((error.code, error.pointer, error.keyword))
}

#[expect(clippy::unnecessary_wraps, reason = "stands beside `None` in tables")]
fn of(code: Code, pointer: &str, keyword: &str) -> Option<(Code, String, String)> {
    Some((code, pointer.to_owned(), keyword.to_owned()))
}

#[test]
fn a_number_is_what_a_double_holds_however_it_is_written() {
    const TTL: &str = "/args/ttl_seconds";
    let range = || of(Code::Gate006, TTL, "number");
    let table = [
        ("1800", None),
        ("1800.0", None),
        ("18e2", None),
        ("1.8E+3", None),
        ("180000e-2", None),
        ("1800.00000000000000000000", None),
        ("1800.5", of(Code::Gate009, TTL, "type")),
        ("1e-400", of(Code::Gate009, TTL, "minimum")),
        ("-0.0", of(Code::Gate009, TTL, "minimum")),
        ("\"1800\"", of(Code::Gate009, TTL, "type")),
        ("null", of(Code::Gate009, TTL, "type")),
        ("9007199254740992", of(Code::Gate009, TTL, "maximum")),
        ("-9007199254740992", of(Code::Gate009, TTL, "minimum")),
        ("9007199254740993", range()),
        ("-9007199254740993", range()),
        ("9007199254740994.0", range()),
        ("18446744073709551616", range()),
        ("1e308", range()),
        ("1e309", range()),
        ("-1e309", range()),
        ("01800", of(Code::Gate003, TTL, "syntax")),
        ("+1800", of(Code::Gate003, TTL, "syntax")),
        ("0x708", of(Code::Gate003, "/args", "syntax")),
        ("1800.", of(Code::Gate003, TTL, "syntax")),
        (".5", of(Code::Gate003, TTL, "syntax")),
        ("NaN", of(Code::Gate003, TTL, "syntax")),
        ("Infinity", of(Code::Gate003, TTL, "syntax")),
        ("1_800", of(Code::Gate003, "/args", "syntax")),
    ];
    for (ttl, want) in table {
        assert_eq!(refused(&mute(ttl, "")), want, "{ttl}");
    }
    let hash = |ttl| {
        gate::admit(&mute(ttl, ""), GateClock::Skip)
            .unwrap()
            .args_hash()
            .to_owned()
    };
    assert_eq!(hash("18e2"), hash("1800"), "one call, one hash");
}

#[test]
fn after_a_call_only_white_space_may_stand() {
    for rest in ["", " ", "\n", "\r\n\t "] {
        assert_eq!(refused(&mute("60", rest)), None, "{rest:?}");
    }
    for rest in ["{}", "null", ",", "}", "\0", "\u{a0}", "\u{feff}", "//", "\u{b}"] {
        assert_eq!(
            refused(&mute("60", rest)),
            of(Code::Gate003, "", "syntax"),
            "{rest:?}"
        );
    }
    let marked = [&b"\xef\xbb\xbf"[..], &mute("60", "")].concat();
    assert_eq!(refused(&marked), of(Code::Gate003, "", "syntax"));
}

#[test]
fn bytes_that_are_not_utf_8_are_refused_wherever_they_stand() {
    let forms: &[(&str, &[u8])] = &[
        ("a lone continuation", b"\x80"),
        ("a slash in two bytes", b"\xc0\xaf"),
        ("a slash in three", b"\xe0\x80\xaf"),
        ("half a surrogate pair", b"\xed\xa0\x80"),
        ("a surrogate pair", b"\xed\xa0\x80\xed\xb0\x80"),
        ("above U+10FFFF", b"\xf4\x90\x80\x80"),
        ("a form of five bytes", b"\xf8\x88\x80\x80\x80"),
        ("cut short", b"\xe0\xa4"),
        ("latin 1", b"\xe9"),
    ];
    for (name, bytes) in forms {
        let quoted = [b"{\"call_id\":\"".as_slice(), bytes, b"\"}"].concat();
        for document in [
            quoted,
            [&mute("60", ""), *bytes].concat(),
            [bytes, mute("60", "").as_slice()].concat(),
        ] {
            assert_eq!(refused(&document), of(Code::Gate002, "", "utf-8"), "{name}");
        }
    }
}

#[test]
fn keys_that_are_the_same_once_read_are_the_same() {
    let table = [
        (r#"{"a":1,"a":1}"#, "/a"),
        (r#"{"a":1,"\u0061":1}"#, "/a"),
        (r#"{"args":{"x":{"é":1,"\u00e9":2}}}"#, "/args/x/?"),
        (r#"{"a":[{"b":1},{"b":1,"c":2,"b":3}]}"#, "/a/1/b"),
        (r#"{"\ud83d\ude00":1,"😀":2}"#, "/?"),
        (r#"{"":1,"":2}"#, "/?"),
    ];
    for (text, pointer) in table {
        assert_eq!(
            refused(text.as_bytes()),
            of(Code::Gate004, pointer, "duplicate key"),
            "{text}"
        );
    }
    // Two letters that only look the same are two keys.
    assert_eq!(
        refused("{\"é\":1,\"e\u{301}\":2}".as_bytes()).unwrap().0,
        Code::Gate007
    );
}

#[test]
fn thirty_two_containers_deep_is_allowed_and_one_more_is_not() {
    for (open, shut, step) in [("[", "]", "/0"), (r#"{"a":"#, "}", "/a")] {
        let nested = |n: usize| format!("{}0{}", open.repeat(n), shut.repeat(n)).into_bytes();
        assert_eq!(refused(&nested(32)).unwrap().0, Code::Gate007);
        assert_eq!(refused(&nested(33)), of(Code::Gate005, &step.repeat(32), "depth"));
        // Deeper than any reader's stack: told by the depth, not by a crash.
        assert_eq!(
            refused(open.repeat(10_000).as_bytes()),
            of(Code::Gate005, &step.repeat(32), "depth")
        );
    }
}

#[test]
fn an_instant_is_rfc_3339_and_nothing_near_it() {
    let fractions: Vec<String> = (1..=20)
        .map(|n| format!("2026-11-03T02:15:00.{}Z", "7".repeat(n)))
        .collect();
    let good = [
        "2026-11-03T02:15:00Z",
        "2026-11-03t02:15:00z",
        "2026-11-03T02:15:00+00:00",
        "2026-11-03T02:15:00-00:00",
        "2026-11-03T02:15:00+23:59",
        "2026-11-03T02:15:00-23:59",
        "2024-02-29T00:00:00Z",
        "2016-12-31T23:59:60Z",
        "2016-12-31T15:59:60-08:00",
        "2017-01-01T05:29:60+05:30",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999Z",
    ];
    let bad = [
        "2026-11-03 02:15:00Z",
        "2026-11-03_02:15:00Z",
        "2026-11-03T02:15:00",
        "2026-11-03T02:15Z",
        "2026-11-03",
        "02:15:00Z",
        "20261103T021500Z",
        "2026-307T02:15:00Z",
        "2026-W45-2T02:15:00Z",
        "2026-11-03T24:00:00Z",
        "2026-11-03T25:00:00Z",
        "2026-11-03T02:60:00Z",
        "2026-11-03T02:15:60Z",
        "2026-11-03T02:15:61Z",
        "2016-12-31T23:59:61Z",
        "2026-11-03T02:15:00+24:00",
        "2026-11-03T02:15:00+23:60",
        "2026-11-03T02:15:00+0530",
        "2026-11-03T02:15:00+05",
        "2026-11-03T02:15:00 +05:30",
        "2026-11-03T02:15:00\u{2212}05:30",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-11-31T00:00:00Z",
        "2026-11-00T00:00:00Z",
        "2026-11-3T02:15:00Z",
        "26-11-03T02:15:00Z",
        "12026-11-03T02:15:00Z",
        "-2026-11-03T02:15:00Z",
        "2026-11-03T02:15:00.Z",
        "2026-11-03T02:15:00,5Z",
        "2026-11-03T02:15:00.5",
        "2026-11-03T02:15:00Z\n",
        " 2026-11-03T02:15:00Z",
        "2026-11-03T02:15:00ZZ",
        "２０２６-11-03T02:15:00Z",
        "2026-11-03T02:15:0٣Z",
        "1793672100",
        "",
        // What stands before the digits in ASCII is no digit.
        "2026-11-03T0*:15:00Z",
        "2026-11-03T02:1/:00Z",
        "2026-11-03T02:15:0.Z",
        "2026-1,-03T02:15:00Z",
        "202+-11-03T02:15:00Z",
        "2026-11-03T02:15:00+0-:30",
    ];
    let call = |ts: &str| {
        let bytes = String::from_utf8(mute("60", "")).unwrap();
        bytes
            .replace("\"2026-11-03T02:15:00Z\"", &json!(ts).to_string())
            .into_bytes()
    };
    for ts in good.iter().copied().chain(fractions.iter().map(String::as_str)) {
        assert_eq!(refused(&call(ts)), None, "{ts}");
    }
    for ts in bad {
        assert_eq!(refused(&call(ts)), of(Code::Gate007, "/ts", "format"), "{ts:?}");
    }
    // A fraction is cut to milliseconds; a second that leaps is the first of the next minute.
    let read = |ts: &str| gate::admit(&call(ts), GateClock::Skip).unwrap().ts().to_string();
    assert_eq!(read(&fractions[19]), "2026-11-03T02:15:00.777Z");
    assert_eq!(read("2016-12-31T15:59:60-08:00"), "2017-01-01T00:00:00.000Z");
}

/// Pointers to every text within a value.
fn texts(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::String(_) => out.push(at.to_owned()),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(i, item)| texts(item, &format!("{at}/{i}"), out)),
        Value::Object(members) => members
            .iter()
            .for_each(|(key, member)| texts(member, &format!("{at}/{key}"), out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn a_line_end_after_any_text_of_any_call_is_refused_at_its_place() {
    for name in ToolName::ALL {
        let call = json!({
            "call_id": "t_abcde01234", "agent": name.agent(), "tool": name.tool(), "ts": "2026-11-03T02:15:00Z",
            "args": serde_json::from_str::<Value>(name.examples().valid).unwrap(),
            "confirm_required": name.columns().confirm == Confirm::Always, "expected_surface": "SILENT",
        });
        let mut places = Vec::new();
        texts(&call, "", &mut places);
        for place in places {
            let mut damaged = call.clone();
            let text = damaged.pointer_mut(&place).unwrap();
            *text = json!(format!("{}\n", text.as_str().unwrap()));
            let (_, pointer, _) = refused(&serde_json::to_vec(&damaged).unwrap()).unwrap();
            assert_eq!(pointer, place, "{name}");
        }
    }
}

#[test]
fn a_result_is_read_as_strictly_as_a_call() {
    let id = CallId::parse("t_abcde01234").unwrap();
    let deep = format!("{}{}", "[".repeat(33), "]".repeat(33));
    let table: &[(&[u8], &str, &str)] = &[
        (b"", "", "syntax"),
        (b"{} {}", "", "syntax"),
        (b"\xff", "", "utf-8"),
        (b"{\"result\":{\"a\":1,\"a\":1}}", "/result/a", "duplicate key"),
        (b"{\"effects\":[1e999]}", "/effects/0", "number"),
        (b"{\"effects\":[9007199254740993]}", "/effects/0", "number"),
        (b"\"\\udc00\"", "", "syntax"),
    ];
    for tool in ToolName::ALL {
        for (bytes, pointer, keyword) in table {
            let error = gate::admit_result(bytes, *tool, &id).unwrap_err();
            let got = (error.code, error.pointer.as_str(), error.keyword.as_str());
            assert_eq!(got, (Code::Result001, *pointer, *keyword), "{tool}");
        }
        let error = gate::admit_result(deep.as_bytes(), *tool, &id).unwrap_err();
        assert_eq!((error.code, error.keyword.as_str()), (Code::Result001, "depth"));
        let large = vec![b' '; gate::MAX_RESULT_BYTES + 1];
        let error = gate::admit_result(&large, *tool, &id).unwrap_err();
        assert_eq!((error.code, error.keyword.as_str()), (Code::Result001, "size"));
    }
}

#[test]
fn the_deadline_is_open_at_its_end_and_the_future_closed() {
    let at = |ms: i64| {
        GateClock::At(Timestamp::from_ms(
            Timestamp::parse("2026-11-03T02:15:00Z").unwrap().ms() + ms,
        ))
    };
    // Without a deadline of its own a call has 2000 ms; it may be stamped 5000 ms ahead.
    for (ms, want) in [
        (-5001, Some("/ts")),
        (-5000, None),
        (0, None),
        (1999, None),
        (2000, Some("/deadline_ms")),
    ] {
        let got = gate::admit(&mute("60", ""), at(ms))
            .err()
            .map(|refusal| refusal.error);
        assert_eq!(got.as_ref().map(|error| error.pointer.as_str()), want, "{ms}");
        assert!(got.is_none_or(|error| error.code == Code::Gate011));
    }
}
