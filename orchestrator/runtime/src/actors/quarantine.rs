//! The quarantine actor: hands refused JSON to the quarantine's thread, and has old lines removed once a day.
//!
//! What: one message per refused call, result or trace; [`QuarantineInbox`], the way to it. Why: a flood of refusals never slows a
//! tick, and each one that is lost on the way is counted. Not here: the files (`aura_memory::quarantine`).

use actix::{Actor, Addr, AsyncContext, Context, Handler, Message, Supervised};
use aura_memory::{
    QuarantineWriter as Files,
    quarantine::{QuarantineEntry, QuarantineKind, RawEncoding},
};
use aura_platform::{clock::Clock, mailbox::send, metrics::METRICS, retention_clock::RetentionClock};
use std::{sync::Arc, time::Duration};
use toolcall_schema::{
    AgentName, Code, SchemaError, Timestamp, ToolName, gate,
    ids::{CallId, SecretKey, TraceId},
};

/// The orchestrator: this was refused. No reply.
#[derive(Message)]
#[rtype(result = "()")]
pub struct RecordRefusal {
    kind: QuarantineKind,
    entry: QuarantineEntry,
    bytes: Vec<u8>,
}

impl RecordRefusal {
    /// A line for what an error refused.
    pub(crate) fn of_error(kind: QuarantineKind, wall: Timestamp, error: &SchemaError, bytes: &[u8]) -> Self {
        // The raw text is put in by the actor, with private leaves taken out.
        let entry = QuarantineEntry::new(wall, error, gate::catalogue_hash(), bytes).showing(b"");
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

/// The way to the actor.
#[derive(Clone)]
pub struct QuarantineInbox {
    /// The actor.
    pub actor: Addr<QuarantineActor>,
    /// Where what does not get there is counted.
    pub files: Arc<Files>,
}

impl QuarantineInbox {
    /// Hands a line over without waiting. One that finds the mailbox full is counted and named like one that finds the
    /// thread's queue full.
    pub fn keep(&self, line: RecordRefusal) {
        let (kind, ts) = (line.kind, line.entry.ts);
        if let Some(code) = Code::parse(&line.entry.code) {
            METRICS.refused(kind.as_str(), code);
        }
        if send(&self.actor, "quarantine", line).is_err() {
            self.files.lose(kind, ts);
        }
    }
}

/// The actor.
pub struct QuarantineActor {
    /// The files with their thread.
    pub files: Arc<Files>,
    /// For the keyed hashes that stand for private leaves.
    pub key: SecretKey,
    /// The owner's.
    pub clock: Clock,
    /// What ages are counted by.
    pub retention: RetentionClock,
    /// When old lines were looked for last.
    pub looked: Option<Timestamp>,
}

/// Refusals that may wait for the actor; the thread's own queue holds 1024 more.
pub const MAILBOX: usize = 256;

/// How often the actor looks whether a day has passed: a suspended machine's timers stand still.
const LOOK: Duration = Duration::from_mins(10);

/// Whether old lines are to be looked for: at the start, and when a day has passed or the clock was set back.
fn is_due(looked: Option<Timestamp>, now: Timestamp) -> bool {
    const DAY_MS: i64 = 24 * 3_600_000;
    looked.is_none_or(|looked| !(0..DAY_MS).contains(&now.since(looked)))
}

impl QuarantineActor {
    fn look(&mut self, _ctx: &mut Context<Self>) {
        let now = self.clock.wall();
        if !is_due(self.looked, now) {
            return;
        }
        let asked = self.files.retain(
            &self.retention.ageing(),
            Box::new(|done| match done {
                Ok(purged) if purged.lines == 0 && purged.files == 0 => {}
                Ok(purged) => tracing::info!(
                    lines = purged.lines,
                    files = purged.files,
                    "old quarantine lines removed"
                ),
                Err(error) => tracing::warn!(code = error.code(), %error, "old quarantine lines not removed"),
            }),
        );
        match asked {
            Ok(()) => self.looked = Some(now),
            // The next look tries again.
            Err(error) => tracing::warn!(code = error.code(), %error, "old quarantine lines not removed"),
        }
    }
}

impl Actor for QuarantineActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        ctx.set_mailbox_capacity(MAILBOX);
        self.look(ctx);
        ctx.run_interval(LOOK, Self::look);
    }
}

impl Supervised for QuarantineActor {}

impl Handler<RecordRefusal> for QuarantineActor {
    type Result = ();

    fn handle(&mut self, line: RecordRefusal, _ctx: &mut Self::Context) {
        let RecordRefusal {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_lines_are_looked_for_at_the_start_once_a_day_and_when_the_clock_is_set_back() {
        let at = Timestamp::from_ms;
        for (looked, now, due) in [
            (None, 5, true),
            (Some(at(5)), 5, false),
            (Some(at(5)), 86_400_004, false),
            (Some(at(5)), 86_400_005, true),
            (Some(at(5)), 4, true),
        ] {
            assert_eq!(is_due(looked, at(now)), due, "{looked:?} {now}");
        }
    }
}
