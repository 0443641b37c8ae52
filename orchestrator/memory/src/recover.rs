//! What a store holds when it is opened.
//!
//! What: [`RecoveredState`], read from the newest snapshot on. Why: a start reads what it goes on from, and nothing older. Not here: repairing
//! a damaged store (`repair`), what a start makes of the events (`aura_runtime::wiring`).

use crate::{
    error::StoreError,
    reader::confirmed_time,
    rows::{AgentStateRows, from_sql, to_sql},
};
use rusqlite::{Connection, OptionalExtension as _};
use std::{collections::BTreeMap, path::Path};
use toolcall_schema::AgentName;

/// What the store held when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveredState {
    /// The newest snapshot: the last event it holds, and the state.
    pub snapshot: Option<(u64, String)>,
    /// The events after it, in order, without a hole.
    pub events: Vec<(u64, String)>,
    /// The last state of each agent that has one.
    pub agent_states: BTreeMap<AgentName, AgentStateRows>,
    /// The catalogue it was last used with: its hash and its lock.
    pub catalogue: Option<(String, String)>,
    /// Up to when time is borne out, as it was kept last.
    pub confirmed_time: Option<String>,
    /// The number the next event must have; 1 in an empty store.
    pub next_seq: u64,
    /// The last tick that has a trace; 0: none.
    pub kept_ticks: u64,
    /// The last tick that was decided, whether or not it has a trace; 0: none.
    pub decided_ticks: u64,
    /// The newest decision, where its tick has no trace.
    pub open_decision: Option<String>,
}

/// Reads the newest snapshot and what follows it; nothing older is touched.
pub(crate) fn recover(conn: &Connection, file: &Path) -> Result<RecoveredState, StoreError> {
    let sql = |e| StoreError::sql(file, e);
    let (snapshot, events) = read_journal(conn).map_err(sql)?;
    let damaged = |what: &str| StoreError::Damaged {
        file: file.to_owned(),
        what: what.to_owned(),
    };
    let after_snapshot = snapshot.as_ref().map_or(1, |(seq, _)| seq.saturating_add(1));
    let next_seq = events.iter().try_fold(after_snapshot, |expected, (seq, _)| {
        (*seq == expected)
            .then_some(expected.saturating_add(1))
            .ok_or_else(|| damaged(&format!("table events: event {expected} is missing")))
    })?;
    let agent_states = agent_states(conn)
        .map_err(sql)?
        .ok_or_else(|| damaged("table agent_states: an agent that does not exist"))?;
    let catalogue = read_catalogue(conn).map_err(sql)?;
    Ok(RecoveredState {
        snapshot,
        events,
        agent_states,
        catalogue,
        confirmed_time: confirmed_time(conn).map_err(sql)?,
        next_seq,
        kept_ticks: from_sql(last_tick(conn).map_err(sql)?),
        decided_ticks: from_sql(last_decided(conn).map_err(sql)?),
        open_decision: open_decision(conn).map_err(sql)?,
    })
}

fn last_tick(conn: &Connection) -> rusqlite::Result<i64> {
    let last = conn.query_row("SELECT max(tick) FROM traces", [], |row| {
        row.get::<_, Option<i64>>(0)
    })?;
    Ok(last.unwrap_or(0))
}

/// The newest decisions, of which most can be read: a start reads no more of them, however many are kept. They stand in their order.
const NEWEST_DECISIONS: &str = "SELECT trace_id, json, json_extract(json, '$.tick') AS tick
    FROM (SELECT trace_id, json FROM decisions ORDER BY rowid DESC LIMIT 64) WHERE json_valid(json)";

fn last_decided(conn: &Connection) -> rusqlite::Result<i64> {
    let last = format!("SELECT max(tick) FROM ({NEWEST_DECISIONS})");
    let last = conn.query_row(&last, [], |row| row.get::<_, Option<i64>>(0))?;
    Ok(last.unwrap_or(0))
}

fn open_decision(conn: &Connection) -> rusqlite::Result<Option<String>> {
    let untraced = format!(
        "SELECT json FROM ({NEWEST_DECISIONS} ORDER BY tick DESC LIMIT 1) AS newest
         WHERE NOT EXISTS (SELECT 1 FROM traces WHERE traces.trace_id = newest.trace_id)"
    );
    conn.query_row(&untraced, [], |row| row.get(0)).optional()
}

type NumberedJson = (u64, String);

fn read_journal(conn: &Connection) -> rusqlite::Result<(Option<NumberedJson>, Vec<NumberedJson>)> {
    let numbered = |row: &rusqlite::Row<'_>| Ok((from_sql(row.get(0)?), row.get(1)?));
    let snapshot: Option<NumberedJson> = conn
        .query_row("SELECT seq, json FROM snapshot", [], numbered)
        .optional()?;
    let after = snapshot.as_ref().map_or(0, |(seq, _)| to_sql(*seq));
    let events = conn
        .prepare("SELECT seq, json FROM events WHERE seq > ?1 ORDER BY seq")?
        .query_map([after], numbered)?
        .collect::<rusqlite::Result<_>>()?;
    Ok((snapshot, events))
}

pub(crate) fn read_catalogue(conn: &Connection) -> rusqlite::Result<Option<(String, String)>> {
    let newest = "SELECT hash, lock FROM catalogues ORDER BY rowid DESC LIMIT 1";
    conn.query_row(newest, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

/// The agents' kept states; `None`: one is of an agent that does not exist.
pub(crate) fn agent_states(
    conn: &Connection,
) -> rusqlite::Result<Option<BTreeMap<AgentName, AgentStateRows>>> {
    let wholes: Vec<(String, String)> = conn
        .prepare("SELECT agent, json FROM agent_states")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut since = conn.prepare("SELECT json FROM agent_state_changes WHERE agent = ?1 ORDER BY number")?;
    let mut states = BTreeMap::new();
    for (name, whole) in wholes {
        let Some(agent) = AgentName::parse(&name) else {
            return Ok(None);
        };
        let changes = since
            .query_map([&name], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        states.insert(agent, AgentStateRows { whole, changes });
    }
    Ok(Some(states))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    };

    /// A store with so many decisions, the last three of which cannot be read.
    fn decided(ticks: u64) -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        for sql in schema::MIGRATIONS {
            conn.execute_batch(sql).unwrap();
        }
        let mut insert = conn
            .prepare("INSERT INTO decisions (trace_id, json) VALUES ('tr_' || ?1, ?2)")
            .unwrap();
        for tick in 1..=ticks {
            let json = if tick + 3 > ticks {
                "torn".to_owned()
            } else {
                format!(r#"{{"tick":{tick}}}"#)
            };
            insert.execute((to_sql(tick), json)).unwrap();
        }
        drop(insert);
        conn
    }

    #[test]
    fn a_start_reads_as_few_decisions_of_many_as_of_some() {
        let steps = |ticks| {
            let conn = decided(ticks);
            let counted = Arc::new(AtomicU64::new(0));
            let count = Arc::clone(&counted);
            let step = move || {
                count.fetch_add(1, Ordering::Relaxed);
                false
            };
            conn.progress_handler(1, Some(step)).unwrap();
            assert_eq!(last_decided(&conn).unwrap(), to_sql(ticks - 3));
            assert_eq!(
                open_decision(&conn).unwrap(),
                Some(format!(r#"{{"tick":{}}}"#, ticks - 3))
            );
            counted.load(Ordering::Relaxed)
        };
        assert_eq!(steps(100), steps(2_000));
    }
}
