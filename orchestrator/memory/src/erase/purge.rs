//! The retention policy.
//!
//! What: [`RetentionPolicy`], for how long each type is kept, and the rows of what was kept long enough. Why: what nobody looks at
//! any more is only a risk. Not here: when it is done (`aura_runtime::housekeeping`).

use super::{
    RowRemoval, graph,
    plan::{BASE_GONE, COUNTER, DECISION, EVENT, LEDGER, SIGNAL, keys},
    removal::{CountedStatement, RowKey},
    runs,
};
use crate::{
    ageing::{AgeReference, ExpiredRanges},
    error::StoreError,
    graph::NodeType,
    reader::StoreReader,
};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use toolcall_schema::Timestamp;

/// A trace is counted in the moment in which it goes.
const TRACE: &[CountedStatement] = &[
    (
        "INSERT INTO counters (day, kind, outcome, count)
         SELECT json_extract(json, '$.decision.ledger_before.day'), coalesce(chosen, 'do_nothing'), outcome, 1
         FROM traces WHERE tick = ?1
         ON CONFLICT DO UPDATE SET count = count + excluded.count",
        None,
    ),
    ("DELETE FROM traces WHERE tick = ?1", Some("traces")),
];

/// For how long something is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "KeepText", into = "KeepText")]
pub enum RetentionPeriod {
    /// So many days.
    Days(u32),
    /// Until its owner deletes it.
    Always,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum KeepText {
    Days(u32),
    Word(String),
}

/// The longest time that can be said in days: ten years.
const DAYS_MAX: u32 = 3650;

impl TryFrom<KeepText> for RetentionPeriod {
    type Error = String;

    fn try_from(text: KeepText) -> Result<Self, String> {
        match text {
            KeepText::Days(days @ 1..=DAYS_MAX) => Ok(RetentionPeriod::Days(days)),
            KeepText::Word(word) if word == "always" => Ok(RetentionPeriod::Always),
            KeepText::Days(_) | KeepText::Word(_) => {
                Err(format!("a number of days from 1 to {DAYS_MAX}, or \"always\""))
            }
        }
    }
}

impl From<RetentionPeriod> for KeepText {
    fn from(keep: RetentionPeriod) -> Self {
        match keep {
            RetentionPeriod::Days(days) => KeepText::Days(days),
            RetentionPeriod::Always => KeepText::Word("always".to_owned()),
        }
    }
}

impl RetentionPeriod {
    /// The dates of what was kept long enough; `None`: nothing was.
    fn expired(self, ageing: &AgeReference) -> Option<ExpiredRanges> {
        match self {
            RetentionPeriod::Days(days) => Some(ageing.expired(i64::from(days) * 86_400_000)),
            RetentionPeriod::Always => None,
        }
    }
}

/// For how long each type is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionPolicy {
    /// Traces, decisions, the journal and the nodes of traces. Default 30 days.
    pub traces: RetentionPeriod,
    /// Conversations. Default 30 days.
    pub conversations: RetentionPeriod,
    /// Payments, events, actions, snapshots of the load, places. Default 90 days.
    pub events: RetentionPeriod,
    /// Runs of workflows that are over. Default 90 days.
    pub runs: RetentionPeriod,
    /// Counters by day, and the attention ledger. Default 365 days.
    pub counters: RetentionPeriod,
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        Self {
            traces: RetentionPeriod::Days(30),
            conversations: RetentionPeriod::Days(30),
            events: RetentionPeriod::Days(90),
            runs: RetentionPeriod::Days(90),
            counters: RetentionPeriod::Days(365),
        }
    }
}

impl RetentionPolicy {
    /// For how long nodes of a type are kept.
    pub fn period(&self, node: NodeType) -> RetentionPeriod {
        match node {
            NodeType::Trace => self.traces,
            NodeType::Conversation => self.conversations,
            NodeType::Event
            | NodeType::Transaction
            | NodeType::HealthSnapshot
            | NodeType::Action
            | NodeType::Place => self.events,
            NodeType::User | NodeType::App | NodeType::Person => RetentionPeriod::Always,
        }
    }
}

impl StoreReader {
    /// What agents noticed and was kept long enough.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn old_graph_rows(
        &self,
        retention: &RetentionPolicy,
        ageing: &AgeReference,
    ) -> Result<RowRemoval, StoreError> {
        graph_rows(self.conn(), retention, ageing).map_err(|e| self.sql(e))
    }

    /// What was kept long enough of the journal, its traces and the ledger. The journal is cut at the last base that is old enough;
    /// traces are kept as long as their events, and are counted by day when they go.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn old_journal_rows(
        &self,
        retention: &RetentionPolicy,
        ageing: &AgeReference,
    ) -> Result<RowRemoval, StoreError> {
        journal_rows(self.conn(), retention, ageing).map_err(|e| self.sql(e))
    }

    /// The runs of workflows that are over or stopped and were kept long enough.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn old_run_rows(
        &self,
        retention: &RetentionPolicy,
        ageing: &AgeReference,
    ) -> Result<RowRemoval, StoreError> {
        match retention.runs.expired(ageing) {
            Some(expired) if self.has_runs() => runs::expired(self.conn(), &expired).map_err(|e| self.sql(e)),
            Some(_) | None => Ok(RowRemoval::default()),
        }
    }
}

fn graph_rows(
    conn: &Connection,
    retention: &RetentionPolicy,
    ageing: &AgeReference,
) -> rusqlite::Result<RowRemoval> {
    let mut removal = RowRemoval::default();
    if let Some(expired) = retention.events.expired(ageing) {
        // One that is dated ahead goes with its nodes.
        for (from, to) in expired.ranges().filter(|(from, _)| *from <= ageing.now.ms()) {
            let edges = "SELECT src, type, dst, at_ms FROM edges WHERE at_ms >= ?1 AND at_ms < ?2";
            removal.add(graph::EDGE, keys(conn, edges, params![from, to])?);
        }
    }
    for node in NodeType::ALL {
        let Some(expired) = retention.period(*node).expired(ageing) else {
            continue;
        };
        // Appointments may lie ahead of any clock.
        let ahead = |from: i64| *node == NodeType::Event && from > ageing.now.ms();
        for (from, to) in expired.ranges().filter(|(from, _)| !ahead(*from)) {
            let nodes = "SELECT id FROM nodes WHERE type = ?1 AND at_ms >= ?2 AND at_ms < ?3";
            removal.add(graph::NODE, keys(conn, nodes, params![node.as_str(), from, to])?);
        }
    }
    // What a signal told is a message of a conversation, or one of the others: the longer time counts.
    let longest = match (retention.conversations, retention.events) {
        (RetentionPeriod::Days(one), RetentionPeriod::Days(other)) => RetentionPeriod::Days(one.max(other)),
        (RetentionPeriod::Always, _) | (_, RetentionPeriod::Always) => RetentionPeriod::Always,
    };
    if let Some(expired) = longest.expired(ageing) {
        for (from, to) in expired.ranges() {
            let signals = "SELECT key FROM signals WHERE at_ms >= ?1 AND at_ms < ?2";
            removal.add(SIGNAL, keys(conn, signals, params![from, to])?);
        }
    }
    Ok(removal)
}

fn journal_rows(
    conn: &Connection,
    retention: &RetentionPolicy,
    ageing: &AgeReference,
) -> rusqlite::Result<RowRemoval> {
    let mut removal = RowRemoval::default();
    if let Some(expired) = retention.counters.expired(ageing) {
        for (first, end) in expired.days() {
            let days = params![first, end];
            let counters = "SELECT day, kind, outcome FROM counters WHERE day >= ?1 AND day < ?2";
            removal.add(COUNTER, keys(conn, counters, days)?);
            let ledger = "SELECT rowid FROM ledger WHERE day >= ?1 AND day < ?2";
            removal.add(LEDGER, keys(conn, ledger, days)?);
        }
    }
    if let Some(expired) = retention.traces.expired(ageing) {
        removal.append(journal(conn, &expired)?);
    }
    Ok(removal)
}

/// Cuts the journal at the last base that is old enough, and what is as old as that. Both stand in the order of writing, so a clock that
/// was wrong in between changes nothing: traces go by their ticks, not by their dates. Events go from the last one back, so that a
/// fold that begins meanwhile finds the base after the hole.
fn journal(conn: &Connection, expired: &ExpiredRanges) -> rusqlite::Result<RowRemoval> {
    let mut removal = RowRemoval::default();
    let bases = conn
        .prepare("SELECT seq, at_ms, json_extract(json, '$.ticks') FROM bases ORDER BY seq DESC")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<Vec<(i64, i64, Option<i64>)>>>()?;
    let old = |(_, at_ms, _): &(i64, i64, Option<i64>)| expired.contains(Timestamp::from_ms(*at_ms));
    let Some((seq, at_ms, ticks)) = bases.into_iter().find(old) else {
        return Ok(removal);
    };
    let found = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> rusqlite::Result<Vec<RowKey>> {
        keys(conn, sql, values)
    };
    let events = "SELECT seq FROM events WHERE seq <= ?1 ORDER BY seq DESC";
    removal.add(EVENT, found(events, params![seq])?);
    removal.add(
        BASE_GONE,
        found("SELECT seq FROM bases WHERE seq < ?1", params![seq])?,
    );
    // The tick that was under way has its trace afterwards.
    let gone = "tick < ?1 OR (tick = ?1 AND at_ms < ?2)";
    let values = params![ticks.unwrap_or(0), at_ms];
    let decisions =
        format!("SELECT rowid FROM decisions WHERE trace_id IN (SELECT trace_id FROM traces WHERE {gone})");
    removal.add(DECISION, found(&decisions, values)?);
    let traces = format!("SELECT tick FROM traces WHERE {gone}");
    removal.add(TRACE, found(&traces, values)?);
    Ok(removal)
}
