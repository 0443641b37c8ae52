//! The lock of a data folder: one process works on it.
//!
//! What: [`lock`], [`is_free`] and [`check_free`]. Why: one writer per folder over all processes. Not here: what the owner does (`store`).

use crate::{error::StoreError, files};
use std::{
    fs::{File, TryLockError},
    io::Write as _,
    path::Path,
    thread,
    time::{Duration, Instant},
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

/// How long who was killed may go on holding the lock, in the programs that were about to start when it died, and how long between two looks.
const AFTER_DEATH: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Locks the folder for this process and writes its id into the lock file. What who died there had begun to start still holds the lock until it runs: that is waited for.
///
/// # Errors
/// STORE-001 when a process that runs works there; STORE-007 when the lock cannot be tried or written.
pub(crate) fn lock(dir: &Path) -> Result<File, StoreError> {
    lock_in_turn(dir, &mut || thread::sleep(LOOK_AGAIN))
}

fn lock_in_turn(dir: &Path, pause: &mut dyn FnMut()) -> Result<File, StoreError> {
    let path = dir.join(LOCK);
    let mut file = files::private_file()
        .read(true)
        .write(true)
        .truncate(false)
        .open(&path)
        .map_err(StoreError::file("open", &path))?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::WouldBlock) if has_worker(dir) || begun.elapsed() > AFTER_DEATH => {
                return Err(locked_error(dir));
            }
            Err(TryLockError::WouldBlock) => pause(),
            Err(TryLockError::Error(source)) => return Err(StoreError::file("lock", &path)(source)),
        }
    }
    let written = file
        .set_len(0)
        .and_then(|()| writeln!(file, "{}", std::process::id()));
    written.map_err(StoreError::file("write", &path))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, process::Command};
    use tempfile::TempDir;

    /// The lock that a process has, of that id.
    fn locked_by(dir: &Path, id: u32) -> File {
        let file = lock(dir).unwrap();
        fs::write(dir.join(LOCK), format!("{id}\n")).unwrap();
        file
    }

    fn ended() -> u32 {
        let mut child = Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    }

    /// A process that was killed while it started another: the lock is free once the other runs.
    #[test]
    fn the_lock_of_who_died_is_waited_for() {
        let dir = TempDir::new().unwrap();
        let mut left_over = Some(locked_by(dir.path(), ended()));
        let mut pauses = 0;
        let taken = lock_in_turn(dir.path(), &mut || {
            pauses += 1;
            left_over = None;
        });
        assert!(taken.is_ok() && pauses == 1, "{taken:?} after {pauses}");
        let written = fs::read_to_string(dir.path().join(LOCK)).unwrap();
        assert_eq!(written.trim(), std::process::id().to_string());
    }

    #[test]
    fn the_lock_of_who_runs_is_refused_at_once() {
        let dir = TempDir::new().unwrap();
        let _worker = locked_by(dir.path(), std::process::id());
        let refused = lock_in_turn(dir.path(), &mut || panic!("it waits for who runs"));
        let pid = Some(std::process::id());
        assert!(
            matches!(refused, Err(StoreError::Locked { pid: named, .. }) if named == pid),
            "{refused:?}"
        );
    }
}
