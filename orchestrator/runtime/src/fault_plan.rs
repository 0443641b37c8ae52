//! What may be made to go wrong.
//!
//! [`FaultPlan`] is asked by the executor, by the actor that waits for commits, and by the wiring; [`NoFaults`] is the service's. Why: recorded
//! days lead the executor and the actors that ship through every failure. Not here: the faults of a recorded day (`aura_days`).

use crate::executor::CallRoute;
use agents::contract::Agent;
use orchestrator_machine::effect::OutgoingCall;

/// A disk that does not take commits as it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskFault {
    /// A commit takes that long.
    SlowMs(u32),
    /// Commits fail.
    Fails,
}

/// What goes wrong, and when. By default nothing does.
pub trait FaultPlan: Send + Sync {
    /// The bytes that leave in a call's place.
    fn forged_call(&self, _call: &OutgoingCall) -> Option<Vec<u8>> {
        None
    }

    /// How a call is answered that would be answered so; `None`: not at all.
    fn route(&self, _call: &OutgoingCall, route: CallRoute) -> Option<CallRoute> {
        Some(route)
    }

    /// What becomes of the commits of a tick.
    fn of_disk(&self, _tick: u64) -> Option<DiskFault> {
        None
    }

    /// The agent in whose place an agent of this process runs.
    fn agent(&self, agent: Box<dyn Agent>) -> Box<dyn Agent> {
        agent
    }
}

/// Nothing goes wrong on purpose.
#[derive(Debug, Clone, Copy)]
pub struct NoFaults;

impl FaultPlan for NoFaults {}
