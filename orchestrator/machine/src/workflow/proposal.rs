//! What a run proposes to its owner.
//!
//! What: [`OwnerProposal`], as the workflow's file has it, and [`RunProposal`], one asking of it; what an end of it says. Why: the owner
//! writes the whole proposal, so neither a program nor a result puts a word into what is confirmed. Not here: what becomes of it
//! ([`crate::asks`]), taking it there (`aura_workflow::proposals`).

use super::{
    StepOutcome,
    definition::StepTask,
    run::{StepResult, WorkflowRun},
};
use crate::{
    asks::{ASK_WAIT_MAX_MIN, ASK_WAIT_MIN, AskProtocol, asked_action},
    call_rights::is_on_request,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolcall_schema::{AskReport, AskState, ToolName, gate, trace::Asker};

/// The most proposals that a step's agent may make.
pub const PROPOSALS_MAX: usize = 8;
/// The machine ends an ask in its own time; a run waits so much longer for that, in minutes.
const GRACE_MIN: u64 = 15;

/// Something that the owner may be asked to confirm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnerProposal {
    /// A tool that programs may ask for.
    pub tool: ToolName,
    /// Its arguments, as its card names them.
    pub args: Map<String, Value>,
    /// How long it may wait for the owner, in minutes.
    #[serde(default = "ask_wait")]
    pub wait_min: u16,
}

fn ask_wait() -> u16 {
    ASK_WAIT_MIN
}

impl OwnerProposal {
    /// What of it nobody could be asked.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let args = Value::Object(self.args.clone());
        if !is_on_request(self.tool, Asker::Program) {
            Some("its tool is none that a program may propose: docs/asks.md lists them")
        } else if gate::pre_admit(self.tool, &args, true)
            .is_ok_and(|admitted| asked_action(self.tool, &admitted.args).is_some())
        {
            (!(1..=ASK_WAIT_MAX_MIN).contains(&self.wait_min)).then_some("wait_min must be 1 to 1440")
        } else {
            Some("its args must be those that its card names: docs/asks.md lists them")
        }
    }

    /// How long a run waits for its end, in milliseconds.
    pub(super) fn limit_ms(&self) -> u64 {
        (u64::from(self.wait_min) + GRACE_MIN) * 60_000
    }
}

/// Who of a run proposes or reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalSource {
    /// The run's id.
    pub run: String,
    /// The project's folder.
    pub project: String,
    /// The workflow's name.
    pub workflow: String,
    /// The asking of a step: the same after a crash, and another one each time the run comes to the step.
    pub key: String,
}

/// One proposal of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunProposal {
    /// Who proposes. With the same key it is the same proposal.
    pub source: ProposalSource,
    /// A step itself, or its agent.
    pub door: AskProtocol,
    pub proposal: OwnerProposal,
}

/// Who proposes or reads where a step that is being asked does.
pub fn proposal_source(run: &WorkflowRun, step: &str) -> Option<ProposalSource> {
    let member = run.stage()?.members.get(step)?;
    Some(ProposalSource {
        run: run.started.run.clone(),
        project: run.started.project.clone(),
        workflow: run.definition().name.clone(),
        key: format!("{step} {} {}", member.entered_at, member.iteration),
    })
}

/// What the end of a step's own proposal says; `None`: it is not over.
pub(super) fn end_of_proposal(
    step: &StepTask,
    report: &AskReport,
    nothing: StepResult,
) -> Option<StepResult> {
    let (outcome, summary) = match report.state {
        AskState::Queued | AskState::Asking => return None,
        AskState::Done => (StepOutcome::Done, "The owner said yes, and it was done."),
        AskState::Refused => (
            StepOutcome::Refused,
            "The owner said yes, and its tool did not do it.",
        ),
        AskState::Dismissed => (StepOutcome::Dismissed, "The owner said no."),
        AskState::Expired => (StepOutcome::Expired, "Nobody said yes in time."),
        AskState::Cancelled => (StepOutcome::Cancelled, "It was taken back."),
        AskState::Unknown => (
            StepOutcome::Unknown,
            "The owner said yes, and a crash left it unknown whether it was done.",
        ),
    };
    let tool = match step {
        StepTask::Ask { proposal } => Some(proposal.tool),
        StepTask::Envelope { .. }
        | StepTask::Base { .. }
        | StepTask::Read { .. }
        | StepTask::Group { .. } => None,
    };
    Some(StepResult {
        outcome,
        summary: summary.to_owned(),
        result: json!({ "tool": tool, "state": report.state })
            .as_object()
            .cloned(),
        ..nothing
    })
}
