//! The programs and files of a run, for real.
//!
//! What: [`ProjectPrograms`], a [`StepExecutor`] of [`ProgramHost`] and [`FeatureRoot`]. Why: the runner is tried without either. Not here: how a program is
//! asked, how a file is written (`programs`).

use super::{
    proposals::RunProposals,
    runner::{StepAsk, StepExecutor, StepReply},
};
use crate::programs::{
    AskTerms, ProgramAgent, ProgramHost,
    feature::{self, FeatureRoot},
};
use orchestrator_machine::workflow::{
    definition::StepTask,
    event::{AgentAnswer, FileChange, ReportedMetrics, StepAttempt, StepMetrics},
    run::{PendingWrite, WorkflowRun},
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Instant,
};
use toolcall_schema::{
    protocol::{Artifact, Operation},
    rejection::RefusalReason,
};

/// The programs of a project, its files, and its owner.
pub struct ProjectPrograms {
    proposals: RunProposals,
    host: ProgramHost,
    agents: BTreeMap<String, ProgramAgent>,
    project: PathBuf,
}

impl ProjectPrograms {
    /// `host`: of that project.
    pub fn new(
        host: ProgramHost,
        agents: BTreeMap<String, ProgramAgent>,
        project: PathBuf,
        proposals: RunProposals,
    ) -> Self {
        Self {
            proposals,
            host,
            agents,
            project,
        }
    }

    /// Puts back what a run changed, where the files are still as it left them.
    ///
    /// # Errors
    /// `ARTIFACT-…`: nothing is put back.
    pub fn undo(&self, run: &WorkflowRun, changes: &[FileChange]) -> Result<(), RefusalReason> {
        feature_of(&self.project, run)?.undo(changes)
    }
}

impl StepExecutor for ProjectPrograms {
    fn ask(&self, ask: &StepAsk, seen: &mut dyn FnMut(&Value)) -> StepReply {
        let StepAsk {
            step,
            document,
            limit,
            source,
        } = ask;
        let begun = Instant::now();
        let took = || u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let own = match &step.work {
            StepTask::Ask { proposal } => Some(self.proposals.decide(source, proposal, *limit)),
            StepTask::Read { read } => Some(self.proposals.read(source, read, *limit)),
            StepTask::Envelope { .. } | StepTask::Base { .. } | StepTask::Group { .. } => None,
        };
        if let Some(answer) = own {
            return StepReply {
                answer,
                measured: StepMetrics {
                    processing_time_ms: took(),
                    messages: 0,
                },
                claimed: None,
            };
        }
        let terms = AskTerms {
            limit: *limit,
            proposals: self.proposals.for_agent(source, step, *limit),
        };
        let mut messages = 0;
        let found = step.agent().and_then(|name| self.agents.get(name));
        let asked = match (found, &step.work) {
            (None, _) | (Some(_), StepTask::Group { .. } | StepTask::Ask { .. } | StepTask::Read { .. }) => {
                Err(RefusalReason {
                    code: "WORKFLOW-001".to_owned(),
                    pointer: String::new(),
                    message: "agents.d has no such agent any more; put its manifest back".to_owned(),
                })
            }
            (Some(agent), StepTask::Envelope { .. }) => {
                let answered = self.host.envelope(agent, document, terms);
                answered.map(|answered| StepReply {
                    answer: AgentAnswer::Envelope {
                        output: answered.message.value().clone(),
                    },
                    measured: answered.measured,
                    claimed: None,
                })
            }
            (Some(agent), StepTask::Base { .. }) => {
                let answered = self.host.base(agent, document, terms, &mut |message| {
                    messages += 1;
                    seen(message.value());
                });
                answered.map(|answered| StepReply {
                    answer: AgentAnswer::Base {
                        response: answered.message.value().clone(),
                    },
                    measured: answered.measured,
                    claimed: Some(ReportedMetrics::from(&answered.message)),
                })
            }
        };
        asked.unwrap_or_else(|refusal| StepReply {
            answer: AgentAnswer::Refused { refusal },
            measured: StepMetrics {
                processing_time_ms: took(),
                messages,
            },
            claimed: None,
        })
    }

    fn plan(
        &self,
        run: &WorkflowRun,
        of: &StepAttempt,
        writing: &PendingWrite,
    ) -> Result<Vec<FileChange>, RefusalReason> {
        plan(&self.project, run, writing).map_err(|why| {
            let agent = run.definition().step(&of.step).and_then(|step| step.agent());
            let agent = agent.and_then(|name| self.agents.get(name));
            let said = run
                .latest
                .get(&of.step)
                .and_then(|latest| latest.message.as_ref());
            match (agent, said) {
                (Some(agent), Some(said)) => self.host.refused(agent, why, said.to_string().as_bytes()),
                (_, _) => why,
            }
        })
    }

    fn apply(&self, run: &WorkflowRun, changes: &[FileChange]) -> Result<(), RefusalReason> {
        feature_of(&self.project, run)?.apply(changes)
    }

    fn end(&self) {
        self.proposals.end();
        self.host.end();
    }
}

fn feature_of(project: &Path, run: &WorkflowRun) -> Result<FeatureRoot, RefusalReason> {
    FeatureRoot::open(project, &run.feature_root().unwrap_or_default())
}

/// What would be written, against the files as they are.
///
/// # Errors
/// Why it cannot be.
pub fn planned(
    project: &Path,
    run: &WorkflowRun,
    writing: &PendingWrite,
) -> Result<Vec<FileChange>, RefusalReason> {
    plan(project, run, writing)
}

fn plan(project: &Path, run: &WorkflowRun, writing: &PendingWrite) -> Result<Vec<FileChange>, RefusalReason> {
    let feature = feature_of(project, run)?;
    let changes = match writing {
        PendingWrite::Artifacts(artifacts) => feature.plan(artifacts)?,
        PendingWrite::Save { path, content } => {
            let one = |operation| Artifact {
                path: path.clone(),
                operation,
                content: content.clone(),
            };
            // Whether it is there decides what is said of it; only one of the two can be refused for that.
            feature
                .plan(&[one(Operation::Create)])
                .or_else(|_| feature.plan(&[one(Operation::Update)]))?
        }
    };
    Ok(changes)
}

/// The changes as people read them: a unified diff.
pub fn diff(changes: &[FileChange]) -> String {
    feature::diff(changes)
}
