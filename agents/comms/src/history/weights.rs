//! What labels weigh: whole thousandths, computed from the labels alone.
//!
//! What: [`LabelWeights`]. Why: the same labels give the same weights whatever was learned and unlearned before, so that forgetting is exact.
//! Not here: keeping labels (`history`).
//!
//! | Act | Weight |
//! |---|---|
//! | useful | +40 |
//! | confirmed | +30 |
//! | answered | +20 |
//! | edited | −10 |
//! | dismissed | −30 |
//! | not about this, muted | −60 |
//! | corrected | +150 to a class that wants something, −150 to news and spam, 0 else |
//!
//! A label weighs in full on its sender (at most 120 either way), its thread (60) and its list or chat (120), by a fifth on its class (40) and by
//! a tenth on its quarter of the day (20). A correction weighs on what it corrects alone. Together at most 150.

use super::{LabelAct, LabelKeys, TaughtLabel};
use std::collections::BTreeMap;
use toolcall_schema::{
    catalogue::{
        comms::MessageClass,
        learning::{LearnedThing, SHIFT_MAX},
    },
    ids::{ChannelHash, ItemId, PersonHash},
};

/// Weights by what they are of, before their bounds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LabelWeights {
    people: BTreeMap<PersonHash, i32>,
    threads: BTreeMap<ItemId, i32>,
    lists: BTreeMap<ChannelHash, i32>,
    classes: BTreeMap<MessageClass, i32>,
    quarters: BTreeMap<u8, i32>,
    corrected: BTreeMap<LearnedThing, i32>,
}

impl LabelWeights {
    /// With one label more, newer than all others.
    pub(super) fn add(&mut self, label: &TaughtLabel) {
        let keys = &label.keys;
        let Some(weight) = weight_of(label.act) else {
            let weight = correction(keys.class);
            for about in super::things_of(label) {
                self.corrected.insert(about, weight);
            }
            return;
        };
        if let Some(person) = &keys.person {
            *self.people.entry(person.clone()).or_default() += weight;
        }
        if let Some(thread) = &keys.thread {
            *self.threads.entry(thread.clone()).or_default() += weight;
        }
        if let Some(list) = &keys.list {
            *self.lists.entry(list.clone()).or_default() += weight;
        }
        *self.classes.entry(keys.class).or_default() += weight;
        *self.quarters.entry(keys.hour / 6).or_default() += weight;
    }

    /// How much the labels move the confidence in a message.
    pub(super) fn shift(&self, keys: &LabelKeys) -> i32 {
        let person = keys.person.clone().map(LearnedThing::Person);
        let list = keys.list.clone().map(LearnedThing::Channel);
        let corrected = |about: Option<&LearnedThing>| about.and_then(|about| self.corrected.get(about));
        // The owner's own word stands: the sender's before the list's.
        if let Some(weight) = corrected(person.as_ref()).or_else(|| corrected(list.as_ref())) {
            return *weight;
        }
        let known = |weight: Option<&i32>| weight.copied().unwrap_or_default();
        let people = keys.person.as_ref().and_then(|person| self.people.get(person));
        let threads = keys.thread.as_ref().and_then(|thread| self.threads.get(thread));
        let lists = keys.list.as_ref().and_then(|list| self.lists.get(list));
        let sum = known(people).clamp(-120, 120)
            + known(threads).clamp(-60, 60)
            + known(lists).clamp(-120, 120)
            + (known(self.classes.get(&keys.class)) / 5).clamp(-40, 40)
            + (known(self.quarters.get(&(keys.hour / 6))) / 10).clamp(-20, 20);
        sum.clamp(-SHIFT_MAX, SHIFT_MAX)
    }

    /// The part of a shift that is of one sender, list or chat.
    pub(super) fn shift_of_thing(&self, about: &LearnedThing) -> i32 {
        if let Some(weight) = self.corrected.get(about) {
            return *weight;
        }
        let weight = match about {
            LearnedThing::Person(person) => self.people.get(person),
            LearnedThing::Channel(channel) => self.lists.get(channel),
        };
        weight.copied().unwrap_or_default().clamp(-120, 120)
    }
}

/// `None`: a correction, which weighs by its class.
fn weight_of(act: LabelAct) -> Option<i32> {
    Some(match act {
        LabelAct::Useful => 40,
        LabelAct::Confirmed => 30,
        LabelAct::Answered => 20,
        LabelAct::Edited => -10,
        LabelAct::Dismissed => -30,
        LabelAct::NotAbout | LabelAct::Muted => -60,
        LabelAct::Corrected => return None,
    })
}

fn correction(class: MessageClass) -> i32 {
    match class {
        MessageClass::NeedsYou | MessageClass::Date | MessageClass::Bill | MessageClass::Code => SHIFT_MAX,
        MessageClass::Group | MessageClass::Talk | MessageClass::Waiting => 0,
        MessageClass::News | MessageClass::Spam => -SHIFT_MAX,
    }
}
