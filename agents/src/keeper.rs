//! An agent that survives its own panics.
//!
//! What: [`Keeper`], around an [`AgentHost`] in this process: catches a panic, discards the agent, builds it anew and hands
//! it what was [`Kept`]. Why: crash-only; one bad item must not end a recorded day. Not here: actors (`actor`), agents in
//! processes of their own and how often they are started again (`orchestrator::process`).

use crate::{
    actor::{Answer, Call, Place},
    agent::Agent,
    host::AgentHost,
};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use toolcall_schema::{AgentName, signal::Signal};

/// Builds an agent that has read nothing: at the start and after each panic.
pub type Build = Box<dyn Fn() -> Box<dyn Agent> + Send>;

/// Signals that are handed over again after a crash.
const MAX_WAITING: usize = 1024;

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The agent's queue is full.
    #[error("ask the agent: its queue is full")]
    Busy,
    /// No answer within the call's deadline.
    #[error("ask the agent: no answer before the deadline")]
    Deadline,
    /// The agent crashed on this call, rests after too many crashes, or the call is set aside.
    #[error("ask the agent: it crashed or rests after crashes")]
    Down,
    /// The agent's gate refused the call: by the rules there is no answer, the deadline is to pass.
    #[error("ask the agent: its gate refused the call")]
    Refused,
    /// The call is of another agent.
    #[error("ask the agent: the call is for another one")]
    NotMine,
    /// The state is not of this agent's shape; it starts empty.
    #[error("restore the agent: the state is not of its shape")]
    State,
}

/// What an agent is handed again when it is built anew.
#[derive(Debug, Default)]
pub struct Kept {
    /// As it was restored or journalled last.
    state: Option<Value>,
    /// Signals that no journalled ingest has read, oldest first.
    waiting: Vec<Signal>,
    /// So many of them were there when the last ingest was asked for.
    asked: usize,
}

impl Kept {
    /// The state of the agent's last journalled ingest.
    pub fn state(&self) -> Option<&Value> {
        self.state.as_ref()
    }

    /// The signals that no journalled ingest has read, at most 1024.
    pub fn waiting(&self) -> &[Signal] {
        &self.waiting
    }

    /// Those among them that the last ingest was to read.
    pub fn asked(&self) -> &[Signal] {
        self.waiting.get(..self.asked).unwrap_or_default()
    }

    /// The agent was given a state.
    pub fn restored(&mut self, state: Value) {
        self.state = Some(state);
    }

    /// The agent was handed signals.
    pub fn delivered(&mut self, signals: &[Signal]) {
        let room = MAX_WAITING.saturating_sub(self.waiting.len());
        self.waiting.extend(signals.iter().take(room).cloned());
    }

    /// An ingest is asked for: what waits now is what it reads.
    pub fn ingest_asked(&mut self) {
        self.asked = self.waiting.len();
    }

    /// The answer of the last ingest was journalled; `None`: its state is the one before.
    pub fn journalled(&mut self, state: Option<Value>) {
        self.state = state.or(self.state.take());
        self.waiting.drain(..self.asked.min(self.waiting.len()));
        self.asked = 0;
    }

    /// Lets go of signals that may be what the agent dies of.
    pub fn forget(&mut self, gone: impl Fn(&Signal) -> bool) {
        self.waiting.retain(|signal| !gone(signal));
        self.asked = 0;
    }
}

/// An agent in this process, with what is needed to build it again.
pub struct Keeper {
    build: Build,
    host: AgentHost,
    kept: Kept,
}

impl Keeper {
    /// Builds the agent and keeps it.
    pub fn new(build: Build) -> Self {
        let host = AgentHost::new(build());
        Self {
            build,
            host,
            kept: Kept::default(),
        }
    }

    /// Which of the four.
    pub fn name(&self) -> AgentName {
        self.host.name()
    }

    /// Builds the agent again and hands it what it had.
    fn build_again(&mut self) {
        tracing::error!(agent = %self.name(), "the agent crashed, it is built anew from its last state");
        self.host = AgentHost::new((self.build)());
        if let Some(state) = self.kept.state() {
            // It was given out by the same agent; should it not fit, the agent starts empty.
            if self.host.restore(state).is_err() {
                tracing::warn!(agent = %self.name(), "the agent's state cannot be restored, it starts empty");
            }
        }
        self.host.deliver(self.kept.waiting().to_vec());
    }
}

impl Place for Keeper {
    fn ask(&mut self, call: Call) -> Answer {
        if call.is_ingest() {
            self.kept.ingest_asked();
        }
        let (host, authority) = (&mut self.host, call.dispatch.authority());
        // Whatever the panic left half-done is discarded with the agent below.
        let answer = match catch_unwind(AssertUnwindSafe(|| host.call(&call.raw, authority, call.at))) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(AskError::Refused),
            Err(_) => {
                self.build_again();
                Err(AskError::Down)
            }
        };
        Answer::Now(answer)
    }

    fn deliver(&mut self, signals: Vec<Signal>) -> Result<(), AskError> {
        self.kept.delivered(&signals);
        self.host.deliver(signals);
        Ok(())
    }

    fn restore(&mut self, state: Value) -> Result<(), AskError> {
        self.host.restore(&state).map_err(|_| AskError::State)?;
        self.kept.restored(state);
        Ok(())
    }

    fn journalled(&mut self, state: Option<Value>) {
        self.kept.journalled(state);
    }
}
