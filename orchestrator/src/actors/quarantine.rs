//! The quarantine actor: hands refused JSON to the quarantine's thread.
//!
//! What: one message per refused call, result or trace. Why: a flood of refusals never slows a tick. Not here: the files
//! (`aura_memory::quarantine`).

use actix::{Actor, Context, Handler, Message, Supervised};
use aura_memory::{
    Quarantine as Files,
    quarantine::{Entry, Kind, RawEncoding},
};
use std::sync::Arc;
use toolcall_schema::{
    AgentName, SchemaError, Timestamp, ToolName, gate,
    ids::{CallId, Key, TraceId},
};

/// The orchestrator: this was refused. No reply.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Line {
    kind: Kind,
    entry: Entry,
    bytes: Vec<u8>,
}

impl Line {
    /// A line for what an error refused.
    pub fn of_error(kind: Kind, wall: Timestamp, error: &SchemaError, bytes: &[u8]) -> Self {
        // The raw text is put in by the actor, with private leaves taken out.
        let entry = Entry::new(wall, error, gate::catalogue_hash(), bytes).showing(b"");
        Self {
            kind,
            entry,
            bytes: bytes.to_vec(),
        }
    }

    /// Names the call, as far as it could be read.
    #[must_use]
    pub fn call(mut self, agent: Option<AgentName>, tool: Option<String>, call_id: Option<CallId>) -> Self {
        (self.entry.agent, self.entry.tool, self.entry.call_id) = (agent, tool, call_id);
        self
    }

    /// Names the trace.
    #[must_use]
    pub fn trace(mut self, trace_id: Option<TraceId>) -> Self {
        self.entry.trace_id = trace_id;
        self
    }
}

/// The actor.
pub struct Quarantine {
    /// The files with their thread.
    pub files: Arc<Files>,
    /// For the keyed hashes that stand for private leaves.
    pub key: Key,
}

/// Refusals that may wait for the actor; the thread's own queue holds 1024 more.
pub const MAILBOX: usize = 256;

impl Actor for Quarantine {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
    }
}

impl Supervised for Quarantine {}

impl Handler<Line> for Quarantine {
    type Result = ();

    fn handle(&mut self, line: Line, _ctx: &mut Self::Context) {
        let Line {
            kind,
            mut entry,
            bytes,
        } = line;
        let tool = entry
            .agent
            .zip(entry.tool.as_deref())
            .and_then(|(agent, tool)| ToolName::find(agent, tool));
        let (raw, encoding) = gate::redact(&bytes, tool, &self.key);
        entry.raw = raw;
        entry.raw_encoding = encoding.map(|_| RawEncoding::Base64);
        tracing::warn!(code = entry.code, "quarantined");
        self.files.record(kind, entry);
    }
}
