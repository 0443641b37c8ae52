//! Keys in memory, and what is sealed with them.
//!
//! What: [`SecretBytes`], 256 bits that are wiped when dropped; [`FolderKeys`], what a data folder is opened with; sealing bytes
//! (XChaCha20-Poly1305, a random nonce each). Why: a key is never printed, and each use has a key of its own. Not here: where
//! keys are kept (`place`), the file (`keybox`).

use crate::error::StoreError;
use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use rustix::rand::{GetRandomFlags, getrandom};
use std::{fmt::Write as _, path::Path};
use toolcall_schema::ids::{OwnerSeed, hmac_sha256};
use zeroize::Zeroizing;

/// Bytes of a key.
pub(crate) const KEY: usize = 32;
/// Bytes of a nonce, which stands before what is sealed.
const NONCE: usize = 24;

/// 256 secret bits. Wiped when dropped.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SecretBytes(Zeroizing<[u8; KEY]>);

impl std::fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretBytes(..)")
    }
}

impl SecretBytes {
    pub(crate) fn new(bytes: [u8; KEY]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// A new one.
    pub(crate) fn random() -> Result<Self, StoreError> {
        Ok(Self::new(random()?))
    }

    /// From exactly 32 bytes.
    pub(crate) fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self::new)
    }

    pub(crate) fn bytes(&self) -> &[u8; KEY] {
        &self.0
    }

    /// A key for one use: HMAC-SHA256 of the use's name.
    pub(crate) fn derive(&self, usage: &str) -> Self {
        Self::new(hmac_sha256(self.bytes(), &[usage.as_bytes()]))
    }

    /// Seals bytes; `about` is not kept, but has to be the same when they are opened.
    pub(crate) fn seal(&self, about: &[u8], plain: &[u8]) -> Result<Vec<u8>, StoreError> {
        let nonce: [u8; NONCE] = random()?;
        let payload = Payload {
            msg: plain,
            aad: about,
        };
        // Only a message of 256 GiB and more is refused.
        let sealed = self
            .cipher()
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| {
                StoreError::file("seal", Path::new("a message"))(std::io::ErrorKind::FileTooLarge.into())
            })?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// What was sealed; `None` when it was sealed with another key, about something else, or changed since.
    pub(crate) fn unseal(&self, about: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let payload = Payload {
            msg: sealed,
            aad: about,
        };
        let plain = self.cipher().decrypt(&XNonce::from(*nonce), payload).ok()?;
        Some(Zeroizing::new(plain))
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(self.bytes().into())
    }
}

/// Random bytes of the system's.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    // Up to 256 bytes come whole.
    getrandom(&mut bytes[..], GetRandomFlags::empty())
        .map_err(|errno| StoreError::file("read", Path::new("the system's random numbers"))(errno.into()))?;
    Ok(bytes)
}

/// What a data folder is opened with.
#[derive(Debug, Clone)]
pub(crate) struct FolderKeys {
    /// What the files are sealed with.
    pub(crate) data: SecretBytes,
    /// What ids and capabilities derive from. Never changes.
    pub(crate) seed: OwnerSeed,
    pub(super) seed_bytes: SecretBytes,
    /// What some files may still be sealed with, while all are sealed anew.
    pub(super) before: Option<PreviousSeal>,
}

/// What a folder was sealed with before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PreviousSeal {
    /// Nothing: an earlier Aura wrote it.
    Plain,
    /// Another data key.
    Key(SecretBytes),
}

impl FolderKeys {
    pub(crate) fn new(data: SecretBytes, seed: SecretBytes) -> Self {
        Self {
            data,
            seed: OwnerSeed::from_bytes(*seed.bytes()),
            seed_bytes: seed,
            before: None,
        }
    }

    pub(crate) fn random() -> Result<Self, StoreError> {
        Ok(Self::new(SecretBytes::random()?, SecretBytes::random()?))
    }

    /// 64 bytes; 96 while the folder is sealed anew, the last 32 being zero when it was plain.
    pub(crate) fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        const PLAIN: [u8; KEY] = [0; KEY];
        let before = match &self.before {
            None => &[][..],
            Some(PreviousSeal::Plain) => &PLAIN,
            Some(PreviousSeal::Key(key)) => key.bytes(),
        };
        let mut bytes = Zeroizing::new(Vec::with_capacity(3 * KEY));
        for part in [self.data.bytes(), self.seed_bytes.bytes(), before] {
            bytes.extend_from_slice(part);
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (data, rest) = bytes.split_at_checked(KEY)?;
        let (seed, before) = rest.split_at_checked(KEY)?;
        let mut keys = Self::new(SecretBytes::from_slice(data)?, SecretBytes::from_slice(seed)?);
        if !before.is_empty() {
            let key = SecretBytes::from_slice(before)?;
            let plain = key.bytes() == &[0; KEY];
            keys.before = Some(if plain {
                PreviousSeal::Plain
            } else {
                PreviousSeal::Key(key)
            });
        }
        Some(keys)
    }
}

/// The key of one database file, as `SQLCipher` takes it: 64 hex digits of key and 32 of salt. The salt is derived too, so
/// that a file whose first page is lost can still be opened.
pub(crate) struct DatabaseKey(Zeroizing<String>);

impl std::fmt::Debug for DatabaseKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DatabaseKey(..)")
    }
}

impl DatabaseKey {
    /// Of the file of that name, under a data key.
    pub(crate) fn derive(data: &SecretBytes, file: &str) -> Self {
        let key = data.derive(&format!("database {file} v1"));
        let salt = data.derive(&format!("salt of {file} v1"));
        let bytes = key.bytes().iter().chain(salt.bytes().iter().take(16));
        let mut text = Zeroizing::new(String::with_capacity(99));
        text.push_str("x'");
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text.push('\'');
        Self(text)
    }

    /// For `PRAGMA key = …` and `ATTACH … KEY …`, between double quotes.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_only_with_its_key_and_about_the_same_and_unchanged() {
        let (key, other) = (SecretBytes::new([1; KEY]), SecretBytes::new([2; KEY]));
        let sealed = key.seal(b"about", b"words").unwrap();
        assert_eq!(key.unseal(b"about", &sealed).unwrap().as_slice(), b"words");
        assert!(!sealed.windows(5).any(|part| part == b"words"));
        assert_ne!(key.seal(b"about", b"words").unwrap(), sealed);
        assert!(other.unseal(b"about", &sealed).is_none());
        assert!(key.unseal(b"else", &sealed).is_none());
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(key.unseal(b"about", &changed).is_none(), "byte {at}");
            assert!(key.unseal(b"about", &sealed[..at]).is_none(), "cut at {at}");
        }
    }

    #[test]
    fn keys_are_kept_as_64_or_96_bytes_and_never_shown() {
        let mut keys = FolderKeys::new(SecretBytes::new([1; KEY]), SecretBytes::new([2; KEY]));
        assert_eq!(keys.to_bytes().as_slice(), [[1; KEY], [2; KEY]].concat());
        for before in [PreviousSeal::Plain, PreviousSeal::Key(SecretBytes::new([3; KEY]))] {
            keys.before = Some(before.clone());
            let bytes = keys.to_bytes();
            assert_eq!(bytes.len(), 96);
            assert_eq!(FolderKeys::from_bytes(&bytes).unwrap().before, Some(before));
        }
        for wrong in [0, 31, 63, 65, 95, 97] {
            assert!(FolderKeys::from_bytes(&vec![0; wrong]).is_none(), "{wrong}");
        }
        let shown = format!("{keys:?} {:?}", DatabaseKey::derive(&keys.data, "aura.db"));
        assert!(!shown.contains("01") && !shown.contains("1, 1"), "{shown}");
    }
}
