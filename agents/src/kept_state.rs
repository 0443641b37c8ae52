//! Changing what an agent keeps while it does not run.
//!
//! What: [`forget`], which removes what the owner wants forgotten, and [`read_again`], which makes the agent read its files from their
//! beginning; [`told_balances`] and [`withdrawn_payments`], which read what statements told. Why: a file that was read is not opened twice, so forgotten items come back only when the owner asks. Not here: the owner's
//! own folders, asking the agents to read.

use crate::{
    calendar, comms,
    contract::{AgentStateError, KeptState as _},
    finance, wellness,
};
use serde_json::Value;
use toolcall_schema::{AgentName, forget::ErasureScope, ids::TxnId, money::AccountBalance};

/// An agent's kept state without what the owner wants forgotten.
///
/// # Errors
/// When it is not of that agent's shape: it is then of no use to anybody and can be removed whole.
pub fn forget(agent: AgentName, state: &Value, what: &ErasureScope) -> Result<Value, AgentStateError> {
    match agent {
        AgentName::Comms => comms::CommsAgentState::json_without(state, what),
        AgentName::Calendar => calendar::CalendarAgentState::json_without(state, what),
        AgentName::Finance => finance::FinanceAgentState::json_without(state, what),
        AgentName::Wellness => wellness::WellnessAgentState::json_without(state, what),
        AgentName::Orchestrator => Ok(state.clone()),
    }
}

/// An agent's kept state that has read no file. What it knows stays: an item that is known is not entered twice.
///
/// # Errors
/// When it is not of that agent's shape: the agent then starts empty and reads everything by itself.
pub fn read_again(agent: AgentName, state: &Value) -> Result<Value, AgentStateError> {
    match agent {
        AgentName::Comms => comms::CommsAgentState::json_unread(state),
        AgentName::Calendar => calendar::CalendarAgentState::json_unread(state),
        AgentName::Finance => finance::FinanceAgentState::json_unread(state),
        AgentName::Wellness => wellness::WellnessAgentState::json_unread(state),
        AgentName::Orchestrator => Ok(state.clone()),
    }
}

/// What statements and banks told of each account, by its last digits: the newest of each currency. `whole` and `changes`: the rows that keep
/// Finance's state, merge patches in order.
///
/// # Errors
/// When a row is not of that shape.
pub fn told_balances(
    whole: &str,
    changes: &[String],
) -> Result<Vec<(String, AccountBalance)>, serde_json::Error> {
    // A list is replaced whole: the newest row that has it says it.
    for row in changes.iter().map(String::as_str).rev().chain([whole]) {
        if let Some(balances) = finance::balances_in(row)? {
            return Ok(balances);
        }
    }
    Ok(Vec::new())
}

/// The payments that memory knows and no statement says any more. `whole` and `changes`: as for [`told_balances`].
///
/// # Errors
/// When a row is not of that shape.
pub fn withdrawn_payments(whole: &str, changes: &[String]) -> Result<Vec<TxnId>, serde_json::Error> {
    for row in changes.iter().map(String::as_str).rev().chain([whole]) {
        if let Some(withdrawn) = finance::withdrawn_in(row)? {
            return Ok(withdrawn);
        }
    }
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        comms::CommsAgent,
        contract::Agent,
        finance::FinanceAgent,
        testing::{ingest, setup, signal, t},
    };
    use serde_json::json;
    use toolcall_schema::{ids::PersonHash, tick::GraphObservation};

    const NOON: &str = "2026-11-20T12:00:00Z";

    /// What the agent keeps after these signals, and what it told memory.
    fn kept(mut agent: impl Agent, signals: &[(&str, &str, Value)]) -> (Value, Vec<GraphObservation>) {
        let signals = signals
            .iter()
            .map(|(id, kind, payload)| signal(id, t(NOON), kind, payload));
        agent.accept(signals.collect());
        let answer = ingest(&mut agent, t(NOON).plus_min(1));
        (answer.agent_state, answer.seen)
    }

    fn note(sender: &str, channel: &str) -> Value {
        json!({"app": "org.example.chat", "channel": channel, "sender": sender, "text": "so good"})
    }

    #[test]
    fn messages_of_a_person_go_and_those_of_others_in_the_same_chat_stay() {
        let (state, seen) = kept(
            CommsAgent::new(setup()),
            &[
                ("n-1", "notification", note("Mira", "Hostel")),
                ("n-2", "notification", note("Anu", "Hostel")),
                ("n-3", "notification", note("Mira", "Hostel")),
            ],
        );
        let people: Vec<(PersonHash, u32, u32)> = seen
            .into_iter()
            .filter_map(|seen| match seen {
                GraphObservation::Talk {
                    person,
                    messages,
                    all,
                    ..
                } => Some((person, messages, all)),
                GraphObservation::Payment { .. }
                | GraphObservation::Place { .. }
                | GraphObservation::Body { .. } => None,
            })
            .collect();
        let (mira, anu) = (setup().key.person("mira"), setup().key.person("anu"));
        let mut expected = vec![(mira.clone(), 2, 3), (anu.clone(), 1, 3)];
        expected.sort();
        let mut people = people;
        people.sort();
        assert_eq!(people, expected);
        let what = ErasureScope::naming([mira.as_str().to_owned()]);
        let text = forget(AgentName::Comms, &state, &what).unwrap().to_string();
        assert!(!text.contains(mira.as_str()) && text.contains(anu.as_str()));
        let channel = setup().key.channel("Hostel");
        assert!(text.contains(channel.as_str()), "others wrote in it");
        let none = forget(AgentName::Comms, &state, &ErasureScope::everything()).unwrap();
        assert!(!none.to_string().contains(channel.as_str()));
    }

    #[test]
    fn payments_go_by_merchant_and_by_time() {
        let paid = |merchant: &str, amount: &str| {
            json!({"amount": amount, "currency": "INR", "direction": "debit", "merchant": merchant,
                "account_last4": "8841"})
        };
        let (state, seen) = kept(
            FinanceAgent::new(setup()),
            &[
                ("p-1", "transaction", paid("Cafe", "11.25")),
                ("p-2", "transaction", paid("Metro", "40.75")),
            ],
        );
        assert_eq!(seen.len(), 2);
        let cafe = seen.into_iter().find_map(|seen| match seen {
            GraphObservation::Payment { merchant, amount, .. } if amount.to_string() == "-11.25" => {
                Some(merchant)
            }
            GraphObservation::Payment { .. }
            | GraphObservation::Talk { .. }
            | GraphObservation::Place { .. }
            | GraphObservation::Body { .. } => None,
        });
        let cafe = cafe.unwrap();
        let what = ErasureScope::naming([cafe.as_str().to_owned()]);
        let text = forget(AgentName::Finance, &state, &what).unwrap().to_string();
        assert!(!text.contains("11.25") && text.contains("40.75"), "{text}");
        let span = ErasureScope::within(t(NOON), t(NOON).plus_min(1));
        let text = forget(AgentName::Finance, &state, &span).unwrap().to_string();
        assert!(!text.contains("11.25") && !text.contains("40.75"), "{text}");
    }

    #[test]
    fn what_is_known_stays_and_no_file_was_read() {
        let noon = t("2026-11-20T12:00:00Z");
        let mut agent = FinanceAgent::new(setup());
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

    #[test]
    fn state_of_another_shape_is_an_error() {
        for agent in [
            AgentName::Comms,
            AgentName::Calendar,
            AgentName::Finance,
            AgentName::Wellness,
        ] {
            assert!(
                forget(agent, &json!({"x": 1}), &ErasureScope::everything()).is_err(),
                "{agent}"
            );
        }
    }
}
