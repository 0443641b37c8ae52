//! The programs and files of a run, for real.
//!
//! What: [`Programs`], a [`World`] of [`Host`] and [`Feature`]. Why: the runner is tried without either. Not here: how a program is
//! asked, how a file is written (`programs`).

use super::runner::{Reply, World};
use crate::programs::{
    Agent, Host,
    feature::{self, Feature},
};
use orchestrator_machine::workflow::{
    definition::{Step, Work},
    event::{Answer, At, Change, Claimed, Measured, Refusal},
    run::{Run, Writing},
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use toolcall_schema::protocol::{Artifact, Operation};

/// The programs of a project, and its files.
pub struct Programs {
    host: Host,
    agents: BTreeMap<String, Agent>,
    project: PathBuf,
}

impl Programs {
    /// `host`: of that project.
    pub fn new(host: Host, agents: BTreeMap<String, Agent>, project: PathBuf) -> Self {
        Self {
            host,
            agents,
            project,
        }
    }

    /// Puts back what a run changed, where the files are still as it left them.
    ///
    /// # Errors
    /// `ARTIFACT-…`: nothing is put back.
    pub fn undo(&self, run: &Run, changes: &[Change]) -> Result<(), Refusal> {
        feature_of(&self.project, run)?.undo(changes)
    }
}

impl World for Programs {
    fn ask(&self, step: &Step, document: &Value, limit: Duration, seen: &mut dyn FnMut(&Value)) -> Reply {
        let begun = Instant::now();
        let mut messages = 0;
        let found = step.agent().and_then(|name| self.agents.get(name));
        let asked = match (found, &step.work) {
            (None, _) | (Some(_), Work::Group { .. }) => Err(Refusal {
                code: "WORKFLOW-001".to_owned(),
                pointer: String::new(),
                message: "agents.d has no such agent any more; put its manifest back".to_owned(),
            }),
            (Some(agent), Work::Envelope { .. }) => {
                let answered = self.host.envelope(agent, document, limit);
                answered.map(|answered| Reply {
                    answer: Answer::Envelope {
                        output: answered.message.value().clone(),
                    },
                    measured: answered.measured,
                    claimed: None,
                })
            }
            (Some(agent), Work::Base { .. }) => {
                let answered = self.host.base(agent, document, limit, &mut |message| {
                    messages += 1;
                    seen(message.value());
                });
                answered.map(|answered| Reply {
                    answer: Answer::Base {
                        response: answered.message.value().clone(),
                    },
                    measured: answered.measured,
                    claimed: Some(Claimed::from(&answered.message)),
                })
            }
        };
        asked.unwrap_or_else(|refusal| Reply {
            answer: Answer::Refused { refusal },
            measured: Measured {
                processing_time_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
                messages,
            },
            claimed: None,
        })
    }

    fn plan(&self, run: &Run, of: &At, writing: &Writing) -> Result<Vec<Change>, Refusal> {
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

    fn apply(&self, run: &Run, changes: &[Change]) -> Result<(), Refusal> {
        feature_of(&self.project, run)?.apply(changes)
    }

    fn end(&self) {
        self.host.end();
    }
}

fn feature_of(project: &Path, run: &Run) -> Result<Feature, Refusal> {
    Feature::open(project, &run.feature_root().unwrap_or_default())
}

/// What would be written, against the files as they are.
///
/// # Errors
/// Why it cannot be.
pub fn planned(project: &Path, run: &Run, writing: &Writing) -> Result<Vec<Change>, Refusal> {
    plan(project, run, writing)
}

fn plan(project: &Path, run: &Run, writing: &Writing) -> Result<Vec<Change>, Refusal> {
    let feature = feature_of(project, run)?;
    let changes = match writing {
        Writing::Artifacts(artifacts) => feature.plan(artifacts)?,
        Writing::Save { path, content } => {
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
pub fn diff(changes: &[Change]) -> String {
    feature::diff(changes)
}
