//! Which catalogue a data folder was last used with.
//!
//! What: [`settle`] at every start, [`accept`] when a person says so. Why: prompts, traces and programs rely on the tools
//! of a catalogue, so a build in which one is gone or differs does not just go on; what is only new does, and what the release says it changed. Not here: what
//! differs (`toolcall_schema::catalogue::lock`), asking (`cli::catalogue`).

use aura_memory::{CommitError, RecoveredState, Store, StoreError};
use std::path::{Path, PathBuf};
use tokio::sync::oneshot;
use toolcall_schema::catalogue::{
    docs::catalogue_hash,
    lock::{CATALOGUE_LOCK, CatalogueDiff, CatalogueLock, LockError},
};

/// A catalogue that cannot be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// Somebody has to accept it.
    #[error(
        "CAT-001: tools that {dir} was last used with are gone or changed in this build: {tools}; look at them and accept \
         on the page of `aura run` or with `aura catalogue accept --data {dir}`, or start the build that was used before"
    )]
    NotAccepted {
        /// The data folder.
        dir: PathBuf,
        /// The tools, by their full names.
        tools: String,
    },
    /// The recorded lock is not one.
    #[error("CAT-002: the catalogue recorded in {dir} cannot be read; restore a copy of the folder")]
    Unreadable {
        /// The data folder.
        dir: PathBuf,
        /// What it is not.
        #[source]
        source: LockError,
    },
    /// It could not be recorded.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What differs from the catalogue that the folder was last used with, its hash and lock; `None` when none was recorded.
///
/// # Errors
/// [`CatalogueError::Unreadable`]
pub fn diff(
    dir: &Path,
    recorded: Option<&(String, String)>,
) -> Result<Option<CatalogueDiff>, CatalogueError> {
    let Some((hash, lock)) = recorded else {
        return Ok(None);
    };
    if hash == catalogue_hash() {
        return Ok(Some(CatalogueDiff::default()));
    }
    let read = |text: &str| {
        CatalogueLock::parse(text).map_err(|source| CatalogueError::Unreadable {
            dir: dir.to_owned(),
            source,
        })
    };
    Ok(Some(CatalogueDiff::between(&read(lock)?, &read(CATALOGUE_LOCK)?)))
}

/// At a start: records this build's catalogue when it is the first, or when nothing in it has to be accepted.
///
/// # Errors
/// [`CatalogueError`]
pub fn settle(dir: &Path, store: &Store, recovered: &RecoveredState) -> Result<(), CatalogueError> {
    let known = recovered.catalogue.as_ref().map(|(hash, _)| hash.as_str());
    if known == Some(catalogue_hash()) {
        return Ok(());
    }
    if let Some(diff) = diff(dir, recovered.catalogue.as_ref())? {
        let tools = diff.tools_to_accept();
        if !tools.is_empty() {
            return Err(CatalogueError::NotAccepted {
                dir: dir.to_owned(),
                tools: tools.join(", "),
            });
        }
        let reworded = diff.changed.iter().map(|change| change.tool.as_str());
        let reworded: Vec<&str> = reworded.collect();
        for row in &diff.released {
            tracing::info!(
                tool = row.tool,
                gone = row.new.is_none(),
                adr = row.adr,
                "this release changed a tool"
            );
        }
        tracing::info!(added = ?diff.added, ?reworded, "the catalogue is another one, nothing in it has to be accepted");
    }
    Ok(record(store)?)
}

fn record(store: &Store) -> Result<(), StoreError> {
    store.put_catalogue(catalogue_hash().to_owned(), CATALOGUE_LOCK.to_owned())
}

/// Records this build's catalogue as the one in force; the receiver hears when that is on disk.
///
/// # Errors
/// As [`Store::write`] and [`Store::commit`].
pub fn accept(store: &Store) -> Result<oneshot::Receiver<Result<(), CommitError>>, StoreError> {
    record(store)?;
    let (told, heard) = oneshot::channel();
    // The requester may be gone.
    store.commit(Box::new(move |result| drop(told.send(result))))?;
    Ok(heard)
}
