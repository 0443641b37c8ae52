//! One tick of the journal, done again event by event.
//!
//! What: leads the pure machine to the tick's first event and through all that happened until it was at rest. Why: the machine's state before
//! and after an event says what the event did. Nothing is performed. Not here: finding a tick's events by their time (`backend::ops::tick`),
//! whole days (`aura replay`).

use crate::journal::{JournalError, JournalReplay};
use orchestrator_machine::{Effect, MachineState, RULES_NUMBER, state::MachinePhase};
use serde::Serialize;
use serde_json::{Value, json};
use surfaces_base::backend::console::{
    REPLAY_STEPS_MAX, ReplayAnswer, ReplayedEffect, ReplayedStep, TickReplay,
};
use toolcall_schema::{ids::TraceId, trace::Trace};

/// How far on the wall clock may stand behind a tick's trace before its events are taken for gone, in minutes.
const PAST_MIN: i64 = 60;

/// How long before a tick's first state copies of the machine's state are made: a copy costs more than an event.
const NEAR_MS: i64 = 1_000;

/// Does a tick again. `first`: the number of one of its events, where it is known; `step`: the event that is told in full. `goes_on` is asked
/// before each event, and ends it.
///
/// # Errors
/// When the journal cannot be folded.
pub(crate) fn replay(
    mut journal: JournalReplay,
    trace: &Trace,
    (first, step): (Option<u64>, usize),
    mut goes_on: impl FnMut() -> bool,
) -> Result<ReplayAnswer, JournalError> {
    start_near(&mut journal, &trace.trace_id, first)?;
    let began = trace
        .state_path
        .first()
        .map_or(trace.decision.ts, |visit| visit.at);
    let mut found: Option<TickReplay> = None;
    while let Some((seq, event)) = journal.read()? {
        if !goes_on() {
            return Ok(ReplayAnswer::TooLong);
        }
        let wall = journal.state().map(|state| state.wall(event.at));
        let is_near = wall.is_some_and(|wall| wall >= began.plus_ms(-NEAR_MS));
        if found.is_none() && wall.is_some_and(|wall| wall > trace.ts.plus_min(PAST_MIN)) {
            break;
        }
        let before = journal.state().filter(|_| is_near).cloned();
        let effects = journal.apply(event.clone());
        let (Some(before), Some(after)) = (before, journal.state()) else {
            continue;
        };
        let is_in_it = is_of(after, &trace.trace_id) || is_of(&before, &trace.trace_id);
        if found.is_none() && !is_in_it {
            continue;
        }
        if before.rules_number() != RULES_NUMBER {
            return Ok(ReplayAnswer::NotKept);
        }
        let replay = found.get_or_insert_with(|| TickReplay {
            steps: Vec::new(),
            chosen: 0,
            event: Value::Null,
            before: Value::Null,
            after: Value::Null,
            effects: Vec::new(),
        });
        let text = public_json(&event);
        replay.steps.push(ReplayedStep {
            seq,
            at: after.wall(event.at),
            name: name_of(&text),
            state: after.phase.name(),
        });
        // The last one stands for those after it.
        if replay.steps.len() <= step.saturating_add(1) {
            replay.chosen = replay.steps.len() - 1;
            replay.event = text;
            replay.before = public_json(&before);
            replay.after = public_json(after);
            replay.effects = effects.iter().map(effect_of).collect();
        }
        let is_over = !is_of(after, &trace.trace_id) && !matches!(after.phase, MachinePhase::Cooldown { .. });
        if is_over || replay.steps.len() == REPLAY_STEPS_MAX {
            break;
        }
    }
    Ok(found.map_or(ReplayAnswer::NotKept, |replay| {
        ReplayAnswer::Replayed(Box::new(replay))
    }))
}

/// Goes on from the nearest state that is kept before the tick: the snapshot or a base. Where there is none, from the beginning.
fn start_near(journal: &mut JournalReplay, id: &TraceId, first: Option<u64>) -> Result<(), JournalError> {
    let Some(first) = first else { return Ok(()) };
    let reader = journal.reader();
    let mut kept: Vec<(u64, String)> = reader.snapshot()?.into_iter().collect();
    if let Some(seq) = reader.base_numbers(0..=first.saturating_sub(1))?.pop() {
        kept.extend(reader.base(seq)?.map(|base| (seq, base.json)));
    }
    let states = kept.into_iter().filter(|(seq, _)| *seq < first);
    let readable = states.filter_map(|(seq, json)| Some((seq, serde_json::from_str(&json).ok()?)));
    let outside = readable.filter(|(_, state): &(u64, MachineState)| !is_of(state, id));
    match outside.max_by_key(|(seq, _)| *seq) {
        Some((seq, state)) => journal.go_on_from(seq, state),
        None => Ok(()),
    }
}

/// Whether the machine is in that tick.
fn is_of(state: &MachineState, id: &TraceId) -> bool {
    let tick = match &state.phase {
        MachinePhase::Idle | MachinePhase::Cooldown { .. } => None,
        MachinePhase::Listening { tick, .. }
        | MachinePhase::Weighing { tick, .. }
        | MachinePhase::Deliberating { tick, .. }
        | MachinePhase::AwaitingConfirm { tick, .. }
        | MachinePhase::Executing { tick, .. }
        | MachinePhase::LoggingTrace { tick, .. } => Some(tick),
    };
    tick.is_some_and(|tick| tick.trace_id == *id)
}

/// As JSON, without what is private.
fn public_json(what: &impl Serialize) -> Value {
    // Names, numbers and ids: serializing cannot fail.
    let mut json = serde_json::to_value(what).unwrap_or_default();
    hide_private(&mut json);
    json
}

/// The name of an event in the journal.
fn name_of(event: &Value) -> String {
    let name = event.pointer("/what/event").and_then(Value::as_str);
    name.unwrap_or_default().to_owned()
}

fn effect_of(effect: &Effect) -> ReplayedEffect {
    let (name, detail) = match effect {
        Effect::Call(call) => (
            "call",
            json!({"tool": call.tool, "call_id": call.call.call_id, "args": call.call.args}),
        ),
        Effect::Quarantine { call, error, .. } => (
            "quarantine",
            json!({"call_id": call.call_id, "code": error.code.to_string(), "pointer": error.pointer}),
        ),
        Effect::KeepDecision(decision) => ("keep_decision", json!({"trace_id": decision.trace_id})),
        Effect::Commit { tick } => ("commit", json!({"tick": tick})),
        Effect::CommitCall { call } => ("commit_call", json!({"call": call})),
        Effect::CallAnswer { request, .. } => ("call_answer", json!({"request": request})),
        Effect::KeepTrace(trace) => (
            "keep_trace",
            json!({"trace_id": trace.trace_id, "outcome": trace.outcome}),
        ),
        Effect::KeepRaw(trace) => ("keep_raw", json!({"trace_id": trace.trace_id})),
        Effect::Ledger(row) => (
            "ledger",
            json!({"day": row.day, "entry": row.entry, "tokens": row.tokens, "trace_id": row.trace_id}),
        ),
        Effect::Outbox { trace_id, text, .. } => {
            ("outbox", json!({"goes": text.is_none(), "trace_id": trace_id}))
        }
        Effect::Show(card) => ("show", json!({"card_id": card.card_id})),
        Effect::Announce { kind } => ("announce", json!({"kind": kind})),
        Effect::Close { card_id, outcome } => ("close", json!({"card_id": card_id, "outcome": outcome})),
        Effect::Reply { request, verdict } => ("reply", json!({"request": request, "verdict": verdict})),
        Effect::AskModel { sentences, .. } => ("ask_model", json!({"sentences": sentences})),
        Effect::AskTie { actions, .. } => ("ask_tie", json!({"actions": actions})),
        Effect::Ignored { what } => ("ignored", json!({"why": format!("{what:?}")})),
        Effect::Adopt { policy_hash, .. } => ("adopt", json!({"policy_hash": policy_hash})),
        Effect::Rest => ("rest", Value::Null),
    };
    ReplayedEffect { name, detail }
}

/// What stands in the place of what is not shown.
const HIDDEN: &str = "(not shown)";

/// What would answer a card, and what is written for the owner's outbox: the one text of the journal.
const PRIVATE: [&str; 3] = ["capability", "outbox", "text"];

/// Takes out what is private: who looks at the console answers nothing, and reads no draft.
pub(crate) fn hide_private(json: &mut Value) {
    match json {
        Value::Object(members) => {
            for (name, value) in members {
                if PRIVATE.contains(&name.as_str()) && !value.is_null() {
                    *value = Value::from(HIDDEN);
                } else {
                    hide_private(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_private),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::hide_private;
    use serde_json::json;

    #[test]
    fn what_answers_a_card_and_what_is_written_is_taken_out_however_deep_it_lies() {
        let mut state = json!({"cards": [{"prompts": [{"capability": "5f", "surface": "WATCH"}]}],
            "closed": [{"answer": {"capability": null}}],
            "phase": {"state": "Cooldown", "outbox": [["draft_1.eml", "Dear Asha"]]},
            "effects": [{"effect": "outbox_file", "name": "draft_1.eml", "text": "Dear Asha"}]});
        hide_private(&mut state);
        assert_eq!(
            state,
            json!({"cards": [{"prompts": [{"capability": "(not shown)", "surface": "WATCH"}]}],
                "closed": [{"answer": {"capability": null}}],
                "phase": {"state": "Cooldown", "outbox": "(not shown)"},
                "effects": [{"effect": "outbox_file", "name": "draft_1.eml", "text": "(not shown)"}]})
        );
    }
}
