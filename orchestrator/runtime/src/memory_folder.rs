//! Where files lie in memory and on no disk.
//!
//! What: [`memory_folder`]. Why: what is read by its path and must not be kept needs a path that is no disk's. Not here: what lies there
//! (`dropped_files`, `accounts`).

use rustix::fs::statfs;
use std::path::{Path, PathBuf};

/// The file systems that lie in memory (`statfs(2)`).
const TMPFS: u64 = 0x0102_1994;
const RAMFS: u64 = 0x8584_58f6;

/// A folder of the owner's session in memory, else the system's; `None`: there is none.
pub(crate) fn memory_folder() -> Option<PathBuf> {
    let own = aura_platform::user_folders::path_in("XDG_RUNTIME_DIR");
    own.into_iter()
        .chain([PathBuf::from("/dev/shm")])
        .find(|folder| is_in_memory(folder))
}

fn is_in_memory(folder: &Path) -> bool {
    let kind = statfs(folder)
        .ok()
        .and_then(|about| u64::try_from(about.f_type).ok());
    kind.is_some_and(|kind| kind == TMPFS || kind == RAMFS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_that_is_not_there_lies_in_no_memory() {
        assert!(!is_in_memory(Path::new("/nowhere")));
    }
}
