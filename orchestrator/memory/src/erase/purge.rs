//! Keeping nothing longer than was said.
//!
//! What: [`Retention`], for how long each type is kept, and [`Editor::purge`], which carries it out. Why: what nobody looks at any more
//! is only a risk. Not here: when it is done (`orchestrator::housekeeping`).

use super::{Editor, Removed, workflows};
use crate::{
    audit::{Entry, Kind, Meaning, Op},
    error::StoreError,
    graph::NodeType,
};
use rusqlite::{Transaction, params};
use serde::{Deserialize, Serialize};
use toolcall_schema::Timestamp;

/// For how long something is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "KeepText", into = "KeepText")]
pub enum Keep {
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

impl TryFrom<KeepText> for Keep {
    type Error = String;

    fn try_from(text: KeepText) -> Result<Self, String> {
        match text {
            KeepText::Days(days @ 1..=DAYS_MAX) => Ok(Keep::Days(days)),
            KeepText::Word(word) if word == "always" => Ok(Keep::Always),
            KeepText::Days(_) | KeepText::Word(_) => {
                Err(format!("a number of days from 1 to {DAYS_MAX}, or \"always\""))
            }
        }
    }
}

impl From<Keep> for KeepText {
    fn from(keep: Keep) -> Self {
        match keep {
            Keep::Days(days) => KeepText::Days(days),
            Keep::Always => KeepText::Word("always".to_owned()),
        }
    }
}

impl Keep {
    /// What is older than this goes; `None`: nothing does.
    fn before(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Keep::Days(days) => Some(now.plus_ms(-i64::from(days) * 86_400_000)),
            Keep::Always => None,
        }
    }
}

/// For how long each type is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// Traces, decisions, the journal and the nodes of traces. Default 30 days.
    pub traces: Keep,
    /// Conversations. Default 30 days.
    pub conversations: Keep,
    /// Payments, events, actions, snapshots of the load, places. Default 90 days.
    pub events: Keep,
    /// Runs of workflows that are over. Default 90 days.
    pub runs: Keep,
    /// Counters by day, and the attention ledger. Default 365 days.
    pub counters: Keep,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            traces: Keep::Days(30),
            conversations: Keep::Days(30),
            events: Keep::Days(90),
            runs: Keep::Days(90),
            counters: Keep::Days(365),
        }
    }
}

impl Retention {
    /// For how long nodes of a type are kept.
    pub fn of(&self, node: NodeType) -> Keep {
        match node {
            NodeType::Trace => self.traces,
            NodeType::Conversation => self.conversations,
            NodeType::Event
            | NodeType::Transaction
            | NodeType::HealthSnapshot
            | NodeType::Action
            | NodeType::Place => self.events,
            NodeType::User | NodeType::App | NodeType::Person => Keep::Always,
        }
    }
}

impl Editor {
    /// Takes out what has been kept long enough at `now`, after counting traces by day. The journal is cut at the last base that is
    /// old enough; traces are kept as long as their events. `dry`: only counts.
    ///
    /// # Errors
    /// STORE-003 or STORE-007; nothing has gone then.
    pub fn purge(&mut self, retention: &Retention, now: Timestamp, dry: bool) -> Result<Removed, StoreError> {
        let mut removed = Removed::default();
        self.edit(dry, |tx, log| {
            old_rows(tx, retention, now, &mut removed)?;
            if removed.rows_gone() > 0 {
                let meaning = Meaning::of(Kind::Memory).with_count(removed.rows_gone());
                let (at_ms, op) = (now.ms(), Op::Purge);
                log.append(tx, &Entry { at_ms, op, meaning })?;
            }
            Ok(())
        })?;
        if let (Some(before), Some(mut runs)) = (retention.runs.before(now), workflows(&self.vault)?) {
            removed.add("runs", runs.purge(before, dry)?);
        }
        if !dry {
            self.empty_log()?;
        }
        Ok(removed)
    }
}

fn old_rows(
    tx: &Transaction<'_>,
    retention: &Retention,
    now: Timestamp,
    removed: &mut Removed,
) -> rusqlite::Result<()> {
    for node in NodeType::ALL {
        let Some(before) = retention.of(*node).before(now) else {
            continue;
        };
        let old = params![node.as_str(), before.ms()];
        tx.execute(
            "DELETE FROM words WHERE rowid IN (SELECT id FROM nodes WHERE type = ?1 AND at_ms < ?2)",
            old,
        )?;
        removed.rows(
            "nodes",
            tx.execute("DELETE FROM nodes WHERE type = ?1 AND at_ms < ?2", old)?,
        );
    }
    if let Some(before) = retention.events.before(now) {
        removed.rows(
            "edges",
            tx.execute("DELETE FROM edges WHERE at_ms < ?1", [before.ms()])?,
        );
    }
    if let Some(before) = retention.traces.before(now) {
        journal(tx, before, removed)?;
    }
    if let Some(before) = retention.counters.before(now) {
        let day = before.utc().date_naive().to_string();
        removed.rows(
            "counters",
            tx.execute("DELETE FROM counters WHERE day < ?1", [&day])?,
        );
        removed.rows(
            "ledger rows",
            tx.execute("DELETE FROM ledger WHERE day < ?1", [&day])?,
        );
    }
    Ok(())
}

/// Cuts the journal at the last base before the moment, and what is as old as that.
fn journal(tx: &Transaction<'_>, before: Timestamp, removed: &mut Removed) -> rusqlite::Result<()> {
    let (seq, at_ms): (Option<i64>, Option<i64>) = tx.query_row(
        "SELECT max(seq), max(at_ms) FROM bases WHERE at_ms < ?1",
        [before.ms()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let (Some(seq), Some(at_ms)) = (seq, at_ms) else {
        return Ok(());
    };
    tx.execute(
        "INSERT INTO counters (day, kind, outcome, count)
         SELECT json_extract(json, '$.decision.ledger_before.day'), coalesce(chosen, 'do_nothing'), outcome, count(*)
         FROM traces WHERE at_ms < ?1 GROUP BY 1, 2, 3
         ON CONFLICT DO UPDATE SET count = count + excluded.count",
        [at_ms],
    )?;
    removed.rows(
        "decisions",
        tx.execute(
            "DELETE FROM decisions WHERE trace_id IN (SELECT trace_id FROM traces WHERE at_ms < ?1)",
            [at_ms],
        )?,
    );
    removed.rows(
        "traces",
        tx.execute("DELETE FROM traces WHERE at_ms < ?1", [at_ms])?,
    );
    removed.rows("events", tx.execute("DELETE FROM events WHERE seq <= ?1", [seq])?);
    tx.execute("DELETE FROM bases WHERE seq < ?1", [seq])?;
    Ok(())
}
