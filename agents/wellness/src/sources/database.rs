//! Databases that apps export, opened to be looked at only.
//!
//! What: [`open`] a file, [`from_bytes`] one from an archive; both read-only, without triggers and views, with a bound on the work. Why: such a
//! file comes from outside. Not here: what is in them (`gadgetbridge`, `health_connect`), what bounds them (`shared::database`).

use super::super::code;
use agents_base::shared::{SOURCE_UNREADABLE, SkipCode, database};
use rusqlite::{Connection, OpenFlags};
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
    let opened = Connection::open_with_flags(uri, flags).map_err(|_| SOURCE_UNREADABLE)?;
    database::restrict(&opened).map_err(|_| code::DATABASE)?;
    Ok(opened)
}

/// Opens a database that an archive holds, in memory.
pub(super) fn from_bytes(bytes: Vec<u8>) -> Result<Connection, SkipCode> {
    database::from_bytes(bytes).map_err(|_| code::DATABASE)
}

/// Whether a database has a table of this name.
pub(super) fn has_table(database: &Connection, name: &str) -> rusqlite::Result<bool> {
    database.query_row(
        "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = ?1",
        [name],
        |row| row.get(0),
    )
}
