//! Where what is read of accounts lies for the agents.
//!
//! What: [`AccountFiles`], a folder in the memory of this computer with one folder for each account, in it one file for each calendar, or mail. Why: what an
//! agent reads is a path, and no disk has to hold a copy in the clear. Not here: what is kept over a start (`cache`), mail (`mail_store`).

use crate::memory_folder::memory_folder;
use rustix::{
    fs::{FlockOperation, Mode, OFlags, flock, fstat},
    process::getuid,
};
use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::{
        fd::OwnedFd,
        unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    },
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use toolcall_schema::ids::sha256_hex;

/// The folder, over all machines of a process. The last clone takes it with it.
#[derive(Debug, Clone, Default)]
pub(crate) struct AccountFiles(Arc<Mutex<Option<MemoryRoom>>>);

/// How the folders of services begin.
const ROOMS: &str = "aura-accounts-";

#[derive(Debug)]
struct MemoryRoom {
    path: PathBuf,
    /// By this lock the next service, of whichever data folder, knows that this one runs: it goes with the process, however that ends.
    _lock: OwnedFd,
}

impl Drop for MemoryRoom {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, "calendars of accounts could not be removed from memory");
        }
    }
}

impl AccountFiles {
    /// The empty folder of an account, for the service of that data folder; what lay there before is gone. The path is the same at each
    /// start: agents know files by it.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(super) fn folder(&self, data: &Path, account: &str) -> io::Result<PathBuf> {
        let mut room = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if room.is_none() {
            let memory = memory_folder().ok_or(io::ErrorKind::Unsupported)?;
            remove_abandoned(&memory);
            *room = Some(MemoryRoom::open(&memory, data)?);
        }
        let room = room.as_ref().ok_or(io::ErrorKind::NotFound)?;
        made_anew(&room.path.join(account))
    }

    /// Removes all of it: the service ends.
    pub(crate) fn remove(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Removes the folders of accounts that there are no more.
    pub(super) fn remove_others(&self, accounts: &[&str]) {
        let room = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(room) = room.as_ref() else { return };
        for left in fs::read_dir(&room.path).into_iter().flatten().flatten() {
            let is_named = left
                .file_name()
                .to_str()
                .is_some_and(|name| accounts.contains(&name));
            if !is_named && let Err(error) = fs::remove_dir_all(left.path()) {
                tracing::warn!(%error, "calendars of an account could not be removed from memory");
            }
        }
    }
}

impl MemoryRoom {
    /// Of the service of that data folder, empty.
    fn open(memory: &Path, data: &Path) -> io::Result<Self> {
        let digest = sha256_hex(data.as_os_str().as_encoded_bytes());
        let path = memory.join(format!("{ROOMS}{}", digest.get(..12).unwrap_or_default()));
        loop {
            let path = made_anew(&path)?;
            let lock = open_folder(&path)?;
            flock(&lock, FlockOperation::LockExclusive)?;
            // Another service may have taken it for an abandoned one just before.
            if fstat(&lock)?.st_nlink > 0 {
                return Ok(Self { path, _lock: lock });
            }
        }
    }
}

fn open_folder(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty())
}

/// Removes what services left that were killed, of any data folder.
fn remove_abandoned(memory: &Path) {
    for left in fs::read_dir(memory).into_iter().flatten().flatten() {
        let is_room = left
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(ROOMS));
        // Another user's cannot be opened.
        if is_room
            && let Ok(lock) = open_folder(&left.path())
            && flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
            && let Err(error) = fs::remove_dir_all(left.path())
        {
            tracing::warn!(%error, "what a killed service left could not be removed from memory");
        }
    }
}

/// An empty folder that is its owner's alone. What an earlier service left, which was killed, goes.
pub(super) fn made_anew(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.uid() == getuid().as_raw() && there.is_dir() => fs::remove_dir_all(path)?,
        // Another user's, or a link that leads somewhere.
        Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    DirBuilder::new().mode(0o700).create(path)?;
    Ok(path.to_owned())
}

/// Puts a file in the place of the one before it, whole.
pub(super) fn put_file(folder: &Path, name: &str, pieces: &[&[u8]]) -> io::Result<()> {
    // Readers pass over names that begin with a dot.
    let fresh = folder.join(format!(".{name}"));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&fresh)?;
    for piece in pieces {
        file.write_all(piece)?;
    }
    drop(file);
    fs::rename(fresh, folder.join(name))
}

/// Removes a file that may be gone already.
pub(super) fn remove_file(folder: &Path, name: &str) -> io::Result<()> {
    match fs::remove_file(folder.join(name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_service_left_goes_with_the_next_start_of_any_and_what_one_uses_stays() {
        let memory = tempfile::tempdir().unwrap();
        let used = MemoryRoom::open(memory.path(), Path::new("/one")).unwrap();
        // As after a kill: nobody holds its lock.
        let left = made_anew(&memory.path().join(format!("{ROOMS}killed"))).unwrap();
        put_file(&left, "a.ics", &[b"one"]).unwrap();
        let other = memory.path().join("other");
        fs::create_dir(&other).unwrap();
        remove_abandoned(memory.path());
        assert_eq!(
            [&used.path, &left, &other].map(|path| path.is_dir()),
            [true, false, true]
        );
    }

    #[test]
    fn folders_are_made_anew_and_never_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("work");
        made_anew(&path).unwrap();
        put_file(&path, "a.ics", &[b"one", b"two"]).unwrap();
        assert_eq!(fs::read_to_string(path.join("a.ics")).unwrap(), "onetwo");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        remove_file(&path, "b.ics").unwrap();
        made_anew(&path).unwrap();
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(made_anew(&link).is_err());
    }
}
