//! Who has waited for the owner's answer for more than a day.
//!
//! What: [`OlderMessages`], the messages of one to 14 days ago that asked something and were not answered, and which mails were. Why: who asked on
//! Monday waits on Friday as well. Not here: the last 24 hours, by which everything is counted and proposed (`model`); nothing here is part of a figure.
//!
//! Where more wait than there is room for, who has waited longest stays: the list is there for them.

use super::{intent::Intent, record::MessageRecord};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use toolcall_schema::{
    Timestamp,
    catalogue::comms::WAITING_DAYS,
    forget::ErasureScope,
    ids::{ChannelHash, ItemId},
};

/// How long a message waits at most, in milliseconds.
pub(crate) const WAITING_MS: i64 = WAITING_DAYS as i64 * 24 * 60 * 60 * 1000;
/// Messages that wait for longer than a day, at most; as many are known that the owner let go.
pub(crate) const OLDER_MAX: usize = 1024;
/// Mails that are known as answered, at most.
const ANSWERED_MAX: usize = 4096;

/// Whether a message of `at` may still wait, where ages count up to `aged`.
pub(super) fn may_wait(at: Timestamp, aged: Timestamp) -> bool {
    aged.since(at) < WAITING_MS
}

/// Messages of more than a day ago, in order of time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OlderMessages {
    #[serde(default)]
    items: Vec<MessageRecord>,
    /// Mails that were answered, with the time of the answer: a file that is looked at again does not bring them back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    answered: BTreeMap<ItemId, Timestamp>,
    /// When each of the messages was: by it one is found among them.
    #[serde(skip)]
    times: BTreeMap<ItemId, Timestamp>,
}

impl OlderMessages {
    /// Completes what is not in the state, after reading it.
    pub(super) fn reindex(&mut self) {
        self.items
            .sort_by(|a, b| (a.at, &a.item_id).cmp(&(b.at, &b.item_id)));
        self.times = self
            .items
            .iter()
            .map(|item| (item.item_id.clone(), item.at))
            .collect();
    }

    fn place(&self, item: &ItemId) -> Option<usize> {
        let at = self.times.get(item)?;
        Some(self.place_in_time(*at, item))
    }

    fn place_in_time(&self, at: Timestamp, item: &ItemId) -> usize {
        self.items
            .partition_point(|known| (known.at, &known.item_id) < (at, item))
    }

    /// Removes all but those, and returns whether there were any.
    fn retain(&mut self, stays: impl FnMut(&MessageRecord) -> bool) -> bool {
        let before = self.items.len();
        self.items.retain(stays);
        let went = self.items.len() != before;
        if went {
            self.reindex();
        }
        went
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.answered.is_empty()
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &MessageRecord> {
        self.items.iter()
    }

    pub(super) fn get(&self, item: &ItemId) -> Option<&MessageRecord> {
        self.items.get(self.place(item)?)
    }

    pub(super) fn holds(&self, item: &ItemId) -> bool {
        self.times.contains_key(item)
    }

    /// Takes a message in that asks something and was not answered; one that is known is judged again. Whether anything changed.
    pub(super) fn take(&mut self, item: MessageRecord) -> bool {
        let asks = item.intent == Intent::Actionable;
        if let Some(place) = self.place(&item.item_id) {
            return self.judge_again(place, &item);
        }
        if !asks || item.answered || self.answered.contains_key(&item.item_id) {
            return false;
        }
        let place = self.place_in_time(item.at, &item.item_id);
        self.times.insert(item.item_id.clone(), item.at);
        self.items.insert(place, item);
        true
    }

    fn judge_again(&mut self, place: usize, item: &MessageRecord) -> bool {
        let Some(known) = self.items.get_mut(place) else {
            return false;
        };
        if !known.may_be_judged_by(item) {
            return false;
        }
        let before = known.clone();
        known.judge_as(item);
        let is_changed = *known != before;
        if known.intent != Intent::Actionable {
            let gone = self.items.remove(place);
            self.times.remove(&gone.item_id);
        }
        is_changed
    }

    /// Notes that a mail was answered, whether it was read already or not. Whether that is news.
    pub(super) fn note_answer(&mut self, item: ItemId, at: Timestamp) -> bool {
        self.answer(&item);
        self.answered.insert(item, at) != Some(at)
    }

    /// Takes a message off that was answered.
    pub(super) fn answer(&mut self, item: &ItemId) {
        if let Some(place) = self.place(item) {
            self.items.remove(place);
            self.times.remove(item);
        }
    }

    /// Takes earlier messages of a channel off: the owner wrote there. Whether there were any.
    pub(super) fn answer_channel(&mut self, channel: &ChannelHash, at: Timestamp) -> bool {
        self.retain(|known| known.channel != *channel || known.at > at)
    }

    pub(super) fn mark_drafted(&mut self, item: &ItemId, drafted: bool) {
        let place = self.place(item);
        if let Some(known) = place.and_then(|place| self.items.get_mut(place)) {
            known.drafted = drafted;
        }
    }

    /// Removes what the owner wants forgotten, and returns it.
    pub(super) fn forget(&mut self, what: &ErasureScope) -> Vec<MessageRecord> {
        let (gone, kept): (Vec<MessageRecord>, Vec<MessageRecord>) = std::mem::take(&mut self.items)
            .into_iter()
            .partition(|item| item.is_covered_by(what));
        self.items = kept;
        self.reindex();
        self.answered
            .retain(|id, at| !what.covers_thing(id.as_str()) && !what.covers_time(*at));
        gone
    }

    /// Drops what is older than 14 days and not put off, and what has no room: of those who wait the newest, of those who were let go the oldest. Whether any went.
    pub(super) fn prune(
        &mut self,
        at: Timestamp,
        is_put_off: &dyn Fn(&ItemId) -> bool,
        let_go: &BTreeMap<ItemId, Timestamp>,
    ) -> bool {
        let before = self.answered.len();
        let horizon = at.plus_ms(-WAITING_MS);
        let too_old = self.retain(|item| item.at > horizon || is_put_off(&item.item_id));
        let is_let_go = |item: &MessageRecord| let_go.contains_key(&item.item_id);
        let settled = self.items.iter().filter(|item| is_let_go(item)).count();
        let (mut over, mut waiting) = (settled.saturating_sub(OLDER_MAX), 0);
        let without_room = self.retain(|item| {
            if is_let_go(item) {
                let stays = over == 0;
                over = over.saturating_sub(1);
                return stays;
            }
            waiting += 1;
            waiting <= OLDER_MAX
        });
        self.answered.retain(|_, answered| *answered > horizon);
        while self.answered.len() > ANSWERED_MAX {
            self.answered.pop_first();
        }
        too_old || without_room || before != self.answered.len()
    }
}
