//! Reading the owner's sources again from their beginning.
//!
//! What: [`read_again`], from a kept state to the same that has read no file. Why: what was forgotten is read again only when the owner
//! says so, because a file that was read is not looked into twice. Not here: forgetting (`forget`), asking the agents to read.

use crate::{agent::StateError, calendar, comms, finance, wellness};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use toolcall_schema::AgentName;

/// A state that tells how far files were read.
pub(crate) trait HasReadMarks: Serialize + DeserializeOwned {
    /// No file was read.
    fn clear_read_marks(&mut self);
}

/// An agent's kept state that has read no file. What it knows stays: an item that is known is not entered twice.
///
/// # Errors
/// When it is not of that agent's shape: the agent then starts empty and reads everything by itself.
pub fn read_again(agent: AgentName, state: &Value) -> Result<Value, StateError> {
    match agent {
        AgentName::Comms => cleared::<comms::State>(agent, state),
        AgentName::Calendar => cleared::<calendar::State>(agent, state),
        AgentName::Finance => cleared::<finance::State>(agent, state),
        AgentName::Wellness => cleared::<wellness::State>(agent, state),
        AgentName::Orchestrator => Ok(state.clone()),
    }
}

fn cleared<S: HasReadMarks>(agent: AgentName, state: &Value) -> Result<Value, StateError> {
    let wrong = |source| StateError { agent, source };
    let mut typed = S::deserialize(state).map_err(wrong)?;
    typed.clear_read_marks();
    serde_json::to_value(typed).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        agent::Agent,
        finance::Finance,
        testing::{ingest, setup, signal, t},
    };
    use serde_json::json;

    #[test]
    fn what_is_known_stays_and_no_file_was_read() {
        let noon = t("2026-11-20T12:00:00Z");
        let mut agent = Finance::new(setup());
        let paid = json!({"amount": "11.25", "currency": "INR", "direction": "debit", "merchant": "Cafe",
            "account_last4": "8841"});
        agent.accept(vec![signal("p-1", noon, "transaction", &paid)]);
        let mut state = ingest(&mut agent, noon.plus_min(1)).agent_state;
        state["files"]["0123456789abcdef"] = json!({"offset": 10, "line": 1});
        state["statements"]["0123456789abcdef"] = json!([10, 20, 0]);
        let again = read_again(AgentName::Finance, &state).unwrap();
        assert_eq!((&again["files"], &again["statements"]), (&json!({}), &json!({})));
        assert_eq!(again["txns"], state["txns"]);
        assert!(read_again(AgentName::Finance, &json!({"x": 1})).is_err());
    }
}
