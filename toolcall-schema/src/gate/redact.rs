//! What may stand in a quarantine line.
//!
//! What: [`redact`], the refused bytes as text with private leaves replaced. Why: the quarantine is the one place where
//! refused text is kept, and what the catalogue marks private is not kept even there. Not here: the file (`aura-memory`).

use crate::{
    catalogue::ToolName,
    ids::{SecretKey, hex},
    strict,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;

/// The refused bytes as text, and `Some("base64")` when they are not UTF-8. A leaf that the catalogue marks private
/// becomes a placeholder of the same type with its length and a keyed hash; when such a document cannot be read, all
/// of it becomes one placeholder. Without such a leaf the bytes stay as they are, so that they can be judged again.
pub fn redact(bytes: &[u8], tool: Option<ToolName>, key: &SecretKey) -> (String, Option<&'static str>) {
    let private = tool.map_or(&[][..], ToolName::private_leaves);
    if !private.is_empty() {
        let Ok(mut document) = serde_json::from_slice::<Value>(bytes) else {
            return (placeholder(bytes, key), None);
        };
        let mut hides = false;
        for path in private {
            let steps: Vec<&str> = path.split('/').skip(1).collect();
            hides |= hide(&mut document, &steps, key);
        }
        // Of a key that stands twice only the last was looked at: such bytes are not kept.
        if hides || strict::parse(bytes, bytes.len()).is_err() {
            return (document.to_string(), None);
        }
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (STANDARD.encode(bytes), Some("base64")),
    }
}

/// Replaces what `steps` leads to; the step `*` stands for every item of a list. Whether there was anything.
fn hide(value: &mut Value, steps: &[&str], key: &SecretKey) -> bool {
    match (steps, value) {
        ([], leaf) => {
            *leaf = hidden(leaf, key);
            true
        }
        (["*", rest @ ..], Value::Array(items)) => {
            let mut hides = false;
            for item in items {
                hides |= hide(item, rest, key);
            }
            hides
        }
        ([step, rest @ ..], Value::Object(members)) => members
            .get_mut(*step)
            .is_some_and(|member| hide(member, rest, key)),
        (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => false,
    }
}

fn hidden(leaf: &Value, key: &SecretKey) -> Value {
    match leaf {
        Value::String(text) => placeholder(text.as_bytes(), key).into(),
        Value::Null => Value::Null,
        Value::Bool(_) => false.into(),
        Value::Number(_) => 0.into(),
        // A container where a leaf belongs may hold anything.
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Object(_) => Value::Object(serde_json::Map::new()),
    }
}

fn placeholder(bytes: &[u8], key: &SecretKey) -> String {
    let mac = key.mac(&[b"private", bytes]);
    format!("[private: {} bytes, {}]", bytes.len(), hex(&mac[..8]))
}
