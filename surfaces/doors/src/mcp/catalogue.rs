//! The tools that a program sees, made from the catalogue.
//!
//! What: names, schemas and annotations of the tools that a device may name, and Aura's own two. Why: nothing about a tool is written a
//! second time. Not here: which ones a device may name (the backend), calling them (`calls`).

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use surfaces_base::backend::asks::{ASK_HELD_MAX, AskKind, AskableTool};
use toolcall_schema::{
    ToolName,
    catalogue::docs::{catalogue_json, tool_json},
};

/// How far an ask is.
pub(super) const ASK_STATE: &str = "aura_ask_state";
/// What may be named in arguments.
pub(super) const ASKABLE_THINGS: &str = "aura_askable_things";

/// A tool's name where dots are not allowed everywhere.
pub(super) fn wire_name(tool: ToolName) -> String {
    tool.as_str().replace('.', "_")
}

/// What tools look like, each worked out once: schemas are long, and clients ask for the list again and again.
#[derive(Default)]
pub(super) struct ToolDescriptions(Mutex<Vec<(AskableTool, Tool)>>);

impl ToolDescriptions {
    /// All that a device sees: the tools it may name, and the two that belong to them.
    pub(super) fn list(&self, tools: &[AskableTool]) -> Vec<Tool> {
        let mut all: Vec<Tool> = tools.iter().map(|tool| self.describe(tool)).collect();
        if !tools.is_empty() {
            all.push(askable_things());
        }
        if tools.iter().any(|tool| tool.kind == AskKind::Propose) {
            all.push(ask_state());
        }
        all
    }

    fn describe(&self, tool: &AskableTool) -> Tool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, described)) = known.iter().find(|(known, _)| known == tool) {
            return described.clone();
        }
        let described = described(tool);
        known.push((tool.clone(), described.clone()));
        described
    }
}

fn described(tool: &AskableTool) -> Tool {
    let doc = tool.tool.doc();
    let (description, output) = match tool.kind {
        AskKind::Read => (
            format!("{} Changes nothing.", doc.description),
            object(with_shapes(&tool_json(tool.tool)["result"])),
        ),
        AskKind::Propose => (
            format!(
                "{} The owner is asked first, on a page of her own, and may say no; nothing is done before. The answer says how far that is.",
                doc.description
            ),
            ask_schema(),
        ),
    };
    Tool::new(
        wire_name(tool.tool),
        description,
        arguments_schema(tool.tool, &tool.fixed),
    )
    .with_title(tool.tool.as_str())
    .with_raw_output_schema(Arc::new(output))
    .with_annotations(annotations(
        tool.tool.columns().effects.is_empty() && tool.kind == AskKind::Read,
    ))
}

/// Hints, and all derived: a tool without effects reads; nothing here destroys; the same again while it waits is the same ask.
fn annotations(reads: bool) -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(reads)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
}

fn ask_state() -> Tool {
    let input = json!({
        "type": "object",
        "required": ["ask"],
        "properties": {
            "ask": {"type": "string", "pattern": "^rq_[0-9a-f]{16}$", "description": "The ask's id, from the answer to a proposal."},
            "wait_seconds": {
                "type": "integer", "minimum": 0, "maximum": WAIT_SECONDS_MAX, "default": 0,
                "description": "Holds the answer back until the ask is over, so long at most."
            }
        },
        "additionalProperties": false
    });
    Tool::new(
        ASK_STATE,
        "Says how far an ask is that this program made: queued, asking, done, refused, dismissed, expired, cancelled or unknown.",
        object(input),
    )
    .with_title("State of an ask")
    .with_raw_output_schema(Arc::new(ask_schema()))
    .with_annotations(annotations(true))
}

/// Of `wait_seconds`: below what the backend holds.
pub(super) const WAIT_SECONDS_MAX: u64 = ASK_HELD_MAX.as_secs() - 5;

fn askable_things() -> Tool {
    let output = json!({
        "type": "object",
        "required": ["things"],
        "properties": {"things": {"type": "array", "items": {
            "type": "object",
            "required": ["id", "label"],
            "properties": {"id": {"type": "string"}, "label": {"type": "string"}},
            "additionalProperties": false
        }}},
        "additionalProperties": false
    });
    Tool::new(
        ASKABLE_THINGS,
        "Lists the chats that the owner has named and allowed for this program, with the ids that the other tools take. The ids are good for \
         this program alone.",
        object(json!({"type": "object", "additionalProperties": false})),
    )
    .with_title("What may be named")
    .with_raw_output_schema(Arc::new(object(output)))
    .with_annotations(annotations(true))
}

/// An ask as `calls` writes it.
fn ask_schema() -> JsonObject {
    object(json!({
        "type": "object",
        "required": ["ask", "state", "says"],
        "properties": {
            "ask": {"type": "string", "description": "The ask's id, for aura_ask_state."},
            "state": {"enum": ["queued", "asking", "done", "refused", "dismissed", "expired", "cancelled", "unknown"]},
            "says": {"type": "string", "description": "The same as a sentence."},
            "until": {"type": "string", "description": "Until when it waits."},
            "confirm_at": {"type": "string", "description": "The owner's own page, where she answers."},
            "trace_id": {"type": "string"},
            "reason": {"type": "string"}
        },
        "additionalProperties": false
    }))
}

/// The shapes that schemas refer to.
static SHAPES: LazyLock<Value> = LazyLock::new(|| catalogue_json()["defs"]["$defs"].take());

/// What stands before a shape's name, after the way to its folder.
const SHAPE_REF: &str = "defs.v1.json#/$defs/";

/// A schema with every shape put in that it refers to, so that it stands alone. No shape refers to itself: a test of the catalogue's lock
/// would not end.
fn with_shapes(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let shape = members.get("$ref").and_then(Value::as_str);
            if let Some((_, name)) = shape.and_then(|shape| shape.split_once(SHAPE_REF)) {
                return with_shapes(&SHAPES[name]);
            }
            let mut members = members.clone();
            // A base for references, of which none is left.
            members.remove("$id");
            for member in members.values_mut() {
                *member = with_shapes(member);
            }
            Value::Object(members)
        }
        Value::Array(items) => items.iter().map(with_shapes).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// The arguments' schema. What has one value only need not be sent.
fn arguments_schema(tool: ToolName, fixed: &Value) -> JsonObject {
    let mut schema = object(with_shapes(&tool_json(tool)["args"]));
    let Some(fixed) = fixed.as_object() else {
        return schema;
    };
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name.as_str().is_none_or(|name| !fixed.contains_key(name)));
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, value) in fixed {
            properties.insert(name.clone(), json!({"const": value, "default": value}));
        }
    }
    schema
}

/// A schema is an object; anything else would be a mistake of ours, which the tests would name.
pub(super) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            JsonObject::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn of(tool: ToolName, kind: AskKind, fixed: Value) -> Tool {
        described(&AskableTool { tool, kind, fixed })
    }

    #[test]
    fn no_two_tools_have_one_name_and_none_is_hard_to_write() {
        let mut names: BTreeSet<String> = ToolName::ALL.iter().map(|tool| wire_name(*tool)).collect();
        names.extend([ASK_STATE, ASKABLE_THINGS].map(str::to_owned));
        assert_eq!(names.len(), ToolName::ALL.len() + 2);
        for name in names {
            assert!(name.len() <= 64, "{name}");
            assert!(
                name.bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
                "{name}"
            );
        }
    }

    #[test]
    fn every_schema_stands_alone() {
        for tool in ToolName::ALL {
            for kind in [AskKind::Read, AskKind::Propose] {
                let text = serde_json::to_string(&of(*tool, kind, json!({}))).unwrap();
                assert!(!text.contains("$ref") && !text.contains("$id"), "{tool}");
                assert!(
                    text.contains(r#""inputSchema":{"#) && text.contains(r#""type":"object""#),
                    "{tool}"
                );
            }
        }
    }

    #[test]
    fn what_a_card_names_need_not_be_sent() {
        let muted = of(
            ToolName::MuteChannel,
            AskKind::Propose,
            json!({"ttl_seconds": 1800}),
        );
        let schema = Value::Object(muted.input_schema.as_ref().clone());
        assert_eq!(schema["required"], json!(["channel_hash"]));
        assert_eq!(
            schema["properties"]["ttl_seconds"],
            json!({"const": 1800, "default": 1800})
        );
        assert_eq!(schema["additionalProperties"], json!(false));
        let hints = muted.annotations.unwrap();
        assert_eq!(
            (
                hints.read_only_hint,
                hints.destructive_hint,
                hints.idempotent_hint,
                hints.open_world_hint
            ),
            (Some(false), Some(false), Some(true), Some(false))
        );
        let slots = of(ToolName::SuggestSlots, AskKind::Read, json!({}));
        assert_eq!(slots.annotations.unwrap().read_only_hint, Some(true));
        assert_eq!(slots.name, "calendar_suggest_slots");
    }

    #[test]
    fn who_may_nothing_sees_nothing() {
        let all = ToolDescriptions::default();
        assert!(all.list(&[]).is_empty());
        let read = AskableTool {
            tool: ToolName::SuggestSlots,
            kind: AskKind::Read,
            fixed: json!({}),
        };
        let listed = all.list(std::slice::from_ref(&read));
        let names: Vec<_> = listed.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["calendar_suggest_slots", ASKABLE_THINGS]);
        // The second time it is the same one, and not made again.
        let again = all.list(&[read]);
        assert!(Arc::ptr_eq(&listed[0].input_schema, &again[0].input_schema));
    }
}
