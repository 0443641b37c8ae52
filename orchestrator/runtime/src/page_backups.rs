//! Backups that are asked for on a page.
//!
//! What: [`PageBackups`], which makes or tries one at a time on a thread of its own and says how far it is. Why: a folder may be large, and nobody waits for it on a
//! page. Not here: the file's form (`aura_memory::backup`).

use crate::with_cause::with_cause;
use aura_memory::{
    StoreError, StoreReader, Vault,
    backup::{self, BackupContents},
    backup_note::{self, BackupNote},
    vault::{KeyPrompt, NewPlace, Passphrase},
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};
use surfaces::backend::backups::{BackupPassphrase, BackupStage, BackupWish, BackupsView, LastBackup};
use toolcall_schema::Timestamp;

/// What pages do with backups of a folder.
#[derive(Clone)]
pub struct PageBackups {
    vault: Vault,
    work: Arc<Mutex<Option<BackupStage>>>,
}

/// The passphrase that was typed.
struct TypedPassphrase(Passphrase);

impl KeyPrompt for TypedPassphrase {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(Some(self.0.clone()))
    }

    fn key_file(&self) -> Option<&Path> {
        None
    }
}

fn passphrase(typed: BackupPassphrase) -> Passphrase {
    Passphrase::new(typed.0)
}

impl PageBackups {
    pub(crate) fn new(vault: Vault) -> Self {
        let work = Arc::default();
        Self { vault, work }
    }

    fn work(&self) -> MutexGuard<'_, Option<BackupStage>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How they stand; `place` says a path as a page may. Blocks.
    pub(crate) fn view(&self, place: fn(&Path) -> String) -> BackupsView {
        let last = backup_note::load_note(self.vault.dir()).map(|note| LastBackup {
            at: note.at,
            place: place(&note.file),
            bytes: note.bytes,
            is_there: note.file.is_file(),
            tried: note.tried,
        });
        let work = self.work().clone();
        BackupsView { last, work }
    }

    /// Begins what is wished, unless something is under way. `folder` is where the owner's paths begin; `at`: now (wall clock). Blocks.
    pub(crate) fn begin(&self, wish: BackupWish, folder: impl Fn(&str) -> PathBuf, at: Timestamp) {
        if self.work().as_ref().is_some_and(BackupStage::is_running) {
            return;
        }
        let me = self.clone();
        match wish {
            BackupWish::Make(named, typed) => {
                let Some(folder) = self.usable(&folder(&named)) else {
                    *self.work() = Some(BackupStage::NoFolder);
                    return;
                };
                let file = folder.join(format!("aura-{}.backup", at.utc().format("%Y-%m-%d-%H%M%S")));
                self.spawn(BackupStage::Making(0, 0), move || {
                    me.make(&file, passphrase(typed), at)
                });
            }
            BackupWish::Try(typed) => {
                self.spawn(BackupStage::Trying(0, 0), move || {
                    me.try_it(passphrase(typed), at)
                });
            }
        }
    }

    /// The folder, where it is one by its whole path and not the data folder or in it.
    fn usable(&self, folder: &Path) -> Option<PathBuf> {
        let whole = Some(folder).filter(|folder| folder.is_absolute())?;
        let real = fs::canonicalize(whole).ok().filter(|real| real.is_dir())?;
        let data = fs::canonicalize(self.vault.dir()).ok()?;
        (!real.starts_with(data)).then_some(real)
    }

    fn spawn(
        &self,
        begins: BackupStage,
        work: impl FnOnce() -> Result<BackupStage, StoreError> + Send + 'static,
    ) {
        {
            let mut now = self.work();
            if now.as_ref().is_some_and(BackupStage::is_running) {
                return;
            }
            *now = Some(begins);
        }
        let me = self.clone();
        let started = thread::Builder::new().name("backup".to_owned()).spawn(move || {
            let stage = work().unwrap_or_else(|error| failed_stage(&error));
            *me.work() = Some(stage);
        });
        if started.is_err() {
            *self.work() = Some(BackupStage::Failed("there is no thread for it".to_owned()));
        }
    }

    fn make(&self, file: &Path, words: Passphrase, at: Timestamp) -> Result<BackupStage, StoreError> {
        let mut tell = |done, of| *self.work() = Some(BackupStage::Making(done, of));
        backup::backup(&self.vault, file, &NewPlace::Passphrase(words), &mut tell)?;
        let note = BackupNote {
            at,
            file: file.to_owned(),
            bytes: fs::metadata(file).map_or(0, |meta| meta.len()),
            tried: None,
        };
        // Without a note nobody would know of it.
        backup_note::write_note(self.vault.dir(), &note).inspect_err(|_| drop(fs::remove_file(file)))?;
        Ok(BackupStage::Made)
    }

    /// Brings the last one back into a temporary folder, sealed with its passphrase, reads it, and removes it again.
    fn try_it(&self, words: Passphrase, at: Timestamp) -> Result<BackupStage, StoreError> {
        let Some(note) = backup_note::load_note(self.vault.dir()) else {
            return Ok(BackupStage::Failed("no backup is noted".to_owned()));
        };
        let Ok(room) = tempfile::tempdir() else {
            return Ok(BackupStage::Failed("there is no room for a trial".to_owned()));
        };
        let (ask, dir) = (TypedPassphrase(words.clone()), room.path().join("data"));
        let mut tell = |done, of| *self.work() = Some(BackupStage::Trying(done, of));
        let BackupContents { files, .. } =
            backup::restore(&note.file, &ask, &dir, &NewPlace::Passphrase(words), &mut tell)?;
        let vault = Vault::open(&dir, &ask)?;
        if let Some(what) = StoreReader::open(&vault)?.damage()? {
            return Ok(BackupStage::Failed(what));
        }
        let tried = Some(at);
        backup_note::write_note(self.vault.dir(), &BackupNote { tried, ..note })?;
        Ok(BackupStage::Tried(files))
    }
}

fn failed_stage(error: &StoreError) -> BackupStage {
    if error.code() == "STORE-012" {
        return BackupStage::WrongPassphrase;
    }
    BackupStage::Failed(with_cause(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_memory::{Store, StoreOptions};

    fn typed(words: &str) -> BackupPassphrase {
        BackupPassphrase(words.to_owned())
    }

    /// Begins, and waits until it is over.
    fn done(backups: &PageBackups, wish: BackupWish, folder: &Path) -> BackupStage {
        let at = Timestamp::parse("2026-11-03T08:00:00Z").unwrap();
        backups.begin(wish, |_| folder.to_owned(), at);
        loop {
            let stage = backups.work().clone().unwrap();
            if !stage.is_running() {
                return stage;
            }
            thread::yield_now();
        }
    }

    #[test]
    fn backup_is_made_tried_and_noted_and_only_its_own_passphrase_opens_it() {
        let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let vault = Vault::ephemeral(dir.path()).unwrap();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        let backups = PageBackups::new(vault.clone());
        let place = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(backups.view(place).last, None);
        let make = || BackupWish::Make(String::new(), typed("a long passphrase"));
        // In the data folder itself, where no folder is, and where the service happens to work.
        for folder in [
            dir.path().to_owned(),
            elsewhere.path().join("none"),
            PathBuf::from("."),
        ] {
            assert_eq!(done(&backups, make(), &folder), BackupStage::NoFolder);
        }
        assert_eq!(done(&backups, make(), elsewhere.path()), BackupStage::Made);
        let last = backups.view(place).last.unwrap();
        assert_eq!(last.place, "aura-2026-11-03-080000.backup");
        assert!(
            last.is_there && last.bytes > 0 && last.tried.is_none(),
            "{last:?}"
        );
        let wrong = BackupWish::Try(typed("another passphrase"));
        assert_eq!(
            done(&backups, wrong, elsewhere.path()),
            BackupStage::WrongPassphrase
        );
        assert_eq!(backups.view(place).last.unwrap().tried, None);
        let right = BackupWish::Try(typed("a long passphrase"));
        let tried = done(&backups, right, elsewhere.path());
        assert!(
            matches!(tried, BackupStage::Tried(files) if files > 0),
            "{tried:?}"
        );
        assert!(backups.view(place).last.unwrap().tried.is_some());
        // Nothing but the backup is left beside it.
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
        drop(store);
    }
}
