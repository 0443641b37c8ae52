//! What Comms learned of senders, lists and chats, without a word of text.
//!
//! What: [`SenderHistory`]: how often somebody was answered and how fast, and the labels that the owner's own acts left. Why: one
//! learning for all, bounded, and exact when something is forgotten: weights are computed anew from the labels that are left. Not here: what a
//! label weighs (`weights`), how it stands in the state (`stored`), who reads mail (`comms`).
//!
//! Only the owner teaches: acts on cards, corrections, and mails of their own that never travelled. Whatever others write is counted as
//! received and no more.

mod merging;
mod stored;
mod weights;

use super::{contacts::MergedPeople, judging::SenderStanding};
use merging::{is_same, merged_keys, merged_label, merged_thing};
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};
use toolcall_schema::{
    Timestamp,
    catalogue::{
        comms::{EvidenceCode, MessageClass},
        learning::{LearnedList, LearnedRow, LearnedThing, TeachingAct},
    },
    forget::ErasureScope,
    ids::{ChannelHash, ItemId, PersonHash, TraceId},
};
use weights::LabelWeights;

/// Labels kept at most; the oldest are dropped.
pub(crate) const LABELS_MAX: usize = 2000;
/// People, lists and chats counted at most; the longest silent strangers are dropped.
pub(crate) const COUNTED_MAX: usize = 5000;
/// Bytes of JSON in the state at most.
pub(crate) const BYTES_MAX: usize = 256 << 10;
/// So many make room at once.
const DROPPED_AT_ONCE: usize = 50;
/// Rows that [`SenderHistory::list`] shows.
pub(crate) const ROWS_MAX: usize = 64;
/// A list or sender with so many messages ...
const SILENT_MESSAGES: u32 = 10;
/// ... over so many days, none of them answered, is news.
const SILENT_DAYS: i64 = 7;
/// So many answers make a sender one who is often answered, when they are a third of what came.
const OFTEN: u32 = 3;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What a label is about, and what a message has to be like for the label to weigh on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LabelKeys {
    pub(crate) person: Option<PersonHash>,
    /// The first mail of its thread.
    pub(crate) thread: Option<ItemId>,
    /// The mailing list or the chat.
    pub(crate) list: Option<ChannelHash>,
    /// Of the owner's day, 0 to 23.
    pub(crate) hour: u8,
    pub(crate) class: MessageClass,
}

/// What a label says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelAct {
    Confirmed,
    Useful,
    Dismissed,
    Edited,
    NotAbout,
    /// The owner muted the chat.
    Muted,
    /// The owner wrote back.
    Answered,
    /// The owner said which class it is: the label's.
    Corrected,
}

impl From<TeachingAct> for LabelAct {
    fn from(act: TeachingAct) -> Self {
        match act {
            TeachingAct::Confirmed => LabelAct::Confirmed,
            TeachingAct::Useful => LabelAct::Useful,
            TeachingAct::Dismissed => LabelAct::Dismissed,
            TeachingAct::Edited => LabelAct::Edited,
            TeachingAct::NotAbout => LabelAct::NotAbout,
        }
    }
}

/// One act of the owner's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaughtLabel {
    pub(crate) at: Timestamp,
    pub(crate) keys: LabelKeys,
    pub(crate) act: LabelAct,
    /// The card's trace, where it was a card.
    pub(crate) trace: Option<TraceId>,
}

/// What was counted of a sender, a list or a chat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CountedMessages {
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
    pub(crate) received: u32,
    pub(crate) read: u32,
    pub(crate) answered: u32,
    /// Of how many answers it is known how long they took, and how long together, in minutes.
    pub(crate) timed: u32,
    pub(crate) minutes: u32,
    /// The owner wrote to them.
    pub(crate) wrote_to: bool,
}

/// The history, by address. Its weights are no part of it: they follow from the labels. Neither is who is one person at several addresses:
/// that is put together where it is asked for, so that it can end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "stored::StoredHistory", into = "stored::StoredHistory")]
pub(crate) struct SenderHistory {
    /// In order of time.
    labels: VecDeque<TaughtLabel>,
    counted: BTreeMap<LearnedThing, CountedMessages>,
    /// Own mails of before then are known, or were forgotten: they are not looked at again.
    own_mail_until: Option<Timestamp>,
    weights: LabelWeights,
    merged: Arc<MergedPeople>,
}

impl SenderHistory {
    // ---- what happens ----

    /// A message came that was not known before.
    pub(crate) fn received(&mut self, about: &LearnedThing, at: Timestamp) {
        let counted = self.entry(about, at);
        counted.received = counted.received.saturating_add(1);
    }

    /// The owner opened a message that they had not opened before.
    pub(crate) fn read(&mut self, about: &LearnedThing, at: Timestamp) {
        let counted = self.entry(about, at);
        counted.read = counted.read.saturating_add(1).min(counted.received);
    }

    /// The owner wrote to somebody, by a mail of their own.
    pub(crate) fn wrote_to(&mut self, person: PersonHash, at: Timestamp) {
        self.entry(&LearnedThing::Person(person), at).wrote_to = true;
    }

    /// The owner answered a message, after so many minutes where that is known.
    pub(crate) fn answered(&mut self, keys: LabelKeys, at: Timestamp, minutes: Option<u32>) {
        for about in [
            keys.person.clone().map(LearnedThing::Person),
            keys.list.clone().map(LearnedThing::Channel),
        ] {
            let Some(about) = about else { continue };
            let counted = self.entry(&about, at);
            counted.answered = counted.answered.saturating_add(1);
            counted.wrote_to |= matches!(about, LearnedThing::Person(_));
            if let Some(minutes) = minutes {
                counted.timed = counted.timed.saturating_add(1);
                counted.minutes = counted.minutes.saturating_add(minutes);
            }
        }
        self.teach(TaughtLabel {
            at,
            keys,
            act: LabelAct::Answered,
            trace: None,
        });
    }

    /// Keeps a label. False when the same act on the same card is known.
    pub(crate) fn teach(&mut self, label: TaughtLabel) -> bool {
        let same = |known: &TaughtLabel| known.trace == label.trace && known.act == label.act;
        if label.trace.is_some() && self.labels.iter().any(same) {
            return false;
        }
        // In the state stand whole seconds.
        let at = Timestamp::from_ms(label.at.ms().div_euclid(1000) * 1000);
        let label = TaughtLabel { at, ..label };
        let place = self.labels.partition_point(|known| known.at <= at);
        let newest = place == self.labels.len() && place < LABELS_MAX;
        if newest {
            self.weights.add(&merged_label(&label, &self.merged));
        }
        self.labels.insert(place, label);
        if !newest {
            self.settle();
        }
        true
    }

    /// Whether an act on a card taught this, then or later.
    pub(crate) fn is_taught(&self, keys: &LabelKeys, act: LabelAct, since: Timestamp) -> bool {
        let is_it = |label: &&TaughtLabel| label.act == act && label.keys == *keys;
        self.labels
            .iter()
            .rev()
            .take_while(|label| label.at.ms() + 1000 > since.ms())
            .any(|label| is_it(&label))
    }

    /// Takes back what an act on a card taught from then on.
    pub(crate) fn unteach(&mut self, keys: &LabelKeys, act: LabelAct, since: Timestamp) {
        self.unteach_those(since, |label| label.act == act && label.keys == *keys);
    }

    /// Forgets that mutes of a chat were wanted which cards offered since then; whether there were any.
    pub(crate) fn unteach_mute(&mut self, channel: &ChannelHash, since: Timestamp) -> bool {
        let is_it =
            |label: &TaughtLabel| label.act == LabelAct::Muted && label.keys.list.as_ref() == Some(channel);
        self.unteach_those(since, is_it)
    }

    /// Whether any went.
    fn unteach_those(&mut self, since: Timestamp, is_it: impl Fn(&TaughtLabel) -> bool) -> bool {
        // In the state stand whole seconds.
        let since = Timestamp::from_ms(since.ms().div_euclid(1000) * 1000);
        let before = self.labels.len();
        self.labels
            .retain(|label| label.trace.is_none() || label.at < since || !is_it(label));
        self.settle();
        self.labels.len() != before
    }

    /// The owner says what a sender's, a list's or a chat's messages are. An earlier correction of it goes.
    pub(crate) fn correct(&mut self, about: &LearnedThing, class: MessageClass, at: Timestamp) {
        self.labels
            .retain(|label| label.act != LabelAct::Corrected || !is_of(label, about, &self.merged));
        let (person, list) = match about {
            LearnedThing::Person(person) => (Some(person.clone()), None),
            LearnedThing::Channel(channel) => (None, Some(channel.clone())),
        };
        let keys = LabelKeys {
            person,
            thread: None,
            list,
            hour: 0,
            class,
        };
        self.teach(TaughtLabel {
            at,
            keys,
            act: LabelAct::Corrected,
            trace: None,
        });
    }

    /// Unlearns one sender, list or chat, or everything: labels and counts. How many went. That the owner wrote to somebody is no
    /// lesson and stays.
    pub(crate) fn reset(&mut self, about: Option<&LearnedThing>) -> u32 {
        let labels = self.labels.len();
        self.labels
            .retain(|label| about.is_some_and(|about| !is_of(label, about, &self.merged)));
        let mut removed = labels - self.labels.len();
        self.counted.retain(|thing, counted| {
            if about.is_some_and(|about| !is_same(about, thing, &self.merged)) {
                return true;
            }
            removed += 1;
            *counted = CountedMessages {
                first: counted.first,
                last: counted.last,
                wrote_to: counted.wrote_to,
                ..CountedMessages::default()
            };
            counted.wrote_to
        });
        self.settle();
        u32::try_from(removed).unwrap_or(u32::MAX)
    }

    /// Removes what the owner wants forgotten. Of somebody whose messages came within a span, all that was counted goes.
    pub(crate) fn forget(&mut self, what: &ErasureScope) {
        self.labels.retain(|label| {
            let keys = &label.keys;
            let things = [
                keys.person.as_ref().map(PersonHash::as_str),
                keys.thread.as_ref().map(ItemId::as_str),
                keys.list.as_ref().map(ChannelHash::as_str),
                label.trace.as_ref().map(TraceId::as_str),
            ];
            !what.covers_time(label.at) && !things.into_iter().flatten().any(|thing| what.covers_thing(thing))
        });
        let overlaps = |counted: &CountedMessages| {
            what.span
                .is_some_and(|span| span.from <= counted.last && counted.first < span.to)
        };
        self.counted
            .retain(|thing, counted| !what.covers_thing(thing.as_str()) && !overlaps(counted));
        self.settle();
    }

    /// From now on these are one person each.
    pub(crate) fn merge_people(&mut self, merged: Arc<MergedPeople>) {
        self.merged = merged;
        self.settle();
    }

    /// Own mails of before then are no news any more.
    pub(crate) fn own_mail_known_until(&mut self, at: Timestamp) {
        self.own_mail_until = self.own_mail_until.max(Some(at));
    }

    /// Whether an own mail of then was not looked at yet.
    pub(crate) fn is_own_mail_new(&self, at: Timestamp) -> bool {
        self.own_mail_until.is_none_or(|until| at >= until)
    }

    /// Own mails are looked at once more.
    pub(crate) fn read_own_mail_again(&mut self) {
        self.own_mail_until = None;
    }

    // ---- what follows from it ----

    /// What is known of the sender of a message.
    pub(crate) fn standing(&self, keys: &LabelKeys) -> SenderStanding {
        let person = keys.person.clone().map(LearnedThing::Person);
        let counted = person
            .and_then(|person| self.counted_of(&person))
            .unwrap_or_default();
        SenderStanding {
            wrote_to: counted.wrote_to,
            answered: counted.answered,
            ignored: counted.received.saturating_sub(counted.answered),
            taught: self.shift(keys),
            answers_owner: false,
            knows_own_mail: false,
            let_through: false,
        }
    }

    /// How much the owner's acts move a confidence, in thousandths: at most 150 either way.
    pub(crate) fn shift(&self, keys: &LabelKeys) -> i32 {
        self.weights.shift(&merged_keys(keys, &self.merged))
    }

    /// What was counted of a sender at all their addresses, a list or a chat.
    pub(crate) fn counted_of(&self, about: &LearnedThing) -> Option<CountedMessages> {
        let LearnedThing::Person(person) = about else {
            return self.counted.get(about).copied();
        };
        let all = self.merged.all(person).cloned().map(LearnedThing::Person);
        let counted = all.filter_map(|thing| self.counted.get(&thing).copied());
        counted.reduce(CountedMessages::combined_with)
    }

    /// Everybody of whom something is kept.
    pub(crate) fn people(&self) -> impl Iterator<Item = &PersonHash> {
        let counted = self.counted.keys().filter_map(|thing| match thing {
            LearnedThing::Person(person) => Some(person),
            LearnedThing::Channel(_) => None,
        });
        counted.chain(self.labels.iter().filter_map(|label| label.keys.person.as_ref()))
    }

    /// What the messages of a sender, list or chat are to the owner, where that is known, and why. The owner's own word first.
    pub(crate) fn treated_as(&self, about: &LearnedThing) -> Option<(MessageClass, EvidenceCode)> {
        if let Some(class) = self.correction(about) {
            return Some((class, EvidenceCode::Taught));
        }
        match self.weights.shift_of_thing(&merged_thing(about, &self.merged)) {
            shift if shift <= -NOTICED => return Some((MessageClass::News, EvidenceCode::Taught)),
            shift if shift >= NOTICED => return Some((MessageClass::NeedsYou, EvidenceCode::Taught)),
            _ => {}
        }
        let counted = self.counted_of(about)?;
        if counted.answered >= OFTEN && counted.answered.saturating_mul(3) >= counted.received {
            return Some((MessageClass::NeedsYou, EvidenceCode::OftenAnswered));
        }
        let days = counted.last.since(counted.first) / DAY_MS;
        let silent = counted.answered == 0 && !counted.wrote_to;
        (silent && counted.received >= SILENT_MESSAGES && days >= SILENT_DAYS)
            .then_some((MessageClass::News, EvidenceCode::NeverAnswered))
    }

    /// What the owner said that it is.
    pub(crate) fn correction(&self, about: &LearnedThing) -> Option<MessageClass> {
        let of = |label: &&TaughtLabel| label.act == LabelAct::Corrected && is_of(label, about, &self.merged);
        self.labels.iter().rev().find(of).map(|label| label.keys.class)
    }

    /// What was learned, for the owner: at most 64, the owner's corrections first, then by the size of the effect.
    pub(crate) fn list(&self) -> LearnedList {
        let of_labels: Vec<LearnedThing> = self.labels.iter().flat_map(things_of).collect();
        let all = self.counted.keys().chain(&of_labels);
        let mut things: Vec<Cow<'_, LearnedThing>> =
            all.map(|thing| merged_thing(thing, &self.merged)).collect();
        things.sort();
        things.dedup();
        let mut rows: Vec<LearnedRow> = things
            .into_iter()
            .filter_map(|about| {
                let (class, why) = self.treated_as(&about)?;
                let counted = self.counted_of(&about).unwrap_or_default();
                Some(LearnedRow {
                    class,
                    why,
                    corrected: self.correction(&about).is_some(),
                    received: counted.received,
                    answered: counted.answered,
                    minutes: counted.minutes.checked_div(counted.timed),
                    shift: self.weights.shift_of_thing(&about),
                    about: about.into_owned(),
                })
            })
            .collect();
        rows.sort_by_key(|row| {
            let size = row.shift.unsigned_abs();
            (!row.corrected, std::cmp::Reverse((size, row.received)))
        });
        rows.truncate(ROWS_MAX);
        LearnedList {
            rows,
            labels: count(self.labels.len()),
            counted: count(self.counted.len()),
            let_through: Vec::new(),
        }
    }

    /// Labels that are kept.
    pub(crate) fn labels(&self) -> u32 {
        count(self.labels.len())
    }

    // ---- bounds ----

    fn entry(&mut self, about: &LearnedThing, at: Timestamp) -> &mut CountedMessages {
        // In the state stand whole seconds.
        let at = Timestamp::from_ms(at.ms().div_euclid(1000) * 1000);
        if self.counted.len() >= COUNTED_MAX && !self.counted.contains_key(about) {
            self.drop_counted(DROPPED_AT_ONCE);
        }
        let counted = self.counted.entry(about.clone()).or_insert(CountedMessages {
            first: at,
            last: at,
            ..CountedMessages::default()
        });
        counted.first = counted.first.min(at);
        counted.last = counted.last.max(at);
        counted
    }

    /// Drops those that were silent longest; whom the owner wrote to after all others, so that a flood of strangers drives nobody out.
    fn drop_counted(&mut self, many: usize) {
        let mut by_age: Vec<(bool, Timestamp, LearnedThing)> = self
            .counted
            .iter()
            .map(|(thing, counted)| {
                (
                    counted.wrote_to || counted.answered > 0,
                    counted.last,
                    thing.clone(),
                )
            })
            .collect();
        by_age.sort();
        for (_, _, thing) in by_age.into_iter().take(many) {
            self.counted.remove(&thing);
        }
    }

    /// Keeps the bound on labels, and computes the weights of those that are left.
    fn settle(&mut self) {
        while self.labels.len() > LABELS_MAX {
            self.labels.pop_front();
        }
        let mut weights = LabelWeights::default();
        for label in &self.labels {
            weights.add(&merged_label(label, &self.merged));
        }
        self.weights = weights;
    }

    /// Keeps the bound on bytes before it is written: those that were silent longest go first, then the oldest labels.
    pub(crate) fn fit(&mut self) {
        // A row is about fifty bytes; what is left after the first pass is close to the bound.
        while let Some(over) = self.bytes().checked_sub(BYTES_MAX).filter(|over| *over > 0) {
            let rows = over.div_ceil(ROW_BYTES);
            if self.counted.is_empty() {
                self.labels.drain(..rows.min(self.labels.len()));
                self.settle();
            } else {
                self.drop_counted(rows);
            }
            if self.counted.is_empty() && self.labels.is_empty() {
                return;
            }
        }
    }

    fn bytes(&self) -> usize {
        serde_json::to_vec(&stored::StoredHistory::from(self.clone())).map_or(0, |json| json.len())
    }
}

/// Bytes of one row, at most: no more goes than has to.
const ROW_BYTES: usize = 120;
/// A shift that is said to the owner, in thousandths.
const NOTICED: i32 = 60;

/// Whether a label is of a sender at any of their addresses, a list or a chat.
fn is_of(label: &TaughtLabel, about: &LearnedThing, merged: &MergedPeople) -> bool {
    things_of(label).any(|thing| is_same(&thing, about, merged))
}

fn things_of(label: &TaughtLabel) -> impl Iterator<Item = LearnedThing> {
    let person = label.keys.person.clone().map(LearnedThing::Person);
    let list = label.keys.list.clone().map(LearnedThing::Channel);
    person.into_iter().chain(list)
}

fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
