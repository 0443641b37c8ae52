//! The key box: the file `key` of a data folder.
//!
//! What: closed JSON of one seal, or of two while the key changes: where the opening key is kept, and the folder's keys sealed
//! with it. Why: the place of the key can change, the installation's seed cannot, and a wrong key is told apart from damage.
//! Not here: places (`place`), the folder (`vault`).

use super::{
    keys::{FolderKeys, SecretBytes},
    place::{KeyPlace, KeyPrompt, Passphrase, derived},
    recovery::plain_code,
};
use crate::{
    error::StoreError,
    files::{self, IfExists},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The box's name in the data folder.
pub(crate) const NAME: &str = "key";
/// The only version there is.
const VERSION: u32 = 1;
/// A box that is longer is none.
pub(crate) const BYTES_MAX: u64 = 16 * 1024;

/// The file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyBox {
    version: u32,
    seals: Vec<KeySeal>,
    /// What the box will hold when all files are sealed anew; there only while they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<KeySeal>,
    /// The keys once more, for the code on the recovery sheet. A change of the key ends it: the code is not known then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recovery: Option<KeySeal>,
}

/// Has a passphrase and nothing else.
struct OnlyWords<'a>(&'a Passphrase);

impl KeyPrompt for OnlyWords<'_> {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(Some(self.0.clone()))
    }

    fn key_file(&self) -> Option<&Path> {
        None
    }
}

/// A box that was opened: by which place, with which key, and what was in it.
pub(crate) struct OpenedKeybox {
    pub(crate) place: KeyPlace,
    pub(crate) key: SecretBytes,
    pub(crate) keys: FolderKeys,
}

/// The same keys, sealed for one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeySeal {
    pub(crate) place: KeyPlace,
    sealed: String,
}

impl KeySeal {
    pub(crate) fn close(place: KeyPlace, key: &SecretBytes, keys: &FolderKeys) -> Result<Self, StoreError> {
        let sealed = key.seal(&about(&place), &keys.to_bytes())?;
        Ok(Self {
            sealed: STANDARD.encode(sealed),
            place,
        })
    }

    /// `None`: not with this key.
    pub(super) fn open(&self, key: &SecretBytes) -> Option<FolderKeys> {
        let sealed = STANDARD.decode(&self.sealed).ok()?;
        FolderKeys::from_bytes(&key.unseal(&about(&self.place), &sealed)?)
    }
}

/// A seal holds for its place alone: whoever can write the box cannot point it elsewhere, or weaken the passphrase's cost.
fn about(place: &KeyPlace) -> Vec<u8> {
    let mut about = b"aura key box v1 ".to_vec();
    // Names, numbers and a path: serializing fails only for a path that is no UTF-8, which the box could not hold either.
    about.extend(serde_json::to_vec(place).unwrap_or_default());
    about
}

impl KeyBox {
    pub(crate) fn sealed_by(seal: KeySeal) -> Self {
        Self {
            version: VERSION,
            seals: vec![seal],
            after: None,
            recovery: None,
        }
    }

    /// The same with another recovery sheet.
    pub(super) fn with_recovery(self, seal: KeySeal) -> Self {
        Self {
            recovery: Some(seal),
            ..self
        }
    }

    pub(super) fn has_recovery(&self) -> bool {
        self.recovery.is_some()
    }

    /// Opens it by the recovery sheet; `None`: not with this code, or there is no sheet.
    pub(super) fn open_recovery(&self, code: &Passphrase) -> Result<Option<OpenedKeybox>, StoreError> {
        let Some(seal) = &self.recovery else {
            return Ok(None);
        };
        let key = derived(&seal.place, code)?;
        let place = seal.place.clone();
        Ok(seal.open(&key).map(|keys| OpenedKeybox { place, key, keys }))
    }

    /// The box while files are sealed anew.
    pub(super) fn changing(seals: Vec<KeySeal>, after: KeySeal) -> Self {
        Self {
            version: VERSION,
            seals,
            after: Some(after),
            recovery: None,
        }
    }

    /// The box when that is done.
    pub(super) fn after(&self) -> Option<Self> {
        self.after.clone().map(Self::sealed_by)
    }

    /// Where its keys are kept; two places while the key changes.
    pub(crate) fn places(&self) -> impl Iterator<Item = &KeyPlace> {
        self.seals.iter().map(|seal| &seal.place)
    }

    /// The box in these bytes.
    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let unusable = |what: &str| StoreError::Key {
            file: path.to_owned(),
            what: what.to_owned(),
        };
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let damaged = "it is not a key box: restore a copy of it, or a backup of the folder";
        let version = serde_json::from_slice::<Versioned>(bytes)
            .map_err(|_| unusable(damaged))?
            .version;
        if version != VERSION {
            return Err(unusable("a newer Aura wrote it: use the newer program"));
        }
        let found: Self = serde_json::from_slice(bytes).map_err(|_| unusable(damaged))?;
        if found.seals.is_empty() || found.seals.len() > 2 {
            return Err(unusable(damaged));
        }
        Ok(found)
    }

    /// The folder's keys, by the first place that gives its key; where none does, by the recovery sheet.
    ///
    /// # Errors
    /// STORE-012 for a wrong key, STORE-013 when no place gives one.
    pub(crate) fn open(&self, dir: &Path, ask: &dyn KeyPrompt) -> Result<OpenedKeybox, StoreError> {
        let mut first = None;
        for seal in &self.seals {
            let opened = seal.place.key(ask).and_then(|key| {
                let keys = seal.open(&key).ok_or_else(|| StoreError::WrongKey {
                    dir: dir.to_owned(),
                    place: seal.place.tried(ask).to_string(),
                })?;
                let place = seal.place.clone();
                Ok(OpenedKeybox { place, key, keys })
            });
            match opened {
                Ok(opened) => return Ok(opened),
                Err(error) => drop(first.get_or_insert(error)),
            }
        }
        let first = first.unwrap_or_else(|| StoreError::NoKey { dir: dir.to_owned() });
        if self.recovery.is_none() {
            return Err(first);
        }
        let Some(typed) = ask.recovery_code()? else {
            return Err(first);
        };
        self.open_recovery(&plain_code(&typed))?
            .ok_or_else(|| StoreError::WrongKey {
                dir: dir.to_owned(),
                place: "the recovery sheet".to_owned(),
            })
    }

    /// Whether these words are the passphrase that opens it; `None`: no passphrase does. A recovery sheet's code is not asked for.
    pub(super) fn is_passphrase(&self, words: &Passphrase) -> Option<bool> {
        let of_words = |seal: &&KeySeal| matches!(seal.place, KeyPlace::Passphrase { .. });
        let mut seals = self.seals.iter().filter(of_words).peekable();
        seals.peek()?;
        let opens = |seal: &KeySeal| {
            let key = seal.place.key(&OnlyWords(words));
            key.is_ok_and(|key| seal.open(&key).is_some())
        };
        Some(seals.any(opens))
    }

    /// The folder's keys, by the seal of that place.
    pub(super) fn open_with(&self, place: &KeyPlace, key: &SecretBytes) -> Option<FolderKeys> {
        let mut seals = self
            .seals
            .iter()
            .chain(&self.recovery)
            .filter(|seal| seal.place == *place);
        seals.find_map(|seal| seal.open(key))
    }

    /// Puts the box on disk, whole or not at all.
    pub(crate) fn write(&self, dir: &Path, existing: IfExists) -> Result<bool, StoreError> {
        files::write_atomic(dir, NAME, &self.to_bytes()?, existing)
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, StoreError> {
        let mut text = serde_json::to_vec_pretty(self).map_err(|_| {
            StoreError::file("write", Path::new(NAME))(std::io::ErrorKind::InvalidFilename.into())
        })?;
        text.push(b'\n');
        Ok(text)
    }
}
