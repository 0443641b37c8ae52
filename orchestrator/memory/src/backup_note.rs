//! The last backup that was made whole, and when it was brought back as a trial.
//!
//! What: the file `last-backup` of a data folder. Why: the audit log says that one was begun; its owner wants to know that it was finished. Not here: the
//! backup (`backup`).

use crate::{
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
