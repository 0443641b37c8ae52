//! What the page asks about backups.
//!
//! What: [`BackupBackend`] for [`ServiceBackend`], and the loop that makes those that are due. Why: beside the owner's other questions (`owner`), in a file of its own. Not here: making and trying
//! (`crate::page_backups`).

use super::ServiceBackend;
use crate::settings::{from_home, place_of};
use aura_memory::audit::{Kind, Op};
use surfaces_base::backend::{
    BackendError, BackendFuture,
    backups::{BackupBackend, BackupWish, BackupsView},
};

/// After an attempt that came to nothing, the next one comes so much later: a disk may be connected by then.
const AGAIN_MS: i64 = 60 * 60 * 1000;

impl ServiceBackend {
    /// Makes the backups that are due, for as long as the service runs.
    pub(crate) async fn keep_backups(self) {
        let Some(backups) = self.backups.clone() else {
            return;
        };
        let mut not_before = None;
        loop {
            let asked = backups.clone();
            let Ok(due) = tokio::task::spawn_blocking(move || asked.next_due()).await else {
                return;
            };
            let now = self.clock.wall();
            let Some(due) = due.max(not_before.filter(|_| due.is_some())) else {
                backups.until_changed().await;
                continue;
            };
            if due > now {
                let at = self.clock.at().plus_ms(due.since(now));
                tokio::select! {
                    () = backups.until_changed() => not_before = None,
                    _ = self.clock.sleep_until(at) => {}
                }
                continue;
            }
            not_before = Some(now.plus_ms(AGAIN_MS));
            if let Err(error) = self.record_act(Op::Backup, Kind::Memory).await {
                tracing::warn!(%error, "a backup that is due waits: it cannot be recorded");
                continue;
            }
            let making = backups.clone();
            if tokio::task::spawn_blocking(move || making.make_due(now))
                .await
                .is_err()
            {
                return;
            }
        }
    }
}

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
