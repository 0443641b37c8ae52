//! Formats: which are checked, and which of a schema are not.
//!
//! What: [`options`], with our own checks, and [`unchecked`]. Why: who asks for formats to be asserted must not take silence for a yes.
//! Not here: the checks (`toolcall-validators` and the validating crate).

use super::Draft;
use jsonschema::ValidationOptions;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use toolcall_validators as schemas;

pub(super) fn options<'a>() -> ValidationOptions<'a> {
    jsonschema::options()
        .with_format("date-time", schemas::formats::is_date_time)
        .with_format("date", schemas::formats::is_date)
        .with_format("time", schemas::formats::is_time)
        .with_format("uuid", schemas::formats::is_uuid)
}

/// The formats of a schema that its draft does not check. Of a reference out of the schema nothing is looked at: Aura's own schemas and the
/// metaschemas have only formats that are checked.
pub(super) fn unchecked(schema: &Value, draft: Option<Draft>) -> BTreeSet<String> {
    let draft = match draft {
        Some(draft) => draft.theirs(),
        None => jsonschema::Draft::default().detect(schema),
    };
    let mut asked = BTreeSet::new();
    collect(schema, draft, &mut asked);
    let unknown = asked
        .into_iter()
        .filter(|(format, draft)| !is_known(format, *draft));
    unknown.map(|(format, _)| format.to_owned()).collect()
}

fn collect<'a>(
    schema: &'a Value,
    draft: jsonschema::Draft,
    asked: &mut BTreeSet<(&'a str, jsonschema::Draft)>,
) {
    if let Some(format) = schema.get("format").and_then(Value::as_str) {
        asked.insert((format, draft));
    }
    for inner in draft.subresources_of(schema) {
        collect(inner, draft.detect(inner), asked);
    }
}

/// The crate refuses to compile a format that it does not know, when it is told to.
fn is_known(format: &str, draft: jsonschema::Draft) -> bool {
    options()
        .should_validate_formats(true)
        .should_ignore_unknown_formats(false)
        .with_draft(draft)
        .build(&json!({ "format": format }))
        .is_ok()
}
