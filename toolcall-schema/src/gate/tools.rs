//! The gate's table: each tool with the schemas and types of its arguments and result.
//!
//! What: [`arguments`] and [`answer`]. Why: one row a tool, and a tool without a row does not compile. Not here: the
//! columns (`catalogue`).

use super::{
    Answer,
    refuse::{schema, typed},
    schemas,
};
use crate::{
    catalogue::{
        CalendarTool, CommsTool, FinanceTool, OrchestratorTool, Tool, ToolName, WellnessTool, calendar,
        comms, finance, orchestrator, wellness,
    },
    rejection::{Code, SchemaError},
    result::ToolEffect,
    tick::{IngestResult, TickResult},
};
use serde::Deserialize;
use serde_json::Value;

/// The typed arguments, once their schema has passed.
pub(super) fn arguments(name: ToolName, args: &Value) -> Result<Tool, SchemaError> {
    macro_rules! row {
        ($schema:ident, $agent:ident, $tool:ident :: $variant:ident) => {{
            schemas::$schema::check(args).map_err(|e| schema(Code::Gate009, "/args", &e))?;
            Deserialize::deserialize(args).map(|args| Tool::$agent($tool::$variant(args)))
        }};
    }
    match name {
        ToolName::CommsIngest => row!(IngestArgs, Comms, CommsTool::Ingest),
        ToolName::CommsTick => row!(TickArgs, Comms, CommsTool::Tick),
        ToolName::MuteChannel => row!(MuteChannelArgs, Comms, CommsTool::MuteChannel),
        ToolName::BatchSummarize => row!(BatchSummarizeArgs, Comms, CommsTool::BatchSummarize),
        ToolName::DraftReply => row!(DraftReplyArgs, Comms, CommsTool::DraftReply),
        ToolName::CalendarIngest => row!(IngestArgs, Calendar, CalendarTool::Ingest),
        ToolName::CalendarTick => row!(TickArgs, Calendar, CalendarTool::Tick),
        ToolName::TravelAwareAlert => row!(TravelAwareAlertArgs, Calendar, CalendarTool::TravelAwareAlert),
        ToolName::AutoDecline => row!(AutoDeclineArgs, Calendar, CalendarTool::AutoDecline),
        ToolName::FinanceIngest => row!(IngestArgs, Finance, FinanceTool::Ingest),
        ToolName::FinanceTick => row!(TickArgs, Finance, FinanceTool::Tick),
        ToolName::Categorize => row!(CategorizeArgs, Finance, FinanceTool::Categorize),
        ToolName::AnomalyFlag => row!(AnomalyFlagArgs, Finance, FinanceTool::AnomalyFlag),
        ToolName::PredictEomBalance => row!(PredictEomBalanceArgs, Finance, FinanceTool::PredictEomBalance),
        ToolName::WellnessIngest => row!(IngestArgs, Wellness, WellnessTool::Ingest),
        ToolName::WellnessTick => row!(TickArgs, Wellness, WellnessTool::Tick),
        ToolName::GuideBreathing => row!(GuideBreathingArgs, Wellness, WellnessTool::GuideBreathing),
        ToolName::StartNapTimer => row!(StartNapTimerArgs, Wellness, WellnessTool::StartNapTimer),
        ToolName::PermitLeisure => row!(PermitLeisureArgs, Wellness, WellnessTool::PermitLeisure),
        ToolName::ShowBrief => row!(ShowBriefArgs, Orchestrator, OrchestratorTool::ShowBrief),
    }
    .map_err(|_| typed(Code::Gate009, "/args"))
}

/// The typed answer, once the schema of the tool's result has passed.
pub(super) fn answer(name: ToolName, result: Value, effects: Vec<ToolEffect>) -> Result<Answer, SchemaError> {
    macro_rules! row {
        ($schema:ident, $type:ty) => {{
            schemas::$schema::check(&result).map_err(|e| schema(Code::Result003, "/result", &e))?;
            <$type>::deserialize(&result)
        }};
        (done $schema:ident, $type:ty) => {
            row!($schema, $type).map(|_| Answer::Done { result, effects })
        };
    }
    match name {
        ToolName::CommsTick | ToolName::CalendarTick | ToolName::FinanceTick | ToolName::WellnessTick => {
            row!(TickResult, TickResult).map(Answer::Tick)
        }
        ToolName::CommsIngest
        | ToolName::CalendarIngest
        | ToolName::FinanceIngest
        | ToolName::WellnessIngest => row!(IngestResult, IngestResult).map(Answer::Ingest),
        ToolName::MuteChannel => row!(done MuteChannelResult, comms::Muted),
        ToolName::BatchSummarize => row!(done BatchSummarizeResult, comms::Digest),
        ToolName::DraftReply => row!(done DraftReplyResult, comms::Drafted),
        ToolName::TravelAwareAlert => row!(done TravelAwareAlertResult, calendar::LeaveBy),
        ToolName::AutoDecline => row!(done AutoDeclineResult, calendar::Declined),
        ToolName::Categorize => row!(done CategorizeResult, finance::Categorized),
        ToolName::AnomalyFlag => row!(done AnomalyFlagResult, finance::Anomaly),
        ToolName::PredictEomBalance => row!(done PredictEomBalanceResult, finance::BalanceForecast),
        ToolName::GuideBreathing | ToolName::StartNapTimer | ToolName::PermitLeisure => {
            row!(done StartedResult, wellness::Started)
        }
        ToolName::ShowBrief => row!(done ShowBriefResult, orchestrator::BriefShown),
    }
    .map_err(|_| typed(Code::Result003, "/result"))
}
