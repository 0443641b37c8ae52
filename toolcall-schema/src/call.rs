//! Tool calls before and after the gate.
//!
//! What: [`ToolCall`], the envelope of ADR-0009 as we build it, and [`AdmittedCall`], which only the gate makes. Why: what
//! is dispatched has passed. Not here: the checks (`gate`).

use crate::{
    catalogue::Tool,
    ids::CallId,
    names::{AgentName, Surface},
    time::Timestamp,
};
use serde::Serialize;
use serde_json::Value;

/// The envelope `toolcall.v1`, as the orchestrator stamps it. Its bytes still have to pass the gate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolCall {
    /// Derived, see [`crate::ids::OwnerSeed::call_id`].
    pub call_id: CallId,
    /// Whose tool.
    pub agent: AgentName,
    /// The tool's name without the agent, e.g. `mute_channel`.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// When it was stamped.
    pub ts: Timestamp,
    /// Must be the catalogue's word.
    pub confirm_required: bool,
    /// Must be the tool's surface or SILENT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_surface: Option<Surface>,
    /// 50 to 10000 ms; absent means 2000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u32>,
}

impl ToolCall {
    /// The bytes that travel.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Serializing this struct cannot fail: its keys are strings and its writer is memory. Were it to, the empty
        // bytes would be refused by the gate.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// On whose word an admitted call may run. A call whose catalogue column says `always` needs `Confirmed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// The catalogue says that it runs without asking.
    Auto,
    /// The owner redeemed the capability of its card.
    Confirmed,
}

/// A call that passed the gate. Cannot be built or deserialized elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmittedCall {
    pub(crate) call_id: CallId,
    pub(crate) tool: Tool,
    pub(crate) ts: Timestamp,
    pub(crate) deadline_ms: u32,
    pub(crate) confirm_required: bool,
    pub(crate) args_hash: String,
}

impl AdmittedCall {
    /// The call's id.
    pub fn call_id(&self) -> &CallId {
        &self.call_id
    }

    /// The tool with its typed arguments.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// When it was stamped.
    pub fn ts(&self) -> Timestamp {
        self.ts
    }

    /// How long an answer is waited for: the call's own deadline, at most 5000 ms.
    pub fn deadline_ms(&self) -> u32 {
        self.deadline_ms.min(5000)
    }

    /// Whether the catalogue demands a confirmation.
    pub fn confirm_required(&self) -> bool {
        self.confirm_required
    }

    /// SHA-256 of the canonical JSON (RFC 8785) of the arguments, 64 hexadecimal digits.
    pub fn args_hash(&self) -> &str {
        &self.args_hash
    }
}
