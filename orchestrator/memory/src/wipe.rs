//! Destroying a data folder, the key first.
//!
//! What: [`wipe`], and [`finish_wipe`], which ends one that was interrupted, by whatever opens the folder next. Why: without its key
//! nothing in the folder can be read any more, so that comes before the many files. Not here: asking (the command line), copies
//! and backups that are elsewhere.

use crate::{
    error::StoreError,
    files, folder_lock,
    vault::{self, KeyPlace},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Marks a wipe in progress; the next opening resumes it.
const MARK: &str = "wiping";

/// Called before each step with what is done now. What it returns interrupts the wipe.
pub type WipeProgress<'a> = dyn FnMut(&str) -> Result<(), StoreError> + 'a;

/// Every file of a folder, in the order in which they go: the key box first.
///
/// # Errors
/// STORE-007 when the folder cannot be read.
pub fn plan(dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let (mut found, mut below) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(path) = below.pop() {
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(StoreError::file("read", &path)(error)),
        };
        for entry in entries {
            let entry = entry.map_err(StoreError::file("read", &path))?;
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_dir { &mut below } else { &mut found }.push(entry.path());
        }
    }
    let (key, lock, mark) = (dir.join(vault::BOX), dir.join(folder_lock::LOCK), dir.join(MARK));
    found.retain(|path| *path != mark);
    // Whoever holds the lock is alone until the last file is gone.
    found.sort_by_key(|path| (*path != key, *path == lock, path.clone()));
    Ok(found)
}

/// Destroys the key of a folder, then everything in it; the folder itself stays, empty. A service on it must have been stopped:
/// whoever still has it open can keep what is in memory alone.
///
/// # Errors
/// STORE-001 when a service works on the folder, STORE-007 when a file cannot be removed, what `progress` returns; the next opening goes on.
pub fn wipe(dir: &Path, progress: &mut WipeProgress<'_>) -> Result<(), StoreError> {
    let _alone = folder_lock::lock(dir)?;
    progress("mark the folder")?;
    files::write_atomic(
        dir,
        MARK,
        b"This folder is being wiped; whatever opens it goes on.\n",
        files::IfExists::Replace,
    )?;
    to_its_end(dir, progress)
}

/// Ends a wipe that was interrupted. Whether there was one.
pub(crate) fn finish_wipe(dir: &Path) -> Result<bool, StoreError> {
    if !dir.join(MARK).exists() {
        return Ok(false);
    }
    let _alone = folder_lock::lock(dir)?;
    to_its_end(dir, &mut |_| Ok(()))?;
    tracing::warn!("a wipe of the data folder that was interrupted was ended");
    Ok(true)
}

fn to_its_end(dir: &Path, progress: &mut WipeProgress<'_>) -> Result<(), StoreError> {
    progress("destroy the key")?;
    for place in vault::places(dir) {
        // The box goes all the same, and with it what the place's key opens.
        if let Err(error) = KeyPlace::destroy(&place) {
            tracing::warn!(
                code = error.code(),
                "the key could not be removed from where it is kept: {place}"
            );
        }
    }
    files::shred(&dir.join(vault::BOX))?;
    files::sync_dir(dir)?;
    for path in plan(dir)? {
        progress("remove the files")?;
        // A link is removed, never followed; what is a socket cannot be overwritten.
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() && is_plain(dir, &path) => files::shred(&path)?,
            Ok(_) => files::remove(&path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(StoreError::file("remove", &path)(error)),
        }
    }
    progress("remove the folders")?;
    for entry in fs::read_dir(dir).map_err(StoreError::file("read", dir))? {
        let path = entry.map_err(StoreError::file("read", dir))?.path();
        if path.is_dir() {
            fs::remove_dir_all(&path).map_err(StoreError::file("remove", &path))?;
        }
    }
    files::sync_dir(dir)?;
    progress("take the mark away")?;
    files::remove(&dir.join(MARK))?;
    files::sync_dir(dir)
}

/// What is sealed cannot be read without its key; the rest is overwritten before it goes.
fn is_plain(dir: &Path, path: &Path) -> bool {
    let large = path.starts_with(dir.join("models"));
    let sealed = path
        .file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with("aura.db") || name.starts_with("workflows.db"));
    !large && !sealed
}
