//! Faults of a recorded day.
//!
//! What: which call or commit of a tick goes wrong. Why: the same actors, the same gate and the same store are driven
//! through every failure; in service there are none. Not here: reading them (`toolcall_schema::day`).

use orchestrator_machine::effect::{OutgoingCall, ReplyTo};
use toolcall_schema::{
    AgentName, ToolName,
    day::{InjectedFault, InjectedFaultKind},
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
pub struct DayFaults(Vec<InjectedFault>);

impl DayFaults {
    /// These faults.
    pub fn new(faults: Vec<InjectedFault>) -> Self {
        Self(faults)
    }

    /// The fault of a call, if it has one.
    pub fn of_call(&self, outgoing: &OutgoingCall) -> Option<InjectedFaultKind> {
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
        let matches = |fault: &&InjectedFault| {
            fault.tick == tick
                && match &fault.fault {
                    InjectedFaultKind::Silent { agent, tool }
                    | InjectedFaultKind::SlowMs { agent, tool, .. }
                    | InjectedFaultKind::Panic { agent, tool }
                    | InjectedFaultKind::RawResult { agent, tool, .. } => of_tool(*agent, *tool),
                    InjectedFaultKind::RawCall { agent, .. } | InjectedFaultKind::ToolError { agent, .. } => {
                        of_action(*agent)
                    }
                    InjectedFaultKind::Disk { .. } => false,
                }
        };
        self.0.iter().find(matches).map(|fault| fault.fault.clone())
    }

    /// The ticks in which an agent panics.
    pub fn panics_of(&self, who: AgentName) -> Vec<u64> {
        let panics = |fault: &&InjectedFault| matches!(&fault.fault, InjectedFaultKind::Panic { agent, .. } if *agent == who);
        self.0.iter().filter(panics).map(|fault| fault.tick).collect()
    }

    /// The fault of the disk in a tick.
    pub fn of_disk(&self, tick: u64) -> Option<DiskFault> {
        self.0
            .iter()
            .filter(|fault| fault.tick == tick)
            .find_map(|fault| match fault.fault {
                InjectedFaultKind::Disk { for_ms: Some(ms) } => Some(DiskFault::SlowMs(ms)),
                InjectedFaultKind::Disk { for_ms: None } => Some(DiskFault::Fails),
                InjectedFaultKind::Silent { .. }
                | InjectedFaultKind::SlowMs { .. }
                | InjectedFaultKind::Panic { .. }
                | InjectedFaultKind::RawResult { .. }
                | InjectedFaultKind::RawCall { .. }
                | InjectedFaultKind::ToolError { .. } => None,
            })
    }
}
