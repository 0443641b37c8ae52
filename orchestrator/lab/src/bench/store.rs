//! Figures of what is on disk: durable ticks, growth, replay.
//!
//! What: the household's morning tick with every barrier on a real disk, beside bare commits of the same bytes; the same with
//! many traces in the store; a long journal folded again. Why: a durable figure without its disk's own means nothing. Not
//! here: the in-memory tick and the gate (`bench`).

use super::{BenchError, cpu_ns_of_process, morning, the_brief};
use aura_days::simulator::{Simulator, TurnStore, settings_record};
use aura_memory::{
    Store, StoreOptions, StoreReader, StoreWrite, TraceRow, Vault, baseline_bench::BaselineBench,
};
use aura_process::resident_kib;
use aura_runtime::{
    config::HomeConfig,
    executor::TurnRecord,
    journal::{JournalReplay, ReplayContext},
};
use chrono::{NaiveDate, TimeDelta};
use orchestrator_machine::{Effect, EventKind, MachineState, policy::Policy};
use serde::Serialize;
use serde_json::Value;
use std::{
    cell::RefCell,
    ops::ControlFlow,
    path::Path,
    rc::Rc,
    sync::mpsc,
    time::{Duration, Instant},
};
use toolcall_schema::{
    Timestamp,
    ids::{OwnerSeed, TraceId},
    trace::Trace,
};

/// Ticks between two readings of the clock.
const BATCH: usize = 20;

/// Durable ticks beside bare commits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct DurableFigures {
    /// How many ticks.
    pub count: usize,
    /// How often a tick waits for the disk.
    pub barriers: f64,
    /// Ticks a second: the median over batches of `BATCH` ticks.
    pub per_second: f64,
    /// The same: the slowest and the fastest batch.
    pub slowest_fastest: (f64, f64),
    /// Ticks a second if nothing but the same barriers with the same bytes were committed, batch by batch in turn.
    pub commits_allow: f64,
    /// The first through the second.
    pub ratio: f64,
}

/// Durable ticks over a store with so many traces.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct GrowthFigures {
    /// Traces in the store before.
    pub traces: u64,
    /// How many ticks were measured.
    pub count: usize,
    /// Wall time of a tick, microseconds: the median over batches.
    pub wall_us: f64,
    /// CPU time of the whole process a tick, microseconds: the median over batches.
    pub cpu_us: f64,
    /// CPU time against that of the smallest store.
    pub ratio: f64,
    /// Size of the store, bytes.
    pub store_bytes: u64,
    /// Memory of the process, KiB.
    pub resident_kib: Option<u64>,
}

/// A journal folded again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ReplayFigures {
    /// Ticks in it.
    pub ticks: u64,
    /// Events in it.
    pub events: u64,
    /// Traces that came out.
    pub traces: u64,
    /// Wall time, seconds.
    pub seconds: f64,
    /// Memory of the process before and after, KiB.
    pub resident_kib: (Option<u64>, Option<u64>),
}

/// A store that a simulator's turns are written to.
struct StoreRecorder {
    store: Rc<Store>,
    bytes: usize,
    /// The bytes that each barrier stands for.
    barriers: Rc<RefCell<Vec<usize>>>,
    /// Only each barrier of this number waits for the disk: every one, unless nobody looks before all is written.
    wait_every: usize,
}

impl TurnStore for StoreRecorder {
    fn persist(&mut self, turn: TurnRecord, _state: &MachineState) -> ControlFlow<()> {
        let TurnRecord { writes, .. } = turn;
        self.bytes += writes.iter().map(StoreWrite::bytes).sum::<usize>();
        if let Err(error) = self.store.write(writes) {
            tracing::error!(%error, "not written");
        }
        ControlFlow::Continue(())
    }

    fn barrier(&mut self) -> bool {
        let mut barriers = self.barriers.borrow_mut();
        barriers.push(std::mem::take(&mut self.bytes));
        !barriers.len().is_multiple_of(self.wait_every) || committed(&self.store)
    }
}

/// Waits until everything so far is on disk.
pub(super) fn committed(store: &Store) -> bool {
    let (tell, told) = mpsc::channel();
    let ack = move |result: Result<(), _>| {
        // Who waits is still there: it waits below.
        let _ = tell.send(result.is_ok());
    };
    store.commit(Box::new(ack)).is_ok() && told.recv().unwrap_or(false)
}

/// The morning's machine over a real store.
pub(super) struct DurableMachine {
    simulator: Simulator,
    before: MachineState,
    pub(super) store: Rc<Store>,
    barriers: Rc<RefCell<Vec<usize>>>,
}

impl DurableMachine {
    pub(super) fn new(
        home: &HomeConfig,
        policy: Policy,
        wall: Timestamp,
        vault: &Vault,
        wait_every: usize,
    ) -> Result<Self, BenchError> {
        let (store, recovered) = Store::open(vault, StoreOptions::default())?;
        let store = Rc::new(store);
        let barriers = Rc::new(RefCell::new(Vec::new()));
        let on_disk = StoreRecorder {
            store: store.clone(),
            bytes: 0,
            barriers: barriers.clone(),
            wait_every,
        };
        // The journal's first event names them by their hash; the built-in policy is known.
        let kept = settings_record(&home.settings);
        store.put_policy(kept.hash(), kept.text())?;
        let (simulator, before) = morning(
            home,
            policy,
            wall,
            vault.seed().clone(),
            Some((recovered.next_seq, Box::new(on_disk))),
        );
        Ok(Self {
            simulator,
            before,
            store,
            barriers,
        })
    }

    /// One durable tick; each has a number of its own, or its records would be those of the one before.
    pub(super) fn tick(&mut self) -> Result<&Trace, BenchError> {
        self.before.ticks += 1;
        self.simulator.set_state(&self.before);
        self.simulator.take_traces();
        self.simulator.inject(EventKind::PhoneUnlocked);
        the_brief(&self.simulator)
    }

    /// Puts invented traces into the store, so that it has `most`: each is the morning's tick, a quarter of an hour before the one after it. The machine goes
    /// on behind them.
    pub(super) fn invent_traces(&mut self, most: u64) -> Result<(), BenchError> {
        const AT_ONCE: u64 = 400;
        let template = self.tick()?.clone();
        let document = serde_json::to_value(&template).unwrap_or_default();
        let seed = OwnerSeed::from_day_seed("bench history");
        let mut next = template.decision.tick + 1;
        while next <= most {
            let last = most.min(next + AT_ONCE - 1);
            let rows = (next..=last).map(|tick| {
                let before = i64::try_from(most + 1 - tick).unwrap_or(i64::MAX);
                invented_trace(&document, (&seed.trace_id(tick), tick), -before * QUARTER_MS)
            });
            let rows: Vec<StoreWrite> = rows.flatten().collect();
            self.store.write(rows)?;
            committed(&self.store);
            next = last + 1;
        }
        self.before.ticks = self.before.ticks.max(most);
        self.tick().map(drop)
    }

    /// One batch of ticks.
    fn batch(&mut self) -> Result<Duration, BenchError> {
        let begun = Instant::now();
        for _ in 0..BATCH {
            self.tick()?;
        }
        Ok(begun.elapsed())
    }
}

/// A quarter of an hour.
const QUARTER_MS: i64 = 900_000;

/// A trace with another number and all its times moved, and its decision; none where it is no trace then.
fn invented_trace(document: &Value, (id, tick): (&TraceId, u64), by_ms: i64) -> Vec<StoreWrite> {
    let mut document = document.clone();
    move_times(&mut document, by_ms);
    document["trace_id"] = id.as_str().into();
    document["decision"]["trace_id"] = id.as_str().into();
    document["decision"]["tick"] = tick.into();
    let Ok(trace) = serde_json::from_value::<Trace>(document) else {
        return Vec::new();
    };
    let json = serde_json::to_string(&trace).unwrap_or_default();
    let decision = serde_json::to_string(&trace.decision).unwrap_or_default();
    vec![
        StoreWrite::Trace(TraceRow::from_trace(&trace, json)),
        StoreWrite::Decision {
            trace_id: id.clone(),
            json: decision,
        },
    ]
}

/// Moves every instant of a document, and every date by as many whole days.
fn move_times(value: &mut Value, by_ms: i64) {
    match value {
        Value::String(text) => {
            if let Ok(at) = Timestamp::parse(text) {
                *text = at.plus_ms(by_ms).to_string();
            } else if let Ok(day) = text.parse::<NaiveDate>() {
                let moved = day.checked_add_signed(TimeDelta::milliseconds(by_ms));
                *text = moved.unwrap_or(day).to_string();
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|one| move_times(one, by_ms)),
        Value::Object(all) => all.values_mut().for_each(|one| move_times(one, by_ms)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or_default()
}

/// `aura bench durable`: the morning's tick with every barrier on disk, in `dir`, which must be new.
///
/// # Errors
/// [`BenchError`] when the tick is not the bundled one, or the disk says no.
pub(crate) fn durable(
    home: &HomeConfig,
    policy: Policy,
    wall: Timestamp,
    count: usize,
    dir: &Path,
) -> Result<DurableFigures, BenchError> {
    let mut durable = DurableMachine::new(home, policy, wall, &Vault::ephemeral(&dir.join("store"))?, 1)?;
    let mut peer = BaselineBench::open(&Vault::ephemeral(&dir.join("peer"))?)?;
    let (mut ours, mut theirs, mut waits) = (Vec::new(), Vec::new(), 0);
    let batches = count.div_ceil(BATCH);
    // The first two warm the caches up.
    for round in 0..batches + 2 {
        durable.barriers.borrow_mut().clear();
        let took = durable.batch()?;
        let texts: Vec<String> = durable
            .barriers
            .borrow()
            .iter()
            .map(|bytes| "x".repeat(*bytes))
            .collect();
        let begun = Instant::now();
        for text in &texts {
            peer.commit(text)?;
        }
        if round >= 2 {
            waits += texts.len();
            ours.push(BATCH as f64 / took.as_secs_f64());
            theirs.push(BATCH as f64 / begun.elapsed().as_secs_f64());
        }
    }
    let slowest = ours.iter().copied().fold(f64::INFINITY, f64::min);
    let fastest = ours.iter().copied().fold(0.0, f64::max);
    let (per_second, commits_allow) = (median(ours), median(theirs));
    Ok(DurableFigures {
        count: batches * BATCH,
        barriers: waits as f64 / (batches * BATCH) as f64,
        per_second,
        slowest_fastest: (slowest, fastest),
        commits_allow,
        ratio: per_second / commits_allow,
    })
}

/// CPU of the whole process, in microseconds, for nothing but the commits of a durable tick: as many, of as many bytes, sealed.
///
/// # Errors
/// As [`durable`].
pub(super) fn commit_cpu_us(
    (home, policy, wall): (&HomeConfig, Policy, Timestamp),
    ticks: usize,
    dir: &Path,
) -> Result<f64, BenchError> {
    let mut durable = DurableMachine::new(home, policy, wall, &Vault::ephemeral(&dir.join("store"))?, 1)?;
    let mut peer = BaselineBench::open(&Vault::ephemeral(&dir.join("peer"))?)?;
    durable.barriers.borrow_mut().clear();
    for _ in 0..ticks {
        durable.tick()?;
    }
    let texts: Vec<String> = durable
        .barriers
        .borrow()
        .iter()
        .map(|bytes| "x".repeat(*bytes))
        .collect();
    let begun = cpu_ns_of_process();
    for text in &texts {
        peer.commit(text)?;
    }
    Ok((cpu_ns_of_process() - begun) as f64 / 1000.0 / ticks.max(1) as f64)
}

/// `aura bench growth`: the durable tick over stores of these many traces, smallest first.
///
/// # Errors
/// As [`durable`].
pub(crate) fn growth(
    home: &HomeConfig,
    policy: Policy,
    wall: Timestamp,
    (count, levels): (usize, &[u64]),
    dir: &Path,
) -> Result<Vec<GrowthFigures>, BenchError> {
    let vault = Vault::ephemeral(dir)?;
    let mut durable = DurableMachine::new(home, policy, wall, &vault, 1)?;
    let template = durable.tick()?.clone();
    let mut figures: Vec<GrowthFigures> = Vec::new();
    // The tick after a state with n ticks has the number n + 1.
    let mut held = durable.before.ticks + 1;
    for traces in levels {
        fill(&durable.store, &template, held, *traces)?;
        held = held.max(*traces);
        durable.before.ticks = held;
        let (mut wall_us, mut cpu_us) = (Vec::new(), Vec::new());
        let batches = count.div_ceil(BATCH);
        for _ in 0..batches {
            let begun = cpu_ns_of_process();
            let took = durable.batch()?;
            let cpu = (cpu_ns_of_process() - begun) as f64;
            wall_us.push(took.as_secs_f64() * 1e6 / BATCH as f64);
            cpu_us.push(cpu / 1000.0 / BATCH as f64);
        }
        held = durable.before.ticks + 1;
        let (wall_us, cpu_us) = (median(wall_us), median(cpu_us));
        figures.push(GrowthFigures {
            traces: *traces,
            count: batches * BATCH,
            wall_us,
            cpu_us,
            ratio: figures.first().map_or(1.0, |first| cpu_us / first.cpu_us),
            store_bytes: StoreReader::open(&vault)?.size_bytes(),
            resident_kib: resident_kib(std::process::id()),
        });
    }
    Ok(figures)
}

/// Puts traces (and their decisions) with the numbers after `held` up to `most` into the store.
pub(super) fn fill(store: &Store, template: &Trace, held: u64, most: u64) -> Result<(), BenchError> {
    const AT_ONCE: u64 = 400;
    let seed = OwnerSeed::from_day_seed("bench growth");
    let trace = serde_json::to_string(template).unwrap_or_default();
    let decision = serde_json::to_string(&template.decision).unwrap_or_default();
    let mut next = held + 1;
    while next <= most {
        let last = most.min(next + AT_ONCE - 1);
        let rows = (next..=last).flat_map(|tick| {
            let id = seed.trace_id(tick);
            let of = |json: &str| json.replace(template.trace_id.as_str(), id.as_str());
            let row = TraceRow {
                tick,
                call: None,
                trace_id: id.clone(),
                json: of(&trace),
                ..TraceRow::from_trace(template, String::new())
            };
            let json = of(&decision);
            [
                StoreWrite::Trace(row),
                StoreWrite::Decision { trace_id: id, json },
            ]
        });
        store.write(rows.collect())?;
        committed(store);
        next = last + 1;
    }
    Ok(())
}

/// `aura bench replay`: so many ticks are recorded into `dir` by letting the household's clock run, and folded again.
///
/// # Errors
/// As [`durable`].
pub(crate) fn replay(
    home: &HomeConfig,
    policy: Policy,
    wall: Timestamp,
    ticks: u64,
    dir: &Path,
) -> Result<ReplayFigures, BenchError> {
    let vault = Vault::ephemeral(dir)?;
    record(home, policy, wall, ticks, &vault)?;
    let before = resident_kib(std::process::id());
    let known = ReplayContext {
        seed: Some(vault.seed().clone()),
        settings: Some(home.settings.clone()),
    };
    let mut journal = JournalReplay::new(StoreReader::open(&vault)?, known);
    let (mut events, mut traces) = (0, 0);
    let begun = Instant::now();
    while let Some((_, event)) = journal.read()? {
        events += 1;
        let effects = journal.apply(event);
        let kept = |effect: &&Effect| matches!(effect, Effect::KeepTrace(_));
        traces += effects.iter().filter(kept).count() as u64;
    }
    Ok(ReplayFigures {
        ticks,
        events,
        traces,
        seconds: begun.elapsed().as_secs_f64(),
        resident_kib: (before, resident_kib(std::process::id())),
    })
}

pub(super) fn record(
    home: &HomeConfig,
    policy: Policy,
    wall: Timestamp,
    ticks: u64,
    vault: &Vault,
) -> Result<(), BenchError> {
    // Some ten writes stand between two barriers, and the store holds a thousand.
    let DurableMachine {
        mut simulator, store, ..
    } = DurableMachine::new(home, policy, wall, vault, 20)?;
    let mut ended = 0;
    while ended < ticks {
        let Some(next) = simulator.next() else { break };
        simulator.advance(next);
        ended += simulator.take_traces().len() as u64;
    }
    committed(&store);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use orchestrator_machine::policy::DEFAULT_TEXT;

    fn household() -> (HomeConfig, Policy, Timestamp) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/home/home.toml");
        let home = HomeConfig::load(&file).unwrap();
        let wall = home.start.unwrap().plus_ms(10_000);
        (home, Policy::parse(DEFAULT_TEXT).unwrap(), wall)
    }

    #[test]
    fn a_recorded_journal_folds_to_a_trace_a_tick() {
        let dir = tempfile::tempdir().unwrap();
        let (home, policy, wall) = household();
        let figures = replay(&home, policy, wall, 45, dir.path()).unwrap();
        assert_eq!((figures.ticks, figures.traces), (45, 45));
    }

    #[test]
    fn a_recorded_trace_has_the_id_that_its_folder_gives_it() {
        let dir = tempfile::tempdir().unwrap();
        let (home, policy, wall) = household();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        record(&home, policy, wall, 5, &vault).unwrap();
        let rows = StoreReader::open(&vault).unwrap().traces(100, None).unwrap();
        assert!(rows.len() >= 5, "{}", rows.len());
        for row in rows.iter().filter(|row| row.call.is_none()) {
            assert_eq!(row.trace_id, vault.seed().trace_id(row.tick));
        }
    }

    #[test]
    fn invented_traces_lie_a_quarter_of_an_hour_apart_and_the_machine_goes_on_behind_them() {
        let dir = tempfile::tempdir().unwrap();
        let (home, policy, wall) = household();
        let vault = Vault::ephemeral(dir.path()).unwrap();
        let mut machine = DurableMachine::new(&home, policy, wall, &vault, 1).unwrap();
        machine.invent_traces(50).unwrap();
        assert!(committed(&machine.store));
        let rows = StoreReader::open(&vault).unwrap().traces(100, None).unwrap();
        let traces: Vec<Trace> = rows
            .iter()
            .rev()
            .map(|row| serde_json::from_str(&row.json).unwrap())
            .collect();
        // The oldest by its number is the one that the others are like.
        let (like, rest) = traces.split_first().unwrap();
        let (last, invented) = rest.split_last().unwrap();
        assert_eq!(invented.len() as u64, 50 - like.decision.tick);
        for pair in invented.windows(2) {
            assert_eq!(pair[1].ts.since(pair[0].ts), QUARTER_MS);
            assert_eq!(pair[1].decision.tick, pair[0].decision.tick + 1);
        }
        assert!(last.decision.tick > 50 && invented.iter().all(|trace| trace.ts < like.ts));
    }

    #[test]
    fn a_durable_tick_waits_for_the_disk_twice() {
        let dir = tempfile::tempdir().unwrap();
        let (home, policy, wall) = household();
        let figures = durable(&home, policy, wall, BATCH, dir.path()).unwrap();
        assert!((figures.barriers - 2.0).abs() < 1e-9, "{}", figures.barriers);
    }
}
