//! From what the owner wants forgotten to what goes out of a data folder.
//!
//! What: [`plan`], which folds the journal around what has to go and says which events go, in whole ticks, and which states take their
//! place. Why: a journal that has a hole must still rebuild the state after it, without telling what stood in the hole. Not here:
//! doing it (`deletion`), taking rows out (`aura_memory::erase`), what a state forgets (`orchestrator_machine::forget`).

use crate::{
    config::HomeConfig,
    journal::{JournalError, JournalReplay, ReplayContext},
    writes::starts_other_rules,
};
use aura_memory::{
    StoreError, StoreReader, Vault,
    erase::{ErasurePlan, ErasurePoint, JournalCheckpoint},
};
use orchestrator_machine::{
    Effect, EventKind, MachineEvent, MachineState,
    event::ActionReply,
    forget::{forget as forget_state, is_trace_forgotten},
    state::MachinePhase,
};
use std::collections::BTreeSet;
use toolcall_schema::{
    Timestamp,
    forget::ErasureScope,
    ids::TraceId,
    result::ToolEffect,
    tick::{Trigger, TriggerSource},
};

/// An erasure that cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Merge removed ranges that are closer than this, to limit the number of bases, unless what stands between them made a decision or a
/// trace.
const APART: u64 = 64;

/// What went out of the journal: first event, last event, the state after it.
struct ErasedRange {
    first: u64,
    last: u64,
    state: MachineState,
}

/// What the fold has found.
#[derive(Default)]
struct ErasureFindings {
    runs: Vec<ErasedRange>,
    /// Ranges are not merged across this event: the last one before the rules changed, or the last one of a trace that stays.
    sealed: u64,
    traces: BTreeSet<TraceId>,
    outbox: Vec<String>,
}

/// The machine's state at the end of a folder's journal, and the number of the last event; `None`: nothing was ever started.
///
/// # Errors
/// [`EraseError`]
pub fn head(vault: &Vault, known: &ReplayContext) -> Result<Option<(u64, MachineState)>, EraseError> {
    let reader = StoreReader::open(vault)?;
    let snapshot = reader.snapshot()?;
    let mut journal = JournalReplay::new(reader, known.clone());
    let mut last = 0;
    if let Some((seq, json)) = snapshot
        && let Ok(state) = serde_json::from_str(&json)
    {
        journal.go_on_from(seq, state)?;
        last = seq;
    }
    while let Some((seq, event)) = journal.read()? {
        journal.apply(event);
        last = seq;
    }
    Ok(journal.into_parts().0.map(|state| (last, state)))
}

/// What of the journal goes: whole ticks up to the cut, and the drafts that they made. Nothing is changed by planning.
///
/// # Errors
/// [`EraseError`]
pub fn plan(
    vault: &Vault,
    known: &ReplayContext,
    forget: &ErasureScope,
    cut: ErasurePoint,
) -> Result<(ErasurePlan, Vec<String>), EraseError> {
    let reader = StoreReader::open(vault)?;
    let bases = reader.bases()?;
    let (named, oldest) = reader.traces_naming(forget)?;
    let (start, until) = ends(&reader, &bases, forget, oldest)?;
    let mut journal = JournalReplay::new(reader, known.clone());
    let from = start.map_or(0, |base| base.seq);
    if let Some(base) = start
        && let Ok(state) = serde_json::from_str(&base.json)
    {
        journal.go_on_from(base.seq, state)?;
    }
    let found = fold(&mut journal, forget, named, until, cut.event)?;
    let gone = |seq: u64| found.runs.iter().any(|run| (run.first..=run.last).contains(&seq));
    let forgotten = |seq: u64, state: MachineState, forgot: bool| base_of(seq, state, forget, forgot);
    let mut instead: Vec<JournalCheckpoint> = found
        .runs
        .iter()
        // What follows the cut was decided from the base that stands there: it differs in nothing.
        .map(|run| forgotten(run.last, run.state.clone(), run.last != cut.event))
        .collect();
    for base in &bases {
        if base.seq > from
            && base.seq <= cut.event
            && !gone(base.seq)
            && let Ok(state) = serde_json::from_str(&base.json)
        {
            // Of a year most bases tell nothing of one day: they stay as they are.
            let other = forgotten(base.seq, state, base.forgot);
            instead.extend((other.json != base.json).then_some(other));
        }
    }
    let erasure = ErasurePlan {
        events: found.runs.iter().map(|run| (run.first, run.last)).collect(),
        bases: instead,
        traces: found.traces.into_iter().collect(),
    };
    Ok((erasure, found.outbox))
}

/// A state without what has to go, as a base of the journal.
pub(crate) fn base_of(
    seq: u64,
    mut state: MachineState,
    forget: &ErasureScope,
    forgot: bool,
) -> JournalCheckpoint {
    forget_state(&mut state, forget);
    JournalCheckpoint {
        seq,
        at: state.wall(state.at),
        json: serde_json::to_string(&state).unwrap_or_default(),
        forgot,
    }
}

/// A tick has begun at most so long before its trace is dated.
const TICK_MS: i64 = 3_600_000;

/// The base from which it is enough to fold, and the last event that names a thing.
fn ends<'a>(
    reader: &StoreReader,
    bases: &'a [JournalCheckpoint],
    forget: &ErasureScope,
    oldest: Option<Timestamp>,
) -> Result<(Option<&'a JournalCheckpoint>, u64), EraseError> {
    let naming = reader.events_naming(forget)?;
    let early_enough = |base: &&JournalCheckpoint| {
        forget.span.is_none_or(|span| base.at < span.from)
            && naming.is_none_or(|(first, _)| base.seq < first)
            && oldest.is_none_or(|oldest| base.at < oldest.plus_ms(-TICK_MS))
    };
    let start = bases.iter().rev().find(early_enough);
    Ok((start, naming.map_or(0, |(_, last)| last)))
}

/// Folds from where the journal stands until nothing more can have to go, at most to the event `last`.
fn fold(
    journal: &mut JournalReplay,
    forget: &ErasureScope,
    mut named: BTreeSet<TraceId>,
    until: u64,
    last: u64,
) -> Result<ErasureFindings, JournalError> {
    let mut found = ErasureFindings::default();
    let mut group = EventGroup::default();
    while let Some((seq, event)) = journal.read()?
        && seq <= last
    {
        if let Some(state) = journal.state().filter(|state| starts_other_rules(&event, state)) {
            found.sealed = seq - 1;
            group = group.split(seq - 1, state);
        }
        group.first.get_or_insert(seq);
        group.goes |= names(&event, forget);
        group.note(&event);
        for effect in journal.apply(event) {
            group.effect(effect, forget, &mut named);
        }
        let Some(state) = journal.state() else { continue };
        let wall = state.wall(state.at);
        group.goes |= forget.covers_time(wall);
        // A trigger that waits for an ingest belongs to the event that raised it: its tick read what has to go.
        let waits = group.goes && state.queue.iter().any(raised_by_reading);
        if waits || !matches!(state.phase, MachinePhase::Idle | MachinePhase::Cooldown { .. }) {
            continue;
        }
        let over = std::mem::take(&mut group);
        if over.goes {
            found.take(over, seq, state);
            continue;
        }
        if !over.traces.is_empty() {
            found.sealed = seq;
        }
        if forget.span.is_none_or(|span| wall >= span.to) && seq >= until && named.is_empty() {
            return Ok(found);
        }
    }
    if group.goes
        && let Some(state) = journal.state()
    {
        found.take(group, last, state);
    }
    Ok(found)
}

/// Whether what an agent read raised this trigger.
fn raised_by_reading(trigger: &Trigger) -> bool {
    use TriggerSource::{CommsBurst, LoadCrossed, Transaction};
    matches!(trigger.source, CommsBurst | LoadCrossed | Transaction)
}

/// The events of one tick, or of the time between two: they go together or not at all.
#[derive(Default)]
struct EventGroup {
    first: Option<u64>,
    goes: bool,
    traces: Vec<TraceId>,
    outbox: Vec<String>,
    /// Those of it before the rules changed, with the last one and the state after it.
    before: Option<Box<(EventGroup, u64, MachineState)>>,
}

impl EventGroup {
    /// What a tick that was under way when the rules changed goes on with: both parts go or none.
    fn split(self, last: u64, state: &MachineState) -> Self {
        Self {
            goes: self.goes,
            before: self
                .first
                .is_some()
                .then(|| Box::new((self, last, state.clone()))),
            ..Self::default()
        }
    }

    fn note(&mut self, event: &MachineEvent) {
        let (EventKind::Executed {
            reply: ActionReply::Done { effects, .. },
            ..
        }
        | EventKind::CallExecuted {
            reply: ActionReply::Done { effects, .. },
            ..
        }) = &event.what
        else {
            return;
        };
        self.outbox
            .extend(effects.iter().filter_map(|effect| match effect {
                ToolEffect::OutboxFile { name, .. } => Some(name.clone()),
                ToolEffect::RuleSet { .. }
                | ToolEffect::RuleCleared { .. }
                | ToolEffect::PauseEnded
                | ToolEffect::OwnerRuleRemoved { .. }
                | ToolEffect::LaterUndone { .. }
                | ToolEffect::OutboxRemoved { .. }
                | ToolEffect::TimerSet { .. }
                | ToolEffect::CardShow => None,
            }));
    }

    /// `named`: kept traces that go, less those that were met.
    fn effect(&mut self, effect: Effect, forget: &ErasureScope, named: &mut BTreeSet<TraceId>) {
        if let Effect::KeepDecision(decision) = effect {
            self.traces.push(decision.trace_id.clone());
        } else if let Effect::KeepTrace(trace) | Effect::KeepRaw(trace) = effect {
            self.goes |= is_trace_forgotten(&trace, forget) | named.remove(&trace.trace_id);
            self.traces.push(trace.trace_id.clone());
        }
    }
}

impl ErasureFindings {
    fn take(&mut self, mut group: EventGroup, last: u64, state: &MachineState) {
        if let Some((before, last, state)) = group.before.take().map(|part| *part) {
            self.take(before, last, &state);
        }
        self.traces.extend(group.traces);
        self.outbox.extend(group.outbox);
        let first = group.first.unwrap_or(last);
        match self.runs.last_mut() {
            Some(run) if first - run.last <= APART && run.last > self.sealed => {
                run.last = last;
                run.state = state.clone();
            }
            Some(_) | None => self.runs.push(ErasedRange {
                first,
                last,
                state: state.clone(),
            }),
        }
    }
}

/// Whether an event names a thing that goes.
fn names(event: &MachineEvent, forget: &ErasureScope) -> bool {
    !forget.things.is_empty() && serde_json::to_string(event).is_ok_and(|text| forget.mentions_thing(&text))
}

/// The zone by which the owner's days begin: of the configuration, else of the newest trace, else UTC.
pub fn zone(vault: &Vault, home: Option<&HomeConfig>) -> chrono_tz::Tz {
    let newest = || {
        let rows = StoreReader::open(vault).ok()?.traces(1, None).ok()?;
        let trace: toolcall_schema::trace::Trace = serde_json::from_str(&rows.first()?.json).ok()?;
        trace.decision.user.zone.parse().ok()
    };
    home.map(|home| home.settings.zone)
        .or_else(newest)
        .unwrap_or(chrono_tz::UTC)
}
