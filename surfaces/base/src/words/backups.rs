//! What is said of backups.
//!
//! What: the section of the page Settings. Not here: copies to take along (`memory_page`).

use crate::backend::backups::{BackupRhythm, BackupStage};
use crate::language::{Text, say, text};

/// Heading of the section.
pub const BACKUPS: Text = Text("backups-backups");
/// What it is.
pub const BACKUPS_SAY: Text = Text("backups-backups-say");
/// There is none.
pub const BACKUP_NONE: Text = Text("backups-backup-none");
/// The file is gone.
pub const BACKUP_GONE: Text = Text("backups-backup-gone");
/// It was never tried.
pub const BACKUP_UNTRIED: Text = Text("backups-backup-untried");
/// The field of the folder.
pub const BACKUP_FOLDER: Text = Text("backups-backup-folder");
/// What a good one is.
pub const BACKUP_FOLDER_MEANS: Text = Text("backups-backup-folder-means");
/// The field of the passphrase.
pub const BACKUP_PASSPHRASE: Text = Text("backups-backup-passphrase");
/// The same once more.
pub const BACKUP_REPEATED: Text = Text("backups-backup-repeated");
/// What happens to it.
pub const BACKUP_PASSPHRASE_MEANS: Text = Text("backups-backup-passphrase-means");
/// Begins it.
pub const BACKUP_MAKE: Text = Text("backups-backup-make");
/// Tries one.
pub const BACKUP_TRY: Text = Text("backups-backup-try");
/// What that does.
pub const BACKUP_TRY_MEANS: Text = Text("backups-backup-try-means");
/// The two are not the same.
pub const BACKUP_NOT_SAME: Text = Text("backups-backup-not-same");
/// Why it cannot be made here.
pub const BACKUP_NOT_HERE: Text = Text("backups-backup-not-here");

/// The last one.
pub fn backup_last(when: &str, place: &str, bytes: u64) -> String {
    say!(
        "backups-backup-last",
        when,
        value = bytes.div_ceil(1_000_000),
        place
    )
}

/// When it was tried.
pub fn backup_tried(when: &str) -> String {
    say!("backups-backup-tried", when)
}

/// How far something is.
pub fn backup_stage(stage: &BackupStage) -> String {
    match stage {
        BackupStage::Making(..) => text("backups-backup-stage-i-am-writing").to_owned(),
        BackupStage::Trying(..) => text("backups-backup-stage-i-am-bringing").to_owned(),
        BackupStage::Made => text("backups-backup-stage-the-backup-is").to_owned(),
        BackupStage::Tried(files) => {
            say!("backups-backup-stage-it-can-be", files = *files)
        }
        BackupStage::NoFolder => text("backups-backup-stage-there-is-no").to_owned(),
        BackupStage::WrongPassphrase => text("backups-backup-stage-that-is-not").to_owned(),
        BackupStage::Failed(_) => text("backups-backup-stage-that-did-not").to_owned(),
    }
}

/// Whether more are to be made, and what is then done.
pub const BACKUP_AGAIN: Text = Text("backups-again");
pub const BACKUP_AGAIN_MEANS: Text = Text("backups-again-means");
pub const BACKUP_END: Text = Text("backups-end");

pub fn backup_rhythm(rhythm: BackupRhythm) -> Text {
    match rhythm {
        BackupRhythm::Once => Text("backups-once"),
        BackupRhythm::Daily => Text("backups-daily"),
        BackupRhythm::Weekly => Text("backups-weekly"),
        BackupRhythm::Monthly => Text("backups-monthly"),
    }
}

/// What is made by itself, and when next.
pub fn backup_planned(rhythm: BackupRhythm, place: &str, next: &str) -> String {
    let often = backup_rhythm(rhythm).say();
    say!("backups-planned", often, place, next)
}

/// The last one was not made; `failed`: although its folder was there.
pub fn backup_missed(when: &str, failed: bool) -> String {
    if failed {
        say!("backups-missed-failed", when)
    } else {
        say!("backups-missed-folder", when)
    }
}
