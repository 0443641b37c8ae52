//! What is kept about one person or chat.
//!
//! What: [`KeptRows`], every row of an export that names them; [`SenderTotal`], how much each person wrote. Why: "what do you know of Miriam" is
//! answered with all of it, or it is no answer. Not here: what goes when she is forgotten (`erase`), which is more: chats nobody else wrote in.

use super::{EdgeType, GraphEdge, NodeKey, NodeRow, read};
use crate::{
    error::StoreError,
    reader::StoreReader,
    rows::{TraceRow, from_sql},
};
use rusqlite::params;
use toolcall_schema::Timestamp;

/// The rows that name somebody or a chat, newest first. An export of everything holds the same.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRows {
    /// Their own nodes, and those whose data names them.
    pub nodes: Vec<NodeRow>,
    /// The edges from and to their own nodes.
    pub edges: Vec<GraphEdge>,
    /// What the owner calls them.
    pub label: Option<String>,
    /// Their newest traces, as many as were asked for.
    pub traces: Vec<TraceRow>,
    /// All of their traces.
    pub traces_all: u64,
}

/// What memory keeps of somebody's messages.
#[derive(Debug, Clone, PartialEq)]
pub struct SenderTotal {
    /// The person.
    pub key: NodeKey,
    pub messages: u64,
    /// What the owner calls them.
    pub label: Option<String>,
    /// When they were seen last.
    pub at: Timestamp,
    /// The conversation they wrote in last.
    pub wrote_in: Option<NodeKey>,
}

/// A node's own key, or that of a day of it.
const OWN: &str = "(n.key = ?1 OR (n.key > ?1 || '@' AND n.key < ?1 || 'A'))";

/// What Aura did about it; of the data of nodes no other names a person or a chat that is not its own.
const ABOUT: &str = "(n.type = 'action' AND json_extract(n.data, '$.subject') = ?1)";

fn nodes_about() -> String {
    format!(
        "{} WHERE {OWN} OR {ABOUT} ORDER BY n.at_ms DESC, n.id",
        read::NODES
    )
}

impl StoreReader {
    /// Everything that names a person or a chat; of its traces the newest.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn rows_about(&self, key: &NodeKey, traces: u32) -> Result<KeptRows, StoreError> {
        let id = params![key.as_str()];
        let nodes = self.rows(&nodes_about(), id, |row| {
            Ok(read::node_row(row)?.map(|(_, row)| row))
        })?;
        let edges = self.rows(
            &format!(
                "WITH me AS (SELECT n.id FROM nodes n WHERE {OWN})
                 SELECT a.key, e.type, b.key, e.at_ms, e.weight FROM edges e
                 JOIN nodes a ON a.id = e.src JOIN nodes b ON b.id = e.dst
                 WHERE e.src IN (SELECT id FROM me) OR e.dst IN (SELECT id FROM me) ORDER BY e.at_ms DESC, b.key DESC, a.key"
            ),
            id,
            |row| {
                let (from, edge_type, to): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let (at_ms, weight) = (row.get(3)?, row.get(4)?);
                let read = || {
                    Some(GraphEdge {
                        from: NodeKey::parse(&from).ok()?,
                        edge_type: EdgeType::parse(&edge_type)?,
                        to: NodeKey::parse(&to).ok()?,
                        at: Timestamp::from_ms(at_ms),
                        weight,
                    })
                };
                Ok(read())
            },
        )?;
        let label = self.text("SELECT text FROM labels WHERE key = ?1", key.as_str())?;
        let all = self
            .conn()
            .prepare_cached("SELECT count(*) FROM mentions WHERE thing = ?1")
            .and_then(|mut counted| counted.query_row(id, |row| row.get(0)))
            .map_err(|e| self.sql(e))?;
        Ok(KeptRows {
            nodes,
            edges,
            label,
            traces: self.traces_about(key, traces)?,
            traces_all: from_sql(all),
        })
    }

    /// Of each person how many messages are kept, newest first, at most `limit` people.
    ///
    /// # Errors
    /// As [`Self::rows_about`].
    pub fn sender_totals(&self, limit: u32) -> Result<Vec<SenderTotal>, StoreError> {
        self.rows(
            "SELECT n.key, n.at_ms, (SELECT text FROM labels WHERE key = n.key),
                 (SELECT CAST(coalesce(sum(e.weight), 0) AS INTEGER) FROM edges e WHERE e.src = n.id AND e.type = 'sent_to'),
                 (SELECT d.key FROM edges e JOIN nodes d ON d.id = e.dst WHERE e.src = n.id AND e.type = 'sent_to'
                  ORDER BY e.at_ms DESC, d.key LIMIT 1)
             FROM nodes n WHERE n.type = 'person' AND substr(n.key, 1, 3) = 'pe_' ORDER BY n.at_ms DESC, n.id LIMIT ?1",
            params![limit],
            |row| {
                let key: String = row.get(0)?;
                let (at_ms, label, messages) = (row.get(1)?, row.get(2)?, row.get(3)?);
                let talk: Option<String> = row.get(4)?;
                let total = |key| SenderTotal {
                    key,
                    messages: from_sql(messages),
                    label,
                    at: Timestamp::from_ms(at_ms),
                    wrote_in: talk.and_then(|key| NodeKey::parse(&key).ok()),
                };
                Ok(NodeKey::parse(&key).ok().map(total))
            },
        )
    }

    /// Through which programs messages of a person or of a chat came, the newest first, each once; `None` among them: through none, so that they
    /// are mails.
    ///
    /// # Errors
    /// As [`Self::rows_about`].
    pub fn programs_of(&self, key: &NodeKey) -> Result<Vec<Option<NodeKey>>, StoreError> {
        let found = self.rows(
            &format!(
                "WITH talks AS (
                     SELECT w.dst AS id, w.at_ms FROM edges w JOIN nodes n ON n.id = w.src WHERE n.key = ?1 AND w.type = 'sent_to'
                     UNION SELECT n.id, n.at_ms FROM nodes n WHERE n.type = 'conversation' AND {OWN})
                 SELECT a.key AS program FROM talks
                 LEFT JOIN edges t ON t.dst = talks.id AND t.type = 'sent_to' AND EXISTS (SELECT 1 FROM nodes WHERE id = t.src AND type = 'app')
                 LEFT JOIN nodes a ON a.id = t.src
                 GROUP BY program ORDER BY max(coalesce(t.at_ms, talks.at_ms)) DESC, program"
            ),
            params![key.as_str()],
            |row| {
                let program: Option<String> = row.get(0)?;
                Ok(Some(program.map(|key| NodeKey::parse(&key).ok())))
            },
        )?;
        // A key of another shape is of nobody's program.
        Ok(found
            .into_iter()
            .filter_map(|program| match program {
                None => Some(None),
                Some(key) => key.map(Some),
            })
            .collect())
    }

    /// What the owner calls things, the newest name first, at most `limit`.
    ///
    /// # Errors
    /// As [`Self::rows_about`].
    pub fn newest_labels(&self, limit: u32) -> Result<Vec<(NodeKey, String, Timestamp)>, StoreError> {
        self.rows(
            "SELECT key, text, at_ms FROM labels ORDER BY at_ms DESC, key LIMIT ?1",
            params![limit],
            |row| {
                let key: String = row.get(0)?;
                let (text, at_ms) = (row.get(1)?, row.get(2)?);
                let label = |key| (key, text, Timestamp::from_ms(at_ms));
                Ok(NodeKey::parse(&key).ok().map(label))
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, StoreOptions, Vault};

    #[test]
    fn who_is_asked_about_costs_no_look_through_all_that_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        drop(Store::open(&vault, StoreOptions::default()).unwrap());
        let reader = StoreReader::open(&vault).unwrap();
        let mut plan = reader
            .conn()
            .prepare(&format!("EXPLAIN QUERY PLAN {}", nodes_about()))
            .unwrap();
        let lines = plan
            .query_map(["ch_00000000000000c3"], |row| row.get::<_, String>(3))
            .unwrap();
        let plan = lines.map(Result::unwrap).collect::<Vec<_>>().join("; ");
        assert!(
            plan.contains("nodes_subject") && !plan.contains("SCAN n"),
            "{plan}"
        );
    }
}
