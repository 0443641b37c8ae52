//! Whether a workflow's steps fit together, and to the agents that there are.
//!
//! What: [`ParsedWorkflow::check`], every finding at once, each with its line. Why: what can be known before a run is said before a run. Not
//! here: single members ([`super::definition`]).

use super::{
    StepOutcome, TransitionTarget,
    definition::{ParsedWorkflow, StepTask, WorkflowDefinition, WorkflowDiagnostic, WorkflowStep},
};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::protocol::manifest::{Mode, ProgramManifest, Protocol};

impl ParsedWorkflow {
    /// All that is wrong: steps that do not fit together, agents that are not there or cannot do it.
    pub fn check(&self, agents: &[ProgramManifest]) -> Vec<WorkflowDiagnostic> {
        let mut faults = self.definition.faults();
        for step in &self.definition.steps {
            faults.extend(why_not_served(step, agents).map(|message| (step.name.clone(), message)));
        }
        let mut findings: Vec<WorkflowDiagnostic> = faults
            .into_iter()
            .map(|(step, message)| WorkflowDiagnostic {
                line: self.lines.get(&step).copied().unwrap_or(1),
                message: format!("step {step}: {message}"),
            })
            .collect();
        findings.sort();
        findings
    }
}

/// Why an agent cannot serve a step.
fn why_not_served(step: &WorkflowStep, agents: &[ProgramManifest]) -> Option<String> {
    let name = step.agent()?;
    let Some(agent) = agents.iter().find(|agent| agent.name == name) else {
        let known: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
        let known = if known.is_empty() {
            "there is none".to_owned()
        } else {
            known.join(", ")
        };
        return Some(format!("agents.d has no agent {name}: {known}"));
    };
    let spoken = |wanted: Protocol| {
        (agent.protocol != wanted).then(|| {
            format!(
                "agent {name} speaks {}, and the step asks by {}",
                agent.protocol, wanted
            )
        })
    };
    if !(step.asks.is_empty() && step.reads.is_empty()) && agent.mode != Mode::Lines {
        return Some(format!(
            "agent {name} is started for each asking and cannot propose or read anything meanwhile: take asks and reads out, or write it with mode = \"lines\""
        ));
    }
    match &step.work {
        StepTask::Envelope { action, .. } => spoken(Protocol::Envelope).or_else(|| {
            (!agent.actions.contains(action)).then(|| {
                format!(
                    "agent {name} cannot be asked to {action}: its manifest lists {}",
                    agent.actions.join(", ")
                )
            })
        }),
        StepTask::Base { task, .. } => spoken(Protocol::Base).or_else(|| {
            (!agent.task_types.contains(task)).then(|| {
                let listed: Vec<&str> = agent.task_types.iter().map(|kind| kind.as_str()).collect();
                format!(
                    "agent {name} cannot be asked for {task}: its manifest lists {}",
                    listed.join(", ")
                )
            })
        }),
        StepTask::Ask { .. } | StepTask::Read { .. } | StepTask::Group { .. } => None,
    }
}

/// The outcomes that a step can have.
fn outcomes(step: &WorkflowStep) -> &'static [StepOutcome] {
    match step.work {
        StepTask::Envelope { .. } => &[
            StepOutcome::Proceed,
            StepOutcome::Retry,
            StepOutcome::Escalate,
            StepOutcome::Refused,
        ],
        StepTask::Base { .. } => &[
            StepOutcome::Completed,
            StepOutcome::Partial,
            StepOutcome::Failed,
            StepOutcome::Refused,
        ],
        StepTask::Read { .. } => &[StepOutcome::Completed, StepOutcome::Refused],
        StepTask::Ask { .. } => &[
            StepOutcome::Done,
            StepOutcome::Refused,
            StepOutcome::Dismissed,
            StepOutcome::Expired,
            StepOutcome::Cancelled,
            StepOutcome::Unknown,
        ],
        StepTask::Group { .. } => &[
            StepOutcome::Completed,
            StepOutcome::Partial,
            StepOutcome::Failed,
            StepOutcome::Escalate,
        ],
    }
}

impl WorkflowDefinition {
    /// What does not fit together, as step and message. A run is begun only when nothing is found.
    pub fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        for step in &self.steps {
            let mut fault = |message: String| faults.push((step.name.clone(), message));
            self.check_groups(step, &mut fault);
            self.check_targets(step, &mut fault);
        }
        faults.extend(self.unconditional_cycles());
        faults.extend(self.unreachable());
        if self.first().is_none() {
            let name = self
                .steps
                .first()
                .map_or_else(String::new, |step| step.name.clone());
            faults.push((
                name,
                "every step belongs to a group: none is the first".to_owned(),
            ));
        }
        faults
    }

    fn check_groups(&self, step: &WorkflowStep, fault: &mut dyn FnMut(String)) {
        let of = self
            .steps
            .iter()
            .filter_map(|group| match &group.work {
                StepTask::Group { members } => {
                    Some(members.iter().filter(|name| **name == step.name).count())
                }
                StepTask::Envelope { .. }
                | StepTask::Base { .. }
                | StepTask::Ask { .. }
                | StepTask::Read { .. } => None,
            })
            .sum::<usize>();
        if of > 1 {
            fault("it belongs to a group more than once: a step is in one group".to_owned());
        }
        let routed = step.next.is_some() || !step.on.is_empty();
        if of > 0 && routed {
            fault("it belongs to a group, so it has no next and no on: the group has".to_owned());
        }
        if of == 0 && step.next.is_none() {
            fault("it leads nowhere: write next".to_owned());
        }
        let StepTask::Group { members } = &step.work else {
            return;
        };
        let mut tasks = BTreeSet::new();
        for name in members {
            match self.step(name).map(|member| &member.work) {
                None => fault(format!("parallel names {name}, which is no step")),
                Some(StepTask::Group { .. }) => {
                    fault(format!("parallel names {name}, which is a group itself"));
                }
                Some(StepTask::Base {
                    task, given: None, ..
                }) if !tasks.insert(*task) => {
                    fault(format!(
                        "two members ask for {task}: what they find is joined by task type"
                    ));
                }
                Some(
                    StepTask::Base { .. }
                    | StepTask::Envelope { .. }
                    | StepTask::Ask { .. }
                    | StepTask::Read { .. },
                ) => {}
            }
        }
    }

    fn check_targets(&self, step: &WorkflowStep, fault: &mut dyn FnMut(String)) {
        let may = outcomes(step);
        for outcome in step.on.keys().filter(|outcome| !may.contains(outcome)) {
            let may: Vec<&str> = may.iter().map(|outcome| outcome.as_str()).collect();
            fault(format!(
                "on.{outcome} never happens in it: it has {}",
                may.join(", ")
            ));
        }
        let named = step
            .on
            .iter()
            .map(|(outcome, target)| (format!("on.{outcome}"), target));
        for (member, target) in step
            .next
            .iter()
            .map(|next| ("next".to_owned(), next))
            .chain(named)
        {
            match target {
                TransitionTarget::Step(name) if self.step(name).is_none() => {
                    fault(format!("{member} leads to {name}, which is no step"));
                }
                TransitionTarget::Step(name) if self.is_grouped(name) => {
                    fault(format!(
                        "{member} leads to {name}, which belongs to a group: lead to the group"
                    ));
                }
                TransitionTarget::Again
                    if member == "next"
                        || matches!(
                            step.work,
                            StepTask::Group { .. } | StepTask::Ask { .. } | StepTask::Read { .. }
                        ) =>
                {
                    fault(format!(
                        "{member} cannot be again: that is for on, in steps that ask"
                    ));
                }
                TransitionTarget::Step(_)
                | TransitionTarget::End
                | TransitionTarget::Stop
                | TransitionTarget::Again
                | TransitionTarget::Ask => {}
            }
        }
    }

    /// Rounds of `next` alone. A round with an `on` in it ends, because a step that is entered by `on` goes on counting.
    fn unconditional_cycles(&self) -> Vec<(String, String)> {
        let next: BTreeMap<&str, &str> = self
            .steps
            .iter()
            .filter_map(|step| match &step.next {
                Some(TransitionTarget::Step(name)) => Some((step.name.as_str(), name.as_str())),
                Some(
                    TransitionTarget::End
                    | TransitionTarget::Stop
                    | TransitionTarget::Again
                    | TransitionTarget::Ask,
                )
                | None => None,
            })
            .collect();
        let round = |step: &&WorkflowStep| {
            let mut at = step.name.as_str();
            // More hops than steps: it never comes to an end.
            for _ in 0..self.steps.len() {
                match next.get(at) {
                    Some(to) if *to == step.name => return true,
                    Some(to) => at = to,
                    None => return false,
                }
            }
            false
        };
        let steps = self.steps.iter().filter(round);
        steps
            .map(|step| {
                let message =
                    "next leads round to it again without a limit: go back by on, which counts".to_owned();
                (step.name.clone(), message)
            })
            .collect()
    }

    fn unreachable(&self) -> Vec<(String, String)> {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&WorkflowStep> = self.first().into_iter().collect();
        while let Some(step) = open.pop() {
            if !seen.insert(&step.name) {
                continue;
            }
            let targets = step.next.iter().chain(step.on.values());
            let named = targets.filter_map(|target| match target {
                TransitionTarget::Step(name) => Some(name),
                TransitionTarget::End
                | TransitionTarget::Stop
                | TransitionTarget::Again
                | TransitionTarget::Ask => None,
            });
            let members: &[String] = match &step.work {
                StepTask::Group { members } => members,
                StepTask::Envelope { .. }
                | StepTask::Base { .. }
                | StepTask::Ask { .. }
                | StepTask::Read { .. } => &[],
            };
            open.extend(named.chain(members).filter_map(|name| self.step(name)));
        }
        self.steps
            .iter()
            .filter(|step| !seen.contains(step.name.as_str()))
            .map(|step| (step.name.clone(), "nothing leads to it".to_owned()))
            .collect()
    }
}
