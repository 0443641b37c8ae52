//! Writing the graph.
//!
//! What: a node, an edge, a label, each idempotent, inside the writer's transaction. Why: what a tick adds stands on disk with
//! its trace or not at all, and doing it twice changes nothing. Not here: taking things away (`erase`).

use super::{GraphEdge, GraphNode, NodeData, NodeKey, words};
use crate::rows::StoreWrite;
use rusqlite::{Connection, OptionalExtension as _, params};
use toolcall_schema::Timestamp;

/// Carries out a write of a node or an edge; others are none of the graph's.
pub(crate) fn write(tx: &Connection, write: &StoreWrite, index: bool) -> rusqlite::Result<()> {
    if let StoreWrite::Node { node, sentence } = write {
        put(tx, node, sentence.as_deref(), index)
    } else if let StoreWrite::Edge(edge) = write {
        link(tx, edge)
    } else {
        Ok(())
    }
}

/// Writes a node, or over the one of its key. With `index` it can be found by its words.
pub(crate) fn put(
    tx: &Connection,
    node: &GraphNode,
    sentence: Option<&str>,
    index: bool,
) -> rusqlite::Result<()> {
    // Most are new: one look into the index is enough for them.
    let inserted = tx
        .prepare_cached(
            "INSERT INTO nodes (key, type, at_ms, data) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (key) DO NOTHING",
        )?
        .execute(params![
            node.key.as_str(),
            node.data.node_type().as_str(),
            node.at.ms(),
            json(&node.data)
        ])?;
    if inserted > 0 {
        let id = tx.last_insert_rowid();
        return if index {
            add_words(tx, id, &node.key, &node.data, sentence)
        } else {
            Ok(())
        };
    }
    let (id, at_ms, text): (i64, i64, String) = tx
        .prepare_cached("SELECT id, at_ms, data FROM nodes WHERE key = ?1")?
        .query_row([node.key.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    let data = match serde_json::from_str::<NodeData>(&text) {
        Ok(before) => before.and_then(&node.data),
        // Of another version: what is known now replaces it.
        Err(_) => node.data.clone(),
    };
    let at_ms = match data {
        // An event can be moved; everything else is dated by when it was seen last.
        NodeData::Event { .. } => node.at.ms(),
        NodeData::User {}
        | NodeData::App {}
        | NodeData::Person { .. }
        | NodeData::Place { .. }
        | NodeData::Transaction { .. }
        | NodeData::Conversation { .. }
        | NodeData::HealthSnapshot { .. }
        | NodeData::Action { .. }
        | NodeData::Trace { .. } => node.at.ms().max(at_ms),
    };
    let new = json(&data);
    tx.prepare_cached(
        "UPDATE nodes SET at_ms = ?2, data = ?3 WHERE id = ?1 AND (at_ms <> ?2 OR data <> ?3)",
    )?
    .execute(params![id, at_ms, new])?;
    if index && new != text {
        remove_words(tx, id)?;
        add_words(tx, id, &node.key, &data, sentence)?;
    }
    Ok(())
}

/// Writes an edge between two nodes that are there; between others it writes nothing.
pub(crate) fn link(tx: &Connection, edge: &GraphEdge) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO edges (src, type, dst, at_ms, weight)
         SELECT a.id, ?2, b.id, ?4, ?5 FROM nodes a, nodes b WHERE a.key = ?1 AND b.key = ?3
         ON CONFLICT DO UPDATE SET weight = excluded.weight",
    )?
    .execute(params![
        edge.from.as_str(),
        edge.edge_type.as_str(),
        edge.to.as_str(),
        edge.at.ms(),
        edge.weight
    ])?;
    Ok(())
}

/// Writes what the owner calls a thing, or takes the name away. All nodes of that thing are found by it.
pub(crate) fn label(
    tx: &Connection,
    of: &NodeKey,
    text: Option<&str>,
    at: Timestamp,
) -> rusqlite::Result<()> {
    match text {
        Some(text) => tx
            .prepare_cached(
                "INSERT INTO labels (key, text, at_ms) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET text = excluded.text, at_ms = excluded.at_ms",
            )?
            .execute(params![of.as_str(), text, at.ms()])?,
        None => tx
            .prepare_cached("DELETE FROM labels WHERE key = ?1")?
            .execute([of.as_str()])?,
    };
    let rows = tx
        .prepare_cached(
            "SELECT id, key, data FROM nodes WHERE key = ?1 OR (key > ?1 || '@' AND key < ?1 || 'A')",
        )?
        .query_map([of.as_str()], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, String>(2)?,
            ))
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    for (id, key, data) in rows {
        let (Ok(key), Ok(data)) = (NodeKey::parse(&key), serde_json::from_str::<NodeData>(&data)) else {
            continue;
        };
        remove_words(tx, id)?;
        add_words(tx, id, &key, &data, None)?;
    }
    Ok(())
}

/// The thing that a label is given to: a chat has one over all its days.
fn labelled(key: &NodeKey) -> &str {
    key.as_str()
        .split_once('@')
        .map_or(key.as_str(), |(thing, _)| thing)
}

fn add_words(
    tx: &Connection,
    id: i64,
    key: &NodeKey,
    data: &NodeData,
    sentence: Option<&str>,
) -> rusqlite::Result<()> {
    let label: Option<String> = tx
        .prepare_cached("SELECT text FROM labels WHERE key = ?1")?
        .query_row([labelled(key)], |row| row.get(0))
        .optional()?;
    let fields = words::words(key, data, label.as_deref(), sentence);
    let texts: Vec<&str> = fields.iter().map(|(_, text)| text.as_str()).collect();
    tx.prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?
        .execute(params![id, texts.join("\n")])?;
    Ok(())
}

fn remove_words(tx: &Connection, id: i64) -> rusqlite::Result<()> {
    tx.prepare_cached("DELETE FROM words WHERE rowid = ?1")?
        .execute([id])?;
    Ok(())
}

fn json(data: &NodeData) -> String {
    // Names and numbers: serializing cannot fail; a null would be named when it is read.
    serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned())
}
