//! `aura bench host`.
//!
//! What: the figures as a table, each with its goal. Why: whether a host of a thousand and of ten thousand owners is as cheap as promised. Not
//! here: measuring (`bench::host`).

use super::no_figures;
use crate::bench::host::{HostFigures, Times, measure};
use aura_cli::{
    args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput, temporary::TemporaryFolder,
};
use clap::Args;
use std::{path::PathBuf, time::Duration};

/// Arguments of `aura bench host`.
#[derive(Debug, Clone, Args)]
pub struct HostBenchArgs {
    /// Hosts of so many owners, one after the other.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10, 100])]
    owners: Vec<usize>,
    /// So many of a hundred are awake at once, 50 owners at most.
    #[arg(long, value_name = "PERCENT", default_value_t = 5)]
    awake: usize,
    /// Over how long each figure over a time is measured, in seconds.
    #[arg(long, value_name = "S", default_value_t = 30)]
    span: u64,
    /// The disk to measure: a folder in which one is made, and removed again [default: the system's temporary folder]
    #[arg(long, value_name = "DIR")]
    on: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// More than these are another figure, which nobody has named.
const AWAKE_MAX: usize = 50;

/// A figure of a host of so many owners beside its goal.
type Row = [String; 4];

/// Runs `aura bench host`.
///
/// # Errors
/// A host that does not start, or an owner who is not served.
pub(super) fn run(args: &HostBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let mut all: Vec<HostFigures> = Vec::new();
    for owners in &args.owners {
        let dir = TemporaryFolder::new(args.on.as_deref())?;
        let awake = (owners * args.awake / 100).clamp(1, AWAKE_MAX);
        let span = Duration::from_secs(args.span);
        all.push(measure(*owners, awake, span, dir.path()).map_err(|error| no_figures(&error))?);
    }
    if args.format.json {
        out.json(&all)?;
        return Ok(CommandExit::Ok);
    }
    let rows: Vec<Row> = all.iter().flat_map(rows).collect();
    out.table(["owners", "figure", "goal", "here"], &rows)?;
    out.text("CPU and memory an owner: goal flat or falling as owners grow 10 → 1,000 → 10,000.")?;
    Ok(CommandExit::Ok)
}

fn rows(figures: &HostFigures) -> Vec<Row> {
    let owners = figures.owners as f64;
    let mib = |kib: u64| kib as f64 / 1024.0;
    let row = |figure: String, goal: &str, here: String| {
        [figures.owners.to_string(), figure, goal.to_owned(), here]
    };
    vec![
        row("`aura owner add`".to_owned(), "", times(&figures.added)),
        row(
            "start until all were served and parked".to_owned(),
            "",
            format!("{:.1} s", figures.all_parked_s),
        ),
        row(
            "served once and parked: CPU an owner".to_owned(),
            "",
            format!("{:.0} ms", figures.served_once_cpu_ms),
        ),
        row(
            "end, and another start until all are parked".to_owned(),
            "",
            format!("{:.1} s", figures.parked_again_s),
        ),
        row(
            "all parked: memory".to_owned(),
            "10,000 in < 600 MiB",
            format!(
                "{:.1} MiB, {:.1} KiB an owner",
                mib(figures.parked_kib),
                figures.parked_kib as f64 / owners
            ),
        ),
        row(
            "all parked: files open, threads".to_owned(),
            "",
            format!("{}, {}", figures.parked_files, figures.parked_threads),
        ),
        row(
            "all parked: wake-ups, CPU a minute".to_owned(),
            "none",
            format!("{:.0}, {:.0} ms", figures.parked_wakeups, figures.parked_cpu_ms),
        ),
        row(
            "woken → first answer".to_owned(),
            "p95 < 150 ms",
            times(&figures.woken),
        ),
        row(
            "due → served, as many as were".to_owned(),
            "on time",
            times(&figures.late),
        ),
        row(
            "due, served and parked: CPU an owner".to_owned(),
            "",
            format!("{:.0} ms", figures.due_cpu_ms),
        ),
        row(
            format!(
                "{} awake: memory of {} processes",
                figures.awake, figures.processes
            ),
            "1,000 with 50 awake in < 1.5 GiB",
            format!("{:.1} MiB", mib(figures.awake_kib)),
        ),
        row(
            format!("{} awake: CPU a minute", figures.awake),
            "",
            format!("{:.0} ms", figures.awake_cpu_ms),
        ),
        row(
            format!("{} awake: a page", figures.awake),
            "p99 < 200 ms",
            times(&figures.pages),
        ),
        row(
            format!("{} awake: a mail until its page shows it", figures.awake),
            "on time",
            times(&figures.mails),
        ),
    ]
}

fn times(times: &Times) -> String {
    format!(
        "p50 {:.0}, p95 {:.0}, p99 {:.0}, most {:.0} ms of {}",
        times.p50_ms, times.p95_ms, times.p99_ms, times.most_ms, times.count
    )
}
