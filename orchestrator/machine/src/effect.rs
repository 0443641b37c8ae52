//! What the machine asks the shell to do.
//!
//! What: [`Effect`], data performed in order by one function of the shell. Why: what happens can be tested without its
//! happening. Not here: performing (`aura_runtime::executor`).

use crate::{calls::CallAnswer, event::CallSlot, ledger::LedgerPosting};
use std::sync::Arc;
use toolcall_schema::{
    ActionKind, AgentName, Authority, Code, Outcome, SchemaError, Timestamp, ToolCall, ToolName,
    ids::{CardId, TraceId},
    names::SubmitAct,
    trace::{Card, Decision, Trace},
};

/// Something to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Send a tool call through the gate to its agent; the answer comes back as the event that `reply` names. A call that
    /// the gate refuses is quarantined and gives no event, unless it is an ingest: then there is no answer.
    Call(Box<OutgoingCall>),
    /// Put a call that `pre_admit` refused into quarantine.
    Quarantine {
        /// The decision it was made for.
        trace_id: TraceId,
        /// The call as it would have been.
        call: Box<ToolCall>,
        /// Why it was refused.
        error: Box<SchemaError>,
    },
    /// Keep a decision (in the same transaction as the event).
    KeepDecision(Arc<Decision>),
    /// Make everything up to this event durable, then send `Committed`.
    Commit { tick: u64 },
    /// The same for a call that was asked for: then send `CallCommitted`.
    CommitCall { call: u64 },
    /// Reply to the requester of a call.
    CallAnswer {
        /// Of which request.
        request: u64,
        /// The answer.
        answer: CallAnswer,
    },
    /// Keep a trace, make everything up to it durable, then send `TraceKept`.
    KeepTrace(Arc<Trace>),
    /// The store did not take the trace, or not in time: keep it as a raw file.
    KeepRaw(Arc<Trace>),
    /// Keep a row of the ledger (in the same transaction as the event).
    Ledger(LedgerPosting),
    /// Put a file into the owner's outbox, or take one out. Comes after the trace is durable.
    Outbox {
        /// By which act.
        trace_id: TraceId,
        /// The file's name.
        name: String,
        /// Its text; `None`: the file goes.
        text: Option<String>,
    },
    /// Hand a card to the surfaces; `Shown` comes back from each that really shows it.
    Show(Box<Card>),
    /// Say aloud what is on the phone now: the kind of action and nothing else.
    Announce { kind: ActionKind },
    /// Take a card away.
    Close {
        card_id: CardId,
        /// How it ended; absent: it expired unseen, or is taken back for now.
        outcome: Option<Outcome>,
    },
    /// Answer a submission.
    Reply {
        /// Of which request.
        request: u64,
        /// The answer.
        verdict: SubmissionVerdict,
    },
    /// Ask the model to pick one of these true sentences.
    AskModel {
        tick: u64,
        /// 2 to 6.
        sentences: Vec<String>,
        /// The decision, when its combination of kinds is novel: a model that may write writes about it instead.
        novel: Option<Arc<Decision>>,
    },
    /// Ask a model that may write which of these is worth the interruption; `TieBroken` comes back.
    AskTie {
        tick: u64,
        /// 2 to 6, each as a true sentence.
        actions: Vec<String>,
    },
    /// An event made no sense in this state: recorded, nothing else.
    Ignored {
        /// What was ignored and why.
        what: IgnoreReason,
    },
    /// Idle: take the policy and the settings of these hashes, which a `Reloaded` announced, into `env`, then send
    /// `Adopted`. No tick begins before that.
    Adopt {
        /// Of the policy.
        policy_hash: String,
        /// Of the settings.
        settings_hash: String,
    },
    /// The machine came to rest in Idle: a good moment for a snapshot.
    Rest,
}

/// A call on its way to the gate.
#[derive(Debug, Clone, PartialEq)]
pub struct OutgoingCall {
    /// Which tool.
    pub tool: ToolName,
    /// The envelope.
    pub call: ToolCall,
    /// On whose word.
    pub authority: Authority,
    /// The hash that the arguments must have (GATE-012); absent for ticks and ingests.
    pub args_hash: Option<String>,
    /// For which trace, where there is one.
    pub trace_id: Option<TraceId>,
    /// Where the answer goes.
    pub reply: ReplyTo,
}

/// Which event answers a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyTo {
    /// `Ingested`
    Ingest { agent: AgentName, number: u64 },
    /// `TickAnswered`
    Tick {
        agent: AgentName,
        tick: u64,
        attempt: u32,
    },
    /// `Executed`
    Action { tick: u64, slot: CallSlot },
    /// `CallExecuted`
    Call { call: u64 },
}

/// What became of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubmissionVerdict {
    /// It counts.
    Accepted {
        /// What counts.
        act: SubmitAct,
        /// Whether a token came back.
        refunded: bool,
        /// When the card comes back that was put off (wall clock).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again_at: Option<Timestamp>,
    },
    /// It does not.
    Refused(Code),
}

/// Why an event was set aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoreReason {
    /// The answer to a question that is no longer open.
    NotAwaited,
    /// Something about a card that is not there.
    UnknownCard,
    /// Before the machine was started.
    NotStarted,
    /// Not an agent that takes part in ticks.
    NotAnAgent,
    /// There are [`toolcall_schema::rule::RULES_MAX`] rules already.
    TooManyRules,
    /// An `Adopted` that was not asked for.
    NothingToAdopt,
}
