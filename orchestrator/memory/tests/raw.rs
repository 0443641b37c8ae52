//! Traces that the store did not take in time are taken in later, with what was not committed when they were kept.

use aura_memory::{
    CommitFaults, LedgerRow, Store, StoreError, StoreOptions, StoreReader, StoreWrite, TraceRow, Vault,
    outbox::{DraftChange, DraftEdit, DraftEditOutcome},
};
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
    ids::{OwnerSeed, TraceId, sha256_hex},
    ledger::LedgerEntry,
};

#[derive(Default)]
struct Disk {
    full: AtomicBool,
    /// Commits reach the disk, and their sync fails.
    unsynced: AtomicBool,
}

impl Disk {
    fn fails(flag: &AtomicBool) -> Result<(), StoreError> {
        if flag.load(Ordering::SeqCst) {
            Err(StoreError::disk_full(Path::new("aura.db")))
        } else {
            Ok(())
        }
    }

    fn full() -> Arc<Self> {
        let disk = Arc::new(Self::default());
        disk.full.store(true, Ordering::SeqCst);
        disk
    }
}

impl CommitFaults for Disk {
    fn before_commit(&self) -> Result<(), StoreError> {
        Self::fails(&self.full)
    }

    fn after_commit(&self) -> Result<(), StoreError> {
        Self::fails(&self.unsynced)
    }
}

fn open(dir: &TempDir, disk: &Arc<Disk>) -> Store {
    let options = StoreOptions {
        faults: Some(Arc::<Disk>::clone(disk)),
        ..StoreOptions::default()
    };
    Store::open(&vault(dir), options).unwrap().0
}

/// The folder as a kill at this moment leaves it.
fn killed(dir: &TempDir) -> TempDir {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let (path, to) = {
                let entry = entry.unwrap();
                (entry.path(), to.join(entry.file_name()))
            };
            if path.is_dir() {
                copy(&path, &to);
            } else {
                fs::copy(path, to).unwrap();
            }
        }
    }
    let left = TempDir::new().unwrap();
    copy(dir.path(), left.path());
    left
}

fn event(seq: u64) -> StoreWrite {
    StoreWrite::Event {
        seq,
        at_ms: 0,
        json: format!("{{\"n\":{seq}}}"),
    }
}

/// What the machine hands over when it ends a tick: the event, the decision, a row of the ledger, the trace.
fn tick(seq: u64, row: &TraceRow) -> Vec<StoreWrite> {
    vec![
        event(seq),
        StoreWrite::Decision {
            trace_id: row.trace_id.clone(),
            json: "{}".to_owned(),
        },
        StoreWrite::Ledger(LedgerRow {
            seq,
            day: row_day(),
            trace_id: Some(row.trace_id.clone()),
            entry: LedgerEntry::Reserve,
            tokens: 1,
            at_ms: row.at_ms,
        }),
        StoreWrite::Trace(row.clone()),
    ]
}

fn row_day() -> chrono::NaiveDate {
    "2026-11-03".parse().unwrap()
}

/// Events, decisions, traces and rows of the ledger, as they are read beside whoever works there.
fn kept(dir: &TempDir) -> (Vec<u64>, u64, Vec<TraceRow>, usize) {
    let reader = StoreReader::open(&vault(dir)).unwrap();
    let events = reader.events_from(1, 100).unwrap();
    (
        events.into_iter().map(|row| row.seq).collect(),
        reader.counts().unwrap().decisions,
        reader.traces(9, None).unwrap(),
        reader.ledger_rows(row_day()).unwrap().len(),
    )
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
    let id = OwnerSeed::from_day_seed("raw").trace_id(tick);
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
    let disk = Disk::full();
    let store = open(&dir, &disk);
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
        StoreReader::open(&vault(&dir)).unwrap().traces(9, None).unwrap(),
        [row]
    );
}

#[test]
fn raw_traces_of_the_last_run_are_taken_in_and_a_stored_one_changes_nothing() {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&vault(&dir), StoreOptions::default()).unwrap();
    let ((one, first), (two, second)) = (silent(1), silent(2));
    store.write(vec![StoreWrite::Trace(first.clone())]).unwrap();
    assert!(commit(&store));
    drop(store);
    let store = open(&dir, &Disk::full());
    store.put_raw_trace(&one, &first.json).unwrap();
    store.put_raw_trace(&two, &second.json).unwrap();
    drop(store);
    let (store, _) = Store::open(&vault(&dir), StoreOptions::default()).unwrap();
    assert!(commit(&store));
    assert_eq!(files(dir.path()), Vec::<String>::new());
    assert_eq!(
        StoreReader::open(&vault(&dir)).unwrap().traces(9, None).unwrap(),
        [second, first]
    );
    assert_eq!(store.health().conflicts, 0);
}

#[test]
fn file_that_is_not_a_trace_of_its_name_is_left_alone() {
    let dir = TempDir::new().unwrap();
    let (store, _) = Store::open(&vault(&dir), StoreOptions::default()).unwrap();
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
    assert_eq!(
        StoreReader::open(&vault(&dir)).unwrap().counts().unwrap().traces,
        0
    );
}

#[test]
fn what_was_not_committed_comes_back_with_the_trace_that_came_of_it() {
    let dir = TempDir::new().unwrap();
    let disk = Arc::new(Disk::default());
    let store = open(&dir, &disk);
    store.write(vec![event(1)]).unwrap();
    assert!(commit(&store));
    disk.full.store(true, Ordering::SeqCst);
    let ((one, first), (two, second)) = (silent(1), silent(2));
    store.write(vec![event(2)]).unwrap();
    store.write(tick(3, &first)).unwrap();
    assert!(!commit(&store));
    store.put_raw_trace(&one, &first.json).unwrap();
    store.write(vec![event(4)]).unwrap();
    store.write(tick(5, &second)).unwrap();
    store.put_raw_trace(&two, &second.json).unwrap();
    // Handed over after the last file: gone, as nothing tells of it.
    store.write(vec![event(6)]).unwrap();
    assert!(!commit(&store));

    let left = killed(&dir);
    assert_eq!(kept(&left), (vec![1], 0, vec![], 0));
    for _ in 0..2 {
        let (store, recovered) = Store::open(&vault(&left), StoreOptions::default()).unwrap();
        assert_eq!((recovered.next_seq, recovered.kept_ticks), (6, 2));
        assert_eq!(recovered.events.len(), 5);
        assert_eq!(files(left.path()), Vec::<String>::new());
        assert_eq!(store.health().conflicts, 0);
        drop(store);
        assert_eq!(
            kept(&left),
            (vec![1, 2, 3, 4, 5], 2, vec![second.clone(), first.clone()], 2)
        );
    }

    // The process that lived on has all of it once.
    disk.full.store(false, Ordering::SeqCst);
    assert!(commit(&store));
    assert_eq!(kept(&dir), (vec![1, 2, 3, 4, 5, 6], 2, vec![second, first], 2));
    assert_eq!(files(dir.path()), Vec::<String>::new());
    assert_eq!(store.health().waiting, 0);
}

#[test]
fn nothing_is_doubled_when_the_commit_did_reach_the_disk() {
    let dir = TempDir::new().unwrap();
    let disk = Arc::new(Disk::default());
    let store = open(&dir, &disk);
    disk.unsynced.store(true, Ordering::SeqCst);
    let ((one, first), (two, second)) = (silent(1), silent(2));
    store.write(tick(1, &first)).unwrap();
    assert!(!commit(&store));
    store.put_raw_trace(&one, &first.json).unwrap();
    let left = killed(&dir);
    assert_eq!(kept(&left), (vec![1], 1, vec![first.clone()], 1));
    drop(Store::open(&vault(&left), StoreOptions::default()).unwrap());
    assert_eq!(kept(&left), (vec![1], 1, vec![first.clone()], 1));
    assert_eq!(files(left.path()), Vec::<String>::new());

    // The next one holds what reached the disk, and what did not.
    disk.unsynced.store(false, Ordering::SeqCst);
    disk.full.store(true, Ordering::SeqCst);
    store.write(tick(2, &second)).unwrap();
    assert!(!commit(&store));
    store.put_raw_trace(&two, &second.json).unwrap();
    let left = killed(&dir);
    assert_eq!(kept(&left).0, [1]);
    drop(Store::open(&vault(&left), StoreOptions::default()).unwrap());
    assert_eq!(kept(&left), (vec![1, 2], 2, vec![second, first], 2));
}

#[test]
fn a_trace_is_left_alone_when_a_file_before_it_is_gone_or_others_have_written_since() {
    let dir = TempDir::new().unwrap();
    let disk = Disk::full();
    let store = open(&dir, &disk);
    let ((one, first), (two, second)) = (silent(1), silent(2));
    store.write(tick(1, &first)).unwrap();
    store.put_raw_trace(&one, &first.json).unwrap();
    store.write(tick(2, &second)).unwrap();
    store.put_raw_trace(&two, &second.json).unwrap();
    assert!(!commit(&store));
    let left = killed(&dir);
    let lost = left.path().join(format!("traces/raw/{one}.json"));
    let sealed = fs::read(&lost).unwrap();
    fs::remove_file(&lost).unwrap();
    let name = format!("{two}.json");
    let (store, recovered) = Store::open(&vault(&left), StoreOptions::default()).unwrap();
    assert_eq!((recovered.next_seq, recovered.kept_ticks), (1, 0));
    assert_eq!(files(left.path()), [name]);
    // It comes back, from a disk that had lost it: another event has its number by now.
    store.write(vec![event(1)]).unwrap();
    drop(store);
    fs::write(&lost, sealed).unwrap();
    drop(Store::open(&vault(&left), StoreOptions::default()).unwrap());
    assert_eq!(kept(&left), (vec![1], 0, vec![], 0));
    assert_eq!(files(left.path()).len(), 2);
}

/// A turn that puts a draft, or without a text discards it.
fn outbox(seq: u64, text: Option<&str>) -> Vec<StoreWrite> {
    let change = StoreWrite::Outbox {
        name: "reply.eml".to_owned(),
        text: text.map(str::to_owned),
    };
    vec![event(seq), change]
}

#[test]
fn no_event_that_orders_a_change_of_the_outbox_is_on_disk_before_the_change() {
    let dir = TempDir::new().unwrap();
    let disk = Arc::new(Disk::default());
    let store = open(&dir, &disk);
    let draft = |dir: &TempDir| fs::read_to_string(dir.path().join("outbox/reply.eml")).ok();
    disk.full.store(true, Ordering::SeqCst);
    store.write(outbox(1, Some("On my way"))).unwrap();
    assert!(!commit(&store));
    assert_eq!(
        (kept(&dir).0, draft(&dir).as_deref()),
        (vec![], Some("On my way"))
    );
    disk.full.store(false, Ordering::SeqCst);
    assert!(commit(&store));
    disk.full.store(true, Ordering::SeqCst);
    store.write(outbox(2, None)).unwrap();
    assert!(!commit(&store));
    assert_eq!((kept(&dir).0, draft(&dir)), (vec![1], None));
    // A process that is killed here gives the order once more, to whom the draft is gone already.
    let left = killed(&dir);
    let (again, recovered) = Store::open(&vault(&left), StoreOptions::default()).unwrap();
    assert_eq!(recovered.next_seq, 2);
    again.write(outbox(2, None)).unwrap();
    assert!(commit(&again));
}

#[test]
fn the_outbox_is_changed_by_what_comes_back_with_a_trace() {
    let dir = TempDir::new().unwrap();
    let store = open(&dir, &Disk::full());
    let (id, row) = silent(1);
    store.write(outbox(1, Some("On my way"))).unwrap();
    store.write(tick(2, &row)).unwrap();
    store.put_raw_trace(&id, &row.json).unwrap();
    let left = killed(&dir);
    // The kill came before the writer had looked at it.
    let _ = fs::remove_dir_all(left.path().join("outbox"));
    drop(Store::open(&vault(&left), StoreOptions::default()).unwrap());
    assert_eq!(
        fs::read_to_string(left.path().join("outbox/reply.eml")).unwrap(),
        "On my way"
    );
}

/// What becomes of an edit of that draft, by who saw `shown`.
fn edit(store: &Store, shown: &str, text: &str) -> Result<DraftEditOutcome, &'static str> {
    let (told, heard) = mpsc::channel();
    let edit = DraftEdit {
        name: "reply.eml".to_owned(),
        shown: sha256_hex(shown.as_bytes()),
        text: text.to_owned(),
    };
    let ack = Box::new(move |done: Result<DraftEditOutcome, StoreError>| {
        told.send(done.map_err(|error| error.code())).unwrap();
    });
    store.change_draft(DraftChange::Edit(edit), ack).unwrap();
    heard.recv().unwrap()
}

fn draft(dir: &TempDir) -> Option<String> {
    fs::read_to_string(dir.path().join("outbox/reply.eml")).ok()
}

#[test]
fn a_draft_is_edited_after_all_turns_before_it_and_a_kill_brings_no_older_text_back() {
    let dir = TempDir::new().unwrap();
    let disk = Arc::new(Disk::default());
    let store = open(&dir, &disk);
    disk.full.store(true, Ordering::SeqCst);
    store.write(outbox(1, Some("On my way"))).unwrap();
    // The draft's own turn is not on disk, and will be done again.
    assert_eq!(edit(&store, "On my way", "Later"), Err("STORE-006"));
    assert_eq!(draft(&dir).as_deref(), Some("On my way"));
    disk.full.store(false, Ordering::SeqCst);
    assert_eq!(edit(&store, "On my way", "Later"), Ok(DraftEditOutcome::Kept));
    assert_eq!(kept(&dir).0, [1], "the edit had what came before it committed");
    assert_eq!(edit(&store, "On my way", "Never"), Ok(DraftEditOutcome::Changed));
    // Whoever was killed in the tick's last state has the draft put once more.
    let left = killed(&dir);
    let (again, _) = Store::open(&vault(&left), StoreOptions::default()).unwrap();
    again.write(outbox(2, Some("On my way"))).unwrap();
    assert!(commit(&again));
    let names = |dir: &TempDir| {
        let files = fs::read_dir(dir.path().join("outbox")).unwrap();
        files
            .filter(|file| file.as_ref().unwrap().path().extension().unwrap() == "eml")
            .count()
    };
    assert_eq!((draft(&left).as_deref(), names(&left)), (Some("Later"), 1));
    // A discard that waits for the disk comes first, whatever was seen.
    store.write(outbox(2, None)).unwrap();
    assert_eq!(edit(&store, "Later", "Never"), Ok(DraftEditOutcome::Gone));
    assert_eq!(draft(&dir), None);
}

#[test]
fn of_a_discard_and_an_edit_at_the_same_time_the_discard_wins() {
    for _ in 0..8 {
        let dir = TempDir::new().unwrap();
        let store = open(&dir, &Arc::new(Disk::default()));
        store.write(outbox(1, Some("0"))).unwrap();
        assert!(commit(&store));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 0..20 {
                    let done = edit(&store, &n.to_string(), &(n + 1).to_string()).unwrap();
                    if done == DraftEditOutcome::Gone {
                        break;
                    }
                    assert_eq!(done, DraftEditOutcome::Kept);
                }
            });
            scope.spawn(|| {
                store.write(outbox(2, None)).unwrap();
                assert!(commit(&store));
            });
        });
        let (there, discarded) = aura_memory::outbox::names(dir.path()).unwrap();
        assert_eq!((there.len(), discarded.len()), (0, 1));
        assert_eq!(edit(&store, "0", "1"), Ok(DraftEditOutcome::Gone));
    }
}
