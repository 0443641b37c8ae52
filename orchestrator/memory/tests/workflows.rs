//! The journals of runs, and who executes them.
//!
//! What: races, a killed writer, locks. Why: runs execute in processes of their own, and each may die anywhere. Not here: what the
//! events mean.

#![expect(clippy::unwrap_used, reason = "a helper of a test may panic")]

use aura_memory::{
    Vault,
    workflows::{AppendOutcome, RunLock, RunOwnership, RunStore, RunSummary},
};
use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
    thread,
};
use tempfile::TempDir;

fn head(run: &str, phase: &str, last_ms: i64) -> RunSummary {
    RunSummary {
        run: run.to_owned(),
        workflow: "specify".to_owned(),
        feature: Some("005".to_owned()),
        phase: phase.to_owned(),
        until_ms: (phase == "waiting").then_some(last_ms + 7),
        started_ms: 1,
        last_ms,
    }
}

/// The folder with its key, which lies in it: every process can open it.
fn vault(dir: &TempDir) -> Vault {
    Vault::demo(dir.path()).unwrap()
}

fn append(all: &mut RunStore, n: u64, run: &str) -> AppendOutcome {
    all.append(n, &format!("{{\"n\":{n}}}"), &head(run, "working", 1))
        .unwrap()
}

#[test]
fn what_was_written_is_read_and_its_files_are_private() {
    let dir = TempDir::new().unwrap();
    assert!(RunStore::look(&vault(&dir)).unwrap().is_none());
    let mut all = RunStore::open(&vault(&dir)).unwrap();
    assert_eq!(append(&mut all, 0, "aa"), AppendOutcome::Written);
    assert_eq!(append(&mut all, 1, "aa"), AppendOutcome::Written);
    assert_eq!(append(&mut all, 0, "ab"), AppendOutcome::Written);
    let read = RunStore::look(&vault(&dir)).unwrap().unwrap();
    let texts = |from| {
        let events = read.events("aa", from).unwrap();
        events.into_iter().map(|event| event.json).collect::<Vec<_>>()
    };
    assert_eq!(texts(0), ["{\"n\":0}", "{\"n\":1}"]);
    assert_eq!(texts(1), ["{\"n\":1}"]);
    assert_eq!(texts(2), Vec::<String>::new());
    for file in fs::read_dir(dir.path()).unwrap() {
        let mode = file.unwrap().metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
    }
}

#[test]
fn a_run_is_found_by_the_beginning_of_its_id_and_listed_by_what_it_does() {
    let dir = TempDir::new().unwrap();
    let mut all = RunStore::open(&vault(&dir)).unwrap();
    for (run, phase, last_ms) in [
        ("aa1", "waiting", 30),
        ("aa2", "completed", 40),
        ("b%_", "waiting", 20),
    ] {
        let _ = all.append(0, "{}", &head(run, phase, last_ms)).unwrap();
    }
    let ids = |heads: Vec<RunSummary>| heads.into_iter().map(|head| head.run).collect::<Vec<_>>();
    assert_eq!(ids(all.runs(2).unwrap()), ["aa2", "aa1"]);
    assert_eq!(ids(all.questions().unwrap()), ["b%_", "aa1"]);
    for (prefix, found) in [
        ("aa", vec!["aa1", "aa2"]),
        ("aa1", vec!["aa1"]),
        ("b%", vec!["b%_"]),
        ("%", vec![]),
        ("last", vec!["b%_"]),
    ] {
        assert_eq!(ids(all.find(prefix).unwrap()), found, "{prefix}");
    }
}

#[test]
fn of_two_that_write_one_number_one_is_told() {
    let dir = TempDir::new().unwrap();
    let (each, threads) = (50, 4);
    // New for all of them: who makes the tables is a race as well.
    let losses: u64 = thread::scope(|scope| {
        let write = || {
            let mut all = RunStore::open(&vault(&dir)).unwrap();
            let (mut written, mut n, mut lost) = (0, 0, 0);
            while written < each {
                match append(&mut all, n, "aa") {
                    AppendOutcome::Written => written += 1,
                    AppendOutcome::Taken => lost += 1,
                }
                n += 1;
            }
            lost
        };
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(write)).collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    let events = RunStore::open(&vault(&dir)).unwrap().events("aa", 0).unwrap();
    assert_eq!(events.len(), each * threads);
    assert!(losses > 0, "they met");
}

/// The environment of a process that only writes.
const CHILD: &str = "AURA_TEST_APPENDS_TO";

#[test]
fn a_writer_that_is_killed_loses_nothing_that_it_said_was_written() {
    if let Some(dir) = std::env::var_os(CHILD) {
        let mut all = RunStore::open(&Vault::demo(Path::new(&dir)).unwrap()).unwrap();
        for n in 0.. {
            let _ = append(&mut all, n, "aa");
            println!("written {n}");
        }
    }
    for after in [1_u64, 7, 23] {
        let dir = TempDir::new().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "--nocapture",
                "a_writer_that_is_killed_loses_nothing_that_it_said_was_written",
            ])
            .env(CHILD, dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = || {
            lines.by_ref().find_map(|line| {
                let line = line.unwrap();
                line.split_once("written ")
                    .map(|(_, n)| n.parse::<u64>().unwrap())
            })
        };
        while said().unwrap() < after {}
        child.kill().unwrap();
        let last = std::iter::from_fn(said).last().unwrap_or(after);
        child.wait().unwrap();
        let events = RunStore::look(&vault(&dir))
            .unwrap()
            .unwrap()
            .events("aa", 0)
            .unwrap();
        // It may have written one more and had no time to say so.
        assert!(
            [last + 1, last + 2].contains(&(events.len() as u64)),
            "{last}: {}",
            events.len()
        );
        let mut all = RunStore::open(&vault(&dir)).unwrap();
        assert_eq!(
            append(&mut all, events.len() as u64, "aa"),
            AppendOutcome::Written
        );
    }
}

#[test]
fn a_run_is_executed_by_one_process_and_its_file_goes_with_the_lock() {
    let dir = TempDir::new().unwrap();
    let RunOwnership::Ours(lock) = RunLock::take(dir.path(), "aa").unwrap() else {
        unreachable!("nobody else is there")
    };
    let us = std::process::id();
    assert_eq!(RunLock::holder(dir.path(), "aa").unwrap(), Some(us));
    assert_eq!(RunLock::holder(dir.path(), "ab").unwrap(), None);
    let RunOwnership::Theirs(pid) = RunLock::take(dir.path(), "aa").unwrap() else {
        unreachable!("it is held")
    };
    assert_eq!(pid, Some(us));
    drop(lock);
    assert_eq!(fs::read_dir(dir.path().join("workflows")).unwrap().count(), 0);
    assert!(matches!(
        RunLock::take(dir.path(), "aa").unwrap(),
        RunOwnership::Ours(_)
    ));
}
