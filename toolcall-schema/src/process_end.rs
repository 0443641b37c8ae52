//! What ended a process.
//!
//! What: [`ProcessEndCause`]. Why: who starts processes and who shows them say the same. Not here: ending one (`aura_process::link`), how it is said
//! (`surfaces_base::words`).

/// What ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessEndCause {
    /// It could not be started.
    NotStarted,
    /// Its socket failed.
    SocketFailed,
    /// It ended by itself, or somebody ended it.
    Closed,
    /// It said nothing, or took nothing, for too long.
    Hung,
    /// Somebody stopped it.
    Stopped,
    /// It said that it cannot do its work; a code of ours.
    CannotWork(&'static str),
    /// It wrote something that is no frame, or not its turn; the code of that.
    BadFrame(&'static str),
}
