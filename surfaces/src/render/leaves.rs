//! Two documents side by side, place by place.
//!
//! What: [`compare_leaves`], each leaf of two JSON values beside its like, and which differ. Why: two decisions, and the machine before and after an
//! event, are read by what is different. Not here: markup (`web::console`).
//!
//! Items of a list that say what they are (`key`, `state`, `tool`, or `kind` and `subject`) stand beside their like, wherever they stand in
//! the list; others by their number.

use serde_json::Value;
use std::collections::BTreeMap;
use surfaces_base::visible::json_visible;

/// One place of two documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComparedLeaf {
    /// The names on the way to it, from the outside.
    pub place: String,
    /// What stands there on the left, as JSON; absent: nothing.
    pub left: Option<String>,
    /// On the right.
    pub right: Option<String>,
}

impl ComparedLeaf {
    /// Whether left and right are not the same.
    pub(crate) fn is_different(&self) -> bool {
        self.left != self.right
    }
}

/// The leaves of both, in the order of the left, then what the right has besides.
pub(crate) fn compare_leaves(left: &Value, right: &Value) -> Vec<ComparedLeaf> {
    let mut leaves = Vec::new();
    walk("", Some(left), Some(right), &mut leaves);
    leaves
}

fn walk(place: &str, left: Option<&Value>, right: Option<&Value>, leaves: &mut Vec<ComparedLeaf>) {
    let members = [left.and_then(members), right.and_then(members)];
    if members.iter().all(Option::is_none) {
        let text = |value: &Value| json_visible(&value.to_string()).into_owned();
        leaves.push(ComparedLeaf {
            place: place.to_owned(),
            left: left.map(text),
            right: right.map(text),
        });
        return;
    }
    let leaf = [left, right].map(|side| side.filter(|value| self::members(value).is_none()));
    if leaf.iter().any(Option::is_some) {
        walk(place, leaf[0], leaf[1], leaves);
    }
    let [left, right] = members.map(Option::unwrap_or_default);
    let mut others: BTreeMap<&str, &Value> = right
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    let below = |name: &str| {
        if place.is_empty() {
            json_visible(name).into_owned()
        } else {
            format!("{place} / {}", json_visible(name))
        }
    };
    for (name, value) in &left {
        walk(&below(name), Some(*value), others.remove(name.as_str()), leaves);
    }
    for (name, value) in &right {
        if others.remove(name.as_str()).is_some() {
            walk(&below(name), None, Some(*value), leaves);
        }
    }
}

/// What a value holds, each by a name of its own; `None`: it is a leaf, as an empty object or list is.
fn members(value: &Value) -> Option<Vec<(String, &Value)>> {
    match value {
        Value::Object(members) if !members.is_empty() => Some(
            members
                .iter()
                .map(|(name, value)| (name.clone(), value))
                .collect(),
        ),
        Value::Array(items) if !items.is_empty() => {
            let mut seen: BTreeMap<String, usize> = BTreeMap::new();
            let named = items.iter().enumerate().map(|(number, item)| {
                let name = item_name(item).unwrap_or_else(|| (number + 1).to_string());
                let times = seen.entry(name.clone()).or_default();
                *times += 1;
                let name = if *times == 1 {
                    name
                } else {
                    format!("{name} ({times})")
                };
                (name, item)
            });
            Some(named.collect())
        }
        Value::Object(_)
        | Value::Array(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_) => None,
    }
}

/// What an item of a list says that it is.
fn item_name(item: &Value) -> Option<String> {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    if let (Some(kind), Some(subject)) = (text("kind"), text("subject")) {
        return Some(format!("{kind} {subject}"));
    }
    text("key")
        .or_else(|| text("state"))
        .or_else(|| text("tool"))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{ComparedLeaf, compare_leaves};
    use serde_json::json;

    fn leaf(place: &str, left: Option<&str>, right: Option<&str>) -> ComparedLeaf {
        ComparedLeaf {
            place: place.to_owned(),
            left: left.map(str::to_owned),
            right: right.map(str::to_owned),
        }
    }

    #[test]
    fn leaves_stand_beside_their_like_whatever_their_place_in_a_list() {
        let left =
            json!({"a": 1, "list": [{"kind": "NAP_15", "subject": "self", "score": 2}], "same": [true]});
        let right = json!({"b": "x", "list": [{"kind": "SHOW_BRIEF", "subject": "all", "score": 9},
            {"kind": "NAP_15", "subject": "self", "score": 3}], "same": [true]});
        let all = compare_leaves(&left, &right);
        assert_eq!(
            all,
            [
                leaf("a", Some("1"), None),
                leaf(
                    "list / NAP_15 self / kind",
                    Some("\"NAP_15\""),
                    Some("\"NAP_15\"")
                ),
                leaf("list / NAP_15 self / score", Some("2"), Some("3")),
                leaf("list / NAP_15 self / subject", Some("\"self\""), Some("\"self\"")),
                leaf("list / SHOW_BRIEF all / kind", None, Some("\"SHOW_BRIEF\"")),
                leaf("list / SHOW_BRIEF all / score", None, Some("9")),
                leaf("list / SHOW_BRIEF all / subject", None, Some("\"all\"")),
                leaf("same / 1", Some("true"), Some("true")),
                leaf("b", None, Some("\"x\"")),
            ]
        );
        assert_eq!(all.iter().filter(|leaf| leaf.is_different()).count(), 6);
    }

    #[test]
    fn a_leaf_that_became_an_object_and_items_of_one_name_are_told_apart() {
        assert_eq!(
            compare_leaves(
                &json!({"a": null, "empty": {}}),
                &json!({"a": {"b": 1}, "empty": {}})
            ),
            [
                leaf("a", Some("null"), None),
                leaf("a / b", None, Some("1")),
                leaf("empty", Some("{}"), Some("{}")),
            ]
        );
        let twice = json!([{"tool": "show"}, {"tool": "show"}]);
        let places: Vec<String> = compare_leaves(&twice, &json!([]))
            .into_iter()
            .map(|leaf| leaf.place)
            .collect();
        assert_eq!(places, ["", "show / tool", "show (2) / tool"]);
    }
}
