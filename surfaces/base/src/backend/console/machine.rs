//! The machine as it is now.
//!
//! What: which of the seven states, since when, what it waits for, what is queued. Why: whoever waits for a decision sees what it waits
//! for. Not here: a capability: the console can answer nothing.

use crate::backend::owner::NextBrief;
use toolcall_schema::{
    ActionKind, StateName, Surface, Timestamp,
    tick::TriggerSource,
    timer::TimerName,
    trace::{LedgerView, StateVisit},
};

/// The machine.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineView {
    /// When this was put together (wall clock).
    pub at: Timestamp,
    /// The owner's time zone, an IANA name.
    pub zone: String,
    /// Which state.
    pub state: StateName,
    /// Since when; absent while idle: nothing is kept of when that began.
    pub since: Option<Timestamp>,
    /// When something happened last.
    pub last_event: Timestamp,
    /// The states of the running tick, in the order they were entered; empty while idle.
    pub path: Vec<StateVisit>,
    /// Why the running tick began.
    pub trigger: Option<TriggerSource>,
    /// What waits for a time, soonest first.
    pub timers: Vec<TimerView>,
    /// When the brief's timer really brings one.
    pub brief: NextBrief,
    /// What the owner is asked.
    pub pending: Option<PendingQuestion>,
    /// What waits to begin a tick, in order.
    pub queue: Vec<(TriggerSource, Timestamp)>,
    /// The attention ledger.
    pub ledger: LedgerView,
    /// Until when the owner paused Aura.
    pub paused_until: Option<Timestamp>,
    /// Whether do not disturb is on.
    pub dnd: bool,
    /// Where a page is open.
    pub surfaces: Vec<Surface>,
}

/// A question to the owner, without what would answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PendingQuestion {
    /// What is asked.
    pub kind: ActionKind,
    /// Whether it was shown anywhere yet.
    pub shown: bool,
}

/// Something that waits for a time (wall clock).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimerView {
    pub name: TimerName,
    pub at: Timestamp,
}
