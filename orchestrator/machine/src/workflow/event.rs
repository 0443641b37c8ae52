//! What happens in a run.
//!
//! What: [`Event`], one line of a run's journal. Why: what was said and done is written down before anything follows from it. Not
//! here: what follows ([`super::run`]).

use super::definition::Definition;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use toolcall_schema::{
    Timestamp,
    protocol::{Message, Response},
    rejection::SchemaError,
};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When, on the wall.
    pub at: Timestamp,
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum What {
    /// The run was begun; always the first, and only the first.
    Started(Box<Started>),
    /// An agent is asked. Twice the same: the process that asked was killed before the answer was written down.
    Asked(At),
    /// It says how far it is; base protocol alone.
    Progressed {
        of: At,
        /// The whole message, `pending` or `processing`.
        response: Value,
    },
    /// The asking is over.
    Ended {
        of: At,
        /// With this answer.
        answer: Answer,
        /// What Aura measured.
        measured: Measured,
        /// What the agent says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claimed: Option<Claimed>,
    },
    /// Files are being written: all of them, as they were and as they will be.
    Applying {
        of: At,
        /// What is written.
        changes: Vec<Change>,
    },
    /// They are written.
    Applied(At),
    /// They cannot be written, and none is.
    Unwritten { of: At, refusal: Refusal },
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

impl What {
    /// Its name in the journal.
    pub fn name(&self) -> &'static str {
        match self {
            What::Started(_) => "started",
            What::Asked(_) => "asked",
            What::Progressed { .. } => "progressed",
            What::Ended { .. } => "ended",
            What::Applying { .. } => "applying",
            What::Applied(_) => "applied",
            What::Unwritten { .. } => "unwritten",
            What::Announced => "announced",
            What::Dismissed => "dismissed",
            What::Answered { .. } => "answered",
            What::Expired => "expired",
            What::Resumed => "resumed",
            What::Cancelled => "cancelled",
            What::Undone => "undone",
        }
    }
}

/// What a run begins with. Nothing outside the journal is needed to go on with it but the agents and the files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Started {
    /// A UUID.
    pub run: String,
    /// The project's folder, absolute.
    pub project: String,
    /// What runs.
    pub definition: Definition,
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
pub struct At {
    /// The step's name.
    pub step: String,
    /// From 1.
    pub iteration: u16,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.step, self.iteration)
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
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
    /// Nothing that can be used.
    Refused { refusal: Refusal },
}

/// Why something was not taken. Never holds a value of what was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// With a page in `docs/errors`.
    pub code: String,
    /// The place in the message; empty for all of it.
    pub pointer: String,
    /// In words, with the remedy.
    pub message: String,
}

/// The place only where there is one.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code)?;
        if !self.pointer.is_empty() {
            write!(f, " at {:?}", self.pointer)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl From<SchemaError> for Refusal {
    fn from(error: SchemaError) -> Self {
        Self {
            code: error.code.to_string(),
            pointer: error.pointer,
            message: error.message,
        }
    }
}

/// What Aura measured of an asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// From the asking to the last message.
    pub processing_time_ms: u64,
    /// How many it sent.
    pub messages: u64,
}

/// What an agent of the base protocol says of itself. Nothing is decided by it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claimed {
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

impl From<&Message<Response>> for Claimed {
    fn from(message: &Message<Response>) -> Self {
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
pub struct Change {
    /// From the feature root.
    pub path: String,
    /// Its text; absent: it was not there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its text.
    pub after: String,
}
