//! How many messages there were, by local day, chat and sender.
//!
//! What: [`MessageCounts`], kept in the state beside the window, and what memory is told of them. Why: the window is bounded, and a count
//! taken from it forgets what a flood pushed out. The numbers are a day's so far, so that telling them twice is telling them once. Not
//! here: what a message said, which is never kept.

use super::{contacts::MergedPeople, intent::Intent, model::WINDOW_MS, record::MessageRecord};
use agents_base::{
    shared::{IngestReport, SkipCode},
    zone::local_date,
};
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::{
    Timestamp,
    forget::ErasureScope,
    ids::{AppHash, ChannelHash, PersonHash},
    tick::{GraphObservation, SEEN_MAX},
};

/// Senders that are counted by themselves, over all chats and days. The messages of one more are counted in their chat alone.
const MAX_SENDERS: usize = 2048;
/// Chats that are counted in one day.
const MAX_CHATS: usize = 1024;
/// There is no row for their chat.
const TOO_MANY_CHATS: SkipCode = SkipCode {
    code: "AGENT-018",
    message: "these messages are of more than 1024 chats in one day: they are judged, but memory does not count them",
};

/// The messages of the days that the window reaches into.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredCounts", into = "StoredCounts")]
pub(super) struct MessageCounts {
    zone: Tz,
    days: BTreeMap<NaiveDate, BTreeMap<ChannelHash, ChatCount>>,
    /// Messages of chats beyond [`MAX_CHATS`] that were not named yet.
    uncounted: BTreeMap<NaiveDate, u32>,
}

/// One chat on one day.
#[derive(Debug, Clone, Default, PartialEq)]
struct ChatCount {
    app: Option<AppHash>,
    /// `None`: the owner, and whoever is not counted by themselves.
    senders: BTreeMap<Option<PersonHash>, SenderCount>,
}

/// One sender in one chat on one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct SenderCount {
    messages: u32,
    actionable: u32,
    newest: Timestamp,
    /// Whether the last change was not reported to memory yet.
    untold: bool,
}

/// [`MessageCounts`] as they stand in the state.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCounts {
    zone: Tz,
    rows: Vec<ChatRow>,
}

/// One chat on one day.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum ChatRow {
    ByKey(ChatKey, Option<AppHash>, Vec<SenderRow>),
    /// As states of before only changes were written have it.
    InColumns(NaiveDate, ChannelHash, Option<AppHash>, Vec<SenderRow>),
}

/// A day and a chat, as one text.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct ChatKey(NaiveDate, ChannelHash);

impl From<ChatKey> for String {
    fn from(ChatKey(day, channel): ChatKey) -> Self {
        format!("{day} {}", channel.as_str())
    }
}

impl TryFrom<String> for ChatKey {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let (day, channel) = text.split_once(' ').ok_or("no day and chat")?;
        let day = day.parse().map_err(|_| "no day")?;
        let channel = ChannelHash::parse(channel).map_err(|_| "no chat")?;
        Ok(Self(day, channel))
    }
}

#[derive(Serialize, Deserialize)]
struct SenderRow(Option<PersonHash>, u32, u32, i64, bool);

impl From<MessageCounts> for StoredCounts {
    fn from(counts: MessageCounts) -> Self {
        let rows = counts.days.into_iter().flat_map(|(day, chats)| {
            chats.into_iter().map(move |(channel, chat)| {
                let senders = chat
                    .senders
                    .into_iter()
                    .map(|(who, of)| SenderRow(who, of.messages, of.actionable, of.newest.ms(), of.untold));
                ChatRow::ByKey(ChatKey(day, channel), chat.app, senders.collect())
            })
        });
        StoredCounts {
            zone: counts.zone,
            rows: rows.collect(),
        }
    }
}

impl From<StoredCounts> for MessageCounts {
    fn from(stored: StoredCounts) -> Self {
        let mut counts = MessageCounts::new(stored.zone);
        for row in stored.rows {
            let (day, channel, app, senders) = match row {
                ChatRow::ByKey(ChatKey(day, channel), app, senders) => (day, channel, app, senders),
                ChatRow::InColumns(day, channel, app, senders) => (day, channel, app, senders),
            };
            let senders = senders
                .into_iter()
                .map(|SenderRow(who, messages, actionable, ms, untold)| {
                    let of = SenderCount {
                        messages,
                        actionable,
                        newest: Timestamp::from_ms(ms),
                        untold,
                    };
                    (who, of)
                });
            let chat = ChatCount {
                app,
                senders: senders.collect(),
            };
            counts.days.entry(day).or_default().insert(channel, chat);
        }
        counts
    }
}

impl ChatCount {
    fn all(&self) -> u32 {
        self.senders.values().map(|of| of.messages).sum()
    }

    fn actionable(&self) -> u32 {
        self.senders.values().map(|of| of.actionable).sum()
    }
}

impl MessageCounts {
    /// Nothing counted yet; days are those of `zone`.
    pub(super) fn new(zone: Tz) -> Self {
        Self {
            zone,
            days: BTreeMap::new(),
            uncounted: BTreeMap::new(),
        }
    }

    /// From the items of a window, for a state of before messages were counted.
    pub(super) fn from_records(items: &[MessageRecord], zone: Tz) -> Self {
        let mut counts = Self::new(zone);
        for item in items {
            counts.add(item);
        }
        for of in counts.senders_mut() {
            of.untold = false;
        }
        counts
    }

    /// The same counts; new messages are of the days of `zone`.
    #[must_use]
    pub(super) fn in_zone(mut self, zone: Tz) -> Self {
        self.zone = zone;
        self
    }

    fn senders_mut(&mut self) -> impl Iterator<Item = &mut SenderCount> {
        let chats = self.days.values_mut().flat_map(BTreeMap::values_mut);
        chats.flat_map(|chat| chat.senders.values_mut())
    }

    /// Counts a new message; false when there is no room for its chat.
    pub(super) fn add(&mut self, item: &MessageRecord) -> bool {
        let day = local_date(item.at, self.zone);
        // A full table is an extreme; looking for room is not worth a counter of its own.
        let room = self.sender_mut(item).is_some() || self.senders_mut().count() < MAX_SENDERS;
        let chats = self.days.entry(day).or_default();
        if chats.len() >= MAX_CHATS && !chats.contains_key(&item.channel) {
            let uncounted = self.uncounted.entry(day).or_default();
            *uncounted = uncounted.saturating_add(1);
            return false;
        }
        let chat = chats.entry(item.channel.clone()).or_default();
        if chat.app.is_none() {
            chat.app.clone_from(&item.app);
        }
        let who = item.person.clone().filter(|_| room);
        let of = chat.senders.entry(who).or_default();
        of.messages = of.messages.saturating_add(1);
        of.actionable = of
            .actionable
            .saturating_add(u32::from(item.intent == Intent::Actionable));
        of.newest = of.newest.max(item.at);
        of.untold = true;
        true
    }

    /// Names what was not counted, by day.
    pub(super) fn tell_uncounted(&mut self, report: &mut IngestReport) {
        for (day, count) in std::mem::take(&mut self.uncounted) {
            report.skip_many(TOO_MANY_CHATS, &day.to_string(), None, count);
        }
    }

    /// A message that was counted is ACTIONABLE from now on, or no longer.
    pub(super) fn judged_again(&mut self, item: &MessageRecord) {
        let Some(of) = self.sender_mut(item) else { return };
        of.actionable = if item.intent == Intent::Actionable {
            of.actionable.saturating_add(1)
        } else {
            of.actionable.saturating_sub(1)
        };
        of.untold = true;
    }

    fn sender_mut(&mut self, item: &MessageRecord) -> Option<&mut SenderCount> {
        let day = local_date(item.at, self.zone);
        let chat = self.days.get_mut(&day)?.get_mut(&item.channel)?;
        chat.senders.get_mut(&item.person)
    }

    /// Everybody who is counted by themselves.
    pub(super) fn people(&self) -> impl Iterator<Item = &PersonHash> {
        let chats = self.days.values().flat_map(BTreeMap::values);
        chats.flat_map(|chat| chat.senders.keys()).flatten()
    }

    /// Takes the counts to report to memory, the newest first, at most [`SEEN_MAX`]; the rest follows next time. Whoever wrote from several
    /// addresses is one person there.
    pub(super) fn take_seen(&mut self, merged: &MergedPeople) -> Vec<GraphObservation> {
        let mut untold: Vec<(Timestamp, NaiveDate, ChannelHash, PersonHash)> = Vec::new();
        for (day, chats) in &self.days {
            for (channel, chat) in chats {
                let of_chat = chat.senders.iter().filter(|(_, of)| of.untold);
                untold.extend(of_chat.filter_map(|(who, of)| {
                    let person = merged.first(who.as_ref()?).clone();
                    Some((of.newest, *day, channel.clone(), person))
                }));
            }
        }
        untold.sort_by_key(|(newest, ..)| std::cmp::Reverse(*newest));
        let mut taken = BTreeSet::new();
        untold.retain(|(_, day, channel, person)| taken.insert((*day, channel.clone(), person.clone())));
        untold.truncate(SEEN_MAX);
        let told = untold.into_iter().filter_map(|(_, day, channel, person)| {
            let chat = self.days.get_mut(&day)?.get_mut(&channel)?;
            let (all, actionable) = (chat.all(), chat.actionable());
            let (mut messages, mut at) = (0_u32, None);
            for one in merged.all(&person) {
                let Some(of) = chat.senders.get_mut(&Some(one.clone())) else {
                    continue;
                };
                of.untold = false;
                messages = messages.saturating_add(of.messages);
                at = at.max(Some(of.newest));
            }
            Some(GraphObservation::Talk {
                app: chat.app.clone(),
                at: at?,
                channel,
                person,
                day,
                messages,
                all,
                actionable,
            })
        });
        told.collect()
    }

    /// Drops the days that the window no longer reaches into.
    pub(super) fn prune(&mut self, at: Timestamp) {
        let first = local_date(at.plus_ms(-WINDOW_MS), self.zone);
        self.days.retain(|day, _| *day >= first);
    }

    /// Removes what the owner wants forgotten; `gone` are the messages removed from the window. Of a sender whose newest message of a day goes,
    /// the whole day goes.
    pub(super) fn forget(&mut self, what: &ErasureScope, gone: &[MessageRecord]) {
        for chats in self.days.values_mut() {
            chats.retain(|channel, chat| {
                chat.senders.retain(|who, of| {
                    !what.covers_time(of.newest)
                        && !who.as_ref().is_some_and(|who| what.covers_thing(who.as_str()))
                });
                !what.covers_thing(channel.as_str())
            });
        }
        for item in gone {
            if let Some(of) = self.sender_mut(item) {
                of.messages = of.messages.saturating_sub(1);
                of.actionable = of
                    .actionable
                    .saturating_sub(u32::from(item.intent == Intent::Actionable));
            }
        }
        for chats in self.days.values_mut() {
            chats.retain(|_, chat| {
                chat.senders.retain(|_, of| of.messages > 0);
                !chat.senders.is_empty()
            });
        }
        self.days.retain(|_, chats| !chats.is_empty());
    }
}
