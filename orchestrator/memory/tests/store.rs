//! The store as its callers see it: what was acked is there after re-opening, whatever happened in between.

use aura_memory::{
    AgentStateRows, CommitFaults, EventRow, LedgerRow, RecoveredState, RowCounts, Store, StoreError,
    StoreHealth, StoreOptions, StoreReader, StoreWrite, TraceRow, Vault, vault::NoPrompt,
};
use serde_json::json;
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};
use tempfile::TempDir;
use toolcall_schema::{
    AgentName, Outcome,
    ids::{OwnerSeed, TraceId},
    ledger::LedgerEntry,
    names::ActionKind,
};

/// Fails as many commits as it holds.
struct FullDisk(AtomicUsize);

impl CommitFaults for FullDisk {
    fn before_commit(&self) -> Result<(), StoreError> {
        let failing = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        match failing {
            Ok(_) => Err(StoreError::disk_full(Path::new("aura.db"))),
            Err(_) => Ok(()),
        }
    }
}

fn disk_full_for(commits: usize) -> StoreOptions {
    StoreOptions {
        faults: Some(Arc::new(FullDisk(AtomicUsize::new(commits)))),
        ..StoreOptions::default()
    }
}

/// The folder with its key, which lies in it: every process can open it.
fn vault(dir: &TempDir) -> Vault {
    Vault::demo(dir.path()).unwrap()
}

fn open(dir: &TempDir) -> (Store, RecoveredState) {
    Store::open(&vault(dir), StoreOptions::default()).unwrap()
}

/// Asks for a commit and waits for its answer.
fn commit(store: &Store) -> Result<(), String> {
    let (tell, told) = mpsc::channel();
    let ack = Box::new(move |result: Result<(), aura_memory::CommitError>| {
        tell.send(result.map_err(|e| format!("{}: {e}", e.cause.code())))
            .unwrap();
    });
    store.commit(ack).unwrap();
    told.recv().unwrap()
}

fn event(seq: u64) -> StoreWrite {
    StoreWrite::Event {
        seq,
        at_ms: 1000 + i64::try_from(seq).unwrap(),
        json: format!("{{\"n\":{seq}}}"),
    }
}

fn numbered(seqs: impl IntoIterator<Item = u64>) -> Vec<(u64, String)> {
    seqs.into_iter()
        .map(|seq| (seq, format!("{{\"n\":{seq}}}")))
        .collect()
}

fn trace_id(tick: u64) -> TraceId {
    OwnerSeed::from_day_seed("store").trace_id(tick)
}

fn trace(tick: u64) -> TraceRow {
    TraceRow {
        trace_id: trace_id(tick),
        tick,
        call: None,
        at_ms: 2000 + i64::try_from(tick).unwrap(),
        outcome: Outcome::Silent,
        chosen: None,
        json: format!("{{\"tick\":{tick}}}"),
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, StoreError>) -> (&'static str, String) {
    let error = result.unwrap_err();
    (error.code(), error.to_string())
}

#[test]
fn what_was_acked_is_there_after_reopening() {
    let dir = TempDir::new().unwrap();
    let (store, fresh) = open(&dir);
    assert_eq!(
        fresh,
        RecoveredState {
            snapshot: None,
            events: vec![],
            agent_states: BTreeMap::new(),
            catalogue: None,
            confirmed_time: None,
            next_seq: 1,
            kept_ticks: 0,
            decided_ticks: 0,
            open_decision: None,
        }
    );
    store.write((1..=5).map(event).collect()).unwrap();
    store
        .write(vec![StoreWrite::Snapshot {
            seq: 3,
            json: "{\"state\":3}".to_owned(),
        }])
        .unwrap();
    store
        .write(vec![StoreWrite::AgentState {
            agent: AgentName::Comms,
            json: "{\"cursor\":1}".to_owned(),
        }])
        .unwrap();
    let state = |cursor: u8| StoreWrite::AgentState {
        agent: AgentName::Comms,
        json: format!("{{\"cursor\":{cursor}}}"),
    };
    let change = |agent, number| StoreWrite::AgentStateChange {
        agent,
        number,
        json: format!("{{\"read\":{number}}}"),
    };
    store.write(vec![change(AgentName::Comms, 1), state(2)]).unwrap();
    // Another agent's, and those of before the state was written whole, are not its own.
    store.write(vec![change(AgentName::Finance, 1)]).unwrap();
    for number in 1..=2 {
        store.write(vec![change(AgentName::Comms, number)]).unwrap();
    }
    // Back to an earlier catalogue: the one written last counts.
    for hash in ["aa", "bb", "aa"] {
        store
            .put_catalogue(hash.to_owned(), format!("lock {hash}"))
            .unwrap();
    }
    commit(&store).unwrap();
    drop(store);
    let (_store, recovered) = open(&dir);
    let comms = AgentStateRows {
        whole: "{\"cursor\":2}".to_owned(),
        changes: vec!["{\"read\":1}".to_owned(), "{\"read\":2}".to_owned()],
    };
    assert_eq!(
        comms.to_state().unwrap().to_value(),
        json!({"cursor": 2, "read": 2})
    );
    assert_eq!(
        recovered,
        RecoveredState {
            snapshot: Some((3, "{\"state\":3}".to_owned())),
            events: numbered(4..=5),
            agent_states: BTreeMap::from([(AgentName::Comms, comms)]),
            catalogue: Some(("aa".to_owned(), "lock aa".to_owned())),
            confirmed_time: None,
            next_seq: 6,
            kept_ticks: 0,
            decided_ticks: 0,
            open_decision: None,
        }
    );
}

#[test]
fn readers_see_beside_the_running_service_what_was_committed() {
    let dir = TempDir::new().unwrap();
    let (store, _) = open(&dir);
    let day = "2026-11-03".parse().unwrap();
    let reserve = LedgerRow {
        seq: 1,
        day,
        trace_id: Some(trace_id(2)),
        entry: LedgerEntry::Reserve,
        tokens: 1,
        at_ms: 2002,
    };
    let ceiling = LedgerRow {
        trace_id: None,
        entry: LedgerEntry::Ceiling,
        tokens: 3,
        ..reserve.clone()
    };
    let brief = TraceRow {
        outcome: Outcome::ExecutedAuto,
        chosen: Some(ActionKind::ShowBrief),
        ..trace(2)
    };
    store
        .write(vec![
            event(1),
            StoreWrite::Ledger(ceiling.clone()),
            StoreWrite::Ledger(reserve.clone()),
            StoreWrite::Ledger(reserve.clone()),
            StoreWrite::Decision {
                trace_id: trace_id(2),
                json: "{\"d\":2}".to_owned(),
            },
            StoreWrite::Trace(trace(1)),
            StoreWrite::Trace(brief.clone()),
            StoreWrite::Trace(trace(3)),
        ])
        .unwrap();
    store
        .put_policy("ab".repeat(32), "threshold = 0.45".to_owned())
        .unwrap();
    commit(&store).unwrap();

    let reader = StoreReader::open(&vault(&dir)).unwrap();
    assert_eq!(reader.traces(2, None).unwrap(), [trace(3), brief.clone()]);
    assert_eq!(reader.traces(10, Some(2)).unwrap(), [trace(1)]);
    assert_eq!(reader.trace(&trace_id(2)).unwrap(), Some(brief));
    assert_eq!(reader.trace(&trace_id(9)).unwrap(), None);
    assert_eq!(
        reader.decision(&trace_id(2)).unwrap().as_deref(),
        Some("{\"d\":2}")
    );
    assert_eq!(
        reader.policy(&"ab".repeat(32)).unwrap().as_deref(),
        Some("threshold = 0.45")
    );
    assert_eq!(reader.ledger_rows(day).unwrap(), [ceiling, reserve]);
    assert_eq!(reader.ledger_rows("2026-11-04".parse().unwrap()).unwrap(), []);
    let first = EventRow {
        seq: 1,
        at_ms: 1001,
        json: "{\"n\":1}".to_owned(),
    };
    assert_eq!(reader.events_from(0, 9).unwrap(), [first]);
    let counts = RowCounts {
        events: 1,
        decisions: 1,
        traces: 3,
        ledger: 2,
        agent_states: 0,
        policies: 1,
    };
    assert_eq!(reader.counts().unwrap(), counts);
    assert_eq!(reader.damage().unwrap(), None);
    assert!(reader.size_bytes() > 0);
    // The same on a stopped folder, through the reader that was open and through a new one.
    drop(store);
    assert_eq!(reader.counts().unwrap(), counts);
    assert_eq!(StoreReader::open(&vault(&dir)).unwrap().counts().unwrap(), counts);
}

#[test]
fn first_record_of_an_id_stays_and_a_different_one_is_counted() {
    let dir = TempDir::new().unwrap();
    let (store, _) = open(&dir);
    let other = TraceRow {
        json: "{}".to_owned(),
        ..trace(1)
    };
    for row in [trace(1), trace(1), other] {
        store.write(vec![StoreWrite::Trace(row)]).unwrap();
    }
    for json in ["{\"d\":1}", "{\"d\":2}"] {
        store
            .write(vec![StoreWrite::Decision {
                trace_id: trace_id(1),
                json: json.to_owned(),
            }])
            .unwrap();
    }
    commit(&store).unwrap();
    let reader = StoreReader::open(&vault(&dir)).unwrap();
    assert_eq!(reader.traces(9, None).unwrap(), [trace(1)]);
    assert_eq!(
        reader.decision(&trace_id(1)).unwrap().as_deref(),
        Some("{\"d\":1}")
    );
    assert_eq!(store.health().conflicts, 2);
}

#[test]
fn copy_taken_after_an_ack_holds_all_that_was_acked() {
    // The files as a power cut would leave them: no close, no checkpoint.
    let (dir, copy) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (store, _) = open(&dir);
    for seq in 1..=20 {
        store
            .write(vec![event(seq), StoreWrite::Trace(trace(seq))])
            .unwrap();
        commit(&store).unwrap();
    }
    for name in ["demo", "demo.key", "key", "aura.db", "aura.db-wal"] {
        fs::copy(dir.path().join(name), copy.path().join(name)).unwrap();
    }
    let (_copied, recovered) = open(&copy);
    assert_eq!(recovered.events, numbered(1..=20));
    assert_eq!(
        StoreReader::open(&vault(&copy)).unwrap().counts().unwrap().traces,
        20
    );
}

#[test]
fn unacked_writes_may_be_lost_and_acked_ones_are_not() {
    let dir = TempDir::new().unwrap();
    let (store, _) = open(&dir);
    store
        .write(vec![StoreWrite::Event {
            seq: 1,
            at_ms: 1001,
            json: "{\"n\":1}".to_owned(),
        }])
        .unwrap();
    commit(&store).unwrap();
    drop(store);
    // Every further commit fails, so that dropping the store loses what waits, as a kill would.
    let (store, _) = Store::open(&vault(&dir), disk_full_for(usize::MAX)).unwrap();
    store.write(vec![event(2), StoreWrite::Trace(trace(1))]).unwrap();
    assert_eq!(
        commit(&store),
        Err("STORE-007: the commit failed, 2 writes wait for the next".to_owned())
    );
    drop(store);
    let (_store, recovered) = open(&dir);
    assert_eq!(recovered.events, numbered(1..=1));
    assert_eq!(recovered.next_seq, 2);
    assert_eq!(
        StoreReader::open(&vault(&dir)).unwrap().traces(9, None).unwrap(),
        []
    );
}

#[test]
fn failed_commit_then_success_loses_nothing() {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&vault(&dir), disk_full_for(2)).unwrap();
    store.write(vec![event(1), StoreWrite::Trace(trace(1))]).unwrap();
    commit(&store).unwrap_err();
    assert_eq!(
        StoreReader::open(&vault(&dir)).unwrap().counts().unwrap(),
        RowCounts::default()
    );
    store
        .write(vec![StoreWrite::Event {
            seq: 2,
            at_ms: 1002,
            json: "{\"n\":2}".to_owned(),
        }])
        .unwrap();
    commit(&store).unwrap_err();
    assert_eq!(store.health().waiting, 3);
    commit(&store).unwrap();
    assert_eq!(
        store.health(),
        StoreHealth {
            waiting: 0,
            commits: 1,
            failed_commits: 2,
            conflicts: 0
        }
    );
    drop(store);
    let (_store, recovered) = open(&dir);
    assert_eq!(recovered.events, numbered(1..=2));
}

#[test]
fn acks_are_called_in_the_order_of_asking_and_a_panicking_one_costs_nobody() {
    let dir = TempDir::new().unwrap();
    let (store, _) = open(&dir);
    let order = Arc::new(Mutex::new(vec![]));
    for n in 1..=3_u64 {
        store.write(vec![event(n)]).unwrap();
        let order = Arc::clone(&order);
        store
            .commit(Box::new(move |result| {
                order.lock().unwrap().push((n, result.is_ok()));
                assert!(n != 2, "a bug of the caller");
            }))
            .unwrap();
    }
    commit(&store).unwrap();
    assert_eq!(*order.lock().unwrap(), [(1, true), (2, true), (3, true)]);
}

#[test]
fn writes_are_committed_without_being_asked() {
    let dir = TempDir::new().unwrap();
    let (store, _) = open(&dir);
    store
        .write(vec![StoreWrite::Event {
            seq: 1,
            at_ms: 1001,
            json: "{\"n\":1}".to_owned(),
        }])
        .unwrap();
    let reader = StoreReader::open(&vault(&dir)).unwrap();
    // The writer counts down after its commit: both come by themselves, or the test hangs.
    while reader.counts().unwrap().events == 0 || store.health().waiting > 0 {
        std::thread::yield_now();
    }
}

#[test]
fn event_that_does_not_follow_is_refused_and_a_snapshot_closes_the_hole() {
    let dir = TempDir::new().unwrap();
    let (store, _) = open(&dir);
    store.write(vec![event(1)]).unwrap();
    for wrong in [0, 1, 3] {
        let refused = store.write(vec![StoreWrite::Trace(trace(1)), event(wrong)]);
        assert_eq!(
            code(refused),
            (
                "STORE-008",
                format!(
                    "STORE-008: event {wrong} does not follow: the journal expects 2, or a snapshot that covers the hole"
                )
            )
        );
    }
    store
        .write(vec![StoreWrite::Snapshot {
            seq: 4,
            json: "{}".to_owned(),
        }])
        .unwrap();
    store.write(vec![event(5)]).unwrap();
    commit(&store).unwrap();
    drop(store);
    let (_store, recovered) = open(&dir);
    assert_eq!(recovered.snapshot, Some((4, "{}".to_owned())));
    assert_eq!(recovered.events, numbered(5..=5));
    // Nothing of the refused groups was taken.
    assert_eq!(
        StoreReader::open(&vault(&dir)).unwrap().counts().unwrap().traces,
        0
    );
}

#[test]
fn queue_refuses_more_than_its_capacity_while_the_disk_is_full() {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&vault(&dir), disk_full_for(usize::MAX)).unwrap();
    store.write((1..=4096).map(event).collect()).unwrap();
    assert_eq!(
        code(store.write(vec![event(4097)])),
        (
            "STORE-006",
            "STORE-006: 4096 writes wait for the disk (limit 4096): nothing was taken".to_owned()
        )
    );
    // Those who ask are still answered.
    commit(&store).unwrap_err();
}

#[test]
fn a_database_that_may_not_grow_is_a_full_disk_until_it_may() {
    const MIB: u64 = 1 << 20;
    let dir = TempDir::new().unwrap();
    let within = |bytes_max| StoreOptions {
        bytes_max: Some(bytes_max),
        ..StoreOptions::default()
    };
    let (store, _) = Store::open(&vault(&dir), within(2 * MIB)).unwrap();
    let large = |seq: u64| StoreWrite::Event {
        seq,
        at_ms: 1000,
        json: format!("{{\"n\":\"{}\"}}", "x".repeat(100_000)),
    };
    let refused = (1..=40).find(|seq| {
        store.write(vec![large(*seq)]).unwrap();
        commit(&store).is_err()
    });
    // An empty store has fewer than 60 pages; an event has 25.
    let refused = refused.unwrap();
    assert!((15..=21).contains(&refused), "{refused}");
    let error = commit(&store).unwrap_err();
    assert!(error.starts_with("STORE-007"), "{error}");
    let file = dir.path().join("aura.db");
    drop(store);
    assert!(fs::metadata(&file).unwrap().len() <= 2 * MIB);
    // What was acked is there, and goes on where it may be larger.
    let (store, recovered) = Store::open(&vault(&dir), within(3 * MIB)).unwrap();
    assert_eq!(recovered.next_seq, refused);
    store.write(vec![large(refused)]).unwrap();
    commit(&store).unwrap();
    drop(store);
    // Where it is too large already it is read, and takes nothing.
    let (store, recovered) = Store::open(&vault(&dir), within(MIB)).unwrap();
    assert_eq!(recovered.next_seq, refused + 1);
    store.write(vec![large(refused + 1)]).unwrap();
    commit(&store).unwrap_err();
}

#[test]
fn second_start_is_refused_with_folder_and_process() {
    let dir = TempDir::new().unwrap();
    let (store, _) = open(&dir);
    let (got, text) = code(Store::open(&vault(&dir), StoreOptions::default()));
    assert_eq!(got, "STORE-001");
    assert_eq!(
        text,
        format!(
            "STORE-001: the data folder {} is in use by process {}: stop it first, or name another folder",
            dir.path().display(),
            std::process::id()
        )
    );
    drop(store);
    open(&dir);
}

#[test]
fn reading_where_no_store_is_says_so_and_creates_nothing() {
    let dir = TempDir::new().unwrap();
    for missing in [dir.path().to_owned(), dir.path().join("nowhere")] {
        let says = format!(
            "STORE-004: no store in {}: name the right folder, or start the service once to create it",
            missing.display()
        );
        assert_eq!(code(Vault::open(&missing, &NoPrompt)), ("STORE-004", says));
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn folders_are_0700_and_files_0600() {
    let dir = TempDir::new().unwrap();
    let home = dir.path().join("aura");
    let (store, _) = Store::open(&Vault::demo(&home).unwrap(), StoreOptions::default()).unwrap();
    store.write(vec![event(1)]).unwrap();
    commit(&store).unwrap();
    let mode = |path: &Path| format!("{:o}", fs::metadata(path).unwrap().permissions().mode() & 0o7777);
    let names = [
        "",
        "traces",
        "traces/raw",
        "aura.db",
        "aura.db-shm",
        "aura.db-wal",
        "lock",
        "key",
        "demo.key",
    ];
    let modes: Vec<(PathBuf, String)> = names.iter().map(|n| (n.into(), mode(&home.join(n)))).collect();
    let expected = ["700", "700", "700", "600", "600", "600", "600", "600", "600"];
    assert_eq!(
        modes,
        names
            .iter()
            .zip(expected)
            .map(|(n, m)| (n.into(), m.to_owned()))
            .collect::<Vec<_>>()
    );
}
