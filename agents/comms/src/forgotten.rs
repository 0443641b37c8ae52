//! Mails that were forgotten, so that a file that is looked at again does not bring them back.
//!
//! What: [`ForgottenMails`]. Why: files of one mail are looked at once more after a restart, and forgetting restarts the agent. Not here: chats
//! and mailboxes in one file, of which the state says how far they were read.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    Timestamp,
    ids::{ItemId, sha256_hex},
};

/// Digests of their ids, and when each was sent. A mail that has left the window is not read again, so it is not kept here either.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ForgottenMails(BTreeMap<String, Timestamp>);

impl ForgottenMails {
    pub(super) fn note(&mut self, mail: &ItemId, sent: Timestamp) {
        self.0.insert(digest(mail), sent);
    }

    pub(super) fn holds(&self, mail: &ItemId) -> bool {
        !self.0.is_empty() && self.0.contains_key(&digest(mail))
    }

    /// Drops what was sent until `horizon`. Whether there was any.
    pub(super) fn prune(&mut self, horizon: Timestamp) -> bool {
        let before = self.0.len();
        // Of the owner's own mails the second is known.
        self.0.retain(|_, sent| sent.plus_ms(1000) > horizon);
        self.0.len() != before
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Not the id itself: by that, nothing is found any more.
fn digest(mail: &ItemId) -> String {
    let mut digest = sha256_hex(mail.as_str().as_bytes());
    digest.truncate(16);
    digest
}
