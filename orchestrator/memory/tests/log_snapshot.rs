//! A log that snapshots take the place of.
//!
//! What: an owner with a past, a log that is cut, what was removed, and one audit log on two hosts, over the log in memory of `remote_log`. Why: what a
//! store is made again from is the same for every log. Not here: processes that are killed (`orchestrator/hosts/tests`).

use crate::remote_log::{Host, MemoryLog, code, commit, event};
use aura_memory::{
    Store, StoreOptions, StoreReader, StoreWrite,
    audit::{AuditEntry, AuditKeys, AuditSubject, Kind, Op, pending::write_pending},
    erase::{ErasurePoint, UnfinishedErasure, UnfinishedRows},
    outbox,
};
use chrono::NaiveDate;
use std::{
    fs,
    ops::RangeInclusive,
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::{Timestamp, forget::ErasureScope, ids::sha256_hex};

/// Another host with the folder's key.
fn with_key_of(host: &Host) -> Host {
    drop(host.vault());
    let other = Host::new();
    for name in ["key", "demo.key", "demo"] {
        fs::copy(host.dir.path().join(name), other.dir.path().join(name)).unwrap();
    }
    other
}

fn write_events(store: &Store, seqs: RangeInclusive<u64>) {
    for seq in seqs {
        store.write(vec![event(seq)]).unwrap();
        assert_eq!(commit(store), Some(Ok(())));
    }
}

/// A draft that lies in the outbox of a host.
fn draft_of(host: &Host) -> String {
    outbox::list(host.dir.path(), "").unwrap()[0].text.clone()
}

fn write_draft(store: &Store, text: &str) {
    store
        .write(vec![StoreWrite::Outbox {
            name: "draft.txt".to_owned(),
            text: Some(text.to_owned()),
        }])
        .unwrap();
    assert_eq!(commit(store), Some(Ok(())));
}

#[test]
fn owner_with_a_past_begins_with_a_snapshot_and_another_host_has_it() {
    let (log, host) = (MemoryLog::default(), Host::new());
    let (store, _) = Store::open(&host.vault(), StoreOptions::default()).unwrap();
    write_events(&store, 1..=20);
    write_draft(&store, "See you at nine.");
    drop(store);
    // Nobody is told that the snapshot is there: it is put there again.
    log.state().refused_snapshots = 1;
    assert!(host.try_open(&log).unwrap_err().is_temporary());
    assert_eq!(
        code(Store::open(&host.vault(), StoreOptions::default())),
        "STORE-019"
    );
    let store = host.open(&log);
    assert_eq!(log.state().snapshot.as_ref().unwrap().0, 0);
    write_events(&store, 21..=25);
    drop(store);

    let other = with_key_of(&host);
    let store = other.open(&log);
    write_events(&store, 26..=26);
    drop(store);
    assert_eq!(other.events(), (1..=26).collect::<Vec<_>>());
    assert_eq!(draft_of(&other), "See you at nine.");
    drop(host.open(&log));
    assert_eq!(host.events(), other.events());
}

#[test]
fn past_that_was_put_into_a_log_is_known_again_also_when_nobody_was_told() {
    let (log, host) = (MemoryLog::default(), Host::new());
    let (store, _) = Store::open(&host.vault(), StoreOptions::default()).unwrap();
    write_events(&store, 1..=3);
    drop(store);
    // The snapshot is there, and the first entry is appended and not answered.
    log.leave_unanswered(2);
    assert!(host.try_open(&log).unwrap_err().is_temporary());
    assert_eq!(log.len(), 1, "it was appended");
    log.leave_unanswered(0);
    drop(host.open(&log));
    assert_eq!(host.events(), [1, 2, 3]);
}

#[test]
fn long_log_is_cut_behind_the_writer_and_any_host_goes_on_from_what_is_left() {
    let (log, host) = (MemoryLog::default(), Host::new());
    log.state().entries_max = 10;
    let store = host.open(&log);
    let late = with_key_of(&host);
    write_events(&store, 1..=5);
    drop(store);
    drop(late.open(&log));
    let store = host.open(&log);
    write_draft(&store, "Before.");
    let mut seq = 5;
    while log.state().first < 30 {
        seq += 1;
        write_events(&store, seq..=seq);
    }
    drop(store);
    // The writer may have been faster than the disk until now. An entry has what lies before it cut.
    let store = host.open(&log);
    seq += 1;
    write_events(&store, seq..=seq);
    let waits_until = Instant::now() + Duration::from_mins(1);
    while log.len() - log.state().first > 12 {
        assert!(Instant::now() < waits_until, "it does not grow");
        thread::yield_now();
    }
    drop(store);
    // One that has nothing, and one whose own last entry was cut.
    let fresh = with_key_of(&host);
    for other in [&fresh, &late, &host] {
        drop(other.open(&log));
        assert_eq!(other.events(), (1..=seq).collect::<Vec<_>>());
        assert_eq!(draft_of(other), "Before.");
    }
    assert!(
        !late.dir.path().join(".from-log").exists() && !late.dir.path().join(".log-snapshot.db").exists()
    );
    assert_eq!((host.deaths(), late.deaths()), (vec![], vec![]));
}

#[test]
fn what_was_removed_is_not_in_the_log_and_goes_from_every_host_that_catches_up() {
    let (log, host) = (MemoryLog::default(), Host::new());
    let late = with_key_of(&host);
    let store = host.open(&log);
    write_draft(&store, "A secret of Miriam's.");
    let policy = |text: &str| StoreWrite::Policy {
        hash: sha256_hex(text.as_bytes()),
        text: text.to_owned(),
    };
    store.write(vec![policy("another secret")]).unwrap();
    assert_eq!(commit(&store), Some(Ok(())));
    drop(store);
    drop(late.open(&log));
    assert_eq!(draft_of(&late), "A secret of Miriam's.");

    let store = host.open(&log);
    write_events(&store, 1..=3);
    fs::remove_file(host.dir.path().join("outbox/draft.txt")).unwrap();
    log.state().refused_snapshots = 1;
    assert!(store.forget_in_log().unwrap_err().is_temporary());
    store.forget_in_log().unwrap();
    assert_eq!(log.state().keys, 2);
    write_events(&store, 4..=5);
    drop(store);
    let holds = |bytes: &[u8], word: &str| bytes.windows(word.len()).any(|part| part == word.as_bytes());
    let state = log.state();
    for bytes in state
        .entries
        .iter()
        .chain(state.snapshot.as_ref().map(|(_, bytes)| bytes))
    {
        assert!(!holds(bytes, "Miriam"));
    }
    drop(state);
    drop(late.open(&log));
    assert_eq!(late.events(), [1, 2, 3, 4, 5]);
    assert_eq!(outbox::names(late.dir.path()).unwrap().0, Vec::<String>::new());
}

#[test]
fn what_only_this_disk_would_have_is_not_kept() {
    let (log, host) = (MemoryLog::default(), Host::new());
    let store = host.open(&log);
    let trace = toolcall_schema::ids::OwnerSeed::from_day_seed("log").trace_id(1);
    assert_eq!(code(store.put_raw_trace(&trace, "{}")), "STORE-018");
    drop(store);
    assert!(
        fs::read_dir(host.dir.path().join("traces/raw"))
            .unwrap()
            .next()
            .is_none()
    );
}

#[test]
fn damaged_store_is_made_again_from_the_log() {
    let (log, host) = (MemoryLog::default(), Host::new());
    let store = host.open(&log);
    for seq in 1..=50 {
        store.write(vec![event(seq)]).unwrap();
    }
    assert_eq!(commit(&store), Some(Ok(())));
    drop(store);
    let file = host.dir.path().join("aura.db");
    let mut bytes = fs::read(&file).unwrap();
    let pages = bytes.len() / 4096;
    // One page, whatever was on it; then all of them.
    for damaged in [pages - 2..pages - 1, 1..pages] {
        for page in damaged {
            bytes[page * 4096 + 100] ^= 1;
        }
        fs::write(&file, &bytes).unwrap();
        drop(host.open(&log));
        assert_eq!(host.events(), (1..=50).collect::<Vec<_>>());
        bytes = fs::read(&file).unwrap();
        bytes.resize(pages * 4096, 0);
    }
    assert_eq!(host.deaths(), []);
}

#[test]
fn hosts_have_one_audit_log_with_the_same_heads() {
    let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
    let entry = |at_ms, kind| {
        StoreWrite::Audit(AuditEntry {
            at_ms,
            op: Op::Read,
            meaning: AuditSubject::all_of(kind),
        })
    };
    let heads = |host: &Host| {
        let vault = host.vault();
        let reader = StoreReader::open(&vault).unwrap();
        let keys = AuditKeys::derive(vault.seed());
        (reader.audit_size().unwrap(), reader.heads(&keys).unwrap())
    };
    let (log, first) = (MemoryLog::default(), Host::new());
    let store = first.open(&log);
    let second = with_key_of(&first);
    store.write(vec![entry(1, Kind::Trace)]).unwrap();
    store.write(vec![event(1), entry(2, Kind::Memory)]).unwrap();
    // Both in one entry and in one commit, then one that is not answered.
    assert_eq!(commit(&store), Some(Ok(())));
    log.leave_unanswered(3);
    store
        .write(vec![
            entry(3, Kind::Node),
            entry(3, Kind::Node),
            StoreWrite::Head { day: day(1) },
        ])
        .unwrap();
    while commit(&store) != Some(Ok(())) {}
    drop(store);
    // Read while nobody wrote.
    let read = AuditEntry {
        at_ms: 4,
        op: Op::Read,
        meaning: AuditSubject::all_of(Kind::Trace),
    };
    write_pending(&first.vault(), read).unwrap();
    let store = first.open(&log);
    store.write(vec![StoreWrite::Head { day: day(2) }]).unwrap();
    assert_eq!(commit(&store), Some(Ok(())));
    drop(store);

    let store = second.open(&log);
    store
        .write(vec![entry(5, Kind::Trace), StoreWrite::Head { day: day(3) }])
        .unwrap();
    assert_eq!(commit(&store), Some(Ok(())));
    drop(store);
    drop(first.open(&log));
    let (size, of_first) = heads(&first);
    assert_eq!(of_first.len(), 3);
    assert_eq!((size, of_first), heads(&second));
}

#[test]
fn host_that_takes_over_begins_anew_with_what_another_one_was_removing() {
    let note = |rows| UnfinishedErasure {
        forget: ErasureScope::everything(),
        outbox: Vec::new(),
        rows,
    };
    let rows = UnfinishedRows {
        cut: ErasurePoint {
            at: Timestamp::from_ms(0),
            event: 1,
            tick: 0,
            call: 0,
        },
        zone: chrono_tz::UTC,
        graph_gone: false,
        erasure: None,
    };
    let further = UnfinishedRows {
        graph_gone: true,
        ..rows.clone()
    };
    let (log, host) = (MemoryLog::default(), Host::new());
    let other = with_key_of(&host);
    let store = host.open(&log);
    write_events(&store, 1..=1);
    for step in [note(Some(rows.clone())), note(Some(further)), note(None)] {
        store
            .write(vec![StoreWrite::Erasing(Some(Box::new(step)))])
            .unwrap();
        assert_eq!(commit(&store), Some(Ok(())));
    }
    drop(store);
    let under_way = |host: &Host| StoreReader::open(&host.vault()).unwrap().unfinished().unwrap();
    assert_eq!(under_way(&host), [note(None)]);
    let store = other.open(&log);
    assert_eq!(under_way(&other), [note(Some(rows))]);
    store.forget_in_log().unwrap();
    store.write(vec![StoreWrite::Erasing(None)]).unwrap();
    assert_eq!(commit(&store), Some(Ok(())));
    drop(store);
    drop(host.open(&log));
    assert_eq!(under_way(&host), []);
}
