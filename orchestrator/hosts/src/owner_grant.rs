//! What an owner grants to a host.
//!
//! What: [`OwnerGrant`], all by which another host opens her log and the folder that is made of it, sealed to that host and to nobody else, and back;
//! [`SealedGrant`], as a log keeps it; [`GrantError`], each kind with its code and page in `docs/errors`. Why: her keys reach a host by her word alone,
//! through a log that sees neither them nor her name. Not here: where grants are kept (`grants`), what a host does with one (the program).
//!
//! ```text
//! grant:  <1> <granted: 8, ms> <keys of her folder: 64> <how many roots: 1> <roots: 32 each> <name>      sealed to the host
//! note:   <public key of the host: 32> <granted: 8, ms> <name>                                            with a key of her seed
//! ```
//!
//! Both are about her subject and the host's address, and open nowhere else. Who has not her seed cannot make a grant that is taken for hers: it would hold
//! another seed, which leads to another subject.

use crate::{
    host_key::{HostAddress, HostKey, HostPublicKey},
    roots::LogRoots,
    seal::{DataSeal, OwnerSubject, SealError},
};
use aura_memory::{Vault, vault::seed_of_keys};
use std::fmt;
use toolcall_schema::{Timestamp, ids::OwnerSeed};
use zeroize::Zeroizing;

const VERSION: u8 = 1;
/// Bytes of the keys of a folder.
const KEYS: usize = 64;
/// Bytes of the length of the first half of a sealed grant.
const LENGTH: usize = 4;
const ABOUT_GRANT: &[u8] = b"aura host grant v1";
const ABOUT_NOTE: &[u8] = b"aura host grant note v1";

/// Why a grant was not taken.
#[derive(Debug, thiserror::Error)]
pub enum GrantError {
    #[error(
        "GRANT-001: it was not made for this host and this owner, or was changed since: have her granted again"
    )]
    Foreign,
    #[error(
        "GRANT-002: it is of {granted}, and this host has taken one of {taken} of hers: have her granted again"
    )]
    Older { granted: Timestamp, taken: Timestamp },
    #[error("GRANT-003: {0}")]
    Unfit(&'static str),
}

/// All by which a host opens an owner's log and her folder. Wiped when dropped.
pub struct OwnerGrant {
    /// As her host calls her.
    pub name: String,
    pub granted: Timestamp,
    pub roots: LogRoots,
    keys: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for OwnerGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnerGrant")
            .field("granted", &self.granted)
            .finish_non_exhaustive()
    }
}

impl OwnerGrant {
    /// What an owner's folder is opened with.
    pub fn of_folder(vault: &Vault, roots: LogRoots, name: String, granted: Timestamp) -> Self {
        Self {
            name,
            granted,
            roots,
            keys: vault.hand_over(),
        }
    }

    /// The keys of her folder, as [`Vault::create_granted`] takes them.
    pub fn keys(&self) -> &[u8] {
        &self.keys
    }

    /// Whose it is; `None`: its keys are none.
    fn subject(&self) -> Option<OwnerSubject> {
        Some(OwnerSubject::derive(&seed_of_keys(&self.keys)?))
    }

    /// Sealed to a host, with a note for the owner.
    ///
    /// # Errors
    /// When the system has no random numbers, or the host's key is none.
    pub fn seal(&self, seed: &OwnerSeed, host: &HostPublicKey) -> Result<SealedGrant, SealError> {
        let place = GrantPlace {
            owner: OwnerSubject::derive(seed),
            host: host.address(),
        };
        let granted = self.granted.ms().to_be_bytes();
        let note = [&host.bytes()[..], &granted, self.name.as_bytes()].concat();
        Ok(SealedGrant {
            grant: host.seal(&place.seal_context(ABOUT_GRANT), &self.to_bytes())?,
            note: note_seal(seed).close(&place.seal_context(ABOUT_NOTE), &note)?,
            place,
        })
    }

    fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let roots = self.roots.to_bytes();
        let count = u8::try_from(self.roots.all().count()).unwrap_or(u8::MAX);
        let mut bytes = Zeroizing::new(Vec::with_capacity(1024));
        bytes.push(VERSION);
        bytes.extend_from_slice(&self.granted.ms().to_be_bytes());
        bytes.extend_from_slice(&self.keys);
        bytes.push(count);
        bytes.extend_from_slice(&roots);
        bytes.extend_from_slice(self.name.as_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&[VERSION])?;
        let (granted, rest) = rest.split_first_chunk()?;
        let (keys, rest) = rest.split_at_checked(KEYS)?;
        let (&count, rest) = rest.split_first()?;
        let (roots, name) = rest.split_at_checked(usize::from(count) * 32)?;
        Some(Self {
            name: String::from_utf8(name.to_vec()).ok()?,
            granted: Timestamp::from_ms(i64::from_be_bytes(*granted)),
            roots: LogRoots::from_bytes(roots)?,
            keys: Zeroizing::new(keys.to_vec()),
        })
    }
}

/// Whose grant it is, and for which host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantPlace {
    pub owner: OwnerSubject,
    pub host: HostAddress,
}

impl GrantPlace {
    fn seal_context(&self, what: &[u8]) -> Vec<u8> {
        [
            what,
            self.owner.as_str().as_bytes(),
            self.host.as_str().as_bytes(),
        ]
        .concat()
    }
}

/// A grant as a log keeps it, with a note by which its owner knows the host again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedGrant {
    pub place: GrantPlace,
    grant: Vec<u8>,
    note: Vec<u8>,
}

/// To whom an owner granted herself, when, and under which name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantNote {
    pub host: HostPublicKey,
    pub granted: Timestamp,
    pub name: String,
}

impl SealedGrant {
    /// The bytes for a log.
    pub fn to_bytes(&self) -> Vec<u8> {
        let length = u32::try_from(self.grant.len()).unwrap_or(u32::MAX).to_be_bytes();
        [&length[..], &self.grant, &self.note].concat()
    }

    /// As a log gave them back. What is no grant opens for nobody.
    pub fn from_bytes(place: GrantPlace, bytes: &[u8]) -> Self {
        let halves = bytes.split_first_chunk::<LENGTH>().and_then(|(length, rest)| {
            let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
            rest.split_at_checked(length)
        });
        let (grant, note) = halves.unwrap_or_default();
        Self {
            place,
            grant: grant.to_vec(),
            note: note.to_vec(),
        }
    }

    /// What it holds for this host.
    ///
    /// # Errors
    /// [`GrantError::Foreign`]
    pub fn open(&self, key: &HostKey) -> Result<OwnerGrant, GrantError> {
        let plain = key.open(&self.place.seal_context(ABOUT_GRANT), &self.grant);
        let grant = plain.and_then(|plain| OwnerGrant::from_bytes(&plain));
        let is_hers = |grant: &OwnerGrant| grant.subject().as_ref() == Some(&self.place.owner);
        grant.filter(is_hers).ok_or(GrantError::Foreign)
    }

    /// What it says to its owner; `None`: it was not made by who has her seed.
    pub fn note(&self, seed: &OwnerSeed) -> Option<GrantNote> {
        let plain = note_seal(seed).open(&self.place.seal_context(ABOUT_NOTE), &self.note)?;
        let (host, rest) = plain.split_first_chunk()?;
        let (granted, name) = rest.split_first_chunk()?;
        let note = GrantNote {
            host: HostPublicKey::from_bytes(*host),
            granted: Timestamp::from_ms(i64::from_be_bytes(*granted)),
            name: String::from_utf8(name.to_vec()).ok()?,
        };
        (note.host.address() == self.place.host).then_some(note)
    }
}

fn note_seal(seed: &OwnerSeed) -> DataSeal {
    DataSeal::new(seed.key("host grant note v1").mac(&[]))
}
