//! What a run reads of Aura.
//!
//! What: [`WorkflowRead`], as the workflow's file has it, and what its answer says. Why: the owner writes tool and arguments, so neither a
//! program nor a result chooses what is read. Not here: whether this workflow may (`surfaces_base::devices`), taking it to the agent
//! (`aura_workflow::proposals`).

use super::{StepOutcome, run::StepResult};
use crate::call_rights::is_readable;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolcall_schema::{ToolName, gate, protocol::NOTE_MAX_BYTES};

/// The most reads that a step's agent may make.
pub const READS_MAX: usize = 8;
/// How long a step waits: a service that was killed is back by then.
pub(super) const READ_LIMIT_SECONDS: u16 = 90;

/// Something that a run reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkflowRead {
    /// A tool that programs may read with.
    pub tool: ToolName,
    /// Its arguments. `{now}` stands for the moment and `{today}` for the owner's day, as a whole text each.
    pub args: Map<String, Value>,
}

impl WorkflowRead {
    /// What of it could not be read.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let args = self.arguments("2026-11-03T09:00:00Z", "2026-11-03");
        if !is_readable(self.tool) {
            Some("its tool is none that a program may read with: docs/asks.md lists them")
        } else if gate::pre_admit(self.tool, &args, false).is_err() {
            Some("its args must be those of its tool: docs/asks.md lists them")
        } else {
            None
        }
    }

    /// Its arguments at a moment, which `now` and `today` are, as the catalogue writes them.
    pub fn arguments(&self, now: &str, today: &str) -> Value {
        let filled = self.args.iter().map(|(name, value)| {
            let value = match value.as_str() {
                Some("{now}") => json!(now),
                Some("{today}") => json!(today),
                Some(_) | None => value.clone(),
            };
            (name.clone(), value)
        });
        Value::Object(filled.collect())
    }
}

/// What an answer gives to those who come after: a result, and a note where it is no longer than one.
pub(super) fn result_of_read(
    read: &WorkflowRead,
    answer: &Map<String, Value>,
    nothing: StepResult,
) -> StepResult {
    let note = json!(answer).to_string();
    StepResult {
        outcome: StepOutcome::Completed,
        summary: format!("{} answered.", read.tool),
        notes: Some(note)
            .filter(|note| note.len() <= NOTE_MAX_BYTES)
            .into_iter()
            .collect(),
        result: Some(answer.clone()),
        ..nothing
    }
}
