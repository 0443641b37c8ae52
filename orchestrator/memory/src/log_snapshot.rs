//! What a store that follows a log is made again from.
//!
//! What: [`SnapshotMaker`], which puts what the folder holds into the log in place of the entries that led to it; [`fetch`] and [`finish_replacing`],
//! which put it in the place of another folder's store. Why: a log does not grow for ever, an owner with a past can begin to follow one, and what was
//! removed here is nowhere else. Not here: when (`writer`, `crate::remote_log`), the seal (`aura-hosts`).
//!
//! ```text
//! <position: 8, big endian> <mark: 8>        the last entry that the database holds, as it says itself
//! for each file <name's bytes: 2> <name> <file's bytes: 8> <file>; the last name is empty
//! ```
//!
//! The database comes first, as of one moment. The drafts are of a later moment: what the entries after the database's do with them changes nothing when
//! it is done again. Records of reading that wait to be taken into the audit log stay on their host.

use crate::{
    backup::{copy_database, file_head, files_of, is_ours, read_file_head, remove_all},
    committed::{CommitCounters, EntryPlace},
    database,
    error::StoreError,
    files,
    remote_log::{OpenRemoteLog, RemoteLog, RemoteSnapshot, on_own_thread},
    repair, schema,
    vault::Vault,
};
use std::{
    collections::VecDeque,
    fs::{self, File},
    io::{self, BufReader, Cursor, Read, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
};

/// The copy of the database while it is sent.
const COPY: &str = ".log-snapshot.db";
/// What was fetched, until it is whole, and then until it is in its place.
const FETCHING: &str = ".from-log.part";
const FETCHED: &str = ".from-log";
/// Folders that a snapshot holds beside the database.
const FOLDERS: [&str; 3] = ["errors", "outbox", "workflows"];

/// So many bytes of entries after a snapshot have a new one made, however few entries they are.
const BYTES_MAX: u64 = 16 << 20;
/// After a failure it is tried again after so many entries.
const AGAIN_AFTER: u64 = 64;

/// Makes snapshots of a folder, one at a time.
pub(crate) struct SnapshotMaker {
    open: OpenRemoteLog,
    vault: Vault,
    turn: Mutex<()>,
    /// The store is being closed.
    is_abandoned: AtomicBool,
    /// The last one was not made to its end.
    has_failed: AtomicBool,
    /// The position of the newest, as far as it is known.
    position: AtomicU64,
}

impl SnapshotMaker {
    pub(crate) fn new(open: OpenRemoteLog, vault: Vault, position: u64) -> Self {
        Self {
            open,
            vault,
            turn: Mutex::default(),
            is_abandoned: AtomicBool::default(),
            has_failed: AtomicBool::default(),
            position: AtomicU64::new(position),
        }
    }

    /// Puts what the folder holds into the log, and has that let go of the entries that led to it and of keys that open nothing any more. Blocks until
    /// then; what is written to the store meanwhile waits for nothing.
    ///
    /// # Errors
    /// STORE-018 when the log does not answer, STORE-007 when the folder cannot be read or written; done again, it goes to its end.
    pub(crate) fn make(&self) -> Result<(), StoreError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let made = on_own_thread(|| {
            let mut log = (self.open)(&self.vault)?;
            put(&self.vault, log.as_mut(), &self.is_abandoned)
        });
        self.has_failed.store(made.is_err(), Ordering::Release);
        let position = made?;
        self.position.store(position, Ordering::Release);
        tracing::info!(position, "the log holds a snapshot, and begins with it");
        Ok(())
    }
}

/// Has snapshots made behind the writer.
pub(crate) struct LogCutter {
    maker: Arc<SnapshotMaker>,
    making: Option<JoinHandle<()>>,
    /// How far the log was when the last one was begun.
    begun_at: u64,
    bytes_at: u64,
}

impl LogCutter {
    pub(crate) fn new(maker: Arc<SnapshotMaker>) -> Self {
        Self {
            maker,
            making: None,
            begun_at: 0,
            bytes_at: 0,
        }
    }

    /// Begins to make one when the log, which ends at `end`, is long; `bytes`: how many were appended since the start.
    pub(crate) fn after_append(&mut self, end: u64, bytes: u64, entries_max: u64) {
        let held = self.maker.position.load(Ordering::Acquire).max(self.begun_at);
        let after = if self.maker.has_failed.load(Ordering::Acquire) {
            AGAIN_AFTER.min(entries_max)
        } else {
            entries_max
        };
        let is_due = end.saturating_sub(held) >= after || bytes.saturating_sub(self.bytes_at) >= BYTES_MAX;
        if !is_due || self.making.as_ref().is_some_and(|making| !making.is_finished()) {
            return;
        }
        (self.begun_at, self.bytes_at) = (end, bytes);
        let maker = Arc::clone(&self.maker);
        let making = thread::Builder::new()
            .name("aura-log-cut".to_owned())
            .spawn(move || {
                if let Err(error) = maker.make() {
                    tracing::warn!(code = error.code(), %error, "the log is cut later");
                }
            });
        // Without a thread it is tried again later.
        self.making = making.ok();
    }
}

impl Drop for LogCutter {
    fn drop(&mut self) {
        self.maker.is_abandoned.store(true, Ordering::Release);
        if let Some(making) = self.making.take() {
            // A panic in it is in the log.
            drop(making.join());
        }
    }
}

/// Puts what a folder holds into its log; the position of that.
///
/// # Errors
/// As [`SnapshotMaker::make`].
pub(crate) fn put(
    vault: &Vault,
    log: &mut dyn RemoteLog,
    is_abandoned: &AtomicBool,
) -> Result<u64, StoreError> {
    let copy = vault.dir().join(COPY);
    let sent = copy_database(vault, schema::FILE, &copy).and_then(|()| {
        let place = place_in(vault, &copy)?;
        let mut content = FolderReader::open(vault.dir(), &copy, place, is_abandoned)?;
        log.put_snapshot(place.position, &mut content)?;
        Ok(place.position)
    });
    files::remove(&copy).and(sent)
}

/// The last entry that a database holds.
fn place_in(vault: &Vault, file: &Path) -> Result<EntryPlace, StoreError> {
    let conn = database::open_reading(&vault.database_key(schema::FILE), file)?;
    let counters = CommitCounters::read(&conn).map_err(|e| StoreError::sql(file, e))?;
    Ok(counters.log)
}

/// A folder as the bytes of a snapshot.
struct FolderReader<'a> {
    /// Names in the snapshot, and where the files lie.
    files: VecDeque<(String, PathBuf)>,
    head: Cursor<Vec<u8>>,
    file: Option<io::Take<BufReader<File>>>,
    has_ended: bool,
    is_abandoned: &'a AtomicBool,
}

impl<'a> FolderReader<'a> {
    fn open(
        dir: &Path,
        database: &Path,
        place: EntryPlace,
        is_abandoned: &'a AtomicBool,
    ) -> Result<Self, StoreError> {
        let mut files = VecDeque::from([(schema::FILE.to_owned(), database.to_owned())]);
        for folder in FOLDERS {
            let found = files_of(dir, folder)?;
            files.extend(found.into_iter().map(|name| {
                let path = dir.join(&name);
                (name, path)
            }));
        }
        Ok(Self {
            files,
            head: Cursor::new([place.position.to_be_bytes(), place.mark.to_be_bytes()].concat()),
            file: None,
            has_ended: false,
            is_abandoned,
        })
    }

    /// Goes on to the next file; `false`: there is none.
    fn open_next(&mut self) -> io::Result<bool> {
        while let Some((name, path)) = self.files.pop_front() {
            let file = match File::open(&path) {
                Ok(file) => file,
                // Removed by its owner meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let bytes = file.metadata()?.len();
            self.head = Cursor::new(file_head(&name, bytes));
            // One that grows meanwhile is kept as long as it was.
            self.file = Some(BufReader::new(file).take(bytes));
            return Ok(true);
        }
        if self.has_ended {
            return Ok(false);
        }
        (self.head, self.has_ended) = (Cursor::new(file_head("", 0)), true);
        Ok(true)
    }
}

impl Read for FolderReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_abandoned.load(Ordering::Acquire) {
            return Err(io::Error::other("the store is being closed"));
        }
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let of_head = self.head.read(buffer)?;
            if of_head > 0 {
                return Ok(of_head);
            }
            if let Some(file) = &mut self.file {
                let of_file = file.read(buffer)?;
                if of_file > 0 {
                    return Ok(of_file);
                }
                if file.limit() > 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                self.file = None;
            }
            if !self.open_next()? {
                return Ok(0);
            }
        }
    }
}

/// The last entry that a snapshot's database holds.
///
/// # Errors
/// As [`RemoteLog::snapshot`].
pub(crate) fn read_place(dir: &Path, content: &mut dyn Read) -> Result<EntryPlace, StoreError> {
    let [mut position, mut mark] = [[0; 8]; 2];
    content
        .read_exact(&mut position)
        .and_then(|()| content.read_exact(&mut mark))
        .map_err(|error| unreadable(dir, error))?;
    Ok(EntryPlace {
        position: u64::from_be_bytes(position),
        mark: u64::from_be_bytes(mark),
    })
}

fn unreadable(dir: &Path, error: io::Error) -> StoreError {
    match error.downcast::<StoreError>() {
        Ok(error) => error,
        Err(error) => {
            tracing::error!(%error, "the log's snapshot");
            damaged(dir)
        }
    }
}

fn damaged(dir: &Path) -> StoreError {
    StoreError::LogUnfit {
        dir: dir.to_owned(),
        what: "the log's snapshot cannot be used: it is damaged, or of another key of the folder",
    }
}

/// Keeps what a snapshot holds beside the store, whole or not at all. The folder's lock is held.
///
/// # Errors
/// STORE-018 when the log does not answer, STORE-019 when the snapshot cannot be used, STORE-007 when the disk takes nothing.
pub(crate) fn fetch(vault: &Vault, snapshot: RemoteSnapshot<'_>) -> Result<(), StoreError> {
    let dir = vault.dir();
    let (part, whole) = (dir.join(FETCHING), dir.join(FETCHED));
    remove_all(&part)?;
    let RemoteSnapshot {
        position,
        mut content,
    } = snapshot;
    let place = read_place(dir, &mut content)?;
    for folder in FOLDERS {
        files::private_dir(&part.join(folder))?;
    }
    loop {
        let (name, bytes) = read_file_head(&mut content).map_err(|error| unreadable(dir, error))?;
        if name.is_empty() {
            break;
        }
        let is_expected = name == schema::FILE
            || FOLDERS.iter().any(|folder| {
                name.strip_prefix(folder)
                    .is_some_and(|rest| rest.starts_with('/'))
            });
        if !is_expected || !is_ours(&name) {
            return Err(damaged(dir));
        }
        write_file(dir, &part.join(&name), &mut content, bytes)?;
    }
    let file = part.join(schema::FILE);
    let key = vault.database_key(schema::FILE);
    let conn = database::open_reading(&key, &file).map_err(|error| {
        tracing::error!(%error, "the log's snapshot");
        if matches!(error, StoreError::NewerSchema { .. }) {
            StoreError::NewerLog { dir: dir.to_owned() }
        } else {
            damaged(dir)
        }
    })?;
    let found = database::damage(&conn).map_err(|e| StoreError::sql(&file, e))?;
    drop(conn);
    if found.is_some() || place.position != position || place_in(vault, &file)? != place {
        return Err(damaged(dir));
    }
    for folder in FOLDERS {
        files::sync_dir(&part.join(folder))?;
    }
    files::sync_dir(&part)?;
    fs::rename(&part, &whole).map_err(StoreError::file("write", &whole))?;
    files::sync_dir(dir)?;
    tracing::info!(
        position,
        "what the log's snapshot holds takes the place of this store"
    );
    Ok(())
}

fn write_file(dir: &Path, path: &Path, content: &mut dyn Read, bytes: u64) -> Result<(), StoreError> {
    let failed = || StoreError::file("write", path);
    let mut out = files::private_file()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(failed())?;
    let (mut buffer, mut left) = (vec![0; 64 << 10], bytes);
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(buffer.len()).min(buffer.len());
        let read = content.read(buffer.get_mut(..most).unwrap_or_default());
        let read = read.map_err(|error| unreadable(dir, error))?;
        if read == 0 {
            return Err(damaged(dir));
        }
        out.write_all(buffer.get(..read).unwrap_or_default())
            .map_err(failed())?;
        left -= read as u64;
    }
    out.sync_all().map_err(failed())
}

/// Puts what was fetched in the place of the store, and removes what an interruption left. The folder's lock is held.
///
/// # Errors
/// STORE-007; what remains is gone on with by the next opening.
pub(crate) fn finish_replacing(dir: &Path) -> Result<(), StoreError> {
    let copy = dir.join(COPY);
    for end in ["", "-journal", "-wal", "-shm"] {
        files::remove(&with_end(&copy, end))?;
    }
    remove_all(&dir.join(FETCHING))?;
    let fetched = dir.join(FETCHED);
    if !fetched.exists() {
        return Ok(());
    }
    for folder in FOLDERS {
        let (new, old) = (fetched.join(folder), dir.join(folder));
        if new.exists() {
            remove_all(&old)?;
            fs::rename(&new, &old).map_err(StoreError::file("replace", &old))?;
        }
    }
    let (new, old) = (fetched.join(schema::FILE), dir.join(schema::FILE));
    if new.exists() {
        // What was removed elsewhere may be in it.
        for end in ["-wal", "-shm", ".head", ""] {
            files::shred(&with_end(&old, end))?;
        }
        fs::rename(&new, &old).map_err(StoreError::file("replace", &old))?;
    }
    repair::forget(dir)?;
    files::sync_dir(dir)?;
    remove_all(&fetched)?;
    files::sync_dir(dir)
}

fn with_end(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}
