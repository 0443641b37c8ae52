//! The orchestrator's own tools.

use crate::{
    ids::{EventId, TraceId},
    names::AgentName,
    rule::RuleName,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

/// Every tool of the orchestrator with its typed arguments.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum OrchestratorTool {
    /// `orchestrator.show_brief`
    ShowBrief(ShowBrief),
    /// `orchestrator.end_pause`
    EndPause(EndPause),
    /// `orchestrator.remove_rule`
    RemoveRule(RemoveRule),
    /// `orchestrator.undo_later`
    UndoLater(UndoLater),
}

/// Arguments of `orchestrator.end_pause`: there is one pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndPause {}

/// Result of `orchestrator.end_pause`. Effect: one `pause_ended`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PauseEnded {}

/// Arguments of `orchestrator.remove_rule`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoveRule {
    /// Which rule.
    pub name: RuleName,
}

/// Result of `orchestrator.remove_rule`. Effect: one `owner_rule_removed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleRemoved {
    /// Which rule.
    pub name: RuleName,
}

/// Arguments of `orchestrator.undo_later`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UndoLater {
    /// The decision whose card was put off.
    pub trace_id: TraceId,
}

/// Result of `orchestrator.undo_later`. Effect: one `later_undone`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaterUndone {
    /// The decision whose card was put off.
    pub trace_id: TraceId,
}

/// Arguments of `orchestrator.show_brief`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShowBrief {
    /// 1 to 4 sections, at most one an agent.
    pub sections: Vec<BriefSection>,
}

/// One section of the brief.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "section", rename_all = "snake_case", try_from = "SectionFields")]
pub enum BriefSection {
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
        /// Which of the four.
        agent: AgentName,
    },
}

/// The fields of every [`BriefSection`] in one: read at once, where a tagged enum would first copy them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SectionFields {
    section: SectionName,
    total: Option<u32>,
    actionable: Option<u32>,
    events: Option<u32>,
    conflicts: Option<u32>,
    next_event: Option<EventId>,
    next_start: Option<Timestamp>,
    agent: Option<AgentName>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum SectionName {
    Messages,
    Day,
    NotRead,
}

impl TryFrom<SectionFields> for BriefSection {
    type Error = &'static str;

    /// Takes the fields of its name; that there are no others is the schema's to say.
    fn try_from(fields: SectionFields) -> Result<Self, Self::Error> {
        let section = match fields.section {
            SectionName::Messages => fields
                .total
                .zip(fields.actionable)
                .map(|(total, actionable)| BriefSection::Messages { total, actionable }),
            SectionName::Day => {
                fields
                    .events
                    .zip(fields.conflicts)
                    .map(|(events, conflicts)| BriefSection::Day {
                        events,
                        conflicts,
                        next_event: fields.next_event,
                        next_start: fields.next_start,
                    })
            }
            SectionName::NotRead => fields
                .agent
                // The orchestrator itself answers no tick.
                .filter(|agent| *agent != AgentName::Orchestrator)
                .map(|agent| BriefSection::NotRead { agent }),
        };
        section.ok_or("a section without one of its fields")
    }
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
