//! What can go wrong with the data folder.
//!
//! What: [`StoreError`], each kind with its code and page in `docs/errors`, and [`CommitError`], what an ack is told.
//! Why: the message names the file, the limit and the remedy. Not here: what to do about it (the caller decides).

use rustix::{
    fs::{Access, access, statvfs},
    io::Errno,
};
use std::{
    error::Error,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Why the data folder could not be opened, read or written. No variant holds text from outside.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process works on this folder.
    #[error(
        "STORE-001: the data folder {dir} is in use by process {pid}: stop it first, or name another folder",
        pid = pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string())
    )]
    Locked {
        /// The data folder.
        dir: PathBuf,
        /// The process written in `lock`, when it could be read.
        pid: Option<u32>,
    },
    /// A newer Aura wrote this file.
    #[error("STORE-002: {file} has schema {found}, this program knows up to {known}: use the newer program")]
    NewerSchema {
        /// The database.
        file: PathBuf,
        /// Its `user_version`.
        found: i64,
        /// The newest we know.
        known: i64,
    },
    /// The file is not what was written.
    #[error("STORE-003: {file} is damaged ({what}): move it away and restore a copy")]
    Damaged {
        /// The damaged file.
        file: PathBuf,
        /// The first finding: tree and page, or the table.
        what: String,
    },
    /// The retry, for who only reads: a start checks the store and repairs it.
    #[error(
        "STORE-003: {file} is damaged ({what}): start the service (`aura run`), which saves what can be read"
    )]
    Unrepaired {
        /// The damaged file.
        file: PathBuf,
        /// The first finding.
        what: String,
    },
    /// There is no store in that folder.
    #[error("STORE-004: no store in {dir}: name the right folder, or start the service once to create it")]
    Missing {
        /// The folder that was looked in.
        dir: PathBuf,
    },
    /// The key box cannot be used.
    #[error("STORE-005: the key box {file} cannot be used: {what}")]
    Key {
        /// The key box.
        file: PathBuf,
        /// What is wrong and the remedy.
        what: String,
    },
    /// More writes wait than are kept in memory. Nothing of the refused group was taken.
    #[error("STORE-006: {waiting} writes wait for the disk (limit {limit}): nothing was taken")]
    QueueFull {
        /// How many wait.
        waiting: usize,
        /// How many may wait.
        limit: usize,
    },
    /// A file or folder could not be read or written.
    #[error("STORE-007: could not {doing} {path}")]
    File {
        /// What was tried, e.g. `write`.
        doing: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// No room for what was to be written.
    #[error(
        "STORE-007: no room is left for {path}: its disk is full, or your share of it used up; make room there and try again"
    )]
    NoRoom {
        /// The file that was to grow.
        path: PathBuf,
    },
    /// The database could not be read or written.
    #[error("STORE-007: could not read or write {file}")]
    Database {
        /// The database.
        file: PathBuf,
        /// `SQLite`'s reason.
        #[source]
        source: rusqlite::Error,
    },
    /// An event that would leave a hole in the journal or overwrite it.
    #[error(
        "STORE-008: event {got} does not follow: the journal expects {expected}, or a snapshot that covers the hole"
    )]
    OutOfOrder {
        /// The next sequence number.
        expected: u64,
        /// The one that was given.
        got: u64,
    },
    /// The writer thread is gone.
    #[error("STORE-009: the writer has stopped: restart the service")]
    Stopped,
    /// The folder holds sealed files, and nothing that opens them.
    #[error(
        "STORE-011: {dir} holds sealed files and no key box: put a copy of its file `key` back, or restore a backup"
    )]
    NoKey {
        /// The data folder.
        dir: PathBuf,
    },
    /// The key that was given is another one.
    #[error("STORE-012: {dir} does not open with {place}: it is not the one that the folder was sealed with")]
    WrongKey {
        /// The data folder.
        dir: PathBuf,
        /// Where the key came from.
        place: String,
    },
    /// The key cannot be had, or cannot be kept there.
    #[error("STORE-013: {place} gives no key: {what}")]
    KeyAway {
        /// Where it is kept.
        place: String,
        /// Why, and the remedy.
        what: String,
    },
    /// A file in place of ours.
    #[error("STORE-014: {file} is not a store of this folder: {what}")]
    Foreign {
        /// The file.
        file: PathBuf,
        /// What it is, and the remedy.
        what: &'static str,
    },
    /// Nobody said where the key of a new folder is to be kept.
    #[error(
        "STORE-015: {dir} has no key yet, and no keyring answers: choose with `aura memory key init --passphrase`, or `--file FILE`"
    )]
    Unchosen {
        /// The data folder.
        dir: PathBuf,
    },
    /// A backup that cannot be made or used.
    #[error("STORE-016: {file} cannot be used for a backup: {what}")]
    Backup {
        /// The backup, or the folder it was to be restored into.
        file: PathBuf,
        /// What is wrong and the remedy.
        what: &'static str,
    },
    /// Another host has appended to the log that the store follows.
    #[error("STORE-017: another host runs this owner now: nothing more was written here")]
    Fenced,
    /// The log that the store follows does not answer.
    #[error(
        "STORE-018: the log outside this process does not answer: nothing was acknowledged, and it is tried again"
    )]
    LogAway,
    /// The log that the store follows has entries that this build cannot read.
    #[error("STORE-020: a newer Aura wrote to the log of {dir} outside this process: serve it with that one")]
    NewerLog {
        /// The data folder.
        dir: PathBuf,
    },
    /// The store and the log do not belong together.
    #[error("STORE-019: {dir} and its log outside this process: {what}")]
    LogUnfit {
        /// The data folder.
        dir: PathBuf,
        /// What is wrong and the remedy.
        what: &'static str,
    },
    /// A name or number of files that the outbox does not take.
    #[error("STORE-010: the outbox does not take this file: {what}")]
    Outbox {
        /// The rule that was broken.
        what: &'static str,
    },
}

impl StoreError {
    /// Every code; each has a page `docs/errors/<code>.md`.
    pub const CODES: &'static [&'static str] = &[
        "STORE-001",
        "STORE-002",
        "STORE-003",
        "STORE-004",
        "STORE-005",
        "STORE-006",
        "STORE-007",
        "STORE-008",
        "STORE-009",
        "STORE-010",
        "STORE-011",
        "STORE-012",
        "STORE-013",
        "STORE-014",
        "STORE-015",
        "STORE-016",
        "STORE-017",
        "STORE-018",
        "STORE-019",
        "STORE-020",
    ];

    /// The code, e.g. `STORE-001`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Locked { .. } => "STORE-001",
            Self::NewerSchema { .. } => "STORE-002",
            Self::Damaged { .. } | Self::Unrepaired { .. } => "STORE-003",
            Self::Missing { .. } => "STORE-004",
            Self::Key { .. } => "STORE-005",
            Self::QueueFull { .. } => "STORE-006",
            Self::File { .. } | Self::NoRoom { .. } | Self::Database { .. } => "STORE-007",
            Self::OutOfOrder { .. } => "STORE-008",
            Self::Stopped => "STORE-009",
            Self::Outbox { .. } => "STORE-010",
            Self::NoKey { .. } => "STORE-011",
            Self::WrongKey { .. } => "STORE-012",
            Self::KeyAway { .. } => "STORE-013",
            Self::Foreign { .. } => "STORE-014",
            Self::Unchosen { .. } => "STORE-015",
            Self::Backup { .. } => "STORE-016",
            Self::Fenced => "STORE-017",
            Self::LogAway => "STORE-018",
            Self::LogUnfit { .. } => "STORE-019",
            Self::NewerLog { .. } => "STORE-020",
        }
    }

    /// Whether the retry may succeed later although nobody repairs anything: the folder or the database is in use, the disk is full, or it
    /// failed just now.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Locked { .. } | Self::QueueFull { .. } | Self::NoRoom { .. } | Self::LogAway => true,
            Self::File { source, .. } => is_temporary(source),
            Self::Database { source, .. } => is_temporary_in_sqlite(source),
            Self::NewerSchema { .. }
            | Self::Damaged { .. }
            | Self::Unrepaired { .. }
            | Self::Missing { .. }
            | Self::Key { .. }
            | Self::OutOfOrder { .. }
            | Self::Stopped
            | Self::Outbox { .. }
            | Self::NoKey { .. }
            | Self::WrongKey { .. }
            | Self::KeyAway { .. }
            | Self::Foreign { .. }
            | Self::Unchosen { .. }
            | Self::Backup { .. }
            | Self::Fenced
            | Self::LogUnfit { .. }
            | Self::NewerLog { .. } => false,
        }
    }

    /// What a full disk looks like; for [`crate::CommitFaults`].
    pub fn disk_full(path: &Path) -> Self {
        Self::NoRoom {
            path: path.to_owned(),
        }
    }

    /// Turns `SQLite`'s error into ours: damage, and what its owner has to change, are told apart from everything else.
    pub(crate) fn sql(file: &Path, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{
            CannotOpen, DatabaseCorrupt, DiskFull, NotADatabase, OutOfMemory, ReadOnly, SystemIoFailure,
        };
        // SQLite does not say why.
        if let Some(CannotOpen | ReadOnly) = source.sqlite_error_code()
            && let Some((path, source)) = why_closed(file)
        {
            let doing = "open";
            return Self::File { doing, path, source };
        }
        let file = file.to_owned();
        match source.sqlite_error_code() {
            // What SQLCipher says of a page whose seal is broken.
            Some(OutOfMemory) => Self::Damaged {
                file,
                what: "the seal of a page is broken".to_owned(),
            },
            Some(DatabaseCorrupt | NotADatabase) => Self::Damaged {
                file,
                what: source.to_string(),
            },
            Some(DiskFull) => Self::disk_full(&file),
            // Of its index and some files of its own, SQLite does not say why either.
            Some(SystemIoFailure) if has_no_room(&file) => Self::disk_full(&file),
            _ => Self::Database { file, source },
        }
    }

    /// What who only reads says of damage.
    pub(crate) fn unrepaired(self) -> Self {
        if let Self::Damaged { file, what } = self {
            Self::Unrepaired { file, what }
        } else {
            self
        }
    }

    /// `map_err` adapter for file operations.
    pub fn file<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| {
            if matches!(
                source.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            ) {
                return Self::disk_full(path);
            }
            Self::File {
                doing,
                path: path.to_owned(),
                source,
            }
        }
    }
}

/// Whether the disk of a file has less room than `SQLite` needs for the least it writes, its index of 32 KiB.
fn has_no_room(file: &Path) -> bool {
    statvfs(file).is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < 32 * 1024)
}

/// Whether the retry may succeed later although nobody repairs anything: the disk is full or failed just now, what is meant is in use, or
/// too many files are open. A disk that fails for good is tried again as well: nobody can tell it from the other.
pub fn is_temporary(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, OutOfMemory, QuotaExceeded, ResourceBusy, StorageFull};
    let passing = [Errno::IO, Errno::MFILE, Errno::NFILE].map(|errno| Some(errno.raw_os_error()));
    passing.contains(&error.raw_os_error())
        || matches!(
            error.kind(),
            StorageFull | QuotaExceeded | FileTooLarge | ResourceBusy | OutOfMemory
        )
}

/// The retry of an error or any of its causes.
pub fn is_temporary_cause(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let store = error.downcast_ref::<StoreError>();
        let store = store.or_else(|| error.downcast_ref::<Arc<StoreError>>().map(AsRef::as_ref));
        if store.is_some_and(StoreError::is_temporary)
            || error.downcast_ref().is_some_and(is_temporary)
            || error.downcast_ref().is_some_and(is_temporary_in_sqlite)
        {
            return true;
        }
        next = error.source();
    }
    false
}

/// A file that cannot be opened, and a log or an index that cannot be written, are told apart from a file without the right to it by
/// [`StoreError::sql`].
fn is_temporary_in_sqlite(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, FileLockingProtocolFailed, ReadOnly,
        SystemIoFailure,
    };
    match error.sqlite_error_code() {
        Some(
            CannotOpen
            | DatabaseBusy
            | DatabaseLocked
            | DiskFull
            | FileLockingProtocolFailed
            | SystemIoFailure,
        ) => true,
        Some(ReadOnly) => error.sqlite_error().is_some_and(|error| {
            use rusqlite::ffi::{
                SQLITE_READONLY_CANTINIT, SQLITE_READONLY_CANTLOCK, SQLITE_READONLY_RECOVERY,
            };
            [
                SQLITE_READONLY_CANTINIT,
                SQLITE_READONLY_CANTLOCK,
                SQLITE_READONLY_RECOVERY,
            ]
            .contains(&error.extended_code)
        }),
        _ => false,
    }
}

/// What keeps a database closed until somebody changes it, and why: the file itself, its log, its index, or the folder in which `SQLite`
/// makes the last two.
fn why_closed(file: &Path) -> Option<(PathBuf, io::Error)> {
    let beside = |end: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let opened = |path: PathBuf| match File::open(&path) {
        // A folder opens, and reads nothing.
        Ok(opened) => match (&opened).read(&mut [0]) {
            Ok(_) => None,
            Err(error) => Some((path, error)),
        },
        Err(error) => Some((path, error)),
    };
    let lasting = |found: &(PathBuf, io::Error)| !is_temporary(&found.1);
    let own = opened(file.to_owned()).filter(lasting);
    own.or_else(|| {
        ["-wal", "-shm"].into_iter().find_map(|end| {
            opened(beside(end)).filter(|found| lasting(found) && found.1.kind() != io::ErrorKind::NotFound)
        })
    })
    .or_else(|| {
        let dir = file.parent()?;
        let errno = access(dir, Access::WRITE_OK | Access::EXEC_OK).err()?;
        Some((dir.to_owned(), io::Error::from(errno))).filter(lasting)
    })
}

/// A commit that failed. What was asked to be written is kept and written with the next commit that succeeds.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the commit failed, {waiting} writes wait for the next")]
pub struct CommitError {
    /// How many writes wait.
    pub waiting: usize,
    #[source]
    pub cause: Arc<StoreError>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_fails_now_may_work_later_and_damage_does_not_pass() {
        let sqlite = |code: i32| {
            let source = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
            StoreError::sql(Path::new("aura.db"), source).is_temporary()
        };
        // SQLITE_BUSY, SQLITE_FULL, SQLITE_IOERR_FSYNC, SQLITE_IOERR_SHMSIZE; SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT.
        assert_eq!([5, 13, 1034, 4874].map(sqlite), [true; 4]);
        assert_eq!([11, 26, 19].map(sqlite), [false; 3]);
        let file = |errno: Errno| is_temporary(&errno.into());
        assert_eq!(
            [Errno::IO, Errno::NOSPC, Errno::DQUOT, Errno::MFILE, Errno::NFILE].map(file),
            [true; 5]
        );
        assert_eq!([Errno::ACCESS, Errno::NOENT, Errno::ROFS].map(file), [false; 3]);
    }

    #[test]
    fn a_database_that_does_not_open_may_open_later_unless_its_owner_has_to_change_something() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("aura.db");
        let said = |code: i32| {
            let source = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
            let error = StoreError::sql(&file, source);
            (error.is_temporary(), error.to_string())
        };
        // SQLITE_CANTOPEN, SQLITE_READONLY_RECOVERY, SQLITE_READONLY_CANTLOCK, SQLITE_READONLY_CANTINIT, SQLITE_PROTOCOL.
        let passing = [14, 264, 520, 1288, 15];
        let names = |path: &str| (false, format!("STORE-007: could not open {path}"));
        assert_eq!(said(14), names(file.to_str().unwrap()), "it is not there");
        std::fs::write(&file, "").unwrap();
        assert_eq!(passing.map(|code| said(code).0), [true; 5]);
        assert!(!said(8).0, "SQLITE_READONLY: it was opened for reading");
        let log = dir.path().join("aura.db-wal");
        std::fs::create_dir(&log).unwrap();
        assert_eq!(said(14), names(log.to_str().unwrap()), "a folder in its place");
    }

    #[test]
    fn a_cause_that_passes_is_found_wherever_it_stands() {
        #[derive(Debug, thiserror::Error)]
        #[error("outer")]
        struct Outer<E: Error + 'static>(#[source] E);
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        assert!(is_temporary_cause(&Outer(full())));
        assert!(is_temporary_cause(&Outer(StoreError::disk_full(Path::new(
            "aura.db"
        )))));
        assert!(is_temporary_cause(&Outer(CommitError {
            waiting: 1,
            cause: Arc::new(StoreError::QueueFull { waiting: 1, limit: 1 }),
        })));
        assert!(!is_temporary_cause(&Outer(StoreError::Stopped)));
        assert!(!is_temporary_cause(&Outer(io::Error::from(
            io::ErrorKind::NotFound
        ))));
    }

    #[test]
    fn every_code_has_a_page_and_every_page_a_code() {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
        let mut found: Vec<String> = std::fs::read_dir(pages)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".md").map(str::to_owned))
            .filter(|code| code.starts_with("STORE-") || code.starts_with("QUAR-"))
            .collect();
        found.sort();
        let mut codes = vec!["QUAR-001", "QUAR-002"];
        codes.extend(StoreError::CODES);
        assert_eq!(found, codes);
    }
}
