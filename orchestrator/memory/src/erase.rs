//! Taking things out of a data folder.
//!
//! What: [`ErasurePlan`], what goes and what takes its place; [`RowRemoval`], the rows of it, which the store's writer takes out a few at a
//! time; [`UnfinishedErasure`], the note an interrupted deletion is resumed from. Why: what is forgotten is gone from all tables, overwritten,
//! with nothing left in the log, and nobody who writes beside it waits. Not here: which events of the journal go and what takes their
//! place (`aura_runtime::erase`), when it is done (`aura_runtime::deletion`).

mod files;
mod graph;
mod plan;
mod purge;
mod removal;
mod runs;

pub use files::files_go;
#[cfg(test)]
pub(crate) use plan::TRACES_WITHIN;
pub use purge::{RetentionPeriod, RetentionPolicy};
pub use removal::RowRemoval;
pub(crate) use removal::{RemovalAck, RemovalTask};

use crate::rows::{from_sql, to_sql};
use chrono_tz::Tz;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{Timestamp, forget::ErasureScope, ids::TraceId};

/// A state of the machine in the journal: it takes the place of the events before it, where they are gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalCheckpoint {
    /// The event after which the machine was in it.
    pub seq: u64,
    /// When that was (wall clock).
    pub at: Timestamp,
    /// The state.
    pub json: String,
    /// Whether the state was rewritten by an erasure.
    pub forgot: bool,
}

impl JournalCheckpoint {
    pub(crate) fn from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: from_sql(row.get(0)?),
            at: Timestamp::from_ms(row.get(1)?),
            json: row.get(2)?,
            forgot: row.get(3)?,
        })
    }
}

/// The moment at which the machine forgot. What was written later is new, and stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasurePoint {
    /// Wall clock.
    pub at: Timestamp,
    /// The last event.
    pub event: u64,
    /// The last tick that had begun.
    pub tick: u64,
    /// The last call that had begun.
    pub call: u64,
}

/// What goes, beside what [`ErasureScope`] finds by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErasurePlan {
    /// Events of the journal, as first and last number.
    pub events: Vec<(u64, u64)>,
    /// What stands in the place of the bases of these events; others of these numbers go.
    pub bases: Vec<JournalCheckpoint>,
    /// Traces whose ticks go.
    pub traces: Vec<TraceId>,
}

/// An erasure that has begun: kept in the store from the moment at which the machine forgot until all of it is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnfinishedErasure {
    /// What goes.
    pub forget: ErasureScope,
    /// Drafts of the outbox that ticks made which go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outbox: Vec<String>,
    /// What is to be done in the store; absent: only files are left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<UnfinishedRows>,
}

/// What is to be done in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnfinishedRows {
    /// Where the machine forgot.
    pub cut: ErasurePoint,
    /// The owner's zone, by which days begin.
    pub zone: Tz,
    /// Whether all that agents noticed is gone already: what is there now was noticed later.
    pub graph_gone: bool,
    /// What goes of the journal; absent: not found yet, and nothing of it has gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erasure: Option<ErasurePlan>,
}

/// How many rows, lines or files went, by what they were. What is not named was none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RemovedCounts(pub BTreeMap<String, u64>);

impl RemovedCounts {
    /// Counts some more.
    pub fn add(&mut self, what: &str, count: u64) {
        if count > 0 {
            *self.0.entry(what.to_owned()).or_default() += count;
        }
    }

    /// Counts all of another.
    pub fn add_all(&mut self, other: &RemovedCounts) {
        for (what, count) in &other.0 {
            self.add(what, *count);
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

pub(crate) fn put_base(conn: &Connection, base: &JournalCheckpoint) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT OR REPLACE INTO bases (seq, at_ms, json, forgot) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![to_sql(base.seq), base.at.ms(), base.json, base.forgot])?;
    Ok(())
}
