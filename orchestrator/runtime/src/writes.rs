//! From effects to rows of the store.
//!
//! What: the row that an event, a decision, a trace or a step of the ledger becomes. Why: the service, the benchmark and
//! whatever else keeps turns write the same rows. Not here: when they are committed (`actors::orchestrator`, `aura-memory`).

use crate::remember;
use aura_memory::{
    LedgerRow, StoreWrite, TraceRow,
    audit::{AuditEntry, AuditSubject, Kind, Op},
    erase::JournalCheckpoint,
};
use orchestrator_machine::{EventKind, MachineEvent, MachineState, ledger::LedgerPosting};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolcall_schema::{
    Outcome, ReasonCode, Timestamp,
    ids::TraceId,
    ledger::LedgerEntry,
    trace::{
        CallRecord, Confirmation, Decision, LedgerView, NextPossible, RationaleSource, StateVisit, Trace,
    },
};

/// The event `seq` as it stands in the journal, with its record where the owner spoke, and what it adds to the graph. `wall` is when it
/// happened.
pub(crate) fn event(seq: u64, event: &MachineEvent, wall: Timestamp) -> Vec<StoreWrite> {
    // A null would be named when the journal is read.
    let json = json_text(event, 512).unwrap_or_else(|| "null".to_owned());
    let mut rows = vec![StoreWrite::Event {
        seq,
        at_ms: event.at.ms(),
        json,
    }];
    rows.extend(owner_statement(event, wall));
    rows.extend(remember::event(event, wall));
    rows
}

/// JSON that takes about so many bytes: memory that grows step by step is copied again and again. Keys are strings and values finite, so it
/// cannot fail.
fn json_text(of: &impl Serialize, bytes: usize) -> Option<String> {
    let mut text = Vec::with_capacity(bytes);
    serde_json::to_writer(&mut text, of).ok()?;
    String::from_utf8(text).ok()
}

/// The state that a start found, where it is the first of its rules number: no later fold goes past it, because this build would
/// not make of the events before it what was made of them then.
pub(crate) fn base_of_rules(seq: u64, event: &MachineEvent, found: &MachineState) -> Option<StoreWrite> {
    starts_other_rules(event, found).then(|| {
        StoreWrite::Base(JournalCheckpoint {
            seq: seq.saturating_sub(1),
            at: found.wall(found.at),
            // Keys are strings and values finite: serializing cannot fail.
            json: serde_json::to_string(found).unwrap_or_default(),
            forgot: false,
        })
    })
}

/// Whether with this event rules of another number come into force than those that led to the state.
pub(crate) fn starts_other_rules(event: &MachineEvent, state: &MachineState) -> bool {
    let EventKind::Started { rules_number, .. } = &event.what else {
        return false;
    };
    state.started.is_some() && state.rules_number() != *rules_number
}

/// The record of what the owner said or changed with an event; `None`: the owner did not speak.
fn owner_statement(happened: &MachineEvent, wall: Timestamp) -> Option<StoreWrite> {
    let meaning = match &happened.what {
        EventKind::Paused { .. } => AuditSubject::all_of(Kind::Pause),
        EventKind::RuleSet { rule } => AuditSubject::one(Kind::Rule, rule.name.as_str()),
        EventKind::RuleRemoved { name } => AuditSubject::one(Kind::Rule, name.as_str()),
        EventKind::CallRequested {
            tool,
            origin: Some(origin),
            ..
        } => AuditSubject::one(Kind::Call, &format!("{}:{tool}", origin.device.as_str())),
        EventKind::CallRequested {
            tool, origin: None, ..
        } => AuditSubject::one(Kind::Call, tool.as_str()),
        EventKind::Reloaded { .. } | EventKind::CeilingSet { .. } => AuditSubject::all_of(Kind::Settings),
        EventKind::Started { .. }
        | EventKind::ClockSet { .. }
        | EventKind::Time
        | EventKind::SignalsSeen { .. }
        | EventKind::PhoneUnlocked
        | EventKind::Dnd { .. }
        | EventKind::SourcesChanged { .. }
        | EventKind::Ingested { .. }
        | EventKind::TickAnswered { .. }
        | EventKind::Committed { .. }
        | EventKind::Executed { .. }
        | EventKind::AskCancelled { .. }
        | EventKind::CallCommitted { .. }
        | EventKind::CallExecuted { .. }
        | EventKind::TraceKept { .. }
        | EventKind::Rationale { .. }
        | EventKind::Wrote { .. }
        | EventKind::TieBroken { .. }
        | EventKind::Connected { .. }
        | EventKind::Disconnected { .. }
        | EventKind::Shown { .. }
        | EventKind::Submitted { .. }
        | EventKind::OwnerTick
        | EventKind::Adopted => return None,
    };
    Some(StoreWrite::Audit(AuditEntry {
        at_ms: wall.ms(),
        op: Op::Write,
        meaning,
    }))
}

/// The JSON of a decision.
pub(crate) fn decision_json(decision: &Decision) -> Box<RawValue> {
    // Keys are strings and values finite: serializing cannot fail.
    to_raw_value(decision).unwrap_or_default()
}

/// The rows of a trace and of what it adds to the graph. `json`: see [`trace_json`].
pub(crate) fn trace(trace: &Trace, json: String, state: &MachineState) -> Vec<StoreWrite> {
    // The trace last: its record counts what was written with it.
    let mut rows = remember::trace(trace, state.known.running(trace.ts));
    rows.push(StoreWrite::Trace(TraceRow::from_trace(trace, json)));
    rows
}

/// A trace as its own `Serialize` has it, with the JSON of its decision, which is most of it, put in as it was written before.
pub(crate) fn trace_json(trace: &Trace, decision: &RawValue) -> String {
    #[derive(Serialize)]
    struct WrittenTrace<'t> {
        trace_id: &'t TraceId,
        ts: &'t Timestamp,
        decision: &'t RawValue,
        outcome: &'t Outcome,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason_code: Option<&'t ReasonCode>,
        tool_calls: &'t [CallRecord],
        #[serde(skip_serializing_if = "Option::is_none")]
        confirm: Option<&'t Confirmation>,
        ledger_after: &'t LedgerView,
        state_path: &'t [StateVisit],
        rationale: &'t str,
        rationale_source: &'t RationaleSource,
        #[serde(skip_serializing_if = "Option::is_none")]
        rationale_rejected: Option<&'t String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        next_possible_at: Option<&'t NextPossible>,
    }
    // A field that is new must be named here as well.
    let Trace {
        trace_id,
        ts,
        decision: _,
        outcome,
        reason_code,
        tool_calls,
        confirm,
        ledger_after,
        state_path,
        rationale,
        rationale_source,
        rationale_rejected,
        next_possible_at,
    } = trace;
    let written = WrittenTrace {
        trace_id,
        ts,
        decision,
        outcome,
        reason_code: reason_code.as_ref(),
        tool_calls,
        confirm: confirm.as_ref(),
        ledger_after,
        state_path,
        rationale,
        rationale_source,
        rationale_rejected: rationale_rejected.as_ref(),
        next_possible_at: next_possible_at.as_ref(),
    };
    json_text(&written, 8192).unwrap_or_default()
}

/// The row of a step of the ledger; before that of a new day, the signed head of the day that is over.
pub(crate) fn ledger_rows(seq: u64, row: &LedgerPosting, state: &MachineState) -> Vec<StoreWrite> {
    let written = StoreWrite::Ledger(ledger_row(seq, row, state.wall(state.at)));
    let over = (row.entry == LedgerEntry::Ceiling)
        .then(|| row.day.pred_opt())
        .flatten();
    over.map(|day| StoreWrite::Head { day })
        .into_iter()
        .chain([written])
        .collect()
}

fn ledger_row(seq: u64, row: &LedgerPosting, wall: Timestamp) -> LedgerRow {
    LedgerRow {
        seq,
        day: row.day,
        trace_id: row.trace_id.clone(),
        entry: row.entry,
        tokens: row.tokens,
        at_ms: wall.ms(),
    }
}
