//! Writing a file of a host's own.
//!
//! What: [`write_private`], whole or not at all. Why: a key, and what was taken with it, must survive a loss of power, and be nobody else's. Not here: files
//! in an owner's folder (`aura-memory`).

use aura_memory::rename_new;
use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
    process,
};

/// What becomes of a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    Keep,
    Replace,
}

/// Writes a file with mode 0600, and its folder where there is none; on disk when this returns. Gives whether it was written: one that is kept is as it was.
///
/// # Errors
/// It cannot be written.
pub fn write_private(file: &Path, bytes: &[u8], existing: ExistingFile) -> io::Result<bool> {
    let folder = file.parent().unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut part = file.as_os_str().to_owned();
    part.push(format!(".{}.part", process::id()));
    let part = Path::new(&part);
    let moved = write_part(part, bytes).and_then(|()| match existing {
        ExistingFile::Keep => rename_new(part, file),
        ExistingFile::Replace => fs::rename(part, file),
    });
    let is_written = match moved {
        Ok(()) => true,
        Err(error) => {
            // Nothing is left of an attempt; that it cannot be removed adds nothing to the first error.
            let _ = fs::remove_file(part);
            if existing == ExistingFile::Replace || error.kind() != io::ErrorKind::AlreadyExists {
                return Err(error);
            }
            false
        }
    };
    File::open(folder)?.sync_all()?;
    Ok(is_written)
}

fn write_part(part: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut open = OpenOptions::new();
    let mut written = open
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(part)?;
    written.write_all(bytes)?;
    written.sync_all()
}
