//! Faults of a recorded day.
//!
//! What: which call or commit of a tick goes wrong. Why: the same executor, actors and store are driven through every failure; in
//! service there are none. Not here: reading them (`toolcall_schema::day`), where they are asked for (`aura_runtime::fault_plan`).

use agents::contract::{Agent, AgentStateError};
use aura_runtime::{
    executor::CallRoute,
    fault_plan::{DiskFault, FaultPlan},
};
use orchestrator_machine::effect::{OutgoingCall, ReplyTo};
use serde_json::Value;
use toolcall_schema::{
    AgentName, Timestamp, Tool, ToolName,
    day::{InjectedFault, InjectedFaultKind},
    result::{ToolEffect, ToolErrorCode, ToolResult},
    signal::Signal,
    tick::{IngestArgs, IngestResult, TickArgs, TickResult},
};

/// All faults of a day.
#[derive(Debug, Clone, Default)]
pub struct DayFaults(Vec<InjectedFault>);

impl DayFaults {
    /// These faults.
    pub fn new(faults: Vec<InjectedFault>) -> Self {
        Self(faults)
    }

    /// The fault of a call, if it has one.
    fn of_call(&self, outgoing: &OutgoingCall) -> Option<&InjectedFaultKind> {
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
        self.0.iter().find(matches).map(|fault| &fault.fault)
    }

    /// Whether the agent panics on a call.
    pub(crate) fn is_panic(&self, outgoing: &OutgoingCall) -> bool {
        matches!(self.of_call(outgoing), Some(InjectedFaultKind::Panic { .. }))
    }
}

impl FaultPlan for DayFaults {
    fn forged_call(&self, call: &OutgoingCall) -> Option<Vec<u8>> {
        let Some(InjectedFaultKind::RawCall { raw, .. }) = self.of_call(call) else {
            return None;
        };
        Some(raw.clone().into_bytes())
    }

    fn route(&self, call: &OutgoingCall, mut route: CallRoute) -> Option<CallRoute> {
        match self.of_call(call) {
            Some(InjectedFaultKind::Silent { .. }) => None,
            Some(InjectedFaultKind::ToolError { error, .. }) => {
                Some(CallRoute::Answer(tool_error(call, *error)))
            }
            Some(InjectedFaultKind::RawResult { raw, .. }) => {
                Some(CallRoute::Answer(raw.clone().into_bytes()))
            }
            Some(InjectedFaultKind::SlowMs { ms, .. }) => {
                if let CallRoute::Agent { delay_ms, .. } = &mut route {
                    *delay_ms = Some(*ms);
                }
                Some(route)
            }
            // A panic is the agent's own.
            Some(
                InjectedFaultKind::Panic { .. }
                | InjectedFaultKind::RawCall { .. }
                | InjectedFaultKind::Disk { .. },
            )
            | None => Some(route),
        }
    }

    fn of_disk(&self, tick: u64) -> Option<DiskFault> {
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

    fn agent(&self, inner: Box<dyn Agent>) -> Box<dyn Agent> {
        let panics = |fault: &&InjectedFault| matches!(&fault.fault, InjectedFaultKind::Panic { agent, .. } if *agent == inner.name());
        let ticks: Vec<u64> = self.0.iter().filter(panics).map(|fault| fault.tick).collect();
        if ticks.is_empty() {
            inner
        } else {
            Box::new(PanickingAgent { inner, ticks })
        }
    }
}

/// The bytes of a tool that could not.
fn tool_error(outgoing: &OutgoingCall, error: Option<ToolErrorCode>) -> Vec<u8> {
    let result = ToolResult {
        call_id: outgoing.call.call_id.clone(),
        result: None,
        error: Some(error.unwrap_or(ToolErrorCode::Unavailable)),
        effects: vec![],
    };
    serde_json::to_vec(&result).unwrap_or_default()
}

/// An agent that panics in given ticks.
struct PanickingAgent {
    inner: Box<dyn Agent>,
    ticks: Vec<u64>,
}

impl Agent for PanickingAgent {
    fn name(&self) -> AgentName {
        self.inner.name()
    }

    fn restore(&mut self, state: &Value) -> Result<(), AgentStateError> {
        self.inner.restore(state)
    }

    fn accept(&mut self, signals: Vec<Signal>) {
        self.inner.accept(signals);
    }

    fn count_ages(&mut self, upto: Option<Timestamp>) {
        self.inner.count_ages(upto);
    }

    fn ingest(&mut self, args: &IngestArgs, at: Timestamp) -> IngestResult {
        self.inner.ingest(args, at)
    }

    fn tick(&self, args: &TickArgs, at: Timestamp) -> TickResult {
        // The day asks for it, to show that it is survived.
        assert!(!self.ticks.contains(&args.tick), "fault of a recorded day");
        self.inner.tick(args, at)
    }

    fn act(&mut self, tool: &Tool, at: Timestamp) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode> {
        self.inner.act(tool, at)
    }
}
