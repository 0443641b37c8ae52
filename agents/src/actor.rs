//! The agents as actors, each with its typed tools as messages.
//!
//! What: [`AgentActor`] with its messages [`AskAgent`] and [`SetCheckpoint`], over an [`AgentTransport`]. Why: the orchestrator asks four agents at
//! once, with a deadline each, and none of them can block or end another. Not here: the agents (`registry`), the transports
//! (`in_process`, and the orchestrator's to an agent's own process).

use crate::contract::{
    AgentCall, AgentCallError, AgentCheckpoint, AgentReply, AgentSetup, AgentTransport, IngestInput,
};
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
    fn from_tool(tool: &Tool) -> Option<Self>;
}

macro_rules! agent_tools {
    ($($(#[$doc:meta])* $actor:ident: $tools:ident of $variant:ident),+) => { $(
        impl AgentTools for $tools {
            const AGENT: AgentName = AgentName::$variant;

            fn from_tool(tool: &Tool) -> Option<Self> {
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
pub struct AskAgent<T: AgentTools> {
    tool: T,
    call: AgentCall,
}

impl<T: AgentTools> AskAgent<T> {
    /// A question from a dispatched call, its raw bytes (they pass the gate again on the agent's side) and the time.
    ///
    /// # Errors
    /// `NotMine` when the call is of another agent.
    pub fn new(
        dispatch: Dispatch,
        raw: Vec<u8>,
        at: Timestamp,
        input: IngestInput,
    ) -> Result<Self, AgentCallError> {
        let tool = T::from_tool(dispatch.call().tool()).ok_or(AgentCallError::NotMine)?;
        Ok(Self {
            tool,
            call: AgentCall {
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

/// From the orchestrator: the checkpoint of the journal. No reply.
pub struct SetCheckpoint(pub AgentCheckpoint);

impl<T: AgentTools> Message for AskAgent<T> {
    type Result = Result<Vec<u8>, AgentCallError>;
}

impl Message for SetCheckpoint {
    type Result = ();
}

/// From an import that reads more files once: rebuild the agent with this setup. `false`: the queue is full.
pub struct ReconfigureAgent(pub Box<AgentSetup>);

impl Message for ReconfigureAgent {
    type Result = bool;
}

/// From the stopping service: end the agent's process; no call follows. No reply.
pub struct StopAgent;

impl Message for StopAgent {
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

impl<T: AgentTools> Handler<AskAgent<T>> for AgentActor<T> {
    type Result = ResponseFuture<Result<Vec<u8>, AgentCallError>>;

    fn handle(&mut self, ask: AskAgent<T>, _: &mut Context<Self>) -> Self::Result {
        let deadline = Duration::from_millis(u64::from(ask.call.dispatch.call().deadline_ms()));
        let waits = ask.call.is_ingest();
        match self.transport.ask(ask.call) {
            AgentReply::Now(answer) => Box::pin(std::future::ready(answer)),
            AgentReply::Later(answer) if waits => {
                Box::pin(async move { answer.await.unwrap_or(Err(AgentCallError::Down)) })
            }
            AgentReply::Later(answer) => Box::pin(async move {
                match tokio::time::timeout(deadline, answer).await {
                    Ok(Ok(answer)) => answer,
                    Ok(Err(_)) => Err(AgentCallError::Down),
                    Err(_) => Err(AgentCallError::Deadline),
                }
            }),
        }
    }
}

impl<T: AgentTools> Handler<SetCheckpoint> for AgentActor<T> {
    type Result = ();

    fn handle(&mut self, SetCheckpoint(checkpoint): SetCheckpoint, _: &mut Context<Self>) {
        self.transport.set_checkpoint(checkpoint);
    }
}

impl<T: AgentTools> Handler<ReconfigureAgent> for AgentActor<T> {
    type Result = bool;

    fn handle(&mut self, ReconfigureAgent(setup): ReconfigureAgent, _: &mut Context<Self>) -> bool {
        self.transport.reconfigure(*setup)
    }
}

impl<T: AgentTools> Handler<StopAgent> for AgentActor<T> {
    type Result = ();

    fn handle(&mut self, _end: StopAgent, _: &mut Context<Self>) {
        self.transport = Box::new(StoppedTransport);
    }
}

/// The transport of a stopped agent.
struct StoppedTransport;

impl AgentTransport for StoppedTransport {
    fn ask(&mut self, _call: AgentCall) -> AgentReply {
        AgentReply::Now(Err(AgentCallError::Down))
    }

    fn set_checkpoint(&mut self, _checkpoint: AgentCheckpoint) {}

    fn reconfigure(&mut self, _setup: AgentSetup) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
