//! `aura bench peak`.
//!
//! What: what an owner costs, and how many owners a host of so many cores and places has their briefs on time. Why: the table of capacity in
//! `docs/performance.md` comes from here. Not here: the queue (`bench::morning_peak`).

use crate::bench::morning_peak::{PeakFigures, PeakHost, most_owners, simulate};
use aura_cli::{args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput};
use clap::Args;
use serde_json::json;

/// A brief is on time when it is there within a minute.
const ON_TIME_MS: f64 = 60_000.0;

/// Arguments of `aura bench peak`.
#[derive(Debug, Clone, Args)]
pub struct PeakArgs {
    /// Hosts of so many owners, whose briefs are all due in the same hour.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1_000, 5_000, 10_000])]
    owners: Vec<usize>,
    /// How many cores a host has.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    cores: u16,
    /// How many owners it serves at once.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..))]
    places: u16,
    /// Over how many seconds the briefs of an hour are spread.
    #[arg(long, value_name = "S", default_value_t = 300)]
    spread: u64,
    /// Processor time until a brief is there, in milliseconds: as `aura bench host` measured it.
    #[arg(long, value_name = "MS", default_value_t = 100)]
    brief_cpu: u64,
    /// Processor time of parking, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 20)]
    park_cpu: u64,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura bench peak`.
///
/// # Errors
/// An output that cannot be written.
pub(super) fn run(args: &PeakArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let host = |owners: usize| PeakHost {
        owners,
        cores: usize::from(args.cores),
        places: usize::from(args.places),
        spread_ms: args.spread.saturating_mul(1_000),
        brief_cpu_ms: args.brief_cpu,
        park_cpu_ms: args.park_cpu,
        stays_ms: 1_000,
        lingers_ms: 60_000,
    };
    let all: Vec<PeakFigures> = args.owners.iter().map(|owners| simulate(host(*owners))).collect();
    let most = most_owners(host(0), ON_TIME_MS);
    if args.format.json {
        out.json(&json!({ "hosts": all, "owners_on_time": most }))?;
        return Ok(CommandExit::Ok);
    }
    let rows: Vec<[String; 6]> = all.iter().map(row).collect();
    out.table(
        [
            "owners",
            "late p50",
            "late p99",
            "late most",
            "served at once",
            "all parked after",
        ],
        &rows,
    )?;
    out.text(&format!(
        "{most} owners have their brief within a minute, all but one in a hundred. Simulated: only what an owner costs is measured."
    ))?;
    Ok(CommandExit::Ok)
}

fn row(figures: &PeakFigures) -> [String; 6] {
    let seconds = |ms: f64| format!("{:.1} s", ms / 1_000.0);
    [
        figures.owners.to_string(),
        seconds(figures.late_p50_ms),
        seconds(figures.late_p99_ms),
        seconds(figures.late_most_ms),
        figures.places_most.to_string(),
        format!(
            "{} ({:.0} % busy)",
            seconds(figures.over_ms as f64),
            figures.busy_percent
        ),
    ]
}
