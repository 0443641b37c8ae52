//! The log outside the process that a store follows.
//!
//! What: [`RemoteLog`], which whoever runs an owner on one of several hosts gives to her store; [`LogGate`], through which the writer appends before it
//! commits; [`LogFollower`], which brings a store up to the log when it is opened. Why: another host goes on with what this one acknowledged, and only one of
//! them can append. Without such a log none of this runs. Not here: where a log is kept and how its entries are sealed (`aura-hosts`), what is in a
//! snapshot (`crate::log_snapshot`).

use crate::{
    apply::{GraphPart, apply},
    audit::AuditLog,
    committed::{CommitChange, CommitCounters, EntryPlace},
    database,
    error::StoreError,
    files, folder_lock, log_snapshot, outbox,
    quarantine::mirrored,
    recover::recover,
    rows::StoreWrite,
    schema,
    store::seq_after,
    uncommitted::WriteGroup,
    vault::{Vault, keys::random},
};
use rusqlite::{Connection, TransactionBehavior};
use sha2::{Digest as _, Sha256};
use std::{
    collections::VecDeque,
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
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

/// What was read of a log.
#[derive(Debug)]
pub enum LogPage {
    /// In order and without a gap.
    Entries(Vec<LoggedWrites>),
    /// They are not there any more: the snapshot holds what they led to.
    Cut,
}

/// What a log holds in place of the entries up to a position.
pub struct RemoteSnapshot<'a> {
    pub position: u64,
    /// What was given to [`RemoteLog::put_snapshot`]. A [`StoreError`] is within the errors of reading it.
    pub content: Box<dyn Read + 'a>,
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

    /// What the records are blinded with that the audit log gets of an entry: the same on each host, and gone with the key that sealed the entry.
    ///
    /// # Errors
    /// [`StoreError::LogUnfit`] when it is no entry.
    fn salt(&mut self, position: u64, entry: &[u8]) -> Result<[u8; 32], StoreError>;

    /// Appends an entry at a position, if it is the one after the last; on disk when this returns. The same bytes at the same position again are no
    /// other entry: whoever was not answered asks again.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] when another entry is there, [`StoreError::LogAway`] when nobody knows.
    fn append(&mut self, position: u64, entry: &[u8]) -> Result<(), StoreError>;

    /// The entries after a position, in order and without a gap, at most so many.
    ///
    /// # Errors
    /// [`StoreError::LogUnfit`] when the log ends before it; [`StoreError::NewerLog`] when a newer build wrote one of them; [`StoreError::LogAway`].
    fn read_after(&mut self, position: u64, at_most: usize) -> Result<LogPage, StoreError>;

    /// How many entries there may be after a snapshot before there is a new one.
    fn entries_max(&self) -> u64;

    /// The newest snapshot.
    ///
    /// # Errors
    /// [`StoreError::LogAway`], [`StoreError::LogUnfit`].
    fn snapshot(&mut self) -> Result<Option<RemoteSnapshot<'_>>, StoreError>;

    /// Keeps what the entries up to a position led to, unless there is a newer one, and lets go of the entries before that position and of keys that
    /// open nothing any more. Whoever was interrupted does all of it again.
    ///
    /// # Errors
    /// [`StoreError::LogAway`], also when the content could not be read; [`StoreError::LogUnfit`].
    fn put_snapshot(&mut self, position: u64, content: &mut dyn Read) -> Result<(), StoreError>;

    /// Seals with a new key from now on. The old ones go with what they sealed.
    ///
    /// # Errors
    /// [`StoreError::LogAway`], [`StoreError::LogUnfit`].
    fn renew_key(&mut self) -> Result<(), StoreError>;
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
    salt: [u8; 32],
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
    /// The last group and the salt of each entry whose groups may not be committed yet.
    salts: VecDeque<(u64, [u8; 32])>,
    /// How many bytes this writer appended.
    bytes: u64,
}

impl LogGate {
    /// The last entry that the log is known to hold.
    pub(crate) fn end(&self) -> EntryPlace {
        self.end
    }

    /// Whether nobody knows of the last entry whether the log holds it.
    pub(crate) fn is_unanswered(&self) -> bool {
        self.pending.is_some()
    }

    /// The salt of the entry in which a group is.
    pub(crate) fn salt_of(&self, group: u64) -> Option<[u8; 32]> {
        let entry = self.salts.iter().find(|(last, _)| group <= *last);
        entry.map(|(_, salt)| *salt)
    }

    /// The groups up to a number are committed.
    pub(crate) fn committed(&mut self, group: u64) {
        while self.salts.pop_front_if(|(last, _)| *last <= group).is_some() {}
    }

    /// How many bytes were appended since the store was opened.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many entries there may be after a snapshot.
    pub(crate) fn entries_max(&self) -> u64 {
        self.log.entries_max()
    }

    /// Seals with a new key, beginning with an entry that holds nothing.
    ///
    /// # Errors
    /// As [`Self::append_groups`].
    pub(crate) fn renew_key(&mut self) -> Result<(), StoreError> {
        self.settle()?;
        self.log.renew_key()?;
        self.append(&[], self.appended)
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

    fn append(&mut self, writes: &[&StoreWrite], last_group: u64) -> Result<(), StoreError> {
        let position = self.end.position + 1;
        let sealed = self.log.seal(position, writes)?;
        let salt = self.log.salt(position, &sealed)?;
        self.pending = Some(PendingEntry {
            sealed,
            salt,
            last_group,
        });
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
        self.bytes = self.bytes.saturating_add(pending.sealed.len() as u64);
        if pending.last_group > self.appended {
            self.salts.push_back((pending.last_group, pending.salt));
        }
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

/// What became of following a log.
pub(crate) enum FollowOutcome {
    /// The store is up to the log's end, and its writer is the owner's. With it, the position of the log's snapshot.
    Following(Box<LogGate>, u64),
    /// What the log's snapshot holds lies beside the store: it is to be put in its place, and opened.
    Fetched,
}

/// Does what a log is asked for on a thread of its own: a log may have an asynchronous runtime, and so may this thread, which must not wait for another
/// one's.
pub(crate) fn on_own_thread<T: Send>(
    work: impl FnOnce() -> Result<T, StoreError> + Send,
) -> Result<T, StoreError> {
    thread::scope(|scope| {
        let working = thread::Builder::new()
            .name("aura-log".to_owned())
            .spawn_scoped(scope, work)
            .map_err(|source| StoreError::File {
                doing: "start the thread that asks the log of",
                path: PathBuf::from("the store"),
                source,
            })?;
        working.join().unwrap_or(Err(StoreError::Stopped))
    })
}

impl LogFollower<'_> {
    /// Brings the store up to the log's end and appends an entry there: from then on no other host appends.
    ///
    /// # Errors
    /// STORE-018 when the log does not answer, STORE-019 when it is not the one that this store follows.
    pub(crate) fn follow(self, open: &OpenRemoteLog) -> Result<FollowOutcome, StoreError> {
        on_own_thread(move || self.follow_here(open))
    }

    fn follow_here(mut self, open: &OpenRemoteLog) -> Result<FollowOutcome, StoreError> {
        let mut log = open(self.vault)?;
        let Some(mut reached) = self.find_place(log.as_mut())? else {
            return self.fetch(log.as_mut());
        };
        let mut tries = 0..CLAIM_TRIES;
        loop {
            reached = match self.catch_up(log.as_mut(), reached)? {
                Some(reached) => reached,
                None => return self.fetch(log.as_mut()),
            };
            let position = reached.position + 1;
            let entry = log.seal(position, &[])?;
            match log.append(position, &entry) {
                Ok(()) => {
                    let snapshot = log.snapshot()?.map_or(0, |snapshot| snapshot.position);
                    let gate = LogGate {
                        log,
                        end: place_of(position, &entry),
                        pending: None,
                        appended: 0,
                        salts: VecDeque::new(),
                        bytes: 0,
                    };
                    return Ok(FollowOutcome::Following(Box::new(gate), snapshot));
                }
                Err(StoreError::Fenced) if tries.next().is_some() => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The last entry of the log that the store holds, which is still there; `None`: the log's snapshot holds more than the store.
    fn find_place(&mut self, log: &mut dyn RemoteLog) -> Result<Option<EntryPlace>, StoreError> {
        let counters = CommitCounters::read(self.conn).map_err(|e| StoreError::sql(self.file, e))?;
        let reached = counters.log;
        if let Some(before) = reached.position.checked_sub(1) {
            let LogPage::Entries(page) = log.read_after(before, 1)? else {
                return Ok(None);
            };
            let is_same = page
                .first()
                .is_some_and(|entry| place_of(entry.position, &entry.sealed) == reached);
            return is_same.then_some(Some(reached)).ok_or_else(|| {
                self.unfit(
                    "the log does not hold this folder's last entry: move its aura.db away, and it is made again from the log",
                )
            });
        }
        let snapshot = match log.snapshot()? {
            Some(mut snapshot) => Some(log_snapshot::read_place(self.vault.dir(), &mut snapshot.content)?),
            None => None,
        };
        let is_new = counters == CommitCounters::default() && recover(self.conn, self.file)?.next_seq == 1;
        if is_new {
            return Ok(snapshot.is_none().then_some(reached));
        }
        if snapshot == Some(reached) {
            return Ok(Some(reached));
        }
        let is_empty = matches!(log.read_after(0, 1)?, LogPage::Entries(page) if page.is_empty());
        if snapshot.is_some() || !is_empty {
            return Err(self.unfit(
                "what is in this folder is not in the log, which is in use: name a log in which nothing of this owner is, or move aura.db away",
            ));
        }
        self.begin(counters, log).map(Some)
    }

    /// Puts the past of a folder into a log that is empty.
    fn begin(&self, counters: CommitCounters, log: &mut dyn RemoteLog) -> Result<EntryPlace, StoreError> {
        let mut place = counters.log;
        if place == EntryPlace::default() {
            // By this it is known again, also when nobody is told that the snapshot is there.
            place.mark = u64::from_be_bytes(random()?) >> 1 | 1;
            let marked = counters.in_log(place).write(self.conn);
            marked.map_err(|e| StoreError::sql(self.file, e))?;
        }
        log_snapshot::put(self.vault, log, &AtomicBool::new(false))?;
        tracing::info!("what this folder held is in the log");
        Ok(place)
    }

    fn fetch(&self, log: &mut dyn RemoteLog) -> Result<FollowOutcome, StoreError> {
        // The entry at its position stays: what a newer build wrote is refused before anything is replaced.
        let position = log.snapshot()?.map_or(0, |snapshot| snapshot.position);
        if let Some(before) = position.checked_sub(1) {
            log.read_after(before, 1)?;
        }
        let snapshot = log
            .snapshot()?
            .ok_or_else(|| self.unfit("the log has lost its snapshot"))?;
        log_snapshot::fetch(self.vault, snapshot)?;
        Ok(FollowOutcome::Fetched)
    }

    /// Takes in what the log holds after a place; the place of its last entry. `None`: they were cut.
    fn catch_up(
        &mut self,
        log: &mut dyn RemoteLog,
        after: EntryPlace,
    ) -> Result<Option<EntryPlace>, StoreError> {
        let mut reached = after;
        loop {
            let LogPage::Entries(page) = log.read_after(reached.position, PAGE)? else {
                return Ok(None);
            };
            let Some(last) = page.last() else {
                return Ok(Some(reached));
            };
            let end = place_of(last.position, &last.sealed);
            let salts = page
                .iter()
                .map(|entry| log.salt(entry.position, &entry.sealed))
                .collect::<Result<Vec<_>, _>>()?;
            self.take_in(&page, &salts, end)?;
            tracing::info!(
                entries = page.len(),
                position = end.position,
                "the store took in what its log holds"
            );
            reached = end;
        }
    }

    /// One transaction: all of a page or nothing.
    fn take_in(
        &mut self,
        page: &[LoggedWrites],
        salts: &[[u8; 32]],
        end: EntryPlace,
    ) -> Result<(), StoreError> {
        let mut next_seq = recover(self.conn, self.file)?.next_seq;
        let mut audit = self.audit.clone();
        let file = self.file;
        let sql = |e| StoreError::sql(file, e);
        let tx = self
            .conn
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sql)?;
        let counters = CommitCounters::read(&tx).map_err(sql)?;
        mirrored::take_in(self.vault.dir(), page.iter().flat_map(|entry| &entry.writes));
        for (entry, salt) in page.iter().zip(salts) {
            audit.enter(*salt);
            next_seq = seq_after(next_seq, &entry.writes)?;
            outbox::change(self.vault.dir(), &entry.writes);
            for write in entry.writes.iter().filter(|write| !is_progress(write)) {
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
        audit.leave();
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

/// Whether a write says how far another host is with a removal: nothing of that was done here.
fn is_progress(write: &StoreWrite) -> bool {
    let StoreWrite::Erasing(Some(note)) = write else {
        return false;
    };
    let begins = note
        .rows
        .as_ref()
        .is_some_and(|rows| !rows.graph_gone && rows.erasure.is_none());
    !begins
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

/// Has a folder follow its log no more: from then on it is all there is, and the log does not hear of what is written. It never follows that one again.
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
