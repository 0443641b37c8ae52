//! How far a folder's commits have come.
//!
//! What: [`CommitCounters`], which is written in each transaction, and [`commit`]. Why: after a failure it tells whether the last transaction
//! reached the disk. Not here: what is in one (`apply`, `erase::removal`), when one is made (`writer`).

use crate::{
    error::StoreError,
    rows::{from_sql, to_sql},
    store::CommitFaults,
};
use rusqlite::{Connection, OptionalExtension as _, Transaction};
use std::path::Path;

/// How far a folder's commits have come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CommitCounters {
    /// How many there were; 0: none was counted.
    pub(crate) commits: u64,
    /// How often the store was opened.
    pub(crate) opening: u64,
    /// The number of the last group that is in one, of those that were handed over since the last opening.
    pub(crate) groups: u64,
}

impl CommitCounters {
    pub(crate) fn read(conn: &Connection) -> rusqlite::Result<Self> {
        let row = |row: &rusqlite::Row<'_>| {
            Ok(Self {
                commits: from_sql(row.get(0)?),
                opening: from_sql(row.get(1)?),
                groups: from_sql(row.get(2)?),
            })
        };
        let found = conn
            .query_row("SELECT number, opening, groups FROM commits", [], row)
            .optional()?;
        Ok(found.unwrap_or_default())
    }

    /// After one more commit, of the groups up to a number.
    pub(crate) fn after(self, groups: u64) -> Self {
        Self {
            commits: self.commits + 1,
            groups,
            ..self
        }
    }

    /// At an opening: groups are counted from 1 again.
    pub(crate) fn opened(self) -> Self {
        Self {
            opening: self.opening + 1,
            ..self.after(0)
        }
    }

    pub(crate) fn write(self, conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached(
            "INSERT INTO commits (one, number, opening, groups) VALUES (1, ?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET number = excluded.number, opening = excluded.opening, groups = excluded.groups",
        )?
        .execute([
            to_sql(self.commits),
            to_sql(self.opening),
            to_sql(self.groups),
        ])?;
        Ok(())
    }
}

/// Commits what was done, with how far the commits then have come.
pub(crate) fn commit(
    tx: Transaction<'_>,
    committed: CommitCounters,
    faults: Option<&dyn CommitFaults>,
    file: &Path,
) -> Result<CommitCounters, StoreError> {
    let sql = |e| StoreError::sql(file, e);
    if let Some(faults) = faults {
        faults.before_commit()?;
    }
    committed.write(&tx).map_err(sql)?;
    tx.commit().map_err(sql)?;
    if let Some(faults) = faults {
        faults.after_commit()?;
    }
    Ok(committed)
}
