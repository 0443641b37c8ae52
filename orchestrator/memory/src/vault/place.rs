//! Where the key of a data folder is kept.
//!
//! What: [`KeyPlace`], as the key box names it; [`NewPlace`], as its owner chooses it; [`KeyPrompt`], who is asked for a passphrase.
//! Why: the folder alone opens nothing: the key that opens the box is always somewhere else. Not here: the box (`keybox`), the
//! keyring's protocol (`keyring`).

use super::{
    keyring,
    keys::{KEY, SecretBytes, random},
};
use crate::{
    demo,
    error::StoreError,
    files::{self, IfExists},
};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    fs::{self, File},
    io::{ErrorKind, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};
use toolcall_schema::{KeyPlaceKind, ids::hex};
use zeroize::{Zeroize as _, Zeroizing};

/// What a passphrase costs whoever tries one: 64 MiB of memory, three passes, one lane.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
/// What the code of a recovery sheet costs: the least that argon2id takes. It has 125 random bits, which nobody tries one by one, whatever each try costs.
const CODE_MEMORY_KIB: u32 = 8;
const CODE_PASSES: u32 = 1;
/// A box that asks for more is not one of ours: 1 GiB, 16 passes.
const MEMORY_KIB_MAX: u32 = 1024 * 1024;
const PASSES_MAX: u32 = 16;

/// A passphrase, as it was typed. Wiped when dropped.
pub type Passphrase = Zeroizing<String>;

/// Where the key that opens a box is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum KeyPlace {
    /// In the system's keyring.
    Keyring {
        /// The account it is kept under: random, one a box.
        account: String,
    },
    /// In its owner's head: the key is made from a passphrase by argon2id.
    Passphrase {
        /// Memory, KiB.
        memory_kib: u32,
        /// Passes over it.
        passes: u32,
        /// 16 random bytes, base64.
        salt: String,
    },
    /// In a file of 32 bytes, on another disk or a stick.
    File { path: PathBuf },
}

impl fmt::Display for KeyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keyring { .. } => f.write_str("the system's keyring"),
            Self::Passphrase { .. } => f.write_str("a passphrase"),
            Self::File { path } => write!(f, "the key file {}", path.display()),
        }
    }
}

/// Where its owner wants the key to be. A file is made when it is not there.
pub type NewPlace = KeyPlaceKind<Passphrase, PathBuf>;

/// Who is asked for what the folder's own box does not hold.
pub trait KeyPrompt {
    /// The passphrase; `None`: nobody can be asked.
    ///
    /// # Errors
    /// STORE-013 when it cannot be read.
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError>;

    /// The key file, when it is not where the box says.
    fn key_file(&self) -> Option<&Path>;

    /// The code of the recovery sheet, asked for when the key cannot be had from its place; `None`: nobody can be asked, or has one.
    ///
    /// # Errors
    /// STORE-013 when it cannot be read.
    fn recovery_code(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(None)
    }
}

/// Nobody is there: what needs a passphrase does not open.
#[derive(Debug, Clone, Copy)]
pub struct NoPrompt;

impl KeyPrompt for NoPrompt {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(None)
    }

    fn key_file(&self) -> Option<&Path> {
        None
    }
}

/// Whether the system's keyring answers.
pub fn keyring_answers() -> bool {
    keyring::answers()
}

/// Makes the key, keeps it in its place, and says where that is.
pub(crate) fn make_key(place: &NewPlace, dir: &Path) -> Result<(KeyPlace, SecretBytes), StoreError> {
    match place {
        NewPlace::Keyring => {
            let account = hex(&random::<16>()?);
            let key = SecretBytes::random()?;
            let place = KeyPlace::Keyring { account };
            place.keep_in_keyring(&key)?;
            Ok((place, key))
        }
        NewPlace::Passphrase(words) => {
            let place = KeyPlace::Passphrase {
                memory_kib: MEMORY_KIB,
                passes: PASSES,
                salt: STANDARD.encode(random::<16>()?),
            };
            let key = derived(&place, words)?;
            Ok((place, key))
        }
        NewPlace::File(path) => {
            let path = std::path::absolute(path).map_err(StoreError::file("name", path))?;
            refuse_inside(dir, &path)?;
            let place = KeyPlace::File { path: path.clone() };
            if !path.exists() {
                let (above, name) = split(&path)?;
                // Another process may be faster; its key is then the one.
                files::write_atomic(above, name, SecretBytes::random()?.bytes(), IfExists::Keep)?;
            }
            let key = read_file(&place, &path)?;
            Ok((place, key))
        }
    }
}

impl KeyPlace {
    /// For the code of a new recovery sheet. An earlier one names its own cost, and opens by it.
    pub(super) fn for_code() -> Result<Self, StoreError> {
        Ok(Self::Passphrase {
            memory_kib: CODE_MEMORY_KIB,
            passes: CODE_PASSES,
            salt: STANDARD.encode(random::<16>()?),
        })
    }

    /// The key, from where it is kept.
    pub(super) fn key(&self, ask: &dyn KeyPrompt) -> Result<SecretBytes, StoreError> {
        match self {
            Self::Keyring { account } => {
                let found = keyring::get(account).map_err(|why| self.gone(why))?;
                found.ok_or_else(|| {
                    self.gone(
                        "it holds no key of this folder: restore it, or a backup of the folder".to_owned(),
                    )
                })
            }
            Self::Passphrase { .. } => {
                let words = ask.passphrase()?.ok_or_else(|| {
                    self.gone(
                        "nobody can be asked: use a terminal, or name a file with --passphrase-file"
                            .to_owned(),
                    )
                })?;
                derived(self, &words)
            }
            Self::File { path } => read_file(self, tried_file(path, ask)),
        }
    }

    /// Where the key came from that [`Self::key`] gives.
    pub(super) fn tried(&self, ask: &dyn KeyPrompt) -> Self {
        match self {
            Self::File { path } => Self::File {
                path: tried_file(path, ask).to_owned(),
            },
            Self::Keyring { .. } | Self::Passphrase { .. } => self.clone(),
        }
    }

    /// Removes the key from where it is kept, as far as it is ours: a passphrase is in its owner's head, and a key file is its
    /// owner's and may open other folders.
    pub(crate) fn destroy(&self) -> Result<(), StoreError> {
        match self {
            Self::Keyring { account } => keyring::delete(account).map_err(|why| self.gone(why)),
            Self::Passphrase { .. } | Self::File { .. } => Ok(()),
        }
    }

    fn keep_in_keyring(&self, key: &SecretBytes) -> Result<(), StoreError> {
        let Self::Keyring { account } = self else {
            return Ok(());
        };
        let lacking = |why: String| self.gone(format!("{why}, or choose another place (docs/keys.md)"));
        keyring::put(account, key).map_err(lacking)?;
        // What cannot be read back must not be the only key.
        match keyring::get(account) {
            Ok(Some(kept)) if kept == *key => Ok(()),
            Ok(_) => Err(lacking("it did not keep the key: look into it".to_owned())),
            Err(why) => Err(lacking(why)),
        }
    }

    fn gone(&self, what: String) -> StoreError {
        StoreError::KeyAway {
            place: self.to_string(),
            what,
        }
    }
}

pub(super) fn derived(place: &KeyPlace, words: &Passphrase) -> Result<SecretBytes, StoreError> {
    let strange = || StoreError::KeyAway {
        place: place.to_string(),
        what: "the key box asks for something that argon2id does not do: restore a copy of it".to_owned(),
    };
    let KeyPlace::Passphrase {
        memory_kib,
        passes,
        salt,
    } = place
    else {
        return Err(strange());
    };
    if *memory_kib > MEMORY_KIB_MAX || *passes > PASSES_MAX {
        return Err(strange());
    }
    let salt = STANDARD.decode(salt).map_err(|_| strange())?;
    let params = Params::new(*memory_kib, *passes, 1, Some(KEY)).map_err(|_| strange())?;
    let mut key = [0; KEY];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(words.as_bytes(), &salt, &mut key)
        .map_err(|_| strange())?;
    let secret = SecretBytes::new(key);
    key.zeroize();
    Ok(secret)
}

/// The key file that is looked at: one that was named and is not there is no reason to pass over the one that is.
fn tried_file<'a>(path: &'a Path, ask: &'a dyn KeyPrompt) -> &'a Path {
    let named = ask.key_file().filter(|named| named.exists() || !path.exists());
    named.unwrap_or(path)
}

/// 32 bytes that nobody else can read.
fn read_file(place: &KeyPlace, path: &Path) -> Result<SecretBytes, StoreError> {
    let named = KeyPlace::File {
        path: path.to_owned(),
    };
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let moved = if *place == named {
                ""
            } else {
                " (named with --key-file)"
            };
            return Err(named.gone(format!(
                "it is not there{moved}: plug in the disk it is on, or name it with --key-file FILE"
            )));
        }
        Err(error) => return Err(StoreError::file("read", path)(error)),
    };
    let meta = file.metadata().map_err(StoreError::file("read", path))?;
    let mode = meta.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(named.gone(format!("its mode is {mode:04o}, not 0600: chmod 600 it")));
    }
    if meta.len() != KEY as u64 {
        return Err(named.gone(format!("it has {} bytes, not 32: name the right one", meta.len())));
    }
    let mut bytes = Zeroizing::new([0; KEY]);
    file.read_exact(&mut bytes[..])
        .map_err(StoreError::file("read", path))?;
    Ok(SecretBytes::new(*bytes))
}

/// A key beside what it opens protects nothing; only the demo, in which everybody is invented, does so.
fn refuse_inside(dir: &Path, path: &Path) -> Result<(), StoreError> {
    let (above, _) = split(path)?;
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if real(above).starts_with(real(dir)) && !demo::is_marked(dir) {
        return Err(StoreError::KeyAway {
            place: KeyPlace::File {
                path: path.to_owned(),
            }
            .to_string(),
            what: "it would lie in the folder that it opens: name one on another disk, or at least elsewhere"
                .to_owned(),
        });
    }
    Ok(())
}

fn split(path: &Path) -> Result<(&Path, &str), StoreError> {
    let name = path.file_name().and_then(|name| name.to_str());
    path.parent()
        .zip(name)
        .ok_or_else(|| StoreError::file("name", path)(ErrorKind::InvalidFilename.into()))
}
