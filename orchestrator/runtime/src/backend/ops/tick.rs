//! One tick for the console: what the store and the quarantine keep of it.
//!
//! What: its trace with its events, what was refused of it, its entries in the ledger, its neighbours. Why: every time that is kept of it is
//! found by the store's index, whatever the journal's length. Not here: doing it again (`tick_replay`).

use super::refused;
use crate::tick_replay::hide_private;
use ::surfaces_base::backend::console::{
    AnswerEnding, LedgerDayRow, RefusedFilter, TickEvent, TickEventKind, TickView,
};
use aura_memory::{EventRow, StoreError, StoreReader};
use orchestrator_machine::event::{ActionReply, CallSlot, EventKind, MachineEvent, TickAnswer};
use serde_json::Value;
use std::path::Path;
use toolcall_schema::{Timestamp, trace::Trace};

/// Events that are looked at for one tick; more in so short a time belong to a flood, and the tick's last ones may be missing.
const EVENTS_MAX: u32 = 4096;

/// How long before its first state, and after its trace, an event may still belong to a tick. A late answer of an agent and a card that is
/// seen later come after it.
const BEFORE_MS: i64 = 1_000;
const AFTER_MS: i64 = 60_000;

/// The view. `clock`: now, and the wall clock minus the timeline.
pub(super) fn view(
    reader: &StoreReader,
    dir: &Path,
    trace: Trace,
    clock: (Timestamp, i64),
) -> Result<TickView, StoreError> {
    let (at, offset_ms) = clock;
    let (older, newer) = reader.ticks_beside(trace.decision.tick)?;
    let filter = RefusedFilter {
        trace: Some(trace.trace_id.clone()),
        ..RefusedFilter::default()
    };
    let rows = reader.ledger_rows(trace.decision.ledger_before.day)?;
    let ledger = rows
        .into_iter()
        .filter(|row| row.trace_id.as_ref() == Some(&trace.trace_id))
        .map(|row| LedgerDayRow {
            at: Timestamp::from_ms(row.at_ms),
            entry: row.entry,
            tokens: row.tokens,
            trace_id: row.trace_id,
            free: None,
        });
    Ok(TickView {
        at,
        events: events(reader, &trace, offset_ms)?,
        refused: refused::newest(dir, &filter)?,
        ledger: ledger.collect(),
        restarts: Vec::new(),
        older,
        newer,
        trace,
    })
}

/// The events of a tick or of a call that was asked for; `None`: none of those that say when it ended is found at that time.
pub(super) fn events(
    reader: &StoreReader,
    trace: &Trace,
    offset_ms: i64,
) -> Result<Option<Vec<TickEvent>>, StoreError> {
    let first = trace.state_path.first().map(|visit| visit.at);
    let first = first.unwrap_or(trace.decision.ts).min(trace.decision.ts);
    let rows = reader.events_between(
        first.plus_ms(-offset_ms - BEFORE_MS),
        trace.ts.plus_ms(AFTER_MS - offset_ms),
        EVENTS_MAX,
    )?;
    let span = (first, trace.ts);
    let own = |row: &EventRow| event(row, trace, offset_ms, span);
    let events: Vec<TickEvent> = rows.iter().filter_map(own).collect();
    let is_its_end = |event: &TickEvent| matches!(event.kind, TickEventKind::TraceKept { .. });
    Ok(events.iter().any(is_its_end).then_some(events))
}

/// An event, where it belongs to the tick. One that cannot be read is no part of the picture: the page of the replay says what is wrong.
fn event(row: &EventRow, trace: &Trace, offset_ms: i64, span: (Timestamp, Timestamp)) -> Option<TickEvent> {
    let event: MachineEvent = serde_json::from_str(&row.json).ok()?;
    let at = Timestamp::from_ms(row.at_ms).plus_ms(offset_ms);
    let kind = kind_of(&event.what, trace).or_else(|| {
        let is_within = span.0 <= at && at <= span.1;
        let is_start = matches!(event.what, EventKind::Started { .. });
        (is_start && is_within).then_some(TickEventKind::Restarted)
    })?;
    let mut json: Value = serde_json::from_str(&row.json).ok()?;
    hide_private(&mut json);
    Some(TickEvent {
        seq: row.seq,
        at,
        kind,
        json,
    })
}

fn kind_of(what: &EventKind, trace: &Trace) -> Option<TickEventKind> {
    let decision = &trace.decision;
    let call = decision.call.map(|call| call.number);
    let is_tick = |tick: u64| call.is_none() && tick == decision.tick;
    let card = decision.chosen.as_ref().map(|chosen| &chosen.card_id);
    match what {
        EventKind::TickAnswered {
            agent, tick, answer, ..
        } if is_tick(*tick) => Some(TickEventKind::AgentAnswered {
            agent: *agent,
            ending: match answer {
                TickAnswer::Answered(_) => AnswerEnding::Answered,
                TickAnswer::Failed => AnswerEnding::Failed,
                TickAnswer::Rejected => AnswerEnding::Rejected,
            },
        }),
        EventKind::TieBroken { tick, pick } if is_tick(*tick) => {
            Some(TickEventKind::TieBroken { ok: pick.is_ok() })
        }
        EventKind::Committed { tick, ok } if is_tick(*tick) => Some(TickEventKind::Committed { ok: *ok }),
        EventKind::Executed { tick, slot, reply } if is_tick(*tick) => Some(TickEventKind::Executed {
            companion: *slot == CallSlot::Companion,
            ok: is_done(reply),
        }),
        EventKind::Rationale { tick, pick } if is_tick(*tick) => {
            Some(TickEventKind::Sentence { ok: pick.is_ok() })
        }
        EventKind::Wrote { tick, .. } if is_tick(*tick) => Some(TickEventKind::Sentence { ok: true }),
        EventKind::TraceKept { trace_id, ok } if *trace_id == trace.trace_id => {
            Some(TickEventKind::TraceKept { ok: *ok })
        }
        EventKind::Shown { card_id, surface } if card == Some(card_id) => {
            Some(TickEventKind::Shown { surface: *surface })
        }
        EventKind::Submitted {
            card_id,
            surface,
            act,
            ..
        } if card == Some(card_id) => Some(TickEventKind::Submitted {
            surface: *surface,
            act: *act,
        }),
        EventKind::CallRequested { tool, args, .. } if call.is_some() => {
            let is_it =
                |sent: &toolcall_schema::trace::CallRecord| sent.tool == tool.as_str() && *sent.args == *args;
            trace
                .tool_calls
                .first()
                .is_some_and(is_it)
                .then_some(TickEventKind::Requested)
        }
        EventKind::CallCommitted { call: number, ok } if call == Some(*number) => {
            Some(TickEventKind::Committed { ok: *ok })
        }
        EventKind::CallExecuted { call: number, reply } if call == Some(*number) => {
            Some(TickEventKind::Executed {
                companion: false,
                ok: is_done(reply),
            })
        }
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
        | EventKind::CallRequested { .. }
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
        | EventKind::Paused { .. }
        | EventKind::RuleSet { .. }
        | EventKind::RuleRemoved { .. }
        | EventKind::Reloaded { .. }
        | EventKind::Adopted
        | EventKind::CeilingSet { .. } => None,
    }
}

fn is_done(reply: &ActionReply) -> bool {
    matches!(reply, ActionReply::Done { .. })
}
