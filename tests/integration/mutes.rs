//! Mutes by command, beside a running service.
//!
//! What: a chat that gets loud is muted by the owner's confirm; `aura mute list` names it and `aura mute end` unmutes it. Why: what is said
//! on the page can be taken back at the terminal. Not here: how the call is made (`calls`), the pages.

use crate::support::{Service, signal};
use orchestrator_machine::policy::DEFAULT_TEXT;
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
    time::{Duration, Instant},
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
        (Some(0), "No chat and nobody is muted.\n".to_owned())
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
    assert_eq!(
        said(&mute(&end)),
        (Some(0), "No chat and nobody is muted.\n".to_owned())
    );
    // The same request gets its first outcome; another one finds nothing to end, and says so.
    assert_eq!(
        said(&mute(&end)),
        (Some(0), "No chat and nobody is muted.\n".to_owned())
    );
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

#[test]
fn a_mute_is_listed_among_what_was_done_and_taken_back_by_command() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let run = |args: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(args)
            .arg("--data")
            .arg(&data)
            .arg("--home")
            .arg(&home)
            .env("AURA_KEY_FILE", data.with_extension("key"))
            .output()
            .unwrap();
        (said(&done), String::from_utf8(done.stderr).unwrap())
    };
    let ((code, out), err) = run(&["undo"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(
        err.contains("nothing that you did can be taken back now"),
        "{err}"
    );
    // Of what was done only that the test's own device came in.
    let (code, out) = run(&["history"]).0;
    let rows: Vec<&str> = out.lines().skip(1).collect();
    assert_eq!((code, rows.len()), (Some(0), 1), "{out}");
    assert!(rows[0].ends_with("You let a device in."), "{out}");
    let say = |n: u32| {
        let payload =
            json!({"app": "org.example.chat", "channel": "Hostel 5", "sender": "Joss", "text": "haha"});
        signal(&format!("n{n}"), "notification", &payload)
    };
    let loud: Vec<Value> = (0..30).map(say).collect();
    let (status, reply) = service.request("POST", "/v1/signals", Some(&json!(loud)));
    assert_eq!(status, 202, "{reply}");
    let (_phone, card) = service.ask_owner();
    service.confirm(&card);
    let acts = || -> Vec<Value> {
        let ((code, out), err) = run(&["history", "--json"]);
        assert_eq!(code, Some(0), "{err}");
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let muted = service.until("the act", |_| {
        acts().into_iter().find(|act| act["undo"] == "offered")
    });
    let id = muted["trace_id"].as_str().unwrap();
    assert!(muted["thing"].as_str().unwrap().starts_with("ch_"), "{muted}");
    let ((_, table), _) = run(&["history"]);
    assert!(table.contains(id) && table.contains("can be"), "{table}");
    assert!(!table.contains("Hostel"), "names stand on pages only: {table}");

    let ((code, out), err) = run(&["undo"]);
    assert!(code == Some(0) && out.starts_with("Undone: "), "{out}{err}");
    assert_eq!(
        said(&mute(&data, &home, &["list"])),
        (Some(0), "No chat and nobody is muted.\n".to_owned())
    );
    // By its id, it was undone already; a call of its own did it, which has a trace and no undo.
    let ((code, out), _) = run(&["undo", &id[..id.len() - 1]]);
    assert!(
        code == Some(0) && out.starts_with("That was undone already: "),
        "{out}"
    );
    let after = acts();
    let undo: Vec<&Value> = after.iter().map(|act| &act["undo"]).collect();
    // The test's own device came in before.
    assert_eq!(undo, ["nothing", "undone", "nothing"], "{after:?}");
    let call = after[0]["trace_id"].as_str().unwrap();
    let ((code, _), err) = run(&["undo", call]);
    assert!(code == Some(1) && err.contains("CALL-008"), "{err}");
    // A pause has no trace: it is named by an id of its own, and taken back by it.
    let ((code, _), err) = run(&["pause", "2h"]);
    assert_eq!(code, Some(0), "{err}");
    let paused = acts().remove(0);
    let id = paused["instruction"].as_str().unwrap();
    assert!(
        id.starts_with("said_") && paused["trace_id"].is_null(),
        "{paused}"
    );
    assert_eq!(paused["undo"], "offered", "{paused}");
    let ((code, out), err) = run(&["undo", id]);
    assert!(code == Some(0) && out.starts_with("Undone: "), "{out}{err}");
    let after = acts();
    let undo: Vec<&Value> = after.iter().map(|act| &act["undo"]).collect();
    let expected = ["nothing", "undone", "nothing", "undone", "nothing"];
    assert_eq!(undo, expected, "{after:?}");
    // A rule that was removed stands again: it was not undone before.
    for change in [
        &["rule", "add", "nights", "--kind", "SHOW_BRIEF"][..],
        &["rule", "remove", "nights"],
    ] {
        let ((code, _), err) = run(change);
        assert_eq!(code, Some(0), "{err}");
    }
    let removed = acts().remove(0);
    let ((code, out), err) = run(&["undo", removed["trace_id"].as_str().unwrap()]);
    assert!(code == Some(0) && out.starts_with("Undone: "), "{out}{err}");
    let after = acts();
    drop(service);
    // On a folder without a service as well.
    assert_eq!(acts(), after);
}

#[test]
fn a_person_and_a_chat_are_muted_by_command_for_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let mute = |args: &[&str]| mute(&data, &home, args);
    let listed = |args: &[&str]| -> Vec<Value> {
        let (code, out) = said(&mute(args));
        assert_eq!(code, Some(0), "{args:?}");
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let (person, chat) = ("pe_0000000000000001", "ch_0000000000000002");
    let first = listed(&["start", person, "--for", "90m", "--json"]);
    assert_eq!(
        (first.len(), &first[0]["person"]),
        (1, &json!(person)),
        "{first:?}"
    );
    // Once more: longer, and still one.
    let longer = listed(&["start", person, "--json"]);
    assert!(
        longer.len() == 1 && longer[0]["until"].as_str() > first[0]["until"].as_str(),
        "{longer:?}"
    );
    let both = listed(&["start", chat, "--for", "1d", "--json"]);
    assert_eq!(
        (both.len(), &both[0]["channel"], &both[1]["person"]),
        (2, &json!(chat), &json!(person)),
        "{both:?}"
    );
    // The page of the person says so, and ends it.
    let (status, page) = service.request("GET", &format!("/people/{person}"), None);
    let page = page.as_str().unwrap().to_owned();
    assert!(
        status == 200 && page.contains("Muted until") && page.contains("data-unmute=\"pe_0000000000000001\""),
        "{status} {page}"
    );
    let (status, reply) = service.request("POST", &format!("/v1/mutes/{person}/end"), None);
    assert_eq!(status, 200, "{reply}");
    assert_eq!(listed(&["list", "--json"]).len(), 1);
    let gone = mute(&["end", person]);
    let why = String::from_utf8_lossy(&gone.stderr);
    assert!(
        gone.status.code() == Some(1) && why.contains("not muted"),
        "{why}"
    );
    assert_eq!(listed(&["end", chat, "--json"]), Vec::<Value>::new());
    for (about, long) in [("garden", "1h"), (person, "2d"), (person, "5"), (chat, "0m")] {
        assert_eq!(
            mute(&["start", about, "--for", long]).status.code(),
            Some(2),
            "{about} {long}"
        );
    }
    service.kill();
}

/// In real time, over HTTP: the prompt goes on, and the mute is over within the second that is promised in every state.
#[test]
fn a_mute_is_ended_within_a_second_while_a_prompt_is_open() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    // Without the half hour between two prompts.
    let policy = dir.path().join("policy.toml");
    let text = DEFAULT_TEXT.replacen("window_min = 30", "window_min = 0", 1);
    assert_ne!(text, DEFAULT_TEXT);
    fs::write(&policy, text).unwrap();
    let service = Service::start_with(&home, &data, &["--policy", policy.to_str().unwrap()]);
    let loud = |channel: &str| {
        let say = |n: u32| {
            let payload =
                json!({"app": "org.example.chat", "channel": channel, "sender": "Joss", "text": "haha"});
            signal(
                &format!("{}-{n}", channel.replace(' ', "")),
                "notification",
                &payload,
            )
        };
        let (status, reply) = service.request("POST", "/v1/signals", Some(&(0..30).map(say).collect()));
        assert_eq!((status, &reply["refused"]), (202, &json!([])), "{reply}");
    };
    loud("Hostel 5");
    let (_phone, card) = service.ask_owner();
    service.confirm(&card);
    let muted = |args: &[&str]| said(&mute(&data, &home, args)).1;
    let listed = service.until("mute", |_| {
        serde_json::from_str::<Value>(&muted(&["list", "--json"])).ok()
    });
    service.until("end of the first prompt", |service| {
        service.now()["card"].is_null().then_some(())
    });
    loud("Hostel 6");
    let open = service.asked();
    assert_ne!(open["card_id"], card["card_id"]);
    let path = format!("/v1/mutes/{}/end", listed["channel"].as_str().unwrap());
    let begun = Instant::now();
    let (status, reply) = service.request("POST", &path, None);
    let took = begun.elapsed();
    assert!([200, 204].contains(&status), "{status} {reply}");
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert_eq!(muted(&["list", "--json"]), "");
    assert_eq!(
        service.now()["card"]["card_id"],
        open["card_id"],
        "the question is as it was"
    );
}
