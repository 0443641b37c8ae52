//! How the service is.
//!
//! What: its parts, queues, counters and store as they are now. Why: one look says whether something is wrong, and where. Not here: the
//! same over time (`/metrics`).

use crate::backend::types::HealthFlag;
use toolcall_schema::{AgentName, Timestamp, process_end::ProcessEndCause};

/// The service as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceOverview {
    /// When this was put together (wall clock).
    pub at: Timestamp,
    /// The owner's time zone, an IANA name.
    pub zone: String,
    /// Of the program.
    pub version: &'static str,
    /// SHA-256 of the policy in force.
    pub policy_hash: String,
    /// SHA-256 of the catalogue in force.
    pub catalogue_hash: String,
    /// Health problems; empty: healthy.
    pub health: Vec<HealthFlag>,
    /// What went wrong since the start.
    pub counters: ServiceCounters,
    /// The service itself first, then the agents, then the model.
    pub parts: Vec<ProcessView>,
    /// When which of them was started again, oldest first, as far as that is remembered.
    pub restarts: Vec<ProcessRestart>,
    /// What waits where.
    pub queues: Vec<QueueView>,
    /// What is kept.
    pub store: StoreView,
    /// What the kernel enforces on the agents, in words of ours.
    pub sandbox: String,
}

/// Since the start of the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServiceCounters {
    /// Calls that the gate refused.
    pub refused_calls: u64,
    /// Results that it refused.
    pub refused_results: u64,
    /// What was refused and could not be kept.
    pub refusals_lost: u64,
    /// Commits that the disk did not take.
    pub failed_commits: u64,
    /// Traces kept as files because the store was slow.
    pub raw_traces: u64,
    /// Events that came too late to mean anything.
    pub ignored: u64,
    /// Jumps of the wall clock.
    pub clock_jumps: u64,
    /// Items that agents could not read.
    pub skipped: u64,
}

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessView {
    pub name: ProcessName,
    /// Its status.
    pub standing: ProcessStatus,
    /// Its number; absent while there is none.
    pub pid: Option<u32>,
    /// How often it was started again.
    pub restarts: u64,
    /// How the last one ended.
    pub last_end: Option<ProcessEndView>,
    /// What it holds in memory, in KiB; absent where the kernel does not say.
    pub memory_kib: Option<u64>,
}

/// A process that failed and was started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessRestart {
    pub name: ProcessName,
    /// When its end was noticed (wall clock).
    pub at: Timestamp,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessEndView {
    pub cause: ProcessEndCause,
    /// Where it ended by itself.
    pub exit_code: Option<i32>,
    /// Where a signal ended it.
    pub signal: Option<i32>,
}

/// Whose process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessName {
    /// The service itself.
    Service,
    /// One of the four.
    Agent(AgentName),
    /// The language model's.
    Model,
}

/// The status of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessStatus {
    /// It runs.
    Running,
    /// It is being started.
    Starting,
    /// It failed too often and rests.
    Resting,
    /// Its owner turned it off.
    Off,
    /// It cannot run: its file or its program is not there.
    Missing,
}

/// A queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueView {
    pub name: QueueName,
    /// What waits, or is being handled.
    pub waiting: usize,
    /// More than this is refused.
    pub bound: usize,
    /// What was refused or dropped since the start, where it is counted.
    pub lost: Option<u64>,
}

/// Which queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueName {
    /// Triggers that wait for the machine to be idle.
    Triggers,
    /// Events to the machine.
    Machine,
    /// Writes to the store.
    Memory,
    /// Changes to be told to pages.
    Surfaces,
    /// Questions to the model.
    Model,
}

/// The store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreView {
    /// The database and its log on disk.
    pub bytes: u64,
    /// Ticks begun since the folder was made.
    pub ticks: u64,
    /// Events of the journal.
    pub events: u64,
    pub traces: u64,
    /// Rows of the attention ledger.
    pub ledger: u64,
}
