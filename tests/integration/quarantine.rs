//! The quarantine as the operator meets it: commands of the built binary on real folders, beside a running service or not.
//!
//! What: filters, following, replay, fixtures, statistics, purging, a full disk, hostile text. Why: `docs/quarantine.md`
//! promises it. Not here: the files themselves (`aura-memory`), the gate's verdicts (`toolcall-schema`).

use crate::support::{Service, command};
use aura_days::day::{DayScript, differences};
use aura_memory::quarantine::{
    MessageQuarantine, QuarantineEntry, QuarantineKind, QuarantineLimits, QuarantineWriter, file_path,
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
};
use tempfile::TempDir;
use toolcall_schema::{
    AgentName, Timestamp,
    ids::{CallId, OwnerSeed, SecretKey},
    protocol::manifest::Protocol,
    rejection::RefusalReason,
};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");

/// A command about the quarantine of a folder: exit code, standard output, standard error.
fn aura(args: &[&str], data: &Path) -> (Option<i32>, String, String) {
    let data = ["--data", data.to_str().unwrap()];
    command::aura(&[&["quarantine"], args, &data].concat(), &[])
}

/// The JSON lines that a command prints, and its exit code.
fn json_of(args: &[&str], data: &Path) -> (Option<i32>, Vec<Value>) {
    let (code, out, err) = aura(&[args, &["--json"]].concat(), data);
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{args:?}: {out}{err}"));
    (code, out.lines().map(parse).collect())
}

fn entry(at: &str, code: &str, pointer: &str, raw: &[u8]) -> QuarantineEntry {
    let why = RefusalReason {
        code: code.to_owned(),
        pointer: pointer.to_owned(),
        message: "a plain sentence".to_owned(),
    };
    QuarantineEntry::new(Timestamp::parse(at).unwrap(), why, "cafe", raw)
}

fn of(agent: AgentName, tool: &str, entry: QuarantineEntry) -> QuarantineEntry {
    QuarantineEntry {
        agent: Some(agent),
        tool: Some(tool.to_owned()),
        ..entry
    }
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(FIXTURES).join("rejections").join(name)).unwrap()
}

/// A folder whose quarantine holds these, in this order.
fn holding(lines: Vec<(QuarantineKind, QuarantineEntry)>) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let quarantine = QuarantineWriter::open(dir.path()).unwrap();
    for (kind, entry) in lines {
        quarantine.record(kind, entry);
    }
    dir
}

fn flush(quarantine: &QuarantineWriter) {
    let (tell, told) = mpsc::channel();
    quarantine
        .flush(Box::new(move || tell.send(()).unwrap()))
        .unwrap();
    told.recv().unwrap();
}

#[test]
fn list_shows_what_was_asked_for_by_code_agent_and_time() {
    let comms = |at, code| of(AgentName::Comms, "mute_channel", entry(at, code, "/args", b"a"));
    let calls = vec![
        comms("2026-11-03T08:00:00Z", "GATE-009"),
        comms("2026-11-03T09:00:00Z", "GATE-010"),
        entry("2026-11-03T10:00:00Z", "GATE-009", "", b"b"),
        comms("2026-11-03T11:00:00Z", "GATE-009"),
    ];
    let dir = holding(
        calls
            .into_iter()
            .map(|entry| (QuarantineKind::Calls, entry))
            .collect(),
    );
    for (args, expected) in [
        (&[][..], &[1, 2, 3, 4][..]),
        (&["--limit", "2"], &[3, 4]),
        (&["--code", "GATE-009"], &[1, 3, 4]),
        (&["--code", "GATE-009", "--limit", "1"], &[4]),
        (&["--agent", "comms", "--code", "GATE-009"], &[1, 4]),
        (&["--agent", "finance"], &[]),
        (&["--since", "2026-11-03T09:00:00Z"], &[2, 3, 4]),
        (
            &[
                "--since",
                "2026-11-03T14:30:00+05:30",
                "--until",
                "2026-11-03T10:00:00Z",
            ],
            &[2, 3],
        ),
        (&["--kind", "results"], &[]),
    ] {
        let (code, lines) = json_of(&[&["list"], args].concat(), dir.path());
        let numbers: Vec<u64> = lines.iter().map(|line| line["n"].as_u64().unwrap()).collect();
        assert_eq!((code, &numbers[..]), (Some(0), expected), "{args:?}");
    }
    for (args, wanted) in [
        (&["list", "--code", "GATE-9"][..], "they look like GATE-009"),
        (
            &["list", "--agent", "weather"],
            "there are comms, calendar, finance, wellness, orchestrator",
        ),
        (&["list", "--since", "yesterday"], "neither RFC 3339"),
        (&["list", "--limit", "0"], "0 is not in 1..=100000"),
        (&["purge"], "--older-than"),
        (&["purge", "--older-than", "soon"], "not a span"),
        (&["replay", "--as-fixture"], "required"),
    ] {
        let (code, _, err) = aura(args, dir.path());
        assert!(
            code == Some(2) && err.contains(wanted),
            "{args:?}: {code:?} {err}"
        );
    }
    assert_eq!(
        aura(&["list", "--agent", "finance"], dir.path()).1,
        "Nothing of that was refused.\n"
    );
}

#[test]
fn show_takes_the_beginning_of_a_hash_and_says_when_it_is_not_enough() {
    // SHA-256 of "a" begins with ca978112 (NIST's one-letter example), of "b" with 3e23e816.
    let at = "2026-11-03T08:00:00Z";
    let calls = [(b"a", "GATE-003"), (b"b", "GATE-003"), (b"a", "GATE-007")];
    let lines = calls
        .iter()
        .map(|(raw, code)| (QuarantineKind::Calls, entry(at, code, "", *raw)))
        .collect();
    let dir = holding(lines);
    for (sha, n) in [("ca9781", 3), ("ca978112ca", 3), ("3e23e8", 2)] {
        let (code, shown) = json_of(&["show", sha], dir.path());
        assert_eq!((code, &shown[0]["n"]), (Some(0), &json!(n)), "{sha}");
    }
    let (code, _, err) = aura(&["show", "abcdef"], dir.path());
    assert!(
        code == Some(1) && err.contains("no line with sha256 abcdef"),
        "{err}"
    );
}

#[test]
fn follow_shows_lines_as_they_come_and_goes_on_when_files_are_sealed_and_purged() {
    let dir = tempfile::tempdir().unwrap();
    let limits = QuarantineLimits {
        part_bytes: 600,
        ..QuarantineLimits::DEFAULT
    };
    let quarantine = QuarantineWriter::open_with(dir.path(), limits).unwrap();
    let write = |n: i64| {
        let why = RefusalReason {
            code: "GATE-003".to_owned(),
            pointer: String::new(),
            message: String::new(),
        };
        quarantine.record(
            QuarantineKind::Calls,
            QuarantineEntry::new(Timestamp::from_ms(n), why, "cafe", b"x"),
        );
        flush(&quarantine);
    };
    write(1);
    let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["quarantine", "list", "--follow", "--json", "--data"])
        .arg(dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut seen = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok)
        .map(|line| serde_json::from_str::<Value>(&line).unwrap()["entry"]["ts"].clone());
    assert_eq!(seen.next(), Some(json!("1970-01-01T00:00:00.001Z")));
    for n in 2..=9 {
        write(n);
        if n == 6 {
            let (tell, told) = mpsc::channel();
            let before = Timestamp::from_ms(6);
            let ack = Box::new(move |done: Result<_, _>| tell.send(done.is_ok()).unwrap());
            quarantine.purge(before, false, ack).unwrap();
            assert!(told.recv().unwrap());
        }
        if n % 2 == 0 {
            continue;
        }
        let two: Vec<Value> = seen.by_ref().take(2).collect();
        let ts = |n| json!(format!("1970-01-01T00:00:00.00{n}Z"));
        assert_eq!(two, [ts(n - 1), ts(n)], "each once, in order");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn replay_says_what_would_pass_today_and_what_cannot_be_said() {
    let at = "2026-11-03T08:00:00Z";
    let good = fixture("ADMITTED-mute-channel.json");
    let short = fixture("GATE-009-too-short.json");
    let key: SecretKey = OwnerSeed::from_day_seed("replay").key("quarantine");
    let draft =
        br#"{"call_id":"t_abcde01234","effects":[{"effect":"outbox_file","name":"a","text":"Will do"}]}"#;
    let (redacted, _) = toolcall_schema::gate::redact(
        draft,
        toolcall_schema::ToolName::find(AgentName::Comms, "draft_reply"),
        &key,
    );
    let dir = holding(vec![
        (QuarantineKind::Calls, entry(at, "GATE-008", "/tool", &good)),
        (
            QuarantineKind::Calls,
            entry(at, "GATE-011", "/deadline_ms", &good),
        ),
        (
            QuarantineKind::Calls,
            entry(at, "GATE-009", "/args/ttl_seconds", &short),
        ),
        (QuarantineKind::Calls, entry(at, "GATE-008", "/tool", &short)),
        (QuarantineKind::Calls, entry(at, "GATE-002", "", b"\xff")),
        (
            QuarantineKind::Results,
            of(
                AgentName::Comms,
                "draft_reply",
                entry(at, "RESULT-005", "/effects/0", draft).showing(redacted.as_bytes()),
            ),
        ),
        (QuarantineKind::Results, entry(at, "RESULT-001", "", b"{")),
        (
            QuarantineKind::Results,
            QuarantineEntry {
                call_id: CallId::parse("t_abcde01234").ok(),
                ..of(
                    AgentName::Comms,
                    "mute_channel",
                    entry(
                        at,
                        "RESULT-003",
                        "/result",
                        br#"{"call_id":"t_abcde01234","error":"too_late","effects":[]}"#,
                    ),
                )
            },
        ),
        (QuarantineKind::Traces, entry(at, "TRACE-001", "", b"{}")),
    ]);
    let judged = |args: &[&str]| {
        let (code, lines) = json_of(&[&["replay"], args].concat(), dir.path());
        let short: Vec<Value> = lines
            .iter()
            .map(|line| json!([line["n"], line["verdict"], line["now"]["code"], line["same"]]))
            .collect();
        (code, short)
    };
    let still = |n: u64, code: &str, same: bool| json!([n, "refused", code, same]);
    let calls = vec![
        json!([1, "passes", null, false]),
        json!([2, "passes_otherwise", null, true]),
        still(3, "GATE-009", true),
        still(4, "GATE-009", false),
        still(5, "GATE-002", true),
    ];
    assert_eq!(judged(&[]), (Some(1), calls.clone()));
    assert_eq!(judged(&["1", "2"]), (Some(0), calls[..2].to_vec()));
    assert_eq!(judged(&["--code", "GATE-002"]), (Some(1), calls[4..].to_vec()));
    let results = vec![
        json!([1, "not_replayable", null, false]),
        json!([2, "not_replayable", null, false]),
        json!([3, "passes", null, false]),
    ];
    assert_eq!(judged(&["--kind", "results"]), (Some(0), results));
    assert_eq!(
        judged(&["--kind", "traces"]),
        (Some(1), vec![still(1, "TRACE-001", true)])
    );
    let (_, text, _) = aura(&["replay"], dir.path());
    assert!(
        text.ends_with("2 would pass, 3 refused (1 of them for another reason), 0 cannot be replayed\n"),
        "{text}"
    );
}

#[test]
fn fixture_of_a_refused_call_is_refused_by_gate_check_at_the_same_place_and_holds_no_text() {
    let data = tempfile::tempdir().unwrap();
    let day = DayScript::read(&Path::new(FIXTURES).join("days/invalid-call")).unwrap();
    day.play(&data.path().join("data")).unwrap();
    let data = data.path().join("data");
    let folder = tempfile::tempdir().unwrap();
    let into = format!("--as-fixture={}", folder.path().display());
    let (code, text, err) = aura(&["replay", "1", &into], &data);
    assert!(
        code == Some(1) && text.contains("look at it before you share it"),
        "{text}{err}"
    );
    let mut written: Vec<PathBuf> = fs::read_dir(folder.path())
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    written.sort();
    let [expected, call] = &written[..] else {
        panic!("{written:?}")
    };
    assert!(
        call.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("GATE-009-pattern-"),
        "{call:?}"
    );
    // The day's fault says `the visit at four` where an event's id belongs; no text at all does not match either.
    let bytes: Value = serde_json::from_slice(&fs::read(call).unwrap()).unwrap();
    assert_eq!(bytes["args"]["event_id"], "");
    assert_eq!(
        bytes.as_object().unwrap().len(),
        6,
        "what the envelope requires: {bytes}"
    );
    let expected: Value = serde_json::from_slice(&fs::read(expected).unwrap()).unwrap();
    assert_eq!(
        expected,
        json!({ "code": "GATE-009", "pointer": "/args/event_id" })
    );
    let checked = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["gate", "check", "--raw", "--json"])
        .arg(call)
        .output()
        .unwrap();
    let verdict: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!(
        (&verdict["code"], &verdict["pointer"]),
        (&expected["code"], &expected["pointer"])
    );

    let (code, _, err) = aura(&["replay", "1", &into], &data);
    assert!(
        code == Some(2) && err.contains("--as-fixture=DIR"),
        "never over another one: {err}"
    );
}

#[test]
fn what_passes_depends_on_time_or_was_redacted_is_no_fixture() {
    let at = "2026-11-03T08:00:00Z";
    let good = fixture("ADMITTED-mute-channel.json");
    let dir = holding(vec![
        (QuarantineKind::Calls, entry(at, "GATE-008", "/tool", &good)),
        (QuarantineKind::Calls, entry(at, "GATE-011", "/ts", &good)),
        (
            QuarantineKind::Calls,
            entry(at, "GATE-007", "", b"{}").showing(b"[private: 2 bytes, 00]"),
        ),
    ]);
    let into = format!("--as-fixture={}", dir.path().display());
    for (n, wanted) in [
        ("1", "it passes today"),
        ("2", "depends on the time"),
        ("3", "it was redacted"),
    ] {
        let (code, _, err) = aura(&["replay", n, &into], dir.path());
        assert!(code == Some(1) && err.contains(wanted), "{n}: {err}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "only `errors`");
}

#[test]
fn no_command_lets_a_kept_line_steer_the_terminal_and_the_file_has_it_verbatim() {
    let nasty = "\0\u{1b}[2J\u{7f}\u{85}\u{9b}31m\r\u{200f}\u{202e}\u{2066}\u{feff}evil";
    let hostile = QuarantineEntry {
        tool: Some(nasty.to_owned()),
        ..entry("2026-11-03T08:00:00Z", "GATE-003", nasty, nasty.as_bytes())
    };
    let dir = holding(vec![(QuarantineKind::Calls, hostile)]);
    let path = file_path(QuarantineKind::Calls, dir.path());
    let line: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(line["raw"], nasty);
    let steers = |c: char| {
        c != '\n'
            && (c.is_control()
                || matches!(c, '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
    };
    for args in [&["list"][..], &["show", "1"], &["stats"], &["replay"]] {
        for json in [&[][..], &["--json"]] {
            let (_, out, err) = aura(&[args, json].concat(), dir.path());
            assert!(
                out.contains("evil") && !out.contains(steers) && err.is_empty(),
                "{args:?}: {out:?} {err}"
            );
        }
    }
    let (_, shown) = json_of(&["show", "1"], dir.path());
    assert_eq!(shown[0]["entry"]["raw"], nasty);
}

#[test]
fn a_call_that_cannot_be_kept_is_refused_all_the_same() {
    let day = DayScript::read(&Path::new(FIXTURES).join("days/invalid-call")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = file_path(QuarantineKind::Calls, dir.path());
    fs::create_dir(path.parent().unwrap()).unwrap();
    // Every write to this device fails as on a full disk.
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    let played = day.played(dir.path()).unwrap();
    assert_eq!(
        differences(day.day.expected.as_deref().unwrap(), &played),
        Vec::<String>::new()
    );
    fs::remove_file(&path).unwrap();
    let free = tempfile::tempdir().unwrap();
    assert_eq!(
        played,
        day.played(free.path()).unwrap(),
        "only the copy is missing"
    );
}

#[test]
fn running_service_removes_what_is_too_old_purges_for_others_and_counts() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("home.toml"), "zone = \"UTC\"\n").unwrap();
    let data = home.path().join("data");
    let now = chrono::Utc::now();
    let ago = |days| {
        let at = now - chrono::TimeDelta::days(days);
        entry(&at.to_rfc3339(), "GATE-003", "", b"x")
    };
    fs::create_dir(&data).unwrap();
    let quarantine = QuarantineWriter::open(&data).unwrap();
    for days in [40, 31, 29, 2, 0] {
        quarantine.record(QuarantineKind::Calls, ago(days));
    }
    drop(quarantine);
    let service = Service::start(&home.path().join("home.toml"), &data);
    let stats = || json_of(&["stats"], &data).1.remove(0);
    let kept = |stats: &Value| {
        (
            stats["calls"]["entries"].clone(),
            stats["service"]["purged"].clone(),
        )
    };
    service.until("purge at the start", |_| {
        (kept(&stats()) == (json!(3), json!(2))).then_some(())
    });

    let before = fs::read_dir(data.join("errors")).unwrap().count();
    let dry = json_of(&["purge", "--older-than", "1d", "--dry-run"], &data);
    let lines = |done: &(Option<i32>, Vec<Value>)| (done.0, done.1[0]["purged"]["lines"].clone());
    assert_eq!(lines(&dry), (Some(0), json!(2)));
    assert_eq!(fs::read_dir(data.join("errors")).unwrap().count(), before);
    assert_eq!(
        lines(&json_of(&["purge", "--older-than", "1d"], &data)),
        (Some(0), json!(2))
    );
    let now = stats();
    assert_eq!(kept(&now), (json!(1), json!(4)));
    assert_eq!(now["service"]["failing"], json!(false));
    service.kill();

    assert_eq!(
        lines(&json_of(&["purge", "--older-than", "0s"], &data)),
        (Some(0), json!(1))
    );
    let now = stats();
    assert_eq!(
        (kept(&now), &now["service"]),
        ((json!(0), Value::Null), &Value::Null)
    );
}

#[test]
fn what_programs_said_is_listed_shown_counted_judged_and_purged_like_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let quarantine = MessageQuarantine::new(dir.path().to_owned());
    let output = |success: bool| {
        format!(r#"{{"success":{success},"summary":"","artifacts":[],"recommendation":"proceed"}}"#)
    };
    let keep = |at: &str, program: &str, code: &str, said: &str| {
        let why = RefusalReason {
            code: code.to_owned(),
            pointer: "/recommendation".to_owned(),
            message: "a plain sentence".to_owned(),
        };
        let ts = Timestamp::parse(at).unwrap();
        quarantine
            .keep(ts, (program, Protocol::Envelope), why, said.as_bytes())
            .unwrap();
    };
    keep("2025-01-01T00:00:00Z", "old", "PROTO-004", &output(false));
    keep("2026-11-03T08:00:00Z", "writer", "PROTO-004", &output(false));
    keep("2026-11-03T08:00:01Z", "writer", "ARTIFACT-002", &output(true));
    keep("2026-11-03T08:00:02Z", "reader", "PROTO-004", &output(true));
    keep("2026-11-03T08:00:03Z", "reader", "PROTO-001", &"x".repeat(70_000));
    let of = |args: &[&str]| json_of(&[args, &["--kind", "messages"]].concat(), dir.path());

    let (code, lines) = of(&["list", "--program", "writer"]);
    let numbers: Vec<&Value> = lines.iter().map(|line| &line["n"]).collect();
    assert_eq!((code, numbers), (Some(0), vec![&json!(2), &json!(3)]));
    let (_, lines) = of(&["list", "--code", "ARTIFACT-002"]);
    assert_eq!(lines.len(), 1);
    let (_, shown) = of(&["show", "2"]);
    let entry = &shown[0]["entry"];
    assert_eq!(
        (&entry["program"], &entry["protocol"], &entry["raw"]),
        (&json!("writer"), &json!("envelope"), &json!(output(false)))
    );
    let (_, shown) = of(&["show", "5"]);
    let entry = &shown[0]["entry"];
    let raw = entry["raw"].as_str().unwrap();
    assert_eq!((raw.len(), &entry["bytes"]), (65_536, &json!(70_000)));

    let (code, judged) = of(&["replay"]);
    let verdicts: Vec<Value> = judged
        .iter()
        .map(|line| json!([line["n"], line["verdict"], line["same"]]))
        .collect();
    assert_eq!(
        (code, verdicts),
        (
            Some(1),
            vec![
                json!([1, "refused", true]),
                json!([2, "refused", true]),
                json!([3, "passes_otherwise", true]),
                json!([4, "passes", false]),
                json!([5, "not_replayable", false]),
            ]
        )
    );

    let (_, stats) = json_of(&["stats"], dir.path());
    let messages = &stats[0]["messages"];
    assert_eq!(
        (&messages["entries"], &messages["by_tool"]),
        (&json!(5), &json!({ "old": 1, "reader": 2, "writer": 2 }))
    );
    let age = chrono::Utc::now()
        - chrono::DateTime::parse_from_rfc3339("2025-06-01T00:00:00Z")
            .unwrap()
            .to_utc();
    let older = format!("{}d", age.num_days());
    let (code, _) = json_of(&["purge", "--older-than", &older], dir.path());
    let (_, lines) = of(&["list"]);
    assert_eq!((code, lines.len()), (Some(0), 4));
}
