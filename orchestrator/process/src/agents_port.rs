//! The way to the four agents.
//!
//! What: one handle over four actors with four tool enums. Why: the orchestrator sends admitted calls and gets bytes; it
//! knows no agent's inside. Not here: the actors and what they run in (`agents::actor`).

use actix::{Addr, MailboxError};
use agents::{
    actor::{
        AgentActor, AgentTools, AskAgent, CalendarActor, CommsActor, FinanceActor, ReconfigureAgent,
        SetCheckpoint, StopAgent, WellnessActor,
    },
    contract::{AgentCallError, AgentCheckpoint, AgentSetup, IngestInput},
};
use aura_platform::clock::Clock;
use toolcall_schema::{AgentName, Dispatch};

/// Why an agent gave no bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AskFault {
    /// It is down or busy: the machine is told at once.
    #[error("the agent is down or busy")]
    Down,
    /// It ended while it was on the call: the machine is told at once.
    #[error("the agent ended on the call")]
    Ended {
        /// Whether by its own fault.
        own: bool,
    },
    /// It was silent until the deadline, or its own gate refused the call: the machine's deadline passes.
    #[error("no answer before the deadline")]
    NoAnswer,
}

impl From<AgentCallError> for AskFault {
    fn from(error: AgentCallError) -> Self {
        match error {
            AgentCallError::Deadline | AgentCallError::Refused => AskFault::NoAnswer,
            AgentCallError::Busy | AgentCallError::Down | AgentCallError::NotMine => AskFault::Down,
            AgentCallError::Ended { own } => AskFault::Ended { own },
        }
    }
}

/// A call as it leaves: admitted, with its bytes.
pub struct AdmittedOutgoing {
    /// What may be dispatched.
    pub dispatch: Dispatch,
    /// The bytes that travel; the gate runs on them again on the far side.
    pub bytes: Vec<u8>,
}

/// The four agents' addresses.
#[derive(Clone)]
pub struct AgentsPort {
    pub comms: Addr<CommsActor>,
    pub calendar: Addr<CalendarActor>,
    pub finance: Addr<FinanceActor>,
    pub wellness: Addr<WellnessActor>,
    /// For the far side's gate.
    pub clock: Clock,
}

async fn ask<T: AgentTools>(
    to: &Addr<AgentActor<T>>,
    ready: AdmittedOutgoing,
    input: IngestInput,
    clock: &Clock,
) -> Result<Vec<u8>, AskFault> {
    let message = AskAgent::<T>::new(ready.dispatch, ready.bytes, clock.wall(), input)?;
    // The question waits for room in the mailbox; the call's deadline is kept by the actor and, last of all, by the machine.
    match to.send(message).await {
        Ok(answer) => Ok(answer?),
        Err(MailboxError::Closed | MailboxError::Timeout) => Err(AskFault::Down),
    }
}

impl AgentsPort {
    /// Asks the agent whose tool it is; bytes of `toolresult.v1` come back.
    ///
    /// # Errors
    /// [`AskFault`]
    pub async fn ask(&self, ready: AdmittedOutgoing) -> Result<Vec<u8>, AskFault> {
        self.ingest(ready, IngestInput::default()).await
    }

    /// The same for an ingest, which is given something beside its call.
    ///
    /// # Errors
    /// [`AskFault`]
    pub async fn ingest(&self, ready: AdmittedOutgoing, input: IngestInput) -> Result<Vec<u8>, AskFault> {
        match ready.dispatch.call().tool().name().agent() {
            AgentName::Comms => ask(&self.comms, ready, input, &self.clock).await,
            AgentName::Calendar => ask(&self.calendar, ready, input, &self.clock).await,
            AgentName::Finance => ask(&self.finance, ready, input, &self.clock).await,
            AgentName::Wellness => ask(&self.wellness, ready, input, &self.clock).await,
            AgentName::Orchestrator => Err(AskFault::Down),
        }
    }

    /// Has an agent built anew with this.
    ///
    /// # Errors
    /// [`AskFault::Down`] when there is no room for that now.
    pub async fn set_up(&self, agent: AgentName, setup: AgentSetup) -> Result<(), AskFault> {
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
            Err(AskFault::Down)
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
