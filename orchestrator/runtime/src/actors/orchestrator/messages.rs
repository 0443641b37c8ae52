//! The messages that anybody may send to the orchestrator.
//!
//! What: one struct each, saying who sends it and how it is answered. Why: every public message to the orchestrator; the private ones stand in `orchestrator.rs`. Not here: what it does with them (the parent module), its messages to itself.

use crate::post_progress::PostOutcome;
use actix::Message;
use aura_memory::{SignalFate, SignalKey};
use aura_platform::{health::ServiceHealth, in_flight::InFlightGuard};
use orchestrator_machine::{
    EventKind, MachineEnv, MachineState,
    asks::AskOrigin,
    calls::{CallAnswer, CallRequest},
    effect::SubmissionVerdict,
};
use std::sync::Arc;
use tokio::sync::oneshot;
use toolcall_schema::{
    Outcome, ReasonCode, Surface, Timestamp,
    ids::{CardId, RequestId},
    names::SubmitAct,
    signal::AdmittedSignal,
    trace::{NextPossible, Trace},
};

/// Anybody: something happened. No reply.
#[derive(Message)]
#[rtype(result = "()")]
pub struct InjectEvent {
    pub what: EventKind,
    /// In flight until it is handled.
    pub ticket: InFlightGuard,
}

/// The control handler: another policy or other settings, whose texts were handed to the store before. No reply: they come into force
/// at the next Idle.
#[derive(Message)]
#[rtype(result = "()")]
pub struct ReloadSettings {
    /// With that policy and those settings.
    pub env: Arc<MachineEnv>,
    /// By which the settings are kept.
    pub settings_hash: String,
    /// In flight until it is handled.
    pub ticket: InFlightGuard,
}

/// Page and command line: the owner says when to be quiet. `reply` is told whether that is on disk.
#[derive(Message)]
#[rtype(result = "()")]
pub struct OwnerCommand {
    pub what: EventKind,
    /// Told once; dropped when the store takes nothing.
    pub reply: oneshot::Sender<bool>,
    /// In flight until it is handled.
    pub ticket: InFlightGuard,
}

/// The surfaces: the owner did something. The verdict comes through `reply`, within the machine's turn.
#[derive(Message)]
#[rtype(result = "()")]
pub struct SubmitCard {
    /// On which card.
    pub card_id: CardId,
    pub surface: Surface,
    pub act: SubmitAct,
    /// As submitted.
    pub capability: Option<String>,
    /// Told once.
    pub reply: oneshot::Sender<SubmissionVerdict>,
    /// In flight until it is handled.
    pub ticket: InFlightGuard,
}

/// Page and command line: somebody has a tool called, arguments checked. The outcome comes through `reply` when its trace is on disk.
#[derive(Message)]
#[rtype(result = "()")]
pub struct RequestCall {
    pub call: CallRequest,
    /// Told once; dropped when too many wait.
    pub reply: oneshot::Sender<CallAnswer>,
    /// In flight until it is handled.
    pub ticket: InFlightGuard,
}

/// Page and command line: a program takes back what it asked for. The outcome comes through `reply` when that is on disk.
#[derive(Message)]
#[rtype(result = "()")]
pub struct CancelAsk {
    /// The request that began it.
    pub id: RequestId,
    /// Which device asked, where one did.
    pub origin: Option<AskOrigin>,
    /// Told once; dropped when too many wait.
    pub reply: oneshot::Sender<CallAnswer>,
    /// In flight until it is handled.
    pub ticket: InFlightGuard,
}

/// The surfaces: signals came in, checked against `signal.v1`. `reply` is told what became of each, within 3 s.
#[derive(Message)]
#[rtype(result = "()")]
pub struct PostSignals {
    /// At most 256.
    pub signals: Vec<PostedSignal>,
    /// Told when each is read, with that on disk, or refused for good; at the latest after 3 s.
    pub reply: oneshot::Sender<PostOutcome>,
    /// In flight until it is handled.
    pub ticket: InFlightGuard,
}

/// One signal of a post.
#[derive(Debug, Clone)]
pub struct PostedSignal {
    /// By which it is known again.
    pub key: SignalKey,
    pub signal: AdmittedSignal,
    /// What the store says became of it when it was posted before.
    pub fate: Option<SignalFate>,
}

/// The surfaces and the command line: the state as it is. Replies at once.
#[derive(Message)]
#[rtype(result = "Box<StateSnapshot>")]
pub struct GetState;

/// What [`GetState`] sees.
pub struct StateSnapshot {
    /// The machine's state.
    pub state: Arc<MachineState>,
    /// The settings and hashes in force.
    pub env: Arc<MachineEnv>,
    /// Now, on the timeline.
    pub at: Timestamp,
    /// Counters and flags.
    pub health: ServiceHealth,
    /// What the last tick's trace says; `None`: the store has it.
    pub last_tick: Option<LastTick>,
}

/// What a page is told of the last tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastTick {
    /// Why it was silent, where something can be said later.
    pub silent: Option<ReasonCode>,
    /// When something may be said again at the earliest.
    pub next_possible: Option<NextPossible>,
}

impl LastTick {
    pub(crate) fn from_trace(trace: &Trace) -> Self {
        // What was put off has an hour of its own, before which other things may be said.
        let is_silent = trace.outcome == Outcome::Silent;
        Self {
            silent: trace.reason_code.filter(|_| is_silent),
            next_possible: trace.next_possible_at.clone().filter(|_| is_silent),
        }
    }
}

/// The surfaces: whether all is well, without the state. Replies at once.
#[derive(Message)]
#[rtype(result = "ServiceHealth")]
pub struct GetHealth;

/// The wiring: end after what is being handled.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Stop;
