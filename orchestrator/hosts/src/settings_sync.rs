//! Settings that go along with their owner.
//!
//! What: [`SettingsSync`], which keeps the `home.toml`, the `policy.toml` and the pause of every owner of this host as they are with the others, and
//! destroys the folder of one who was removed. Why: what an owner says on one host holds on all, also on one that has not got her. Not here: how a record
//! is sealed (`aura_hosts::OwnerRecord`), who serves her (`placement`).
//!
//! The newest is what was put last, in the log's order. A host that finds something newer there takes it, in place of what was changed here meanwhile.

use aura_hosts::{
    ExistingFile, KeyCipher, LogError, LogRoots, OwnerRecord, RecordStore, SealedRecord, to_store_error,
    write_private,
};
use aura_memory::{
    StoreError, Vault,
    vault::{self, KeyPlace, NoPrompt, VaultStatus},
    wipe,
};
use aura_runtime::{
    config::HomeConfig,
    control::{ControlRequest, ask, ask_holder, host_folder},
    host::owner_folders::{OwnerFolders, OwnerName},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};
use toolcall_schema::ids::sha256_hex;

/// How often files and records are looked at.
const LOOK: Duration = Duration::from_secs(1);
/// How often another host may be faster before it is left for the next look.
const TRIES: u32 = 3;
/// In which files an owner's settings are, and by which one she is paused.
const HOME: &str = "home.toml";
const POLICY: &str = "policy.toml";
const KEY_BOX: &str = "key";
const FILES: [&str; 3] = [HOME, POLICY, "paused"];

/// How the records are opened; asked again when they are away.
pub(crate) type OpenRecords = Box<dyn Fn() -> Result<Box<dyn RecordStore>, LogError> + Send + Sync>;

/// Why an owner's settings are not as they are with the others.
#[derive(Debug, thiserror::Error)]
enum SyncError {
    #[error(transparent)]
    Log(#[from] LogError),
    #[error("a file of hers cannot be read or written: {0}")]
    File(#[from] io::Error),
}

/// Which record this host knows last of an owner, and how her files were then.
#[derive(Debug, Default, Serialize, Deserialize)]
struct RecordNote {
    number: u64,
    generation: u64,
    files: String,
}

/// What an owner's files say on this host.
struct LocalSettings {
    home: Option<String>,
    policy: Option<String>,
    is_paused: bool,
}

fn read_file(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl LocalSettings {
    fn read(folders: &OwnerFolders, owner: &OwnerName) -> io::Result<Self> {
        let folder = folders.folder(owner);
        Ok(Self {
            home: read_file(&folder.join(HOME))?,
            policy: read_file(&folder.join(POLICY))?,
            is_paused: folders.is_paused(owner),
        })
    }

    fn hash(&self) -> String {
        let texts = serde_json::to_vec(&(&self.home, &self.policy, self.is_paused));
        sha256_hex(&texts.unwrap_or_default())
    }
}

/// How a file stands: its size, place and last change; `None`: it is not there.
#[derive(PartialEq, Eq)]
struct FileStamp(Option<(u64, u64, i64, i64)>);

impl FileStamp {
    fn read(file: &Path) -> Self {
        let meta = fs::metadata(file).ok();
        Self(meta.map(|meta| (meta.len(), meta.ino(), meta.mtime(), meta.mtime_nsec())))
    }

    fn of_settings(folder: &Path) -> [Self; 3] {
        FILES.map(|name| Self::read(&folder.join(name)))
    }
}

/// An owner whose records this host opens.
struct KnownOwner {
    keys: KeyCipher,
    /// The key box that they are from: another one under the same name is another owner's.
    key_box: FileStamp,
    /// Her files as they were when they were compared last.
    compared: Option<[FileStamp; 3]>,
}

/// What this host has to do after it took a record.
enum SettingsNews {
    /// Her service reads her settings again.
    Settings(OwnerName),
    /// She is paused, or not any more.
    Standing(OwnerName),
    /// Her folder is to be destroyed.
    Removed(OwnerName),
}

#[derive(Default)]
struct SyncState {
    records: Option<Box<dyn RecordStore>>,
    owners: BTreeMap<OwnerName, KnownOwner>,
    /// Whose folder does not open by itself: they are known when they are served.
    closed: BTreeSet<OwnerName>,
    /// Who was removed and has a folder here.
    removed: BTreeSet<OwnerName>,
    /// The last record that was looked at.
    seen: u64,
    is_told: bool,
}

/// The settings of a host's owners, as all their hosts have them.
pub(crate) struct SettingsSync {
    folders: OwnerFolders,
    open: OpenRecords,
    state: Mutex<SyncState>,
}

/// Looks until it is dropped.
pub(crate) struct SettingsKeeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for SettingsKeeper {
    fn drop(&mut self) {
        self.stop.take();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the keeper of the settings panicked");
        }
    }
}

impl SettingsSync {
    pub(crate) fn new(folders: OwnerFolders, open: OpenRecords) -> Self {
        Self {
            folders,
            open,
            state: Mutex::default(),
        }
    }

    /// Begins to look at files and records.
    ///
    /// # Errors
    /// When there is no room for a thread.
    pub(crate) fn start(self: &Arc<Self>) -> io::Result<SettingsKeeper> {
        let (stop, stopped) = channel();
        let sync = Arc::clone(self);
        let thread = thread::Builder::new()
            .name("aura-settings".to_owned())
            .spawn(move || sync.keep(&stopped))?;
        Ok(SettingsKeeper {
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    // Each change is one call: a poisoned lock still holds a whole state.
    fn state(&self) -> MutexGuard<'_, SyncState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has an owner's files be as with the others, before her service reads them. `false`: she is paused, or was removed.
    ///
    /// # Errors
    /// STORE-018 when the log does not answer, STORE-007 when a file cannot be read or written.
    pub(crate) fn bring(&self, owner: &OwnerName, vault: &Vault) -> Result<bool, StoreError> {
        let keys = KeyCipher::derive_with(vault.seed(), &LogRoots::of_folder(vault)?);
        let mut state = self.state();
        state.closed.remove(owner);
        let known = KnownOwner {
            keys,
            key_box: self.key_box(owner),
            compared: None,
        };
        state.owners.insert(owner.clone(), known);
        // She is about to read what was brought.
        let brought = self.compare(&mut state, owner).map(drop);
        brought.map_err(|error| match error {
            SyncError::Log(error) => to_store_error(vault.dir(), &error),
            SyncError::File(source) => StoreError::File {
                doing: "bring the settings into",
                path: vault.dir().to_owned(),
                source,
            },
        })?;
        Ok(!state.removed.contains(owner) && !self.folders.is_paused(owner))
    }

    fn keep(&self, stopped: &Receiver<()>) {
        loop {
            match self.look() {
                Ok(news) => {
                    self.state().is_told = false;
                    for news in &news {
                        self.tell(news);
                    }
                }
                Err(error) => {
                    if !std::mem::replace(&mut self.state().is_told, true) {
                        tracing::warn!(%error, "whether other hosts have newer settings is not known: it is asked again");
                    }
                }
            }
            if stopped.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout) {
                return;
            }
        }
    }

    /// Compares whose files or record have changed.
    fn look(&self) -> Result<Vec<SettingsNews>, SyncError> {
        let mut state = self.state();
        self.learn_owners(&mut state)?;
        let after = state.seen;
        let fresh = self.records(&mut state)?.records_after(after)?;
        let is_due = |(name, known): (&OwnerName, &KnownOwner)| {
            let has_record = fresh.iter().any(|kept| kept.owner == *known.keys.subject());
            let stamps = || FileStamp::of_settings(&self.folders.folder(name));
            (has_record || known.compared.as_ref() != Some(&stamps())).then(|| name.clone())
        };
        let due: Vec<OwnerName> = state.owners.iter().filter_map(is_due).collect();
        let mut news = Vec::new();
        for owner in due {
            match self.compare(&mut state, &owner) {
                Ok(found) => news.extend(found),
                Err(SyncError::File(error)) => {
                    tracing::warn!(%error, "an owner's settings are not as on other hosts");
                }
                Err(error @ SyncError::Log(_)) => return Err(error),
            }
        }
        state.seen = fresh.last().map_or(after, |kept| kept.number);
        news.extend(state.removed.iter().cloned().map(SettingsNews::Removed));
        Ok(news)
    }

    fn records<'a>(&self, state: &'a mut SyncState) -> Result<&'a mut Box<dyn RecordStore>, SyncError> {
        let records = match state.records.take() {
            Some(records) => records,
            None => (self.open)()?,
        };
        Ok(state.records.insert(records))
    }

    /// Opens the folders of whoever came since.
    fn learn_owners(&self, state: &mut SyncState) -> Result<(), SyncError> {
        let names = self.folders.names()?;
        state
            .owners
            .retain(|name, known| names.contains(name) && known.key_box == self.key_box(name));
        for name in names {
            if state.owners.contains_key(&name) || state.closed.contains(&name) {
                continue;
            }
            match self.open_keys(&name) {
                Some(keys) => {
                    let known = KnownOwner {
                        keys,
                        key_box: self.key_box(&name),
                        compared: None,
                    };
                    state.owners.insert(name, known);
                }
                None => {
                    state.closed.insert(name);
                }
            }
        }
        Ok(())
    }

    fn key_box(&self, owner: &OwnerName) -> FileStamp {
        FileStamp::read(&self.folders.folder(owner).join(KEY_BOX))
    }

    fn open_keys(&self, owner: &OwnerName) -> Option<KeyCipher> {
        let folder = self.folders.folder(owner);
        if let Ok(VaultStatus::Sealed(KeyPlace::Passphrase { .. })) = vault::standing(&folder) {
            return None;
        }
        let vault = Vault::open(&folder, &NoPrompt).ok()?;
        let roots = LogRoots::of_folder(&vault).ok()?;
        Some(KeyCipher::derive_with(vault.seed(), &roots))
    }

    /// Takes what is newer in the log, else puts there what has changed here.
    fn compare(&self, state: &mut SyncState, owner: &OwnerName) -> Result<Vec<SettingsNews>, SyncError> {
        let stamps = FileStamp::of_settings(&self.folders.folder(owner));
        let Some(known) = state.owners.remove(owner) else {
            return Ok(Vec::new());
        };
        let compared = self.compare_files(state, owner, &known.keys);
        let is_compared = compared.is_ok();
        let known = KnownOwner {
            compared: is_compared.then_some(stamps),
            ..known
        };
        state.owners.insert(owner.clone(), known);
        compared
    }

    fn compare_files(
        &self,
        state: &mut SyncState,
        owner: &OwnerName,
        keys: &KeyCipher,
    ) -> Result<Vec<SettingsNews>, SyncError> {
        for _ in 0..TRIES {
            let note = self.read_note(owner)?;
            let local = LocalSettings::read(&self.folders, owner)?;
            let there = self.records(state)?.record_of(keys.subject())?;
            if let Some(there) = there.as_ref().filter(|there| there.number != note.number) {
                return self.take(state, (owner, keys), (there, &note), &local);
            }
            if there.is_some() && local.hash() == note.files {
                return Ok(Vec::new());
            }
            let Some(record) = self.record_of(owner, &local, note.generation) else {
                return Ok(Vec::new());
            };
            let sealed = record.seal(keys).map_err(io::Error::other)?;
            let expected = there.map_or(0, |there| there.number);
            let put = self
                .records(state)?
                .put_record(keys.subject(), expected, &sealed)?;
            if let Some(number) = put {
                self.write_note(owner, number, record.generation, &local)?;
                return Ok(Vec::new());
            }
        }
        Ok(Vec::new())
    }

    /// What is put into the log; `None`: it is no configuration, and goes nowhere.
    fn record_of(&self, owner: &OwnerName, local: &LocalSettings, generation: u64) -> Option<OwnerRecord> {
        let home = local.home.clone()?;
        if HomeConfig::load(&self.folders.files(owner).home).is_err() {
            tracing::warn!("the settings of an owner cannot be used, and do not go to other hosts");
            return None;
        }
        Some(OwnerRecord {
            generation: generation.saturating_add(1),
            is_removed: false,
            is_paused: local.is_paused,
            home,
            policy: local.policy.clone(),
        })
    }

    fn take(
        &self,
        state: &mut SyncState,
        (owner, keys): (&OwnerName, &KeyCipher),
        (there, note): (&SealedRecord, &RecordNote),
        local: &LocalSettings,
    ) -> Result<Vec<SettingsNews>, SyncError> {
        let record = OwnerRecord::open(keys, &there.sealed);
        let Some(record) = record.filter(|record| record.generation >= note.generation) else {
            tracing::warn!(
                "BUS-005: an owner's settings in the log were not put there by her hosts, or are older than those here: these stay"
            );
            return Ok(Vec::new());
        };
        if record.is_removed {
            state.removed.insert(owner.clone());
            return Ok(Vec::new());
        }
        if note.number != 0 && local.hash() != note.files {
            tracing::warn!("another host changed an owner's settings first: what was changed here is lost");
        }
        let folder = self.folders.folder(owner);
        let mut news = Vec::new();
        if local.home.as_ref() != Some(&record.home) || local.policy != record.policy {
            write_private(&folder.join(HOME), record.home.as_bytes(), ExistingFile::Replace)?;
            match &record.policy {
                Some(policy) => {
                    write_private(&folder.join(POLICY), policy.as_bytes(), ExistingFile::Replace)?;
                }
                None if local.policy.is_some() => fs::remove_file(folder.join(POLICY))?,
                None => {}
            }
            news.push(SettingsNews::Settings(owner.clone()));
        }
        if local.is_paused != record.is_paused {
            self.folders.set_paused(owner, record.is_paused)?;
            news.push(SettingsNews::Standing(owner.clone()));
        }
        let now = LocalSettings::read(&self.folders, owner)?;
        self.write_note(owner, there.number, record.generation, &now)?;
        Ok(news)
    }

    fn note_file(&self, owner: &OwnerName) -> PathBuf {
        let notes = host_folder(self.folders.dir()).join("records");
        notes.join(format!("{owner}.json"))
    }

    fn read_note(&self, owner: &OwnerName) -> io::Result<RecordNote> {
        let text = read_file(&self.note_file(owner))?;
        // One that cannot be read is none: what is in the log is taken then.
        Ok(text
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default())
    }

    fn write_note(
        &self,
        owner: &OwnerName,
        number: u64,
        generation: u64,
        local: &LocalSettings,
    ) -> io::Result<()> {
        let note = RecordNote {
            number,
            generation,
            files: local.hash(),
        };
        let text = serde_json::to_vec(&note).map_err(io::Error::from)?;
        write_private(&self.note_file(owner), &text, ExistingFile::Replace).map(drop)
    }

    fn tell(&self, news: &SettingsNews) {
        let told = match news {
            SettingsNews::Settings(owner) => {
                ask(&self.folders.folder(owner), &ControlRequest::Reload).map(drop)
            }
            SettingsNews::Standing(owner) => look_again(&self.folders, owner),
            SettingsNews::Removed(owner) => {
                match remove_folder(&self.folders, owner) {
                    Ok(()) => self.forget(owner),
                    // It is tried again with the next look.
                    Err(error) => {
                        tracing::warn!(%error, "the folder of an owner who was removed is still there");
                    }
                }
                return;
            }
        };
        if let Err(error) = told {
            tracing::warn!(%error, "an owner's service was not told of her settings");
        }
    }

    fn forget(&self, owner: &OwnerName) {
        let mut state = self.state();
        state.removed.remove(owner);
        state.owners.remove(owner);
        // It says nothing of who comes under that name next.
        let _ = fs::remove_file(self.note_file(owner));
        tracing::info!("an owner who was removed on another host is gone here");
    }
}

fn look_again(folders: &OwnerFolders, owner: &OwnerName) -> Result<(), aura_runtime::control::ControlError> {
    let request = ControlRequest::Owners {
        again: Some(owner.to_string()),
    };
    ask_holder(&host_folder(folders.dir()), &request).map(drop)
}

/// Ends an owner's service on this machine and destroys her folder; nothing where there is none any more.
///
/// # Errors
/// Her service has not ended yet, or something cannot be removed: done again, it goes to its end.
pub(crate) fn remove_folder(folders: &OwnerFolders, owner: &OwnerName) -> Result<(), StoreError> {
    let folder = folders.folder(owner);
    if folders.has(owner) {
        let failed = |source| StoreError::File {
            doing: "remove",
            path: folder.clone(),
            source,
        };
        folders.set_paused(owner, true).map_err(failed)?;
        if let Err(error) = look_again(folders, owner) {
            tracing::debug!(%error, "no host was told of an owner who was removed");
        }
        wipe::wipe(&folder, &mut |_| Ok(()))?;
        match fs::remove_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            Ok(()) | Err(_) => {}
        }
    }
    if let Err(error) = look_again(folders, owner) {
        tracing::debug!(%error, "no host was told of an owner who was removed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use aura_hosts::SqliteRecords;
    use aura_memory::vault::NewPlace;
    use tempfile::TempDir;

    fn make_owner(dir: &TempDir, owners: &OwnerFolders, name: &OwnerName, zone: &str) {
        let key = dir.path().join(format!("{}.key", zone.replace('/', "-")));
        let folder = owners.folder(name);
        Vault::create(&folder, &NewPlace::File(key)).unwrap();
        fs::write(folder.join(HOME), format!("zone = \"{zone}\"\n")).unwrap();
    }

    #[test]
    fn somebody_else_under_the_name_of_one_who_is_gone_has_settings_of_her_own() {
        let dir = TempDir::new().unwrap();
        let log = dir.path().join("log.db");
        let folders = OwnerFolders::in_folder(&dir.path().join("owners")).unwrap();
        fs::create_dir(folders.dir()).unwrap();
        let asha = OwnerName::parse("asha").unwrap();
        let file = log.clone();
        let open: OpenRecords = Box::new(move || Ok(Box::new(SqliteRecords::open(&file)?)));
        let sync = SettingsSync::new(folders.clone(), open);
        make_owner(&dir, &folders, &asha, "Europe/Berlin");
        assert!(sync.look().unwrap().is_empty());
        fs::remove_dir_all(folders.folder(&asha)).unwrap();
        make_owner(&dir, &folders, &asha, "Asia/Kolkata");
        assert!(sync.look().unwrap().is_empty());
        let home = fs::read_to_string(folders.folder(&asha).join(HOME)).unwrap();
        assert_eq!(home, "zone = \"Asia/Kolkata\"\n");
        let mut records = SqliteRecords::open(&log).unwrap();
        assert_eq!(records.records_after(0).unwrap().len(), 2, "one of each");

        // What is no configuration goes nowhere, and what somebody else puts is not taken.
        fs::write(folders.folder(&asha).join(HOME), "zone = 7\n").unwrap();
        assert!(sync.look().unwrap().is_empty());
        let all = records.records_after(0).unwrap();
        assert_eq!(all.len(), 2);
        let last = all.last().unwrap();
        records.put_record(&last.owner, last.number, b"forged").unwrap();
        fs::write(folders.folder(&asha).join(HOME), home).unwrap();
        assert!(sync.look().unwrap().is_empty());
        assert_eq!(records.record_of(&last.owner).unwrap().unwrap().sealed, b"forged");
    }
}
