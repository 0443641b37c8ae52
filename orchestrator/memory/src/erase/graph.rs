//! What goes out of the graph.
//!
//! What: [`rows`], by time and by id, and [`closure`], what goes with a person, a chat or a merchant. Why: what is left must not
//! tell of what is gone. Not here: the other tables (`plan`).

use super::{
    RowRemoval,
    plan::{keys, labels},
    removal::{CountedStatement, RowKey, number},
};
use crate::graph::{NodeData, NodeKey, NodeType};
use chrono::NaiveTime;
use chrono_tz::Tz;
use rusqlite::{Connection, OptionalExtension, params, types::Value};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Timestamp,
    forget::{ErasureScope, MeasuredKind},
    ids::TraceId,
};

pub(super) const EDGE: &[CountedStatement] = &[(
    "DELETE FROM edges WHERE src = ?1 AND type = ?2 AND dst = ?3 AND at_ms = ?4",
    Some("edges"),
)];
const REDATE: &[CountedStatement] = &[("UPDATE nodes SET at_ms = ?2 WHERE id = ?1", None)];
const WORDS: &[CountedStatement] = &[("DELETE FROM words WHERE rowid = ?1", None)];
/// A measurement goes out of a row that holds another one.
const WITHOUT: &[CountedStatement] = &[("UPDATE nodes SET data = ?2 WHERE id = ?1", Some("measurements"))];
/// Its edges are gone before; one that came since goes with it.
pub(super) const NODE: &[CountedStatement] = &[
    ("DELETE FROM words WHERE rowid = ?1", None),
    ("DELETE FROM edges WHERE src = ?1 OR dst = ?1", Some("edges")),
    ("DELETE FROM nodes WHERE id = ?1", Some("nodes")),
];
const LABEL: &[CountedStatement] = &[("DELETE FROM labels WHERE key = ?1", Some("labels"))];

/// The longest event that is looked for when it began before a span: 31 days, in milliseconds.
const EVENT_MS: i64 = 31 * 86_400_000;
/// A conversation lasts one local day; the last message of one that began in a span came at most two days after its end.
const DAY_MS: i64 = 2 * 86_400_000;

/// What has to go with some nodes.
pub(super) fn closure(conn: &Connection, keys: &[NodeKey]) -> rusqlite::Result<BTreeSet<String>> {
    let mut things = BTreeSet::new();
    for key in keys {
        things.insert(key.as_str().to_owned());
        things.extend(with(conn, key.as_str())?);
    }
    if keys.iter().any(|key| key.as_str().starts_with("pe_")) {
        things.extend(only_theirs(conn, &things)?);
    }
    things.extend(spent(conn, &things)?);
    Ok(things)
}

/// How the amount of a payment stands in the readings of a day on which it was the only one.
fn spent(conn: &Connection, things: &BTreeSet<String>) -> rusqlite::Result<Vec<String>> {
    let mut amount = conn.prepare(
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

fn with(conn: &Connection, key: &str) -> rusqlite::Result<Vec<String>> {
    let list = |sql: &str| -> rusqlite::Result<Vec<String>> {
        conn.prepare(sql)?.query_map([key], |row| row.get(0))?.collect()
    };
    Ok(match key.split_once('_') {
        Some(("mh", _)) => list(
            "SELECT t.key FROM edges e JOIN nodes t ON t.id = e.src
             WHERE e.type = 'paid_to' AND e.dst = (SELECT id FROM nodes WHERE key = ?1)",
        )?,
        Some(("tr", rest)) => vec![format!("ac_{rest}")],
        Some(("ac", rest)) => vec![format!("tr_{rest}")],
        _ => vec![],
    })
}

/// The chats in which nobody wrote but people who go.
fn only_theirs(conn: &Connection, gone: &BTreeSet<String>) -> rusqlite::Result<Vec<String>> {
    let mut written = conn.prepare(
        "SELECT DISTINCT substr(n.key, 1, instr(n.key, '@') - 1), p.key
         FROM edges e JOIN nodes n ON n.id = e.dst JOIN nodes p ON p.id = e.src
         WHERE e.type = 'sent_to' AND p.type = 'person'",
    )?;
    let mut chats: BTreeMap<String, bool> = BTreeMap::new();
    let mut rows = written.query([])?;
    while let Some(row) = rows.next()? {
        let (chat, person): (String, String) = (row.get(0)?, row.get(1)?);
        *chats.entry(chat).or_insert(true) &= gone.contains(&person);
    }
    Ok(chats
        .into_iter()
        .filter_map(|(chat, theirs)| theirs.then_some(chat))
        .collect())
}

/// What falls in the span, what is or names one of the things, and the nodes of these traces and of what they did.
pub(super) fn rows<'a>(
    conn: &Connection,
    forget: &ErasureScope,
    zone: Tz,
    traces: impl Iterator<Item = &'a TraceId>,
) -> rusqlite::Result<RowRemoval> {
    let mut ids: BTreeSet<i64> = BTreeSet::new();
    let mut redated: BTreeMap<i64, i64> = BTreeMap::new();
    for (id, at_ms, data) in candidates(conn, forget)? {
        match falls(&data, Timestamp::from_ms(at_ms), forget, zone) {
            SpanMatch::In => drop(ids.insert(id)),
            SpanMatch::SeenLast => match seen_besides(conn, id, forget)? {
                Some(newest) => drop(redated.insert(id, newest)),
                None => drop(ids.insert(id)),
            },
            SpanMatch::Out => {}
        }
    }
    let mut without: BTreeMap<i64, String> = BTreeMap::new();
    for (id, left) in measured_rows(conn, forget)? {
        match left {
            Some(data) => drop(without.insert(id, data)),
            None => drop(ids.insert(id)),
        }
    }
    let mut names = BTreeSet::new();
    if !forget.things.is_empty() {
        ids.extend(nodes_naming(conn, forget)?);
    }
    for thing in &forget.things {
        names.extend(texts(conn, "SELECT key FROM labels WHERE key = ?1", thing)?);
    }
    // A name goes with the thing that it names, and so does one that names nothing.
    if !ids.is_empty() || forget.span.is_some() {
        names.extend(orphans(conn, forget, &ids)?);
    }
    for trace in traces {
        for key in [NodeKey::from(trace), NodeKey::action(trace)] {
            ids.extend(numbers(
                conn,
                "SELECT id FROM nodes WHERE key = ?1",
                key.as_str(),
            )?);
        }
    }
    redated.retain(|id, _| !ids.contains(id));
    without.retain(|id, _| !ids.contains(id));
    // The state of a load that goes is searched for no more.
    let unsearched: Vec<i64> = if forget.measured.contains(&MeasuredKind::Load) {
        without.keys().copied().collect()
    } else {
        vec![]
    };
    let without = without
        .into_iter()
        .map(|(id, data)| -> RowKey { Box::new([Value::Integer(id), Value::Text(data)]) });
    let redated = redated
        .into_iter()
        .map(|(id, at_ms)| -> RowKey { Box::new([Value::Integer(id), Value::Integer(at_ms)]) });
    let mut removal = RowRemoval::default();
    removal.add(EDGE, edges(conn, forget, &ids)?);
    removal.add(REDATE, redated.collect());
    removal.add(WORDS, unsearched.into_iter().map(number).collect());
    removal.add(WITHOUT, without.collect());
    removal.add(NODE, ids.into_iter().map(number).collect());
    removal.add(LABEL, labels(names));
    Ok(removal)
}

/// The nodes that are one of the things, a day of one, or name one. One pass, however many things there are.
fn nodes_naming(conn: &Connection, forget: &ErasureScope) -> rusqlite::Result<Vec<i64>> {
    let mut nodes = conn.prepare("SELECT id, key, data FROM nodes")?;
    let mut rows = nodes.query([])?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        let key = row.get_ref(1)?.as_str().unwrap_or_default();
        // Each of its values goes by itself (`measured_rows`).
        if !forget.measured.is_empty() && (key.starts_with("hs_") || key.starts_with("hd_")) {
            continue;
        }
        let is_thing = forget.covers_thing(key)
            || key
                .match_indices('@')
                .any(|(at, _)| key.get(..at).is_some_and(|of| forget.covers_thing(of)));
        if is_thing || forget.mentions_thing(row.get_ref(2)?.as_str().unwrap_or_default()) {
            ids.push(row.get(0)?);
        }
    }
    Ok(ids)
}

/// The rows that hold a measurement that goes: what is left of each, or nothing.
fn measured_rows(conn: &Connection, forget: &ErasureScope) -> rusqlite::Result<Vec<(i64, Option<String>)>> {
    if forget.measured.is_empty() {
        return Ok(vec![]);
    }
    let goes = |kind| forget.measured.contains(&kind);
    let mut nodes = conn.prepare("SELECT id, data FROM nodes WHERE type = 'health_snapshot'")?;
    let mut rows = nodes.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let data = row.get_ref(1)?.as_str().unwrap_or_default();
        let Ok(before) = serde_json::from_str::<NodeData>(data) else {
            continue;
        };
        let NodeData::HealthSnapshot {
            score,
            state,
            rmssd_ms,
            resting_bpm,
            sleep_min,
        } = before
        else {
            continue;
        };
        let load = goes(MeasuredKind::Load);
        let left = NodeData::HealthSnapshot {
            score: score.filter(|_| !load),
            state: state.filter(|_| !load),
            rmssd_ms: rmssd_ms.filter(|_| !goes(MeasuredKind::HeartRateVariability)),
            resting_bpm: resting_bpm.filter(|_| !goes(MeasuredKind::RestingHeartRate)),
            sleep_min: sleep_min.filter(|_| !goes(MeasuredKind::Sleep)),
        };
        let nothing = NodeData::HealthSnapshot {
            score: None,
            state: None,
            rmssd_ms: None,
            resting_bpm: None,
            sleep_min: None,
        };
        if left == nothing {
            found.push((row.get(0)?, None));
        } else if left != before {
            found.push((
                row.get(0)?,
                Some(serde_json::to_string(&left).unwrap_or_default()),
            ));
        }
    }
    Ok(found)
}

/// Nodes that may fall in the span: id, date, data.
fn candidates(conn: &Connection, forget: &ErasureScope) -> rusqlite::Result<Vec<(i64, i64, String)>> {
    let Some(span) = forget.span else {
        return Ok(vec![]);
    };
    // By `nodes_type`, whose dates stand within each type.
    let types: Vec<String> = NodeType::ALL
        .iter()
        .map(|of| format!("'{}'", of.as_str()))
        .collect();
    conn.prepare(&format!(
        "SELECT id, at_ms, data FROM nodes WHERE (type IN ({}) AND at_ms >= ?1 AND at_ms < ?2)
         OR (type = 'event' AND at_ms >= ?3 AND at_ms < ?1)
         OR (type = 'conversation' AND at_ms >= ?2 AND at_ms < ?4)",
        types.join(", ")
    ))?
    .query_map(
        params![
            span.from.ms(),
            span.to.ms(),
            span.from.ms().saturating_sub(EVENT_MS),
            span.to.ms().saturating_add(DAY_MS)
        ],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?
    .collect()
}

/// The edges of the span and of the nodes that go.
fn edges(conn: &Connection, forget: &ErasureScope, ids: &BTreeSet<i64>) -> rusqlite::Result<Vec<RowKey>> {
    let (from, to) = forget.span.map_or((0, 0), |span| (span.from.ms(), span.to.ms()));
    let mut found = keys(
        conn,
        "SELECT src, type, dst, at_ms FROM edges WHERE at_ms >= ?1 AND at_ms < ?2",
        params![from, to],
    )?;
    let mut of_node = conn.prepare(
        "SELECT src, type, dst, at_ms FROM edges WHERE src = ?1 AND NOT (at_ms >= ?2 AND at_ms < ?3)
         UNION SELECT src, type, dst, at_ms FROM edges WHERE dst = ?1 AND NOT (at_ms >= ?2 AND at_ms < ?3)",
    )?;
    for id in ids {
        let mut rows = of_node.query(params![id, from, to])?;
        while let Some(row) = rows.next()? {
            let (src, dst): (i64, i64) = (row.get(0)?, row.get(2)?);
            // One between two nodes that go is found with the smaller.
            let other = if src == *id { dst } else { src };
            if other >= *id || !ids.contains(&other) {
                let values: [Value; 4] = [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
                found.push(Box::new(values));
            }
        }
    }
    Ok(found)
}

/// Names of the span, and of things that are not there any more once these nodes have gone.
fn orphans(conn: &Connection, forget: &ErasureScope, gone: &BTreeSet<i64>) -> rusqlite::Result<Vec<String>> {
    let (from, to) = forget.span.map_or((0, 0), |span| (span.from.ms(), span.to.ms()));
    let mut nodes =
        conn.prepare("SELECT id FROM nodes WHERE key = ?1 OR (key > ?1 || '@' AND key < ?1 || 'A')")?;
    let mut all = conn.prepare("SELECT key, at_ms >= ?1 AND at_ms < ?2 FROM labels")?;
    let all = all.query_map([from, to], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?))
    })?;
    let mut orphans = Vec::new();
    for label in all {
        let (key, in_span) = label?;
        let mut of: rusqlite::Result<Vec<i64>> = Ok(vec![]);
        if !in_span {
            of = nodes.query_map([&key], |row| row.get(0))?.collect();
        }
        if of?.iter().all(|id| gone.contains(id)) {
            orphans.push(key);
        }
    }
    Ok(orphans)
}

fn numbers(conn: &Connection, sql: &str, key: &str) -> rusqlite::Result<Vec<i64>> {
    conn.prepare_cached(sql)?
        .query_map([key], |row| row.get(0))?
        .collect()
}

fn texts(conn: &Connection, sql: &str, key: &str) -> rusqlite::Result<Vec<String>> {
    conn.prepare_cached(sql)?
        .query_map([key], |row| row.get(0))?
        .collect()
}

enum SpanMatch {
    In,
    Out,
    /// It has no time of its own and was seen last in the span.
    SeenLast,
}

/// Whether a node falls in the span.
fn falls(data: &str, at: Timestamp, forget: &ErasureScope, zone: Tz) -> SpanMatch {
    let inside = |yes: bool| if yes { SpanMatch::In } else { SpanMatch::Out };
    let Some(span) = forget.span else {
        return SpanMatch::Out;
    };
    match serde_json::from_str::<NodeData>(data) {
        Ok(NodeData::User {} | NodeData::App {} | NodeData::Person { .. } | NodeData::Place { .. }) => {
            SpanMatch::SeenLast
        }
        Ok(NodeData::Event { end, .. }) => inside(forget.covers_time(at) || (at < span.to && end > span.from)),
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
        | Err(_) => inside(forget.covers_time(at)),
    }
}

/// When a thing without a time of its own was seen last, beside the span; `None`: it was not.
fn seen_besides(conn: &Connection, id: i64, forget: &ErasureScope) -> rusqlite::Result<Option<i64>> {
    let (from, to) = forget.span.map_or((0, 0), |span| (span.from.ms(), span.to.ms()));
    conn.prepare_cached(
        "SELECT max(at_ms) FROM edges WHERE (src = ?1 OR dst = ?1) AND NOT (at_ms >= ?2 AND at_ms < ?3)",
    )?
    .query_row(params![id, from, to], |row| row.get(0))
}
