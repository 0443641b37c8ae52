//! Reading the store, beside a running service or on a stopped folder.
//!
//! What: [`StoreReader`], a read-only connection with one method per question. Why: commands and screens look things up
//! without going through the service. Not here: writing (`store`), the quarantine (`quarantine`).

use crate::{
    committed::{CommitCounters, ContentVersion},
    database,
    erase::JournalCheckpoint,
    error::StoreError,
    files,
    graph::NodeKey,
    recover::read_catalogue,
    repair,
    rows::{LedgerRow, TraceRow, from_sql, numbers, to_sql},
    schema,
    vault::Vault,
};
use chrono::NaiveDate;
use rusqlite::{Connection, OptionalExtension as _, Row, ToSql, params};
use std::{ops::RangeInclusive, path::PathBuf};
use toolcall_schema::{Outcome, Timestamp, ids::TraceId, ledger::LedgerEntry, names::ActionKind};

/// One event of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// Its number.
    pub seq: u64,
    /// Its time, milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// The event.
    pub json: String,
}

/// By the table's own key: whatever is kept, as many rows are read as are given.
const TICKS_PAGE: &str = "SELECT trace_id, tick, at_ms, outcome, chosen, json FROM traces
    WHERE tick < ?1 AND tick >= ?3 ORDER BY tick DESC LIMIT ?2";

/// By `traces_calls`, where the store has it.
const CALLS_BETWEEN: &str = "SELECT trace_id, tick, at_ms, outcome, chosen, json FROM traces WHERE tick < 0
    AND json_extract(json, '$.decision.tick') >= ?1 AND json_extract(json, '$.decision.tick') < ?2 ORDER BY tick";

/// By `mentions`.
const TRACES_ABOUT: &str =
    "SELECT trace_id, tick, at_ms, outcome, chosen, json FROM mentions JOIN traces USING (tick)
    WHERE thing = ?1 ORDER BY at_ms DESC, tick DESC LIMIT ?2";

/// By `traces_at`; only of calls is the document read.
const TICK_BOUNDS: &str = "SELECT min(number), max(number) FROM (
    SELECT CASE WHEN tick > 0 THEN tick ELSE json_extract(json, '$.decision.tick') END AS number
    FROM traces WHERE at_ms >= ?1 AND at_ms < ?2)";

/// By `traces_at`, and no more than the first of them.
const DECIDED_BEFORE: &str = "SELECT EXISTS (SELECT 1 FROM traces WHERE at_ms < ?1)";

/// How many rows there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowCounts {
    /// Events of the journal.
    pub events: u64,
    pub decisions: u64,
    pub traces: u64,
    /// Rows of the attention ledger.
    pub ledger: u64,
    /// Agents with a state.
    pub agent_states: u64,
    pub policies: u64,
}

/// Traces and events at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContentCounts {
    pub traces: u64,
    pub events: u64,
    pub newest_event: u64,
}

/// A read-only view of a store. Sees each transaction whole.
#[derive(Debug)]
pub struct StoreReader {
    pub(crate) conn: Connection,
    pub(crate) file: PathBuf,
    /// Of its schema.
    pub(crate) version: usize,
}

impl StoreReader {
    /// Opens the store of a data folder for reading; takes no lock and repairs nothing.
    ///
    /// # Errors
    /// STORE-004 when there is none, STORE-002 when it is of a newer schema, STORE-003 when it is damaged, STORE-007
    /// when it cannot be read, STORE-014 when it is not this folder's.
    pub fn open(vault: &Vault) -> Result<Self, StoreError> {
        let reader = Self::open_unfolded(vault)?;
        reader.wait_until_folded(vault.dir())?;
        Ok(reader)
    }

    /// The same without a wait for what a commit left to be written behind it, the graph: for questions about anything else.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_unfolded(vault: &Vault) -> Result<Self, StoreError> {
        let dir = vault.dir();
        let missing = || StoreError::Missing { dir: dir.to_owned() };
        let file = dir.join(schema::FILE);
        if let Some(what) = repair::is_owed(&file) {
            return Err(StoreError::Unrepaired {
                file,
                what: what.to_owned(),
            });
        }
        if !files::is_there(&file)? {
            return Err(missing());
        }
        let conn = database::open_reading(&vault.database_key(schema::FILE), &file)
            .map_err(|error| repair::of_reader(error, &file))?;
        match database::known_version(&conn, &file, schema::MIGRATIONS).map_err(StoreError::unrepaired)? {
            0 => Err(missing()),
            version => Ok(Self { conn, file, version }),
        }
    }

    /// The version of the graph and the traces.
    ///
    /// # Errors
    /// STORE-003 or STORE-007, as all questions.
    pub fn content_version(&self) -> Result<ContentVersion, StoreError> {
        self.commit_counters().map(CommitCounters::content_version)
    }

    /// The version of the payments.
    ///
    /// # Errors
    /// As [`Self::content_version`].
    pub fn payments_version(&self) -> Result<ContentVersion, StoreError> {
        self.commit_counters().map(CommitCounters::payments_version)
    }

    fn commit_counters(&self) -> Result<CommitCounters, StoreError> {
        CommitCounters::read(&self.conn).map_err(|e| self.sql(e))
    }

    /// The newest traces of ticks, newest first, at most `limit`; only those of ticks before `before`.
    ///
    /// # Errors
    /// STORE-003 or STORE-007, as all questions.
    pub fn traces(&self, limit: usize, before: Option<u64>) -> Result<Vec<TraceRow>, StoreError> {
        self.traces_from(limit, before, 0)
    }

    /// The same, of the tick `first` and later ones.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn traces_from(
        &self,
        limit: usize,
        before: Option<u64>,
        first: u64,
    ) -> Result<Vec<TraceRow>, StoreError> {
        let before = to_sql(before.unwrap_or(u64::MAX));
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.rows(
            TICKS_PAGE,
            params![before, limit, to_sql(first.max(1))],
            trace_row,
        )
    }

    /// The first and the last tick that ended, or in which a call that was asked for ended, from one instant on and before another; `None`: there is none.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn ticks_between(&self, from: Timestamp, to: Timestamp) -> Result<Option<(u64, u64)>, StoreError> {
        let bounds = self.conn.prepare_cached(TICK_BOUNDS).and_then(|mut bounds| {
            bounds.query_row(params![from.ms(), to.ms()], |row| {
                Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?))
            })
        });
        let (first, last) = bounds.map_err(|e| self.sql(e))?;
        Ok(first
            .zip(last)
            .map(|(first, last)| (from_sql(first), from_sql(last))))
    }

    /// Whether a decision of before that is kept.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn has_decided_before(&self, before: Timestamp) -> Result<bool, StoreError> {
        let found = self.conn.prepare_cached(DECIDED_BEFORE);
        found
            .and_then(|mut found| found.query_row([before.ms()], |row| row.get(0)))
            .map_err(|e| self.sql(e))
    }

    /// The newest traces, with those of the calls that were asked for between these ticks, which may make it longer.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn traces_and_calls(&self, limit: usize, before: Option<u64>) -> Result<Vec<TraceRow>, StoreError> {
        self.traces_and_calls_from(limit, before, 0)
    }

    /// The same, of the tick `first` and later ones.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn traces_and_calls_from(
        &self,
        limit: usize,
        before: Option<u64>,
        first: u64,
    ) -> Result<Vec<TraceRow>, StoreError> {
        let ticks = self.traces_from(limit, before, first)?;
        let oldest = ticks.last().filter(|_| ticks.len() >= limit);
        let calls = self.rows(
            CALLS_BETWEEN,
            params![
                to_sql(oldest.map_or(first, |row| row.tick)),
                to_sql(before.unwrap_or(u64::MAX))
            ],
            trace_row,
        )?;
        let mut calls = calls.into_iter().peekable();
        let mut all = Vec::with_capacity(ticks.len() + calls.len());
        for tick in ticks {
            // What was asked for after a tick had begun is newer than it.
            while let Some(call) = calls.next_if(|call| call.tick >= tick.tick) {
                all.push(call);
            }
            all.push(tick);
        }
        all.extend(calls);
        Ok(all)
    }

    /// The traces of the ticks before and after one.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn ticks_beside(&self, tick: u64) -> Result<(Option<TraceId>, Option<TraceId>), StoreError> {
        let one = |sql| -> Result<Option<TraceId>, StoreError> {
            let rows = self.rows(sql, params![to_sql(tick)], |row| {
                let id: String = row.get(0)?;
                Ok(TraceId::parse(&id).ok())
            })?;
            Ok(rows.into_iter().next())
        };
        Ok((
            one("SELECT trace_id FROM traces WHERE tick < ?1 AND tick > 0 ORDER BY tick DESC LIMIT 1")?,
            one("SELECT trace_id FROM traces WHERE tick > ?1 AND tick > 0 ORDER BY tick LIMIT 1")?,
        ))
    }

    /// One trace.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn trace(&self, id: &TraceId) -> Result<Option<TraceRow>, StoreError> {
        let rows = self.rows(
            "SELECT trace_id, tick, at_ms, outcome, chosen, json FROM traces WHERE trace_id = ?1",
            params![id.as_str()],
            trace_row,
        )?;
        Ok(rows.into_iter().next())
    }

    /// The ids of traces that begin so, in their order, at most `limit`.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn trace_ids(&self, beginning: &str, limit: u32) -> Result<Vec<TraceId>, StoreError> {
        self.rows(
            // After z, the last letter of an id.
            "SELECT trace_id FROM traces WHERE trace_id >= ?1 AND trace_id < ?1 || '{' ORDER BY trace_id LIMIT ?2",
            params![beginning, limit],
            |row| {
                let id: String = row.get(0)?;
                Ok(TraceId::parse(&id).ok())
            },
        )
    }

    /// The newest traces that name a person or a chat, newest first, at most `limit`.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub(crate) fn traces_about(&self, key: &NodeKey, limit: u32) -> Result<Vec<TraceRow>, StoreError> {
        self.rows(TRACES_ABOUT, params![key.as_str(), limit], trace_row)
    }

    /// One decision, as JSON.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn decision(&self, id: &TraceId) -> Result<Option<String>, StoreError> {
        self.text("SELECT json FROM decisions WHERE trace_id = ?1", id.as_str())
    }

    /// The paired devices, as they were written.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn devices(&self) -> Result<Vec<String>, StoreError> {
        self.rows("SELECT json FROM devices ORDER BY id", params![], |row| {
            row.get(0)
        })
    }

    /// The events from `from` on, in order, at most `limit`.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn events_from(&self, from: u64, limit: u32) -> Result<Vec<EventRow>, StoreError> {
        self.rows(
            "SELECT seq, at_ms, json FROM events WHERE seq >= ?1 ORDER BY seq LIMIT ?2",
            params![to_sql(from), limit],
            event_row,
        )
    }

    /// The events from one instant of the timeline to another, both included, in order, at most `limit`.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn events_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        limit: u32,
    ) -> Result<Vec<EventRow>, StoreError> {
        let first = first_event_at(&self.conn, from.ms()).map_err(|e| self.sql(e))?;
        let end = first_event_at(&self.conn, to.ms().saturating_add(1)).map_err(|e| self.sql(e))?;
        self.rows(
            "SELECT seq, at_ms, json FROM events WHERE seq >= ?1 AND seq < ?2 ORDER BY seq LIMIT ?3",
            params![first, end, limit],
            event_row,
        )
    }

    /// The machine's newest snapshot: the last event it holds, and the state.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn snapshot(&self) -> Result<Option<(u64, String)>, StoreError> {
        let rows = self.rows("SELECT seq, json FROM snapshot", params![], |row| {
            Ok(Some((from_sql(row.get(0)?), row.get(1)?)))
        })?;
        Ok(rows.into_iter().next())
    }

    /// The events of these after which the journal has a base.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn base_numbers(&self, within: RangeInclusive<u64>) -> Result<Vec<u64>, StoreError> {
        self.rows(
            "SELECT seq FROM bases WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq",
            params![to_sql(*within.start()), to_sql(*within.end())],
            |row| Ok(Some(from_sql(row.get(0)?))),
        )
    }

    /// The base after the event `seq`.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn base(&self, seq: u64) -> Result<Option<JournalCheckpoint>, StoreError> {
        let rows = self.rows(
            "SELECT seq, at_ms, json, forgot FROM bases WHERE seq = ?1",
            params![to_sql(seq)],
            |row| JournalCheckpoint::from_row(row).map(Some),
        )?;
        Ok(rows.into_iter().next())
    }

    /// Up to when time is borne out, as the service kept it; `None`: it never did.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn confirmed_time(&self) -> Result<Option<String>, StoreError> {
        confirmed_time(&self.conn).map_err(|e| self.sql(e))
    }

    /// When the oldest event and the newest base are from.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn journal_ages(&self) -> Result<(Option<Timestamp>, Option<Timestamp>), StoreError> {
        self.conn
            .query_row(
                "SELECT (SELECT at_ms FROM events ORDER BY seq LIMIT 1), (SELECT at_ms FROM bases ORDER BY seq DESC LIMIT 1)",
                [],
                |row| {
                    let at = |ms: Option<i64>| ms.map(Timestamp::from_ms);
                    Ok((at(row.get(0)?), at(row.get(1)?)))
                },
            )
            .map_err(|e| self.sql(e))
    }

    /// The attention ledger of one local day, in the order of writing.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn ledger_rows(&self, day: NaiveDate) -> Result<Vec<LedgerRow>, StoreError> {
        self.rows(
            "SELECT seq, trace_id, entry, tokens, at_ms FROM ledger WHERE day = ?1 ORDER BY rowid",
            params![day.to_string()],
            |row| {
                let (trace_id, entry): (String, String) = (row.get(1)?, row.get(2)?);
                let (seq, tokens, at_ms) = (row.get(0)?, row.get(3)?, row.get(4)?);
                Ok(LedgerEntry::parse(&entry).map(|entry| LedgerRow {
                    seq: from_sql(seq),
                    day,
                    trace_id: TraceId::parse(&trace_id).ok(),
                    entry,
                    tokens,
                    at_ms,
                }))
            },
        )
    }

    /// How many rows there are.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn counts(&self) -> Result<RowCounts, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM decisions),
            (SELECT count(*) FROM traces), (SELECT count(*) FROM ledger), (SELECT count(*) FROM agent_states),
            (SELECT count(*) FROM policies)";
        let counts = self.conn.query_row(sql, [], |row| {
            Ok(RowCounts {
                events: from_sql(row.get(0)?),
                decisions: from_sql(row.get(1)?),
                traces: from_sql(row.get(2)?),
                ledger: from_sql(row.get(3)?),
                agent_states: from_sql(row.get(4)?),
                policies: from_sql(row.get(5)?),
            })
        });
        counts.map_err(|e| self.sql(e))
    }

    /// How many traces and events there are, and the newest event: counting them walks through both tables, so it is done once for each content.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn content_counts(&self) -> Result<ContentCounts, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM traces), (SELECT count(*) FROM events), (SELECT coalesce(max(seq), 0) FROM events)";
        let rows = self.conn.query_row(sql, [], |row| {
            Ok(ContentCounts {
                traces: from_sql(row.get(0)?),
                events: from_sql(row.get(1)?),
                newest_event: from_sql(row.get(2)?),
            })
        });
        rows.map_err(|e| self.sql(e))
    }

    /// How many events came after one.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn events_after(&self, seq: u64) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM events WHERE seq > ?1";
        let count = self.conn.query_row(sql, [to_sql(seq)], |row| row.get(0));
        count.map(from_sql).map_err(|e| self.sql(e))
    }

    /// The text of a policy, or of the settings, that was kept by its hash.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn policy(&self, hash: &str) -> Result<Option<String>, StoreError> {
        self.text("SELECT text FROM policies WHERE hash = ?1", hash)
    }

    /// The one text whose hash begins so; `None` when there is none, or more than one.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn policy_like(&self, start: &str) -> Result<Option<String>, StoreError> {
        let texts = self.rows(
            "SELECT text FROM policies WHERE substr(hash, 1, length(?1)) = ?1 LIMIT 2",
            params![start],
            |row| Ok(Some(row.get::<_, String>(0)?)),
        )?;
        Ok(<[String; 1]>::try_from(texts).ok().map(|[text]| text))
    }

    /// The hash of the catalogue that was accepted last.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn catalogue(&self) -> Result<Option<String>, StoreError> {
        Ok(self.catalogue_lock()?.map(|(hash, _)| hash))
    }

    /// The same, with its lock.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn catalogue_lock(&self) -> Result<Option<(String, String)>, StoreError> {
        read_catalogue(&self.conn).map_err(|e| self.sql(e))
    }

    /// What the database and its log take on disk.
    pub fn size_bytes(&self) -> u64 {
        [&self.file, &self.file.with_extension("db-wal")]
            .into_iter()
            .filter_map(|path| std::fs::metadata(path).ok())
            .map(|meta| meta.len())
            .sum()
    }

    /// The first finding of a check of the whole database; `None`: sound. Reads everything, so it takes time.
    ///
    /// # Errors
    /// As [`Self::traces`].
    pub fn damage(&self) -> Result<Option<String>, StoreError> {
        database::damage(&self.conn).map_err(|e| self.sql(e))
    }

    pub(crate) fn conn(&self) -> &Connection {
        &self.conn
    }

    /// Whether it has tables of runs: one that an older Aura wrote last has none.
    pub(crate) fn has_runs(&self) -> bool {
        self.version >= schema::RUNS_SINCE
    }

    /// Whether its schema is of that version, or a later one.
    pub(crate) fn has_version(&self, version: usize) -> bool {
        self.version >= version
    }

    /// The error of a query on this store.
    pub(crate) fn sql(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sql(&self.file, error).unrepaired()
    }

    /// The rows of a query; `None` from `read` says that a row is not one of ours.
    pub(crate) fn rows<T>(
        &self,
        sql: &str,
        values: &[&dyn ToSql],
        read: impl Fn(&Row<'_>) -> rusqlite::Result<Option<T>>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = || {
            self.conn
                .prepare_cached(sql)?
                .query_map(values, &read)?
                .collect::<rusqlite::Result<Option<Vec<T>>>>()
        };
        rows()
            .map_err(|e| self.sql(e))?
            .ok_or_else(|| StoreError::Damaged {
                file: self.file.clone(),
                what: "a row with a name that does not exist".to_owned(),
            })
    }

    pub(crate) fn text(&self, sql: &str, key: &str) -> Result<Option<String>, StoreError> {
        let text = || {
            self.conn
                .prepare_cached(sql)?
                .query_row([key], |row| row.get(0))
                .optional()
        };
        text().map_err(|e| self.sql(e))
    }
}

/// The number of the first event that is not before an instant; the one after the last when all are. The timeline never goes back, so it is
/// found by halving: an index by time would be one more page in every commit.
fn first_event_at(conn: &Connection, at_ms: i64) -> rusqlite::Result<i64> {
    let bounds = "SELECT coalesce(min(seq), 1), coalesce(max(seq), 0) + 1 FROM events";
    let (mut low, mut high): (i64, i64) = conn
        .prepare_cached(bounds)?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    // Numbers may be missing: what was forgotten.
    let mut next =
        conn.prepare_cached("SELECT seq, at_ms FROM events WHERE seq >= ?1 ORDER BY seq LIMIT 1")?;
    while low < high {
        let middle = low + (high - low) / 2;
        let found: Option<(i64, i64)> = next
            .query_row([middle], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match found {
            Some((seq, at)) if seq < high && at < at_ms => low = seq + 1,
            Some(_) | None => high = middle,
        }
    }
    Ok(low)
}

fn event_row(row: &Row<'_>) -> rusqlite::Result<Option<EventRow>> {
    Ok(Some(EventRow {
        seq: from_sql(row.get(0)?),
        at_ms: row.get(1)?,
        json: row.get(2)?,
    }))
}

fn trace_row(row: &Row<'_>) -> rusqlite::Result<Option<TraceRow>> {
    let (id, tick, outcome): (String, i64, String) = (row.get(0)?, row.get(1)?, row.get(3)?);
    let (at_ms, json): (i64, String) = (row.get(2)?, row.get(5)?);
    let chosen: Option<String> = row.get(4)?;
    let read = move || {
        let (tick, call) = numbers(tick, &json)?;
        Some(TraceRow {
            trace_id: TraceId::parse(&id).ok()?,
            tick,
            call,
            at_ms,
            outcome: Outcome::parse(&outcome)?,
            chosen: match chosen {
                Some(kind) => Some(ActionKind::parse(&kind)?),
                None => None,
            },
            json,
        })
    };
    Ok(read())
}

/// What is kept of confirmed time; a folder of an earlier Aura has no such table.
pub(crate) fn confirmed_time(conn: &Connection) -> rusqlite::Result<Option<String>> {
    let table = "SELECT 1 FROM sqlite_schema WHERE name = 'confirmed_time'";
    if conn.query_row(table, [], |_| Ok(())).optional()?.is_none() {
        return Ok(None);
    }
    conn.query_row("SELECT json FROM confirmed_time", [], |row| row.get(0))
        .optional()
}

#[cfg(test)]
mod tests;
