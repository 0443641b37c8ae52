//! The model's client: one question at a time, a bounded wait.
//!
//! What: asks a [`llm_runtime::Generate`] to pick one of some true sentences. Why: the model can be absent, slow, dead or
//! hostile, and nothing but the sentence changes. Not here: when it is asked (`orchestrator-machine`), llama.cpp (its own
//! issue: a child process behind the same trait).

use crate::{
    actors::{
        orchestrator::{Happened, Orchestrator},
        send,
    },
    busy::Busy,
    clock::Clock,
};
use actix::{Actor, Addr, Context, Handler, Message, Supervised};
use llm_runtime::{Choice, Generate};
use orchestrator_machine::{What, event::ModelFault};

/// The orchestrator: pick one. The answer comes back as the event `Rationale`, or too late and is dropped there.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Pick {
    /// Echoed.
    pub tick: u64,
    /// 2 to 6 true sentences.
    pub sentences: Vec<String>,
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

impl Handler<Pick> for Model {
    type Result = ();

    fn handle(&mut self, pick: Pick, _ctx: &mut Self::Context) {
        let Choice {
            after_ms,
            pick: answer,
        } = self.model.choose(pick.tick, &pick.sentences);
        let answer = answer.map_err(|fault| match fault {
            llm_runtime::Fault::Absent => ModelFault::Absent,
            llm_runtime::Fault::Failed => ModelFault::Failed,
            llm_runtime::Fault::Unusable => ModelFault::Unusable,
        });
        let (clock, orchestrator, busy) = (self.clock.clone(), self.orchestrator.clone(), self.busy.clone());
        let until = clock.at().plus_ms(i64::from(after_ms));
        actix::spawn(async move {
            let _woken = clock.sleep_until(until).await;
            let what = What::Rationale {
                tick: pick.tick,
                pick: answer,
            };
            // Not taken: LoggingTrace writes the template.
            let _ = send(
                &orchestrator,
                "orchestrator",
                Happened {
                    what,
                    ticket: busy.ticket(),
                },
            );
        });
    }
}
