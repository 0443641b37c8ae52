//! The lock of a data folder: one process works on it.
//!
//! What: [`lock`], [`is_free`] and [`check_free`]. Why: one writer per folder over all processes. Not here: what the owner does (`store`).

use crate::{error::StoreError, files};
use std::{
    fs::{File, TryLockError},
    io::Write as _,
    path::Path,
};

/// Whether no process works on a folder now.
///
/// # Errors
/// STORE-007 when its lock cannot be tried.
pub fn is_free(dir: &Path) -> Result<bool, StoreError> {
    let path = dir.join(LOCK);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(StoreError::file("open", &path)(error)),
    };
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(source)) => Err(StoreError::file("lock", &path)(source)),
    }
}

/// The same as an error that names who works there.
///
/// # Errors
/// STORE-001 when somebody does; as [`is_free`].
pub fn check_free(dir: &Path) -> Result<(), StoreError> {
    if is_free(dir)? {
        Ok(())
    } else {
        Err(locked_error(dir))
    }
}

fn locked_error(dir: &Path) -> StoreError {
    let pid = std::fs::read_to_string(dir.join(LOCK)).ok();
    StoreError::Locked {
        dir: dir.to_owned(),
        pid: pid.and_then(|text| text.trim().parse().ok()),
    }
}

/// Whether the process that locked a folder last is there, by its id: nothing is locked to find out.
pub(crate) fn has_worker(dir: &Path) -> bool {
    let id = std::fs::read_to_string(dir.join(LOCK)).unwrap_or_default();
    let id = id.trim().parse::<u32>();
    id.is_ok_and(|id| Path::new("/proc").join(id.to_string()).exists())
}

/// The file that says who works on the folder.
pub(crate) const LOCK: &str = "lock";

/// Locks the folder for this process and writes its id into the lock file.
pub(crate) fn lock(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join(LOCK);
    let mut file = files::private_file()
        .read(true)
        .write(true)
        .truncate(false)
        .open(&path)
        .map_err(StoreError::file("open", &path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(locked_error(dir)),
        Err(TryLockError::Error(source)) => return Err(StoreError::file("lock", &path)(source)),
    }
    let written = file
        .set_len(0)
        .and_then(|()| writeln!(file, "{}", std::process::id()));
    written.map_err(StoreError::file("write", &path))?;
    Ok(file)
}
