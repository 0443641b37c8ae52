//! The log in one `SQLite` file.
//!
//! What: [`SqliteLog`], two tables. Why: it says in a hundred lines what a log is, tests need no server for it, and it is what one on a server is
//! measured against. Entries are sealed, so the file is not. Not here: the store's own database (`aura-memory`).

use crate::{
    log::{
        AppendError, JournalLog, LogEntry, LogError, LogPosition, LogSnapshot, SealedEntry, check_cut,
        check_dense,
    },
    seal::OwnerSubject,
};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use std::{path::Path, time::Duration};

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS log (owner TEXT NOT NULL, position INTEGER NOT NULL, entry BLOB NOT NULL,
    PRIMARY KEY (owner, position)) STRICT;
CREATE TABLE IF NOT EXISTS log_snapshots (owner TEXT PRIMARY KEY, position INTEGER NOT NULL, sealed BLOB NOT NULL) STRICT;
";

/// As large as the entries of a log on a server may be made.
const ENTRY_BYTES_MAX: usize = 8 << 20;

/// How long it waits for another process that writes.
const BUSY: Duration = Duration::from_secs(5);

/// An owner's log in a file that may hold those of others.
#[derive(Debug)]
pub struct SqliteLog {
    conn: Connection,
    owner: String,
}

impl SqliteLog {
    /// Opens the file, making it.
    ///
    /// # Errors
    /// [`LogError::Unavailable`].
    pub fn open(file: &Path, owner: &OwnerSubject) -> Result<Self, LogError> {
        let open = || {
            let conn = Connection::open(file)?;
            conn.busy_timeout(BUSY)?;
            conn.pragma_update(None, "journal_mode", "WAL")?;
            // A sync at each commit.
            conn.pragma_update(None, "synchronous", "FULL")?;
            conn.execute_batch(TABLES)?;
            Ok(conn)
        };
        let conn = open().map_err(|error| to_log_error(&error))?;
        let owner = owner.as_str().to_owned();
        Ok(Self { conn, owner })
    }

    fn begin(&mut self) -> Result<(Transaction<'_>, &str), LogError> {
        let tx = self
            .conn
            .transaction_with_behavior(TransactionBehavior::Immediate);
        Ok((tx.map_err(|error| to_log_error(&error))?, &self.owner))
    }
}

fn to_log_error(error: &rusqlite::Error) -> LogError {
    LogError::Unavailable(error.to_string())
}

fn to_sql(position: LogPosition) -> i64 {
    i64::try_from(position.number()).unwrap_or(i64::MAX)
}

fn from_sql(number: i64) -> LogPosition {
    LogPosition::new(u64::try_from(number).unwrap_or_default())
}

/// The first and the last entry; both [`LogPosition::START`] where there is none.
fn bounds(conn: &Connection, owner: &str) -> Result<(LogPosition, LogPosition), LogError> {
    conn.prepare_cached(
        "SELECT coalesce(min(position), 0), coalesce(max(position), 0) FROM log WHERE owner = ?1",
    )
    .and_then(|mut bounds| {
        bounds.query_row([owner], |row| Ok((from_sql(row.get(0)?), from_sql(row.get(1)?))))
    })
    .map_err(|error| to_log_error(&error))
}

fn entry_at(conn: &Connection, owner: &str, position: LogPosition) -> rusqlite::Result<Option<Vec<u8>>> {
    conn.prepare_cached("SELECT entry FROM log WHERE owner = ?1 AND position = ?2")?
        .query_row(params![owner, to_sql(position)], |row| row.get(0))
        .optional()
}

fn snapshot_position(conn: &Connection, owner: &str) -> Result<Option<LogPosition>, LogError> {
    conn.query_row(
        "SELECT position FROM log_snapshots WHERE owner = ?1",
        [owner],
        |row| row.get(0).map(from_sql),
    )
    .optional()
    .map_err(|error| to_log_error(&error))
}

impl JournalLog for SqliteLog {
    fn entry_bytes_max(&self) -> usize {
        ENTRY_BYTES_MAX
    }

    fn head(&mut self) -> Result<LogPosition, LogError> {
        Ok(bounds(&self.conn, &self.owner)?.1)
    }

    fn append(&mut self, expected: LogPosition, entry: &SealedEntry) -> Result<LogPosition, AppendError> {
        let (bytes, bytes_max) = (entry.bytes().len(), self.entry_bytes_max());
        if bytes > bytes_max {
            return Err(AppendError::TooLarge { bytes, bytes_max });
        }
        let position = expected.next();
        let (tx, owner) = self.begin()?;
        let (_, head) = bounds(&tx, owner)?;
        if head != expected {
            let there = entry_at(&tx, owner, position).map_err(|error| to_log_error(&error))?;
            // One's own, whose answer was lost.
            let is_own = there.is_some_and(|there| there == entry.bytes());
            return is_own.then_some(position).ok_or(AppendError::Conflict { head });
        }
        tx.prepare_cached("INSERT INTO log (owner, position, entry) VALUES (?1, ?2, ?3)")
            .and_then(|mut insert| insert.execute(params![owner, to_sql(position), entry.bytes()]))
            .and_then(|_| tx.commit())
            .map_err(|error| to_log_error(&error))?;
        Ok(position)
    }

    fn tail(&mut self, after: LogPosition, at_most: usize) -> Result<Vec<LogEntry>, LogError> {
        // Nothing is cut between the two questions.
        let tx = self.conn.transaction().map_err(|error| to_log_error(&error))?;
        let (first, head) = bounds(&tx, &self.owner)?;
        if after > head {
            return Err(LogError::Beyond {
                position: after,
                head,
            });
        }
        let wanted = after.next();
        if after < head && wanted < first {
            return Err(LogError::Cut { first, wanted });
        }
        let limit = i64::try_from(at_most).unwrap_or(i64::MAX);
        let read = || -> rusqlite::Result<Vec<LogEntry>> {
            tx.prepare_cached(
                    "SELECT position, entry FROM log WHERE owner = ?1 AND position > ?2 ORDER BY position LIMIT ?3",
                )?
                .query_map(params![self.owner, to_sql(after), limit], |row| {
                    Ok(LogEntry {
                        position: from_sql(row.get(0)?),
                        entry: SealedEntry::from_bytes(row.get(1)?),
                    })
                })?
                .collect()
        };
        let page = read().map_err(|error| to_log_error(&error))?;
        check_dense(after, &page)?;
        Ok(page)
    }

    fn put_snapshot(&mut self, position: LogPosition, sealed: &[u8]) -> Result<(), LogError> {
        let (tx, owner) = self.begin()?;
        let (_, head) = bounds(&tx, owner)?;
        if position > head {
            return Err(LogError::Beyond { position, head });
        }
        tx.execute(
            "INSERT INTO log_snapshots (owner, position, sealed) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET position = excluded.position, sealed = excluded.sealed
             WHERE excluded.position >= position",
            params![owner, to_sql(position), sealed],
        )
        .and_then(|_| tx.commit())
        .map_err(|error| to_log_error(&error))
    }

    fn snapshot(&mut self) -> Result<Option<LogSnapshot>, LogError> {
        self.conn
            .query_row(
                "SELECT position, sealed FROM log_snapshots WHERE owner = ?1",
                [&self.owner],
                |row| {
                    Ok(LogSnapshot {
                        position: from_sql(row.get(0)?),
                        sealed: row.get(1)?,
                    })
                },
            )
            .optional()
            .map_err(|error| to_log_error(&error))
    }

    fn cut(&mut self, before: LogPosition) -> Result<(), LogError> {
        let (tx, owner) = self.begin()?;
        check_cut(before, snapshot_position(&tx, owner)?)?;
        let (_, head) = bounds(&tx, owner)?;
        tx.execute(
            "DELETE FROM log WHERE owner = ?1 AND position < ?2",
            params![owner, to_sql(before.min(head))],
        )
        .and_then(|_| tx.commit())
        .map_err(|error| to_log_error(&error))
    }
}
