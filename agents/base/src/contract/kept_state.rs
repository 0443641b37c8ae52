//! What every agent's kept state can do, and its JSON.
//!
//! What: [`KeptState`]. Why: of a state only what changed travels and is written (`toolcall_schema::agent_state`), and a list changes as a
//! whole; so long lists of rows stand in it as objects, each row under the key that it begins with. Not here: what each agent keeps.

use super::AgentStateError;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use toolcall_schema::{AgentName, forget::ErasureScope};

/// A state that an agent keeps from one start to the next.
pub trait KeptState: Serialize + DeserializeOwned {
    const AGENT: AgentName;

    /// JSON pointers of the lists that stand as objects: each of their rows is a list that begins with a text of its own. Their order is
    /// not kept.
    const ROWS: &'static [&'static str];

    /// Removes what the owner wants forgotten.
    fn forget(&mut self, what: &ErasureScope);

    /// Removes the record of how far files were read.
    fn clear_read_marks(&mut self);

    /// From its JSON. Lists that stand as lists, as older versions wrote them, are read as well.
    ///
    /// # Errors
    /// When it is not of this agent's shape.
    fn from_json(state: &Value) -> Result<Self, AgentStateError> {
        let mut state = state.clone();
        for rows in Self::ROWS {
            if let Some(rows) = state.pointer_mut(rows) {
                *rows = as_list(rows.take());
            }
        }
        Self::deserialize(state).map_err(|source| AgentStateError {
            agent: Self::AGENT,
            source,
        })
    }

    /// The JSON of a kept state without what the owner wants forgotten.
    ///
    /// # Errors
    /// When it is not of this agent's shape: it is then of no use to anybody and can be removed whole.
    fn json_without(state: &Value, what: &ErasureScope) -> Result<Value, AgentStateError> {
        changed::<Self>(state, |state| state.forget(what))
    }

    /// The JSON of a kept state that has read no file. What it knows stays: an item that is known is not entered twice.
    ///
    /// # Errors
    /// When it is not of this agent's shape: the agent then starts empty and reads everything by itself.
    fn json_unread(state: &Value) -> Result<Value, AgentStateError> {
        changed::<Self>(state, Self::clear_read_marks)
    }
}

fn changed<S: KeptState>(state: &Value, change: impl FnOnce(&mut S)) -> Result<Value, AgentStateError> {
    let mut typed = S::from_json(state)?;
    change(&mut typed);
    state_json::<S>(&typed).map_err(|source| AgentStateError {
        agent: S::AGENT,
        source,
    })
}

/// The JSON of a state, or of what is written as one.
///
/// # Errors
/// When a key of it is no text.
pub fn state_json<S: KeptState>(state: &impl Serialize) -> Result<Value, serde_json::Error> {
    let mut state = serde_json::to_value(state)?;
    for rows in S::ROWS {
        if let Some(rows) = state.pointer_mut(rows) {
            *rows = as_object(rows.take());
        }
    }
    Ok(state)
}

/// Rows by what they begin with; as they are where two begin alike, or one with no text.
fn as_object(rows: Value) -> Value {
    let Value::Array(rows) = rows else { return rows };
    let keys = rows.iter().filter_map(|row| row.get(0)?.as_str());
    if keys.collect::<std::collections::BTreeSet<_>>().len() != rows.len() {
        return Value::Array(rows);
    }
    let mut object = Map::new();
    for mut row in rows {
        if let Value::Array(columns) = &mut row
            && let Value::String(key) = columns.remove(0)
        {
            object.insert(key, row);
        }
    }
    Value::Object(object)
}

fn as_list(rows: Value) -> Value {
    let Value::Object(rows) = rows else { return rows };
    let rows = rows.into_iter().map(|(key, mut row)| {
        if let Value::Array(columns) = &mut row {
            columns.insert(0, Value::String(key));
        }
        row
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_stand_by_what_they_begin_with() {
        let rows = json!([["b", 1, null], ["a"]]);
        assert_eq!(as_object(rows), json!({"a": [], "b": [1, null]}));
        assert_eq!(
            as_list(json!({"a": [], "b": [1, null]})),
            json!([["a"], ["b", 1, null]])
        );
        for other in [
            json!([["a", 1], ["a", 2]]),
            json!([[1, "a"]]),
            json!([[]]),
            json!(["a"]),
            json!(7),
        ] {
            assert_eq!(as_object(other.clone()), other);
            assert_eq!(as_list(other.clone()), other);
        }
        assert_eq!(
            as_list(json!({"a": 1})),
            json!([1]),
            "no row: refused when it is read"
        );
    }
}
