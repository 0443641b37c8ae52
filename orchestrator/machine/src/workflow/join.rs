//! What follows when all of a step are done.
//!
//! What: how a group comes out, what a step gives to those after it, coming to the next one. Why: the order of names decides, so that
//! nobody's speed shows. Not here: a single answer ([`super::step`]).

use super::{
    Outcome, QUESTION_DAYS, Target,
    definition::Work,
    run::{AskedAgain, Carried, Doing, How, Member, Phase, Question, Run, Said, Stage, Why},
    thread::{self, merged},
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use toolcall_schema::Timestamp;

const QUESTION_MS: i64 = QUESTION_DAYS * 24 * 60 * 60 * 1000;

impl Run {
    /// All of a step are done: its outcome, and where that leads. In the order of names, so that nobody's speed shows.
    pub(super) fn join(&mut self, mut stage: Stage, now: Timestamp) {
        let mut shared = self.shared.clone();
        for member in stage.members.values_mut() {
            if let Doing::Done { said, .. } = &mut member.doing {
                if let Some(more) = merged(&shared, &said.shared) {
                    shared = more;
                } else {
                    // Each alone was small enough, and together they are not.
                    let refusal = thread::too_large();
                    *said = said.clone().refused(refusal);
                }
            }
        }
        let said: Vec<(&String, &Member, &Said, &Target)> = stage
            .members
            .iter()
            .filter_map(|(name, member)| match &member.doing {
                Doing::Done { said, target } => Some((name, member, said, target)),
                Doing::ToAsk | Doing::Asked { .. } | Doing::ToWrite { .. } | Doing::Applying { .. } => None,
            })
            .collect();
        let grouped = !stage.members.contains_key(&stage.step);
        let outcomes: Vec<Outcome> = said.iter().map(|(_, _, said, _)| said.outcome).collect();
        let outcome = if grouped {
            joined(&outcomes)
        } else {
            outcomes.first().copied().unwrap_or(Outcome::Refused)
        };
        let step = self.definition().step(&stage.step);
        let named = step.and_then(|step| step.on.get(&outcome).cloned());
        let target = match (grouped, said.first()) {
            (false, Some((.., target))) => (*target).clone(),
            (false, None) => Target::Stop,
            (true, _) => named.clone().unwrap_or_else(|| match outcome {
                Outcome::Proceed | Outcome::Completed | Outcome::Partial => {
                    step.and_then(|step| step.next.clone()).unwrap_or(Target::Stop)
                }
                Outcome::Escalate | Outcome::Retry => Target::Ask,
                Outcome::Failed | Outcome::Refused => Target::Stop,
            }),
        };
        // Those that say what is wrong; of a step alone itself.
        let telling: Vec<&Said> = said
            .iter()
            .map(|(_, _, said, _)| *said)
            .filter(|said| !grouped || !said.outcome.is_good())
            .collect();
        let summaries: Vec<&str> = telling.iter().map(|said| said.summary.as_str()).collect();
        let summary = summaries.join("\n");
        let notes = telling.iter().flat_map(|said| said.notes.clone()).collect();
        match target {
            Target::Stop | Target::Again => {
                let why = Why::Outcome { outcome, summary };
                self.phase = Phase::Stopped { stage, why };
            }
            Target::Ask => self.wait(stage, summary, notes, now),
            Target::Step(_) | Target::End => {
                let carried = Carried {
                    notes: thread::bounded(
                        said.iter()
                            .flat_map(|(_, _, said, _)| said.for_envelopes())
                            .collect(),
                    ),
                    next_context: self.context_of(&said),
                };
                let finished: Vec<(String, Timestamp, Map<String, Value>)> = said
                    .iter()
                    .filter_map(|(name, member, said, _)| {
                        let id = thread::agent_id(name, member.iteration);
                        Some((id, said.at, said.result.clone()?))
                    })
                    .collect();
                self.shared = shared;
                self.carried = carried;
                for (id, at, result) in finished {
                    self.finish(id, at, result);
                }
                match target {
                    Target::Step(name) => self.enter(&name, named.is_some(), now),
                    Target::End | Target::Stop | Target::Again | Target::Ask => {
                        self.phase = Phase::Over(How::Completed);
                    }
                }
            }
        }
    }

    /// What the next agent is told: what one said, or of a group each under its task type.
    fn context_of(&self, said: &[(&String, &Member, &Said, &Target)]) -> Map<String, Value> {
        if let [(name, _, said, _)] = said
            && !self.definition().is_grouped(name)
        {
            return said.next_context.clone();
        }
        let of = |name: &str| match self.definition().step(name).map(|step| &step.work) {
            Some(Work::Base { task, .. }) => Some(task.as_str().to_owned()),
            Some(Work::Envelope { .. } | Work::Group { .. }) | None => None,
        };
        said.iter()
            .filter(|(_, _, said, _)| !said.next_context.is_empty())
            .filter_map(|(name, _, said, _)| Some((of(name)?, Value::Object(said.next_context.clone()))))
            .collect()
    }

    fn wait(&mut self, stage: Stage, summary: String, notes: Vec<String>, now: Timestamp) {
        let question = Question {
            step: stage.step.clone(),
            summary,
            notes,
            until: now.plus_ms(QUESTION_MS),
            announced: false,
            dismissed: false,
        };
        self.phase = Phase::Waiting { stage, question };
    }

    /// Comes to a step from another one. `branch`: by an `on`, so that it goes on counting.
    pub(super) fn enter(&mut self, name: &str, branch: bool, now: Timestamp) {
        let (mut members, mut past) = (BTreeMap::new(), false);
        for step in self.members_of(name) {
            let most = self
                .definition()
                .step(&step)
                .map_or(0, |step| step.max_iterations);
            let count = self.counts.entry(step.clone()).or_default();
            if !branch {
                count.iteration = 0;
                count.granted = 0;
            }
            count.spent_ms = 0;
            past |= count.iteration >= most.saturating_add(count.granted);
            count.iteration = count.iteration.saturating_add(1);
            let member = Member {
                iteration: count.iteration,
                doing: Doing::ToAsk,
                again: AskedAgain::default(),
            };
            members.insert(step, member);
        }
        let step = name.to_owned();
        let stage = Stage { step, members };
        if past {
            let summary =
                format!("Step {name} was asked as often as max_iterations allows, and is to be asked again.");
            let notes = self.carried.notes.clone();
            self.wait(stage, summary, notes, now);
        } else {
            self.work_on(stage);
        }
    }
}

/// The outcome of a group.
fn joined(outcomes: &[Outcome]) -> Outcome {
    let any = |of: fn(&Outcome) -> bool| outcomes.iter().any(of);
    if any(|outcome| matches!(outcome, Outcome::Escalate | Outcome::Retry)) {
        Outcome::Escalate
    } else if outcomes
        .iter()
        .all(|outcome| matches!(outcome, Outcome::Proceed | Outcome::Completed))
    {
        Outcome::Completed
    } else if any(|outcome| outcome.is_good()) {
        Outcome::Partial
    } else {
        Outcome::Failed
    }
}

impl Said {
    /// What an agent of the envelope protocol that comes next is told: notes, or of the other protocol the summary.
    fn for_envelopes(&self) -> Vec<String> {
        match self.outcome {
            Outcome::Proceed | Outcome::Retry | Outcome::Escalate => self.notes.clone(),
            Outcome::Completed | Outcome::Partial | Outcome::Failed | Outcome::Refused => {
                thread::note(&self.summary).into_iter().collect()
            }
        }
    }
}
