//! The agents as actors, each with its typed tools as messages.
//!
//! What: [`AgentActor`] with its messages [`Ask`] and [`Journalled`], over an [`AgentTransport`]. Why: the orchestrator asks four agents at
//! once, with a deadline each, and none of them can block or end another. Not here: the agents (`registry`), the transports
//! (`in_process`, and the orchestrator's to an agent's own process).

use crate::contract::{AgentTransport, Answer, AskError, Call, Checkpoint, IngestInput, Setup};
use actix::{Actor, Context, Handler, Message, ResponseFuture, Supervised};
use std::{marker::PhantomData, time::Duration};
use toolcall_schema::{
    AgentName, Dispatch, Timestamp, Tool,
    catalogue::{CalendarTool, CommsTool, FinanceTool, WellnessTool},
};

/// Messages that may wait for an actor, and what may wait for its agent's process.
pub const QUEUE: usize = 64;

/// The tools of one agent: the typed content of its messages.
pub trait AgentTools: Clone + Unpin + Send + 'static {
    const AGENT: AgentName;

    /// The tool as one of this agent's; `None` when it is another's.
    fn of(tool: &Tool) -> Option<Self>;
}

macro_rules! agent_tools {
    ($($(#[$doc:meta])* $actor:ident: $tools:ident of $variant:ident),+) => { $(
        impl AgentTools for $tools {
            const AGENT: AgentName = AgentName::$variant;

            fn of(tool: &Tool) -> Option<Self> {
                if let Tool::$variant(tool) = tool { Some(tool.clone()) } else { None }
            }
        }

        $(#[$doc])*
        pub type $actor = AgentActor<$tools>;
    )+ };
}
agent_tools!(
    /// Mail and notifications.
    CommsActor: CommsTool of Comms,
    /// Events, travel, conflicts.
    CalendarActor: CalendarTool of Calendar,
    /// Bank messages and spending.
    FinanceActor: FinanceTool of Finance,
    /// Heart rate, sleep, load.
    WellnessActor: WellnessTool of Wellness
);

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
    transport: Box<dyn AgentTransport>,
    tools: PhantomData<T>,
}

impl<T: AgentTools> AgentActor<T> {
    /// An actor over an agent's host.
    pub fn new(transport: impl AgentTransport) -> Self {
        Self {
            transport: Box::new(transport),
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
        match self.transport.ask(ask.call) {
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
        self.transport.journalled(checkpoint);
    }
}

impl<T: AgentTools> Handler<SetUp> for AgentActor<T> {
    type Result = bool;

    fn handle(&mut self, SetUp(setup): SetUp, _: &mut Context<Self>) -> bool {
        self.transport.set_up(*setup)
    }
}

impl<T: AgentTools> Handler<End> for AgentActor<T> {
    type Result = ();

    fn handle(&mut self, _end: End, _: &mut Context<Self>) {
        self.transport = Box::new(Ended);
    }
}

/// Where no agent runs any more.
struct Ended;

impl AgentTransport for Ended {
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
