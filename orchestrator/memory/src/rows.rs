//! What is written: one type per table, and [`StoreWrite`] over them.
//!
//! What: the rows that go in and come out. Why: a row that the tables would refuse cannot be written down. Not here: the
//! transaction (`writer`), what a row's JSON means (`toolcall-schema`, `orchestrator-machine`).

use crate::{
    audit::AuditEntry,
    draft_change::DraftChange,
    erase::{JournalCheckpoint, UnfinishedErasure},
    graph::{GraphEdge, GraphNode, NodeKey},
    run_write::RunWrite,
    signals::ReadSignal,
};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use toolcall_schema::{
    AgentName, Outcome, QuarantineKind, Timestamp,
    agent_state::{JournalledState, StateRow},
    ids::TraceId,
    ledger::LedgerEntry,
    names::ActionKind,
    trace::Trace,
};

/// The rows that keep an agent's state: it whole, and what changed since, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentStateRows {
    pub whole: String,
    /// JSON merge patches.
    pub changes: Vec<String>,
}

impl AgentStateRows {
    /// # Errors
    /// When one of them is no JSON.
    pub fn to_state(&self) -> Result<JournalledState, serde_json::Error> {
        JournalledState::from_rows(&self.whole, &self.changes)
    }
}

/// The trace of one tick, or of one call that was asked for, with the columns it is found by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceRow {
    /// The trace.
    pub trace_id: TraceId,
    /// The tick's number, the order of listing; of a call, the last tick that had begun.
    pub tick: u64,
    /// The call's own number; `None`: it is a tick's trace.
    pub call: Option<u64>,
    /// When it was completed, milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// How it ended.
    pub outcome: Outcome,
    /// What was chosen; `None`: nothing.
    pub chosen: Option<ActionKind>,
    /// `trace.v1`.
    pub json: String,
}

impl TraceRow {
    /// The row of a trace; `json` is what is kept and must be its serialization.
    pub fn from_trace(trace: &Trace, json: String) -> Self {
        Self {
            trace_id: trace.trace_id.clone(),
            tick: trace.decision.tick,
            call: trace.decision.call.map(|call| call.number),
            at_ms: trace.ts.ms(),
            outcome: trace.outcome,
            chosen: trace.decision.chosen.as_ref().map(|chosen| chosen.kind),
            json,
        }
    }

    /// The key of its row: a tick's number, or a call's below zero, so that the two never meet.
    pub(crate) fn key(&self) -> i64 {
        self.call.map_or_else(|| to_sql(self.tick), |call| -to_sql(call))
    }
}

/// The tick and the call that a row's key and document stand for; `None` when the document is no trace.
pub(crate) fn numbers(key: i64, json: &str) -> Option<(u64, Option<u64>)> {
    #[derive(serde::Deserialize)]
    struct TraceDocument {
        decision: NumberedDecision,
    }
    #[derive(serde::Deserialize)]
    struct NumberedDecision {
        tick: u64,
    }
    if key > 0 {
        return Some((from_sql(key), None));
    }
    let document: TraceDocument = serde_json::from_str(json).ok()?;
    Some((document.decision.tick, Some(key.unsigned_abs())))
}

/// One row of the attention ledger. (day, seq, entry, trace) is its key: writing it again changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerRow {
    /// The event it follows from.
    pub seq: u64,
    /// The owner's local day whose account it is.
    pub day: NaiveDate,
    /// The trace it belongs to; `None` for the ceiling and what it forfeits.
    pub trace_id: Option<TraceId>,
    /// What it does.
    pub entry: LedgerEntry,
    /// How many tokens.
    pub tokens: u8,
    /// When, milliseconds since 1970 UTC.
    pub at_ms: i64,
}

/// The number of what [`StoreWrite`]s hold, which stands in each entry of a log outside the process. It is raised by every change after which an older build
/// would not read all of what this one writes: another write, event or field.
pub const WRITES_FORMAT: u32 = 1;

/// One thing to write. What goes in one group to [`crate::Store::write`] is in one transaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum StoreWrite {
    /// One event of the journal.
    Event {
        /// Its number: the one that follows, see [`crate::RecoveredState::next_seq`].
        seq: u64,
        /// Its time, milliseconds since 1970 UTC.
        at_ms: i64,
        /// The event.
        json: String,
    },
    /// The machine's state after the event `seq`; replaces an older one.
    Snapshot {
        /// The last event it holds.
        seq: u64,
        /// The state.
        json: String,
    },
    /// A state that the journal goes on from whatever the events before it would lead to; replaces one of the same event.
    Base(JournalCheckpoint),
    /// An erasure that has begun, in place of what was kept of it; `None`: it is done.
    Erasing(Option<Box<UnfinishedErasure>>),
    /// `decision.v1`; the first one of a trace stays.
    Decision {
        /// The trace it becomes.
        trace_id: TraceId,
        /// The decision.
        json: String,
    },
    /// `trace.v1`; the first one of a tick stays: a trace never changes.
    Trace(TraceRow),
    /// A row of the attention ledger.
    Ledger(LedgerRow),
    /// `agent_state.v1`; replaces the agent's last one with its changes.
    AgentState {
        agent: AgentName,
        /// The state: ids and numbers, no text.
        json: String,
    },
    /// What changed in an agent's state since the one before: see [`JournalledState`].
    AgentStateChange {
        agent: AgentName,
        /// From 1, since it was written whole.
        number: u32,
        /// A JSON merge patch.
        json: String,
    },
    /// The text of a policy that a trace names by its hash.
    Policy {
        /// SHA-256 of the text, 64 hexadecimal digits.
        hash: String,
        /// The policy.
        text: String,
    },
    /// A node of the graph, or the same one as it is now.
    Node {
        /// The node.
        node: GraphNode,
        /// A sentence it is found by.
        sentence: Option<String>,
    },
    /// What the owner calls a thing; `None` takes the name away.
    Label {
        /// The thing: a node's key, or a chat's hash.
        of: NodeKey,
        /// The name, at most 80 characters.
        text: Option<String>,
        /// When it was said.
        at: Timestamp,
    },
    /// A paired device as it is now; `None`: it is let in no more.
    Device {
        /// Its id.
        id: String,
        /// What is kept of it: its secret's hash, never the secret.
        json: Option<String>,
    },
    /// A part of an account on a server, as it is now; `None`: it is forgotten. Made by [`crate::accounts::AccountEntry`].
    Account {
        account: String,
        part: String,
        sealed: Option<Vec<u8>>,
    },
    /// Up to when time is borne out; replaces what was kept of it.
    ConfirmedTime {
        /// What the service made of the clock so far.
        json: String,
    },
    /// A posted signal that is done with; the first row of a signal stays.
    Signal(ReadSignal),
    /// A file of the owner's outbox, put or, without a text, taken out before the transaction is committed.
    Outbox { name: String, text: Option<String> },
    /// What its owner did with a draft, for whoever follows the log: changed before the transaction is committed.
    DraftChange(DraftChange),
    /// A line of the quarantine, for whoever follows the log: here it is in its file already.
    QuarantineLine { kind: QuarantineKind, line: String },
    /// Something of a workflow's run, for whoever follows the log. Whoever lost the race for a number is told by reading it.
    Run(RunWrite),
    /// An edge of the graph; between nodes that are not there it is nothing.
    Edge(GraphEdge),
    /// The lock of the catalogue that is in force from now on; the one that was written last counts.
    Catalogue {
        /// SHA-256 of the catalogue, 64 hexadecimal digits.
        hash: String,
        /// Its lock.
        lock: String,
    },
    /// A record of the audit log. A trace that is kept has one without being asked for.
    Audit(AuditEntry),
    /// The head of the audit log up to here; nothing when nothing was recorded since the last one.
    Head {
        /// The owner's local day that it closes.
        day: NaiveDate,
    },
}

impl StoreWrite {
    /// The row by which an agent's state is kept, where the one before it is.
    pub fn agent_state(agent: AgentName, state: &JournalledState) -> Self {
        match state.row() {
            StateRow::Whole(json) => Self::AgentState { agent, json },
            StateRow::Change { number, json } => Self::AgentStateChange { agent, number, json },
        }
    }

    /// Which record of its kind it is, for a log.
    pub(crate) fn record_name(&self) -> String {
        if let StoreWrite::Decision { trace_id, .. } = self {
            format!("decision {}", trace_id.as_str())
        } else if let StoreWrite::Trace(row) = self {
            format!("trace {}", row.trace_id.as_str())
        } else {
            "another record".to_owned()
        }
    }

    /// How many bytes of text it carries.
    pub fn bytes(&self) -> usize {
        match self {
            StoreWrite::Event { json, .. }
            | StoreWrite::Snapshot { json, .. }
            | StoreWrite::Base(JournalCheckpoint { json, .. })
            | StoreWrite::Decision { json, .. }
            | StoreWrite::AgentState { json, .. }
            | StoreWrite::AgentStateChange { json, .. }
            | StoreWrite::ConfirmedTime { json }
            | StoreWrite::Trace(TraceRow { json, .. }) => json.len(),
            StoreWrite::Policy { text, .. } => text.len(),
            StoreWrite::Catalogue { lock, .. } => lock.len(),
            StoreWrite::Node { sentence, .. } => sentence.as_ref().map_or(0, String::len),
            StoreWrite::Label { text, .. } | StoreWrite::Outbox { text, .. } => {
                text.as_ref().map_or(0, String::len)
            }
            StoreWrite::Device { json, .. } => json.as_ref().map_or(0, String::len),
            StoreWrite::Account { sealed, .. } => sealed.as_ref().map_or(0, Vec::len),
            StoreWrite::DraftChange(change) => change.bytes(),
            StoreWrite::QuarantineLine { line, .. } => line.len(),
            StoreWrite::Run(RunWrite::Append { json, .. }) => json.len(),
            // Its own bounds are those of what it names.
            StoreWrite::Erasing(_) | StoreWrite::Run(RunWrite::GoesOn { .. }) => 0,
            StoreWrite::Ledger(_)
            | StoreWrite::Signal(_)
            | StoreWrite::Edge(_)
            | StoreWrite::Audit(_)
            | StoreWrite::Head { .. } => 0,
        }
    }
}

/// A number as `SQLite` holds it. Counters never reach 2^63; were one to, it would stay there.
pub(crate) fn to_sql(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// The way back, for counters, which are never negative.
pub(crate) fn from_sql(n: i64) -> u64 {
    u64::try_from(n).unwrap_or_default()
}
