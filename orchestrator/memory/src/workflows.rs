//! The journals of workflows' runs: rows of the one store.
//!
//! What: the tables `run_events` and `runs`; [`Store::write_run`], an event in a piece of its own between two commits; what is read of
//! them; [`RunHold`], who executes a run. Why: one writer and one key for all that is kept. Events may be written by several that race:
//! (run, n) is the primary key and the loser gets `Taken`. Not here: what an event means (`orchestrator_machine::workflow`), runs that an
//! older Aura kept elsewhere (`carried`), which runs go (`erase`).

pub(crate) mod carried;

pub use crate::run_write::{RunSummary, RunWrite};

use crate::{
    error::StoreError,
    files,
    reader::StoreReader,
    rows::{StoreWrite, from_sql, to_sql},
    schema,
    store::Store,
    vault::Vault,
    writer::WriterCommand,
};
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Row, params};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError, mpsc},
};

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredRunEvent {
    /// From 0.
    pub n: u64,
    /// Milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// The event.
    pub json: String,
}

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[must_use]
pub enum AppendOutcome {
    /// It is on disk.
    Written,
    /// Somebody else wrote an event of that number: read again, and decide again.
    Taken,
}

/// Told whether it is on disk.
pub(crate) type RunAck = Box<dyn FnOnce(Result<AppendOutcome, StoreError>) + Send>;

/// Carries out one write within a transaction. [`AppendOutcome::Taken`]: nothing is to be committed.
pub(crate) fn apply(tx: &Connection, write: &RunWrite) -> rusqlite::Result<AppendOutcome> {
    match write {
        RunWrite::Append { n, json, summary } => {
            let written = tx
                .prepare_cached("INSERT INTO run_events (run, n, at_ms, json) VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![summary.run, to_sql(*n), summary.last_ms, json]);
            match written {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                    return Ok(AppendOutcome::Taken);
                }
                Err(error) => return Err(error),
                Ok(_) => put_summary(tx, summary)?,
            }
        }
        RunWrite::GoesOn { run, goes_on } => {
            tx.prepare_cached("UPDATE runs SET goes_on = ?2 WHERE run = ?1")?
                .execute(params![run, goes_on])?;
        }
    }
    Ok(AppendOutcome::Written)
}

/// What became of a write that was carried out: whose event has its number. Two that say the same of one number are one.
pub(crate) fn find_outcome(conn: &Connection, write: &RunWrite) -> rusqlite::Result<AppendOutcome> {
    let RunWrite::Append { n, json, summary } = write else {
        return Ok(AppendOutcome::Written);
    };
    let there: Option<String> = conn
        .prepare_cached("SELECT json FROM run_events WHERE run = ?1 AND n = ?2")?
        .query_row(params![summary.run, to_sql(*n)], |row| row.get(0))
        .optional()?;
    Ok(if there.as_ref() == Some(json) {
        AppendOutcome::Written
    } else {
        AppendOutcome::Taken
    })
}

fn put_summary(tx: &Connection, summary: &RunSummary) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO runs (run, workflow, feature, phase, until_ms, started_ms, last_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET workflow = excluded.workflow,
         feature = excluded.feature, phase = excluded.phase, until_ms = excluded.until_ms,
         started_ms = excluded.started_ms, last_ms = excluded.last_ms",
    )?
    .execute(params![
        summary.run,
        summary.workflow,
        summary.feature,
        summary.phase,
        summary.until_ms,
        summary.started_ms,
        summary.last_ms
    ])
    .map(drop)
}

/// The runs that are executed by the process that has the store open.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeldRuns(Arc<Mutex<BTreeSet<String>>>);

/// The right to execute a run, as long as this lives: the store has one owner, and this is taken of it once a run.
#[derive(Debug)]
pub struct RunHold {
    run: String,
    held: HeldRuns,
}

impl Drop for RunHold {
    fn drop(&mut self) {
        let mut held = self.held.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.remove(&self.run);
    }
}

impl Store {
    /// Writes something of a run, behind everything that somebody waits for, and blocks until it is on disk. So it is for a thread that
    /// may wait.
    ///
    /// # Errors
    /// STORE-003 or STORE-007: it may be on disk all the same, so read again. STORE-006 when the queue is full, STORE-009 when the writer
    /// is gone.
    pub fn write_run(&self, write: RunWrite) -> Result<AppendOutcome, StoreError> {
        if self.follows_log() {
            self.write(vec![StoreWrite::Run(write.clone())])?;
        }
        let (told, heard) = mpsc::channel();
        // Heard below.
        let ack = Box::new(move |outcome| drop(told.send(outcome)));
        self.tell_writer(WriterCommand::Run(write, ack))?;
        heard.recv().unwrap_or(Err(StoreError::Stopped))
    }

    /// Takes the right to execute a run; `None`: it is executed.
    pub fn hold_run(&self, run: &str) -> Option<RunHold> {
        let held = self.held_runs.clone();
        let is_new = held
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(run.to_owned());
        is_new.then(|| RunHold {
            run: run.to_owned(),
            held,
        })
    }

    /// The runs that are executed now.
    pub fn held_runs(&self) -> BTreeSet<String> {
        let held = self.held_runs.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.clone()
    }
}

/// Opens the store for reading runs; `None` when nothing was ever written. Runs that an older Aura kept elsewhere are carried over first,
/// where nobody works on the folder.
///
/// # Errors
/// As [`StoreReader::open`].
pub fn open_runs(vault: &Vault) -> Result<Option<StoreReader>, StoreError> {
    if files::is_there(&vault.dir().join(schema::OLD_RUNS_FILE))? {
        match Store::open(vault, crate::StoreOptions::default()) {
            // Who works on the folder has carried over what could be.
            Ok(_) | Err(StoreError::Locked { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    match StoreReader::open(vault) {
        Err(StoreError::Missing { .. }) => Ok(None),
        reader => reader.map(Some),
    }
}

/// Whether all that an older Aura kept of runs elsewhere could be carried over.
///
/// # Errors
/// Why not: it lies where it was, and can be moved away.
pub fn carried_over(vault: &Vault) -> Result<(), StoreError> {
    open_runs(vault)?;
    carried::check(vault)
}

const RUNS: &str = "SELECT run, workflow, feature, phase, until_ms, started_ms, last_ms FROM runs";

impl StoreReader {
    /// The events of a run from `from` on, in order. An unknown run has none.
    ///
    /// # Errors
    /// STORE-003 or STORE-007; STORE-008 when one is missing between others.
    pub fn run_events(&self, run: &str, from: u64) -> Result<Vec<StoredRunEvent>, StoreError> {
        if !self.has_runs() {
            return Ok(vec![]);
        }
        let rows = self.rows(
            "SELECT n, at_ms, json FROM run_events WHERE run = ?1 AND n >= ?2 ORDER BY n",
            params![run, to_sql(from)],
            |row| {
                Ok(Some(StoredRunEvent {
                    n: from_sql(row.get(0)?),
                    at_ms: row.get(1)?,
                    json: row.get(2)?,
                }))
            },
        )?;
        match (from..).zip(&rows).find(|(expected, row)| row.n != *expected) {
            Some((expected, row)) => Err(StoreError::OutOfOrder { expected, got: row.n }),
            None => Ok(rows),
        }
    }

    /// The runs, the one in which something happened last first, at most `limit`.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn runs(&self, limit: u32) -> Result<Vec<RunSummary>, StoreError> {
        self.summaries("ORDER BY last_ms DESC, run DESC LIMIT ?1", params![limit])
    }

    /// The runs that wait for their owner, the one whose time ends first first.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn waiting_runs(&self) -> Result<Vec<RunSummary>, StoreError> {
        self.summaries("WHERE until_ms IS NOT NULL ORDER BY until_ms, run", params![])
    }

    /// The runs that the next service takes up, oldest first.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn runs_that_go_on(&self) -> Result<Vec<RunSummary>, StoreError> {
        self.summaries("WHERE goes_on = 1 ORDER BY started_ms, run", params![])
    }

    /// The runs whose ids begin so, at most two: whoever means one run needs no more. `last`: the one begun last.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn find_runs(&self, prefix: &str) -> Result<Vec<RunSummary>, StoreError> {
        if prefix == "last" {
            return self.summaries("ORDER BY started_ms DESC, run DESC LIMIT 1", params![]);
        }
        self.summaries(
            "WHERE substr(run, 1, length(?1)) = ?1 ORDER BY run LIMIT 2",
            params![prefix],
        )
    }

    fn summaries(&self, end: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<RunSummary>, StoreError> {
        if !self.has_runs() {
            return Ok(vec![]);
        }
        self.rows(&format!("{RUNS} {end}"), values, |row| summary(row).map(Some))
    }
}

pub(crate) fn summary(row: &Row<'_>) -> rusqlite::Result<RunSummary> {
    Ok(RunSummary {
        run: row.get(0)?,
        workflow: row.get(1)?,
        feature: row.get(2)?,
        phase: row.get(3)?,
        until_ms: row.get(4)?,
        started_ms: row.get(5)?,
        last_ms: row.get(6)?,
    })
}
