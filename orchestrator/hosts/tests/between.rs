//! A writer that is killed between its append and its commit, and logs that go back.
//!
//! What: a process whose store stops at a commit, killed there (`kill -9`); writers on two folders in turn, killed anywhere; a log whose end is lost.
//! Why: at each start the store follows the log, and only the log. Not here: services (`takeover`).

use crate::support::NatsServer;
use aura_hosts::{ENTRIES_MAX, SqliteLog, jetstream::JetStreamLog, open_with};
use aura_memory::{
    CommitFaults, OpenRemoteLog, Store, StoreError, StoreOptions, StoreReader, StoreWrite, Vault,
};
use std::{
    env, fs,
    io::{self, BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
};
use tempfile::TempDir;

const FOLDER: &str = "AURA_TEST_BETWEEN_FOLDER";
const LOG: &str = "AURA_TEST_BETWEEN_LOG";
/// At which commit the child stops; absent: at none.
const STOPS_AT: &str = "AURA_TEST_BETWEEN_STOPS_AT";

pub(crate) fn event(seq: u64) -> StoreWrite {
    StoreWrite::Event {
        seq,
        at_ms: 0,
        json: format!("{{\"n\":{seq}}}"),
    }
}

/// A log by its file, or by the port of its server.
pub(crate) fn opens(log: &str) -> OpenRemoteLog {
    if let Ok(port) = log.parse() {
        return open_with(ENTRIES_MAX, move |owner| {
            JetStreamLog::open(&crate::support::connect(port, 4, crate::support::DEADLINE), owner)
        });
    }
    let file = PathBuf::from(log);
    open_with(ENTRIES_MAX, move |owner| SqliteLog::open(&file, owner))
}

fn options(log: &str) -> StoreOptions {
    StoreOptions {
        remote_log: Some(opens(log)),
        ..StoreOptions::default()
    }
}

/// Says that a commit is about to be made, and never makes it.
struct StopsAt {
    commits: AtomicU64,
    at: u64,
}

impl CommitFaults for StopsAt {
    fn before_commit(&self) -> Result<(), StoreError> {
        if self.commits.fetch_add(1, Ordering::SeqCst) + 1 == self.at {
            // Whoever started this reads it.
            let _ = writeln!(io::stdout(), "stops");
            loop {
                thread::park();
            }
        }
        Ok(())
    }
}

/// The child: writes for ever and says what was acknowledged. Does nothing when it runs as a test of its own.
#[test]
fn child_writes_until_it_is_killed() {
    let (Some(folder), Ok(log)) = (env::var_os(FOLDER), env::var(LOG)) else {
        return;
    };
    let stops = env::var(STOPS_AT).ok().and_then(|at| at.parse().ok());
    let options = StoreOptions {
        faults: stops.map(|at| {
            Arc::new(StopsAt {
                commits: AtomicU64::new(0),
                at,
            }) as Arc<dyn CommitFaults>
        }),
        ..options(&log)
    };
    let (store, recovered) = Store::open(&Vault::demo(Path::new(&folder)).unwrap(), options).unwrap();
    println!("opened");
    for seq in recovered.next_seq.. {
        let (tell, told) = mpsc::channel();
        store.write(vec![event(seq)]).unwrap();
        store
            .commit(Box::new(move |done| tell.send(done.is_ok()).unwrap()))
            .unwrap();
        match told.recv() {
            Ok(true) => println!("acked {seq}"),
            Ok(false) => {}
            Err(_) => return println!("fenced"),
        }
    }
}

/// The child, and what it says.
fn child(folder: &Path, log: &str, stops_at: Option<u64>) -> (Child, impl Iterator<Item = String>) {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "between::child_writes_until_it_is_killed",
            "--nocapture",
        ])
        .env(FOLDER, folder)
        .env(LOG, log)
        .stdout(Stdio::piped());
    if let Some(at) = stops_at {
        command.env(STOPS_AT, at.to_string());
    }
    let mut child = command.spawn().unwrap();
    let said = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    (child, said)
}

pub(crate) fn acked(line: &str) -> Option<u64> {
    line.strip_prefix("acked ").and_then(|seq| seq.parse().ok())
}

pub(crate) fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The owner's folders on two hosts: the key lies in the folder.
pub(crate) fn folders() -> (TempDir, [PathBuf; 2]) {
    let dir = TempDir::new().unwrap();
    let [here, there] = ["here", "there"].map(|name| dir.path().join(name));
    drop(Vault::demo(&here).unwrap());
    copy(&here, &there);
    (dir, [here, there])
}

pub(crate) fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(copied.success());
}

pub(crate) fn events(folder: &Path) -> Vec<u64> {
    let reader = StoreReader::open(&Vault::demo(folder).unwrap()).unwrap();
    let rows = reader.events_from(1, u32::MAX).unwrap();
    rows.into_iter().map(|row| row.seq).collect()
}

pub(crate) fn up_to(last: u64) -> Vec<u64> {
    (1..=last).collect()
}

/// Opens a folder and closes it again.
fn open_once(folder: &Path, log: &str) {
    drop(Store::open(&Vault::demo(folder).unwrap(), options(log)).unwrap());
}

fn killed_between_append_and_commit(log: &str) {
    let (_dir, [here, there]) = folders();
    for at in 1..=3 {
        let mut last = events_if_any(&here).len() as u64;
        let (child, mut said) = child(&here, log, Some(at));
        for line in said.by_ref() {
            last = acked(&line).unwrap_or(last);
            if line.contains("stops") {
                break;
            }
        }
        kill(child);
        assert_eq!(events(&here), up_to(last), "what was not committed is not there");
        // It is in the log: whoever opens a store has it.
        open_once(if at % 2 == 0 { &here } else { &there }, log);
        open_once(&here, log);
        assert_eq!(events(&here), up_to(last + 1), "stopped at {at}");
    }
    open_once(&there, log);
    assert_eq!(events(&there), events(&here));
}

fn events_if_any(folder: &Path) -> Vec<u64> {
    if folder.join("aura.db").exists() {
        events(folder)
    } else {
        Vec::new()
    }
}

#[test]
fn what_was_appended_and_not_committed_is_taken_in_from_a_file() {
    let dir = TempDir::new().unwrap();
    killed_between_append_and_commit(dir.path().join("log.db").to_str().unwrap());
}

#[test]
fn what_was_appended_and_not_committed_is_taken_in_from_a_server() {
    killed_between_append_and_commit(&NatsServer::start().port.to_string());
}

#[test]
fn writers_that_are_killed_anywhere_lose_nothing_and_go_on_from_one_another() {
    let (_dir, hosts) = folders();
    let logs = TempDir::new().unwrap();
    let log = logs.path().join("log.db");
    let log = log.to_str().unwrap();
    let mut last = 0;
    for round in 0_u64..8 {
        let host = &hosts[usize::from(round % 2 == 1)];
        let (child, mut said) = child(host, log, None);
        let wanted = last + 5 + round * 3;
        last = said
            .by_ref()
            .filter_map(|line| acked(&line))
            .find(|seq| *seq >= wanted)
            .unwrap();
        kill(child);
        // What it still said before it died counts as well.
        last = said.filter_map(|line| acked(&line)).last().unwrap_or(last);
        assert!(events(host).len() as u64 >= last);
    }
    for host in &hosts {
        open_once(host, log);
    }
    open_once(&hosts[0], log);
    let all = events(&hosts[0]);
    assert!(all.len() as u64 >= last);
    assert_eq!(all, up_to(all.len() as u64));
    assert_eq!(events(&hosts[1]), all);
}

#[test]
fn two_writers_at_once_are_one_and_the_other_ends() {
    let (_dir, [here, there]) = folders();
    let logs = TempDir::new().unwrap();
    let log = logs.path().join("log.db");
    let log = log.to_str().unwrap();
    let (first, mut of_first) = child(&here, log, None);
    let by_first = of_first
        .by_ref()
        .filter_map(|line| acked(&line))
        .find(|seq| *seq >= 10)
        .unwrap();
    let (second, mut of_second) = child(&there, log, None);
    let by_second = of_second.by_ref().find_map(|line| acked(&line)).unwrap();
    // It goes on until it is refused.
    let rest: Vec<String> = of_first.collect();
    assert!(rest.iter().any(|line| line.contains("fenced")), "{rest:?}");
    let by_first = rest.iter().rev().find_map(|line| acked(line)).unwrap_or(by_first);
    assert!(by_second > by_first, "{by_second} was acknowledged by both");
    kill(second);
    let mut first = first;
    first.wait().unwrap();
    assert_eq!(events(&here), up_to(by_first));
    open_once(&here, log);
    let all = events(&here);
    assert_eq!(all, up_to(all.len() as u64));
}

#[test]
fn folder_that_has_more_than_its_log_is_left_as_it_is() {
    let (_dir, [here, there]) = folders();
    let logs = TempDir::new().unwrap();
    let log = logs.path().join("log.db");
    let text = log.to_str().unwrap();
    open_once(&here, text);
    let older = logs.path().join("older.db");
    fs::copy(&log, &older).unwrap();
    let (child, mut said) = child(&here, text, None);
    let last = said
        .by_ref()
        .filter_map(|line| acked(&line))
        .find(|seq| *seq >= 5)
        .unwrap();
    kill(child);
    // The log is lost, and an old copy of it is put in its place.
    let kept = events(&here);
    assert!(kept.len() as u64 >= last);
    let older = older.to_str().unwrap();
    let refused = || Store::open(&Vault::demo(&here).unwrap(), options(older)).unwrap_err();
    assert_eq!(refused().code(), "STORE-019");
    // Also after another host went on from that copy.
    let (child, mut said) = self::child(&there, older, None);
    said.by_ref()
        .filter_map(|line| acked(&line))
        .find(|seq| *seq >= last + 20)
        .unwrap();
    kill(child);
    assert_eq!(refused().code(), "STORE-019");
    assert_eq!(events(&here), kept);
    // Its owner decides: without its database the folder is made from the log.
    for end in ["", "-wal", "-shm", ".head"] {
        // Some are not there.
        let _ = fs::remove_file(here.join(format!("aura.db{end}")));
    }
    open_once(&here, older);
    assert_eq!(events(&here).len(), events(&there).len().max(events(&here).len()));
}
