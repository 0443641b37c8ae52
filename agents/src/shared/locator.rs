//! Where something was read.
//!
//! What: [`SourceLocator`], which stands in an agent's state beside an id. Why: no name is kept, so after a restart a name is read again where it
//! stands. Not here: finding the file (`files`), reading it (`mail`, each agent's own names).

use serde::{Deserialize, Serialize};

/// The largest whole number that every reader of JSON keeps exactly.
const EXACT_MAX: u64 = (1 << 53) - 1;

/// A file's number within its file system, and the bytes before the item in it. No path, no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SourceLocator(u64, u64);

impl SourceLocator {
    /// `None` for a file system with numbers that a state cannot hold: what was read there is not named after a restart.
    pub(crate) fn new(inode: u64, offset: u64) -> Option<Self> {
        (inode <= EXACT_MAX && offset <= EXACT_MAX).then_some(Self(inode, offset))
    }

    pub(crate) fn inode(self) -> u64 {
        self.0
    }

    pub(crate) fn offset(self) -> u64 {
        self.1
    }
}
