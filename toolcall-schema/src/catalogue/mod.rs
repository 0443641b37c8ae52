//! The closed catalogue of tools.
//!
//! What: every (agent, tool) pair with its columns: confirm, class, surface, effects. Why: what is not here cannot be
//! called (ADR-0009, "Catalogue locking"). Not here: the checks (`gate`), the tools' work (`agents`).

pub mod calendar;
pub mod comms;
pub mod docs;
pub mod examples;
pub mod finance;
pub mod orchestrator;
pub mod wellness;

use crate::names::{ActionKind, AgentName, Class, Confirm, Surface, closed_enum};
pub use calendar::CalendarTool;
pub use comms::CommsTool;
pub use finance::FinanceTool;
pub use orchestrator::OrchestratorTool;
use serde::Serialize;
use serde_json::Value;
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

    /// The tool's name.
    pub fn name(&self) -> ToolName {
        match self {
            Tool::Comms(tool) => match tool {
                CommsTool::Ingest(_) => ToolName::CommsIngest,
                CommsTool::Tick(_) => ToolName::CommsTick,
                CommsTool::MuteChannel(_) => ToolName::MuteChannel,
                CommsTool::BatchSummarize(_) => ToolName::BatchSummarize,
                CommsTool::DraftReply(_) => ToolName::DraftReply,
            },
            Tool::Calendar(tool) => match tool {
                CalendarTool::Ingest(_) => ToolName::CalendarIngest,
                CalendarTool::Tick(_) => ToolName::CalendarTick,
                CalendarTool::TravelAwareAlert(_) => ToolName::TravelAwareAlert,
                CalendarTool::AutoDecline(_) => ToolName::AutoDecline,
            },
            Tool::Finance(tool) => match tool {
                FinanceTool::Ingest(_) => ToolName::FinanceIngest,
                FinanceTool::Tick(_) => ToolName::FinanceTick,
                FinanceTool::Categorize(_) => ToolName::Categorize,
                FinanceTool::AnomalyFlag(_) => ToolName::AnomalyFlag,
                FinanceTool::PredictEomBalance(_) => ToolName::PredictEomBalance,
            },
            Tool::Wellness(tool) => match tool {
                WellnessTool::Ingest(_) => ToolName::WellnessIngest,
                WellnessTool::Tick(_) => ToolName::WellnessTick,
                WellnessTool::GuideBreathing(_) => ToolName::GuideBreathing,
                WellnessTool::StartNapTimer(_) => ToolName::StartNapTimer,
                WellnessTool::PermitLeisure(_) => ToolName::PermitLeisure,
            },
            Tool::Orchestrator(OrchestratorTool::ShowBrief(_)) => ToolName::ShowBrief,
        }
    }
}

closed_enum!(
    /// Every tool by its full name.
    ToolName {
        /// Read what came in.
        CommsIngest = "comms.ingest",
        /// Propose.
        CommsTick = "comms.tick",
        /// Mute one channel.
        MuteChannel = "comms.mute_channel",
        /// A digest of many messages.
        BatchSummarize = "comms.batch_summarize",
        /// Draft a reply into the outbox.
        DraftReply = "comms.draft_reply",
        /// Read what came in.
        CalendarIngest = "calendar.ingest",
        /// Propose.
        CalendarTick = "calendar.tick",
        /// When to leave.
        TravelAwareAlert = "calendar.travel_aware_alert",
        /// Draft a decline into the outbox.
        AutoDecline = "calendar.auto_decline",
        /// Read what came in.
        FinanceIngest = "finance.ingest",
        /// Propose.
        FinanceTick = "finance.tick",
        /// Give categories.
        Categorize = "finance.categorize",
        /// Unusual spending.
        AnomalyFlag = "finance.anomaly_flag",
        /// The month's end.
        PredictEomBalance = "finance.predict_eom_balance",
        /// Read what came in.
        WellnessIngest = "wellness.ingest",
        /// Propose.
        WellnessTick = "wellness.tick",
        /// A breathing course.
        GuideBreathing = "wellness.guide_breathing",
        /// A nap timer.
        StartNapTimer = "wellness.start_nap_timer",
        /// A break is fine.
        PermitLeisure = "wellness.permit_leisure",
        /// The morning brief.
        ShowBrief = "orchestrator.show_brief",
    }
);

closed_enum!(
    /// The names of [`crate::result::ToolEffect`]'s variants, for the catalogue's effects column.
    EffectName {
        /// `rule_set`
        RuleSet = "rule_set",
        /// `rule_cleared`
        RuleCleared = "rule_cleared",
        /// `outbox_file`
        OutboxFile = "outbox_file",
        /// `timer_set`
        TimerSet = "timer_set",
        /// `card_show`
        CardShow = "card_show",
    }
);

/// The columns of one tool that decide how it may be called. The texts (description, schemas) are in `docs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    /// Whose.
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

    /// The tool's columns.
    pub fn columns(self) -> Columns {
        use AgentName as A;
        use EffectName as E;
        let pure = |agent| Columns {
            agent,
            confirm: Confirm::Never,
            class: Class::Normal,
            surface: Surface::Silent,
            effects: &[],
        };
        let row = |agent, confirm, class, surface, effects| Columns {
            agent,
            confirm,
            class,
            surface,
            effects,
        };
        let (always, never) = (Confirm::Always, Confirm::Never);
        let (normal, safety) = (Class::Normal, Class::Safety);
        let (phone, watch) = (Surface::PhoneCard, Surface::Watch);
        match self {
            ToolName::CommsIngest | ToolName::CommsTick => pure(A::Comms),
            ToolName::CalendarIngest | ToolName::CalendarTick => pure(A::Calendar),
            ToolName::FinanceIngest | ToolName::FinanceTick => pure(A::Finance),
            ToolName::WellnessIngest | ToolName::WellnessTick => pure(A::Wellness),
            ToolName::MuteChannel => row(A::Comms, always, safety, watch, &[E::RuleSet]),
            ToolName::BatchSummarize => row(A::Comms, never, normal, phone, &[E::CardShow]),
            ToolName::DraftReply => row(A::Comms, always, normal, phone, &[E::OutboxFile]),
            ToolName::TravelAwareAlert => row(A::Calendar, never, Class::TimeCritical, phone, &[E::CardShow]),
            ToolName::AutoDecline => row(A::Calendar, always, normal, phone, &[E::OutboxFile]),
            ToolName::Categorize => row(A::Finance, never, normal, Surface::Silent, &[]),
            ToolName::AnomalyFlag => row(A::Finance, never, normal, phone, &[E::CardShow]),
            ToolName::PredictEomBalance => row(A::Finance, never, normal, phone, &[E::CardShow]),
            ToolName::GuideBreathing => row(A::Wellness, always, safety, watch, &[E::TimerSet]),
            ToolName::StartNapTimer => row(A::Wellness, always, safety, phone, &[E::TimerSet]),
            ToolName::PermitLeisure => row(A::Wellness, always, normal, phone, &[E::TimerSet]),
            ToolName::ShowBrief => row(A::Orchestrator, never, normal, phone, &[E::CardShow]),
        }
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
            ActionKind::CategorizeTxn => ToolName::Categorize,
            ActionKind::SurfaceAnomaly => ToolName::AnomalyFlag,
            ActionKind::ProjectBalance => ToolName::PredictEomBalance,
            ActionKind::DraftReply => ToolName::DraftReply,
            ActionKind::DeclineEvent => ToolName::AutoDecline,
        }
    }
}
