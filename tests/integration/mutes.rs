//! Mutes by command, beside a running service.
//!
//! What: a chat that gets loud is muted by the owner's confirm; `aura mute list` names it and `aura mute end` unmutes it. Why: what is said
//! on the page can be taken back at the terminal. Not here: how the call is made (`calls`), the pages.

use crate::support::{Service, signal};
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn mute(data: &Path, home: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_aura"))
        .arg("mute")
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
    (
        done.status.code(),
        String::from_utf8(done.stdout.clone()).unwrap(),
    )
}

#[test]
fn a_muted_chat_is_listed_and_unmuted_by_command() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let mute = |args: &[&str]| mute(&data, &home, args);
    assert_eq!(
        said(&mute(&["list"])),
        (Some(0), "No chat is muted.\n".to_owned())
    );
    assert_eq!(said(&mute(&["list", "--json"])), (Some(0), String::new()));

    let say = |n: u32| {
        let payload =
            json!({"app": "org.example.chat", "channel": "Hostel 5", "sender": "Joss", "text": "haha"});
        signal(&format!("n{n}"), "notification", &payload)
    };
    let loud: Vec<Value> = (0..30).map(say).collect();
    let (status, reply) = service.request("POST", "/v1/signals", Some(&json!(loud)));
    assert_eq!(status, 202, "{reply}");
    // Under load a loud chat that is looked at is what is asked about.
    let (_phone, card) = service.ask_owner();
    assert_eq!(card["decision"]["chosen"]["kind"], "MUTE_GROUP_30", "{card}");
    service.confirm(&card);
    let listed = service.until("mute", |_| {
        let (code, out) = said(&mute(&["list", "--json"]));
        assert_eq!(code, Some(0));
        serde_json::from_str::<Value>(&out).ok()
    });
    let channel = listed["channel"].as_str().unwrap();
    assert!(listed["until"].is_string(), "{listed}");
    let (code, table) = said(&mute(&["list"]));
    assert!(
        code == Some(0) && table.contains(channel) && table.contains("muted until"),
        "{table}"
    );

    let end = ["end", channel, "--idempotency-key", "once"];
    assert_eq!(said(&mute(&end)), (Some(0), "No chat is muted.\n".to_owned()));
    // The same request gets its first outcome; another one finds nothing to end, and says so.
    assert_eq!(said(&mute(&end)), (Some(0), "No chat is muted.\n".to_owned()));
    let other = mute(&["end", channel]);
    let why = String::from_utf8_lossy(&other.stderr);
    assert_eq!(said(&other), (Some(1), String::new()), "{why}");
    assert!(why.contains("muted"), "{why}");
    assert_eq!(mute(&["end", "hostel"]).status.code(), Some(2));
    // It left a trace of its own.
    let (_, traces) = service.request("GET", "/v1/traces?limit=5", None);
    let ended = traces.as_array().unwrap().iter().filter(|trace| {
        trace["decision"]["call"]["asker"] == "owner_command" && trace["outcome"] == "confirmed"
    });
    assert_eq!(ended.count(), 1, "{traces}");
}
