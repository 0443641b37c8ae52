//! Shapes that tools of several agents share: labels for ids, and what came from one source.
//!
//! What: [`DescribeArgs`] and [`DescribeResult`] of the three `*.describe` tools, [`ParseArgs`] of the tools that parse. Why: one shape
//! each, so that a surface asks every agent alike. Not here: what an agent still knows (`agents`).

use super::learning::LearnedThing;
use crate::ids::{ChannelHash, EventId, IdError, ItemId, MerchantHash, PersonHash, SignalId, TxnId};
use serde::{Deserialize, Deserializer, Serialize};
use std::{collections::BTreeMap, fmt};

/// Something an agent can name. The prefix says what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum ThingId {
    /// A message: its sender.
    Item(ItemId),
    /// A channel: its name.
    Channel(ChannelHash),
    /// An event: its summary.
    Event(EventId),
    /// A transaction: its merchant.
    Txn(TxnId),
    /// A merchant: its name.
    Merchant(MerchantHash),
    /// Somebody who writes: their name.
    Person(PersonHash),
}

impl From<&LearnedThing> for ThingId {
    fn from(about: &LearnedThing) -> Self {
        match about {
            LearnedThing::Person(person) => Self::Person(person.clone()),
            LearnedThing::Channel(channel) => Self::Channel(channel.clone()),
        }
    }
}

impl ThingId {
    /// Parses an id of any of the six kinds.
    ///
    /// # Errors
    /// [`IdError`] when the text is none of them.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        match text.split_once('_') {
            Some(("it", _)) => ItemId::parse(text).map(Self::Item),
            Some(("ch", _)) => ChannelHash::parse(text).map(Self::Channel),
            Some(("ev", _)) => EventId::parse(text).map(Self::Event),
            Some(("tx", _)) => TxnId::parse(text).map(Self::Txn),
            Some(("mh", _)) => MerchantHash::parse(text).map(Self::Merchant),
            Some(("pe", _)) => PersonHash::parse(text).map(Self::Person),
            Some(_) | None => Err(IdError {
                what: "thing id",
                shape: "^(it|ch|ev|tx|mh|pe)_[0-9a-f]{16}$",
            }),
        }
    }
}

impl<'de> Deserialize<'de> for ThingId {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        crate::ids::parsed(d, Self::parse)
    }
}

/// What things are called.
pub type ThingNames = BTreeMap<ThingId, String>;

/// Arguments of `*.describe`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescribeArgs {
    /// 1 to 64 ids, of any agent.
    pub ids: Vec<ThingId>,
}

/// Result of `*.describe`: every id that was asked for, once, in one of the two lists.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescribeResult {
    /// What the agent could name.
    pub labels: Vec<LabelledThing>,
    /// What it does not know, or no longer: no text is kept.
    pub unknown: Vec<ThingId>,
}

/// One id with its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledThing {
    pub id: ThingId,
    /// Its name: private, for a surface's memory only.
    pub label: DisplayLabel,
}

/// Text from outside, for a person to read: 1 to 120 characters without control characters. Its `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct DisplayLabel(String);

impl DisplayLabel {
    /// Characters of a label at most.
    pub const MAX: usize = 120;

    /// A label of some text: control characters become spaces, outer space goes, what is too long is cut and ends in an
    /// ellipsis. `None` when nothing is left.
    pub fn sanitize(text: &str) -> Option<Self> {
        let plain: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let plain = plain.trim();
        let cut: String = if plain.chars().count() > Self::MAX {
            plain.chars().take(Self::MAX - 1).chain(['…']).collect()
        } else {
            plain.to_owned()
        };
        (!cut.is_empty()).then_some(Self(cut))
    }

    /// Parses a label as it stands on the wire.
    ///
    /// # Errors
    /// [`IdError`] when it is empty, too long or has a control character.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let fits = (1..=Self::MAX).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError {
                what: "label",
                shape: "1 to 120 characters without control characters",
            })
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for DisplayLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DisplayLabel(..)")
    }
}

impl<'de> Deserialize<'de> for DisplayLabel {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        crate::ids::parsed(d, Self::parse)
    }
}

/// Arguments of the tools that parse: what one signal, or one file of an `.ics` folder, held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParseArgs {
    /// The signal's id, or the file's name relative to its folder.
    pub source_id: SignalId,
}
