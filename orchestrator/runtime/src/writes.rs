//! From effects to rows of the store.
//!
//! What: the row that an event, a decision, a trace or a step of the ledger becomes. Why: the service, the benchmark and
//! whatever else keeps turns write the same rows. Not here: when they are committed (`actors::memory`, `aura-memory`).

use crate::remember;
use aura_memory::{
    LedgerRow, TraceRow, Write,
    audit::{Entry, Kind, Meaning, Op},
    erase::Base,
};
use orchestrator_machine::{
    Event, State, What,
    ledger::{self, Row},
};
use toolcall_schema::{
    Timestamp,
    ledger::LedgerEntry,
    trace::{Decision, Trace},
};

/// The event `seq` as it stands in the journal, with its record where the owner spoke, and what it adds to the graph. `wall` is when it
/// happened.
pub fn event(seq: u64, event: &Event, wall: Timestamp) -> Vec<Write> {
    // Keys are strings and values finite: serializing cannot fail; a null would be named when the journal is read.
    let json = serde_json::to_string(event).unwrap_or_else(|_| "null".to_owned());
    let mut rows = vec![Write::Event {
        seq,
        at_ms: event.at.ms(),
        json,
    }];
    rows.extend(said(event, wall));
    rows.extend(remember::event(event, wall));
    rows
}

/// The state that a start found, where it is the first of its rules number: no later fold goes past it, because this build would
/// not make of the events before it what was made of them then.
pub fn base_of_rules(seq: u64, event: &Event, found: &State) -> Option<Write> {
    starts_other_rules(event, found).then(|| {
        Write::Base(Base {
            seq: seq.saturating_sub(1),
            at: found.wall(found.at),
            // Keys are strings and values finite: serializing cannot fail.
            json: serde_json::to_string(found).unwrap_or_default(),
            forgot: false,
        })
    })
}

/// Whether with this event rules of another number come into force than those that led to the state.
pub fn starts_other_rules(event: &Event, state: &State) -> bool {
    let What::Started { rules_number, .. } = &event.what else {
        return false;
    };
    state.started.is_some() && state.rules_number() != *rules_number
}

/// The record of what the owner said or changed with an event; `None`: the owner did not speak.
fn said(happened: &Event, wall: Timestamp) -> Option<Write> {
    let meaning = match &happened.what {
        What::Paused { .. } => Meaning::of(Kind::Pause),
        What::RuleSet { rule } => Meaning::one(Kind::Rule, rule.name.as_str()),
        What::RuleRemoved { name } => Meaning::one(Kind::Rule, name.as_str()),
        What::CallRequested { tool, .. } => Meaning::one(Kind::Call, tool.as_str()),
        What::Reloaded { .. } | What::CeilingSet { .. } => Meaning::of(Kind::Settings),
        What::Started { .. }
        | What::ClockSet { .. }
        | What::Time
        | What::SignalsSeen { .. }
        | What::PhoneUnlocked
        | What::Dnd { .. }
        | What::Poked { .. }
        | What::Ingested { .. }
        | What::TickAnswered { .. }
        | What::Committed { .. }
        | What::Executed { .. }
        | What::CallCommitted { .. }
        | What::CallExecuted { .. }
        | What::TraceKept { .. }
        | What::Rationale { .. }
        | What::Wrote { .. }
        | What::TieBroken { .. }
        | What::Connected { .. }
        | What::Disconnected { .. }
        | What::Shown { .. }
        | What::Submitted { .. }
        | What::OwnerTick
        | What::Adopted => return None,
    };
    Some(Write::Audit(Entry {
        at_ms: wall.ms(),
        op: Op::Write,
        meaning,
    }))
}

/// The row of a decision.
pub fn decision(decision: &Decision) -> Write {
    Write::Decision {
        trace_id: decision.trace_id.clone(),
        json: serde_json::to_string(decision).unwrap_or_default(),
    }
}

/// The rows of a trace and of what it adds to the graph.
pub fn trace(trace: &Trace, state: &State) -> Vec<Write> {
    let json = serde_json::to_string(trace).unwrap_or_default();
    // The trace last: its record counts what was written with it.
    let mut rows = remember::trace(trace, state.known.running(trace.ts));
    rows.push(Write::Trace(TraceRow::of(trace, json)));
    rows
}

/// The row of a step of the ledger; before that of a new day, the signed head of the day that is over.
pub fn ledger_rows(seq: u64, row: &Row, state: &State) -> Vec<Write> {
    let written = Write::Ledger(ledger_row(seq, row, state.wall(state.at)));
    let over = (row.entry == ledger::Entry::Open)
        .then(|| row.day.pred_opt())
        .flatten();
    over.map(|day| Write::Head { day })
        .into_iter()
        .chain([written])
        .collect()
}

fn ledger_row(seq: u64, row: &Row, wall: Timestamp) -> LedgerRow {
    let entry = match row.entry {
        ledger::Entry::Reserve => LedgerEntry::Reserve,
        ledger::Entry::Settle => LedgerEntry::Settle,
        ledger::Entry::Release => LedgerEntry::Release,
        ledger::Entry::Refund => LedgerEntry::Refund,
        ledger::Entry::Forfeit => LedgerEntry::Forfeit,
        ledger::Entry::Open => LedgerEntry::Ceiling,
    };
    LedgerRow {
        seq,
        day: row.day,
        trace_id: row.trace_id.clone(),
        entry,
        tokens: row.tokens,
        at_ms: wall.ms(),
    }
}
