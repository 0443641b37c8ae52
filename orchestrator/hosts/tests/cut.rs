//! A log that a snapshot takes the place of.
//!
//! What: a process that is killed (`kill -9`) before and after each step of it; what is left of the old entries and keys in the files of a log and of a
//! server. Why: nothing that was acknowledged is lost between two steps, and what was removed cannot be opened by anybody afterwards. Not here: services
//! (`takeover`), which rows go (`orchestrator/memory`).

use crate::{
    between::{acked, event, events, folders, kill, opens, up_to},
    support::{DEADLINE, NatsServer, connect},
};
use aura_hosts::{
    AppendError, ENTRIES_MAX, JournalLog, KeyCipher, LogEntry, LogError, LogPosition, OwnerSubject,
    SealedEntry, SnapshotHead, SnapshotParts, SqliteLog, jetstream::JetStreamLog, open_with,
};
use aura_memory::{OpenRemoteLog, Store, StoreOptions, StoreWrite, Vault};
use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
};
use tempfile::TempDir;

const FOLDER: &str = "AURA_TEST_CUT_FOLDER";
const LOG: &str = "AURA_TEST_CUT_LOG";
/// At which step the child stops.
const STOPS_AT: &str = "AURA_TEST_CUT_STOPS_AT";

/// In their order.
const STEPS: [&str; 9] = [
    "before the new key",
    "after the new key",
    "before the snapshot",
    "within the snapshot",
    "after the snapshot",
    "before the cut",
    "after the cut",
    "before the old keys go",
    "after the old keys went",
];

/// A log that stops at a step, for ever.
struct StoppingLog<L> {
    log: L,
    stops_at: String,
}

impl<L> StoppingLog<L> {
    fn reach(&self, step: &str) {
        if step == self.stops_at {
            // Whoever started this reads it.
            let _ = writeln!(io::stdout(), "stops");
            loop {
                thread::park();
            }
        }
    }
}

impl<L: JournalLog> JournalLog for StoppingLog<L> {
    fn entry_bytes_max(&self) -> usize {
        self.log.entry_bytes_max()
    }

    fn head(&mut self) -> Result<LogPosition, LogError> {
        self.log.head()
    }

    fn append(&mut self, expected: LogPosition, entry: &SealedEntry) -> Result<LogPosition, AppendError> {
        self.log.append(expected, entry)
    }

    fn tail(&mut self, after: LogPosition, at_most: usize) -> Result<Vec<LogEntry>, LogError> {
        self.log.tail(after, at_most)
    }

    fn put_snapshot(&mut self, position: LogPosition, parts: &mut SnapshotParts<'_>) -> Result<(), LogError> {
        self.reach("before the snapshot");
        let mut first = true;
        let stops_at = self.stops_at.clone();
        let stopping = StoppingLog { log: (), stops_at };
        let mut stopped = parts.inspect(|_| {
            if !std::mem::take(&mut first) {
                stopping.reach("within the snapshot");
            }
        });
        self.log.put_snapshot(position, &mut stopped)?;
        self.reach("after the snapshot");
        Ok(())
    }

    fn snapshot(&mut self) -> Result<Option<SnapshotHead>, LogError> {
        self.log.snapshot()
    }

    fn snapshot_part(&mut self, of: &SnapshotHead, part: u64) -> Result<Vec<u8>, LogError> {
        self.log.snapshot_part(of, part)
    }

    fn cut(&mut self, before: LogPosition) -> Result<(), LogError> {
        self.reach("before the cut");
        self.log.cut(before)?;
        self.reach("after the cut");
        Ok(())
    }

    fn keys(&mut self) -> Result<BTreeMap<u32, Vec<u8>>, LogError> {
        self.log.keys()
    }

    fn add_key(&mut self, number: u32, sealed: &[u8]) -> Result<bool, LogError> {
        if number > 1 {
            self.reach("before the new key");
        }
        let is_added = self.log.add_key(number, sealed)?;
        if number > 1 {
            self.reach("after the new key");
        }
        Ok(is_added)
    }

    fn destroy_keys(&mut self, before: u32) -> Result<(), LogError> {
        self.reach("before the old keys go");
        self.log.destroy_keys(before)?;
        self.reach("after the old keys went");
        Ok(())
    }
}

fn stopping(log: &str, stops_at: String) -> OpenRemoteLog {
    if let Ok(port) = log.parse() {
        return open_with(ENTRIES_MAX, move |owner| {
            let log = JetStreamLog::open(&connect(port, 4, DEADLINE), owner)?;
            let stops_at = stops_at.clone();
            Ok(StoppingLog { log, stops_at })
        });
    }
    let file = PathBuf::from(log);
    open_with(ENTRIES_MAX, move |owner| {
        let log = SqliteLog::open(&file, owner)?;
        let stops_at = stops_at.clone();
        Ok(StoppingLog { log, stops_at })
    })
}

fn commit(store: &Store, writes: Vec<StoreWrite>) {
    let (tell, told) = mpsc::channel();
    store.write(writes).unwrap();
    let ack = move |done: Result<(), _>| tell.send(done.is_ok()).unwrap();
    store.commit(Box::new(ack)).unwrap();
    assert!(told.recv().unwrap());
}

/// The child: writes five events, says so, and has the log forget, while it goes on writing. Does nothing when it runs as a test of its own.
#[test]
fn child_cuts_its_log_until_it_is_killed() {
    let (Some(folder), Ok(log)) = (env::var_os(FOLDER), env::var(LOG)) else {
        return;
    };
    let options = StoreOptions {
        remote_log: Some(stopping(&log, env::var(STOPS_AT).unwrap_or_default())),
        ..StoreOptions::default()
    };
    let (store, recovered) = Store::open(&Vault::demo(Path::new(&folder)).unwrap(), options).unwrap();
    let mut seq = recovered.next_seq;
    for _ in 0..5 {
        commit(&store, vec![event(seq)]);
        println!("acked {seq}");
        seq += 1;
    }
    thread::scope(|scope| {
        let forgetting = scope.spawn(|| store.forget_in_log());
        while !forgetting.is_finished() {
            commit(&store, vec![event(seq)]);
            println!("acked {seq}");
            seq += 1;
        }
        forgetting.join().unwrap().unwrap();
        println!("forgot");
    });
}

fn child(folder: &Path, log: &str, stops_at: &str) -> (Child, impl Iterator<Item = String>) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "cut::child_cuts_its_log_until_it_is_killed",
            "--nocapture",
        ])
        .env(FOLDER, folder)
        .env(LOG, log)
        .env(STOPS_AT, stops_at)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    (child, said)
}

fn open(folder: &Path, log: &str) -> Store {
    let options = StoreOptions {
        remote_log: Some(opens(log)),
        ..StoreOptions::default()
    };
    Store::open(&Vault::demo(folder).unwrap(), options).unwrap().0
}

fn killed_at_each_step<L: JournalLog>(log: &str, reads: impl Fn(&OwnerSubject) -> L) {
    let (_dir, [here, there]) = folders();
    let vault = Vault::demo(&here).unwrap();
    let keys = KeyCipher::derive(vault.seed());
    let mut read = reads(keys.subject());
    for (number, step) in STEPS.iter().enumerate() {
        let (child, mut said) = child(&here, log, step);
        let mut last = 0;
        for line in said.by_ref() {
            last = acked(&line).unwrap_or(last);
            if line.contains("stops") {
                break;
            }
        }
        kill(child);
        last = said.filter_map(|line| acked(&line)).last().unwrap_or(last);
        assert!(last >= 5, "{step}");
        // Either of the two goes on, with all of it, and to the end of what was begun.
        let next = if number % 2 == 0 { &there } else { &here };
        let store = open(next, log);
        store.forget_in_log().unwrap();
        drop(store);
        let kept = events(next);
        assert!(kept.len() as u64 >= last, "{step}: {last} were acknowledged");
        assert_eq!(kept, up_to(kept.len() as u64), "{step}");
        assert_eq!(read.keys().unwrap().len(), 1, "{step}: one key is left");
        let head = read.snapshot().unwrap().unwrap();
        let cut = read.tail(LogPosition::new(head.position.number() - 2), 1);
        assert!(matches!(cut, Err(LogError::Cut { .. })), "{step}: {cut:?}");
        drop(open(&here, log));
        assert_eq!(events(&here), kept, "{step}");
    }
}

#[test]
fn nothing_is_lost_where_the_cut_of_a_file_is_killed() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("log.db");
    killed_at_each_step(file.to_str().unwrap(), |owner| {
        SqliteLog::open(&file, owner).unwrap()
    });
}

#[test]
fn nothing_is_lost_where_the_cut_of_a_log_on_a_server_is_killed() {
    let server = NatsServer::start();
    killed_at_each_step(&server.port.to_string(), |owner| {
        JetStreamLog::open(&server.connect(), owner).unwrap()
    });
}

/// Every byte below a folder.
pub(crate) fn bytes_below(dir: &Path) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(bytes_below(&path));
        } else {
            out.extend(fs::read(path).unwrap());
        }
    }
    out
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Two hosts have what is then forgotten. Afterwards nothing below `files` opens what was in the log.
fn forgotten_cannot_be_opened<L: JournalLog>(
    log: &str,
    files: &Path,
    reads: impl Fn(&OwnerSubject) -> L,
) -> (Vec<u8>, Vec<Vec<u8>>) {
    let (_dir, [here, there]) = folders();
    let vault = Vault::demo(&here).unwrap();
    let seal = KeyCipher::derive(vault.seed());
    let policy = |text: &str| StoreWrite::Policy {
        hash: "0".repeat(64),
        text: text.to_owned(),
    };
    let store = open(&here, log);
    commit(&store, vec![event(1), policy("a secret of Miriam's")]);
    drop(store);
    drop(open(&there, log));
    let store = open(&here, log);
    let mut read = reads(seal.subject());
    let before: Vec<LogEntry> = read.tail(LogPosition::START, 100).unwrap();
    let old_keys = read.keys().unwrap();
    assert_eq!(old_keys.len(), 1);
    let seen = bytes_below(files);
    for sealed in old_keys.values() {
        assert!(holds(&seen, sealed), "it was looked for in the right place");
    }
    commit(&store, vec![event(2)]);
    store.forget_in_log().unwrap();
    commit(&store, vec![event(3)]);
    let left = bytes_below(files);
    for sealed in old_keys.values() {
        // Neither the key nor half of it.
        for half in [&sealed[..sealed.len() / 2], &sealed[sealed.len() / 2..]] {
            assert!(!holds(&left, half), "the old key is there");
        }
    }
    for (number, sealed) in read.keys().unwrap() {
        let cipher = seal.open_key(number, &sealed).unwrap();
        for entry in &before {
            assert!(cipher.open_group(entry.position, &entry.entry).is_err());
        }
    }
    drop(store);
    // The other host lets go of its own store.
    let inode = |folder: &Path| {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(folder.join("aura.db")).unwrap().ino()
    };
    let old = inode(&there);
    drop(open(&there, log));
    assert_ne!(inode(&there), old, "another store is in its place");
    assert_eq!(events(&there), [1, 2, 3]);
    (
        left,
        before.into_iter().map(|entry| entry.entry.into_bytes()).collect(),
    )
}

#[test]
fn forgotten_is_neither_in_the_file_of_a_log_nor_can_it_be_opened() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("log.db");
    let (left, before) = forgotten_cannot_be_opened(file.to_str().unwrap(), dir.path(), |owner| {
        SqliteLog::open(&file, owner).unwrap()
    });
    for entry in before {
        assert!(!holds(&left, &entry[..40]), "an old entry is there");
    }
}

#[test]
fn forgotten_cannot_be_opened_with_what_is_in_the_files_of_a_server() {
    let server = NatsServer::start();
    let files = server.folder().to_owned();
    forgotten_cannot_be_opened(&server.port.to_string(), &files, |owner| {
        JetStreamLog::open(&server.connect(), owner).unwrap()
    });
}
