//! The command line of `aura-lab`.
//!
//! `aura bench` runs a benchmark and prints count, median, 99th percentile and spread: every number in `docs/performance.md` comes from here.
//! Not here: what is measured (`bench`), `selftest` (`selftest`).

pub mod agents;
pub mod ask;
pub mod first_day;
pub mod host;
pub mod idle;
pub mod mail;
pub mod memory;
pub mod model;
pub mod morning_peak;
pub mod promises;
pub mod selftest;
pub mod served;
pub mod web;

use crate::bench::{self, BenchError, CpuFigures, actors, store, workflow};
use aura_cli::{
    args::FormatArgs,
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    start::CommandLine,
    temporary::TemporaryFolder,
    worker::{self, WorkerCommand},
};
use aura_runtime::config::HomeConfig;
use clap::{Args, Parser, Subcommand};
use orchestrator_machine::policy::{DEFAULT_TEXT, Policy};
use selftest::SelftestCommand;
use std::path::{Path, PathBuf};
use toolcall_schema::Timestamp;

/// Measures Aura and hurts it; `aura bench` and `aura selftest` start it.
#[derive(Debug, Parser)]
#[command(name = "aura", version, arg_required_else_help = true)]
pub struct LabCli {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Debug, Subcommand)]
enum LabCommand {
    /// Measure this build on this machine
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Try on this machine what Aura promises
    #[command(subcommand)]
    Selftest(SelftestCommand),
    /// A process that a benchmark starts for itself
    #[command(subcommand, hide = true)]
    Worker(WorkerCommand),
}

impl CommandLine for LabCli {
    fn log_level(&self) -> &'static str {
        "warn"
    }

    fn run(&self, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
        match &self.command {
            LabCommand::Bench(command) => run(command, out),
            LabCommand::Selftest(command) => selftest::run(command, out),
            LabCommand::Worker(command) => worker::run(command, out),
        }
    }
}

/// A program of Aura beside this one.
///
/// # Errors
/// It is not there.
pub(crate) fn beside(name: &str) -> Result<PathBuf, CliError> {
    let path = std::env::current_exe()?.with_file_name(name);
    if path.is_file() {
        return Ok(path);
    }
    Err(CliError::NotThere(format!(
        "{} is not there; build it with `make build`",
        path.display()
    )))
}

/// Measure this build on this machine.
#[derive(Debug, Clone, Subcommand)]
pub enum BenchCommand {
    /// A full tick of the bundled household, in memory; or as it is served.
    Tick(TickBenchArgs),
    /// One question to four at once: bare actix, our actors, four processes; and a killed process.
    Actors(ActorsBenchArgs),
    /// The gate beside the JSON parser alone, for each tool.
    Gate(GateBenchArgs),
    /// The tick of each agent alone, and notifications judged.
    Agents(agents::AgentsBenchArgs),
    /// Large files of mail, journals and health data, read slice by slice.
    Import(agents::ImportBenchArgs),
    /// The same tick with every barrier on disk, beside bare commits.
    Durable(DurableBenchArgs),
    /// The durable tick over stores of more and more traces.
    Growth(GrowthBenchArgs),
    /// A long journal, recorded and folded again.
    Replay(ReplayBenchArgs),
    /// What is remembered: nodes a second, an export, a start, one day erased among a year.
    Memory(memory::MemoryBenchArgs),
    /// What a sender is promised: posts, a flood, a first bank message, a year deleted beside it.
    Promises(promises::PromisesBenchArgs),
    /// What other people's programs read: by HTTP, by the Model Context Protocol, through `aura mcp`.
    Ask(ask::AskBenchArgs),
    /// A trivial workflow agent: started per request, kept running, and with a thousand concurrent requests.
    Workflow(WorkflowBenchArgs),
    /// A model on the questions of recorded days, and killed: the same as `aura model bench`.
    Model(model::ModelBenchArgs),
    /// The pages: from a signal to its card, the first paint, the size of the whole.
    Web(web::WebBenchArgs),
    /// The first day: from one word to the first screen, looks at large mailboxes.
    FirstDay(first_day::FirstDayBenchArgs),
    /// Memory of the service, process by process, without and with the model.
    Footprint(model::FootprintArgs),
    /// A quiet service: how often it wakes, and what it writes.
    Idle(idle::IdleBenchArgs),
    /// A host as it is used: most owners parked, some awake.
    Host(host::HostBenchArgs),
    /// The hour of the briefs on hosts of many owners, simulated.
    Peak(morning_peak::PeakArgs),
    /// An account of mail on a real server: its first look, and what its workers need.
    Mail(mail::MailBenchArgs),
}

/// Where a benchmark writes, and what it runs.
#[derive(Debug, Clone, Args)]
pub struct DiskBenchArgs {
    /// The household: a folder with home.toml.
    #[arg(long, value_name = "DIR", default_value = "fixtures/home")]
    home: PathBuf,
    /// The disk to measure: a folder in which one is made, and removed again [default: the system's temporary folder]
    #[arg(long, value_name = "DIR")]
    on: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Arguments of `aura bench workflow`.
#[derive(Debug, Clone, Args)]
pub struct WorkflowBenchArgs {
    /// Requests to the one-shot program; the persistent program gets ten times as many.
    #[arg(long, default_value_t = 300)]
    count: usize,
    #[command(flatten)]
    format: FormatArgs,
}

/// Arguments of `aura bench durable`.
#[derive(Debug, Clone, Args)]
pub struct DurableBenchArgs {
    /// How many ticks.
    #[arg(long, default_value_t = 2000)]
    count: usize,
    #[command(flatten)]
    on_disk: DiskBenchArgs,
}

/// Arguments of `aura bench growth`.
#[derive(Debug, Clone, Args)]
pub struct GrowthBenchArgs {
    /// How many ticks at each size.
    #[arg(long, default_value_t = 400)]
    count: usize,
    /// Traces in the store, smallest first.
    #[arg(long, value_delimiter = ',', default_value = "100,10000,1000000")]
    traces: Vec<u64>,
    #[command(flatten)]
    on_disk: DiskBenchArgs,
}

/// Arguments of `aura bench replay`.
#[derive(Debug, Clone, Args)]
pub struct ReplayBenchArgs {
    /// How many ticks.
    #[arg(long, default_value_t = 100_000)]
    ticks: u64,
    #[command(flatten)]
    on_disk: DiskBenchArgs,
}

/// Arguments of `aura bench tick`.
#[derive(Debug, Clone, Args)]
pub struct TickBenchArgs {
    /// How many ticks in this process.
    #[arg(long, default_value_t = 20_000, conflicts_with = "as_served")]
    count: usize,
    /// The shipped program instead, with its processes, its store and a page, beside the figure in this process
    #[arg(long)]
    as_served: bool,
    /// How many ticks of the shipped program without a page, and as many with one: each takes a second; a question of its page, a minute.
    #[arg(long, default_value_t = 20, requires = "as_served")]
    served: u64,
    #[command(flatten)]
    on_disk: DiskBenchArgs,
}

/// Arguments of `aura bench actors`.
#[derive(Debug, Clone, Args)]
pub struct ActorsBenchArgs {
    /// How many batches of 100 questions to each.
    #[arg(long, default_value_t = 50)]
    rounds: usize,
    /// The household: a folder with home.toml.
    #[arg(long, value_name = "DIR", default_value = "fixtures/home")]
    home: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

/// Arguments of `aura bench gate`.
#[derive(Debug, Clone, Args)]
pub struct GateBenchArgs {
    /// How many calls a tool.
    #[arg(long, default_value_t = 50_000)]
    count: usize,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura bench`.
///
/// # Errors
/// A household that cannot be read or is not the bundled one.
pub fn run(command: &BenchCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    if cfg!(debug_assertions) {
        tracing::warn!("a debug build: its figures mean nothing");
    }
    match command {
        BenchCommand::Tick(args) => tick(args, out),
        BenchCommand::Actors(args) => ask_four(args, out),
        BenchCommand::Gate(args) => gate(args, out),
        BenchCommand::Durable(args) => durable(args, out),
        BenchCommand::Growth(args) => growth(args, out),
        BenchCommand::Replay(args) => replay(args, out),
        BenchCommand::Agents(args) => agents::run(args, out),
        BenchCommand::Import(args) => agents::import(args, out),
        BenchCommand::Memory(args) => memory::run(args, out),
        BenchCommand::Promises(args) => promises::run(args, out),
        BenchCommand::Ask(args) => ask::run(args, out),
        BenchCommand::Workflow(args) => ask_programs(args, out),
        BenchCommand::Model(args) => model::run(args, out),
        BenchCommand::Web(args) => web::run(args, out),
        BenchCommand::FirstDay(args) => first_day::run(args, out),
        BenchCommand::Footprint(args) => model::footprint(args, out),
        BenchCommand::Idle(args) => idle::run(args, out),
        BenchCommand::Host(args) => host::run(args, out),
        BenchCommand::Mail(args) => mail::run(args, out),
        BenchCommand::Peak(args) => morning_peak::run(args, out),
    }
}

/// The bundled household on its morning, and the built-in policy.
fn morning(home: &Path) -> Result<(HomeConfig, Policy, Timestamp), CliError> {
    let home = HomeConfig::load(&home.join("home.toml"))?;
    let wall = home
        .start
        .map_or(Timestamp::default(), |start| start.plus_ms(10_000));
    let policy =
        Policy::parse(DEFAULT_TEXT).map_err(|_| CliError::Bug("the built-in policy cannot be read"))?;
    Ok((home, policy, wall))
}

fn durable(args: &DurableBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (home, policy, wall) = morning(&args.on_disk.home)?;
    let dir = TemporaryFolder::new(args.on_disk.on.as_deref())?;
    let figures = store::durable(&home, policy, wall, args.count, dir.path()).map_err(|e| no_figures(&e))?;
    if args.on_disk.format.json {
        out.json(&figures)?;
        return Ok(CommandExit::Ok);
    }
    let (slowest, fastest) = figures.slowest_fastest;
    out.table(
        [
            "count",
            "barriers",
            "ticks/s",
            "slowest",
            "fastest",
            "commits allow",
            "ratio",
        ],
        &[[
            figures.count.to_string(),
            format!("{:.2}", figures.barriers),
            format!("{:.0}", figures.per_second),
            format!("{slowest:.0}"),
            format!("{fastest:.0}"),
            format!("{:.0}", figures.commits_allow),
            format!("{:.2}", figures.ratio),
        ]],
    )?;
    Ok(CommandExit::Ok)
}

fn ask_programs(args: &WorkflowBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = TemporaryFolder::new(None)?;
    let figures = workflow::workflow(dir.path(), args.count).map_err(|e| no_figures(&e))?;
    let at_once = &figures.at_once;
    let lost = at_once.asked - at_once.answered;
    if args.format.json {
        out.json(&figures)?;
    } else {
        let ms = |us: f64| format!("{:.3} ms", us / 1000.0);
        let rows: Vec<[String; 6]> = figures
            .asked
            .iter()
            .map(|one| {
                let (least, most) = one.min_max_us;
                let [p50, p99, least, most] = [one.p50_us, one.p99_us, least, most].map(ms);
                [one.what.to_owned(), one.count.to_string(), p50, p99, least, most]
            })
            .collect();
        out.table(["what", "count", "median", "p99", "min", "max"], &rows)?;
        out.text(&format!(
            "{} at once: {} answered with their own word, {lost} lost, {:.3} s",
            at_once.asked, at_once.answered, at_once.seconds
        ))?;
    }
    Ok(if lost == 0 {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

fn growth(args: &GrowthBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (home, policy, wall) = morning(&args.on_disk.home)?;
    let dir = TemporaryFolder::new(args.on_disk.on.as_deref())?;
    let levels = (args.count, args.traces.as_slice());
    let figures = store::growth(&home, policy, wall, levels, dir.path()).map_err(|e| no_figures(&e))?;
    if args.on_disk.format.json {
        for one in &figures {
            out.json(one)?;
        }
        return Ok(CommandExit::Ok);
    }
    let rows: Vec<[String; 7]> = figures
        .iter()
        .map(|one| {
            [
                one.traces.to_string(),
                one.count.to_string(),
                format!("{:.0} µs", one.wall_us),
                format!("{:.0} µs", one.cpu_us),
                format!("{:.2}", one.ratio),
                format!("{:.1} MiB", one.store_bytes as f64 / 1_048_576.0),
                mib(one.resident_kib),
            ]
        })
        .collect();
    out.table(
        ["traces", "count", "wall", "CPU", "ratio", "store", "resident"],
        &rows,
    )?;
    Ok(CommandExit::Ok)
}

fn replay(args: &ReplayBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (home, policy, wall) = morning(&args.on_disk.home)?;
    let dir = TemporaryFolder::new(args.on_disk.on.as_deref())?;
    let figures = store::replay(&home, policy, wall, args.ticks, dir.path()).map_err(|e| no_figures(&e))?;
    if args.on_disk.format.json {
        out.json(&figures)?;
        return Ok(CommandExit::Ok);
    }
    let (before, after) = figures.resident_kib;
    out.table(
        ["ticks", "events", "traces", "seconds", "resident before", "after"],
        &[[
            figures.ticks.to_string(),
            figures.events.to_string(),
            figures.traces.to_string(),
            format!("{:.2}", figures.seconds),
            mib(before),
            mib(after),
        ]],
    )?;
    Ok(CommandExit::Ok)
}

fn mib(kib: Option<u64>) -> String {
    kib.map_or_else(
        || "unknown".to_owned(),
        |kib| format!("{:.1} MiB", kib as f64 / 1024.0),
    )
}

pub(super) fn no_figures(error: &BenchError) -> CliError {
    CliError::NotThere(error.to_string())
}

fn tick(args: &TickBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    if args.as_served {
        return served::run(args.served, &args.on_disk, out);
    }
    let (home, policy, wall) = morning(&args.on_disk.home)?;
    let figures = bench::tick(&home, policy, wall, args.count).map_err(|e| no_figures(&e))?;
    if args.on_disk.format.json {
        out.json(&figures)?;
    } else {
        out.table(
            ["what", "count", "median", "p99", "min", "max", "mean (CPU)"],
            &[row(&figures)],
        )?;
    }
    Ok(CommandExit::Ok)
}

fn ask_four(args: &ActorsBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (home, _, wall) = morning(&args.home)?;
    let figures = actors::actors(&home, wall, args.rounds).map_err(|e| no_figures(&e))?;
    if args.format.json {
        out.json(&figures)?;
        return Ok(CommandExit::Ok);
    }
    let rows: Vec<[String; 6]> = figures
        .fan_out
        .iter()
        .map(|one| {
            [
                one.what.to_owned(),
                one.count.to_string(),
                format!("{:.0}", one.per_second),
                format!("{:.0}", one.slowest_fastest.0),
                format!("{:.0}", one.slowest_fastest.1),
                format!("{:.1} µs", one.cpu_us),
            ]
        })
        .collect();
    out.table(
        [
            "four at once",
            "count",
            "per second",
            "slowest",
            "fastest",
            "CPU of all",
        ],
        &rows,
    )?;
    out.text(&format!(
        "supervised to bare: {:.2}; agents to bare actors with the same work: {:.2}",
        figures.supervised_to_bare, figures.agents_to_bare
    ))?;
    let killed = figures.killed;
    out.text(&format!(
        "killed process to its next answer: median {:.1} ms, {:.1} to {:.1} ms, {} kills",
        killed.median_ms, killed.min_max_ms.0, killed.min_max_ms.1, killed.count
    ))?;
    Ok(CommandExit::Ok)
}

fn gate(args: &GateBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let figures = bench::gate(args.count);
    if args.format.json {
        for one in &figures {
            out.json(one)?;
        }
        return Ok(CommandExit::Ok);
    }
    let rows: Vec<[String; 8]> = figures
        .iter()
        .map(|one| {
            [
                one.tool.clone(),
                one.bytes.to_string(),
                one.gate.count.to_string(),
                format!("{:.0} ns", one.gate.cpu_median_ns),
                format!("{:.0} ns", one.gate.cpu_p99_ns),
                format!("{:.0} ns", one.parser.cpu_median_ns),
                format!("{:.0} ns", one.parser.cpu_p99_ns),
                format!("{:.2}", one.ratio),
            ]
        })
        .collect();
    out.table(
        ["tool", "bytes", "count", "gate", "p99", "parser", "p99", "ratio"],
        &rows,
    )?;
    Ok(CommandExit::Ok)
}

fn row(figures: &CpuFigures) -> [String; 7] {
    let us = |ns: f64| format!("{:.2} µs", ns / 1000.0);
    [
        figures.what.clone(),
        figures.count.to_string(),
        us(figures.cpu_median_ns),
        us(figures.cpu_p99_ns),
        us(figures.cpu_min_max_ns.0),
        us(figures.cpu_min_max_ns.1),
        us(figures.cpu_mean_ns),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn every_command_of_the_lab_is_in_the_manual() {
        LabCli::command().debug_assert();
        let manual = include_str!("../../../docs/cli.md");
        let command = LabCli::command();
        let shown = command.get_subcommands().filter(|group| !group.is_hide_set());
        for group in shown {
            for command in group.get_subcommands() {
                let name = format!("`aura {} {}", group.get_name(), command.get_name());
                assert!(manual.contains(&name), "{name}");
            }
        }
    }
}
