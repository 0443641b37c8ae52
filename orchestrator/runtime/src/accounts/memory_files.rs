//! Where what is read of accounts lies for the agents.
//!
//! What: [`AccountFiles`], a folder in the memory of this computer with one folder for each account, in it one file for each calendar, or mail. Why: what an
//! agent reads is a path, and no disk has to hold a copy in the clear. Not here: what is kept over a start (`cache`), mail (`mail_store`).

use crate::memory_folder::memory_folder;
use rustix::process::getuid;
use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use toolcall_schema::ids::sha256_hex;

/// The folder, over all machines of a process. The last clone takes it with it.
#[derive(Debug, Clone, Default)]
pub(crate) struct AccountFiles(Arc<Mutex<Option<MemoryRoom>>>);

#[derive(Debug)]
struct MemoryRoom(PathBuf);

impl Drop for MemoryRoom {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
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
        let room = if let Some(MemoryRoom(room)) = room.as_ref() {
            room.clone()
        } else {
            let memory = memory_folder().ok_or(io::ErrorKind::Unsupported)?;
            let digest = sha256_hex(data.as_os_str().as_encoded_bytes());
            let name = format!("aura-accounts-{}", digest.get(..12).unwrap_or_default());
            let path = made_anew(&memory.join(name))?;
            *room = Some(MemoryRoom(path.clone()));
            path
        };
        made_anew(&room.join(account))
    }

    /// Removes all of it: the service ends.
    pub(crate) fn remove(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Removes the folders of accounts that there are no more.
    pub(super) fn remove_others(&self, accounts: &[&str]) {
        let room = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(MemoryRoom(room)) = room.as_ref() else {
            return;
        };
        for left in fs::read_dir(room).into_iter().flatten().flatten() {
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
