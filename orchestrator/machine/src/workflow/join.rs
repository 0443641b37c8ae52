//! What follows when all of a step are done.
//!
//! What: how a group comes out, what a step gives to those after it, coming to the next one. Why: the order of names decides, so that
//! the result does not depend on completion order. Not here: a single answer ([`super::step`]).

use super::{
    QUESTION_DAYS, StepOutcome, TransitionTarget,
    definition::StepTask,
    run::{
        AskedAgain, CarriedContext, MemberState, RunEnd, RunPhase, RunStage, StageMember, StepResult,
        StopReason, WorkflowRun,
    },
    thread::{self, merge_shared},
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use toolcall_schema::{Timestamp, protocol::OwnerQuestion};

const QUESTION_MS: i64 = QUESTION_DAYS * 24 * 60 * 60 * 1000;

impl WorkflowRun {
    /// All of a step are done: its outcome, and where that leads. In the order of names, so that the result does not depend on completion order.
    pub(super) fn join_stage(&mut self, mut stage: RunStage, now: Timestamp) {
        let mut shared = self.shared.clone();
        for member in stage.members.values_mut() {
            if let MemberState::Done { said, .. } = &mut member.doing {
                if let Some(more) = merge_shared(&shared, &said.shared) {
                    shared = more;
                } else {
                    // Each alone was small enough, and together they are not.
                    let refusal = thread::too_large();
                    *said = said.clone().into_refused(refusal);
                }
            }
        }
        let said: Vec<(&String, &StageMember, &StepResult, &TransitionTarget)> = stage
            .members
            .iter()
            .filter_map(|(name, member)| match &member.doing {
                MemberState::Done { said, target } => Some((name, member, said, target)),
                MemberState::ToAsk
                | MemberState::Asked { .. }
                | MemberState::ToWrite { .. }
                | MemberState::Applying { .. } => None,
            })
            .collect();
        let grouped = !stage.members.contains_key(&stage.step);
        let outcomes: Vec<StepOutcome> = said.iter().map(|(_, _, said, _)| said.outcome).collect();
        let outcome = if grouped {
            group_outcome(&outcomes)
        } else {
            outcomes.first().copied().unwrap_or(StepOutcome::Refused)
        };
        let step = self.definition().step(&stage.step);
        let named = step.and_then(|step| step.on.get(&outcome).cloned());
        let target = match (grouped, said.first()) {
            (false, Some((.., target))) => (*target).clone(),
            (false, None) => TransitionTarget::Stop,
            (true, _) => named.clone().unwrap_or_else(|| {
                if outcome.is_good() {
                    step.and_then(|step| step.next.clone())
                        .unwrap_or(TransitionTarget::Stop)
                } else {
                    outcome.without_another_asking()
                }
            }),
        };
        // Those that say what is wrong; of a step alone itself.
        let telling: Vec<&StepResult> = said
            .iter()
            .map(|(_, _, said, _)| *said)
            .filter(|said| !grouped || !said.outcome.is_good())
            .collect();
        let summaries: Vec<&str> = telling.iter().map(|said| said.summary.as_str()).collect();
        let summary = summaries.join("\n");
        let notes = telling.iter().flat_map(|said| said.notes.clone()).collect();
        match target {
            TransitionTarget::Stop | TransitionTarget::Again => {
                let why = StopReason::Outcome { outcome, summary };
                self.phase = RunPhase::Stopped { stage, why };
            }
            TransitionTarget::Ask => self.wait_for_owner(stage, summary, notes, now),
            TransitionTarget::Step(_) | TransitionTarget::End => {
                let carried = CarriedContext {
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
                    self.keep_result(id, at, result);
                }
                match target {
                    TransitionTarget::Step(name) => self.enter_step(&name, named.is_some(), now),
                    TransitionTarget::End
                    | TransitionTarget::Stop
                    | TransitionTarget::Again
                    | TransitionTarget::Ask => {
                        self.phase = RunPhase::Over(RunEnd::Completed);
                    }
                }
            }
        }
    }

    /// What the next agent is told: what one said, or of a group each under its task type.
    fn context_of(
        &self,
        said: &[(&String, &StageMember, &StepResult, &TransitionTarget)],
    ) -> Map<String, Value> {
        if let [(name, _, said, _)] = said
            && !self.definition().is_grouped(name)
        {
            return said.next_context.clone();
        }
        let of = |name: &str| match self.definition().step(name).map(|step| &step.work) {
            Some(StepTask::Base { task, .. }) => Some(task.as_str().to_owned()),
            Some(
                StepTask::Envelope { .. }
                | StepTask::Ask { .. }
                | StepTask::Read { .. }
                | StepTask::Group { .. },
            )
            | None => None,
        };
        said.iter()
            .filter(|(_, _, said, _)| !said.next_context.is_empty())
            .filter_map(|(name, _, said, _)| Some((of(name)?, Value::Object(said.next_context.clone()))))
            .collect()
    }

    fn wait_for_owner(&mut self, stage: RunStage, summary: String, notes: Vec<String>, now: Timestamp) {
        let question = OwnerQuestion {
            step: stage.step.clone(),
            summary,
            notes,
            until: now.plus_ms(QUESTION_MS),
            announced: false,
            dismissed: false,
        };
        self.phase = RunPhase::Waiting { stage, question };
    }

    /// Enters a step. With `branch` (an `on` transition) the iteration count continues.
    pub(super) fn enter_step(&mut self, name: &str, branch: bool, now: Timestamp) {
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
            let member = StageMember {
                iteration: count.iteration,
                doing: MemberState::ToAsk,
                entered_at: self.asked,
                again: AskedAgain::default(),
            };
            members.insert(step, member);
        }
        let step = name.to_owned();
        let stage = RunStage { step, members };
        if past {
            let summary =
                format!("Step {name} was asked as often as max_iterations allows, and is to be asked again.");
            let notes = self.carried.notes.clone();
            self.wait_for_owner(stage, summary, notes, now);
        } else {
            self.start_stage(stage);
        }
    }
}

/// The outcome of a group.
fn group_outcome(outcomes: &[StepOutcome]) -> StepOutcome {
    let any = |of: fn(&StepOutcome) -> bool| outcomes.iter().any(of);
    if any(|outcome| matches!(outcome, StepOutcome::Escalate | StepOutcome::Retry)) {
        StepOutcome::Escalate
    } else if outcomes.iter().all(|outcome| {
        matches!(
            outcome,
            StepOutcome::Proceed | StepOutcome::Completed | StepOutcome::Done
        )
    }) {
        StepOutcome::Completed
    } else if any(|outcome| outcome.is_good()) {
        StepOutcome::Partial
    } else {
        StepOutcome::Failed
    }
}

impl StepResult {
    /// What an agent of the envelope protocol that comes next is told: notes, or of the other protocol the summary.
    fn for_envelopes(&self) -> Vec<String> {
        match self.outcome {
            StepOutcome::Proceed | StepOutcome::Retry | StepOutcome::Escalate => self.notes.clone(),
            StepOutcome::Completed
            | StepOutcome::Partial
            | StepOutcome::Failed
            | StepOutcome::Refused
            | StepOutcome::Done
            | StepOutcome::Dismissed
            | StepOutcome::Expired
            | StepOutcome::Cancelled
            | StepOutcome::Unknown => thread::note(&self.summary).into_iter().collect(),
        }
    }
}
