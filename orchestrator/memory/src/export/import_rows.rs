//! The rows of a raw export, each of the closed type of what it becomes.
//!
//! What: [`ImportRow`], which writes one where it is not there yet. Why: a row that says something else than it should ends the import. Not
//! here: reading the document (`import`), writing exports (`rows`).

use super::import::ImportError;
use crate::{
    apply::insert_trace,
    graph::{self, EdgeType, GraphEdge, GraphNode, NodeData, NodeKey, NodeType},
    rows::{TraceRow, to_sql},
};
use chrono::NaiveDate;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Deserialize;
use serde_json::value::RawValue;
use toolcall_schema::{ActionKind, Outcome, Timestamp, ids::TraceId, ledger::LedgerEntry, trace::Trace};

/// What ended the reading.
pub(super) enum ImportStop {
    Sql(rusqlite::Error),
    Import(ImportError),
    Row(&'static str),
}

impl From<rusqlite::Error> for ImportStop {
    fn from(error: rusqlite::Error) -> Self {
        ImportStop::Sql(error)
    }
}

/// A row of an export.
pub(super) trait ImportRow: for<'de> Deserialize<'de> {
    /// Writes it; `false`: it was there.
    fn take(self, conn: &Connection) -> Result<bool, ImportStop>;
}

fn is_there(conn: &Connection, sql: &str, key: &str) -> rusqlite::Result<bool> {
    let found = conn
        .prepare_cached(sql)?
        .query_row([key], |_| Ok(()))
        .optional()?;
    Ok(found.is_some())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TraceIn {
    trace_id: TraceId,
    tick: u64,
    at: Timestamp,
    outcome: Outcome,
    #[serde(default)]
    chosen: Option<ActionKind>,
    document: Box<RawValue>,
}

impl ImportRow for TraceIn {
    fn take(self, conn: &Connection) -> Result<bool, ImportStop> {
        let json = self.document.get();
        let trace: Trace =
            serde_json::from_str(json).map_err(|_| ImportStop::Row("the document is not trace.v1"))?;
        let row = TraceRow {
            trace_id: self.trace_id,
            tick: self.tick,
            call: trace.decision.call.map(|call| call.number),
            at_ms: self.at.ms(),
            outcome: self.outcome,
            chosen: self.chosen,
            json: json.to_owned(),
        };
        if TraceRow::from_trace(&trace, row.json.clone()) != row {
            return Err(ImportStop::Row("the document says something else than the row"));
        }
        let inserted = insert_trace(conn, &row)?;
        let same = "SELECT 1 FROM traces WHERE trace_id = ?1";
        if inserted == 0 && !is_there(conn, same, row.trace_id.as_str())? {
            return Err(ImportStop::Import(ImportError::Conflict { tick: row.tick }));
        }
        Ok(inserted > 0)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeIn {
    id: NodeKey,
    at: Timestamp,
    data: NodeData,
}

impl ImportRow for NodeIn {
    fn take(self, conn: &Connection) -> Result<bool, ImportStop> {
        if is_there(conn, "SELECT 1 FROM nodes WHERE key = ?1", self.id.as_str())? {
            return Ok(false);
        }
        let node = GraphNode {
            key: self.id,
            at: self.at,
            data: self.data,
        };
        // A trace is found by the words of its sentence.
        let sentence = if node.data.node_type() == NodeType::Trace {
            let sentence: Option<Option<String>> = conn
                .prepare_cached("SELECT json_extract(json, '$.rationale') FROM traces WHERE trace_id = ?1")?
                .query_row([node.key.as_str()], |row| row.get(0))
                .optional()?;
            sentence.flatten()
        } else {
            None
        };
        graph::put(conn, &node, sentence.as_deref(), true)?;
        Ok(true)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EdgeIn {
    from: NodeKey,
    #[serde(rename = "type")]
    edge_type: EdgeType,
    to: NodeKey,
    at: Timestamp,
    weight: f64,
}

impl ImportRow for EdgeIn {
    fn take(self, conn: &Connection) -> Result<bool, ImportStop> {
        let there = conn
            .prepare_cached(
                "SELECT 1 FROM edges e JOIN nodes a ON a.id = e.src JOIN nodes b ON b.id = e.dst
                 WHERE a.key = ?1 AND e.type = ?2 AND b.key = ?3 AND e.at_ms = ?4",
            )?
            .query_row(
                params![
                    self.from.as_str(),
                    self.edge_type.as_str(),
                    self.to.as_str(),
                    self.at.ms()
                ],
                |_| Ok(()),
            )
            .optional()?;
        if there.is_some() {
            return Ok(false);
        }
        let edge = GraphEdge {
            from: self.from,
            edge_type: self.edge_type,
            to: self.to,
            at: self.at,
            weight: self.weight,
        };
        graph::link(conn, &edge)?;
        if conn.changes() == 0 {
            return Err(ImportStop::Row("an edge between nodes that are not there"));
        }
        Ok(true)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelIn {
    of: NodeKey,
    text: String,
    at: Timestamp,
}

impl ImportRow for LabelIn {
    fn take(self, conn: &Connection) -> Result<bool, ImportStop> {
        if is_there(conn, "SELECT 1 FROM labels WHERE key = ?1", self.of.as_str())? {
            return Ok(false);
        }
        graph::label(conn, &self.of, Some(&self.text), self.at)?;
        Ok(true)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LedgerIn {
    seq: u64,
    day: NaiveDate,
    #[serde(default)]
    trace_id: Option<TraceId>,
    entry: String,
    tokens: u8,
    at: Timestamp,
}

impl ImportRow for LedgerIn {
    fn take(self, conn: &Connection) -> Result<bool, ImportStop> {
        let entry = LedgerEntry::parse(&self.entry).ok_or(ImportStop::Row("no such entry of the ledger"))?;
        let inserted = conn
            .prepare_cached(
                "INSERT INTO ledger (seq, day, trace_id, entry, tokens, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![
                to_sql(self.seq),
                self.day.to_string(),
                self.trace_id.as_ref().map_or("", |id| id.as_str()),
                entry.as_str(),
                self.tokens,
                self.at.ms()
            ])?;
        Ok(inserted > 0)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CounterIn {
    day: NaiveDate,
    kind: String,
    outcome: Outcome,
    count: u64,
}

impl ImportRow for CounterIn {
    fn take(self, conn: &Connection) -> Result<bool, ImportStop> {
        if self.kind != "do_nothing" && ActionKind::parse(&self.kind).is_none() {
            return Err(ImportStop::Row("no such kind of action"));
        }
        let inserted = conn
            .prepare_cached(
                "INSERT INTO counters (day, kind, outcome, count) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
            )?
            .execute(params![
                self.day.to_string(),
                self.kind,
                self.outcome.as_str(),
                to_sql(self.count)
            ])?;
        Ok(inserted > 0)
    }
}
