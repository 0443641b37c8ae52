//! Forgetting beside everything else: the service stays, an open question stays, and so does what is told meanwhile.
//!
//! What: the built binary with a sender that keeps its own list of what was acknowledged, commands that delete beside it, kills in
//! between, and the export. Why: the promises are made to somebody outside, so they are checked from there. Not here: which rows go
//! (`memory.rs`, `aura_memory::erase`).

use crate::support::{Service, command::aura, named_household::agent_processes, signal};
use aura_days::day::DayScript;
use aura_memory::{Vault, test_support, vault::NoPrompt};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// A configuration and a data folder of their own.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::write(place.0.path().join("home.toml"), "zone = \"UTC\"\n").unwrap();
        place
    }

    fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn start(&self) -> Service {
        Service::start(&self.0.path().join("home.toml"), &self.data())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aura"));
        command
            .args(args)
            .arg("--data")
            .arg(self.data())
            .env("AURA_KEY_FILE", self.data().with_extension("key"));
        command
    }

    fn aura(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Begins to delete everything, and returns when it has said something of this.
    fn deleting(&self, until: &str) -> Child {
        let mut command = self.command(&["memory", "delete", "--everything", "--yes"]);
        let mut child = command
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains(until) {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0, "never said {until:?}");
        }
        // Whatever it says later has somewhere to go.
        child.stderr = Some(said.into_inner());
        child
    }

    /// The amounts of the payments in an export, without their sign.
    fn payments(&self) -> BTreeSet<u32> {
        let done = self.aura(&["memory", "export"]);
        assert!(done.status.success(), "{done:?}");
        let export: Value = serde_json::from_slice(&done.stdout).unwrap();
        let nodes = export["nodes"].as_array().unwrap().iter();
        let paid = nodes.filter(|node| node["data"]["type"] == "transaction");
        let amount = |node: &Value| node["data"]["amount"].as_str().unwrap().to_owned();
        let amounts: Vec<u32> = paid
            .map(|node| amount(node).trim_start_matches('-').parse().unwrap())
            .collect();
        let once: BTreeSet<u32> = amounts.iter().copied().collect();
        assert_eq!(once.len(), amounts.len(), "one is there twice");
        once
    }
}

/// Posts payments, each named by its amount, as a careful sender does: what is named under `again` is sent again, until nothing is.
fn deliver(service: &Service, amounts: impl Iterator<Item = u32>) {
    let payment = |n: u32| {
        let payload = json!({
            "amount": n.to_string(), "currency": "EUR", "direction": "debit", "merchant": format!("Shop {n}"), "account_last4": "5530",
        });
        signal(&format!("pay-{n}"), "transaction", &payload)
    };
    let mut signals: Vec<Value> = amounts.map(payment).collect();
    let end = Instant::now() + Duration::from_mins(1);
    while !signals.is_empty() {
        let (status, reply) = service.request("POST", "/v1/signals", Some(&json!(signals)));
        assert!([202, 429, 503].contains(&status), "{status} {reply}");
        let again: BTreeSet<usize> = match status {
            202 => BTreeSet::new(),
            _ => serde_json::from_value(reply["again"].clone())
                .unwrap_or_else(|_| (0..signals.len()).collect()),
        };
        let mut place = 0..;
        signals.retain(|_| again.contains(&place.next().unwrap()));
        assert!(Instant::now() < end, "not read within a minute: {reply}");
        if !signals.is_empty() {
            // Asked without a pause, it would be told to wait for ever.
            std::thread::park_timeout(PACE);
        }
    }
}

/// Fewer requests than a device may make.
const PACE: Duration = Duration::from_millis(25);

/// Does something when it goes.
struct Defer<F: Fn()>(F);

impl<F: Fn()> Drop for Defer<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn what_is_told_while_everything_is_forgotten_stays_and_the_service_answers_all_along() {
    let place = Place::new();
    let service = place.start();
    let pid = fs::read_to_string(place.data().join("lock")).unwrap();
    for batch in 0..6 {
        deliver(&service, 1000 + batch * 100..1100 + batch * 100);
    }
    assert_eq!(place.payments(), (1000..1600).collect());
    let deleted = AtomicBool::new(false);
    let (sent, longest) = thread::scope(|scope| {
        let sender = scope.spawn(|| {
            let mut next = 2000;
            while !deleted.load(Ordering::Acquire) {
                deliver(&service, next..=next);
                next += 1;
                std::thread::park_timeout(PACE);
            }
            next
        });
        // Also when something here fails: the sender is to end.
        let _deleted = Defer(|| deleted.store(true, Ordering::Release));
        let both: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| place.aura(&["memory", "delete", "--everything", "--yes"])))
            .collect();
        let mut longest = Duration::ZERO;
        while both.iter().any(|one| !one.is_finished()) {
            let begun = Instant::now();
            assert_eq!(service.request("GET", "/healthz", None).0, 200);
            longest = longest.max(begun.elapsed());
            std::thread::park_timeout(PACE);
        }
        for done in both {
            let done = done.join().unwrap();
            assert_eq!(done.status.code(), Some(0), "{done:?}");
        }
        deleted.store(true, Ordering::Release);
        (sender.join().unwrap(), longest)
    });
    deliver(&service, 3_000_000..3_000_003);
    let kept = place.payments();
    assert!(kept.is_disjoint(&(1000..1600).collect()), "{kept:?}");
    assert!(kept.is_superset(&(3_000_000..3_000_003).collect()), "{kept:?}");
    assert!(kept.iter().all(|n| *n < sent || *n >= 3_000_000), "{kept:?}");
    // A busy machine is slow; a service that leaves its folder does not answer at all.
    assert!(longest < Duration::from_secs(2), "{longest:?}");
    assert_eq!(fs::read_to_string(place.data().join("lock")).unwrap(), pid);
    // What was forgotten is told again when it is posted again.
    deliver(&service, 1000..1003);
    assert!(place.payments().is_superset(&(1000..1003).collect()));
    let replayed = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["replay", "--verify"])
        .arg(place.data())
        .env("AURA_KEY_FILE", place.data().with_extension("key"))
        .output()
        .unwrap();
    assert!(replayed.status.success(), "{replayed:?}");
}

/// The ticks that two payments began go; what the owner did between them, which has traces of its own, stays with its events.
#[test]
fn what_stands_between_two_traces_that_go_can_still_be_made_again() {
    let place = Place::new();
    let service = place.start();
    let ok = |args: &[&str]| {
        let done = place.aura(args);
        assert!(done.status.success(), "{args:?}: {done:?}");
        String::from_utf8(done.stdout).unwrap()
    };
    deliver(&service, 1..=1);
    ok(&["tick"]);
    ok(&["rule", "add", "nights", "--kind", "SHOW_BRIEF"]);
    ok(&["rule", "remove", "nights"]);
    deliver(&service, 2..=2);
    ok(&["tick"]);
    let export = || -> Value { serde_json::from_str(&ok(&["memory", "export"])).unwrap() };
    let sources = |export: &Value| -> Vec<String> {
        let traces = export["traces"].as_array().unwrap().iter();
        let source = |trace: &Value| trace["document"]["decision"]["trigger"]["source"].to_string();
        let mut sources: Vec<String> = traces.map(source).collect();
        sources.sort();
        sources
    };
    let before = export();
    let (call, owner, payment) = ("\"call\"", "\"owner\"", "\"transaction\"");
    assert_eq!(sources(&before), [call, owner, owner, payment, payment]);
    let nodes = before["nodes"].as_array().unwrap().iter();
    let paid = nodes.filter(|node| node["data"]["type"] == "transaction");
    let mut delete = vec!["memory", "delete", "--yes"];
    delete.extend(paid.map(|node| node["id"].as_str().unwrap()));
    assert_eq!(delete.len(), 5, "{delete:?}");
    ok(&delete);
    assert_eq!(sources(&export()), [call, owner, owner]);
    let verified = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["replay", "--verify"])
        .arg(place.data())
        .env("AURA_KEY_FILE", place.data().with_extension("key"))
        .output()
        .unwrap();
    assert!(verified.status.success(), "{verified:?}");
    drop(service);
}

#[test]
fn a_deletion_that_is_interrupted_by_a_kill_is_finished_at_the_next_start() {
    let place = Place::new();
    let service = place.start();
    for batch in 0..10 {
        deliver(&service, 1000 + batch * 100..1100 + batch * 100);
    }
    let mut client = place.deleting("removing");
    service.kill();
    client.wait().unwrap();
    let service = place.start();
    assert_eq!(place.payments(), BTreeSet::new());
    deliver(&service, 5000..5002);
    assert_eq!(place.payments(), (5000..5002).collect());
    let verified = place.aura(&["memory", "audit", "verify"]);
    assert!(verified.status.success(), "{verified:?}");
}

#[test]
fn a_deletion_waits_for_an_open_question_says_so_and_never_ends_it() {
    let place = Place::new();
    let service = place.start();
    deliver(&service, 100..103);
    let (_page, card) = service.ask_owner();
    let mut client = place.deleting("a question to you is open until");
    assert_eq!(service.now()["card"], card, "the question is as it was");
    // Who asked gives up: nothing is forgotten, then or later.
    client.kill().unwrap();
    client.wait().unwrap();
    let path = format!("/v1/cards/{}/answer", card["card_id"].as_str().unwrap());
    let answer =
        json!({ "act": "dismiss", "surface": "PHONE_CARD", "capability": card["prompts"][0]["capability"] });
    // The page has to have seen the card.
    service.until("accepted answer", |service| {
        service.request("GET", "/fragment/now?c=1", None);
        let (status, _) = service.request("POST", &path, Some(&answer));
        (status == 200).then_some(())
    });
    service.until("end of the question", |service| {
        service.now()["card"].is_null().then_some(())
    });
    assert_eq!(place.payments(), (100..103).collect());
    let done = place.aura(&["memory", "delete", "--everything", "--yes"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert_eq!(place.payments(), BTreeSet::new());
}

#[test]
fn what_an_agent_is_reading_while_everything_is_forgotten_is_read_to_its_end_and_goes_too() {
    let place = Place::new();
    let service = place.start();
    let in_flight = || {
        let status: Value = serde_json::from_slice(&place.aura(&["status", "--json"]).stdout).unwrap();
        status["in_flight"].as_u64().unwrap()
    };
    // What is asked at the start is answered first.
    deliver(&service, 100..101);
    service.until("rest", |_| (in_flight() == 0).then_some(()));
    let agents = agent_processes(&service);
    for agent in &agents {
        kill_process(*agent, Signal::STOP).unwrap();
    }
    let text = json!({"app": "com.whatsapp", "channel": "Family", "sender": "Bo", "text": "please call me back today"});
    let post = json!([signal("n1", "notification", &text)]);
    thread::scope(|scope| {
        let post = scope.spawn(|| service.request("POST", "/v1/signals", Some(&post)));
        service.until("the post at its agent", |_| (in_flight() > 0).then_some(()));
        let mut client = place.deleting("an agent reads something to its end");
        for agent in &agents {
            kill_process(*agent, Signal::CONT).unwrap();
        }
        assert_eq!(client.wait().unwrap().code(), Some(0));
        let (status, reply) = post.join().unwrap();
        assert_eq!(status, 202, "{reply}");
    });
    let (_, chats) = service.request("GET", "/chats", None);
    assert!(!chats.as_str().unwrap().contains("<bdi>Bo</bdi>"), "{chats}");
}

/// Every file below a folder, with its bytes and when it was changed.
fn files(dir: &Path, found: &mut BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
            continue;
        }
        let meta = fs::metadata(&path).unwrap();
        // What processes share in memory while they read is no part of what is kept, nor is the empty log that SQLite makes for a reader.
        let shared = path.extension() == Some("db-shm".as_ref());
        let empty = path.extension() == Some("db-wal".as_ref()) && meta.len() == 0;
        if meta.is_file() && !shared && !empty {
            let changed = meta.modified().unwrap();
            found.insert(path.clone(), (fs::read(&path).unwrap(), changed));
        }
    }
}

#[test]
fn a_dry_run_touches_nothing() {
    let place = Place::new();
    let service = place.start();
    deliver(&service, 100..110);
    let stopped = place.aura(&["stop"]);
    assert!(stopped.status.success(), "{stopped:?}");
    drop(service);
    let look = || {
        let mut found = BTreeMap::new();
        files(&place.data(), &mut found);
        found
    };
    let before = look();
    for args in [
        &["memory", "delete", "--everything", "--dry-run", "--json"][..],
        &["memory", "purge", "--dry-run", "--json"],
    ] {
        let done = place.aura(args);
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        assert!(String::from_utf8_lossy(&done.stdout).contains("would_go"));
        let after = look();
        let names = |files: &BTreeMap<PathBuf, _>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&after), names(&before), "{args:?}");
        let changed: Vec<_> = after
            .iter()
            .filter(|(path, file)| before[*path] != **file)
            .collect();
        assert!(
            changed.is_empty(),
            "{args:?} {:?}",
            changed.first().map(|(path, _)| path)
        );
    }
}

/// What an agent kept once, and took out of its state itself, stands in the rows of before.
#[test]
fn what_a_state_was_before_its_changes_goes_with_a_deletion_and_with_a_night() {
    const WAS: &str = "5f1e6c0b7d3a4e28";
    for (runs, args) in [
        (false, &["memory", "delete", "--everything", "--yes"][..]),
        (false, &["memory", "purge"]),
        (true, &["memory", "delete", "--everything", "--yes"]),
        (true, &["memory", "purge"]),
    ] {
        let place = Place::new();
        let service = place.start();
        deliver(&service, 100..110);
        assert!(place.aura(&["stop"]).status.success());
        drop(service);
        let edit = |statement: &str| {
            test_support::edit(&Vault::open(&place.data(), &NoPrompt).unwrap(), statement).unwrap();
        };
        // Long enough that the next changes are written beside it.
        let filler = "0".repeat(4000);
        edit(&format!(
            "UPDATE agent_states SET json = json_set(json, '$.was', '{WAS}', '$.filler', '{filler}') WHERE agent = 'finance'"
        ));
        edit(
            "INSERT INTO agent_state_changes SELECT 'finance', coalesce(max(number), 0) + 1, '{\"was\":null,\"filler\":null}' FROM agent_state_changes WHERE agent = 'finance'",
        );
        let (data, key) = (place.data(), place.data().with_extension("key"));
        let scan = [
            "memory",
            "scan",
            "--json",
            "--data",
            data.to_str().unwrap(),
            "--key-file",
            key.to_str().unwrap(),
        ];
        let is_held = || !aura(&scan, format!("{WAS}\n").as_bytes()).1.is_empty();
        let service = runs.then(|| place.start());
        assert!(is_held(), "{runs} {args:?}");
        let done = place.aura(args);
        assert!(done.status.success(), "{done:?}");
        assert!(!is_held(), "{runs} {args:?}");
        drop(service);
    }
}

#[test]
fn a_trace_whose_events_a_deletion_has_taken_already_is_no_difference() {
    let place = Place::new();
    let day = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days/watch-timeout");
    DayScript::read(&day).unwrap().play(&place.data()).unwrap();
    let edit =
        |statement| test_support::edit(&Vault::open(&place.data(), &NoPrompt).unwrap(), statement).unwrap();
    let verify = || {
        let done = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["replay", "--verify"])
            .arg(place.data())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    // Between two commits of a deletion: the events are gone, their trace is not yet.
    assert!(edit("DELETE FROM events WHERE seq > 1") > 0);
    let (code, said, _) = verify();
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("JOUR-006: trace tr_")
            && said.contains("it is stored, and the journal does not make it"),
        "{said}"
    );
    let note = r#"INSERT INTO erasing (json) VALUES ('{"forget":{"things":["tr_0000000000"]}}')"#;
    assert_eq!(edit(note), 1);
    let (code, said, why) = verify();
    assert_eq!((code, said.as_str()), (Some(75), ""), "{why}");
    assert!(why.contains("a deletion has begun and is not done"), "{why}");
}

/// Whoever folds the journal meanwhile finds it whole, or is told to try again; nobody is told that it is damaged.
#[test]
fn who_reads_the_journal_beside_a_deletion_never_finds_a_hole() {
    let place = Place::new();
    let service = place.start();
    for batch in 0..6 {
        deliver(&service, 1000 + batch * 100..1100 + batch * 100);
        let done = place.aura(&["tick"]);
        assert!(done.status.success(), "{done:?}");
    }
    let deleted = AtomicBool::new(false);
    let rounds = thread::scope(|scope| {
        let deleting = scope.spawn(|| {
            let done = place.aura(&["memory", "delete", "--everything", "--yes"]);
            deleted.store(true, Ordering::Release);
            done
        });
        let _deleted = Defer(|| deleted.store(true, Ordering::Release));
        let mut rounds = 0;
        while !deleted.load(Ordering::Acquire) {
            let verified = Command::new(env!("CARGO_BIN_EXE_aura"))
                .args(["replay", "--verify"])
                .arg(place.data())
                .env("AURA_KEY_FILE", place.data().with_extension("key"))
                .output()
                .unwrap();
            let others = [
                place.aura(&["memory", "delete", "--everything", "--dry-run"]),
                place.aura(&["trace", "list"]),
            ];
            for done in others.into_iter().chain([verified]) {
                let said = String::from_utf8_lossy(&done.stderr).into_owned();
                assert!(matches!(done.status.code(), Some(0 | 75)), "{done:?}");
                assert!(!said.contains("JOUR-004"), "{said}");
            }
            rounds += 1;
        }
        let done = deleting.join().unwrap();
        assert!(done.status.success(), "{done:?}");
        rounds
    });
    assert!(rounds > 0);
    // Afterwards it is whole.
    let verified = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["replay", "--verify"])
        .arg(place.data())
        .env("AURA_KEY_FILE", place.data().with_extension("key"))
        .output()
        .unwrap();
    assert!(verified.status.success(), "{verified:?}");
}
