//! Files of the data folder: private, and either whole or absent.
//!
//! What: making folders 0700, opening files 0600, writing a file atomically. Why: one place for modes and syncs. Not
//! here: the database (`database`) and the quarantine's appending (`quarantine`).

use crate::error::StoreError;
use rustix::{
    fs::{CWD, RenameFlags},
    io::Errno,
};
use std::{
    fs::{DirBuilder, File, OpenOptions},
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    io::{self, ErrorKind, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
    sync::{Mutex, PoisonError},
};

/// Two writers of one name would share a temporary file; files are few, so one at a time in a folder is enough. Some folders share a lock.
static WRITING: [Mutex<()>; 16] = [const { Mutex::new(()) }; 16];

fn writing_in(dir: &Path) -> &'static Mutex<()> {
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(dir);
    let [first, ..] = &WRITING;
    let number = usize::try_from(hash % WRITING.len() as u64);
    number
        .ok()
        .and_then(|number| WRITING.get(number))
        .unwrap_or(first)
}

/// What becomes of a file that is there already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfExists {
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

/// Whether there is a file of that name; a disk that does not say so now is an error and no absence.
pub(crate) fn is_there(path: &Path) -> Result<bool, StoreError> {
    match std::fs::metadata(path) {
        Ok(meta) => Ok(meta.is_file()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(StoreError::file("look at", path)(error)),
    }
}

/// Makes what happened to names in a folder last.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), StoreError> {
    File::open(dir)
        .and_then(|d| d.sync_all())
        .map_err(StoreError::file("sync", dir))
}

/// Writes a file whole or not at all, with mode 0600; it is on disk when this returns.
///
/// Returns whether it was written: with [`IfExists::Keep`] a name that is taken is left alone.
pub(crate) fn write_atomic(
    dir: &Path,
    name: &str,
    bytes: &[u8],
    existing: IfExists,
) -> Result<bool, StoreError> {
    let _one_at_a_time = writing_in(dir).lock().unwrap_or_else(PoisonError::into_inner);
    let path = dir.join(name);
    let temp = match existing {
        IfExists::Replace => dir.join(format!(".{name}.tmp")),
        // Two processes may want to be the first: a key file lies where no folder's lock is.
        IfExists::Keep => dir.join(format!(".{name}.{}.tmp", std::process::id())),
    };
    let write = || {
        let mut file = private_file().write(true).truncate(true).open(&temp)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        let moved = match existing {
            IfExists::Replace => std::fs::rename(&temp, &path),
            IfExists::Keep => rename_new(&temp, &path),
        };
        match moved {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
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

/// Gives a file a name that nobody has, in one step where the file system can.
///
/// # Errors
/// `AlreadyExists` when somebody has it; both files are then as they were.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let flags = RenameFlags::NOREPLACE;
    rename_new_with(
        from,
        to,
        |from, to| rustix::fs::renameat_with(CWD, from, CWD, to, flags),
        |from, to| std::fs::hard_link(from, to),
    )
}

/// The same over two ways of a file system: NFS, FUSE and some others know no rename that replaces nothing, a few of them no second
/// name either.
fn rename_new_with(
    from: &Path,
    to: &Path,
    rename: impl FnOnce(&Path, &Path) -> rustix::io::Result<()>,
    link: impl FnOnce(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    match rename(from, to) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
        done => return done.map_err(io::Error::from),
    }
    match link(from, to) {
        Ok(()) => return std::fs::remove_file(from),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
        Err(_) => {}
    }
    // The name is taken first; what then replaces the empty file replaces one of our own.
    private_file().create_new(true).write(true).open(to)?;
    std::fs::rename(from, to)
}

/// Overwrites a file, then removes it. A missing file is no error. Copies inside the storage device are out of reach.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a file system can do.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Can {
        Rename,
        Link,
        Neither,
    }

    #[test]
    fn a_new_name_is_given_once_on_every_file_system() {
        for can in [Can::Rename, Can::Link, Can::Neither] {
            let dir = tempfile::tempdir().unwrap();
            let (from, to) = (dir.path().join("from"), dir.path().join("to"));
            let give = || {
                rename_new_with(
                    &from,
                    &to,
                    |from, to| match can {
                        Can::Rename => rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE),
                        Can::Link => Err(Errno::INVAL),
                        Can::Neither => Err(Errno::NOSYS),
                    },
                    |from, to| match can {
                        Can::Rename | Can::Link => std::fs::hard_link(from, to),
                        Can::Neither => Err(Errno::PERM.into()),
                    },
                )
            };
            std::fs::write(&from, "first").unwrap();
            give().unwrap();
            assert_eq!(
                (std::fs::read_to_string(&to).unwrap(), from.exists()),
                ("first".to_owned(), false)
            );
            std::fs::write(&from, "second").unwrap();
            let refused = give().unwrap_err().kind();
            assert_eq!(refused, ErrorKind::AlreadyExists, "{can:?}");
            let both = [&to, &from].map(|path| std::fs::read_to_string(path).unwrap());
            assert_eq!(both, ["first", "second"], "{can:?}");
        }
    }
}
