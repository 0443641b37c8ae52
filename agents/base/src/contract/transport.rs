//! How a call reaches an agent and its answer comes back.
//!
//! What: the trait [`AgentTransport`], the [`AgentCall`] and the [`AnsweredCall`] that travel over it, and the [`AgentCheckpoint`] from which an agent is
//! rebuilt. Not here: the transport within this process (`in_process`), the one to a process of the agent's own (the orchestrator).

use super::AgentSetup;
use serde_json::Value;
use tokio::sync::oneshot;
use toolcall_schema::{Dispatch, Timestamp, ToolName, agent_state::JournalledState, signal::Signal};

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AgentCallError {
    /// The agent's queue is full.
    #[error("ask the agent: its queue is full")]
    Busy,
    /// No answer within the call's deadline.
    #[error("ask the agent: no answer before the deadline")]
    Deadline,
    /// The agent rests after too many crashes, or the call is set aside: it did not begin on it.
    #[error("ask the agent: it rests after crashes")]
    NotBegun,
    /// The agent ended while it was on this call.
    #[error("ask the agent: it ended on this call")]
    Ended {
        /// Whether it crashed by itself; else it was stopped or killed.
        own: bool,
    },
    /// The agent's gate refused the call: by the rules there is no answer, the deadline is to pass.
    #[error("ask the agent: its gate refused the call")]
    Refused,
    /// The call is of another agent.
    #[error("ask the agent: the call is for another one")]
    NotMine,
}

impl AgentCallError {
    /// Whether nothing is heard of the call until its deadline passes; else whoever asked is told at once.
    pub fn is_silence(self) -> bool {
        matches!(self, Self::Deadline | Self::Refused)
    }
}

/// More than an agent can be ahead of the journal by the calls that may wait for it: each leads to the next number.
const OUT_OF_REACH: u64 = 1 << 20;

/// The state that an agent's last journalled answer left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentCheckpoint {
    /// Counts the journalled states. An answer with a state names the checkpoint that it began from, and counts only while that is the
    /// journal's last one.
    pub number: u64,
    /// Absent before the agent read anything.
    pub state: Option<JournalledState>,
}

impl AgentCheckpoint {
    /// Where an agent begins that an earlier process left at this state.
    pub fn first(state: JournalledState) -> Self {
        Self {
            number: 1,
            state: Some(state),
        }
    }

    /// A checkpoint with another state and a number that no running agent can have, so that each restarts from it.
    #[must_use]
    pub fn detached(&self, state: Value) -> Self {
        Self {
            state: Some(JournalledState::new(state)),
            ..self.out_of_reach()
        }
    }

    /// The same state under a number that no running agent can have, so that each restarts from it.
    #[must_use]
    pub fn out_of_reach(&self) -> Self {
        Self {
            number: self.number + OUT_OF_REACH,
            state: self.state.clone(),
        }
    }

    /// The checkpoint after an answer that began from this one and changed the state by a JSON merge patch; `None`: by nothing.
    #[must_use]
    pub fn following(&self, change: Option<Value>) -> Self {
        let before = self.state.as_ref();
        Self {
            number: self.number + 1,
            state: match change {
                Some(change) => Some(JournalledState::following(before, change)),
                None => before.cloned(),
            },
        }
    }
}

/// What an ingest is given beside its call.
#[derive(Debug, Clone, Default)]
pub struct IngestInput {
    /// Where it begins: an agent at another checkpoint is restarted from this one.
    pub from: AgentCheckpoint,
    /// The signals that the call names.
    pub signals: Vec<Signal>,
    /// Up to when ages count; `None`: up to the call's own time.
    pub ages_upto: Option<Timestamp>,
}

/// A dispatched call on its way to an agent.
pub struct AgentCall {
    /// What may be run, and on whose word.
    pub dispatch: Dispatch,
    /// The bytes that were admitted; they pass the gate again on the agent's side.
    pub raw: Vec<u8>,
    /// The wall clock, for the agent's gate.
    pub at: Timestamp,
    /// What an ingest is given.
    pub input: IngestInput,
}

impl AgentCall {
    /// A call with its bytes, which passed the gate at `at`; nothing beside it.
    pub fn new(dispatch: Dispatch, raw: Vec<u8>, at: Timestamp) -> Self {
        Self {
            dispatch,
            raw,
            at,
            input: IngestInput::default(),
        }
    }

    /// Whether the agent reads on it what it was handed.
    pub fn is_ingest(&self) -> bool {
        let name = self.dispatch.call().tool().name();
        ToolName::ingest_of(name.agent()) == Some(name)
    }
}

/// The answer to a call, as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredCall {
    /// Bytes of `toolresult.v1`.
    pub result: Vec<u8>,
    /// What a call that carried something out changed in the `agent_state`, as a JSON merge patch. An ingest's stands in its result.
    pub state_change: Option<Value>,
    /// The number of the checkpoint that the agent was at when it began; absent when it was at none, and of an answer that the
    /// orchestrator gives itself.
    pub from: Option<u64>,
}

impl AnsweredCall {
    /// An answer that leaves no state.
    pub fn stateless(result: Vec<u8>) -> Self {
        Self {
            result,
            state_change: None,
            from: None,
        }
    }
}

/// When a call is answered.
pub enum AgentReply {
    /// It was answered at once.
    Now(Result<AnsweredCall, AgentCallError>),
    /// It will be; a sender that is dropped means [`AgentCallError::NotBegun`].
    Later(oneshot::Receiver<Result<AnsweredCall, AgentCallError>>),
}

/// The way to the host of one agent. Nothing here blocks the caller for longer than the agent's own work in this process.
pub trait AgentTransport: Unpin + 'static {
    /// Runs one call.
    fn ask(&mut self, call: AgentCall) -> AgentReply;

    /// The state of an answer is in the journal, or the agent goes on from an earlier process: it is rebuilt from here after a
    /// crash.
    fn set_checkpoint(&mut self, checkpoint: AgentCheckpoint);

    /// Rebuilds the agent with this setup from its checkpoint. `false`: the queue is full.
    fn reconfigure(&mut self, setup: AgentSetup) -> bool;
}
