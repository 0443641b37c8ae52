//! Everything the machine remembers.
//!
//! What: [`MachineState`], serializable: what it knows, what waits, and in [`MachinePhase`] the tick that is under way. Why: the journal (or
//! a snapshot of this and the journal's tail) rebuilds it. Not here: how it changes (`step`).
//!
//! Instants: fields named `*_wall` are on the wall clock (they come from calendars and local times); all others are on
//! the machine's own timeline.

use crate::{
    asks::WaitingAsks, calls::RequestedCalls, effect::SubmissionVerdict, env::MachineEnv,
    later::PostponedCard, ledger::AttentionLedger, retry::CandidateRetry, rules_number::unrecorded,
};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use toolcall_schema::{
    ActionKind, AgentName, ReasonCode, Surface, Timestamp, WellnessState,
    ids::{CardId, ChannelHash, EventId, SignalId, TraceId},
    names::SubmitAct,
    rule::{GivenInstruction, OwnerRule},
    tick::{PerAgent, Subject, Trigger},
    trace::{Card, StaleTrigger},
};

mod phase;

pub use phase::{
    ActionPlan, CompletedTick, DeliberationResult, MachinePhase, ModelSentence, OutboxChange, PlannedCall,
    Tick,
};

/// Everything the machine remembers between two events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineState {
    /// The time of the last event.
    pub at: Timestamp,
    /// Wall clock minus timeline, milliseconds.
    pub wall_offset_ms: i64,
    /// The hashes in force; absent before the first start.
    pub started: Option<ConfigHashes>,
    /// What is to be in force from the next Idle on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reload: Option<PendingReload>,
    /// Ticks begun.
    pub ticks: u64,
    /// Ingests sent.
    pub ingests: u64,
    /// Which of the seven states.
    pub phase: MachinePhase,
    /// Triggers that wait: at most [`QUEUE_MAX`], one per (source, subject).
    pub queue: VecDeque<Trigger>,
    /// Triggers dropped because the queue was full.
    pub queue_dropped: u64,
    /// Expired triggers, for the next trace: at most [`STALE_MAX`].
    pub stale: Vec<StaleTrigger>,
    /// What is being read.
    pub intake: PerAgent<IngestState>,
    /// Calls that somebody asked for, beside the ticks.
    #[serde(default)]
    pub calls: RequestedCalls,
    /// What programs asked for, as candidates for ticks.
    #[serde(default, skip_serializing_if = "WaitingAsks::is_empty")]
    pub asks: WaitingAsks,
    /// What is known of the owner.
    pub known: OwnerContext,
    /// The attention ledger.
    pub ledger: AttentionLedger,
    /// What was shown or carried out in the last 36 hours.
    pub history: Vec<HistoryEntry>,
    /// Until when the window is closed.
    pub window_until: Option<Timestamp>,
    /// Muted channels and until when.
    pub mutes_wall: BTreeMap<ChannelHash, Timestamp>,
    /// Until when the owner paused Aura.
    pub paused_until_wall: Option<Timestamp>,
    /// The owner's rules.
    pub rules: Vec<OwnerRule>,
    /// Cards that ask nothing and are still worth showing.
    pub cards: Vec<OpenCard>,
    /// The last cards with what became of them, newest last: at most [`CLOSED_MAX`].
    pub closed: VecDeque<ClosedCard>,
    /// Courses that run (breathing, nap, leisure) and when they end.
    pub courses_wall: BTreeMap<TraceId, Timestamp>,
    /// Which surfaces are connected.
    pub surfaces: BTreeSet<Surface>,
    /// Whether the earbud has spoken since the phone's page connected.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub announced: bool,
    /// When the next interval trigger is due.
    pub interval_at: Timestamp,
    /// When the next brief is due.
    pub brief_wall: Timestamp,
    /// What the window held back and is tried again: at most [`crate::retry::RETRIES_MAX`].
    #[serde(default, alias = "retry", deserialize_with = "crate::retry::deserialize")]
    pub retries: Vec<CandidateRetry>,
    /// Until when no other safety prompt is shown after one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety_window_until: Option<Timestamp>,
    /// What the owner put off: at most [`crate::later::LATER_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<PostponedCard>,
    /// What the owner instructed lately, oldest first: at most [`crate::instructed::INSTRUCTED_MAX`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructed: Vec<GivenInstruction>,
}

/// At most this many triggers wait.
pub const QUEUE_MAX: usize = 256;
/// At most this many expired triggers are named in a trace.
pub const STALE_MAX: usize = 32;
/// At most this many answered cards are remembered.
pub const CLOSED_MAX: usize = 128;
/// At most this many repeats of a confirmation wait for it to be on disk.
pub const ASKED_MAX: usize = 8;
/// At most this many cards wait to be seen.
pub const CARDS_MAX: usize = 8;
/// At most this many events and alerts are remembered.
pub const EVENTS_MAX: usize = 512;
/// At most this many signal ids wait for an ingest of one agent.
pub const INTAKE_MAX: usize = 1024;

/// The hashes a start names, and the number of the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigHashes {
    /// Of the policy.
    pub policy: String,
    /// Of the catalogue.
    pub catalogue: String,
    /// Of the settings; empty in snapshots of before they were kept.
    #[serde(default)]
    pub settings: String,
    /// The number of the rules.
    #[serde(default = "unrecorded")]
    pub rules_number: u32,
}

/// A policy and settings that wait for the next Idle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PendingReload {
    /// Of the policy.
    pub policy: String,
    /// Of the settings.
    pub settings: String,
    /// Whether the shell was asked to put them into force.
    pub asked: bool,
}

/// What one agent's reading stands at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestState {
    /// Of the last answer.
    pub cursor: u64,
    /// The ingest that is waited for, and its deadline (2000 ms).
    pub asked: Option<(u64, Timestamp)>,
    /// The ingest that was waited for and did not answer in time; its answer still counts. Another one is asked for when it comes,
    /// when it is said to have failed, or, after the moment named here, at the next look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<(u64, Timestamp)>,
    /// Signals for the next one: while there are any, it reads these and no files.
    pub waiting: Vec<SignalId>,
    /// Whether a look at the files is wanted when the current ingest is over.
    pub again: bool,
    /// Ingests in a row that read signals while files had to wait.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub before_files: u8,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &u8) -> bool {
    *n == 0
}

/// What is known of the owner.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnerContext {
    /// The last load score.
    pub load_score: Option<u8>,
    /// The state as Wellness sees it.
    pub state: Option<WellnessState>,
    /// When score and state are known no more, unless something newer is read.
    #[serde(default)]
    pub state_until: Option<Timestamp>,
    /// The silence after entering RECOVERING.
    pub recovering_until: Option<Timestamp>,
    /// The newest burst, and when it was.
    pub burst: Option<(ChannelHash, Timestamp)>,
    /// A live do-not-disturb signal.
    pub dnd: Option<LiveDnd>,
    /// Events around now (wall clock).
    pub events_wall: BTreeMap<EventId, EventTimes>,
    /// When to think of leaving (wall clock).
    pub alerts_wall: BTreeMap<EventId, LeaveAlert>,
    /// When to prepare for meetings (wall clock).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub meetings_wall: BTreeMap<EventId, MeetingAlert>,
}

/// A do-not-disturb signal that is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveDnd {
    /// Until when (wall clock), if it said so.
    pub until: Option<Timestamp>,
}

impl OwnerContext {
    /// Nothing was read for too long: how the owner is is not known.
    pub(crate) fn clear_lapsed_state(&mut self) {
        (self.load_score, self.state, self.state_until) = (None, None, None);
    }

    /// The events that run at an instant (wall clock).
    pub fn running(&self, wall: Timestamp) -> impl Iterator<Item = &EventId> {
        let runs = move |times: &EventTimes| times.start <= wall && wall < times.end;
        self.events_wall
            .iter()
            .filter(move |(_, times)| runs(times))
            .map(|(id, _)| id)
    }

    /// When do not disturb ends by itself (wall clock), if it is on and said so.
    pub fn dnd_until(&self) -> Option<Timestamp> {
        self.dnd.and_then(|dnd| dnd.until)
    }
}

/// When an event runs (wall clock).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventTimes {
    pub start: Timestamp,
    pub end: Timestamp,
    /// Whether it is a focus block.
    pub focus: bool,
}

/// When to think of leaving (wall clock).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeaveAlert {
    /// 15 minutes before `leave_by`.
    pub alert_at: Timestamp,
    /// The last moment.
    pub leave_by: Timestamp,
    /// Whether `alert_at` has been acted on.
    pub done: bool,
}

/// When to prepare for a meeting (wall clock).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeetingAlert {
    /// 10 minutes before `start`.
    pub prepare_at: Timestamp,
    pub start: Timestamp,
    /// Whether `prepare_at` has been acted on.
    pub done: bool,
    /// What stood against it when it was asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<ReasonCode>,
}

/// Something that was shown or carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryEntry {
    pub kind: ActionKind,
    /// About what.
    pub subject: Subject,
    /// On which local day.
    pub day: NaiveDate,
    pub at: Timestamp,
}

/// How far back [`HistoryEntry`] counts, on the timeline: any local day is over by then.
const HISTORY_MS: i64 = 36 * 3_600_000;

impl HistoryEntry {
    /// Whether it still counts.
    pub fn is_recent(&self, at: Timestamp) -> bool {
        at.since(self.at) < HISTORY_MS
    }
}

/// A card that asks nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenCard {
    /// The card.
    pub card: Card,
    /// Its trace is durable.
    pub kept: bool,
    /// Handed to the surfaces: kept, and no cap stood in the way of its being seen.
    pub handed: bool,
    /// Really shown, or may have been before a crash.
    pub shown: bool,
    /// Whether the owner asked for the tick, or had put it off; then it is not proactive.
    pub asked_for: bool,
}

/// A card that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosedCard {
    /// The card.
    pub card_id: CardId,
    /// Its trace.
    pub trace_id: TraceId,
    /// What the owner did first; absent: its time ran out.
    pub answer: Option<AcceptedSubmission>,
    /// Feedback given after the answer ("Useful").
    pub useful: Option<SubmissionVerdict>,
    /// What it was about, where its agent learns from what the owner does with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<CardSubject>,
}

/// What a card is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardSubject {
    /// What it proposes.
    pub kind: ActionKind,
    /// About what.
    pub subject: Subject,
    /// When it was decided: what is forgotten by time goes by this.
    pub at: Timestamp,
}

/// A submission that counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedSubmission {
    /// What the owner did.
    pub act: SubmitAct,
    pub surface: Surface,
    /// What came with it: only who sends the same again gets the same verdict again.
    pub capability: Option<String>,
    /// What became of it.
    pub verdict: SubmissionVerdict,
    /// When (wall clock); absent in states of before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

impl MachineState {
    /// The state before anything happened.
    pub fn new(env: &MachineEnv, at: Timestamp) -> Self {
        let (day, _) = env.local(at);
        Self {
            at,
            wall_offset_ms: 0,
            started: None,
            reload: None,
            ticks: 0,
            ingests: 0,
            phase: MachinePhase::Idle,
            queue: VecDeque::new(),
            queue_dropped: 0,
            stale: Vec::new(),
            intake: AgentName::FOUR
                .iter()
                .map(|agent| (*agent, IngestState::default()))
                .collect(),
            calls: RequestedCalls::default(),
            asks: WaitingAsks::default(),
            known: OwnerContext::default(),
            ledger: AttentionLedger::new(day, env.settings.ceiling),
            history: Vec::new(),
            window_until: None,
            mutes_wall: BTreeMap::new(),
            paused_until_wall: None,
            rules: Vec::new(),
            cards: Vec::new(),
            closed: VecDeque::new(),
            courses_wall: BTreeMap::new(),
            surfaces: BTreeSet::new(),
            announced: false,
            interval_at: at.plus_ms(env.policy.interval_ms()),
            brief_wall: env.next_local(at, env.settings.brief.from),
            retries: Vec::new(),
            safety_window_until: None,
            later: Vec::new(),
            instructed: Vec::new(),
        }
    }

    /// The number of the rules that led to it: those of the last start.
    pub fn rules_number(&self) -> u32 {
        self.started
            .as_ref()
            .map_or(crate::RULES_NUMBER, |started| started.rules_number)
    }

    /// An instant of the timeline on the wall clock.
    pub fn wall(&self, at: Timestamp) -> Timestamp {
        at.plus_ms(self.wall_offset_ms)
    }

    /// An instant of the wall clock on the timeline.
    pub fn timeline(&self, wall: Timestamp) -> Timestamp {
        wall.plus_ms(-self.wall_offset_ms)
    }
}
