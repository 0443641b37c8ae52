//! `aura bench owners`.
//!
//! What: the figures as a table, with the goal beside them. Why: whether an owner costs the same as owners grow. Not here: measuring
//! (`bench::owners`).

use super::no_figures;
use crate::bench::owners::{OwnersFigures, measure};
use aura_cli::{
    args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput, temporary::TemporaryFolder,
};
use clap::Args;
use std::{path::PathBuf, time::Duration};

/// Arguments of `aura bench owners`.
#[derive(Debug, Clone, Args)]
pub struct OwnersBenchArgs {
    /// Hosts of so many owners, one after the other.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 10, 30])]
    owners: Vec<usize>,
    /// For how long each rests before it is measured, and again while it is, in seconds.
    #[arg(long, value_name = "S", default_value_t = 10)]
    rest: u64,
    /// The disk to measure: a folder in which one is made, and removed again [default: the system's temporary folder]
    #[arg(long, value_name = "DIR")]
    on: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// What 1,000 owners of whom 50 are awake may take is 1.5 GiB: so much for each who is awake, where those who are parked took nothing.
const GOAL_MIB: f64 = 1536.0 / 50.0;
/// And the slowest page of a hundred.
const GOAL_PAGE_MS: f64 = 200.0;
/// The first page of an owner who was parked, 95 of a hundred.
const GOAL_WOKEN_MS: f64 = 150.0;

/// Runs `aura bench owners`.
///
/// # Errors
/// A host that does not start, or an owner who is not served.
pub(super) fn run(args: &OwnersBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let mut all: Vec<OwnersFigures> = Vec::new();
    for owners in &args.owners {
        let dir = TemporaryFolder::new(args.on.as_deref())?;
        let rest = Duration::from_secs(args.rest);
        all.push(measure(*owners, rest, dir.path()).map_err(|error| no_figures(&error))?);
    }
    if args.format.json {
        out.json(&all)?;
        return Ok(CommandExit::Ok);
    }
    let (rows, parked): (Vec<[String; 8]>, Vec<[String; 5]>) = all
        .iter()
        .map(|figures| (row(figures), parked_row(figures)))
        .unzip();
    out.table(
        [
            "owners",
            "ready",
            "processes",
            "host's process",
            "all, an owner",
            "CPU, an owner",
            "page, p50",
            "page, p99",
        ],
        &rows,
    )?;
    out.text(&format!(
        "goal: 1,000 owners, 50 of them awake, on 2 cores: < 1.5 GiB, which is {GOAL_MIB:.1} MiB for each who is awake, and p99 of a page < {GOAL_PAGE_MS:.0} ms. Every owner above is awake. The same hosts with every owner parked:"
    ))?;
    out.table(
        [
            "owners",
            "host's process",
            "CPU, all",
            "first page, p50",
            "most of 20",
        ],
        &parked,
    )?;
    out.text(&format!(
        "goal: 10,000 owners < 600 MiB, the first page p95 < {GOAL_WOKEN_MS:.0} ms."
    ))?;
    Ok(CommandExit::Ok)
}

fn parked_row(figures: &OwnersFigures) -> [String; 5] {
    [
        figures.owners.to_string(),
        format!("{:.1} MiB", figures.parked_kib as f64 / 1024.0),
        format!("{:.1} ms a minute", figures.parked_cpu_ms),
        format!("{:.1} ms", figures.woken_p50_ms),
        format!("{:.1} ms", figures.woken_most_ms),
    ]
}

fn row(figures: &OwnersFigures) -> [String; 8] {
    let (owners, mib) = (figures.owners as f64, |kib: u64| kib as f64 / 1024.0);
    [
        figures.owners.to_string(),
        format!("{:.1} s", figures.ready_ms / 1000.0),
        figures.processes.to_string(),
        format!("{:.1} MiB", mib(figures.host_kib)),
        format!("{:.1} MiB", mib(figures.all_kib) / owners),
        format!("{:.1} ms a minute", figures.cpu_ms / owners),
        format!("{:.1} ms", figures.page_p50_ms),
        format!("{:.1} ms", figures.page_p99_ms),
    ]
}
