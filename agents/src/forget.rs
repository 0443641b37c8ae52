//! Forgetting what an agent keeps.
//!
//! What: [`forget`], from a kept state to the same without what has to go. Why: an erasure reaches what the agents have put
//! aside, while none of them runs. Not here: what stays in the owner's own folders; an agent reads those again.

use crate::{agent::StateError, calendar, comms, finance, wellness};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use toolcall_schema::{AgentName, forget::Forget};

/// A state that an agent keeps from one start to the next.
pub(crate) trait Keeps: Serialize + DeserializeOwned {
    /// Whose.
    const AGENT: AgentName;

    /// Takes away what has to go.
    fn forget(&mut self, what: &Forget);
}

/// An agent's kept state without what has to go.
///
/// # Errors
/// When it is not of that agent's shape: it is then of no use to anybody and can be removed whole.
pub fn forget(agent: AgentName, state: &Value, what: &Forget) -> Result<Value, StateError> {
    match agent {
        AgentName::Comms => without::<comms::State>(state, what),
        AgentName::Calendar => without::<calendar::State>(state, what),
        AgentName::Finance => without::<finance::State>(state, what),
        AgentName::Wellness => without::<wellness::State>(state, what),
        AgentName::Orchestrator => Ok(state.clone()),
    }
}

fn without<S: Keeps>(state: &Value, what: &Forget) -> Result<Value, StateError> {
    let wrong = |source| StateError {
        agent: S::AGENT,
        source,
    };
    let mut typed = S::deserialize(state).map_err(wrong)?;
    typed.forget(what);
    serde_json::to_value(typed).map_err(wrong)
}
