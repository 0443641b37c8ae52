//! One tick, as its trace, the journal, the quarantine and the ledger keep it.
//!
//! What: [`TickView`], and [`TickReplay`], one event of it done again by the pure machine. Why: whoever asks why a tick was slow sees every
//! time that is kept of it, and no other. Not here: the picture (`render::waterfall`), folding (the backend).

use super::{LedgerDayRow, ProcessRestart, RefusedItem};
use serde_json::Value;
use toolcall_schema::{AgentName, StateName, SubmitAct, Surface, Timestamp, ids::TraceId, trace::Trace};

/// Everything that is kept of one tick, or of one call that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct TickView {
    /// When this was put together (wall clock).
    pub at: Timestamp,
    pub trace: Trace,
    /// Its events, in order; absent: the journal keeps them no more, or the clock was set since, so that they are not found by their time.
    pub events: Option<Vec<TickEvent>>,
    /// What was refused of it, newest first.
    pub refused: Vec<RefusedItem>,
    /// Its entries in the attention ledger, without what was free after each.
    pub ledger: Vec<LedgerDayRow>,
    /// Processes that were started again within [`NEAR_MS`] of it, oldest first.
    pub restarts: Vec<ProcessRestart>,
    /// The tick before.
    pub older: Option<TraceId>,
    /// The tick after.
    pub newer: Option<TraceId>,
}

/// How long before and after a tick a restart is told beside it.
pub const NEAR_MS: i64 = 60_000;

impl TickView {
    /// The same with those restarts that were near it.
    #[must_use]
    pub fn with_restarts(self, all: &[ProcessRestart]) -> Self {
        Self {
            restarts: restarts_near(&self.trace, all).copied().collect(),
            ..self
        }
    }
}

/// Those of `all` from [`NEAR_MS`] before a tick to as long after it.
pub fn restarts_near<'a>(
    trace: &Trace,
    all: &'a [ProcessRestart],
) -> impl Iterator<Item = &'a ProcessRestart> {
    let first = trace.state_path.first();
    let began = first.map_or(trace.decision.ts, |visit| visit.at);
    let near = began.plus_ms(-NEAR_MS)..=trace.ts.plus_ms(NEAR_MS);
    all.iter().filter(move |restart| near.contains(&restart.at))
}

/// An event of the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct TickEvent {
    /// Its number in the journal.
    pub seq: u64,
    /// When (wall clock).
    pub at: Timestamp,
    pub kind: TickEventKind,
    /// As the journal holds it, without what is private.
    pub json: Value,
}

/// Which of the events that belong to a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TickEventKind {
    /// An agent answered, or its failure was noticed.
    AgentAnswered { agent: AgentName, ending: AnswerEnding },
    /// The model said which of two equal candidates, or could not.
    TieBroken { ok: bool },
    /// What had to be on disk is, or is not.
    Committed { ok: bool },
    /// A card was really shown.
    Shown { surface: Surface },
    /// The owner did something with a card.
    Submitted { surface: Surface, act: SubmitAct },
    /// A tool answered.
    Executed { companion: bool, ok: bool },
    /// The model's sentence came, or why not.
    Sentence { ok: bool },
    /// The trace is on disk, or is not.
    TraceKept { ok: bool },
    /// A call was asked for.
    Requested,
    /// Aura itself was started again in the middle of it.
    Restarted,
}

/// How an agent's answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerEnding {
    Answered,
    /// It is down, or said that it could not.
    Failed,
    /// The gate refused what it said.
    Rejected,
}

/// What became of a wish to do a tick again.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplayAnswer {
    Replayed(Box<TickReplay>),
    /// Its events are gone, or other rules held then.
    NotKept,
    /// There are too many events before it for the time that a page waits.
    TooLong,
}

/// A tick done again, event by event, and one of its events in full.
#[derive(Debug, Clone, PartialEq)]
pub struct TickReplay {
    /// All that happened from its first event until the machine was at rest; never empty, at most [`REPLAY_STEPS_MAX`].
    pub steps: Vec<ReplayedStep>,
    /// Which of them the rest is about.
    pub chosen: usize,
    /// The event as the journal holds it, without what is private.
    pub event: Value,
    /// The machine's state before it, without what is private.
    pub before: Value,
    /// And after it.
    pub after: Value,
    /// What the machine asked to be done.
    pub effects: Vec<ReplayedEffect>,
}

/// Events of one replay; what follows is left out.
pub const REPLAY_STEPS_MAX: usize = 64;

/// One event of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayedStep {
    /// Its number in the journal.
    pub seq: u64,
    /// When (wall clock).
    pub at: Timestamp,
    /// Its name in the journal.
    pub name: String,
    /// The state it led to.
    pub state: StateName,
}

/// Something that the machine asked to be done.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayedEffect {
    /// Its name.
    pub name: &'static str,
    /// With what: ids, names of ours and numbers.
    pub detail: Value,
}
