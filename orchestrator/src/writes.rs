//! From effects to rows of the store.
//!
//! What: the row that an event, a decision, a trace or a step of the ledger becomes. Why: the service, the benchmark and
//! whatever else keeps turns write the same rows. Not here: when they are committed (`actors::memory`, `aura-memory`).

use crate::remember;
use aura_memory::{LedgerEntry, LedgerRow, TraceRow, Write};
use orchestrator_machine::{
    Effect, Event, State,
    ledger::{Entry, Row},
};
use toolcall_schema::Timestamp;

/// The event `seq` as it stands in the journal.
pub fn event(seq: u64, event: &Event) -> Write {
    // Keys are strings and values finite: serializing cannot fail; a null would be named when the journal is read.
    let json = serde_json::to_string(event).unwrap_or_else(|_| "null".to_owned());
    Write::Event {
        seq,
        at_ms: event.at.ms(),
        json,
    }
}

/// The rows of one turn: the event `seq`, which led to `state`, and what follows from it; they belong into one transaction.
pub fn turn(seq: u64, happened: &Event, effects: &[Effect], state: &State) -> Vec<Write> {
    let mut rows = vec![event(seq, happened)];
    rows.extend(remember::event(happened, state.wall(happened.at)));
    for effect in effects {
        rows.extend(of(seq, effect, state));
    }
    rows
}

/// What an effect of the event `seq` leaves in the store.
pub fn of(seq: u64, effect: &Effect, state: &State) -> Vec<Write> {
    match effect {
        Effect::KeepDecision(decision) => vec![Write::Decision {
            trace_id: decision.trace_id.clone(),
            json: serde_json::to_string(decision).unwrap_or_default(),
        }],
        Effect::KeepTrace(trace) => {
            let json = serde_json::to_string(trace).unwrap_or_default();
            let mut rows = vec![Write::Trace(TraceRow::of(trace, json))];
            rows.extend(remember::trace(trace, state.known.running(trace.ts)));
            rows
        }
        Effect::Ledger(row) => vec![Write::Ledger(ledger(seq, row, state.wall(state.at)))],
        Effect::Call(_)
        | Effect::Quarantine { .. }
        | Effect::Commit { .. }
        | Effect::KeepRaw(_)
        | Effect::Outbox { .. }
        | Effect::Show(_)
        | Effect::Close { .. }
        | Effect::Reply { .. }
        | Effect::AskModel { .. }
        | Effect::AskTie { .. }
        | Effect::Adopt { .. }
        | Effect::Ignored { .. }
        | Effect::Rest => vec![],
    }
}

fn ledger(seq: u64, row: &Row, wall: Timestamp) -> LedgerRow {
    let entry = match row.entry {
        Entry::Reserve => LedgerEntry::Reserve,
        Entry::Settle => LedgerEntry::Settle,
        Entry::Release => LedgerEntry::Release,
        Entry::Refund => LedgerEntry::Refund,
        Entry::Forfeit => LedgerEntry::Forfeit,
        Entry::Open => LedgerEntry::Ceiling,
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
