//! Backups that are asked for on a page, once or again and again.
//!
//! What: [`PageBackups`], which makes or tries one at a time on a thread of its own and says how far it is, and makes those that are due. Why: a folder may be large, and nobody waits for it on a
//! page. Not here: the file's form (`aura_memory::backup`).

use crate::with_cause::with_cause;
use aura_memory::{
    StoreError, StoreReader, Vault,
    backup::{self, BackupBox, BackupContents},
    backup_note::{self, BackupNote, BackupPlan, MissedBackup},
    vault::{KeyPrompt, NewPlace, Passphrase},
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};
use surfaces_base::backend::backups::{
    BackupPassphrase, BackupRhythm, BackupStage, BackupWish, BackupsView, LastBackup, PlannedBackups,
};
use tokio::sync::Notify;
use toolcall_schema::Timestamp;

/// So many of those that are made again and again are kept.
const KEPT: usize = 5;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What pages do with backups of a folder.
#[derive(Clone)]
pub struct PageBackups {
    vault: Vault,
    work: Arc<Mutex<Option<BackupStage>>>,
    /// When the plan may have changed.
    changed: Arc<Notify>,
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
        Self {
            vault,
            work: Arc::default(),
            changed: Arc::default(),
        }
    }

    fn work(&self) -> MutexGuard<'_, Option<BackupStage>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How they stand; `place` says a path as a page may. Blocks.
    pub(crate) fn view(&self, place: fn(&Path) -> String) -> BackupsView {
        let note = self.note();
        let last = note.as_ref().map(|note| LastBackup {
            at: note.at,
            place: place(&note.file),
            bytes: note.bytes,
            is_there: note.file.is_file(),
            tried: note.tried,
        });
        let plan = note.and_then(|note| {
            let next = due(&note)?;
            let BackupPlan {
                every_days,
                folder,
                missed,
                ..
            } = note.plan?;
            Some(PlannedBackups {
                rhythm: BackupRhythm::of_days(every_days),
                place: place(&folder),
                next,
                missed: missed.map(|missed| (missed.at, missed.why)),
            })
        });
        let work = self.work().clone();
        BackupsView { last, plan, work }
    }

    fn note(&self) -> Option<BackupNote> {
        backup_note::load_note(self.vault.dir())
    }

    /// When the next one is due; `None`: none is planned. Blocks.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        due(&self.note()?)
    }

    /// Resolves when the plan may have changed.
    pub(crate) async fn until_changed(&self) {
        self.changed.notified().await;
    }

    /// Makes the one that is due, and removes the oldest of its kind; what went wrong stands in the note. Blocks until it is over.
    pub(crate) fn make_due(&self, at: Timestamp) {
        let Some(BackupNote { plan: Some(plan), .. }) = self.note() else {
            return;
        };
        {
            let mut now = self.work();
            if now.as_ref().is_some_and(BackupStage::is_running) {
                return;
            }
            *now = Some(BackupStage::Making(0, 0));
        }
        let made = match self.usable(&plan.folder) {
            Some(folder) => self.make_in(&folder, &plan.sealed, Some(plan.clone()), at),
            None => Ok(BackupStage::NoFolder),
        };
        let stage = made.unwrap_or_else(|error| failed_stage(&error));
        let why = match &stage {
            BackupStage::Failed(why) => Some(why.clone()),
            BackupStage::Making(..)
            | BackupStage::Trying(..)
            | BackupStage::Made
            | BackupStage::Tried(_)
            | BackupStage::NoFolder
            | BackupStage::WrongPassphrase => None,
        };
        if stage != BackupStage::Made {
            self.note_missed(MissedBackup { at, why });
        }
        *self.work() = Some(stage);
    }

    fn note_missed(&self, missed: MissedBackup) {
        let Some(mut note) = self.note() else { return };
        if let Some(plan) = &mut note.plan {
            plan.missed = Some(missed);
        }
        if let Err(error) = backup_note::write_note(self.vault.dir(), &note) {
            tracing::warn!(code = error.code(), "it is not noted that a backup was missed");
        }
    }

    /// Makes no more by itself. Blocks.
    fn end_plan(&self) -> Result<(), StoreError> {
        if let Some(note) = self.note() {
            backup_note::write_note(self.vault.dir(), &BackupNote { plan: None, ..note })?;
        }
        self.changed.notify_one();
        Ok(())
    }

    /// Begins what is wished, unless something is under way. `folder` is where the owner's paths begin; `at`: now (wall clock). Blocks.
    pub(crate) fn begin(&self, wish: BackupWish, folder: impl Fn(&str) -> PathBuf, at: Timestamp) {
        if self.work().as_ref().is_some_and(BackupStage::is_running) {
            return;
        }
        let me = self.clone();
        match wish {
            BackupWish::End => {
                let ended = self.end_plan();
                *self.work() = ended.err().map(|error| failed_stage(&error));
            }
            BackupWish::Make(named, typed, rhythm) => {
                let Some(folder) = self.usable(&folder(&named)) else {
                    *self.work() = Some(BackupStage::NoFolder);
                    return;
                };
                self.spawn(BackupStage::Making(0, 0), move || {
                    me.make(&folder, passphrase(typed), rhythm, at)
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

    fn make(
        &self,
        folder: &Path,
        words: Passphrase,
        rhythm: BackupRhythm,
        at: Timestamp,
    ) -> Result<BackupStage, StoreError> {
        let sealed = BackupBox::close(&self.vault, &NewPlace::Passphrase(words))?;
        let Some(every_days) = rhythm.days() else {
            // One more beside those that are planned, which go on.
            let plan = self.note().and_then(|note| note.plan);
            return self.make_in(folder, &sealed, plan, at);
        };
        let plan = BackupPlan {
            every_days,
            folder: folder.to_owned(),
            sealed: sealed.clone(),
            made: Vec::new(),
            missed: None,
        };
        self.make_in(folder, &sealed, Some(plan), at)
    }

    fn make_in(
        &self,
        folder: &Path,
        sealed: &BackupBox,
        plan: Option<BackupPlan>,
        at: Timestamp,
    ) -> Result<BackupStage, StoreError> {
        let file = folder.join(format!("aura-{}.backup", at.utc().format("%Y-%m-%d-%H%M%S")));
        let mut tell = |done, of| *self.work() = Some(BackupStage::Making(done, of));
        backup::backup_with(&self.vault, &file, sealed, &mut tell)?;
        let (plan, too_many) = plan.map_or((None, Vec::new()), |plan| {
            let (plan, too_many) = with_one_more(plan, sealed, &file);
            (Some(plan), too_many)
        });
        let note = BackupNote {
            at,
            file: file.clone(),
            bytes: fs::metadata(&file).map_or(0, |meta| meta.len()),
            tried: None,
            plan,
        };
        // Without a note nobody would know of it.
        backup_note::write_note(self.vault.dir(), &note).inspect_err(|_| drop(fs::remove_file(&file)))?;
        for old in too_many {
            // Moved by its owner, maybe: then it is hers.
            let _ = fs::remove_file(old);
        }
        self.changed.notify_one();
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

/// When the next one is due.
fn due(note: &BackupNote) -> Option<Timestamp> {
    let plan = note.plan.as_ref()?;
    Some(note.at.plus_ms(i64::from(plan.every_days) * DAY_MS))
}

/// The plan with a file more, if it is one of its own, and those that are kept no longer.
fn with_one_more(mut plan: BackupPlan, sealed: &BackupBox, file: &Path) -> (BackupPlan, Vec<PathBuf>) {
    if plan.sealed != *sealed {
        return (plan, Vec::new());
    }
    plan.made.push(file.to_owned());
    plan.missed = None;
    let too_many = plan.made.len().saturating_sub(KEPT);
    let old = plan.made.drain(..too_many).collect();
    (plan, old)
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
        let make = || BackupWish::Make(String::new(), typed("a long passphrase"), BackupRhythm::Once);
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

    #[test]
    fn more_are_made_when_they_are_due_and_the_newest_five_are_kept() {
        let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let vault = Vault::ephemeral(dir.path()).unwrap();
        let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
        let backups = PageBackups::new(vault.clone());
        let place = |path: &Path| path.display().to_string();
        let folder = elsewhere.path().join("stick");
        fs::create_dir(&folder).unwrap();
        let made = || {
            let mut names: Vec<String> = fs::read_dir(&folder)
                .map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()))
                .unwrap()
                .collect();
            names.sort();
            names
        };
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let words = || typed("a long passphrase");
        assert_eq!(backups.next_due(), None);
        let weekly = BackupWish::Make(String::new(), words(), BackupRhythm::Weekly);
        assert_eq!(done(&backups, weekly, &folder), BackupStage::Made);
        assert_eq!(backups.next_due(), Some(at("2026-11-10T08:00:00Z")));
        // Six weeks: of the seven the two oldest are gone.
        for day in ["11-10", "11-17", "11-24", "12-01", "12-08", "12-15"] {
            backups.make_due(at(&format!("2026-{day}T08:00:00Z")));
        }
        let kept = ["11-17", "11-24", "12-01", "12-08", "12-15"];
        assert_eq!(made(), kept.map(|day| format!("aura-2026-{day}-080000.backup")));
        // The newest opens with the passphrase of the first.
        let tried = done(&backups, BackupWish::Try(words()), &folder);
        assert!(matches!(tried, BackupStage::Tried(_)), "{tried:?}");
        // One by hand is one more: it is never removed, and the others go on from it.
        let once = BackupWish::Make(String::new(), words(), BackupRhythm::Once);
        assert_eq!(done(&backups, once, elsewhere.path()), BackupStage::Made);
        assert_eq!(backups.next_due(), Some(at("2026-11-10T08:00:00Z")));
        // The disk is not connected: that is said, and nothing that is there goes.
        let away = elsewhere.path().join("away");
        fs::rename(&folder, &away).unwrap();
        backups.make_due(at("2026-12-22T08:00:00Z"));
        let plan = backups.view(place).plan.unwrap();
        assert_eq!(plan.missed, Some((at("2026-12-22T08:00:00Z"), None)));
        assert_eq!(fs::read_dir(&away).unwrap().count(), 5);
        fs::rename(&away, &folder).unwrap();
        backups.make_due(at("2026-12-22T09:00:00Z"));
        let plan = backups.view(place).plan.unwrap();
        assert_eq!((plan.missed, plan.next), (None, at("2026-12-29T09:00:00Z")));
        assert_eq!(made().len(), 5);
        backups.begin(BackupWish::End, |_| folder.clone(), at("2026-12-22T09:00:00Z"));
        assert_eq!((backups.next_due(), backups.view(place).plan), (None, None));
        drop(store);
    }
}
