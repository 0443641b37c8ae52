//! What Comms can say of one sender or chat, whom the owner always lets through, and who is one person: the shapes of `comms.describe_correspondent`,
//! `comms.let_through`, `comms.same_person` and `comms.list_same_people`.
//!
//! What: [`DescribeCorrespondent`] with its result [`Correspondent`], [`LetThrough`], [`SamePerson`], [`SamePeopleList`]. Why: a page about somebody says how loud they are and how often they
//! are answered, whoever it is; a list of what was learned names 64. Not here: names (`shared::DescribeResult`), what was learned of all (`learning`).

use super::{learning::LearnedThing, shared::ThingId};
use crate::{
    ids::PersonHash,
    message_class::{EvidenceCode, MessageClass},
    names::closed_enum,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

/// What ends the name of a chat that is called by its program, as in `WhatsApp chat`: no other name of such a chat is known.
pub const PROGRAM_CHAT: &str = " chat";

/// Arguments of `comms.describe_correspondent`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescribeCorrespondent {
    /// A person, at any of their addresses, a chat, a list or a mail folder; a message: whoever sent it.
    pub about: ThingId,
}

closed_enum!(
    /// Where a name that an agent gives comes from.
    NameSource {
        /// The owner's contacts.
        Contacts = "contacts",
        /// Who writes calls themselves so, or the chat is called so where it was written.
        Sender = "sender",
        /// The owner's configuration: it is a mail folder.
        Folder = "folder",
        /// The program that posts its messages.
        Program = "program",
    }
);

/// Result of `comms.describe_correspondent`. Of somebody who never wrote every count is 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correspondent {
    /// Whom it is about: of a message its sender, else its chat; of a person the address that stands for all of theirs.
    pub about: LearnedThing,
    /// Addresses that count as this one; of a chat 1.
    pub addresses: u32,
    /// Where the name comes from that `comms.describe` gives; absent: it gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named_by: Option<NameSource>,
    /// Messages of the last 24 hours.
    pub day: u32,
    /// Of those, the ones that wait for the owner's answer and are not put off.
    pub waiting: u32,
    /// When the oldest of those was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_since: Option<Timestamp>,
    /// Messages that came since they are counted.
    pub received: u32,
    /// Of those, how many the owner answered.
    pub answered: u32,
    /// Minutes until an answer, on average; absent when that is not known of any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
    /// Whether the owner ever wrote to them.
    pub wrote_to: bool,
    /// What their messages are treated as, where something was learned, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<MessageClass>,
    /// See [`Self::class`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<EvidenceCode>,
    /// Whether the owner said so themselves.
    pub corrected: bool,
    /// Whether the owner always lets them through; absent: a list or a folder of mail, which cannot be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub let_through: Option<bool>,
}

/// People and chats that are always let through, at most.
pub const LET_THROUGH_MAX: usize = 64;

/// Arguments and result of `comms.let_through`. What is so already stays so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LetThrough {
    /// A person, at all their addresses, or a chat.
    pub about: LearnedThing,
    /// Whether what wants an answer there always passes; `false` takes that back.
    pub always: bool,
}

/// Pairs of senders that the owner takes as one person, at most.
pub const SAME_PEOPLE_MAX: usize = 64;

/// Arguments and result of `comms.same_person`. What is so already stays so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamePerson {
    /// Who goes on standing for both, unless contacts say otherwise.
    pub person: PersonHash,
    /// Another address of theirs, or their account in a chat.
    pub other: PersonHash,
    /// Whether they are one; `false` takes back that the owner said so.
    pub same: bool,
}

/// Arguments of `comms.list_same_people`: none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListSamePeople {}

/// Two senders that the owner takes as one person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamePeopleRow {
    pub person: PersonHash,
    pub other: PersonHash,
    /// The address that stands for both now.
    pub first: PersonHash,
}

/// Result of `comms.list_same_people`, without a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SamePeopleList {
    /// At most [`SAME_PEOPLE_MAX`], in the order in which the owner said so.
    pub rows: Vec<SamePeopleRow>,
}
