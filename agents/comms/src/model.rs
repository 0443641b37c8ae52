//! The window of the last 24 hours: items, bursts, answers.
//!
//! What: [`MessageWindow`]. Why: everything Comms proposes is computed from these numbers; no text is kept. Not here: one message (`record`), who has waited for
//! longer (`older`), reading and judging messages (`sources`, `intent`), what is proposed (`tick`).

use super::{
    intent::Intent,
    older::{OlderMessages, WAITING_MS},
    record::MessageRecord,
};
use agents_base::shared::SourceLocator;
use serde::{Deserialize, Serialize};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, VecDeque},
};
use toolcall_schema::{
    Timestamp,
    forget::ErasureScope,
    ids::{ChannelHash, ItemId},
    tick::IngestFact,
};

/// How far back items are kept: 24 hours, in milliseconds.
pub(crate) const WINDOW_MS: i64 = 24 * 60 * 60 * 1000;

/// Whether a message of `at` is of the last 24 hours, where ages count up to `aged`.
pub(super) fn is_recent(at: Timestamp, aged: Timestamp) -> bool {
    aged.since(at) < WINDOW_MS
}

/// Items kept at most; the oldest are dropped.
pub(crate) const MAX_ITEMS: usize = 2048;
/// A burst is this many messages in one channel ...
pub(crate) const BURST: usize = 30;
/// ... in this time: 10 minutes, in milliseconds, the older end excluded.
pub(crate) const BURST_MS: i64 = 10 * 60 * 1000;

/// The last burst of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChannelBursts {
    /// Whether the 10 minutes before the newest message held 30.
    pub(crate) bursting: bool,
    /// The first message of the window that first held 30; absent before any burst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) since: Option<Timestamp>,
    /// The newest message that was looked at.
    pub(crate) newest: Timestamp,
    /// When each message of the window was sent, and whether it is ACTIONABLE, in order of time.
    #[serde(skip)]
    times: VecDeque<(Timestamp, bool)>,
}

impl ChannelBursts {
    fn new(newest: Timestamp) -> Self {
        Self {
            bursting: false,
            since: None,
            newest,
            times: VecDeque::new(),
        }
    }

    /// The messages with `since < at <= until`.
    fn between(
        &self,
        since: Timestamp,
        until: Timestamp,
    ) -> impl ExactSizeIterator<Item = &(Timestamp, bool)> {
        let from = self.times.partition_point(|(at, _)| *at <= since);
        let to = self.times.partition_point(|(at, _)| *at <= until);
        self.times.range(from..to.max(from))
    }
}

/// The messages of a channel since its last burst began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct BurstSummary {
    /// When it began; absent when it never burst.
    pub(crate) since: Option<Timestamp>,
    /// How many.
    pub(crate) count: usize,
    /// Whether one of them is ACTIONABLE.
    pub(crate) wanted: bool,
}

/// The items of the last 24 hours in order of time, with the channels' bursts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MessageWindow {
    items: Vec<MessageRecord>,
    channels: BTreeMap<ChannelHash, ChannelBursts>,
    /// Mails the owner answered, with the time of the answer: an answer may be read before what it answers.
    answered: BTreeMap<ItemId, Timestamp>,
    /// Messages that the owner put off, and until when.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    snoozed: BTreeMap<ItemId, Timestamp>,
    /// Messages that the owner is done with, and since when: they wait no more.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    let_go: BTreeMap<ItemId, Timestamp>,
    /// Who has waited for more than a day. No figure counts them.
    #[serde(default, skip_serializing_if = "OlderMessages::is_empty")]
    older: OlderMessages,
    #[serde(skip)]
    ids: BTreeSet<ItemId>,
    #[serde(skip)]
    index: WindowIndex,
}

/// Where in the items of a window stands what a tick asks for; true after [`MessageWindow::settle`].
#[derive(Debug, Clone, Default, PartialEq)]
struct WindowIndex {
    /// ACTIONABLE, in order of time.
    wanting: Vec<usize>,
    /// [`MessageRecord::important`], in order of time.
    important: Vec<usize>,
    /// ACTIONABLE mentions, the most urgent first, of equals the newest.
    mentions: Vec<usize>,
}

impl MessageWindow {
    /// Completes what is not in the state, after reading it.
    #[must_use]
    pub(crate) fn restored(mut self) -> Self {
        self.items
            .sort_by(|a, b| (a.at, &a.item_id).cmp(&(b.at, &b.item_id)));
        self.older.reindex();
        self.reindex();
        self
    }

    /// Rebuilds what is not in the state.
    fn reindex(&mut self) {
        self.ids = self.items.iter().map(|item| item.item_id.clone()).collect();
        for channel in self.channels.values_mut() {
            channel.times.clear();
        }
        for item in &self.items {
            let channel = self
                .channels
                .entry(item.channel.clone())
                .or_insert_with(|| ChannelBursts::new(item.at));
            channel
                .times
                .push_back((item.at, item.intent == Intent::Actionable));
        }
        self.settle();
    }

    /// Completes what a tick asks for, once everything new is in.
    fn settle(&mut self) {
        let all = |is: &dyn Fn(&MessageRecord) -> bool| -> Vec<usize> {
            let place = |(place, item): (usize, &MessageRecord)| is(item).then_some(place);
            self.items.iter().enumerate().filter_map(place).collect()
        };
        let wanting = all(&|item| item.intent == Intent::Actionable);
        let important = all(&|item| item.important() && !self.let_go.contains_key(&item.item_id));
        let mut mentions = all(&|item| item.intent == Intent::Actionable && item.mention);
        let rank = |place: &usize| {
            let item = self.items.get(*place);
            item.map(|item| Reverse((item.urgency, item.at, item.item_id.clone())))
        };
        mentions.sort_by_cached_key(rank);
        self.index = WindowIndex {
            wanting,
            important,
            mentions,
        };
    }

    /// How many of these places are of the 24 hours before `at`.
    fn count(&self, places: &[usize], at: Timestamp) -> usize {
        let until = |at: Timestamp| {
            places.partition_point(|place| self.items.get(*place).is_some_and(|item| item.at <= at))
        };
        until(at).saturating_sub(until(at.plus_ms(-WINDOW_MS)))
    }

    /// The ACTIONABLE messages that wait for the owner's answer, oldest first: of the 24 hours before `at`, or back within them after they were put off; neither
    /// answered nor put off.
    pub(crate) fn waiting(&self, at: Timestamp) -> impl Iterator<Item = &MessageRecord> {
        let wanting = self
            .index
            .wanting
            .iter()
            .filter_map(|place| self.items.get(*place));
        wanting.filter(move |item| {
            self.is_due(item, at) && !item.answered && !self.is_snoozed(&item.item_id, at)
        })
    }

    /// All who wait for the owner's answer, also those of more than a day ago: neither answered nor put off. Those of more than a day ago come first.
    pub(crate) fn waiting_longest(&self, at: Timestamp) -> impl Iterator<Item = &MessageRecord> {
        let since = at.plus_ms(-WAITING_MS);
        self.all_items().filter(move |item| {
            let is_of_time = (item.at > since && item.at <= at) || self.is_due(item, at);
            is_of_time
                && item.intent == Intent::Actionable
                && !item.answered
                && !self.is_snoozed(&item.item_id, at)
        })
    }

    /// Important mails of the 24 hours before `at`.
    pub(crate) fn important(&self, at: Timestamp) -> usize {
        self.count(&self.index.important, at)
    }

    /// The ACTIONABLE mentions of the 24 hours before `at`, the most urgent first, of equals the newest.
    pub(crate) fn mentions(&self, at: Timestamp) -> impl Iterator<Item = &MessageRecord> {
        let since = at.plus_ms(-WINDOW_MS);
        self.index
            .mentions
            .iter()
            .filter_map(|place| self.items.get(*place))
            .filter(move |item| item.at > since && item.at <= at)
    }

    /// The ACTIONABLE messages of the 24 hours before `at`, oldest first.
    pub(crate) fn wanting(&self, at: Timestamp) -> impl Iterator<Item = &MessageRecord> {
        let since = at.plus_ms(-WINDOW_MS);
        let items = self
            .index
            .wanting
            .iter()
            .filter_map(|place| self.items.get(*place));
        items.filter(move |item| item.at > since && item.at <= at)
    }

    /// Removes what the owner wants forgotten: messages by time, id, chat or sender, with all that is known of them. Returns the removed of the window, which are
    /// counted, and the older ones.
    pub(crate) fn forget(&mut self, what: &ErasureScope) -> (Vec<MessageRecord>, Vec<MessageRecord>) {
        let (went, stay): (Vec<MessageRecord>, Vec<MessageRecord>) = std::mem::take(&mut self.items)
            .into_iter()
            .partition(|item| item.is_covered_by(what));
        self.items = stay;
        let older = self.older.forget(what);
        let gone: BTreeSet<&ItemId> = went.iter().chain(&older).map(|item| &item.item_id).collect();
        let there: BTreeSet<&ChannelHash> = self.items.iter().map(|item| &item.channel).collect();
        self.channels
            .retain(|channel, known| there.contains(channel) && !what.covers_time(known.newest));
        self.answered
            .retain(|id, at| !gone.contains(id) && !what.covers_thing(id.as_str()) && !what.covers_time(*at));
        self.snoozed
            .retain(|id, _| !gone.contains(id) && !what.covers_thing(id.as_str()));
        self.let_go
            .retain(|id, _| !gone.contains(id) && !what.covers_thing(id.as_str()));
        self.reindex();
        (went, older)
    }

    /// Whether there is nothing of the last day.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether nobody has waited for more than a day.
    pub(crate) fn has_no_older(&self) -> bool {
        self.older.iter().next().is_none()
    }

    /// All of the window, in order of time.
    pub(crate) fn items(&self) -> &[MessageRecord] {
        &self.items
    }

    /// All that is known: who has waited for more than a day, then the window, each in order of time.
    pub(crate) fn all_items(&self) -> impl DoubleEndedIterator<Item = &MessageRecord> {
        self.older.iter().chain(&self.items)
    }

    /// Whether an item is known, of the window or older.
    pub(crate) fn knows(&self, item: &ItemId) -> bool {
        self.ids.contains(item) || self.older.holds(item)
    }

    /// The items with `since < at <= until`, oldest first.
    pub(crate) fn between(&self, since: Timestamp, until: Timestamp) -> &[MessageRecord] {
        let from = self.items.partition_point(|item| item.at <= since);
        let to = self.items.partition_point(|item| item.at <= until);
        self.items.get(from..to).unwrap_or_default()
    }

    /// The items of the 24 hours before `at`.
    pub(crate) fn day(&self, at: Timestamp) -> &[MessageRecord] {
        self.between(at.plus_ms(-WINDOW_MS), at)
    }

    /// The items of the 24 hours before `at`, and those that came back within them after they were put off.
    pub(crate) fn due(&self, at: Timestamp) -> impl Iterator<Item = &MessageRecord> {
        self.items.iter().filter(move |item| self.is_due(item, at))
    }

    fn is_due(&self, item: &MessageRecord, at: Timestamp) -> bool {
        let horizon = at.plus_ms(-WINDOW_MS);
        let came_back = || {
            let until = self.snoozed.get(&item.item_id);
            until.is_some_and(|until| *until > horizon && *until <= at)
        };
        item.at <= at && (item.at > horizon || came_back())
    }

    /// Messages of a channel in the 10 minutes before `at`.
    pub(crate) fn rate(&self, channel: &ChannelHash, at: Timestamp) -> usize {
        let of = |channel: &ChannelBursts| channel.between(at.plus_ms(-BURST_MS), at).len();
        self.channels.get(channel).map_or(0, of)
    }

    /// The most messages that any channel has in the 10 minutes before `at`.
    pub(crate) fn top_rate(&self, at: Timestamp) -> usize {
        let since = at.plus_ms(-BURST_MS);
        let rates = self
            .channels
            .values()
            .filter(|channel| channel.newest > since)
            .map(|channel| channel.between(since, at).len());
        rates.max().unwrap_or(0)
    }

    /// The messages of a channel since its last burst began, up to `at`.
    pub(crate) fn since_burst(&self, channel: &ChannelHash, at: Timestamp) -> BurstSummary {
        let Some((channel, since)) = self.channels.get(channel).and_then(|c| Some((c, c.since?))) else {
            return BurstSummary::default();
        };
        let messages = || channel.between(since.plus_ms(-1), at);
        BurstSummary {
            since: Some(since),
            count: messages().len(),
            wanted: messages().any(|(_, wanted)| *wanted),
        }
    }

    /// Inserts an item; the items of one ingest come in order of time. Gives the fact of a burst when the
    /// channel's window reaches 30 with it and had fewer with the message before. `None` and no change when it is known.
    pub(crate) fn insert(&mut self, mut item: MessageRecord) -> Option<IngestFact> {
        if self.older.holds(&item.item_id) {
            // A flood pushed it out of the window.
            self.older.take(item);
            return None;
        }
        if !self.ids.insert(item.item_id.clone()) {
            self.judge_again(&item);
            return None;
        }
        item.answered |= self.answered.contains_key(&item.item_id);
        let (channel, at, wanted) = (item.channel.clone(), item.at, item.intent == Intent::Actionable);
        let place = self
            .items
            .partition_point(|known| (known.at, &known.item_id) < (item.at, &item.item_id));
        self.items.insert(place, item);
        let state = self
            .channels
            .entry(channel.clone())
            .or_insert_with(|| ChannelBursts::new(at));
        let place = state.times.partition_point(|(known, _)| *known <= at);
        state.times.insert(place, (at, wanted));
        // A message that comes late counts from the next one on: a burst is never found twice.
        if at < state.newest {
            return None;
        }
        state.newest = at;
        let window = state.between(at.plus_ms(-BURST_MS), at);
        let (count, first) = (window.len(), window.map(|(first, _)| *first).next().unwrap_or(at));
        let begins = count >= BURST && !state.bursting;
        state.bursting = count >= BURST;
        if !begins {
            return None;
        }
        state.since = Some(first);
        Some(IngestFact::Burst {
            channel,
            count: u32::try_from(count).unwrap_or(u32::MAX),
            at,
        })
    }

    /// Whether inserting an item makes one that is known ACTIONABLE, or takes that from it.
    pub(super) fn will_judge_again(&self, item: &MessageRecord) -> bool {
        let known = self.place_of(item).and_then(|place| self.items.get(place));
        known.is_some_and(|known| {
            known.may_be_judged_by(item)
                && (known.intent == Intent::Actionable) != (item.intent == Intent::Actionable)
        })
    }

    /// Where the names of a message stand, as far as it is known.
    pub(super) fn locator_of(&self, item: &MessageRecord) -> Option<SourceLocator> {
        self.items.get(self.place_of(item)?)?.locator
    }

    fn place_of(&self, item: &MessageRecord) -> Option<usize> {
        let place = self
            .items
            .binary_search_by(|known| (known.at, &known.item_id).cmp(&(item.at, &item.item_id)));
        place.ok()
    }

    /// Judges again a mail that has grown since it was read, and what a file says to an owner of other names; flags stay.
    fn judge_again(&mut self, item: &MessageRecord) {
        let known = self.place_of(item).and_then(|place| self.items.get_mut(place));
        let Some(known) = known else { return };
        if !known.may_be_judged_by(item) {
            return;
        }
        let wanted = item.intent == Intent::Actionable;
        let again = wanted != (known.intent == Intent::Actionable);
        known.judge_as(item);
        if again {
            self.reindex();
        }
    }

    /// Marks a mail as answered, whether it was read already or not.
    pub(crate) fn mail_answered(&mut self, item: ItemId, at: Timestamp) {
        if let Some(known) = self.items.iter_mut().find(|known| known.item_id == item) {
            known.answered = true;
        }
        self.older.answer(&item);
        self.answered.insert(item, at);
    }

    /// The same of an answer of more than a day ago. Whether that is news.
    pub(crate) fn mail_answered_before(&mut self, item: ItemId, at: Timestamp) -> bool {
        !self.ids.contains(&item) && !self.answered.contains_key(&item) && self.older.note_answer(item, at)
    }

    /// Takes in a message that is read for the first time, or again, when it is more than a day old. Whether that is news.
    pub(crate) fn take_older(&mut self, item: MessageRecord) -> bool {
        !self.ids.contains(&item.item_id)
            && !self.answered.contains_key(&item.item_id)
            && self.older.take(item)
    }

    /// The owner wrote in a chat more than a day ago. Whether that is news.
    pub(crate) fn channel_answered_before(&mut self, channel: &ChannelHash, at: Timestamp) -> bool {
        self.older.answer_channel(channel, at)
    }

    /// Whether a mail is known as answered.
    pub(crate) fn is_mail_answered(&self, item: &ItemId) -> bool {
        self.answered.contains_key(item)
    }

    /// The newest message of a channel, up to `at`, that somebody else wrote and that waits for an answer.
    pub(crate) fn newest_unanswered(&self, channel: &ChannelHash, at: Timestamp) -> Option<&MessageRecord> {
        let waits = |item: &&MessageRecord| {
            item.channel == *channel && item.at <= at && !item.answered && item.person.is_some()
        };
        self.items.iter().rev().find(waits)
    }

    /// Marks all earlier messages of a channel as answered: the owner wrote there.
    pub(crate) fn channel_answered(&mut self, channel: &ChannelHash, at: Timestamp) {
        for item in &mut self.items {
            item.answered |= item.channel == *channel && item.at <= at;
        }
        self.older.answer_channel(channel, at);
    }

    /// One item, of the window or older.
    pub(crate) fn get(&self, item: &ItemId) -> Option<&MessageRecord> {
        self.get_recent(item).or_else(|| self.older.get(item))
    }

    /// One item of the window.
    pub(crate) fn get_recent(&self, item: &ItemId) -> Option<&MessageRecord> {
        self.items.iter().find(|known| known.item_id == *item)
    }

    /// Remembers whether a reply was drafted.
    pub(crate) fn mark_drafted(&mut self, item: &ItemId, drafted: bool) {
        if let Some(known) = self.items.iter_mut().find(|known| known.item_id == *item) {
            known.drafted = drafted;
        }
        self.older.mark_drafted(item, drafted);
    }

    /// Takes back that a message was put off, or let go: since when it was that.
    pub(crate) fn take_back_snooze(&mut self, item: &ItemId) -> Option<Timestamp> {
        let since = self.let_go.remove(item);
        // One that had come back before it was let go comes back again.
        if since.is_none() {
            self.snoozed.remove(item);
        } else {
            self.settle();
        }
        since
    }

    /// Puts a message off.
    pub(crate) fn snooze(&mut self, item: ItemId, until: Timestamp) {
        self.snoozed.insert(item, until);
    }

    /// Lets a message go: it waits no more.
    pub(crate) fn let_go(&mut self, item: ItemId, at: Timestamp) {
        self.let_go.insert(item, at);
        self.settle();
    }

    /// Whether a message is put off at `at`, or let go.
    pub(crate) fn is_snoozed(&self, item: &ItemId, at: Timestamp) -> bool {
        self.let_go.contains_key(item) || self.snoozed.get(item).is_some_and(|until| *until > at)
    }

    /// Whether there is a message of the channel.
    pub(crate) fn has_channel(&self, channel: &ChannelHash) -> bool {
        self.channels.contains_key(channel) || self.older.iter().any(|item| item.channel == *channel)
    }

    /// Drops what is older than 24 hours and not put off, and what is beyond [`MAX_ITEMS`]; who waits is kept for longer. True when anything went.
    pub(crate) fn prune(&mut self, at: Timestamp) -> bool {
        let horizon = at.plus_ms(-WINDOW_MS);
        // What was put off comes back, however old it is by then, and stays for a day.
        let snoozed = &self.snoozed;
        let goes = |item: &&MessageRecord| {
            item.at <= horizon && snoozed.get(&item.item_id).is_none_or(|until| *until <= horizon)
        };
        let old = self.items.iter().take_while(goes).count();
        let gone = old.max(self.items.len().saturating_sub(MAX_ITEMS));
        for item in self.items.drain(..gone) {
            self.ids.remove(&item.item_id);
            // The oldest of all is the oldest of its channel.
            if let Some(channel) = self.channels.get_mut(&item.channel) {
                channel.times.pop_front();
            }
            self.older.take(item);
        }
        for (id, answered) in self.answered.extract_if(.., |_, answered| *answered <= horizon) {
            self.older.note_answer(id, answered);
        }
        while self.answered.len() > MAX_ITEMS {
            self.answered.pop_first();
        }
        let is_put_off = |id: &ItemId| self.snoozed.get(id).is_some_and(|until| *until > horizon);
        let older_went = self.older.prune(at, &is_put_off, &self.let_go);
        let (ids, older) = (&self.ids, &self.older);
        let is_known = |id: &ItemId| ids.contains(id) || older.holds(id);
        self.snoozed.retain(|id, until| *until > horizon && is_known(id));
        self.let_go.retain(|id, _| is_known(id));
        if gone > 0 {
            self.channels.retain(|_, channel| !channel.times.is_empty());
        }
        self.settle();
        gone > 0 || older_went
    }
}
