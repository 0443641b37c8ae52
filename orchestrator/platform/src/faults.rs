//! Faults of a recorded day.
//!
//! What: which call or commit of a tick goes wrong. Why: the same actors, the same gate and the same store are driven
//! through every failure; in service there are none. Not here: reading them (`toolcall_schema::day`).

use orchestrator_machine::effect::{Outgoing, ReplyTo};
use toolcall_schema::{
    AgentName, ToolName,
    day::{Fault, FaultKind},
};

/// A recorded day's bad disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskFault {
    /// A commit takes that long.
    SlowMs(u32),
    /// Commits fail.
    Fails,
}

/// All faults of a day.
#[derive(Debug, Clone, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// These faults.
    pub fn new(faults: Vec<Fault>) -> Self {
        Self(faults)
    }

    /// The fault of a call, if it has one.
    pub fn of_call(&self, outgoing: &Outgoing) -> Option<FaultKind> {
        let (tick, is_action) = match outgoing.reply {
            ReplyTo::Tick { tick, .. } => (tick, false),
            ReplyTo::Action { tick, .. } => (tick, true),
            ReplyTo::Ingest { .. } | ReplyTo::Call { .. } => return None,
        };
        let of_tool = |agent: AgentName, tool: Option<ToolName>| {
            agent == outgoing.tool.agent() && tool.or(ToolName::tick_of(agent)) == Some(outgoing.tool)
        };
        let of_action =
            |agent: Option<AgentName>| is_action && agent.is_none_or(|agent| agent == outgoing.tool.agent());
        let matches = |fault: &&Fault| {
            fault.tick == tick
                && match &fault.fault {
                    FaultKind::Silent { agent, tool }
                    | FaultKind::SlowMs { agent, tool, .. }
                    | FaultKind::Panic { agent, tool }
                    | FaultKind::RawResult { agent, tool, .. } => of_tool(*agent, *tool),
                    FaultKind::RawCall { agent, .. } | FaultKind::ToolError { agent, .. } => {
                        of_action(*agent)
                    }
                    FaultKind::Disk { .. } => false,
                }
        };
        self.0.iter().find(matches).map(|fault| fault.fault.clone())
    }

    /// The ticks in which an agent panics.
    pub fn panics_of(&self, who: AgentName) -> Vec<u64> {
        let panics = |fault: &&Fault| matches!(&fault.fault, FaultKind::Panic { agent, .. } if *agent == who);
        self.0.iter().filter(panics).map(|fault| fault.tick).collect()
    }

    /// The fault of the disk in a tick.
    pub fn of_disk(&self, tick: u64) -> Option<DiskFault> {
        self.0
            .iter()
            .filter(|fault| fault.tick == tick)
            .find_map(|fault| match fault.fault {
                FaultKind::Disk { for_ms: Some(ms) } => Some(DiskFault::SlowMs(ms)),
                FaultKind::Disk { for_ms: None } => Some(DiskFault::Fails),
                FaultKind::Silent { .. }
                | FaultKind::SlowMs { .. }
                | FaultKind::Panic { .. }
                | FaultKind::RawResult { .. }
                | FaultKind::RawCall { .. }
                | FaultKind::ToolError { .. } => None,
            })
    }
}
