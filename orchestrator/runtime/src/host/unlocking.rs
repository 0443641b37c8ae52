//! A folder that opens with a passphrase, until its owner comes.
//!
//! What: [`wait_for_passphrase`], which serves one page under her names. Why: a host starts without anybody at a terminal, and a passphrase is
//! kept nowhere. Not here: the page (`surfaces`), what a passphrase opens (`aura_memory::vault`).

use super::owner_folders::OwnerName;
use crate::{
    config::HomeConfig,
    control::{self, ControlHandler, ControlReply, ControlRequest, ProgressSender, ShutdownSignals},
    service::{HostLink, ServiceError, TenantEvent},
};
use aura_memory::{
    StoreError, Vault,
    vault::{KeyPrompt, Passphrase},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use surfaces::web::{UnlockFolder, UnlockReply};
use surfaces_base::{
    backend::{BackendError, BackendFuture, backups::BackupPassphrase},
    language::text,
};
use tokio::sync::{Semaphore, mpsc, watch};

/// One passphrase is tried at a time in the whole process: each try takes 64 MiB.
#[derive(Clone)]
pub struct UnlockTries(Arc<Semaphore>);

impl Default for UnlockTries {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

impl UnlockTries {
    /// Runs a try in its turn, to its end also where nobody waits for it any more.
    ///
    /// # Errors
    /// The process ends, or the try panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        attempt: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, BackendError> {
        let turn = Arc::clone(&self.0).acquire_owned().await;
        let turn = turn.map_err(|_| BackendError::Stopping)?;
        let tried = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            attempt()
        });
        tried.await.map_err(|_| BackendError::Store)
    }
}

/// Serves the page on which the owner types her passphrase; `None`: told to end before she came.
///
/// # Errors
/// The page cannot be served.
pub(super) fn wait_for_passphrase(
    (dir, owner): (&Path, &OwnerName),
    home: &HomeConfig,
    tries: &UnlockTries,
    link: &HostLink,
) -> Result<Option<Vault>, ServiceError> {
    let names = owner.page_names(home.web.names());
    actix::System::new().block_on(async move {
        link.tell(TenantEvent::Named(names.clone()));
        link.tell(TenantEvent::Locked);
        let Some(connections) = link.connections().await else {
            return Ok(None);
        };
        // Her phone may come by this one alone. What cannot be listened for now is told at the start of her service.
        let outside = home.web.bind().await.unwrap_or_else(|error| {
            tracing::error!(%error, "other devices do not reach the page of a locked folder");
            None
        });
        link.tell(TenantEvent::Waiting(Some(
            "waits for the passphrase of a folder (WEB-031)",
        )));
        let (opened, mut vaults) = mpsc::unbounded_channel();
        let unlock = Arc::new(FolderUnlock {
            dir: dir.to_owned(),
            tries: tries.clone(),
            opened,
        });
        let (stop, stopped) = watch::channel(false);
        let ends = ShutdownSignals::stop_only(stop.clone());
        let control = control::serve(link.control(), None, LockedHandler, ends);
        let mut page_stop = stopped.clone();
        let page_stop = async move {
            let _ = page_stop.wait_for(|stop| *stop).await;
        };
        let page = actix::spawn(surfaces::serve_locked(
            connections,
            outside,
            names,
            unlock,
            page_stop,
        ));
        let mut stopped = stopped;
        let vault = tokio::select! {
            vault = vaults.recv() => vault,
            () = link.told_to_end() => None,
            _ = stopped.wait_for(|stop| *stop) => None,
        };
        link.tell(if vault.is_some() {
            TenantEvent::Unlocked
        } else {
            TenantEvent::Ending
        });
        // The answer to who unlocked it is sent before the page ends.
        let _ = stop.send(true);
        let _ = page.await;
        drop(control);
        Ok(vault)
    })
}

/// Opens the folder with a passphrase.
struct FolderUnlock {
    dir: PathBuf,
    tries: UnlockTries,
    opened: mpsc::UnboundedSender<Vault>,
}

impl UnlockFolder for FolderUnlock {
    fn unlock(&self, words: Option<BackupPassphrase>) -> BackendFuture<Result<UnlockReply, BackendError>> {
        let Some(words) = words else {
            return Box::pin(std::future::ready(Ok(UnlockReply::Wrong)));
        };
        let (dir, tries, opened) = (self.dir.clone(), self.tries.clone(), self.opened.clone());
        Box::pin(async move {
            // It is opened also where who typed it did not wait for the answer.
            let attempt = move || match Vault::open(&dir, &PagePassphrase(words)) {
                Ok(vault) => opened
                    .send(vault)
                    .map(|()| UnlockReply::Here)
                    .map_err(|_| BackendError::Stopping),
                Err(StoreError::WrongKey { .. }) => Ok(UnlockReply::Wrong),
                Err(error) => {
                    tracing::error!(code = error.code(), "a folder could not be unlocked");
                    Err(BackendError::Store)
                }
            };
            tries.run(attempt).await?
        })
    }
}

/// What was typed on the page.
struct PagePassphrase(BackupPassphrase);

impl KeyPrompt for PagePassphrase {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(Some(Passphrase::new(self.0.0.clone())))
    }

    fn key_file(&self) -> Option<&Path> {
        None
    }
}

/// Answers commands while the folder is locked.
#[derive(Clone)]
struct LockedHandler;

impl ControlHandler for LockedHandler {
    async fn answer(&self, _request: ControlRequest, _say: &ProgressSender) -> ControlReply {
        ControlReply::Busy(text("control-folder-locked").to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn a_try_that_nobody_waits_for_any_more_keeps_its_turn_until_it_ends() {
        let tries = UnlockTries::default();
        let (begun, has_begun) = oneshot::channel();
        let (go_on, goes_on) = channel::<()>();
        let first = tokio::spawn({
            let tries = tries.clone();
            async move {
                tries
                    .run(move || {
                        begun.send(()).unwrap();
                        goes_on.recv().unwrap();
                    })
                    .await
            }
        });
        has_begun.await.unwrap();
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        assert_eq!(tries.0.available_permits(), 0, "another owner's try waits");
        go_on.send(()).unwrap();
        assert!(tries.run(|| 7).await.is_ok_and(|answer| answer == 7));
    }
}
