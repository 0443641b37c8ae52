//! What follows from an event.
//!
//! What: [`Run::apply`]. Why: every rule of going on, asking again, stopping and asking the owner is here and pure. Not here: what an
//! answer says ([`super::thread`]), what is to be done then ([`Run::next`]).

use super::{
    ANSWER_MAX_BYTES, Outcome, Target,
    definition::{Step, Work},
    event::{At, Change, Event, Refusal, What},
    run::{AskedAgain, Doing, How, Illegal, Latest, Member, Phase, Question, Run, Said, Stage, Why},
    thread,
};
use serde_json::{Map, Value};
use std::mem;
use toolcall_schema::{
    Timestamp,
    protocol::{Message, Response},
};

impl Run {
    /// Takes one more event.
    ///
    /// # Errors
    /// [`Illegal`]: it makes no sense where the run stands, and nothing has changed.
    pub fn apply(&mut self, event: &Event) -> Result<(), Illegal> {
        let name = event.what.name();
        let illegal = |why| Illegal { event: name, why };
        let now = event.at;
        match &event.what {
            What::Started(_) => return Err(illegal("the run was begun already")),
            What::Asked(of) => self.asked(of),
            What::Progressed { of, response } => self.progressed(of, response),
            What::Ended {
                of, answer, measured, ..
            } => {
                self.asked_member(of).map_err(illegal)?;
                let step = self.definition().step(&of.step).ok_or(illegal("no such step"))?;
                let said = thread::said(step, answer, &self.shared, now).map_err(illegal)?;
                let writing = thread::writing(step, answer, &said);
                self.latest.insert(
                    of.step.clone(),
                    Latest {
                        iteration: of.iteration,
                        message: thread::message(answer).cloned(),
                        outcome: Some(said.outcome),
                        refusal: said.refusal.clone(),
                        measured: Some(*measured),
                    },
                );
                let count = self.counts.entry(of.step.clone()).or_default();
                count.spent_ms = count.spent_ms.saturating_add(measured.processing_time_ms);
                match writing {
                    Some(writing) => self.set(of, Doing::ToWrite { said, writing }),
                    None => self.settle(of, said, now),
                }
                Ok(())
            }
            What::Applying { of, changes } => self.applying(of, changes),
            What::Applied(of) => match self.member(of).map(|member| member.doing.clone()) {
                Some(Doing::Applying { said, changes }) => {
                    self.changes.extend(changes);
                    self.settle(of, said, now);
                    Ok(())
                }
                Some(Doing::ToAsk | Doing::Asked { .. } | Doing::ToWrite { .. } | Doing::Done { .. })
                | None => Err("nothing of it was being written"),
            },
            What::Unwritten { of, refusal } => match self.member(of).map(|member| member.doing.clone()) {
                Some(Doing::ToWrite { said, .. } | Doing::Applying { said, .. }) if self.is_turn_of(of) => {
                    self.settle(of, said.refused(refusal.clone()), now);
                    Ok(())
                }
                Some(_) | None => Err("nothing of it was to be written"),
            },
            What::Announced => self.question(|question| {
                (!mem::replace(&mut question.announced, true))
                    .then_some(())
                    .ok_or("it was announced already")
            }),
            What::Dismissed => self.question(|question| {
                question.dismissed = true;
                Ok(())
            }),
            What::Answered { text } => self.answered(text, now),
            What::Expired => match &self.phase {
                Phase::Waiting { question, .. } if now >= question.until => {
                    self.phase = Phase::Over(How::Expired);
                    Ok(())
                }
                Phase::Waiting { .. } => Err("the question can still be answered"),
                Phase::Working(_) | Phase::Stopped { .. } | Phase::Over(_) => Err("no question is open"),
            },
            What::Resumed => self.resumed(),
            What::Cancelled => match &self.phase {
                Phase::Over(_) => Err("the run is over"),
                Phase::Working(stage) if stage.is_applying() => {
                    Err("files are being written: that is ended first")
                }
                Phase::Working(_) | Phase::Waiting { .. } | Phase::Stopped { .. } => {
                    self.phase = Phase::Over(How::Cancelled);
                    Ok(())
                }
            },
            What::Undone => match &self.phase {
                Phase::Over(How::Undone) => Err("it was undone already"),
                Phase::Over(How::Completed | How::Expired | How::Cancelled) | Phase::Stopped { .. } => {
                    self.changes.clear();
                    self.phase = Phase::Over(How::Undone);
                    Ok(())
                }
                Phase::Working(_) | Phase::Waiting { .. } => Err("the run is not over: cancel it first"),
            },
        }
        .map_err(illegal)?;
        self.last_at = now;
        Ok(())
    }

    fn member(&mut self, of: &At) -> Option<&mut Member> {
        match &mut self.phase {
            Phase::Working(stage) => stage
                .members
                .get_mut(&of.step)
                .filter(|member| member.iteration == of.iteration),
            Phase::Waiting { .. } | Phase::Stopped { .. } | Phase::Over(_) => None,
        }
    }

    /// A member that was asked and has not answered.
    fn asked_member(&mut self, of: &At) -> Result<&mut Member, &'static str> {
        self.member(of)
            .filter(|member| matches!(member.doing, Doing::Asked { .. }))
            .ok_or("that was not asked, or is answered")
    }

    fn set(&mut self, of: &At, doing: Doing) {
        if let Some(member) = self.member(of) {
            member.doing = doing;
        }
    }

    fn asked(&mut self, of: &At) -> Result<(), &'static str> {
        let first = match self.member(of).map(|member| &member.doing) {
            Some(Doing::ToAsk) => true,
            Some(Doing::Asked { .. }) => false,
            Some(Doing::ToWrite { .. } | Doing::Applying { .. } | Doing::Done { .. }) | None => {
                return Err("that is not to be asked");
            }
        };
        self.set(of, Doing::Asked { status: None });
        self.asked += u32::from(first);
        let before = self.latest.remove(&of.step);
        self.latest.insert(
            of.step.clone(),
            Latest {
                iteration: of.iteration,
                message: before.and_then(|before| before.message),
                outcome: None,
                refusal: None,
                measured: None,
            },
        );
        Ok(())
    }

    fn progressed(&mut self, of: &At, response: &Value) -> Result<(), &'static str> {
        let base = self
            .definition()
            .step(&of.step)
            .is_some_and(|step| matches!(step.work, Work::Base { .. }));
        let message = Message::<Response>::of(response.clone()).map_err(|_| "it is no response")?;
        let status = message.view().status;
        let Doing::Asked { status: before } = &mut self.asked_member(of)?.doing else {
            return Err("that was not asked");
        };
        if !base || status.is_over() || before.is_some_and(|before| !status.may_follow(before)) {
            return Err("its status may not follow");
        }
        *before = Some(status);
        if let Some(latest) = self.latest.get_mut(&of.step) {
            latest.message = Some(response.clone());
        }
        Ok(())
    }

    /// Whether all have answered and it is this one's turn to be written.
    fn is_turn_of(&self, of: &At) -> bool {
        match self.next() {
            super::run::Next::Write(at, _) | super::run::Next::Apply(at, _) => at == *of,
            super::run::Next::Ask(_)
            | super::run::Next::Wait(_)
            | super::run::Next::Stopped
            | super::run::Next::Over(_) => false,
        }
    }

    fn applying(&mut self, of: &At, changes: &[Change]) -> Result<(), &'static str> {
        if !self.is_turn_of(of) {
            return Err("it is not its turn to be written");
        }
        let Some(Member {
            doing: Doing::ToWrite { said, .. },
            ..
        }) = self.member(of)
        else {
            return Err("nothing of it was to be written");
        };
        let (said, changes) = (said.clone(), changes.to_vec());
        self.set(of, Doing::Applying { said, changes });
        Ok(())
    }

    fn question(
        &mut self,
        with: impl FnOnce(&mut Question) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        match &mut self.phase {
            Phase::Waiting { question, .. } => with(question),
            Phase::Working(_) | Phase::Stopped { .. } | Phase::Over(_) => Err("no question is open"),
        }
    }

    fn answered(&mut self, text: &str, now: Timestamp) -> Result<(), &'static str> {
        if text.trim().is_empty() || text.len() > ANSWER_MAX_BYTES {
            return Err("an answer has 1 to 1900 bytes");
        }
        let Phase::Waiting { stage, question } = &self.phase else {
            return Err("no question is open");
        };
        if now >= question.until {
            return Err("its time is over");
        }
        let stage = stage.clone();
        self.once_more(stage, Some(text));
        Ok(())
    }

    fn resumed(&mut self) -> Result<(), &'static str> {
        let (stage, why) = match &self.phase {
            Phase::Stopped { stage, why } => (stage, why),
            Phase::Waiting { .. } => return Err("the run waits for an answer"),
            Phase::Working(_) => return Err("the run has not stopped"),
            Phase::Over(_) => return Err("the run is over"),
        };
        match why {
            Why::MaxSteps => Err("it has asked as often as max_steps allows"),
            Why::Outcome { .. } => {
                let stage = stage.clone();
                self.once_more(stage, None);
                Ok(())
            }
        }
    }

    /// The owner wants a step asked once more: those of it that have not done what they were to do, else all.
    fn once_more(&mut self, mut stage: Stage, owner: Option<&str>) {
        let is_good =
            |member: &Member| matches!(&member.doing, Doing::Done { said, .. } if said.outcome.is_good());
        let all = stage.members.values().all(is_good);
        for (name, member) in &mut stage.members {
            let good = is_good(member);
            let count = self.counts.entry(name.clone()).or_default();
            count.spent_ms = 0;
            match &member.doing {
                Doing::Done { said, .. } if all || !good => {
                    member.again = AskedAgain::after(said);
                    member.iteration = member.iteration.saturating_add(1);
                    member.doing = Doing::ToAsk;
                    count.granted = count.granted.saturating_add(1);
                }
                // It would have been asked past its limit.
                Doing::ToAsk => count.granted = count.granted.saturating_add(1),
                Doing::Done { .. } | Doing::Asked { .. } | Doing::ToWrite { .. } | Doing::Applying { .. } => {
                    continue;
                }
            }
            count.iteration = member.iteration;
            member.again.owner = owner.map(str::to_owned);
        }
        self.work_on(stage);
    }

    /// Works on a step, if `max_steps` allows all that it asks.
    pub(super) fn work_on(&mut self, stage: Stage) {
        let asks = stage.members.values().filter(|m| m.doing == Doing::ToAsk).count();
        let asks = u32::try_from(asks).unwrap_or(u32::MAX);
        self.phase = if self.asked.saturating_add(asks) > self.definition().max_steps {
            let why = Why::MaxSteps;
            Phase::Stopped { stage, why }
        } else {
            Phase::Working(stage)
        };
    }

    /// An asking is over and what it had to be written is: again, or done; and when all are, on.
    fn settle(&mut self, of: &At, said: Said, now: Timestamp) {
        let Some(step) = self.definition().step(&of.step) else {
            return;
        };
        let next = step.next.clone().unwrap_or(Target::Stop);
        let by_default = match said.outcome {
            Outcome::Proceed | Outcome::Completed | Outcome::Partial => next,
            Outcome::Retry | Outcome::Failed | Outcome::Refused => Target::Again,
            Outcome::Escalate => Target::Ask,
        };
        let mut target = step.on.get(&said.outcome).cloned().unwrap_or(by_default);
        if target == Target::Again {
            match self.may_again(step) {
                Ok(()) => return self.ask_again(of, &said),
                Err(NoMore::Askings) if !self.is_group() => {
                    self.set(of, Doing::Done { said, target });
                    return self.stop(Why::MaxSteps);
                }
                Err(NoMore::Askings | NoMore::Iterations) => {}
            }
            target = match said.outcome {
                Outcome::Failed | Outcome::Refused => Target::Stop,
                Outcome::Proceed
                | Outcome::Retry
                | Outcome::Escalate
                | Outcome::Completed
                | Outcome::Partial => Target::Ask,
            };
        }
        self.set(of, Doing::Done { said, target });
        let all_done = |stage: &Stage| {
            stage
                .members
                .values()
                .all(|member| matches!(member.doing, Doing::Done { .. }))
        };
        if let Phase::Working(stage) = &self.phase
            && all_done(stage)
        {
            let stage = stage.clone();
            self.join(stage, now);
        }
    }

    fn is_group(&self) -> bool {
        self.stage()
            .is_some_and(|stage| !stage.members.contains_key(&stage.step))
    }

    fn may_again(&self, step: &Step) -> Result<(), NoMore> {
        let count = self.counts.get(&step.name).copied().unwrap_or_default();
        let limit = step.max_iterations.saturating_add(count.granted);
        if count.iteration >= limit || self.left_ms(step) == 0 {
            return Err(NoMore::Iterations);
        }
        let waiting = self.stage().map_or(0, |stage| {
            let open = stage.members.values().filter(|m| m.doing == Doing::ToAsk);
            u32::try_from(open.count()).unwrap_or(u32::MAX)
        });
        if self.asked.saturating_add(waiting) >= self.definition().max_steps {
            return Err(NoMore::Askings);
        }
        Ok(())
    }

    fn ask_again(&mut self, of: &At, said: &Said) {
        let iteration = of.iteration.saturating_add(1);
        self.counts.entry(of.step.clone()).or_default().iteration = iteration;
        if let Some(member) = self.member(of) {
            let owner = member.again.owner.take();
            member.again = AskedAgain {
                owner,
                ..AskedAgain::after(said)
            };
            member.iteration = iteration;
            member.doing = Doing::ToAsk;
        }
    }

    fn stop(&mut self, why: Why) {
        if let Some(stage) = self.stage().cloned() {
            self.phase = Phase::Stopped { stage, why };
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

impl Stage {
    fn is_applying(&self) -> bool {
        let mut members = self.members.values();
        members.any(|member| matches!(member.doing, Doing::Applying { .. }))
    }
}

impl Said {
    /// The same, not taken: nothing of it goes on but why.
    pub(super) fn refused(self, refusal: Refusal) -> Self {
        Self {
            outcome: Outcome::Refused,
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
    fn after(said: &Said) -> Self {
        Self {
            notes: said.notes.clone(),
            next_context: said.next_context.clone(),
            refusal: said.refusal.clone(),
            owner: None,
        }
    }
}
