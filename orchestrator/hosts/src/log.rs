//! What a log of an owner's journal promises, wherever it is kept.
//!
//! What: [`JournalLog`] and its types. Why: the store's writer appends without knowing where to, and each implementation passes one suite of tests
//! (`contract`). Not here: what is in an entry (`seal`).
//!
//! # One for Postgres
//!
//! It fits the same four tables that [`crate::SqliteLog`] has:
//!
//! ```sql
//! CREATE TABLE log (owner text, position bigint, entry bytea NOT NULL, PRIMARY KEY (owner, position));
//! CREATE TABLE snapshot_heads (owner text PRIMARY KEY, position bigint NOT NULL, name text NOT NULL, parts bigint NOT NULL);
//! CREATE TABLE snapshot_parts (owner text, name text, part bigint, sealed bytea NOT NULL, PRIMARY KEY (owner, name, part));
//! CREATE TABLE log_keys (owner text, number bigint, sealed bytea NOT NULL, PRIMARY KEY (owner, number));
//! ```
//!
//! An append is one statement outside a transaction, with `synchronous_commit = on`:
//!
//! ```sql
//! INSERT INTO log SELECT $1, $2 + 1, $3
//! WHERE $2 = (SELECT coalesce(max(position), 0) FROM log WHERE owner = $1)
//! ```
//!
//! No row, or an error 23505 of the primary key when two race: read the entry at `$2 + 1`; the same bytes are one's own append whose answer was lost,
//! others are [`AppendError::Conflict`]. An error of the connection is [`LogError::Unavailable`]. The rest is one statement or transaction for each method. Postgres
//! keeps what was deleted until it is vacuumed, and longer in its own log: [`JournalLog::destroy_keys`] has to keep the keys elsewhere.

use std::{collections::BTreeMap, fmt};

/// How many entries there were up to and with one: the first entry of an owner has 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogPosition(u64);

impl LogPosition {
    /// Before the first entry.
    pub const START: Self = Self(0);

    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    pub const fn number(self) -> u64 {
        self.0
    }

    /// That of the entry after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for LogPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One group of writes as it leaves the process: made by [`crate::EntryCipher`]. A log does not look into it.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedEntry(Vec<u8>);

impl fmt::Debug for SealedEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealedEntry({} bytes)", self.0.len())
    }
}

impl SealedEntry {
    /// As a log gave them back.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// An entry where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub position: LogPosition,
    pub entry: SealedEntry,
}

/// What names a snapshot: what all entries up to a position led to, in sealed parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotHead {
    pub position: LogPosition,
    /// A word that no other snapshot has.
    pub name: String,
    pub parts: u64,
}

/// The parts of a snapshot, each made when it is asked for.
pub type SnapshotParts<'a> = dyn Iterator<Item = Result<Vec<u8>, LogError>> + 'a;

/// The largest part of a snapshot.
pub const PART_BYTES_MAX: usize = 256 << 10;

/// Why a log could not be asked, or what is wrong with it.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It did not answer, or not in time: what was asked for may have been done. Ask again.
    #[error("the log does not answer: {0}")]
    Unavailable(String),
    /// Whoever keeps it does not let this host in, or is somebody else. Asking again changes nothing.
    #[cfg(feature = "jetstream")]
    #[error(transparent)]
    Refused(#[from] crate::log_access::LogAccessError),
    /// It holds what no writer of this kind leaves there: nobody should go on with it.
    #[error("the log is damaged: {0}")]
    Damaged(String),
    /// Entries were asked for that have been cut: the snapshot holds what they led to.
    #[error("the log begins at {first}, and entries from {wanted} on were asked for")]
    Cut { first: LogPosition, wanted: LogPosition },
    /// Whoever asks knows of more entries than there are: the log has lost some, or is another one.
    #[error("the log ends at {head}, before {position}")]
    Beyond {
        position: LogPosition,
        head: LogPosition,
    },
    /// Entries that no snapshot holds stay.
    #[error("entries before {before} cannot be cut: the snapshot holds those up to {held}")]
    NoSnapshot { before: LogPosition, held: LogPosition },
}

/// Why an entry was not appended.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// Somebody else has appended there: whoever gets this is no longer the owner's writer, and must write nothing more.
    #[error("another host has written to the log, which ends at {head}")]
    Conflict { head: LogPosition },
    /// The entry is larger than this log takes; it was not sent.
    #[error("an entry of {bytes} bytes, where the log takes {bytes_max}")]
    TooLarge { bytes: usize, bytes_max: usize },
    #[error(transparent)]
    Log(#[from] LogError),
}

/// The log of one owner. Each call blocks until it is answered or its deadline has passed: it is made for the store's writer, which is a thread.
///
/// Several processes may have the same log open. Which of them may write is decided by [`Self::append`] alone.
pub trait JournalLog {
    /// The largest entry that it takes.
    fn entry_bytes_max(&self) -> usize;

    /// The position of the last entry.
    ///
    /// # Errors
    /// [`LogError::Unavailable`], as all questions.
    fn head(&mut self) -> Result<LogPosition, LogError>;

    /// Appends an entry after `expected`, if that is the last one; on disk when this returns its position.
    ///
    /// After [`LogError::Unavailable`] nobody knows whether it was written. The same entry, byte for byte, may then be appended again with the same
    /// `expected`: one that is there already is not appended twice, and its position is returned.
    ///
    /// # Errors
    /// [`AppendError::Conflict`] when another entry is there, and nothing was written; [`AppendError::TooLarge`].
    fn append(&mut self, expected: LogPosition, entry: &SealedEntry) -> Result<LogPosition, AppendError>;

    /// The entries after a position, in order and without a gap, at most so many. Fewer, when there are no more.
    ///
    /// # Errors
    /// [`LogError::Cut`], [`LogError::Beyond`], [`LogError::Damaged`] for a gap.
    fn tail(&mut self, after: LogPosition, at_most: usize) -> Result<Vec<LogEntry>, LogError>;

    /// Keeps what the entries up to a position led to, in place of an older snapshot; nothing, when there is a newer one. Whoever reads meanwhile finds
    /// the old one or the new one.
    ///
    /// # Errors
    /// [`LogError::Beyond`] when there is no such entry; what a part is instead; [`LogError::Unavailable`] also when somebody else has written one
    /// meanwhile.
    fn put_snapshot(&mut self, position: LogPosition, parts: &mut SnapshotParts<'_>) -> Result<(), LogError>;

    /// The newest snapshot.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn snapshot(&mut self) -> Result<Option<SnapshotHead>, LogError>;

    /// A part of a snapshot, from 0.
    ///
    /// # Errors
    /// [`LogError::Unavailable`] when a newer snapshot has taken its place, [`LogError::Damaged`] when it is the newest and has no such part.
    fn snapshot_part(&mut self, of: &SnapshotHead, part: u64) -> Result<Vec<u8>, LogError>;

    /// Removes the entries before a position. The last entry always stays, so that the numbers go on.
    ///
    /// # Errors
    /// [`LogError::NoSnapshot`] when one of them is in no snapshot.
    fn cut(&mut self, before: LogPosition) -> Result<(), LogError>;

    /// The owner's data keys, each sealed, by their numbers.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn keys(&mut self) -> Result<BTreeMap<u32, Vec<u8>>, LogError>;

    /// Keeps a key under a number. `false`: another one has it, and nothing was changed.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]: nobody knows whether it is kept.
    fn add_key(&mut self, number: u32, sealed: &[u8]) -> Result<bool, LogError>;

    /// Destroys the keys with lower numbers: nothing of them is left where they were kept.
    ///
    /// # Errors
    /// [`LogError::Unavailable`]
    fn destroy_keys(&mut self, before: u32) -> Result<(), LogError>;
}

/// What reads a part that is not there is told.
pub(crate) fn lacking_part(of: &SnapshotHead, newest: Option<&SnapshotHead>) -> LogError {
    if newest == Some(of) {
        LogError::Damaged("a part of the snapshot is missing".to_owned())
    } else {
        LogError::Unavailable("a newer snapshot has taken the place of the one that was read".to_owned())
    }
}

/// Whether entries before a position may go.
///
/// # Errors
/// [`LogError::NoSnapshot`].
pub(crate) fn check_cut(before: LogPosition, snapshot: Option<LogPosition>) -> Result<(), LogError> {
    let held = snapshot.unwrap_or(LogPosition::START);
    if before > held.next() {
        return Err(LogError::NoSnapshot { before, held });
    }
    Ok(())
}

/// Whether a page that was read goes on after a position without a gap.
///
/// # Errors
/// [`LogError::Damaged`].
pub(crate) fn check_dense(after: LogPosition, page: &[LogEntry]) -> Result<(), LogError> {
    let mut expected = after;
    for entry in page {
        expected = expected.next();
        if entry.position != expected {
            let found = entry.position;
            return Err(LogError::Damaged(format!(
                "entry {found} stands where {expected} belongs"
            )));
        }
    }
    Ok(())
}
