//! `aura bench memory`.
//!
//! What: prints what `bench::memory` measures. Why: the figures of `docs/performance.md` about what is kept. Not here: measuring.

use super::{DiskBenchArgs, morning, no_figures};
use crate::bench::memory::{MemorySizes, memory};
use aura_cli::{error::CliError, exit::CommandExit, out::CommandOutput, temporary::TemporaryFolder};
use clap::Args;

/// Arguments of `aura bench memory`.
#[derive(Debug, Clone, Args)]
pub struct MemoryBenchArgs {
    /// Nodes that are written, three times each with and without words.
    #[arg(long, default_value_t = 200_000)]
    nodes: u64,
    /// Records of the larger export.
    #[arg(long, default_value_t = 1_000_000)]
    export: u64,
    /// Traces in the store at a start.
    #[arg(long, default_value_t = 100_000)]
    start: u64,
    /// How often it is started.
    #[arg(long, default_value_t = 7)]
    starts: usize,
    /// Ticks of the year of which a day is erased.
    #[arg(long, default_value_t = 40_000)]
    year: u64,
    #[command(flatten)]
    on_disk: DiskBenchArgs,
}

/// Runs `aura bench memory`.
///
/// # Errors
/// A disk that says no, or a household that is not the bundled one.
pub fn run(args: &MemoryBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (home, policy, wall) = morning(&args.on_disk.home)?;
    let dir = TemporaryFolder::new(args.on_disk.on.as_deref())?;
    let sizes = MemorySizes {
        nodes: args.nodes,
        export: args.export,
        start: args.start,
        starts: args.starts,
        year: args.year,
    };
    let file = args.on_disk.home.join("home.toml");
    let figures = memory(&file, (&home, &policy, wall), sizes, dir.path()).map_err(|e| no_figures(&e))?;
    if args.on_disk.format.json {
        out.json(&figures)?;
        return Ok(CommandExit::Ok);
    }
    let list = |of: &[f64], digits: usize| {
        let texts: Vec<String> = of.iter().map(|x| format!("{x:.digits$}")).collect();
        texts.join(", ")
    };
    let exports: Vec<String> = figures
        .exports
        .iter()
        .map(|(records, seconds, kib)| format!("{records} in {seconds:.1} s with {} MiB", kib / 1024))
        .collect();
    let ((traces, starts), (days, events)) = (&figures.start, figures.year);
    let rows = [
        ("nodes a second", list(&figures.nodes_per_second, 0)),
        ("with their words", list(&figures.searchable_per_second, 0)),
        ("records exported", exports.join("; ")),
        (
            "start to address",
            format!("{} ms with {traces} traces", list(starts, 0)),
        ),
        (
            "one day erased",
            format!(
                "{} s of {days} days, {events} events",
                list(&figures.erased_in, 2)
            ),
        ),
    ];
    out.table(
        ["what", "figures"],
        &rows.map(|(what, figures)| [what.to_owned(), figures]),
    )?;
    Ok(CommandExit::Ok)
}
