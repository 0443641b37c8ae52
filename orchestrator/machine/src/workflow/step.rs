//! What follows from an event.
//!
//! What: [`WorkflowRun::apply_event`]. Why: every rule of going on, asking again, stopping and asking the owner is here and pure. Not here: what an
//! answer says ([`super::thread`]), what is to be done then ([`WorkflowRun::next_action`]).

use super::{
    StepOutcome, TransitionTarget,
    definition::{StepTask, WorkflowStep},
    event::{FileChange, RunEvent, RunEventKind, StepAttempt},
    run::{
        AskedAgain, IllegalEvent, MemberState, RunEnd, RunPhase, RunStage, StageMember, StepResult,
        StepSnapshot, StopReason, WorkflowRun,
    },
    thread,
};
use serde_json::{Map, Value};
use std::mem;
use toolcall_schema::{
    Timestamp,
    protocol::{ANSWER_MAX_BYTES, BaseResponse, OwnerQuestion, ProtocolMessage},
    rejection::RefusalReason,
};

impl WorkflowRun {
    /// Takes one more event.
    ///
    /// # Errors
    /// [`IllegalEvent`]: it makes no sense where the run stands, and nothing has changed.
    pub fn apply_event(&mut self, event: &RunEvent) -> Result<(), IllegalEvent> {
        let name = event.what.name();
        let illegal = |why| IllegalEvent { event: name, why };
        let now = event.at;
        match &event.what {
            RunEventKind::Started(_) => return Err(illegal("the run was begun already")),
            RunEventKind::Asked(of) => self.on_asked(of),
            RunEventKind::Progressed { of, response } => self.on_progress(of, response),
            RunEventKind::Ended {
                of, answer, measured, ..
            } => {
                self.asked_member(of).map_err(illegal)?;
                let step = self.definition().step(&of.step).ok_or(illegal("no such step"))?;
                let said = thread::read_answer(step, answer, &self.shared, now).map_err(illegal)?;
                let writing = thread::pending_write(step, answer, &said);
                self.latest.insert(
                    of.step.clone(),
                    StepSnapshot {
                        iteration: of.iteration,
                        message: thread::answer_message(answer).cloned(),
                        outcome: Some(said.outcome),
                        refusal: said.refusal.clone(),
                        measured: Some(*measured),
                    },
                );
                let count = self.counts.entry(of.step.clone()).or_default();
                count.spent_ms = count.spent_ms.saturating_add(measured.processing_time_ms);
                match writing {
                    Some(writing) => self.set_member_state(of, MemberState::ToWrite { said, writing }),
                    None => self.settle_attempt(of, said, now),
                }
                Ok(())
            }
            RunEventKind::Applying { of, changes } => self.on_applying(of, changes),
            RunEventKind::Applied(of) => match self.member(of).map(|member| member.doing.clone()) {
                Some(MemberState::Applying { said, changes }) => {
                    self.changes.extend(changes);
                    self.settle_attempt(of, said, now);
                    Ok(())
                }
                Some(
                    MemberState::ToAsk
                    | MemberState::Asked { .. }
                    | MemberState::ToWrite { .. }
                    | MemberState::Done { .. },
                )
                | None => Err("nothing of it was being written"),
            },
            RunEventKind::Unwritten { of, refusal } => {
                match self.member(of).map(|member| member.doing.clone()) {
                    Some(MemberState::ToWrite { said, .. } | MemberState::Applying { said, .. })
                        if self.is_turn_of(of) =>
                    {
                        self.settle_attempt(of, said.into_refused(refusal.clone()), now);
                        Ok(())
                    }
                    Some(_) | None => Err("nothing of it was to be written"),
                }
            }
            RunEventKind::Announced => self.update_question(|question| {
                (!mem::replace(&mut question.announced, true))
                    .then_some(())
                    .ok_or("it was announced already")
            }),
            RunEventKind::Dismissed => self.update_question(|question| {
                question.dismissed = true;
                Ok(())
            }),
            RunEventKind::Answered { text } => self.on_owner_answer(text, now),
            RunEventKind::Expired => match &self.phase {
                RunPhase::Waiting { question, .. } if now >= question.until => {
                    self.phase = RunPhase::Over(RunEnd::Expired);
                    Ok(())
                }
                RunPhase::Waiting { .. } => Err("the question can still be answered"),
                RunPhase::Working(_) | RunPhase::Stopped { .. } | RunPhase::Over(_) => {
                    Err("no question is open")
                }
            },
            RunEventKind::Resumed => self.on_resumed(),
            RunEventKind::Cancelled => match &self.phase {
                RunPhase::Over(_) => Err("the run is over"),
                RunPhase::Working(stage) if stage.is_applying() => {
                    Err("files are being written: that is ended first")
                }
                RunPhase::Working(_) | RunPhase::Waiting { .. } | RunPhase::Stopped { .. } => {
                    self.phase = RunPhase::Over(RunEnd::Cancelled);
                    Ok(())
                }
            },
            RunEventKind::Undone => match &self.phase {
                RunPhase::Over(RunEnd::Undone) => Err("it was undone already"),
                RunPhase::Over(RunEnd::Completed | RunEnd::Expired | RunEnd::Cancelled)
                | RunPhase::Stopped { .. } => {
                    self.changes.clear();
                    self.phase = RunPhase::Over(RunEnd::Undone);
                    Ok(())
                }
                RunPhase::Working(_) | RunPhase::Waiting { .. } => {
                    Err("the run is not over: cancel it first")
                }
            },
        }
        .map_err(illegal)?;
        self.last_at = now;
        Ok(())
    }

    fn member(&mut self, of: &StepAttempt) -> Option<&mut StageMember> {
        match &mut self.phase {
            RunPhase::Working(stage) => stage
                .members
                .get_mut(&of.step)
                .filter(|member| member.iteration == of.iteration),
            RunPhase::Waiting { .. } | RunPhase::Stopped { .. } | RunPhase::Over(_) => None,
        }
    }

    /// A member that was asked and has not answered.
    fn asked_member(&mut self, of: &StepAttempt) -> Result<&mut StageMember, &'static str> {
        self.member(of)
            .filter(|member| matches!(member.doing, MemberState::Asked { .. }))
            .ok_or("that was not asked, or is answered")
    }

    fn set_member_state(&mut self, of: &StepAttempt, doing: MemberState) {
        if let Some(member) = self.member(of) {
            member.doing = doing;
        }
    }

    fn on_asked(&mut self, of: &StepAttempt) -> Result<(), &'static str> {
        let first = match self.member(of).map(|member| &member.doing) {
            Some(MemberState::ToAsk) => true,
            Some(MemberState::Asked { .. }) => false,
            Some(MemberState::ToWrite { .. } | MemberState::Applying { .. } | MemberState::Done { .. })
            | None => {
                return Err("that is not to be asked");
            }
        };
        self.set_member_state(of, MemberState::Asked { status: None });
        self.asked += u32::from(first);
        let before = self.latest.remove(&of.step);
        self.latest.insert(
            of.step.clone(),
            StepSnapshot {
                iteration: of.iteration,
                message: before.and_then(|before| before.message),
                outcome: None,
                refusal: None,
                measured: None,
            },
        );
        Ok(())
    }

    fn on_progress(&mut self, of: &StepAttempt, response: &Value) -> Result<(), &'static str> {
        let base = self
            .definition()
            .step(&of.step)
            .is_some_and(|step| matches!(step.work, StepTask::Base { .. }));
        let message = ProtocolMessage::<BaseResponse>::try_from_value(response.clone())
            .map_err(|_| "it is no response")?;
        let status = message.view().status;
        let MemberState::Asked { status: before } = &mut self.asked_member(of)?.doing else {
            return Err("that was not asked");
        };
        if !base || status.is_final() || before.is_some_and(|before| !status.may_follow(before)) {
            return Err("its status may not follow");
        }
        *before = Some(status);
        if let Some(latest) = self.latest.get_mut(&of.step) {
            latest.message = Some(response.clone());
        }
        Ok(())
    }

    /// Whether all have answered and it is this one's turn to be written.
    fn is_turn_of(&self, of: &StepAttempt) -> bool {
        match self.next_action() {
            super::run::NextAction::Write(at, _) | super::run::NextAction::Apply(at, _) => at == *of,
            super::run::NextAction::Ask(_)
            | super::run::NextAction::Wait(_)
            | super::run::NextAction::Stopped
            | super::run::NextAction::Over(_) => false,
        }
    }

    fn on_applying(&mut self, of: &StepAttempt, changes: &[FileChange]) -> Result<(), &'static str> {
        if !self.is_turn_of(of) {
            return Err("it is not its turn to be written");
        }
        let Some(StageMember {
            doing: MemberState::ToWrite { said, .. },
            ..
        }) = self.member(of)
        else {
            return Err("nothing of it was to be written");
        };
        let (said, changes) = (said.clone(), changes.to_vec());
        self.set_member_state(of, MemberState::Applying { said, changes });
        Ok(())
    }

    fn update_question(
        &mut self,
        with: impl FnOnce(&mut OwnerQuestion) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        match &mut self.phase {
            RunPhase::Waiting { question, .. } => with(question),
            RunPhase::Working(_) | RunPhase::Stopped { .. } | RunPhase::Over(_) => Err("no question is open"),
        }
    }

    fn on_owner_answer(&mut self, text: &str, now: Timestamp) -> Result<(), &'static str> {
        if text.trim().is_empty() || text.len() > ANSWER_MAX_BYTES {
            return Err("an answer has 1 to 1900 bytes");
        }
        let RunPhase::Waiting { stage, question } = &self.phase else {
            return Err("no question is open");
        };
        if now >= question.until {
            return Err("its time is over");
        }
        let stage = stage.clone();
        self.retry_stage(stage, Some(text));
        Ok(())
    }

    fn on_resumed(&mut self) -> Result<(), &'static str> {
        let (stage, why) = match &self.phase {
            RunPhase::Stopped { stage, why } => (stage, why),
            RunPhase::Waiting { .. } => return Err("the run waits for an answer"),
            RunPhase::Working(_) => return Err("the run has not stopped"),
            RunPhase::Over(_) => return Err("the run is over"),
        };
        match why {
            StopReason::MaxSteps => Err("it has asked as often as max_steps allows"),
            StopReason::Outcome { .. } => {
                let stage = stage.clone();
                self.retry_stage(stage, None);
                Ok(())
            }
        }
    }

    /// The owner wants a step asked once more: those of it that have not done what they were to do, else all.
    fn retry_stage(&mut self, mut stage: RunStage, owner: Option<&str>) {
        let is_good = |member: &StageMember| matches!(&member.doing, MemberState::Done { said, .. } if said.outcome.is_good());
        let all = stage.members.values().all(is_good);
        for (name, member) in &mut stage.members {
            let good = is_good(member);
            let count = self.counts.entry(name.clone()).or_default();
            count.spent_ms = 0;
            match &member.doing {
                MemberState::Done { said, .. } if all || !good => {
                    member.again = AskedAgain::with_answer(said);
                    member.iteration = member.iteration.saturating_add(1);
                    member.doing = MemberState::ToAsk;
                    count.granted = count.granted.saturating_add(1);
                }
                // It would have been asked past its limit.
                MemberState::ToAsk => count.granted = count.granted.saturating_add(1),
                MemberState::Done { .. }
                | MemberState::Asked { .. }
                | MemberState::ToWrite { .. }
                | MemberState::Applying { .. } => {
                    continue;
                }
            }
            count.iteration = member.iteration;
            member.again.owner = owner.map(str::to_owned);
        }
        self.start_stage(stage);
    }

    /// Works on a step, if `max_steps` allows all that it asks.
    pub(super) fn start_stage(&mut self, stage: RunStage) {
        let asks = stage
            .members
            .values()
            .filter(|m| m.doing == MemberState::ToAsk)
            .count();
        let asks = u32::try_from(asks).unwrap_or(u32::MAX);
        self.phase = if self.asked.saturating_add(asks) > self.definition().max_steps {
            let why = StopReason::MaxSteps;
            RunPhase::Stopped { stage, why }
        } else {
            RunPhase::Working(stage)
        };
    }

    /// An asking is over and what it had to be written is: again, or done; and when all are, on.
    fn settle_attempt(&mut self, of: &StepAttempt, said: StepResult, now: Timestamp) {
        let Some(step) = self.definition().step(&of.step) else {
            return;
        };
        let next = step.next.clone().unwrap_or(TransitionTarget::Stop);
        let by_default = match said.outcome {
            StepOutcome::Proceed | StepOutcome::Completed | StepOutcome::Partial | StepOutcome::Done => next,
            StepOutcome::Retry | StepOutcome::Failed | StepOutcome::Refused => TransitionTarget::Again,
            StepOutcome::Escalate => TransitionTarget::Ask,
            // The owner has decided, or let it be: nobody asks again by themselves.
            StepOutcome::Dismissed | StepOutcome::Expired | StepOutcome::Cancelled | StepOutcome::Unknown => {
                TransitionTarget::Stop
            }
        };
        let mut target = step.on.get(&said.outcome).cloned().unwrap_or(by_default);
        if target == TransitionTarget::Again {
            match self.check_retry_allowed(step) {
                Ok(()) => return self.ask_again(of, &said),
                Err(NoMore::Askings) if !self.is_group() => {
                    self.set_member_state(of, MemberState::Done { said, target });
                    return self.stop_run(StopReason::MaxSteps);
                }
                Err(NoMore::Askings | NoMore::Iterations) => {}
            }
            target = said.outcome.without_another_asking();
        }
        self.set_member_state(of, MemberState::Done { said, target });
        let all_done = |stage: &RunStage| {
            stage
                .members
                .values()
                .all(|member| matches!(member.doing, MemberState::Done { .. }))
        };
        if let RunPhase::Working(stage) = &self.phase
            && all_done(stage)
        {
            let stage = stage.clone();
            self.join_stage(stage, now);
        }
    }

    fn is_group(&self) -> bool {
        self.stage()
            .is_some_and(|stage| !stage.members.contains_key(&stage.step))
    }

    fn check_retry_allowed(&self, step: &WorkflowStep) -> Result<(), NoMore> {
        let count = self.counts.get(&step.name).copied().unwrap_or_default();
        let limit = step.max_iterations.saturating_add(count.granted);
        if count.iteration >= limit || self.remaining_ms(step) == 0 {
            return Err(NoMore::Iterations);
        }
        let waiting = self.stage().map_or(0, |stage| {
            let open = stage.members.values().filter(|m| m.doing == MemberState::ToAsk);
            u32::try_from(open.count()).unwrap_or(u32::MAX)
        });
        if self.asked.saturating_add(waiting) >= self.definition().max_steps {
            return Err(NoMore::Askings);
        }
        Ok(())
    }

    fn ask_again(&mut self, of: &StepAttempt, said: &StepResult) {
        let iteration = of.iteration.saturating_add(1);
        self.counts.entry(of.step.clone()).or_default().iteration = iteration;
        if let Some(member) = self.member(of) {
            let owner = member.again.owner.take();
            member.again = AskedAgain {
                owner,
                ..AskedAgain::with_answer(said)
            };
            member.iteration = iteration;
            member.doing = MemberState::ToAsk;
        }
    }

    fn stop_run(&mut self, why: StopReason) {
        if let Some(stage) = self.stage().cloned() {
            self.phase = RunPhase::Stopped { stage, why };
        }
    }
}

/// Why a step is not asked again.
enum NoMore {
    /// Its own iterations or its time are used up.
    Iterations,
    /// The run's askings are.
    Askings,
}

impl RunStage {
    fn is_applying(&self) -> bool {
        let mut members = self.members.values();
        members.any(|member| matches!(member.doing, MemberState::Applying { .. }))
    }
}

impl StepResult {
    /// Turns the result into a refusal; only the reason is kept.
    pub(super) fn into_refused(self, refusal: RefusalReason) -> Self {
        Self {
            outcome: StepOutcome::Refused,
            summary: refusal.to_string(),
            notes: vec![],
            next_context: Map::new(),
            shared: Map::new(),
            result: None,
            refusal: Some(refusal),
            at: self.at,
        }
    }
}

impl AskedAgain {
    fn with_answer(said: &StepResult) -> Self {
        Self {
            notes: said.notes.clone(),
            next_context: said.next_context.clone(),
            refusal: said.refusal.clone(),
            owner: None,
        }
    }
}
