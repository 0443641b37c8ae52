//! The store: what a service opens, writes to and gets its past from.
//!
//! What: [`Store`], the owner of the data folder, of its lock and of the writer's queue.
//! Why: one writer, whose queue never blocks the one who fills it, and a journal that cannot have a hole. Not here: the
//! transaction (`writer`), what a folder holds when it is opened (`recover`), reading beside a running service (`reader`).

use crate::{
    audit, behind,
    checkpoint::Checkpointer,
    committed::{CommitCounters, CommitFaults, EntryPlace},
    database,
    erase::{RemovedCounts, RowRemoval},
    error::{CommitError, StoreError},
    files, folder_lock,
    log_snapshot::{LogCutter, SnapshotMaker, finish_replacing},
    outbox::DraftChange,
    quarantine::LineMirror,
    raw::RawTraces,
    reader_pool::ReaderPool,
    recover::{RecoveredState, recover},
    remote_log::{self, FollowOutcome, LogFollower, LogGate, OpenRemoteLog},
    repair,
    rows::StoreWrite,
    schema,
    uncommitted::WriteGroup,
    vault::Vault,
    workflows::{HeldRuns, carried},
    writer::{COMMIT_AFTER, DraftAck, StoreWriter, WriterCommand, WriterCounters, WriterExit},
};
use crossbeam_channel::{Sender, TrySendError, bounded};
use rusqlite::{Connection, TransactionBehavior};
use std::{
    collections::VecDeque,
    fs::File,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering, mpsc},
    thread::JoinHandle,
    time::{SystemTime, UNIX_EPOCH},
};
use toolcall_schema::ids::TraceId;

/// How many messages the queue holds. Nothing more is taken when so many writes wait for the disk.
pub const CAPACITY: usize = 4096;

/// Called on the writer's thread when a commit finishes; must not block or call the store.
pub type CommitAck = Box<dyn FnOnce(Result<(), CommitError>) + Send>;

/// Why no more can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreDeath {
    /// The writer has panicked, what it acknowledged is no longer on the disk, or an event was not taken.
    Broken,
    /// The log outside the process takes nothing more: another host has the owner, or that log is damaged.
    Fenced,
}

/// Called when no more can be written.
pub type OnDeath = Arc<dyn Fn(StoreDeath) + Send + Sync>;

/// How a store is opened.
#[derive(Default, Clone)]
pub struct StoreOptions {
    /// Faults to inject; none in service.
    pub faults: Option<Arc<dyn CommitFaults>>,
    /// Nodes are not found by their words: for measuring without that.
    pub unsearchable: bool,
    /// So many bytes its database may have, what is to be put into it from the log beside it not counted; absent: as many as there is room for. What does
    /// not fit fails as with a full disk, and waits.
    pub bytes_max: Option<u64>,
    /// What is done when nothing more can be written; a service ends its process, because only a new one can go on.
    pub on_death: Option<OnDeath>,
    /// The log outside the process that it follows and appends to before it commits; absent: its folder is all there is.
    pub remote_log: Option<OpenRemoteLog>,
}

/// Counters for health and metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreHealth {
    /// Writes that are not on disk yet.
    pub waiting: usize,
    /// Commits that succeeded since the start.
    pub commits: u64,
    /// Commits that failed since the start.
    pub failed_commits: u64,
    /// Records that differed from the one kept under their id. Anything but 0 is a bug.
    pub conflicts: u64,
}

/// The queue's sending side. Under one lock, so that order and number agree.
struct WriteQueue {
    /// Taken away when the store closes.
    sender: Option<Sender<WriterCommand>>,
    next_seq: u64,
    next_group: u64,
}

/// The data folder, opened for writing. One per folder over all processes.
///
/// Dropping it writes what waits and closes the folder; what then fails is logged and lost, having never been acked.
pub struct Store {
    vault: Vault,
    queue: Mutex<WriteQueue>,
    shared: Arc<WriterCounters>,
    raw: Arc<RawTraces>,
    readers: Arc<ReaderPool>,
    opening: u64,
    pub(crate) held_runs: HeldRuns,
    writer: Option<JoinHandle<()>>,
    on_death: Option<OnDeath>,
    /// Puts it into the log outside the process that it follows; absent: it follows none.
    snapshots: Option<Arc<SnapshotMaker>>,
    /// Held until the writer is done: fields are dropped after `drop` has joined it.
    _lock: File,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("dir", &self.vault.dir())
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Opens a data folder, making what is missing (folders 0700, files 0600), and says what it holds.
    ///
    /// # Errors
    /// STORE-001 locked, STORE-002 newer schema, STORE-003 damaged, STORE-007 not readable or writable, STORE-014 not ours, STORE-018 and
    /// STORE-019 of the log that it follows.
    pub fn open(vault: &Vault, options: StoreOptions) -> Result<(Self, RecoveredState), StoreError> {
        let dir = vault.dir();
        let lock = folder_lock::lock(dir)?;
        let file = dir.join(schema::FILE);
        let OpenedDatabase {
            conn,
            repaired,
            audit,
            raw,
            log,
        } = open_following(vault, &file, &options)?;
        let snapshots = log.as_ref().zip(options.remote_log.clone());
        let snapshots =
            snapshots.map(|((_, held), open)| Arc::new(SnapshotMaker::new(open, vault.clone(), *held)));
        let log = log.map(|(gate, _)| *gate);
        let recovered = recover(&conn, &file)?;
        let end = log.as_ref().map(LogGate::end);
        let committed = opened(&conn, end).map_err(|e| StoreError::sql(&file, e))?;
        files::sync_dir(dir)?;
        let (sender, receiver) = bounded(CAPACITY);
        let shared = Arc::new(WriterCounters::default());
        let readers = Arc::new(ReaderPool::new(vault));
        let mut writer = StoreWriter {
            checkpoints: Checkpointer::default(),
            committed,
            conn: Some(conn),
            audit,
            vault: vault.clone(),
            file,
            queue: receiver,
            shared: Arc::clone(&shared),
            raw: Arc::clone(&raw),
            readers: Arc::clone(&readers),
            faults: options.faults,
            log,
            cutter: snapshots.clone().map(LogCutter::new),
            renewals: VecDeque::new(),
            bytes_max: options.bytes_max,
            searchable: !options.unsearchable,
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
        let (on_death, store_on_death) = (options.on_death.clone(), options.on_death);
        let writer = std::thread::Builder::new()
            .name("aura-store".to_owned())
            .spawn(move || {
                // Whatever a panic left half-done goes with the writer.
                let ended = catch_unwind(AssertUnwindSafe(|| writer.run()));
                let death = match ended {
                    Ok(WriterExit::Closed) => return,
                    Ok(WriterExit::Fenced) => StoreDeath::Fenced,
                    Ok(WriterExit::Lost) | Err(_) => StoreDeath::Broken,
                };
                if death == StoreDeath::Broken {
                    tracing::error!(code = "STORE-009", "the writer has stopped");
                }
                // Before anybody notices that their writes are not taken any more.
                if let Some(on_death) = on_death {
                    on_death(death);
                }
                drop(writer);
            })
            .map_err(StoreError::file("start the writer of", dir))?;
        let store = Self {
            vault: vault.clone(),
            queue: Mutex::new(WriteQueue {
                sender: Some(sender),
                next_seq: recovered.next_seq,
                next_group: 1,
            }),
            shared,
            raw,
            readers,
            opening: committed.opening,
            held_runs: HeldRuns::default(),
            writer: Some(writer),
            on_death: store_on_death,
            snapshots,
            _lock: lock,
        };
        if store.snapshots.is_some() {
            store.record_waiting()?;
        }
        if repaired {
            let at_ms = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .as_millis();
            store.write(vec![StoreWrite::Audit(audit::AuditEntry {
                at_ms: i64::try_from(at_ms).unwrap_or(i64::MAX),
                op: audit::Op::Recovered,
                meaning: audit::AuditSubject::all_of(audit::Kind::Memory),
            })])?;
        }
        Ok((store, recovered))
    }

    /// Hands over the records of what was read while nobody wrote: a log outside the process is to hold all that the audit log is made of.
    fn record_waiting(&self) -> Result<(), StoreError> {
        let (records, paths) = audit::pending::waiting(&self.vault)?;
        if records.is_empty() {
            return Ok(());
        }
        self.write(records.into_iter().map(StoreWrite::Audit).collect())?;
        if let Err(error) = self.commit_now() {
            tracing::warn!(%error, "what was read before is recorded with the next commit");
        }
        paths.iter().try_for_each(|path| files::remove(path))
    }

    /// Hands over writes that belong into one transaction; never waits. They are committed with the next
    /// [`Self::commit`], or by themselves after 256 writes or 50 ms.
    ///
    /// # Errors
    /// STORE-006 when [`CAPACITY`] writes or more wait, STORE-008 when an event does not follow the last one, STORE-009 when the
    /// writer is gone. In each case nothing of the group was taken.
    pub fn write(&self, group: Vec<StoreWrite>) -> Result<(), StoreError> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let next_seq = seq_after(queue.next_seq, &group)?;
        let count = group.len();
        let waiting = self.shared.waiting.load(Ordering::Acquire);
        // A group is taken whole, however large: nothing else could ever be handed over after one that has no room even alone.
        if waiting >= CAPACITY {
            return Err(StoreError::QueueFull {
                waiting,
                limit: CAPACITY,
            });
        }
        self.shared.waiting.fetch_add(count, Ordering::AcqRel);
        let group = Arc::new(WriteGroup {
            number: queue.next_group,
            writes: group,
        });
        self.shared.uncommitted.add(group.clone());
        let sent = queue.send(WriterCommand::Group(group));
        if sent.is_ok() {
            queue.next_seq = next_seq;
            queue.next_group += 1;
        } else {
            self.shared.uncommitted.remove_last();
            self.shared.waiting.fetch_sub(count, Ordering::AcqRel);
        }
        if waiting + count >= COMMIT_AFTER {
            self.wake();
        }
        sent
    }

    /// Who answers what is asked of it.
    pub fn readers(&self) -> Arc<ReaderPool> {
        Arc::clone(&self.readers)
    }

    /// Whether so much waits for the disk that what can wait elsewhere should.
    pub fn is_behind(&self) -> bool {
        self.shared.waiting.load(Ordering::Acquire) >= CAPACITY / 4
    }

    /// An event was not taken, and nothing may follow it: as when the writer has stopped.
    pub fn escalate(&self) {
        if let Some(on_death) = &self.on_death {
            on_death(StoreDeath::Broken);
        }
    }

    /// The writer rests while writes come in and nobody waits for them.
    fn wake(&self) {
        if let Some(writer) = &self.writer {
            writer.thread().unpark();
        }
    }

    /// Asks for everything handed over before to be on disk; `ack` is told when it is, or why not. Acks are called in
    /// the order of asking.
    ///
    /// # Errors
    /// STORE-006 when the queue is full, STORE-009 when the writer is gone; `ack` is then dropped without being called.
    pub fn commit(&self, ack: CommitAck) -> Result<(), StoreError> {
        self.tell_writer(WriterCommand::Commit(ack))
    }

    /// Whether another host has to be able to go on from what is written here.
    pub(crate) fn follows_log(&self) -> bool {
        self.snapshots.is_some()
    }

    /// Has lines of the quarantine go into the log; `None`: the store follows none.
    pub fn quarantine_mirror(self: &Arc<Self>) -> Option<LineMirror> {
        let store = Arc::downgrade(self);
        let mirror = move |kind, line: &str| {
            let Some(store) = store.upgrade() else { return };
            let line = line.to_owned();
            if let Err(error) = store.write(vec![StoreWrite::QuarantineLine { kind, line }]) {
                tracing::warn!(code = error.code(), "a line of the quarantine stays on this host");
            }
        };
        self.follows_log().then(|| Arc::new(mirror) as LineMirror)
    }

    /// Changes a draft of the outbox as its owner says: whole or not at all, after all that was handed over before, and only if it still says what
    /// they saw. `ack` is told what became of it, when that is on disk.
    ///
    /// # Errors
    /// STORE-006 when the queue is full, STORE-009 when the writer is gone; `ack` is then dropped without being called. It is told STORE-006 while
    /// the disk takes nothing, STORE-007 when the file cannot be read or written, STORE-010 for a name or a length that no draft has.
    pub fn change_draft(&self, change: DraftChange, ack: DraftAck) -> Result<(), StoreError> {
        if self.follows_log() {
            self.write(vec![StoreWrite::DraftChange(change.clone())])?;
        }
        self.tell_writer(WriterCommand::ChangeDraft(change, ack))
    }

    /// Takes rows out, a few between two commits, and says what went. Blocks until all of it is committed, so it is for a thread that may
    /// wait; what failed is tried again for as long as the store is open.
    ///
    /// # Errors
    /// STORE-006 when the queue is full, STORE-009 when the writer is gone.
    pub fn remove(&self, removal: RowRemoval) -> Result<RemovedCounts, StoreError> {
        let (told, heard) = mpsc::channel();
        // Heard below.
        let ack = Box::new(move |removed| drop(told.send(removed)));
        if self.shared.abandoned.load(Ordering::Acquire) {
            return Err(StoreError::Stopped);
        }
        self.tell_writer(WriterCommand::Remove(removal, ack))?;
        heard.recv().map_err(|_| StoreError::Stopped)
    }

    /// Has the log outside the process hold nothing of what was taken out here: what it held cannot be opened by anybody any more, and another host gets
    /// what is here now. Blocks until then. Where the store follows no log there is nothing to do.
    ///
    /// # Errors
    /// STORE-018 when the log does not answer, STORE-007 when the disk takes nothing, STORE-009 when the writer is gone; done again, it goes to its end.
    pub fn forget_in_log(&self) -> Result<(), StoreError> {
        let Some(snapshots) = &self.snapshots else {
            return Ok(());
        };
        let (told, heard) = mpsc::channel();
        // Heard below.
        let ack = Box::new(move |renewed| drop(told.send(renewed)));
        self.tell_writer(WriterCommand::RenewLogKey(ack))?;
        heard.recv().unwrap_or(Err(StoreError::Stopped))?;
        snapshots.make()
    }

    /// Takes nothing more out: whoever ends does not wait for years to go. What has gone is gone, the rest stays.
    pub fn abandon_removals(&self) {
        self.shared.abandoned.store(true, Ordering::Release);
        self.wake();
    }

    /// Moves the log into the database and cuts it to nothing, so that nothing of what went is left in it. Blocks until then.
    ///
    /// # Errors
    /// STORE-007 when it could not be done: not while somebody reads.
    pub fn empty_log(&self) -> Result<(), StoreError> {
        // Most of it beside the writer: nobody who commits waits for a whole log.
        let file = self.vault.dir().join(schema::FILE);
        if let Err(error) = database::checkpoint_beside(&self.vault.database_key(schema::FILE), &file) {
            tracing::debug!(code = error.code(), %error, "the log is moved by the writer");
        }
        let (told, heard) = mpsc::channel();
        // Heard below.
        let ack = Box::new(move |emptied| drop(told.send(emptied)));
        self.tell_writer(WriterCommand::EmptyLog(ack))?;
        heard.recv().unwrap_or(Err(StoreError::Stopped))
    }

    /// Asks for a commit and blocks until all that was handed over is on disk, and in the tables that commits leave to be written behind
    /// them.
    ///
    /// # Errors
    /// STORE-009 when the writer is gone, else why nothing could be committed.
    pub fn commit_now(&self) -> Result<(), CommitError> {
        let (told, heard) = mpsc::channel();
        let gone = || CommitError {
            waiting: 0,
            cause: Arc::new(StoreError::Stopped),
        };
        // Heard below.
        let ack = Box::new(move |result| drop(told.send(result)));
        self.tell_writer(WriterCommand::Fold(ack))
            .map_err(|error| CommitError {
                waiting: 0,
                cause: Arc::new(error),
            })?;
        heard.recv().unwrap_or_else(|_| Err(gone()))
    }

    pub(crate) fn tell_writer(&self, message: WriterCommand) -> Result<(), StoreError> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = queue.send(message);
        self.wake();
        sent
    }

    /// Keeps the text of a policy under its hash.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn put_policy(&self, hash: String, text: String) -> Result<(), StoreError> {
        self.write(vec![StoreWrite::Policy { hash, text }])
    }

    /// Keeps the lock of the catalogue that is in force from now on.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn put_catalogue(&self, hash: String, lock: String) -> Result<(), StoreError> {
        self.write(vec![StoreWrite::Catalogue { hash, lock }])
    }

    /// Keeps a trace as a file, past the queue, when the store did not answer in time, with all that was handed over before and is
    /// not committed: a trace never stands without the events it came from. Blocks for one fsync. The commit of what it holds, or the
    /// next opening, takes the trace in and removes the file.
    ///
    /// # Errors
    /// STORE-007 when the file cannot be written, STORE-018 where the store follows a log outside the process: a file of this host is no log.
    pub fn put_raw_trace(&self, trace_id: &TraceId, json: &str) -> Result<(), StoreError> {
        if self.snapshots.is_some() {
            return Err(StoreError::LogAway);
        }
        self.raw
            .put(trace_id, json, self.opening, &self.shared.uncommitted)
    }

    /// Counters for health.
    pub fn health(&self) -> StoreHealth {
        StoreHealth {
            waiting: self.shared.waiting.load(Ordering::Acquire),
            commits: self.shared.commits.load(Ordering::Relaxed),
            failed_commits: self.shared.failed_commits.load(Ordering::Relaxed),
            conflicts: self.shared.conflicts.load(Ordering::Relaxed),
        }
    }

    /// The data folder, for whoever reads in it beside the writer.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.readers.close();
        self.queue
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .sender = None;
        self.wake();
        if self.writer.take().is_some_and(|writer| writer.join().is_err()) {
            tracing::error!(code = "STORE-009", "the writer panicked");
        }
    }
}

impl WriteQueue {
    fn send(&self, message: WriterCommand) -> Result<(), StoreError> {
        let sender = self.sender.as_ref().ok_or(StoreError::Stopped)?;
        sender.try_send(message).map_err(|error| match error {
            TrySendError::Full(_) => StoreError::QueueFull {
                waiting: sender.len(),
                limit: CAPACITY,
            },
            TrySendError::Disconnected(_) => StoreError::Stopped,
        })
    }
}

/// The number that must follow a group, when that group may follow.
pub(crate) fn seq_after(next: u64, group: &[StoreWrite]) -> Result<u64, StoreError> {
    group.iter().try_fold(next, |expected, write| {
        if let StoreWrite::Event { seq, .. } = write {
            if *seq != expected {
                return Err(StoreError::OutOfOrder { expected, got: *seq });
            }
            Ok(expected.saturating_add(1))
        } else if let StoreWrite::Snapshot { seq, .. } = write {
            // It holds what came before it, so it also closes a hole.
            Ok(expected.max(seq.saturating_add(1)))
        } else {
            Ok(expected)
        }
    })
}

/// A database that is open for writing, with what it follows.
struct OpenedDatabase {
    conn: Connection,
    repaired: bool,
    audit: audit::AuditLog,
    raw: Arc<RawTraces>,
    /// The writer's way to the log, and the position of the log's snapshot.
    log: Option<(Box<LogGate>, u64)>,
}

/// How often what the log holds takes the place of a store before that gives up: others cut the log meanwhile.
const REPLACE_TRIES: u32 = 5;

/// Opens the database, up to the end of the log that it follows. The folder's lock is held.
fn open_following(vault: &Vault, file: &Path, options: &StoreOptions) -> Result<OpenedDatabase, StoreError> {
    for _ in 0..REPLACE_TRIES {
        finish_replacing(vault.dir())?;
        let (mut conn, repaired) = open_database(vault, file, options.remote_log.is_some())?;
        database::keep_within(&conn, options.bytes_max).map_err(|e| StoreError::sql(file, e))?;
        let mut audit = audit::AuditLog::open(&conn, file, audit::AuditKeys::derive(vault.seed()))?;
        carried::carry_over(vault, &mut conn, file)?;
        fold_what_was_left(&mut conn, !options.unsearchable).map_err(|e| StoreError::sql(file, e))?;
        let raw = Arc::new(RawTraces::open(vault)?);
        // Before anything is read: the journal goes on with what these files hold.
        raw.take_in(&mut conn, file, &mut audit)?;
        let log = if let Some(open) = &options.remote_log {
            let follower = LogFollower {
                conn: &mut conn,
                file,
                audit: &mut audit,
                vault,
            };
            match follower.follow(open)? {
                FollowOutcome::Following(gate, snapshot) => Some((gate, snapshot)),
                FollowOutcome::Fetched => continue,
            }
        } else {
            remote_log::check_follows_none(&conn, vault, repaired)?;
            audit::pending::append_pending(vault, &mut conn, file, &mut audit)?;
            None
        };
        return Ok(OpenedDatabase {
            conn,
            repaired,
            audit,
            raw,
            log,
        });
    }
    Err(StoreError::LogAway)
}

/// Folds what the last run left behind its commits.
fn fold_what_was_left(conn: &mut Connection, searchable: bool) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    behind::fold(&tx, searchable)?;
    tx.commit()
}

/// Counts an opening, which the log outside the process knows of.
fn opened(conn: &Connection, log: Option<EntryPlace>) -> rusqlite::Result<CommitCounters> {
    let committed = CommitCounters::read(conn)?.opened();
    let committed = log.map_or(committed, |log| committed.in_log(log));
    committed.write(conn)?;
    Ok(committed)
}

/// Opens the database, repaired when it is damaged, and whether it was. One that follows a log is not repaired: it is made again from that.
fn open_database(vault: &Vault, file: &Path, follows_log: bool) -> Result<(Connection, bool), StoreError> {
    match repair::open(vault, file) {
        Ok((conn, true)) if follows_log => drop(conn),
        Err(error @ StoreError::Damaged { .. }) if follows_log => {
            tracing::error!(code = error.code(), %error, "the store is made again from its log");
        }
        opened => return opened,
    }
    repair::set_aside_unread(file)?;
    repair::open(vault, file).map(|(conn, _)| (conn, false))
}
