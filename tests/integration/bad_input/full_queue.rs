//! A journal whose store has no room.
//!
//! What: a flood on a healthy disk, a flood on one that takes nothing, and a queue that is full, through the real actors. Why: the journal
//! never has a hole, and no trace is kept without the events it came from. Not here: one full disk for a few minutes (`actors`).

use super::actors::{Afternoon, FullDisk, unlock};
use aura_memory::{StoreReader, StoreWrite, Vault};
use aura_runtime::journal::{JournalReplay, ReplayContext};
use orchestrator_machine::Effect;
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{Arc, atomic::Ordering},
};
use surfaces_base::backend::Backend as _;
use tempfile::TempDir;
use tokio::sync::oneshot;
use toolcall_schema::ids::TraceId;

/// The folder as a kill at this moment leaves it, opened once, as a start does.
fn killed(dir: &Path) -> TempDir {
    let left = tempfile::tempdir().unwrap();
    fs::create_dir_all(left.path().join("traces/raw")).unwrap();
    for name in ["demo", "demo.key", "key", "aura.db", "aura.db-wal"] {
        fs::copy(dir.join(name), left.path().join(name)).unwrap();
    }
    for entry in fs::read_dir(dir.join("traces/raw")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(
            entry.path(),
            left.path().join("traces/raw").join(entry.file_name()),
        )
        .unwrap();
    }
    let vault = Vault::demo(left.path()).unwrap();
    drop(aura_memory::Store::open(&vault, aura_memory::StoreOptions::default()).unwrap());
    left
}

/// The traces that the journal makes, and those that are stored.
fn made_and_stored(dir: &Path) -> (BTreeSet<TraceId>, BTreeSet<TraceId>) {
    let vault = Vault::demo(dir).unwrap();
    let reader = StoreReader::open(&vault).unwrap();
    let stored = reader.traces(1000, None).unwrap();
    let known = ReplayContext {
        seed: Some(toolcall_schema::ids::OwnerSeed::from_day_seed("bad-input")),
        settings: None,
    };
    let mut journal = JournalReplay::new(reader, known);
    let mut made = BTreeSet::new();
    while let Some((_, event)) = journal.read().unwrap() {
        for effect in journal.apply(event) {
            if let Effect::KeepTrace(trace) = effect {
                made.insert(trace.trace_id.clone());
            }
        }
    }
    (made, stored.into_iter().map(|row| row.trace_id).collect())
}

async fn commit(day: &Afternoon) -> bool {
    let (told, heard) = oneshot::channel();
    let ack = Box::new(move |result: Result<(), _>| told.send(result.is_ok()).unwrap());
    day.system.store.commit(ack).unwrap();
    heard.await.unwrap()
}

/// Writes of others, until so many wait.
fn fill(day: &Afternoon, waiting: usize) {
    let more = waiting - day.system.store.health().waiting;
    let policy = |n| StoreWrite::Policy {
        hash: format!("{n:064}"),
        text: String::new(),
    };
    day.system.store.write((0..more).map(policy).collect()).unwrap();
}

#[test]
fn a_flood_on_a_healthy_disk_costs_the_journal_no_event() {
    let dir = tempfile::tempdir().unwrap();
    actix::System::new().block_on(async {
        let day = Afternoon::begin(dir.path(), Arc::default()).await;
        let post = |post: usize| {
            let signals = (0..256).map(|n| unlock(&format!("u{post}-{n}")));
            day.post(signals.collect())
        };
        let told = tokio::join!(post(1), post(2), post(3), post(4), post(5));
        let accepted: usize = [told.0, told.1, told.2, told.3, told.4]
            .into_iter()
            .map(Result::unwrap)
            .sum();
        day.until("2026-11-03T14:30:00+05:30").await;
        assert!(commit(&day).await);
        let reader = StoreReader::open(&day.system.backend.vault).unwrap();
        let unlocks = (1..)
            .step_by(256)
            .map(|from| reader.events_from(from, 256).unwrap());
        let unlocks: usize = unlocks
            .take_while(|rows| !rows.is_empty())
            .flatten()
            .filter(|row| row.json.contains("\"phone_unlocked\""))
            .count();
        // What was refused is posted again; what was accepted is there, and the journal has no hole.
        assert_eq!(unlocks, accepted);
        let (made, stored) = made_and_stored(dir.path());
        assert_eq!(made, stored);
    });
}

#[test]
fn a_flood_while_the_disk_takes_nothing_leaves_the_journal_its_room() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Arc::new(FullDisk::default());
    actix::System::new().block_on(async {
        let day = Afternoon::begin(dir.path(), disk.clone()).await;
        disk.0.store(true, Ordering::SeqCst);
        let post = |post: usize| {
            let signals = (0..256).map(|n| unlock(&format!("u{post}-{n}")));
            day.post(signals.collect())
        };
        // Three writes each.
        let accepted = tokio::join!(post(1), post(2), post(3));
        assert_eq!(accepted, (Ok(0), Ok(0), Ok(0)));
        day.until("2026-11-03T14:30:00+05:30").await;
        let waiting = day.system.store.health().waiting;
        assert!(waiting < 2048, "{waiting} writes wait");
        day.system.backend.tick().await.unwrap();
        day.until("2026-11-03T14:31:00+05:30").await;
        let left = killed(dir.path());
        let (made, stored) = made_and_stored(left.path());
        assert!(!made.is_empty());
        assert_eq!(made, stored);

        disk.0.store(false, Ordering::SeqCst);
        day.until("2026-11-03T14:32:00+05:30").await;
        assert_eq!(day.post(vec![unlock("after")]).await, Ok(1));
        let (made, stored) = made_and_stored(dir.path());
        assert_eq!(made, stored);
    });
}

#[test]
fn a_full_queue_ends_the_process_before_a_trace_is_kept_without_its_events() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Arc::new(FullDisk::default());
    actix::System::new().block_on(async {
        let day = Afternoon::begin(dir.path(), disk.clone()).await;
        disk.0.store(true, Ordering::SeqCst);
        day.system.backend.tick().await.unwrap();
        day.until("2026-11-03T14:30:00+05:30").await;
        // There is room for the first event of the next tick, and not for its end.
        fill(&day, 4096 - 3);
        day.system.backend.tick().await.unwrap();
        day.until("2026-11-03T14:31:00+05:30").await;

        assert!(disk.1.load(Ordering::SeqCst), "the process ended");
        let left = killed(dir.path());
        let (made, stored) = made_and_stored(left.path());
        assert_eq!(made, stored, "the trace of the tick that had room, and no other");
        disk.0.store(false, Ordering::SeqCst);
        assert!(commit(&day).await);
        let (made, stored) = made_and_stored(dir.path());
        assert_eq!(made, stored);
    });
}
