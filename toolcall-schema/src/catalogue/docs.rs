//! The catalogue in words: what `aura catalogue` shows and what the catalogue's hash covers.
//!
//! What: per tool a description, the schemas and the private leaves, and all of it as JSON and as a hash. Why: an agent
//! author reads it, and a changed word or schema changes the hash that every trace names. Not here: the rows (`table`),
//! examples (`examples`), comparing two catalogues (`lock`).

use super::{EffectName, ToolName, lock::CATALOGUE_LOCK};
use serde_json::{Value, json};
use toolcall_validators as schemas;

/// The texts of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolDoc {
    /// What it does, in one sentence.
    pub description: &'static str,
    /// The page in `docs/adr` that added it, e.g. `0006`.
    pub adr: &'static str,
    /// The JSON Schema (2020-12) of its arguments.
    pub args_schema: &'static str,
    /// The JSON Schema (2020-12) of its result.
    pub result_schema: &'static str,
}

impl ToolName {
    /// Where text stands that may not be kept in a quarantine, as JSON pointers into the call or the result; `*` is any
    /// item of a list. No tool has text in its arguments; labels and the words of a message are private, what could not be read (a file's name), and the file that goes
    /// to the owner's outbox.
    pub fn private_leaves(self) -> &'static [&'static str] {
        use ToolName::{
            CalendarDescribe, CalendarIngest, CommsDescribe, CommsIngest, DescribeMeeting, FinanceDescribe,
            FinanceIngest, ListEvents, ListTasks, WellnessIngest,
        };
        if matches!(
            self,
            CommsIngest | CalendarIngest | FinanceIngest | WellnessIngest
        ) {
            &["/result/skips/*/item", "/result/skips/*/message"]
        } else if self == CommsDescribe {
            &[
                "/result/address",
                "/result/labels/*/label",
                "/result/marks/*/label",
                "/result/message_id",
            ]
        } else if self == CalendarDescribe {
            &["/result/labels/*/label"]
        } else if self == FinanceDescribe {
            &["/result/labels/*/label", "/result/texts/*/words/*/text"]
        } else if self == DescribeMeeting {
            &["/result/people/*/name", "/result/place", "/result/title"]
        } else if self == ListEvents {
            &[
                "/result/cancelled/*/title",
                "/result/events/*/place",
                "/result/events/*/title",
            ]
        } else if self == ListTasks {
            &["/result/tasks/*/list", "/result/tasks/*/title"]
        } else if self.columns().effects.contains(&EffectName::OutboxFile) {
            &["/effects/*/text"]
        } else {
            &[]
        }
    }
}

/// One tool as it stands in `aura catalogue --json`.
pub fn tool_json(name: ToolName) -> Value {
    let (columns, doc) = (name.columns(), name.doc());
    // A schema that were not JSON would not have compiled; its text is the fallback.
    let schema = |text: &'static str| serde_json::from_str(text).unwrap_or(Value::from(text));
    json!({
        "name": name,
        "description": doc.description,
        "adr": doc.adr,
        "confirm": columns.confirm,
        "class": columns.class,
        "surface": columns.surface,
        "effects": columns.effects,
        "private": name.private_leaves(),
        "args": schema(doc.args_schema),
        "result": schema(doc.result_schema),
    })
}

/// The whole catalogue as JSON, tools in the order of [`ToolName::ALL`], with the shapes that the schemas refer to.
pub fn catalogue_json() -> Value {
    json!({
        "defs": serde_json::from_str(schemas::DEFS).unwrap_or(Value::from(schemas::DEFS)),
        "tools": ToolName::ALL.iter().map(|name| tool_json(*name)).collect::<Vec<_>>(),
    })
}

/// SHA-256 over the canonical JSON of the catalogue: names, descriptions, columns, schemas. 64 hexadecimal digits. It is read from the lock, which a
/// test holds to the code: every process needs it at its start, and making it takes each of them megabytes.
pub fn catalogue_hash() -> &'static str {
    const BEFORE: &str = "{\"hash\":\"";
    CATALOGUE_LOCK
        .get(BEFORE.len()..BEFORE.len() + 64)
        .unwrap_or_default()
}
