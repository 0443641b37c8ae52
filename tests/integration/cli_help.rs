//! What the command line says of itself: help, the pages of codes, completions, manual pages, errors for programs.
//!
//! What: the built binary's words to who does not know it yet, and to a program that reads them. Why: whoever has the program alone has its explanations.
//! Not here: what commands do (`cli`).

use crate::support::{Service, command::aura};
use aura_days::day::DayScript;
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn ok(args: &[&str]) -> String {
    let (code, out, err) = aura(args, b"");
    assert_eq!((code, err.as_str()), (Some(0), ""), "{args:?}");
    out
}

#[test]
fn help_is_grouped_plain_in_a_file_and_the_same_by_each_way() {
    let help = ok(&["--help"]);
    for title in [
        "Every day:",
        "Why, and what is kept:",
        "When something is wrong:",
        "Options:",
    ] {
        assert!(help.contains(&format!("\n{title}\n")), "{title}\n{help}");
    }
    assert!(!help.contains('\u{1b}') && !help.contains("worker"), "{help}");
    assert_eq!(ok(&["help"]).trim_end(), help.trim_end());
    let why = ok(&["help", "trace", "why"]);
    assert!(why.contains("Usage: aura trace why"), "{why}");
    let (code, out, err) = aura(&["help", "trace", "wyh"], b"");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.contains("there is no command wyh"), "{err}");
}

#[test]
fn page_of_a_code_is_in_the_program_and_an_unknown_code_has_a_neighbour() {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/errors/STORE-004.md")).unwrap();
    let plain = page.trim_start_matches("# ").replace("**", "");
    for code in ["STORE-004", "store-004"] {
        assert_eq!(ok(&["help", code]).trim_end(), plain.trim_end());
    }
    // Two digits away from STORE-009; nothing is nearer.
    let (code, out, err) = aura(&["help", "STORE-999"], b"");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert_eq!(
        err,
        "aura: there is no code STORE-999; the nearest is STORE-009: `aura help STORE-009`\n"
    );
    let (code, _, err) = aura(&["help", "NOPE-1"], b"");
    assert_eq!(code, Some(1));
    assert_eq!(
        err,
        "aura: there is no code NOPE-1: `aura docs` shows all of them\n"
    );
}

#[test]
fn people_are_spoken_to_in_the_language_of_the_locale_and_programs_in_english() {
    let empty = TempDir::new().unwrap();
    let data = empty.path().to_str().unwrap();
    let said = |locale: (&str, &str), args: &[&str]| {
        let ended = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(args)
            .env_clear()
            .env("LANG", "en_US.UTF-8")
            .env(locale.0, locale.1)
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (ended.status.code(), text(ended.stdout), text(ended.stderr))
    };
    let german = ("LC_ALL", "de_DE.UTF-8");
    for args in [&["--help"][..], &["help"]] {
        let (code, out, err) = said(german, args);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        for line in ["Jeden Tag:", "Wenn etwas nicht stimmt:", "Optionen:"] {
            assert!(out.contains(&format!("\n{line}\n")), "{out}");
        }
        assert!(out.contains("\nAufruf: aura [BEFEHL]\n"), "{out}");
    }
    let (code, out, _) = said(german, &["help", "store-004"]);
    assert_eq!(code, Some(0));
    assert!(out.starts_with("In diesem Ordner liegt keine Datenbank"), "{out}");
    assert!(
        out.contains("STORE-004: there is no store in that folder"),
        "{out}"
    );
    let (code, _, err) = said(german, &["status", "--jsn"]);
    assert_eq!(code, Some(2));
    assert!(err.starts_with("Fehler: unbekanntes Argument „--jsn“\n"), "{err}");
    // The error is the record that it is, and what to do follows it.
    let list = ["trace", "list", "--data", data];
    let (code, _, plain) = said(("LC_ALL", "C.UTF-8"), &list);
    assert_eq!((code, plain.lines().count()), (Some(4), 1));
    let (code, _, err) = said(german, &list);
    assert_eq!(code, Some(4));
    let (first, rest) = err.split_once('\n').unwrap();
    assert_eq!(first, plain.trim_end());
    assert!(
        rest.starts_with("In diesem Ordner liegt keine Datenbank"),
        "{err}"
    );
    // JSON is the same everywhere, and a locale that Aura does not speak is English.
    let json = [&list[..], &["--json"]].concat();
    assert_eq!(said(german, &json), said(("LC_ALL", "C.UTF-8"), &json));
    assert_eq!(said(("LC_ALL", "fr_FR.UTF-8"), &list).2, plain);
    assert_eq!(said(("LC_MESSAGES", "de"), &list).2, err);
    assert_eq!(said(("LC_ALL", ""), &list).2, plain);
}

/// And to programs in English.
#[test]
fn a_running_service_answers_in_the_language_of_who_asks() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let said = |locale: &str, args: &[&str]| {
        let ended = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(args)
            .args([
                "--home".as_ref(),
                home.as_os_str(),
                "--data".as_ref(),
                data.as_os_str(),
            ])
            .env("LC_ALL", locale)
            .output()
            .unwrap();
        assert!(ended.status.success(), "{ended:?}");
        String::from_utf8(ended.stdout).unwrap()
    };
    said("C.UTF-8", &["pause", "1h"]);
    let in_both = |wanted: (&str, &str)| {
        let (english, german) = (said("C.UTF-8", &["history"]), said("de_DE.UTF-8", &["history"]));
        assert!(english.contains(wanted.0), "{english}");
        assert!(german.contains(wanted.1), "{german}");
    };
    let words = ("Paused until ", "Pause bis ");
    in_both(words);
    let json = ["history", "--json"];
    assert_eq!(said("de_DE.UTF-8", &json), said("C.UTF-8", &json));
    // One that runs for a request alone does so too.
    ok(&["stop", "--data", data.to_str().unwrap()]);
    assert_eq!(service.end(), Some(0));
    in_both(words);
}

/// What it refuses, from its own thread or another, is said in the language of who asks; where it has a code, in English with German behind it.
#[test]
fn a_running_service_refuses_in_the_language_of_who_asks() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let refused = |locale: &str, args: &[&str]| {
        let ended = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(args)
            .args([
                "--home".as_ref(),
                home.as_os_str(),
                "--data".as_ref(),
                data.as_os_str(),
            ])
            .env("LC_ALL", locale)
            .output()
            .unwrap();
        assert!(!ended.status.success(), "{ended:?}");
        String::from_utf8(ended.stderr).unwrap()
    };
    for (args, english, german) in [
        (
            &["undo"][..],
            "aura: nothing that you did can be taken back now\n",
            "aura: nichts, was du getan hast, lässt sich jetzt zurücknehmen\n",
        ),
        (
            &["undo", "tr_zzz"],
            "aura: no act of yours begins with tr_zzz: `aura history` lists them\n",
            "aura: nichts, was du getan hast, beginnt mit tr_zzz: `aura history` nennt alles\n",
        ),
        (
            &["device", "revoke", "none"],
            "aura: there is no device of that id: `aura device list` shows them\n",
            "aura: kein Gerät hat diese Kennung: `aura device list` zeigt alle\n",
        ),
        (
            &["source", "test", "none"],
            "aura: no account is called none: `aura source list`\n",
            "aura: kein Konto heißt none: `aura source list`\n",
        ),
        (
            &["source", "pause", "none"],
            "aura: there is no such source any more\n",
            "aura: diese Quelle gibt es nicht mehr\n",
        ),
        (
            &["rule", "remove", "none"],
            "aura: RULE-003: there is no rule of that name; `aura rule list` names those there are\n",
            "aura: RULE-003: there is no rule of that name; `aura rule list` names those there are\nEine Regel dieses Namens gibt es nicht.",
        ),
    ] {
        assert_eq!(refused("C.UTF-8", args), english);
        let said = refused("de_DE.UTF-8", args);
        assert!(said.starts_with(german), "{said}");
    }
    ok(&["stop", "--data", data.to_str().unwrap()]);
    assert_eq!(service.end(), Some(0));
}

#[test]
fn variable_that_is_empty_counts_as_not_set() {
    let home = TempDir::new().unwrap();
    let none = home.path().join("none.toml");
    let names = [
        "AURA_DATA",
        "AURA_KEY_FILE",
        "AURA_PASSPHRASE_FILE",
        "AURA_POLICY",
        "AURA_PORT",
    ];
    for name in names {
        let ended = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["run", "--home"])
            .arg(&none)
            .env_clear()
            .env("HOME", home.path())
            .env(name, "")
            .output()
            .unwrap();
        let err = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(3), "{name}: {err}");
        assert!(err.contains("CONF-001"), "{name}: {err}");
    }
}

#[test]
fn shells_get_completions_that_they_can_read() {
    for shell in ["bash", "zsh", "fish"] {
        let script = ok(&["completions", shell]);
        assert!(script.contains("history") && script.contains("undo"), "{shell}");
        assert!(!script.contains(ROOT), "{shell} names a folder of the build");
        let file = TempDir::new().unwrap();
        let file = file.path().join("aura");
        fs::write(&file, script).unwrap();
        // Of the shells that are here, each reads its own.
        let read = Command::new(shell)
            .arg("-n")
            .arg(&file)
            .stderr(Stdio::piped())
            .output();
        if let Ok(read) = read {
            assert!(
                read.status.success(),
                "{shell}: {}",
                String::from_utf8_lossy(&read.stderr)
            );
        }
    }
}

#[test]
fn each_command_has_a_manual_page_with_the_same_bytes_each_time() {
    let pages = || {
        let dir = TempDir::new().unwrap();
        ok(&["manual", dir.path().to_str().unwrap()]);
        let mut pages: Vec<(String, String)> = fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                (name, fs::read_to_string(entry.path()).unwrap())
            })
            .collect();
        pages.sort();
        pages
    };
    let first = pages();
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    for name in [
        "aura.1",
        "aura-open.1",
        "aura-trace-why.1",
        "aura-memory-audit-verify.1",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("worker")), "{names:?}");
    for (name, page) in &first {
        assert!(page.contains("\n.TH "), "{name}: {page}");
    }
    assert_eq!(first, pages());
}

#[test]
fn errors_are_one_json_object_a_line_where_json_was_asked_for() {
    let empty = TempDir::new().unwrap();
    let data = empty.path().to_str().unwrap();
    let told = |args: &[&str]| -> (Option<i32>, Value) {
        let (code, out, err) = aura(args, b"");
        assert_eq!((out.as_str(), err.lines().count()), ("", 1), "{args:?}: {err}");
        (code, serde_json::from_str(&err).unwrap())
    };
    let (code, error) = told(&["trace", "list", "--data", data, "--json"]);
    assert_eq!((code, &error["error"]["exit"]), (Some(4), &json!(4)));
    assert_eq!(error["error"]["code"], "STORE-004");
    assert_eq!(error["error"]["help"], "aura help STORE-004");
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("STORE-004: no store in ")
    );
    // A command line that makes no sense says so in JSON as well, whatever was typed.
    let (code, error) = told(&["trace", "list", "--json", "--no-such\u{202e}"]);
    assert_eq!((code, &error["error"]["exit"]), (Some(2), &json!(2)));
    assert_eq!(
        (&error["error"]["code"], &error["error"]["help"]),
        (&Value::Null, &Value::Null)
    );
    assert!(error["error"]["message"].as_str().unwrap().contains("--no-such"));
}

/// A data folder as the recorded day of that name leaves it, and the ids of its traces, newest first.
fn after(day: &str) -> (TempDir, String, Vec<String>) {
    let dir = TempDir::new().unwrap();
    let data = dir.path().join("data");
    DayScript::read(&Path::new(ROOT).join("fixtures/days").join(day))
        .unwrap()
        .play(&data)
        .unwrap();
    let data = data.to_str().unwrap().to_owned();
    let ids = ok(&["trace", "list", "--data", &data, "--json"])
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["trace_id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    (dir, data, ids)
}

#[test]
fn trace_is_found_by_the_beginning_of_its_id_and_the_last_by_that_word() {
    let (_dir, data, ids) = after("budget-exhausted");
    let shown = |id: &str| {
        let trace: Value =
            serde_json::from_str(&ok(&["trace", "show", id, "--data", &data, "--json"])).unwrap();
        trace["trace_id"].as_str().unwrap().to_owned()
    };
    assert_eq!(shown("last"), ids[0]);
    for id in &ids {
        let unique = (4..=id.len())
            .map(|length| &id[..length])
            .find(|beginning| ids.iter().filter(|other| other.starts_with(*beginning)).count() == 1)
            .unwrap();
        assert_eq!(&shown(unique), id);
        assert_eq!(&shown(unique.trim_start_matches("tr_")), id);
        let why = ok(&["trace", "why", unique, "--data", &data, "--json"]);
        assert!(why.contains(id.as_str()), "{why}");
    }
    // Five ids, and a letter that two of them begin with where there is one.
    let first = |id: &str| id.chars().nth(3).unwrap();
    let shared = ids
        .iter()
        .find(|id| ids.iter().filter(|other| first(other) == first(id)).count() > 1);
    if let Some(id) = shared {
        let (code, _, err) = aura(&["trace", "show", &id[..4], "--data", &data], b"");
        assert_eq!(code, Some(1));
        assert!(err.contains("more than one trace begins with"), "{err}");
    }
}

#[test]
fn logs_show_the_end_of_the_file_of_a_service_that_was_started_by_hand() {
    let home = TempDir::new().unwrap();
    let state = home.path().join("state/aura");
    let logs = |args: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_aura"))
            .arg("logs")
            .args(args)
            .arg("--data")
            .arg(home.path().join("data"))
            .env_clear()
            .env("XDG_STATE_HOME", home.path().join("state"))
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    let (code, out, err) = logs(&[]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("nothing was logged here"), "{err}");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("service.log"), "one\ntwo\u{1b}[2J\nthree\n").unwrap();
    assert_eq!(
        logs(&["-n", "2"]),
        (Some(0), "two\\u{1b}[2J\nthree\n".to_owned(), String::new())
    );
    assert_eq!(logs(&[]).1.lines().count(), 3);
    assert_eq!(logs(&["--lines", "0"]).0, Some(2));
}

#[test]
fn release_that_the_owner_has_is_compared_with_this_program() {
    let dir = TempDir::new().unwrap();
    let sums = dir.path().join("SHA256SUMS");
    let check = |text: &str, json: bool| {
        fs::write(&sums, text).unwrap();
        let mut args = vec!["update", "check", sums.to_str().unwrap()];
        args.extend(json.then_some("--json"));
        aura(&args, b"")
    };
    let here = env!("CARGO_PKG_VERSION");
    let (code, out, _) = check("aa  aura_99.0.0_amd64.deb\n", false);
    assert_eq!(code, Some(1));
    assert!(
        out.starts_with(&format!("99.0.0 is newer than this program, which is {here}.")),
        "{out}"
    );
    let (code, out, _) = check(&format!("aa  aura-{here}.cdx.json\n"), true);
    let said: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, Some(0));
    assert_eq!(said, json!({ "here": here, "there": here, "newer": false }));
    let (code, _, err) = check("aa  something_else.deb\n", false);
    assert_eq!(code, Some(2));
    assert!(err.contains("names no package of Aura"), "{err}");
}
