//! Runs of workflows that go.
//!
//! What: the rows of the runs that an erasure names, or that were kept long enough. Why: one way for all rows that go. Not here: when it is
//! done (`aura_runtime::deletion`, `aura_runtime::housekeeping`).

use super::removal::{CountedStatement, RowKey, RowRemoval, text};
use crate::{
    ageing::ExpiredRanges,
    error::StoreError,
    reader::StoreReader,
    workflows::{RunSummary, summary},
};
use rusqlite::{Connection, params, types::Value};
use std::collections::BTreeSet;
use toolcall_schema::forget::ErasureScope;

const EVENT: &[CountedStatement] = &[("DELETE FROM run_events WHERE run = ?1 AND n = ?2", None)];
const RUN: &[CountedStatement] = &[("DELETE FROM runs WHERE run = ?1", Some("runs"))];

impl StoreReader {
    /// The runs that were under way in the span or that name a thing; not those of `executed`.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn run_rows(
        &self,
        forget: &ErasureScope,
        executed: &BTreeSet<String>,
    ) -> Result<RowRemoval, StoreError> {
        if !self.has_runs() {
            return Ok(RowRemoval::default());
        }
        forgotten(self.conn(), forget, executed).map_err(|e| self.sql(e))
    }
}

fn forgotten(
    conn: &Connection,
    forget: &ErasureScope,
    executed: &BTreeSet<String>,
) -> rusqlite::Result<RowRemoval> {
    let runs: Vec<RunSummary> = conn
        .prepare("SELECT run, workflow, feature, phase, until_ms, started_ms, last_ms FROM runs")?
        .query_map([], summary)?
        .collect::<rusqlite::Result<_>>()?;
    let mut going = Vec::new();
    for run in runs {
        if executed.contains(&run.run) {
            continue;
        }
        let span = forget.span;
        let was_under_way =
            span.is_some_and(|span| run.started_ms < span.to.ms() && run.last_ms >= span.from.ms());
        if was_under_way || is_begun(conn, &run.run)? || names(conn, &run.run, forget)? {
            going.push(run.run);
        }
    }
    rows(conn, going)
}

/// The runs in which nothing has happened since a moment, and which ask nothing.
pub(super) fn expired(conn: &Connection, expired: &ExpiredRanges) -> rusqlite::Result<RowRemoval> {
    let mut going = BTreeSet::new();
    for (from, to) in expired.ranges() {
        let mut old =
            conn.prepare("SELECT run FROM runs WHERE until_ms IS NULL AND last_ms >= ?1 AND last_ms < ?2")?;
        let found = old.query_map(params![from, to], |row| row.get(0))?;
        going.extend(found.collect::<rusqlite::Result<Vec<String>>>()?);
    }
    rows(conn, going)
}

/// Whether an interrupted removal has begun with it: the first event goes first.
fn is_begun(conn: &Connection, run: &str) -> rusqlite::Result<bool> {
    let first = "SELECT 1 FROM run_events WHERE run = ?1 AND n = 0";
    conn.prepare_cached(first)?.exists([run]).map(|there| !there)
}

fn names(conn: &Connection, run: &str, forget: &ErasureScope) -> rusqlite::Result<bool> {
    if forget.things.is_empty() {
        return Ok(false);
    }
    // The first one is the definition, which is the owner's.
    let mut events = conn.prepare_cached("SELECT json FROM run_events WHERE run = ?1 AND n > 0")?;
    let mut rows = events.query([run])?;
    while let Some(row) = rows.next()? {
        if forget.mentions_thing(row.get_ref(0)?.as_str().unwrap_or_default()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// All rows of these runs, an event at a time: some hold whole files.
fn rows(conn: &Connection, runs: impl IntoIterator<Item = String>) -> rusqlite::Result<RowRemoval> {
    let mut removal = RowRemoval::default();
    let mut numbers = conn.prepare("SELECT n FROM run_events WHERE run = ?1 ORDER BY n")?;
    for run in runs {
        let keys: Vec<RowKey> = numbers
            .query_map([&run], |row| row.get::<_, i64>(0))?
            .map(|n| Ok::<RowKey, rusqlite::Error>(Box::new([Value::Text(run.clone()), Value::Integer(n?)])))
            .collect::<rusqlite::Result<_>>()?;
        removal.add(EVENT, keys);
        removal.add(RUN, vec![text(run)]);
    }
    Ok(removal)
}
