//! Faults on a living service, and what they cost.
//!
//! What: [`run`] starts the real `aura run` on an invented household, keeps it under load, hurts one of its parts after another
//! (`fault`) and says in the end what was lost. Why: parts that fail alone in tests fail together in life. Not here: every
//! write of recorded days (`crash`), the service itself (`service`).
//!
//! Each pair of part and fault is met once before any comes again; the order is the seed's. After each fault the next one waits
//! until a tick has gone well from its start to its end, with all four agents in it: the time until then is the recovery.

mod fault;
mod house;
mod ledger;
mod load;
mod verdict;

use self::{
    fault::{Fault, Part},
    house::House,
    load::{Load, Seen},
};
use super::mixed;
use crate::service::ServiceError;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};
use toolcall_schema::Timestamp;

/// How long a recovery is waited for.
const PATIENCE: Duration = Duration::from_secs(90);

/// So many ticks are waited for before the first fault, to know how long one takes.
const UNDISTURBED: usize = 5;

/// What is tried.
#[derive(Debug, Clone)]
pub struct Options {
    /// The program `aura`.
    pub program: PathBuf,
    /// Recorded days, whose signals are the load.
    pub days: Vec<PathBuf>,
    /// A language model that the service is to have.
    pub model: Option<Model>,
    /// For how long new faults are begun.
    pub length: Duration,
    /// Decides the order.
    pub seed: u64,
}

/// A language model for the household.
#[derive(Debug, Clone)]
pub struct Model {
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
pub struct Row {
    /// How often it was injected.
    pub injected: u64,
    /// How often there was nothing to inject it into: no model worker, for one.
    pub absent: u64,
    /// The longest time from its end to the end of the next tick with all four agents, in milliseconds.
    pub longest_recovery_ms: u64,
}

/// What it cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// By part and fault, e.g. `comms stop`.
    pub faults: BTreeMap<String, Row>,
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
    /// Confirmations that were accepted and are in no trace.
    pub lost_confirms: u64,
    /// Payments that a device was told are in.
    pub payments: u64,
    /// Of them, those that memory does not hold.
    pub lost_payments: u64,
    /// Payments that memory holds more than once.
    pub doubled_payments: u64,
    /// Rules that were confirmed to stand, or to be gone, and are not so.
    pub lost_rules: u64,
    /// Commands beside the service that ended neither well nor with 75.
    pub refused_commands: u64,
    /// Traces that the journal does not give again to the same byte.
    pub not_replayed: u64,
    /// Faults after which no tick went well within 90 s.
    pub not_recovered: u64,
    /// The longest recovery, in milliseconds.
    pub longest_recovery_ms: u64,
    /// What went wrong, in words, one line each.
    pub wrong: Vec<String>,
}

impl Report {
    /// Whether every promise was kept.
    pub fn is_good(&self) -> bool {
        self.wrong.is_empty()
            && [
                self.lost,
                self.double_actions,
                self.lost_confirms,
                self.lost_payments,
                self.doubled_payments,
                self.lost_rules,
                self.refused_commands,
                self.not_replayed,
                self.not_recovered,
            ] == [0; 9]
    }
}

/// Hurts a service in `dir`, which must be empty, and reports. `progress` is told of each fault.
///
/// # Errors
/// [`ServiceError`]
pub fn run(options: &Options, dir: &Path, mut progress: impl FnMut(&str)) -> Result<Report, ServiceError> {
    let mut house = House::build(options, dir)?;
    let load = Load::start(&house, &options.days, options.seed)?;
    let mut report = Report::default();
    recovered(&mut house, &load, Instant::now())?.ok_or_else(|| {
        let source = io::Error::other("no tick went well in the first 90 s");
        tried("let the service settle")(source)
    })?;
    for _ in 0..UNDISTURBED {
        let took = recovered(&mut house, &load, Instant::now())?;
        report.undisturbed_ms = report.undisturbed_ms.max(took.map_or(u64::MAX, millis));
    }
    let end = Instant::now() + options.length;
    let mut order = Order::new(options.seed);
    while Instant::now() < end {
        let (part, fault) = order.next();
        // At any moment of a tick, not only at the end of the one that went well.
        let moment = mixed(options.seed ^ report.injected) % 1500;
        thread::park_timeout(Duration::from_millis(moment));
        let name = format!("{part} {fault}");
        let since = fault::inject(part, fault, &mut house, &load)?;
        let row = report.faults.entry(name.clone()).or_default();
        let Some(since) = since else {
            row.absent += 1;
            continue;
        };
        row.injected += 1;
        report.injected += 1;
        let recovery = recovered(&mut house, &load, since)?;
        if let Some(took) = recovery.map(millis) {
            row.longest_recovery_ms = row.longest_recovery_ms.max(took);
            report.longest_recovery_ms = report.longest_recovery_ms.max(took);
            progress(&format!("{name}: {took} ms"));
        } else {
            report.not_recovered += 1;
            report
                .wrong
                .push(format!("{name}: no tick with all four agents for 90 s"));
        }
    }
    let told = load.stop();
    house.stop()?;
    // What could not be written before is taken in at a start.
    house.start()?;
    house.stop()?;
    report.starts = house.starts();
    verdict::judge(&house, &told, &mut report)?;
    Ok(report)
}

fn millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

/// Waits for a tick that began after that moment and had all four agents; starts the service again when it has ended. The time
/// from that moment to the tick's end.
fn recovered(house: &mut House, load: &Load, since: Instant) -> Result<Option<Duration>, ServiceError> {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        house.start_if_ended()?;
        let well = |seen: &&Seen| seen.began >= since && seen.whole;
        if let Some(ended) = load.first(well) {
            return Ok(Some(ended.saturating_duration_since(since)));
        }
        thread::park_timeout(Duration::from_millis(10));
    }
    Ok(None)
}

/// Every pair once in some order, then all again in another.
struct Order {
    seed: u64,
    round: u64,
    left: Vec<(Part, Fault)>,
}

impl Order {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            round: 0,
            left: vec![],
        }
    }

    fn next(&mut self) -> (Part, Fault) {
        loop {
            if let Some(pair) = self.left.pop() {
                return pair;
            }
            self.round += 1;
            let key = |index: usize| mixed(self.seed ^ (self.round << 32) ^ index as u64);
            let mut all: Vec<(u64, (Part, Fault))> = fault::pairs()
                .enumerate()
                .map(|(index, pair)| (key(index), pair))
                .collect();
            all.sort_unstable_by_key(|(key, _)| *key);
            self.left = all.into_iter().map(|(_, pair)| pair).collect();
        }
    }
}

/// Now, by the clock on the wall.
fn wall() -> Timestamp {
    crate::clock::Clock::real(None).wall()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_pair_of_part_and_fault_comes_once_before_any_comes_again() {
        let all: BTreeSet<_> = fault::pairs().collect();
        let mut order = Order::new(7);
        for _ in 0..3 {
            let round: Vec<_> = (0..all.len()).map(|_| order.next()).collect();
            assert_eq!(round.iter().copied().collect::<BTreeSet<_>>(), all);
        }
    }

    #[test]
    fn a_report_is_good_only_when_nothing_was_lost_doubled_or_left_unwell() {
        assert!(Report::default().is_good());
        let bad: [fn(&mut Report); 10] = [
            |r| r.lost_payments = 1,
            |r| r.doubled_payments = 1,
            |r| r.lost_rules = 1,
            |r| r.refused_commands = 1,
            |r| r.lost = 1,
            |r| r.double_actions = 1,
            |r| r.lost_confirms = 1,
            |r| r.not_replayed = 1,
            |r| r.not_recovered = 1,
            |r| r.wrong.push("something".to_owned()),
        ];
        for spoil in bad {
            let mut report = Report::default();
            spoil(&mut report);
            assert!(!report.is_good(), "{report:?}");
        }
    }
}
