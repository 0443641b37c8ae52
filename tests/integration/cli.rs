//! The built binary's commands, on the data folder that a recorded day leaves.
//!
//! What: tables of commands with their exit code and what they print. Why: what people and scripts see is what was
//! promised in `docs/cli.md`. Not here: the days themselves (`days.rs`), the service (`kill.rs`).

use crate::support::{
    command::{self, json_lines},
    folder_after,
};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");

/// What a command did.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

fn aura(args: &[&str], input: &[u8]) -> Ended {
    let (code, out, err) = command::aura(args, input);
    Ended { code, out, err }
}

/// The members of a JSON object that are named, in that order.
fn members(value: &Value, names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| value[*name].clone()).collect()
}

#[test]
fn commands_end_with_the_documented_code_and_say_why() {
    let empty = tempfile::tempdir().unwrap();
    let empty = empty.path().to_str().unwrap();
    let config = tempfile::tempdir().unwrap();
    let config = config.path().join("home.toml");
    fs::write(&config, "zone = \"UTC\"\ncieling = 2\n").unwrap();
    let config = config.to_str().unwrap();
    for (args, code, wanted) in [
        (&["--version"][..], 0, "aura 0.1.0"),
        (&["--help"], 0, "Exit codes: 0 ok"),
        (&[], 3, "no data folder is named and HOME is not set"),
        (&["frobnicate"], 2, "unrecognized subcommand"),
        (
            &["trace", "list"],
            3,
            "no data folder is named and HOME is not set",
        ),
        (&["trace", "list", "--data", empty], 4, "STORE-004"),
        (
            &["trace", "list", "--data", empty, "--limit", "0"],
            2,
            "0 is not in 1..=100000",
        ),
        (&["trace", "show", "tr-0", "--data", empty], 2, "not a trace id"),
        (&["trace", "why", "--data", empty], 2, "required"),
        (&["ledger", "--data", empty], 4, "STORE-004"),
        (
            &["ledger", "--data", empty, "--day", "yesterday"],
            2,
            "invalid value 'yesterday'",
        ),
        (
            &["quarantine", "list", "--data", empty],
            0,
            "Nothing was refused.",
        ),
        (
            &["quarantine", "list", "--data", "/nonexistent/aura"],
            4,
            "STORE-004",
        ),
        (
            &["quarantine", "show", "1", "--data", empty],
            1,
            "there is no line 1",
        ),
        (
            &["quarantine", "show", "0", "--data", empty],
            2,
            "0 is not in 1..",
        ),
        (
            &["gate", "check", "/nonexistent/calls"],
            2,
            "could not read /nonexistent/calls",
        ),
        (&["gate", "check", "--now", "noon"], 2, "invalid value 'noon'"),
        (&["doctor", "--data", "/nonexistent/aura"], 1, "is not there"),
        (
            &["doctor", "--data", empty, "--home", "/nonexistent/home.toml"],
            1,
            "CONF-001",
        ),
        (&["doctor", "--data", empty, "--home", config], 1, "cieling"),
        (&["run", "--data", empty, "--home", config], 3, "CONF-002"),
        (
            &["run", "--data", empty, "--home", "/nonexistent/home.toml"],
            3,
            "CONF-001",
        ),
        (&["status", "--data", empty], 1, "no service runs on"),
    ] {
        let ended = aura(args, b"");
        let said = format!("{}{}", ended.out, ended.err);
        assert_eq!(ended.code, Some(code), "{args:?}\n{said}");
        assert!(said.contains(wanted), "{args:?} should say {wanted:?}:\n{said}");
    }
}

#[test]
fn line_of_a_file_is_quoted_in_part_however_long_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let long = "x".repeat(100_000);
    let file = |name: &str, text: String| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let data = dir.path().join("data");
    let (data, key) = (data.to_str().unwrap(), dir.path().join("key"));
    let at = ["--data", data, "--key-file", key.to_str().unwrap()];
    let settings = [
        format!("{long} = 1\n"),
        format!("zone = \"{long}\n"),
        format!("zone = \"{long}\"\n"),
        format!("zone = \"UTC\"\nclock = \"{long}\"\n"),
    ];
    for (n, text) in settings.into_iter().enumerate() {
        let home = file(&format!("{n}.toml"), text);
        for command in ["run", "tick", "doctor"] {
            let ended = aura(&[&[command, "--home", &home][..], &at].concat(), b"");
            let said = format!("{}{}", ended.out, ended.err);
            assert!(said.contains("CONF-00") && said.contains(" bytes …]"), "{said}");
            assert!(said.len() < 10_000, "{n} {command}: {} bytes", said.len());
        }
    }
    let workflow = file("workflow.toml", format!("name = \"w\"\n{long} = 1\n"));
    let ended = aura(&["workflow", "check", &workflow], b"");
    assert!(ended.out.contains(" bytes …]"), "{}{}", ended.out, ended.err);
    assert!(ended.out.len() < 10_000, "{} bytes", ended.out.len());
}

#[test]
fn looking_for_what_is_kept_makes_no_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (data, key, home) = (
        dir.path().join("data"),
        dir.path().join("key"),
        dir.path().join("home.toml"),
    );
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let at = [
        ["--data", data.to_str().unwrap()],
        ["--key-file", key.to_str().unwrap()],
        ["--home", home.to_str().unwrap()],
    ];
    for args in [
        &["history"][..],
        &["undo"],
        &["ask", "--list"],
        &["learned", "list"],
        &["device", "list"],
        &["device", "revoke", "d1"],
    ] {
        let ended = aura(&[args, &at.concat()].concat(), b"");
        assert_eq!(ended.code, Some(4), "{args:?}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains("STORE-004"), "{args:?}: {}", ended.err);
    }
    assert!(!data.exists() && !key.exists());
}

#[test]
fn gate_check_gives_one_verdict_a_line_with_code_and_pointer() {
    let ended = aura(&["gate", "check", "-"], br#"{"call_id":"x"}"#);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(
        ended.out,
        "line 1: refused GATE-007 at \"\" (required agent): a required member is missing; add it\n1 checked, 1 refused\n"
    );

    let good = fs::read_to_string(Path::new(FIXTURES).join("rejections/ADMITTED-mute-channel.json")).unwrap();
    let good = good.replace('\n', " ");
    // An admitted call, an empty line, not JSON, and a line that is one byte too long.
    let input = format!("{good}\n\n{{\n{}\n{good}", "x".repeat(64 * 1024 + 1));
    let ended = aura(&["gate", "check", "--json"], input.as_bytes());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let verdicts: Vec<Vec<Value>> = json_lines(&ended.out)
        .iter()
        .map(|v| members(v, &["line", "admitted", "tool", "code"]))
        .collect();
    let expected = serde_json::json!([
        [1, true, "comms.mute_channel", null],
        [3, false, null, "GATE-003"],
        [4, false, null, "GATE-001"],
        [5, true, "comms.mute_channel", null],
    ]);
    assert_eq!(serde_json::to_value(verdicts).unwrap(), expected);
}

#[test]
fn gate_check_gives_each_fixture_the_verdict_in_its_name() {
    // 5001 ms before one file's `ts`, 5000 ms after another's, whose deadline is 5000 ms; the others are stamped at 02:15:00.
    let now = "2026-11-03T02:15:00.500Z";
    let mut files: Vec<PathBuf> = fs::read_dir(Path::new(FIXTURES).join("rejections"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let ended = aura(
            &[
                "gate",
                "check",
                "--raw",
                "--json",
                "--now",
                now,
                file.to_str().unwrap(),
            ],
            b"",
        );
        let verdict: Value = serde_json::from_str(&ended.out).unwrap();
        let (code, admitted) = (&verdict["code"], &verdict["admitted"]);
        if name.starts_with("ADMITTED") {
            assert_eq!(
                (ended.code, admitted),
                (Some(0), &Value::Bool(true)),
                "{name}: {verdict}"
            );
        } else {
            assert_eq!(
                (ended.code, admitted),
                (Some(1), &Value::Bool(false)),
                "{name}: {verdict}"
            );
            assert!(name.starts_with(code.as_str().unwrap()), "{name}: {verdict}");
        }
    }
}

#[test]
fn trace_list_has_every_decision_of_the_day_newest_first() {
    let (_dir, data) = folder_after("budget-exhausted");
    let ended = aura(&["trace", "list", "--data", &data, "--json"], b"");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let rows: Vec<Vec<Value>> = json_lines(&ended.out)
        .iter()
        .map(|row| members(row, &["tick", "trigger", "chosen", "outcome", "reason_code"]))
        .collect();
    // From the day's expected.json.
    let expected = serde_json::json!([
        [4, "phone_unlock", "do_nothing", "silent", "cap_daily"],
        [3, "interval", "do_nothing", "silent", "no_candidate"],
        [2, "interval", "do_nothing", "silent", "no_candidate"],
        // What the confirmation taught, behind its tick.
        [1, "call", "comms.learn_from_act", "executed_auto", null],
        [1, "phone_unlock", "DRAFT_REPLY", "confirmed", null],
    ]);
    assert_eq!(serde_json::to_value(rows).unwrap(), expected);
    for (args, lines) in [
        (&["--limit", "2"][..], 2),
        (&["--day", "2026-11-03"], 5),
        (&["--day", "2026-11-02"], 0),
        (&["--day", "2026-11-04"], 0),
    ] {
        let ended = aura(
            &[&["trace", "list", "--json", "--data", &data], args].concat(),
            b"",
        );
        assert_eq!(
            (ended.code, ended.out.lines().count()),
            (Some(0), lines),
            "{args:?}"
        );
    }
}

#[test]
fn trace_show_prints_the_stored_bytes_or_the_five_sections() {
    let (_dir, data) = folder_after("budget-exhausted");
    let list = aura(&["trace", "list", "--data", &data, "--json", "--limit", "1"], b"");
    let id = json_lines(&list.out)[0]["trace_id"].as_str().unwrap().to_owned();
    let stored = aura(&["trace", "show", &id, "--data", &data, "--json"], b"");
    let reader =
        aura_memory::StoreReader::open(&aura_memory::Vault::demo(Path::new(&data)).unwrap()).unwrap();
    assert_eq!(
        stored.out,
        format!("{}\n", reader.traces(1, None).unwrap()[0].json)
    );
    let text = aura(&["trace", "show", &id, "--data", &data], b"");
    assert_eq!(text.code, Some(0));
    let mut rest = text.out.as_str();
    for heading in [
        "Why now",
        "What I saw",
        "What I considered",
        "What I chose and why",
        "What you can do",
    ] {
        rest = rest
            .split_once(&format!("\n{heading}\n"))
            .unwrap_or_else(|| panic!("{heading} in {}", text.out))
            .1;
    }
    let missing = aura(&["trace", "show", "tr_000000000000", "--data", &data], b"");
    assert_eq!((missing.code, missing.out.as_str()), (Some(1), ""));
    assert!(
        missing.err.contains("no trace tr_000000000000 here"),
        "{}",
        missing.err
    );
}

#[test]
fn trace_why_names_the_cap_the_account_and_the_next_moment() {
    let (_dir, data) = folder_after("budget-exhausted");
    // The last decision of the day is the silent one; its account is empty until midnight in Kolkata, 18:30Z.
    let ended = aura(&["trace", "why", "--at", "23:59", "--data", &data, "--json"], b"");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let why: Value = serde_json::from_str(&ended.out).unwrap();
    let expected = serde_json::json!([
        "silent", "cap_daily", "do_nothing", 0.45, { "at": "2026-11-03T18:30:00.000Z", "when": "cap_daily" }
    ]);
    let named = members(
        &why,
        &[
            "outcome",
            "reason_code",
            "chosen",
            "threshold",
            "next_possible_at",
        ],
    );
    assert_eq!(serde_json::to_value(named).unwrap(), expected);
    assert_eq!(
        members(&why["candidates"][0], &["kind", "removed", "score"]),
        ["DRAFT_REPLY".into(), "cap_daily".into(), Value::Null]
    );
    let text = aura(&["trace", "why", "--at", "23:59", "--data", &data], b"").out;
    for part in [
        "Today's interruptions are used up.",
        "0 of 1 tokens were free",
        "1 spent",
        "I could speak again at Wed 4 Nov, 00:00",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    let early = aura(
        &["trace", "why", "--at", "2026-11-03T00:00:00Z", "--data", &data],
        b"",
    );
    assert_eq!(early.code, Some(1), "{early:?}");
    let odd = aura(&["trace", "why", "--at", "noonish", "--data", &data], b"");
    assert_eq!(odd.code, Some(2), "{odd:?}");
}

#[test]
fn trace_why_says_by_how_much_a_score_fell_short_or_passed() {
    let (_dir, data) = folder_after("quiet-group-chat");
    let list = aura(&["trace", "list", "--data", &data, "--json"], b"");
    let ids: Vec<String> = json_lines(&list.out)
        .iter()
        .map(|row| row["trace_id"].as_str().unwrap().to_owned())
        .collect();
    // From the day's README: breathing scores 0.410 in tick 1 (0.040 short); in tick 2 the mute scores 0.760 (0.310 over)
    // and the digest 0.208 (0.242 short). The list is newest first.
    for (tick, margins) in [
        (1, vec![("BREATHE_478", -0.04)]),
        (2, vec![("MUTE_GROUP_30", 0.31), ("BATCH_DIGEST", -0.242)]),
    ] {
        let ended = aura(
            &["trace", "why", &ids[ids.len() - tick], "--data", &data, "--json"],
            b"",
        );
        let why: Value = serde_json::from_str(&ended.out).unwrap();
        let found: Vec<Vec<Value>> = why["candidates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| members(c, &["kind", "margin"]))
            .collect();
        assert_eq!(
            serde_json::to_value(found).unwrap(),
            serde_json::to_value(margins).unwrap(),
            "tick {tick}"
        );
    }
}

#[test]
fn ledger_is_the_account_of_the_newest_day_with_its_rows() {
    let (_dir, data) = folder_after("budget-exhausted");
    let ended = aura(&["ledger", "--data", &data, "--json"], b"");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let book: Value = serde_json::from_str(&ended.out).unwrap();
    // One token a day, held at 15:00 and spent when the prompt was shown.
    let account = serde_json::json!({
        "day": "2026-11-03", "ceiling": 1, "free": 0, "reserved": 0, "settled": 1, "refunded": 0
    });
    assert_eq!(book["account"], account);
    let entries: Vec<&str> = book["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["entry"].as_str().unwrap())
        .collect();
    assert_eq!(entries, ["reserve", "settle"]);
    let text = aura(&["ledger", "--data", &data], b"").out;
    assert!(
        text.starts_with("2026-11-03: 0 of 1 free, 1 spent, 0 held, 0 given back\n"),
        "{text}"
    );
    let other = aura(&["ledger", "--day", "2020-01-01", "--data", &data], b"");
    assert_eq!(
        (other.code, other.out.as_str()),
        (Some(0), "2020-01-01: no decision of that day is recorded\n")
    );
}

#[test]
fn refused_call_of_a_day_is_listed_and_shown_without_steering_the_terminal() {
    let (_dir, data) = folder_after("invalid-call");
    let list = aura(&["quarantine", "list", "--data", &data, "--json"], b"");
    assert_eq!(list.code, Some(0), "{list:?}");
    let lines = json_lines(&list.out);
    assert_eq!(lines.len(), 1, "{}", list.out);
    assert_eq!(
        members(&lines[0]["entry"], &["code", "pointer", "agent"]),
        ["GATE-009", "/args/event_id", "calendar"]
    );

    // A line as a hostile caller would have it: escape sequences and text turned around.
    let path = Path::new(&data).join("errors/quarantine_calls.jsonl");
    let mut entry = lines[0]["entry"].clone();
    entry["raw"] = "\u{1b}[2J\u{9b}31m\r\u{202e}evil\nnext".into();
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(format!("{entry}\nnot ours\n{{\"half").as_bytes())
        .unwrap();
    drop(file);
    for (n, json) in [("2", false), ("2", true), ("3", false), ("4", false)] {
        let mut args = vec!["quarantine", "show", n, "--data", &data];
        args.extend(json.then_some("--json"));
        let ended = aura(&args, b"");
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let steering = |c: char| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
        assert!(!ended.out.contains(steering), "{:?}", ended.out);
    }
    let shown = aura(&["quarantine", "show", "2", "--data", &data], b"").out;
    assert!(
        shown.contains("raw           \\u{1b}[2J\\u{9b}31m\\u{d}\\u{202e}evil\\nnext\n"),
        "{shown}"
    );
    let text = aura(&["quarantine", "list", "--data", &data], b"").out;
    assert_eq!(text.lines().count(), 5, "{text}");
    assert!(
        text.contains("not a line of ours, 8 bytes") && text.contains("unfinished, 6 bytes"),
        "{text}"
    );
}

#[test]
fn a_usage_error_shows_what_was_typed_without_letting_it_steer() {
    let steers = ["\u{202e}", "\u{2066}", "\u{2028}", "\u{1b}[2J", "\u{61c}"];
    for text in steers {
        let typed = format!("a{text}b");
        for args in [
            vec![typed.as_str()],
            vec!["trace", &typed],
            vec!["status", "--no-such", &typed],
            vec!["worker", "forks", "--parent", &typed],
        ] {
            let Ended { code, out, err } = aura(&args, b"");
            assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}: {err}");
            assert!(!err.contains(text), "{args:?}: {err:?}");
        }
        let Ended { err, .. } = aura(&[&typed], b"");
        // A sequence for the terminal is taken out by the library already.
        let escaped = if text.starts_with('\u{1b}') {
            String::new()
        } else {
            text.chars().map(|c| c.escape_unicode().to_string()).collect()
        };
        assert!(err.contains(&format!("a{escaped}b")), "{err:?}");
    }
    // Help is as it was.
    let Ended { code, out, err } = aura(&["--help"], b"");
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("Usage: aura"));
}

#[test]
fn doctor_finds_a_played_day_sound_and_sealed() {
    let (_dir, data) = folder_after("invalid-call");
    let home = format!("{FIXTURES}/home/home.toml");
    let ended = aura(&["doctor", "--data", &data, "--home", &home, "--json"], b"");
    let found: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(
        (ended.code, &found["worst"]),
        (Some(0), &Value::from("warn")),
        "{}",
        ended.out
    );
    let level = |name: &str| -> Vec<Value> {
        let checks = found["checks"].as_array().unwrap().iter();
        checks
            .filter(|check| check["name"] == name)
            .map(|check| check["level"].clone())
            .collect()
    };
    for (name, wanted) in [
        ("data folder", vec!["ok"]),
        ("store", vec!["ok"]),
        ("newest trace", vec!["ok"]),
        ("key", vec!["ok"]),
        ("refused calls", vec!["warn"]),
        ("refused results", vec!["ok"]),
        ("policy", vec!["ok"]),
        ("catalogue", vec!["ok"]),
        ("configuration", vec!["ok"]),
        // Mail, notifications, calendar, tasks, messages, three of wellness, device signals.
        ("source", vec!["ok"; 9]),
    ] {
        assert_eq!(level(name), wanted, "{name}");
    }
}

#[test]
fn damaged_store_is_found_and_ends_the_others_with_4() {
    let (_dir, data) = folder_after("budget-exhausted");
    fs::write(Path::new(&data).join("aura.db"), vec![b'x'; 8192]).unwrap();
    let doctor = aura(&["doctor", "--data", &data], b"");
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    assert!(doctor.out.contains("STORE-003"), "{}", doctor.out);
    for args in [
        &["trace", "list"][..],
        &["ledger"],
        &["trace", "why", "--at", "12:00"],
    ] {
        let ended = aura(&[args, &["--data", &data]].concat(), b"");
        assert_eq!(ended.code, Some(4), "{args:?} {ended:?}");
        assert!(ended.err.contains("STORE-003"), "{}", ended.err);
    }
}

#[test]
fn one_damaged_page_is_found_and_what_is_before_it_is_shown_as_it_was() {
    const PAGE: usize = 4096;
    let (_dir, data) = folder_after("budget-exhausted");
    let file = Path::new(&data).join("aura.db");
    let sound = fs::read(&file).unwrap();
    let replay = || aura(&["replay", &data, "--json"], b"");
    let whole = replay();
    assert_eq!(whole.code, Some(0), "{whole:?}");
    let (mut found, mut stopped) = (0, 0);
    // Without the first page there is no database at all.
    let pages = sound.len() / PAGE;
    for page in 1..pages {
        let mut bytes = sound.clone();
        bytes[page * PAGE..(page + 1) * PAGE].fill(0xA5);
        fs::write(&file, bytes).unwrap();
        let doctor = aura(&["doctor", "--data", &data], b"");
        let shown = replay();
        assert!(whole.out.starts_with(&shown.out), "page {page}: {}", shown.out);
        if shown.code == Some(0) {
            assert_eq!(shown.out, whole.out, "page {page}");
        } else {
            assert_eq!(shown.code, Some(4), "page {page}: {shown:?}");
            assert!(shown.err.contains("STORE-003"), "page {page}: {}", shown.err);
            assert!(doctor.out.contains("STORE-003"), "page {page}: {}", doctor.out);
            stopped += 1;
        }
        found += usize::from(doctor.code == Some(1) && doctor.out.contains("STORE-003"));
    }
    // The journal is one table of several; a page that holds nothing may be whatever it is.
    assert!(
        stopped > 0 && found > pages / 2,
        "{stopped} and {found} of {pages}"
    );
}

#[test]
fn reader_that_stops_reading_ends_a_command_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["catalogue", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!(
        (
            done.status.code(),
            String::from_utf8(done.stderr).unwrap().as_str()
        ),
        (Some(0), "")
    );
}

#[test]
fn the_demo_runs_without_a_clone() {
    let dir = TempDir::new().unwrap();
    let mut demo = std::process::Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["demo", "--headless", "--port", "0"])
        .current_dir(dir.path())
        .env("AURA_KEY_FILE", dir.path().join("key"))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(demo.stdout.take().unwrap()).lines();
    let lines: Vec<String> = lines
        .map(Result::unwrap)
        .take_while(|line| !line.starts_with("Stop with"))
        .collect();
    demo.kill().unwrap();
    demo.wait().unwrap();
    assert!(lines.iter().any(|line| line.contains("http://")), "{lines:?}");
    // Nothing waits for a page.
    assert_eq!(
        lines.last().unwrap(),
        "The household's morning has begun; its card comes in ten seconds."
    );
    let household = dir.path().join(".aura/demo-household");
    assert!(household.join("home.toml").is_file() && household.join("mail").is_dir());
}

#[test]
fn a_benchmark_without_the_program_that_measures_says_how_to_get_it() {
    let dir = tempfile::tempdir().unwrap();
    let alone = dir.path().join("aura");
    fs::copy(env!("CARGO_BIN_EXE_aura"), &alone).unwrap();
    let done = Command::new(&alone).args(["bench", "tick"]).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(
        said.contains("aura-lab is not installed") && said.contains("make build"),
        "{said}"
    );
}
