//! Taking things out of the graph.
//!
//! What: [`remove`], by time and by id, and what goes with a person, a chat or a merchant. Why: what is left must not
//! tell of what is gone. Not here: the other tables (`erase`).

use super::{Editor, Removed};
use crate::{
    error::StoreError,
    graph::{NodeData, NodeKey},
};
use chrono::NaiveTime;
use chrono_tz::Tz;
use rusqlite::{OptionalExtension as _, Transaction, params};
use std::collections::BTreeSet;
use toolcall_schema::{Timestamp, forget::Forget, ids::TraceId};

/// The longest event that is looked for when it began before a span: 31 days, in milliseconds.
const EVENT_MS: i64 = 31 * 86_400_000;
/// A conversation lasts one local day; the last message of one that began in a span came at most two days after its end.
const DAY_MS: i64 = 2 * 86_400_000;

impl Editor {
    /// What has to go with some nodes, so that nothing is left that tells of them: with a merchant its payments, with a person the
    /// chats in which nobody else wrote, with a trace its action and the other way round.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn closure(&self, keys: &[NodeKey]) -> Result<BTreeSet<String>, StoreError> {
        let mut things = BTreeSet::new();
        for key in keys {
            things.insert(key.as_str().to_owned());
            let more = self.with(key.as_str()).map_err(|e| self.sql(e))?;
            things.extend(more);
        }
        let spent = self.spent(&things).map_err(|e| self.sql(e))?;
        things.extend(spent);
        Ok(things)
    }

    /// How the amount of a payment stands in the readings of a day on which it was the only one.
    fn spent(&self, things: &BTreeSet<String>) -> rusqlite::Result<Vec<String>> {
        let mut amount = self.conn.prepare(
            "SELECT json_extract(data, '$.amount') FROM nodes WHERE key = ?1 AND type = 'transaction'",
        )?;
        let mut texts = Vec::new();
        for thing in things {
            let found: Option<String> = amount.query_row([thing], |row| row.get(0)).optional()?;
            let value: Option<f64> = found.and_then(|amount| amount.parse().ok());
            texts.extend(value.map(|value| format!("\"spent_today\",\"value\":{value:?}")));
        }
        Ok(texts)
    }

    fn with(&self, key: &str) -> rusqlite::Result<Vec<String>> {
        let list = |sql: &str| -> rusqlite::Result<Vec<String>> {
            self.conn
                .prepare(sql)?
                .query_map([key], |row| row.get(0))?
                .collect()
        };
        Ok(match key.split_once('_') {
            Some(("mh", _)) => list(
                "SELECT t.key FROM edges e JOIN nodes t ON t.id = e.src
                 WHERE e.type = 'paid_to' AND e.dst = (SELECT id FROM nodes WHERE key = ?1)",
            )?,
            Some(("pe", _)) => list(
                "WITH me AS (SELECT id FROM nodes WHERE key = ?1),
                 written AS (SELECT DISTINCT substr(n.key, 1, instr(n.key, '@') - 1) AS chat, e.src = (SELECT id FROM me) AS mine
                     FROM edges e JOIN nodes n ON n.id = e.dst JOIN nodes p ON p.id = e.src
                     WHERE e.type = 'sent_to' AND p.type = 'person')
                 SELECT chat FROM written WHERE ?1 IS NOT NULL GROUP BY chat HAVING min(mine) = 1",
            )?,
            Some(("tr", rest)) => vec![format!("ac_{rest}")],
            Some(("ac", rest)) => vec![format!("tr_{rest}")],
            _ => vec![],
        })
    }
}

/// Removes what falls in the span and what is, or names, one of the things.
pub(super) fn remove(
    tx: &Transaction<'_>,
    forget: &Forget,
    zone: Tz,
    removed: &mut Removed,
) -> rusqlite::Result<()> {
    let mut ids: BTreeSet<i64> = BTreeSet::new();
    if let Some(span) = forget.span {
        let candidates: Vec<(i64, i64, String)> = tx
            .prepare(
                "SELECT id, at_ms, data FROM nodes WHERE (at_ms >= ?1 AND at_ms < ?2)
                 OR (type = 'event' AND at_ms >= ?3 AND at_ms < ?1)
                 OR (type = 'conversation' AND at_ms >= ?2 AND at_ms < ?4)",
            )?
            .query_map(
                params![
                    span.from.ms(),
                    span.to.ms(),
                    span.from.ms().saturating_sub(EVENT_MS),
                    span.to.ms().saturating_add(DAY_MS)
                ],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )?
            .collect::<rusqlite::Result<_>>()?;
        removed.rows(
            "edges",
            tx.execute(
                "DELETE FROM edges WHERE at_ms >= ?1 AND at_ms < ?2",
                params![span.from.ms(), span.to.ms()],
            )?,
        );
        for (id, at_ms, data) in candidates {
            let at = Timestamp::from_ms(at_ms);
            match falls(&data, at, forget, zone) {
                Falls::In => drop(ids.insert(id)),
                Falls::SeenLast => {
                    if !still_seen(tx, id)? {
                        ids.insert(id);
                    }
                }
                Falls::Out => {}
            }
        }
    }
    for thing in &forget.things {
        let named: Vec<i64> = tx
            .prepare(
                "SELECT id FROM nodes WHERE key = ?1 OR instr(key, ?1 || '@') = 1 OR instr(data, ?1) > 0",
            )?
            .query_map([thing], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        ids.extend(named);
        removed.rows(
            "labels",
            tx.execute("DELETE FROM labels WHERE key = ?1", [thing])?,
        );
    }
    for id in &ids {
        remove_node(tx, *id, removed)?;
    }
    if !ids.is_empty() || forget.span.is_some() {
        let orphans = "DELETE FROM labels WHERE at_ms >= ?1 AND at_ms < ?2 OR NOT EXISTS (SELECT 1 FROM nodes
            WHERE nodes.key = labels.key OR (nodes.key > labels.key || '@' AND nodes.key < labels.key || 'A'))";
        let span = forget.span.map_or((0, 0), |span| (span.from.ms(), span.to.ms()));
        removed.rows("labels", tx.execute(orphans, params![span.0, span.1])?);
    }
    Ok(())
}

/// Removes the nodes of a trace and of what it did.
pub(super) fn remove_trace(
    tx: &Transaction<'_>,
    trace: &TraceId,
    removed: &mut Removed,
) -> rusqlite::Result<()> {
    for key in [NodeKey::from(trace), NodeKey::action(trace)] {
        let id: Option<i64> = tx
            .prepare_cached("SELECT id FROM nodes WHERE key = ?1")?
            .query_row([key.as_str()], |row| row.get(0))
            .optional()?;
        if let Some(id) = id {
            remove_node(tx, id, removed)?;
        }
    }
    Ok(())
}

fn remove_node(tx: &Transaction<'_>, id: i64, removed: &mut Removed) -> rusqlite::Result<()> {
    let run = |sql: &str| tx.prepare_cached(sql)?.execute([id]);
    run("DELETE FROM words WHERE rowid = ?1")?;
    removed.rows("edges", run("DELETE FROM edges WHERE src = ?1 OR dst = ?1")?);
    removed.rows("nodes", run("DELETE FROM nodes WHERE id = ?1")?);
    Ok(())
}

enum Falls {
    In,
    Out,
    /// It has no time of its own and was seen last in the span.
    SeenLast,
}

/// Whether a node falls in the span.
fn falls(data: &str, at: Timestamp, forget: &Forget, zone: Tz) -> Falls {
    let inside = |yes: bool| if yes { Falls::In } else { Falls::Out };
    let Some(span) = forget.span else {
        return Falls::Out;
    };
    match serde_json::from_str::<NodeData>(data) {
        Ok(NodeData::User {} | NodeData::App {} | NodeData::Person { .. } | NodeData::Place { .. }) => {
            Falls::SeenLast
        }
        Ok(NodeData::Event { end, .. }) => inside(forget.time(at) || (at < span.to && end > span.from)),
        Ok(NodeData::Conversation { day, .. }) => {
            let begin = day.and_time(NaiveTime::MIN).and_local_timezone(zone).earliest();
            let begin = begin.map_or(at, |begin| Timestamp::from(begin.to_utc()));
            inside(begin < span.to && at >= span.from)
        }
        Ok(
            NodeData::Transaction { .. }
            | NodeData::HealthSnapshot { .. }
            | NodeData::Action { .. }
            | NodeData::Trace { .. },
        )
        // Of another version: by its time.
        | Err(_) => inside(forget.time(at)),
    }
}

/// Dates a thing by the newest edge that is left; false when there is none.
fn still_seen(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<bool> {
    let newest: Option<i64> = tx
        .prepare_cached("SELECT max(at_ms) FROM edges WHERE src = ?1 OR dst = ?1")?
        .query_row([id], |row| row.get(0))?;
    let Some(newest) = newest else {
        return Ok(false);
    };
    tx.prepare_cached("UPDATE nodes SET at_ms = ?2 WHERE id = ?1")?
        .execute([id, newest])?;
    Ok(true)
}
