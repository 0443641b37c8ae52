//! What the owner did, as commands are told of it.

use serde::{Deserialize, Serialize};
use toolcall_schema::{Timestamp, catalogue::shared::ThingId, ids::TraceId};

/// One act of the last week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedAct {
    /// Absent: it has none. What the audit log alone has cannot be taken back.
    pub trace_id: Option<TraceId>,
    /// The id of a pause or a rule, which has no trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// On Aura's wall clock.
    pub at: Timestamp,
    /// Without names: those stand on pages only.
    pub says: String,
    /// Where it stands on its server; absent: no server is to have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<String>,
    /// What it was done to.
    pub thing: Option<ThingId>,
    pub undo: ActReversal,
}

/// Whether an act can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActReversal {
    /// It can, for now.
    Offered,
    /// It was.
    Undone,
    /// It is over by itself.
    Over,
    /// There is nothing to take back.
    Nothing,
}

/// What came of taking an act back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UndoneAct {
    /// The act.
    pub act: ListedAct,
    /// The trace of the call that took it back; absent where no call did, as of a rule that stands again.
    pub trace_id: Option<TraceId>,
    /// It was taken back before, and nothing was done now.
    pub was_undone: bool,
}
