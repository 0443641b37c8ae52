//! A log as the store's writer is given it.
//!
//! What: [`open_with`], which makes of any [`JournalLog`] what a store follows. Why: the store knows neither sealing nor where a log is kept, and a log
//! knows nothing of a store. Not here: when something is appended (`aura-memory`).

use crate::{
    log::{AppendError, JournalLog, LogError, LogPosition, SealedEntry},
    seal::{EntryCipher, OwnerSubject, SealError},
};
use aura_memory::{LoggedWrites, OpenRemoteLog, RemoteLog, StoreError, StoreWrite, Vault};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// What the log has to take at least: what follows from one event may hold the states of agents, 1 MiB each as JSON within JSON.
pub const ENTRY_BYTES_MIN: usize = 4 << 20;

/// How a store opens the log of its owner, by her subject.
pub fn open_with<L, F>(open: F) -> OpenRemoteLog
where
    L: JournalLog + Send + 'static,
    F: Fn(&OwnerSubject) -> Result<L, LogError> + Send + Sync + 'static,
{
    Arc::new(move |vault: &Vault| {
        let cipher = EntryCipher::derive(vault.seed());
        let dir = vault.dir().to_owned();
        let log = open(cipher.subject()).map_err(|error| to_store_error(&dir, &error))?;
        if log.entry_bytes_max() < ENTRY_BYTES_MIN {
            let what = "the log takes no entries of 4 MiB: raise what its server takes (`max_payload: 8MB`)";
            return Err(StoreError::LogUnfit { dir, what });
        }
        Ok(Box::new(OwnerLog { log, cipher, dir }) as Box<dyn RemoteLog>)
    })
}

/// The log of one owner, sealed.
struct OwnerLog<L> {
    log: L,
    cipher: EntryCipher,
    dir: PathBuf,
}

impl<L: JournalLog + Send> RemoteLog for OwnerLog<L> {
    fn seal(&mut self, position: u64, writes: &[&StoreWrite]) -> Result<Vec<u8>, StoreError> {
        let sealed = self.cipher.seal_group(LogPosition::new(position), writes);
        let entry = sealed.map_err(|error| of_seal(&self.dir, &error))?;
        Ok(entry.into_bytes())
    }

    fn append(&mut self, position: u64, entry: &[u8]) -> Result<(), StoreError> {
        let expected = LogPosition::new(position.saturating_sub(1));
        let entry = SealedEntry::from_bytes(entry.to_vec());
        match self.log.append(expected, &entry) {
            Ok(_) => Ok(()),
            Err(error @ AppendError::Conflict { .. }) => {
                tracing::error!(%error, "the log refuses this host");
                Err(StoreError::Fenced)
            }
            Err(error @ AppendError::TooLarge { .. }) => {
                tracing::error!(%error, "the log does not take what is to be written");
                let what =
                    "what is to be written is larger than an entry may be: raise what the log's server takes";
                Err(unfit(&self.dir, what))
            }
            Err(AppendError::Log(error)) => Err(to_store_error(&self.dir, &error)),
        }
    }

    fn read_after(&mut self, position: u64, at_most: usize) -> Result<Vec<LoggedWrites>, StoreError> {
        let page = self.log.tail(LogPosition::new(position), at_most);
        let page = page.map_err(|error| to_store_error(&self.dir, &error))?;
        page.into_iter()
            .map(|entry| {
                let writes = self.cipher.open_group(entry.position, &entry.entry);
                Ok(LoggedWrites {
                    position: entry.position.number(),
                    writes: writes.map_err(|error| of_seal(&self.dir, &error))?,
                    sealed: entry.entry.into_bytes(),
                })
            })
            .collect()
    }
}

fn unfit(dir: &Path, what: &'static str) -> StoreError {
    StoreError::LogUnfit {
        dir: dir.to_owned(),
        what,
    }
}

/// What a store says of a log's error.
pub fn to_store_error(dir: &Path, error: &LogError) -> StoreError {
    tracing::warn!(%error, "the log outside this process");
    match error {
        LogError::Unavailable(_) => StoreError::LogAway,
        LogError::Damaged(_) => unfit(dir, "the log is damaged, or is no log of this kind"),
        LogError::Cut { .. } | LogError::NoSnapshot { .. } => {
            unfit(dir, "the log begins after what this folder holds")
        }
        LogError::Beyond { .. } => unfit(
            dir,
            "the log ends before what this folder holds: it is another one, or has lost what it had acknowledged",
        ),
    }
}

fn of_seal(dir: &Path, error: &SealError) -> StoreError {
    tracing::error!(%error, "the log outside this process");
    match error {
        SealError::Foreign(_) => unfit(dir, "the log was not sealed with this owner's key"),
        SealError::Unreadable(..) => unfit(dir, "a newer Aura wrote to the log: use that one"),
        SealError::Unwritable(_) | SealError::NoRandom(_) | SealError::TooLong => {
            unfit(dir, "what is to be written cannot be sealed")
        }
    }
}
