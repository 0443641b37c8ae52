//! A folder that opens with a passphrase, until its owner comes.
//!
//! What: [`wait_for_passphrase`], which serves one page under her names. Why: a host starts without anybody at a terminal, and a passphrase is
//! kept nowhere. Not here: the page (`surfaces`), what a passphrase opens (`aura_memory::vault`).

use super::owner_folders::OwnerName;
use crate::{
    config::HomeConfig,
    control::{self, ControlHandler, ControlReply, ControlRequest, ProgressSender, ShutdownSignals},
    service::{HostLink, ServiceError, TenantNews},
};
use aura_memory::{
    StoreError, Vault,
    vault::{KeyPrompt, Passphrase},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use surfaces::{
    backend::{BackendError, BackendFuture, backups::BackupPassphrase},
    web::{UnlockFolder, UnlockReply},
};
use tokio::sync::{Semaphore, mpsc, watch};

/// Serves the page on which the owner types her passphrase; `None`: told to end before she came.
///
/// # Errors
/// The host cannot listen.
pub(super) fn wait_for_passphrase(
    dir: &Path,
    owner: &OwnerName,
    home: &HomeConfig,
    link: &HostLink,
) -> Result<Option<Vault>, ServiceError> {
    let name = owner.host_name();
    actix::System::new().block_on(async move {
        let mut names = home.web.names();
        names.insert(0, name.clone());
        link.tell(TenantNews::Named(names));
        link.tell(TenantNews::Locked);
        let connections = link.connections().await?;
        let (opened, mut vaults) = mpsc::unbounded_channel();
        let unlock = Arc::new(FolderUnlock {
            dir: dir.to_owned(),
            tries: Arc::new(Semaphore::new(1)),
            opened,
        });
        let (stop, stopped) = watch::channel(false);
        let ends = ShutdownSignals::by_stop(stop.clone());
        let control = control::serve(link.control(), None, LockedHandler, ends);
        let mut page_stop = stopped.clone();
        let page_stop = async move {
            let _ = page_stop.wait_for(|stop| *stop).await;
        };
        let names = (name, home.web.names());
        let page = actix::spawn(surfaces::serve_locked(connections, names, unlock, page_stop));
        let mut stopped = stopped;
        let vault = tokio::select! {
            vault = vaults.recv() => vault,
            () = link.told_to_end() => None,
            _ = stopped.wait_for(|stop| *stop) => None,
        };
        // The answer to who unlocked it is sent before the page ends.
        let _ = stop.send(true);
        let _ = page.await;
        drop(control);
        Ok(vault)
    })
}

/// Opens the folder with a passphrase, one try after the other.
struct FolderUnlock {
    dir: PathBuf,
    tries: Arc<Semaphore>,
    opened: mpsc::UnboundedSender<Vault>,
}

impl UnlockFolder for FolderUnlock {
    fn unlock(&self, words: BackupPassphrase) -> BackendFuture<Result<UnlockReply, BackendError>> {
        let (dir, tries, opened) = (self.dir.clone(), Arc::clone(&self.tries), self.opened.clone());
        Box::pin(async move {
            let _one = tries.acquire().await.map_err(|_| BackendError::Stopping)?;
            let tried = tokio::task::spawn_blocking(move || Vault::open(&dir, &PagePassphrase(words)));
            match tried.await {
                Ok(Ok(vault)) => opened
                    .send(vault)
                    .map(|()| UnlockReply::Here)
                    .map_err(|_| BackendError::Stopping),
                Ok(Err(StoreError::WrongKey { .. })) => Ok(UnlockReply::Wrong),
                Ok(Err(error)) => {
                    tracing::error!(code = error.code(), "a folder could not be unlocked");
                    Err(BackendError::Store)
                }
                Err(_) => Err(BackendError::Store),
            }
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
        ControlReply::Busy(
            "the folder is locked: type its passphrase on the owner's page, then try again".to_owned(),
        )
    }
}
