//! Any JSON Schema, at run time, with the parser and the words of the gate.
//!
//! What: [`SchemaValidator`], a schema of drafts 4 to 2020-12 that lists every fault of an instance; [`published`], Aura's own
//! schemas by name. Why: whoever writes an agent tries schema and instance before the gate does, and the same run-time
//! validator is what the gate's compiled ones are held against. Not here: the gate's own (`toolcall-validators`), files.

mod formats;
mod refs;

use crate::{
    gate::{fault_words, schema_words},
    names::closed_enum,
    strict,
};
use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use toolcall_validators as schemas;

/// The largest schema, instance or line with both: what the largest result of a tool may have.
pub const MAX_DOCUMENT_BYTES: usize = crate::gate::MAX_RESULT_BYTES;

/// How many faults of one document are listed; more are counted.
pub const MAX_FAULTS: usize = 1000;

closed_enum!(
    /// The codes of validation. Each has a page `docs/errors/<code>.md`.
    SchemaCode {
        /// A schema, an instance or a line is not strict JSON.
        Schema001 = "SCHEMA-001",
        /// A line is not `{"schema": …, "instance": …}`.
        Schema002 = "SCHEMA-002",
        /// The schema is not a schema of its draft.
        Schema003 = "SCHEMA-003",
        /// A reference leads nowhere that is known here.
        Schema004 = "SCHEMA-004",
        /// The instance does not satisfy the schema.
        Schema005 = "SCHEMA-005",
        /// A format in the schema was to be checked and is not known here: a warning, never a fault.
        Schema006 = "SCHEMA-006",
    }
);

closed_enum!(
    /// In which document a fault is.
    Document {
        /// A line of a stream, before schema and instance are told apart.
        Line = "line",
        /// The schema.
        Schema = "schema",
        /// The instance.
        Instance = "instance",
    }
);

closed_enum!(
    /// The drafts of JSON Schema that are known.
    Draft {
        /// `http://json-schema.org/draft-04/schema#`
        Draft4 = "4",
        /// `http://json-schema.org/draft-06/schema#`
        Draft6 = "6",
        /// `http://json-schema.org/draft-07/schema#`
        Draft7 = "7",
        /// `https://json-schema.org/draft/2019-09/schema`
        Draft201909 = "2019-09",
        /// `https://json-schema.org/draft/2020-12/schema`
        Draft202012 = "2020-12",
    }
);

impl Draft {
    fn theirs(self) -> jsonschema::Draft {
        match self {
            Draft::Draft4 => jsonschema::Draft::Draft4,
            Draft::Draft6 => jsonschema::Draft::Draft6,
            Draft::Draft7 => jsonschema::Draft::Draft7,
            Draft::Draft201909 => jsonschema::Draft::Draft201909,
            Draft::Draft202012 => jsonschema::Draft::Draft202012,
        }
    }

    /// What a schema declares; 2020-12 when it declares nothing, `None` when what it declares is not known here.
    fn of(schema: &Value) -> Option<Self> {
        let declared = jsonschema::Draft::Draft202012.detect(schema);
        Self::ALL.iter().copied().find(|draft| draft.theirs() == declared)
    }

    fn metaschema(self) -> jsonschema::meta::MetaValidator<'static> {
        match self {
            Draft::Draft4 => jsonschema::draft4::meta::validator(),
            Draft::Draft6 => jsonschema::draft6::meta::validator(),
            Draft::Draft7 => jsonschema::draft7::meta::validator(),
            Draft::Draft201909 => jsonschema::draft201909::meta::validator(),
            Draft::Draft202012 => jsonschema::draft202012::meta::validator(),
        }
    }
}

/// One thing that is wrong. Holds no value of the instance; a pointer holds the names of its members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SchemaFault {
    /// Which rule was broken.
    pub code: SchemaCode,
    /// In which document.
    #[serde(rename = "in")]
    pub document: Document,
    /// JSON pointer to the place; empty for the whole document.
    pub pointer: String,
    /// JSON pointer to the keyword, from the root of the schema through every `$ref` that was followed. `None` where no
    /// schema was asked.
    pub schema_pointer: Option<String>,
    /// The keyword, or what the strict parser looked for.
    pub keyword: String,
    /// The limit that was broken, from the schema, where there is one; the reference that leads nowhere.
    pub limit: Option<String>,
    /// A plain sentence with the remedy.
    pub message: String,
}

impl SchemaFault {
    fn of(code: SchemaCode, document: Document, error: &ValidationError<'_>) -> Self {
        let (limit, message) = schema_words(error.kind());
        Self {
            code,
            document,
            pointer: error.instance_path().as_str().to_owned(),
            schema_pointer: Some(error.evaluation_path().as_str().to_owned()),
            keyword: error.kind().keyword().to_owned(),
            limit,
            message: message.to_owned(),
        }
    }
}

/// What is wrong with a document: never empty, at most [`MAX_FAULTS`] in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFaults {
    /// The first ones, in the order in which they are found.
    pub listed: Vec<SchemaFault>,
    /// How many there are beside them.
    pub more: usize,
}

impl From<SchemaFault> for SchemaFaults {
    fn from(fault: SchemaFault) -> Self {
        Self {
            listed: vec![fault],
            more: 0,
        }
    }
}

impl SchemaFaults {
    fn collect<'a>(
        code: SchemaCode,
        document: Document,
        mut errors: impl Iterator<Item = ValidationError<'a>>,
    ) -> Result<(), Self> {
        let listed: Vec<SchemaFault> = errors
            .by_ref()
            .take(MAX_FAULTS)
            .map(|error| SchemaFault::of(code, document, &error))
            .collect();
        if listed.is_empty() {
            return Ok(());
        }
        Err(Self {
            listed,
            more: errors.count(),
        })
    }
}

/// Reads a schema, an instance or a line as the gate reads a call: strict JSON, numbers without a fraction as integers.
///
/// # Errors
/// `SCHEMA-001`
pub fn parse(bytes: &[u8], document: Document) -> Result<Value, SchemaFaults> {
    strict::parse(bytes, MAX_DOCUMENT_BYTES).map_err(|fault| {
        let (keyword, limit, message) = fault_words(&fault, MAX_DOCUMENT_BYTES);
        SchemaFaults::from(SchemaFault {
            code: SchemaCode::Schema001,
            document,
            pointer: fault.pointer,
            schema_pointer: None,
            keyword: keyword.to_owned(),
            limit,
            message,
        })
    })
}

/// The schema and the instance of a line `{"schema": …, "instance": …}`. A schema that is a text is the name or the
/// address of one of Aura's ([`published`]).
///
/// # Errors
/// `SCHEMA-002`
pub fn parse_line(line: Value) -> Result<(Value, Value), SchemaFaults> {
    let fault = |pointer: &str, keyword: &str, limit: Option<&str>, message: &str| {
        SchemaFaults::from(SchemaFault {
            code: SchemaCode::Schema002,
            document: Document::Line,
            pointer: pointer.to_owned(),
            schema_pointer: None,
            keyword: keyword.to_owned(),
            limit: limit.map(str::to_owned),
            message: message.to_owned(),
        })
    };
    let Value::Object(mut members) = line else {
        let message = "a line is an object with the members schema and instance";
        return Err(fault("", "type", Some("object"), message));
    };
    let mut take = |name: &str| {
        let missing = || fault("", "required", Some(name), "a required member is missing; add it");
        members.remove(name).ok_or_else(missing)
    };
    let (schema, instance) = (take("schema")?, take("instance")?);
    if !members.is_empty() {
        let message = "there is a member that a line does not have; remove it";
        return Err(fault("", "additionalProperties", None, message));
    }
    let Value::String(name) = &schema else {
        return Ok((schema, instance));
    };
    let message = "no schema of Aura has this name; `aura schema list` names them";
    let text = published(name).ok_or_else(|| fault("/schema", "enum", None, message))?;
    Ok((parse(text.as_bytes(), Document::Schema)?, instance))
}

/// How a schema is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ValidatorOptions {
    /// The draft, whatever `$schema` says. `None`: what `$schema` says, else 2020-12.
    pub draft: Option<Draft>,
    /// Whether `format`, and in drafts 6 and 7 `contentEncoding` and `contentMediaType`, refuse; otherwise they say
    /// nothing. A format that is not known here says nothing either way: see [`SchemaValidator::unchecked_formats`].
    pub assert_format: bool,
}

/// A schema that instances can be held against. Knows the metaschemas and Aura's own schemas; asks no disk and no network.
#[derive(Debug)]
pub struct SchemaValidator {
    theirs: jsonschema::Validator,
    unchecked_formats: BTreeSet<String>,
}

impl SchemaValidator {
    /// Compiles a schema.
    ///
    /// # Errors
    /// `SCHEMA-003` when it is not a schema of its draft, with every fault; `SCHEMA-004` with the first reference that leads
    /// nowhere, `$schema` included.
    pub fn new(schema: &Value, options: ValidatorOptions) -> Result<Self, SchemaFaults> {
        let mut theirs = formats::options()
            .with_retriever(refs::PublishedRetriever)
            .should_validate_formats(options.assert_format);
        if !options.assert_format {
            theirs = theirs
                .without_content_encoding_support("base64")
                .without_content_media_type_support("application/json");
        }
        if let Some(draft) = options.draft {
            theirs = theirs.with_draft(draft.theirs());
        }
        let error = match theirs.build(schema) {
            Ok(theirs) => {
                let unchecked_formats = if options.assert_format {
                    formats::unchecked(schema, options.draft)
                } else {
                    BTreeSet::new()
                };
                return Ok(Self {
                    theirs,
                    unchecked_formats,
                });
            }
            Err(error) => error,
        };
        if let ValidationErrorKind::Referencing(why) = error.kind() {
            return Err(refs::fault(schema, why).into());
        }
        // The crate stops at the first fault; its metaschema tells all. What only compiling finds (a pattern) is one.
        let draft = options.draft.or_else(|| Draft::of(schema));
        let metaschema = draft.unwrap_or(Draft::Draft202012).metaschema();
        let (code, document) = (SchemaCode::Schema003, Document::Schema);
        SchemaFaults::collect(code, document, metaschema.iter_errors(schema))?;
        Err(SchemaFault::of(code, document, &error).into())
    }

    /// Holds an instance, as [`parse`] reads it, against the schema.
    ///
    /// # Errors
    /// `SCHEMA-005` with every fault.
    pub fn check(&self, instance: &Value) -> Result<(), SchemaFaults> {
        // Saying yes is much faster than listing.
        if self.theirs.is_valid(instance) {
            return Ok(());
        }
        let (code, document) = (SchemaCode::Schema005, Document::Instance);
        SchemaFaults::collect(code, document, self.theirs.iter_errors(instance))
    }

    /// The formats that the schema asks for and that nothing here checks; empty where formats are not asserted.
    pub fn unchecked_formats(&self) -> &BTreeSet<String> {
        &self.unchecked_formats
    }
}

/// Where the schemas of Aura are addressed; nothing listens there.
const BASE: &str = "https://aura.local/schemas/";

/// The names of Aura's schemas, e.g. `toolcall.v1` and `args/mute_channel.v1`, with their texts.
pub fn all_published() -> impl Iterator<Item = (&'static str, &'static str)> {
    let name = |path: &'static str| {
        let (_, file) = path.rsplit_once("schemas/").unwrap_or(("", path));
        file.strip_suffix(".json").unwrap_or(file)
    };
    let listed = schemas::ALL
        .iter()
        .chain(schemas::MESSAGES)
        .map(move |(path, text)| (name(path), *text));
    listed.chain(std::iter::once(("defs.v1", schemas::DEFS)))
}

/// The text of one of Aura's schemas by name, or by address `https://aura.local/schemas/<name>.json`.
pub fn published(name: &str) -> Option<&'static str> {
    let name = name
        .strip_prefix(BASE)
        .and_then(|file| file.strip_suffix(".json"))
        .unwrap_or(name);
    let found = all_published().find(|(candidate, _)| *candidate == name);
    found.map(|(_, text)| text)
}
