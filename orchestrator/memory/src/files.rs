//! Files of the data folder: private, and either whole or absent.
//!
//! What: making folders 0700, opening files 0600, writing a file atomically. Why: one place for modes and syncs. Not
//! here: the database (`database`) and the quarantine's appending (`quarantine`).

use crate::error::StoreError;
use rustix::fs::{CWD, RenameFlags};
use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::{ErrorKind, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Two writers of one name would share a temporary file; files are few, so one at a time is enough.
static WRITING: Mutex<()> = Mutex::new(());

/// What becomes of a file that is there already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    Replace,
    Keep,
}

/// Makes a folder, and those above it, with mode 0700. One that is there keeps its mode.
pub(crate) fn private_dir(dir: &Path) -> Result<(), StoreError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .map_err(StoreError::file("create", dir))
}

/// Options to open a file of ours: created with mode 0600.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).mode(0o600);
    options
}

/// Makes what happened to names in a folder last.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), StoreError> {
    File::open(dir)
        .and_then(|d| d.sync_all())
        .map_err(StoreError::file("sync", dir))
}

/// Writes a file whole or not at all, with mode 0600; it is on disk when this returns.
///
/// Returns whether it was written: with [`Existing::Keep`] a name that is taken is left alone.
pub(crate) fn write_atomic(
    dir: &Path,
    name: &str,
    bytes: &[u8],
    existing: Existing,
) -> Result<bool, StoreError> {
    let _one_at_a_time = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = dir.join(name);
    let temp = dir.join(format!(".{name}.tmp"));
    let write = || {
        let mut file = private_file().write(true).truncate(true).open(&temp)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        let flags = match existing {
            Existing::Replace => RenameFlags::empty(),
            Existing::Keep => RenameFlags::NOREPLACE,
        };
        match rustix::fs::renameat_with(CWD, &temp, CWD, &path, flags) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::EXIST) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    };
    let written = write();
    if !matches!(written, Ok(true)) {
        // Nothing may be left of a failed attempt; that it could not be removed adds nothing to the first error.
        let _ = std::fs::remove_file(&temp);
    }
    let written = written.map_err(StoreError::file("write", &path))?;
    sync_dir(dir)?;
    Ok(written)
}

/// Overwrites a file, then removes it; that it is not there is as good. What the disk itself keeps of it is the disk's.
pub(crate) fn shred(path: &Path) -> Result<(), StoreError> {
    let mut file = match OpenOptions::new().write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(StoreError::file("overwrite", path)(error)),
    };
    let overwrite = |file: &mut File| {
        let mut left = file.metadata()?.len();
        let zeros = [0; 4096];
        while left > 0 {
            let part = zeros
                .get(..usize::try_from(left).unwrap_or(zeros.len()))
                .unwrap_or(&zeros);
            file.write_all(part)?;
            left -= part.len() as u64;
        }
        file.sync_all()
    };
    overwrite(&mut file).map_err(StoreError::file("overwrite", path))?;
    remove(path)
}

/// Removes a file; that it is not there is as good.
pub(crate) fn remove(path: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::file("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A second name for a file, which outlives that the first one is given to another; one that is there is left.
pub(crate) fn second_name(path: &Path, second: &Path) -> Result<(), StoreError> {
    match std::fs::hard_link(path, second) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(StoreError::file("link", second)(error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
