//! What is kept by address, looked at by person.
//!
//! What: a thing, keys and a label under the address that stands for their person, and the sum of what was counted at two addresses. Why: who is one
//! person may change, so nothing is kept merged. Not here: who is one person (`contacts`).

use super::{CountedMessages, LabelKeys, TaughtLabel};
use crate::contacts::MergedPeople;
use std::borrow::Cow;
use toolcall_schema::catalogue::learning::LearnedThing;

impl CountedMessages {
    /// What was counted at two addresses of one person.
    pub(super) fn combined_with(self, other: Self) -> Self {
        Self {
            first: self.first.min(other.first),
            last: self.last.max(other.last),
            received: self.received.saturating_add(other.received),
            read: self.read.saturating_add(other.read),
            answered: self.answered.saturating_add(other.answered),
            timed: self.timed.saturating_add(other.timed),
            minutes: self.minutes.saturating_add(other.minutes),
            wrote_to: self.wrote_to || other.wrote_to,
        }
    }
}

pub(super) fn is_same(one: &LearnedThing, other: &LearnedThing, merged: &MergedPeople) -> bool {
    merged_thing(one, merged) == merged_thing(other, merged)
}

/// A sender by the address that stands for them; a list or a chat as it is.
pub(super) fn merged_thing<'a>(about: &'a LearnedThing, merged: &MergedPeople) -> Cow<'a, LearnedThing> {
    match about {
        LearnedThing::Person(person) if merged.first(person) != person => {
            Cow::Owned(LearnedThing::Person(merged.first(person).clone()))
        }
        LearnedThing::Person(_) | LearnedThing::Channel(_) => Cow::Borrowed(about),
    }
}

pub(super) fn merged_keys<'a>(keys: &'a LabelKeys, merged: &MergedPeople) -> Cow<'a, LabelKeys> {
    match &keys.person {
        Some(person) if merged.first(person) != person => Cow::Owned(LabelKeys {
            person: Some(merged.first(person).clone()),
            ..keys.clone()
        }),
        Some(_) | None => Cow::Borrowed(keys),
    }
}

pub(super) fn merged_label<'a>(label: &'a TaughtLabel, merged: &MergedPeople) -> Cow<'a, TaughtLabel> {
    match merged_keys(&label.keys, merged) {
        Cow::Borrowed(_) => Cow::Borrowed(label),
        Cow::Owned(keys) => Cow::Owned(TaughtLabel {
            keys,
            ..label.clone()
        }),
    }
}
