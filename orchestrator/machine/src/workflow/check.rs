//! Whether a workflow's steps fit together, and to the agents that there are.
//!
//! What: [`Parsed::check`], every finding at once, each with its line. Why: what can be known before a run is said before a run. Not
//! here: single members ([`super::definition`]).

use super::{
    Outcome, Target,
    definition::{Definition, Finding, Parsed, Step, Work},
};
use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::protocol::manifest::{Manifest, Protocol};

impl Parsed {
    /// All that is wrong: steps that do not fit together, agents that are not there or cannot do it.
    pub fn check(&self, agents: &[Manifest]) -> Vec<Finding> {
        let mut faults = self.definition.faults();
        for step in &self.definition.steps {
            faults.extend(served(step, agents).map(|message| (step.name.clone(), message)));
        }
        let mut findings: Vec<Finding> = faults
            .into_iter()
            .map(|(step, message)| Finding {
                line: self.lines.get(&step).copied().unwrap_or(1),
                message: format!("step {step}: {message}"),
            })
            .collect();
        findings.sort();
        findings
    }
}

/// Why an agent cannot serve a step.
fn served(step: &Step, agents: &[Manifest]) -> Option<String> {
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
    match &step.work {
        Work::Envelope { action, .. } => spoken(Protocol::Envelope).or_else(|| {
            (!agent.actions.contains(action)).then(|| {
                format!(
                    "agent {name} cannot be asked to {action}: its manifest lists {}",
                    agent.actions.join(", ")
                )
            })
        }),
        Work::Base { task, .. } => spoken(Protocol::Base).or_else(|| {
            (!agent.task_types.contains(task)).then(|| {
                let listed: Vec<&str> = agent.task_types.iter().map(|kind| kind.as_str()).collect();
                format!(
                    "agent {name} cannot be asked for {task}: its manifest lists {}",
                    listed.join(", ")
                )
            })
        }),
        Work::Group { .. } => None,
    }
}

/// The outcomes that a step can have.
fn outcomes(step: &Step) -> &'static [Outcome] {
    match step.work {
        Work::Envelope { .. } => &[
            Outcome::Proceed,
            Outcome::Retry,
            Outcome::Escalate,
            Outcome::Refused,
        ],
        Work::Base { .. } => &[
            Outcome::Completed,
            Outcome::Partial,
            Outcome::Failed,
            Outcome::Refused,
        ],
        Work::Group { .. } => &[
            Outcome::Completed,
            Outcome::Partial,
            Outcome::Failed,
            Outcome::Escalate,
        ],
    }
}

impl Definition {
    /// What does not fit together, as step and message. A run is begun only when nothing is found.
    pub fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        for step in &self.steps {
            let mut fault = |message: String| faults.push((step.name.clone(), message));
            self.groups(step, &mut fault);
            self.targets(step, &mut fault);
        }
        faults.extend(self.circles());
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

    fn groups(&self, step: &Step, fault: &mut dyn FnMut(String)) {
        let of = self
            .steps
            .iter()
            .filter_map(|group| match &group.work {
                Work::Group { members } => Some(members.iter().filter(|name| **name == step.name).count()),
                Work::Envelope { .. } | Work::Base { .. } => None,
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
        let Work::Group { members } = &step.work else {
            return;
        };
        let mut tasks = BTreeSet::new();
        for name in members {
            match self.step(name).map(|member| &member.work) {
                None => fault(format!("parallel names {name}, which is no step")),
                Some(Work::Group { .. }) => fault(format!("parallel names {name}, which is a group itself")),
                Some(Work::Base {
                    task, given: None, ..
                }) if !tasks.insert(*task) => {
                    fault(format!(
                        "two members ask for {task}: what they find is joined by task type"
                    ));
                }
                Some(Work::Base { .. } | Work::Envelope { .. }) => {}
            }
        }
    }

    fn targets(&self, step: &Step, fault: &mut dyn FnMut(String)) {
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
                Target::Step(name) if self.step(name).is_none() => {
                    fault(format!("{member} leads to {name}, which is no step"));
                }
                Target::Step(name) if self.is_grouped(name) => {
                    fault(format!(
                        "{member} leads to {name}, which belongs to a group: lead to the group"
                    ));
                }
                Target::Again if member == "next" || matches!(step.work, Work::Group { .. }) => {
                    fault(format!(
                        "{member} cannot be again: that is for on, in steps that ask"
                    ));
                }
                Target::Step(_) | Target::End | Target::Stop | Target::Again | Target::Ask => {}
            }
        }
    }

    /// Rounds of `next` alone. A round with an `on` in it ends, because a step that is entered by `on` goes on counting.
    fn circles(&self) -> Vec<(String, String)> {
        let next: BTreeMap<&str, &str> = self
            .steps
            .iter()
            .filter_map(|step| match &step.next {
                Some(Target::Step(name)) => Some((step.name.as_str(), name.as_str())),
                Some(Target::End | Target::Stop | Target::Again | Target::Ask) | None => None,
            })
            .collect();
        let round = |step: &&Step| {
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
        let mut open: Vec<&Step> = self.first().into_iter().collect();
        while let Some(step) = open.pop() {
            if !seen.insert(&step.name) {
                continue;
            }
            let targets = step.next.iter().chain(step.on.values());
            let named = targets.filter_map(|target| match target {
                Target::Step(name) => Some(name),
                Target::End | Target::Stop | Target::Again | Target::Ask => None,
            });
            let members: &[String] = match &step.work {
                Work::Group { members } => members,
                Work::Envelope { .. } | Work::Base { .. } => &[],
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
