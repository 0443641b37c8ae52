//! One file that holds a whole data folder.
//!
//! What: [`backup`] and [`backup_with`], beside a running service too, and [`restore`] into a folder that is empty. Why: the copy is consistent, opens
//! with a key of its own, and is never plain. Not here: models, which can be fetched again, and what only a running process needs.
//!
//! ```text
//! aura backup v1\n
//! <bytes of the box: 8, big endian> <key box: the folder's keys, sealed for the backup's place>
//! chunks: <bytes: 4, big endian> <sealed: at most 1 MiB of the stream>; the last one is marked in what it is sealed about
//! the stream: for each file <name's bytes: 2> <name> <file's bytes: 8> <file>
//! ```

use crate::{
    audit::pending,
    database,
    error::StoreError,
    files::{self, IfExists},
    schema,
    vault::{
        KeyPrompt, LOG_ROOTS, NewPlace, Vault,
        keybox::{self, KeyBox, KeySeal},
        keys::{FolderKeys, SecretBytes, random},
        make_key,
    },
};
use rusqlite::{Connection, backup::Backup};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File, TryLockError},
    io::{self, BufReader, BufWriter, Read, Write},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::Duration,
};
use toolcall_schema::ids::hex;
use zeroize::Zeroizing;

const MAGIC: &[u8; 15] = b"aura backup v1\n";
/// Bytes of the stream in one chunk.
const CHUNK: usize = 1 << 20;
/// What sealing adds to a chunk.
const SEAL: usize = 40;
/// Folders that are kept, beside the databases.
const FOLDERS: [&str; 5] = [pending::DIR, "errors", "outbox", "traces/raw", "workflows"];
/// Single files that are kept; what an owner configures lies in the folder where a host serves her.
const SINGLE: [&str; 5] = ["models/chosen", "demo", "home.toml", "policy.toml", LOG_ROOTS];

/// How far it is: bytes done of all, as far as they are known.
pub type ByteProgress<'a> = dyn FnMut(u64, u64) + 'a;

/// What a backup holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupContents {
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The folder's keys, sealed for the place of a backup's own key. It opens nothing without that key, so it may be kept, and one backup after
/// the other may begin with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BackupBox(String);

impl BackupBox {
    /// Seals them.
    ///
    /// # Errors
    /// STORE-013 when the key cannot be kept in that place.
    pub fn close(vault: &Vault, place: &NewPlace) -> Result<Self, StoreError> {
        let (place, key) = make_key(place, vault.dir())?;
        let found = KeyBox::sealed_by(KeySeal::close(place, &key, vault.keys())?).to_bytes()?;
        Ok(Self(String::from_utf8_lossy(&found).into_owned()))
    }
}

/// Writes a backup, which must not be there yet, with a box of its own. It is whole and on disk when this returns, or not there.
///
/// # Errors
/// As of [`backup_with`]; STORE-013 when the key cannot be kept in that place.
pub fn backup(
    vault: &Vault,
    to: &Path,
    place: &NewPlace,
    progress: &mut ByteProgress<'_>,
) -> Result<BackupContents, StoreError> {
    check_new(to)?;
    backup_with(vault, to, &BackupBox::close(vault, place)?, progress)
}

fn check_new(to: &Path) -> Result<(), StoreError> {
    if to.exists() { Err(name_in_use(to)) } else { Ok(()) }
}

fn name_in_use(to: &Path) -> StoreError {
    unusable(to, "there is a file of that name: name another one")
}

/// Writes a backup that begins with this box.
///
/// # Errors
/// STORE-016 when the file is there or being made, STORE-003 or STORE-007 when the folder cannot be read, STORE-007 when the backup cannot be written.
pub fn backup_with(
    vault: &Vault,
    to: &Path,
    sealed: &BackupBox,
    progress: &mut ByteProgress<'_>,
) -> Result<BackupContents, StoreError> {
    check_new(to)?;
    let to = std::path::absolute(to).map_err(StoreError::file("name", to))?;
    let (dir, name) = split(&to)?;
    let part = dir.join(format!(".{name}.part"));
    let scratch = dir.join(format!(".{name}.db"));
    let claimed = claim(&part, &to)?;
    let written = write(vault, (&claimed, &part), &scratch, sealed, progress);
    let written = files::remove(&scratch).and(written).and_then(|held| {
        let named = files::rename_new(&part, &to);
        named.map(|()| held).map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                name_in_use(&to)
            } else {
                StoreError::file("write", &to)(error)
            }
        })
    });
    let held = written.inspect_err(|_| {
        // The first error says more than that the part could not be removed.
        let _ = files::remove(&part);
    })?;
    files::sync_dir(dir)?;
    Ok(held)
}

/// The file that becomes `to` when it is whole, empty, and locked until it is closed: two backups of one name would write into each other.
fn claim(part: &Path, to: &Path) -> Result<File, StoreError> {
    let failed = || StoreError::file("write", part);
    loop {
        // Truncated once it is ours alone.
        let file = files::private_file()
            .write(true)
            .truncate(false)
            .open(part)
            .map_err(failed())?;
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(unusable(
                to,
                "another backup of that name is being made: wait for it, or name another file",
            ));
        }
        if let Err(refused) = check_new(to) {
            // Whoever held it finished between the two looks: what was opened here is a new, empty file.
            let _ = files::remove(part);
            return Err(refused);
        }
        // Whoever held it may have given it its name, or removed it.
        let ours = file.metadata().map_err(failed())?;
        if fs::metadata(part).is_ok_and(|there| there.ino() == ours.ino() && there.dev() == ours.dev()) {
            file.set_len(0).map_err(failed())?;
            return Ok(file);
        }
    }
}

fn write(
    vault: &Vault,
    (file, part): (&File, &Path),
    scratch: &Path,
    BackupBox(found): &BackupBox,
    progress: &mut ByteProgress<'_>,
) -> Result<BackupContents, StoreError> {
    let failed = || StoreError::file("write", part);
    let mut out = BufWriter::new(file);
    let id = hex(&random::<16>()?);
    let head = [
        &MAGIC[..],
        &(found.len() as u64).to_be_bytes(),
        found.as_bytes(),
        id.as_bytes(),
    ]
    .concat();
    out.write_all(&head).map_err(failed())?;
    let mut stream = SealingWriter {
        out,
        key: stream_key(vault.keys()),
        id,
        chunk: Zeroizing::new(Vec::with_capacity(CHUNK)),
        n: 0,
    };
    let mut held = BackupContents { files: 0, bytes: 0 };
    let files = listed(vault.dir())?;
    let of: u64 = files
        .iter()
        .filter_map(|name| fs::metadata(vault.dir().join(name)).ok())
        .map(|meta| meta.len())
        .sum();
    for name in files {
        let path = vault.dir().join(&name);
        let source = if schema::FILES.contains(&name.as_str()) {
            // As one moment sees it, whatever is written meanwhile; sealed as the original is.
            copy_database(vault, &name, scratch)?;
            scratch.to_owned()
        } else {
            path
        };
        let file = match File::open(&source) {
            Ok(file) => file,
            // Taken into the store meanwhile, or removed by its owner.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(StoreError::file("read", &source)(error)),
        };
        let bytes = file.metadata().map_err(StoreError::file("read", &source))?.len();
        stream.write_all(&file_head(&name, bytes)).map_err(failed())?;
        // A file that grows meanwhile is kept as long as it was; one that shrinks is not whole.
        let copied = io::copy(&mut BufReader::new(file).take(bytes), &mut stream).map_err(failed())?;
        if copied != bytes {
            return Err(StoreError::file("read", &source)(
                io::ErrorKind::UnexpectedEof.into(),
            ));
        }
        held.files += 1;
        held.bytes += bytes;
        progress(held.bytes.min(of), of);
    }
    stream.end().and_then(|()| file.sync_all()).map_err(failed())?;
    Ok(held)
}

/// Makes a data folder of a backup: all of it or nothing. The folder must not be there, or be empty.
///
/// # Errors
/// STORE-016 when the backup cannot be used or the folder holds something, STORE-012 for a wrong key of the backup, STORE-013 when
/// a key cannot be had or kept, STORE-007 when the folder cannot be written.
pub fn restore(
    from: &Path,
    ask: &dyn KeyPrompt,
    dir: &Path,
    place: &NewPlace,
    progress: &mut ByteProgress<'_>,
) -> Result<BackupContents, StoreError> {
    if fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) || dir.is_file() {
        return Err(unusable(
            dir,
            "it holds something: name an empty folder, or one that is not there",
        ));
    }
    let dir = std::path::absolute(dir).map_err(StoreError::file("name", dir))?;
    let (above, name) = split(&dir)?;
    files::private_dir(above)?;
    let part = above.join(format!(".{name}.restoring"));
    // Of an attempt that was interrupted.
    remove_all(&part)?;
    let made = read(from, ask, &part, &dir, place, progress);
    let held = made.inspect_err(|_| {
        // The first error says more.
        let _ = remove_all(&part);
    })?;
    // An empty folder is replaced in one step; one that holds something by now is not.
    fs::rename(&part, &dir).map_err(StoreError::file("write", &dir))?;
    files::sync_dir(above)?;
    Ok(held)
}

fn read(
    from: &Path,
    ask: &dyn KeyPrompt,
    part: &Path,
    dir: &Path,
    place: &NewPlace,
    progress: &mut ByteProgress<'_>,
) -> Result<BackupContents, StoreError> {
    let read = || StoreError::file("read", from);
    let file = File::open(from).map_err(read())?;
    let of = file.metadata().map_err(read())?.len();
    let mut input = BufReader::new(file);
    let cut = || {
        unusable(
            from,
            "it is no backup, or its beginning is damaged: name another copy",
        )
    };
    let mut magic = [0; MAGIC.len()];
    if input.read_exact(&mut magic).is_err() || magic != *MAGIC {
        return Err(cut());
    }
    let mut len = [0; 8];
    input.read_exact(&mut len).map_err(|_| cut())?;
    let len = u64::from_be_bytes(len);
    if len > keybox::BYTES_MAX {
        return Err(cut());
    }
    let mut found = vec![0; usize::try_from(len).map_err(|_| cut())?];
    let mut id = [0; 32];
    input.read_exact(&mut found).map_err(|_| cut())?;
    input.read_exact(&mut id).map_err(|_| cut())?;
    let keys = KeyBox::parse(from, &found)?.open(from, ask)?.keys;
    let mut stream = UnsealingReader {
        input,
        key: stream_key(&keys),
        id: String::from_utf8(id.to_vec()).map_err(|_| cut())?,
        chunk: Zeroizing::new(Vec::new()),
        at: 0,
        n: 0,
        ended: false,
    };
    let damaged = |_| unusable(from, "it is damaged or cut short: name another copy");
    files::private_dir(part)?;
    let mut held = BackupContents { files: 0, bytes: 0 };
    while let Some((name, bytes)) = stream.next_file().map_err(damaged)? {
        if !is_ours(&name) {
            return Err(unusable(
                from,
                "it holds a file that is none of Aura's: name another copy",
            ));
        }
        let path = part.join(&name);
        files::private_dir(path.parent().unwrap_or(part))?;
        let mut out = files::private_file()
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(StoreError::file("write", &path))?;
        let mut left = bytes;
        while left > 0 {
            let mut buffer = Zeroizing::new(vec![0; usize::try_from(left).unwrap_or(CHUNK).min(CHUNK)]);
            stream.read_exact(&mut buffer).map_err(damaged)?;
            out.write_all(&buffer).map_err(StoreError::file("write", &path))?;
            left -= buffer.len() as u64;
        }
        out.sync_all().map_err(StoreError::file("write", &path))?;
        held.files += 1;
        held.bytes += bytes;
        progress(held.bytes.min(of), of);
    }
    for name in schema::FILES.iter().filter(|name| part.join(name).exists()) {
        let file = part.join(name);
        let conn = database::open_reading(&Vault::key_in(&keys, name), &file)?;
        if let Some(what) = database::damage(&conn).map_err(|e| StoreError::sql(&file, e))? {
            return Err(StoreError::Damaged { file, what });
        }
    }
    let (place, key) = make_key(place, dir)?;
    KeyBox::sealed_by(KeySeal::close(place, &key, &keys)?).write(part, IfExists::Keep)?;
    files::sync_dir(part)?;
    Ok(held)
}

/// What a backup holds of a folder, databases first.
fn listed(dir: &Path) -> Result<Vec<String>, StoreError> {
    let single = schema::FILES.iter().chain(&SINGLE).map(|name| (*name).to_owned());
    let mut names: Vec<String> = single.filter(|name| dir.join(name).is_file()).collect();
    for folder in FOLDERS {
        names.append(&mut files_of(dir, folder)?);
    }
    Ok(names)
}

/// The files of a folder that are kept, by their names from the data folder on.
pub(crate) fn files_of(dir: &Path, folder: &str) -> Result<Vec<String>, StoreError> {
    let path = dir.join(folder);
    let entries = match fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::file("read", &path)(error)),
    };
    let mut found: Vec<String> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = format!("{folder}/{}", entry.file_name().to_str()?);
            (entry.file_type().ok()?.is_file() && is_ours(&name)).then_some(name)
        })
        .collect();
    found.sort();
    Ok(found)
}

/// A name that a backup may hold: nothing that leads out of the folder, no lock, nothing temporary.
pub(crate) fn is_ours(name: &str) -> bool {
    if schema::FILES.contains(&name) || SINGLE.contains(&name) {
        return true;
    }
    FOLDERS.iter().any(|folder| {
        let file = name.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        file.is_some_and(|file| {
            let plain = !file.is_empty() && !file.contains('/') && !file.starts_with('.');
            plain && Path::new(file).extension().is_none_or(|end| end != "lock")
        })
    })
}

/// `SQLite`'s own copying, page by page, of one moment: what is written meanwhile is not in it.
pub(crate) fn copy_database(vault: &Vault, name: &str, to: &Path) -> Result<(), StoreError> {
    /// Pages a step: 4 MiB.
    const PAGES: i32 = 1024;
    let from = vault.dir().join(name);
    files::remove(to)?;
    files::private_file()
        .append(true)
        .open(to)
        .map_err(StoreError::file("create", to))?;
    let key = vault.database_key(name);
    let old = database::open_reading(&key, &from)?;
    // Read within a transaction: else each commit beside it would have it begin anew.
    old.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema")
        .map_err(|e| StoreError::sql(&from, e))?;
    let mut new: Connection = database::open_as_it_is(&key, to)?;
    Backup::new(&old, &mut new)
        .and_then(|copy| copy.run_to_completion(PAGES, Duration::ZERO, None))
        .map_err(|e| StoreError::sql(&from, e))?;
    // In one file, without a log.
    new.pragma_update(None, "journal_mode", "DELETE")
        .map_err(|e| StoreError::sql(to, e))?;
    new.close().map_err(|(_, e)| StoreError::sql(to, e))
}

/// What stands before a file in the stream.
pub(crate) fn file_head(name: &str, bytes: u64) -> Vec<u8> {
    let named = u16::try_from(name.len()).unwrap_or(u16::MAX).to_be_bytes();
    [&named, name.as_bytes(), &bytes.to_be_bytes()].concat()
}

/// The next file's name and length, where the stream has one more.
pub(crate) fn read_file_head(input: &mut impl Read) -> io::Result<(String, u64)> {
    let (mut named, mut bytes) = ([0; 2], [0; 8]);
    input.read_exact(&mut named)?;
    let mut name = vec![0; usize::from(u16::from_be_bytes(named))];
    input.read_exact(&mut name)?;
    input.read_exact(&mut bytes)?;
    let name = String::from_utf8(name).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    Ok((name, u64::from_be_bytes(bytes)))
}

pub(crate) fn remove_all(dir: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::file("remove", dir)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn split(path: &Path) -> Result<(&Path, &str), StoreError> {
    path.parent()
        .zip(path.file_name().and_then(|name| name.to_str()))
        .ok_or_else(|| StoreError::file("name", path)(io::ErrorKind::InvalidFilename.into()))
}

fn unusable(file: &Path, what: &'static str) -> StoreError {
    StoreError::Backup {
        file: PathBuf::from(file),
        what,
    }
}

fn stream_key(keys: &FolderKeys) -> SecretBytes {
    keys.data.derive("backup v1")
}

/// Number and end of a chunk belong to what it is sealed about, so that none can be left out, moved or taken from another backup.
fn about(id: &str, n: u64, last: bool) -> Vec<u8> {
    format!("aura backup v1 {id} {n} {last}").into_bytes()
}

/// Seals what is written to it, chunk by chunk.
struct SealingWriter<W> {
    out: W,
    key: SecretBytes,
    id: String,
    chunk: Zeroizing<Vec<u8>>,
    n: u64,
}

impl<W: Write> SealingWriter<W> {
    fn put(&mut self, last: bool) -> io::Result<()> {
        let sealed = self
            .key
            .seal(&about(&self.id, self.n, last), &self.chunk)
            .map_err(io::Error::other)?;
        let len = u32::try_from(sealed.len()).map_err(io::Error::other)?;
        self.out.write_all(&len.to_be_bytes())?;
        self.out.write_all(&sealed)?;
        self.chunk.clear();
        self.n += 1;
        Ok(())
    }

    fn end(mut self) -> io::Result<()> {
        self.put(true)?;
        self.out.flush()
    }
}

impl<W: Write> Write for SealingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(CHUNK - self.chunk.len());
        self.chunk
            .extend_from_slice(bytes.get(..taken).unwrap_or_default());
        if self.chunk.len() == CHUNK {
            self.put(false)?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens what [`SealingWriter`] wrote.
struct UnsealingReader<R> {
    input: R,
    key: SecretBytes,
    id: String,
    chunk: Zeroizing<Vec<u8>>,
    at: usize,
    n: u64,
    ended: bool,
}

impl<R: Read> UnsealingReader<R> {
    /// The next file's name and length; `None` at the end that was marked as such.
    fn next_file(&mut self) -> io::Result<Option<(String, u64)>> {
        if self.rest()?.is_empty() {
            return Ok(None);
        }
        read_file_head(self).map(Some)
    }

    /// What is left of the chunk, or the next one.
    fn rest(&mut self) -> io::Result<&[u8]> {
        while self.at == self.chunk.len() && !self.ended {
            let mut len = [0; 4];
            self.input.read_exact(&mut len)?;
            let len = usize::try_from(u32::from_be_bytes(len)).map_err(io::Error::other)?;
            if len > CHUNK + SEAL {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let mut sealed = vec![0; len];
            self.input.read_exact(&mut sealed)?;
            let open = |last| self.key.unseal(&about(&self.id, self.n, last), &sealed);
            let (chunk, last) = match open(false) {
                Some(chunk) => (chunk, false),
                None => (open(true).ok_or(io::ErrorKind::InvalidData)?, true),
            };
            if last && self.input.read(&mut [0])? != 0 {
                return Err(io::ErrorKind::InvalidData.into());
            }
            (self.chunk, self.at, self.ended) = (chunk, 0, last);
            self.n += 1;
        }
        Ok(self.chunk.get(self.at..).unwrap_or_default())
    }
}

impl<R: Read> Read for UnsealingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut rest = self.rest()?;
        let taken = rest.read(buffer)?;
        self.at += taken;
        Ok(taken)
    }
}
