//! Leases in the file of a log, for hosts on one machine.
//!
//! What: [`SqliteLeases`], a table of the log's file. Why: tests and a first try need no server. Not here: what they are for (`lease`).

use crate::{
    lease::{HostLease, LEASE, LeaseHold, LeaseName, LeaseTable, LeaseText},
    log::LogError,
};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Of this machine, as all that have the file; milliseconds.
const NOW: &str = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";

/// All leases of a file.
#[derive(Debug, Clone)]
pub struct SqliteLeases(Arc<Mutex<Connection>>);

impl SqliteLeases {
    /// Opens the file, making it when it is not there.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    pub fn open(file: &Path) -> Result<Self, LogError> {
        let open = || {
            let conn = Connection::open(file)?;
            conn.busy_timeout(Duration::from_secs(5))?;
            conn.pragma_update(None, "journal_mode", "WAL")?;
            // A lease that is lost with the machine's power was held by a host that is lost with it.
            conn.pragma_update(None, "synchronous", "NORMAL")?;
            conn.execute_batch(
                "CREATE TABLE IF NOT EXISTS leases (owner TEXT PRIMARY KEY, holder TEXT NOT NULL, until_ms INTEGER NOT NULL) STRICT",
            )?;
            Ok(conn)
        };
        let conn = open().map_err(|error| unavailable(&error))?;
        Ok(Self(Arc::new(Mutex::new(conn))))
    }

    fn ask_file<T>(&self, ask: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, LogError> {
        let mut conn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ask(&mut conn).map_err(|error| unavailable(&error))
    }
}

impl LeaseTable for SqliteLeases {
    fn lease(&self, name: &LeaseName, holder: &str) -> Box<dyn HostLease> {
        Box::new(SqliteLease {
            leases: self.clone(),
            name: name.clone(),
            own: LeaseText::parse(holder),
        })
    }

    fn list(&self) -> Result<Vec<LeaseName>, LogError> {
        let read = format!("SELECT owner FROM leases WHERE until_ms >= {NOW} ORDER BY owner");
        let names: Vec<String> = self.ask_file(|conn| {
            conn.prepare_cached(&read)?
                .query_map([], |row| row.get(0))?
                .collect()
        })?;
        Ok(names.into_iter().map(LeaseName::from_kept).collect())
    }
}

/// One lease of a file.
#[derive(Debug)]
struct SqliteLease {
    leases: SqliteLeases,
    name: LeaseName,
    own: LeaseText,
}

impl SqliteLease {
    fn try_write(&self, seizes: bool) -> Result<LeaseHold, LogError> {
        self.leases.ask_file(|conn| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let now: i64 = tx.query_row(&format!("SELECT {NOW}"), [], |row| row.get(0))?;
            let there: Option<(String, i64)> = tx
                .query_row(
                    "SELECT holder, until_ms FROM leases WHERE owner = ?1",
                    [self.name.as_str()],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let is_own = |holder: &str| LeaseText::parse(holder).holder == self.own.holder;
            let hold = match &there {
                Some((holder, _)) if is_own(holder) => LeaseHold::Kept,
                // A time that lies further ahead than a lease is one of a clock that was wrong.
                Some((_, until)) if !seizes && (now..=now + millis(LEASE)).contains(until) => {
                    return Ok(LeaseHold::Others);
                }
                Some(_) | None => LeaseHold::Begun,
            };
            tx.execute(
                "INSERT INTO leases (owner, holder, until_ms) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms",
                params![self.name.as_str(), self.own.to_kept(), now + millis(LEASE)],
            )?;
            tx.commit()?;
            Ok(hold)
        })
    }
}

impl HostLease for SqliteLease {
    fn try_hold(&mut self) -> Result<LeaseHold, LogError> {
        self.try_write(false)
    }

    fn set_text(&mut self, text: String) {
        self.own.text = text;
    }

    fn seize(&mut self) -> Result<(), LogError> {
        self.try_write(true).map(drop)
    }

    fn holder(&mut self) -> Result<Option<LeaseText>, LogError> {
        let read = format!("SELECT holder FROM leases WHERE owner = ?1 AND until_ms >= {NOW}");
        let kept: Option<String> = self.leases.ask_file(|conn| {
            conn.query_row(&read, [self.name.as_str()], |row| row.get(0))
                .optional()
        })?;
        Ok(kept.map(|kept| LeaseText::parse(&kept)))
    }

    fn release(&mut self) -> Result<(), LogError> {
        let holder = format!("{} ", self.own.holder);
        self.leases
            .ask_file(|conn| {
                conn.execute(
                    "DELETE FROM leases WHERE owner = ?1 AND substr(holder || ' ', 1, length(?2)) = ?2",
                    [self.name.as_str(), &holder],
                )
            })
            .map(drop)
    }
}

fn unavailable(error: &rusqlite::Error) -> LogError {
    LogError::Unavailable(error.to_string())
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
