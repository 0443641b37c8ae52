//! A change of the key that is prepared where its owner is asked, and done where nobody is.
//!
//! What: [`KeyChange`], both places of the key with what opens the box there. Why: a service that runs on the folder seals it anew, but
//! only the command that its owner typed knows the old passphrase and the new one; neither leaves that command. Not here: sealing
//! (`reseal`).

use super::{
    FolderKeybox, KeyPrompt, NewPlace, Vault, asked,
    keybox::{KeyBox, OpenedKeybox},
    keys::SecretBytes,
    look, make_key,
    place::KeyPlace,
};
use crate::error::StoreError;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The keys that open the box, before and after. `Debug` prints neither.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyChange {
    pub(super) old: KeyPlace,
    #[serde(with = "text")]
    pub(super) old_key: SecretBytes,
    pub(super) new: KeyPlace,
    #[serde(with = "text")]
    pub(super) new_key: SecretBytes,
}

impl KeyChange {
    /// Opens the box of a folder, and makes the new key in its place. The folder is not changed.
    ///
    /// # Errors
    /// As [`Vault::open`]; STORE-013 when the key cannot be kept in the new place.
    pub fn prepare(dir: &Path, ask: &dyn KeyPrompt, place: &NewPlace) -> Result<Self, StoreError> {
        let no_key = || StoreError::NoKey { dir: dir.to_owned() };
        let FolderKeybox::Box(mut found, mut held) = look(dir)? else {
            // Says what is the matter.
            return Err(Vault::open(dir, ask).err().unwrap_or_else(no_key));
        };
        let mut opened = found.open(dir, &asked(dir, ask))?;
        if opened.keys.before.is_some() {
            drop(held);
            // One that was interrupted is gone on with first.
            drop(Vault::open(dir, ask)?);
            let FolderKeybox::Box(after, held_after) = look(dir)? else {
                return Err(no_key());
            };
            (found, held) = (after, held_after);
            opened = found.open(dir, &asked(dir, ask))?;
        }
        drop(held);
        let (new, new_key) = make_key(place, dir)?;
        Ok(Self {
            old: opened.place,
            old_key: opened.key,
            new,
            new_key,
        })
    }

    /// Where the key is kept afterwards.
    pub fn place(&self) -> &KeyPlace {
        &self.new
    }

    /// Takes the new key out of its place again, unless the folder is sealed with it.
    pub fn abandon(&self, dir: &Path) {
        if super::places(dir).contains(&self.new) {
            return;
        }
        if let Err(error) = self.new.destroy() {
            tracing::warn!(
                code = error.code(),
                "the new key could not be removed from where it was to be kept"
            );
        }
    }

    /// The folder's keys, also after a change that was interrupted.
    pub(super) fn open(&self, found: &KeyBox, dir: &Path) -> Result<OpenedKeybox, StoreError> {
        let with = |place: &KeyPlace, key: &SecretBytes| {
            let keys = found.open_with(place, key)?;
            let (place, key) = (place.clone(), key.clone());
            Some(OpenedKeybox { place, key, keys })
        };
        with(&self.old, &self.old_key)
            .or_else(|| with(&self.new, &self.new_key))
            .ok_or_else(|| StoreError::WrongKey {
                dir: dir.to_owned(),
                place: self.old.to_string(),
            })
    }
}

/// 32 bytes as base64, wiped when they are no longer needed.
mod text {
    use super::SecretBytes;
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use zeroize::Zeroizing;

    pub(super) fn serialize<S: Serializer>(key: &SecretBytes, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&Zeroizing::new(STANDARD.encode(key.bytes())))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<SecretBytes, D::Error> {
        let text = Zeroizing::new(String::deserialize(d)?);
        let bytes = STANDARD.decode(text.as_bytes()).map(Zeroizing::new);
        let key = bytes.ok().and_then(|bytes| SecretBytes::from_slice(&bytes));
        key.ok_or_else(|| D::Error::custom("not 32 bytes"))
    }
}
