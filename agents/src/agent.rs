//! What every agent is: [`Agent`], and what it is given at start: [`Setup`].
//!
//! What: the one trait behind which the four agents stand. Why: the host, the actor and later the sandboxed child treat
//! them alike. Not here: frames and the gate (`host`), actix (`actor`), decisions about surfacing (the machine).

use chrono_tz::Tz;
use rust_decimal::Decimal;
use serde_json::Value;
use std::path::PathBuf;
use toolcall_schema::{
    AgentName, Timestamp, Tool,
    ids::Key,
    result::{ToolEffect, ToolErrorCode},
    signal::{Location, Signal},
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

    /// Reads what was handed over and what is new in the folders. Items dated after `at` are left for later.
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
    /// Whose.
    pub agent: AgentName,
    /// What serde said.
    #[source]
    pub source: serde_json::Error,
}

/// What an agent is given at start.
#[derive(Debug, Clone)]
pub struct Setup {
    /// For the keyed hashes of channels, items, events, transactions, merchants.
    pub key: Key,
    /// The owner.
    pub owner: Owner,
    /// Where to read.
    pub sources: Sources,
}

/// What the agents know about the owner (from the configuration).
#[derive(Debug, Clone)]
pub struct Owner {
    /// The owner's time zone.
    pub zone: Tz,
    /// The owner's mail addresses, for mentions, attendance and answers.
    pub addresses: Vec<String>,
    /// Names by which others mention the owner, e.g. `rohan`.
    pub names: Vec<String>,
    /// Where the owner is when no location signal said otherwise.
    pub home: Option<Location>,
    /// Minutes kept free before leaving. Default 15.
    pub buffer_min: u32,
    /// Minutes of sleep the owner wants. Default 420.
    pub sleep_target_min: u32,
    /// Median and 10th percentile of the owner's RMSSD in milliseconds, until the history knows better.
    /// Default 42 and 24 (population).
    pub rmssd_p50_p10: (f64, f64),
    /// The account's balance at an instant, for the forecast.
    pub balance: Option<Balance>,
}

/// A known balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// How much.
    pub amount: Decimal,
    /// ISO 4217.
    pub currency: String,
    /// When.
    pub as_of: Timestamp,
}

/// The files and folders an agent reads. Each entry may be a file or a folder; a missing one is a counted skip.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Folders of `.eml` files.
    pub mail: Vec<PathBuf>,
    /// Notification JSONL: one `signal.v1` of kind `notification` a line.
    pub notifications: Vec<PathBuf>,
    /// `.ics` files, or folders of them.
    pub calendar: Vec<PathBuf>,
    /// Bank SMS JSONL: one `signal.v1` of kind `bank_sms` or `transaction` a line.
    pub sms: Vec<PathBuf>,
    /// JSONL (`hrv`, `sleep`, `activity` signals) and CSV.
    pub wellness: Vec<PathBuf>,
}
