//! What the page asks about backups.
//!
//! What: [`BackupBackend`] for [`ServiceBackend`]. Why: beside the owner's other questions (`owner`), in a file of its own. Not here: making and trying
//! (`crate::page_backups`).

use super::ServiceBackend;
use crate::settings::{from_home, place_of};
use aura_memory::audit::{Kind, Op};
use surfaces::backend::{
    BackendError, BackendFuture,
    backups::{BackupBackend, BackupWish, BackupsView},
};

impl BackupBackend for ServiceBackend {
    fn backups(&self) -> BackendFuture<Result<Option<BackupsView>, BackendError>> {
        let backups = self.backups.clone();
        Box::pin(async move {
            let Some(backups) = backups else { return Ok(None) };
            let view = tokio::task::spawn_blocking(move || backups.view(place_of)).await;
            view.map(Some).map_err(|_| BackendError::Stopping)
        })
    }

    fn begin_backup(&self, wish: BackupWish) -> BackendFuture<Result<Option<BackupsView>, BackendError>> {
        let me = self.clone();
        Box::pin(async move {
            let Some(backups) = me.backups.clone() else {
                return Ok(None);
            };
            let at = me.clock.wall();
            if matches!(wish, BackupWish::Make(..)) {
                me.record_act(Op::Backup, Kind::Memory).await?;
            }
            let begin = move || {
                backups.begin(wish, from_home, at);
                backups.view(place_of)
            };
            let view = tokio::task::spawn_blocking(begin).await;
            view.map(Some).map_err(|_| BackendError::Stopping)
        })
    }
}
