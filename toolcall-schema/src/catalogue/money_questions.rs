//! What Finance asks its owner on the page Money: the shapes of its three tools.
//!
//! What: [`ListQuestions`], [`JudgeSender`], [`AnswerQuestion`] with their results, and [`DescribedMoney`] with the words of a message. Why: whose word
//! counts, and how a message is read, is the owner's to say, by a call like any other. Not here: what is learned of an answer (`agents`,
//! `finance::forms`).

use super::shared::{DisplayLabel, LabelledThing, ThingId};
use crate::{
    ids::{ChannelHash, ItemId, TxnId},
    names::closed_enum,
    signal::Direction,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

/// Words of a message that can be marked; a message of more is not asked about.
pub const WORDS_MAX: usize = 320;

closed_enum!(
    /// Whether what a sender tells counts.
    SenderAcceptance {
        /// The owner has not said so: it waits.
        Undecided = "undecided",
        /// What it tells counts.
        Counts = "counts",
        /// It tells of no payment of the owner's.
        NotABank = "not_a_bank",
    }
);

/// Arguments of `finance.list_questions`: none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListQuestions {}

/// Result of `finance.list_questions`, without a word of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoneyQuestions {
    /// At most 32: those that wait for a decision first, then the newest first.
    pub senders: Vec<PaymentSenderRow>,
    /// At most 8, the newest first. Their texts are in memory, for a day at most.
    pub messages: Vec<UnreadRow>,
}

/// A sender that waits, that the owner decided about, or whose forms are known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaymentSenderRow {
    /// The keyed hash of its name.
    pub channel_hash: ChannelHash,
    pub standing: SenderAcceptance,
    /// Payments of it that wait.
    pub waiting: u32,
    /// Their currencies, at most 4.
    pub currencies: Vec<String>,
    /// When the newest of them was; absent when none waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<Timestamp>,
    /// Forms of its messages that the owner taught.
    pub forms: u32,
}

/// A message with money in it that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnreadRow {
    pub item_id: ItemId,
    /// Who sent it.
    pub channel_hash: ChannelHash,
    /// When it came.
    pub at: Timestamp,
}

/// Arguments of `finance.judge_sender`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeSender {
    /// Which sender.
    pub channel_hash: ChannelHash,
    /// `undecided` takes a decision back, and unlearns the sender's forms.
    pub standing: SenderAcceptance,
}

/// Result of `finance.judge_sender`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgedSender {
    pub channel_hash: ChannelHash,
    pub standing: SenderAcceptance,
    /// Payments that waited and are entered at the next look.
    pub entered: u32,
}

/// Words of a message that stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WordRange {
    /// The first, from 0.
    pub from: u16,
    /// The one behind the last.
    pub to: u16,
}

/// A payment as the owner marked it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarkedPayment {
    /// Which way the money went.
    pub direction: Direction,
    /// Where its amount stands.
    pub amount: WordRange,
    /// Where the other side stands; absent when it names nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payee: Option<WordRange>,
}

/// Arguments of `finance.answer_question`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerQuestion {
    /// Which message.
    pub item_id: ItemId,
    /// At most 2; none: the message tells of no payment.
    pub payments: Vec<MarkedPayment>,
}

/// Result of `finance.answer_question`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnsweredQuestion {
    /// The payments that the message became.
    pub txn_ids: Vec<TxnId>,
    /// Whether its form was learned.
    pub learned: bool,
    /// Other messages of this form that are no question any more.
    pub also: u32,
}

/// Result of `finance.describe`: as of the other agents, and the words of messages that are questions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescribedMoney {
    /// What the agent could name.
    pub labels: Vec<LabelledThing>,
    /// What it does not know, or no longer: texts live in memory only.
    pub unknown: Vec<ThingId>,
    /// Of each message that is a question, its words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<MessageWords>,
}

/// A message in its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageWords {
    pub item_id: ItemId,
    /// 1 to [`WORDS_MAX`].
    pub words: Vec<MessageWord>,
}

/// A word between two white spaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageWord {
    /// What stands there: private, for a page's memory only.
    pub text: DisplayLabel,
    /// Whether an amount stands there that can be read.
    pub amount: bool,
}
