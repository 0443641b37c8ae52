//! Forgetting, from the moment at which the machine forgets to the last file.
//!
//! What: [`begin`], what is written at that moment; [`finish_all`], which takes everything out that was written before it, and goes on
//! where an interruption left it; [`count`], which only says what would go. Why: a running service and a stopped folder forget in the
//! same way, in slices behind which nobody waits, and nothing that was told later goes with it (docs/adr/0057). Not here: which events
//! go (`erase`), the rows (`aura_memory::erase`), when a running machine forgets (`actors::orchestrator`).

use crate::{
    erase::{EraseError, base_of, head, plan},
    journal::{JournalError, ReplayContext},
};
use aura_memory::{
    CommitError, Store, StoreError, StoreReader, StoreWrite, Vault,
    audit::{AuditEntry, AuditSubject, Kind, Op},
    erase::{ErasurePoint, RemovedCounts, UnfinishedErasure, UnfinishedRows, files_go},
    quarantine,
};
use chrono_tz::Tz;
use orchestrator_machine::MachineState;
use serde_json::Value;
use std::{collections::BTreeSet, thread, time::Duration};
use toolcall_schema::{AgentName, Timestamp, forget::ErasureScope};

/// A deletion that could not be done to its end. It is gone on with at the next start.
#[derive(Debug, thiserror::Error)]
pub enum DeletionError {
    /// What goes cannot be found.
    #[error(transparent)]
    Erase(#[from] EraseError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The disk takes nothing.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

impl DeletionError {
    /// Whether it may be done later although nobody repairs anything.
    pub fn is_temporary(&self) -> bool {
        match self {
            DeletionError::Store(error)
            | DeletionError::Erase(
                EraseError::Store(error) | EraseError::Journal(JournalError::Store(error)),
            ) => error.is_temporary(),
            DeletionError::Commit(error) => error.cause.is_temporary(),
            DeletionError::Erase(EraseError::Journal(_)) => false,
        }
    }
}

/// How often the log is tried to be emptied, and how long is waited in between: 10 s in all.
const EMPTY_TRIES: u32 = 200;
const EMPTY_AGAIN: Duration = Duration::from_millis(50);

/// Makes a machine's state forget, at the event `seq`, and says what is to be written in the same transaction: a base, so that a fold
/// goes on from what everything later is decided from, and the note an interrupted deletion is resumed from.
pub fn begin(seq: u64, state: &mut MachineState, forget: &ErasureScope, zone: Tz) -> Vec<StoreWrite> {
    let base = base_of(seq, state.clone(), forget, false);
    if let Ok(forgot) = serde_json::from_str(&base.json) {
        *state = forgot;
    }
    let cut = cut_at(seq, state);
    let snapshot = StoreWrite::Snapshot {
        seq,
        json: base.json.clone(),
    };
    let note = UnfinishedErasure {
        forget: forget.clone(),
        outbox: vec![],
        rows: Some(UnfinishedRows {
            cut,
            zone,
            graph_gone: false,
            erasure: None,
        }),
    };
    vec![
        StoreWrite::Base(base),
        snapshot,
        StoreWrite::Erasing(Some(Box::new(note))),
    ]
}

/// An agent's kept state without what has to go; `None`: nothing of it has to.
pub(crate) fn agent_forgets(agent: AgentName, state: &Value, forget: &ErasureScope) -> Option<Value> {
    // One that cannot be read is of no use to its agent either.
    let without = agents::kept_state::forget(agent, state, forget).unwrap_or(Value::Null);
    (without != *state).then_some(without)
}

/// The agents' states of a folder on which no machine runs, where they become others or came by changes: no row keeps what a state was
/// before.
pub(crate) fn settled_states(
    vault: &Vault,
    other: impl Fn(AgentName, &Value) -> Option<Value>,
) -> Result<Vec<StoreWrite>, StoreError> {
    let states = StoreReader::open(vault)?.agent_states()?;
    let settled = states.into_iter().filter_map(|(agent, rows)| {
        let kept = rows.to_state().map_or(Value::Null, |state| state.to_value());
        let came_by_changes = !rows.changes.is_empty();
        let json = match other(agent, &kept) {
            Some(other) => other.to_string(),
            None => kept.to_string(),
        };
        (came_by_changes || json != rows.whole).then_some(StoreWrite::AgentState { agent, json })
    });
    Ok(settled.collect())
}

/// What the record of reading everything again is about.
pub const SOURCES: &str = "sources";

/// The record of having agents read everything again.
pub(crate) fn read_again_record(at_ms: i64) -> AuditEntry {
    AuditEntry {
        at_ms,
        op: Op::Import,
        meaning: AuditSubject::one(Kind::Memory, SOURCES),
    }
}

fn cut_at(event: u64, state: &MachineState) -> ErasurePoint {
    ErasurePoint {
        at: state.wall(state.at),
        event,
        tick: state.ticks,
        call: state.calls.begun,
    }
}

/// What [`finish_all`] works on.
pub struct DeletionContext<'a> {
    /// The store, open for writing.
    pub store: &'a Store,
    /// What is known of the past beside the journal.
    pub known: ReplayContext,
    /// Removes the lines of the quarantine: by the thread that writes them, or on a stopped folder.
    pub quarantine: &'a dyn Fn(&ErasureScope) -> Result<u64, StoreError>,
    /// Called once, when all is gone that agents noticed before the cut: what they notice from now on is new.
    pub graph_gone: &'a dyn Fn(),
}

/// Takes out what was written before the cut, and says what went. Blocks until all of it is gone, overwritten, and out of the log.
///
/// # Errors
/// [`DeletionError`]; what remains is gone on with by the next call, also after an interruption.
fn finish(place: &DeletionContext<'_>, mut note: UnfinishedErasure) -> Result<RemovedCounts, DeletionError> {
    let (store, vault) = (place.store, place.store.vault());
    let mut removed = RemovedCounts::default();
    if let Some(mut rows) = note.rows.take() {
        let erasure = if let Some(erasure) = &rows.erasure {
            erasure.clone()
        } else {
            let (erasure, outbox) = plan(vault, &place.known, &note.forget, rows.cut)?;
            note.outbox = outbox;
            rows.erasure = Some(erasure.clone());
            keep(store, &note, Some(&rows), None)?;
            erasure
        };
        if !rows.graph_gone {
            let graph = StoreReader::open(vault)?.graph_rows(&note.forget, &rows)?;
            removed.add_all(&store.remove(graph)?);
            rows.graph_gone = true;
            keep(store, &note, Some(&rows), None)?;
        }
        (place.graph_gone)();
        let journal = StoreReader::open(vault)?.journal_rows(&note.forget, &rows, &erasure)?;
        removed.add_all(&store.remove(journal)?);
        // What is gone is not named.
        let entry = AuditEntry {
            at_ms: rows.cut.at.ms(),
            op: Op::Delete,
            meaning: AuditSubject::all_of(Kind::Memory).with_count(removed.total()),
        };
        keep(store, &note, None, Some(entry))?;
    }
    removed.add_all(&runs_go(store, &note.forget)?);
    removed.add_all(&files_go(vault, &note.forget, &note.outbox, false)?);
    removed.add("quarantine lines", (place.quarantine)(&note.forget)?);
    // Whoever takes the owner over before this is done has the note, and all that goes; afterwards, neither.
    store.forget_in_log()?;
    write_now(store, &[StoreWrite::Erasing(None)])?;
    empty_log(store)?;
    Ok(removed)
}

/// Removes the runs of workflows that go; one that is executed now stays.
fn runs_go(store: &Store, forget: &ErasureScope) -> Result<RemovedCounts, DeletionError> {
    let runs = StoreReader::open(store.vault())?.run_rows(forget, &store.held_runs())?;
    Ok(store.remove(runs)?)
}

/// Keeps how far it is.
fn keep(
    store: &Store,
    note: &UnfinishedErasure,
    rows: Option<&UnfinishedRows>,
    record: Option<AuditEntry>,
) -> Result<(), DeletionError> {
    let note = UnfinishedErasure {
        rows: rows.cloned(),
        ..note.clone()
    };
    let mut writes = vec![StoreWrite::Erasing(Some(Box::new(note)))];
    writes.extend(record.map(StoreWrite::Audit));
    write_now(store, &writes)
}

/// Writes and waits until it is on disk.
///
/// # Errors
/// [`DeletionError`]; what the disk did not take now is written with what it takes next.
pub fn write_now(store: &Store, writes: &[StoreWrite]) -> Result<(), DeletionError> {
    store.write(writes.to_vec())?;
    Ok(store.commit_now()?)
}

/// Empties the log; who reads beside it is waited for.
///
/// # Errors
/// STORE-007 when somebody reads all the time.
pub fn empty_log(store: &Store) -> Result<(), StoreError> {
    for _ in 1..EMPTY_TRIES {
        match store.empty_log() {
            Err(error) if error.is_temporary() => thread::sleep(EMPTY_AGAIN),
            done => return done,
        }
    }
    store.empty_log()
}

/// Goes on with what has begun, and says what went.
///
/// # Errors
/// [`DeletionError`]
pub(crate) fn finish_all(place: &DeletionContext<'_>) -> Result<RemovedCounts, DeletionError> {
    // That it has begun is on disk before anything goes, and traces that wait as files are taken in.
    place.store.commit_now()?;
    let mut removed = RemovedCounts::default();
    for note in StoreReader::open(place.store.vault())?.unfinished()? {
        removed.add_all(&finish(place, note)?);
    }
    Ok(removed)
}

/// Goes on with what was interrupted, on a folder on which no machine runs.
///
/// # Errors
/// [`DeletionError`]
pub(crate) fn finish_deletions(store: &Store, known: &ReplayContext) -> Result<RemovedCounts, DeletionError> {
    let dir = store.vault().dir();
    finish_all(&DeletionContext {
        store,
        known: known.clone(),
        quarantine: &|forget| quarantine::forget(dir, forget, false),
        graph_gone: &|| {},
    })
}

/// Forgets on a folder on which no machine runs.
///
/// # Errors
/// [`DeletionError`]
pub fn on_stopped(
    store: &Store,
    known: &ReplayContext,
    forget: &ErasureScope,
    zone: Tz,
) -> Result<RemovedCounts, DeletionError> {
    finish_deletions(store, known)?;
    let vault = store.vault();
    let Some((seq, mut state)) = head(vault, known)? else {
        // Nothing was ever started: there may be files all the same.
        let mut removed = runs_go(store, forget)?;
        removed.add_all(&files_go(vault, forget, &[], false)?);
        removed.add(
            "quarantine lines",
            quarantine::forget(vault.dir(), forget, false)?,
        );
        return Ok(removed);
    };
    let mut writes = begin(seq, &mut state, forget, zone);
    let settled = settled_states(vault, |agent, state| agent_forgets(agent, state, forget))?;
    writes.extend(settled);
    write_now(store, &writes)?;
    finish_deletions(store, known)
}

/// What would go now. Nothing is changed, and nobody is waited for.
///
/// # Errors
/// [`DeletionError`]
pub fn count(
    vault: &Vault,
    known: &ReplayContext,
    forget: &ErasureScope,
    at: Timestamp,
    zone: Tz,
) -> Result<RemovedCounts, DeletionError> {
    let reader = StoreReader::open(vault)?;
    let cut = ErasurePoint {
        at,
        event: reader.last_event()?,
        tick: u64::MAX,
        call: u64::MAX,
    };
    let (erasure, outbox) = plan(vault, known, forget, cut)?;
    let rows = UnfinishedRows {
        cut,
        zone,
        graph_gone: false,
        erasure: Some(erasure.clone()),
    };
    let mut removed = reader.graph_rows(forget, &rows)?.counts();
    removed.add_all(&reader.journal_rows(forget, &rows, &erasure)?.counts());
    removed.add_all(&reader.run_rows(forget, &BTreeSet::new())?.counts());
    removed.add_all(&files_go(vault, forget, &outbox, true)?);
    removed.add("quarantine lines", quarantine::forget(vault.dir(), forget, true)?);
    if !forget.measured.is_empty() {
        // What stands in no row: the newest values and what is usual.
        let states = reader.agent_states()?;
        let changed = states.iter().filter(|(agent, rows)| {
            let kept = rows.to_state().map_or(Value::Null, |state| state.to_value());
            agent_forgets(**agent, &kept, forget).is_some()
        });
        removed.add("agents' notes", changed.count() as u64);
    }
    Ok(removed)
}
