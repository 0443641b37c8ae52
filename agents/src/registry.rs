//! Which agents there are.
//!
//! What: [`build`], from a name to the agent, and [`BuildAgent`], the same from the type of its tools. Why: the one module that knows all
//! four. Not here: running them (`host`, `actor`).

use crate::{
    actor::AgentTools,
    calendar::CalendarAgent,
    comms::CommsAgent,
    contract::{Agent, AgentSetup},
    finance::FinanceAgent,
    wellness::WellnessAgent,
};
use toolcall_schema::{
    AgentName,
    catalogue::{CalendarTool, CommsTool, FinanceTool, WellnessTool},
};

/// Builds the agent that serves these tools.
pub trait BuildAgent: AgentTools {
    /// The agent, which has read nothing yet.
    fn build(setup: AgentSetup) -> Box<dyn Agent>;
}

macro_rules! built_by {
    ($($tools:ident: $agent:ident),+) => { $(
        impl BuildAgent for $tools {
            fn build(setup: AgentSetup) -> Box<dyn Agent> {
                Box::new($agent::new(setup))
            }
        }
    )+ };
}
built_by!(CommsTool: CommsAgent, CalendarTool: CalendarAgent, FinanceTool: FinanceAgent, WellnessTool: WellnessAgent);

/// The agent of that name, which has read nothing yet. `None`: the orchestrator is no agent.
pub fn build(name: AgentName, setup: AgentSetup) -> Option<Box<dyn Agent>> {
    match name {
        AgentName::Comms => Some(CommsTool::build(setup)),
        AgentName::Calendar => Some(CalendarTool::build(setup)),
        AgentName::Finance => Some(FinanceTool::build(setup)),
        AgentName::Wellness => Some(WellnessTool::build(setup)),
        AgentName::Orchestrator => None,
    }
}
