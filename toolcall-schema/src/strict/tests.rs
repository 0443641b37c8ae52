//! What strict reading refuses, and that what was read before makes no difference.
//!
//! What: faults with their place, numbers, the refilled document. Why: what the gate checked and what an agent reads must be
//! the same thing. Not here: codes of refusals (`gate`).

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn fault(text: &str) -> (SyntaxFaultKind, String) {
    let fault = parse(text.as_bytes(), 1000).unwrap_err();
    (fault.kind, fault.pointer)
}

#[test]
fn names_the_first_fault_by_byte_order_and_its_place() {
    use SyntaxFaultKind::{Depth, DuplicateKey, Number, Syntax};
    let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
    let table: &[(&str, SyntaxFaultKind, &str)] = &[
        ("", Syntax(1, 0), ""),
        ("{", Syntax(1, 1), ""),
        ("{} {}", Syntax(1, 4), ""),
        (r#"{"a":1,}"#, Syntax(1, 8), ""),
        (r#"{"a":[1,nul]}"#, Syntax(1, 12), "/a/1"),
        (r#""\ud800""#, Syntax(1, 8), ""),
        ("NaN", Syntax(1, 1), ""),
        (r#"{"a":1,"a":2}"#, DuplicateKey, "/a"),
        (r#"{"a":{"b":[{"c":1,"c":1}]}}"#, DuplicateKey, "/a/b/0/c"),
        (r#"{"My Mail":{"x":1,"x":1}}"#, DuplicateKey, "/?/x"),
        (r#"{"a":1,"a":1e999}"#, DuplicateKey, "/a"),
        (r#"{"a":1,"a":2,"b":nul}"#, DuplicateKey, "/a"),
        (r#"{"a":1,"a":{"b":1,"b":2}}"#, DuplicateKey, "/a"),
        (r#"{"a":{"b":1,"b":2},"a":1}"#, DuplicateKey, "/a/b"),
        (r#"{"a":1e999,"a":1}"#, Number, "/a"),
        (r#"{"a":9007199254740993}"#, Number, "/a"),
        (r#"{"a":-9007199254740993}"#, Number, "/a"),
        ("[123456789012345678901234567890]", Number, "/0"),
        ("-1e999", Number, ""),
    ];
    for (text, kind, pointer) in table {
        assert_eq!(fault(text), (*kind, (*pointer).to_owned()), "{text}");
    }
    assert_eq!(fault(&deep(33)), (Depth, "/0".repeat(32)));
    assert!(parse(deep(32).as_bytes(), 1000).is_ok());
}

/// JSON of a few keys, so that documents often share some, and with faults: repeated keys and numbers out of range.
fn texts() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "null",
        "true",
        "1",
        "2.0",
        "-0.5",
        "1e999",
        "\"x\"",
        "\"long\\ntext\"",
    ]);
    let key = prop::sample::select(vec!["a", "b", "c", "A B"]);
    leaf.prop_map(str::to_owned)
        .prop_recursive(4, 40, 6, move |inner| {
            let member = (key.clone(), inner.clone()).prop_map(|(key, value)| format!("{key:?}:{value}"));
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
                prop::collection::vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(","))),
            ]
        })
}

proptest! {
    #[test]
    fn what_was_read_before_makes_no_difference(texts in prop::collection::vec(texts(), 1..12)) {
        let mut document = DocumentBuffer::default();
        for text in &texts {
            let alone = parse(text.as_bytes(), 1000);
            prop_assert_eq!(document.read(text.as_bytes(), 1000).cloned(), alone, "{}", text);
        }
    }
}

#[test]
fn an_object_is_refilled_up_to_32_members_and_beyond() {
    let object = |from: usize, to: usize| {
        let members: Vec<String> = (from..to).map(|i| format!("\"k{i:03}\":{i}")).collect();
        format!("{{{}}}", members.join(","))
    };
    let mut document = DocumentBuffer::default();
    for (from, to) in [
        (0, 32),
        (0, 32),
        (1, 33),
        (0, 33),
        (0, 33),
        (0, 200),
        (31, 32),
        (0, 0),
        (10, 12),
    ] {
        let text = object(from, to);
        let read = document.read(text.as_bytes(), 9999).unwrap();
        assert_eq!(read.as_object().unwrap().len(), to - from);
        assert_eq!(*read, serde_json::from_str::<Value>(&text).unwrap());
    }
    let repeated = object(0, 32).replace("k031", "k000");
    let fault = document.read(repeated.as_bytes(), 9999).unwrap_err();
    assert_eq!(
        (fault.kind, fault.pointer.as_str()),
        (SyntaxFaultKind::DuplicateKey, "/k000")
    );
}

#[test]
fn size_comes_before_encoding_and_encoding_before_syntax() {
    assert_eq!(
        parse(&[0xff, 0xff], 1).unwrap_err(),
        SyntaxFault::bare(SyntaxFaultKind::Size)
    );
    assert_eq!(
        parse(b"{\xff", 9).unwrap_err(),
        SyntaxFault::bare(SyntaxFaultKind::Utf8(1))
    );
}

#[test]
fn whole_numbers_become_integers_however_they_are_written() {
    let value = parse(b"[20.0, 1e3, -0.0, 0.5, 9007199254740992]", 100).unwrap();
    assert_eq!(value, json!([20, 1000, 0, 0.5, 9_007_199_254_740_992_i64]));
    assert_eq!(*normalise(&json!({"a": [20.0, 1.5]})), json!({"a": [20, 1.5]}));
    let normal = json!({"a": [20, 1.5, {"b": null}]});
    assert!(matches!(normalise(&normal), std::borrow::Cow::Borrowed(same) if *same == normal));
}
