//! A store that the disk spoiled: what can be read goes on in a new one.

use aura_memory::{
    RecoveredState, Store, StoreOptions, StoreReader, StoreWrite, TraceRow, Vault,
    repair::{self, RepairLoss},
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc,
};
use tempfile::TempDir;
use toolcall_schema::{AgentName, Outcome, ids::OwnerSeed};

const PAGE: usize = 4096;
const ROWS: u64 = 400;

fn commit(store: &Store) {
    let (tell, told) = mpsc::channel();
    store
        .commit(Box::new(move |done| tell.send(done.is_ok()).unwrap()))
        .unwrap();
    assert!(told.recv().unwrap());
}

fn trace(tick: u64) -> TraceRow {
    TraceRow {
        trace_id: OwnerSeed::from_day_seed("repair").trace_id(tick),
        tick,
        call: None,
        at_ms: 0,
        outcome: Outcome::Silent,
        chosen: None,
        json: format!("{{\"tick\":{tick},\"fill\":\"{}\"}}", "x".repeat(300)),
    }
}

/// 400 events and traces, a snapshot after the 200th event, an agent's state.
fn folder() -> (TempDir, Vault, PathBuf) {
    let dir = TempDir::new().unwrap();
    let vault = Vault::demo(dir.path()).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    for seq in 1..=ROWS {
        let event = StoreWrite::Event {
            seq,
            at_ms: 0,
            json: format!("{{\"n\":{seq},\"fill\":\"{}\"}}", "y".repeat(300)),
        };
        store.write(vec![event, StoreWrite::Trace(trace(seq))]).unwrap();
        if seq == ROWS / 2 {
            store
                .write(vec![StoreWrite::Snapshot {
                    seq,
                    json: "{\"snapshot\":true}".to_owned(),
                }])
                .unwrap();
        }
    }
    store
        .write(vec![StoreWrite::AgentState {
            agent: AgentName::Comms,
            json: "{}".to_owned(),
        }])
        .unwrap();
    commit(&store);
    drop(store);
    // A start: the first page is kept as it is now.
    drop(Store::open(&vault, StoreOptions::default()).unwrap());
    let file = dir.path().join("aura.db");
    (dir, vault, file)
}

fn only(dir: &Path) -> RepairLoss {
    let mut all = repair::losses(dir).unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn flip(file: &Path, page: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[page * PAGE + 100] ^= 1;
    fs::write(file, bytes).unwrap();
}

/// What every repaired store promises: it is sound, nothing in it is invented, and the journal has no hole.
fn sound(vault: &Vault) -> RecoveredState {
    let (store, recovered) = Store::open(vault, StoreOptions::default()).unwrap();
    let reader = StoreReader::open(vault).unwrap();
    assert_eq!(reader.damage().unwrap(), None);
    for row in reader.traces(usize::MAX >> 1, None).unwrap() {
        assert_eq!(row, trace(row.tick));
    }
    let begin = recovered.snapshot.as_ref().map_or(1, |(seq, _)| seq + 1);
    for (expected, (seq, json)) in (begin..).zip(&recovered.events) {
        assert_eq!(*seq, expected);
        assert!(json.starts_with(&format!("{{\"n\":{seq},")));
    }
    assert_eq!(recovered.next_seq, begin + recovered.events.len() as u64);
    drop(store);
    recovered
}

#[test]
fn one_flipped_bit_in_any_page_costs_at_most_what_was_on_it() {
    let (dir, _, file) = folder();
    let original = fs::read(&file).unwrap();
    let pages = original.len() / PAGE;
    let (mut hurt, mut counted) = (0, 0);
    // Every seventh page, so that each kind of page is met: events, traces, their index, empty tables.
    for page in (0..pages).step_by(7) {
        let copy = TempDir::new().unwrap();
        for name in ["demo", "demo.key", "key", "aura.db", "aura.db.head"] {
            fs::copy(dir.path().join(name), copy.path().join(name)).unwrap();
        }
        let file = copy.path().join("aura.db");
        flip(&file, page);
        let vault = Vault::demo(copy.path()).unwrap();
        let before = fs::read(&file).unwrap();
        sound(&vault);
        let kept = StoreReader::open(&vault).unwrap().counts().unwrap();
        let all = repair::losses(copy.path()).unwrap();
        if all.is_empty() {
            // A page that nothing stands on.
            assert_eq!((kept.events, kept.traces), (ROWS, ROWS), "page {page}");
            continue;
        }
        hurt += 1;
        let loss = only(copy.path());
        assert_eq!(
            fs::read(copy.path().join(&loss.set_aside)).unwrap(),
            before,
            "sealed as it was"
        );
        for table in &loss.tables {
            let (now, lost) = match table.table.as_str() {
                "events" => (kept.events, ROWS - kept.events),
                "traces" => (kept.traces, ROWS - kept.traces),
                _ => continue,
            };
            assert_eq!(table.kept, now, "page {page}");
            if let Some(said) = table.lost {
                assert_eq!(said, lost, "page {page} {}", table.table);
                counted += 1;
            }
        }
        // A leaf holds some ten rows; only an event that is missing costs those behind it.
        assert!(kept.traces >= ROWS - 30, "page {page}: {kept:?}");
        assert!(kept.events >= ROWS / 2 - 30, "page {page}: {kept:?}");
        // It goes on: nothing is repaired twice.
        sound(&vault);
        only(copy.path());
    }
    assert!(
        hurt > pages / 7 / 2 && counted > 5,
        "{hurt} hurt and {counted} counted of {pages} pages"
    );
}

#[test]
fn file_without_its_beginning_gives_all_of_its_rows() {
    let (dir, vault, file) = folder();
    let mut bytes = fs::read(&file).unwrap();
    bytes[..PAGE].fill(0);
    fs::write(&file, bytes).unwrap();
    let recovered = sound(&vault);
    assert_eq!(recovered.next_seq, ROWS + 1);
    assert_eq!(recovered.agent_states.len(), 1);
    let kept = StoreReader::open(&vault).unwrap().counts().unwrap();
    assert_eq!((kept.events, kept.traces), (ROWS, ROWS));
    assert_eq!(only(dir.path()).tables, []);
    repair::forget(dir.path()).unwrap();
    let left = fs::read_dir(dir.path()).unwrap();
    assert!(
        left.map(|entry| entry.unwrap().file_name())
            .all(|name| !name.to_string_lossy().contains("damaged"))
    );
    sound(&vault);
}

#[test]
fn file_that_was_cut_short_gives_what_is_left_of_it() {
    let (dir, vault, file) = folder();
    let len = fs::metadata(&file).unwrap().len();
    fs::OpenOptions::new()
        .write(true)
        .open(&file)
        .unwrap()
        .set_len(len / 2)
        .unwrap();
    let recovered = sound(&vault);
    let kept = StoreReader::open(&vault).unwrap().counts().unwrap();
    assert!(kept.traces > ROWS / 10 && kept.traces < ROWS, "{kept:?}");
    let loss = only(dir.path());
    assert!(
        loss.tables.iter().any(|table| table.table == "traces"),
        "{loss:?}"
    );
    // It goes on from there.
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    store
        .write(vec![StoreWrite::Event {
            seq: recovered.next_seq,
            at_ms: 0,
            json: "{\"n\":0,".to_owned(),
        }])
        .unwrap();
    commit(&store);
}

#[test]
fn hole_in_the_journal_ends_it_there_and_before_the_snapshot_costs_nothing_at_the_start() {
    for (missing, next) in [("seq IN (150, 151)", ROWS + 1), ("seq IN (300, 301)", 300)] {
        let (dir, vault, file) = folder();
        let statement = format!("DELETE FROM events WHERE {missing}");
        assert_eq!(aura_memory::test_support::edit(&vault, &statement).unwrap(), 2);
        // The damage itself is on a page that nothing is read from at a start.
        let mut bytes = fs::read(&file).unwrap();
        bytes[..PAGE].fill(0xA5);
        fs::write(&file, bytes).unwrap();
        let recovered = sound(&vault);
        assert_eq!(recovered.next_seq, next, "{missing}");
        assert_eq!(
            recovered.snapshot,
            Some((ROWS / 2, "{\"snapshot\":true}".to_owned()))
        );
        only(dir.path());
    }
}

#[test]
fn store_of_which_nothing_can_be_read_is_left_as_it_is() {
    let (dir, vault, file) = folder();
    let len = fs::metadata(&file).unwrap().len();
    for damaged in [vec![], vec![7; 100], vec![0; usize::try_from(len).unwrap()]] {
        fs::write(&file, &damaged).unwrap();
        let error = Store::open(&vault, StoreOptions::default()).unwrap_err();
        assert!(["STORE-003", "STORE-014"].contains(&error.code()), "{error}");
        assert_eq!(fs::read(&file).unwrap(), damaged);
    }
    assert_eq!(repair::losses(dir.path()).unwrap(), []);
    let left: Vec<String> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("work") || name.contains("repair") || name.contains("damaged"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}
