//! One table of a damaged store.
//!
//! What: [`TableRepair`] reads rows from both ends, and by number between them, as far as their pages can be read. Why: what a broken page
//! cuts off from one side can be reached from the other. Not here: which tables there are, and what becomes of them (`repair`).

use super::TableLoss;
use crate::{database, vault::keys::DatabaseKey};
use rusqlite::{Connection, Row, ToSql, params_from_iter, types::Value};
use std::path::Path;

/// So often a row is looked for in vain between what can be read from the front and from the back of a table.
const PROBES: u32 = 2000;

/// The copy that is read. A connection that met a broken seal reads nothing more, so each way through a table has its own.
pub(super) struct DamagedCopy<'a> {
    pub(super) key: &'a DatabaseKey,
    pub(super) file: &'a Path,
}

impl DamagedCopy<'_> {
    fn open(&self) -> Option<Connection> {
        database::open_damaged(self.key, self.file).ok()
    }
}

/// One table on its way.
pub(super) struct TableRepair {
    name: String,
    /// Its columns, the key first.
    columns: Vec<String>,
    /// What rows are found by, when that is one whole number.
    by_number: bool,
}

/// What one way through a table read.
struct ScanResult {
    rows: u64,
    last: Option<i64>,
    whole: bool,
}

impl TableRepair {
    pub(super) fn of(conn: &Connection, name: String, without_rowid: bool) -> rusqlite::Result<Self> {
        let info: Vec<(String, String, i64)> = conn
            .prepare("SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY pk = 0, pk, cid")?
            .query_map([&name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let number = matches!(info.first(), Some((_, kind, 1)) if kind == "INTEGER")
            && !matches!(info.get(1), Some((_, _, 2)));
        let mut columns: Vec<String> = info
            .into_iter()
            .map(|(name, _, _)| format!("\"{name}\""))
            .collect();
        if !without_rowid && !number {
            columns.insert(0, "rowid".to_owned());
        }
        Ok(Self {
            name,
            columns,
            by_number: !without_rowid,
        })
    }

    pub(super) fn copy(&self, old: &DamagedCopy<'_>, new: &Connection) -> rusqlite::Result<TableLoss> {
        let down = self.way(old, new, "1", "", &[])?;
        let mut kept = down.rows;
        let mut missing = down.whole.then_some(0);
        if !down.whole {
            let up = self.way(old, new, "1", "DESC", &[])?;
            kept += up.rows;
            let ends = down.last.or(up.last.map(|_| 0)).zip(up.last);
            if let (true, Some((from, to))) = (self.by_number, ends) {
                kept += self.between(old, new, from, to)?;
                // Numbers that follow one another: each that is missing is a row, unless it was removed before.
                missing = self.dense(new)?;
            }
            let had = self.counted(old);
            missing = had.map(|had| had.saturating_sub(kept)).or(missing);
        }
        Ok(TableLoss {
            table: self.name.clone(),
            kept,
            lost: missing,
        })
    }

    /// From one end as far as it goes. Rows that are there already are not counted again.
    fn way(
        &self,
        old: &DamagedCopy<'_>,
        new: &Connection,
        which: &str,
        order: &str,
        values: &[&dyn ToSql],
    ) -> rusqlite::Result<ScanResult> {
        let (columns, key) = (
            self.columns.join(", "),
            self.columns.first().map_or("rowid", String::as_str),
        );
        let marks = vec!["?"; self.columns.len()].join(", ");
        let mut insert = new.prepare_cached(&format!(
            "INSERT OR IGNORE INTO \"{}\" ({columns}) VALUES ({marks})",
            self.name
        ))?;
        let mut way = ScanResult {
            rows: 0,
            last: None,
            whole: false,
        };
        // What cannot even be asked has nothing to read.
        let Some(old) = old.open() else { return Ok(way) };
        let Ok(mut select) = old.prepare(&format!(
            "SELECT {columns} FROM \"{}\" WHERE {which} ORDER BY {key} {order}",
            self.name
        )) else {
            return Ok(way);
        };
        let Ok(mut rows) = select.query(values) else {
            return Ok(way);
        };
        loop {
            match rows.next() {
                Ok(Some(row)) => {
                    let Ok(values) = self.values(row) else {
                        return Ok(way);
                    };
                    if let Some(Value::Integer(number)) = values.first() {
                        way.last = Some(*number);
                    }
                    // A row that breaks a rule of its table is damaged too.
                    way.rows += insert.execute(params_from_iter(values)).unwrap_or(0) as u64;
                }
                Ok(None) => {
                    way.whole = true;
                    return Ok(way);
                }
                Err(_) => return Ok(way),
            }
        }
    }

    /// Row by row where neither end gets to.
    fn between(&self, old: &DamagedCopy<'_>, new: &Connection, from: i64, to: i64) -> rusqlite::Result<u64> {
        let key = self.columns.first().map_or("rowid", String::as_str);
        let which = format!("{key} >= ?1 AND {key} < ?2");
        let (mut at, mut kept, mut in_vain) = (from.saturating_add(1), 0, 0);
        while at < to && in_vain < PROBES {
            let way = self.way(old, new, &which, "", &[&at, &to])?;
            kept += way.rows;
            if way.whole {
                break;
            }
            in_vain += u32::from(way.last.is_none());
            at = way.last.unwrap_or(at).saturating_add(1);
        }
        Ok(kept)
    }

    fn values(&self, row: &Row<'_>) -> rusqlite::Result<Vec<Value>> {
        (0..self.columns.len()).map(|at| row.get(at)).collect()
    }

    fn dense(&self, new: &Connection) -> rusqlite::Result<Option<u64>> {
        let key = self.columns.first().map_or("rowid", String::as_str);
        let sql = format!(
            "SELECT max({key}) - min({key}) + 1 - count(*) FROM \"{}\"",
            self.name
        );
        let missing: Option<i64> = new.query_row(&sql, [], |row| row.get(0))?;
        Ok(missing.and_then(|missing| missing.try_into().ok()))
    }

    /// How many rows there were, when an index can be read to its end.
    fn counted(&self, old: &DamagedCopy<'_>) -> Option<u64> {
        let conn = old.open()?;
        let mut list = conn
            .prepare("SELECT name FROM pragma_index_list(?1) WHERE partial = 0")
            .ok()?;
        let names: Vec<String> = list
            .query_map([&self.name], |row| row.get(0))
            .ok()?
            .filter_map(Result::ok)
            .collect();
        names.iter().find_map(|index| {
            let sql = format!("SELECT count(*) FROM \"{}\" INDEXED BY \"{index}\"", self.name);
            let count: i64 = old.open()?.query_row(&sql, [], |row| row.get(0)).ok()?;
            count.try_into().ok()
        })
    }
}
