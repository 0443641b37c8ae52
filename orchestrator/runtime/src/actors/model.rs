//! The model's client: what is asked, and what the answer means to the machine.
//!
//! What: makes a question of what the machine wants to know and of what the model that is there may be asked, reads the answer,
//! and sends it back as an event. Why: the model can be absent, slow, dead or hostile, and nothing but the sentence changes.
//! Not here: when it is asked (`orchestrator_machine`), reading and checking (`llm_runtime`), the process (`aura_process::model_supervisor`).

use crate::{
    actors::orchestrator::{InjectEvent, OrchestratorActor},
    executor::ModelInquiry,
};
use actix::{Actor, Addr, Context, Handler, Message, Supervised};
use aura_platform::{
    clock::Clock,
    in_flight::{InFlight, InFlightGuard},
    mailbox::send,
    metrics::METRICS,
};
use llm_runtime::{LanguageModel, ModelAnswer, ModelQuestion, ModelText, PendingAnswer, manifest::Tier};
use orchestrator_machine::EventKind;
use std::{future::poll_fn, pin::pin, task::Poll};
use toolcall_schema::{ModelFault, Timestamp};

/// The orchestrator: ask the model. The answer comes back as `Rationale`, `Wrote` or `TieBroken`, or too late and is dropped there.
#[derive(Message)]
#[rtype(result = "()")]
pub struct AskModel {
    pub tick: u64,
    /// What about.
    pub about: ModelInquiry,
    /// In flight until the answer is waited for.
    pub ticket: InFlightGuard,
}

impl ModelInquiry {
    /// The question for a model of a tier; `None`: it may not be asked this.
    fn question(&self, tier: Tier) -> Option<ModelQuestion> {
        match (self, tier) {
            (ModelInquiry::Decision { sentences, novel }, Tier::Write) => {
                let written = novel.as_ref().and_then(|decision| ModelQuestion::write(decision));
                Some(written.unwrap_or_else(|| ModelQuestion::choose(sentences)))
            }
            (ModelInquiry::Decision { sentences, .. }, Tier::Choose) => {
                Some(ModelQuestion::choose(sentences))
            }
            (ModelInquiry::Tie { actions }, Tier::Write) => Some(ModelQuestion::tie(actions)),
            (ModelInquiry::Tie { .. }, Tier::Choose) => None,
        }
    }

    /// The event that says what came of it.
    fn answered(&self, tick: u64, said: Result<ModelAnswer, ModelFault>) -> EventKind {
        match (self, said) {
            (ModelInquiry::Decision { .. }, Ok(ModelAnswer::Wrote(sentence))) => {
                EventKind::Wrote { tick, sentence }
            }
            (ModelInquiry::Decision { .. }, Ok(ModelAnswer::Picked(pick))) => {
                EventKind::Rationale { tick, pick: Ok(pick) }
            }
            (ModelInquiry::Decision { .. }, Err(fault)) => EventKind::Rationale {
                tick,
                pick: Err(fault),
            },
            (ModelInquiry::Tie { .. }, said) => EventKind::TieBroken {
                tick,
                pick: said.and_then(|said| match said {
                    ModelAnswer::Picked(pick) => Ok(pick),
                    ModelAnswer::Wrote(_) => Err(ModelFault::Unusable),
                }),
            },
        }
    }
}

/// The actor.
pub struct ModelActor {
    /// The model.
    pub model: Box<dyn LanguageModel>,
    /// Who is told.
    pub orchestrator: Addr<OrchestratorActor>,
    /// For the wait.
    pub clock: Clock,
    /// Counts the answers on their way.
    pub busy: InFlight,
}

/// Questions that may wait.
pub const MAILBOX: usize = 4;

impl Actor for ModelActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
    }
}

impl Supervised for ModelActor {}

impl Handler<AskModel> for ModelActor {
    type Result = ();

    fn handle(&mut self, ask: AskModel, _ctx: &mut Self::Context) {
        let AskModel { tick, about, ticket } = ask;
        let question = self.model.tier().and_then(|tier| about.question(tier));
        let answer = match &question {
            Some(question) => self.model.ask(tick, question),
            None => PendingAnswer::absent(),
        };
        let (clock, orchestrator, busy) = (self.clock.clone(), self.orchestrator.clone(), self.busy.clone());
        actix::spawn(async move {
            let text = match answer {
                PendingAnswer::After { ms, text } => {
                    let until = clock.at().plus_ms(i64::from(ms));
                    let _woken = woken(&clock, until, ticket).await;
                    text
                }
                PendingAnswer::Later(text) => {
                    drop(ticket);
                    text.await
                }
            };
            let said = read(question.as_ref(), text);
            METRICS.model_said(said.as_ref().err().copied());
            // Not taken: LoggingTrace writes the template.
            let happened = InjectEvent {
                what: about.answered(tick, said),
                ticket: busy.ticket(),
            };
            let _ = send(&orchestrator, "orchestrator", happened);
        });
    }
}

fn read(question: Option<&ModelQuestion>, text: ModelText) -> Result<ModelAnswer, ModelFault> {
    question.ok_or(ModelFault::Absent)?.parse_answer(&text?)
}

/// Waits for a time. The ticket is held until the clock knows of it: a recorded day may not go on before.
async fn woken(clock: &Clock, until: Timestamp, ticket: InFlightGuard) -> Option<InFlightGuard> {
    let mut wait = pin!(clock.sleep_until(until));
    let first = poll_fn(|task| Poll::Ready(wait.as_mut().poll(task))).await;
    drop(ticket);
    match first {
        Poll::Ready(woken) => woken,
        Poll::Pending => wait.await,
    }
}
