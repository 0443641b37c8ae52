//! The one thread that writes the database.
//!
//! What: takes groups of writes from the queue and puts everything that waits into one transaction. Why: one fsync
//! serves all that wait for it, and an event stands on disk with what follows from it or not at all. Not here: the
//! queue's bound and the journal's order (`store`).

use crate::{
    audit::Log,
    error::{CommitError, StoreError},
    graph,
    raw::RawTraces,
    rows::{Write, to_sql},
    store::{Ack, Faults},
};
use crossbeam_channel::{Receiver, RecvTimeoutError, TryRecvError};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
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
    pub(crate) conn: Connection,
    pub(crate) audit: Log,
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
}

impl Writer {
    /// Runs until the store is dropped; what was sent before is written.
    pub(crate) fn run(mut self) {
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
                    self.flush();
                    return;
                }
            }
            let fresh = self.backlog.len() - tried;
            let due = deadline.is_some_and(|at| at <= Instant::now());
            if due || !self.acks.is_empty() || fresh >= COMMIT_AFTER {
                self.flush();
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

    /// Commits all that waits and answers, in order, those who asked.
    pub(crate) fn flush(&mut self) {
        let raw = self.raw.find();
        let outcome = if self.backlog.is_empty() && raw.rows.is_empty() {
            Ok(())
        } else {
            self.commit(&raw.rows)
        };
        let answer = match outcome {
            Ok(()) => {
                self.raw.stored(&raw);
                self.shared
                    .waiting
                    .fetch_sub(self.backlog.len(), Ordering::AcqRel);
                self.backlog.clear();
                Ok(())
            }
            Err(cause) => {
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
    }

    /// One transaction: all or nothing.
    fn commit(&mut self, raw: &[Write]) -> Result<(), StoreError> {
        let file = &self.file;
        let sql = |e| StoreError::sql(file, e);
        let tx = self
            .conn
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
        tx.commit().map_err(sql)?;
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
                    to_sql(row.tick),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Reader, Store, Vault, audit, database};
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
        let limit = |conn: &Connection, pages: i64| {
            conn.pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, i64>(0))
                .unwrap();
        };
        limit(&conn, pages + 2);
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
            conn,
            file,
            queue: crossbeam_channel::never(),
            shared,
            raw: Arc::new(RawTraces::open(&vault).unwrap()),
            faults: None,
            searchable: true,
            backlog: (1..=9).map(event).collect(),
            acks: vec![ack(&tell)],
        };
        writer.flush();
        assert_eq!(told.recv().unwrap(), Err((9, "STORE-007")));
        assert_eq!(Reader::open(&vault).unwrap().counts().unwrap().events, 0);
        limit(&writer.conn, 1000);
        writer.acks.push(ack(&tell));
        writer.flush();
        assert_eq!(told.recv().unwrap(), Ok(()));
        assert_eq!(Reader::open(&vault).unwrap().counts().unwrap().events, 9);
        assert_eq!(writer.shared.waiting.load(Ordering::Relaxed), 0);
    }
}
