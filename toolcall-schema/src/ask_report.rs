//! How far an ask of a program is.
//!
//! What: [`AskReport`], which the machine keeps, the control socket sends and the programs' API and MCP show. Why: one record, however a
//! program asked. Not here: the states (`names`), the asks themselves (`orchestrator_machine::asks`).

use crate::{
    ids::TraceId,
    names::{AskState, ReasonCode},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

/// What an asker is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskReport {
    /// How far it is.
    pub state: AskState,
    /// Until when it waits (wall clock), while it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The decision that asked the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<TraceId>,
    /// Why it ended so, where that can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReasonCode>,
}
