//! What happens in a run.
//!
//! What: [`RunEvent`], one line of a run's journal. Why: what was said and done is written down before anything follows from it. Not
//! here: what follows ([`super::run`]).

use super::definition::WorkflowDefinition;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use toolcall_schema::{
    AskReport, Timestamp,
    ids::RequestId,
    protocol::{BaseResponse, ProtocolMessage},
    rejection::RefusalReason,
};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunEvent {
    /// When, on the wall.
    pub at: Timestamp,
    pub what: RunEventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum RunEventKind {
    /// The run was begun; always the first, and only the first.
    Started(Box<RunStart>),
    /// An agent is asked. Twice the same: the process that asked was killed before the answer was written down.
    Asked(StepAttempt),
    /// It says how far it is; base protocol alone.
    Progressed {
        of: StepAttempt,
        /// The whole message, `pending` or `processing`.
        response: Value,
    },
    /// The asking is over.
    Ended {
        of: StepAttempt,
        /// With this answer.
        answer: AgentAnswer,
        /// What Aura measured.
        measured: StepMetrics,
        /// What the agent says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claimed: Option<ReportedMetrics>,
    },
    /// Files are being written: all of them, as they were and as they will be.
    Applying {
        of: StepAttempt,
        /// What is written.
        changes: Vec<FileChange>,
    },
    /// They are written.
    Applied(StepAttempt),
    /// They cannot be written, and none is.
    Unwritten { of: StepAttempt, refusal: RefusalReason },
    /// The owner was told once, on a surface, that there is a question.
    Announced,
    /// The owner does not want to see the announcement; the question stands.
    Dismissed,
    /// The owner answers.
    Answered {
        /// In words, at most 1900 bytes.
        text: String,
    },
    /// Nobody answered in time.
    Expired,
    /// A run that stopped goes on: the step at which it stopped is asked again.
    Resumed,
    /// The owner ended it.
    Cancelled,
    /// The files are as they were before the run.
    Undone,
}

impl RunEventKind {
    /// Its name in the journal.
    pub fn name(&self) -> &'static str {
        match self {
            RunEventKind::Started(_) => "started",
            RunEventKind::Asked(_) => "asked",
            RunEventKind::Progressed { .. } => "progressed",
            RunEventKind::Ended { .. } => "ended",
            RunEventKind::Applying { .. } => "applying",
            RunEventKind::Applied(_) => "applied",
            RunEventKind::Unwritten { .. } => "unwritten",
            RunEventKind::Announced => "announced",
            RunEventKind::Dismissed => "dismissed",
            RunEventKind::Answered { .. } => "answered",
            RunEventKind::Expired => "expired",
            RunEventKind::Resumed => "resumed",
            RunEventKind::Cancelled => "cancelled",
            RunEventKind::Undone => "undone",
        }
    }
}

/// What a run begins with. Nothing outside the journal is needed to go on with it but the agents and the files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunStart {
    /// A UUID.
    pub run: String,
    /// The project's folder, absolute.
    pub project: String,
    /// What runs.
    pub definition: WorkflowDefinition,
    /// On what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// What the owner asked.
    pub query: String,
    /// What all agents share from the beginning.
    pub shared: Map<String, Value>,
}

/// One asking of one step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepAttempt {
    /// The step's name.
    pub step: String,
    /// From 1.
    pub iteration: u16,
}

impl fmt::Display for StepAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.step, self.iteration)
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AgentAnswer {
    /// An output envelope.
    Envelope {
        /// All of it.
        output: Value,
    },
    /// The last response.
    Base {
        /// All of it.
        response: Value,
    },
    /// The end of a step's own proposal to the owner.
    Ask {
        /// Which request it was.
        ask: RequestId,
        report: AskReport,
    },
    /// What a step's own read was answered.
    Read { answer: Map<String, Value> },
    /// Nothing that can be used.
    Refused { refusal: RefusalReason },
}

/// What Aura measured of an asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepMetrics {
    /// From the asking to the last message.
    pub processing_time_ms: u64,
    /// How many it sent.
    pub messages: u64,
}

/// What an agent of the base protocol says of itself. Nothing is decided by it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportedMetrics {
    /// Milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processing_time_ms: Option<i64>,
    /// Of a language model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_used: Option<i64>,
    /// However it puts them.
    #[serde(default)]
    pub tools_called: Vec<Value>,
}

impl From<&ProtocolMessage<BaseResponse>> for ReportedMetrics {
    fn from(message: &ProtocolMessage<BaseResponse>) -> Self {
        let meta = &message.view().meta;
        Self {
            processing_time_ms: meta.processing_time_ms,
            tokens_used: meta.tokens_used,
            tools_called: meta.tools_called.clone(),
        }
    }
}

/// One file as it was and as it will be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileChange {
    /// From the feature root.
    pub path: String,
    /// Its text; absent: it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its text.
    pub after: String,
}
