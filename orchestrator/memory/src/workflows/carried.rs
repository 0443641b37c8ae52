//! Runs that an older Aura kept in a database of their own.
//!
//! What: [`carry_over`], which copies them into the store and removes what held them. Why: a folder of an older version is gone on with.
//! Not here: how runs are kept now (the parent module).

use crate::{
    database,
    error::StoreError,
    files, schema,
    vault::Vault,
    workflows::{RunSummary, put_summary, summary},
};
use rusqlite::{Connection, OpenFlags, TransactionBehavior, params};
use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// The folder of the files that said who executes a run.
const LOCKS: &str = "workflows";

/// Copies the runs in one transaction, then removes the files. Interrupted anywhere, it is done again at the next opening. What cannot be
/// read stays where it is, for its owner: nothing else depends on it.
///
/// # Errors
/// STORE-001 while a process of that version executes a run, STORE-007 when the disk fails.
pub(crate) fn carry_over(vault: &Vault, conn: &mut Connection, store: &Path) -> Result<(), StoreError> {
    let dir = vault.dir();
    executed(dir)?;
    if files::is_there(&dir.join(schema::OLD_RUNS_FILE))? {
        match copy(vault, conn, store) {
            Ok(runs) => tracing::info!(runs, "runs of workflows are carried over into the store"),
            Err(error) if error.is_temporary() => return Err(error),
            Err(error) => {
                tracing::error!(code = error.code(), %error, "runs of workflows could not be carried over");
                return Ok(());
            }
        }
        // The database first: without it the others say nothing.
        for path in files_of(dir) {
            files::remove(&path)?;
        }
    }
    match fs::remove_dir_all(dir.join(LOCKS)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(StoreError::file("remove", &dir.join(LOCKS))(error))
        }
        Ok(()) | Err(_) => files::sync_dir(dir),
    }
}

/// The files of that database that are there.
pub(crate) fn files_of(dir: &Path) -> Vec<PathBuf> {
    let names =
        ["", "-wal", "-shm", "-journal"].map(|end| dir.join(format!("{}{end}", schema::OLD_RUNS_FILE)));
    names.into_iter().filter(|path| path.exists()).collect()
}

/// Why the database that is left cannot be read, when it cannot.
pub(crate) fn check(vault: &Vault) -> Result<(), StoreError> {
    if files::is_there(&vault.dir().join(schema::OLD_RUNS_FILE))? {
        open(vault)?;
    }
    Ok(())
}

/// Opens that database, checked; `None`: nothing is in it.
fn open(vault: &Vault) -> Result<Option<Connection>, StoreError> {
    let file = vault.dir().join(schema::OLD_RUNS_FILE);
    let sql = |e| StoreError::sql(&file, e);
    let old = database::open_connection(
        &vault.database_key(schema::OLD_RUNS_FILE),
        &file,
        OpenFlags::SQLITE_OPEN_READ_WRITE,
    )?;
    let version: i64 = old
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(sql)?;
    match version {
        // Made, and killed before anything was in it.
        0 => return Ok(None),
        1 => {}
        found => {
            return Err(StoreError::NewerSchema {
                file,
                found,
                known: 1,
            });
        }
    }
    match database::damage(&old).map_err(sql)? {
        Some(what) => Err(StoreError::Damaged { file, what }),
        None => Ok(Some(old)),
    }
}

fn copy(vault: &Vault, conn: &mut Connection, store: &Path) -> Result<usize, StoreError> {
    let file = vault.dir().join(schema::OLD_RUNS_FILE);
    let sql = |e| StoreError::sql(&file, e);
    let Some(old) = open(vault)? else {
        return Ok(0);
    };
    let runs: Vec<RunSummary> = old
        .prepare("SELECT run, workflow, feature, phase, until_ms, started_ms, last_ms FROM head")
        .and_then(|mut heads| heads.query_map([], summary)?.collect())
        .map_err(sql)?;
    let ours = |e| StoreError::sql(store, e);
    let tx = conn
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(ours)?;
    // An interruption may have left them here, and they may have gone on since.
    let mut is_there = tx.prepare("SELECT 1 FROM runs WHERE run = ?1").map_err(ours)?;
    for run in &runs {
        if !is_there.exists([&run.run]).map_err(ours)? {
            put_summary(&tx, run).map_err(ours)?;
        }
    }
    drop(is_there);
    let mut events = old
        .prepare("SELECT run, n, at_ms, json FROM event")
        .map_err(sql)?;
    let mut rows = events.query([]).map_err(sql)?;
    let mut read: BTreeMap<String, i64> = BTreeMap::new();
    while let Some(row) = rows.next().map_err(sql)? {
        let values: (String, i64, i64, String) =
            (|| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))().map_err(sql)?;
        tx.prepare_cached("INSERT OR IGNORE INTO run_events (run, n, at_ms, json) VALUES (?1, ?2, ?3, ?4)")
            .and_then(|mut insert| insert.execute(params![values.0, values.1, values.2, values.3]))
            .map_err(ours)?;
        *read.entry(values.0).or_default() += 1;
    }
    let mut count = tx
        .prepare("SELECT count(*) FROM run_events WHERE run = ?1")
        .map_err(ours)?;
    for (run, events) in &read {
        let written: i64 = count.query_row([run], |row| row.get(0)).map_err(ours)?;
        if written < *events {
            return Err(StoreError::Damaged {
                file: file.clone(),
                what: format!("of {events} events of a run {written} could be carried over"),
            });
        }
    }
    drop(count);
    tx.commit().map_err(ours)?;
    Ok(runs.len())
}

/// Whether a process of that version executes a run.
fn executed(dir: &Path) -> Result<(), StoreError> {
    let locks = dir.join(LOCKS);
    let entries = match fs::read_dir(&locks) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(StoreError::file("read", &locks)(error)),
    };
    for entry in entries {
        let path = entry.map_err(StoreError::file("read", &locks))?.path();
        let Ok(file) = File::open(&path) else { continue };
        if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            let pid = fs::read_to_string(&path).ok();
            return Err(StoreError::Locked {
                dir: dir.to_owned(),
                pid: pid.and_then(|text| text.trim().parse().ok()),
            });
        }
    }
    Ok(())
}
