//! The gate's part of the table: each tool's arguments and result against their schemas and types.
//!
//! What: [`arguments`] and [`answer`]. Why: what a tool's schema admits is read into that tool's type and no other. Not
//! here: the rows (`catalogue::table`).

use super::{
    AdmittedAnswer,
    refuse::{schema_violation, type_mismatch},
    schemas,
};
use crate::{
    catalogue::{
        CalendarTool, CommsTool, FinanceTool, OrchestratorTool, Tool, ToolName, WellnessTool,
        allowed_spending, calendar, comms, correspondent, finance, for_each_tool, learning, money_questions,
        orchestrator, shared, shop_category, wellness,
    },
    rejection::{Code, SchemaError},
    result::ToolEffect,
    tick::{IngestResult, TickResult},
};
use serde::Deserialize;
use serde_json::Value;

/// From the table: one arm a tool in both functions.
macro_rules! checked {
    ($($name:ident = $wire:literal, $agent:ident($tools:ident::$variant:ident),
        $args:ident => $result:ident: $answer:ident($type:ty),
        $confirm:ident $class:ident $surface:ident [$($effect:ident),*], $adr:literal, $description:literal;)+) => {
        /// The typed arguments, once their schema has passed.
        pub(super) fn arguments(name: ToolName, args: &Value) -> Result<Tool, SchemaError> {
            match name {
                $(ToolName::$name => {
                    schemas::$args::check(args).map_err(|e| schema_violation(Code::Gate009, "/args", &e))?;
                    Deserialize::deserialize(args).map(|args| Tool::$agent($tools::$variant(args)))
                }),+
            }
            .map_err(|_| type_mismatch(Code::Gate009, "/args"))
        }

        /// The typed answer, once the schema of the tool's result has passed. Of a tool that carries an action out the result is taken.
        pub(super) fn answer(
            name: ToolName,
            result: &mut Value,
            effects: Vec<ToolEffect>,
        ) -> Result<AdmittedAnswer, SchemaError> {
            match name {
                $(ToolName::$name => {
                    schemas::$result::check(result).map_err(|e| schema_violation(Code::Result003, "/result", &e))?;
                    <$type>::deserialize(&*result).map(|read| answered!($answer, read, result, effects))
                }),+
            }
            .map_err(|_| type_mismatch(Code::Result003, "/result"))
        }
    };
}

/// The answer of each kind: of a tool that carries an action out, the JSON itself.
macro_rules! answered {
    (Done, $read:ident, $result:ident, $effects:ident) => {{
        let _ = $read;
        AdmittedAnswer::Done {
            result: $result.take(),
            effects: $effects,
        }
    }};
    ($kind:ident, $read:ident, $result:ident, $effects:ident) => {
        AdmittedAnswer::$kind($read)
    };
}

for_each_tool!(checked);
