//! What a run of a workflow asks its owner.

use crate::time::Timestamp;
use serde::Serialize;
use std::fmt;

/// The longest answer to a question, in bytes: it fits into a note.
pub const ANSWER_MAX_BYTES: usize = 1900;

/// A question to the owner.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct OwnerQuestion {
    /// The step or group that has it.
    pub step: String,
    /// What happened.
    pub summary: String,
    /// What else was said.
    pub notes: Vec<String>,
    /// It can be answered before this.
    pub until: Timestamp,
    /// Whether the owner was told.
    pub announced: bool,
    /// Whether the owner put the announcement away.
    pub dismissed: bool,
}

/// Without what a program said: that is never logged.
impl fmt::Debug for OwnerQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnerQuestion")
            .field("step", &self.step)
            .field("until", &self.until)
            .finish_non_exhaustive()
    }
}
