//! What was forgotten, so that a file that is looked at again does not bring it back.
//!
//! What: [`ForgottenThings`], mails and, for messages of more than a day ago, people and chats. Why: files of one mail are looked at once more after a restart, and
//! forgetting restarts the agent. Not here: chats and mailboxes in one file, of which the state says how far they were read.

use super::{older::WAITING_MS, record::MessageRecord};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    Timestamp,
    forget::ErasureScope,
    ids::{ChannelHash, ItemId, PersonHash, sha256_hex},
};

/// Digests of their ids, and when each mail was sent, or a person or chat was forgotten. What has left the list of those who wait is not read again, so it is not
/// kept here either.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ForgottenThings(BTreeMap<String, Timestamp>);

impl ForgottenThings {
    pub(super) fn note(&mut self, mail: &ItemId, sent: Timestamp) {
        self.0.insert(digest(mail.as_str()), sent);
    }

    /// Notes the people and chats among what is forgotten: what they wrote before does not come back.
    pub(super) fn note_things(&mut self, what: &ErasureScope) {
        let is_kept = |id: &&String| PersonHash::parse(id).is_ok() || ChannelHash::parse(id).is_ok();
        for id in what.things.iter().filter(is_kept) {
            self.0.insert(digest(id), not_yet());
        }
    }

    pub(super) fn holds(&self, mail: &ItemId) -> bool {
        !self.0.is_empty() && self.0.contains_key(&digest(mail.as_str()))
    }

    /// Whether a message is from somebody, or in a chat or list, that was forgotten since.
    pub(super) fn holds_things_of(&self, item: &MessageRecord) -> bool {
        let list = item.list.iter().chain([&item.channel]).map(ChannelHash::as_str);
        let mut things = list.chain(item.person.as_ref().map(PersonHash::as_str));
        !self.0.is_empty() && things.any(|id| self.holds_before(id, item.at))
    }

    /// Whether somebody was forgotten since the owner wrote to them.
    pub(super) fn holds_person(&self, person: &PersonHash, at: Timestamp) -> bool {
        !self.0.is_empty() && self.holds_before(person.as_str(), at)
    }

    fn holds_before(&self, id: &str, at: Timestamp) -> bool {
        let since = self.0.get(&digest(id));
        since.is_some_and(|since| *since == not_yet() || at <= *since)
    }

    /// Drops what was sent, or forgotten, so long before `at` that nobody waits any more. Whether there was any.
    pub(super) fn prune(&mut self, at: Timestamp) -> bool {
        let mut is_changed = false;
        for since in self.0.values_mut().filter(|since| **since == not_yet()) {
            *since = at;
            is_changed = true;
        }
        let before = self.0.len();
        let horizon = at.plus_ms(-WAITING_MS);
        // Of the owner's own mails the second is known.
        self.0.retain(|_, sent| sent.plus_ms(1000) > horizon);
        is_changed || self.0.len() != before
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// When somebody was forgotten, until the next ingest, which knows the time.
fn not_yet() -> Timestamp {
    Timestamp::from_ms(0)
}

/// Not the id itself: by that, nothing is found any more.
fn digest(id: &str) -> String {
    let mut digest = sha256_hex(id.as_bytes());
    digest.truncate(16);
    digest
}
