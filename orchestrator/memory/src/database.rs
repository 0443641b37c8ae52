//! The database file: how it is opened, its tables and their versions.
//!
//! What: [`open_connection`], the one place where a connection is made, the migrations by `user_version` and the check for
//! damage. Why: the key is said in one function, as the first thing on each connection. Not here: where the key comes from
//! (`vault`), what is written (`writer`) and read (`reader`).

use crate::{error::StoreError, files, mentions, process_end, schema, vault::keys::DatabaseKey};
use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};
use std::{
    fs::File,
    io::Read as _,
    path::Path,
    time::{Duration, Instant},
};
use zeroize::Zeroizing;

/// Up to this size the whole file is checked at every opening; above it only after a stop that was not clean, and for [`CHECK_LIMIT`], so
/// that the time to start does not grow with the number of traces.
const ALWAYS_CHECKED_BYTES: u64 = 32 << 20;

/// The page waits for the check: some 200 MB are read meanwhile.
const CHECK_LIMIT: Duration = Duration::from_secs(3);

/// What every plain `SQLite` file begins with.
const PLAIN: &[u8; 16] = b"SQLite format 3\0";

/// How long a connection waits for another that writes.
pub(crate) const BUSY: Duration = Duration::from_secs(2);

/// How many statements a writer keeps ready: more than all that it runs, so that none is made ready twice.
const STATEMENTS_READY: usize = 64;

/// Opens a connection to a sealed file.
///
/// # Errors
/// STORE-014 when the key does not open it.
pub(crate) fn open_connection(
    key: &DatabaseKey,
    file: &Path,
    flags: OpenFlags,
) -> Result<Connection, StoreError> {
    connect(key, file, flags, "")
}

fn connect(key: &DatabaseKey, file: &Path, flags: OpenFlags, first: &str) -> Result<Connection, StoreError> {
    let open = || {
        process_end::initialize();
        let conn = Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        // The first statement: everything after it is read and written sealed.
        conn.execute_batch(&Zeroizing::new(format!("PRAGMA key = \"{}\"", key.text())))?;
        // SQLCipher would tell the standard error about each file that does not open.
        conn.execute_batch("PRAGMA cipher_log_level = NONE")?;
        conn.execute_batch(first)?;
        conn.busy_timeout(BUSY)?;
        // Reads the first page: here it shows whether the key is the one.
        conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        conn.pragma_update(None, "foreign_keys", true)?;
        Ok(conn)
    };
    open().map_err(|error: rusqlite::Error| match error.sqlite_error_code() {
        // The first page is read here: what does not open it is no damage further on.
        Some(ErrorCode::NotADatabase | ErrorCode::OutOfMemory) => foreign(file),
        _ => StoreError::sql(file, error),
    })
}

/// Opens a damaged file for whoever saves what is in it: one that is shorter than it says is refused otherwise.
///
/// # Errors
/// As [`open_connection`].
pub(crate) fn open_damaged(key: &DatabaseKey, file: &Path) -> Result<Connection, StoreError> {
    connect(
        key,
        file,
        OpenFlags::SQLITE_OPEN_READ_WRITE,
        "PRAGMA writable_schema = ON",
    )
}

/// Opens a sealed file for reading alone.
///
/// # Errors
/// As [`open_connection`].
pub(crate) fn open_reading(key: &DatabaseKey, file: &Path) -> Result<Connection, StoreError> {
    open_connection(key, file, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// Opens a sealed file for whoever seals it anew.
///
/// # Errors
/// As [`open_connection`].
pub(crate) fn open_as_it_is(key: &DatabaseKey, file: &Path) -> Result<Connection, StoreError> {
    open_connection(key, file, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// Whether a file is a database that nobody sealed.
pub(crate) fn is_plain(file: &Path) -> bool {
    let mut head = [0; PLAIN.len()];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *PLAIN
}

/// Why a file does not open with the folder's key.
fn foreign(file: &Path) -> StoreError {
    StoreError::Foreign {
        file: file.to_owned(),
        what: if is_plain(file) {
            "it is a plain SQLite file: move it away, and put the sealed one back"
        } else {
            "it does not open with the folder's key, so it comes from another folder or its beginning is damaged: restore a backup"
        },
    }
}

/// Opens the database for the writer: WAL, a sync at each commit, checked, at the newest schema. The file must be there.
pub(crate) fn open_for_writing(key: &DatabaseKey, file: &Path) -> Result<Connection, StoreError> {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |m| m.len());
    // The last close empties the log, so what is left of one tells of a crash.
    let crashed = size(&file.with_extension("db-wal")) > 0;
    let mut conn = reopen_for_writing(key, file)?;
    let version = known_version(&conn, file, schema::MIGRATIONS)?;
    let sql = |e| StoreError::sql(file, e);
    let found = if size(file) <= ALWAYS_CHECKED_BYTES {
        damage(&conn)
    } else if crashed {
        damage_within(&conn, CHECK_LIMIT)
    } else {
        Ok(None)
    };
    if let Some(what) = found.map_err(sql)? {
        return Err(StoreError::Damaged {
            file: file.to_owned(),
            what,
        });
    }
    lift(&mut conn, file, version)?;
    Ok(conn)
}

/// The same for a file that was open a moment ago: neither checked nor lifted.
pub(crate) fn reopen_for_writing(key: &DatabaseKey, file: &Path) -> Result<Connection, StoreError> {
    let conn = open_connection(key, file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let sql = |e| StoreError::sql(file, e);
    conn.set_prepared_statement_cache_capacity(STATEMENTS_READY);
    conn.pragma_update(None, "journal_mode", "WAL").map_err(sql)?;
    conn.pragma_update(None, "synchronous", "FULL").map_err(sql)?;
    // What is deleted is overwritten with zeros.
    conn.pragma_update(None, "secure_delete", true).map_err(sql)?;
    Ok(conn)
}

/// How much of the database a connection keeps in memory, in KiB: SQLite's own limit, and as much as the pages that many rows at once
/// change over and over, each of which would be sealed and written before the commit otherwise.
const KEPT_KIB: i64 = 2_000;
const KEPT_FOR_MANY_KIB: i64 = 16_000;

/// Lets the database grow to so many bytes and no further, through this connection; one that is larger already keeps what it has.
pub(crate) fn keep_within(conn: &Connection, bytes_max: Option<u64>) -> rusqlite::Result<()> {
    let Some(bytes_max) = bytes_max else {
        return Ok(());
    };
    let page: String = conn.pragma_query_value(None, "cipher_page_size", |row| row.get(0))?;
    // SQLite counts at most so many pages.
    let pages = u32::try_from(bytes_max / page.parse().unwrap_or(4096).max(1)).unwrap_or(u32::MAX - 1);
    conn.pragma_update(None, "max_page_count", pages.max(1))
}

/// Keeps as much in memory as a commit of many rows needs, or as one of few.
pub(crate) fn keep_pages(conn: &Connection, for_many: bool) -> rusqlite::Result<()> {
    let kib = if for_many { KEPT_FOR_MANY_KIB } else { KEPT_KIB };
    conn.pragma_update(None, "cache_size", -kib)
}

/// Moves what is in the log into the database, on the calling thread and on a connection of its own: nobody who writes or reads waits for
/// it. How many pages the log then has, and how many of them are in the database.
///
/// # Errors
/// STORE-007 when the file cannot be written.
pub(crate) fn checkpoint_beside(key: &DatabaseKey, file: &Path) -> Result<(i64, i64), StoreError> {
    let conn = open_as_it_is(key, file)?;
    let sql = |e| StoreError::sql(file, e);
    // Should the writer have closed the file after a failure, its log is left to it.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(sql)?;
    conn.pragma_update(None, "synchronous", "FULL").map_err(sql)?;
    conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
        Ok((row.get(1)?, row.get(2)?))
    })
    .map_err(sql)
}

/// Lets go of what the system keeps in memory of a file, so that the next reading is of the disk. After a failed sync the system may
/// take pages for written that are not.
pub(crate) fn forget_cached(file: &Path) {
    for path in [file.to_owned(), file.with_extension("db-wal")] {
        if let Ok(file) = File::open(path) {
            // A file system that keeps nothing has nothing to let go of.
            let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
        }
    }
}

/// Lifts the schema to the newest. A sealed copy stands beside the file until the lifted one passed its check.
fn lift(conn: &mut Connection, file: &Path, version: usize) -> Result<(), StoreError> {
    let sql = |e| StoreError::sql(file, e);
    let copy = file.with_extension("db.before");
    if version > 0 && version < schema::MIGRATIONS.len() {
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(sql)?;
        std::fs::copy(file, &copy)
            .and_then(|_| File::open(&copy)?.sync_all())
            .map_err(StoreError::file("write", &copy))?;
        migrate(conn, version).map_err(sql)?;
        if let Some(what) = damage(conn).map_err(sql)? {
            return Err(StoreError::Damaged {
                file: file.to_owned(),
                what: format!(
                    "after its schema was lifted: {what}; {} is as it was before",
                    copy.display()
                ),
            });
        }
    } else {
        migrate(conn, version).map_err(sql)?;
    }
    files::remove(&copy)
}

/// The version of a database's schema, which these migrations lead to.
///
/// # Errors
/// STORE-002 when it is newer than this program.
pub(crate) fn known_version(
    conn: &Connection,
    file: &Path,
    migrations: &[&str],
) -> Result<usize, StoreError> {
    let found: i64 = conn
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(|e| StoreError::sql(file, e))?;
    match usize::try_from(found) {
        Ok(version) if version <= migrations.len() => Ok(version),
        _ => Err(StoreError::NewerSchema {
            file: file.to_owned(),
            found,
            known: i64::try_from(migrations.len()).unwrap_or(i64::MAX),
        }),
    }
}

fn migrate(conn: &mut Connection, from: usize) -> rusqlite::Result<()> {
    for (version, sql) in (1_i64..).zip(schema::MIGRATIONS).skip(from) {
        let tx = conn.transaction()?;
        tx.execute_batch(sql)?;
        if usize::try_from(version) == Ok(schema::MENTIONS_SINCE) {
            mentions::note_all(&tx)?;
        }
        tx.pragma_update(None, "user_version", version)?;
        tx.commit()?;
    }
    Ok(())
}

/// The first finding that a check comes to within that time.
fn damage_within(conn: &Connection, limit: Duration) -> rusqlite::Result<Option<String>> {
    /// Pages between two looks at the time.
    const STEPS: i32 = 100;
    let begun = Instant::now();
    conn.progress_handler(STEPS, Some(move || begun.elapsed() >= limit))?;
    let found = damage(conn);
    conn.progress_handler(0, None::<fn() -> bool>)?;
    match found {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            tracing::warn!(
                "the store was not checked to its end after an end that was not clean; `aura doctor` checks all of it"
            );
            Ok(None)
        }
        found => found,
    }
}

/// The first finding of `SQLite`'s check of structure, without reading the rows' meaning; `None`: sound.
pub(crate) fn damage(conn: &Connection) -> rusqlite::Result<Option<String>> {
    let first: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    // The first line of a finding only names the database.
    let finding = first.strip_prefix("*** in database main ***\n").unwrap_or(&first);
    Ok((first != "ok").then(|| finding.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vault;
    use std::{fs::OpenOptions, os::unix::fs::FileExt as _};

    #[test]
    fn check_that_may_not_last_ends_in_time_and_is_no_error() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        let vault = Vault::demo(&data).unwrap();
        let (key, file) = (vault.database_key("aura.db"), data.join("aura.db"));
        files::private_file().append(true).open(&file).unwrap();
        let conn = open_as_it_is(&key, &file).unwrap();
        conn.execute_batch(
            "CREATE TABLE rows (n INTEGER PRIMARY KEY, text); WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
             INSERT INTO rows SELECT n, hex(randomblob(400)) FROM n",
        )
        .unwrap();
        drop(conn);
        // The page with the first rows, to which a check comes last.
        let spoiled = OpenOptions::new().write(true).open(&file).unwrap();
        spoiled.write_all_at(&[7; 4096], 2 * 4096).unwrap();
        let conn = open_reading(&key, &file).unwrap();
        assert_eq!(damage_within(&conn, Duration::ZERO).unwrap(), None);
        assert!(!matches!(damage_within(&conn, Duration::from_mins(1)), Ok(None)));
    }
}
