//! Who runs an owner now.
//!
//! What: [`OwnerLease`], which one host holds for a while, in a file ([`SqliteLease`]) or on a server (`JetStreamLease`); [`LeaseKeeper`], which renews one
//! beside a service. Why: another host begins when this one has died, and not before. Nothing rests on it but that: the log refuses whoever lost the
//! owner, whatever a clock says. Not here: the log.

use crate::{log::LogError, seal::OwnerSubject};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use std::{
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::Duration,
};

/// For how long a host that renews nothing keeps an owner.
pub const LEASE: Duration = Duration::from_secs(8);
/// How often it is renewed.
const RENEW: Duration = Duration::from_secs(2);
/// How often who waits for it looks.
const LOOK: Duration = Duration::from_secs(1);

/// The right to begin with an owner, for [`LEASE`] at a time.
pub trait OwnerLease: Send {
    /// Takes it, or keeps it. `false`: another host has it.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn try_hold(&mut self) -> Result<bool, LogError>;

    /// Takes it from whoever has it.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn seize(&mut self) -> Result<(), LogError>;

    /// Who has it.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn holder(&mut self) -> Result<Option<String>, LogError>;

    /// Gives it back, so that another host need not wait until it has run out.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn release(&mut self) -> Result<(), LogError>;
}

/// Waits until no other host has it, and holds it then.
///
/// # Errors
/// What is wrong with the place where it is kept. One that does not answer is asked again.
pub fn wait_for_lease<F>(open: F) -> Result<Box<dyn OwnerLease>, LogError>
where
    F: Fn() -> Result<Box<dyn OwnerLease>, LogError>,
{
    let (mut lease, mut is_told) = (None, false);
    loop {
        match try_hold(&mut lease, &open) {
            Ok(Some(held)) => return Ok(held),
            Ok(None) if is_told => {}
            Ok(None) => {
                tracing::info!(
                    "another host runs this owner: this one waits until that has died or given her back"
                );
                is_told = true;
            }
            Err(error @ LogError::Unavailable(_)) => {
                tracing::warn!(%error, "who runs this owner is not known: it is asked again");
            }
            Err(error) => return Err(error),
        }
        thread::sleep(LOOK);
    }
}

fn try_hold(
    lease: &mut Option<Box<dyn OwnerLease>>,
    open: impl Fn() -> Result<Box<dyn OwnerLease>, LogError>,
) -> Result<Option<Box<dyn OwnerLease>>, LogError> {
    let mut asked = match lease.take() {
        Some(lease) => lease,
        None => open()?,
    };
    let is_held = asked.try_hold();
    if matches!(is_held, Ok(true)) {
        return Ok(Some(asked));
    }
    *lease = Some(asked);
    is_held.map(|_| None)
}

/// Renews a lease until it is dropped, which gives it back.
pub struct LeaseKeeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LeaseKeeper {
    /// `on_loss` is called when another host has it.
    ///
    /// # Errors
    /// When there is no room for a thread.
    pub fn start(mut lease: Box<dyn OwnerLease>, on_loss: fn()) -> std::io::Result<Self> {
        let (stop, stopped) = channel();
        let keep = move || {
            keep(lease.as_mut(), &stopped, on_loss);
            if let Err(error) = lease.release() {
                tracing::debug!(%error, "the lease runs out by itself");
            }
        };
        let thread = thread::Builder::new().name("aura-lease".to_owned()).spawn(keep)?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for LeaseKeeper {
    fn drop(&mut self) {
        self.stop.take();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the keeper of the lease panicked");
        }
    }
}

fn keep(lease: &mut dyn OwnerLease, stopped: &Receiver<()>, on_loss: fn()) {
    while stopped.recv_timeout(RENEW) == Err(RecvTimeoutError::Timeout) {
        match lease.try_hold() {
            Ok(true) => {}
            Ok(false) => on_loss(),
            // Whoever takes the owner meanwhile is told apart by the log.
            Err(error) => tracing::warn!(%error, "the lease is not renewed"),
        }
    }
}

/// In the file of a log, for hosts on one machine.
#[derive(Debug)]
pub struct SqliteLease {
    conn: Connection,
    owner: String,
    holder: String,
}

impl SqliteLease {
    /// `holder`: a word that no other process has.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    pub fn open(file: &Path, owner: &OwnerSubject, holder: &str) -> Result<Self, LogError> {
        let open = || {
            let conn = Connection::open(file)?;
            conn.busy_timeout(Duration::from_secs(5))?;
            conn.pragma_update(None, "journal_mode", "WAL")?;
            conn.execute_batch(
                "CREATE TABLE IF NOT EXISTS leases (owner TEXT PRIMARY KEY, holder TEXT NOT NULL, until_ms INTEGER NOT NULL) STRICT",
            )?;
            Ok(conn)
        };
        Ok(Self {
            conn: open().map_err(|error| unavailable(&error))?,
            owner: owner.as_str().to_owned(),
            holder: holder.to_owned(),
        })
    }

    fn try_write(&mut self, seizes: bool) -> rusqlite::Result<bool> {
        let tx = self
            .conn
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Of this machine, as all that have the file.
        let now: i64 = tx.query_row(
            "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
            [],
            |row| row.get(0),
        )?;
        let there: Option<(String, i64)> = tx
            .query_row(
                "SELECT holder, until_ms FROM leases WHERE owner = ?1",
                [&self.owner],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?;
        // A time that lies further ahead than a lease is one of a clock that was wrong.
        let is_others = there.is_some_and(|(holder, until)| {
            holder != self.holder && (now..=now + millis(LEASE)).contains(&until)
        });
        if is_others && !seizes {
            return Ok(false);
        }
        tx.execute(
            "INSERT INTO leases (owner, holder, until_ms) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms",
            params![self.owner, self.holder, now + millis(LEASE)],
        )?;
        tx.commit()?;
        Ok(true)
    }
}

impl OwnerLease for SqliteLease {
    fn try_hold(&mut self) -> Result<bool, LogError> {
        self.try_write(false).map_err(|error| unavailable(&error))
    }

    fn seize(&mut self) -> Result<(), LogError> {
        self.try_write(true)
            .map(drop)
            .map_err(|error| unavailable(&error))
    }

    fn holder(&mut self) -> Result<Option<String>, LogError> {
        self.conn
            .query_row(
                "SELECT holder FROM leases WHERE owner = ?1 AND until_ms >= CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
                [&self.owner],
                |row| row.get(0),
            )
            .optional()
            .map_err(|error| unavailable(&error))
    }

    fn release(&mut self) -> Result<(), LogError> {
        self.conn
            .execute(
                "DELETE FROM leases WHERE owner = ?1 AND holder = ?2",
                [&self.owner, &self.holder],
            )
            .map(drop)
            .map_err(|error| unavailable(&error))
    }
}

fn unavailable(error: &rusqlite::Error) -> LogError {
    LogError::Unavailable(error.to_string())
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
