//! Everything that can happen to the machine: one closed enum.
//!
//! What: [`MachineEvent`], with its time. Why: all that can wake the machine is on one screen, and the journal of it rebuilds
//! the state. Not here: what is done about it (`step`). Events hold no text from outside.

use crate::{asks::AskOrigin, rules_number::unrecorded};
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use toolcall_schema::ModelFault;
use toolcall_schema::{
    AgentName, Surface, Timestamp, ToolName,
    ids::{CardId, RequestId, SignalId, TraceId},
    names::SubmitAct,
    result::{ToolEffect, ToolErrorCode},
    rule::{OwnerRule, RuleName},
    signal::SignalKind,
    tick::{IngestFact, TickResult},
    trace::Asker,
};

/// Something that happened, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineEvent {
    /// On the machine's own timeline, which never goes back. The wall clock is this plus an offset that only
    /// [`EventKind::Started`] and [`EventKind::ClockSet`] change.
    pub at: Timestamp,
    /// What happened.
    pub what: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum EventKind {
    /// The shell started, for the first time or after a stop or crash. Sent once, first.
    Started {
        /// The wall clock.
        wall: Timestamp,
        /// Of the policy now in force.
        policy_hash: String,
        /// Of the catalogue now in force.
        catalogue_hash: String,
        /// Of the settings now in force; empty in journals of before they were kept.
        #[serde(default)]
        settings_hash: String,
        /// The last tick whose trace is kept, in the store or as a raw file; the journal may have lost it. 0: none.
        #[serde(default)]
        kept_ticks: u64,
        /// The [`crate::RULES_NUMBER`] of the build that started.
        #[serde(default = "unrecorded")]
        rules_number: u32,
    },
    /// The wall clock jumped by more than a second.
    ClockSet {
        /// The wall clock now.
        wall: Timestamp,
    },
    /// A deadline may have passed.
    Time,
    /// Signals came in and are offered to their agents.
    SignalsSeen {
        /// Without payload.
        signals: Vec<SeenSignal>,
    },
    /// The phone was unlocked.
    PhoneUnlocked,
    /// Do not disturb was switched.
    Dnd {
        /// On or off.
        active: bool,
        /// When it ends by itself (wall clock).
        until: Option<Timestamp>,
    },
    /// An agent's folders changed.
    #[serde(rename = "poked")]
    SourcesChanged { agent: AgentName },
    /// The answer to an ingest.
    Ingested {
        agent: AgentName,
        /// Which ingest.
        number: u64,
        /// Absent: it failed or its answer was refused.
        answer: Option<IngestedFacts>,
    },
    /// The answer to a tick call.
    TickAnswered {
        agent: AgentName,
        /// Which tick.
        tick: u64,
        /// Which attempt at it.
        attempt: u32,
        /// The answer.
        answer: TickAnswer,
    },
    /// The answer to [`crate::effect::Effect::Commit`].
    Committed {
        /// Which tick asked.
        tick: u64,
        /// Whether everything up to the asking event is on disk.
        ok: bool,
    },
    /// The answer to the chosen action's call.
    Executed {
        /// Which tick.
        tick: u64,
        /// Primary or companion.
        slot: CallSlot,
        /// The answer.
        reply: ActionReply,
    },
    /// Somebody other than an agent's tick has a tool called.
    CallRequested {
        /// To whom the outcome goes.
        request: u64,
        /// The request: the same again gets the first outcome.
        id: RequestId,
        /// Who asks.
        asker: Asker,
        /// Which device, where one asks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<AskOrigin>,
        /// Which tool.
        tool: ToolName,
        /// Its arguments.
        args: Value,
        /// For how many minutes it waits where the owner has to confirm it, 1 to 1440; absent: an hour.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait_min: Option<u16>,
    },
    /// A program takes back what it asked for.
    AskCancelled {
        /// To whom the outcome goes.
        request: u64,
        /// The request that began it.
        id: RequestId,
        /// Which device, where one asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<AskOrigin>,
    },
    /// The answer to [`crate::effect::Effect::CommitCall`].
    CallCommitted {
        /// Which call.
        call: u64,
        /// Whether everything up to the asking event is on disk.
        ok: bool,
    },
    /// The answer to a call that was asked for.
    CallExecuted {
        /// Which call.
        call: u64,
        /// The answer.
        reply: ActionReply,
    },
    /// The answer to [`crate::effect::Effect::KeepTrace`].
    TraceKept {
        /// Which trace.
        trace_id: TraceId,
        /// Whether it is on disk, with everything before it.
        ok: bool,
    },
    /// The model answered.
    Rationale {
        /// For which tick.
        tick: u64,
        /// Which of the offered sentences (from 0), or why none.
        pick: Result<u8, ModelFault>,
    },
    /// The model wrote a sentence of its own about a novel combination of kinds, and it passed the fact check.
    Wrote {
        /// For which tick.
        tick: u64,
        /// At most 500 characters; no text from outside.
        sentence: String,
    },
    /// The model answered which of some candidates that are as good as each other is the one.
    TieBroken {
        /// For which tick.
        tick: u64,
        /// Which of those offered (from 0), or why none: then the order of scores decides.
        pick: Result<u8, ModelFault>,
    },
    /// The first page (or device) of a surface connected.
    Connected { surface: Surface },
    /// The last one of a surface went.
    Disconnected { surface: Surface },
    /// A card was really shown.
    Shown { card_id: CardId, surface: Surface },
    /// A surface forwards what the owner did.
    Submitted {
        /// To whom the verdict goes.
        request: u64,
        /// On which card.
        card_id: CardId,
        surface: Surface,
        act: SubmitAct,
        /// As submitted: at most 64 hexadecimal digits are looked at.
        capability: Option<String>,
    },
    /// The owner asked for a tick.
    OwnerTick,
    /// The owner paused Aura, or ended the pause.
    Paused {
        /// Until when (wall clock); absent: no longer.
        until: Option<Timestamp>,
    },
    /// The owner set a rule (replacing one of the same name).
    RuleSet {
        /// The rule.
        rule: OwnerRule,
    },
    /// The owner removed a rule.
    RuleRemoved {
        /// Its name.
        name: RuleName,
    },
    /// The owner's files were read again: another policy, other settings or both are to be taken into force at the next
    /// Idle. Their texts are kept by these hashes.
    Reloaded {
        /// Of the policy.
        policy_hash: String,
        /// Of the settings.
        settings_hash: String,
    },
    /// The answer to [`crate::effect::Effect::Adopt`]: from this event on `env` is the one that was asked for.
    Adopted,
    /// The owner set the ceiling.
    CeilingSet {
        /// 0 to 5.
        ceiling: u8,
    },
}

/// What the journal holds of a signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenSignal {
    /// Its id.
    pub id: SignalId,
    /// Its kind.
    pub kind: SignalKind,
    /// When it happened (wall clock).
    pub at: Timestamp,
    /// Keyed hash of its bytes.
    pub hash: String,
}

/// What an ingest brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestedFacts {
    /// To be given back.
    pub cursor: u64,
    /// What the agent says.
    pub facts: Vec<IngestFact>,
    /// Whether its files hold more that it has not read: it is asked again at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// How an agent answered a tick call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TickAnswer {
    /// With a result that passed its schema.
    Answered(TickResult),
    /// It is down, or said that it could not.
    Failed,
    /// With a result that did not pass.
    Rejected,
}

/// Which of a tick's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallSlot {
    /// The chosen action.
    Primary,
    /// Its companion on the same card.
    Companion,
}

/// How the tool of the chosen action answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionReply {
    /// With a result that passed its schema.
    Done {
        /// The result.
        result: Value,
        /// What it asks for.
        effects: Vec<ToolEffect>,
    },
    /// It could not, or its agent is down.
    Failed(Option<ToolErrorCode>),
    /// With a result that did not pass.
    Rejected,
}
