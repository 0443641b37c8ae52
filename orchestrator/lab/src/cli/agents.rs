//! `aura bench agents` and `aura bench import`.
//!
//! What: prints what `bench::agents` measures. Why: the figures of `docs/agents`. Not here: measuring.

use super::{DiskBenchArgs, mib, morning, no_figures, row};
use crate::bench::agents;
use aura_cli::{
    args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput, temporary::TemporaryFolder,
};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `aura bench agents`.
#[derive(Debug, Clone, Args)]
pub struct AgentsBenchArgs {
    /// How many ticks of each agent, and batches of notifications a hundred times fewer.
    #[arg(long, default_value_t = 100_000)]
    count: usize,
    /// The household: a folder with home.toml.
    #[arg(long, value_name = "DIR", default_value = "fixtures/home")]
    home: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

/// Arguments of `aura bench import`.
#[derive(Debug, Clone, Args)]
pub struct ImportBenchArgs {
    /// Megabytes of the larger file of each kind; journals have an eighth.
    #[arg(long, default_value_t = 800)]
    megabytes: u64,
    /// Mails of the Maildir.
    #[arg(long, default_value_t = 50_000)]
    mails: u64,
    #[command(flatten)]
    on_disk: DiskBenchArgs,
}

/// Runs `aura bench agents`.
///
/// # Errors
/// A household that cannot be read.
pub fn run(args: &AgentsBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (home, _, wall) = morning(&args.home)?;
    let figures = agents::agents(&home, wall, args.count).map_err(|e| no_figures(&e))?;
    if args.format.json {
        for one in &figures {
            out.json(one)?;
        }
        return Ok(CommandExit::Ok);
    }
    let rows: Vec<_> = figures.iter().map(row).collect();
    out.table(
        ["what", "count", "median", "p99", "min", "max", "mean (CPU)"],
        &rows,
    )?;
    Ok(CommandExit::Ok)
}

/// Runs `aura bench import`.
///
/// # Errors
/// A disk that says no.
pub fn import(args: &ImportBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (home, _, _) = morning(&args.on_disk.home)?;
    let dir = TemporaryFolder::new(args.on_disk.on.as_deref())?;
    let sizes = (args.megabytes * 1_000_000, args.mails);
    let figures = agents::import(&home, sizes, dir.path()).map_err(|e| no_figures(&e))?;
    if args.on_disk.format.json {
        for one in &figures {
            out.json(one)?;
        }
        return Ok(CommandExit::Ok);
    }
    let rows: Vec<[String; 9]> = figures
        .iter()
        .map(|one| {
            [
                one.what.to_owned(),
                format!("{:.0} MB", one.bytes as f64 / 1e6),
                format!("{} + {}", one.items.0, one.items.1),
                one.slices.to_string(),
                format!("{:.0}", one.mb_per_cpu_second),
                format!("{:.0}", one.mb_per_second),
                format!("{:.0} ms", one.longest_ms),
                mib(one.grown_kib),
                format!("{:.1} ms", one.again_ms),
            ]
        })
        .collect();
    out.table(
        [
            "what",
            "bytes",
            "kept + skipped",
            "slices",
            "MB/CPU s",
            "MB/s",
            "longest",
            "memory",
            "again",
        ],
        &rows,
    )?;
    Ok(CommandExit::Ok)
}
