//! The log in one `SQLite` file.
//!
//! What: [`SqliteLog`], four tables. Why: it says in few lines what a log is, tests need no server for it, and it is what one on a server is
//! measured against. Entries are sealed, so the file is not. Not here: the store's own database (`aura-memory`).

use crate::{
    log::{
        AppendError, JournalLog, LogEntry, LogError, LogPosition, SealedEntry, SnapshotHead, SnapshotParts,
        check_cut, check_dense, lacking_part,
    },
    random_word,
    seal::OwnerSubject,
};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use std::{collections::BTreeMap, path::Path, time::Duration};

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS log (owner TEXT NOT NULL, position INTEGER NOT NULL, entry BLOB NOT NULL,
    PRIMARY KEY (owner, position)) STRICT;
CREATE TABLE IF NOT EXISTS snapshot_heads (owner TEXT PRIMARY KEY, position INTEGER NOT NULL, name TEXT NOT NULL,
    parts INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS snapshot_parts (owner TEXT NOT NULL, name TEXT NOT NULL, part INTEGER NOT NULL, sealed BLOB NOT NULL,
    PRIMARY KEY (owner, name, part)) STRICT;
CREATE TABLE IF NOT EXISTS log_keys (owner TEXT NOT NULL, number INTEGER NOT NULL, sealed BLOB NOT NULL,
    PRIMARY KEY (owner, number)) STRICT;
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
        let conn = open_connection(file, TABLES)?;
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

/// Opens the file of a log, making it and these tables.
pub(crate) fn open_connection(file: &Path, tables: &str) -> Result<Connection, LogError> {
    let open = || {
        let conn = Connection::open(file)?;
        conn.busy_timeout(BUSY)?;
        conn.pragma_update(None, "journal_mode", "WAL")?;
        // A sync at each commit.
        conn.pragma_update(None, "synchronous", "FULL")?;
        // What is deleted is overwritten with zeros.
        conn.pragma_update(None, "secure_delete", true)?;
        conn.execute_batch(tables)?;
        Ok(conn)
    };
    open().map_err(|error| to_log_error(&error))
}

pub(crate) fn to_log_error(error: &rusqlite::Error) -> LogError {
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

fn snapshot_head(conn: &Connection, owner: &str) -> Result<Option<SnapshotHead>, LogError> {
    conn.query_row(
        "SELECT position, name, parts FROM snapshot_heads WHERE owner = ?1",
        [owner],
        |row| {
            Ok(SnapshotHead {
                position: from_sql(row.get(0)?),
                name: row.get(1)?,
                parts: from_sql(row.get(2)?).number(),
            })
        },
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

    fn put_snapshot(&mut self, position: LogPosition, parts: &mut SnapshotParts<'_>) -> Result<(), LogError> {
        let (_, head) = bounds(&self.conn, &self.owner)?;
        if position > head {
            return Err(LogError::Beyond { position, head });
        }
        let name = random_word()?;
        let mut count = 0;
        for part in parts {
            // Each by itself: nobody who appends waits for all of them.
            let sealed = part?;
            self.conn
                .execute(
                    "INSERT INTO snapshot_parts (owner, name, part, sealed) VALUES (?1, ?2, ?3, ?4)",
                    params![self.owner, name, count, sealed],
                )
                .map_err(|error| to_log_error(&error))?;
            count += 1;
        }
        let (tx, owner) = self.begin()?;
        let is_late = snapshot_head(&tx, owner)?.is_some_and(|there| there.position > position);
        let kept = if is_late {
            tx.execute(
                "DELETE FROM snapshot_parts WHERE owner = ?1 AND name = ?2",
                [owner, &name],
            )
        } else {
            let there: i64 = tx
                .query_row(
                    "SELECT count(*) FROM snapshot_parts WHERE owner = ?1 AND name = ?2",
                    [owner, &name],
                    |row| row.get(0),
                )
                .map_err(|error| to_log_error(&error))?;
            if there != count {
                return Err(LogError::Unavailable(
                    "another snapshot was written meanwhile".to_owned(),
                ));
            }
            tx.execute(
                "INSERT INTO snapshot_heads (owner, position, name, parts) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET position = excluded.position, name = excluded.name, parts = excluded.parts",
                params![owner, to_sql(position), name, count],
            )
            .and_then(|_| {
                tx.execute(
                    "DELETE FROM snapshot_parts WHERE owner = ?1 AND name <> ?2",
                    [owner, &name],
                )
            })
        };
        kept.and_then(|_| tx.commit())
            .map_err(|error| to_log_error(&error))
    }

    fn snapshot(&mut self) -> Result<Option<SnapshotHead>, LogError> {
        snapshot_head(&self.conn, &self.owner)
    }

    fn snapshot_part(&mut self, of: &SnapshotHead, part: u64) -> Result<Vec<u8>, LogError> {
        let part = to_sql(LogPosition::new(part));
        let found = self
            .conn
            .prepare_cached("SELECT sealed FROM snapshot_parts WHERE owner = ?1 AND name = ?2 AND part = ?3")
            .and_then(|mut find| {
                find.query_row(params![self.owner, of.name, part], |row| row.get(0))
                    .optional()
            })
            .map_err(|error| to_log_error(&error))?;
        match found {
            Some(sealed) => Ok(sealed),
            None => Err(lacking_part(of, self.snapshot()?.as_ref())),
        }
    }

    fn cut(&mut self, before: LogPosition) -> Result<(), LogError> {
        let (tx, owner) = self.begin()?;
        let held = snapshot_head(&tx, owner)?.map(|head| head.position);
        check_cut(before, held)?;
        let (_, head) = bounds(&tx, owner)?;
        tx.execute(
            "DELETE FROM log WHERE owner = ?1 AND position < ?2",
            params![owner, to_sql(before.min(head))],
        )
        .and_then(|_| tx.commit())
        .map_err(|error| to_log_error(&error))
    }

    fn keys(&mut self) -> Result<BTreeMap<u32, Vec<u8>>, LogError> {
        let read = || -> rusqlite::Result<BTreeMap<u32, Vec<u8>>> {
            self.conn
                .prepare_cached("SELECT number, sealed FROM log_keys WHERE owner = ?1")?
                .query_map([&self.owner], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        };
        read().map_err(|error| to_log_error(&error))
    }

    fn add_key(&mut self, number: u32, sealed: &[u8]) -> Result<bool, LogError> {
        self.conn
            .execute(
                "INSERT INTO log_keys (owner, number, sealed) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
                params![self.owner, number, sealed],
            )
            .map(|added| added > 0)
            .map_err(|error| to_log_error(&error))
    }

    fn destroy_keys(&mut self, before: u32) -> Result<(), LogError> {
        let destroyed = self.conn.execute(
            "DELETE FROM log_keys WHERE owner = ?1 AND number < ?2",
            params![self.owner, before],
        );
        // Also where somebody was interrupted here: what was overwritten is still in the file beside it.
        destroyed
            .and_then(|_| {
                self.conn
                    .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            })
            .map_err(|error| to_log_error(&error))
            .and_then(|busy: i64| match busy {
                0 => Ok(()),
                _ => Err(LogError::Unavailable("somebody reads the log's file".to_owned())),
            })
    }
}
