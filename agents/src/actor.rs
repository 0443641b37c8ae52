//! The agents as actors, each with its typed tools as messages.
//!
//! What: [`AgentActor`] with its messages [`Ask`] and [`Journalled`], over a [`Place`]: where the agent's host runs. Why: the orchestrator asks four agents at once, with a deadline each, and none of them can block or
//! end another. Not here: what agents do (`comms`, `calendar`, …), the host in this process (`keeper`), the host in a
//! process of its own (`orchestrator::process`), which agents there are (`orchestrator::wiring`).

use crate::{
    agent::{Agent, Setup},
    keeper::AskError,
};
use actix::{Actor, Context, Handler, Message, ResponseFuture, Supervised};
use serde_json::Value;
use std::{marker::PhantomData, sync::Arc, time::Duration};
use tokio::sync::oneshot;
use toolcall_schema::{
    AgentName, Dispatch, Timestamp, Tool, ToolName,
    catalogue::{CalendarTool, CommsTool, FinanceTool, WellnessTool},
    signal::Signal,
};

/// Messages that may wait for an actor, and what may wait for its agent's process.
pub const QUEUE: usize = 64;

/// The tools of one agent: the typed content of its messages.
pub trait AgentTools: Clone + Unpin + Send + 'static {
    const AGENT: AgentName;

    /// The tool as one of this agent's; `None` when it is another's.
    fn of(tool: &Tool) -> Option<Self>;

    /// The agent itself, that has read nothing.
    fn build(setup: Setup) -> Box<dyn Agent>;
}

macro_rules! agent_tools {
    ($($(#[$doc:meta])* $actor:ident: $tools:ident = $module:ident::$variant:ident),+) => { $(
        impl AgentTools for $tools {
            const AGENT: AgentName = AgentName::$variant;

            fn of(tool: &Tool) -> Option<Self> {
                if let Tool::$variant(tool) = tool { Some(tool.clone()) } else { None }
            }

            fn build(setup: Setup) -> Box<dyn Agent> {
                Box::new(crate::$module::$variant::new(setup))
            }
        }

        $(#[$doc])*
        pub type $actor = AgentActor<$tools>;
    )+ };
}
agent_tools!(
    /// Mail and notifications.
    CommsActor: CommsTool = comms::Comms,
    /// Events, travel, conflicts.
    CalendarActor: CalendarTool = calendar::Calendar,
    /// Bank messages and spending.
    FinanceActor: FinanceTool = finance::Finance,
    /// Heart rate, sleep, load.
    WellnessActor: WellnessTool = wellness::Wellness
);

/// The state that an agent's last journalled ingest left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checkpoint {
    /// Counts the journalled ingests. An ingest's answer names the checkpoint that it began from, and counts only while that is the
    /// journal's last one.
    pub number: u64,
    /// As the agent gave it; absent before it read anything.
    pub state: Option<Arc<Value>>,
}

impl Checkpoint {
    /// One with another state, at which no process can be, whatever it is answering now: each that hears of it starts again from it.
    #[must_use]
    pub fn apart(&self, state: Value) -> Self {
        Self {
            // An ingest under way leads to the next number, and that may be told before this.
            number: self.number + 3,
            state: Some(Arc::new(state)),
        }
    }

    /// The one after an answer of an ingest that began from this; `None`: its state is the same.
    #[must_use]
    pub fn after(&self, state: Option<Value>) -> Self {
        Self {
            number: self.number + 1,
            state: state.map(Arc::new).or_else(|| self.state.clone()),
        }
    }
}

/// What an ingest is given beside its call.
#[derive(Debug, Clone, Default)]
pub struct IngestInput {
    /// Where it begins: an agent that is elsewhere is started again from there.
    pub from: Checkpoint,
    /// The signals that the call names.
    pub signals: Vec<Signal>,
    /// Up to when ages count; `None`: up to the call's own time.
    pub ages_upto: Option<Timestamp>,
}

/// A dispatched call on its way to an agent.
pub struct Call {
    /// What may be run, and on whose word.
    pub dispatch: Dispatch,
    /// The bytes that were admitted; they pass the gate again on the agent's side.
    pub raw: Vec<u8>,
    /// The wall clock, for the agent's gate.
    pub at: Timestamp,
    /// What an ingest is given.
    pub input: IngestInput,
}

impl Call {
    /// Whether the agent reads on it what it was handed.
    pub fn is_ingest(&self) -> bool {
        let name = self.dispatch.call().tool().name();
        ToolName::ingest_of(name.agent()) == Some(name)
    }
}

/// The answer to a call: bytes of `toolresult.v1`.
pub enum Answer {
    /// It was answered at once.
    Now(Result<Vec<u8>, AskError>),
    /// It will be; a sender that is dropped means [`AskError::Down`].
    Later(oneshot::Receiver<Result<Vec<u8>, AskError>>),
}

/// Where an agent's host runs. Nothing here blocks the caller for longer than the agent's own work in this process.
pub trait Place: Unpin + 'static {
    /// Runs one call.
    fn ask(&mut self, call: Call) -> Answer;

    /// The answer of an ingest is in the journal, or the agent goes on from an earlier process: it is rebuilt from here after a
    /// crash.
    fn journalled(&mut self, checkpoint: Checkpoint);

    /// The agent is built anew with this, from its checkpoint. False: there is no room for that now.
    fn set_up(&mut self, setup: Setup) -> bool;
}

/// From the orchestrator: run one dispatched call. Answered with the bytes of `toolresult.v1`, at the latest at the
/// call's deadline; an ingest whenever it is done, because what it read was taken out of the sender's hands.
pub struct Ask<T: AgentTools> {
    tool: T,
    call: Call,
}

impl<T: AgentTools> Ask<T> {
    /// A question from a dispatched call, its raw bytes (they pass the gate again on the agent's side) and the time.
    ///
    /// # Errors
    /// `NotMine` when the call is of another agent.
    pub fn new(
        dispatch: Dispatch,
        raw: Vec<u8>,
        at: Timestamp,
        input: IngestInput,
    ) -> Result<Self, AskError> {
        let tool = T::of(dispatch.call().tool()).ok_or(AskError::NotMine)?;
        Ok(Self {
            tool,
            call: Call {
                dispatch,
                raw,
                at,
                input,
            },
        })
    }

    /// What is asked.
    pub fn tool(&self) -> &T {
        &self.tool
    }
}

/// From the orchestrator: where the agent is by the journal. No reply.
pub struct Journalled(pub Checkpoint);

impl<T: AgentTools> Message for Ask<T> {
    type Result = Result<Vec<u8>, AskError>;
}

impl Message for Journalled {
    type Result = ();
}

/// From whoever has more files read for once: the agent is built anew with this. False: there is no room for that now.
pub struct SetUp(pub Box<Setup>);

impl Message for SetUp {
    type Result = bool;
}

/// From the service that ends: nothing is asked any more, and the agent's process is to end. No reply.
pub struct End;

impl Message for End {
    type Result = ();
}

/// One agent as an actor.
pub struct AgentActor<T: AgentTools> {
    place: Box<dyn Place>,
    tools: PhantomData<T>,
}

impl<T: AgentTools> AgentActor<T> {
    /// An actor over an agent's host.
    pub fn new(place: impl Place) -> Self {
        Self {
            place: Box::new(place),
            tools: PhantomData,
        }
    }
}

impl<T: AgentTools> Actor for AgentActor<T> {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        ctx.set_mailbox_capacity(QUEUE);
    }
}

impl<T: AgentTools> Supervised for AgentActor<T> {}

impl<T: AgentTools> Handler<Ask<T>> for AgentActor<T> {
    type Result = ResponseFuture<Result<Vec<u8>, AskError>>;

    fn handle(&mut self, ask: Ask<T>, _: &mut Context<Self>) -> Self::Result {
        let deadline = Duration::from_millis(u64::from(ask.call.dispatch.call().deadline_ms()));
        let waits = ask.call.is_ingest();
        match self.place.ask(ask.call) {
            Answer::Now(answer) => Box::pin(std::future::ready(answer)),
            Answer::Later(answer) if waits => {
                Box::pin(async move { answer.await.unwrap_or(Err(AskError::Down)) })
            }
            Answer::Later(answer) => Box::pin(async move {
                match tokio::time::timeout(deadline, answer).await {
                    Ok(Ok(answer)) => answer,
                    Ok(Err(_)) => Err(AskError::Down),
                    Err(_) => Err(AskError::Deadline),
                }
            }),
        }
    }
}

impl<T: AgentTools> Handler<Journalled> for AgentActor<T> {
    type Result = ();

    fn handle(&mut self, Journalled(checkpoint): Journalled, _: &mut Context<Self>) {
        self.place.journalled(checkpoint);
    }
}

impl<T: AgentTools> Handler<SetUp> for AgentActor<T> {
    type Result = bool;

    fn handle(&mut self, SetUp(setup): SetUp, _: &mut Context<Self>) -> bool {
        self.place.set_up(*setup)
    }
}

impl<T: AgentTools> Handler<End> for AgentActor<T> {
    type Result = ();

    fn handle(&mut self, _end: End, _: &mut Context<Self>) {
        self.place = Box::new(Ended);
    }
}

/// Where no agent runs any more.
struct Ended;

impl Place for Ended {
    fn ask(&mut self, _call: Call) -> Answer {
        Answer::Now(Err(AskError::Down))
    }

    fn journalled(&mut self, _checkpoint: Checkpoint) {}

    fn set_up(&mut self, _setup: Setup) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
