//! Test support: runs SQL statements on a store.
//!
//! What: [`edit`] runs one statement on a stopped folder; [`keep_runs_apart`] makes a folder of an older version. Why: tests of several
//! crates show what is said of a store that whoever has its key changed, and that an older folder is gone on with; only this crate has the
//! key. A build without debug assertions, as every shipped one is, does not have this module. Not here: anything that Aura does itself.

use crate::{
    database,
    error::StoreError,
    files,
    rows::to_sql,
    schema,
    vault::Vault,
    workflows::{RunSummary, StoredRunEvent},
};
use rusqlite::{OpenFlags, params};

/// The only schema that the database of runs ever had, by its `user_version` 1.
const OLD_RUNS_SCHEMA: &str = "
CREATE TABLE event (run TEXT NOT NULL, n INTEGER NOT NULL, at_ms INTEGER NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (run, n)) STRICT, WITHOUT ROWID;
CREATE TABLE head (run TEXT PRIMARY KEY, workflow TEXT NOT NULL, feature TEXT, phase TEXT NOT NULL,
    until_ms INTEGER, started_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX head_last ON head (last_ms);
PRAGMA user_version = 1;
";

/// Runs one statement; how many rows it changed.
///
/// # Errors
/// STORE-014 when the store does not open, STORE-007 when the statement fails.
pub fn edit(vault: &Vault, statement: &str) -> Result<usize, StoreError> {
    let file = vault.dir().join(schema::FILE);
    let conn = database::open_as_it_is(&vault.database_key(schema::FILE), &file)?;
    conn.execute(statement, []).map_err(|e| StoreError::sql(&file, e))
}

/// Writes runs as Aura kept them before they were rows of the store.
///
/// # Errors
/// STORE-007 when the file cannot be written.
pub fn keep_runs_apart(vault: &Vault, runs: &[(RunSummary, Vec<StoredRunEvent>)]) -> Result<(), StoreError> {
    let file = vault.dir().join(schema::OLD_RUNS_FILE);
    files::private_file()
        .append(true)
        .open(&file)
        .map_err(StoreError::file("create", &file))?;
    let key = vault.database_key(schema::OLD_RUNS_FILE);
    let conn = database::open_connection(&key, &file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let write = || -> rusqlite::Result<()> {
        conn.pragma_update(None, "journal_mode", "WAL")?;
        conn.execute_batch(OLD_RUNS_SCHEMA)?;
        for (run, events) in runs {
            conn.execute(
                "INSERT INTO head (run, workflow, feature, phase, until_ms, started_ms, last_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    run.run,
                    run.workflow,
                    run.feature,
                    run.phase,
                    run.until_ms,
                    run.started_ms,
                    run.last_ms
                ],
            )?;
            for event in events {
                conn.execute(
                    "INSERT INTO event (run, n, at_ms, json) VALUES (?1, ?2, ?3, ?4)",
                    params![run.run, to_sql(event.n), event.at_ms, event.json],
                )?;
            }
        }
        Ok(())
    };
    write().map_err(|e| StoreError::sql(&file, e))
}
