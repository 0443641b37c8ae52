//! Reading the graph.
//!
//! What: looking a node up, its edges, searching by words, counting. Why: commands, pages and exports ask the same few
//! questions. Not here: the other tables (`reader`).

use super::{EdgeType, GraphNode, NodeData, NodeKey, NodeType, SearchField, words};
use crate::{error::StoreError, reader::StoreReader, rows::from_sql};
use rusqlite::{OptionalExtension as _, Row, params};
use serde::Serialize;
use std::collections::BTreeMap;
use toolcall_schema::{Timestamp, trace::Trace};

/// A node with what the owner calls it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeRow {
    /// The node.
    #[serde(flatten)]
    pub node: GraphNode,
    /// The owner's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchHit {
    /// What was found.
    #[serde(flatten)]
    pub row: NodeRow,
    /// How well it fits: BM25 with its sign turned, so that more is better.
    pub score: f64,
    /// Why: each searched word, and a field in which a word begins with it.
    pub because: Vec<(String, SearchField)>,
}

/// An edge as seen from one of its nodes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkedNode {
    /// What it says.
    #[serde(rename = "type")]
    pub edge_type: EdgeType,
    /// Whether it leads away from the node.
    pub out: bool,
    /// The other node.
    pub other: NodeKey,
    /// What the other node is.
    pub other_type: NodeType,
    /// What the owner calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub at: Timestamp,
    /// How much.
    pub weight: f64,
}

/// Nodes of a type, the newer ones whole and all of them counted.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptNodes {
    /// Those from the asked time on, oldest first.
    pub recent: Vec<GraphNode>,
    /// How many there are in all.
    pub all: u64,
    /// When the newest of all is from.
    pub newest: Option<Timestamp>,
}

/// How many there are of a type, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TypeStats {
    /// How many.
    pub count: u64,
    /// The oldest.
    pub oldest: Timestamp,
    /// The newest.
    pub newest: Timestamp,
}

/// What is remembered, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GraphStats {
    /// Nodes by type; a type without nodes is absent.
    pub nodes: BTreeMap<NodeType, TypeStats>,
    /// Edges by type.
    pub edges: BTreeMap<EdgeType, u64>,
    /// Names the owner gave.
    pub labels: u64,
}

impl StoreReader {
    /// A node by its key.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn node(&self, key: &NodeKey) -> Result<Option<NodeRow>, StoreError> {
        let rows = self.rows(
            &format!("{NODES} WHERE n.key = ?1"),
            params![key.as_str()],
            |row| Ok(node_row(row)?.map(|(_, row)| row)),
        )?;
        Ok(rows.into_iter().next())
    }

    /// The nodes of a type whose keys begin so: those from `since` on, and how many there are.
    ///
    /// # Errors
    /// As [`Self::node`].
    pub fn kept_nodes(
        &self,
        node_type: NodeType,
        key_prefix: &str,
        since: Timestamp,
    ) -> Result<KeptNodes, StoreError> {
        let recent = self.rows(
            &format!(
                "{NODES} WHERE n.type = ?1 AND n.at_ms >= ?2 AND substr(n.key, 1, length(?3)) = ?3 ORDER BY n.at_ms, n.id"
            ),
            params![node_type.as_str(), since.ms(), key_prefix],
            |row| Ok(node_row(row)?.map(|(_, row)| row.node)),
        )?;
        // Keys that begin so are of this type alone.
        let all = self.count_keys(key_prefix)?;
        let newest = self.rows(
            "SELECT at_ms FROM nodes WHERE type = ?1 AND substr(key, 1, length(?2)) = ?2 ORDER BY at_ms DESC LIMIT 1",
            params![node_type.as_str(), key_prefix],
            |row| Ok(Some(Timestamp::from_ms(row.get(0)?))),
        )?;
        Ok(KeptNodes {
            recent,
            all,
            newest: newest.into_iter().next(),
        })
    }

    /// How many keys begin so. They are counted in their index, and no node is read for it.
    ///
    /// # Errors
    /// As [`Self::node`].
    pub fn count_keys(&self, prefix: &str) -> Result<u64, StoreError> {
        let count = self
            .conn()
            .prepare_cached("SELECT count(*) FROM nodes WHERE key >= ?1 AND key < ?1 || '~'")
            .and_then(|mut counted| counted.query_row(params![prefix], |row| row.get(0)))
            .map_err(|e| self.sql(e))?;
        Ok(from_sql(count))
    }

    /// The nodes of a type whose keys begin so, from an instant on and before another, newest first.
    ///
    /// # Errors
    /// As [`Self::node`].
    pub fn nodes_between(
        &self,
        node_type: NodeType,
        key_prefix: &str,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Vec<GraphNode>, StoreError> {
        self.rows(
            &format!(
                "{NODES} WHERE n.type = ?1 AND n.at_ms >= ?2 AND n.at_ms < ?3 AND substr(n.key, 1, length(?4)) = ?4 \
                 ORDER BY n.at_ms DESC, n.id"
            ),
            params![node_type.as_str(), from.ms(), to.ms(), key_prefix],
            |row| Ok(node_row(row)?.map(|(_, row)| row.node)),
        )
    }

    /// The newest nodes of a type whose keys begin so, newest first, at most `limit`.
    ///
    /// # Errors
    /// As [`Self::node`].
    pub fn newest_nodes(
        &self,
        node_type: NodeType,
        key_prefix: &str,
        limit: u32,
    ) -> Result<Vec<NodeRow>, StoreError> {
        self.rows(
            &format!(
                "{NODES} WHERE n.type = ?1 AND substr(n.key, 1, length(?2)) = ?2 ORDER BY n.at_ms DESC, n.id LIMIT ?3"
            ),
            params![node_type.as_str(), key_prefix, limit],
            |row| Ok(node_row(row)?.map(|(_, row)| row)),
        )
    }

    /// The keys of all nodes of a type whose keys begin so, in their order.
    ///
    /// # Errors
    /// As [`Self::node`].
    pub fn keys_of(&self, node_type: NodeType, key_prefix: &str) -> Result<Vec<NodeKey>, StoreError> {
        self.rows(
            "SELECT key FROM nodes WHERE type = ?1 AND substr(key, 1, length(?2)) = ?2 ORDER BY key",
            params![node_type.as_str(), key_prefix],
            |row| Ok(NodeKey::parse(&row.get::<_, String>(0)?).ok()),
        )
    }

    /// The edges of a node, newest first, at most `limit`.
    ///
    /// # Errors
    /// As [`Self::node`].
    pub fn linked(&self, key: &NodeKey, limit: u32) -> Result<Vec<LinkedNode>, StoreError> {
        self.rows(
            "WITH me AS (SELECT id FROM nodes WHERE key = ?1)
             SELECT e.type, 1, n.key, n.type, e.at_ms, e.weight,
                 (SELECT text FROM labels WHERE key = substr(n.key, 1, instr(n.key || '@', '@') - 1))
             FROM edges e JOIN nodes n ON n.id = e.dst WHERE e.src = (SELECT id FROM me)
             UNION ALL
             SELECT e.type, 0, n.key, n.type, e.at_ms, e.weight,
                 (SELECT text FROM labels WHERE key = substr(n.key, 1, instr(n.key || '@', '@') - 1))
             FROM edges e JOIN nodes n ON n.id = e.src WHERE e.dst = (SELECT id FROM me)
             ORDER BY 5 DESC, 3 LIMIT ?2",
            params![key.as_str(), limit],
            |row| {
                let (edge, other, node): (String, String, String) = (row.get(0)?, row.get(2)?, row.get(3)?);
                let (out, at_ms, weight, label) = (row.get(1)?, row.get(4)?, row.get(5)?, row.get(6)?);
                let read = || {
                    Some(LinkedNode {
                        edge_type: EdgeType::parse(&edge)?,
                        out,
                        other: NodeKey::parse(&other).ok()?,
                        other_type: NodeType::parse(&node)?,
                        label,
                        at: Timestamp::from_ms(at_ms),
                        weight,
                    })
                };
                Ok(read())
            },
        )
    }

    /// What the owner calls some things, where they have a name.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn own_names(&self, keys: &[NodeKey]) -> Result<Vec<(NodeKey, String)>, StoreError> {
        let mut statement = self
            .conn()
            .prepare_cached("SELECT text FROM labels WHERE key = ?1")
            .map_err(|e| self.sql(e))?;
        let mut found = Vec::new();
        for key in keys {
            let name: Option<String> = statement
                .query_row([key.as_str()], |row| row.get(0))
                .optional()
                .map_err(|e| self.sql(e))?;
            found.extend(name.map(|name| (key.clone(), name)));
        }
        Ok(found)
    }

    /// The nodes in which every searched word stands, or a word that begins with it; the best first, at most `limit`.
    /// Nothing is found by a text without letters and digits.
    ///
    /// # Errors
    /// As [`Self::node`].
    pub fn search(
        &self,
        text: &str,
        node_type: Option<NodeType>,
        limit: u32,
    ) -> Result<Vec<SearchHit>, StoreError> {
        let searched: Vec<String> = words::tokens(text).collect();
        if searched.is_empty() {
            return Ok(Vec::new());
        }
        // Words are letters and digits only, so the quotes cannot be left.
        let query: Vec<String> = searched.iter().map(|word| format!("\"{word}\"*")).collect();
        let rows = self.rows(
            "SELECT n.id, n.key, n.at_ms, n.data,
                 (SELECT text FROM labels WHERE key = substr(n.key, 1, instr(n.key || '@', '@') - 1)), -w.rank
             FROM words w JOIN nodes n ON n.id = w.rowid
             WHERE words MATCH ?1 AND (?2 IS NULL OR n.type = ?2) ORDER BY w.rank, n.at_ms DESC LIMIT ?3",
            params![query.join(" "), node_type.map(NodeType::as_str), limit],
            |row| {
                let score = row.get(5)?;
                Ok(node_row(row)?.map(|(_, row)| (row, score)))
            },
        )?;
        rows.into_iter()
            .map(|(row, score)| {
                let sentence = self.sentence(&row.node)?;
                let fields = words::words(
                    &row.node.key,
                    &row.node.data,
                    row.label.as_deref(),
                    sentence.as_deref(),
                );
                Ok(SearchHit {
                    because: words::matches(&fields, &searched),
                    row,
                    score,
                })
            })
            .collect()
    }

    /// The sentence that a trace's node is found by.
    fn sentence(&self, node: &GraphNode) -> Result<Option<String>, StoreError> {
        if node.data.node_type() != NodeType::Trace {
            return Ok(None);
        }
        let json: Option<String> = self
            .conn()
            .prepare_cached("SELECT json FROM traces WHERE trace_id = ?1")
            .and_then(|mut found| found.query_row([node.key.as_str()], |row| row.get(0)).optional())
            .map_err(|e| self.sql(e))?;
        Ok(json
            .and_then(|json| serde_json::from_str::<Trace>(&json).ok())
            .map(|trace| trace.rationale))
    }

    /// What is remembered, in numbers.
    ///
    /// # Errors
    /// As [`Self::node`].
    pub fn stats(&self) -> Result<GraphStats, StoreError> {
        let nodes = self.rows(
            "SELECT type, count(*), min(at_ms), max(at_ms) FROM nodes GROUP BY type",
            params![],
            |row| {
                let stats = TypeStats {
                    count: from_sql(row.get(1)?),
                    oldest: Timestamp::from_ms(row.get(2)?),
                    newest: Timestamp::from_ms(row.get(3)?),
                };
                Ok(NodeType::parse(&row.get::<_, String>(0)?).map(|of| (of, stats)))
            },
        )?;
        let edges = self.rows(
            "SELECT type, count(*) FROM edges GROUP BY type",
            params![],
            |row| {
                let count = from_sql(row.get(1)?);
                Ok(EdgeType::parse(&row.get::<_, String>(0)?).map(|of| (of, count)))
            },
        )?;
        let labels = self
            .conn()
            .query_row("SELECT count(*) FROM labels", [], |row| row.get(0))
            .map_err(|e| self.sql(e))?;
        Ok(GraphStats {
            nodes: nodes.into_iter().collect(),
            edges: edges.into_iter().collect(),
            labels: from_sql(labels),
        })
    }
}

/// Ends before the condition; the columns that [`node_row`] reads.
pub(super) const NODES: &str = "SELECT n.id, n.key, n.at_ms, n.data,
    (SELECT text FROM labels WHERE key = substr(n.key, 1, instr(n.key || '@', '@') - 1)) FROM nodes n";

/// Id, key, time, data, label.
pub(super) fn node_row(row: &Row<'_>) -> rusqlite::Result<Option<(i64, NodeRow)>> {
    let (id, key, at_ms): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let (data, label): (String, Option<String>) = (row.get(3)?, row.get(4)?);
    let read = || {
        let node = GraphNode {
            key: NodeKey::parse(&key).ok()?,
            at: Timestamp::from_ms(at_ms),
            data: serde_json::from_str::<NodeData>(&data).ok()?,
        };
        Some((id, NodeRow { node, label }))
    };
    Ok(read())
}
