//! A store made from its log alone.
//!
//! What: [`rebuild`]. Why: what another host has of an owner is the log; her data folder there is made from it. Not here: keys, which the folder has
//! already.

use crate::{
    log::{JournalLog, LogError, LogPosition},
    seal::{EntryCipher, SealError},
};
use aura_memory::{CommitError, Store, StoreError};

/// Why a store could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Seal(#[from] SealError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// Writes into a store what the entries after a position hold, `page` of them at a time, and gives the position of the last one. All of it is
/// committed then.
///
/// # Errors
/// What was written before an error stays: the store goes on after it or is made anew.
pub fn rebuild(
    log: &mut dyn JournalLog,
    cipher: &EntryCipher,
    store: &Store,
    after: LogPosition,
    page: usize,
) -> Result<LogPosition, RebuildError> {
    let mut reached = after;
    loop {
        let entries = log.tail(reached, page.max(1))?;
        let Some(last) = entries.last() else {
            return Ok(reached);
        };
        let position = last.position;
        for entry in &entries {
            let group = cipher.open_group(entry.position, &entry.entry)?;
            if store.is_behind() {
                store.commit_now()?;
            }
            store.write(group)?;
        }
        store.commit_now()?;
        reached = position;
    }
}
