//! The model's client: what is asked, and what the answer means to the machine.
//!
//! What: makes a question of what the machine wants to know and of what the model that is there may be asked, reads the answer,
//! and sends it back as an event. Why: the model can be absent, slow, dead or hostile, and nothing but the sentence changes.
//! Not here: when it is asked (`orchestrator_machine`), reading and checking (`llm_runtime`), the process (`process::model`).

use crate::actors::orchestrator::{Happened, Orchestrator};
use actix::{Actor, Addr, Context, Handler, Message, Supervised};
use aura_platform::{
    busy::{Busy, Ticket},
    clock::Clock,
    mailbox::send,
    metrics::METRICS,
};
use llm_runtime::{Answer, Generate, Question, Said, Text, manifest::Tier};
use orchestrator_machine::What;
use std::{future::poll_fn, pin::pin, task::Poll};
use toolcall_schema::{ModelFault, Timestamp, trace::Decision};

/// The orchestrator: ask the model. The answer comes back as `Rationale`, `Wrote` or `TieBroken`, or too late and is dropped there.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Ask {
    pub tick: u64,
    /// What about.
    pub about: About,
    /// In flight until the answer is waited for.
    pub ticket: Ticket,
}

/// What the machine wants to know.
pub enum About {
    /// Why it was decided so.
    Decision {
        /// 2 to 6 true sentences.
        sentences: Vec<String>,
        /// The decision, when its combination of kinds is novel.
        novel: Option<Box<Decision>>,
    },
    /// Which of these.
    Tie {
        /// 2 to 6 true sentences.
        actions: Vec<String>,
    },
}

impl About {
    /// The question for a model of a tier; `None`: it may not be asked this.
    fn question(&self, tier: Tier) -> Option<Question> {
        match (self, tier) {
            (About::Decision { sentences, novel }, Tier::Write) => {
                let written = novel.as_ref().and_then(|decision| Question::write(decision));
                Some(written.unwrap_or_else(|| Question::choose(sentences)))
            }
            (About::Decision { sentences, .. }, Tier::Choose) => Some(Question::choose(sentences)),
            (About::Tie { actions }, Tier::Write) => Some(Question::tie(actions)),
            (About::Tie { .. }, Tier::Choose) => None,
        }
    }

    /// The event that says what came of it.
    fn answered(&self, tick: u64, said: Result<Said, ModelFault>) -> What {
        match (self, said) {
            (About::Decision { .. }, Ok(Said::Wrote(sentence))) => What::Wrote { tick, sentence },
            (About::Decision { .. }, Ok(Said::Picked(pick))) => What::Rationale { tick, pick: Ok(pick) },
            (About::Decision { .. }, Err(fault)) => What::Rationale {
                tick,
                pick: Err(fault),
            },
            (About::Tie { .. }, said) => What::TieBroken {
                tick,
                pick: said.and_then(|said| match said {
                    Said::Picked(pick) => Ok(pick),
                    Said::Wrote(_) => Err(ModelFault::Unusable),
                }),
            },
        }
    }
}

/// The actor.
pub struct Model {
    /// The model.
    pub model: Box<dyn Generate>,
    /// Who is told.
    pub orchestrator: Addr<Orchestrator>,
    /// For the wait.
    pub clock: Clock,
    /// Counts the answers on their way.
    pub busy: Busy,
}

/// Questions that may wait.
pub const MAILBOX: usize = 4;

impl Actor for Model {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
    }
}

impl Supervised for Model {}

impl Handler<Ask> for Model {
    type Result = ();

    fn handle(&mut self, ask: Ask, _ctx: &mut Self::Context) {
        let Ask { tick, about, ticket } = ask;
        let question = self.model.tier().and_then(|tier| about.question(tier));
        let answer = match &question {
            Some(question) => self.model.ask(tick, question),
            None => Answer::absent(),
        };
        let (clock, orchestrator, busy) = (self.clock.clone(), self.orchestrator.clone(), self.busy.clone());
        actix::spawn(async move {
            let text = match answer {
                Answer::After { ms, text } => {
                    let until = clock.at().plus_ms(i64::from(ms));
                    let _woken = woken(&clock, until, ticket).await;
                    text
                }
                Answer::Later(text) => {
                    drop(ticket);
                    text.await
                }
            };
            let said = read(question.as_ref(), text);
            METRICS.model_said(said.as_ref().err().copied());
            // Not taken: LoggingTrace writes the template.
            let happened = Happened {
                what: about.answered(tick, said),
                ticket: busy.ticket(),
            };
            let _ = send(&orchestrator, "orchestrator", happened);
        });
    }
}

fn read(question: Option<&Question>, text: Text) -> Result<Said, ModelFault> {
    question.ok_or(ModelFault::Absent)?.read(&text?)
}

/// Waits for a time. The ticket is held until the clock knows of it: a recorded day may not go on before.
async fn woken(clock: &Clock, until: Timestamp, ticket: Ticket) -> Option<Ticket> {
    let mut wait = pin!(clock.sleep_until(until));
    let first = poll_fn(|task| Poll::Ready(wait.as_mut().poll(task))).await;
    drop(ticket);
    match first {
        Poll::Ready(woken) => woken,
        Poll::Pending => wait.await,
    }
}
