//! The writer by itself.
//!
//! What: a disk that is full, and whom an event of a run waits for. Why: both are about the order within one thread. Not here: the store as
//! its users see it (`orchestrator/memory/tests`).

use super::*;
use crate::{Store, StoreOptions, StoreReader, audit, workflows};
use std::sync::mpsc;
use tempfile::TempDir;

#[test]
fn database_that_is_really_full_rolls_back_and_the_next_commit_writes_all() {
    let dir = TempDir::new().unwrap();
    let vault = Vault::ephemeral(dir.path()).unwrap();
    drop(Store::open(&vault, StoreOptions::default()).unwrap());
    let file = dir.path().join("aura.db");
    let conn = database::open_for_writing(&vault.database_key("aura.db"), &file).unwrap();
    let pages: i64 = conn
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .unwrap();
    conn.pragma_update_and_check(None, "max_page_count", pages + 2, |row| row.get::<_, i64>(0))
        .unwrap();
    let event = |seq: u64| {
        let json = "x".repeat(4096);
        Arc::new(WriteGroup {
            number: seq,
            writes: vec![StoreWrite::Event { seq, at_ms: 0, json }],
        })
    };
    let (tell, told) = mpsc::channel();
    let ack = |tell: &mpsc::Sender<_>| -> CommitAck {
        let tell = tell.clone();
        Box::new(move |answer: Result<(), CommitError>| {
            tell.send(answer.map_err(|e| (e.waiting, e.cause.code())))
                .unwrap();
        })
    };
    let shared = Arc::new(WriterCounters::default());
    shared.waiting.store(9, Ordering::Relaxed);
    let keys = audit::AuditKeys::derive(vault.seed());
    let readers = Arc::new(ReaderPool::new(&vault));
    readers.read(StoreReader::counts).unwrap();
    assert_eq!(readers.idle_count(), 1);
    let mut writer = StoreWriter {
        checkpoints: Checkpointer::default(),
        audit: AuditLog::open(&conn, &file, keys).unwrap(),
        committed: CommitCounters::read(&conn).unwrap(),
        conn: Some(conn),
        vault: vault.clone(),
        file,
        queue: crossbeam_channel::never(),
        shared,
        raw: Arc::new(RawTraces::open(&vault).unwrap()),
        readers: Arc::clone(&readers),
        faults: None,
        log: None,
        cutter: None,
        renewals: VecDeque::new(),
        bytes_max: None,
        searchable: true,
        kept_for_many: false,
        left_behind: 0,
        fold_at: None,
        folds: Vec::new(),
        backlog: (1..=9).map(event).collect(),
        held: 9,
        acks: vec![ack(&tell)],
        attempt: None,
        removals: VecDeque::new(),
        slice_at: None,
        runs: VecDeque::new(),
        drafts: VecDeque::new(),
    };
    writer.flush();
    assert_eq!(told.recv().unwrap(), Err((9, "STORE-007")));
    assert_eq!(
        readers.idle_count(),
        0,
        "nothing that SQLite kept of it is believed"
    );
    assert_eq!(StoreReader::open(&vault).unwrap().counts().unwrap().events, 0);
    // The limit is the connection's: the next commit is tried on another.
    writer.acks.push(ack(&tell));
    writer.flush();
    assert_eq!(told.recv().unwrap(), Ok(()));
    assert_eq!(StoreReader::open(&vault).unwrap().counts().unwrap().events, 9);
    assert_eq!(writer.shared.waiting.load(Ordering::Relaxed), 0);
}

#[test]
fn an_event_of_a_run_stands_before_nobody_who_waits_for_a_commit() {
    let dir = TempDir::new().unwrap();
    let vault = Vault::ephemeral(dir.path()).unwrap();
    drop(Store::open(&vault, StoreOptions::default()).unwrap());
    let file = dir.path().join("aura.db");
    let conn = database::open_for_writing(&vault.database_key("aura.db"), &file).unwrap();
    let (tell, told) = mpsc::channel();
    let (sender, queue) = crossbeam_channel::bounded(64);
    let append = |n| {
        let tell = tell.clone();
        let write = RunWrite::Append {
            n,
            json: "{}".to_owned(),
            summary: workflows::RunSummary {
                run: "aa".to_owned(),
                workflow: "w".to_owned(),
                feature: None,
                phase: "working".to_owned(),
                until_ms: None,
                started_ms: 1,
                last_ms: 1,
            },
        };
        WriterCommand::Run(write, Box::new(move |_| tell.send(format!("run {n}")).unwrap()))
    };
    let commit = |name: &'static str| {
        let tell = tell.clone();
        WriterCommand::Commit(Box::new(move |_| tell.send(name.to_owned()).unwrap()))
    };
    for command in [append(0), append(1), commit("one"), append(2), commit("two")] {
        sender.send(command).unwrap();
    }
    drop(sender);
    let keys = audit::AuditKeys::derive(vault.seed());
    let mut writer = StoreWriter {
        checkpoints: Checkpointer::default(),
        audit: AuditLog::open(&conn, &file, keys).unwrap(),
        committed: CommitCounters::read(&conn).unwrap(),
        conn: Some(conn),
        vault: vault.clone(),
        file,
        queue,
        shared: Arc::new(WriterCounters::default()),
        raw: Arc::new(RawTraces::open(&vault).unwrap()),
        readers: Arc::new(ReaderPool::new(&vault)),
        faults: None,
        log: None,
        cutter: None,
        renewals: VecDeque::new(),
        bytes_max: None,
        searchable: true,
        kept_for_many: false,
        left_behind: 0,
        fold_at: None,
        folds: Vec::new(),
        backlog: Vec::new(),
        held: 0,
        acks: Vec::new(),
        attempt: None,
        removals: VecDeque::new(),
        slice_at: None,
        runs: VecDeque::new(),
        drafts: VecDeque::new(),
    };
    assert_eq!(writer.run(), WriterExit::Closed);
    drop(writer);
    drop(tell);
    let told: Vec<String> = told.iter().collect();
    assert_eq!(told, ["one", "two", "run 0", "run 1", "run 2"]);
}

#[test]
fn the_log_is_moved_beside_a_writer_that_has_the_file_open() {
    let dir = TempDir::new().unwrap();
    let vault = Vault::ephemeral(dir.path()).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    for n in 0..20_u32 {
        store.put_policy(format!("{n:064}"), "x".repeat(4096)).unwrap();
        store.commit_now().unwrap();
    }
    let (key, file) = (vault.database_key(schema::FILE), dir.path().join(schema::FILE));
    let (log, moved) = database::checkpoint_beside(&key, &file).unwrap();
    assert!(log >= 20, "{log}");
    assert_eq!(moved, log, "nothing is left to the writer");
    // It goes on, and its own part cuts the log.
    store.put_policy("after".to_owned(), "y".to_owned()).unwrap();
    store.commit_now().unwrap();
    store.empty_log().unwrap();
    let left = std::fs::metadata(file.with_extension("db-wal")).unwrap().len();
    assert_eq!(left, 0);
}
