//! The log outside the process that a store follows.
//!
//! What: [`RemoteLog`], which whoever runs an owner on one of several hosts gives to her store; [`LogGate`], through which the writer appends before it
//! commits; [`follow`], which brings a store up to the log when it is opened. Why: another host goes on with what this one acknowledged, and only one of
//! them can append. Without such a log none of this runs. Not here: where a log is kept and how its entries are sealed (`aura-hosts`).

use crate::{
    apply::{GraphPart, apply},
    audit::AuditLog,
    committed::{CommitChange, CommitCounters, EntryPlace},
    database,
    error::StoreError,
    files, folder_lock, outbox,
    recover::recover,
    rows::StoreWrite,
    schema,
    store::seq_after,
    uncommitted::WriteGroup,
    vault::Vault,
};
use rusqlite::{Connection, TransactionBehavior};
use sha2::{Digest as _, Sha256};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

/// An entry holds whole groups with no more text than this together, or one that is larger.
const ENTRY_TEXT_MAX: usize = 256 << 10;
/// How many writes an entry holds, unless one group has more.
const ENTRY_WRITES_MAX: usize = 512;
/// How many entries are taken in by one transaction.
const PAGE: usize = 256;
/// How often a store that is opened is overtaken by another host's append before it gives up.
const CLAIM_TRIES: u32 = 32;

/// An entry of the log, opened.
#[derive(Debug)]
pub struct LoggedWrites {
    /// From 1, without a gap.
    pub position: u64,
    /// As it stands in the log.
    pub sealed: Vec<u8>,
    pub writes: Vec<StoreWrite>,
}

/// The log of one owner, which lies outside the process. It is asked on threads that may wait, and on none that has an asynchronous runtime.
///
/// Each error that is not temporary ends the store's writer: [`StoreError::Fenced`] when another host has appended, [`StoreError::LogUnfit`] for
/// everything else.
pub trait RemoteLog: Send {
    /// The entry that these writes become at a position. Twice the same writes may give other bytes.
    ///
    /// # Errors
    /// [`StoreError::LogUnfit`] when they cannot be an entry.
    fn seal(&mut self, position: u64, writes: &[&StoreWrite]) -> Result<Vec<u8>, StoreError>;

    /// Appends an entry at a position, if it is the one after the last; on disk when this returns. The same bytes at the same position again are no
    /// other entry: whoever was not answered asks again.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when another entry is there, [`StoreError::LogAway`] when nobody knows.
    fn append(&mut self, position: u64, entry: &[u8]) -> Result<(), StoreError>;

    /// The entries after a position, in order and without a gap, at most so many.
    ///
    /// # Errors
    /// [`StoreError::LogUnfit`] when the log ends before it, or has cut what is asked for; [`StoreError::LogAway`].
    fn read_after(&mut self, position: u64, at_most: usize) -> Result<Vec<LoggedWrites>, StoreError>;
}

/// Opens the log of the owner whose folder it is.
pub type OpenRemoteLog = Arc<dyn Fn(&Vault) -> Result<Box<dyn RemoteLog>, StoreError> + Send + Sync>;

/// Where an entry stands, and what tells it from another one there.
fn place_of(position: u64, entry: &[u8]) -> EntryPlace {
    let mut first = [0; 8];
    for (byte, hashed) in first.iter_mut().zip(Sha256::digest(entry)) {
        *byte = hashed;
    }
    EntryPlace {
        position,
        mark: u64::from_be_bytes(first) >> 1,
    }
}

/// What was sent and not answered yet.
struct PendingEntry {
    sealed: Vec<u8>,
    /// The last group that is in it.
    last_group: u64,
}

/// The writer's way to the log.
pub(crate) struct LogGate {
    log: Box<dyn RemoteLog>,
    /// The last entry of this writer's.
    end: EntryPlace,
    /// It is appended before anything else, byte for byte.
    pending: Option<PendingEntry>,
    /// The last group that is in the log.
    appended: u64,
}

impl LogGate {
    /// The last entry that the log is known to hold.
    pub(crate) fn end(&self) -> EntryPlace {
        self.end
    }

    /// Appends those of these groups that are not in the log yet. They may be committed when it returns.
    ///
    /// # Errors
    /// As [`RemoteLog`]. After [`StoreError::LogAway`] it goes on where it was.
    pub(crate) fn append_groups(&mut self, groups: &[Arc<WriteGroup>]) -> Result<(), StoreError> {
        self.settle()?;
        loop {
            let appended = self.appended;
            let fresh = groups.iter().filter(|group| group.number > appended);
            let (mut writes, mut text, mut last_group) = (Vec::new(), 0, appended);
            for group in fresh {
                text += group.writes.iter().map(StoreWrite::bytes).sum::<usize>();
                let is_full = text > ENTRY_TEXT_MAX || writes.len() + group.writes.len() > ENTRY_WRITES_MAX;
                if is_full && last_group > appended {
                    break;
                }
                writes.extend(&group.writes);
                last_group = group.number;
            }
            if last_group == appended {
                return Ok(());
            }
            self.append(&writes, last_group)?;
        }
    }

    /// Appends an entry with nothing in it, for what is committed and is no group: whoever is not the owner's writer any more learns it here.
    ///
    /// # Errors
    /// As [`Self::append_groups`].
    pub(crate) fn claim(&mut self) -> Result<(), StoreError> {
        self.settle()?;
        self.append(&[], self.appended)
    }

    fn append(&mut self, writes: &[&StoreWrite], last_group: u64) -> Result<(), StoreError> {
        let sealed = self.log.seal(self.end.position + 1, writes)?;
        self.pending = Some(PendingEntry { sealed, last_group });
        self.settle()
    }

    /// Appends what was sent before, if anything was.
    fn settle(&mut self) -> Result<(), StoreError> {
        let Some(pending) = &self.pending else {
            return Ok(());
        };
        let position = self.end.position + 1;
        self.log.append(position, &pending.sealed)?;
        self.end = place_of(position, &pending.sealed);
        self.appended = pending.last_group;
        self.pending = None;
        Ok(())
    }
}

/// A store that is being opened and is to follow a log.
pub(crate) struct LogFollower<'a> {
    pub(crate) conn: &'a mut Connection,
    pub(crate) file: &'a Path,
    pub(crate) audit: &'a mut AuditLog,
    pub(crate) vault: &'a Vault,
}

impl LogFollower<'_> {
    /// Brings the store up to the log's end and appends an entry there: from then on no other host appends.
    ///
    /// # Errors
    /// STORE-018 when the log does not answer, STORE-019 when it is not the one that this store follows.
    pub(crate) fn follow(self, open: &OpenRemoteLog) -> Result<LogGate, StoreError> {
        // A log may have an asynchronous runtime, and so may this thread, which must not wait for another one's.
        thread::scope(|scope| {
            let following = thread::Builder::new()
                .name("aura-log".to_owned())
                .spawn_scoped(scope, move || self.follow_here(open))
                .map_err(|source| StoreError::File {
                    doing: "start the thread that reads the log of",
                    path: PathBuf::from("the store"),
                    source,
                })?;
            following.join().unwrap_or(Err(StoreError::Stopped))
        })
    }

    fn follow_here(mut self, open: &OpenRemoteLog) -> Result<LogGate, StoreError> {
        let counters = CommitCounters::read(self.conn).map_err(|e| StoreError::sql(self.file, e))?;
        let mut log = open(self.vault)?;
        let mut reached = counters.log;
        let is_new = counters == CommitCounters::default() && recover(self.conn, self.file)?.next_seq == 1;
        if reached.position == 0 && !is_new {
            return Err(self.unfit(
                "what is in this folder is not in the log: only an empty folder begins to follow one",
            ));
        }
        if let Some(before) = reached.position.checked_sub(1) {
            let same = log.read_after(before, 1)?;
            let is_same = same
                .first()
                .is_some_and(|entry| place_of(entry.position, &entry.sealed) == reached);
            if !is_same {
                return Err(self.unfit(
                    "the log does not hold this folder's last entry: move its aura.db away, and it is made again from the log",
                ));
            }
        }
        let mut tries = 0..CLAIM_TRIES;
        loop {
            reached = self.catch_up(log.as_mut(), reached)?;
            let position = reached.position + 1;
            let entry = log.seal(position, &[])?;
            match log.append(position, &entry) {
                Ok(()) => {
                    return Ok(LogGate {
                        log,
                        end: place_of(position, &entry),
                        pending: None,
                        appended: 0,
                    });
                }
                Err(StoreError::Fenced) if tries.next().is_some() => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes in what the log holds after a place; the place of its last entry.
    fn catch_up(&mut self, log: &mut dyn RemoteLog, after: EntryPlace) -> Result<EntryPlace, StoreError> {
        let mut reached = after;
        loop {
            let page = log.read_after(reached.position, PAGE)?;
            let Some(last) = page.last() else {
                return Ok(reached);
            };
            let end = place_of(last.position, &last.sealed);
            self.take_in(&page, end)?;
            tracing::info!(
                entries = page.len(),
                position = end.position,
                "the store took in what its log holds"
            );
            reached = end;
        }
    }

    /// One transaction: all of a page or nothing.
    fn take_in(&mut self, page: &[LoggedWrites], end: EntryPlace) -> Result<(), StoreError> {
        let mut next_seq = recover(self.conn, self.file)?.next_seq;
        let mut audit = self.audit.clone();
        let file = self.file;
        let sql = |e| StoreError::sql(file, e);
        let tx = self
            .conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sql)?;
        let counters = CommitCounters::read(&tx).map_err(sql)?;
        for entry in page {
            next_seq = seq_after(next_seq, &entry.writes)?;
            outbox::change(self.vault.dir(), &entry.writes);
            for write in &entry.writes {
                let part = &mut GraphPart::Now { searchable: true };
                if !apply(&tx, &mut audit, write, part).map_err(sql)? {
                    let record = write.record_name();
                    tracing::error!(
                        record,
                        "it differs from the one kept under the same id: the first one stays"
                    );
                }
            }
        }
        let counters = counters.after(counters.groups, CommitChange::ANY).in_log(end);
        counters.write(&tx).map_err(sql)?;
        tx.commit().map_err(sql)?;
        *self.audit = audit;
        Ok(())
    }

    fn unfit(&self, what: &'static str) -> StoreError {
        StoreError::LogUnfit {
            dir: self.vault.dir().to_owned(),
            what,
        }
    }
}

/// Whether a store follows no log outside the process.
///
/// # Errors
/// STORE-019 when it does. Where it was `repaired` without that log, it lacks what nobody can tell, and does not go on with it either.
pub(crate) fn check_follows_none(conn: &Connection, vault: &Vault, repaired: bool) -> Result<(), StoreError> {
    let file = vault.dir().join(schema::FILE);
    let sql = |e| StoreError::sql(&file, e);
    let counters = CommitCounters::read(conn).map_err(sql)?;
    if counters.log == EntryPlace::default() {
        return Ok(());
    }
    if repaired {
        let nowhere = EntryPlace {
            mark: !counters.log.mark >> 1,
            ..counters.log
        };
        counters.in_log(nowhere).write(conn).map_err(sql)?;
    }
    Err(StoreError::LogUnfit {
        dir: vault.dir().to_owned(),
        what: "the folder follows a log, and this program was given none",
    })
}

/// Has a folder follow its log no more: from then on it is all there is, and the log does not hear of what is written. It never follows one again.
///
/// # Errors
/// STORE-001 while somebody works on the folder, STORE-004 when there is no store, STORE-007 when it cannot be written.
pub fn leave_log(vault: &Vault) -> Result<(), StoreError> {
    let _lock = folder_lock::lock(vault.dir())?;
    let file = vault.dir().join(schema::FILE);
    if !files::is_there(&file)? {
        let dir = vault.dir().to_owned();
        return Err(StoreError::Missing { dir });
    }
    let sql = |e| StoreError::sql(&file, e);
    let conn = database::open_for_writing(&vault.database_key(schema::FILE), &file)?;
    let counters = CommitCounters::read(&conn).map_err(sql)?;
    counters.in_log(EntryPlace::default()).write(&conn).map_err(sql)
}
