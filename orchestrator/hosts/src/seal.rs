//! Sealing what leaves the process.
//!
//! What: [`EntryCipher`], from a group of writes to the bytes of an entry and back, and the same for the parts of a snapshot; [`KeyCipher`], which seals the
//! key of that; [`OwnerSubject`], the name under which a log keeps an owner's. Why: whoever runs the log reads neither what is in it nor whose it is, and
//! cannot put an entry in another's place; and once a key is destroyed, what it sealed is gone wherever it still lies. Not here: where the seed comes from
//! (`Vault` of `aura-memory`), when a key is replaced (`owner_log`).
//!
//! ```text
//! key:    <nonce: 24> <sealed: 32 random bytes>                       with a key of the owner's seed and root (`roots`)
//! entry:  <number of its key: 4, big endian> <nonce: 24> <sealed: {"format": …, "writes": […]}>
//! part:   <number of its key: 4, big endian> <id of its snapshot: 16> <nonce: 24> <sealed>
//! ```

use crate::{
    log::{LogPosition, SealedEntry},
    roots::{LogRoot, LogRoots},
};
use aura_memory::{StoreWrite, WRITES_FORMAT};
use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};
use rustix::rand::{GetRandomFlags, getrandom};
use std::{borrow::Borrow, fmt};
use toolcall_schema::ids::{OwnerSeed, hex, hmac_sha256};
use zeroize::Zeroizing;

/// Bytes of a nonce, which stands before what is sealed.
const NONCE: usize = 24;

/// Bytes of the number of a key.
const NUMBER: usize = 4;
/// Bytes of the id of a snapshot.
const ID: usize = 16;

/// What is sealed: one is not to be taken for another.
const HOLDER: &[u8] = b"aura lease holder v1";
const KEY: &[u8] = b"aura journal log key v1";
const RECORD: &[u8] = b"aura owner record v1";
const ENTRY: &[u8] = b"aura journal log entry v2";
const SNAPSHOT: &[u8] = b"aura journal log snapshot v2";

/// What sealing adds to a part of a snapshot.
pub(crate) const PART_SEAL: usize = NUMBER + ID + NONCE + 16;

/// Why something was not sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// Another owner's, of another position, or changed since it was sealed.
    #[error("what the log holds at {0} was not sealed by this owner for that place")]
    Foreign(LogPosition),
    /// It opens, and is no group of writes that this version knows.
    #[error("the entry at {0} cannot be read: {1}")]
    Unreadable(LogPosition, serde_json::Error),
    /// It may hold what this version does not know, and is not read in part.
    #[error("the entry at {0} is of format {1}, and this version knows up to {known}", known = known_format())]
    Newer(LogPosition, u32),
    /// Another owner's, of another number, or changed since.
    #[error("the data key {0} was not sealed by this owner")]
    ForeignKey(u32),
    #[error("the group cannot be written down: {0}")]
    Unwritable(serde_json::Error),
    #[error("the system gives no random numbers: {0}")]
    NoRandom(std::io::Error),
    #[error("so many bytes cannot be sealed")]
    TooLong,
    /// Nothing that is sealed to it would be secret.
    #[error("that is no public key of a host")]
    WeakKey,
}

/// Under which name a log keeps an owner's: 32 hexadecimal digits that say nothing of who it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OwnerSubject(String);

impl OwnerSubject {
    /// Of the owner whose seed it is. The seed never changes, nor does this.
    pub fn derive(seed: &OwnerSeed) -> Self {
        Self(mac_text(&seed.key("journal log subject v1").mac(&[])))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Which of so many parts of a log is the owner's. It is spread evenly.
    /// As a log gave it back; `None`: it is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        is_mac_text(text).then(|| Self(text.to_owned()))
    }

    #[cfg(feature = "jetstream")]
    pub(crate) fn shard(&self, of: u16) -> u16 {
        let number = self
            .0
            .get(..8)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        u16::try_from(number.unwrap_or_default() % u32::from(of.max(1))).unwrap_or_default()
    }
}

/// The first 16 bytes of a MAC as 32 hexadecimal digits: a name that says nothing.
pub(crate) fn mac_text(mac: &[u8; 32]) -> String {
    let (name, _) = mac.split_at(16);
    hex(name)
}

pub(crate) fn is_mac_text(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A process that runs an owner.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LeaseHolder {
    /// The machine's name.
    pub host: String,
    pub process: u32,
    /// When it began (its own clock).
    pub since: String,
}

pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok();
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}

/// Makes an owner's data keys and opens them. Wiped when dropped.
pub struct KeyCipher {
    /// What all who have her seed open: who runs her.
    seal: DataSeal,
    /// What seals her data keys, the newest last.
    key_seals: Vec<DataSeal>,
    subject: OwnerSubject,
}

impl fmt::Debug for KeyCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyCipher(..)")
    }
}

impl KeyCipher {
    /// With the key that an owner's seed leads to: for a log that was never taken from a host.
    pub fn derive(seed: &OwnerSeed) -> Self {
        Self::derive_with(seed, &LogRoots::default())
    }

    /// With the keys that an owner's seed and these roots lead to.
    pub fn derive_with(seed: &OwnerSeed, roots: &LogRoots) -> Self {
        let key = seed.key("journal log data v1");
        let seal_of = |root: &LogRoot| {
            let mac = if root.is_first() {
                key.mac(&[])
            } else {
                key.mac(&[&*root.0])
            };
            DataSeal::new(mac)
        };
        Self {
            seal: DataSeal::new(key.mac(&[])),
            key_seals: roots.all().map(seal_of).collect(),
            subject: OwnerSubject::derive(seed),
        }
    }

    pub fn subject(&self) -> &OwnerSubject {
        &self.subject
    }

    /// A new data key, sealed.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn make_key(&self, number: u32) -> Result<Vec<u8>, SealError> {
        let key = Zeroizing::new(random::<32>()?);
        // There is always one.
        let newest = self.key_seals.last().unwrap_or(&self.seal);
        newest.close(&self.key_context(number), &*key)
    }

    /// The cipher of a data key.
    ///
    /// # Errors
    /// [`SealError::ForeignKey`]
    pub fn open_key(&self, number: u32, sealed: &[u8]) -> Result<EntryCipher, SealError> {
        let context = self.key_context(number);
        let plain = self
            .key_seals
            .iter()
            .rev()
            .find_map(|seal| seal.open(&context, sealed));
        let key = plain.and_then(|plain| Some(Zeroizing::new(<[u8; 32]>::try_from(plain.as_slice()).ok()?)));
        Ok(EntryCipher {
            number,
            seal: DataSeal(key.ok_or(SealError::ForeignKey(number))?),
            subject: self.subject.clone(),
        })
    }

    /// Seals what goes to all hosts of the owner beside her log.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub(crate) fn seal_record(&self, plain: &[u8]) -> Result<Vec<u8>, SealError> {
        // There is always one.
        let newest = self.key_seals.last().unwrap_or(&self.seal);
        newest.close(&self.record_context(), plain)
    }

    /// `None`: it was sealed by who is no host of hers, or not any more.
    pub(crate) fn open_record(&self, sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let context = self.record_context();
        let mut seals = self.key_seals.iter().rev();
        seals.find_map(|seal| seal.open(&context, sealed))
    }

    /// What tells a process from all others in a lease, and what it is for who has the owner's key.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn seal_holder(&self, holder: &LeaseHolder) -> Result<String, SealError> {
        let plain = serde_json::to_vec(holder).map_err(SealError::Unwritable)?;
        Ok(hex(&self.seal.close(&self.holder_context(), &plain)?))
    }

    /// Who has a lease; `None`: it was not written by this owner's hosts.
    pub fn open_holder(&self, holder: &str) -> Option<LeaseHolder> {
        let sealed = unhex(holder)?;
        let plain = self.seal.open(&self.holder_context(), &sealed)?;
        serde_json::from_slice(&plain).ok()
    }

    fn record_context(&self) -> Vec<u8> {
        [RECORD, self.subject.as_str().as_bytes()].concat()
    }

    fn holder_context(&self) -> Vec<u8> {
        [HOLDER, self.subject.as_str().as_bytes()].concat()
    }

    fn key_context(&self, number: u32) -> Vec<u8> {
        [KEY, self.subject.as_str().as_bytes(), &number.to_be_bytes()].concat()
    }
}

/// Up to which format this version writes and reads.
#[cfg(not(debug_assertions))]
fn known_format() -> u32 {
    WRITES_FORMAT
}

/// The same; for tests of two versions it is the number that `AURA_TEST_WRITES_FORMAT` names.
#[cfg(debug_assertions)]
fn known_format() -> u32 {
    let named = std::env::var("AURA_TEST_WRITES_FORMAT").ok();
    named
        .and_then(|number| number.parse().ok())
        .unwrap_or(WRITES_FORMAT)
}

/// What is sealed in an entry.
#[derive(serde::Serialize, serde::Deserialize)]
struct SealedWrites<W> {
    format: u32,
    writes: Vec<W>,
}

#[derive(serde::Deserialize)]
struct EntryFormat {
    format: u32,
}

/// Seals an owner's entries and snapshots with one data key and opens them. Wiped when dropped.
pub struct EntryCipher {
    number: u32,
    seal: DataSeal,
    subject: OwnerSubject,
}

impl fmt::Debug for EntryCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EntryCipher(..)")
    }
}

/// The number of the key that something was sealed with.
pub fn key_number(sealed: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(*sealed.first_chunk()?))
}

/// Which part of which snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartPlace {
    /// Of the snapshot, at random.
    pub id: [u8; ID],
    pub position: LogPosition,
    /// From 0.
    pub part: u64,
    pub is_last: bool,
}

impl PartPlace {
    /// The first part of a new snapshot.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn first(position: LogPosition) -> Result<Self, SealError> {
        Ok(Self {
            id: random()?,
            position,
            part: 0,
            is_last: false,
        })
    }
}

impl EntryCipher {
    /// Of its key.
    pub fn number(&self) -> u32 {
        self.number
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
        let group = SealedWrites {
            format: known_format(),
            writes: group,
        };
        let plain = Zeroizing::new(serde_json::to_vec(&group).map_err(SealError::Unwritable)?);
        self.seal_plain(position, &plain)
    }

    /// Seals an entry, whatever it holds.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn seal_plain(&self, position: LogPosition, plain: &[u8]) -> Result<SealedEntry, SealError> {
        let sealed = self.seal.close(&self.entry_context(position), plain)?;
        Ok(SealedEntry::from_bytes(
            [&self.number.to_be_bytes()[..], &sealed].concat(),
        ))
    }

    /// The group that an entry holds.
    ///
    /// # Errors
    /// [`SealError::Foreign`] when it was sealed for another owner or position or changed since, [`SealError::Newer`], [`SealError::Unreadable`].
    pub fn open_group(
        &self,
        position: LogPosition,
        entry: &SealedEntry,
    ) -> Result<Vec<StoreWrite>, SealError> {
        let sealed = entry.bytes().get(NUMBER..).unwrap_or_default();
        let plain = self.seal.open(&self.entry_context(position), sealed);
        let plain = plain.ok_or(SealError::Foreign(position))?;
        let unreadable = |error| SealError::Unreadable(position, error);
        // As entries were before they said their format.
        if plain.first() == Some(&b'[') {
            return serde_json::from_slice(&plain).map_err(unreadable);
        }
        // First: what a newer version wrote need not be a group of this one's.
        let EntryFormat { format } = serde_json::from_slice(&plain).map_err(unreadable)?;
        if format > known_format() {
            return Err(SealError::Newer(position, format));
        }
        let group: SealedWrites<StoreWrite> = serde_json::from_slice(&plain).map_err(unreadable)?;
        Ok(group.writes)
    }

    /// What nobody knows who has not this key, and that no other entry has.
    pub fn salt(&self, position: LogPosition, entry: &[u8]) -> [u8; 32] {
        let nonce = entry.get(NUMBER..NUMBER + NONCE).unwrap_or_default();
        let key = hmac_sha256(&self.seal.0, &[b"aura journal log salt v1"]);
        hmac_sha256(&key, &[&position.number().to_be_bytes(), nonce])
    }

    /// Seals a part of a snapshot of what the entries up to a position led to.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn seal_part(&self, place: PartPlace, plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let sealed = self.seal.close(&self.part_context(place), plain)?;
        Ok([&self.number.to_be_bytes()[..], &place.id, &sealed].concat())
    }

    /// What a part of a snapshot holds.
    ///
    /// # Errors
    /// [`SealError::Foreign`].
    pub fn open_part(&self, place: PartPlace, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let sealed = sealed.get(NUMBER + ID..).unwrap_or_default();
        let plain = self.seal.open(&self.part_context(place), sealed);
        plain.ok_or(SealError::Foreign(place.position))
    }

    /// What is not kept but has to be the same when it is opened.
    fn entry_context(&self, position: LogPosition) -> Vec<u8> {
        let (subject, number) = (self.subject.as_str().as_bytes(), self.number.to_be_bytes());
        [ENTRY, subject, &number, &position.number().to_be_bytes()].concat()
    }

    fn part_context(&self, place: PartPlace) -> Vec<u8> {
        [
            SNAPSHOT,
            self.subject.as_str().as_bytes(),
            &self.number.to_be_bytes(),
            &place.position.number().to_be_bytes(),
            &place.id,
            &place.part.to_be_bytes(),
            &[u8::from(place.is_last)],
        ]
        .concat()
    }
}

/// The id of the snapshot that a part says it is of.
pub(crate) fn snapshot_id(sealed: &[u8]) -> Option<[u8; ID]> {
    sealed.get(NUMBER..)?.first_chunk().copied()
}

/// A key and what is done with it.
pub(crate) struct DataSeal(Zeroizing<[u8; 32]>);

impl DataSeal {
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self(Zeroizing::new(key))
    }

    pub(crate) fn close(&self, about: &[u8], plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let nonce = random::<NONCE>()?;
        let payload = Payload {
            msg: plain,
            aad: about,
        };
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), payload);
        Ok([&nonce[..], &sealed.map_err(|_| SealError::TooLong)?].concat())
    }

    pub(crate) fn open(&self, about: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let payload = Payload {
            msg: sealed,
            aad: about,
        };
        let plain = self.cipher().decrypt(&XNonce::from(*nonce), payload).ok()?;
        Some(Zeroizing::new(plain))
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new((&*self.0).into())
    }
}

pub(crate) fn random<const N: usize>() -> Result<[u8; N], SealError> {
    let mut bytes = [0; N];
    // Up to 256 bytes come whole.
    getrandom(&mut bytes[..], GetRandomFlags::empty()).map_err(|errno| SealError::NoRandom(errno.into()))?;
    Ok(bytes)
}
