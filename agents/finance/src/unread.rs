//! Messages with money in them that could not be read, while they are questions.
//!
//! What: [`UnreadMessages`], at most eight texts in memory, a day at most. Why: only their owner can say what they mean, so they are shown for as
//! long as this runs, and nowhere else: no state, log or error holds a word of them. Not here: what an answer does (`questions`).

use super::messages::{MessageReading, forms::MarkableMessage};
use std::{cmp::Reverse, collections::BTreeMap};
use toolcall_schema::{Timestamp, ids::ItemId};

/// Messages, and of one sender: beyond these the oldest go.
const UNREAD_MAX: usize = 8;
const OF_SENDER_MAX: usize = 3;
/// Minutes for which a text is held.
const HELD_MIN: i64 = 24 * 60;

/// A message that is a question. Not `Debug`: it holds text.
pub(super) struct UnreadMessage {
    /// The keyed hash of who sent it.
    pub(super) sender: String,
    /// When it came.
    pub(super) at: Timestamp,
    /// When it was read.
    pub(super) held_since: Timestamp,
    pub(super) text: MarkableMessage,
    pub(super) read: MessageReading,
    /// Whether what its sender tells counts.
    pub(super) counts: bool,
}

/// In memory only. Not `Debug`: it holds text.
#[derive(Default)]
pub(super) struct UnreadMessages(BTreeMap<ItemId, UnreadMessage>);

impl UnreadMessages {
    /// Holds a message that was read at an instant.
    pub(super) fn hold(&mut self, id: ItemId, message: UnreadMessage) {
        let sender = message.sender.clone();
        self.0.insert(id, message);
        if self.0.values().filter(|held| held.sender == sender).count() > OF_SENDER_MAX {
            self.drop_oldest(Some(&sender));
        }
        if self.0.len() > UNREAD_MAX {
            self.drop_oldest(None);
        }
    }

    fn drop_oldest(&mut self, sender: Option<&str>) {
        let of_sender = self
            .0
            .iter()
            .filter(|(_, held)| sender.is_none_or(|sender| held.sender == sender));
        let oldest = of_sender
            .min_by_key(|(_, held)| held.at)
            .map(|(id, _)| id.clone());
        if let Some(id) = oldest {
            self.0.remove(&id);
        }
    }

    /// Forgets what was held for a day.
    pub(super) fn prune(&mut self, at: Timestamp) {
        self.0.retain(|_, held| {
            at < held.held_since.plus_min(HELD_MIN) && at >= held.held_since.plus_min(-HELD_MIN)
        });
    }

    /// What a sender sent counts from now on.
    pub(super) fn count_sender(&mut self, sender: &str) {
        for held in self.0.values_mut().filter(|held| held.sender == sender) {
            held.counts = true;
        }
    }

    /// Forgets what one sender sent.
    pub(super) fn drop_sender(&mut self, sender: &str) {
        self.0.retain(|_, held| held.sender != sender);
    }

    pub(super) fn get(&self, id: &ItemId) -> Option<&UnreadMessage> {
        self.0.get(id)
    }

    /// Takes a message that is no question any more.
    pub(super) fn take(&mut self, id: &ItemId) -> Option<UnreadMessage> {
        self.0.remove(id)
    }

    /// Those of one sender.
    pub(super) fn of<'a>(&'a self, sender: &'a str) -> impl Iterator<Item = (&'a ItemId, &'a UnreadMessage)> {
        self.0.iter().filter(move |(_, held)| held.sender == sender)
    }

    /// The newest first.
    pub(super) fn newest_first(&self) -> Vec<(&ItemId, &UnreadMessage)> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|(id, held)| (Reverse(held.at), (*id).clone()));
        all
    }
}
