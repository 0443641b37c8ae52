//! The tables, row by row, at one moment.
//!
//! What: [`ReadTransaction`], a read transaction with one walk for each table, in the order of their keys. Why: an export of a store that a
//! service writes to is of one moment, and no table is ever held in memory. Not here: what becomes of a row (`rows`).

use super::{
    ExportError,
    rows::{CounterLine, EdgeLine, LabelLine, LedgerLine, NodeLine, TraceLine},
};
use crate::{
    error::StoreError,
    graph::NodeData,
    reader::StoreReader,
    rows::{from_sql, numbers},
};
use rusqlite::{Row, Transaction};
use toolcall_schema::Timestamp;

/// A read transaction.
pub(super) struct ReadTransaction<'r> {
    reader: &'r StoreReader,
    tx: Transaction<'r>,
}

/// What is done with each row.
type RowVisitor<'a, T> = &'a mut dyn FnMut(T) -> Result<(), ExportError>;

impl<'r> ReadTransaction<'r> {
    pub(super) fn open(reader: &'r StoreReader) -> Result<Self, StoreError> {
        let tx = reader.conn().unchecked_transaction().map_err(|e| reader.sql(e))?;
        Ok(Self { reader, tx })
    }

    fn walk<T>(
        &self,
        sql: &str,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
        each: RowVisitor<'_, T>,
    ) -> Result<(), ExportError> {
        let sql_error = |e| ExportError::Store(self.reader.sql(e));
        let mut statement = self.tx.prepare(sql).map_err(sql_error)?;
        let mut rows = statement.query([]).map_err(sql_error)?;
        while let Some(row) = rows.next().map_err(sql_error)? {
            each(read(row).map_err(sql_error)?)?;
        }
        Ok(())
    }

    pub(super) fn nodes(
        &self,
        mut each: impl FnMut(NodeLine) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        self.walk(
            "SELECT n.id, n.key, n.at_ms, n.data,
                 (SELECT text FROM labels WHERE key = substr(n.key, 1, instr(n.key || '@', '@') - 1))
             FROM nodes n ORDER BY n.id",
            |row| {
                let data: String = row.get(3)?;
                let data = serde_json::from_str::<NodeData>(&data).map_err(|e| {
                    rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, e.into())
                })?;
                Ok(NodeLine {
                    id: row.get(0)?,
                    key: row.get(1)?,
                    at: Timestamp::from_ms(row.get(2)?),
                    data,
                    label: row.get(4)?,
                })
            },
            &mut each,
        )
    }

    pub(super) fn edges(
        &self,
        mut each: impl FnMut(EdgeLine) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        self.walk(
            "SELECT a.key, a.id, e.type, b.key, b.id, e.at_ms, e.weight FROM edges e
             JOIN nodes a ON a.id = e.src JOIN nodes b ON b.id = e.dst ORDER BY e.src, e.type, e.dst, e.at_ms",
            |row| {
                Ok(EdgeLine {
                    from: (row.get(0)?, row.get(1)?),
                    edge_type: row.get(2)?,
                    to: (row.get(3)?, row.get(4)?),
                    at: Timestamp::from_ms(row.get(5)?),
                    weight: row.get(6)?,
                })
            },
            &mut each,
        )
    }

    pub(super) fn labels(
        &self,
        mut each: impl FnMut(LabelLine) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        self.walk(
            "SELECT key, text, at_ms FROM labels ORDER BY key",
            |row| {
                Ok(LabelLine {
                    of: row.get(0)?,
                    text: row.get(1)?,
                    at: Timestamp::from_ms(row.get(2)?),
                })
            },
            &mut each,
        )
    }

    pub(super) fn traces(
        &self,
        mut each: impl FnMut(TraceLine) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        self.walk(
            "SELECT trace_id, tick, at_ms, outcome, chosen, json FROM traces ORDER BY tick",
            |row| {
                let document: String = row.get(5)?;
                // One that is no trace is for the import to name.
                let (tick, _) = numbers(row.get(1)?, &document).unwrap_or_default();
                Ok(TraceLine {
                    trace_id: row.get(0)?,
                    tick,
                    at: Timestamp::from_ms(row.get(2)?),
                    outcome: row.get(3)?,
                    chosen: row.get(4)?,
                    document,
                })
            },
            &mut each,
        )
    }

    pub(super) fn counters(
        &self,
        mut each: impl FnMut(CounterLine) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        self.walk(
            "SELECT day, kind, outcome, count FROM counters ORDER BY day, kind, outcome",
            |row| {
                Ok(CounterLine {
                    day: row.get(0)?,
                    kind: row.get(1)?,
                    outcome: row.get(2)?,
                    count: from_sql(row.get(3)?),
                })
            },
            &mut each,
        )
    }

    pub(super) fn ledger(
        &self,
        mut each: impl FnMut(LedgerLine) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        self.walk(
            "SELECT seq, day, trace_id, entry, tokens, at_ms FROM ledger ORDER BY rowid",
            |row| {
                Ok(LedgerLine {
                    seq: from_sql(row.get(0)?),
                    day: row.get(1)?,
                    trace_id: row.get(2)?,
                    entry: row.get(3)?,
                    tokens: from_sql(row.get(4)?),
                    at: Timestamp::from_ms(row.get(5)?),
                })
            },
            &mut each,
        )
    }
}

impl StoreReader {
    /// How many rows an export looks at; for a progress bar.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn export_size(&self) -> Result<u64, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM nodes) + (SELECT count(*) FROM edges) + (SELECT count(*) FROM labels)
            + (SELECT count(*) FROM traces) + (SELECT count(*) FROM counters) + (SELECT count(*) FROM ledger)";
        let count = self.conn().query_row(sql, [], |row| row.get(0));
        count.map(from_sql).map_err(|e| self.sql(e))
    }
}
