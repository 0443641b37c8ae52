//! The agent envelope of ADR-007: paths in, artifacts out.
//!
//! What: typed views of both messages. Why: the envelope is the contract and its contents are free. Not here: which paths are
//! allowed, how artifacts are written, what a recommendation does (its runtime).

use super::{MessageView, NOTE_MAX_BYTES, NOTES_MAX, contradiction, out_of_bounds};
use crate::{names::closed_enum, rejection::SchemaError};
use jsonschema::ValidationError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_validators as schemas;

closed_enum!(
    /// What an artifact does.
    Operation {
        /// A file that is not there yet.
        Create = "create",
        /// A file that is there.
        Update = "update",
    }
);

closed_enum!(
    /// What should happen next, in the agent's opinion.
    Recommendation {
        /// The next step.
        Proceed = "proceed",
        /// The same step once more.
        Retry = "retry",
        /// The owner is asked.
        Escalate = "escalate",
    }
);

/// To an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EnvelopeInput {
    /// Which workflow, and where in it.
    pub context: InputContext,
    /// Every file that it may need, by name.
    pub paths: BTreeMap<String, InputPaths>,
    /// What it is to do.
    pub task: InputTask,
    /// Notes of the step before; they name no agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prior_context: Vec<String>,
}

/// What stands under one name of `paths`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum InputPaths {
    /// One path.
    One(String),
    /// Several, or none, of one sort.
    List(Vec<String>),
}

/// `context` of an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputContext {
    /// What is being worked on; `None`: no feature, the workflow is about the whole project.
    pub feature_id: Option<String>,
    /// By which workflow.
    pub workflow: String,
    /// How often this step was begun, from 1.
    pub iteration: u32,
}

/// `task` of an input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InputTask {
    /// One that the agent's manifest lists.
    pub action: String,
    /// Whatever it needs.
    #[serde(default)]
    pub params: Map<String, Value>,
}

impl MessageView for EnvelopeInput {
    fn check(value: &Value) -> Result<(), ValidationError<'_>> {
        schemas::AgentInput::check(value)
    }

    fn check_rules(&self) -> Result<(), SchemaError> {
        Ok(())
    }
}

/// From an agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct EnvelopeOutput {
    /// Whether it did what it was to do.
    pub success: bool,
    /// What happened, for a person, errors included.
    pub summary: String,
    /// Files to write, all or none.
    pub artifacts: Vec<Artifact>,
    /// For the next step.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What should happen next.
    pub recommendation: Recommendation,
}

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Artifact {
    /// Relative to the feature root.
    pub path: String,
    /// Create or update.
    pub operation: Operation,
    /// The whole file.
    pub content: String,
}

/// Whether a path stays below where it starts by its words alone: relative, at most 1024 bytes in parts of 1 to 255, none of them
/// `.` or `..`, nothing in it that is no character of a name. Links are another matter.
pub fn stays_below(path: &str) -> bool {
    let part = |part: &str| {
        (1..=255).contains(&part.len())
            && !matches!(part, "." | "..")
            && !part.chars().any(|c| c.is_control() || c == '\\')
    };
    path.len() <= 1024 && path.split('/').all(part)
}

impl MessageView for EnvelopeOutput {
    fn check(value: &Value) -> Result<(), ValidationError<'_>> {
        schemas::AgentOutput::check(value)
    }

    fn check_rules(&self) -> Result<(), SchemaError> {
        if !self.success && self.recommendation == Recommendation::Proceed {
            return Err(contradiction(
                "/recommendation",
                "it did not succeed and recommends to proceed; say retry or escalate",
            ));
        }
        if self.notes.len() > NOTES_MAX {
            let message = "too many notes; say what the next step needs, and leave the rest in an artifact";
            return Err(out_of_bounds("/notes", "64", message));
        }
        let too_long = |note: &String| note.len() > NOTE_MAX_BYTES;
        if let Some(index) = self.notes.iter().position(too_long) {
            let message = "too long for a note; leave it in an artifact";
            return Err(out_of_bounds(&format!("/notes/{index}"), "2048 bytes", message));
        }
        let mut seen = BTreeSet::new();
        for (index, artifact) in self.artifacts.iter().enumerate() {
            if !seen.insert(&artifact.path) {
                return Err(contradiction(
                    &format!("/artifacts/{index}/path"),
                    "two artifacts have this path; send each file once",
                ));
            }
        }
        Ok(())
    }
}

impl EnvelopeOutput {
    /// Whether its artifacts are to be written: it succeeded, and does not want another attempt.
    pub fn applies(&self) -> bool {
        self.success && self.recommendation != Recommendation::Retry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_below_by_its_words_or_it_does_not() {
        let long = "x".repeat(256);
        for (path, stays) in [
            ("spec.md", true),
            ("a/b/c.txt", true),
            ("a/..b", true),
            ("\u{e9}t\u{e9}.md", true),
            ("", false),
            ("/etc/passwd", false),
            ("../x", false),
            ("a/../../x", false),
            ("a/./b", false),
            ("a//b", false),
            ("a/", false),
            ("a\\..\\x", false),
            ("a\u{0}b", false),
            ("a\nb", false),
            (long.as_str(), false),
        ] {
            assert_eq!(stays_below(path), stays, "{path:?}");
        }
    }
}
