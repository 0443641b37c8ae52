//! What is said of backups.
//!
//! What: the section of the page Settings. Not here: copies to take along (`memory_page`).

use crate::backend::backups::BackupStage;

/// Heading of the section.
pub const BACKUPS: &str = "Backup";
/// What it is.
pub const BACKUPS_SAY: &str = "One sealed file with all that I keep. It opens with a passphrase of its own, on any computer. I make one only when you ask for it.";
/// There is none.
pub const BACKUP_NONE: &str = "No backup was made here yet.";
/// The file is gone.
pub const BACKUP_GONE: &str = "That file is not there now: moved, or on a disk that is not connected.";
/// It was never tried.
pub const BACKUP_UNTRIED: &str = "Not tried yet.";
/// The field of the folder.
pub const BACKUP_FOLDER: &str = "Folder, from your home folder (~) or with its whole path";
/// What a good one is.
pub const BACKUP_FOLDER_MEANS: &str = "Best on another disk than this computer's.";
/// The field of the passphrase.
pub const BACKUP_PASSPHRASE: &str = "Passphrase of the backup";
/// The same once more.
pub const BACKUP_REPEATED: &str = "The same once more";
/// What happens to it.
pub const BACKUP_PASSPHRASE_MEANS: &str =
    "At least twelve characters. I do not keep it. Without it nobody can open the file, not even I.";
/// Begins it.
pub const BACKUP_MAKE: &str = "Make a backup";
/// Tries one.
pub const BACKUP_TRY: &str = "Try to bring it back";
/// What that does.
pub const BACKUP_TRY_MEANS: &str =
    "Into a place of its own that is removed again. Nothing of what I keep now changes.";
/// The two are not the same.
pub const BACKUP_NOT_SAME: &str = "The two passphrases are not the same, or too short.";
/// Why it cannot be made here.
pub const BACKUP_NOT_HERE: &str = "A backup can be made and tried only in the browser that Aura itself has opened on this computer, within half an hour.";

/// The last one.
pub fn backup_last(when: &str, place: &str, bytes: u64) -> String {
    format!(
        "The last one is from {when}, {} MB: {place}",
        bytes.div_ceil(1_000_000)
    )
}

/// When it was tried.
pub fn backup_tried(when: &str) -> String {
    format!("Tried at {when}: all of it came back.")
}

/// How far something is.
pub fn backup_stage(stage: &BackupStage) -> String {
    match stage {
        BackupStage::Making(..) => "I am writing the backup.".to_owned(),
        BackupStage::Trying(..) => "I am bringing it back as a trial.".to_owned(),
        BackupStage::Made => {
            "The backup is written. Try it below, to be sure that it can be brought back.".to_owned()
        }
        BackupStage::Tried(files) => {
            format!("It can be brought back: {files} files came back, and their database is sound.")
        }
        BackupStage::NoFolder => {
            "There is no such folder, or it is my own: name another one that is there.".to_owned()
        }
        BackupStage::WrongPassphrase => "That is not the passphrase of this backup.".to_owned(),
        BackupStage::Failed(_) => "That did not work. What I keep is as it was.".to_owned(),
    }
}
