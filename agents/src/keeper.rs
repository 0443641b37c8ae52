//! An agent that survives its own panics.
//!
//! What: [`Keeper`], around an [`AgentHost`]: catches a panic, discards the agent, builds it anew and restores its last
//! state. Why: crash-only; one bad item must not end the service, and a storm of crashes must not spin. Not here: actors
//! (`actor`), processes (`orchestrator::process`).

use crate::{
    agent::Agent,
    host::{AgentHost, Served},
};
use serde_json::Value;
use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};
use toolcall_schema::{AgentName, Authority, Timestamp, signal::Signal};

/// Builds an agent that has read nothing: at the start and after each panic.
pub type Build = Box<dyn Fn() -> Box<dyn Agent> + Send>;

/// This many panics ...
pub const MAX_PANICS: usize = 5;
/// ... within this many milliseconds, by the time of the asks, and the agent rests.
pub const WINDOW_MS: i64 = 10_000;
/// The first rest in milliseconds; it doubles with each further panic, up to [`MAX_REST_MS`].
pub const REST_MS: i64 = 1_000;
/// The longest rest in milliseconds.
pub const MAX_REST_MS: i64 = 60_000;
/// Signals that are handed over again after a panic.
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
    /// The agent panicked on this call, or rests after too many panics.
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

/// An agent with what is needed to build it again.
pub struct Keeper {
    build: Build,
    host: AgentHost,
    /// The last state that the agent gave out or was given.
    state: Option<Value>,
    /// Signals handed over since the last ingest.
    waiting: Vec<Signal>,
    /// When it panicked lately, by the time of the asks.
    panics: VecDeque<Timestamp>,
    rest_ms: i64,
    rests_until: Option<Timestamp>,
    restarts: Arc<AtomicU32>,
}

impl Keeper {
    /// Builds the agent and keeps it.
    pub fn new(build: Build) -> Self {
        let host = AgentHost::new(build());
        Self {
            build,
            host,
            state: None,
            waiting: Vec::new(),
            panics: VecDeque::new(),
            rest_ms: REST_MS,
            rests_until: None,
            restarts: Arc::default(),
        }
    }

    /// Which of the four.
    pub fn name(&self) -> AgentName {
        self.host.name()
    }

    /// How often the agent was built again; may be read from any thread.
    pub fn restarts(&self) -> Arc<AtomicU32> {
        self.restarts.clone()
    }

    /// Runs one raw call, see [`AgentHost::call`].
    ///
    /// # Errors
    /// `Refused` by the gate; `Down` when the agent panicked on it, or rests.
    pub fn call(&mut self, raw: &[u8], authority: Authority, at: Timestamp) -> Result<Vec<u8>, AskError> {
        if self.rests_until.is_some_and(|until| at < until) {
            return Err(AskError::Down);
        }
        self.rests_until = None;
        let host = &mut self.host;
        // Whatever the panic left half-done is discarded with the agent below.
        match catch_unwind(AssertUnwindSafe(|| host.call(raw, authority, at))) {
            Ok(Some(Served { bytes, state })) => {
                if let Some(state) = state {
                    self.state = Some(state);
                    self.waiting.clear();
                }
                Ok(bytes)
            }
            Ok(None) => Err(AskError::Refused),
            Err(_) => {
                self.panicked(at);
                Err(AskError::Down)
            }
        }
    }

    /// Hands signals over for the next ingest.
    pub fn deliver(&mut self, signals: Vec<Signal>) {
        let room = MAX_WAITING.saturating_sub(self.waiting.len());
        self.waiting.extend(signals.iter().take(room).cloned());
        self.host.deliver(signals);
    }

    /// Takes up a state.
    ///
    /// # Errors
    /// `State` when it is not of this agent's shape.
    pub fn restore(&mut self, state: Value) -> Result<(), AskError> {
        self.host.restore(&state).map_err(|_| AskError::State)?;
        self.state = Some(state);
        Ok(())
    }

    /// Builds the agent again and hands it what it had; rests when it happens too often.
    fn panicked(&mut self, at: Timestamp) {
        let restarts = self.restarts.fetch_add(1, Ordering::Relaxed) + 1;
        tracing::error!(agent = %self.name(), restarts, "the agent crashed, it is built anew from its last state");
        self.host = AgentHost::new((self.build)());
        if let Some(state) = &self.state {
            // It was given out by the same agent; should it not fit, the agent starts empty.
            if self.host.restore(state).is_err() {
                tracing::warn!(agent = %self.name(), "the agent's state cannot be restored, it starts empty");
            }
        }
        self.panics.push_back(at);
        self.panics.retain(|when| at.since(*when) < WINDOW_MS);
        if self.panics.len() < MAX_PANICS {
            self.rest_ms = REST_MS;
            self.host.deliver(self.waiting.clone());
            return;
        }
        // What it was handed may be what it dies of.
        tracing::error!(
            agent = %self.name(),
            rest_ms = self.rest_ms,
            signals = self.waiting.len(),
            "the agent crashes too often: it rests, and the signals that waited are dropped"
        );
        self.waiting.clear();
        self.rests_until = Some(at.plus_ms(self.rest_ms));
        self.rest_ms = (self.rest_ms * 2).min(MAX_REST_MS);
    }
}
