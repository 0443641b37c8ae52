//! What Comms learns from the owner: a hundred cards with two acts each, and the commands that show, correct and reset it.
//!
//! What: a recorded day that is made here, replayed and verified; a service beside which `aura learned` runs. Why: what is learned changes
//! nothing that was decided, and is the owner's to take back. Not here: what a lesson weighs (`agents`), the machine's part
//! (`orchestrator/machine/tests/lessons.rs`).

use crate::support::{Service, command::aura, signal};
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

const POLICY: &str = include_str!("../../orchestrator/machine/src/policy.toml");
/// Cards; each is confirmed and found useful.
const CARDS: usize = 100;

/// Three minutes for each card, from 15:00:00 on: a message, a look at the phone, a confirmation, "Useful".
fn at(card: usize, second: usize) -> String {
    let seconds = card * 180 + second;
    format!(
        "2026-11-03T{:02}:{:02}:{:02}+05:30",
        15 + seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| row.to_string() + "\n").collect()
}

/// Ticks come from the phone alone, and the window is shorter than a round: the n-th look is tick n. What each card costs, "Useful" gives
/// back.
fn write_day(dir: &Path) {
    let policy = POLICY
        .replacen("window_min = 30 ", "window_min = 1 ", 1)
        .replacen("interval_min = 15", "interval_min = 1440", 1);
    assert!(policy.contains("window_min = 1 ") && policy.contains("interval_min = 1440"));
    fs::write(dir.join("policy.toml"), policy).unwrap();
    fs::write(
        dir.join("day.toml"),
        "zone = \"Asia/Kolkata\"\nstart = \"2026-11-03T15:00:00+05:30\"\nseed = \"learned\"\nceiling = 3\npolicy = \"policy.toml\"\n",
    )
    .unwrap();
    let mut signals = Vec::new();
    let mut acts = vec![json!({"at": at(0, 1), "act": "connect", "surface": "PHONE_CARD"})];
    for card in 0..CARDS {
        let message = json!({"app": "org.example.chat", "channel": "Lab 4", "sender": format!("Asha {card}"),
            "text": "@you please send the final slides by 5 pm today"});
        for (id, second, kind, payload) in [
            ("message", 20, "notification", message),
            ("unlock", 40, "phone_unlock", json!({})),
        ] {
            signals.push(json!({"id": format!("{id}-{card}"), "at": at(card, second), "source": "phone", "kind": kind, "payload": payload}));
        }
        let tick = card + 1;
        acts.push(json!({"at": at(card, 60), "act": "confirm", "surface": "PHONE_CARD", "tick": tick, "answer": "accepted"}));
        acts.push(json!({"at": at(card, 70), "act": "useful", "tick": tick, "answer": "refunded"}));
    }
    fs::write(dir.join("signals.jsonl"), lines(&signals)).unwrap();
    fs::write(dir.join("owner.jsonl"), lines(&acts)).unwrap();
}

#[test]
fn after_two_hundred_acts_every_trace_is_made_again_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let (day, kept) = (dir.path().join("day"), dir.path().join("kept"));
    fs::create_dir(&day).unwrap();
    write_day(&day);
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (code, out, err) = aura(&["replay", &text(&day), "--keep", &text(&kept)], b"");
    assert_eq!(code, Some(0), "{out}{err}");
    let (code, out, err) = aura(&["replay", &text(&kept), "--verify", "--json"], b"");
    let said: Value = serde_json::from_str(out.lines().last().unwrap_or_else(|| panic!("{err}"))).unwrap();
    assert_eq!((code, &said["different"]), (Some(0), &json!(0)), "{said}");
    let (code, out, err) = aura(
        &[
            "trace",
            "list",
            "--data",
            &text(&kept),
            "--json",
            "--limit",
            "1000",
        ],
        b"",
    );
    assert_eq!(code, Some(0), "{err}");
    let lessons = out.lines().filter(|line| line.contains("comms.learn_from_act"));
    assert_eq!(lessons.count(), 2 * CARDS, "{out}");
}

fn learned(data: &Path, home: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_aura"))
        .arg("learned")
        .args(args)
        .arg("--data")
        .arg(data)
        .arg("--home")
        .arg(home)
        .env("AURA_KEY_FILE", data.with_extension("key"))
        .output()
        .unwrap()
}

fn said(done: &Output) -> (Option<i32>, String) {
    let err = String::from_utf8_lossy(&done.stderr);
    (
        done.status.code(),
        format!("{}{err}", String::from_utf8_lossy(&done.stdout)),
    )
}

#[test]
fn what_was_learned_is_listed_corrected_and_reset_by_command() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let learned = |args: &[&str]| said(&learned(&data, &home, args));
    let nothing = "Nothing yet. Answer a mail, or tap Useful or Dismiss on a card about messages, and I'll learn from that.\n";
    assert_eq!(learned(&["list"]), (Some(0), nothing.to_owned()));
    let payload = json!({"app": "org.example.chat", "channel": "Hostel 5", "sender": "Joss", "text": "haha"});
    let (status, reply) = service.request(
        "POST",
        "/v1/signals",
        Some(&json!([signal("n1", "notification", &payload)])),
    );
    assert_eq!(status, 202, "{reply}");

    let who = "ch_0123456789abcdef";
    let (code, out) = learned(&["correct", who, "news"]);
    assert!(
        code == Some(0) && out.contains(who) && out.contains("I treat this list as news: you told me so."),
        "{out}"
    );
    let (code, out) = learned(&["list", "--json"]);
    assert_eq!(code, Some(0), "{out}");
    let row: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        row,
        json!({"about": who, "class": "news", "why": "taught", "corrected": true, "received": 0, "answered": 0, "shift": -150})
    );
    assert_eq!(learned(&["reset", who]), (Some(0), nothing.to_owned()));
    for wrong in [
        &["correct", "hostel", "news"][..],
        &["correct", who, "boring"],
        &["reset"],
        &["reset", who, "--all"],
    ] {
        assert_eq!(learned(wrong).0, Some(2), "{wrong:?}");
    }
    assert_eq!(learned(&["reset", "--all"]), (Some(0), nothing.to_owned()));
    // Each left a trace, on the owner's word.
    let (_, traces) = service.request("GET", "/v1/traces?limit=50", None);
    let asked = traces.as_array().unwrap().iter().filter(|trace| {
        trace["decision"]["call"]["asker"] == "owner_command" && trace["outcome"] == "confirmed"
    });
    assert_eq!(asked.count(), 3, "{traces}");
}
