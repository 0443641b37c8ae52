//! The tools of Comms.

use super::{
    correspondent::{DescribeCorrespondent, LetThrough, ListSamePeople, SamePerson},
    learning::{CorrectLearned, LearnFromAct, ListLearned, ResetLearned},
    shared::{DescribeArgs, DisplayLabel, LabelledThing, ThingId},
};
pub use crate::message_class::{EvidenceCode, MessageClass};
use crate::{
    ids::{ChannelHash, ItemId},
    milli::Milli,
    names::{Tone, closed_enum},
    tick::{IngestArgs, TickArgs},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

/// Every tool of Comms with its typed arguments.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum CommsTool {
    /// `comms.ingest`
    Ingest(IngestArgs),
    /// `comms.tick`
    Tick(TickArgs),
    /// `comms.mute_channel`
    MuteChannel(MuteChannel),
    /// `comms.unmute_channel`
    UnmuteChannel(UnmuteChannel),
    /// `comms.batch_summarize`
    BatchSummarize(BatchSummarize),
    /// `comms.draft_reply`
    DraftReply(DraftReply),
    /// `comms.classify`
    Classify(ClassifyArgs),
    /// `comms.snooze`
    Snooze(SnoozeArgs),
    /// `comms.take_back`
    TakeBack(TakeBack),
    /// `comms.triage_inbox`
    TriageInbox(TriageInbox),
    /// `comms.describe`
    Describe(DescribeArgs),
    /// `comms.describe_correspondent`
    DescribeCorrespondent(DescribeCorrespondent),
    /// `comms.let_through`
    LetThrough(LetThrough),
    /// `comms.same_person`
    SamePerson(SamePerson),
    /// `comms.list_same_people`
    ListSamePeople(ListSamePeople),
    /// `comms.learn_from_act`
    LearnFromAct(LearnFromAct),
    /// `comms.list_learned`
    ListLearned(ListLearned),
    /// `comms.correct_learned`
    CorrectLearned(CorrectLearned),
    /// `comms.reset_learned`
    ResetLearned(ResetLearned),
}

closed_enum!(
    /// What a message is.
    Intent {
        /// It wants something of the owner.
        Actionable = "actionable",
        Social = "social",
        /// To everybody.
        Broadcast = "broadcast",
        /// Unwanted; never surfaces.
        Spam = "spam",
    }
);

/// Evidence of one judgement.
pub const EVIDENCE_MAX: usize = 6;

/// Arguments of `comms.classify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassifyArgs {
    /// The message.
    pub item_id: ItemId,
}

/// Result of `comms.classify`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassifyResult {
    /// The message.
    pub item_id: ItemId,
    /// What it is.
    pub intent: Intent,
    /// How urgent, 0 to 1.
    pub urgency: Milli,
    /// How much it is about the owner: 0.95 when it mentions them, else 0.7 when it wants something, else 0.2.
    pub self_relevance: Milli,
    /// What it is to a person.
    pub class: MessageClass,
    /// Why, the strongest first; at most [`EVIDENCE_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceCode>,
}

/// Arguments of `comms.snooze`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnoozeArgs {
    /// The message.
    pub item_id: ItemId,
    /// For how long, 60 to 86400 s.
    pub ttl_seconds: u32,
}

/// Result of `comms.snooze`. The agent remembers it; nobody else has to do anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnoozeResult {
    /// The message.
    pub item_id: ItemId,
    /// Until when.
    pub until: Timestamp,
}

closed_enum!(
    /// What was done with a message and is taken back.
    TakenBackAct {
        /// It was put off.
        PutOff = "put_off",
        /// A reply to it was drafted.
        Draft = "draft",
        /// That draft was discarded: it lies there again.
        Discard = "discard",
    }
);

/// Arguments and result of `comms.take_back`. Effect: one `outbox_removed` for a draft. What was taken back already is taken back again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakeBack {
    /// The message.
    pub item_id: ItemId,
    /// What is taken back.
    pub what: TakenBackAct,
}

closed_enum!(
    /// Which messages a triage looks at.
    TriageScope {
        /// Those of the last 24 hours that the owner has not answered.
        Unread24h = "unread_24h",
        /// Those of the owner's local day.
        AllToday = "all_today",
    }
);

closed_enum!(
    /// Why a message is urgent.
    UrgentReason {
        /// It speaks to the owner.
        SelfMention = "self_mention",
        /// It wants something.
        Actionable = "actionable",
    }
);

closed_enum!(
    /// What a triage suggests; none when nothing wants anything.
    TriageAction {
        /// At least 30 messages, one of them urgent.
        BatchDigest = "BATCH_DIGEST",
        /// Something is urgent.
        ShowBrief = "SHOW_BRIEF",
    }
);

/// Result of `comms.describe`: as of the other agents, and of one message alone where its owner finds it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DescribedMessages {
    /// What the agent could name.
    pub labels: Vec<LabelledThing>,
    /// Of those whose name somebody else has too that was asked for with them: what tells them apart, to stand beside the name; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<Vec<LabelledThing>>,
    /// What it does not know, or no longer: no text is kept.
    pub unknown: Vec<ThingId>,
    /// Asked for one message alone, which is a mail that lies where it was read: its Message-ID without angle brackets, read for this answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<DisplayLabel>,
    /// Asked for one message alone, which is a mail: the address that it was written from, for whoever answers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<DisplayLabel>,
    /// Mails in a file of the owner's that lie no longer where they were read, looked up for this answer; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone: Option<Vec<ItemId>>,
}

/// Messages that a triage names in one answer, who waits longest first.
pub const WAITING_MAX: usize = 512;
/// How many days a message waits for its answer, at most.
pub const WAITING_DAYS: u32 = 14;

/// Arguments of `comms.triage_inbox`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriageInbox {
    /// Which messages.
    pub scope: TriageScope,
    /// Names all of them, [`WAITING_MAX`] an answer, who waits longest first, and with those of 24 hours everybody who has waited for up to [`WAITING_DAYS`];
    /// absent: the 32 most urgent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest: Option<LongestFirst>,
}

/// Asks for messages by how long they wait.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongestFirst {
    /// Where the answer before ended; absent: from the first. Need not wait any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<WaitingPlace>,
}

/// The place of a message among those that wait. Of those sent at one time the lower id comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaitingPlace {
    /// When it was sent.
    pub at: Timestamp,
    pub item_id: ItemId,
}

impl WaitingPlace {
    /// That of a message.
    pub fn of_item(item: &TriagedItem) -> Self {
        Self {
            at: item.at,
            item_id: item.item_id.clone(),
        }
    }
}

/// Result of `comms.triage_inbox`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriageResult {
    /// Which messages were looked at.
    pub scope: TriageScope,
    /// The most urgent, at most 32, most urgent first; or by how long they wait, at most [`WAITING_MAX`]. None that is snoozed.
    pub urgent: Vec<TriagedItem>,
    /// All that want something and are not snoozed.
    pub urgent_count: u32,
    /// All others.
    pub muted_count: u32,
    pub total: u32,
    /// What to do about them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested: Option<TriageAction>,
}

/// A message that wants something, in a triage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriagedItem {
    pub item_id: ItemId,
    /// 0 to 1.
    pub urgency: Milli,
    pub reason: UrgentReason,
    /// When it was sent.
    pub at: Timestamp,
    /// Its chat, group or mail folder.
    pub channel_hash: ChannelHash,
    /// What it is, in people's words.
    pub class: MessageClass,
}

/// Arguments of `comms.mute_channel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MuteChannel {
    /// Which channel.
    pub channel_hash: ChannelHash,
    /// For how long, 60 to 86400 s.
    pub ttl_seconds: u32,
}

/// Result of `comms.mute_channel`. Effect: one `rule_set`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MuteResult {
    /// Which channel.
    pub channel_hash: ChannelHash,
    /// Until when.
    pub until: Timestamp,
}

/// Arguments of `comms.unmute_channel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnmuteChannel {
    /// Which channel.
    pub channel_hash: ChannelHash,
}

/// Result of `comms.unmute_channel`. Effect: one `rule_cleared`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnmuteResult {
    /// Which channel.
    pub channel_hash: ChannelHash,
}

/// Arguments of `comms.batch_summarize`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchSummarize {
    /// Only this channel; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_hash: Option<ChannelHash>,
    /// Messages since this instant.
    pub since: Timestamp,
}

/// Result of `comms.batch_summarize`. Effect: `card_show`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DigestResult {
    /// The most urgent messages, at most 3, most urgent first.
    pub actionable: Vec<UrgentItem>,
    /// Messages that want something of the owner.
    pub actionable_count: u32,
    /// All others.
    pub muted_count: u32,
    pub total: u32,
}

/// A message that wants something of the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UrgentItem {
    pub item_id: ItemId,
    /// 0 to 1.
    pub urgency: Milli,
}

/// Characters of a draft, at most.
pub const DRAFT_CHARS_MAX: u32 = 280;

/// Arguments of `comms.draft_reply`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftReply {
    /// The message to answer.
    pub item_id: ItemId,
    /// The tone.
    pub tone: Tone,
    /// 1 to [`DRAFT_CHARS_MAX`] characters.
    pub length_max: u32,
}

/// Result of `comms.draft_reply`. Effect: one `outbox_file`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftResult {
    /// The message it answers.
    pub item_id: ItemId,
    /// The tone.
    pub tone: Tone,
    /// Characters of the draft.
    pub chars: u32,
}
