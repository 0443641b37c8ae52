//! `aura catalogue`: what it prints, what it compares, and what a start does with a catalogue that changed.
//!
//! What: the built binary on locks and data folders of these tests. Why: an operator must see what a new build changes
//! before it runs, and a build in which a tool is gone must not just go on. Not here: comparing (`toolcall-schema`).

use crate::support::{Service, command::aura, wait::until};
use aura_memory::{Store, StoreOptions, Vault, test_support, vault::NoPrompt};
use serde_json::{Value, json};
use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
};
use tempfile::TempDir;
use toolcall_schema::{
    Confirm, ToolName,
    catalogue::lock::{CATALOGUE_LOCK, CatalogueLock},
    gate,
};

/// This build's lock, changed as a test wants it to have been before.
fn lock_before(change: impl FnOnce(&mut CatalogueLock)) -> String {
    let mut lock = CatalogueLock::parse(CATALOGUE_LOCK).unwrap();
    change(&mut lock);
    lock.to_text()
}

/// As if there had been a tool that is gone, and no `comms.classify`.
fn other_tools(lock: &mut CatalogueLock) {
    let entry = lock.tools.remove("comms.classify").unwrap();
    lock.tools.insert("comms.shout".to_owned(), entry);
}

/// As if there had been fewer tools and other words.
fn fewer_tools(lock: &mut CatalogueLock) {
    lock.tools.remove("comms.classify").unwrap();
    let entry = lock.tools.get_mut("comms.snooze").unwrap();
    entry.insert("description".to_owned(), json!("another hash"));
}

/// A data folder that was last used with that lock.
fn folder_with(lock: &str) -> TempDir {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&Vault::demo(dir.path()).unwrap(), StoreOptions::default()).unwrap();
    store.put_catalogue("before".to_owned(), lock.to_owned()).unwrap();
    drop(store);
    dir
}

fn recorded(dir: &Path) -> String {
    let (_store, recovered) =
        Store::open(&Vault::open(dir, &NoPrompt).unwrap(), StoreOptions::default()).unwrap();
    recovered.catalogue.unwrap().1
}

/// `aura tick` on a data folder without a service, for an owner who reads nothing: what a start does.
fn start(dir: &Path) -> (Option<i32>, String, String) {
    let home = dir.join("home.toml");
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    aura(
        &[
            "tick",
            "--json",
            "--data",
            dir.to_str().unwrap(),
            "--home",
            home.to_str().unwrap(),
            "--key-file",
            dir.with_extension("key").to_str().unwrap(),
        ],
        b"",
    )
}

#[test]
fn catalogue_lists_every_tool_by_agent_and_has_the_locked_hash() {
    let (code, text, _) = aura(&["catalogue"], b"");
    assert_eq!(code, Some(0));
    let row = "comms.mute_channel always safety WATCH rule_set 0006 Mutes one channel for a time.";
    let rows: Vec<String> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert!(rows.iter().any(|line| line == row), "{text}");
    let headings: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains(' ') && !line.is_empty())
        .collect();
    assert_eq!(
        headings,
        ["comms", "calendar", "finance", "wellness", "orchestrator"]
    );
    let (_, json, _) = aura(&["catalogue", "--json"], b"");
    let catalogue: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(catalogue["tools"].as_array().unwrap().len(), 61);
    assert_eq!(
        catalogue["hash"],
        json!(CatalogueLock::parse(CATALOGUE_LOCK).unwrap().hash)
    );
    assert_eq!(aura(&["catalogue", "--lock"], b"").1, CATALOGUE_LOCK);
}

#[test]
fn catalogue_of_one_tool_shows_schemas_private_leaves_and_examples() {
    let (code, text, _) = aura(&["catalogue", "comms.describe"], b"");
    assert_eq!(code, Some(0));
    for part in [
        "comms.describe: Names senders",
        "/result/labels/*/label",
        "\"maxItems\": 64",
        "docs/adr/0020",
        "  {\"ids\":[]}\n    GATE-009 at /args/ids\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (_, json, _) = aura(&["catalogue", "comms.snooze", "--json"], b"");
    let tool: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        tool["examples"]["invalid"][0],
        json!({"args": {"item_id": "it_00112233445566aa", "ttl_seconds": 86401}, "code": "GATE-009", "pointer": "/args/ttl_seconds"})
    );
    let (code, _, err) = aura(&["catalogue", "comms.shout"], b"");
    assert!(code == Some(2) && err.contains("no such tool"), "{err}");
}

#[test]
fn diff_ends_with_1_only_when_something_has_to_be_accepted() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("old");
    let diff = |old: &str| {
        fs::write(&file, old).unwrap();
        aura(&["catalogue", "--json", "--diff", file.to_str().unwrap()], b"")
    };
    let found = |(code, out, err): (Option<i32>, String, String)| -> (Option<i32>, Value) {
        (code, serde_json::from_str(&out).unwrap_or_else(|_| json!(err)))
    };
    let nothing = json!({"added": [], "removed": [], "changed": [], "to_accept": [], "released": []});
    assert_eq!(found(diff(CATALOGUE_LOCK)), (Some(0), nothing.clone()));
    let (_, whole, _) = aura(&["catalogue", "--json"], b"");
    assert_eq!(found(diff(&whole)), (Some(0), nothing));
    assert_eq!(
        found(diff(&lock_before(other_tools))),
        (
            Some(1),
            json!({"added": ["comms.classify"], "removed": ["comms.shout"], "changed": [], "to_accept": ["comms.shout"], "released": []})
        )
    );
    let (code, fewer) = found(diff(&lock_before(fewer_tools)));
    assert_eq!(
        (code, &fewer["to_accept"], &fewer["added"]),
        (Some(0), &json!([]), &json!(["comms.classify"]))
    );
    fs::write(&file, lock_before(other_tools)).unwrap();
    let (_, text, _) = aura(&["catalogue", "--diff", file.to_str().unwrap()], b"");
    assert!(text.ends_with("\nTo be accepted: comms.shout\n"), "{text}");
    let (code, _, err) = diff("{}");
    assert!(
        code == Some(2) && err.contains("neither a catalogue.lock"),
        "{err}"
    );
}

#[test]
fn a_start_records_the_first_catalogue_and_one_that_only_grew() {
    let fresh = TempDir::new().unwrap();
    let grown = folder_with(&lock_before(fewer_tools));
    for dir in [fresh, grown] {
        let (code, _, err) = start(dir.path());
        assert_eq!(code, Some(0), "{err}");
        assert_eq!(recorded(dir.path()), CATALOGUE_LOCK);
    }
}

#[test]
fn a_start_is_refused_until_a_person_accepts_what_is_gone() {
    let before = lock_before(other_tools);
    let dir = folder_with(&before);
    let data = dir.path().to_str().unwrap();
    let (code, _, err) = start(dir.path());
    assert_eq!(code, Some(3), "{err}");
    for part in ["CAT-001", "comms.shout;", "aura catalogue accept --data"] {
        assert!(err.contains(part), "{part}: {err}");
    }
    let (code, out, _) = aura(&["catalogue", "accept", "--data", data], b"no\n");
    assert!(code == Some(1) && out.contains("Nothing was accepted."), "{out}");
    let (code, _, err) = aura(&["catalogue", "accept", "--json", "--data", data], b"");
    assert!(code == Some(2) && err.contains("--yes"), "{err}");
    assert_eq!(recorded(dir.path()), before);
    let (code, out, _) = aura(&["catalogue", "accept", "--data", data], b"yes\n");
    assert!(
        code == Some(0) && out.contains("To be accepted: comms.shout"),
        "{out}"
    );
    assert_eq!(recorded(dir.path()), CATALOGUE_LOCK);
    assert_eq!(start(dir.path()).0, Some(0));
    let again = aura(&["catalogue", "accept", "--yes", "--data", data], b"");
    assert!(
        again.0 == Some(0) && again.1.starts_with("Nothing changed."),
        "{again:?}"
    );
}

#[test]
fn gate_check_admits_every_valid_example_and_refuses_the_others_where_they_say() {
    let mut lines = String::new();
    let mut wanted = Vec::new();
    for name in ToolName::ALL {
        let examples = name.examples();
        let mut call = |args: &str, verdict: Value| {
            let confirm = name.columns().confirm == Confirm::Always;
            let args: Value = serde_json::from_str(args).unwrap();
            let call = json!({"call_id": "t_abcde01234", "agent": name.agent(), "tool": name.tool(), "args": args,
                "ts": "2026-11-03T02:15:00Z", "confirm_required": confirm});
            lines.push_str(&call.to_string());
            lines.push('\n');
            wanted.push(verdict);
        };
        call(examples.valid, json!([true, name, null, null]));
        for (args, pointer) in examples.invalid {
            call(args, json!([false, null, "GATE-009", pointer]));
        }
    }
    let (code, out, err) = aura(&["gate", "check", "--json"], lines.as_bytes());
    assert_eq!(code, Some(1), "{err}");
    let verdicts: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|v| json!([v["admitted"], v["tool"], v["code"], v["pointer"]]))
        .collect();
    assert_eq!(verdicts, wanted);
}

/// A page as a browser of the owner's is sent it, or a stranger's.
fn page(service: &Service, path: &str, token: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", service.port)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: text/html\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n",
        service.port
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}

/// Waits until the service answers that it is well; in between nobody listens.
fn until_healthy(port: u16) {
    until("healthy service", || {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        write!(
            stream,
            "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        )
        .ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.starts_with("HTTP/1.1 200").then_some(())
    });
}

#[test]
fn a_service_says_on_its_page_what_is_gone_and_starts_once_the_owner_accepts_there() {
    let before = lock_before(other_tools);
    let dir = folder_with(&before);
    let home = dir.path().join("home.toml");
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, dir.path());
    for path in ["/healthz", "/readyz", "/v1/now"] {
        let (status, body) = service.request("GET", path, None);
        assert_eq!((status, &body["code"]), (503, &json!("CAT-001")), "{path}");
    }
    for path in ["/", "/settings"] {
        let (status, text) = page(&service, path, &service.token);
        assert_eq!(status, 503, "{path}");
        assert!(
            text.contains("comms.shout") && text.contains("It is gone."),
            "{text}"
        );
        let (status, _) = page(&service, path, "a stranger");
        assert_eq!(status, 303, "{path}");
    }
    let data = dir.path().to_str().unwrap();
    let (code, _, err) = aura(&["status", "--data", data], b"");
    assert!(code != Some(0) && err.contains("CAT-001"), "{code:?}: {err}");
    let (status, _) = service.request("POST", "/v1/catalogue/accept", None);
    assert_eq!(status, 204);
    // The same process, at the same address, for the same device.
    until_healthy(service.port);
    assert_eq!(service.now()["rules"], json!([]));
    assert_eq!(service.request("POST", "/v1/catalogue/accept", None).0, 404);
    service.kill();
    assert_eq!(recorded(dir.path()), CATALOGUE_LOCK);
}

#[test]
fn the_owner_accepts_by_command_while_the_page_waits() {
    let before = lock_before(other_tools);
    let dir = folder_with(&before);
    let home = dir.path().join("home.toml");
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, dir.path());
    let data = dir.path().to_str().unwrap();
    let (code, out, err) = aura(&["catalogue", "accept", "--data", data], b"no\n");
    assert!(
        code == Some(1) && out.contains("comms.shout"),
        "{code:?}: {out}{err}"
    );
    let (status, _) = service.request("GET", "/healthz", None);
    assert_eq!(status, 503);
    let (code, out, err) = aura(&["catalogue", "accept", "--yes", "--data", data], b"");
    assert!(
        code == Some(0) && out.contains("Recorded for"),
        "{code:?}: {out}{err}"
    );
    until_healthy(service.port);
    // Beside a service that runs there is nothing left to accept.
    let (code, _, err) = aura(&["catalogue", "accept", "--yes", "--data", data], b"");
    assert_eq!(code, Some(0), "{err}");
    service.kill();
    assert_eq!(recorded(dir.path()), CATALOGUE_LOCK);
}

#[test]
fn a_demo_goes_on_with_other_tools() {
    let dir = folder_with(&lock_before(other_tools));
    let home = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/home"));
    let demo = Service::spawn("demo", 0, home, dir.path(), |command| command);
    until_healthy(demo.port);
    demo.kill();
    assert_eq!(recorded(dir.path()), CATALOGUE_LOCK);
}

#[test]
fn a_service_that_waits_for_the_owner_ends_when_it_is_told_and_has_changed_nothing() {
    let before = lock_before(other_tools);
    let dir = folder_with(&before);
    let home = dir.path().join("home.toml");
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, dir.path());
    let (code, _, err) = aura(&["stop", "--data", dir.path().to_str().unwrap()], b"");
    assert_eq!(code, Some(0), "{err}");
    until("folder that is free", || {
        aura_memory::is_free(dir.path()).unwrap().then_some(())
    });
    assert_eq!(recorded(dir.path()), before);
    service.kill();
}

/// As if the build before had other words for a tool: nothing to be accepted, but what was asked under it is void.
#[test]
fn a_prompt_that_was_asked_under_another_catalogue_is_superseded_and_under_the_same_it_stays() {
    for changed in [false, true] {
        let dir = TempDir::new().unwrap();
        let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
        fs::write(&home, "zone = \"UTC\"\n").unwrap();
        let service = Service::start(&home, &data);
        let (_page, card) = service.ask_owner();
        service.kill();
        if changed {
            let vault = Vault::open(&data, &NoPrompt).unwrap();
            let (now, before) = (gate::catalogue_hash(), "0".repeat(64));
            for (table, column) in [
                ("events", "json"),
                ("snapshot", "json"),
                ("bases", "json"),
                ("decisions", "json"),
                ("catalogues", "hash"),
            ] {
                let statement =
                    format!("UPDATE {table} SET {column} = replace({column}, '{now}', '{before}')");
                test_support::edit(&vault, &statement).unwrap();
            }
            let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
            store.put_catalogue(before, lock_before(fewer_tools)).unwrap();
        }
        let service = Service::start(&home, &data);
        let asked = &card["decision"]["trace_id"];
        if changed {
            let trace = service.until("trace of the prompt", |service| {
                let (_, traces) = service.request("GET", "/v1/traces?limit=5", None);
                let mut traces = traces.as_array().unwrap().iter();
                traces
                    .find(|trace| trace["decision"]["trace_id"] == *asked)
                    .cloned()
            });
            assert_eq!(
                (&trace["outcome"], &trace["reason_code"]),
                (&json!("dismissed"), &json!("superseded"))
            );
            assert_eq!(service.now()["card"], Value::Null);
        } else {
            let _phone = service.phone();
            assert_eq!(service.asked()["decision"]["trace_id"], *asked);
        }
        service.kill();
    }
}
