//! What an agent keeps, as the journal has it: one whole state, and what changed since.
//!
//! What: [`JournalledState`]; [`changes`] and [`merge`], the two directions of a JSON merge patch (RFC 7396). Why: a state of a busy day has
//! hundreds of kilobytes, and one message changes some hundred bytes of it: only these travel and are written. Not here: what an agent
//! keeps (`agents`), the rows (`aura_memory`).

use serde_json::{Map, Value};
use std::sync::Arc;

/// Changes that are kept one by one; with the next the state is whole again.
const CHANGES_MAX: u32 = 128;

/// What turns `from` into `to`, as a JSON merge patch (RFC 7396); `None`: nothing. A member that is `null` counts as absent, and a list is
/// replaced as a whole.
pub fn changes(from: &Value, to: &Value) -> Option<Value> {
    let (Value::Object(from), Value::Object(to)) = (from, to) else {
        return (from != to).then(|| without_nulls(to.clone()));
    };
    let mut patch = Map::new();
    for (name, new) in to.iter().filter(|(_, new)| !new.is_null()) {
        let change = match from.get(name).filter(|old| !old.is_null()) {
            Some(old) => changes(old, new),
            None => Some(without_nulls(new.clone())),
        };
        if let Some(change) = change {
            patch.insert(name.clone(), change);
        }
    }
    let is_there = |name: &String| to.get(name).is_some_and(|new| !new.is_null());
    let gone = from
        .iter()
        .filter(|(name, old)| !old.is_null() && !is_there(name));
    patch.extend(gone.map(|(name, _)| (name.clone(), Value::Null)));
    (!patch.is_empty()).then_some(Value::Object(patch))
}

/// Carries a JSON merge patch out (RFC 7396, section 2).
pub fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(members) = target else { return };
    for (name, change) in patch {
        if change.is_null() {
            members.remove(&name);
        } else {
            merge(members.entry(name).or_insert(Value::Null), change);
        }
    }
}

/// Members that are `null` are absent in a merge patch; those within a list stay.
fn without_nulls(value: Value) -> Value {
    let Value::Object(members) = value else {
        return value;
    };
    let kept = members.into_iter().filter(|(_, value)| !value.is_null());
    kept.map(|(name, value)| (name, without_nulls(value))).collect()
}

/// The state of an agent as the journal has it.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalledState {
    whole: Arc<Value>,
    /// Bytes of it as JSON.
    bytes: usize,
    /// What changed since, in order: JSON merge patches.
    changes: Vec<Arc<Value>>,
    /// Bytes of them all.
    changed_bytes: usize,
}

/// The row that keeps a new [`JournalledState`], as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateRow {
    /// In place of every row before.
    Whole(String),
    /// Beside the rows before; the `number`th change from 1.
    Change { number: u32, json: String },
}

impl JournalledState {
    /// A state that is kept whole.
    pub fn new(state: Value) -> Self {
        Self {
            bytes: state.to_string().len(),
            whole: Arc::new(state),
            changes: Vec::new(),
            changed_bytes: 0,
        }
    }

    /// From the rows that kept it, the changes in order.
    ///
    /// # Errors
    /// When one of them is no JSON.
    pub fn from_rows(whole: &str, changes: &[String]) -> Result<Self, serde_json::Error> {
        let parsed = changes
            .iter()
            .map(|change| serde_json::from_str(change).map(Arc::new));
        Ok(Self {
            whole: Arc::new(serde_json::from_str(whole)?),
            bytes: whole.len(),
            changes: parsed.collect::<Result<_, _>>()?,
            changed_bytes: changes.iter().map(String::len).sum(),
        })
    }

    /// The state after a change from `before`, or from nothing.
    pub fn following(before: Option<&Self>, change: Value) -> Self {
        match before {
            Some(state) => state.after(change),
            None => Self::new(change),
        }
    }

    /// The state after a change, which is a JSON merge patch. It is whole again once its changes would be as long as itself.
    #[must_use]
    fn after(&self, change: Value) -> Self {
        let changed_bytes = self.changed_bytes + change.to_string().len();
        if changed_bytes >= self.bytes || self.changes.len() >= CHANGES_MAX as usize {
            let mut state = self.to_value();
            merge(&mut state, change);
            return Self::new(state);
        }
        let mut changes = self.changes.clone();
        changes.push(Arc::new(change));
        Self {
            whole: Arc::clone(&self.whole),
            bytes: self.bytes,
            changes,
            changed_bytes,
        }
    }

    /// Whether an agent has nothing to begin from in it.
    pub fn is_nothing(&self) -> bool {
        self.whole.is_null() && self.changes.is_empty()
    }

    /// The whole state.
    pub fn to_value(&self) -> Value {
        let mut state = Value::clone(&self.whole);
        for change in &self.changes {
            merge(&mut state, Value::clone(change));
        }
        state
    }

    /// The row that keeps this state, where the state before it is kept.
    pub fn row(&self) -> StateRow {
        match self.changes.last() {
            Some(change) => StateRow::Change {
                number: u32::try_from(self.changes.len()).unwrap_or(u32::MAX),
                json: change.to_string(),
            },
            None => StateRow::Whole(self.whole.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// The examples of RFC 7396, appendix A, and what a merge patch cannot say of a list.
    #[test]
    fn a_patch_is_carried_out_as_the_rfc_says() {
        for (target, patch, result) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {"b": "d", "c": null}}),
                json!({"a": {"b": "d"}}),
            ),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
            (json!({"a": "b"}), json!(["c"]), json!(["c"])),
            (json!({"a": "foo"}), json!(null), json!(null)),
            (json!({"a": "foo"}), json!("bar"), json!("bar")),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
            (
                json!({}),
                json!({"a": {"bb": {"ccc": null}}}),
                json!({"a": {"bb": {}}}),
            ),
        ] {
            let mut merged = target.clone();
            merge(&mut merged, patch.clone());
            assert_eq!(merged, result, "{target} with {patch}");
        }
    }

    #[test]
    fn a_change_names_what_changed_and_nothing_else() {
        let before = json!({"cursor": 1, "items": {"a": [1, null], "b": [2]}, "left": {"x": 1}, "old": null});
        let after = json!({"cursor": 2, "items": {"a": [1, null], "c": [3]}, "left": {"x": 1, "y": null}});
        let expected = json!({"cursor": 2, "items": {"b": null, "c": [3]}});
        assert_eq!(changes(&before, &after), Some(expected));
        assert_eq!(changes(&after, &after), None);
        assert_eq!(changes(&json!({"a": null}), &json!({})), None, "null is absent");
    }

    /// 40 bytes whole: two changes of 17 bytes are kept as such, with the third it is whole.
    #[test]
    fn a_state_is_whole_again_when_its_changes_are_as_long() {
        let begin = JournalledState::new(json!({"a": "012345678901234567890123456789ab"}));
        let whole = "{\"a\":\"012345678901234567890123456789ab\"}".to_owned();
        assert_eq!(begin.row(), StateRow::Whole(whole));
        let change = |n: u8| json!({"b": format!("12345678{n}")});
        let two = begin.after(change(1)).after(change(2));
        let json = "{\"b\":\"123456782\"}".to_owned();
        assert_eq!(two.row(), StateRow::Change { number: 2, json });
        let three = two.after(change(3));
        let whole = "{\"a\":\"012345678901234567890123456789ab\",\"b\":\"123456783\"}".to_owned();
        assert_eq!(three.row(), StateRow::Whole(whole));
        let without = three.after(json!({"a": null}));
        assert_eq!(without.to_value(), json!({"b": "123456783"}));
    }

    #[test]
    fn a_state_is_whole_again_after_so_many_changes() {
        let mut state = JournalledState::new(json!({"a": "0".repeat(100_000)}));
        for number in 1..=CHANGES_MAX {
            state = state.after(json!({"n": number}));
            assert!(matches!(state.row(), StateRow::Change { number: of, .. } if of == number));
        }
        state = state.after(json!({"n": 0}));
        assert!(matches!(state.row(), StateRow::Whole(_)));
    }

    #[test]
    fn rows_that_are_no_json_are_an_error() {
        assert!(JournalledState::from_rows("{", &[]).is_err());
        assert!(JournalledState::from_rows("{}", &["[".to_owned()]).is_err());
    }

    fn states() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(true)),
            any::<u8>().prop_map(|n| json!(n)),
            "[a-c]".prop_map(Value::from)
        ];
        let tree = leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(prop_oneof![Just(Value::Null), inner.clone()], 0..3)
                    .prop_map(Value::from),
                prop::collection::btree_map("[a-d]", inner, 0..4).prop_map(|map| map.into_iter().collect()),
            ]
        });
        prop::collection::btree_map("[a-d]", tree, 0..4).prop_map(|map| map.into_iter().collect())
    }

    proptest! {
        #[test]
        fn every_state_is_reached_by_its_changes(steps in prop::collection::vec(states(), 1..6)) {
            let mut kept = JournalledState::new(json!({}));
            let (mut whole, mut since, mut last) = ("{}".to_owned(), Vec::new(), json!({}));
            for step in steps {
                if let Some(change) = changes(&last, &step) {
                    kept = kept.after(change);
                    match kept.row() {
                        StateRow::Whole(json) => (whole, since) = (json, Vec::new()),
                        StateRow::Change { number, json } => {
                            since.push(json);
                            prop_assert_eq!(number as usize, since.len());
                        }
                    }
                }
                prop_assert_eq!(&kept.to_value(), &step);
                prop_assert_eq!(&JournalledState::from_rows(&whole, &since).unwrap(), &kept);
                last = step;
            }
        }
    }
}
