//! After a failure nothing is tried again on what it was met on.
//!
//! What: commits that fail before and after they reach the disk, a disk that goes back on what it acknowledged, a writer that
//! panics. Why: after a failed sync nobody knows what is on the disk but who reads it. Not here: full disks and the queue (`store.rs`).

use aura_memory::{CommitFaults, OnDeath, Store, StoreError, StoreOptions, StoreReader, StoreWrite, Vault};
use std::{
    fs,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};
use tempfile::TempDir;

/// What a commit meets.
#[derive(Clone, Copy, PartialEq)]
enum Meets {
    Nothing,
    /// The disk takes nothing.
    FailsBefore,
    /// The disk has it, and the sync fails.
    FailsAfter,
    /// The disk takes nothing and has an older copy of the file in its place.
    GoesBack,
    Panics,
}

struct Script {
    meets: Mutex<Vec<Meets>>,
    dir: std::path::PathBuf,
}

impl Script {
    fn next(&self, after: bool) -> Meets {
        let mut meets = self.meets.lock().unwrap();
        match meets.first() {
            Some(Meets::FailsAfter) if !after => Meets::Nothing,
            Some(meet) if after == (*meet == Meets::FailsAfter || *meet == Meets::Nothing) => {
                let meet = *meet;
                meets.remove(0);
                meet
            }
            Some(_) | None => Meets::Nothing,
        }
    }
}

fn broken() -> StoreError {
    StoreError::File {
        doing: "sync",
        path: "aura.db".into(),
        source: std::io::Error::from_raw_os_error(5),
    }
}

/// Keeps a copy of the database as it is.
fn copy(dir: &Path, name: &str) {
    for end in ["", "-wal"] {
        let from = dir.join(format!("aura.db{end}"));
        if from.exists() {
            fs::copy(from, dir.join(format!("{name}{end}"))).unwrap();
        }
    }
}

/// Puts the copy in the place of the database.
fn put_back(dir: &Path) {
    for end in ["", "-wal", "-shm"] {
        let place = dir.join(format!("aura.db{end}"));
        let older = dir.join(format!("older{end}"));
        let _ = fs::remove_file(&place);
        if older.exists() {
            fs::rename(older, place).unwrap();
        }
    }
}

impl CommitFaults for Script {
    fn before_commit(&self) -> Result<(), StoreError> {
        match self.next(false) {
            Meets::Nothing | Meets::FailsAfter => Ok(()),
            Meets::FailsBefore => Err(broken()),
            Meets::GoesBack => {
                put_back(&self.dir);
                Err(broken())
            }
            Meets::Panics => std::panic::panic_any("a bug"),
        }
    }

    fn after_commit(&self) -> Result<(), StoreError> {
        match self.next(true) {
            Meets::FailsAfter => Err(broken()),
            Meets::Nothing | Meets::FailsBefore | Meets::GoesBack | Meets::Panics => Ok(()),
        }
    }
}

/// A store whose commits meet these things, and how often it was said to be dead.
fn store(dir: &TempDir, meets: &[Meets]) -> (Store, Arc<AtomicUsize>) {
    let dead = Arc::new(AtomicUsize::new(0));
    let count = dead.clone();
    let on_death: OnDeath = Arc::new(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let script = Script {
        meets: Mutex::new(meets.to_vec()),
        dir: dir.path().to_owned(),
    };
    let options = StoreOptions {
        faults: Some(Arc::new(script)),
        on_death: Some(on_death),
        ..StoreOptions::default()
    };
    let vault = Vault::demo(dir.path()).unwrap();
    (Store::open(&vault, options).unwrap().0, dead)
}

/// `None`: nobody answers.
fn commit(store: &Store) -> Option<Result<(), usize>> {
    let (tell, told) = mpsc::channel();
    let asked = store.commit(Box::new(move |result| {
        tell.send(result.map_err(|error| error.waiting)).unwrap();
    }));
    asked.ok()?;
    told.recv().ok()
}

fn write(store: &Store, seq: u64) {
    let json = format!("{{\"n\":{seq}}}");
    store
        .write(vec![StoreWrite::Event { seq, at_ms: 0, json }])
        .unwrap();
}

fn events(dir: &TempDir) -> Vec<u64> {
    let reader = StoreReader::open(&Vault::demo(dir.path()).unwrap()).unwrap();
    let rows = reader.events_from(1, 100).unwrap();
    rows.into_iter().map(|row| row.seq).collect()
}

#[test]
fn after_a_failure_the_last_commit_is_read_back_and_gone_on_from() {
    use Meets::{FailsAfter, FailsBefore, Nothing};
    for (meets, answers) in [
        // What the commits meet, one after the other, and whether each of the first three was acknowledged.
        (vec![FailsBefore], [false, true, true]),
        (vec![FailsAfter], [false, true, true]),
        (vec![Nothing, FailsAfter, FailsBefore], [true, false, false]),
        (vec![FailsBefore, FailsBefore, FailsAfter], [false, false, false]),
    ] {
        let dir = TempDir::new().unwrap();
        let (store, dead) = store(&dir, &meets);
        let mut acked = Vec::new();
        for seq in 1..=3 {
            write(&store, seq);
            acked.push(commit(&store) == Some(Ok(())));
        }
        assert_eq!(acked, answers);
        // What was refused is kept, and on the disk once: an event that came twice would be refused for ever.
        write(&store, 4);
        assert_eq!(commit(&store), Some(Ok(())));
        assert_eq!(events(&dir), [1, 2, 3, 4]);
        assert_eq!((store.health().waiting, dead.load(Ordering::SeqCst)), (0, 0));
        drop(store);
        assert_eq!(events(&dir), [1, 2, 3, 4]);
    }
}

#[test]
fn a_disk_that_lost_what_it_acknowledged_ends_the_writer() {
    let dir = TempDir::new().unwrap();
    let (store, dead) = store(&dir, &[Meets::Nothing, Meets::Nothing, Meets::GoesBack]);
    write(&store, 1);
    assert_eq!(commit(&store), Some(Ok(())));
    copy(dir.path(), "older");
    write(&store, 2);
    assert_eq!(commit(&store), Some(Ok(())));
    write(&store, 3);
    assert_eq!(commit(&store), Some(Err(1)));
    write(&store, 4);
    // The event 2, which was acknowledged, is on no disk any more.
    assert!(matches!(commit(&store), Some(Err(_)) | None));
    drop(store);
    assert_eq!(dead.load(Ordering::SeqCst), 1);
}

#[test]
fn a_writer_that_panics_is_told_of() {
    let dir = TempDir::new().unwrap();
    let (store, dead) = store(&dir, &[Meets::Panics]);
    write(&store, 1);
    assert_eq!(commit(&store), None);
    drop(store);
    assert_eq!(dead.load(Ordering::SeqCst), 1);
}
