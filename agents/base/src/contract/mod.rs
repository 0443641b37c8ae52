//! The contract between the four agents and the program that runs them.
//!
//! What: the trait [`Agent`], its [`AgentSetup`], the trait of its kept state, and [`AgentTransport`] with what travels over it. Why: agents
//! depend on this module, and the registry of `agents` depends on the agents. Not here: an agent, the gate (`host`), actix (`actor`).

mod calendar_preferences;
mod csv_recognition;
mod finance_preferences;
mod kept_state;
mod setup;
mod transport;

pub use calendar_preferences::{CalendarPreferences, PreferenceOutOfBounds, TravelMode, place_key};
pub use csv_recognition::{
    ColumnRole, CsvAnswers, CsvQuestion, CsvRecognition, CsvSkippedRow, RecognisedColumn, TextEncoding,
};
pub use finance_preferences::{
    AmountColumns, CsvCharset, CsvMapping, DecimalSeparator, FinancePreferences, FixedOrColumn, RowCondition,
};
pub use kept_state::{KeptState, state_json};
pub use setup::{AgentSetup, OwnerProfile, SourcePaths};
pub use transport::{
    AgentCall, AgentCallError, AgentCheckpoint, AgentReply, AgentTransport, AnsweredCall, IngestInput,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    catalogue::shared::ThingNames,
    preview::TaskCount,
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

    /// Restores an `agent_state` that an earlier [`Agent::ingest`] or [`Agent::state_after_act`] returned.
    ///
    /// # Errors
    /// When it does not have this agent's shape; the agent then starts empty and reads its folders again.
    fn restore(&mut self, state: &Value) -> Result<(), AgentStateError>;

    /// What things are called that the restored state knows, as far as it is in memory. For the agent's next process, which goes on from that
    /// state: nobody else named what came by post.
    fn names(&self) -> ThingNames {
        ThingNames::new()
    }

    /// Takes up what an earlier process called things.
    fn take_names(&mut self, _names: ThingNames) {}

    /// Hands over signals; they are read at the next [`Agent::ingest`]. At most 1024 wait, the oldest are dropped and
    /// counted as skipped.
    fn accept(&mut self, signals: Vec<Signal>);

    /// Where the clock may be far ahead, ages of what the next [`Agent::ingest`] reads count up to `upto`, which is borne out. Nothing
    /// else is asked between.
    fn count_ages(&mut self, _upto: Option<Timestamp>) {}

    /// Reads the signals that were handed over; when `args` names none, also what is new in the folders. Items dated after `at` are left
    /// for later.
    fn ingest(&mut self, args: &IngestArgs, at: Timestamp) -> IngestResult;

    /// The places that events name without saying how far they are, the most frequent first. For the owner's page alone: no result of a tool
    /// names them.
    fn named_places(&self, _at: Timestamp) -> Vec<CalendarPlace> {
        Vec::new()
    }

    /// How many tasks were read. For the owner's page alone.
    fn open_tasks(&self, _at: Timestamp) -> TaskCount {
        TaskCount::default()
    }

    /// Whether it can say anything of now. What no state keeps is not known between a start and the first [`Agent::ingest`] behind it.
    fn is_ready(&self) -> bool {
        true
    }

    /// Proposes, from what was ingested. Pure.
    fn tick(&self, args: &TickArgs, at: Timestamp) -> TickResult;

    /// Carries out one of the agent's own tools: a result that fits the tool's schema, and effects to be performed.
    ///
    /// # Errors
    /// The tool's code when it cannot: the thing is unknown or over, or there is not enough data.
    fn act(&mut self, tool: &Tool, at: Timestamp) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode>;

    /// The `agent_state` after an [`Agent::act`] that changed it: it is journalled with the act's answer, so that what is acknowledged
    /// is kept. `None`: the act changed nothing that is kept.
    fn state_after_act(&mut self, _at: Timestamp) -> Option<Value> {
        None
    }
}

/// A place as the calendar names it. Not in a log: it is text from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalendarPlace {
    pub name: String,
    /// Events and series that come.
    pub events: u32,
}

/// An `agent_state` that cannot be restored.
#[derive(Debug, thiserror::Error)]
#[error("restore the state of {agent}")]
pub struct AgentStateError {
    pub agent: AgentName,
    /// What serde said.
    #[source]
    pub source: serde_json::Error,
}
