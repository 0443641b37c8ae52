//! SQLite databases of other programs, read in memory.
//!
//! What: [`from_bytes`], read-only, without triggers and views, with a bound on the work. Why: such a file comes from outside. Not here: what is in them (each
//! agent's `sources`).

use rusqlite::{Connection, MAIN_DB, config::DbConfig};

/// Steps of the database's machine for all of it, about a second's worth.
const MAX_STEPS: u32 = 50_000_000;
const STEPS_AT_ONCE: u16 = 10_000;

/// Opens a database that is in memory.
///
/// # Errors
/// When it is none, or cannot be restricted.
pub fn from_bytes(mut bytes: Vec<u8>) -> rusqlite::Result<Connection> {
    // A database with a write-ahead log is opened only with that; what is here stands alone (file format, 1.3.2).
    for version in bytes.iter_mut().skip(18).take(2) {
        *version = 1;
    }
    let mut database = Connection::open_in_memory()?;
    database.deserialize_read_exact(MAIN_DB, bytes.as_slice(), bytes.len(), true)?;
    restrict(&database)?;
    Ok(database)
}

/// Lets only our own queries run, and not for ever.
///
/// # Errors
/// When the database refuses a setting.
pub fn restrict(database: &Connection) -> rusqlite::Result<()> {
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
