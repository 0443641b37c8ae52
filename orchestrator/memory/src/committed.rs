//! How far a folder's commits have come.
//!
//! What: [`CommitCounters`], which is written in each transaction, and [`commit`]. Why: after a failure it tells whether the last transaction
//! reached the disk. Not here: what is in one (`apply`, `erase::removal`), when one is made (`writer`).

use crate::{
    error::StoreError,
    rows::{from_sql, to_sql},
};
use rusqlite::{Connection, OptionalExtension as _, Transaction};
use std::path::Path;

/// Makes commits fail or take long: recorded days with a full or slow disk, and tests.
pub trait CommitFaults: Send + Sync {
    /// Called on the writer's thread when all is written and not yet committed.
    ///
    /// # Errors
    /// What it returns is what the commit fails with; [`StoreError::disk_full`] is there for it.
    fn before_commit(&self) -> Result<(), StoreError>;

    /// Called on the writer's thread when all is committed and not yet acknowledged: what a failed sync looks like.
    ///
    /// # Errors
    /// What the commit is then said to have failed with.
    fn after_commit(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// What a commit changed of what pages show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CommitChange {
    /// The graph or the traces.
    pub(crate) content: bool,
    pub(crate) payments: bool,
}

impl CommitChange {
    /// All of it, perhaps.
    pub(crate) const ANY: Self = Self {
        content: true,
        payments: true,
    };
}

/// Equal: between two readings nothing of what it is the version of changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentVersion {
    /// How often the store was opened.
    pub opening: u64,
    /// How many commits changed it.
    pub number: u64,
}

/// An entry of the log: which one, and what tells it from another at the same place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct EntryPlace {
    /// 0: before the first.
    pub(crate) position: u64,
    /// A hash, below 2^63.
    pub(crate) mark: u64,
}

/// How far a folder's commits have come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CommitCounters {
    /// How many there were; 0: none was counted.
    pub(crate) commits: u64,
    /// How often the store was opened.
    pub(crate) opening: u64,
    /// The number of the last group that is in one, of those that were handed over since the last opening.
    pub(crate) groups: u64,
    /// How many changed the graph or the traces, and how many payments.
    content: u64,
    payments: u64,
    /// The last entry of the log outside the process that is in one; the default: it follows none.
    pub(crate) log: EntryPlace,
}

impl CommitCounters {
    pub(crate) fn read(conn: &Connection) -> rusqlite::Result<Self> {
        let row = |row: &rusqlite::Row<'_>| {
            Ok(Self {
                commits: from_sql(row.get(0)?),
                opening: from_sql(row.get(1)?),
                groups: from_sql(row.get(2)?),
                content: from_sql(row.get(3)?),
                payments: from_sql(row.get(4)?),
                log: EntryPlace {
                    position: from_sql(row.get(5)?),
                    mark: from_sql(row.get(6)?),
                },
            })
        };
        let found = conn
            .query_row(
                "SELECT number, opening, groups, content, payments, log_position, log_mark FROM commits",
                [],
                row,
            )
            .optional()?;
        Ok(found.unwrap_or_default())
    }

    /// After one more commit, of the groups up to a number.
    pub(crate) fn after(self, groups: u64, change: CommitChange) -> Self {
        Self {
            commits: self.commits + 1,
            groups,
            content: self.content + u64::from(change.content),
            payments: self.payments + u64::from(change.payments),
            ..self
        }
    }

    /// With all that the log holds up to an entry.
    pub(crate) fn in_log(self, log: EntryPlace) -> Self {
        Self { log, ..self }
    }

    /// The version of the graph and the traces. Another process writes only between two openings.
    pub(crate) fn content_version(self) -> ContentVersion {
        ContentVersion {
            opening: self.opening,
            number: self.content,
        }
    }

    /// The version of the payments.
    pub(crate) fn payments_version(self) -> ContentVersion {
        ContentVersion {
            opening: self.opening,
            number: self.payments,
        }
    }

    /// At an opening: groups are counted from 1 again.
    pub(crate) fn opened(self) -> Self {
        Self {
            opening: self.opening + 1,
            ..self.after(0, CommitChange::ANY)
        }
    }

    pub(crate) fn write(self, conn: &Connection) -> rusqlite::Result<()> {
        conn.prepare_cached(
            "INSERT INTO commits (one, number, opening, groups, content, payments, log_position, log_mark)
             VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT DO UPDATE SET number = excluded.number, opening = excluded.opening, groups = excluded.groups,
                 content = excluded.content, payments = excluded.payments, log_position = excluded.log_position,
                 log_mark = excluded.log_mark",
        )?
        .execute([
            to_sql(self.commits),
            to_sql(self.opening),
            to_sql(self.groups),
            to_sql(self.content),
            to_sql(self.payments),
            to_sql(self.log.position),
            to_sql(self.log.mark),
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
