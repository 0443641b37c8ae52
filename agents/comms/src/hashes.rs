//! Keyed hashes of names that come again and again.
//!
//! What: [`HashCache`]. Why: a keyed hash costs as much as judging a message, and a chat has a handful of names. Not here: the hash
//! (`toolcall_schema::ids::Key`).

use std::{cell::RefCell, collections::HashMap};
use toolcall_schema::ids::{AppHash, ChannelHash, PersonHash, SecretKey};

/// Names cached of each sort; a full cache is cleared.
const MOST: usize = 1024;

/// In memory only, of one key.
#[derive(Default)]
pub(super) struct HashCache {
    channels: CachedHashes<ChannelHash>,
    people: CachedHashes<PersonHash>,
    apps: CachedHashes<AppHash>,
}

type CachedHashes<T> = RefCell<HashMap<String, T>>;

fn known<T: Clone>(known: &CachedHashes<T>, name: &str, hash: impl FnOnce(&str) -> T) -> T {
    if let Some(hash) = known.borrow().get(name) {
        return hash.clone();
    }
    let hash = hash(name);
    let mut known = known.borrow_mut();
    if known.len() >= MOST {
        known.clear();
    }
    known.insert(name.to_owned(), hash.clone());
    hash
}

impl HashCache {
    /// [`SecretKey::channel`].
    pub(super) fn channel(&self, key: &SecretKey, name: &str) -> ChannelHash {
        known(&self.channels, name, |name| key.channel(name))
    }

    /// [`SecretKey::person`].
    pub(super) fn person(&self, key: &SecretKey, name: &str) -> PersonHash {
        known(&self.people, name, |name| key.person(name))
    }

    /// [`SecretKey::app`].
    pub(super) fn app(&self, key: &SecretKey, name: &str) -> AppHash {
        known(&self.apps, name, |name| key.app(name))
    }
}
