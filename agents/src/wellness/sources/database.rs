//! Databases that apps export, opened to be looked at only.
//!
//! What: [`open`] a file, [`from_bytes`] one from an archive; both read-only, without triggers and views, with a bound on the work. Why: such a
//! file comes from outside. Not here: what is in them (`gadgetbridge`, `health_connect`).

use super::super::code;
use crate::shared::{SOURCE_UNREADABLE, SkipCode};
use rusqlite::{Connection, MAIN_DB, OpenFlags, config::DbConfig};
use std::{fmt::Write as _, os::unix::ffi::OsStrExt as _, path::Path};

/// How a database begins.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";
pub(super) const DAY_MS: i64 = 86_400_000;
/// What memory and the baseline look back.
pub(super) const BACK_MS: i64 = super::super::novelty::KEPT_MS;
/// Rows of one table or query, the newest.
pub(super) const MAX_ROWS: u32 = 250_000;
/// What a row counts for an ingest's slice.
pub(super) const ROW_BYTES: u64 = 32;
/// Steps of the database's machine for all of it, about a second's worth.
const MAX_STEPS: u32 = 50_000_000;
const STEPS_AT_ONCE: u16 = 10_000;

/// Opens a database read-only and immutable; only our own queries run on it.
pub(super) fn open(path: &Path) -> Result<Connection, SkipCode> {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(uri, "%{byte:02x}");
        }
    }
    uri.push_str("?mode=ro&immutable=1");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(uri, flags).map_err(|_| SOURCE_UNREADABLE)?;
    restrict(&database).map_err(|_| code::DATABASE)?;
    Ok(database)
}

/// Opens a database that an archive holds, in memory.
pub(super) fn from_bytes(mut bytes: Vec<u8>) -> Result<Connection, SkipCode> {
    // A database with a write-ahead log is opened only with that; what was exported is complete (file format, 1.3.2).
    for version in bytes.iter_mut().skip(18).take(2) {
        *version = 1;
    }
    let opened = || -> rusqlite::Result<Connection> {
        let mut database = Connection::open_in_memory()?;
        database.deserialize_read_exact(MAIN_DB, bytes.as_slice(), bytes.len(), true)?;
        restrict(&database)?;
        Ok(database)
    };
    opened().map_err(|_| code::DATABASE)
}

fn restrict(database: &Connection) -> rusqlite::Result<()> {
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    database.execute_batch(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON; PRAGMA mmap_size = 0; \
         PRAGMA temp_store = MEMORY; PRAGMA cache_size = -2000; PRAGMA cipher_log_level = NONE;",
    )?;
    let mut steps = 0;
    database.progress_handler(
        i32::from(STEPS_AT_ONCE.cast_signed()),
        Some(move || {
            steps += u32::from(STEPS_AT_ONCE);
            steps > MAX_STEPS
        }),
    )
}

/// Whether a database has a table of this name.
pub(super) fn has_table(database: &Connection, name: &str) -> rusqlite::Result<bool> {
    database.query_row(
        "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = ?1",
        [name],
        |row| row.get(0),
    )
}
