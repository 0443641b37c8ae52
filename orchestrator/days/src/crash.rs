//! Recorded days, killed at every write.
//!
//! What: each day is played once to count its turns; then, for each turn and each `Fault`, it is played up to there, what
//! survived is put into a real store on a real folder, the service starts on it, the day goes on, and what the store
//! holds at the end is held against what really happened. Why: the promises about crashes are for every moment. Not here:
//! the disk that fails (`witness`), every interleaving (the machine's own tests).
//!
//! The clock is virtual. After a crash the pages come back or stay away, and the service was gone for 0.3 s or 70 s: in
//! turn, so that each is tried at every fourth turn.

use crate::DayFaults;
use crate::{
    day::{DayScript, PlayError, alone::SimulatedDay, stand_in::StandIn},
    simulator::{Simulator, SimulatorStart, settings_record},
    witness::{CrashFault, CrashWitness, ObservedFacts, SNAPSHOT_EVERY, WitnessHandle},
};
use aura_memory::{LedgerRow, Store, StoreError, StoreOptions, StoreReader, Vault};
use aura_runtime::{
    config::HomeConfig,
    demo::UnreadableFile,
    journal::{JournalReplay, ReplayContext},
    wiring::{self, WiringError},
};
use orchestrator_machine::{Effect, MachineState, state::MachinePhase};
use serde::Serialize;
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
};
use toolcall_schema::{
    Outcome, ReasonCode, Timestamp, day::OwnerActKind, ids::TraceId, ledger::LedgerEntry, trace::Trace,
};

/// What came of all points.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CrashReport {
    /// Points tried: a turn of a day and a fault.
    pub points: u64,
    /// Confirmations that were acknowledged and are in no trace.
    pub lost_confirms: u64,
    /// Actions that left twice.
    pub double_actions: u64,
    /// Cards that were seen and cost nothing, or more than one token.
    pub free_interruptions: u64,
    /// Ticks of the journal without exactly one trace, or with one that differs from what was kept first.
    pub lost_traces: u64,
    /// Traces that are stored and that the journal does not make.
    pub unmade_traces: u64,
    /// Calls that may have run and did not end `unknown_after_crash`.
    pub unknown_not_said: u64,
    /// Drafts of a finished action that are not in the outbox, and discarded ones that are.
    pub lost_drafts: u64,
    /// Starts that failed on what was left.
    pub failed_starts: u64,
    /// The first points at which something was wrong, at most [`NAMED`].
    pub wrong: Vec<String>,
}

/// So many wrong points are named.
pub const NAMED: usize = 20;

impl CrashReport {
    /// Whether nothing was wrong.
    pub fn is_good(&self) -> bool {
        Self {
            points: self.points,
            ..Self::default()
        } == *self
    }

    /// Adds what came of other points.
    pub fn add(&mut self, other: Self) {
        self.points += other.points;
        self.lost_confirms += other.lost_confirms;
        self.double_actions += other.double_actions;
        self.free_interruptions += other.free_interruptions;
        self.lost_traces += other.lost_traces;
        self.unmade_traces += other.unmade_traces;
        self.unknown_not_said += other.unknown_not_said;
        self.lost_drafts += other.lost_drafts;
        self.failed_starts += other.failed_starts;
        let room = NAMED.saturating_sub(self.wrong.len());
        self.wrong.extend(other.wrong.into_iter().take(room));
    }
}

/// One day's points.
pub struct CrashDay {
    name: String,
    script: DayScript,
    turns: usize,
}

impl CrashDay {
    /// Reads a recorded day and plays it once.
    ///
    /// # Errors
    /// A folder that is no recorded day, named by file and line.
    pub fn read(dir: &Path) -> Result<Self, PlayError> {
        let script = DayScript::read(dir)?;
        let (mut day, witness) = first_life(&script, None);
        day.run(&script, 0);
        let turns = witness.borrow().events;
        Ok(Self {
            name: dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            turns,
            script,
        })
    }

    /// Its points: each turn with each fault.
    pub fn points(&self) -> usize {
        self.turns * CrashFault::ALL.len()
    }

    /// Tries one point, below a folder for its data.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn try_point(&self, point: usize, dir: &Path) -> Result<CrashReport, PlayError> {
        let turn = point / CrashFault::ALL.len();
        let Some(fault) = CrashFault::ALL.get(point % CrashFault::ALL.len()).copied() else {
            return Ok(CrashReport::default());
        };
        let (mut day, witness) = first_life(&self.script, Some((turn, fault)));
        let stopped = day.run(&self.script, 0);
        let data = DataFolder::new(dir)?;
        let vault = Vault::ephemeral(&data.0).map_err(WiringError::from)?;
        if stopped.is_some() && fault.shows() {
            day.glance();
        }
        let witness = witness.borrow();
        let survived = stopped.map_or(witness.groups.len(), |_| witness.survived());
        self.lay(&vault, &witness, survived).map_err(WiringError::from)?;
        let facts = witness.facts.clone();
        let end = match stopped {
            // The disk was full for a time, and the process lived.
            None => Some(DayEnd {
                state: day.simulator.state().clone(),
                seen: day.seen,
                facts,
                unknown: None,
                conflicts: 0,
            }),
            Some(entry) => self.second_life(&vault, day, facts, (turn, entry)),
        };
        let mut report = match end {
            Some(end) => {
                let known = ReplayContext {
                    seed: Some(self.script.env(&self.script.home).seed),
                    settings: None,
                };
                judge(&end, &StoredOutcome::read(&vault, known)?)
            }
            None => CrashReport {
                failed_starts: 1,
                ..CrashReport::default()
            },
        };
        report.points = 1;
        if !report.is_good() {
            let line = format!("{} turn {turn} {fault:?}: {report:?}", self.name);
            report.wrong.push(line);
        }
        Ok(report)
    }

    /// Lays what survived of a life into a real store, and what did not beside it where a file holds it.
    fn lay(&self, vault: &Vault, witness: &CrashWitness, survived: usize) -> Result<(), StoreError> {
        let disk = Arc::new(DiskSwitch::default());
        let options = StoreOptions {
            faults: Some(Arc::<DiskSwitch>::clone(&disk)),
            ..StoreOptions::default()
        };
        let (store, _) = Store::open(vault, options)?;
        let policy = self.script.env(&self.script.home).policy;
        store.put_policy(policy.hash().to_owned(), self.script.policy_text.clone())?;
        // Every configuration that the day knows.
        let mut owner = self.script.stand_in();
        let keep = |owner: &StandIn| {
            let kept = settings_record(&owner.home.settings);
            store.put_policy(kept.hash(), kept.text())
        };
        keep(&owner)?;
        for act in self.script.day.owner.iter().map(|act| &act.act) {
            if matches!(act, OwnerActKind::Settings { .. })
                && owner.does(act, self.script.day.day.start).is_ok()
            {
                keep(&owner)?;
            }
        }
        let mut raw = witness.raw.iter().peekable();
        for (n, group) in witness.groups.iter().enumerate() {
            while let Some((trace_id, json, _)) = raw.next_if(|(_, _, handed_over)| *handed_over <= n) {
                store.put_raw_trace(trace_id, json)?;
            }
            if n == survived {
                wait(&store)?;
                disk.0.store(true, Ordering::SeqCst);
            }
            let full = matches!(store.write(group.clone()), Err(StoreError::QueueFull { .. }));
            if full && n < survived {
                wait(&store)?;
                store.write(group.clone())?;
            }
        }
        for (trace_id, json, _) in raw {
            store.put_raw_trace(trace_id, json)?;
        }
        wait(&store)
    }

    /// Starts on what was left, and lets the day go on; the entry that was interrupted comes again. `None`: it does not
    /// start.
    fn second_life(
        &self,
        vault: &Vault,
        dead: SimulatedDay,
        facts: ObservedFacts,
        at: (usize, usize),
    ) -> Option<DayEnd> {
        let (turn, entry) = at;
        let home = &dead.stand_in.home;
        let env = self.script.env(home);
        let opened = wiring::open(vault, &env, StoreOptions::default()).ok()?;
        let (away_ms, pages) = match turn % 4 {
            0 => (300, true),
            1 => (300, false),
            2 => (70_000, true),
            _ => (70_000, false),
        };
        let unknown = opened
            .state
            .as_ref()
            .and_then(may_have_run)
            .filter(|tick| *tick > opened.kept_ticks);
        let now = dead.simulator.now().plus_ms(away_ms);
        let begin = SimulatorStart {
            // As a service begins where there is no journal.
            state: opened.state.unwrap_or_else(|| MachineState::new(&env, now)),
            agent_states: opened.agent_states,
            kept_ticks: opened.kept_ticks,
            next_seq: opened.next_seq,
            snapshot_every: SNAPSHOT_EVERY,
            store: None,
        };
        let witness = CrashWitness::again(facts, opened.store);
        let (simulator, witness) = told(&self.script, home, witness, now, begin);
        let mut day = SimulatedDay {
            simulator,
            stand_in: dead.stand_in,
            surprises: vec![],
            seen: dead.seen,
        };
        day.start_again(pages);
        day.run(&self.script, entry);
        let (state, seen) = (day.simulator.state().clone(), day.seen);
        drop(day.simulator);
        let (facts, store) = Rc::try_unwrap(witness).ok()?.into_inner().into_store();
        Some(DayEnd {
            state,
            seen,
            facts,
            unknown,
            conflicts: store.map_or(0, |store| {
                // What cannot be written is seen to be missing.
                let _ = wait(&store);
                store.health().conflicts
            }),
        })
    }
}

/// The names of a folder's files; none where it is not there.
fn file_names(dir: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// Takes no commit any more, once it is said.
#[derive(Default)]
struct DiskSwitch(AtomicBool);

impl aura_memory::CommitFaults for DiskSwitch {
    fn before_commit(&self) -> Result<(), StoreError> {
        if self.0.load(Ordering::SeqCst) {
            Err(StoreError::disk_full(Path::new("aura.db")))
        } else {
            Ok(())
        }
    }
}

/// How a day ended.
struct DayEnd {
    state: MachineState,
    seen: BTreeMap<u64, (TraceId, bool)>,
    facts: ObservedFacts,
    /// The tick whose action may have run when the process ended.
    unknown: Option<u64>,
    /// Records that differ from those that were kept first.
    conflicts: u64,
}

type SharedWitness = Rc<RefCell<CrashWitness>>;

/// A simulator that tells a witness.
fn told(
    script: &DayScript,
    home: &HomeConfig,
    witness: CrashWitness,
    now: Timestamp,
    begin: SimulatorStart,
) -> (Simulator, SharedWitness) {
    let witness = Rc::new(RefCell::new(witness));
    let begin = SimulatorStart {
        store: Some(Box::new(WitnessHandle(Rc::clone(&witness)))),
        ..begin
    };
    let faults = DayFaults::new(script.day.faults.clone());
    (
        Simulator::resume(home, script.env(home), now, faults, begin),
        witness,
    )
}

fn first_life(script: &DayScript, fault: Option<(usize, CrashFault)>) -> (SimulatedDay, SharedWitness) {
    let start = script.day.day.start;
    let begin = SimulatorStart {
        snapshot_every: SNAPSHOT_EVERY,
        ..SimulatorStart::new(&script.env(&script.home), start)
    };
    let (simulator, witness) = told(script, &script.home, CrashWitness::first(fault), start, begin);
    (SimulatedDay::new(simulator, script.stand_in()), witness)
}

/// The tick whose action may have run when the process ended, by the journal.
fn may_have_run(state: &MachineState) -> Option<u64> {
    match &state.phase {
        MachinePhase::Executing {
            tick, primary: None, ..
        } => Some(tick.number),
        MachinePhase::Deliberating { tick, decided, .. } => {
            let plan = decided.plan.as_ref()?;
            plan.prompts.is_empty().then_some(tick.number)
        }
        MachinePhase::Executing { .. }
        | MachinePhase::Idle
        | MachinePhase::Listening { .. }
        | MachinePhase::Weighing { .. }
        | MachinePhase::AwaitingConfirm { .. }
        | MachinePhase::LoggingTrace { .. }
        | MachinePhase::Cooldown { .. } => None,
    }
}

/// Until everything is on disk.
fn wait(store: &Store) -> Result<(), StoreError> {
    let (tell, told) = mpsc::channel();
    store.commit(Box::new(move |result| {
        // Who asked waits below.
        let _ = tell.send(result.is_ok());
    }))?;
    // An error means that the thread is gone, which the next call says.
    let _ = told.recv();
    Ok(())
}

/// What the folder holds at the end.
struct StoredOutcome {
    traces: Vec<Trace>,
    /// The traces that the journal makes.
    made: BTreeSet<TraceId>,
    ledger: BTreeMap<String, Vec<LedgerRow>>,
    /// The files of the outbox.
    drafts: BTreeSet<String>,
}

impl StoredOutcome {
    fn read(vault: &Vault, known: ReplayContext) -> Result<Self, WiringError> {
        let mut journal = JournalReplay::new(StoreReader::open(vault)?, known);
        let mut made = BTreeSet::new();
        while let Some((_, event)) = journal.read()? {
            for effect in journal.apply(event) {
                if let Effect::KeepTrace(trace) = effect {
                    made.insert(trace.trace_id.clone());
                }
            }
        }
        let reader = StoreReader::open(vault)?;
        let rows = reader.traces(usize::MAX >> 1, None)?;
        let traces: Vec<Trace> = rows
            .iter()
            .filter_map(|row| serde_json::from_str(&row.json).ok())
            .collect();
        let days: BTreeSet<_> = traces
            .iter()
            .flat_map(|trace| [trace.decision.ledger_before.day, trace.ledger_after.day])
            .flat_map(|day| [Some(day), day.succ_opt()])
            .flatten()
            .collect();
        let mut ledger: BTreeMap<String, Vec<LedgerRow>> = BTreeMap::new();
        for day in days {
            for row in reader.ledger_rows(day)? {
                if let Some(id) = &row.trace_id {
                    ledger.entry(id.as_str().to_owned()).or_default().push(row);
                }
            }
        }
        Ok(Self {
            traces,
            made,
            ledger,
            drafts: file_names(&vault.dir().join("outbox")),
        })
    }
}

/// What is wrong, if anything.
fn judge(end: &DayEnd, found: &StoredOutcome) -> CrashReport {
    let DayEnd { state, facts, .. } = end;
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let of = |tick: u64| {
        found
            .traces
            .iter()
            .filter(move |trace| trace.decision.tick == tick)
    };
    let lost_confirms = facts
        .told
        .iter()
        .filter(|tick| !of(**tick).any(|trace| trace.confirm.is_some()));
    let double_actions = facts.left.values().filter(|times| **times > 1);
    let missing = (1..=state.ticks).filter(|tick| of(*tick).count() != 1);
    let free = end.seen.values().filter(|(trace_id, costs)| {
        let rows = found.ledger.get(trace_id.as_str());
        let times = |entry| {
            rows.into_iter()
                .flatten()
                .filter(|row| row.entry == entry)
                .count()
        };
        let (reserved, settled) = (times(LedgerEntry::Reserve), times(LedgerEntry::Settle));
        *costs && (reserved != 1 || settled > 1 || times(LedgerEntry::Release) > 0)
    });
    let said = |tick: u64| {
        of(tick).any(|trace| {
            trace.outcome == Outcome::Failed && trace.reason_code == Some(ReasonCode::UnknownAfterCrash)
        })
    };
    CrashReport {
        points: 0,
        lost_confirms: count(lost_confirms.count()),
        double_actions: count(double_actions.count()),
        free_interruptions: count(free.count()),
        lost_traces: count(missing.count()) + end.conflicts,
        unmade_traces: count(
            found
                .traces
                .iter()
                .filter(|trace| !found.made.contains(&trace.trace_id))
                .count(),
        ),
        unknown_not_said: u64::from(end.unknown.is_some_and(|tick| !said(tick))),
        lost_drafts: count(
            facts
                .drafts_due
                .iter()
                .filter(|(name, there)| found.drafts.contains(*name) != **there)
                .count(),
        ),
        failed_starts: 0,
        wrong: vec![],
    }
}

/// A folder that is removed when it is dropped.
struct DataFolder(PathBuf);

impl DataFolder {
    fn new(below: &Path) -> Result<Self, PlayError> {
        let dir = below.join(uuid::Uuid::new_v4().simple().to_string());
        match std::fs::create_dir_all(&dir) {
            Ok(()) => Ok(Self(dir)),
            Err(source) => Err(UnreadableFile { path: dir, source }.into()),
        }
    }
}

impl Drop for DataFolder {
    fn drop(&mut self) {
        // Below a folder that the caller removes as well.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
