//! What programs said and was refused.
//!
//! What: [`MessageQuarantine`], which appends to the file of [`QuarantineKind::Messages`] under a lock of its own. Why: commands run programs beside a
//! running service, so this one file has several writers. Not here: the other kinds, whose one writer is the service (`writer`).

use super::{
    PurgeCounts, QuarantineEntry, QuarantineKind, QuarantineLimits, file_path, folder, line_file::LineFile,
    parts, purge, purge::PurgeTask,
};
use crate::{error::StoreError, files};
use std::{
    fs::File,
    path::{Path, PathBuf},
};
use toolcall_schema::{Timestamp, gate, protocol::manifest::Protocol, rejection::RefusalReason};

/// How much of a message is kept, in bytes. Hash and length are those of the whole.
pub const SAID_MAX_BYTES: usize = 64 << 10;

/// Where what programs said is kept. Any number of processes may hold one for the same folder.
#[derive(Debug, Clone)]
pub struct MessageQuarantine {
    data_dir: PathBuf,
    limits: QuarantineLimits,
}

impl MessageQuarantine {
    /// Of a data folder; nothing is opened yet.
    pub fn new(data_dir: PathBuf) -> Self {
        Self {
            data_dir,
            limits: QuarantineLimits::DEFAULT,
        }
    }

    /// Keeps what a program said; on disk when this returns. `program`: its manifest's name.
    ///
    /// # Errors
    /// STORE-007 when it cannot be written.
    pub fn keep(
        &self,
        ts: Timestamp,
        (program, protocol): (&str, Protocol),
        why: RefusalReason,
        said: &[u8],
    ) -> Result<(), StoreError> {
        let end = match std::str::from_utf8(said) {
            Ok(text) => text.floor_char_boundary(SAID_MAX_BYTES),
            Err(_) => said.len().min(SAID_MAX_BYTES),
        };
        let entry = QuarantineEntry {
            program: Some(program.to_owned()),
            protocol: Some(protocol),
            ..QuarantineEntry::new(ts, why, gate::catalogue_hash(), said)
        };
        let entry = entry.showing(said.get(..end).unwrap_or_default());
        let path = file_path(QuarantineKind::Messages, &self.data_dir);
        let line =
            serde_json::to_vec(&entry).map_err(|error| StoreError::file("write", &path)(error.into()))?;

        files::private_dir(&folder(&self.data_dir))?;
        let _held = hold(&self.data_dir)?;
        let mut file = open(&path)?;
        if file.len() > 0 && file.len() + line.len() as u64 >= self.limits.part_bytes {
            parts::seal(&self.data_dir, QuarantineKind::Messages, 0)?;
            file = open(&path)?;
        }
        file.append(&line).map_err(StoreError::file("write", &path))?;
        file.sync().map_err(StoreError::file("sync", &path))?;
        files::sync_dir(&folder(&self.data_dir))
    }
}

/// Purges the kind, whoever writes to it: they wait.
pub(super) fn purge(data_dir: &Path, task: &PurgeTask) -> Result<PurgeCounts, StoreError> {
    if !folder(data_dir).is_dir() {
        return Ok(PurgeCounts::default());
    }
    let _held = hold(data_dir)?;
    if !task.dry && purge::current_has_old(data_dir, QuarantineKind::Messages, &task.expired)? {
        // Sets an unfinished last line aside: only whole lines are sealed.
        open(&file_path(QuarantineKind::Messages, data_dir))?;
        parts::seal(data_dir, QuarantineKind::Messages, 0)?;
    }
    purge::sealed_files(data_dir, QuarantineKind::Messages, task)
}

fn open(path: &Path) -> Result<LineFile, StoreError> {
    LineFile::open(path).map_err(StoreError::file("open", path))
}

/// Waits until nobody else writes to the kind's files; they may again when this is dropped, or this process ends.
pub(super) fn hold(data_dir: &Path) -> Result<File, StoreError> {
    let path = folder(data_dir).join(".quarantine_messages.lock");
    let file = files::private_file().write(true).truncate(false).open(&path);
    let file = file.map_err(StoreError::file("open", &path))?;
    file.lock().map_err(StoreError::file("lock", &path))?;
    Ok(file)
}
