//! The tools of Comms.

use crate::{
    ids::{ChannelHash, ItemId},
    milli::Milli,
    names::Tone,
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
    /// `comms.batch_summarize`
    BatchSummarize(BatchSummarize),
    /// `comms.draft_reply`
    DraftReply(DraftReply),
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
pub struct Muted {
    /// Which channel.
    pub channel_hash: ChannelHash,
    /// Until when.
    pub until: Timestamp,
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
pub struct Digest {
    /// The most urgent messages, at most 3, most urgent first.
    pub actionable: Vec<UrgentItem>,
    /// Messages that want something of the owner.
    pub actionable_count: u32,
    /// All others.
    pub muted_count: u32,
    /// All.
    pub total: u32,
}

/// A message that wants something of the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UrgentItem {
    /// Which.
    pub item_id: ItemId,
    /// 0 to 1.
    pub urgency: Milli,
}

/// Arguments of `comms.draft_reply`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftReply {
    /// The message to answer.
    pub item_id: ItemId,
    /// The tone.
    pub tone: Tone,
    /// 1 to 280 characters.
    pub length_max: u32,
}

/// Result of `comms.draft_reply`. Effect: one `outbox_file`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drafted {
    /// The message it answers.
    pub item_id: ItemId,
    /// The tone.
    pub tone: Tone,
    /// Characters of the draft.
    pub chars: u32,
}
