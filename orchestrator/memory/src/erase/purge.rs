//! Keeping nothing longer than was said.
//!
//! What: [`Retention`], for how long each type is kept, and [`Editor::purge`], which carries it out. Why: what nobody looks at any more
//! is only a risk. Not here: when it is done (`orchestrator::housekeeping`).

use super::{Editor, Removed, workflows};
use crate::{
    ageing::{Ageing, Expired},
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
    /// The dates of what was kept long enough; `None`: nothing was.
    fn expired(self, ageing: &Ageing) -> Option<Expired> {
        match self {
            Keep::Days(days) => Some(ageing.expired(i64::from(days) * 86_400_000)),
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
    /// Takes out what has been kept long enough, after counting traces by day. The journal is cut at the last base that is old enough;
    /// traces are kept as long as their events. `at` is when it is done (wall clock), for the audit log. `dry`: only counts.
    ///
    /// # Errors
    /// STORE-003 or STORE-007; nothing has gone then.
    pub fn purge(
        &mut self,
        retention: &Retention,
        ageing: &Ageing,
        at: Timestamp,
        dry: bool,
    ) -> Result<Removed, StoreError> {
        let mut removed = Removed::default();
        self.edit(dry, |tx, log| {
            old_rows(tx, retention, ageing, &mut removed)?;
            if removed.rows_gone() > 0 {
                let meaning = Meaning::of(Kind::Memory).with_count(removed.rows_gone());
                let (at_ms, op) = (at.ms(), Op::Purge);
                log.append(tx, &Entry { at_ms, op, meaning })?;
            }
            Ok(())
        })?;
        if let (Some(expired), Some(mut runs)) = (retention.runs.expired(ageing), workflows(&self.vault)?) {
            removed.add("runs", runs.purge(&expired, dry)?);
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
    ageing: &Ageing,
    removed: &mut Removed,
) -> rusqlite::Result<()> {
    for node in NodeType::ALL {
        let Some(expired) = retention.of(*node).expired(ageing) else {
            continue;
        };
        // Appointments may lie ahead of any clock.
        let ahead = |from: i64| *node == NodeType::Event && from > ageing.now.ms();
        for (from, to) in expired.ranges().filter(|(from, _)| !ahead(*from)) {
            let old = params![node.as_str(), from, to];
            tx.execute(
                "DELETE FROM words WHERE rowid IN (SELECT id FROM nodes WHERE type = ?1 AND at_ms >= ?2 AND at_ms < ?3)",
                old,
            )?;
            removed.rows(
                "nodes",
                tx.execute(
                    "DELETE FROM nodes WHERE type = ?1 AND at_ms >= ?2 AND at_ms < ?3",
                    old,
                )?,
            );
        }
    }
    if let Some(expired) = retention.events.expired(ageing) {
        // One that is dated ahead goes with its nodes.
        for (from, to) in expired.ranges().filter(|(from, _)| *from <= ageing.now.ms()) {
            removed.rows(
                "edges",
                tx.execute("DELETE FROM edges WHERE at_ms >= ?1 AND at_ms < ?2", [from, to])?,
            );
        }
    }
    // What a signal told is a message of a conversation, or one of the others: the longer time counts.
    let longest = match (retention.conversations, retention.events) {
        (Keep::Days(one), Keep::Days(other)) => Keep::Days(one.max(other)),
        (Keep::Always, _) | (_, Keep::Always) => Keep::Always,
    };
    if let Some(expired) = longest.expired(ageing) {
        for (from, to) in expired.ranges() {
            tx.execute("DELETE FROM signals WHERE at_ms >= ?1 AND at_ms < ?2", [from, to])?;
        }
    }
    if let Some(expired) = retention.traces.expired(ageing) {
        journal(tx, &expired, removed)?;
    }
    if let Some(expired) = retention.counters.expired(ageing) {
        for (first, end) in expired.days() {
            removed.rows(
                "counters",
                tx.execute(
                    "DELETE FROM counters WHERE day >= ?1 AND day < ?2",
                    [&first, &end],
                )?,
            );
            removed.rows(
                "ledger rows",
                tx.execute("DELETE FROM ledger WHERE day >= ?1 AND day < ?2", [&first, &end])?,
            );
        }
    }
    Ok(())
}

/// Cuts the journal at the last base that is old enough, and what is as old as that. Both stand in the order of writing, so a clock that
/// was wrong in between changes nothing: traces go by their ticks, not by their dates.
fn journal(tx: &Transaction<'_>, expired: &Expired, removed: &mut Removed) -> rusqlite::Result<()> {
    let bases = tx
        .prepare("SELECT seq, at_ms, json_extract(json, '$.ticks') FROM bases ORDER BY seq DESC")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<Vec<(i64, i64, Option<i64>)>>>()?;
    let old = |(_, at_ms, _): &(i64, i64, Option<i64>)| expired.has(Timestamp::from_ms(*at_ms));
    let Some((seq, at_ms, ticks)) = bases.into_iter().find(old) else {
        return Ok(());
    };
    // The tick that was under way has its trace afterwards.
    let gone = "tick < ?1 OR (tick = ?1 AND at_ms < ?2)";
    let values = params![ticks.unwrap_or(0), at_ms];
    tx.execute(
        &format!(
            "INSERT INTO counters (day, kind, outcome, count)
             SELECT json_extract(json, '$.decision.ledger_before.day'), coalesce(chosen, 'do_nothing'), outcome, count(*)
             FROM traces WHERE {gone} GROUP BY 1, 2, 3
             ON CONFLICT DO UPDATE SET count = count + excluded.count"
        ),
        values,
    )?;
    removed.rows(
        "decisions",
        tx.execute(
            &format!("DELETE FROM decisions WHERE trace_id IN (SELECT trace_id FROM traces WHERE {gone})"),
            values,
        )?,
    );
    removed.rows(
        "traces",
        tx.execute(&format!("DELETE FROM traces WHERE {gone}"), values)?,
    );
    removed.rows("events", tx.execute("DELETE FROM events WHERE seq <= ?1", [seq])?);
    tx.execute("DELETE FROM bases WHERE seq < ?1", [seq])?;
    Ok(())
}
