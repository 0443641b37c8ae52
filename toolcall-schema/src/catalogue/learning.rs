//! What Comms learns from the owner's acts: the shapes of its four tools.
//!
//! What: [`LearnFromAct`], [`ListLearned`], [`CorrectLearned`], [`ResetLearned`] with their results. Why: what was learned reaches the agent as
//! a call like any other, and the owner sees, corrects and resets it by one. Not here: what a label weighs (`agents`, `comms::history`).

use crate::{
    ids::{ChannelHash, IdError, PersonHash, TraceId},
    message_class::{EvidenceCode, MessageClass},
    names::{ActionKind, closed_enum},
    tick::Subject,
};
use serde::{Deserialize, Deserializer, Serialize};

/// The effect of what was learned on a confidence, in thousandths, either way.
pub const SHIFT_MAX: i32 = 150;

/// Whom the owner asked something is listed after so many days without an answer ...
pub const ASKED_DAYS: u32 = 3;
/// ... and no longer after so many.
pub const GIVEN_UP_DAYS: u32 = 30;

closed_enum!(
    /// What the owner did with a card.
    TeachingAct {
        /// They had it done.
        Confirmed = "confirmed",
        /// They found it useful.
        Useful = "useful",
        /// They did not want it.
        Dismissed = "dismissed",
        /// They wanted it otherwise.
        Edited = "edited",
        /// They want nothing about this.
        NotAbout = "not_about",
    }
);

/// Arguments of `comms.learn_from_act`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnFromAct {
    /// The card's kind.
    pub kind: ActionKind,
    /// What the card was about.
    pub subject: Subject,
    pub act: TeachingAct,
    /// The card's trace. An act on it teaches once.
    pub trace_id: TraceId,
}

/// Result of `comms.learn_from_act`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnResult {
    /// Labels that are kept now.
    pub labels: u32,
}

/// Somebody who writes, or a list or chat.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum LearnedThing {
    Person(PersonHash),
    /// A mailing list, a mail folder, a chat.
    Channel(ChannelHash),
}

impl LearnedThing {
    /// Parses the id of a person or a channel.
    ///
    /// # Errors
    /// [`IdError`] when the text is neither.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        match text.split_once('_') {
            Some(("pe", _)) => PersonHash::parse(text).map(Self::Person),
            Some(("ch", _)) => ChannelHash::parse(text).map(Self::Channel),
            Some(_) | None => Err(IdError {
                what: "person or channel",
                shape: "^(pe|ch)_[0-9a-f]{16}$",
            }),
        }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        match self {
            LearnedThing::Person(person) => person.as_str(),
            LearnedThing::Channel(channel) => channel.as_str(),
        }
    }
}

impl<'de> Deserialize<'de> for LearnedThing {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        crate::ids::parsed(d, Self::parse)
    }
}

/// Arguments of `comms.list_learned`: none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListLearned {}

/// Result of `comms.list_learned`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedList {
    /// At most 64, those with the largest effect first.
    pub rows: Vec<LearnedRow>,
    /// Labels that are kept.
    pub labels: u32,
    /// People, lists and chats whose messages are counted.
    pub counted: u32,
    /// People and chats that the owner always lets through, at most [`super::correspondent::LET_THROUGH_MAX`]: rules, nothing that was learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub let_through: Vec<LearnedThing>,
}

/// What was learned of one sender, list or chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedRow {
    pub about: LearnedThing,
    /// What its messages are treated as.
    pub class: MessageClass,
    /// Why: `never_answered`, `often_answered`, or `taught` by acts on cards and by corrections.
    pub why: EvidenceCode,
    /// Whether the owner said so themselves.
    pub corrected: bool,
    /// Messages that came.
    pub received: u32,
    /// Of those, how many the owner answered.
    pub answered: u32,
    /// Minutes until an answer, on average; absent when that is not known of any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
    /// How much it moves a confidence, in thousandths: at most [`SHIFT_MAX`] either way.
    pub shift: i32,
}

/// Arguments of `comms.correct_learned`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorrectLearned {
    pub about: LearnedThing,
    /// What its messages are to the owner.
    pub class: MessageClass,
}

/// Result of `comms.correct_learned`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorrectedLearned {
    pub about: LearnedThing,
    pub class: MessageClass,
}

/// Arguments of `comms.reset_learned`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResetLearned {
    /// Absent: everything that was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<LearnedThing>,
}

/// Result of `comms.reset_learned`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResetResult {
    /// Labels and counts that went.
    pub removed: u32,
}
