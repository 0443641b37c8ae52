//! Sealing what leaves the process.
//!
//! What: [`EntryCipher`], from a group of writes to the bytes of an entry and back, and [`OwnerSubject`], the name under which a log keeps an
//! owner's. Why: whoever runs the log reads neither what is in it nor whose it is, and cannot put an entry in another's place. Not here: where
//! the seed comes from (`Vault` of `aura-memory`).

use crate::log::{LogPosition, SealedEntry};
use aura_memory::StoreWrite;
use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use rustix::rand::{GetRandomFlags, getrandom};
use std::{
    borrow::Borrow,
    fmt::{self, Write as _},
};
use toolcall_schema::ids::OwnerSeed;
use zeroize::Zeroizing;

/// Bytes of a nonce, which stands before what is sealed.
const NONCE: usize = 24;

/// What is sealed: a snapshot is not to be taken for an entry.
const ENTRY: &[u8] = b"aura journal log entry v1";
const SNAPSHOT: &[u8] = b"aura journal log snapshot v1";

/// Why something was not sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// Another owner's, of another position, or changed since it was sealed.
    #[error("what the log holds at {0} was not sealed by this owner for that place")]
    Foreign(LogPosition),
    /// It opens, and is no group of writes that this version knows.
    #[error("the entry at {0} cannot be read: {1}")]
    Unreadable(LogPosition, serde_json::Error),
    #[error("the group cannot be written down: {0}")]
    Unwritable(serde_json::Error),
    #[error("the system gives no random numbers: {0}")]
    NoRandom(std::io::Error),
    #[error("so many bytes cannot be sealed")]
    TooLong,
}

/// Under which name a log keeps an owner's: 32 hexadecimal digits that say nothing of who it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OwnerSubject(String);

impl OwnerSubject {
    /// Of the owner whose seed it is. The seed never changes, nor does this.
    pub fn derive(seed: &OwnerSeed) -> Self {
        let mac = seed.key("journal log subject v1").mac(&[]);
        let mut text = String::with_capacity(32);
        for byte in mac.iter().take(16) {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Which of so many parts of a log is the owner's. It is spread evenly.
    #[cfg(feature = "jetstream")]
    pub(crate) fn shard(&self, of: u16) -> u16 {
        let number = self
            .0
            .get(..8)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        u16::try_from(number.unwrap_or_default() % u32::from(of.max(1))).unwrap_or_default()
    }
}

/// Seals an owner's entries and opens them. Wiped when dropped.
pub struct EntryCipher {
    key: Zeroizing<[u8; 32]>,
    subject: OwnerSubject,
}

impl fmt::Debug for EntryCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EntryCipher(..)")
    }
}

impl EntryCipher {
    /// With the data key that an owner's seed leads to.
    pub fn derive(seed: &OwnerSeed) -> Self {
        Self {
            key: Zeroizing::new(seed.key("journal log data v1").mac(&[])),
            subject: OwnerSubject::derive(seed),
        }
    }

    pub fn subject(&self) -> &OwnerSubject {
        &self.subject
    }

    /// Seals the group that becomes the entry at a position. Twice the same group gives other bytes: who tries an append again needs the same entry.
    ///
    /// # Errors
    /// When the group has no JSON, or the system no random numbers.
    pub fn seal_group<W: Borrow<StoreWrite>>(
        &self,
        position: LogPosition,
        group: &[W],
    ) -> Result<SealedEntry, SealError> {
        let group: Vec<&StoreWrite> = group.iter().map(Borrow::borrow).collect();
        let plain = Zeroizing::new(serde_json::to_vec(&group).map_err(SealError::Unwritable)?);
        Ok(SealedEntry::from_bytes(self.seal(ENTRY, position, &plain)?))
    }

    /// The group that an entry holds.
    ///
    /// # Errors
    /// [`SealError::Foreign`] when it was sealed for another owner or position or changed since, [`SealError::Unreadable`].
    pub fn open_group(
        &self,
        position: LogPosition,
        entry: &SealedEntry,
    ) -> Result<Vec<StoreWrite>, SealError> {
        let plain = self.open(ENTRY, position, entry.bytes())?;
        serde_json::from_slice(&plain).map_err(|error| SealError::Unreadable(position, error))
    }

    /// Seals a snapshot of what the entries up to a position led to.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn seal_snapshot(&self, position: LogPosition, plain: &[u8]) -> Result<Vec<u8>, SealError> {
        self.seal(SNAPSHOT, position, plain)
    }

    /// What a snapshot holds.
    ///
    /// # Errors
    /// [`SealError::Foreign`].
    pub fn open_snapshot(
        &self,
        position: LogPosition,
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, SealError> {
        self.open(SNAPSHOT, position, sealed)
    }

    /// What is not kept but has to be the same when it is opened.
    fn seal_context(&self, kind: &[u8], position: LogPosition) -> Vec<u8> {
        [
            kind,
            self.subject.as_str().as_bytes(),
            &position.number().to_be_bytes(),
        ]
        .concat()
    }

    fn seal(&self, kind: &[u8], position: LogPosition, plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE];
        // Up to 256 bytes come whole.
        getrandom(&mut nonce[..], GetRandomFlags::empty())
            .map_err(|errno| SealError::NoRandom(errno.into()))?;
        let aad = self.seal_context(kind, position);
        let payload = Payload {
            msg: plain,
            aad: &aad,
        };
        let sealed = self
            .cipher()
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| SealError::TooLong)?;
        Ok([&nonce[..], &sealed].concat())
    }

    fn open(
        &self,
        kind: &[u8],
        position: LogPosition,
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let foreign = || SealError::Foreign(position);
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>().ok_or_else(foreign)?;
        let aad = self.seal_context(kind, position);
        let payload = Payload {
            msg: sealed,
            aad: &aad,
        };
        let plain = self.cipher().decrypt(&XNonce::from(*nonce), payload);
        plain.map(Zeroizing::new).map_err(|_| foreign())
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new((&*self.key).into())
    }
}
