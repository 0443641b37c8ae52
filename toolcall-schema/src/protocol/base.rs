//! The base communication schema: a request with a task, and a response with a status.
//!
//! What: typed views of both messages. Why: what is absent has one meaning, stated once: no mode is `sync`, no iterations are 1, no
//! time limit is 120 s (specification, section 11). Not here: how a response follows from a request (its runtime).

use super::{MessageView, NEXT_CONTEXT_MAX_BYTES, out_of_bounds};
use crate::{
    gate::schema_error,
    names::closed_enum,
    rejection::{Code, SchemaError},
    time::Timestamp,
};
use jsonschema::ValidationError;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::{fmt, str::FromStr};
use toolcall_validators as schemas;

closed_enum!(
    /// How a request is served.
    ExecutionMode {
        /// The response is waited for.
        Sync = "sync",
        /// `pending` at once, the rest when it is asked for.
        Async = "async",
        /// Beside the others of the same session, joined by their task's type.
        Parallel = "parallel",
    }
);

closed_enum!(
    /// What sort of task.
    TaskType {
        /// Find out.
        Research = "research",
        /// Design the structure.
        Architect = "architect",
        /// Design what is seen.
        UxDesign = "ux_design",
        /// Try it.
        Test = "test",
        /// Put it together.
        Assembly = "assembly",
    }
);

closed_enum!(
    /// What a response's data is to be.
    OutputFormat {
        /// A JSON document.
        Json = "json",
        /// Markdown in `summary`.
        Markdown = "markdown",
        /// Findings as objects.
        StructuredData = "structured_data",
    }
);

closed_enum!(
    /// How far a task is: pending, processing, then one of the other three.
    Status {
        /// Not begun.
        Pending = "pending",
        Processing = "processing",
        Completed = "completed",
        /// Not done, and over.
        Failed = "failed",
        /// Done in part, and over.
        Partial = "partial",
    }
);

impl Status {
    /// Whether nothing comes after it.
    pub fn is_final(self) -> bool {
        match self {
            Status::Completed | Status::Failed | Status::Partial => true,
            Status::Pending | Status::Processing => false,
        }
    }

    /// Whether it may come after another one: only onwards, and the same once more while it is not over.
    pub fn may_follow(self, before: Status) -> bool {
        match before {
            Status::Pending => true,
            Status::Processing => self != Status::Pending,
            Status::Completed | Status::Failed | Status::Partial => false,
        }
    }
}

/// `meta.version`, as Semantic Versioning 2.0.0 writes a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SemanticVersion {
    /// Another one is another protocol.
    pub major: u32,
    /// More, and nothing less.
    pub minor: u32,
    pub patch: u32,
}

impl SemanticVersion {
    /// The one that Aura writes.
    pub const OURS: SemanticVersion = SemanticVersion {
        major: 1,
        minor: 0,
        patch: 0,
    };
}

impl fmt::Display for SemanticVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Not three numbers with points between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a version: three whole numbers without leading zeros, with points between them")]
pub struct NotAVersion;

impl FromStr for SemanticVersion {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let number = |part: Option<&str>| {
            let part = part.ok_or(NotAVersion)?;
            let digits = part.bytes().all(|byte| byte.is_ascii_digit());
            let leading = part.len() > 1 && part.starts_with('0');
            if !digits || leading {
                return Err(NotAVersion);
            }
            part.parse().map_err(|_| NotAVersion)
        };
        let mut parts = text.split('.');
        let version = SemanticVersion {
            major: number(parts.next())?,
            minor: number(parts.next())?,
            patch: number(parts.next())?,
        };
        if parts.next().is_some() {
            return Err(NotAVersion);
        }
        Ok(version)
    }
}

/// A request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct BaseRequest {
    /// Who, when, how.
    pub meta: RequestMeta,
    pub request: RequestBody,
    /// On what.
    pub context: RequestContext,
}

/// `meta` of a request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RequestMeta {
    /// The protocol's version, see [`SemanticVersion`].
    pub version: String,
    /// When it was asked.
    pub timestamp: Timestamp,
    /// A UUID: the same through all steps.
    pub session_id: String,
    /// Who is asked.
    pub agent_id: String,
    /// Who asks.
    pub parent_agent_id: Option<String>,
    /// Absent: sync.
    pub execution_mode: Option<ExecutionMode>,
}

/// `request` of a request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RequestBody {
    /// The task.
    pub task: TaskSpec,
    /// Whatever its type needs.
    pub parameters: Map<String, Value>,
}

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TaskSpec {
    /// Its sort.
    #[serde(rename = "type")]
    pub kind: TaskType,
    /// In words, at least 10 characters.
    pub objective: String,
    /// Its bounds.
    pub constraints: TaskConstraints,
}

/// The bounds of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct TaskConstraints {
    /// 1 to 10; absent: 1.
    pub max_iterations: Option<u8>,
    /// 30 to 300; absent: 120.
    pub time_limit_seconds: Option<u16>,
    /// Absent: any.
    pub output_format: Option<OutputFormat>,
}

impl TaskConstraints {
    /// How often the agent may be asked.
    pub fn iterations(self) -> u8 {
        self.max_iterations.unwrap_or(1)
    }

    /// For how long, in seconds.
    pub fn seconds(self) -> u16 {
        self.time_limit_seconds.unwrap_or(120)
    }
}

/// `context` of a request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RequestContext {
    /// What the owner asked.
    pub user_query: String,
    /// What other agents have found, oldest first.
    pub previous_results: Vec<PreviousResult>,
    /// What all agents of the session share.
    #[serde(default)]
    pub shared_memory: Map<String, Value>,
}

/// What another agent has found.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PreviousResult {
    pub agent_id: Option<String>,
    pub timestamp: Option<Timestamp>,
    pub result: Option<Map<String, Value>>,
}

impl MessageView for BaseRequest {
    fn check(value: &Value) -> Result<(), ValidationError<'_>> {
        schemas::BaseRequest::check(value)
    }

    fn check_rules(&self) -> Result<(), SchemaError> {
        let spoken = self.meta.version.parse::<SemanticVersion>();
        if spoken.is_ok_and(|version| version.major == SemanticVersion::OURS.major) {
            return Ok(());
        }
        Err(schema_error(
            Code::Proto003,
            "/meta/version",
            "version",
            Some(format!("{}.x.y", SemanticVersion::OURS.major)),
            "this version of the protocol is not spoken here; send one whose first number is the limit's",
        ))
    }
}

impl BaseRequest {
    /// How it is served.
    pub fn mode(&self) -> ExecutionMode {
        self.meta.execution_mode.unwrap_or(ExecutionMode::Sync)
    }
}

/// A response.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct BaseResponse {
    /// How far.
    pub status: Status,
    /// What was found.
    pub data: ResponseData,
    /// What went wrong.
    #[serde(default)]
    pub errors: Vec<ResponseError>,
    /// For the next agent.
    #[serde(default)]
    pub next_context: Map<String, Value>,
    /// What the agent claims that it took.
    pub meta: ResponseMeta,
}

/// `data` of a response.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ResponseData {
    /// One by one.
    pub findings: Option<Vec<Value>>,
    /// 0 to 1.
    pub confidence_score: Option<f64>,
    /// Where it is from.
    #[serde(default)]
    pub citations: Vec<Value>,
    /// In words.
    pub summary: Option<String>,
}

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ResponseError {
    /// The agent's own code.
    pub code: Option<String>,
    /// In words.
    pub message: Option<String>,
    /// More of it.
    #[serde(default)]
    pub details: Map<String, Value>,
}

/// `meta` of a response: claims.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ResponseMeta {
    /// Milliseconds.
    pub processing_time_ms: Option<i64>,
    /// Of a language model.
    pub tokens_used: Option<i64>,
    /// By name, or however the agent puts it.
    #[serde(default)]
    pub tools_called: Vec<Value>,
}

impl MessageView for BaseResponse {
    fn check(value: &Value) -> Result<(), ValidationError<'_>> {
        schemas::BaseResponse::check(value)
    }

    fn check_rules(&self) -> Result<(), SchemaError> {
        if self.status == Status::Failed && self.errors.is_empty() && self.data.summary.is_none() {
            return Err(super::contradiction(
                "/status",
                "it failed and says nowhere why; add an error with a message, or a summary",
            ));
        }
        // A map of JSON values always has a text.
        let bytes = serde_json::to_vec(&self.next_context).map_or(usize::MAX, |text| text.len());
        if bytes > NEXT_CONTEXT_MAX_BYTES {
            let message = "too much for the next agent's context; name a file that holds it";
            return Err(out_of_bounds("/next_context", "262144 bytes", message));
        }
        Ok(())
    }
}

impl BaseResponse {
    /// Whether its data is what was asked for, if it is an answer at all (completed or partial): `markdown` is a summary, the other
    /// two are findings, `structured_data` has objects in them.
    ///
    /// # Errors
    /// `PROTO-006` with the place.
    pub fn serves(&self, format: Option<OutputFormat>) -> Result<(), SchemaError> {
        let Some(format) = format.filter(|_| matches!(self.status, Status::Completed | Status::Partial))
        else {
            return Ok(());
        };
        let missing = |pointer: &str, message: &str| {
            let limit = Some(format.as_str().to_owned());
            Err(schema_error(
                Code::Proto006,
                pointer,
                "output_format",
                limit,
                message,
            ))
        };
        let blank = |text: &String| text.trim().is_empty();
        match (format, &self.data.findings) {
            (OutputFormat::Markdown, _) if self.data.summary.as_ref().is_none_or(blank) => {
                missing("/data/summary", "markdown was asked for; write it here")
            }
            (OutputFormat::Json | OutputFormat::StructuredData, None) => missing(
                "/data/findings",
                "findings were asked for; put them here, [] when there are none",
            ),
            (OutputFormat::StructuredData, Some(findings)) => {
                let index = findings.iter().position(|finding| !finding.is_object());
                index.map_or(Ok(()), |index| {
                    missing(
                        &format!("/data/findings/{index}"),
                        "each finding has to be an object",
                    )
                })
            }
            (OutputFormat::Markdown | OutputFormat::Json, _) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_three_numbers_as_semver_writes_them() {
        let version = |major, minor, patch| Ok(SemanticVersion { major, minor, patch });
        for (text, expected) in [
            ("1.0.0", version(1, 0, 0)),
            ("10.20.30", version(10, 20, 30)),
            ("0.0.4294967295", version(0, 0, u32::MAX)),
            ("0.0.4294967296", Err(NotAVersion)),
            ("01.0.0", Err(NotAVersion)),
            ("1.0", Err(NotAVersion)),
            ("1.0.0.0", Err(NotAVersion)),
            ("1.0.", Err(NotAVersion)),
            ("1.0.0-rc1", Err(NotAVersion)),
            ("+1.0.0", Err(NotAVersion)),
            ("\u{967}.0.0", Err(NotAVersion)),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
        assert_eq!(SemanticVersion::OURS.to_string(), "1.0.0");
    }

    #[test]
    fn statuses_go_on_and_never_back() {
        use Status::{Completed, Failed, Partial, Pending, Processing};
        let after = |before: Status| {
            let may = Status::ALL
                .iter()
                .copied()
                .filter(|status| status.may_follow(before));
            may.collect::<Vec<_>>()
        };
        assert_eq!(after(Pending), [Pending, Processing, Completed, Failed, Partial]);
        assert_eq!(after(Processing), [Processing, Completed, Failed, Partial]);
        for over in [Completed, Failed, Partial] {
            assert!(over.is_final() && after(over).is_empty());
        }
        assert!(!Pending.is_final() && !Processing.is_final());
    }
}
