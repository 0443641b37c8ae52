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
    /// A new file in this folder, which opens with this passphrase, and more of it so often.
    Make(String, BackupPassphrase, BackupRhythm),
    /// No more are made by themselves.
    End,
    /// The last one brought back to a place that is removed again.
    Try(BackupPassphrase),
}

/// How often backups are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BackupRhythm {
    #[default]
    Once,
    Daily,
    Weekly,
    Monthly,
}

impl BackupRhythm {
    /// Days from one to the next.
    pub fn days(self) -> Option<u32> {
        match self {
            BackupRhythm::Once => None,
            BackupRhythm::Daily => Some(1),
            BackupRhythm::Weekly => Some(7),
            BackupRhythm::Monthly => Some(30),
        }
    }

    /// The one that comes nearest.
    pub fn of_days(days: u32) -> Self {
        match days {
            0 | 1 => BackupRhythm::Daily,
            2..=14 => BackupRhythm::Weekly,
            _ => BackupRhythm::Monthly,
        }
    }
}

/// Backups that are made by themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedBackups {
    pub rhythm: BackupRhythm,
    /// The folder, as [`LastBackup::place`].
    pub place: String,
    /// When the next one is due.
    pub next: Timestamp,
    /// When the last one could not be made, and why, for who knows the program; without: the folder was not there.
    pub missed: Option<(Timestamp, Option<String>)>,
}

/// How backups stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BackupsView {
    /// The last one that was made whole by a page of this installation.
    pub last: Option<LastBackup>,
    /// Those that are made by themselves.
    pub plan: Option<PlannedBackups>,
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
