//! The last backup that was made whole, when it was brought back as a trial, and when the next one is due.
//!
//! What: the file `last-backup` of a data folder. Why: the audit log says that one was begun; its owner wants to know that it was finished. Not here: the
//! backup (`backup`).

use crate::{
    backup::BackupBox,
    error::StoreError,
    files::{IfExists, write_atomic},
};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::{Path, PathBuf},
};
use toolcall_schema::Timestamp;

const NAME: &str = "last-backup";

/// A backup that was made whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupNote {
    pub at: Timestamp,
    pub file: PathBuf,
    /// Of the file.
    pub bytes: u64,
    /// When it was brought back as a trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<Timestamp>,
    /// How more are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<BackupPlan>,
}

/// Backups that are made again and again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupPlan {
    /// Days from the last one to the next.
    pub every_days: u32,
    pub folder: PathBuf,
    /// What each begins with: they open with the passphrase of the first, which is kept nowhere.
    pub sealed: BackupBox,
    /// Those that are still kept, the newest last.
    pub made: Vec<PathBuf>,
    /// The last attempt, where it came to nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<MissedBackup>,
}

/// A backup that was due and not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MissedBackup {
    pub at: Timestamp,
    /// What went wrong; absent: the folder was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What is noted; `None`: nothing, or nothing that can be read.
pub fn load_note(data: &Path) -> Option<BackupNote> {
    let text = fs::read(data.join(NAME)).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Notes it.
///
/// # Errors
/// STORE-007.
pub fn write_note(data: &Path, note: &BackupNote) -> Result<(), StoreError> {
    // Numbers and a path: where that is no text, the note is empty and says nothing.
    let text = serde_json::to_vec(note).unwrap_or_default();
    write_atomic(data, NAME, &text, IfExists::Replace)?;
    Ok(())
}
