//! The messages of the other two protocols: the base communication schema and the agent envelope.
//!
//! What: [`parse_message`], from bytes to a [`ProtocolMessage`] of a known shape, or a refusal. Why: anybody's agent, in any language, is held to the
//! same strictness as a tool call; what it says beside the shape is kept, because both protocols are open. Not here: asking an
//! agent, statuses that follow each other, files (the runtimes), the built-in agents, which know only tool calls.

mod base;
mod envelope;
pub mod manifest;
mod question;

pub use base::{
    BaseRequest, BaseResponse, ExecutionMode, OutputFormat, PreviousResult, RequestBody, RequestContext,
    RequestMeta, ResponseData, ResponseError, ResponseMeta, SemanticVersion, Status, TaskConstraints,
    TaskSpec, TaskType,
};
pub use envelope::{
    Artifact, EnvelopeInput, EnvelopeOutput, InputContext, InputPaths, InputTask, Operation, Recommendation,
    stays_below,
};
pub use question::{ANSWER_MAX_BYTES, OwnerQuestion};

use crate::{
    gate::{DocumentSource, schema_error, schema_violation, syntax_error, type_mismatch},
    rejection::{Code, SchemaError},
    strict,
};
use jsonschema::ValidationError;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The largest message: 4 MiB. An artifact holds a whole file.
pub const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// Notes in one message.
pub const NOTES_MAX: usize = 64;
/// Bytes of one note.
pub const NOTE_MAX_BYTES: usize = 2 << 10;
/// Bytes of `next_context`, written as JSON without spaces.
pub const NEXT_CONTEXT_MAX_BYTES: usize = 256 << 10;

/// What a message says, as far as it is known here.
pub trait MessageView: DeserializeOwned {
    /// Its schema's verdict.
    ///
    /// # Errors
    /// The first thing that the schema refuses.
    fn check(value: &Value) -> Result<(), ValidationError<'_>>;

    /// What no schema can say of it.
    ///
    /// # Errors
    /// `PROTO-003`, `PROTO-004` or `PROTO-007` with the place.
    fn check_rules(&self) -> Result<(), SchemaError>;
}

/// A message that passed: what is known of it, and all that was said.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtocolMessage<T> {
    view: T,
    value: Value,
}

impl<T: MessageView> ProtocolMessage<T> {
    /// Admits a message that is a value already.
    ///
    /// # Errors
    /// `PROTO-002` with the place that the schema refuses, `PROTO-003` another version, `PROTO-004` it contradicts itself,
    /// `PROTO-007` it is past a bound.
    pub fn try_from_value(value: Value) -> Result<Self, SchemaError> {
        T::check(&value).map_err(|error| schema_violation(Code::Proto002, "", &error))?;
        let view = T::deserialize(&value).map_err(|_| type_mismatch(Code::Proto002, ""))?;
        view.check_rules()?;
        Ok(Self { view, value })
    }

    /// What is known.
    pub fn view(&self) -> &T {
        &self.view
    }

    /// All of it, with what is not known here.
    pub fn value(&self) -> &Value {
        &self.value
    }
}

/// Reads one message: at most 4 MiB of strict JSON, one document and nothing after it.
///
/// # Errors
/// `PROTO-001` for what is not strict JSON, else as [`ProtocolMessage::try_from_value`]. No error holds a value of the message.
pub fn parse_message<T: MessageView>(bytes: &[u8]) -> Result<ProtocolMessage<T>, SchemaError> {
    let value = strict::parse(bytes, MAX_MESSAGE_BYTES)
        .map_err(|fault| syntax_error(&fault, MAX_MESSAGE_BYTES, DocumentSource::Message))?;
    ProtocolMessage::try_from_value(value)
}

/// It contradicts itself.
fn contradiction(pointer: &str, message: &str) -> SchemaError {
    schema_error(Code::Proto004, pointer, "rule", None, message)
}

/// It is past a bound.
fn out_of_bounds(pointer: &str, limit: &str, message: &str) -> SchemaError {
    schema_error(Code::Proto007, pointer, "bound", Some(limit.to_owned()), message)
}
