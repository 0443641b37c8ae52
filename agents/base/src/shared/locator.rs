//! Where something was read.
//!
//! What: [`SourceLocator`], which stands in an agent's state beside an id. Why: no name is kept, so after a restart a name is read again where it
//! stands. Not here: finding the file (`files`), reading it (`mail`, each agent's own names).

use serde::{Deserialize, Serialize};

/// The largest whole number that every reader of JSON keeps exactly.
const EXACT_MAX: u64 = (1 << 53) - 1;

/// From here on a number is of no file but of a folder of mail that was fetched: no file system counts so far.
const FETCHED: u64 = 1 << 52;

/// A file's number within its file system, and the bytes before the item in it; or the number of a folder of mail that was fetched from a server, and
/// the mail's UID there, which lie elsewhere after each start. No path, no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceLocator(u64, u64);

impl SourceLocator {
    /// `None` for a file system with numbers that a state cannot hold: what was read there is not named after a restart.
    pub fn new(inode: u64, offset: u64) -> Option<Self> {
        (inode <= EXACT_MAX && offset <= EXACT_MAX).then_some(Self(inode, offset))
    }

    /// Of a mail that was fetched. Of the folder's number the lower 52 bits count.
    pub fn fetched(folder: u64, uid: u32) -> Self {
        Self(FETCHED | (folder & (FETCHED - 1)), u64::from(uid))
    }

    /// The number of its folder, and its UID, where it was fetched.
    pub fn as_fetched(self) -> Option<(u64, u32)> {
        let uid = u32::try_from(self.1).ok().filter(|_| self.0 >= FETCHED)?;
        Some((self.0, uid))
    }

    /// What tells the file from others; of a mail that was fetched it is no file's.
    pub fn inode(self) -> u64 {
        self.0
    }

    /// The bytes before it in its file.
    pub fn offset(self) -> u64 {
        if self.0 >= FETCHED { 0 } else { self.1 }
    }
}
