//! Where a run stands, and what comes next.
//!
//! What: [`WorkflowRun`], folded from its journal by [`WorkflowRun::begin_run`] and [`WorkflowRun::apply_event`]; [`WorkflowRun::next_action`] says what is to be done. Why: the state
//! is nowhere but in the events, so whoever takes a run up after a crash knows what the one before it knew. Not here: what
//! follows from an answer (`step`), the documents ([`super::thread`]).
//!
//! | Phase | Leaves on |
//! |---|---|
//! | working on a step or a group | its last answer, written if there is something to write: the next step, `stopped`, `waiting` or `over` |
//! | waiting for the owner | `answered` → working, the same step once more; `expired` → over |
//! | stopped | `resumed` → working, the same step once more |
//! | over | `undone` → over |
//!
//! `cancelled` ends a run in any phase but the last one, and not while files are being written.

use super::{
    RESULTS_MAX, RESULTS_MAX_BYTES, StepOutcome, TransitionTarget,
    definition::{StepTask, WorkflowDefinition, WorkflowStep},
    event::{FileChange, RunEvent, RunEventKind, RunStart, StepAttempt, StepMetrics},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};
use toolcall_schema::{
    Timestamp,
    protocol::{Artifact, OwnerQuestion, Status},
    rejection::RefusalReason,
};

/// An event that makes no sense where the run stands. It changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("WORKFLOW-002: {event} makes no sense now: {why}")]
pub struct IllegalEvent {
    /// Which event.
    pub event: &'static str,
    /// Why not.
    pub why: &'static str,
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkflowRun {
    /// What it began with.
    pub started: RunStart,
    pub started_at: Timestamp,
    /// When something happened last.
    pub last_at: Timestamp,
    /// Where it stands.
    pub phase: RunPhase,
    /// Askings so far; those that were asked again after a crash count once.
    pub asked: u32,
    /// What all agents share now.
    pub shared: Map<String, Value>,
    /// What finished, oldest first, the last 32 of at most 1 MiB.
    pub finished: VecDeque<FinishedStep>,
    /// How many finished before those.
    pub dropped: u64,
    /// All that was written, in order.
    pub changes: Vec<FileChange>,
    /// The latest of each step, for those who look.
    pub latest: BTreeMap<String, StepSnapshot>,
    pub(super) carried: CarriedContext,
    pub(super) counts: BTreeMap<String, AttemptCount>,
}

/// Where a run stands.
#[derive(Debug, Clone, PartialEq)]
pub enum RunPhase {
    /// Agents are asked, or files written.
    Working(RunStage),
    /// The owner is asked.
    Waiting {
        /// What is asked once more when the owner has answered.
        stage: RunStage,
        /// What the owner is told.
        question: OwnerQuestion,
    },
    /// It can be resumed.
    Stopped {
        /// What is asked once more then.
        stage: RunStage,
        /// Why it stopped.
        why: StopReason,
    },
    /// Nothing comes any more.
    Over(RunEnd),
}

/// How a run is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// It came to its end.
    Completed,
    /// A question was not answered in time.
    Expired,
    /// The owner ended it.
    Cancelled,
    /// Its files are as they were before.
    Undone,
}

impl RunEnd {
    /// As it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            RunEnd::Completed => "completed",
            RunEnd::Expired => "expired",
            RunEnd::Cancelled => "cancelled",
            RunEnd::Undone => "undone",
        }
    }
}

/// Why a run stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "snake_case", deny_unknown_fields)]
pub enum StopReason {
    /// That is where this outcome leads.
    Outcome {
        /// Of the step or group.
        outcome: StepOutcome,
        /// What was said.
        summary: String,
    },
    /// It asked as often as `max_steps` allows. Such a run cannot be resumed.
    MaxSteps,
}

/// One step that is being worked on, or a group of them.
#[derive(Debug, Clone, PartialEq)]
pub struct RunStage {
    /// Its name; of a group the group's.
    pub step: String,
    /// The steps that ask, by name.
    pub members: BTreeMap<String, StageMember>,
}

/// A step that asks.
#[derive(Debug, Clone, PartialEq)]
pub struct StageMember {
    /// How often, this time included.
    pub iteration: u16,
    /// How far.
    pub doing: MemberState,
    /// How often the run had asked when it came to this step: another number each time.
    pub(super) entered_at: u32,
    pub(super) again: AskedAgain,
}

/// How far a step is.
#[derive(Debug, Clone, PartialEq)]
pub enum MemberState {
    /// To be asked.
    ToAsk,
    /// Asked; not answered, as far as the journal knows.
    Asked {
        /// What it said of itself last.
        status: Option<Status>,
    },
    /// Answered; its files are to be written.
    ToWrite {
        /// What it said.
        said: StepResult,
        /// What is to be written.
        writing: PendingWrite,
    },
    /// Its files are being written.
    Applying {
        /// What it said.
        said: StepResult,
        /// What is written.
        changes: Vec<FileChange>,
    },
    /// Done, whatever came of it.
    Done {
        /// What it said.
        said: StepResult,
        /// Where that leads; of a group's members nowhere.
        target: TransitionTarget,
    },
}

/// What an answer says, as far as runs go by it.
#[derive(Debug, Clone, PartialEq)]
pub struct StepResult {
    /// How it came out.
    pub outcome: StepOutcome,
    /// In words.
    pub summary: String,
    /// For the step that comes next.
    pub notes: Vec<String>,
    /// For the agent that comes next.
    pub next_context: Map<String, Value>,
    /// What replaces members of the shared memory.
    pub shared: Map<String, Value>,
    /// What those after it are told that was found; nothing when the answer was not taken.
    pub result: Option<Map<String, Value>>,
    /// Why the answer was not taken.
    pub refusal: Option<RefusalReason>,
    pub at: Timestamp,
}

/// What an answer has to be written.
#[derive(Debug, Clone, PartialEq)]
pub enum PendingWrite {
    /// All of them or none.
    Artifacts(Vec<Artifact>),
    /// One file, whether it is there or not.
    Save {
        /// From the feature root.
        path: String,
        /// All of it.
        content: String,
    },
}

/// Context from the previous attempt, sent with a retry.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct AskedAgain {
    pub(super) notes: Vec<String>,
    pub(super) next_context: Map<String, Value>,
    pub(super) refusal: Option<RefusalReason>,
    pub(super) owner: Option<String>,
}

/// What one step gives to the next one alone.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CarriedContext {
    pub(super) notes: Vec<String>,
    pub(super) next_context: Map<String, Value>,
}

/// How often a step was asked, how often more the owner allowed, and how long it took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct AttemptCount {
    pub(super) iteration: u16,
    pub(super) granted: u16,
    pub(super) spent_ms: u64,
}

/// A step's result, passed to later steps.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedStep {
    /// `survey_002`: the step and its iteration.
    pub agent_id: String,
    /// When it was answered.
    pub at: Timestamp,
    /// What was found.
    pub result: Map<String, Value>,
    pub(super) bytes: usize,
}

/// What somebody who looks sees of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepSnapshot {
    /// Which asking.
    pub iteration: u16,
    /// The last message.
    pub message: Option<Value>,
    /// How it came out, when it is over.
    pub outcome: Option<StepOutcome>,
    /// Why it was not taken.
    pub refusal: Option<RefusalReason>,
    /// What Aura measured, when it is over.
    pub measured: Option<StepMetrics>,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum NextAction {
    /// These are to be asked, beside each other; those that are being asked already are among them.
    Ask(Vec<StepAttempt>),
    /// This is to be planned, and the plan written down.
    Write(StepAttempt, PendingWrite),
    /// This is to be written to files. It may have been in part.
    Apply(StepAttempt, Vec<FileChange>),
    /// Nothing before the owner answers, or this moment.
    Wait(Timestamp),
    /// Nothing before it is resumed.
    Stopped,
    Over(RunEnd),
}

impl WorkflowRun {
    /// Begins a run with the first event of its journal.
    ///
    /// # Errors
    /// [`IllegalEvent`] when it is another event, or the definition does not fit together.
    pub fn begin_run(event: &RunEvent) -> Result<Self, IllegalEvent> {
        let illegal = |why| IllegalEvent {
            event: event.what.name(),
            why,
        };
        let RunEventKind::Started(started) = &event.what else {
            return Err(illegal("a run begins with started"));
        };
        if !started.definition.faults().is_empty() {
            return Err(illegal("the workflow's steps do not fit together"));
        }
        let Some(first) = started.definition.first().map(|step| step.name.clone()) else {
            return Err(illegal("the workflow has no step"));
        };
        let mut run = Self {
            started: (**started).clone(),
            started_at: event.at,
            last_at: event.at,
            phase: RunPhase::Over(RunEnd::Completed),
            asked: 0,
            shared: started.shared.clone(),
            finished: VecDeque::new(),
            dropped: 0,
            changes: Vec::new(),
            latest: BTreeMap::new(),
            carried: CarriedContext::default(),
            counts: BTreeMap::new(),
        };
        run.enter_step(&first, false, event.at);
        Ok(run)
    }

    /// What is to be done now.
    pub fn next_action(&self) -> NextAction {
        let stage = match &self.phase {
            RunPhase::Working(stage) => stage,
            RunPhase::Waiting { question, .. } => return NextAction::Wait(question.until),
            RunPhase::Stopped { .. } => return NextAction::Stopped,
            RunPhase::Over(how) => return NextAction::Over(*how),
        };
        let open: Vec<StepAttempt> = stage
            .members
            .iter()
            .filter(|(_, member)| matches!(member.doing, MemberState::ToAsk | MemberState::Asked { .. }))
            .map(|(step, member)| attempt_of(step, member))
            .collect();
        // Files are written when all have answered: in the order of names, whoever was faster.
        let write = || {
            stage
                .members
                .iter()
                .find_map(|(step, member)| match &member.doing {
                    MemberState::ToWrite { writing, .. } => {
                        Some(NextAction::Write(attempt_of(step, member), writing.clone()))
                    }
                    MemberState::Applying { changes, .. } => {
                        Some(NextAction::Apply(attempt_of(step, member), changes.clone()))
                    }
                    MemberState::ToAsk | MemberState::Asked { .. } | MemberState::Done { .. } => None,
                })
        };
        if open.is_empty() {
            write().unwrap_or(NextAction::Stopped)
        } else {
            NextAction::Ask(open)
        }
    }

    /// What runs.
    pub fn definition(&self) -> &WorkflowDefinition {
        &self.started.definition
    }

    /// Where its files are, below the project.
    pub fn feature_root(&self) -> Option<String> {
        self.definition().root_for(self.started.feature.as_deref())
    }

    /// How long a step may still take, in milliseconds.
    pub fn remaining_ms(&self, step: &WorkflowStep) -> u64 {
        let spent = self.counts.get(&step.name).map_or(0, |count| count.spent_ms);
        let limit = match &step.work {
            StepTask::Ask { proposal } => proposal.limit_ms(),
            StepTask::Envelope { .. }
            | StepTask::Base { .. }
            | StepTask::Read { .. }
            | StepTask::Group { .. } => u64::from(step.time_limit_seconds) * 1000,
        };
        limit.saturating_sub(spent)
    }

    /// What the run changed altogether: each file once, as it was before the run and as the run left it.
    pub fn net_changes(&self) -> Vec<FileChange> {
        let mut net: BTreeMap<&str, FileChange> = BTreeMap::new();
        for change in &self.changes {
            net.entry(&change.path)
                .and_modify(|known| known.after.clone_from(&change.after))
                .or_insert_with(|| change.clone());
        }
        net.into_values()
            .filter(|change| change.before.as_ref() != Some(&change.after))
            .collect()
    }

    /// What is being worked on, or was when it stopped or asked.
    pub fn stage(&self) -> Option<&RunStage> {
        match &self.phase {
            RunPhase::Working(stage) | RunPhase::Waiting { stage, .. } | RunPhase::Stopped { stage, .. } => {
                Some(stage)
            }
            RunPhase::Over(_) => None,
        }
    }

    /// Keeps a result for those who come after.
    pub(super) fn keep_result(&mut self, agent_id: String, at: Timestamp, result: Map<String, Value>) {
        // What it is printed as, name and time included.
        let bytes = Value::Object(result.clone()).to_string().len() + agent_id.len() + 80;
        self.finished.push_back(FinishedStep {
            agent_id,
            at,
            result,
            bytes,
        });
        let too_much = |all: &VecDeque<FinishedStep>| {
            all.len() > RESULTS_MAX || all.iter().map(|one| one.bytes).sum::<usize>() > RESULTS_MAX_BYTES
        };
        while too_much(&self.finished) && self.finished.pop_front().is_some() {
            self.dropped += 1;
        }
    }

    /// The steps that a step asks: itself, or the members of a group.
    pub(super) fn members_of(&self, name: &str) -> Vec<String> {
        match self.definition().step(name).map(|step| &step.work) {
            Some(StepTask::Group { members }) => members.clone(),
            Some(
                StepTask::Envelope { .. }
                | StepTask::Base { .. }
                | StepTask::Ask { .. }
                | StepTask::Read { .. },
            ) => {
                vec![name.to_owned()]
            }
            None => vec![],
        }
    }
}

fn attempt_of(step: &str, member: &StageMember) -> StepAttempt {
    StepAttempt {
        step: step.to_owned(),
        iteration: member.iteration,
    }
}
