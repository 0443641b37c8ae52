//! From what the owner wants forgotten to the rows that go.
//!
//! What: questions to a [`StoreReader`]: the bases of a journal, the events that name a thing, an interrupted erasure; [`StoreReader::graph_rows`]
//! and [`StoreReader::journal_rows`], the rows of each half. Why: everything is looked up beside the writer, which then only removes. Not
//! here: removing (`removal`, `crate::writer`), the graph's own rules (`graph`).

use super::{
    ErasurePlan, JournalCheckpoint, RowRemoval, UnfinishedErasure, UnfinishedRows, graph,
    removal::{CountedStatement, RowKey, number, text},
};
use crate::{
    accounts::OF_ACTS,
    audit,
    error::StoreError,
    graph::NodeKey,
    reader::StoreReader,
    recover,
    rows::{AgentStateRows, from_sql, to_sql},
};
use rusqlite::{Connection, OptionalExtension as _, ToSql, params, types::Value};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{AgentName, Timestamp, forget::ErasureScope, ids::TraceId};

pub(super) const SIGNAL: &[CountedStatement] = &[("DELETE FROM signals WHERE key = ?1", None)];
pub(super) const COUNTER: &[CountedStatement] = &[(
    "DELETE FROM counters WHERE day = ?1 AND kind = ?2 AND outcome = ?3",
    Some("counters"),
)];
const BASE: &[CountedStatement] = &[(
    "INSERT OR REPLACE INTO bases (seq, at_ms, json, forgot) VALUES (?1, ?2, ?3, ?4)",
    None,
)];
pub(super) const BASE_GONE: &[CountedStatement] = &[("DELETE FROM bases WHERE seq = ?1", None)];
pub(super) const EVENT: &[CountedStatement] = &[("DELETE FROM events WHERE seq = ?1", Some("events"))];
pub(super) const DECISION: &[CountedStatement] =
    &[("DELETE FROM decisions WHERE rowid = ?1", Some("decisions"))];
const TRACE: &[CountedStatement] = &[("DELETE FROM traces WHERE tick = ?1", Some("traces"))];
pub(super) const LEDGER: &[CountedStatement] =
    &[("DELETE FROM ledger WHERE rowid = ?1", Some("ledger rows"))];
const OF_ACT: &[CountedStatement] = &[("DELETE FROM accounts WHERE id = ?1", None)];
const AUDIT: &[CountedStatement] = &[(audit::FORGET, None)];

/// The traces of a span, up to the cut. By the index of times: the key's bounds, which nearly all traces are within, find nothing (`+`).
pub(crate) const TRACES_WITHIN: &str =
    "SELECT tick, trace_id FROM traces WHERE at_ms >= ?1 AND at_ms < ?2 AND +tick BETWEEN ?3 AND ?4";

impl StoreReader {
    /// The bases of the journal, oldest first.
    ///
    /// # Errors
    /// STORE-003 or STORE-007, as all questions.
    pub fn bases(&self) -> Result<Vec<JournalCheckpoint>, StoreError> {
        self.rows(
            "SELECT seq, at_ms, json, forgot FROM bases ORDER BY seq",
            params![],
            |row| JournalCheckpoint::from_row(row).map(Some),
        )
    }

    /// The agents' kept states.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn agent_states(&self) -> Result<BTreeMap<AgentName, AgentStateRows>, StoreError> {
        // One of an agent that does not exist is nobody's.
        let states = recover::agent_states(self.conn()).map_err(|e| self.sql(e))?;
        Ok(states.unwrap_or_default())
    }

    /// One agent's kept state; `None`: it has kept nothing.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn agent_state(&self, agent: AgentName) -> Result<Option<AgentStateRows>, StoreError> {
        let rows = |sql| self.rows(sql, params![agent.as_str()], |row| row.get(0).map(Some));
        let whole = rows("SELECT json FROM agent_states WHERE agent = ?1")?;
        let Some(whole) = whole.into_iter().next() else {
            return Ok(None);
        };
        let changes = rows("SELECT json FROM agent_state_changes WHERE agent = ?1 ORDER BY number")?;
        Ok(Some(AgentStateRows { whole, changes }))
    }

    /// The number of the journal's last event; 0: there is none.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn last_event(&self) -> Result<u64, StoreError> {
        let last = self
            .conn()
            .query_row("SELECT coalesce(max(seq), 0) FROM events", [], |row| row.get(0));
        last.map(from_sql).map_err(|e| self.sql(e))
    }

    /// The first and the last event whose text names one of the things; `None`: none does.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn events_naming(&self, forget: &ErasureScope) -> Result<Option<(u64, u64)>, StoreError> {
        if forget.things.is_empty() {
            return Ok(None);
        }
        // One pass, however many things there are.
        let named = naming(self.conn(), "SELECT seq, json FROM events ORDER BY seq", forget);
        let named = named.map_err(|e| self.sql(e))?;
        let ends = named.first().zip(named.last());
        Ok(ends.map(|(first, last)| (from_sql(*first), from_sql(*last))))
    }

    /// The kept traces that name one of the things, and the date of the oldest of them. What was decided after an earlier erasure may name
    /// what its events no longer lead to.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn traces_naming(
        &self,
        forget: &ErasureScope,
    ) -> Result<(BTreeSet<TraceId>, Option<Timestamp>), StoreError> {
        let (mut ids, mut oldest) = (BTreeSet::new(), None);
        if forget.things.is_empty() {
            return Ok((ids, oldest));
        }
        let rows = self.rows("SELECT trace_id, at_ms, json FROM traces", params![], |row| {
            let (id, at_ms, json): (String, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(Some((id, at_ms, forget.mentions_thing(&json))))
        })?;
        for (id, at_ms, _) in rows.into_iter().filter(|(_, _, names)| *names) {
            ids.extend(TraceId::parse(&id).ok());
            let at = Timestamp::from_ms(at_ms);
            oldest = Some(oldest.map_or(at, |oldest: Timestamp| oldest.min(at)));
        }
        Ok((ids, oldest))
    }

    /// The erasures that were interrupted.
    ///
    /// # Errors
    /// As [`Self::bases`]; STORE-003 when a note is of another version.
    pub fn unfinished(&self) -> Result<Vec<UnfinishedErasure>, StoreError> {
        self.rows("SELECT json FROM erasing", params![], |row| {
            Ok(serde_json::from_str(&row.get::<_, String>(0)?).ok())
        })
    }

    /// What has to go with some nodes, so that nothing is left that tells of them: with a merchant its payments, with a person the
    /// chats in which nobody else wrote, with a trace its action and the other way round.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn closure(&self, keys: &[NodeKey]) -> Result<BTreeSet<String>, StoreError> {
        graph::closure(self.conn(), keys).map_err(|e| self.sql(e))
    }

    /// What agents noticed, and what the owner called it.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn graph_rows(&self, forget: &ErasureScope, rows: &UnfinishedRows) -> Result<RowRemoval, StoreError> {
        let find = || {
            let traces = rows.erasure.iter().flat_map(|erasure| &erasure.traces);
            let mut removal = graph::rows(self.conn(), forget, rows.zone, traces)?;
            // A signal that is posted again is read again: what it told is gone.
            removal.add(SIGNAL, signals(self.conn(), forget)?);
            removal.add(COUNTER, counters(self.conn(), forget, rows)?);
            Ok(removal)
        };
        find().map_err(|e| self.sql(e))
    }

    /// The journal, traces, the ledger, and what the audit log says of all this. Nothing that was written after the cut.
    ///
    /// # Errors
    /// As [`Self::bases`].
    pub fn journal_rows(
        &self,
        forget: &ErasureScope,
        rows: &UnfinishedRows,
        erasure: &ErasurePlan,
    ) -> Result<RowRemoval, StoreError> {
        let find = || journal(self.conn(), forget, rows, erasure);
        find().map_err(|e| self.sql(e))
    }
}

/// The rows of a query, each as a key of so many values.
pub(super) fn keys(conn: &Connection, sql: &str, values: &[&dyn ToSql]) -> rusqlite::Result<Vec<RowKey>> {
    let mut query = conn.prepare(sql)?;
    let columns = query.column_count();
    query
        .query_map(values, |row| {
            (0..columns).map(|i| row.get::<_, Value>(i)).collect()
        })?
        .collect()
}

fn signals(conn: &Connection, forget: &ErasureScope) -> rusqlite::Result<Vec<RowKey>> {
    let Some(span) = forget.span else {
        return Ok(vec![]);
    };
    keys(
        conn,
        "SELECT key FROM signals WHERE at_ms >= ?1 AND at_ms < ?2",
        params![span.from.ms(), span.to.ms()],
    )
}

fn counters(
    conn: &Connection,
    forget: &ErasureScope,
    rows: &UnfinishedRows,
) -> rusqlite::Result<Vec<RowKey>> {
    let Some(span) = forget.span else {
        return Ok(vec![]);
    };
    let day = |at: Timestamp| at.utc().with_timezone(&rows.zone).date_naive().to_string();
    let (first, last) = if forget.is_everything() {
        ("0".to_owned(), "9".to_owned())
    } else {
        (day(span.from), day(span.to.plus_ms(-1)))
    };
    keys(
        conn,
        "SELECT day, kind, outcome FROM counters WHERE day >= ?1 AND day <= ?2",
        params![first, last],
    )
}

/// The bases first and the events of a run from its last one back: whenever this is interrupted, a fold finds a base after each hole.
fn journal(
    conn: &Connection,
    forget: &ErasureScope,
    rows: &UnfinishedRows,
    erasure: &ErasurePlan,
) -> rusqlite::Result<RowRemoval> {
    let mut removal = RowRemoval::default();
    let base = |base: &JournalCheckpoint| -> RowKey {
        Box::new([
            Value::Integer(to_sql(base.seq)),
            Value::Integer(base.at.ms()),
            Value::Text(base.json.clone()),
            Value::Integer(base.forgot.into()),
        ])
    };
    removal.add(BASE, erasure.bases.iter().map(base).collect());
    let mut events = Vec::new();
    let mut gone = Vec::new();
    for (first, last) in &erasure.events {
        let run = params![to_sql(*first), to_sql(*last)];
        let newest_first = "SELECT seq FROM events WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq DESC";
        events.extend(keys(conn, newest_first, run)?);
        let within = "SELECT seq FROM bases WHERE seq >= ?1 AND seq < ?2";
        gone.extend(keys(conn, within, run)?);
    }
    removal.add(EVENT, events);
    removal.add(BASE_GONE, gone);
    let (ticks, ids) = traces(conn, forget, rows, erasure)?;
    let mut decisions = BTreeSet::new();
    let mut of_trace = conn.prepare("SELECT rowid FROM decisions WHERE trace_id = ?1")?;
    for id in &ids {
        decisions.extend(of_trace.query_row([id], |row| row.get::<_, i64>(0)).optional()?);
    }
    decisions.extend(naming(conn, "SELECT rowid, json FROM decisions", forget)?);
    removal.add(DECISION, decisions.into_iter().map(number).collect());
    let mut of_acts = Vec::new();
    for id in &ids {
        of_acts.extend(keys(
            conn,
            "SELECT id FROM accounts WHERE account = ?1 AND instr(part, ?2) > 0",
            params![OF_ACTS, id],
        )?);
    }
    removal.add(OF_ACT, of_acts);
    removal.add(TRACE, ticks.into_iter().map(number).collect());
    if let Some(span) = forget.span {
        let ledger = keys(
            conn,
            "SELECT rowid FROM ledger WHERE at_ms >= ?1 AND at_ms < ?2 AND seq <= ?3",
            params![span.from.ms(), span.to.ms(), to_sql(rows.cut.event)],
        )?;
        removal.add(LEDGER, ledger);
    }
    // Proofs stay, what they prove is forgotten.
    let things = forget.things.iter().map(String::as_str);
    let mut records: BTreeSet<i64> =
        audit::records_naming(conn, things.chain(ids.iter().map(String::as_str)))?;
    if let Some(span) = forget.span {
        records.extend(audit::records_in_span(conn, span)?);
    }
    removal.add(AUDIT, records.into_iter().map(number).collect());
    Ok(removal)
}

/// The keys of the traces that go, those that are older than the journal among them, and the ids of all whose decisions go.
fn traces(
    conn: &Connection,
    forget: &ErasureScope,
    rows: &UnfinishedRows,
    erasure: &ErasurePlan,
) -> rusqlite::Result<(BTreeSet<i64>, BTreeSet<String>)> {
    let (first, last) = (-to_sql(rows.cut.call), to_sql(rows.cut.tick));
    let mut ids: BTreeSet<String> = erasure.traces.iter().map(TraceId::to_string).collect();
    let mut ticks = BTreeSet::new();
    let mut row = conn.prepare("SELECT tick FROM traces WHERE trace_id = ?1")?;
    for id in &ids {
        ticks.extend(row.query_row([id], |row| row.get::<_, i64>(0)).optional()?);
    }
    if let Some(span) = forget.span {
        let mut in_span = conn.prepare(TRACES_WITHIN)?;
        let found = in_span.query_map(params![span.from.ms(), span.to.ms(), first, last], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
        })?;
        for one in found {
            let (tick, id) = one?;
            ticks.insert(tick);
            ids.insert(id);
        }
    }
    let named = naming(conn, "SELECT tick, json FROM traces", forget)?;
    ticks.extend(named.into_iter().filter(|tick| (first..=last).contains(tick)));
    Ok((ticks, ids))
}

/// The first column of the rows whose second names a thing.
fn naming(conn: &Connection, sql: &str, forget: &ErasureScope) -> rusqlite::Result<Vec<i64>> {
    if forget.things.is_empty() {
        return Ok(vec![]);
    }
    let mut query = conn.prepare(sql)?;
    let mut rows = query.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if forget.mentions_thing(row.get_ref(1)?.as_str().unwrap_or_default()) {
            found.push(row.get(0)?);
        }
    }
    Ok(found)
}

/// Names that the owner gave, by the keys of what they name.
pub(super) fn labels(keys: impl IntoIterator<Item = String>) -> Vec<RowKey> {
    keys.into_iter().map(text).collect()
}
