//! `aura gate check --raw` and `aura schema` through the built binary.
//!
//! What: files of every sort, streams, exit codes, what is printed. Why: scripts of agent authors stand on these. Not here:
//! the verdicts themselves (`toolcall-schema`), `gate check` on lines (`cli.rs`).

use crate::support::command::aura;
use serde_json::{Value, json};
use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

const MUTE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../fixtures/rejections/ADMITTED-mute-channel.json"
);

fn documents(out: &str) -> Vec<Value> {
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn put(dir: &Path, name: &str, bytes: &[u8]) -> String {
    let path = dir.join(name);
    fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_raw_file_is_one_call_whatever_is_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let call = fs::read(MUTE).unwrap();
    let twice = [call.as_slice(), b"\n", &call].concat();
    let padded = [call.as_slice(), b" \r\n\t\n"].concat();
    // Sparse: 1 GiB that would take seconds and memory to read whole.
    let huge = dir.path().join("huge");
    fs::File::create(&huge).unwrap().set_len(1 << 30).unwrap();
    let files = [
        (put(dir.path(), "good", &call), None),
        (put(dir.path(), "padded", &padded), None),
        (put(dir.path(), "empty", b""), Some("GATE-003")),
        (put(dir.path(), "blank", b"\n\n"), Some("GATE-003")),
        (put(dir.path(), "twice", &twice), Some("GATE-003")),
        (
            put(dir.path(), "binary", &[0, 159, 146, 150, 255]),
            Some("GATE-002"),
        ),
        (put(dir.path(), "nul", &[0; 16]), Some("GATE-003")),
        (
            put(dir.path(), "bom", &[b"\xef\xbb\xbf", call.as_slice()].concat()),
            Some("GATE-003"),
        ),
        (put(dir.path(), "limit", &vec![b'['; 65536]), Some("GATE-005")),
        (put(dir.path(), "above", &vec![b' '; 65537]), Some("GATE-001")),
        (huge.to_str().unwrap().to_owned(), Some("GATE-001")),
    ];
    let mut args = vec!["gate", "check", "--raw", "--json"];
    args.extend(files.iter().map(|(file, _)| file.as_str()));
    let (code, out, err) = aura(&args, b"");
    assert_eq!((code, err.as_str()), (Some(1), ""));
    let got: Vec<_> = documents(&out)
        .into_iter()
        .map(|verdict| {
            (
                verdict["file"].clone(),
                verdict["line"].clone(),
                verdict["admitted"].clone(),
                verdict["code"].clone(),
            )
        })
        .collect();
    let want: Vec<_> = files
        .iter()
        .map(|(file, code)| (json!(file), Value::Null, json!(code.is_none()), json!(code)))
        .collect();
    assert_eq!(got, want);
}

#[test]
fn raw_from_the_standard_input_is_one_call_too() {
    let call = fs::read(MUTE).unwrap();
    for args in [
        &["gate", "check", "--raw", "--json"][..],
        &["gate", "check", "--raw", "--json", "-"],
    ] {
        let (code, out, _) = aura(args, &call);
        assert_eq!(code, Some(0), "{out}");
        let verdict = documents(&out).remove(0);
        assert_eq!(
            (&verdict["file"], &verdict["tool"]),
            (&Value::Null, &json!("comms.mute_channel"))
        );
    }
    let (code, out, _) = aura(&["gate", "check", "--raw"], b"");
    assert_eq!(code, Some(1));
    assert!(
        out.starts_with("standard input: refused GATE-003 at \"\" (syntax): "),
        "{out}"
    );
}

#[test]
fn a_folder_or_a_missing_file_ends_the_check_with_2_after_the_verdicts_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing");
    for bad in [dir.path(), &missing] {
        for raw in [true, false] {
            let mut args = vec!["gate", "check", MUTE, bad.to_str().unwrap()];
            args.extend(raw.then_some("--raw"));
            let (code, out, err) = aura(&args, b"");
            assert_eq!(code, Some(2), "{args:?}");
            assert!(
                err.contains("could not read") && err.contains(bad.to_str().unwrap()),
                "{err}"
            );
            assert!(!raw || out.contains("admitted comms.mute_channel"), "{out}");
        }
    }
}

#[test]
fn an_instance_is_valid_or_every_fault_of_it_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let good = put(
        dir.path(),
        "good.json",
        br#"{"channel_hash":"ch_00112233445566aa","ttl_seconds":1.8e3}"#,
    );
    let bad = put(
        dir.path(),
        "bad.json",
        br#"{"channel_hash":"hilltop","ttl_seconds":59}"#,
    );
    let schema = "args/mute_channel.v1";
    let (code, out, err) = aura(&["schema", "validate", schema, &good], b"");
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "valid\n", ""));
    let (code, out, _) = aura(&["schema", "validate", schema, &bad], b"");
    assert_eq!(
        (code, out.as_str()),
        (
            Some(1),
            "invalid SCHEMA-005 in the instance at \"/channel_hash\" (pattern ^ch_[0-9a-f]{16}$): the text must match the pattern\n\
             invalid SCHEMA-005 in the instance at \"/ttl_seconds\" (minimum 60): the number is too small\n"
        )
    );
    let (code, out, _) = aura(
        &["schema", "validate", "--json", schema, "-"],
        br#"{"channel_hash":7,"ttl_seconds":60}"#,
    );
    let want = json!({"valid": false, "errors": [{
        "code": "SCHEMA-005", "in": "instance", "pointer": "/channel_hash", "schema_pointer": "/properties/channel_hash/type",
        "keyword": "type", "limit": "string", "message": "another type is wanted here",
    }]});
    assert_eq!((code, documents(&out)), (Some(1), vec![want]));
}

#[test]
fn each_line_of_a_stream_has_its_verdict_and_a_bad_line_ends_nothing() {
    let long = format!(r#"{{"schema":true,"instance":"{}"}}"#, "x".repeat(1 << 21));
    let lines = [
        r#"{"schema":"args/mute_channel.v1","instance":{"channel_hash":"ch_00112233445566aa","ttl_seconds":60}}"#,
        "",
        "nonsense",
        r#"{"schema":true}"#,
        r#"{"schema":{"type":7},"instance":1}"#,
        r##"{"schema":{"$ref":"#/nowhere"},"instance":1}"##,
        r#"{"schema":{"type":"null"},"instance":1}"#,
        r#"{"schema":{"type":"null"},"instance":null}"#,
        r#"{"schema":true,"schema":true,"instance":1}"#,
        &long,
        r#"{"schema":false,"instance":1}"#,
    ];
    let (code, out, err) = aura(
        &["schema", "validate", "--json", "-"],
        lines.join("\n").as_bytes(),
    );
    assert_eq!((code, err.as_str()), (Some(1), ""));
    let got: Vec<_> = documents(&out)
        .into_iter()
        .map(|verdict| {
            let first = &verdict["errors"][0];
            (
                verdict["line"].as_u64().unwrap(),
                verdict["valid"] == true,
                first["code"].clone(),
                first["keyword"].clone(),
            )
        })
        .collect();
    let bad = |line, code: &str, keyword: &str| (line, false, json!(code), json!(keyword));
    let want = [
        (1, true, Value::Null, Value::Null),
        bad(3, "SCHEMA-001", "syntax"),
        bad(4, "SCHEMA-002", "required"),
        bad(5, "SCHEMA-003", "anyOf"),
        bad(6, "SCHEMA-004", "$ref"),
        bad(7, "SCHEMA-005", "type"),
        (8, true, Value::Null, Value::Null),
        bad(9, "SCHEMA-001", "duplicate key"),
        bad(10, "SCHEMA-001", "size"),
        bad(11, "SCHEMA-005", "falseSchema"),
    ];
    assert_eq!(got, want);
    let (code, out, _) = aura(
        &["schema", "validate", "-"],
        b"{\"schema\":true,\"instance\":1}\n\n{\"schema\":false,\"instance\":1}",
    );
    assert_eq!(
        (code, out.as_str()),
        (
            Some(1),
            "line 1: valid\nline 3: invalid SCHEMA-005 in the instance at \"\" (falseSchema): nothing may stand here; remove it\n\
             2 checked, 1 invalid\n"
        )
    );
}

#[test]
fn a_verdict_leaves_before_the_next_line_is_read() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["schema", "validate", "-"])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    for number in 1..=3 {
        input.write_all(b"{\"schema\":true,\"instance\":1}\n").unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        assert_eq!(line, format!("line {number}: valid\n"));
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn formats_and_drafts_are_as_the_flags_say() {
    let dir = tempfile::tempdir().unwrap();
    let date = put(dir.path(), "date.json", br#"{"format":"date"}"#);
    let old = put(
        dir.path(),
        "old.json",
        br#"{"minimum":5,"exclusiveMinimum":true}"#,
    );
    for (args, input, expected) in [
        (&["schema", "validate", &date, "-"][..], "\"2026-02-29\"", 0),
        (
            &["schema", "validate", "--assert-format", &date, "-"],
            "\"2026-02-29\"",
            1,
        ),
        (&["schema", "validate", "--draft", "4", &old, "-"], "6", 0),
        (&["schema", "validate", "--draft", "4", &old, "-"], "5", 1),
        (&["schema", "validate", &old, "-"], "6", 1),
        (&["schema", "validate", "--draft", "3", &old, "-"], "6", 2),
        (&["schema", "validate", &old], "", 2),
        (&["schema", "validate", "no/such.v1", "-"], "6", 2),
        (&["schema", "validate", &old, "/nonexistent"], "", 2),
        (&["schema", "show", "no/such.v1"], "", 1),
    ] {
        let (code, out, err) = aura(args, input.as_bytes());
        assert_eq!(code, Some(expected), "{args:?}: {out}{err}");
    }
}

#[test]
fn a_format_that_nothing_checks_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let schema = br#"{"properties": {"a": {"format": "idn-email"}, "b": {"items": {"format": "zip\u001b"}}, "c": {"format": "date"},
        "d": {"enum": [{"format": "an example"}]}, "format": true}}"#;
    let schema = put(dir.path(), "schema.json", schema);
    let seven = br#"{"$schema": "http://json-schema.org/draft-07/schema#", "format": "duration"}"#;
    let seven = put(dir.path(), "seven.json", seven);
    let ask = |schema: &str, instance: &str, more: &[&str]| {
        let args = [&["schema", "validate"][..], more, &[schema, "-"]].concat();
        aura(&args, instance.as_bytes())
    };
    // The exit code is that of what could be checked.
    for (instance, code) in [(r#"{"a": "no mail"}"#, 0), (r#"{"c": "no date"}"#, 1)] {
        let (got, out, err) = ask(&schema, instance, &["--assert-format"]);
        assert_eq!(got, Some(code), "{out}{err}");
        let warned: Vec<&str> = err.lines().collect();
        assert_eq!(warned.len(), 2, "{err}");
        for (line, format) in warned.iter().zip(["idn-email", "zip\\u{1b}"]) {
            assert!(line.contains("SCHEMA-006") && line.contains(format), "{err}");
        }
        let (got, out, err) = ask(&schema, instance, &["--assert-format", "--json"]);
        assert_eq!((got, err.as_str()), (Some(code), ""), "{out}");
        let named = &documents(&out)[0]["unchecked_formats"];
        assert_eq!(*named, json!(["idn-email", "zip\u{1b}"]));
        let (_, out, err) = ask(&schema, instance, &["--json"]);
        assert!(err.is_empty() && documents(&out)[0].get("unchecked_formats").is_none());
    }
    // A format may be known to one draft only.
    for (draft, named) in [(&[][..], 1), (&["--draft", "2019-09"], 0)] {
        let (code, _, err) = ask(&seven, "\"P1D\"", &[&["--assert-format"][..], draft].concat());
        assert_eq!(
            (code, err.matches("SCHEMA-006").count()),
            (Some(0), named),
            "{err}"
        );
    }
    let lines = b"{\"schema\":{\"format\":\"x\"},\"instance\":\"\"}\n{\n{\"schema\":true,\"instance\":1}\n";
    let (_, out, _) = aura(&["schema", "validate", "--assert-format", "--json", "-"], lines);
    let named: Vec<_> = documents(&out)
        .into_iter()
        .map(|line| line["unchecked_formats"].clone())
        .collect();
    assert_eq!(named, [json!(["x"]), json!([]), json!([])]);
}

#[test]
fn the_schemas_of_aura_are_listed_and_shown_as_they_are() {
    let (code, out, _) = aura(&["schema", "list", "--json"], b"");
    assert_eq!(code, Some(0));
    let listed = documents(&out);
    assert!(listed.iter().any(|row| row["name"] == "toolcall.v1"), "{out}");
    for row in listed {
        let (name, address) = (row["name"].as_str().unwrap(), row["address"].as_str().unwrap());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../toolcall-schema/src/schemas");
        let text = fs::read_to_string(path.join(format!("{name}.json"))).unwrap();
        for asked in [name, address] {
            assert_eq!(aura(&["schema", "show", asked], b"").1, text, "{asked}");
        }
    }
}
