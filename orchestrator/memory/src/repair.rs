//! What can be read of a damaged store, in a new one.
//!
//! What: `repair` copies table by table and row by row, sets the damaged file aside, and says what was lost ([`RepairLoss`]). Why: a page
//! that a disk spoiled costs the rows on it and not the service. Not here: when a store counts as damaged (`database`), the databases
//! of workflows, whose runs are their owner's to begin again.

mod table;

use crate::{
    database,
    error::StoreError,
    files::{self, IfExists},
    mentions,
    schema::{self, MIGRATIONS},
    vault::{Vault, keys::DatabaseKey},
};
use chrono::{DateTime, Utc};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    time::SystemTime,
};
use table::{DamagedCopy, TableRepair};

/// A page of the file: what the first one holds is kept beside it.
const PAGE: usize = 4096;
/// What is said of a file that is shorter than a page.
const CUT_SHORT: &str = "it has no first page any more";
/// The tables whose rows mean nothing without those before them, and after which row that begins.
const CHAINS: [(&str, &str); 2] = [
    ("events", "SELECT coalesce(max(seq), 0) FROM snapshot"),
    ("audit", "SELECT 0"),
];

/// What changed in the agents' states, numbered by agent: a change means nothing without those before it.
const STATE_CHANGES: &str = "agent_state_changes";

/// What was lost of one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableLoss {
    /// Its name.
    pub table: String,
    /// Rows that could be read.
    pub kept: u64,
    /// Rows that could not; absent: nobody can say how many.
    pub lost: Option<u64>,
}

/// What a damaged store lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairLoss {
    /// The damaged file, sealed as it was.
    pub set_aside: String,
    /// The tables that lost something; empty: nothing was on what was damaged.
    pub tables: Vec<TableLoss>,
}

/// The losses of a data folder whose damaged files are still there, the oldest first.
///
/// # Errors
/// STORE-007 when the folder cannot be read.
pub fn losses(dir: &Path) -> Result<Vec<RepairLoss>, StoreError> {
    let entries = fs::read_dir(dir).map_err(StoreError::file("read", dir))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        name.starts_with("aura.db.damaged-") && path.extension().is_some_and(|end| end == "json")
    });
    paths.sort();
    // One that cannot be read says no more than that there was damage, which the file beside it says as well.
    let read = |path: &PathBuf| serde_json::from_slice(&fs::read(path).ok()?).ok();
    Ok(paths.iter().filter_map(read).collect())
}

/// Removes set-aside damaged files and their reports, so that an erasure is complete.
///
/// # Errors
/// STORE-007 when one cannot be removed.
pub fn forget(dir: &Path) -> Result<(), StoreError> {
    for path in set_aside(dir)? {
        files::remove(&path)?;
    }
    files::sync_dir(dir)
}

/// The damaged files that were set aside, and what is said of them.
pub(crate) fn set_aside(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(StoreError::file("read", dir))? {
        let path = entry.map_err(StoreError::file("read", dir))?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if name.starts_with("aura.db.damaged-") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Opens the store of a folder for writing, making it; repaired when it is damaged, and whether it was. The folder's lock is held.
pub(crate) fn open(vault: &Vault, file: &Path) -> Result<(Connection, bool), StoreError> {
    finish_repair(file)?;
    let key = vault.database_key(schema::FILE);
    if !files::is_there(file)? {
        // Moved away by its owner: what is made now begins anew.
        files::remove(&head(file))?;
    }
    let cut_short = is_cut_short(file);
    // SQLite gives its log and its index the mode of this file.
    files::private_file()
        .append(true)
        .open(file)
        .map_err(StoreError::file("create", file))?;
    let opened = if cut_short {
        Err(StoreError::Damaged {
            file: file.to_owned(),
            what: CUT_SHORT.to_owned(),
        })
    } else {
        database::open_for_writing(&key, file)
    };
    let (conn, repaired) = match opened {
        Ok(conn) => (conn, false),
        Err(error @ (StoreError::Damaged { .. } | StoreError::Foreign { .. })) => {
            let loss = repair(vault, file)?;
            let code = error.code();
            let loss = loss.ok_or(error)?;
            tracing::error!(
                code,
                set_aside = loss.set_aside,
                "the store was damaged and is repaired"
            );
            for table in &loss.tables {
                let (name, kept, lost) = (&table.table, table.kept, table.lost);
                tracing::error!(table = name, kept, lost, "rows were lost");
            }
            (database::open_for_writing(&key, file)?, true)
        }
        Err(error) => return Err(error),
    };
    keep_head(&conn, file)?;
    Ok((conn, repaired))
}

/// Whether a store is one that the next opening for writing puts in order before anything can be read of it, and what is wrong.
pub(crate) fn is_owed(file: &Path) -> Option<&'static str> {
    if file.with_extension("db.repaired").exists() {
        return Some("its repair was interrupted");
    }
    is_cut_short(file).then_some(CUT_SHORT)
}

/// What who only reads is told of a store that does not open: where its first page was kept, a repair may find the rest by it.
pub(crate) fn of_reader(error: StoreError, file: &Path) -> StoreError {
    if matches!(error, StoreError::Foreign { .. }) && head(file).exists() && !database::is_plain(file) {
        return StoreError::Unrepaired {
            file: file.to_owned(),
            what: "its beginning does not open with the folder's key".to_owned(),
        };
    }
    error.unrepaired()
}

/// Keeps the first page of a sound store beside it: without it nothing else in the file can be found.
fn keep_head(conn: &Connection, file: &Path) -> Result<(), StoreError> {
    // The log may hold the newer one.
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .map_err(|e| StoreError::sql(file, e))?;
    let mut page = [0; PAGE];
    fs::File::open(file)
        .and_then(|mut file| file.read_exact(&mut page))
        .map_err(StoreError::file("read", file))?;
    if let (Some(dir), Some(name)) = (
        file.parent(),
        head(file).file_name().and_then(|name| name.to_str()),
    ) {
        files::write_atomic(dir, name, &page, IfExists::Replace)?;
    }
    Ok(())
}

/// Whether a file that had a first page has none any more.
fn is_cut_short(file: &Path) -> bool {
    head(file).exists() && fs::metadata(file).is_ok_and(|meta| meta.len() < PAGE as u64)
}

fn head(file: &Path) -> PathBuf {
    file.with_extension("db.head")
}

/// Puts a store that was repaired before a crash in its place. The folder's lock is held.
fn finish_repair(file: &Path) -> Result<(), StoreError> {
    let repaired = file.with_extension("db.repaired");
    if repaired.exists() {
        swap(file, &repaired, &damaged_copy_path(file))
    } else {
        Ok(())
    }
}

/// Repairs a store. The folder's lock is held. `None`: nothing in it can be read, and it is as it was.
fn repair(vault: &Vault, file: &Path) -> Result<Option<RepairLoss>, StoreError> {
    let key = vault.database_key(schema::FILE);
    let (work, fresh) = (
        file.with_extension("db.work"),
        file.with_extension("db.repairing"),
    );
    let leave = || -> Result<(), StoreError> {
        for path in [&work, &fresh] {
            files::remove(path)?;
            for log in ["-wal", "-shm"] {
                files::remove(&with_end(path, log))?;
            }
        }
        Ok(())
    };
    leave()?;
    let copied = open_copy(&key, file, &work)?;
    let Some(version) = copied else {
        leave()?;
        return Ok(None);
    };
    files::private_file()
        .append(true)
        .open(&fresh)
        .map_err(StoreError::file("create", &fresh))?;
    let mut new = database::open_as_it_is(&key, &fresh)?;
    let sql = |e| StoreError::sql(&fresh, e);
    for sql_text in MIGRATIONS.iter().take(version) {
        new.execute_batch(sql_text).map_err(sql)?;
    }
    let old = DamagedCopy {
        key: &key,
        file: &work,
    };
    let mut tables = copy_all(&old, &mut new).map_err(sql)?;
    let kept: u64 = tables.iter().map(|table| table.kept).sum();
    if kept == 0 {
        drop(new);
        leave()?;
        return Ok(None);
    }
    let mut cuts = vec![(STATE_CHANGES, cut_state_changes(&new).map_err(sql)?)];
    for (name, after) in CHAINS {
        cuts.push((name, close_hole(&new, name, after).map_err(sql)?));
    }
    for (name, cut) in cuts {
        for table in tables.iter_mut().filter(|table| table.table == name && cut > 0) {
            table.kept -= cut.min(table.kept);
            table.lost = table.lost.map(|lost| lost + cut);
        }
    }
    new.pragma_update(None, "user_version", i64::try_from(version).unwrap_or(0))
        .map_err(sql)?;
    new.close().map_err(|(_, e)| sql(e))?;
    let set_aside = damaged_copy_path(file);
    let loss = RepairLoss {
        set_aside: set_aside
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        tables: tables.into_iter().filter(|table| table.lost != Some(0)).collect(),
    };
    if let (Some(dir), Ok(text)) = (file.parent(), serde_json::to_vec_pretty(&loss)) {
        files::write_atomic(dir, &format!("{}.json", loss.set_aside), &text, IfExists::Replace)?;
    }
    let repaired = file.with_extension("db.repaired");
    fs::File::open(&fresh)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(&fresh, &repaired))
        .map_err(StoreError::file("sync", &fresh))?;
    swap(file, &repaired, &set_aside)?;
    leave()?;
    Ok(Some(loss))
}

/// Gives a damaged store another name, with its log, so that a new one can begin in its place. The folder's lock is held.
pub(crate) fn set_aside_unread(file: &Path) -> Result<(), StoreError> {
    let aside = damaged_copy_path(file);
    for end in ["-wal", "-shm", ""] {
        let from = with_end(file, end);
        if files::is_there(&from)? {
            fs::rename(&from, with_end(&aside, end)).map_err(StoreError::file("rename", &from))?;
        }
    }
    files::remove(&head(file))?;
    file.parent().map_or(Ok(()), files::sync_dir)
}

/// The damaged file gets its other name, then the repaired one its place. Repeatable.
fn swap(file: &Path, repaired: &Path, set_aside: &Path) -> Result<(), StoreError> {
    files::second_name(file, set_aside)?;
    let log = with_end(file, "-wal");
    if log.exists() {
        files::second_name(&log, &with_end(set_aside, "-wal"))?;
    }
    // The log is the damaged file's, and must not be read into the new one.
    for end in ["-wal", "-shm"] {
        files::remove(&with_end(file, end))?;
    }
    fs::rename(repaired, file).map_err(StoreError::file("replace", file))?;
    file.parent().map_or(Ok(()), files::sync_dir)
}

fn damaged_copy_path(file: &Path) -> PathBuf {
    file.with_extension(format!(
        "db.damaged-{}",
        DateTime::<Utc>::from(SystemTime::now()).format("%Y%m%dT%H%M%SZ")
    ))
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Makes a copy of the damaged file with its log; the version of its schema. Where its first page cannot be read it gets the one
/// that was kept.
fn open_copy(key: &DatabaseKey, file: &Path, work: &Path) -> Result<Option<usize>, StoreError> {
    let copy = |from: &Path, to: &Path| {
        if from.exists() {
            fs::copy(from, to)
                .map(|_| ())
                .map_err(StoreError::file("write", to))
        } else {
            Ok(())
        }
    };
    let mut begins = [None, fs::read(head(file)).ok()].into_iter();
    begins.try_fold(None, |found: Option<usize>, begin| {
        if found.is_some() || (begin.is_none() && !file.exists()) {
            return Ok(found);
        }
        copy(file, work)?;
        copy(&with_end(file, "-wal"), &with_end(work, "-wal"))?;
        files::remove(&with_end(work, "-shm"))?;
        if let Some(page) = begin {
            let mut work = fs::OpenOptions::new()
                .write(true)
                .open(work)
                .map_err(StoreError::file("write", work))?;
            work.write_all(&page).map_err(StoreError::file("write", file))?;
        }
        let opened = database::open_damaged(key, work)
            .and_then(|conn| database::known_version(&conn, file, MIGRATIONS));
        match opened {
            Ok(version) if version > 0 => Ok(Some(version)),
            Err(error @ StoreError::NewerSchema { .. }) => Err(error),
            Ok(_) | Err(_) => Ok(None),
        }
    })
}

/// Every table of the new store, filled with what can be read of the old one.
fn copy_all(old: &DamagedCopy<'_>, new: &mut Connection) -> rusqlite::Result<Vec<TableLoss>> {
    let tables: Vec<(String, bool)> = new
        .prepare(
            "SELECT list.name, list.wr FROM pragma_table_list AS list JOIN sqlite_schema USING (name)
             WHERE list.schema = 'main' AND list.type IN ('table', 'virtual') AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
               AND list.name <> 'mentions'
             ORDER BY sqlite_schema.rowid",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let tx = new.transaction()?;
    let mut losses = Vec::new();
    for (name, without_rowid) in tables {
        losses.push(TableRepair::of(&tx, name, without_rowid)?.copy(old, &tx)?);
    }
    // Made of the traces that are left.
    if has_table(&tx, "mentions")? {
        mentions::note_all(&tx)?;
    }
    tx.commit()?;
    Ok(losses)
}

/// Rows behind a hole stay in the file that was set aside. How many they are.
fn close_hole(new: &Connection, table: &str, after: &str) -> rusqlite::Result<u64> {
    if !has_table(new, table)? {
        return Ok(0);
    }
    let after: i64 = new.query_row(after, [], |row| row.get(0))?;
    let seqs: Vec<i64> = new
        .prepare(&format!("SELECT seq FROM {table} WHERE seq > ?1 ORDER BY seq"))?
        .query_map([after], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let hole = (after + 1..).zip(&seqs).find(|(expected, seq)| expected != *seq);
    let Some((expected, _)) = hole else { return Ok(0) };
    // A table that only grows refuses this in service.
    let triggers: Vec<(String, String)> = new
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1")?
        .query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (name, _) in &triggers {
        new.execute_batch(&format!("DROP TRIGGER \"{name}\""))?;
    }
    let cut = new.execute(&format!("DELETE FROM {table} WHERE seq > ?1"), [expected])?;
    for (_, sql) in &triggers {
        new.execute_batch(sql)?;
    }
    Ok(cut as u64)
}

/// Removes changes of the agents' states without those before them: an agent goes on from an older state. How many.
fn cut_state_changes(new: &Connection) -> rusqlite::Result<u64> {
    if !has_table(new, STATE_CHANGES)? {
        return Ok(0);
    }
    let behind_a_hole = format!(
        "DELETE FROM {STATE_CHANGES} WHERE agent NOT IN (SELECT agent FROM agent_states) OR number >
            (SELECT count(*) FROM {STATE_CHANGES} AS before
             WHERE before.agent = {STATE_CHANGES}.agent AND before.number <= {STATE_CHANGES}.number)"
    );
    Ok(new.execute(&behind_a_hole, [])? as u64)
}

fn has_table(new: &Connection, table: &str) -> rusqlite::Result<bool> {
    let there = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    Ok(new.query_row(there, [table], |row| row.get::<_, i64>(0))? > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_a_state_go_with_those_before_them() {
        let conn = Connection::open_in_memory().unwrap();
        assert_eq!(cut_state_changes(&conn).unwrap(), 0, "an older schema");
        for sql in MIGRATIONS {
            conn.execute_batch(sql).unwrap();
        }
        for agent in ["comms", "finance"] {
            conn.execute("INSERT INTO agent_states VALUES (?1, '{}')", [agent])
                .unwrap();
        }
        // Comms lost its third and sixth, Finance nothing, Calendar its state.
        for (agent, number) in [
            ("comms", 1),
            ("comms", 2),
            ("comms", 4),
            ("comms", 5),
            ("comms", 7),
            ("finance", 1),
            ("finance", 2),
            ("calendar", 1),
        ] {
            conn.execute(
                "INSERT INTO agent_state_changes VALUES (?1, ?2, '{}')",
                (agent, number),
            )
            .unwrap();
        }
        assert_eq!(cut_state_changes(&conn).unwrap(), 4);
        let left: Vec<(String, i64)> = conn
            .prepare("SELECT agent, number FROM agent_state_changes ORDER BY agent, number")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap();
        let of = |agent: &str, number| (agent.to_owned(), number);
        assert_eq!(
            left,
            [of("comms", 1), of("comms", 2), of("finance", 1), of("finance", 2)]
        );
    }
}
