//! Other people's programs beside a running service.
//!
//! What: a device's token proposes over HTTP, over a kill and a start; the owner confirms the card that names the device; the program is told
//! what came of it; it takes back; it reads, recorded first; a thousand asks at once; the owner's tick, and revoking. Why: what is promised
//! to a program and to the owner is promised of the built binary. Not here: each state (the machine's `tests/asks_devices.rs`), bad bodies
//! (`surfaces/tests/pages/asks.rs`).

use crate::support::{Service, write_fault::WriteFault};
use serde_json::{Value, json};
use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::PathBuf,
    process::Command,
};
use tempfile::TempDir;

struct Household {
    dir: TempDir,
}

impl Household {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write(
            "home.toml",
            "zone = \"UTC\"\n[sources]\ncalendar = [\"home.ics\"]\n",
        );
        let event = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\nUID:demo\nDTSTAMP:20261101T000000Z\n\
                     DTSTART:20261102T100000Z\nDTEND:20261102T110000Z\nSUMMARY:Choir\nEND:VEVENT\nEND:VCALENDAR\n";
        write("home.ics", &event.replace('\n', "\r\n"));
        Self { dir }
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn start(&self) -> Service {
        Service::start(&self.dir.path().join("home.toml"), &self.data())
    }

    fn aura(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let mut aura = Command::new(env!("CARGO_BIN_EXE_aura"));
        aura.args(args)
            .arg("--data")
            .arg(self.data())
            .env("AURA_HOME", self.dir.path().join("home.toml"))
            .env("AURA_KEY_FILE", self.data().with_extension("key"));
        let done = aura.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (done.status.code(), text(&done.stdout), text(&done.stderr))
    }

    /// How many records of the audit log hold this.
    fn recorded(&self, filter: &[&str], what: &str) -> usize {
        let list = ["memory", "audit", "list", "--limit", "1000", "--json"];
        let (code, out, err) = self.aura(&[&list[..], filter].concat());
        assert_eq!(code, Some(0), "{err}");
        out.lines().filter(|line| line.contains(what)).count()
    }

    /// Events of the journal.
    fn events(&self) -> u64 {
        let (_, stats, err) = self.aura(&["memory", "stats", "--json"]);
        let stats: Value = serde_json::from_str(&stats).unwrap_or_else(|_| panic!("{stats}{err}"));
        stats["events"].as_u64().unwrap()
    }

    /// A device that may ask for these: its id and its token.
    fn device(&self, name: &str, tools: &str) -> (String, String) {
        let (code, out, err) = self.aura(&[
            "device", "add", name, "--scope", "ask", "--tools", tools, "--json",
        ]);
        assert_eq!(code, Some(0), "{err}");
        let added: Value = serde_json::from_str(&out).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&added["device"]["id"]), text(&added["token"]))
    }
}

/// One request of a program.
fn program(service: &Service, token: &str, line: &str, body: Option<&Value>) -> (u16, Value) {
    let mut stream = TcpStream::connect(("127.0.0.1", service.port)).unwrap();
    let body = body.map(Value::to_string).unwrap_or_default();
    write!(
        stream,
        "{line} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        service.port,
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let text = answer.split_once("\r\n\r\n").unwrap().1;
    (
        status,
        serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
    )
}

fn leisure(key: &str) -> Value {
    json!({"tool": "wellness.permit_leisure", "args": {"window_min": 90}, "key": key})
}

fn propose(service: &Service, token: &str, key: &str) -> (u16, Value) {
    program(service, token, "POST /v1/asks", Some(&leisure(key)))
}

fn state(service: &Service, token: &str, ask: &Value, more: &str) -> Value {
    let line = format!("GET /v1/asks/{}{more}", ask["ask"].as_str().unwrap());
    let (status, state) = program(service, token, &line, None);
    assert_eq!(status, 200, "{state}");
    state
}

#[test]
fn a_program_proposes_over_a_kill_and_the_owner_decides_on_a_card_that_names_its_device() {
    let home = Household::new();
    let service = home.start();
    let (_, desk) = home.device("Desk client", "all");
    let (_, phone) = home.device("Phone", "wellness.permit_leisure");
    let (status, first) = propose(&service, &desk, "evening");
    assert_eq!((status, &first["state"]), (202, &json!("queued")), "{first}");
    // The same key of another device is another ask.
    let (_, other) = propose(&service, &phone, "evening");
    assert_ne!(first["ask"], other["ask"]);
    let line = format!("GET /v1/asks/{}", first["ask"].as_str().unwrap());
    let (status, refused) = program(&service, &phone, &line, None);
    assert_eq!((status, &refused["code"]), (404, &json!("ASK-005")));
    service.kill();
    let service = home.start();
    let (status, again) = propose(&service, &desk, "evening");
    assert_eq!(
        (status, &again["ask"], &again["state"]),
        (202, &first["ask"], &json!("queued"))
    );

    let _page = service.phone();
    service.look("u1");
    // Held back until something changes.
    let asking = state(&service, &desk, &first, "?wait=25&seen=queued");
    assert_eq!(asking["state"], "asking", "{asking}");
    let card = service.asked();
    let (_, page) = service.request("GET", "/", None);
    let page = page.as_str().unwrap();
    assert!(page.contains("Asked for by Desk client, Phone."), "{page}");
    let capability = card["prompts"][0]["capability"].as_str().unwrap();
    assert!(
        !asking.to_string().contains(capability),
        "who asks is never given it"
    );
    // Nothing that the program sends confirms.
    let path = format!("POST /v1/cards/{}/answer", card["card_id"].as_str().unwrap());
    let confirm = json!({"act": "confirm", "surface": "PHONE_CARD", "capability": capability});
    assert_eq!(program(&service, &desk, &path, Some(&confirm)).0, 403);
    service.confirm(&card);
    for (token, ask) in [(&desk, &first), (&phone, &other)] {
        let done = state(&service, token, ask, "?wait=25");
        assert_eq!(done["state"], "done", "{done}");
    }
    // One card a day: the next waits, and explains no silence.
    let (_, more) = propose(&service, &desk, "night");
    assert_eq!(more["state"], "queued");
    let cancel = format!("POST /v1/asks/{}/cancel", more["ask"].as_str().unwrap());
    let (status, back) = program(&service, &desk, &cancel, None);
    assert_eq!((status, &back["state"]), (200, &json!("cancelled")), "{back}");
    let (_, again) = propose(&service, &desk, "night");
    assert_eq!(again["state"], "cancelled");
    let (code, listed, err) = home.aura(&["ask", "--list", "--json"]);
    assert_eq!((code, listed.lines().count()), (Some(0), 3), "{listed}{err}");
}

#[test]
fn a_card_goes_when_its_program_takes_it_back_or_its_device_is_revoked() {
    let home = Household::new();
    let service = home.start();
    let (id, desk) = home.device("Desk client", "all");
    let (_, ask) = propose(&service, &desk, "one");
    let page = service.phone();
    service.look("u1");
    let card = service.asked();
    let cancel = format!("POST /v1/asks/{}/cancel", ask["ask"].as_str().unwrap());
    assert_eq!(program(&service, &desk, &cancel, None).1["state"], "cancelled");
    service.until("the card to go", |service| {
        service.now()["card"].is_null().then_some(())
    });
    let path = format!("/v1/cards/{}/answer", card["card_id"].as_str().unwrap());
    let capability = &card["prompts"][0]["capability"];
    let late = json!({"act": "confirm", "surface": "PHONE_CARD", "capability": capability});
    let (status, refused) = service.request("POST", &path, Some(&late));
    assert_eq!(
        (status, &refused["code"]),
        (409, &json!("CONFIRM-003")),
        "{refused}"
    );
    drop(page);
    // Revoked: what waits is taken back, and the token opens nothing.
    let (_, waits) = propose(&service, &desk, "two");
    assert_eq!(waits["state"], "queued");
    let (code, _, err) = home.aura(&["device", "revoke", &id]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(propose(&service, &desk, "three").0, 401);
    let (_, listed, _) = home.aura(&["ask", "--list", "--json"]);
    assert!(!listed.contains("queued") && listed.contains(&id), "{listed}");
}

#[test]
fn a_thousand_asks_at_once_wait_as_three() {
    let home = Household::new();
    let service = home.start();
    let (_, desk) = home.device("Desk client", "all");
    let before = home.recorded(&[], "");
    let told: Vec<(u16, Value)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let (service, desk) = (&service, &desk);
                scope.spawn(move || {
                    let ask = |n| propose(service, desk, &format!("{thread} {n}"));
                    (0..250).map(ask).collect::<Vec<_>>()
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    let count = |status| told.iter().filter(|(found, _)| *found == status).count();
    assert_eq!(
        (count(202), count(429)),
        (3, 997),
        "{:?}",
        told.iter().find(|(status, _)| ![202, 429].contains(status))
    );
    let (_, listed, _) = home.aura(&["ask", "--list", "--json"]);
    assert_eq!(listed.lines().count(), 3, "{listed}");
    // What is refused fills neither journal nor audit log.
    assert!(home.recorded(&[], "") < before + 20);
}

#[test]
fn a_program_that_polls_without_end_leaves_nothing_behind() {
    let home = Household::new();
    let service = home.start();
    let (_, desk) = home.device("Desk client", "all");
    let (_, ask) = propose(&service, &desk, "one");
    // What a program may not send along, for another tool, or of no tool.
    for args in [
        json!({"cycles": 4}),
        json!({"window_min": 90, "confirm": true}),
        json!([]),
    ] {
        let body = json!({"tool": "wellness.permit_leisure", "args": args, "key": "other"});
        let (status, refused) = program(&service, &desk, "POST /v1/asks", Some(&body));
        assert_eq!((status, &refused["code"]), (400, &json!("ASK-002")), "{body}");
    }
    let (records, events) = (home.recorded(&[], ""), home.events());
    // Below what WEB-023 stops: 200 at once.
    for _ in 0..90 {
        assert_eq!(state(&service, &desk, &ask, "")["state"], "queued");
        let (status, again) = propose(&service, &desk, "one");
        assert_eq!((status, &again["ask"]), (202, &ask["ask"]));
    }
    assert!(home.events() < events + 20, "nothing of it is journalled");
    assert!(home.recorded(&[], "") < records + 20);
    assert_eq!(home.aura(&["ask", "--list", "--json"]).1.lines().count(), 1);
}

#[test]
fn a_program_that_proposes_and_takes_back_without_end_fills_no_journal() {
    let home = Household::new();
    let service = home.start();
    let (_, desk) = home.device("Desk client", "all");
    // 429 of WEB-023 only says that it is asked too fast.
    let paced = |line: &str, body: Option<&Value>| {
        service.until("an answer", |service| {
            Some(program(service, &desk, line, body)).filter(|(_, told)| told["code"] != "WEB-023")
        })
    };
    let mut asked = 0;
    let refused = loop {
        let (status, told) = paced("POST /v1/asks", Some(&leisure(&asked.to_string())));
        if status != 202 {
            break told;
        }
        asked += 1;
        let cancel = format!("POST /v1/asks/{}/cancel", told["ask"].as_str().unwrap());
        assert_eq!(paced(&cancel, None).1["state"], "cancelled");
    };
    assert_eq!((asked, &refused["code"]), (300, &json!("ASK-006")), "{refused}");
    let (_, again) = paced("POST /v1/asks", Some(&leisure("299")));
    assert_eq!(again["state"], "cancelled", "a repeat is no new one");
    // What is over, and what never was, is taken back without a word in the journal.
    let events = home.events();
    let over = format!("POST /v1/asks/{}/cancel", again["ask"].as_str().unwrap());
    for _ in 0..100 {
        assert_eq!(paced(&over, None).1["state"], "cancelled");
        assert_eq!(
            paced("POST /v1/asks/rq_00000000000000ff/cancel", None).1["code"],
            "ASK-005"
        );
    }
    assert!(home.events() < events + 20);
}

#[test]
fn a_read_is_recorded_before_it_is_told_and_money_waits_for_the_owners_tick() {
    let home = Household::new();
    let service = home.start();
    let (id, desk) = home.device("Desk client", "all");
    let (_, narrow) = home.device("Narrow", "calendar.suggest_slots");
    let slots = json!({"tool": "calendar.suggest_slots", "args": {"duration_min": 60, "after": "2026-11-03T09:00:00Z"}});
    let read = |token: &str, body: &Value| program(&service, token, "POST /v1/reads", Some(body));
    let listed = |what: &str| home.recorded(&["--op", "read", "--kind", "call"], what);
    let tool = format!("{id}:calendar.suggest_slots");
    // The agent may be reading still.
    let told = service.until("free times", |_| {
        let (status, told) = read(&narrow, &slots);
        (status == 200).then_some(told)
    });
    assert!(told["result"]["slots"].is_array(), "{told}");
    assert_eq!(read(&desk, &slots).0, 200);
    assert_eq!(listed(&tool), 1);
    let conflicts = json!({"tool": "calendar.detect_conflicts", "args": {"day": "2026-11-03"}});
    let balance = json!({"tool": "finance.predict_eom_balance", "args": {"day": "2026-11-03"}});
    for (token, body, status, code) in [
        (&narrow, &conflicts, 403, "ASK-001"),
        (&desk, &balance, 403, "ASK-001"),
        (
            &desk,
            &json!({"tool": "comms.triage_inbox", "args": {"scope": "all_today"}}),
            403,
            "ASK-001",
        ),
        (
            &desk,
            &json!({"tool": "comms.snooze", "args": {}}),
            403,
            "ASK-001",
        ),
        // What is proposed is not read, and the other way round.
        (
            &desk,
            &json!({"tool": "wellness.permit_leisure", "args": {"window_min": 90}}),
            403,
            "ASK-001",
        ),
        (
            &desk,
            &json!({"tool": "calendar.detect_conflicts", "args": {"day": "today"}}),
            400,
            "ASK-002",
        ),
    ] {
        let (found, refused) = read(token, body);
        assert_eq!((found, &refused["code"]), (status, &json!(code)), "{body}");
    }
    let as_ask = json!({"tool": "calendar.suggest_slots", "args": slots["args"], "key": "a"});
    assert_eq!(program(&service, &desk, "POST /v1/asks", Some(&as_ask)).0, 403);
    assert_eq!(listed(&id), 1, "what is refused is not read");
    let (code, _, err) = home.aura(&["device", "allow", &id, "finance"]);
    assert_eq!(code, Some(0), "{err}");
    // A household without payments: it is read, and there is nothing to tell.
    let (status, told) = read(&desk, &balance);
    assert_eq!((status, &told["code"]), (404, &json!("ASK-009")), "{told}");
    let (code, _, _) = home.aura(&["device", "allow", &id, "finance", "--not"]);
    assert_eq!((code, read(&desk, &balance).0), (Some(0), 403));
    // Sixty an hour.
    let refused = (0..60)
        .map(|_| read(&desk, &slots))
        .find(|(status, _)| *status != 200);
    let (status, told) = refused.unwrap();
    assert_eq!((status, &told["code"]), (429, &json!("ASK-006")), "{told}");
    assert_eq!(listed(&id), 60);
    assert_eq!(read(&narrow, &slots).0, 200, "another device reads on");
    assert_eq!(listed(&tool), 59, "and one of the balance");
    // A start begins no new hour.
    service.kill();
    let service = home.start();
    let (status, told) = program(&service, &desk, "POST /v1/reads", Some(&slots));
    assert_eq!((status, &told["code"]), (429, &json!("ASK-006")), "{told}");
}

#[test]
fn what_cannot_be_recorded_is_neither_shown_nor_asked() {
    let home = Household::new();
    let service = home.start();
    let (id, desk) = home.device("Desk client", "all");
    let slots = json!({"tool": "calendar.suggest_slots", "args": {"duration_min": 60, "after": "2026-11-03T09:00:00Z"}});
    let read = || program(&service, &desk, "POST /v1/reads", Some(&slots));
    service.until("free times", |_| (read().0 == 200).then_some(()));
    let full = WriteFault::full_disk(&service);
    for (line, body) in [
        ("POST /v1/reads", Some(&slots)),
        ("GET /v1/askable/chats", None),
        ("POST /v1/asks", Some(&leisure("one"))),
    ] {
        let (status, told) = program(&service, &desk, line, body);
        assert_eq!(
            (status, &told["code"]),
            (503, &json!("ASK-007")),
            "{line}: {told}"
        );
    }
    drop(full);
    let told = service.until("a disk that takes it", |_| {
        let (status, told) = propose(&service, &desk, "one");
        (status != 503).then_some(told)
    });
    assert_eq!(told["state"], "queued", "{told}");
    assert_eq!(read().0, 200);
    assert!(home.recorded(&["--op", "read", "--kind", "call"], &id) >= 2);
}

#[test]
fn a_chat_is_named_by_an_id_of_the_device_once_the_owner_has_named_and_ticked_it() {
    let home = Household::new();
    let service = home.start();
    let (id, desk) = home.device("Desk client", "all");
    let (_, other) = home.device("Other", "all");
    let chat = "ch_00000000000000aa";
    let name = json!({"name": "Choir"});
    let (status, _) = service.request("POST", &format!("/v1/things/{chat}/name"), Some(&name));
    assert_eq!(status, 204);
    let chats = |token: &str| program(&service, token, "GET /v1/askable/chats", None).1;
    assert_eq!(chats(&desk), json!({"chats": []}), "not ticked");
    let (code, _, err) = home.aura(&["device", "allow", &id, chat]);
    assert_eq!(code, Some(0), "{err}");
    let named = chats(&desk);
    let own = named["chats"][0]["id"].as_str().unwrap();
    assert_eq!(named["chats"][0]["label"], "Choir", "{named}");
    assert!(own.starts_with("ch_") && own != chat, "{own}");
    // The newest program that asks, whoever else was let in since; it knows the same chat by another id.
    for args in [
        ["device", "add", "Phone", "--scope", "signals:write"].as_slice(),
        &["device", "allow", "last", chat],
    ] {
        let (code, _, err) = home.aura(args);
        assert_eq!(code, Some(0), "{err}");
    }
    let (_, mine) = program(&service, &other, "GET /v1/askable/chats", None);
    assert_eq!(mine["chats"][0]["label"], "Choir", "{mine}");
    assert_ne!(mine["chats"][0]["id"], json!(own));
    let mute = |token: &str, chat: &str, key: &str| {
        let args = json!({"channel_hash": chat, "ttl_seconds": 1800});
        let body = json!({"tool": "comms.mute_channel", "args": args, "key": key});
        program(&service, token, "POST /v1/asks", Some(&body))
    };
    assert_eq!(mute(&desk, own, "a").0, 202);
    // Aura's own id, another device's, and what is no id.
    for (token, chat) in [
        (&desk, chat),
        (&other, own),
        (&desk, "ch_0000000000000000"),
        (&desk, "Choir"),
    ] {
        let (status, refused) = mute(token, chat, "b");
        assert_eq!((status, &refused["code"]), (400, &json!("ASK-002")), "{chat}");
    }
}

#[test]
fn a_script_waits_at_the_command_line() {
    let home = Household::new();
    let service = home.start();
    let ask = |more: &[&str]| {
        let args = [
            "ask",
            "wellness.permit_leisure",
            "--args",
            r#"{"window_min":90}"#,
            "--idempotency-key",
            "a",
        ];
        home.aura(&[&args[..], more].concat())
    };
    let (code, out, err) = ask(&["--json"]);
    assert_eq!(code, Some(0), "{err}");
    let queued: Value = serde_json::from_str(&out).unwrap();
    let id = queued["ask"].as_str().unwrap();
    let (code, out, _) = home.aura(&["ask", "--state", id]);
    assert!(code == Some(0) && out.starts_with("queued"), "{out}");
    let page = service.phone();
    service.look("u1");
    let card = service.asked();
    let waiting = std::thread::scope(|scope| {
        let waits = scope.spawn(|| ask(&["--wait"]));
        service.confirm(&card);
        waits.join().unwrap()
    });
    assert!(
        waiting.0 == Some(0) && waiting.1.starts_with("done"),
        "{waiting:?}"
    );
    drop(page);
    let (code, out, _) = home.aura(&["ask", "--cancel", id]);
    assert!(code == Some(0) && out.starts_with("done"), "too late: {out}");
    let (code, _, err) = home.aura(&["ask", "--cancel", "rq_0000000000000000"]);
    assert!(code == Some(1) && err.contains("ASK-005"), "{err}");
    let (code, _, err) = home.aura(&["ask", "--list", "--wait"]);
    assert_eq!(code, Some(2), "{err}");
}
