//! One agent behind bytes: raw calls in, raw results out.
//!
//! What: [`AgentHost`]. Why: the agent trusts no caller: the gate runs again on every call, in this process as in one
//! of its own. Not here: surviving a panic (`in_process`), frames, sockets and processes (`aura_process`).

use crate::contract::{Agent, AgentStateError};
use serde::Serialize;
use serde_json::{Map, Value};
use toolcall_schema::{
    AgentName, Authority, Dispatch, Timestamp, Tool, agent_state,
    catalogue::{CalendarTool, CommsTool, FinanceTool, WellnessTool, shared::ThingNames},
    gate::{self, GateClock},
    ids::CallId,
    result::{ToolEffect, ToolErrorCode},
    signal::Signal,
    tick::{IngestArgs, TickArgs},
};

/// Serves one agent.
pub struct AgentHost {
    agent: Box<dyn Agent>,
    /// The state as it was restored or left last: what is said of the next is what changed in it.
    state: Value,
}

/// What a call leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct ServedCall {
    /// Bytes of `toolresult.v1`.
    pub result: Vec<u8>,
    /// What an act changed in the agent's state, as a JSON merge patch.
    pub state_change: Option<Value>,
}

impl ServedCall {
    /// An answer that leaves no state.
    pub fn stateless(result: Vec<u8>) -> Self {
        Self {
            result,
            state_change: None,
        }
    }
}

/// `toolresult.v1` around a result, written without building a tree first.
#[derive(Serialize)]
struct ToolSuccess<'a, T> {
    call_id: &'a CallId,
    result: &'a T,
    effects: &'a [ToolEffect],
}

/// `toolresult.v1` around an error.
#[derive(Serialize)]
struct ToolFailure<'a> {
    call_id: &'a CallId,
    error: ToolErrorCode,
    effects: [ToolEffect; 0],
}

/// Room for a usual result, so that its bytes are not moved while it is written.
const RESULT_BYTES: usize = 2048;

/// What the host itself has to tell apart in a tool.
enum HostRequest<'a> {
    Ingest(&'a IngestArgs),
    Tick(&'a TickArgs),
    Act,
}

impl<'a> HostRequest<'a> {
    fn from_tool(tool: &'a Tool) -> Self {
        match tool {
            Tool::Comms(CommsTool::Ingest(args))
            | Tool::Calendar(CalendarTool::Ingest(args))
            | Tool::Finance(FinanceTool::Ingest(args))
            | Tool::Wellness(WellnessTool::Ingest(args)) => HostRequest::Ingest(args),
            Tool::Comms(CommsTool::Tick(args))
            | Tool::Calendar(CalendarTool::Tick(args))
            | Tool::Finance(FinanceTool::Tick(args))
            | Tool::Wellness(WellnessTool::Tick(args)) => HostRequest::Tick(args),
            Tool::Comms(_)
            | Tool::Calendar(_)
            | Tool::Finance(_)
            | Tool::Wellness(_)
            | Tool::Orchestrator(_) => HostRequest::Act,
        }
    }
}

impl AgentHost {
    /// Serves `agent`.
    pub fn new(agent: Box<dyn Agent>) -> Self {
        Self {
            agent,
            state: Value::Object(Map::new()),
        }
    }

    /// Which of the four it serves.
    pub fn name(&self) -> AgentName {
        self.agent.name()
    }

    /// Runs one raw call: the gate again with `at` as its clock, the authority, then the agent, for which the time is the
    /// call's own `ts`. `None` when it is refused or not this agent's.
    pub fn call(&mut self, raw: &[u8], authority: Authority, at: Timestamp) -> Option<ServedCall> {
        let call = gate::admit(raw, GateClock::At(at)).ok()?;
        let dispatch = Dispatch::new(call, authority).ok()?;
        let call = dispatch.call();
        if call.tool().name().agent() != self.agent.name() {
            return None;
        }
        let id = call.call_id();
        match HostRequest::from_tool(call.tool()) {
            HostRequest::Ingest(args) => {
                let mut result = self.agent.ingest(args, call.ts());
                let state = result.agent_state.take();
                result.agent_state = self.change_to(state).unwrap_or(Value::Null);
                success_bytes(id, &result, &[]).map(ServedCall::stateless)
            }
            // An empty answer would say that there is nothing.
            HostRequest::Tick(_) if !self.agent.is_ready() => {
                failure_bytes(id, ToolErrorCode::Unavailable).map(ServedCall::stateless)
            }
            HostRequest::Tick(args) => {
                success_bytes(id, &self.agent.tick(args, call.ts()), &[]).map(ServedCall::stateless)
            }
            HostRequest::Act => {
                let result = match self.agent.act(call.tool(), call.ts()) {
                    Ok((result, effects)) => success_bytes(id, &result, &effects),
                    Err(error) => failure_bytes(id, error),
                };
                let state = self.agent.state_after_act(call.ts());
                let state_change = state.and_then(|state| self.change_to(state));
                result.map(|result| ServedCall { result, state_change })
            }
        }
    }

    /// What leads to this state from the last one; `null`: to that itself.
    fn change_to(&mut self, state: Value) -> Option<Value> {
        if state.is_null() {
            return None;
        }
        let change = agent_state::changes(&self.state, &state);
        self.state = state;
        change
    }

    /// Hands signals over for the next ingest.
    pub fn deliver(&mut self, signals: Vec<Signal>) {
        self.agent.accept(signals);
    }

    /// Says up to when ages of what the next ingest reads count; `None`: up to its own time.
    pub fn count_ages(&mut self, upto: Option<Timestamp>) {
        self.agent.count_ages(upto);
    }

    /// What things are called that this state knows. The agent is left at it: another one goes on from there.
    pub fn names_in(&mut self, state: Value) -> ThingNames {
        match self.restore(state) {
            Ok(()) => self.agent.names(),
            Err(_) => ThingNames::new(),
        }
    }

    /// Takes up what an earlier host of this agent told of names.
    pub fn take_names(&mut self, names: ThingNames) {
        self.agent.take_names(names);
    }

    /// Restores the journal's state; `null` is none.
    ///
    /// # Errors
    /// [`AgentStateError`] when it is not of this agent's shape: the agent starts empty.
    pub fn restore(&mut self, state: Value) -> Result<(), AgentStateError> {
        if state.is_null() {
            return Ok(());
        }
        let restored = self.agent.restore(&state);
        self.state = state;
        restored
    }
}

fn success_bytes<T: Serialize>(call_id: &CallId, result: &T, effects: &[ToolEffect]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(RESULT_BYTES);
    let done = ToolSuccess {
        call_id,
        result,
        effects,
    };
    serde_json::to_writer(&mut bytes, &done).ok()?;
    Some(bytes)
}

fn failure_bytes(call_id: &CallId, error: ToolErrorCode) -> Option<Vec<u8>> {
    serde_json::to_vec(&ToolFailure {
        call_id,
        error,
        effects: [],
    })
    .ok()
}
