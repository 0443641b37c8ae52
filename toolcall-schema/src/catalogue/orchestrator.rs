//! The orchestrator's own tool.

use crate::{ids::EventId, names::AgentName, time::Timestamp};
use serde::{Deserialize, Serialize};

/// Every tool of the orchestrator with its typed arguments.
#[derive(Debug, Clone, PartialEq)]
pub enum OrchestratorTool {
    /// `orchestrator.show_brief`
    ShowBrief(ShowBrief),
}

/// Arguments of `orchestrator.show_brief`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShowBrief {
    /// 1 to 4 sections, at most one an agent.
    pub sections: Vec<Section>,
}

/// One section of the brief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "section", deny_unknown_fields, rename_all = "snake_case")]
pub enum Section {
    /// What Comms found.
    Messages {
        /// Messages since the evening.
        total: u32,
        /// Of them, those that want something.
        actionable: u32,
    },
    /// What Calendar found.
    Day {
        /// Events left today.
        events: u32,
        /// Overlapping pairs.
        conflicts: u32,
        /// The next event.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_event: Option<EventId>,
        /// Its start.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next_start: Option<Timestamp>,
    },
    /// An agent that was expected did not answer.
    NotRead {
        /// Which.
        agent: AgentName,
    },
}

/// Result of `orchestrator.show_brief`. Effect: `card_show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BriefShown {
    /// Sections on the card.
    pub sections: u32,
    /// Of them, those that say "not read".
    pub not_read: u32,
}
