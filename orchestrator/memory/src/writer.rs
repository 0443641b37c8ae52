//! The one thread that writes the database.
//!
//! What: takes groups of writes from the queue and puts everything that waits into one transaction. Why: one fsync
//! serves all that wait for it, and an event stands on disk with what follows from it or not at all. Not here: the
//! queue's bound and the journal's order (`store`).

use crate::{
    apply::apply,
    audit::Log,
    database,
    error::{CommitError, StoreError},
    raw::RawTraces,
    rows::{Write, from_sql, to_sql},
    store::{Ack, Faults},
    uncommitted::{UncommittedGroups, WriteGroup},
    vault::Vault,
};
use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, config::DbConfig};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// So many new writes are committed without being asked: who hands over more wakes the writer.
pub(crate) const COMMIT_AFTER: usize = 256;
/// New writes are committed without being asked after this time.
const COMMIT_AFTER_TIME: Duration = Duration::from_millis(50);

/// What the writer is sent.
pub(crate) enum Message {
    /// Writes that belong into one transaction.
    Group(Arc<WriteGroup>),
    /// Commit, then answer.
    Commit(Ack),
}

/// Counters that both sides see.
#[derive(Default)]
pub(crate) struct Shared {
    /// Writes that are not committed: in the queue or kept here.
    pub(crate) waiting: AtomicUsize,
    pub(crate) commits: AtomicU64,
    pub(crate) failed_commits: AtomicU64,
    pub(crate) conflicts: AtomicU64,
    /// The same as `waiting`, for who has to put it elsewhere.
    pub(crate) uncommitted: UncommittedGroups,
}

/// How far a folder's commits have come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Committed {
    /// How many there were; 0: none was counted.
    pub(crate) commits: u64,
    /// How often the store was opened.
    pub(crate) opening: u64,
    /// The number of the last group that is in one, of those that were handed over since the last opening.
    pub(crate) groups: u64,
}

impl Committed {
    pub(crate) fn read(conn: &Connection) -> rusqlite::Result<Self> {
        let row = |row: &rusqlite::Row<'_>| {
            Ok(Self {
                commits: from_sql(row.get(0)?),
                opening: from_sql(row.get(1)?),
                groups: from_sql(row.get(2)?),
            })
        };
        let found = conn
            .query_row("SELECT number, opening, groups FROM commits", [], row)
            .optional()?;
        Ok(found.unwrap_or_default())
    }

    /// After one more commit, of the groups up to a number.
    pub(crate) fn after(self, groups: u64) -> Self {
        Self {
            commits: self.commits + 1,
            groups,
            ..self
        }
    }

    /// At an opening: groups are counted from 1 again.
    pub(crate) fn opened(self) -> Self {
        Self {
            opening: self.opening + 1,
            ..self.after(0)
        }
    }

    pub(crate) fn write(self, conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached(
            "INSERT INTO commits (one, number, opening, groups) VALUES (1, ?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET number = excluded.number, opening = excluded.opening, groups = excluded.groups",
        )?
        .execute([
            to_sql(self.commits),
            to_sql(self.opening),
            to_sql(self.groups),
        ])?;
        Ok(())
    }
}

pub(crate) struct Writer {
    /// Taken away after a failure: nothing is tried again on its descriptors.
    pub(crate) conn: Option<Connection>,
    /// How far this folder's commits have come, the last one acknowledged.
    pub(crate) committed: Committed,
    pub(crate) audit: Log,
    pub(crate) vault: Vault,
    pub(crate) file: PathBuf,
    pub(crate) queue: Receiver<Message>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) raw: Arc<RawTraces>,
    pub(crate) faults: Option<Arc<dyn Faults>>,
    /// Whether nodes are found by their words.
    pub(crate) searchable: bool,
    /// What is not committed. Bounded by the sender, who counts it as waiting.
    pub(crate) backlog: Vec<Arc<WriteGroup>>,
    /// How many writes are in it.
    pub(crate) held: usize,
    pub(crate) acks: Vec<Ack>,
    /// How many groups of the backlog were in the commit that failed last: nobody knows yet whether it reached the disk.
    pub(crate) attempt: Option<usize>,
}

/// How a writer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Its store was dropped.
    Closed,
    /// What it acknowledged is not on the disk any more.
    Lost,
}

/// Why nothing was committed.
enum Failure {
    /// The disk, for now.
    Disk(StoreError),
    /// What was acknowledged is gone.
    Lost,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::Disk(error)
    }
}

impl Writer {
    /// Runs until the store is dropped; what was sent before is written.
    pub(crate) fn run(mut self) -> Ended {
        let mut tried = 0;
        let mut deadline: Option<Instant> = None;
        loop {
            let message = match deadline {
                None => self.queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
                // Not woken by each write, only by who asks for a commit: waking a thread costs more than a write.
                Some(at) => {
                    thread::park_timeout(at.saturating_duration_since(Instant::now()));
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
                    return self.flush();
                }
            }
            let fresh = self.held - tried;
            let due = deadline.is_some_and(|at| at <= Instant::now());
            if due || !self.acks.is_empty() || fresh >= COMMIT_AFTER {
                if self.flush() == Ended::Lost {
                    return Ended::Lost;
                }
                tried = self.held;
                deadline = None;
            } else if fresh > 0 && deadline.is_none() {
                deadline = Some(Instant::now() + COMMIT_AFTER_TIME);
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Group(group) => {
                self.held += group.writes.len();
                self.backlog.push(group);
            }
            Message::Commit(ack) => self.acks.push(ack),
        }
    }

    /// Commits all that waits and answers, in order, those who asked. [`Ended::Closed`]: it can go on.
    pub(crate) fn flush(&mut self) -> Ended {
        // First, because it may find that what waits is on the disk.
        let opened = self.go_on();
        let raw = self.raw.find(self.last_group());
        let outcome = match opened {
            Ok(()) if self.backlog.is_empty() && raw.rows.is_empty() => Ok(()),
            Ok(()) => self.commit(&raw.rows).map_err(|error| {
                self.fail();
                Failure::from(error)
            }),
            Err(failure) => Err(failure),
        };
        let mut ended = Ended::Closed;
        let answer = match outcome {
            Ok(()) => {
                self.done_with(self.backlog.len());
                raw.stored();
                Ok(())
            }
            Err(failure) => {
                let cause = match failure {
                    Failure::Disk(cause) => cause,
                    Failure::Lost => {
                        tracing::error!(
                            code = "STORE-003",
                            "what was acknowledged is not on the disk any more"
                        );
                        ended = Ended::Lost;
                        StoreError::Stopped
                    }
                };
                self.raw.not_stored(raw);
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
        for ack in self.acks.drain(..) {
            // A panic of one who asked must not cost the others their writer.
            if catch_unwind(AssertUnwindSafe(|| ack(answer.clone()))).is_err() {
                tracing::error!("an ack panicked");
            }
        }
        ended
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
    }

    /// After a failure: closes what it was met on, without writing.
    fn fail(&mut self) {
        self.attempt = Some(self.backlog.len());
        if let Some(conn) = self.conn.take() {
            // Closing would write the log into the database. Not set: it tries to, and the log tells what was committed all the same.
            let _ = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
    }

    /// Opens the store again after a failure, reads the last commit back and goes on from it.
    fn go_on(&mut self) -> Result<(), Failure> {
        if self.conn.is_some() {
            return Ok(());
        }
        database::forget_cached(&self.file);
        let key = self.vault.database_key(database::FILE);
        let conn = database::reopen_for_writing(&key, &self.file)?;
        let there = Committed::read(&conn).map_err(|e| StoreError::sql(&self.file, e))?;
        match self.attempt {
            Some(groups) if there.commits == self.committed.commits + 1 => {
                // Only its acknowledgement failed: it is on the disk, and must not be written twice.
                self.committed = there;
                self.done_with(groups);
            }
            Some(_) | None if there == self.committed => {}
            Some(_) | None => return Err(Failure::Lost),
        }
        self.audit = Log::open(&conn, &self.file, self.audit.keys())?;
        self.attempt = None;
        self.conn = Some(conn);
        tracing::warn!("the store was opened again after a failure");
        Ok(())
    }

    /// One transaction: all or nothing.
    fn commit(&mut self, raw: &[Write]) -> Result<(), StoreError> {
        let file = &self.file;
        let sql = |e| StoreError::sql(file, e);
        let committed = self.committed.after(self.last_group());
        let conn = self.conn.as_mut().ok_or(StoreError::Stopped)?;
        let tx = conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sql)?;
        let mut conflicts = 0;
        // A commit that fails leaves the log as it was.
        let mut audit = self.audit.clone();
        let waiting = self.backlog.iter().flat_map(|group| &group.writes);
        for write in waiting.chain(raw) {
            conflicts += u64::from(!apply(&tx, &mut audit, write, self.searchable).map_err(sql)?);
        }
        if let Some(faults) = &self.faults {
            faults.before_commit()?;
        }
        committed.write(&tx).map_err(sql)?;
        tx.commit().map_err(sql)?;
        if let Some(faults) = &self.faults {
            faults.after_commit()?;
        }
        self.committed = committed;
        self.audit = audit;
        self.shared.commits.fetch_add(1, Ordering::Relaxed);
        if conflicts > 0 {
            self.shared.conflicts.fetch_add(conflicts, Ordering::Relaxed);
            tracing::error!(
                conflicts,
                "records differ from those kept under the same id: the first ones stay"
            );
        }
        Ok(())
    }
}

/// Keeps up to when time is borne out.
pub(crate) fn keep_confirmed_time(conn: &Connection, json: &str) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO confirmed_time (one, json) VALUES (1, ?1) ON CONFLICT DO UPDATE SET json = excluded.json",
    )?
    .execute([json])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Reader, Store, audit};
    use std::sync::mpsc;
    use tempfile::TempDir;

    #[test]
    fn database_that_is_really_full_rolls_back_and_the_next_commit_writes_all() {
        let dir = TempDir::new().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        drop(Store::open(&vault, Options::default()).unwrap());
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
                writes: vec![Write::Event { seq, at_ms: 0, json }],
            })
        };
        let (tell, told) = mpsc::channel();
        let ack = |tell: &mpsc::Sender<_>| -> Ack {
            let tell = tell.clone();
            Box::new(move |answer: Result<(), CommitError>| {
                tell.send(answer.map_err(|e| (e.waiting, e.cause.code())))
                    .unwrap();
            })
        };
        let shared = Arc::new(Shared::default());
        shared.waiting.store(9, Ordering::Relaxed);
        let keys = audit::Keys::of(vault.seed());
        let mut writer = Writer {
            audit: Log::open(&conn, &file, keys).unwrap(),
            committed: Committed::read(&conn).unwrap(),
            conn: Some(conn),
            vault: vault.clone(),
            file,
            queue: crossbeam_channel::never(),
            shared,
            raw: Arc::new(RawTraces::open(&vault).unwrap()),
            faults: None,
            searchable: true,
            backlog: (1..=9).map(event).collect(),
            held: 9,
            acks: vec![ack(&tell)],
            attempt: None,
        };
        writer.flush();
        assert_eq!(told.recv().unwrap(), Err((9, "STORE-007")));
        assert_eq!(Reader::open(&vault).unwrap().counts().unwrap().events, 0);
        // The limit is the connection's: the next commit is tried on another.
        writer.acks.push(ack(&tell));
        writer.flush();
        assert_eq!(told.recv().unwrap(), Ok(()));
        assert_eq!(Reader::open(&vault).unwrap().counts().unwrap().events, 9);
        assert_eq!(writer.shared.waiting.load(Ordering::Relaxed), 0);
    }
}
