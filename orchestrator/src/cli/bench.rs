//! `aura bench`: figures of this build on this machine.
//!
//! What: runs a benchmark and prints count, median, 99th percentile and spread. Why: every number in the README comes from
//! here. Not here: what is measured (`bench`).

use super::{args::Format, error::CliError, exit::Exit, out::Out};
use crate::{
    bench::{self, Figures},
    config::Home,
};
use clap::{Args, Subcommand};
use orchestrator_machine::policy::{DEFAULT_TEXT, Policy};
use std::path::PathBuf;
use toolcall_schema::Timestamp;

/// Measure this build on this machine.
#[derive(Debug, Clone, Subcommand)]
pub enum BenchCommand {
    /// A full tick of the bundled household, in memory.
    Tick(TickBenchArgs),
    /// The gate beside the JSON parser alone, for each tool.
    Gate(GateBenchArgs),
}

/// Arguments of `aura bench tick`.
#[derive(Debug, Clone, Args)]
pub struct TickBenchArgs {
    /// How many ticks.
    #[arg(long, default_value_t = 20_000)]
    count: usize,
    /// The household: a folder with home.toml.
    #[arg(long, value_name = "DIR", default_value = "fixtures/home")]
    home: PathBuf,
    #[command(flatten)]
    format: Format,
}

/// Arguments of `aura bench gate`.
#[derive(Debug, Clone, Args)]
pub struct GateBenchArgs {
    /// How many calls a tool.
    #[arg(long, default_value_t = 50_000)]
    count: usize,
    #[command(flatten)]
    format: Format,
}

/// Runs `aura bench`.
///
/// # Errors
/// A household that cannot be read or is not the bundled one.
pub fn run(command: &BenchCommand, out: &mut Out) -> Result<Exit, CliError> {
    if cfg!(debug_assertions) {
        tracing::warn!("a debug build: its figures mean nothing");
    }
    match command {
        BenchCommand::Tick(args) => tick(args, out),
        BenchCommand::Gate(args) => gate(args, out),
    }
}

fn tick(args: &TickBenchArgs, out: &mut Out) -> Result<Exit, CliError> {
    let home = Home::load(&args.home.join("home.toml"))?;
    let wall = home
        .start
        .map_or(Timestamp::default(), |start| start.plus_ms(10_000));
    let policy =
        Policy::parse(DEFAULT_TEXT).map_err(|_| CliError::Bug("the built-in policy cannot be read"))?;
    let figures =
        bench::tick(&home, policy, wall, args.count).map_err(|e| CliError::NotThere(e.to_string()))?;
    if args.format.json {
        out.json(&figures)?;
    } else {
        out.table(
            ["what", "count", "median", "p99", "min", "max", "mean (CPU)"],
            &[row(&figures)],
        )?;
    }
    Ok(Exit::Ok)
}

fn gate(args: &GateBenchArgs, out: &mut Out) -> Result<Exit, CliError> {
    let figures = bench::gate(args.count);
    if args.format.json {
        for one in &figures {
            out.json(one)?;
        }
        return Ok(Exit::Ok);
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
    Ok(Exit::Ok)
}

fn row(figures: &Figures) -> [String; 7] {
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
