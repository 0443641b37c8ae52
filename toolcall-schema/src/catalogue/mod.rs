//! The closed catalogue of tools.
//!
//! What: every (agent, tool) pair with its columns: confirm, class, surface, effects. Why: what is not here cannot be
//! called (ADR-0009, "Catalogue locking"). Not here: the checks (`gate`), the tools' work (`agents`).

pub mod allowed_spending;
pub mod calendar;
pub mod comms;
pub mod correspondent;
pub mod docs;
#[cfg(test)]
mod drift;
pub mod examples;
pub mod finance;
pub mod learning;
pub mod lock;
pub mod money_questions;
pub mod orchestrator;
pub mod released;
pub mod shared;
pub mod shop_category;
mod table;
pub mod wellness;

use crate::names::{ActionKind, AgentName, Class, Confirm, Surface, closed_enum};
pub use calendar::CalendarTool;
pub use comms::CommsTool;
use docs::ToolDoc;
pub use finance::FinanceTool;
pub use orchestrator::OrchestratorTool;
use serde::Serialize;
use serde_json::Value;
pub(crate) use table::for_each_tool;
use toolcall_validators as schemas;
pub use wellness::WellnessTool;

/// A tool with its typed arguments. Serialized it is the arguments alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Tool {
    /// Of Comms.
    Comms(CommsTool),
    /// Of Calendar.
    Calendar(CalendarTool),
    /// Of Finance.
    Finance(FinanceTool),
    /// Of Wellness.
    Wellness(WellnessTool),
    /// Of the orchestrator.
    Orchestrator(OrchestratorTool),
}

impl Tool {
    /// The arguments as JSON: integers as integers, instants in UTC with milliseconds.
    pub fn args(&self) -> Value {
        // Structs of text, numbers and lists: writing them into a value cannot fail.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// From the table: the names, the columns and the words.
macro_rules! catalogue {
    ($($name:ident = $wire:literal, $agent:ident($tools:ident::$variant:ident),
        $args:ident => $result:ident: $answer:ident($type:ty),
        $confirm:ident $class:ident $surface:ident [$($effect:ident),*], $adr:literal, $description:literal;)+) => {
        closed_enum!(
            /// Every tool by its full name.
            ToolName { $(#[doc = $description] $name = $wire),+ }
        );

        impl Tool {
            /// The tool's name.
            pub fn name(&self) -> ToolName {
                match self { $(Tool::$agent($tools::$variant(_)) => ToolName::$name),+ }
            }
        }

        impl ToolName {
            /// The tool's columns.
            pub fn columns(self) -> ToolColumns {
                match self {
                    $(ToolName::$name => ToolColumns {
                        agent: AgentName::$agent,
                        confirm: Confirm::$confirm,
                        class: Class::$class,
                        surface: Surface::$surface,
                        effects: &[$(EffectName::$effect),*],
                    }),+
                }
            }

            /// The tool's texts.
            pub fn doc(self) -> ToolDoc {
                match self {
                    $(ToolName::$name => ToolDoc {
                        description: $description,
                        adr: $adr,
                        args_schema: schemas::$args::SCHEMA,
                        result_schema: schemas::$result::SCHEMA,
                    }),+
                }
            }
        }
    };
}
table::for_each_tool!(catalogue);

closed_enum!(
    /// The names of [`crate::result::ToolEffect`]'s variants, for the catalogue's effects column.
    EffectName {
        /// `rule_set`
        RuleSet = "rule_set",
        /// `rule_cleared`
        RuleCleared = "rule_cleared",
        /// `pause_ended`
        PauseEnded = "pause_ended",
        /// `owner_rule_removed`
        OwnerRuleRemoved = "owner_rule_removed",
        /// `later_undone`
        LaterUndone = "later_undone",
        /// `outbox_file`
        OutboxFile = "outbox_file",
        /// `outbox_removed`
        OutboxRemoved = "outbox_removed",
        /// `timer_set`
        TimerSet = "timer_set",
        /// `card_show`
        CardShow = "card_show",
    }
);

/// The columns of one tool that decide how it may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolColumns {
    pub agent: AgentName,
    /// Whether the owner must confirm.
    pub confirm: Confirm,
    /// What class its action is of (as proposed by the right agent, see `orchestrator-machine`).
    pub class: Class,
    /// Where its card is shown.
    pub surface: Surface,
    /// What its result may ask for.
    pub effects: &'static [EffectName],
}

impl ToolName {
    /// The agent whose tool it is.
    pub fn agent(self) -> AgentName {
        self.columns().agent
    }

    /// The name without the agent, as it stands in the call's `tool`.
    pub fn tool(self) -> &'static str {
        self.as_str().split_once('.').map_or("", |(_, tool)| tool)
    }

    /// The tool of that agent with that name; `None` when the catalogue has none.
    pub fn find(agent: AgentName, tool: &str) -> Option<Self> {
        let bytes = agent.as_str().len() + 1 + tool.len();
        let named = |name: &&Self| {
            let name = name.as_str();
            // The length tells most names apart without looking at their text.
            name.len() == bytes
                && name
                    .strip_prefix(agent.as_str())
                    .and_then(|name| name.strip_prefix('.'))
                    == Some(tool)
        };
        Self::ALL.iter().find(named).copied()
    }

    /// Whether an earbud may say that its card is on the phone: a phone card that asks nothing.
    pub fn is_announced(self) -> bool {
        let columns = self.columns();
        columns.surface == Surface::PhoneCard && columns.confirm == Confirm::Never
    }

    /// The `ingest` tool of one of the four agents; `None` for the orchestrator.
    pub fn ingest_of(agent: AgentName) -> Option<Self> {
        match agent {
            AgentName::Comms => Some(ToolName::CommsIngest),
            AgentName::Calendar => Some(ToolName::CalendarIngest),
            AgentName::Finance => Some(ToolName::FinanceIngest),
            AgentName::Wellness => Some(ToolName::WellnessIngest),
            AgentName::Orchestrator => None,
        }
    }

    /// The `tick` tool of one of the four agents; `None` for the orchestrator.
    pub fn tick_of(agent: AgentName) -> Option<Self> {
        match agent {
            AgentName::Comms => Some(ToolName::CommsTick),
            AgentName::Calendar => Some(ToolName::CalendarTick),
            AgentName::Finance => Some(ToolName::FinanceTick),
            AgentName::Wellness => Some(ToolName::WellnessTick),
            AgentName::Orchestrator => None,
        }
    }
}

impl ActionKind {
    /// Whether its question may be asked by push, through a server beside Aura: what is for the owner's rest, and nothing else.
    pub fn is_asked_by_push(self) -> bool {
        match self {
            ActionKind::MuteGroup30
            | ActionKind::Breathe478
            | ActionKind::Nap15
            | ActionKind::PermitLeisure => true,
            ActionKind::BatchDigest
            | ActionKind::ShowBrief
            | ActionKind::LeaveByAlert
            | ActionKind::PrepareMeeting
            | ActionKind::CategorizeTxn
            | ActionKind::SurfaceAnomaly
            | ActionKind::ProjectBalance
            | ActionKind::DraftReply
            | ActionKind::DeclineEvent => false,
        }
    }

    /// The tool that carries the action out.
    pub fn tool(self) -> ToolName {
        match self {
            ActionKind::MuteGroup30 => ToolName::MuteChannel,
            ActionKind::Breathe478 => ToolName::GuideBreathing,
            ActionKind::Nap15 => ToolName::StartNapTimer,
            ActionKind::PermitLeisure => ToolName::PermitLeisure,
            ActionKind::BatchDigest => ToolName::BatchSummarize,
            ActionKind::ShowBrief => ToolName::ShowBrief,
            ActionKind::LeaveByAlert => ToolName::TravelAwareAlert,
            ActionKind::PrepareMeeting => ToolName::PrepareMeeting,
            ActionKind::CategorizeTxn => ToolName::Categorize,
            ActionKind::SurfaceAnomaly => ToolName::AnomalyFlag,
            ActionKind::ProjectBalance => ToolName::PredictEomBalance,
            ActionKind::DraftReply => ToolName::DraftReply,
            ActionKind::DeclineEvent => ToolName::AutoDecline,
        }
    }
}
