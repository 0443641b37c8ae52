//! The one thread that writes the database.
//!
//! What: takes groups of writes from the queue and puts everything that waits into one transaction. Why: one fsync
//! serves all that wait for it, and an event stands on disk with what follows from it or not at all. Not here: the
//! queue's bound and the journal's order (`store`).

use crate::{
    audit::Log,
    database, erase,
    error::{CommitError, StoreError},
    graph,
    raw::RawTraces,
    rows::{Write, from_sql, to_sql},
    signals::SignalFate,
    store::{Ack, Faults},
    vault::Vault,
};
use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError};
use rusqlite::{
    Connection, OptionalExtension as _, Transaction, TransactionBehavior, config::DbConfig, params,
};
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
use toolcall_schema::names::ActionKind;

/// So many new writes are committed without being asked: who hands over more wakes the writer.
pub(crate) const COMMIT_AFTER: usize = 256;
/// New writes are committed without being asked after this time.
const COMMIT_AFTER_TIME: Duration = Duration::from_millis(50);

/// What the writer is sent.
pub(crate) enum Message {
    /// Writes that belong into one transaction.
    Group(Vec<Write>),
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
}

pub(crate) struct Writer {
    /// Taken away after a failure: nothing is tried again on its descriptors.
    pub(crate) conn: Option<Connection>,
    /// How many commits this folder has seen, the last one acknowledged.
    pub(crate) committed: u64,
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
    pub(crate) backlog: Vec<Write>,
    pub(crate) acks: Vec<Ack>,
    /// How many writes of the backlog were in the commit that failed last: nobody knows yet whether it reached the disk.
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
            let fresh = self.backlog.len() - tried;
            let due = deadline.is_some_and(|at| at <= Instant::now());
            if due || !self.acks.is_empty() || fresh >= COMMIT_AFTER {
                if self.flush() == Ended::Lost {
                    return Ended::Lost;
                }
                tried = self.backlog.len();
                deadline = None;
            } else if fresh > 0 && deadline.is_none() {
                deadline = Some(Instant::now() + COMMIT_AFTER_TIME);
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Group(writes) => self.backlog.extend(writes),
            Message::Commit(ack) => self.acks.push(ack),
        }
    }

    /// Commits all that waits and answers, in order, those who asked. [`Ended::Closed`]: it can go on.
    pub(crate) fn flush(&mut self) -> Ended {
        // First, because it may find that what waits is on the disk.
        let opened = self.go_on();
        let raw = self.raw.find();
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
                self.raw.stored(&raw);
                self.shared
                    .waiting
                    .fetch_sub(self.backlog.len(), Ordering::AcqRel);
                self.backlog.clear();
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
                self.raw.not_stored();
                self.shared.failed_commits.fetch_add(1, Ordering::Relaxed);
                let waiting = self.backlog.len();
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
        let there = read_commits(&conn).map_err(|e| StoreError::sql(&self.file, e))?;
        match self.attempt {
            Some(writes) if there == self.committed + 1 => {
                // Only its acknowledgement failed: it is on the disk, and must not be written twice.
                self.backlog.drain(..writes.min(self.backlog.len()));
                self.shared.waiting.fetch_sub(writes, Ordering::AcqRel);
                self.committed = there;
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
        let conn = self.conn.as_mut().ok_or(StoreError::Stopped)?;
        let number = self.committed + 1;
        let tx = conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sql)?;
        let mut conflicts = 0;
        // A commit that fails leaves the log as it was.
        let mut audit = self.audit.clone();
        for write in self.backlog.iter().chain(raw) {
            conflicts += u64::from(!apply(&tx, &mut audit, write, self.searchable).map_err(sql)?);
        }
        if let Some(faults) = &self.faults {
            faults.before_commit()?;
        }
        tx.prepare_cached(
            "INSERT INTO commits (one, number) VALUES (1, ?1) ON CONFLICT DO UPDATE SET number = excluded.number",
        )
        .and_then(|mut count| count.execute([to_sql(number)]))
        .map_err(sql)?;
        tx.commit().map_err(sql)?;
        if let Some(faults) = &self.faults {
            faults.after_commit()?;
        }
        self.committed = number;
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

/// The number of the last commit; 0: none was counted.
pub(crate) fn read_commits(conn: &Connection) -> rusqlite::Result<u64> {
    let number: Option<i64> = conn
        .query_row("SELECT number FROM commits", [], |row| row.get(0))
        .optional()?;
    Ok(number.map_or(0, from_sql))
}

/// Carries out one write. `false`: another record is kept under that id.
fn apply(tx: &Transaction<'_>, audit: &mut Log, write: &Write, searchable: bool) -> rusqlite::Result<bool> {
    let run = |sql: &str, values: &[&dyn rusqlite::ToSql]| tx.prepare_cached(sql)?.execute(values);
    // Repeating a record is harmless; a different one under its id is a bug that must not go unseen.
    let keep_first = |inserted: usize, same: &str, values: &[&dyn rusqlite::ToSql]| {
        let same = || tx.prepare_cached(same)?.query_row(values, |_| Ok(())).optional();
        Ok(inserted > 0 || same()?.is_some())
    };
    match write {
        Write::Event { seq, at_ms, json } => run(
            "INSERT INTO events (seq, at_ms, json) VALUES (?1, ?2, ?3)",
            params![to_sql(*seq), at_ms, json],
        )
        .map(|_| true),
        Write::Snapshot { seq, json } => run(
            "INSERT INTO snapshot (one, seq, json) VALUES (1, ?1, ?2)
             ON CONFLICT DO UPDATE SET seq = excluded.seq, json = excluded.json WHERE excluded.seq >= seq",
            params![to_sql(*seq), json],
        )
        .map(|_| true),
        Write::Base(base) => erase::put_base(tx, base).map(|()| true),
        Write::Decision { trace_id, json } => {
            let values = params![trace_id.as_str(), json];
            let inserted = run(
                "INSERT INTO decisions (trace_id, json) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                values,
            )?;
            audit.wrote(inserted);
            keep_first(
                inserted,
                "SELECT 1 FROM decisions WHERE trace_id = ?1 AND json = ?2",
                values,
            )
        }
        Write::Trace(row) => {
            let chosen = row.chosen.map(ActionKind::as_str);
            let inserted = run(
                "INSERT INTO traces (tick, trace_id, at_ms, outcome, chosen, json) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO NOTHING",
                params![
                    row.key(),
                    row.trace_id.as_str(),
                    row.at_ms,
                    row.outcome.as_str(),
                    chosen,
                    row.json
                ],
            )?;
            if inserted > 0 {
                audit.trace(tx, row.trace_id.as_str(), row.at_ms)?;
            }
            keep_first(
                inserted,
                "SELECT 1 FROM traces WHERE trace_id = ?1 AND json = ?2",
                params![row.trace_id.as_str(), row.json],
            )
        }
        Write::Ledger(row) => run(
            "INSERT INTO ledger (seq, day, trace_id, entry, tokens, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO NOTHING",
            params![
                to_sql(row.seq),
                row.day.to_string(),
                // No null in a key: two rows without a trace would never be the same.
                row.trace_id.as_ref().map_or("", |id| id.as_str()),
                row.entry.as_str(),
                row.tokens,
                row.at_ms
            ],
        )
        .map(|inserted| {
            audit.wrote(inserted);
            true
        }),
        Write::AgentState { agent, json } => run(
            "INSERT INTO agent_states (agent, json) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET json = excluded.json",
            params![agent.as_str(), json],
        )
        .map(|_| true),
        Write::Policy { hash, text } => run(
            "INSERT INTO policies (hash, text) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            params![hash, text],
        )
        .map(|_| true),
        Write::Node { node, sentence } => {
            audit.wrote(1);
            graph::put(tx, node, sentence.as_deref(), searchable).map(|()| true)
        }
        Write::Label { of, text, at } => {
            audit.label(tx, of, *at)?;
            graph::label(tx, of, text.as_deref(), *at).map(|()| true)
        }
        Write::Device { id, json: Some(json) } => run(
            "INSERT INTO devices (id, json) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET json = excluded.json",
            params![id, json],
        )
        .map(|_| true),
        Write::Device { id, json: None } => {
            run("DELETE FROM devices WHERE id = ?1", params![id]).map(|_| true)
        }
        Write::ConfirmedTime { json } => keep_confirmed_time(tx, json).map(|()| true),
        Write::Signal(signal) => run(
            "INSERT INTO signals (key, at_ms, refused) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            params![
                signal.key.as_str(),
                signal.at_ms,
                signal.fate == SignalFate::Refused
            ],
        )
        .map(|_| true),
        Write::Edge(edge) => {
            audit.wrote(1);
            graph::link(tx, edge).map(|()| true)
        }
        // Replaced, not kept: the newest row is the one in force, also when it was in force before.
        Write::Catalogue { hash, lock } => run(
            "INSERT OR REPLACE INTO catalogues (hash, lock) VALUES (?1, ?2)",
            params![hash, lock],
        )
        .map(|_| true),
        Write::Audit(entry) => audit.append(tx, entry).map(|_| true),
        Write::Head { day } => audit.head(tx, *day).map(|()| true),
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
        let event = |seq: u64| Write::Event {
            seq,
            at_ms: 0,
            json: "x".repeat(4096),
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
            committed: 0,
            conn: Some(conn),
            vault: vault.clone(),
            file,
            queue: crossbeam_channel::never(),
            shared,
            raw: Arc::new(RawTraces::open(&vault).unwrap()),
            faults: None,
            searchable: true,
            backlog: (1..=9).map(event).collect(),
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
