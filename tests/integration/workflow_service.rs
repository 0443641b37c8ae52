//! Runs beside a service, by the built binary and real programs.
//!
//! What: a command is the service's client, a service takes over what a command executes, goes on with what the last one left, and ends
//! questions whose time is over. Why: whoever has the folder's store open executes its runs (docs/adr/0072). Not here: the same without a
//! service (`workflow_runs.rs`), killed processes (`workflow_kill.rs`).

use crate::support::{
    Service,
    workflows::{LEFT, Place, owned},
};
use aura_memory::{
    Store, StoreOptions, Vault,
    vault::{NewPlace, NoPrompt},
};
use aura_workflow::{RunHistory, RunJournal};
use orchestrator_machine::workflow::event::RunEventKind;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::MetadataExt as _,
    path::Path,
    process::{Child, ChildStdout, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};
use toolcall_schema::Timestamp;

fn start(place: &Place) -> Service {
    let home = place.data().with_file_name("home.toml");
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    Service::start(&home, &place.data())
}

/// The newest run as the pages see it.
fn newest(service: &Service) -> Value {
    service.request("GET", "/v1/workflows", None).1[0].clone()
}

fn status(place: &Place) -> Value {
    let done = place.run(&["workflow", "status", "last", "--json"]);
    serde_json::from_slice(&done.stdout).unwrap()
}

/// The run `asks`, whose agent waits until `hold` is gone; as soon as the agent is asked.
struct Held {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Held {
    fn start(place: &Place) -> Self {
        fs::write(place.project().join("hold/hold"), "").unwrap();
        let mut child = place
            .aura(&["workflow", "run", "asks", "--feature", "f1", "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut held = Self { child, lines };
        for event in ["started", "asked"] {
            assert_eq!(held.next()["what"]["event"], event);
        }
        held
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// What it still says, and its exit code.
    fn end(mut self) -> (Vec<Value>, Option<i32>) {
        let lines = self
            .lines
            .lines()
            .map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        let lines = lines.collect();
        (lines, self.child.wait().unwrap().code())
    }

    fn interrupt(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
    }
}

fn release(place: &Place) {
    fs::remove_file(place.project().join("hold/hold")).unwrap();
}

#[test]
fn a_command_beside_a_service_has_its_run_executed_by_it() {
    let place = Place::new();
    let service = start(&place);
    let done = place.run(&["workflow", "run", "whole", "--feature", "f1", "--json"]);
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(String::from_utf8(done.stdout).unwrap().lines().count(), 21 + 1);
    assert_eq!(place.files(), owned(&LEFT));
    // The service keeps what it makes to itself, but not what a run writes for its owner.
    let others = |path: &Path| fs::metadata(path).unwrap().mode() & 0o044;
    fs::write(place.project().join("mine"), "").unwrap();
    let mine = others(&place.project().join("mine"));
    for (file, _) in place.files() {
        assert_eq!(
            others(&place.project().join("specs/f1").join(&file)),
            mine,
            "{file}"
        );
    }
    fs::remove_file(place.project().join("mine")).unwrap();
    assert_eq!(newest(&service)["standing"], "completed");
    assert_eq!(place.run(&["workflow", "undo", "last"]).status.code(), Some(0));
    assert_eq!(place.files(), vec![]);

    // The service executes it; ended from elsewhere, who began it is told.
    let held = Held::start(&place);
    assert_eq!(status(&place)["process"], service.pid().as_raw_nonzero().get());
    assert_eq!(place.run(&["workflow", "resume", "last"]).status.code(), Some(75));
    assert_eq!(place.run(&["workflow", "cancel", "last"]).status.code(), Some(0));
    let (lines, code) = held.end();
    assert_eq!(
        (code, &lines.last().unwrap()["phase"]),
        (Some(1), &Value::from("cancelled"))
    );

    // Ctrl-C interrupts it, and it can be resumed.
    let held = Held::start(&place);
    held.interrupt();
    let (lines, code) = held.end();
    let last = lines.last().unwrap();
    assert_eq!(
        (code, &last["phase"], &last["process"]),
        (Some(1), &Value::from("working"), &Value::Null)
    );
    assert_eq!(newest(&service)["standing"], "interrupted");
    release(&place);
    assert_eq!(place.run(&["workflow", "resume", "last"]).status.code(), Some(5));
}

#[test]
fn a_service_that_starts_beside_a_command_takes_its_run_over() {
    let place = Place::new();
    let held = Held::start(&place);
    let begun = Instant::now();
    let service = start(&place);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    service.until("run", |service| {
        Some(()).filter(|()| newest(service)["standing"] == "running")
    });
    assert_eq!(status(&place)["process"], service.pid().as_raw_nonzero().get());
    release(&place);
    // The command follows it to its end, without a gap.
    let (lines, code) = held.end();
    assert_eq!(code, Some(5));
    let (last, events) = lines.split_last().unwrap();
    assert_eq!(last["phase"], "waiting");
    let numbers: Vec<u64> = events.iter().map(|line| line["n"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (2..2 + numbers.len() as u64).collect::<Vec<_>>());
}

#[test]
fn a_service_goes_on_with_what_the_last_one_left_and_not_with_what_its_owner_interrupted() {
    let place = Place::new();
    let service = start(&place);
    let held = Held::start(&place);
    kill_process(service.pid(), Signal::TERM).unwrap();
    assert_eq!(service.end(), Some(0));
    let (lines, code) = held.end();
    assert_eq!(
        (code, &lines.last().unwrap()["phase"]),
        (Some(1), &Value::from("working"))
    );
    release(&place);
    let service = start(&place);
    service.until("question", |service| {
        Some(()).filter(|()| newest(service)["standing"] == "waiting")
    });
    let held = Held::start(&place);
    held.interrupt();
    assert_eq!(held.end().1, Some(1));
    release(&place);
    kill_process(service.pid(), Signal::TERM).unwrap();
    assert_eq!(service.end(), Some(0));
    let service = start(&place);
    // It answers after it has taken up what was left.
    let done = place.run(&["inbox", "list", "--json"]);
    assert_eq!(String::from_utf8(done.stdout).unwrap().lines().count(), 1);
    assert_eq!(newest(&service)["standing"], "interrupted");
}

#[test]
fn a_question_whose_time_is_over_ends_its_run() {
    let place = Place::new();
    let done = place.run(&["workflow", "run", "asks", "--feature", "f1"]);
    assert_eq!(done.status.code(), Some(5));
    let vault = Vault::open(&place.data(), &NoPrompt).unwrap();
    let id = status(&place)["run"].as_str().unwrap().to_owned();
    let history = RunHistory::open(&vault, &id).unwrap();
    drop(vault);
    // The same eight days ago; it can be answered for seven.
    fs::remove_dir_all(place.data()).unwrap();
    let key = NewPlace::File(place.data().with_extension("key"));
    let vault = Vault::create(&place.data(), &key).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    let before = |at: Timestamp| at.plus_ms(-8 * 86_400_000);
    let (first, rest) = history.lines().split_first().unwrap();
    let RunEventKind::Started(started) = &first.what else {
        unreachable!("a run begins so")
    };
    let mut journal = RunJournal::begin(&Arc::new(store), (**started).clone(), before(first.at)).unwrap();
    for line in rest {
        journal.append(before(line.at), line.what.clone()).unwrap();
    }
    drop(journal);
    drop(vault);
    let service = start(&place);
    service.until("end", |service| {
        Some(()).filter(|()| newest(service)["standing"] == "expired")
    });
}

#[test]
fn a_programs_home_lies_outside_the_data_folder() {
    let place = Place::new();
    // It says where its own folder is, and that it can write there.
    let script = r#"cat >/dev/null; echo x > "$HOME/own" && echo x > "$TMPDIR/own"
printf '{"status":"completed","data":{"summary":"%s"},"next_context":{"shared_memory":{}},"meta":{"tokens_used":1}}' "$HOME"
"#;
    fs::write(place.project().join("agents.d/surveyor.sh"), script).unwrap();
    let homes = |place: &Place| -> Vec<String> {
        let done = place.run(&["workflow", "run", "whole", "--feature", "f1", "--json"]);
        assert!(done.status.success(), "{done:?}");
        let files = place.files().into_iter();
        let said = files.filter(|(name, _)| name != "spec.md");
        said.map(|(_, home)| home.trim().to_owned()).collect()
    };
    let service = start(&place);
    let beside = homes(&place);
    drop(service);
    place.set_files(&[]);
    let alone = homes(&place);
    let data = fs::canonicalize(place.data()).unwrap();
    for home in beside.into_iter().chain(alone) {
        assert!(home.starts_with('/'), "{home:?}");
        assert!(!std::path::Path::new(&home).starts_with(&data), "{home}");
        assert!(
            !std::path::Path::new(&home).starts_with(place.project()),
            "{home}"
        );
    }
}
