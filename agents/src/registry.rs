//! Which agents there are.
//!
//! What: [`build`], from a name to the agent, and [`BuildAgent`], the same from the type of its tools. Why: the one module that knows all
//! four. Not here: running them (`host`, `actor`).

use crate::{
    actor::AgentTools,
    calendar::Calendar,
    comms::Comms,
    contract::{Agent, Setup},
    finance::Finance,
    wellness::Wellness,
};
use toolcall_schema::{
    AgentName,
    catalogue::{CalendarTool, CommsTool, FinanceTool, WellnessTool},
};

/// Builds the agent that serves these tools.
pub trait BuildAgent: AgentTools {
    /// The agent, which has read nothing yet.
    fn build(setup: Setup) -> Box<dyn Agent>;
}

macro_rules! built_by {
    ($($tools:ident: $agent:ident),+) => { $(
        impl BuildAgent for $tools {
            fn build(setup: Setup) -> Box<dyn Agent> {
                Box::new($agent::new(setup))
            }
        }
    )+ };
}
built_by!(CommsTool: Comms, CalendarTool: Calendar, FinanceTool: Finance, WellnessTool: Wellness);

/// The agent of that name, which has read nothing yet. `None`: the orchestrator is no agent.
pub fn build(name: AgentName, setup: Setup) -> Option<Box<dyn Agent>> {
    match name {
        AgentName::Comms => Some(CommsTool::build(setup)),
        AgentName::Calendar => Some(CalendarTool::build(setup)),
        AgentName::Finance => Some(FinanceTool::build(setup)),
        AgentName::Wellness => Some(WellnessTool::build(setup)),
        AgentName::Orchestrator => None,
    }
}
