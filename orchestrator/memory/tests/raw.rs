//! Traces that the store did not take in time are taken in by the next commit that succeeds.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use aura_memory::{Faults, Options, Reader, Store, StoreError, TraceRow, Vault};
use serde_json::json;
use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
};
use tempfile::TempDir;
use toolcall_schema::{
    Outcome,
    ids::{OwnerSeed, TraceId},
};

struct Disk {
    full: AtomicBool,
}

impl Faults for Disk {
    fn before_commit(&self) -> Result<(), StoreError> {
        if self.full.load(Ordering::SeqCst) {
            Err(StoreError::disk_full(Path::new("aura.db")))
        } else {
            Ok(())
        }
    }
}

/// The folder with its key, which lies in it: every process can open it.
fn vault(dir: &TempDir) -> Vault {
    Vault::demo(dir.path()).unwrap()
}

fn commit(store: &Store) -> bool {
    let (tell, told) = mpsc::channel();
    store
        .commit(Box::new(move |r| tell.send(r.is_ok()).unwrap()))
        .unwrap();
    told.recv().unwrap()
}

/// A silent tick: its id, its row and its JSON.
fn silent(tick: u64) -> (TraceId, TraceRow) {
    let id = OwnerSeed::of_day("raw").trace_id(tick);
    let at = "2026-11-03T09:00:00.000Z";
    let ledger =
        json!({"day": "2026-11-03", "ceiling": 3, "free": 3, "reserved": 0, "settled": 0, "refunded": 0});
    let trace = json!({
        "trace_id": id, "ts": at, "outcome": "silent", "reason_code": "no_candidate", "tool_calls": [],
        "ledger_after": ledger, "state_path": [], "rationale": "nothing to say", "rationale_source": "template",
        "decision": {
            "trace_id": id, "tick": tick, "ts": at,
            "trigger": {"source": "interval", "at": at, "valid_until": at},
            "user": {"state": "UNKNOWN", "in_focus": false, "in_meeting": false, "dnd": false, "brief_due": false,
                "zone": "UTC"},
            "agent_status": {}, "signals": {}, "candidates": [], "reason_code": "no_candidate",
            "rationale": "nothing to say", "ledger_before": ledger, "policy_hash": "", "catalogue_hash": "",
            "stale_triggers": [],
        },
    });
    let row = TraceRow {
        trace_id: id.clone(),
        tick,
        call: None,
        // 2026-11-03 is day 20 760 since 1970.
        at_ms: (20_760 * 24 + 9) * 3_600_000,
        outcome: Outcome::Silent,
        chosen: None,
        json: trace.to_string(),
    };
    (id, row)
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir.join("traces/raw"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn raw_traces_are_taken_in_at_the_next_success_and_their_files_removed() {
    let dir = TempDir::new().unwrap();
    let disk = Arc::new(Disk {
        full: AtomicBool::new(true),
    });
    let options = Options {
        faults: Some(Arc::<Disk>::clone(&disk)),
        ..Options::default()
    };
    let (store, _) = Store::open(&vault(&dir), options).unwrap();
    let (id, row) = silent(1);
    store.put_raw_trace(&id, &row.json).unwrap();
    let path = dir.path().join(format!("traces/raw/{id}.json"));
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
    assert!(!commit(&store));
    let kept = fs::read(&path).unwrap();
    for word in [&b"nothing to say"[..], b"trace", b"UNKNOWN"] {
        assert!(row.json.as_bytes().windows(word.len()).any(|part| part == word));
        assert!(!kept.windows(word.len()).any(|part| part == word), "it is sealed");
    }
    disk.full.store(false, Ordering::SeqCst);
    assert!(commit(&store));
    assert_eq!(files(dir.path()), Vec::<String>::new());
    assert_eq!(
        Reader::open(&vault(&dir)).unwrap().traces(9, None).unwrap(),
        [row]
    );
}

#[test]
fn raw_traces_of_the_last_run_are_taken_in_and_a_stored_one_changes_nothing() {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&vault(&dir), Options::default()).unwrap();
    let ((one, first), (two, second)) = (silent(1), silent(2));
    store.put_trace(first.clone()).unwrap();
    assert!(commit(&store));
    drop(store);
    let full = Options {
        faults: Some(Arc::new(Disk {
            full: AtomicBool::new(true),
        })),
        ..Options::default()
    };
    let (store, _) = Store::open(&vault(&dir), full).unwrap();
    store.put_raw_trace(&one, &first.json).unwrap();
    store.put_raw_trace(&two, &second.json).unwrap();
    drop(store);
    let (store, _) = Store::open(&vault(&dir), Options::default()).unwrap();
    assert!(commit(&store));
    assert_eq!(files(dir.path()), Vec::<String>::new());
    assert_eq!(
        Reader::open(&vault(&dir)).unwrap().traces(9, None).unwrap(),
        [second, first]
    );
    assert_eq!(store.health().conflicts, 0);
}

#[test]
fn file_that_is_not_a_trace_of_its_name_is_left_alone() {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&vault(&dir), Options::default()).unwrap();
    let ((one, _), (two, second)) = (silent(1), silent(2));
    store.put_raw_trace(&one, &second.json).unwrap();
    store.put_raw_trace(&two, "{").unwrap();
    fs::write(dir.path().join("traces/raw/.left.tmp"), "{").unwrap();
    assert!(commit(&store));
    let mut left = vec![
        ".left.tmp".to_owned(),
        format!("{one}.json"),
        format!("{two}.json"),
    ];
    left.sort();
    assert_eq!(files(dir.path()), left);
    assert_eq!(Reader::open(&vault(&dir)).unwrap().counts().unwrap().traces, 0);
}
