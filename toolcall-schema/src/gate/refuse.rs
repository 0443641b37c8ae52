//! Refusals in words.
//!
//! What: a [`SchemaError`] for each way to fail. Why: every refusal names code, place, keyword, limit and remedy, and none
//! holds a value of the refused document; so the sentences are ours, never the validator's. Not here: the checks.

use super::DocumentSource;
use crate::{
    rejection::{Code, SchemaError},
    strict::{MAX_DEPTH, SyntaxFault, SyntaxFaultKind},
};
use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

pub(crate) fn schema_error(
    code: Code,
    pointer: &str,
    keyword: &str,
    limit: Option<String>,
    message: &str,
) -> SchemaError {
    SchemaError {
        code,
        pointer: pointer.to_owned(),
        keyword: keyword.to_owned(),
        limit,
        message: message.to_owned(),
    }
}

/// The schema passed and the type did not: they disagree, so the gate fails closed.
pub(crate) fn type_mismatch(code: Code, pointer: &str) -> SchemaError {
    let message = "the value has the right shape but cannot be used; correct it, or report this as a bug";
    schema_error(code, pointer, "type", None, message)
}

/// A fault of [`crate::strict::parse`].
pub(crate) fn syntax_error(fault: &SyntaxFault, max_bytes: usize, source: DocumentSource) -> SchemaError {
    let code = match source {
        DocumentSource::Result => Code::Result001,
        DocumentSource::Signal => Code::Signal001,
        DocumentSource::Message => Code::Proto001,
        DocumentSource::Call => match fault.kind {
            SyntaxFaultKind::Size => Code::Gate001,
            SyntaxFaultKind::Utf8(_) => Code::Gate002,
            SyntaxFaultKind::Syntax(..) => Code::Gate003,
            SyntaxFaultKind::DuplicateKey => Code::Gate004,
            SyntaxFaultKind::Depth => Code::Gate005,
            SyntaxFaultKind::Number => Code::Gate006,
        },
    };
    let (keyword, limit, message) = fault_words(fault, max_bytes);
    schema_error(code, &fault.pointer, keyword, limit, &message)
}

/// What the strict parser looked for, its limit, and the sentence.
pub(crate) fn fault_words(fault: &SyntaxFault, max_bytes: usize) -> (&'static str, Option<String>, String) {
    match fault.kind {
        SyntaxFaultKind::Size => (
            "size",
            Some(format!("{max_bytes} bytes")),
            "the document is too large; send less, or ids instead of contents".to_owned(),
        ),
        SyntaxFaultKind::Utf8(offset) => (
            "utf-8",
            None,
            format!("not UTF-8 from byte {offset} on; encode the document as UTF-8"),
        ),
        SyntaxFaultKind::Syntax(line, column) => (
            "syntax",
            None,
            format!("not JSON at line {line}, column {column}; send one JSON document and nothing after it"),
        ),
        SyntaxFaultKind::DuplicateKey => (
            "duplicate key",
            None,
            "the same key stands twice in one object; keep one of them".to_owned(),
        ),
        SyntaxFaultKind::Depth => (
            "depth",
            Some(MAX_DEPTH.to_string()),
            "nested too deeply; flatten the document".to_owned(),
        ),
        SyntaxFaultKind::Number => (
            "number",
            Some("±9007199254740992".to_owned()),
            "a number that a double cannot hold exactly; send it as a smaller number or as a string"
                .to_owned(),
        ),
    }
}

/// What a schema refused. `base` is where the instance stands in the whole document.
pub(crate) fn schema_violation(code: Code, base: &str, error: &ValidationError<'_>) -> SchemaError {
    let pointer = format!("{base}{}", error.instance_path().as_str());
    let (limit, message) = schema_words(error.kind());
    schema_error(code, &pointer, error.kind().keyword(), limit, message)
}

/// The limit of a keyword, from the schema, and the sentence.
pub(crate) fn schema_words(kind: &Kind) -> (Option<String>, &'static str) {
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    match kind {
        Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } => (
            None,
            "there is a member that this object does not have; remove it",
        ),
        Kind::FalseSchema => (None, "nothing may stand here; remove it"),
        Kind::Required { property } => (Some(text(property)), "a required member is missing; add it"),
        Kind::Type { kind } => (
            Some(match kind {
                TypeKind::Single(single) => single.to_string(),
                TypeKind::Multiple(several) => several
                    .iter()
                    .map(|one| one.to_string())
                    .collect::<Vec<_>>()
                    .join(" or "),
            }),
            "another type is wanted here",
        ),
        Kind::Enum { options } => {
            let listed = options
                .as_array()
                .map(|all| all.iter().map(text).collect::<Vec<_>>().join(", "));
            (listed, "only the listed values can stand here")
        }
        Kind::Constant { expected_value } => (Some(text(expected_value)), "only this value can stand here"),
        Kind::Pattern { pattern } => (Some(pattern.clone()), "the text must match the pattern"),
        Kind::Format { format } => (Some(format.clone()), "the text must have this format"),
        Kind::Minimum { limit } | Kind::ExclusiveMinimum { limit } => {
            (Some(limit.to_string()), "the number is too small")
        }
        Kind::Maximum { limit } | Kind::ExclusiveMaximum { limit } => {
            (Some(limit.to_string()), "the number is too large")
        }
        Kind::MinLength { limit } => (Some(limit.to_string()), "the text is too short"),
        Kind::MaxLength { limit } => (Some(limit.to_string()), "the text is too long; shorten it"),
        Kind::MinItems { limit } => (Some(limit.to_string()), "the list is too short"),
        Kind::MaxItems { limit } => (Some(limit.to_string()), "the list is too long; send less at once"),
        Kind::AdditionalItems { limit } => {
            (Some(limit.to_string()), "the list is too long; send less at once")
        }
        Kind::MinProperties { limit } => (Some(limit.to_string()), "the object needs more members"),
        Kind::MaxProperties { limit } => (Some(limit.to_string()), "the object has too many members"),
        Kind::UniqueItems => (None, "the same item stands twice in the list; keep one of them"),
        Kind::AnyOf { .. } => (None, "none of the shapes that may stand here fits"),
        Kind::OneOfNotValid { .. } => (None, "none of the shapes of which one must stand here fits"),
        Kind::OneOfMultipleValid { .. } => (None, "more than one of the shapes fits, and only one may"),
        Kind::Not { .. } => (None, "this is what may not stand here"),
        Kind::MultipleOf { multiple_of } => (
            Some(multiple_of.to_string()),
            "the number must be a multiple of the limit",
        ),
        Kind::PropertyNames { .. } => (None, "the name of a member is not allowed; rename or remove it"),
        Kind::Contains => (None, "the list holds too few or too many of the wanted items"),
        Kind::UnevaluatedItems { .. } => (None, "there is an item that this list does not have; remove it"),
        Kind::ContentEncoding { content_encoding } => (
            Some(content_encoding.clone()),
            "the text must be encoded like this",
        ),
        Kind::FromUtf8 { .. } => (None, "what the text encodes must be UTF-8"),
        Kind::ContentMediaType { content_media_type } => (
            Some(content_media_type.clone()),
            "what the text holds must be of this type",
        ),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => (
            None,
            "the pattern takes too long on this text; simplify the pattern",
        ),
        Kind::Referencing(_) => (None, "a reference leads nowhere; correct the schema"),
        Kind::Custom { .. } => (None, "the value does not satisfy the schema"),
    }
}
