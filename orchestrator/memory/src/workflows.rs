//! The journals of workflows' runs, and who executes them.
//!
//! What: [`RunStore`], the database `workflows.db`: events by run and number; [`RunLock`], one file a run. Why: runs execute in
//! processes of their own beside the service, so writers may race: (run, n) is the primary key and the loser gets `Taken`. Not here:
//! what an event means (`orchestrator_machine::workflow`), the service's own journal (`store`).

use crate::{
    ageing::ExpiredRanges,
    database,
    error::StoreError,
    files,
    rows::{from_sql, to_sql},
    vault::Vault,
};
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row, TransactionBehavior, params};
use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io::{ErrorKind, Write as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};
use toolcall_schema::forget::ErasureScope;

/// The database's name in the data folder.
pub(crate) const FILE: &str = "workflows.db";
/// The folder of the lock files.
const LOCKS: &str = "workflows";

/// Each entry lifts the schema by one. Never edited, only added to.
const MIGRATIONS: &[&str] = &["
CREATE TABLE event (run TEXT NOT NULL, n INTEGER NOT NULL, at_ms INTEGER NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (run, n)) STRICT, WITHOUT ROWID;
CREATE TABLE head (run TEXT PRIMARY KEY, workflow TEXT NOT NULL, feature TEXT, phase TEXT NOT NULL,
    until_ms INTEGER, started_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX head_last ON head (last_ms);
"];

/// Where a run stands, said with each event so that lists need not read journals. What the journal says counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// The run's id.
    pub run: String,
    /// The workflow's name.
    pub workflow: String,
    /// What it works on.
    pub feature: Option<String>,
    /// In one word.
    pub phase: String,
    /// Until when its question can be answered, milliseconds since 1970 UTC; only of a run that waits.
    pub until_ms: Option<i64>,
    /// When it began.
    pub started_ms: i64,
    /// When something happened last.
    pub last_ms: i64,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRunEvent {
    /// From 0.
    pub n: u64,
    /// Milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// The event.
    pub json: String,
}

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum AppendOutcome {
    /// It is on disk.
    Written,
    /// Somebody else wrote an event of that number: read again, and decide again.
    Taken,
}

/// The journals of runs. Any number of processes may have it open.
#[derive(Debug)]
pub struct RunStore {
    conn: Connection,
    file: PathBuf,
}

impl RunStore {
    /// Opens the database of a data folder, making it.
    ///
    /// # Errors
    /// STORE-002 when it is of a newer schema, STORE-003 when it is damaged, STORE-007 when it cannot be read or written,
    /// STORE-014 when it is not this folder's.
    pub fn open(vault: &Vault) -> Result<Self, StoreError> {
        let file = vault.dir().join(FILE);
        files::private_file()
            .append(true)
            .open(&file)
            .map_err(StoreError::file("create", &file))?;
        let mut conn = database::open_connection(
            &vault.database_key(FILE),
            &file,
            OpenFlags::SQLITE_OPEN_READ_WRITE,
        )?;
        database::known_version(&conn, &file, MIGRATIONS)?;
        let sql = |e| StoreError::sql(&file, e);
        conn.pragma_update(None, "journal_mode", "WAL").map_err(sql)?;
        conn.pragma_update(None, "synchronous", "FULL").map_err(sql)?;
        // What is deleted is overwritten with zeros.
        conn.pragma_update(None, "secure_delete", true).map_err(sql)?;
        migrate(&mut conn).map_err(sql)?;
        Ok(Self { conn, file })
    }

    /// Opens it for looking; `None` when the folder has none. Creates nothing.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn look(vault: &Vault) -> Result<Option<Self>, StoreError> {
        let file = vault.dir().join(FILE);
        if !files::is_there(&file)? {
            return Ok(None);
        }
        let conn =
            database::open_connection(&vault.database_key(FILE), &file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        // Made and not filled yet: as good as not there.
        let there = database::known_version(&conn, &file, MIGRATIONS)? > 0;
        Ok(there.then_some(Self { conn, file }))
    }

    /// Writes one event of a run, and where the run stands after it. On disk when this returns.
    ///
    /// # Errors
    /// STORE-003 or STORE-007, as all.
    pub fn append(&mut self, n: u64, json: &str, head: &RunSummary) -> Result<AppendOutcome, StoreError> {
        let done = self
            .conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|tx| {
                let written = tx
                    .prepare_cached("INSERT INTO event (run, n, at_ms, json) VALUES (?1, ?2, ?3, ?4)")?
                    .execute(params![head.run, to_sql(n), head.last_ms, json]);
                if written
                    .as_ref()
                    .err()
                    .and_then(rusqlite::Error::sqlite_error_code)
                    == Some(ErrorCode::ConstraintViolation)
                {
                    return Ok(AppendOutcome::Taken);
                }
                written?;
                tx.prepare_cached(
                "INSERT OR REPLACE INTO head (run, workflow, feature, phase, until_ms, started_ms, last_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                head.run,
                head.workflow,
                head.feature,
                head.phase,
                head.until_ms,
                head.started_ms,
                head.last_ms
            ])?;
                tx.commit()?;
                Ok(AppendOutcome::Written)
            });
        done.map_err(|e| StoreError::sql(&self.file, e))
    }

    /// Removes the runs that were under way in the span or that name a thing, and says how many. One that is executed now stays. `dry`:
    /// only counts.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub(crate) fn forget(&mut self, dir: &Path, forget: &ErasureScope, dry: bool) -> Result<u64, StoreError> {
        let heads = self.rows(HEADS, params![], head)?;
        let mut runs = Vec::new();
        for head in heads {
            let span = forget.span;
            let mut goes =
                span.is_some_and(|span| head.started_ms < span.to.ms() && head.last_ms >= span.from.ms());
            if !goes && !forget.things.is_empty() {
                goes = self
                    .events(&head.run, 1)?
                    .iter()
                    .any(|event| forget.mentions_thing(&event.json));
            }
            if goes && RunLock::holder(dir, &head.run)?.is_none() {
                runs.push(head.run);
            }
        }
        self.remove(&runs, dry)
    }

    /// Removes the runs that are over and in which nothing has happened since a moment, and says how many. `dry`: only counts.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub(crate) fn purge(&mut self, expired: &ExpiredRanges, dry: bool) -> Result<u64, StoreError> {
        let mut runs = BTreeSet::new();
        for (from, to) in expired.ranges() {
            let old = self.rows(
                &format!("{HEADS} WHERE until_ms IS NULL AND last_ms >= ?1 AND last_ms < ?2"),
                params![from, to],
                head,
            )?;
            runs.extend(old.into_iter().map(|head| head.run));
        }
        let runs: Vec<String> = runs.into_iter().collect();
        self.remove(&runs, dry)
    }

    fn remove(&mut self, runs: &[String], dry: bool) -> Result<u64, StoreError> {
        if !dry && !runs.is_empty() {
            let removed = self
                .conn
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .and_then(|tx| {
                    for run in runs {
                        tx.execute("DELETE FROM event WHERE run = ?1", [run])?;
                        tx.execute("DELETE FROM head WHERE run = ?1", [run])?;
                    }
                    tx.commit()
                })
                // A reader in the way leaves the log as it is; the next one to close the file empties it.
                .and_then(|()| {
                    self.conn
                        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                });
            removed.map_err(|e| StoreError::sql(&self.file, e))?;
        }
        Ok(runs.len() as u64)
    }

    /// The events of a run from `from` on, in order. An unknown run has none.
    ///
    /// # Errors
    /// STORE-003 or STORE-007; STORE-008 when one is missing between others.
    pub fn events(&self, run: &str, from: u64) -> Result<Vec<StoredRunEvent>, StoreError> {
        let rows = self.rows(
            "SELECT n, at_ms, json FROM event WHERE run = ?1 AND n >= ?2 ORDER BY n",
            params![run, to_sql(from)],
            |row| {
                Ok(StoredRunEvent {
                    n: from_sql(row.get(0)?),
                    at_ms: row.get(1)?,
                    json: row.get(2)?,
                })
            },
        )?;
        match (from..).zip(&rows).find(|(expected, row)| row.n != *expected) {
            Some((expected, row)) => Err(StoreError::OutOfOrder { expected, got: row.n }),
            None => Ok(rows),
        }
    }

    /// The runs, the one in which something happened last first, at most `limit`.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn runs(&self, limit: u32) -> Result<Vec<RunSummary>, StoreError> {
        self.rows(
            &format!("{HEADS} ORDER BY last_ms DESC, run DESC LIMIT ?1"),
            params![limit],
            head,
        )
    }

    /// The runs that wait for their owner, the one whose time ends first first.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn questions(&self) -> Result<Vec<RunSummary>, StoreError> {
        self.rows(
            &format!("{HEADS} WHERE until_ms IS NOT NULL ORDER BY until_ms, run"),
            params![],
            head,
        )
    }

    /// The runs whose ids begin so, at most two: whoever means one run needs no more. `last`: the one begun last.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn find(&self, prefix: &str) -> Result<Vec<RunSummary>, StoreError> {
        if prefix == "last" {
            return self.rows(
                &format!("{HEADS} ORDER BY started_ms DESC, run DESC LIMIT 1"),
                params![],
                head,
            );
        }
        self.rows(
            &format!("{HEADS} WHERE substr(run, 1, length(?1)) = ?1 ORDER BY run LIMIT 2"),
            params![prefix],
            head,
        )
    }

    /// A number that changes when somebody else has written something, as long as this is open.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn version(&self) -> Result<i64, StoreError> {
        self.conn
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(|e| StoreError::sql(&self.file, e))
    }

    /// What `SQLite` finds wrong with the file; `None`: it is sound.
    ///
    /// # Errors
    /// STORE-003 or STORE-007.
    pub fn damage(&self) -> Result<Option<String>, StoreError> {
        database::damage(&self.conn).map_err(|e| StoreError::sql(&self.file, e))
    }

    fn rows<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.conn
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_map(params, read)?.collect())
            .map_err(|e| StoreError::sql(&self.file, e))
    }
}

const HEADS: &str = "SELECT run, workflow, feature, phase, until_ms, started_ms, last_ms FROM head";

fn head(row: &Row<'_>) -> rusqlite::Result<RunSummary> {
    Ok(RunSummary {
        run: row.get(0)?,
        workflow: row.get(1)?,
        feature: row.get(2)?,
        phase: row.get(3)?,
        until_ms: row.get(4)?,
        started_ms: row.get(5)?,
        last_ms: row.get(6)?,
    })
}

/// Two processes may open a new database at once: each looks again when it is its turn.
fn migrate(conn: &mut Connection) -> rusqlite::Result<()> {
    for (version, sql) in (1_i64..).zip(MIGRATIONS) {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let there: Option<i64> = tx
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .optional()?;
        if there.unwrap_or(0) < version {
            tx.execute_batch(sql)?;
            tx.pragma_update(None, "user_version", version)?;
            tx.commit()?;
        }
    }
    Ok(())
}

/// The right to execute a run, as long as this lives and its process does.
#[derive(Debug)]
pub struct RunLock {
    path: PathBuf,
    _held: File,
}

/// Who executes a run.
#[derive(Debug)]
pub enum RunOwnership {
    /// We do.
    Ours(RunLock),
    /// Another process.
    Theirs(Option<u32>),
}

/// How often somebody who only looks may be in the way, and how long in all: 200 ms.
const TRIES: u32 = 20;

impl RunLock {
    /// Takes the right to execute a run of a data folder.
    ///
    /// # Errors
    /// STORE-007 when the lock file cannot be made or locked.
    pub fn take(dir: &Path, run: &str) -> Result<RunOwnership, StoreError> {
        let path = path_of(dir, run);
        files::private_dir(&dir.join(LOCKS))?;
        let mut tries = 0;
        loop {
            let mut file = files::private_file()
                .read(true)
                .write(true)
                .truncate(false)
                .open(&path)
                .map_err(StoreError::file("open", &path))?;
            match file.try_lock() {
                Ok(()) if is_still(&path, &file) => {
                    let written = file
                        .set_len(0)
                        .and_then(|()| writeln!(file, "{}", std::process::id()));
                    written.map_err(StoreError::file("write", &path))?;
                    return Ok(RunOwnership::Ours(Self { path, _held: file }));
                }
                // Whoever had it removed the file meanwhile.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if tries < TRIES => {
                    tries += 1;
                    thread::park_timeout(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => return Ok(RunOwnership::Theirs(pid_in(&path))),
                Err(TryLockError::Error(source)) => return Err(StoreError::file("lock", &path)(source)),
            }
        }
    }

    /// The process that executes a run, if one does.
    ///
    /// # Errors
    /// STORE-007 when the lock file cannot be read.
    pub fn holder(dir: &Path, run: &str) -> Result<Option<u32>, StoreError> {
        let path = path_of(dir, run);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::file("open", &path)(error)),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => Ok(pid_in(&path)),
            Err(TryLockError::Error(source)) => Err(StoreError::file("lock", &path)(source)),
        }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // While it is held: nobody else can have taken it. A file that stays does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

fn path_of(dir: &Path, run: &str) -> PathBuf {
    dir.join(LOCKS).join(format!("{run}.lock"))
}

fn is_still(path: &Path, file: &File) -> bool {
    let id = |meta: fs::Metadata| (meta.dev(), meta.ino());
    let there = fs::metadata(path).ok().map(id);
    there.is_some() && there == file.metadata().ok().map(id)
}

fn pid_in(path: &Path) -> Option<u32> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}
