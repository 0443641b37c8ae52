//! The double's backups.
//!
//! What: one that was made and not tried; what is asked for is noted, without its passphrase. Not here: any claim.

use crate::morning::{Double, ts};
use surfaces_base::backend::{
    BackendError, BackendFuture,
    backups::{
        BackupBackend, BackupRhythm, BackupStage, BackupWish, BackupsView, LastBackup, PlannedBackups,
    },
};

fn view(work: Option<BackupStage>) -> BackupsView {
    BackupsView {
        last: Some(LastBackup {
            at: ts("2026-11-02T15:00:00Z"),
            place: "~/Backups/aura-2026-11-02.backup".to_owned(),
            bytes: 2_300_000,
            is_there: true,
            tried: None,
        }),
        plan: Some(PlannedBackups {
            rhythm: BackupRhythm::Weekly,
            place: "~/Backups".to_owned(),
            next: ts("2026-11-09T15:00:00Z"),
            missed: None,
        }),
        work,
    }
}

impl BackupBackend for Double {
    fn backups(&self) -> BackendFuture<Result<Option<BackupsView>, BackendError>> {
        Self::ready(Some(view(None)))
    }

    fn begin_backup(&self, wish: BackupWish) -> BackendFuture<Result<Option<BackupsView>, BackendError>> {
        self.note(format!("backup {wish:?}"));
        let stage = match wish {
            BackupWish::Make(..) => BackupStage::Making(500_000, 1_000_000),
            BackupWish::End => BackupStage::Made,
            BackupWish::Try(_) => BackupStage::WrongPassphrase,
        };
        Self::ready(Some(view(Some(stage))))
    }
}
