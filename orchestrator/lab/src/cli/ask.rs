//! `aura bench ask`.
//!
//! What: how many reads, and the figures as a table; 1 when one is past its goal. Why: the figures of programs that read in `docs/performance.md` come
//! from here. Not here: what is measured (`bench::ask`).

use super::{DiskBenchArgs, no_figures};
use crate::bench::ask;
use aura_cli::{error::CliError, exit::CommandExit, out::CommandOutput, temporary::TemporaryFolder};
use clap::Args;

/// 95 of 100 reads, in milliseconds: by Aura's own routes, by the protocol over HTTP, through `aura mcp`.
const P95_MS: [f64; 3] = [2.0, 2.0, 5.0];

/// Arguments of `aura bench ask`.
#[derive(Debug, Clone, Args)]
pub struct AskBenchArgs {
    /// Reads by each door; a folder has devices for a thousand.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=1000))]
    count: u32,
    #[command(flatten)]
    on_disk: DiskBenchArgs,
}

/// Runs `aura bench ask`.
///
/// # Errors
/// A service that does not start or answer.
pub(super) fn run(args: &AskBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = TemporaryFolder::new(args.on_disk.on.as_deref())?;
    let file = args.on_disk.home.join("home.toml");
    let count = usize::try_from(args.count).unwrap_or(usize::MAX);
    let figures = ask::reads(&file, count, dir.path()).map_err(|e| no_figures(&e))?;
    let mut is_met = true;
    let rows = figures.iter().zip(P95_MS).map(|(figure, most)| {
        let met = figure.p95_ms <= most;
        is_met &= met;
        let missed = if met { "" } else { " MISSED" };
        [
            figure.what.clone(),
            figure.count.to_string(),
            format!("{:.2} ms", figure.p50_ms),
            format!("{:.2} ms", figure.p95_ms),
            format!("{:.2} ms", figure.min_max_ms.1),
            format!("p95 ≤ {most:.0} ms{missed}"),
        ]
    });
    let rows: Vec<[String; 6]> = rows.collect();
    if args.on_disk.format.json {
        out.json(&figures)?;
    } else {
        out.table(["a read", "count", "median", "p95", "most", "goal"], &rows)?;
    }
    Ok(if is_met { CommandExit::Ok } else { CommandExit::Bad })
}
