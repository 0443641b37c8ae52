//! Backups that a page makes and tries.
//!
//! What: [`BackupBackend`], and what crosses it. Why: a backup that was never brought back is a hope. Not here: the file (the backend), sentences (`words`).

use super::{BackendError, BackendFuture};
use serde::Deserialize;
use std::fmt;
use toolcall_schema::Timestamp;

/// What the page needs from the rest of Aura.
pub trait BackupBackend: Send + Sync + 'static {
    /// How backups stand; `None`: not on this folder.
    fn backups(&self) -> BackendFuture<Result<Option<BackupsView>, BackendError>>;

    /// Begins one, or a trial of one. One thing at a time: what is under way goes on instead.
    fn begin_backup(&self, wish: BackupWish) -> BackendFuture<Result<Option<BackupsView>, BackendError>>;
}

/// A passphrase on its way. It is never printed.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct BackupPassphrase(pub String);

impl fmt::Debug for BackupPassphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BackupPassphrase(..)")
    }
}

/// What the owner wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupWish {
    /// A new file in this folder, which opens with this passphrase.
    Make(String, BackupPassphrase),
    /// The last one brought back to a place that is removed again.
    Try(BackupPassphrase),
}

/// How backups stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BackupsView {
    /// The last one that was made whole by a page of this installation.
    pub last: Option<LastBackup>,
    /// What is under way, or came of it last.
    pub work: Option<BackupStage>,
}

/// A backup that was made whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastBackup {
    pub at: Timestamp,
    /// Where it is, below the owner's folder: `~/Backups/…`.
    pub place: String,
    pub bytes: u64,
    /// Whether the file is still there.
    pub is_there: bool,
    /// When it was brought back last, as a trial.
    pub tried: Option<Timestamp>,
}

/// How far something is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupStage {
    /// Bytes so far of all.
    Making(u64, u64),
    Trying(u64, u64),
    Made,
    /// Files that came back.
    Tried(u64),
    NoFolder,
    WrongPassphrase,
    /// It did not work, and why, for who knows the program.
    Failed(String),
}

impl BackupStage {
    /// Whether it goes on.
    pub fn is_running(&self) -> bool {
        matches!(self, BackupStage::Making(..) | BackupStage::Trying(..))
    }
}
