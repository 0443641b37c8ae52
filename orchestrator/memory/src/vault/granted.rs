//! A folder with keys that came from another host.
//!
//! What: [`Vault::create_granted`], which makes one; what seals the keys of a log beside the seed, as the folder keeps it. Why: an owner is gone on with on a host
//! that had nothing of hers but what she granted it. Not here: granting, and what those roots are (`aura-hosts`).

use super::{FolderKeybox, NewPlace, Vault, has_key_already, keys::FolderKeys, look, plain};
use crate::{
    error::StoreError,
    files::{self, IfExists},
};
use std::{fs, io::ErrorKind, path::Path};
use toolcall_schema::ids::OwnerSeed;
use zeroize::Zeroizing;

/// The file with the roots of a log's keys.
pub(crate) const LOG_ROOTS: &str = "log-roots";
const SEALING: &str = "log roots v1";

/// The seed in what [`Vault::hand_over`] gave; `None`: it gave something else.
pub fn seed_of_keys(keys: &[u8]) -> Option<OwnerSeed> {
    settled_keys(keys).map(|keys| keys.seed)
}

/// Keys of a folder that is not being sealed anew.
fn settled_keys(keys: &[u8]) -> Option<FolderKeys> {
    FolderKeys::from_bytes(keys).filter(|keys| keys.before.is_none())
}

impl Vault {
    /// Makes a data folder (0700) whose keys are those of another one, as [`Self::hand_over`] gave them.
    ///
    /// # Errors
    /// STORE-005 when it has a key already, STORE-011 when it holds what another key has sealed, STORE-012 when these are no keys, STORE-013 when the key
    /// cannot be kept there, STORE-007 when it cannot be written.
    pub fn create_granted(dir: &Path, place: &NewPlace, keys: &[u8]) -> Result<Self, StoreError> {
        let keys = settled_keys(keys).ok_or_else(|| StoreError::WrongKey {
            dir: dir.to_owned(),
            place: "what was granted".to_owned(),
        })?;
        match look(dir)? {
            FolderKeybox::Nothing => Self::make_folder(dir, place, keys),
            FolderKeybox::Plain(_) => Err(plain(dir)),
            FolderKeybox::Box(..) => Err(has_key_already(dir)),
        }
    }

    /// What seals the keys of the folder's log beside its seed, as [`Self::keep_log_roots`] was given it; `None`: nothing does.
    ///
    /// # Errors
    /// STORE-007 when it cannot be read, STORE-019 when it was changed.
    pub fn log_roots(&self) -> Result<Option<Zeroizing<Vec<u8>>>, StoreError> {
        let file = self.dir().join(LOG_ROOTS);
        let sealed = match fs::read(&file) {
            Ok(sealed) => sealed,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::file("read", &file)(error)),
        };
        let opened = self.lasting_key_of(SEALING).unseal(SEALING.as_bytes(), &sealed);
        opened.map(Some).ok_or_else(|| StoreError::LogUnfit {
            dir: self.dir().to_owned(),
            what: "its file log-roots was changed, or is another owner's: have the owner granted to this host again",
        })
    }

    /// Keeps it, sealed; on disk when this returns.
    ///
    /// # Errors
    /// STORE-007 when it cannot be written.
    pub fn keep_log_roots(&self, roots: &[u8]) -> Result<(), StoreError> {
        let sealed = self.lasting_key_of(SEALING).seal(SEALING.as_bytes(), roots)?;
        files::write_atomic(self.dir(), LOG_ROOTS, &sealed, IfExists::Replace).map(drop)
    }
}
