//! A host's key pair.
//!
//! What: [`HostKey`], X25519, kept in a file; [`HostPublicKey`], to which anybody can seal what only that host opens; [`HostAddress`], where a log keeps
//! what is for it. Why: what an owner grants to a host passes through a log that is somebody else's. Not here: what is granted (`owner_grant`).
//!
//! ```text
//! <ephemeral public key: 32> <nonce: 24> <sealed>
//! ```
//!
//! It is sealed with HKDF-SHA256 (RFC 5869, one block) of what X25519 (RFC 7748) makes of an ephemeral key pair and the host's, with both public keys as its info.
//! The log never sees a host's public key, and nobody finds it from the address: who was not told it cannot grant anything to the host.

use crate::{
    private_file::{ExistingFile, write_private},
    seal::{DataSeal, SealError, is_mac_text, mac_text, random, unhex},
};
use curve25519_dalek::MontgomeryPoint;
use std::{
    fmt,
    fs::File,
    io::{self, Read as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};
use toolcall_schema::ids::{hex, hmac_sha256};
use zeroize::Zeroizing;

/// Bytes of either half.
const KEY: usize = 32;
/// Bytes by which a key that was copied wrongly is noticed.
const CHECK: usize = 4;
/// A public key as text begins so.
const TEXT: &str = "aura-host-";
const SEALING: &[u8] = b"aura host sealing key v1";
/// Digits of a fingerprint between two hyphens, and how many it has.
const GROUP: usize = 4;
const FINGERPRINT: usize = 24;

/// The secret half. Wiped when dropped, never printed.
pub struct HostKey(Zeroizing<[u8; KEY]>);

impl fmt::Debug for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostKey(..)")
    }
}

impl HostKey {
    /// A new one.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn generate() -> Result<Self, SealError> {
        Ok(Self(Zeroizing::new(random()?)))
    }

    /// The one in a file of 32 bytes and mode 0600.
    ///
    /// # Errors
    /// The file cannot be read, is open to others or holds something else.
    pub fn load(file: &Path) -> io::Result<Self> {
        let mut opened = File::open(file)?;
        let meta = opened.metadata()?;
        if meta.permissions().mode() & 0o077 != 0 || meta.len() != KEY as u64 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a host's key is 32 bytes with mode 0600",
            ));
        }
        let mut key = Zeroizing::new([0; KEY]);
        opened.read_exact(&mut key[..])?;
        Ok(Self(key))
    }

    /// The same; made, whole or not at all, where there is none. Who comes second has that of who came first.
    ///
    /// # Errors
    /// As [`Self::load`]; it cannot be written.
    pub fn load_or_make(file: &Path) -> io::Result<Self> {
        if file.exists() {
            return Self::load(file);
        }
        let made = Self::generate().map_err(io::Error::other)?;
        if write_private(file, &made.0[..], ExistingFile::Keep)? {
            Ok(made)
        } else {
            Self::load(file)
        }
    }

    #[cfg(feature = "program")]
    pub(crate) fn secret(&self) -> &[u8; KEY] {
        &self.0
    }

    /// Its other half.
    pub fn public(&self) -> HostPublicKey {
        HostPublicKey(MontgomeryPoint::mul_base_clamped(*self.0).0)
    }

    /// What was sealed to this host; `None`: to another, about something else, or changed since.
    pub(crate) fn open(&self, about: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (ephemeral, sealed) = sealed.split_first_chunk::<KEY>()?;
        let seal = sealing_key(&self.0, ephemeral, [ephemeral, &self.public().0])?;
        seal.open(about, sealed)
    }
}

/// What anybody can have who is to grant something to a host.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HostPublicKey([u8; KEY]);

impl fmt::Debug for HostPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostPublicKey({})", self.fingerprint())
    }
}

/// For a command line.
impl fmt::Display for HostPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{TEXT}{}{}", hex(&self.0), hex(&self.check()))
    }
}

impl HostPublicKey {
    /// From its text, as it is shown; `None`: it is none, or was copied wrongly.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = unhex(text.trim().strip_prefix(TEXT)?)?;
        let (key, check) = bytes.split_first_chunk::<KEY>()?;
        let key = Self(*key);
        (key.check() == check).then_some(key)
    }

    pub(crate) fn from_bytes(bytes: [u8; KEY]) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8; KEY] {
        &self.0
    }

    fn check(self) -> [u8; CHECK] {
        let [a, b, c, d, ..] = hmac_sha256(&self.0, &[b"aura host key check v1"]);
        [a, b, c, d]
    }

    /// 96 bits that two people can compare: `9f3c-02aa-…`.
    pub fn fingerprint(&self) -> String {
        let mac = hex(&hmac_sha256(&self.0, &[b"aura host fingerprint v1"]));
        let digits: Vec<char> = mac.chars().take(FINGERPRINT).collect();
        let groups = digits.chunks(GROUP).map(|group| group.iter().collect::<String>());
        groups.collect::<Vec<_>>().join("-")
    }

    /// Where a log keeps what is for this host.
    pub fn address(&self) -> HostAddress {
        HostAddress(mac_text(&hmac_sha256(&self.0, &[b"aura host address v1"])))
    }

    /// Seals to this host.
    ///
    /// # Errors
    /// When the system has no random numbers, or the key is none.
    pub(crate) fn seal(&self, about: &[u8], plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let ephemeral = Zeroizing::new(random::<KEY>()?);
        let public = MontgomeryPoint::mul_base_clamped(*ephemeral).0;
        let seal = sealing_key(&ephemeral, &self.0, [&public, &self.0]).ok_or(SealError::WeakKey)?;
        Ok([&public[..], &seal.close(about, plain)?].concat())
    }
}

/// What both sides come to; `None`: the other half is one of the few with which everybody comes to the same.
fn sealing_key(secret: &[u8; KEY], other: &[u8; KEY], public: [&[u8; KEY]; 2]) -> Option<DataSeal> {
    let shared = Zeroizing::new(MontgomeryPoint(*other).mul_clamped(*secret).0);
    if *shared == [0; KEY] {
        return None;
    }
    let extracted = Zeroizing::new(hmac_sha256(&[0; KEY], &[&shared[..]]));
    let [ephemeral, host] = public;
    Some(DataSeal::new(hmac_sha256(
        &extracted,
        &[SEALING, ephemeral, host, &[1]],
    )))
}

/// Under which name a log keeps what is for a host: 32 hexadecimal digits that do not lead to its public key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostAddress(String);

impl HostAddress {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As a log gave it back; `None`: it is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        is_mac_text(text).then(|| Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_to_a_host_opens_with_its_key_about_the_same_and_unchanged() {
        let (key, other) = (HostKey::generate().unwrap(), HostKey::generate().unwrap());
        let sealed = key.public().seal(b"about", b"words").unwrap();
        assert_eq!(key.open(b"about", &sealed).unwrap().as_slice(), b"words");
        assert_ne!(key.public().seal(b"about", b"words").unwrap(), sealed);
        assert!(other.open(b"about", &sealed).is_none());
        assert!(key.open(b"else", &sealed).is_none());
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(key.open(b"about", &changed).is_none(), "byte {at}");
            assert!(key.open(b"about", &sealed[..at]).is_none(), "cut at {at}");
        }
        assert_eq!(format!("{key:?}"), "HostKey(..)");
    }

    #[test]
    fn nothing_is_sealed_to_what_is_no_key_and_a_copy_that_went_wrong_is_noticed() {
        // Of small order: whatever the other half is, everybody comes to the same.
        let mut one = [0; KEY];
        one[0] = 1;
        for weak in [[0; KEY], one] {
            let sealed = HostPublicKey(weak).seal(b"about", b"words");
            assert!(matches!(sealed, Err(SealError::WeakKey)), "{sealed:?}");
        }
        let key = HostKey::generate().unwrap().public();
        let text = key.to_string();
        assert_eq!(HostPublicKey::parse(&format!(" {text}\n")), Some(key));
        for wrong in [
            &text[..text.len() - 1],
            &text[TEXT.len()..],
            "",
            &text.replace(&text[20..22], "zz"),
        ] {
            assert_eq!(HostPublicKey::parse(wrong), None, "{wrong}");
        }
        assert_eq!(key.fingerprint().len(), FINGERPRINT + FINGERPRINT / GROUP - 1);
    }
}
