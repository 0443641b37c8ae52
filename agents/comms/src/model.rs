//! The window of the last 24 hours: items, bursts, answers.
//!
//! What: [`MessageRecord`], [`MessageWindow`]. Why: everything Comms proposes is computed from these numbers; no text is kept. Not here:
//! reading and judging messages (`sources`, `intent`), what is proposed (`tick`).

use super::{intent::Intent, judging::class_of, message::RequestVerb};
use agents_base::shared::SourceLocator;
use serde::{Deserialize, Serialize};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, VecDeque},
};
use toolcall_schema::{
    Timestamp,
    catalogue::comms::{EVIDENCE_MAX, EvidenceCode, MessageClass},
    forget::ErasureScope,
    ids::{AppHash, ChannelHash, ItemId, PersonHash},
    milli::Milli,
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

/// One message. Holds no text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "MessageRow", into = "MessageRow")]
pub(crate) struct MessageRecord {
    /// Its name.
    pub(crate) item_id: ItemId,
    /// Its chat, group or mail folder.
    pub(crate) channel: ChannelHash,
    /// When it was sent.
    pub(crate) at: Timestamp,
    /// What it wants.
    pub(crate) intent: Intent,
    /// 0 to 1.
    pub(crate) urgency: Milli,
    /// Whether it speaks to the owner.
    pub(crate) mention: bool,
    /// Whether it is a mail.
    pub(crate) mail: bool,
    /// Whether the owner answered it.
    pub(crate) answered: bool,
    /// Whether a reply was drafted.
    pub(crate) drafted: bool,
    /// Whether the owner opened it, as far as its mailbox says.
    pub(crate) read: bool,
    /// The first mail of its thread; absent for chats.
    pub(crate) thread: Option<ItemId>,
    /// The mailing list that it came through.
    pub(crate) list: Option<ChannelHash>,
    /// What it asks for.
    pub(crate) verb: RequestVerb,
    /// Who wrote it; absent: the owner, or it was read by an Aura that did not keep it.
    pub(crate) person: Option<PersonHash>,
    /// Through which program; absent for mail.
    pub(crate) app: Option<AppHash>,
    /// What it is, in people's words.
    pub(crate) class: MessageClass,
    /// What its class rests on.
    pub(crate) evidence: Vec<EvidenceCode>,
    /// No reply may be drafted for it.
    pub(crate) no_draft: bool,
    /// Its receiving server says that its sender did not send it.
    pub(crate) forged: bool,
    /// Where its sender's name stands; absent: it was posted.
    pub(crate) locator: Option<SourceLocator>,
}

impl MessageRecord {
    /// An actionable mail that waits for an answer.
    pub(crate) fn important(&self) -> bool {
        self.mail && self.intent == Intent::Actionable && !self.answered
    }
}

/// An [`MessageRecord`] as it stands in the state: the flags are mention 1, mail 2, answered 4, drafted 8, read 16,
/// no draft 32, forged 64.
#[derive(Serialize, Deserialize)]
struct MessageRow(
    ItemId,
    ChannelHash,
    i64,
    Intent,
    i64,
    u8,
    RequestVerb,
    #[serde(default)] Option<PersonHash>,
    #[serde(default)] Option<AppHash>,
    #[serde(default)] Option<ItemId>,
    #[serde(default)] Option<ChannelHash>,
    #[serde(default)] Option<MessageClass>,
    #[serde(default)] Vec<EvidenceCode>,
    #[serde(default)] Option<SourceLocator>,
);

impl From<MessageRow> for MessageRecord {
    fn from(row: MessageRow) -> Self {
        let MessageRow(
            item_id,
            channel,
            ms,
            intent,
            urgency,
            flags,
            verb,
            person,
            app,
            thread,
            list,
            class,
            mut evidence,
            locator,
        ) = row;
        evidence.truncate(EVIDENCE_MAX);
        MessageRecord {
            item_id,
            channel,
            at: Timestamp::from_ms(ms),
            intent,
            urgency: Milli(urgency.clamp(0, 1000)),
            mention: flags & 1 != 0,
            mail: flags & 2 != 0,
            answered: flags & 4 != 0,
            drafted: flags & 8 != 0,
            read: flags & 16 != 0,
            thread,
            list,
            verb,
            person,
            app,
            class: class.unwrap_or(class_of(intent)),
            evidence,
            no_draft: flags & 32 != 0,
            forged: flags & 64 != 0,
            locator,
        }
    }
}

impl From<MessageRecord> for MessageRow {
    fn from(item: MessageRecord) -> Self {
        let flags = u8::from(item.mention)
            | u8::from(item.mail) << 1
            | u8::from(item.answered) << 2
            | u8::from(item.drafted) << 3
            | u8::from(item.read) << 4
            | u8::from(item.no_draft) << 5
            | u8::from(item.forged) << 6;
        MessageRow(
            item.item_id,
            item.channel,
            item.at.ms(),
            item.intent,
            item.urgency.0,
            flags,
            item.verb,
            item.person,
            item.app,
            item.thread,
            item.list,
            Some(item.class),
            item.evidence,
            item.locator,
        )
    }
}

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

/// Whether what is read again of a known message may judge it anew: a mail, or a message of the owner's files.
fn may_judge_again(known: &MessageRecord, item: &MessageRecord) -> bool {
    known.mail || item.locator.is_some()
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

    /// Removes what the owner wants forgotten: messages by time, id, chat or sender, with all that is known of them. Returns the removed.
    pub(crate) fn forget(&mut self, what: &ErasureScope) -> Vec<MessageRecord> {
        let goes = |item: &MessageRecord| {
            what.covers_time(item.at)
                || what.covers_thing(item.item_id.as_str())
                || what.covers_thing(item.channel.as_str())
                || item
                    .person
                    .as_ref()
                    .is_some_and(|who| what.covers_thing(who.as_str()))
        };
        let (went, stay): (Vec<MessageRecord>, Vec<MessageRecord>) =
            std::mem::take(&mut self.items).into_iter().partition(goes);
        self.items = stay;
        let gone: BTreeSet<&ItemId> = went.iter().map(|item| &item.item_id).collect();
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
        went
    }

    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All of the window, in order of time.
    pub(crate) fn items(&self) -> &[MessageRecord] {
        &self.items
    }

    /// Whether an item is known.
    pub(crate) fn knows(&self, item: &ItemId) -> bool {
        self.ids.contains(item)
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
            may_judge_again(known, item)
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
        if !may_judge_again(known, item) {
            return;
        }
        known.locator = item.locator.or(known.locator);
        let wanted = item.intent == Intent::Actionable;
        let again = wanted != (known.intent == Intent::Actionable);
        known.intent = item.intent;
        known.urgency = item.urgency;
        known.mention = item.mention;
        known.read |= item.read;
        known.verb = item.verb;
        known.class = item.class;
        known.evidence.clone_from(&item.evidence);
        known.no_draft = item.no_draft;
        known.forged = item.forged;
        if again {
            self.reindex();
        }
    }

    /// Marks a mail as answered, whether it was read already or not.
    pub(crate) fn mail_answered(&mut self, item: ItemId, at: Timestamp) {
        if let Some(known) = self.items.iter_mut().find(|known| known.item_id == item) {
            known.answered = true;
        }
        self.answered.insert(item, at);
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
    }

    /// One item.
    pub(crate) fn get(&self, item: &ItemId) -> Option<&MessageRecord> {
        self.items.iter().find(|known| known.item_id == *item)
    }

    /// Remembers whether a reply was drafted.
    pub(crate) fn mark_drafted(&mut self, item: &ItemId, drafted: bool) {
        if let Some(known) = self.items.iter_mut().find(|known| known.item_id == *item) {
            known.drafted = drafted;
        }
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
        self.channels.contains_key(channel)
    }

    /// Drops what is older than 24 hours and not put off, and what is beyond [`MAX_ITEMS`]. True when anything went.
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
        }
        self.answered.retain(|_, answered| *answered > horizon);
        while self.answered.len() > MAX_ITEMS {
            self.answered.pop_first();
        }
        let ids = &self.ids;
        self.snoozed
            .retain(|id, until| *until > horizon && ids.contains(id));
        self.let_go.retain(|id, _| ids.contains(id));
        if gone > 0 {
            self.channels.retain(|_, channel| !channel.times.is_empty());
        }
        self.settle();
        gone > 0
    }
}
