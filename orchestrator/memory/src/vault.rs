//! A data folder with its keys.
//!
//! What: [`Vault`], the only way to open anything in a data folder. Why: nothing is written or read without the folder's key, and
//! whoever changes the keys knows that nobody else has the folder open. Not here: what is in the files (`store`, `workflows`,
//! `raw`), the words of a passphrase (the command line).

mod granted;
mod key_change;
pub(crate) mod keybox;
#[cfg(feature = "keyring")]
mod keyring;
#[cfg(not(feature = "keyring"))]
#[path = "vault/no_keyring.rs"]
mod keyring;
pub(crate) mod keys;
mod place;
mod recovery;
mod reseal;

pub(crate) use granted::LOG_ROOTS;
pub use granted::seed_of_keys;
pub use key_change::KeyChange;
pub(crate) use place::make_key;
pub use place::{KeyPlace, KeyPrompt, NewPlace, NoPrompt, Passphrase, keyring_answers};
pub use recovery::{RecoveryCode, has_recovery_sheet, is_passphrase};
pub use reseal::{ResealProgress, ResealStep, plan};

use crate::{
    demo,
    error::StoreError,
    files::{self, IfExists},
    folder_lock, schema, wipe,
};
use keybox::{KeyBox, KeySeal};
use keys::{DatabaseKey, FolderKeys, PreviousSeal, SecretBytes};
use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};
use std::{
    fs::{self, File, TryLockError},
    io::{ErrorKind, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use toolcall_schema::ids::OwnerSeed;
use zeroize::Zeroizing;

/// The demo's key file, which lies in its folder.
const DEMO_KEY: &str = "demo.key";

/// A data folder with its unlocked keys. Cheap to clone; the keys are wiped with the last clone.
#[derive(Clone)]
pub struct Vault(Arc<VaultInner>);

struct VaultInner {
    dir: PathBuf,
    /// Absent: the keys live in this process alone.
    place: Option<KeyPlace>,
    /// The key was not in its place: the recovery sheet opened the box.
    by_recovery: bool,
    keys: FolderKeys,
    /// The box, locked for sharing: whoever changes the keys waits for all who have them.
    held: Mutex<Option<File>>,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vault")
            .field("dir", &self.0.dir)
            .finish_non_exhaustive()
    }
}

/// How a folder stands, as far as that shows without a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VaultStatus {
    /// There is no key, and nothing that needs one.
    New,
    /// Its key box says where the key is.
    Sealed(KeyPlace),
    /// An earlier Aura wrote it: nothing in it is sealed.
    Plain,
}

impl Vault {
    /// Opens a data folder that has its key box.
    ///
    /// # Errors
    /// STORE-004 when there is no data folder, STORE-005 when the box cannot be used, STORE-011 when it is gone, STORE-012 for a
    /// wrong key or passphrase, STORE-013 when the key cannot be had, STORE-001 while its keys are changed, STORE-007 when it
    /// cannot be read.
    pub fn open(dir: &Path, ask: &dyn KeyPrompt) -> Result<Self, StoreError> {
        Self::open_with(dir, ask, &mut |_| Ok(()))
    }

    /// The same, which says how far it is when a change of the key was interrupted and is gone on with.
    ///
    /// # Errors
    /// As [`Self::open`]; what `progress` returns.
    pub fn open_with(
        dir: &Path,
        ask: &dyn KeyPrompt,
        progress: &mut ResealProgress<'_>,
    ) -> Result<Self, StoreError> {
        match look(dir)? {
            FolderKeybox::Nothing => Err(StoreError::Missing { dir: dir.to_owned() }),
            FolderKeybox::Plain(_) => Err(plain(dir)),
            FolderKeybox::Box(found, held) => {
                let opened = found.open(dir, &asked(dir, ask))?;
                if opened.keys.before.is_none() {
                    let by_recovery = !found.places().any(|place| *place == opened.place);
                    let place = found.places().next().cloned();
                    return Ok(Self::assemble(dir, place, by_recovery, opened.keys, Some(held)));
                }
                let _alone = alone(dir, &held)?;
                reseal::finish(dir, &found, &opened.keys, progress)?;
                Self::sealed_anew(dir, opened.keys)
            }
        }
    }

    /// Seals the whole folder with a new data key, whose box opens with the new place from then on. Whoever has the folder's copies
    /// and the old key opens those copies and nothing else. Called again after it failed, it goes on.
    ///
    /// # Errors
    /// As [`Self::open`]; STORE-001 when anybody else has the folder open; what `progress` returns.
    pub fn change(
        dir: &Path,
        change: &KeyChange,
        progress: &mut ResealProgress<'_>,
    ) -> Result<Self, StoreError> {
        let FolderKeybox::Box(found, held) = look(dir)? else {
            return Err(StoreError::NoKey { dir: dir.to_owned() });
        };
        let opened = change.open(&found, dir)?;
        let _alone = alone(dir, &held)?;
        if opened.keys.before.is_some() {
            reseal::finish(dir, &found, &opened.keys, progress)?;
            return Self::sealed_anew(dir, opened.keys);
        }
        Self::seal_anew(
            dir,
            PreviousSeal::Key(opened.keys.data),
            opened.keys.seed_bytes,
            Some((opened.place, opened.key)),
            (change.new.clone(), change.new_key.clone()),
            progress,
        )
    }

    /// Lets go of the folder's key box without forgetting the keys, so that it can be sealed anew by whoever has the folder alone.
    pub fn let_go(&self) {
        if let Some(held) = self.held_box().as_ref() {
            // What cannot be unlocked is noticed by who wants it for itself.
            let _ = flock(held, FlockOperation::Unlock);
        }
    }

    fn seal_anew(
        dir: &Path,
        before: PreviousSeal,
        seed: SecretBytes,
        old: Option<(KeyPlace, SecretBytes)>,
        new: (KeyPlace, SecretBytes),
        progress: &mut ResealProgress<'_>,
    ) -> Result<Self, StoreError> {
        let (found, keys) = reseal::change(dir, before, seed, old, new, progress)?;
        reseal::finish(dir, &found, &keys, progress)?;
        Self::sealed_anew(dir, keys)
    }

    /// After [`reseal::finish`], which left a box of one place.
    fn sealed_anew(dir: &Path, keys: FolderKeys) -> Result<Self, StoreError> {
        let FolderKeybox::Box(found, held) = look(dir)? else {
            return Err(StoreError::NoKey { dir: dir.to_owned() });
        };
        let place = found.places().next().cloned();
        Ok(Self::held_by(
            dir,
            place,
            FolderKeys { before: None, ..keys },
            Some(held),
        ))
    }

    /// Makes a data folder (0700) with a new key. One that an earlier Aura wrote unsealed is sealed.
    ///
    /// # Errors
    /// STORE-001 when a service runs on the folder that is to be sealed, STORE-005 when it has a key already, STORE-011 when it holds what another key has sealed, STORE-013 when the key cannot be
    /// kept there, STORE-007 when it cannot be written.
    pub fn create(dir: &Path, place: &NewPlace) -> Result<Self, StoreError> {
        Self::create_with(dir, place, &mut |_| Ok(()))
    }

    /// The same, which says how far it is with a folder that is to be sealed.
    ///
    /// # Errors
    /// As [`Self::create`]; what `progress` returns.
    pub fn create_with(
        dir: &Path,
        place: &NewPlace,
        progress: &mut ResealProgress<'_>,
    ) -> Result<Self, StoreError> {
        match look(dir)? {
            FolderKeybox::Nothing => {}
            FolderKeybox::Plain((held, seed)) => {
                let _alone = alone(dir, &held)?;
                return Self::seal_anew(
                    dir,
                    PreviousSeal::Plain,
                    seed,
                    None,
                    make_key(place, dir)?,
                    progress,
                );
            }
            FolderKeybox::Box(..) => return Err(has_key_already(dir)),
        }
        Self::make_folder(dir, place, FolderKeys::random()?)
    }

    /// Makes a folder in which nothing is sealed yet.
    fn make_folder(dir: &Path, place: &NewPlace, keys: FolderKeys) -> Result<Self, StoreError> {
        files::private_dir(dir)?;
        let (place, key) = make_key(place, dir)?;
        let made =
            KeyBox::sealed_by(KeySeal::close(place.clone(), &key, &keys)?).write(dir, IfExists::Keep)?;
        if !made {
            // Another process was faster: its key is the one, and ours opens nothing.
            place.destroy()?;
            return Err(StoreError::Locked {
                dir: dir.to_owned(),
                pid: None,
            });
        }
        let held = hold(dir)?
            .ok_or_else(|| StoreError::NoKey { dir: dir.to_owned() })?
            .0;
        Ok(Self::held_by(dir, Some(place), keys, Some(held)))
    }

    /// The demo's folder, made when it is not there: marked as the demo's, its key in it. Everybody in it is invented.
    ///
    /// # Errors
    /// As [`Self::open`]; STORE-005 for a folder that is not the demo's, which is left as it is.
    pub fn demo(dir: &Path) -> Result<Self, StoreError> {
        let standing = standing(dir)?;
        if standing != VaultStatus::New && !demo::is_marked(dir) {
            return Err(StoreError::Key {
                file: dir.join(keybox::NAME),
                what: "it is not the demo's: name another folder with --data DIR".to_owned(),
            });
        }
        demo::mark(dir)?;
        if !matches!(standing, VaultStatus::Sealed(_)) {
            return Self::create_or_open(dir, &NewPlace::File(dir.join(DEMO_KEY)), &NoPrompt);
        }
        Self::open(dir, &NoPrompt)
    }

    /// As [`Self::create`], for when two begin at once: who comes second opens what the first one made.
    ///
    /// # Errors
    /// As [`Self::create`] and [`Self::open`].
    pub fn create_or_open(dir: &Path, place: &NewPlace, ask: &dyn KeyPrompt) -> Result<Self, StoreError> {
        match Self::create(dir, place) {
            Err(error) => match standing(dir) {
                Ok(VaultStatus::Sealed(_)) => Self::open(dir, ask),
                Ok(VaultStatus::New | VaultStatus::Plain) | Err(_) => Err(error),
            },
            made => made,
        }
    }

    /// A data folder (0700) whose keys live in this process alone: what is written to it cannot be read afterwards. For recorded
    /// days and measurements.
    ///
    /// # Errors
    /// STORE-007 when the folder cannot be made.
    pub fn ephemeral(dir: &Path) -> Result<Self, StoreError> {
        files::private_dir(dir)?;
        Ok(Self::held_by(dir, None, FolderKeys::random()?, None))
    }

    /// The same folder with keys that another process of the same owner handed over, as [`Self::hand_over`] gives them.
    ///
    /// # Errors
    /// STORE-011 when the folder has no key box, STORE-012 when these are not its keys.
    pub fn handed(dir: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let FolderKeybox::Box(found, held) = look(dir)? else {
            return Err(StoreError::NoKey { dir: dir.to_owned() });
        };
        let place = found.places().next().cloned();
        let wrong = || StoreError::WrongKey {
            dir: dir.to_owned(),
            place: "the running service".to_owned(),
        };
        let keys = FolderKeys::from_bytes(bytes)
            .filter(|keys| keys.before.is_none())
            .ok_or_else(wrong)?;
        Ok(Self::held_by(dir, place, keys, Some(held)))
    }

    /// The folder's keys, for a process of the same owner that asks a running service.
    pub fn hand_over(&self) -> Zeroizing<Vec<u8>> {
        self.0.keys.to_bytes()
    }

    fn held_by(dir: &Path, place: Option<KeyPlace>, keys: FolderKeys, held: Option<File>) -> Self {
        Self::assemble(dir, place, false, keys, held)
    }

    fn assemble(
        dir: &Path,
        place: Option<KeyPlace>,
        by_recovery: bool,
        keys: FolderKeys,
        held: Option<File>,
    ) -> Self {
        Self(Arc::new(VaultInner {
            dir: dir.to_owned(),
            place,
            by_recovery,
            keys,
            held: Mutex::new(held),
        }))
    }

    fn held_box(&self) -> MutexGuard<'_, Option<File>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The data folder.
    pub fn dir(&self) -> &Path {
        &self.0.dir
    }

    /// Where the key is kept; `None`: in this process alone.
    pub fn place(&self) -> Option<&KeyPlace> {
        self.0.place.as_ref()
    }

    /// Whether the key was not in its place and the recovery sheet opened the folder: it needs a new place.
    pub fn is_opened_by_recovery(&self) -> bool {
        self.0.by_recovery
    }

    /// The seed of all derived ids and keys. It is made with the folder and never changes.
    pub fn seed(&self) -> &OwnerSeed {
        &self.0.keys.seed
    }

    pub(crate) fn keys(&self) -> &FolderKeys {
        &self.0.keys
    }

    /// The key of a database file, by a folder's keys.
    pub(crate) fn key_in(keys: &FolderKeys, file: &str) -> DatabaseKey {
        DatabaseKey::derive(&keys.data, file)
    }

    /// The key of a database file of that name.
    pub(crate) fn database_key(&self, file: &str) -> DatabaseKey {
        DatabaseKey::derive(&self.0.keys.data, file)
    }

    /// A key for one use in this folder, for what is sealed within a file that is sealed anew with the folder's key. Never changes.
    pub(crate) fn lasting_key_of(&self, usage: &str) -> SecretBytes {
        self.0.keys.seed_bytes.derive(usage)
    }

    /// A key for one use in this folder. Changes when the folder's key is changed.
    pub(crate) fn key_of(&self, usage: &str) -> SecretBytes {
        self.0.keys.data.derive(usage)
    }
}

/// How a folder stands. Needs no key and changes nothing, but for a wipe that was interrupted, which it ends.
///
/// # Errors
/// STORE-005 when the key box cannot be used, STORE-011 when it is gone.
pub fn standing(dir: &Path) -> Result<VaultStatus, StoreError> {
    Ok(match look(dir)? {
        FolderKeybox::Nothing => VaultStatus::New,
        FolderKeybox::Plain(_) => VaultStatus::Plain,
        FolderKeybox::Box(found, _) => match found.places().next() {
            Some(place) => VaultStatus::Sealed(place.clone()),
            None => VaultStatus::New,
        },
    })
}

/// Whether a change of a folder's key has begun and is not done.
pub fn is_changing(dir: &Path) -> bool {
    let bytes = fs::read(dir.join(keybox::NAME)).unwrap_or_default();
    KeyBox::parse(dir, &bytes).is_ok_and(|found| found.after().is_some())
}

/// Where the keys of a folder are kept, as far as its box still says.
pub fn places(dir: &Path) -> Vec<KeyPlace> {
    let bytes = fs::read(dir.join(keybox::NAME)).unwrap_or_default();
    KeyBox::parse(dir, &bytes).map_or_else(|_| Vec::new(), |found| found.places().cloned().collect())
}

/// The key box's name in the data folder.
pub(crate) const BOX: &str = keybox::NAME;

enum FolderKeybox {
    Nothing,
    /// The seed of an earlier Aura.
    Plain((File, SecretBytes)),
    Box(KeyBox, File),
}

fn look(dir: &Path) -> Result<FolderKeybox, StoreError> {
    if wipe::finish_wipe(dir)? {
        return Ok(FolderKeybox::Nothing);
    }
    let Some((held, bytes)) = hold(dir)? else {
        // Sealed files without a key are nobody's to overwrite.
        return if schema::FILES.iter().any(|file| dir.join(file).exists()) {
            Err(StoreError::NoKey { dir: dir.to_owned() })
        } else {
            Ok(FolderKeybox::Nothing)
        };
    };
    // An earlier Aura kept the seed alone.
    if let Some(seed) = SecretBytes::from_slice(&bytes) {
        return Ok(FolderKeybox::Plain((held, seed)));
    }
    Ok(FolderKeybox::Box(
        KeyBox::parse(&dir.join(keybox::NAME), &bytes)?,
        held,
    ))
}

/// The box locked for sharing, and its bytes.
type LockedKeybox = (File, Zeroizing<Vec<u8>>);

/// Takes the box; `None`: there is none.
fn hold(dir: &Path) -> Result<Option<LockedKeybox>, StoreError> {
    let path = dir.join(keybox::NAME);
    let read = || StoreError::file("read", &path);
    loop {
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(read()(error)),
        };
        let meta = file.metadata().map_err(read())?;
        let mode = meta.mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(StoreError::Key {
                file: path,
                what: format!("its mode is {mode:04o}, not 0600: chmod 600 it"),
            });
        }
        match file.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked {
                    dir: dir.to_owned(),
                    pid: None,
                });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::file("lock", &path)(error)),
        }
        // Whoever had it changed it meanwhile.
        let there = fs::metadata(&path).ok().map(|there| (there.dev(), there.ino()));
        if there != Some((meta.dev(), meta.ino())) {
            continue;
        }
        let mut bytes = Zeroizing::new(Vec::new());
        (&file)
            .take(keybox::BYTES_MAX)
            .read_to_end(&mut bytes)
            .map_err(read())?;
        return Ok(Some((file, bytes)));
    }
}

fn has_key_already(dir: &Path) -> StoreError {
    StoreError::Key {
        file: dir.join(keybox::NAME),
        what: "there is one already: `aura memory key change` changes it".to_owned(),
    }
}

fn plain(dir: &Path) -> StoreError {
    StoreError::Key {
        file: dir.join(keybox::NAME),
        what: "it is of an earlier Aura, which sealed nothing: `aura memory key init` seals the folder"
            .to_owned(),
    }
}

/// Takes exclusive access to the folder: no other process holds its keys or the service lock.
fn alone(dir: &Path, held: &File) -> Result<File, StoreError> {
    let lock = folder_lock::lock(dir)?;
    match flock(held, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(lock),
        Err(Errno::WOULDBLOCK) => Err(StoreError::Locked {
            dir: dir.to_owned(),
            pid: None,
        }),
        Err(errno) => Err(StoreError::file("lock", &dir.join(keybox::NAME))(errno.into())),
    }
}

/// The demo's key lies in its folder, wherever that was moved to.
fn asked<'a>(dir: &Path, ask: &'a dyn KeyPrompt) -> KeySources<'a> {
    KeySources {
        demo: demo::is_marked(dir).then(|| dir.join(DEMO_KEY)),
        owner: ask,
    }
}

struct KeySources<'a> {
    demo: Option<PathBuf>,
    owner: &'a dyn KeyPrompt,
}

impl KeyPrompt for KeySources<'_> {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        self.owner.passphrase()
    }

    fn key_file(&self) -> Option<&Path> {
        self.demo.as_deref().or_else(|| self.owner.key_file())
    }

    fn recovery_code(&self) -> Result<Option<Passphrase>, StoreError> {
        self.owner.recovery_code()
    }
}

#[cfg(test)]
mod tests;
