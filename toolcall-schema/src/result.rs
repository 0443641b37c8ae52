//! `toolresult.v1`: what a tool gives back, and the effects it asks for.
//!
//! What: the envelope around every result, and the closed set of effects. Why: tools are functions; what they want
//! done is data that the supervisor performs after the result passed its schema. Not here: performing (`orchestrator`).

use crate::{
    catalogue::EffectName,
    ids::{CallId, ChannelHash, TraceId},
    names::closed_enum,
    rule::RuleName,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a tool wants done. Only the supervisor performs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", deny_unknown_fields, rename_all = "snake_case")]
pub enum ToolEffect {
    /// Mute a channel.
    RuleSet {
        channel: ChannelHash,
        /// Until when.
        until: Timestamp,
    },
    /// End a mute.
    RuleCleared { channel: ChannelHash },
    /// End the pause.
    PauseEnded,
    /// Take a rule of the owner's back.
    OwnerRuleRemoved { name: RuleName },
    /// Ask again now for what was put off.
    LaterUndone {
        /// The decision whose card was put off.
        trace_id: TraceId,
    },
    /// Put a file into the owner's outbox.
    OutboxFile {
        /// The file's name, `^[a-z0-9_-]{1,60}\.(eml|ics|txt)$`.
        name: String,
        /// Its text, at most 16 KiB. The one text that may leave an agent: it is for the owner, in the owner's folder.
        text: String,
    },
    /// Remove a draft from the owner's outbox.
    OutboxRemoved {
        /// As [`ToolEffect::OutboxFile`] named it.
        name: String,
    },
    /// Say when a course ends.
    TimerSet { at: Timestamp },
    /// Show the action's card.
    CardShow,
}

impl ToolEffect {
    /// The effect's name, as it stands in the catalogue.
    pub fn name(&self) -> EffectName {
        match self {
            ToolEffect::RuleSet { .. } => EffectName::RuleSet,
            ToolEffect::RuleCleared { .. } => EffectName::RuleCleared,
            ToolEffect::PauseEnded => EffectName::PauseEnded,
            ToolEffect::OwnerRuleRemoved { .. } => EffectName::OwnerRuleRemoved,
            ToolEffect::LaterUndone { .. } => EffectName::LaterUndone,
            ToolEffect::OutboxFile { .. } => EffectName::OutboxFile,
            ToolEffect::OutboxRemoved { .. } => EffectName::OutboxRemoved,
            ToolEffect::TimerSet { .. } => EffectName::TimerSet,
            ToolEffect::CardShow => EffectName::CardShow,
        }
    }
}

closed_enum!(
    /// Why a tool did not do its work.
    ToolErrorCode {
        /// The id in the arguments is not known to the agent (any more).
        NotFound = "not_found",
        /// What it was about is over.
        TooLate = "too_late",
        /// There is not enough data.
        NotEnoughData = "not_enough_data",
        /// It needs a text, and the agent has not read that text since it started: texts are never kept.
        TextUnknown = "text_unknown",
        /// The agent is not able to at the moment.
        Unavailable = "unavailable",
    }
);

/// `toolresult.v1`: exactly one of `result` and `error` is there. `result` is checked against the tool's own schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolResult {
    /// The call it answers.
    pub call_id: CallId,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Why nothing came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolErrorCode>,
    /// What is to be done, at most 8. Empty when `error` is there.
    pub effects: Vec<ToolEffect>,
}
