//! Figures of what is remembered: nodes a second, an export, a start, an erasure.
//!
//! What: nodes written in batches, with and without their words; an export of few and of many records in a process of its own; the time
//! from the start of the service to its address; one day erased among a year. Why: what grows with the years must not be felt. Not here:
//! the durable tick and its growth (`store`).

use super::{
    BenchError, SEED,
    store::{DurableMachine, committed, fill, record},
};
use aura_memory::{
    Store, StoreOptions, StoreReader, StoreWrite, Vault,
    erase::JournalCheckpoint,
    graph::{GraphNode, NodeData, NodeKey},
    vault::NewPlace,
};
use aura_runtime::{
    config::HomeConfig,
    deletion,
    journal::{JournalReplay, ReplayContext},
};
use nix::{
    sys::{
        resource::{UsageWho, getrusage},
        signal::{Signal, kill},
    },
    unistd::Pid,
};
use orchestrator_machine::{policy::Policy, state::MachinePhase};
use serde::Serialize;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};
use toolcall_schema::{
    Category, Timestamp,
    forget::ErasureScope,
    ids::OwnerSeed,
    money::{MoneyFlow, SignedAmount},
};

/// What is to be measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemorySizes {
    /// Nodes that are written.
    pub nodes: u64,
    /// Records of the larger export; the smaller has a hundredth.
    pub export: u64,
    /// Traces in the store at a start.
    pub start: u64,
    /// How often it is started.
    pub starts: usize,
    /// Ticks of the year of which a day is erased; some hundred a day.
    pub year: u64,
}

/// The figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MemoryFigures {
    /// Nodes a second in batches of 512, without words: three runs.
    pub nodes_per_second: Vec<f64>,
    /// The same with their words in the index.
    pub searchable_per_second: Vec<f64>,
    /// Records, seconds and the greatest memory of the exporting process, KiB.
    pub exports: Vec<(u64, f64, i64)>,
    /// Traces in the store, then milliseconds from the start of the process to its address, sorted.
    pub start: (u64, Vec<f64>),
    /// Local days and events of the journal of which one day was erased.
    pub year: (usize, u64),
    /// Seconds for one day, each another: planning and erasing.
    pub erased_in: Vec<f64>,
}

/// Measures in `dir`, which must be new.
///
/// # Errors
/// [`BenchError`]
pub(crate) fn memory(
    home_file: &Path,
    (home, policy, wall): (&HomeConfig, &Policy, Timestamp),
    sizes: MemorySizes,
    dir: &Path,
) -> Result<MemoryFigures, BenchError> {
    let (mut plain, mut searchable) = (Vec::new(), Vec::new());
    for round in 0..3 {
        for (figures, unsearchable) in [(&mut plain, true), (&mut searchable, false)] {
            let at = dir.join(format!("nodes-{round}-{unsearchable}"));
            figures.push(nodes(sizes.nodes, unsearchable, wall, &at)?);
            fs::remove_dir_all(&at)?;
        }
    }
    let mut exports = Vec::new();
    for records in [sizes.export / 100, sizes.export] {
        exports.push(export(records, wall, &dir.join(format!("export-{records}")))?);
    }
    let start = starts(home_file, (home, policy, wall), sizes, &dir.join("start"))?;
    let (year, erased_in) = erased((home, policy, wall), sizes.year, &dir.join("year"))?;
    Ok(MemoryFigures {
        nodes_per_second: plain,
        searchable_per_second: searchable,
        exports,
        start: (sizes.start, start),
        year,
        erased_in,
    })
}

fn payment(n: u64, wall: Timestamp) -> StoreWrite {
    let merchant = OwnerSeed::from_day_seed(SEED)
        .key("bench")
        .merchant(&(n % 50).to_string());
    StoreWrite::Node {
        node: GraphNode {
            key: NodeKey::from(&OwnerSeed::from_day_seed(SEED).key("bench").txn(&n.to_string())),
            at: wall.plus_ms(i64::try_from(n).unwrap_or_default() * 1000),
            data: NodeData::Transaction {
                merchant,
                amount: SignedAmount::new((n % 100_000 + 1).into(), MoneyFlow::Out),
                currency: "INR".to_owned(),
                account_last4: "8841".to_owned(),
                category: Category::Groceries,
            },
        },
        sentence: None,
    }
}

/// Nodes a second, from the first handed over to the last on disk.
fn nodes(count: u64, unsearchable: bool, wall: Timestamp, dir: &Path) -> Result<f64, BenchError> {
    const AT_ONCE: usize = 512;
    let options = StoreOptions {
        unsearchable,
        ..StoreOptions::default()
    };
    let (store, _) = Store::open(&Vault::ephemeral(dir)?, options)?;
    let writes: Vec<StoreWrite> = (0..count).map(|n| payment(n, wall)).collect();
    let begun = Instant::now();
    // Four batches are on their way at most: the queue holds so many.
    for four in writes.chunks(4 * AT_ONCE) {
        for batch in four.chunks(AT_ONCE) {
            store.write(batch.to_vec())?;
        }
        committed(&store);
    }
    Ok(count as f64 / begun.elapsed().as_secs_f64())
}

/// A folder that other processes open too: its key is in a file beside it.
pub(super) fn shared(dir: &Path) -> Result<Vault, BenchError> {
    Ok(Vault::create(dir, &NewPlace::File(dir.with_extension("key")))?)
}

pub(super) fn aura(dir: &Path) -> Result<Command, BenchError> {
    let mut command = Command::new(std::env::current_exe()?.with_file_name("aura"));
    command
        .env("AURA_KEY_FILE", dir.with_extension("key"))
        .env("AURA_LOG", "error");
    Ok(command)
}

fn export(records: u64, wall: Timestamp, dir: &Path) -> Result<(u64, f64, i64), BenchError> {
    {
        let options = StoreOptions {
            unsearchable: true,
            ..StoreOptions::default()
        };
        let (store, _) = Store::open(&shared(dir)?, options)?;
        let mut n = 0;
        while n < records {
            let last = records.min(n + 2048);
            store.write((n..last).map(|n| payment(n, wall)).collect())?;
            committed(&store);
            n = last;
        }
    }
    let begun = Instant::now();
    let done = aura(dir)?
        .args(["memory", "export", "--out"])
        .arg(dir.with_extension("json"))
        .arg("--data")
        .arg(dir)
        .stdout(Stdio::null())
        .status()?;
    let seconds = begun.elapsed().as_secs_f64();
    if !done.success() {
        return Err(BenchError::Child("aura memory export"));
    }
    // The greatest of all children so far: the smaller export comes first.
    let most = getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| usage.max_rss());
    fs::remove_file(dir.with_extension("json"))?;
    fs::remove_dir_all(dir)?;
    Ok((records, seconds, most))
}

fn starts(
    home_file: &Path,
    (home, policy, wall): (&HomeConfig, &Policy, Timestamp),
    sizes: MemorySizes,
    dir: &Path,
) -> Result<Vec<f64>, BenchError> {
    {
        let mut durable = DurableMachine::new(home, policy.clone(), wall, &shared(dir)?, 1)?;
        let template = durable.tick()?.clone();
        fill(&durable.store, &template, template.decision.tick, sizes.start)?;
    }
    let mut took = Vec::new();
    for _ in 0..sizes.starts {
        let begun = Instant::now();
        let mut child = aura(dir)?
            .args(["run", "--port", "0", "--json", "--home"])
            .arg(home_file)
            .arg("--data")
            .arg(dir)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        took.push(begun.elapsed().as_secs_f64() * 1000.0);
        let pid = i32::try_from(child.id()).unwrap_or_default();
        // It may have ended by itself, which the next line tells.
        let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        child.wait()?;
        if !line.contains("\"page\"") {
            return Err(BenchError::Child("aura run"));
        }
    }
    took.sort_by(f64::total_cmp);
    Ok(took)
}

/// Days and events of the journal, and the seconds that each erased day took.
type EraseTimings = ((usize, u64), Vec<f64>);

fn erased(
    (home, policy, wall): (&HomeConfig, &Policy, Timestamp),
    ticks: u64,
    dir: &Path,
) -> Result<EraseTimings, BenchError> {
    let vault = Vault::ephemeral(dir)?;
    record(home, policy.clone(), wall, ticks, &vault)?;
    let zone = home.settings.zone;
    let (store, _) = Store::open(&vault, StoreOptions::default())?;
    let mut days = Vec::new();
    let known = || ReplayContext {
        seed: Some(vault.seed().clone()),
        settings: Some(home.settings.clone()),
    };
    let mut journal = JournalReplay::new(StoreReader::open(&vault)?, known());
    // What housekeeping keeps each night.
    while let Some((seq, event)) = journal.read()? {
        journal.apply(event);
        let Some(state) = journal.state() else { continue };
        let at = state.wall(state.at);
        let day = at.utc().with_timezone(&zone).date_naive();
        if days.last() != Some(&day) && matches!(state.phase, MachinePhase::Idle) {
            days.push(day);
            let base = JournalCheckpoint {
                seq,
                at,
                json: serde_json::to_string(state).unwrap_or_default(),
                forgot: false,
            };
            deletion::write_now(&store, &[StoreWrite::Base(base)])?;
        }
    }
    let events = journal.last();
    drop(journal);
    // The log is emptied each night.
    store.empty_log()?;
    let mut took = Vec::new();
    for part in [2, 3, 4] {
        let Some(day) = days.get(days.len() / part) else {
            continue;
        };
        let begin = day
            .and_time(chrono::NaiveTime::MIN)
            .and_local_timezone(zone)
            .earliest();
        let Some(from) = begin.map(|begin| Timestamp::from(begin.to_utc())) else {
            continue;
        };
        let begun = Instant::now();
        let forget = ErasureScope::within(from, from.plus_ms(86_400_000));
        deletion::on_stopped(&store, &known(), &forget, zone)?;
        took.push(begun.elapsed().as_secs_f64());
    }
    Ok(((days.len(), events), took))
}
