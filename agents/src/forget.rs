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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        agent::Agent,
        comms::Comms,
        finance::Finance,
        testing::{ingest, setup, signal, t},
    };
    use serde_json::json;
    use toolcall_schema::{ids::PersonHash, tick::Seen};

    const NOON: &str = "2026-11-20T12:00:00Z";

    /// What the agent keeps after these signals, and what it told memory.
    fn kept(mut agent: impl Agent, signals: &[(&str, &str, Value)]) -> (Value, Vec<Seen>) {
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
            Comms::new(setup()),
            &[
                ("n-1", "notification", note("Mira", "Hostel")),
                ("n-2", "notification", note("Anu", "Hostel")),
                ("n-3", "notification", note("Mira", "Hostel")),
            ],
        );
        let people: Vec<(PersonHash, u32, u32)> = seen
            .into_iter()
            .filter_map(|seen| match seen {
                Seen::Talk {
                    person,
                    messages,
                    all,
                    ..
                } => Some((person, messages, all)),
                Seen::Payment { .. } | Seen::Place { .. } | Seen::Body { .. } => None,
            })
            .collect();
        let (mira, anu) = (setup().key.person("mira"), setup().key.person("anu"));
        let mut expected = vec![(mira.clone(), 2, 3), (anu.clone(), 1, 3)];
        expected.sort();
        let mut people = people;
        people.sort();
        assert_eq!(people, expected);
        let what = Forget::things([mira.as_str().to_owned()]);
        let text = forget(AgentName::Comms, &state, &what).unwrap().to_string();
        assert!(!text.contains(mira.as_str()) && text.contains(anu.as_str()));
        let channel = setup().key.channel("Hostel");
        assert!(text.contains(channel.as_str()), "others wrote in it");
        let none = forget(AgentName::Comms, &state, &Forget::everything()).unwrap();
        assert!(!none.to_string().contains(channel.as_str()));
    }

    #[test]
    fn payments_go_by_merchant_and_by_time() {
        let paid = |merchant: &str, amount: &str| {
            json!({"amount": amount, "currency": "INR", "direction": "debit", "merchant": merchant,
                "account_last4": "8841"})
        };
        let (state, seen) = kept(
            Finance::new(setup()),
            &[
                ("p-1", "transaction", paid("Cafe", "11.25")),
                ("p-2", "transaction", paid("Metro", "40.75")),
            ],
        );
        assert_eq!(seen.len(), 2);
        let cafe = seen.into_iter().find_map(|seen| match seen {
            Seen::Payment { merchant, amount, .. } if amount.to_string() == "-11.25" => Some(merchant),
            Seen::Payment { .. } | Seen::Talk { .. } | Seen::Place { .. } | Seen::Body { .. } => None,
        });
        let cafe = cafe.unwrap();
        let what = Forget::things([cafe.as_str().to_owned()]);
        let text = forget(AgentName::Finance, &state, &what).unwrap().to_string();
        assert!(!text.contains("11.25") && text.contains("40.75"), "{text}");
        let span = Forget::span(t(NOON), t(NOON).plus_min(1));
        let text = forget(AgentName::Finance, &state, &span).unwrap().to_string();
        assert!(!text.contains("11.25") && !text.contains("40.75"), "{text}");
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
                forget(agent, &json!({"x": 1}), &Forget::everything()).is_err(),
                "{agent}"
            );
        }
    }
}
