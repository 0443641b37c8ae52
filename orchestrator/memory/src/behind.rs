//! What a commit leaves to be written behind it.
//!
//! What: [`LeftBehind`], the nodes and edges of a turn and the traces whose mentions are to be noted, kept as one row in the turn's own
//! transaction; [`fold`], which writes them into their tables, many turns at once. Why: somebody waits for a turn's commit, and each index
//! that it changes is a page more to seal and to write (docs/adr/0149). Not here: when they are folded (`writer`).

use crate::{
    committed::CommitChange,
    folder_lock, graph, mentions,
    rows::{StoreWrite, TraceRow},
};
use rusqlite::{Connection, OptionalExtension as _};
use serde::{Deserialize, Serialize};
use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// So long a reader waits for what a writer is about to fold, and so often it looks.
const READER_WAITS: Duration = Duration::from_millis(200);
const READER_LOOKS: Duration = Duration::from_millis(1);

/// What one commit left, in order.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeftBehind<W> {
    /// Nodes and edges.
    graph: Vec<W>,
    /// The keys of traces that may name somebody.
    traces: Vec<i64>,
}

impl<'w> LeftBehind<&'w StoreWrite> {
    pub(crate) fn new() -> Self {
        Self {
            graph: Vec::new(),
            traces: Vec::new(),
        }
    }

    /// A node or an edge.
    pub(crate) fn leave(&mut self, write: &'w StoreWrite) {
        self.graph.push(write);
    }

    /// A trace that is kept now.
    pub(crate) fn leave_mentions(&mut self, row: &TraceRow) {
        self.traces.push(row.key());
    }

    /// Keeps what was left; whether there was any.
    pub(crate) fn keep(&self, tx: &Connection) -> rusqlite::Result<bool> {
        if self.graph.is_empty() && self.traces.is_empty() {
            return Ok(false);
        }
        // Names and numbers: serializing cannot fail; a row that says nothing is left alone when it is read.
        let json = serde_json::to_string(self).unwrap_or_default();
        tx.prepare_cached("INSERT INTO behind (json) VALUES (?1)")?
            .execute([json])?;
        Ok(true)
    }
}

/// Writes all that was left into its tables, in order, and says what changed with it.
pub(crate) fn fold(tx: &Connection, searchable: bool) -> rusqlite::Result<CommitChange> {
    let rows: Vec<String> = tx
        .prepare_cached("SELECT json FROM behind ORDER BY n")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut changed = CommitChange::default();
    for row in &rows {
        match serde_json::from_str::<LeftBehind<StoreWrite>>(row) {
            Ok(left) => {
                fold_one(tx, &left, searchable)?;
                changed = changed.and(CommitChange::of_writes(left.graph.iter()));
                changed.content |= !left.traces.is_empty();
            }
            Err(error) => tracing::error!(code = "STORE-003", %error, "what a commit left cannot be read"),
        }
    }
    if !rows.is_empty() {
        tx.prepare_cached("DELETE FROM behind")?.execute([])?;
    }
    Ok(changed)
}

fn fold_one(tx: &Connection, left: &LeftBehind<StoreWrite>, searchable: bool) -> rusqlite::Result<()> {
    for write in &left.graph {
        graph::write(tx, write, searchable)?;
    }
    let mut trace = tx.prepare_cached("SELECT json FROM traces WHERE tick = ?1")?;
    for tick in &left.traces {
        let json: Option<String> = trace.query_row([tick], |row| row.get(0)).optional()?;
        if let Some(json) = json {
            mentions::note(tx, *tick, &json)?;
        }
    }
    Ok(())
}

/// How many commits left something.
pub(crate) fn count(conn: &Connection) -> rusqlite::Result<usize> {
    let rows: i64 = conn.query_row("SELECT count(*) FROM behind", [], |row| row.get(0))?;
    Ok(usize::try_from(rows).unwrap_or_default())
}

/// Waits until whoever writes the folder has folded what was left before now; not where nobody does, and not for long.
pub(crate) fn wait_until_folded(conn: &Connection, dir: &Path) -> rusqlite::Result<()> {
    let begun = Instant::now();
    let mut left = conn.prepare("SELECT 1 FROM behind LIMIT 1")?;
    while left.exists([])? {
        // A folder whose writer was killed: the next one folds it.
        if begun.elapsed() >= READER_WAITS || !folder_lock::has_worker(dir) {
            break;
        }
        thread::sleep(READER_LOOKS);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Store, StoreOptions, StoreReader, Vault, database,
        graph::{GraphNode, NodeData, NodeKey},
        schema,
    };
    use toolcall_schema::Timestamp;

    fn node(key: &str) -> StoreWrite {
        StoreWrite::Node {
            node: GraphNode {
                key: NodeKey::parse(key).unwrap(),
                at: Timestamp::from_ms(0),
                data: NodeData::Person { merchant: false },
            },
            sentence: None,
        }
    }

    fn keep(conn: &Connection, writes: &[StoreWrite], traces: &[i64]) {
        let left = LeftBehind {
            graph: writes.iter().collect(),
            traces: traces.to_vec(),
        };
        assert!(left.keep(conn).unwrap());
    }

    #[test]
    fn what_a_commit_left_is_folded_once_and_in_order() {
        let conn = Connection::open_in_memory().unwrap();
        for sql in schema::MIGRATIONS {
            conn.execute_batch(sql).unwrap();
        }
        let insert =
            "INSERT INTO traces (tick, trace_id, at_ms, outcome, json) VALUES (7, 'tr_7', 0, 'silent', ?1)";
        conn.execute(insert, [r#"{"of":"pe_00000000000000aa"}"#]).unwrap();
        assert!(!LeftBehind::new().keep(&conn).unwrap(), "nothing was left");
        keep(&conn, &[node("pe_00000000000000aa")], &[7, 8]);
        keep(
            &conn,
            &[node("pe_00000000000000aa"), node("pe_00000000000000bb")],
            &[],
        );
        let counted = |table: &str| -> i64 {
            let sql = format!("SELECT count(*) FROM {table}");
            conn.query_row(&sql, [], |row| row.get(0)).unwrap()
        };
        assert_eq!((counted("nodes"), counted("mentions")), (0, 0));
        assert_eq!(count(&conn).unwrap(), 2);
        let changed = fold(&conn, true).unwrap();
        assert!(changed.content && !changed.payments);
        assert_eq!(
            (counted("nodes"), counted("mentions"), counted("words")),
            (2, 1, 2)
        );
        assert_eq!(count(&conn).unwrap(), 0);
        assert_eq!(fold(&conn, true).unwrap(), CommitChange::default());
    }

    #[test]
    fn what_a_killed_writer_left_is_there_after_the_next_opening() {
        let dir = tempfile::tempdir().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        drop(Store::open(&vault, StoreOptions::default()).unwrap());
        let (key, file) = (vault.database_key(schema::FILE), dir.path().join(schema::FILE));
        keep(
            &database::open_as_it_is(&key, &file).unwrap(),
            &[node("pe_00000000000000aa")],
            &[],
        );
        let found = || {
            let reader = StoreReader::open(&vault).unwrap();
            reader
                .node(&NodeKey::parse("pe_00000000000000aa").unwrap())
                .unwrap()
        };
        // Nobody folds it, and it is not waited for long.
        assert!(found().is_none());
        drop(Store::open(&vault, StoreOptions::default()).unwrap());
        assert!(found().is_some());
    }

    #[test]
    fn who_opens_a_folder_finds_what_was_committed_before() {
        let dir = tempfile::tempdir().unwrap();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        for n in 0..40 {
            let key = format!("pe_{n:016x}");
            store.write(vec![node(&key)]).unwrap();
            let (tell, told) = std::sync::mpsc::channel();
            store
                .commit(Box::new(move |done| tell.send(done.is_ok()).unwrap()))
                .unwrap();
            assert!(told.recv().unwrap());
            let reader = StoreReader::open(&vault).unwrap();
            assert!(
                reader.node(&NodeKey::parse(&key).unwrap()).unwrap().is_some(),
                "{key}"
            );
        }
    }
}
