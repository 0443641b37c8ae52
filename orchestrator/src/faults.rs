//! Faults of a recorded day.
//!
//! What: which call or commit goes wrong, and how. Why: the same actors, the same gate and the same store are driven
//! through every failure; in service there are none. Not here: reading them (`day`).

use crate::actors::memory::DiskFault;
use orchestrator_machine::effect::{Outgoing, ReplyTo};
use std::collections::BTreeMap;
use toolcall_schema::AgentName;

/// What goes wrong with one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFault {
    /// No answer ever comes.
    Silent,
    /// The answer comes so many milliseconds later.
    SlowMs(u32),
    /// The agent panics.
    Panic,
    /// These bytes come back.
    RawResult(Vec<u8>),
    /// These bytes go out in place of the stamped call (in Executing).
    RawCall(Vec<u8>),
    /// The tool says that it could not (in Executing).
    ToolError,
}

impl CallFault {
    /// Whether it is about the chosen action's call; the others are about the agent's tick.
    fn of_action(&self) -> bool {
        match self {
            CallFault::RawCall(_) | CallFault::ToolError => true,
            CallFault::Silent | CallFault::SlowMs(_) | CallFault::Panic | CallFault::RawResult(_) => false,
        }
    }
}

/// All faults of a day.
#[derive(Debug, Clone, Default)]
pub struct Faults {
    /// By tick and agent.
    pub calls: BTreeMap<(u64, AgentName), CallFault>,
    /// By tick.
    pub disks: BTreeMap<u64, DiskFault>,
}

impl Faults {
    /// The fault of a call in a tick.
    pub fn of_call(&self, tick: u64, outgoing: &Outgoing) -> Option<CallFault> {
        let is_action = matches!(outgoing.reply, ReplyTo::Action { .. });
        let fault = self.calls.get(&(tick, outgoing.tool.agent()))?;
        (fault.of_action() == is_action).then(|| fault.clone())
    }

    /// The fault of the disk in a tick.
    pub fn of_disk(&self, tick: u64) -> Option<DiskFault> {
        self.disks.get(&tick).copied()
    }
}
