//! The agents as actors, each with its typed tools as messages.
//!
//! What: [`AgentActor`] with its messages, over an [`AgentTransport`]; [`AgentsPort`], one handle over the four. Why: the orchestrator asks four agents at
//! once, with a deadline each, and none of them can block or end another. Not here: the agents (`registry`), the transports
//! (`in_process`, and the orchestrator's to an agent's own process).

use crate::contract::{
    AgentCall, AgentCallError, AgentCheckpoint, AgentReply, AgentSetup, AgentTransport, AnsweredCall,
};
use actix::{Actor, Addr, Context, Handler, Message, ResponseFuture, Supervised};
use std::{marker::PhantomData, time::Duration};
use toolcall_schema::{
    AgentName, Tool,
    catalogue::{CalendarTool, CommsTool, FinanceTool, WellnessTool},
};

/// Messages that may wait for an actor, and what may wait for its agent's process.
pub const QUEUE: usize = 64;

/// The tools of one agent: the typed content of its messages.
pub trait AgentTools: Unpin + Send + 'static {
    const AGENT: AgentName;

    /// The tool as one of this agent's; `None` when it is another's.
    fn own_tool(tool: &Tool) -> Option<&Self>;
}

macro_rules! agent_tools {
    ($($(#[$doc:meta])* $actor:ident: $tools:ident of $variant:ident),+) => { $(
        impl AgentTools for $tools {
            const AGENT: AgentName = AgentName::$variant;

            fn own_tool(tool: &Tool) -> Option<&Self> {
                if let Tool::$variant(tool) = tool { Some(tool) } else { None }
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

/// From the orchestrator: run one dispatched call. Answered with an [`AnsweredCall`], at the latest at the
/// call's deadline; an ingest whenever it is done, because what it read was taken out of the sender's hands.
pub struct AskAgent<T: AgentTools> {
    call: Box<AgentCall>,
    tools: PhantomData<T>,
}

impl<T: AgentTools> AskAgent<T> {
    /// A question from a dispatched call.
    ///
    /// # Errors
    /// `NotMine` when the call is of another agent.
    pub fn new(call: Box<AgentCall>) -> Result<Self, AgentCallError> {
        if T::own_tool(call.dispatch.call().tool()).is_none() {
            return Err(AgentCallError::NotMine);
        }
        Ok(Self {
            call,
            tools: PhantomData,
        })
    }
}

/// From the orchestrator: the checkpoint of the journal. No reply.
pub struct SetCheckpoint(pub AgentCheckpoint);

impl<T: AgentTools> Message for AskAgent<T> {
    type Result = Result<AnsweredCall, AgentCallError>;
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
    type Result = ResponseFuture<Result<AnsweredCall, AgentCallError>>;

    fn handle(&mut self, ask: AskAgent<T>, _: &mut Context<Self>) -> Self::Result {
        let deadline = Duration::from_millis(u64::from(ask.call.dispatch.call().deadline_ms()));
        let waits = ask.call.is_ingest();
        match self.transport.ask(*ask.call) {
            AgentReply::Now(answer) => Box::pin(std::future::ready(answer)),
            AgentReply::Later(answer) if waits => {
                Box::pin(async move { answer.await.unwrap_or(Err(AgentCallError::NotBegun)) })
            }
            AgentReply::Later(answer) => Box::pin(async move {
                match tokio::time::timeout(deadline, answer).await {
                    Ok(Ok(answer)) => answer,
                    Ok(Err(_)) => Err(AgentCallError::NotBegun),
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
        AgentReply::Now(Err(AgentCallError::NotBegun))
    }

    fn set_checkpoint(&mut self, _checkpoint: AgentCheckpoint) {}

    fn reconfigure(&mut self, _setup: AgentSetup) -> bool {
        false
    }
}

/// The four agents' addresses.
#[derive(Clone)]
pub struct AgentsPort {
    pub comms: Addr<CommsActor>,
    pub calendar: Addr<CalendarActor>,
    pub finance: Addr<FinanceActor>,
    pub wellness: Addr<WellnessActor>,
}

async fn ask<T: AgentTools>(
    to: &Addr<AgentActor<T>>,
    call: Box<AgentCall>,
) -> Result<AnsweredCall, AgentCallError> {
    // The question waits for room in the mailbox; the call's deadline is kept by the actor and, last of all, by the machine.
    let asked = to.send(AskAgent::<T>::new(call)?).await;
    asked.unwrap_or(Err(AgentCallError::NotBegun))
}

impl AgentsPort {
    /// Asks the agent whose tool it is.
    ///
    /// # Errors
    /// [`AgentCallError`]
    pub async fn ask(&self, call: Box<AgentCall>) -> Result<AnsweredCall, AgentCallError> {
        match call.dispatch.call().tool().name().agent() {
            AgentName::Comms => ask(&self.comms, call).await,
            AgentName::Calendar => ask(&self.calendar, call).await,
            AgentName::Finance => ask(&self.finance, call).await,
            AgentName::Wellness => ask(&self.wellness, call).await,
            AgentName::Orchestrator => Err(AgentCallError::NotMine),
        }
    }

    /// Has an agent built anew with this.
    ///
    /// # Errors
    /// [`AgentCallError::Busy`] when there is no room for that now.
    pub async fn set_up(&self, agent: AgentName, setup: AgentSetup) -> Result<(), AgentCallError> {
        let setup = ReconfigureAgent(Box::new(setup));
        let done = match agent {
            AgentName::Comms => self.comms.send(setup).await,
            AgentName::Calendar => self.calendar.send(setup).await,
            AgentName::Finance => self.finance.send(setup).await,
            AgentName::Wellness => self.wellness.send(setup).await,
            AgentName::Orchestrator => Ok(false),
        };
        if done.unwrap_or(false) {
            Ok(())
        } else {
            Err(AgentCallError::Busy)
        }
    }

    /// Lets the agents' processes end, whoever still holds a way to them.
    pub fn end(&self) {
        // One that has no room is killed with this process.
        let _ = self.comms.try_send(StopAgent);
        let _ = self.calendar.try_send(StopAgent);
        let _ = self.finance.try_send(StopAgent);
        let _ = self.wellness.try_send(StopAgent);
    }

    /// Tells an agent where it is by the journal. Not taken: its next ingest says it again.
    pub fn journalled(&self, agent: AgentName, checkpoint: AgentCheckpoint) {
        let taken = match agent {
            AgentName::Comms => self.comms.try_send(SetCheckpoint(checkpoint)).is_ok(),
            AgentName::Calendar => self.calendar.try_send(SetCheckpoint(checkpoint)).is_ok(),
            AgentName::Finance => self.finance.try_send(SetCheckpoint(checkpoint)).is_ok(),
            AgentName::Wellness => self.wellness.try_send(SetCheckpoint(checkpoint)).is_ok(),
            AgentName::Orchestrator => true,
        };
        if !taken {
            tracing::debug!(agent = agent.as_str(), "not told what was journalled");
        }
    }
}

#[cfg(test)]
mod tests;
