//! The states of one tick, and what each holds.
//!
//! What: [`MachinePhase`], one variant for each state (Deliberating has two: `Weighing` until the decision), with what was decided and what
//! is to be carried out. Why: what is valid in one state alone cannot be there in another. Not here: what outlives a tick (the parent
//! module), the transitions (`flow`).

use crate::event::{ActionReply, ModelFault, TickAnswer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeSet, sync::Arc};
use toolcall_schema::{
    ActionKind, Outcome, ReasonCode, StateName, Surface, Timestamp, ToolName,
    ids::TraceId,
    tick::{PerAgent, Subject, Trigger},
    trace::{CallRecord, Confirmation, Decision, Prompt, StaleTrigger, Trace},
};

/// A file of the owner's outbox, and its text; without a text it is taken out.
pub type OutboxChange = (String, Option<String>);

/// One of the seven states, with exactly what is valid in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", deny_unknown_fields)]
pub enum MachinePhase {
    /// Waiting for a trigger.
    Idle,
    /// Four agents were asked.
    Listening {
        /// The tick.
        tick: Tick,
        /// Counts up when a restart asks again.
        attempt: u32,
        /// 2000 ms after entry.
        deadline: Timestamp,
        /// Who answered.
        answers: PerAgent<TickAnswer>,
    },
    /// Deliberating, before the decision: the best candidates are as good as each other, and the model was asked which.
    Weighing {
        /// The tick.
        tick: Tick,
        /// As it was in Listening.
        attempt: u32,
        /// 1200 ms after entry: then the order of scores decides.
        until: Timestamp,
        /// Who answered what.
        answers: PerAgent<TickAnswer>,
        /// What the model was offered, best first.
        offered: Vec<(ActionKind, Subject)>,
    },
    /// Decided; waiting for the decision to be on disk.
    Deliberating {
        /// The tick.
        tick: Tick,
        /// 1500 ms after entry.
        deadline: Timestamp,
        /// What was decided.
        decided: Box<DeliberationResult>,
    },
    /// A prompt is open.
    AwaitingConfirm {
        /// The tick.
        tick: Tick,
        /// What was decided.
        decided: Box<DeliberationResult>,
        /// On which surfaces it was really shown.
        shown: BTreeSet<Surface>,
        /// Whether its token is spent and its window open: it was shown, or may have been before a crash.
        counted: bool,
    },
    /// The call is out (or waits for the redemption to be on disk).
    Executing {
        /// The tick.
        tick: Tick,
        /// What was decided.
        decided: Box<DeliberationResult>,
        /// 5000 ms after entry.
        deadline: Timestamp,
        /// False until the redemption is on disk.
        dispatched: bool,
        /// The owner's confirmation, where one was needed.
        confirm: Option<Confirmation>,
        /// The submissions that are answered when the redemption is on disk: at most [`ASKED_MAX`](super::ASKED_MAX).
        asked: Vec<u64>,
        /// The primary's answer.
        primary: Option<ActionReply>,
        /// The companion's answer.
        companion: Option<ActionReply>,
    },
    /// The trace is being kept.
    LoggingTrace {
        /// The tick.
        tick: Tick,
        /// 1000 ms after entry.
        deadline: Timestamp,
        /// Waiting for the model's sentence until then; absent: not waiting.
        sentence_until: Option<Timestamp>,
        /// What came of it.
        ended: Box<CompletedTick>,
    },
    Cooldown {
        /// 1000 ms after entry.
        until: Timestamp,
        /// What the tick put into the outbox: put there again after a crash, which changes nothing when it is there.
        outbox: Vec<OutboxChange>,
    },
}

impl MachinePhase {
    /// Its name.
    pub fn name(&self) -> StateName {
        match self {
            MachinePhase::Idle => StateName::Idle,
            MachinePhase::Listening { .. } => StateName::Listening,
            MachinePhase::Weighing { .. } | MachinePhase::Deliberating { .. } => StateName::Deliberating,
            MachinePhase::AwaitingConfirm { .. } => StateName::AwaitingConfirm,
            MachinePhase::Executing { .. } => StateName::Executing,
            MachinePhase::LoggingTrace { .. } => StateName::LoggingTrace,
            MachinePhase::Cooldown { .. } => StateName::Cooldown,
        }
    }
}

/// One pass Idle → … → Idle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tick {
    /// From 1.
    pub number: u64,
    /// Its trace.
    pub trace_id: TraceId,
    /// Why it started.
    pub trigger: Trigger,
    /// Triggers that had expired before it.
    pub stale: Vec<StaleTrigger>,
    /// States entered, and when (timeline).
    pub path: Vec<(StateName, Timestamp)>,
}

/// What Deliberating decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeliberationResult {
    /// The record.
    pub decision: Arc<Decision>,
    /// What to do; absent: nothing.
    pub plan: Option<ActionPlan>,
    /// Sentences offered to the model and its answer so far; empty when it is not asked.
    pub sentences: Vec<String>,
    /// The combination of kinds is in no rule of the policy: a model that may write may write about it.
    #[serde(default)]
    pub novel: bool,
    /// What the model said.
    pub said: Option<Result<ModelSentence, ModelFault>>,
}

/// A sentence of the model's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelSentence {
    /// Which of those offered, from 0.
    Offered(u8),
    /// Its own, checked.
    Written(String),
}

/// What is to be carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionPlan {
    /// The chosen action.
    pub primary: PlannedCall,
    /// Its companion on the same card.
    pub companion: Option<PlannedCall>,
    /// Where it may be answered; empty: nobody is asked.
    pub prompts: Vec<Prompt>,
    /// When each prompt ends, on the timeline, in the order of `prompts`.
    pub prompts_until: Vec<Timestamp>,
    /// Whether it is shown at all (not SILENT).
    pub surfaces: bool,
    /// Until when the card is worth showing (wall clock).
    pub valid_until_wall: Timestamp,
}

/// A call as it was pre-admitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedCall {
    /// The action.
    pub kind: ActionKind,
    /// About what.
    pub subject: Subject,
    /// The tool.
    pub tool: ToolName,
    /// Its normalised arguments.
    pub args: Arc<Value>,
    /// Their hash.
    pub args_hash: String,
}

/// What came of a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompletedTick {
    /// What was decided.
    pub decided: DeliberationResult,
    /// How it ended.
    pub outcome: Outcome,
    pub reason: Option<ReasonCode>,
    /// The calls that were sent.
    pub calls: Vec<CallRecord>,
    /// The owner's confirmation.
    pub confirm: Option<Confirmation>,
    /// Changes of the outbox, made once the trace is durable.
    pub outbox: Vec<OutboxChange>,
    /// The trace, once built.
    pub trace: Option<Arc<Trace>>,
    /// Its card may have been shown before a crash.
    pub perhaps_shown: bool,
}
