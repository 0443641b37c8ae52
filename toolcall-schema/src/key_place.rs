//! The three places for a folder's key.
//!
//! What: [`KeyPlaceKind`], as an owner names one, as a page shows one and as the key is made for one. Why: one enum; what goes with a place
//! is in the types of whoever holds it. Not here: how a place is remembered (`aura_memory::vault`), sentences (`words`).

use serde::{Deserialize, Deserializer, de::Error as _};
use std::fmt;

/// A place, with the passphrase (`P`) and the file (`F`) that go with it.
#[derive(Clone, PartialEq, Eq)]
pub enum KeyPlaceKind<P = (), F = ()> {
    /// The system's keyring.
    Keyring,
    /// Nowhere: the key is made from this passphrase.
    Passphrase(P),
    /// This file.
    File(F),
}

impl<P, F: fmt::Debug> fmt::Debug for KeyPlaceKind<P, F> {
    /// Without the passphrase, whatever its type would print.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keyring => f.write_str("Keyring"),
            Self::Passphrase(_) => f.write_str("Passphrase(..)"),
            Self::File(file) => f.debug_tuple("File").field(file).finish(),
        }
    }
}

impl<'de> Deserialize<'de> for KeyPlaceKind {
    /// From its name in a form.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const NAMES: &[&str] = &["keyring", "passphrase", "file"];
        match String::deserialize(deserializer)?.as_str() {
            "keyring" => Ok(Self::Keyring),
            "passphrase" => Ok(Self::Passphrase(())),
            "file" => Ok(Self::File(())),
            other => Err(D::Error::unknown_variant(other, NAMES)),
        }
    }
}
