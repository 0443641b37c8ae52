//! What a program asks for, beside a running service.
//!
//! What: `aura ask` is told that it waits, over a kill and a start; the owner confirms the card that says who asks, and the program is told what came of
//! it; what may not be asked is refused with a sentence. Why: who is not the owner proposes, and no word of theirs confirms. Not here: each
//! state and crash (the machine's `tests/asks.rs`), the day with its arithmetic (`fixtures/days/asked-by-a-program`).

use crate::support::Service;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use toolcall_schema::Timestamp;

struct Program {
    home: PathBuf,
    data: PathBuf,
}

impl Program {
    fn ask(&self, tool: &str, args: &str, key: &str, more: &[&str]) -> Output {
        let mut aura = Command::new(env!("CARGO_BIN_EXE_aura"));
        aura.args(["ask", tool, "--args", args, "--idempotency-key", key])
            .args(more)
            .arg("--data")
            .arg(&self.data)
            .arg("--home")
            .arg(&self.home)
            .env("AURA_KEY_FILE", self.data.with_extension("key"));
        aura.output().unwrap()
    }

    /// Exit code and what it printed as JSON.
    fn break_of_90(&self, key: &str) -> (Option<i32>, Value) {
        let done = self.ask(
            "wellness.permit_leisure",
            r#"{"window_min":90}"#,
            key,
            &["--json"],
        );
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        let report = serde_json::from_str(&said).unwrap_or(Value::from(said));
        (done.status.code(), report)
    }
}

#[test]
fn what_a_program_asks_for_waits_over_a_kill_and_is_done_when_the_owner_confirms() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program {
        home: dir.path().join("home.toml"),
        data: dir.path().join("data"),
    };
    fs::write(&program.home, "zone = \"UTC\"\n").unwrap();
    let start = |data: &Path| Service::start(&program.home, data);
    let service = start(&program.data);
    let (code, first) = program.break_of_90("evening");
    assert_eq!(
        (code, &first["state"], &first["trace_id"]),
        (Some(0), &json!("queued"), &Value::Null),
        "{first}"
    );
    assert!(service.now()["card"].is_null(), "it starts no tick");
    service.kill();
    let service = start(&program.data);
    // The same ask: until the same moment, which a start may find a few milliseconds off.
    let (code, second) = program.break_of_90("evening");
    let until = |report: &Value| Timestamp::parse(report["until"].as_str().unwrap()).unwrap();
    assert_eq!((code, &second["state"]), (Some(0), &json!("queued")));
    assert!(
        until(&second).since(until(&first)).abs() < 1000,
        "{first} {second}"
    );

    let _phone = service.phone();
    service.look("u1");
    let card = service.asked();
    let chosen = &card["decision"]["chosen"];
    assert_eq!(
        (&chosen["kind"], &chosen["asker"]),
        (&json!("PERMIT_LEISURE"), &json!("program")),
        "{card}"
    );
    let (_, page) = service.request("GET", "/", None);
    assert!(
        page.as_str()
            .is_some_and(|page| page.contains("A program asks for it.")),
        "the card says who asks: {page}"
    );
    let (code, asking) = program.break_of_90("evening");
    assert_eq!((code, &asking["state"]), (Some(0), &json!("asking")));
    let words = asking.to_string();
    let capability = card["prompts"][0]["capability"].as_str().unwrap();
    assert!(!words.contains(capability), "who asks is never given it");
    service.confirm(&card);
    let done = service.until("end of the ask", |_| {
        let (code, report) = program.break_of_90("evening");
        (report["state"] == "done").then_some((code, report))
    });
    assert_eq!(done.0, Some(0));
    let path = format!("/v1/traces/{}", done.1["trace_id"].as_str().unwrap());
    let (status, trace) = service.request("GET", &path, None);
    assert_eq!(
        (status, &trace["outcome"], &trace["tool_calls"][0]["args"]),
        (200, &json!("confirmed"), &json!({"window_min": 90})),
        "{trace}"
    );
    // Another key is another ask; the window is closed, so it waits.
    assert_eq!(program.break_of_90("night").1["state"], "queued");
}

#[test]
fn what_a_program_may_not_ask_for_is_refused_with_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program {
        home: dir.path().join("home.toml"),
        data: dir.path().join("data"),
    };
    fs::write(&program.home, "zone = \"UTC\"\n").unwrap();
    let _service = Service::start(&program.home, &program.data);
    let (leisure, window) = ("wellness.permit_leisure", r#"{"window_min":90}"#);
    assert_eq!(program.ask(leisure, window, "one", &[]).status.code(), Some(0));
    for (tool, args, key, more, code, why) in [
        (
            "comms.ingest",
            "{}",
            "a",
            &[][..],
            1,
            "nothing that a program may ask for",
        ),
        (
            "orchestrator.end_pause",
            "{}",
            "a",
            &[],
            1,
            "nothing that a program may ask for",
        ),
        (leisure, r#"{"window_min":240}"#, "a", &[], 1, "no others"),
        (
            "wellness.start_nap_timer",
            r#"{"duration_min":15}"#,
            "one",
            &[],
            1,
            "used for another request",
        ),
        ("comms.steal", "{}", "a", &[], 2, "no such tool"),
        (leisure, "{", "a", &[], 2, "no JSON"),
        (leisure, window, "a", &["--for", "2d"], 2, "from 1m to 1d"),
    ] {
        let done = program.ask(tool, args, key, more);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(code), "{tool} {args}: {said}");
        assert!(said.contains(why), "{tool} {args}: {said}");
    }
    // Five of such programs wait at most: later there may be room.
    for n in 2..=5 {
        let done = program.ask(leisure, window, &n.to_string(), &[]);
        assert_eq!(done.status.code(), Some(0), "{n}");
    }
    let done = program.ask(leisure, window, "six", &[]);
    assert_eq!(done.status.code(), Some(75));
}
