//! The one thread that writes the database.
//!
//! What: takes groups of writes from the queue and puts everything that waits into one transaction. Why: one fsync
//! serves all that wait for it, and an event stands on disk with what follows from it or not at all. Not here: the
//! queue's bound and the journal's order (`store`).

mod pieces;

use crate::{
    apply::{GraphPart, apply},
    audit::AuditLog,
    behind::{self, LeftBehind},
    checkpoint::{self, Checkpointer},
    committed::{CommitChange, CommitCounters, CommitFaults, commit},
    database,
    erase::{RemovalAck, RemovalTask, RowRemoval},
    error::{CommitError, StoreError},
    log_snapshot::LogCutter,
    outbox::{self, DraftChange, DraftEditOutcome},
    raw::RawTraces,
    reader_pool::ReaderPool,
    remote_log::LogGate,
    rows::StoreWrite,
    schema,
    store::CommitAck,
    uncommitted::{UncommittedGroups, WriteGroup},
    vault::Vault,
    workflows::{RunAck, RunWrite},
};
use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError};
use rusqlite::{Connection, TransactionBehavior, config::DbConfig};
use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// So many new writes are committed without being asked: who hands over more wakes the writer.
pub(crate) const COMMIT_AFTER: usize = 256;
/// New writes are committed without being asked after this time.
const COMMIT_AFTER_TIME: Duration = Duration::from_millis(50);

/// What the writer is sent.
pub(crate) enum WriterCommand {
    /// Writes that belong into one transaction.
    Group(Arc<WriteGroup>),
    /// Commit, then answer.
    Commit(CommitAck),
    /// Commit, write what commits left behind them, then answer.
    Fold(CommitAck),
    /// Take rows out, a slice between two commits.
    Remove(RowRemoval, RemovalAck),
    /// Something of a run, in a piece of its own between two commits.
    Run(RunWrite, RunAck),
    /// Change a draft of the outbox as its owner says, when all that came before is on disk.
    ChangeDraft(DraftChange, DraftAck),
    /// Move the log into the database and cut it to nothing, then answer.
    EmptyLog(EmptyAck),
    /// Seal what goes into the log outside with a new key, when all that came before is on disk.
    RenewLogKey(EmptyAck),
}

/// Told what became of an edit.
pub type DraftAck = Box<dyn FnOnce(Result<DraftEditOutcome, StoreError>) + Send>;

/// Told whether the log is empty.
pub(crate) type EmptyAck = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// Counters that both sides see.
#[derive(Default)]
pub(crate) struct WriterCounters {
    /// Writes that are not committed: in the queue or kept here.
    pub(crate) waiting: AtomicUsize,
    pub(crate) commits: AtomicU64,
    pub(crate) failed_commits: AtomicU64,
    pub(crate) conflicts: AtomicU64,
    /// The same as `waiting`, for who has to put it elsewhere.
    pub(crate) uncommitted: UncommittedGroups,
    /// Nothing more is taken out.
    pub(crate) abandoned: AtomicBool,
}

pub(crate) struct StoreWriter {
    /// Dropped first: the connection that closes last empties the log.
    pub(crate) checkpoints: Checkpointer,
    /// Taken away after a failure: nothing is tried again on its descriptors.
    pub(crate) conn: Option<Connection>,
    /// How far this folder's commits have come, the last one acknowledged.
    pub(crate) committed: CommitCounters,
    pub(crate) audit: AuditLog,
    pub(crate) vault: Vault,
    pub(crate) file: PathBuf,
    pub(crate) queue: Receiver<WriterCommand>,
    pub(crate) shared: Arc<WriterCounters>,
    pub(crate) raw: Arc<RawTraces>,
    pub(crate) readers: Arc<ReaderPool>,
    pub(crate) faults: Option<Arc<dyn CommitFaults>>,
    /// What is appended to before anything is committed; in a host of several alone.
    pub(crate) log: Option<LogGate>,
    /// What keeps that short.
    pub(crate) cutter: Option<LogCutter>,
    /// Who waits for a new key of it.
    pub(crate) renewals: VecDeque<EmptyAck>,
    /// So large the database may become.
    pub(crate) bytes_max: Option<u64>,
    /// Whether nodes are found by their words.
    pub(crate) searchable: bool,
    /// How many commits there were since one left something to be written behind it, and when that is done at the latest.
    pub(crate) left_behind: usize,
    pub(crate) fold_at: Option<Instant>,
    /// Who waits until it is.
    pub(crate) folds: Vec<CommitAck>,
    /// Whether the connection keeps as much in memory as many rows at once need.
    pub(crate) kept_for_many: bool,
    /// What is not committed. Bounded by the sender, who counts it as waiting.
    pub(crate) backlog: Vec<Arc<WriteGroup>>,
    /// How many writes are in it.
    pub(crate) held: usize,
    pub(crate) acks: Vec<CommitAck>,
    /// What was in the commit that failed last: nobody knows yet whether it reached the disk.
    pub(crate) attempt: Option<CommitAttempt>,
    /// What is taken out, the first of them now.
    pub(crate) removals: VecDeque<RemovalTask>,
    /// After a failure: when the next slice is tried.
    pub(crate) slice_at: Option<Instant>,
    /// What is to be written of runs. Bounded by those who wait for it.
    pub(crate) runs: VecDeque<(RunWrite, RunAck)>,
    /// Drafts that are edited. Bounded by those who wait for it.
    pub(crate) drafts: VecDeque<(DraftChange, DraftAck)>,
}

/// What a commit was to bring to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommitAttempt {
    /// So many groups of the backlog.
    Groups(usize),
    /// A slice of a removal.
    Slice,
    /// Something of a run.
    Run,
    /// What commits left behind them.
    Fold,
}

/// What commits left is written when nothing was committed for so long, or after so many commits.
const FOLD_AFTER: Duration = Duration::from_millis(5);
const FOLD_AFTER_COMMITS: usize = 64;
/// After a failure it is tried again after this time.
const FOLD_AGAIN: Duration = Duration::from_millis(500);

/// After a failure a removal is gone on with after this time.
const SLICE_AGAIN: Duration = Duration::from_millis(500);

/// While the log is moved it is looked at so often whether a removal can go on.
const SLICE_BESIDE_CHECKPOINT: Duration = Duration::from_millis(5);

/// How a writer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriterExit {
    /// Its store was dropped.
    Closed,
    /// What it acknowledged is not on the disk any more.
    Lost,
    /// The log that it follows takes nothing more of it.
    Fenced,
}

/// Why nothing was committed.
enum CommitFailure {
    /// The disk, for now.
    Disk(StoreError),
    /// What was acknowledged is gone.
    Lost,
    /// The log outside takes nothing more.
    Fenced(StoreError),
}

impl CommitFailure {
    fn of_log(error: StoreError) -> Self {
        if error.is_temporary() {
            CommitFailure::Disk(error)
        } else {
            CommitFailure::Fenced(error)
        }
    }
}

impl From<StoreError> for CommitFailure {
    fn from(error: StoreError) -> Self {
        CommitFailure::Disk(error)
    }
}

impl StoreWriter {
    /// Runs until the store is dropped; what was sent before is written.
    pub(crate) fn run(&mut self) -> WriterExit {
        let mut tried = 0;
        let mut deadline: Option<Instant> = None;
        self.conn.iter().for_each(checkpoint::watch);
        loop {
            let slice_at = match (self.removals.is_empty(), self.slice_at) {
                (true, _) => None,
                (false, None) => Some(Instant::now()),
                (false, later) => later,
            };
            let waits = !self.runs.is_empty() || !self.drafts.is_empty() || !self.renewals.is_empty();
            let run_at = waits.then(Instant::now);
            let message = match deadline
                .into_iter()
                .chain(slice_at)
                .chain(run_at)
                .chain(self.fold_at)
                .min()
            {
                None => self.queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
                // Not woken by each write, only by who asks for a commit: waking a thread costs more than a write.
                Some(at) => {
                    let pause = at.saturating_duration_since(Instant::now());
                    if !pause.is_zero() {
                        thread::park_timeout(pause);
                    }
                    self.queue.try_recv().map_err(|e| match e {
                        TryRecvError::Empty => RecvTimeoutError::Timeout,
                        TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
                    })
                }
            };
            match message {
                Ok(message) => {
                    self.take(message);
                    // As many as were waiting, so that one who keeps sending cannot put off the commit.
                    for _ in 0..self.queue.len() {
                        match self.queue.try_recv() {
                            Ok(message) => self.take(message),
                            Err(_) => break,
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return self.end();
                }
            }
            let fresh = self.held.saturating_sub(tried);
            let due = deadline.is_some_and(|at| at <= Instant::now());
            if due || !self.acks.is_empty() || !self.folds.is_empty() || fresh >= COMMIT_AFTER {
                let ended = self.flush();
                if ended != WriterExit::Closed {
                    return ended;
                }
                tried = self.held;
                deadline = None;
            } else if fresh > 0 && deadline.is_none() {
                deadline = Some(Instant::now() + COMMIT_AFTER_TIME);
            }
            let ended = self.write_pieces();
            if ended != WriterExit::Closed {
                return ended;
            }
            // Whoever edits a draft has what waits committed first.
            tried = tried.min(self.held);
            if let Some(conn) = &self.conn {
                self.checkpoints.after_commit(conn, &self.vault, &self.file);
            }
            if let (Some(log), Some(cutter)) = (&self.log, &mut self.cutter) {
                cutter.after_append(log.end().position, log.bytes(), log.entries_max());
            }
        }
    }

    fn take(&mut self, message: WriterCommand) {
        match message {
            WriterCommand::Group(group) => {
                self.held += group.writes.len();
                self.backlog.push(group);
            }
            WriterCommand::Commit(ack) => self.acks.push(ack),
            WriterCommand::Fold(ack) => self.folds.push(ack),
            WriterCommand::Remove(removal, ack) => self.removals.push_back(RemovalTask::new(removal, ack)),
            WriterCommand::Run(write, ack) => self.runs.push_back((write, ack)),
            WriterCommand::ChangeDraft(change, ack) => self.drafts.push_back((change, ack)),
            WriterCommand::EmptyLog(ack) => ack(self.empty_log()),
            WriterCommand::RenewLogKey(ack) => self.renewals.push_back(ack),
        }
    }

    /// Cuts the log to nothing; not while somebody reads.
    fn empty_log(&mut self) -> Result<(), StoreError> {
        let Some(conn) = self.conn.as_ref() else {
            return Err(StoreError::Stopped);
        };
        let cut = || -> rusqlite::Result<i64> {
            conn.busy_timeout(Duration::ZERO)?;
            let busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
            conn.busy_timeout(database::BUSY)?;
            busy
        };
        match cut().map_err(|e| StoreError::sql(&self.file, e))? {
            0 => Ok(()),
            _ => Err(StoreError::File {
                doing: "empty the log of",
                path: self.file.clone(),
                source: std::io::Error::new(
                    std::io::ErrorKind::ResourceBusy,
                    "somebody reads it; end that program and erase again",
                ),
            }),
        }
    }

    /// Commits the backlog and calls the waiting acks in order. [`WriterExit::Closed`]: it can go on.
    pub(crate) fn flush(&mut self) -> WriterExit {
        // First, because it may find that what waits is on the disk.
        let opened = self.open_if_closed().and_then(|()| self.append_to_log());
        let raw = self.raw.find(self.last_group());
        let outcome = match opened {
            Ok(()) if self.backlog.is_empty() && raw.rows.is_empty() => Ok(()),
            Ok(()) => self.commit(&raw.rows).map_err(|error| {
                self.fail(CommitAttempt::Groups(self.backlog.len()));
                CommitFailure::from(error)
            }),
            Err(failure) => Err(failure),
        };
        let mut ended = WriterExit::Closed;
        let answer = match outcome {
            Ok(()) => {
                self.done_with(self.backlog.len());
                raw.stored();
                Ok(())
            }
            Err(failure) => {
                self.raw.not_stored(raw);
                let cause = match failure {
                    CommitFailure::Disk(cause) => cause,
                    CommitFailure::Lost => {
                        ended = lost();
                        StoreError::Stopped
                    }
                    // Nobody is told anything any more.
                    CommitFailure::Fenced(cause) => return fenced(&cause),
                };
                self.shared.failed_commits.fetch_add(1, Ordering::Relaxed);
                let waiting = self.held;
                tracing::warn!(
                    code = cause.code(),
                    waiting,
                    "commit failed, writes are kept for the next"
                );
                Err(CommitError {
                    waiting,
                    cause: Arc::new(cause),
                })
            }
        };
        tell(&mut self.acks, &answer);
        if answer.is_err() {
            tell(&mut self.folds, &answer);
        }
        ended
    }

    /// Appends what waits to the log outside the process, where there is one.
    fn append_to_log(&mut self) -> Result<(), CommitFailure> {
        let Some(log) = &mut self.log else { return Ok(()) };
        log.append_groups(&self.backlog).map_err(CommitFailure::of_log)
    }

    /// Whether what commits left is to be written now.
    fn folds_now(&self) -> bool {
        !self.folds.is_empty()
            || self.fold_at.is_some_and(|at| at <= Instant::now())
            || (self.left_behind >= FOLD_AFTER_COMMITS && self.conn.is_some())
            || (self.left_behind > 0 && !self.removals.is_empty())
    }

    /// Writes what commits left behind them, and tells who waits for that. [`WriterExit::Closed`]: it can go on.
    fn fold(&mut self) -> WriterExit {
        self.fold_at = None;
        let folded = self.open_if_closed().and_then(|()| Ok(self.commit_fold()?));
        let mut ended = WriterExit::Closed;
        let answer = folded.map_err(|failure| {
            let cause = match failure {
                CommitFailure::Disk(cause) => {
                    tracing::warn!(code = cause.code(), %cause, "what commits left is written later");
                    self.fold_at = Some(Instant::now() + FOLD_AGAIN);
                    cause
                }
                CommitFailure::Lost => {
                    ended = lost();
                    StoreError::Stopped
                }
                CommitFailure::Fenced(cause) => {
                    ended = fenced(&cause);
                    cause
                }
            };
            CommitError {
                waiting: self.held,
                cause: Arc::new(cause),
            }
        });
        tell(&mut self.folds, &answer);
        ended
    }

    fn commit_fold(&mut self) -> Result<(), StoreError> {
        if self.left_behind == 0 {
            return Ok(());
        }
        let file = &self.file;
        let sql = |e| StoreError::sql(file, e);
        let conn = self.conn.as_mut().ok_or(StoreError::Stopped)?;
        let done = conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|tx| behind::fold(&tx, self.searchable).map(|change| (tx, change)))
            .map_err(sql)
            .and_then(|(tx, change)| {
                let committed = self.committed.after(self.committed.groups, change);
                commit(tx, committed, None, file)
            });
        match done {
            Ok(committed) => {
                (self.committed, self.left_behind) = (committed, 0);
                Ok(())
            }
            Err(error) => {
                self.fail(CommitAttempt::Fold);
                Err(error)
            }
        }
    }

    /// The number of the last group that a commit would hold now.
    fn last_group(&self) -> u64 {
        self.backlog
            .last()
            .map_or(self.committed.groups, |group| group.number)
    }

    /// So many groups of the backlog are on disk.
    fn done_with(&mut self, groups: usize) {
        let done = self.backlog.drain(..groups.min(self.backlog.len()));
        let writes = done.map(|group| group.writes.len()).sum();
        self.held -= writes;
        self.shared.waiting.fetch_sub(writes, Ordering::AcqRel);
        self.shared.uncommitted.committed(self.committed.groups);
        if let Some(log) = &mut self.log {
            log.committed(self.committed.groups);
        }
    }

    /// After a failure: closes what it was met on, without writing.
    fn fail(&mut self, attempt: CommitAttempt) {
        self.attempt = Some(attempt);
        self.readers.discard();
        if let Some(conn) = self.conn.take() {
            // Closing would write the log into the database. Not set: it tries to, and the log tells what was committed all the same.
            let _ = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
    }

    /// Opens the store again after a failure, reads the last commit back and goes on from it.
    fn open_if_closed(&mut self) -> Result<(), CommitFailure> {
        if self.conn.is_some() {
            return Ok(());
        }
        self.readers.discard();
        database::forget_cached(&self.file);
        let key = self.vault.database_key(schema::FILE);
        let conn = database::reopen_for_writing(&key, &self.file)?;
        database::keep_within(&conn, self.bytes_max).map_err(|e| StoreError::sql(&self.file, e))?;
        checkpoint::watch(&conn);
        let there = CommitCounters::read(&conn).map_err(|e| StoreError::sql(&self.file, e))?;
        match self.attempt {
            // Only its acknowledgement failed: it is on the disk, and must not be done twice.
            Some(attempt) if there.commits == self.committed.commits + 1 => {
                self.committed = there;
                match attempt {
                    CommitAttempt::Groups(groups) => self.done_with(groups),
                    // Who asked was told that it failed, and reads what became of it.
                    CommitAttempt::Run | CommitAttempt::Fold => {}
                    CommitAttempt::Slice => {
                        if let Some(removing) = self.removals.front_mut() {
                            removing.committed();
                        }
                    }
                }
            }
            Some(_) | None if there == self.committed => {}
            Some(_) | None => return Err(CommitFailure::Lost),
        }
        self.audit = AuditLog::open(&conn, &self.file, self.audit.keys())?;
        self.attempt = None;
        self.left_behind = behind::count(&conn).map_err(|e| StoreError::sql(&self.file, e))?;
        self.conn = Some(conn);
        self.kept_for_many = false;
        tracing::warn!("the store was opened again after a failure");
        Ok(())
    }

    /// One transaction: all or nothing.
    fn commit(&mut self, raw: &[StoreWrite]) -> Result<(), StoreError> {
        let file = &self.file;
        let sql = |e| StoreError::sql(file, e);
        let waiting = self.backlog.iter().flat_map(|group| &group.writes);
        let mut change = CommitChange::of_writes(waiting.chain(raw));
        let last_group = self.last_group();
        let many = self.held >= COMMIT_AFTER || !self.removals.is_empty();
        let conn = self.conn.as_mut().ok_or(StoreError::Stopped)?;
        keep_pages(conn, &mut self.kept_for_many, many).map_err(sql)?;
        let tx = conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sql)?;
        let mut conflicts = Vec::new();
        outbox::change(
            self.vault.dir(),
            self.backlog.iter().flat_map(|group| &group.writes),
        );
        // A commit that fails leaves the log as it was.
        let mut audit = self.audit.clone();
        let log = self.log.as_ref();
        let waiting = self.backlog.iter().flat_map(|group| {
            let salt = log.and_then(|log| log.salt_of(group.number));
            group.writes.iter().map(move |write| (salt, write))
        });
        let raw = raw.iter().map(|write| (None, write));
        let mut left = LeftBehind::new();
        let mut part = if many {
            // What was left before is older.
            change = change.and(behind::fold(&tx, self.searchable).map_err(sql)?);
            GraphPart::Now {
                searchable: self.searchable,
            }
        } else {
            GraphPart::Behind(&mut left)
        };
        for (salt, write) in waiting.chain(raw) {
            match salt {
                Some(salt) => audit.enter(salt),
                None => audit.leave(),
            }
            if !apply(&tx, &mut audit, write, &mut part).map_err(sql)? {
                conflicts.push(write.record_name());
            }
        }
        audit.leave();
        let leaves = left.keep(&tx).map_err(sql)?;
        let committed = self.committed.after(last_group, change);
        let committed = match &self.log {
            Some(log) => committed.in_log(log.end()),
            None => committed,
        };
        self.committed = commit(tx, committed, self.faults.as_deref(), file)?;
        self.audit = audit;
        self.left_behind = match self.left_behind {
            _ if many => 0,
            0 => usize::from(leaves),
            commits => commits + 1,
        };
        self.fold_at = (self.left_behind > 0).then(|| Instant::now() + FOLD_AFTER);
        self.shared.commits.fetch_add(1, Ordering::Relaxed);
        if !conflicts.is_empty() {
            self.shared
                .conflicts
                .fetch_add(conflicts.len() as u64, Ordering::Relaxed);
            tracing::error!(
                ?conflicts,
                "records differ from those kept under the same id: the first ones stay"
            );
        }
        Ok(())
    }
}

/// Has a connection keep more pages in memory while many rows change, and fewer again afterwards.
fn keep_pages(conn: &Connection, kept_for_many: &mut bool, many: bool) -> rusqlite::Result<()> {
    if *kept_for_many != many {
        database::keep_pages(conn, many)?;
        *kept_for_many = many;
    }
    Ok(())
}

fn tell(acks: &mut Vec<CommitAck>, answer: &Result<(), CommitError>) {
    for ack in acks.drain(..) {
        tell_one(|| ack(answer.clone()));
    }
}

/// Answers one who asked. A panic of theirs must not cost the others their writer.
fn tell_one(ack: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(ack)).is_err() {
        tracing::error!("an ack panicked");
    }
}

fn lost() -> WriterExit {
    tracing::error!(
        code = "STORE-003",
        "what was acknowledged is not on the disk any more"
    );
    WriterExit::Lost
}

fn fenced(error: &StoreError) -> WriterExit {
    tracing::error!(code = error.code(), %error, "the log outside takes nothing more");
    WriterExit::Fenced
}

#[cfg(test)]
mod tests;
