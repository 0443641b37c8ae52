//! Faults on a living service, and what they cost.
//!
//! What: [`run`] starts the real `aura run` on an invented household, keeps it under load, hurts one of its parts after another
//! (`fault`) and says what was lost. Why: parts that fail alone in tests fail together in life. Not here: every
//! write of recorded days (`crash`), the service itself (`service`).
//!
//! Each kind of fault is met once before any comes again (`plan`); the order is the seed's. After each fault the next one waits
//! until a tick has gone well from its start to its end, with all four agents in it: the time until then is the recovery. Then what
//! the users were told is held against an export, and the journal is replayed (`check`). Where something is wrong the steps so far are
//! a plan that can be run again.

mod check;
mod children;
mod clocks;
mod disk;
mod fault;
mod house;
mod http;
mod ledger;
mod load;
mod plan;
mod traces;
mod verdict;

pub use self::plan::ChaosPlan;
use self::{
    house::ChaosHousehold,
    load::{LoadGenerator, SeenTick},
    plan::{ChaosDeck, ChaosStep},
};
use aura_runtime::service::ServiceError;
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::{Timestamp, day::RecordedDay};

/// How long a recovery is waited for.
const PATIENCE: Duration = Duration::from_mins(3);

/// So many ticks are waited for before the first fault, to know how long one takes.
const UNDISTURBED: usize = 5;

/// What is tried.
#[derive(Debug, Clone)]
pub struct ChaosOptions {
    /// The program `aura`.
    pub program: PathBuf,
    /// Recorded days, whose signals are the load.
    pub days: Vec<RecordedDay>,
    /// A language model that the service is to have.
    pub model: Option<ChaosModel>,
    /// What is done.
    pub course: ChaosCourse,
}

/// What is done.
#[derive(Debug, Clone)]
pub enum ChaosCourse {
    /// Whatever a seed draws, for so long.
    Drawn {
        /// Decides what, when and in which order.
        seed: u64,
        /// For how long new faults are begun.
        length: Duration,
    },
    /// These steps.
    Planned(ChaosPlan),
}

/// A language model for the household.
#[derive(Debug, Clone)]
pub struct ChaosModel {
    /// `models/` of a data folder that has one.
    pub folder: PathBuf,
    /// The program that runs it; absent: the one beside `aura`.
    pub worker: Option<PathBuf>,
}

/// Why it could not be tried to its end, for `map_err`.
fn tried(what: &'static str) -> impl Fn(io::Error) -> ServiceError {
    move |source| ServiceError::Io { what, source }
}

/// What one kind of fault cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FaultRow {
    /// How often it was injected.
    pub injected: u64,
    /// How often there was nothing to inject it into: no model worker, for one.
    pub absent: u64,
    /// The longest time from its end to the end of the next tick with all four agents, in milliseconds.
    pub longest_recovery_ms: u64,
}

/// What it cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ChaosReport {
    /// By part and fault, e.g. `comms stop`.
    pub faults: BTreeMap<String, FaultRow>,
    /// The longest wait for a tick before the first fault, in milliseconds: what a recovery is to be held against.
    pub undisturbed_ms: u64,
    /// Faults in all.
    pub injected: u64,
    /// How often the service was started again.
    pub starts: u64,
    /// Ticks that were asked for.
    pub asked: u64,
    /// Ticks with a trace in the store.
    pub completed: u64,
    /// Ticks without one: a number left out, or a trace that was handed out and is not kept.
    pub lost: u64,
    /// Actions that left.
    pub actions: u64,
    /// Actions that left more than once.
    pub double_actions: u64,
    /// Cards whose confirmation was accepted.
    pub confirms: u64,
    /// Confirmations that were accepted and are in no trace.
    pub lost_confirms: u64,
    /// Payments that a device was told are in, and imported ones.
    pub payments: u64,
    /// Files that were given to be imported.
    pub imports: u64,
    /// Payments that were said to be deleted.
    pub deletions: u64,
    /// Of them, those that memory holds.
    pub undeleted: u64,
    /// Of them, those that memory does not hold; and chats of which memory counts fewer messages than were said to be in.
    pub lost_payments: u64,
    /// Payments that memory holds more than once; and chats of which it counts more messages than were sent.
    pub doubled_payments: u64,
    /// Rules that were confirmed to stand, or to be gone, and are not so; mutes and a pause that were said to be ended and stand.
    pub lost_rules: u64,
    /// Commands beside the service that ended neither well nor with 75.
    pub refused_commands: u64,
    /// Traces that the journal does not give again to the same byte.
    pub not_replayed: u64,
    /// Faults after which no tick went well within three minutes.
    pub not_recovered: u64,
    /// The longest recovery, in milliseconds.
    pub longest_recovery_ms: u64,
    /// What went wrong, in words, one line each.
    pub wrong: BTreeSet<String>,
    /// The steps up to the first fault after which something was wrong.
    #[serde(skip)]
    pub failing: Option<ChaosPlan>,
}

impl ChaosReport {
    /// Whether every promise was kept.
    pub fn is_good(&self) -> bool {
        self.wrong.is_empty()
            && [
                self.lost,
                self.double_actions,
                self.lost_confirms,
                self.lost_payments,
                self.doubled_payments,
                self.undeleted,
                self.lost_rules,
                self.refused_commands,
                self.not_replayed,
                self.not_recovered,
            ] == [0; 10]
    }
}

/// Hurts a service in `dir`, which must be empty, and reports. `progress` is told of each fault.
///
/// # Errors
/// [`ServiceError`]
pub fn run(
    options: &ChaosOptions,
    dir: &Path,
    mut progress: impl FnMut(&str),
) -> Result<ChaosReport, ServiceError> {
    let (mut steps, seed) = ChaosSteps::plan(&options.course);
    let mut house = ChaosHousehold::build(options, dir)?;
    let load = LoadGenerator::start(&house, &options.days, seed);
    let mut report = ChaosReport::default();
    recovered(&mut house, &load, Instant::now())?.ok_or_else(|| {
        let source = io::Error::other("no tick went well in the first three minutes");
        tried("let the service settle")(source)
    })?;
    for _ in 0..UNDISTURBED {
        let took = recovered(&mut house, &load, Instant::now())?;
        report.undisturbed_ms = report.undisturbed_ms.max(took.map_or(u64::MAX, millis));
    }
    let mut taken = vec![];
    while let Some(step) = steps.next() {
        taken.push(step);
        take(step, &mut house, &load, &mut report, &mut progress)?;
        if !report.wrong.is_empty() && report.failing.is_none() {
            let steps = taken.clone();
            report.failing = Some(ChaosPlan { seed, steps });
        }
    }
    let told = load.stop();
    house.stop()?;
    // What could not be written before is taken in at a start.
    house.start()?;
    house.stop()?;
    report.starts = house.starts();
    verdict::judge(&house, &told, &mut report)?;
    if !report.is_good() && report.failing.is_none() {
        report.failing = Some(ChaosPlan { seed, steps: taken });
    }
    Ok(report)
}

/// Does one thing, waits until the service is well, and looks what it cost.
fn take(
    step: ChaosStep,
    house: &mut ChaosHousehold,
    load: &LoadGenerator,
    report: &mut ChaosReport,
    progress: &mut impl FnMut(&str),
) -> Result<(), ServiceError> {
    thread::park_timeout(Duration::from_millis(step.wait_ms));
    let name = step.deed.to_string();
    let over = fault::inject(step.deed, house, load)?;
    let row = report.faults.entry(name.clone()).or_default();
    let Some(since) = over else {
        row.absent += 1;
        progress(&format!("{name}: not there"));
        return Ok(());
    };
    row.injected += 1;
    report.injected += 1;
    let recovery = recovered(house, load, since)?;
    let mut wrong: Vec<String> = house.take_given_up();
    if let Some(took) = recovery.map(millis) {
        row.longest_recovery_ms = row.longest_recovery_ms.max(took);
        report.longest_recovery_ms = report.longest_recovery_ms.max(took);
        progress(&format!("{name}: {took} ms"));
    } else {
        report.not_recovered += 1;
        wrong.push("no tick with all four agents for three minutes".to_owned());
    }
    let before = load.ledger();
    let kept = check::stored(house)?;
    let differences = before.compare(&load.ledger(), &kept);
    load.note_keys(&kept);
    wrong.extend(check::unlike(house)?);
    wrong.extend(differences.lost);
    wrong.extend(differences.doubled);
    wrong.extend(differences.undeleted);
    wrong.extend(differences.rules);
    for line in wrong {
        // Once, for the fault after which it was seen first.
        if !report.wrong.iter().any(|known| known.ends_with(&line)) {
            progress(&format!("{name}: {line}"));
            report.wrong.insert(format!("{name}: {line}"));
        }
    }
    Ok(())
}

/// The steps of a course.
enum ChaosSteps {
    Drawn {
        deck: ChaosDeck,
        until: Duration,
        began: Option<Instant>,
    },
    Planned(std::vec::IntoIter<ChaosStep>),
}

impl ChaosSteps {
    fn plan(course: &ChaosCourse) -> (Self, u64) {
        match course {
            ChaosCourse::Drawn { seed, length } => {
                let deck = ChaosDeck::new(*seed);
                (
                    ChaosSteps::Drawn {
                        deck,
                        until: *length,
                        began: None,
                    },
                    *seed,
                )
            }
            ChaosCourse::Planned(plan) => (ChaosSteps::Planned(plan.steps.clone().into_iter()), plan.seed),
        }
    }

    /// The next one; the time runs from the first.
    fn next(&mut self) -> Option<ChaosStep> {
        match self {
            ChaosSteps::Drawn { deck, until, began } => {
                let began = began.get_or_insert_with(Instant::now);
                (began.elapsed() < *until).then(|| deck.draw())
            }
            ChaosSteps::Planned(steps) => steps.next(),
        }
    }
}

fn millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

/// Waits for a tick that began after that moment and had all four agents; starts the service again when it has ended. The time
/// from that moment to the tick's end.
fn recovered(
    house: &mut ChaosHousehold,
    load: &LoadGenerator,
    since: Instant,
) -> Result<Option<Duration>, ServiceError> {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        house.start_if_ended()?;
        let well = |seen: &&SeenTick| seen.began >= since && seen.whole;
        if let Some(ended) = load.first(well) {
            return Ok(Some(ended.saturating_duration_since(since)));
        }
        thread::park_timeout(Duration::from_millis(10));
    }
    Ok(None)
}

/// Now, by the clock on the wall.
fn wall() -> Timestamp {
    aura_platform::clock::Clock::real(None).wall()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_good_only_when_nothing_was_lost_doubled_or_left_unwell() {
        assert!(ChaosReport::default().is_good());
        let bad: [fn(&mut ChaosReport); 11] = [
            |r| r.lost_payments = 1,
            |r| r.doubled_payments = 1,
            |r| r.undeleted = 1,
            |r| r.lost_rules = 1,
            |r| r.refused_commands = 1,
            |r| r.lost = 1,
            |r| r.double_actions = 1,
            |r| r.lost_confirms = 1,
            |r| r.not_replayed = 1,
            |r| r.not_recovered = 1,
            |r| {
                r.wrong.insert("something".to_owned());
            },
        ];
        for spoil in bad {
            let mut report = ChaosReport::default();
            spoil(&mut report);
            assert!(!report.is_good(), "{report:?}");
        }
    }
}
