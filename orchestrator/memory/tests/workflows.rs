//! The journals of runs as rows of the store.
//!
//! What: races, a killed writer, who executes, folders of an older version. Why: runs are added to by several, and each may die anywhere.
//! Not here: what the events mean.

use aura_memory::{
    Store, StoreError, StoreOptions, StoreReader, Vault, test_support,
    workflows::{AppendOutcome, RunSummary, RunWrite, StoredRunEvent, carried_over, open_runs},
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

fn open(dir: &TempDir) -> Store {
    Store::open(&vault(dir), StoreOptions::default()).unwrap().0
}

fn write(n: u64, summary: RunSummary) -> RunWrite {
    RunWrite::Append {
        n,
        json: format!("{{\"n\":{n}}}"),
        summary,
    }
}

fn append(store: &Store, n: u64, run: &str) -> AppendOutcome {
    store.write_run(write(n, head(run, "working", 1))).unwrap()
}

#[test]
fn what_was_written_is_read_and_its_files_are_private() {
    let dir = TempDir::new().unwrap();
    assert!(open_runs(&vault(&dir)).unwrap().is_none());
    let store = open(&dir);
    assert_eq!(append(&store, 0, "aa"), AppendOutcome::Written);
    assert_eq!(append(&store, 1, "aa"), AppendOutcome::Written);
    assert_eq!(append(&store, 0, "ab"), AppendOutcome::Written);
    let read = open_runs(&vault(&dir)).unwrap().unwrap();
    let texts = |from| {
        let events = read.run_events("aa", from).unwrap();
        events.into_iter().map(|event| event.json).collect::<Vec<_>>()
    };
    assert_eq!(texts(0), ["{\"n\":0}", "{\"n\":1}"]);
    assert_eq!(texts(1), ["{\"n\":1}"]);
    assert_eq!(texts(2), Vec::<String>::new());
    for name in ["aura.db", "aura.db-wal", "lock"] {
        let mode = fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{name}");
    }
}

#[test]
fn a_run_is_found_by_the_beginning_of_its_id_and_listed_by_what_it_does() {
    let dir = TempDir::new().unwrap();
    let store = open(&dir);
    for (run, phase, last_ms) in [
        ("aa1", "waiting", 30),
        ("aa2", "completed", 40),
        ("b%_", "waiting", 20),
    ] {
        let _ = store.write_run(write(0, head(run, phase, last_ms))).unwrap();
    }
    let goes_on = RunWrite::GoesOn {
        run: "aa1".to_owned(),
        goes_on: true,
    };
    let _ = store.write_run(goes_on).unwrap();
    let all = StoreReader::open(&vault(&dir)).unwrap();
    let ids = |heads: Vec<RunSummary>| heads.into_iter().map(|head| head.run).collect::<Vec<_>>();
    assert_eq!(ids(all.runs(2).unwrap()), ["aa2", "aa1"]);
    assert_eq!(ids(all.waiting_runs().unwrap()), ["b%_", "aa1"]);
    assert_eq!(ids(all.runs_that_go_on().unwrap()), ["aa1"]);
    for (prefix, found) in [
        ("aa", vec!["aa1", "aa2"]),
        ("aa1", vec!["aa1"]),
        ("b%", vec!["b%_"]),
        ("%", vec![]),
        ("last", vec!["b%_"]),
    ] {
        assert_eq!(ids(all.find_runs(prefix).unwrap()), found, "{prefix}");
    }
}

#[test]
fn of_two_that_write_one_number_one_is_told() {
    let dir = TempDir::new().unwrap();
    let store = open(&dir);
    let (each, threads) = (50, 4);
    let losses: u64 = thread::scope(|scope| {
        let write = || {
            let (mut written, mut n, mut lost) = (0, 0, 0);
            while written < each {
                match append(&store, n, "aa") {
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
    let events = StoreReader::open(&vault(&dir))
        .unwrap()
        .run_events("aa", 0)
        .unwrap();
    assert_eq!(events.len(), each * threads);
    assert!(losses > 0, "they met");
}

/// The environment of a process that only writes.
const CHILD: &str = "AURA_TEST_APPENDS_TO";

#[test]
fn a_writer_that_is_killed_loses_nothing_that_it_said_was_written() {
    if let Some(dir) = std::env::var_os(CHILD) {
        let vault = Vault::demo(Path::new(&dir)).unwrap();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        for n in 0.. {
            let _ = append(&store, n, "aa");
            println!("written {n}");
        }
    }
    for after in [1_u64, 7, 23] {
        let dir = TempDir::new().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "--nocapture",
                "workflows::a_writer_that_is_killed_loses_nothing_that_it_said_was_written",
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
        let store = open(&dir);
        let events = StoreReader::open(&vault(&dir))
            .unwrap()
            .run_events("aa", 0)
            .unwrap();
        // It may have written one more and had no time to say so.
        assert!(
            [last + 1, last + 2].contains(&(events.len() as u64)),
            "{last}: {}",
            events.len()
        );
        assert_eq!(append(&store, events.len() as u64, "aa"), AppendOutcome::Written);
    }
}

#[test]
fn a_run_is_executed_once() {
    let dir = TempDir::new().unwrap();
    let store = open(&dir);
    let hold = store.hold_run("aa").unwrap();
    assert!(store.hold_run("aa").is_none());
    assert!(store.hold_run("ab").is_some(), "another one may be");
    assert!(store.held_runs().contains("aa"));
    drop(hold);
    assert!(store.hold_run("aa").is_some());
}

/// Two runs as the last version kept them: one of three events, one that waits.
fn apart() -> Vec<(RunSummary, Vec<StoredRunEvent>)> {
    let events = |count| {
        (0..count)
            .map(|n| StoredRunEvent {
                n,
                at_ms: 1,
                json: format!("{{\"n\":{n}}}"),
            })
            .collect()
    };
    vec![
        (head("aa", "completed", 5), events(3)),
        (head("ab", "waiting", 9), events(1)),
    ]
}

#[test]
fn runs_of_an_older_version_are_carried_over_and_gone_on_with() {
    let dir = TempDir::new().unwrap();
    let vault = vault(&dir);
    test_support::keep_runs_apart(&vault, &apart()).unwrap();
    fs::create_dir(dir.path().join("workflows")).unwrap();
    fs::write(dir.path().join("workflows/aa.lock"), "1\n").unwrap();
    // Who only reads them first has them carried over.
    let read = open_runs(&vault).unwrap().unwrap();
    for (summary, events) in apart() {
        assert_eq!(read.run_events(&summary.run, 0).unwrap(), events);
        assert_eq!(read.find_runs(&summary.run).unwrap(), [summary]);
    }
    let left: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("workflows"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
    assert_eq!(append(&open(&dir), 3, "aa"), AppendOutcome::Written);
    // As if it had been interrupted before the old file went: what was added meanwhile stays.
    test_support::keep_runs_apart(&vault, &apart()).unwrap();
    drop(open(&dir));
    assert!(!dir.path().join("workflows.db").exists());
    assert_eq!(
        open_runs(&vault)
            .unwrap()
            .unwrap()
            .run_events("aa", 0)
            .unwrap()
            .len(),
        4
    );
}

#[test]
fn a_run_that_an_older_version_executes_is_waited_for_and_a_broken_file_stays() {
    let dir = TempDir::new().unwrap();
    let vault = vault(&dir);
    test_support::keep_runs_apart(&vault, &apart()).unwrap();
    fs::create_dir(dir.path().join("workflows")).unwrap();
    let lock = dir.path().join("workflows/aa.lock");
    fs::write(&lock, "4711\n").unwrap();
    let held = fs::File::open(&lock).unwrap();
    held.lock().unwrap();
    let refused = Store::open(&vault, StoreOptions::default())
        .map(drop)
        .unwrap_err();
    assert!(
        matches!(refused, StoreError::Locked { pid: Some(4711), .. }),
        "{refused}"
    );
    drop(held);
    let file = dir.path().join("workflows.db");
    let broken = "no database at all ".repeat(300);
    fs::write(&file, &broken).unwrap();
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(dir.path().join(format!("workflows.db{end}")));
    }
    drop(open(&dir));
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        broken,
        "its owner may have a copy"
    );
    assert_eq!(carried_over(&vault).unwrap_err().code(), "STORE-014");
}
