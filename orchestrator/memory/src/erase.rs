//! Taking things out of a data folder on which nobody works.
//!
//! What: [`Editor`], the folder with its lock, and [`Erasure`], what goes out of every table in one transaction. Why: what is
//! forgotten is gone from all of them at once, overwritten, with nothing left in the log; an interruption leaves either all of it or
//! a note by which it is finished. Not here: which events of the journal go and what takes their place (`orchestrator::erase`).

mod files;
mod graph;
mod purge;

pub use purge::{Keep, Retention};

use crate::{
    audit::{self, Entry, Keys, Kind, Log, Meaning, Op},
    database,
    error::StoreError,
    raw::RawTraces,
    reader::confirmed_time,
    rows::{from_sql, to_sql},
    store,
    vault::Vault,
    workflows::Workflows,
    writer::keep_confirmed_time,
};
use chrono_tz::Tz;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs::File, path::PathBuf};
use toolcall_schema::{AgentName, Timestamp, forget::Forget, ids::TraceId};

/// A state of the machine in the journal: it takes the place of the events before it, where they are gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// The event after which the machine was in it.
    pub seq: u64,
    /// When that was (wall clock).
    pub at: Timestamp,
    /// The state.
    pub json: String,
    /// Whether it is not the state that the machine was in, but that without what an erasure took away.
    pub forgot: bool,
}

impl Base {
    pub(crate) fn of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: from_sql(row.get(0)?),
            at: Timestamp::from_ms(row.get(1)?),
            json: row.get(2)?,
            forgot: row.get(3)?,
        })
    }
}

/// What is to be taken out, beside what [`Forget`] finds by itself.
#[derive(Debug, Clone)]
pub struct Erasure {
    /// What is to be forgotten.
    pub forget: Forget,
    /// When the owner said so (wall clock), for the audit log.
    pub at: Timestamp,
    /// Events of the journal, as first and last number.
    pub events: Vec<(u64, u64)>,
    /// What stands in the place of all bases from the first of these events on.
    pub bases: Vec<Base>,
    /// The machine's newest state, after the last event.
    pub snapshot: Option<(u64, String)>,
    /// The agents' states as they are to be; `None`: no longer any.
    pub agent_states: BTreeMap<AgentName, Option<String>>,
    /// Traces whose ticks go.
    pub traces: Vec<TraceId>,
    /// Drafts of the outbox that these ticks made.
    pub outbox: Vec<String>,
}

/// How many rows, lines or files went, by what they were. What is not named was none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Removed(pub BTreeMap<&'static str, u64>);

impl Removed {
    /// Counts some more.
    pub fn add(&mut self, what: &'static str, count: u64) {
        if count > 0 {
            *self.0.entry(what).or_default() += count;
        }
    }

    /// All of them.
    pub(crate) fn rows_gone(&self) -> u64 {
        self.0.values().sum()
    }

    fn rows(&mut self, what: &'static str, count: usize) {
        self.add(what, count as u64);
    }
}

/// A data folder that is edited as a whole: locked, with no service on it.
pub struct Editor {
    vault: Vault,
    file: PathBuf,
    conn: Connection,
    log: Log,
    _lock: File,
}

impl Editor {
    /// Opens a data folder for editing, and finishes an erasure that was interrupted.
    ///
    /// # Errors
    /// STORE-001 when somebody works on it, STORE-004 when there is no store, else as [`crate::Store::open`].
    pub fn open(vault: &Vault) -> Result<Self, StoreError> {
        let dir = vault.dir();
        let file = dir.join(database::FILE);
        if !file.is_file() {
            return Err(StoreError::Missing { dir: dir.to_owned() });
        }
        let lock = store::lock(dir)?;
        let mut conn = database::open_for_writing(&vault.database_key(database::FILE), &file)?;
        let mut log = Log::open(&conn, &file, Keys::of(vault.seed()))?;
        // What waits beside the store must not come back after it was erased.
        RawTraces::open(vault)?.take_in(&mut conn, &file, &mut log)?;
        let mut editor = Self {
            vault: vault.clone(),
            file,
            conn,
            log,
            _lock: lock,
        };
        editor.finish()?;
        Ok(editor)
    }

    /// The data folder.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The bases of the journal, oldest first.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn bases(&self) -> Result<Vec<Base>, StoreError> {
        let read = || {
            self.conn
                .prepare("SELECT seq, at_ms, json, forgot FROM bases ORDER BY seq")?
                .query_map([], Base::of)?
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|e| self.sql(e))
    }

    /// Keeps a base, in place of one of the same event.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn keep_base(&mut self, base: &Base) -> Result<(), StoreError> {
        put_base(&self.conn, base).map_err(|e| self.sql(e))
    }

    /// Up to when time is borne out, as it was kept last.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn confirmed_time(&self) -> Result<Option<String>, StoreError> {
        confirmed_time(&self.conn).map_err(|e| self.sql(e))
    }

    /// Keeps up to when time is borne out.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn keep_confirmed_time(&mut self, json: &str) -> Result<(), StoreError> {
        keep_confirmed_time(&self.conn, json).map_err(|e| self.sql(e))
    }

    /// The agents' kept states.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn agent_states(&self) -> Result<Vec<(AgentName, String)>, StoreError> {
        let read = || {
            self.conn
                .prepare("SELECT agent, json FROM agent_states")?
                .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = read().map_err(|e| self.sql(e))?;
        Ok(rows
            .into_iter()
            .filter_map(|(agent, json)| Some((AgentName::parse(&agent)?, json)))
            .collect())
    }

    /// The first and the last event whose text names one of the things; `None`: none does.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn events_naming(&self, forget: &Forget) -> Result<Option<(u64, u64)>, StoreError> {
        let mut ends: Option<(u64, u64)> = None;
        let mut look = || -> rusqlite::Result<()> {
            let mut found = self
                .conn
                .prepare("SELECT min(seq), max(seq) FROM events WHERE instr(json, ?1) > 0")?;
            for thing in &forget.things {
                let (min, max): (Option<i64>, Option<i64>) =
                    found.query_row([thing], |row| Ok((row.get(0)?, row.get(1)?)))?;
                if let (Some(min), Some(max)) = (min, max) {
                    let (min, max) = (from_sql(min), from_sql(max));
                    ends = Some(ends.map_or((min, max), |(a, b)| (a.min(min), b.max(max))));
                }
            }
            Ok(())
        };
        look().map_err(|e| self.sql(e))?;
        Ok(ends)
    }

    /// Takes it out of the store, the workflows, the quarantine and the outbox, and says what went. `dry`: only counts, and leaves
    /// everything as it is. `zone` is the owner's, by which days begin.
    ///
    /// # Errors
    /// STORE-003 or STORE-007. Until the transaction is committed nothing has gone; what then remains of the rest is finished by
    /// whoever opens the folder for editing next.
    pub fn erase(&mut self, erasure: &Erasure, zone: Tz, dry: bool) -> Result<Removed, StoreError> {
        let mut removed = Removed::default();
        let rest = files::Rest {
            forget: erasure.forget.clone(),
            outbox: erasure.outbox.clone(),
        };
        self.edit(dry, |tx, log| {
            tables(tx, erasure, zone, &mut removed)?;
            // What is gone is not named.
            let meaning = Meaning::of(Kind::Memory).with_count(removed.rows_gone());
            let (at_ms, op) = (erasure.at.ms(), Op::Delete);
            log.append(tx, &Entry { at_ms, op, meaning })?;
            let note = serde_json::to_string(&rest).unwrap_or_default();
            tx.execute("INSERT INTO erasing (json) VALUES (?1)", [note])?;
            Ok(())
        })?;
        files::remove(&self.vault, &rest, dry, &mut removed)?;
        if !dry {
            self.settled()?;
        }
        Ok(removed)
    }

    /// One transaction with its records in the audit log; `dry`: taken back.
    fn edit(
        &mut self,
        dry: bool,
        work: impl FnOnce(&Transaction<'_>, &mut Log) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        let mut log = self.log.clone();
        let done = self
            .conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|tx| {
                work(&tx, &mut log)?;
                if dry { tx.rollback() } else { tx.commit() }
            });
        done.map_err(|e| self.sql(e))?;
        if !dry {
            self.log = log;
        }
        Ok(())
    }

    /// Finishes what an interruption left undone.
    fn finish(&mut self) -> Result<(), StoreError> {
        let open = || {
            self.conn
                .prepare("SELECT json FROM erasing")?
                .query_map([], |row| row.get::<_, String>(0))?
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        let open = open().map_err(|e| self.sql(e))?;
        if open.is_empty() {
            return Ok(());
        }
        let mut removed = Removed::default();
        for json in open {
            if let Ok(rest) = serde_json::from_str::<files::Rest>(&json) {
                files::remove(&self.vault, &rest, false, &mut removed)?;
            }
        }
        tracing::warn!("an erasure that was interrupted was finished");
        self.settled()
    }

    /// All of it is gone: the note goes too, and the log is emptied.
    fn settled(&mut self) -> Result<(), StoreError> {
        self.conn
            .execute("DELETE FROM erasing", [])
            .map_err(|e| self.sql(e))?;
        self.empty_log()
    }

    /// Moves the log into the database and cuts it to nothing.
    fn empty_log(&self) -> Result<(), StoreError> {
        let busy: i64 = self
            .conn
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            .map_err(|e| self.sql(e))?;
        if busy == 0 {
            return Ok(());
        }
        Err(StoreError::File {
            doing: "empty the log of",
            path: self.file.clone(),
            source: std::io::Error::new(
                std::io::ErrorKind::ResourceBusy,
                "somebody reads it; end that program and erase again",
            ),
        })
    }

    fn sql(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sql(&self.file, error)
    }
}

/// All tables of the store.
fn tables(tx: &Transaction<'_>, erasure: &Erasure, zone: Tz, removed: &mut Removed) -> rusqlite::Result<()> {
    journal(tx, erasure, removed)?;
    let forget = &erasure.forget;
    let (from, to) = forget.span.map_or((0, 0), |span| (span.from.ms(), span.to.ms()));
    let mut gone = tx.prepare("DELETE FROM traces WHERE trace_id = ?1")?;
    let mut undecided = tx.prepare("DELETE FROM decisions WHERE trace_id = ?1")?;
    for trace in &erasure.traces {
        removed.rows("traces", gone.execute([trace.as_str()])?);
        removed.rows("decisions", undecided.execute([trace.as_str()])?);
    }
    // Traces that are older than the journal.
    tx.execute(
        "DELETE FROM decisions WHERE trace_id IN (SELECT trace_id FROM traces WHERE at_ms >= ?1 AND at_ms < ?2)",
        params![from, to],
    )?;
    removed.rows(
        "traces",
        tx.execute(
            "DELETE FROM traces WHERE at_ms >= ?1 AND at_ms < ?2",
            params![from, to],
        )?,
    );
    removed.rows(
        "ledger rows",
        tx.execute(
            "DELETE FROM ledger WHERE at_ms >= ?1 AND at_ms < ?2",
            params![from, to],
        )?,
    );
    for thing in &forget.things {
        removed.rows(
            "traces",
            tx.execute("DELETE FROM traces WHERE instr(json, ?1) > 0", [thing])?,
        );
        removed.rows(
            "decisions",
            tx.execute("DELETE FROM decisions WHERE instr(json, ?1) > 0", [thing])?,
        );
    }
    graph::remove(tx, forget, zone, removed)?;
    for trace in &erasure.traces {
        graph::remove_trace(tx, trace, removed)?;
    }
    // A signal that is posted again is read again: what it told is gone.
    tx.execute(
        "DELETE FROM signals WHERE at_ms >= ?1 AND at_ms < ?2",
        params![from, to],
    )?;
    // Proofs stay, what they prove is forgotten.
    audit::forget(tx, forget.things.iter().map(String::as_str))?;
    if let Some(span) = forget.span {
        audit::forget_span(tx, span)?;
    }
    let traces = erasure.traces.iter().map(TraceId::as_str);
    audit::forget(tx, traces)?;
    if let Some(span) = forget.span {
        let day = |at: Timestamp| at.utc().with_timezone(&zone).date_naive().to_string();
        let (first, last) = if forget.is_everything() {
            ("0".to_owned(), "9".to_owned())
        } else {
            (day(span.from), day(span.to.plus_ms(-1)))
        };
        removed.rows(
            "counters",
            tx.execute(
                "DELETE FROM counters WHERE day >= ?1 AND day <= ?2",
                params![first, last],
            )?,
        );
    }
    for (agent, json) in &erasure.agent_states {
        match json {
            Some(json) => tx.execute(
                "UPDATE agent_states SET json = ?2 WHERE agent = ?1",
                params![agent.as_str(), json],
            )?,
            None => tx.execute("DELETE FROM agent_states WHERE agent = ?1", [agent.as_str()])?,
        };
    }
    Ok(())
}

fn journal(tx: &Transaction<'_>, erasure: &Erasure, removed: &mut Removed) -> rusqlite::Result<()> {
    for (first, last) in &erasure.events {
        removed.rows(
            "events",
            tx.execute(
                "DELETE FROM events WHERE seq BETWEEN ?1 AND ?2",
                params![to_sql(*first), to_sql(*last)],
            )?,
        );
    }
    if let Some((first, _)) = erasure.events.first() {
        tx.execute("DELETE FROM bases WHERE seq >= ?1", [to_sql(*first)])?;
    }
    for base in &erasure.bases {
        put_base(tx, base)?;
    }
    if let Some((seq, json)) = &erasure.snapshot {
        tx.execute("DELETE FROM snapshot", [])?;
        tx.execute(
            "INSERT INTO snapshot (one, seq, json) VALUES (1, ?1, ?2)",
            params![to_sql(*seq), json],
        )?;
    }
    Ok(())
}

pub(crate) fn put_base(conn: &Connection, base: &Base) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO bases (seq, at_ms, json, forgot) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![to_sql(base.seq), base.at.ms(), base.json, base.forgot])?;
    Ok(())
}

/// The runs of workflows that a folder keeps, when it keeps any.
fn workflows(vault: &Vault) -> Result<Option<Workflows>, StoreError> {
    Workflows::look(vault)?
        .map(|_| Workflows::open(vault))
        .transpose()
}
