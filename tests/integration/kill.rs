//! `kill -9` while a prompt is open, through the built binary.
//!
//! What: starts the real service on a data folder, posts real signals over HTTP, kills the process without warning and
//! starts it again. Why: the owner's pending decision survives: the same card, the same deadline, and no action runs
//! twice. Not here: recorded days (`days.rs`).

use crate::support::{Service, signal};
use serde_json::{Value, json};
use std::{path::Path, process::Command};

/// A load that crosses 70 with all the marks of stress: `BREATHE_478` asks for a confirmation on the phone.
fn stress() -> Value {
    json!([
        signal("h1", "hrv", &json!({ "rmssd_ms": 20.0 })),
        signal("s1", "sleep", &json!({ "asleep_min": 240 })),
        signal(
            "a1",
            "activity",
            &json!({ "typing_entropy": 5.2, "app_switch_rate": 18.0, "notif_dismiss_rate": 0.9, "screen_on_min": 50.0 })
        ),
    ])
}

#[test]
fn a_pending_confirm_survives_kill_9_and_its_action_runs_once() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    std::fs::write(&home, "zone = \"UTC\"\n").unwrap();

    let service = Service::start(&home, &data);
    let open = service.phone();
    let (status, reply) = service.request("POST", "/v1/signals", Some(&stress()));
    assert_eq!((status, &reply["accepted"]), (202, &json!(3)), "{reply}");
    let card = service.asked();
    assert_eq!(card["decision"]["chosen"]["kind"], "BREATHE_478");
    drop(open);
    service.kill();

    let service = Service::start(&home, &data);
    let again = service.now()["card"].clone();
    assert_eq!(again["card_id"], card["card_id"], "the same card");
    assert_eq!(
        again["prompts"], card["prompts"],
        "the same deadline and capability"
    );

    let _page = service.phone();
    service.confirm(&again);
    let trace = service.until("trace", |s| {
        let (_, traces) = s.request("GET", "/v1/traces?limit=5", None);
        traces.as_array().and_then(|traces| traces.first()).cloned()
    });
    assert_eq!(trace["outcome"], "confirmed", "{trace}");
    service.kill();

    // Killed again after it ended: nothing is asked or run a second time.
    let service = Service::start(&home, &data);
    assert_eq!(service.now()["card"], Value::Null);
    let (_, traces) = service.request("GET", "/v1/traces?limit=5", None);
    let confirmed = traces
        .as_array()
        .unwrap()
        .iter()
        .filter(|t| t["outcome"] == "confirmed")
        .count();
    assert_eq!(confirmed, 1, "{traces}");
    service.kill();
}

#[test]
fn a_second_start_on_the_same_folder_and_a_busy_port_are_refused_with_a_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    std::fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);

    let start = |data: &Path, port: u16| {
        Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["run", "--port", &port.to_string(), "--home"])
            .arg(&home)
            .arg("--data")
            .arg(data)
            .env("AURA_KEY_FILE", data.with_extension("key"))
            .output()
            .unwrap()
    };
    let second = start(&data, 0);
    assert_eq!(second.status.code(), Some(75));
    assert!(String::from_utf8_lossy(&second.stderr).contains("STORE-001"));

    let other = dir.path().join("other");
    let busy = start(&other, service.port);
    assert_eq!(busy.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&busy.stderr).contains("WEB-002"));
    service.kill();
}
