//! The contract between the four agents and whoever runs them.
//!
//! What: the trait [`Agent`], its [`Setup`], the trait of its kept state, and [`AgentTransport`] with what travels over it. Why: agents
//! depend on this module, and [`crate::registry`] depends on the agents. Not here: an agent, the gate (`host`), actix (`actor`).

mod calendar_preferences;
mod finance_preferences;
mod kept_state;
mod setup;
mod transport;

pub use calendar_preferences::{CalendarPreferences, Mode, OutOfBounds};
pub use finance_preferences::{AmountColumns, Charset, CsvMapping, Decimals, FinancePreferences, Given};
pub(crate) use kept_state::KeptState;
pub use setup::{Balance, Owner, Setup, Sources};
pub use transport::{AgentTransport, Answer, AskError, Call, Checkpoint, IngestInput};

use serde_json::Value;
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    result::{ToolEffect, ToolErrorCode},
    signal::Signal,
    tick::{IngestArgs, IngestResult, TickArgs, TickResult},
};

/// One of the four agents: data in, proposals and results out. Total: no input makes it panic.
///
/// It reads the clock nowhere (`at` is given), writes nothing, opens no socket. Only [`Agent::ingest`] reads files.
pub trait Agent: Send + 'static {
    /// Which of the four.
    fn name(&self) -> AgentName;

    /// Takes up an `agent_state` that an earlier [`Agent::ingest`] gave out.
    ///
    /// # Errors
    /// When it is not of this agent's shape; the agent then starts empty and reads its folders anew.
    fn restore(&mut self, state: &Value) -> Result<(), StateError>;

    /// Hands over signals; they are read at the next [`Agent::ingest`]. At most 1024 wait, the oldest are dropped and
    /// counted as skipped.
    fn accept(&mut self, signals: Vec<Signal>);

    /// Where the clock may be far ahead, ages of what the next [`Agent::ingest`] reads count up to `upto`, which is borne out. Nothing
    /// else is asked between.
    fn count_ages(&mut self, _upto: Option<Timestamp>) {}

    /// Reads the signals that were handed over; when `args` names none, also what is new in the folders. Items dated after `at` are left
    /// for later.
    fn ingest(&mut self, args: &IngestArgs, at: Timestamp) -> IngestResult;

    /// Proposes, from what was ingested. Pure.
    fn tick(&self, args: &TickArgs, at: Timestamp) -> TickResult;

    /// Carries out one of the agent's own tools: a result that fits the tool's schema, and effects to be performed.
    ///
    /// # Errors
    /// The tool's code when it cannot: the thing is unknown or over, or there is not enough data.
    fn act(&mut self, tool: &Tool, at: Timestamp) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode>;
}

/// An `agent_state` that cannot be taken up.
#[derive(Debug, thiserror::Error)]
#[error("restore the state of {agent}")]
pub struct StateError {
    pub agent: AgentName,
    /// What serde said.
    #[source]
    pub source: serde_json::Error,
}
