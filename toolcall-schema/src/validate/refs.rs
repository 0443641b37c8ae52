//! References: what is known without a network, and what to say of the rest.
//!
//! What: [`PublishedRetriever`], which answers with Aura's own schemas only, and [`fault`]. Why: a schema never makes Aura open a file
//! or a socket. Not here: the metaschemas, which the validating crate brings.

use super::{Document, SchemaCode, SchemaFault, published};
use jsonschema::{ReferencingError, Retrieve, Uri};
use serde_json::Value;
use std::error::Error;

/// Gives Aura's schemas by address, and nothing else.
#[derive(Debug)]
pub(super) struct PublishedRetriever;

impl Retrieve for PublishedRetriever {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let text = published(uri.as_str()).ok_or("not known here")?;
        Ok(serde_json::from_str(text)?)
    }
}

/// Which reference leads nowhere, and where it stands when that can be told.
pub(super) fn fault(schema: &Value, why: &ReferencingError) -> SchemaFault {
    let unknown =
        "nothing is fetched; put the schema it names under $defs, with its $id, or correct the reference";
    let nowhere = "nothing stands where this reference points; correct it";
    let (target, message) = match why {
        ReferencingError::Unretrievable { uri, .. } => (uri.clone(), unknown),
        ReferencingError::UnknownSpecification { specification } => (
            specification.clone(),
            "this $schema is not known here; use a draft from 4 to 2020-12",
        ),
        ReferencingError::CircularMetaschema { uri } => (
            uri.clone(),
            "this $schema leads back to itself; use a draft from 4 to 2020-12",
        ),
        ReferencingError::PointerToNowhere { pointer }
        | ReferencingError::InvalidPercentEncoding { pointer, .. }
        | ReferencingError::InvalidArrayIndex { pointer, .. } => (format!("#{pointer}"), nowhere),
        ReferencingError::NoSuchAnchor { anchor } | ReferencingError::InvalidAnchor { anchor } => {
            (format!("#{anchor}"), nowhere)
        }
        ReferencingError::InvalidUri(_) => (String::new(), "a reference or an $id is not a URI; correct it"),
    };
    let mut place = None;
    find(schema, &target, "", &mut place);
    let (pointer, keyword) = place.unwrap_or((String::new(), "$ref"));
    SchemaFault {
        code: SchemaCode::Schema004,
        document: Document::Schema,
        pointer,
        schema_pointer: None,
        keyword: keyword.to_owned(),
        limit: Some(target).filter(|target| !target.is_empty()),
        message: message.to_owned(),
    }
}

const REFERENCES: [&str; 4] = ["$ref", "$dynamicRef", "$recursiveRef", "$schema"];

/// The first member by document order that refers to `target`. A reference is written in full or relative to some `$id`,
/// so the end of the target is compared, and for one within the document the part after `#`.
fn find(schema: &Value, target: &str, at: &str, place: &mut Option<(String, &'static str)>) {
    if place.is_some() {
        return;
    }
    let refers = |text: &str| {
        let (document, fragment) = text.split_once('#').unwrap_or((text, ""));
        match target.strip_prefix('#') {
            Some(within) => !fragment.is_empty() && within.trim_start_matches('#') == fragment,
            None => !document.is_empty() && target.ends_with(document.trim_start_matches("./")),
        }
    };
    match schema {
        Value::Object(members) => {
            for keyword in REFERENCES {
                if members.get(keyword).and_then(Value::as_str).is_some_and(refers) {
                    *place = Some((format!("{at}/{keyword}"), keyword));
                    return;
                }
            }
            for (key, value) in members {
                let step = key.replace('~', "~0").replace('/', "~1");
                find(value, target, &format!("{at}/{step}"), place);
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                find(item, target, &format!("{at}/{i}"), place);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
