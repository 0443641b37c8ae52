//! The gate: the only way for raw JSON to become an admitted call.
//!
//! What: pure functions from bytes to [`AdmittedCall`] or a [`RefusedCall`], the same for results, signals and traces. Why:
//! agents and orchestrator exchange only what passed here, on both sides of a process boundary. It fails closed. Not here:
//! keeping what was refused (`aura-memory`), dispatching what was admitted (`orchestrator`).

mod by_type;
mod envelope;
mod redact;
mod refuse;
mod tools;

#[cfg(test)]
mod tests;

use crate::{
    call::{AdmittedCall, ArgsHash, DEFAULT_DEADLINE_MS},
    canonical,
    catalogue::{Tool, ToolName},
    ids::CallId,
    names::{AgentName, Confirm, Surface},
    rejection::{Code, SchemaError},
    result::{ToolErrorCode, ToolResult},
    signal::{AdmittedSignal, Signal},
    strict::{self, DocumentBuffer},
    tick::{IngestResult, TickResult},
    time::Timestamp,
    trace::Trace,
};
use by_type::WithinSchema as _;
use jsonschema::ValidationError;
pub use redact::redact;
pub(crate) use refuse::{
    fault_words, schema_error, schema_violation, schema_words, syntax_error, type_mismatch,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::{cell::RefCell, sync::Arc};
use toolcall_validators as schemas;

pub use crate::{catalogue::docs::catalogue_hash, result::ToolEffect};

/// The largest call or signal: 64 KiB.
pub const MAX_CALL_BYTES: usize = 64 * 1024;

/// The largest result: 1 MiB for an agent's state, 256 KiB for what stands around it.
pub const MAX_RESULT_BYTES: usize = (1024 + 256) * 1024;

/// The text of an `outbox_file` effect: 16 KiB.
const MAX_OUTBOX_BYTES: usize = 16 * 1024;

/// How far in the future a call may be stamped.
const MAX_AHEAD_MS: i64 = 5000;

/// A refused call: why, and what could be read of it for the quarantine line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct RefusedCall {
    pub error: SchemaError,
    /// Whose tool it named, if that is an agent.
    pub agent: Option<AgentName>,
    /// The tool it named, if that is a short `[a-z_.]` name.
    pub tool: Option<String>,
    /// Its id, if it has the right shape.
    pub call_id: Option<CallId>,
}

/// What time it is for the gate's last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateClock {
    At(Timestamp),
    /// The deadline is not looked at (`gate check` without `--now`, replay of the quarantine).
    Skip,
}

/// Admits one call: size, encoding, strict JSON, envelope, catalogue, arguments, confirm rule, deadline; the first that
/// fails is the reason.
///
/// # Errors
/// The [`RefusedCall`], with the code of the step that failed (`GATE-001` to `GATE-011`).
pub fn admit(bytes: &[u8], clock: GateClock) -> Result<AdmittedCall, Box<RefusedCall>> {
    let read = ARGS.with_borrow_mut(|args| {
        let read = envelope::read(bytes, args, clock);
        if read.is_none() {
            *args = DocumentBuffer::default();
        }
        read
    });
    match read {
        Some(admitted) => Ok(admitted),
        None => admit_by_schema(bytes, clock),
    }
}

/// Admits as [`admit`] does, and asks the schema about the envelope of every call: what `admit` reads without it is held against this.
///
/// # Errors
/// As [`admit`].
pub fn admit_by_schema(bytes: &[u8], clock: GateClock) -> Result<AdmittedCall, Box<RefusedCall>> {
    CALL.with_borrow_mut(|document| {
        let admitted = match document.read(bytes, MAX_CALL_BYTES) {
            Ok(value) => admit_value(value, clock).map_err(|error| Box::new(refusal(error, value))),
            Err(fault) => {
                let error = syntax_error(&fault, MAX_CALL_BYTES, DocumentSource::Call);
                Err(Box::new(refusal(error, &Value::Null)))
            }
        };
        if admitted.is_err() {
            // What was refused may be anybody's text: it does not stay.
            *document = DocumentBuffer::default();
        }
        admitted
    })
}

thread_local! {
    /// The calls of one thread are read into one document: a call has the keys of the call before it, nearly always.
    static CALL: RefCell<DocumentBuffer> = RefCell::default();
    /// The same of their arguments alone, where the envelope needs no tree.
    static ARGS: RefCell<DocumentBuffer> = RefCell::default();
    /// The same of results.
    static RESULTS: RefCell<ResultBuffers> = RefCell::default();
    /// The same of traces.
    static TRACE: RefCell<DocumentBuffer> = RefCell::default();
}

/// What results are read into: those of one agent's ticks have the shape of the one before, and that of no other result.
#[derive(Default)]
struct ResultBuffers {
    /// By the place of the agent among [`AgentName::FOUR`].
    ticks: [DocumentBuffer; AgentName::FOUR.len()],
    others: DocumentBuffer,
}

impl ResultBuffers {
    fn of_tool(&mut self, tool: ToolName) -> &mut DocumentBuffer {
        let ticks = AgentName::FOUR.iter().map(|agent| ToolName::tick_of(*agent));
        let mut of_agents = ticks.zip(&mut self.ticks);
        of_agents
            .find_map(|(tick, buffer)| (tick == Some(tool)).then_some(buffer))
            .unwrap_or(&mut self.others)
    }
}

fn refusal(error: SchemaError, document: &Value) -> RefusedCall {
    let text = |key: &str| document.get(key).and_then(Value::as_str);
    let short = |name: &&str| {
        (1..=40).contains(&name.len()) && name.bytes().all(|b| matches!(b, b'a'..=b'z' | b'_' | b'.'))
    };
    RefusedCall {
        error,
        agent: text("agent").and_then(AgentName::parse),
        tool: text("tool").filter(short).map(str::to_owned),
        call_id: text("call_id").and_then(|id| CallId::parse(id).ok()),
    }
}

/// The envelope as it is read once its schema has passed; `args` is read apart.
#[derive(Deserialize)]
struct RawEnvelope<'a> {
    call_id: CallId,
    agent: AgentName,
    tool: &'a str,
    ts: Timestamp,
    confirm_required: bool,
    expected_surface: Option<Surface>,
    deadline_ms: Option<u32>,
}

fn admit_value(document: &Value, clock: GateClock) -> Result<AdmittedCall, SchemaError> {
    schemas::ToolCall::check(document).map_err(|e| schema_violation(Code::Gate007, "", &e))?;
    let envelope = RawEnvelope::deserialize(document).map_err(|_| type_mismatch(Code::Gate007, ""))?;
    let args = document.get("args").unwrap_or(&Value::Null);
    let name = ToolName::find(envelope.agent, envelope.tool).ok_or_else(unknown_tool)?;
    let tool = tools::arguments(name, args)?;
    confirm_rule(name, envelope.confirm_required)?;
    surface_rule(name, envelope.expected_surface)?;
    let deadline_ms = envelope.deadline_ms.unwrap_or(DEFAULT_DEADLINE_MS);
    deadline(envelope.ts, deadline_ms, clock)?;
    Ok(AdmittedCall {
        call_id: envelope.call_id,
        tool,
        ts: envelope.ts,
        confirm_required: envelope.confirm_required,
        expected_surface: envelope.expected_surface,
        deadline_ms,
        args_hash: ArgsHash::default(),
    })
}

fn unknown_tool() -> SchemaError {
    schema_error(
        Code::Gate008,
        "/tool",
        "catalogue",
        None,
        "this agent has no such tool; `aura catalogue` lists them",
    )
}

fn confirm_rule(name: ToolName, confirm_required: bool) -> Result<(), SchemaError> {
    let always = name.columns().confirm == Confirm::Always;
    if confirm_required == always {
        return Ok(());
    }
    Err(schema_error(
        Code::Gate010,
        "/confirm_required",
        "confirm",
        Some(always.to_string()),
        "confirm_required must be what the catalogue says for this tool",
    ))
}

/// The tool's surface, or SILENT; an earbud may announce a phone card that asks nothing.
fn surface_rule(name: ToolName, expected: Option<Surface>) -> Result<(), SchemaError> {
    let columns = name.columns();
    let fits = match expected {
        None | Some(Surface::Silent) => true,
        Some(Surface::EarbudTts) => name.is_announced(),
        // The envelope's schema has refused it.
        Some(Surface::Push) => false,
        Some(surface @ (Surface::Watch | Surface::PhoneCard)) => surface == columns.surface,
    };
    if fits {
        return Ok(());
    }
    Err(schema_error(
        Code::Gate010,
        "/expected_surface",
        "surface",
        Some(columns.surface.as_str().to_owned()),
        "expected_surface must be the surface of this tool, or SILENT",
    ))
}

fn deadline(ts: Timestamp, deadline_ms: u32, clock: GateClock) -> Result<(), SchemaError> {
    let GateClock::At(now) = clock else { return Ok(()) };
    let refuse = |pointer, limit: String, message| {
        Err(schema_error(
            Code::Gate011,
            pointer,
            "deadline",
            Some(limit),
            message,
        ))
    };
    if ts.since(now) > MAX_AHEAD_MS {
        let limit = format!("now + {MAX_AHEAD_MS} ms");
        return refuse(
            "/ts",
            limit,
            "the call is stamped in the future; check both clocks and stamp it anew",
        );
    }
    if now.since(ts) >= i64::from(deadline_ms) {
        let limit = format!("ts + {deadline_ms} ms");
        return refuse(
            "/deadline_ms",
            limit,
            "the call came after its deadline; stamp it anew",
        );
    }
    Ok(())
}

/// Arguments that passed before the owner is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct PreAdmitted {
    /// The tool with its typed arguments.
    pub tool: Tool,
    /// See [`AdmittedCall::args_hash`].
    pub args_hash: String,
    /// The arguments as they will be sent, see [`Tool::args`].
    pub args: Arc<Value>,
}

/// Checks what a candidate would call, before it is shown: arguments and confirm rule.
///
/// # Errors
/// `GATE-009` or `GATE-010`, with pointers into the call that it would become.
pub fn pre_admit(tool: ToolName, args: &Value, confirm_required: bool) -> Result<PreAdmitted, SchemaError> {
    let typed = tools::arguments(tool, &strict::normalise(args))?;
    confirm_rule(tool, confirm_required)?;
    let args = typed.args();
    Ok(PreAdmitted {
        tool: typed,
        args_hash: canonical::hash(&args),
        args: Arc::new(args),
    })
}

/// What came back for a call.
#[derive(Debug, Clone, PartialEq)]
pub enum AdmittedAnswer {
    /// Of a `*.tick`.
    Tick(TickResult),
    /// Of a `*.ingest`.
    Ingest(IngestResult),
    /// Of a tool that carries an action out.
    Done {
        /// Satisfies the tool's result schema.
        result: Value,
        /// What is to be performed; each is in the tool's effects column, none twice.
        effects: Vec<ToolEffect>,
    },
    /// The tool did not do its work.
    Failed(ToolErrorCode),
}

/// Admits the result of one call.
///
/// # Errors
/// `RESULT-001` strict JSON, `RESULT-002` envelope, `RESULT-004` another call's, `RESULT-005` effects, `RESULT-003` the
/// result itself; the first that fails, in this order.
pub fn admit_result(bytes: &[u8], tool: ToolName, call_id: &CallId) -> Result<AdmittedAnswer, SchemaError> {
    RESULTS.with_borrow_mut(|buffers| {
        let document = buffers.of_tool(tool);
        let admitted = document
            .read(bytes, MAX_RESULT_BYTES)
            .map_err(|fault| syntax_error(&fault, MAX_RESULT_BYTES, DocumentSource::Result))
            .and_then(|document| admit_answer(document, tool, call_id));
        // What was refused may be anybody's text, and an agent's whole state is large: neither stays.
        if admitted.is_err() || bytes.len() > MAX_CALL_BYTES {
            *document = DocumentBuffer::default();
        }
        admitted
    })
}

fn admit_answer(
    document: &mut Value,
    tool: ToolName,
    call_id: &CallId,
) -> Result<AdmittedAnswer, SchemaError> {
    schemas::ToolResult::check(document).map_err(|e| schema_violation(Code::Result002, "", &e))?;
    // Taken out first: read with the rest it would be copied.
    let result = document
        .as_object_mut()
        .and_then(|members| members.get_mut("result"))
        .map(Value::take);
    let answer = ToolResult::deserialize(&*document).map_err(|_| type_mismatch(Code::Result002, ""))?;
    if answer.call_id != *call_id {
        return Err(schema_error(
            Code::Result004,
            "/call_id",
            "call_id",
            None,
            "this answers another call; an agent answers with the id of the call that it was given",
        ));
    }
    let Some(mut result) = result else {
        return answer
            .error
            .map(AdmittedAnswer::Failed)
            .ok_or_else(|| type_mismatch(Code::Result002, ""));
    };
    allowed_effects(tool, &answer.effects)?;
    let answered = tools::answer(tool, &mut result, answer.effects);
    // The next one is read over it.
    if let Some(place) = document
        .as_object_mut()
        .and_then(|members| members.get_mut("result"))
    {
        *place = result;
    }
    answered
}

fn allowed_effects(tool: ToolName, effects: &[ToolEffect]) -> Result<(), SchemaError> {
    let allowed = tool.columns().effects;
    for (i, effect) in effects.iter().enumerate() {
        let repeated = effects
            .iter()
            .take(i)
            .any(|earlier| earlier.name() == effect.name());
        if repeated || !allowed.contains(&effect.name()) {
            return Err(schema_error(
                Code::Result005,
                &format!("/effects/{i}"),
                "effects",
                Some(allowed.iter().map(|e| e.as_str()).collect::<Vec<_>>().join(", ")),
                "a tool may ask for each effect of its catalogue row once, and for no other",
            ));
        }
        if let ToolEffect::OutboxFile { text, .. } = effect
            && text.len() > MAX_OUTBOX_BYTES
        {
            return Err(schema_error(
                Code::Result002,
                &format!("/effects/{i}/text"),
                "maxLength",
                Some(MAX_OUTBOX_BYTES.to_string()),
                "the file is too long; shorten the text",
            ));
        }
    }
    Ok(())
}

/// Admits one signal, as it stands in `signals.jsonl` or is posted.
///
/// # Errors
/// `SIGNAL-001` when the bytes are not strict JSON of at most 64 KiB, `SIGNAL-002` when they are not `signal.v1`.
pub fn admit_signal(bytes: &[u8]) -> Result<AdmittedSignal, SchemaError> {
    let signal: Signal = typed_as(read(bytes, MAX_CALL_BYTES, schemas::Signal::check)?)?;
    AdmittedSignal::new(signal, bytes.len()).map_err(|_| type_mismatch(Code::Signal002, "/payload"))
}

/// What a generated validator looks like.
type ValidateFn = for<'v> fn(&'v Value) -> Result<(), ValidationError<'v>>;

/// Strict JSON that a schema admits, for what comes from files and sources.
///
/// # Errors
/// `SIGNAL-001` when it is not strict JSON, `SIGNAL-002` when the schema refuses it.
pub(crate) fn read(bytes: &[u8], max_bytes: usize, validate: ValidateFn) -> Result<Value, SchemaError> {
    let document = strict::parse(bytes, max_bytes)
        .map_err(|fault| syntax_error(&fault, max_bytes, DocumentSource::Signal))?;
    checked(document, validate)
}

/// A value that a schema admits; `SIGNAL-002` otherwise.
pub(crate) fn checked(document: Value, validate: ValidateFn) -> Result<Value, SchemaError> {
    match validate(&document).map_err(|e| schema_violation(Code::Signal002, "", &e)) {
        Ok(()) => Ok(document),
        Err(error) => Err(error),
    }
}

/// The type of a value whose schema has passed; `SIGNAL-002` when they disagree.
pub(crate) fn typed_as<T: DeserializeOwned>(value: Value) -> Result<T, SchemaError> {
    T::deserialize(value).map_err(|_| type_mismatch(Code::Signal002, ""))
}

/// `SIGNAL-002` for what a schema cannot say.
pub(crate) fn unusable(pointer: &str, message: &str) -> SchemaError {
    schema_error(Code::Signal002, pointer, "format", None, message)
}

/// Checks a trace against `trace.v1`.
///
/// # Errors
/// `TRACE-001`.
pub fn check_trace(trace: &Trace) -> Result<(), SchemaError> {
    let json = serde_json::to_string(trace).map_err(|_| type_mismatch(Code::Trace001, ""))?;
    check_trace_json(&json)
}

/// The same of a trace as it is kept: `json` is what it is written as. The schema is asked where the types do not answer.
///
/// # Errors
/// `TRACE-001`.
pub fn check_kept_trace(trace: &Trace, json: &str) -> Result<(), SchemaError> {
    if is_trace_within_schema(trace) {
        return Ok(());
    }
    check_trace_json(json)
}

/// Whether the types of a trace guarantee that its schema admits it. `false` says nothing.
pub fn is_trace_within_schema(trace: &Trace) -> bool {
    trace.is_within_schema()
}

/// Checks the JSON of a trace against `trace.v1`. It is read over the one before it.
///
/// # Errors
/// `TRACE-001`.
pub fn check_trace_json(json: &str) -> Result<(), SchemaError> {
    TRACE.with_borrow_mut(|document| {
        let verdict = match document.read(json.as_bytes(), usize::MAX) {
            Ok(trace) => schemas::Trace::check(trace).map_err(|e| schema_violation(Code::Trace001, "", &e)),
            Err(_) => Err(type_mismatch(Code::Trace001, "")),
        };
        if verdict.is_err() {
            *document = DocumentBuffer::default();
        }
        verdict
    })
}

/// What a document claims to be: decides the code of a parse fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentSource {
    Call,
    Result,
    Signal,
    Message,
}
