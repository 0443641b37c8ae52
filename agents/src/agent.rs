//! What every agent is: [`Agent`], and what it is given at start: [`Setup`].
//!
//! What: the one trait behind which the four agents stand, and [`build`]. Why: the host treats them alike, in this process
//! and in one of its own. Not here: frames and the gate (`host`), actix (`actor`), decisions about surfacing (the machine).

use chrono_tz::Tz;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
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

/// One of the four, that has read nothing. `None`: the orchestrator is none of them.
pub fn build(name: AgentName, setup: Setup) -> Option<Box<dyn Agent>> {
    match name {
        AgentName::Comms => Some(Box::new(crate::comms::Comms::new(setup))),
        AgentName::Calendar => Some(Box::new(crate::calendar::Calendar::new(setup))),
        AgentName::Finance => Some(Box::new(crate::finance::Finance::new(setup))),
        AgentName::Wellness => Some(Box::new(crate::wellness::Wellness::new(setup))),
        AgentName::Orchestrator => None,
    }
}

/// What an agent is given at start. Travels in the first frame to its process.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// For the keyed hashes of channels, items, events, transactions, merchants.
    pub key: Key,
    /// The owner.
    pub owner: Owner,
    /// Where to read.
    pub sources: Sources,
}

/// What the agents know about the owner (from the configuration).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// For Calendar.
    pub calendar: crate::calendar::Preferences,
    /// For Finance.
    pub finance: crate::finance::Preferences,
}

/// A known balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    /// How much.
    pub amount: Decimal,
    /// ISO 4217.
    pub currency: String,
    pub as_of: Timestamp,
}

/// The files and folders an agent reads. Each entry may be a file or a folder; a missing one is a counted skip.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    /// Mail: folders of `.eml` files, Maildirs, mbox files, or folders of all of these.
    pub mail: Vec<PathBuf>,
    /// Notification JSONL: one `signal.v1` of kind `notification` a line.
    pub notifications: Vec<PathBuf>,
    /// `.ics` files, or folders of them.
    pub calendar: Vec<PathBuf>,
    /// Bank SMS JSONL: one `signal.v1` of kind `bank_sms` or `transaction` a line.
    pub sms: Vec<PathBuf>,
    /// Statements (OFX, QFX, CSV) and journals (hledger, beancount), or folders of them.
    pub finance: Vec<PathBuf>,
    /// Mail in which shops send receipts: as `mail`.
    pub receipts: Vec<PathBuf>,
    /// JSONL (`hrv`, `sleep`, `activity` signals) and CSV.
    pub wellness: Vec<PathBuf>,
}

impl Sources {
    /// Only what one agent reads: the others' files are none of its business.
    #[must_use]
    pub fn of(&self, agent: AgentName) -> Self {
        let mut only = Self::default();
        match agent {
            AgentName::Comms => {
                only.mail.clone_from(&self.mail);
                only.notifications.clone_from(&self.notifications);
            }
            AgentName::Calendar => only.calendar.clone_from(&self.calendar),
            AgentName::Finance => {
                only.sms.clone_from(&self.sms);
                only.finance.clone_from(&self.finance);
                only.receipts.clone_from(&self.receipts);
            }
            AgentName::Wellness => only.wellness.clone_from(&self.wellness),
            AgentName::Orchestrator => {}
        }
        only
    }

    /// All of them.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        let lists = [
            &self.mail,
            &self.notifications,
            &self.calendar,
            &self.sms,
            &self.finance,
            &self.receipts,
            &self.wellness,
        ];
        lists.into_iter().flatten()
    }
}
