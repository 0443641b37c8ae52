//! What of an owner goes to all her hosts, beside her log.
//!
//! What: [`OwnerRecord`], her settings, whether she is paused and whether she was removed, sealed and back. Why: a host that has not got her may be told of
//! it, and one that takes her over has it before it opens her store. Not here: where records are kept (`records`), what a host does with one (the program).
//!
//! A record counts up with each change, within the seal: one that was put back by whoever runs the log is known by that.

use crate::seal::{KeyCipher, SealError};
use serde::{Deserialize, Serialize};
use std::fmt;
use zeroize::Zeroizing;

/// Her settings and how she stands, for all hosts.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnerRecord {
    /// From 1, one more with each change.
    pub generation: u64,
    /// She is nobody's any more: whoever has a folder of hers destroys it.
    pub is_removed: bool,
    pub is_paused: bool,
    /// The text of her `home.toml`.
    pub home: String,
    /// The text of her `policy.toml`, where there is one.
    pub policy: Option<String>,
}

impl fmt::Debug for OwnerRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnerRecord")
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}

impl OwnerRecord {
    /// The one by which an owner is removed everywhere, in place of another.
    pub fn removal_after(generation: u64) -> Self {
        Self {
            generation: generation.saturating_add(1),
            is_removed: true,
            ..Self::default()
        }
    }

    /// Sealed for her hosts.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn seal(&self, keys: &KeyCipher) -> Result<Vec<u8>, SealError> {
        let plain = Zeroizing::new(serde_json::to_vec(self).map_err(SealError::Unwritable)?);
        keys.seal_record(&plain)
    }

    /// `None`: it was not made by one of her hosts as they are now, or changed since.
    pub fn open(keys: &KeyCipher, sealed: &[u8]) -> Option<Self> {
        serde_json::from_slice(&keys.open_record(sealed)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roots::LogRoots;
    use toolcall_schema::ids::OwnerSeed;

    #[test]
    fn record_opens_for_its_owners_hosts_alone_and_unchanged() {
        let seed = OwnerSeed::from_bytes([1; 32]);
        let keys = KeyCipher::derive(&seed);
        let record = OwnerRecord {
            generation: 3,
            home: "zone = \"UTC\"\n".to_owned(),
            ..OwnerRecord::default()
        };
        let sealed = record.seal(&keys).unwrap();
        assert_eq!(OwnerRecord::open(&keys, &sealed), Some(record.clone()));
        let others = KeyCipher::derive(&OwnerSeed::from_bytes([2; 32]));
        assert_eq!(OwnerRecord::open(&others, &sealed), None);
        let mut changed = sealed.clone();
        changed[sealed.len() / 2] ^= 1;
        assert_eq!(OwnerRecord::open(&keys, &changed), None);
        // A host that she was taken back from has the seed, and not the new root.
        let roots = LogRoots::default().with_new().unwrap();
        let renewed = KeyCipher::derive_with(&seed, &roots);
        assert_eq!(OwnerRecord::open(&renewed, &sealed), Some(record.clone()));
        let sealed = record.seal(&renewed).unwrap();
        assert_eq!(OwnerRecord::open(&keys, &sealed), None);
        assert!(!format!("{record:?}").contains("zone"));
        let removal = OwnerRecord::removal_after(3);
        assert!(removal.is_removed && removal.generation == 4 && removal.home.is_empty());
    }
}
