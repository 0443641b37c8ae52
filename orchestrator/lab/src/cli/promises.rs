//! `aura bench promises`.
//!
//! What: prints what `bench::promises` measures, beside what is promised. Why: the figures of `docs/performance.md` about posts, floods and
//! deletions. Not here: measuring.

use super::{DiskBenchArgs, morning, no_figures};
use crate::bench::promises::{PromiseFigure, PromiseSizes, promises};
use aura_cli::{error::CliError, exit::CommandExit, out::CommandOutput, temporary::TemporaryFolder};
use clap::Args;

/// Arguments of `aura bench promises`.
#[derive(Debug, Clone, Args)]
pub struct PromisesBenchArgs {
    /// Posts of one notification each.
    #[arg(long, default_value_t = 1000)]
    posts: usize,
    /// Megabytes of mail that are read beside posts.
    #[arg(long, default_value_t = 1024)]
    mail_mb: u64,
    /// Posts of 256 notifications at once.
    #[arg(long, default_value_t = 40)]
    flood: usize,
    /// Starts, each with a first bank message; and as many, each with 64 people named.
    #[arg(long, default_value_t = 20)]
    starts: usize,
    /// Pages of 400 people who wait, pages of all people, and acts on them.
    #[arg(long, default_value_t = 100)]
    people: usize,
    /// Ticks of the year that is deleted.
    #[arg(long, default_value_t = 40_000)]
    year: u64,
    #[command(flatten)]
    on_disk: DiskBenchArgs,
}

/// Runs `aura bench promises`: 1 when one is not kept.
///
/// # Errors
/// A service or a disk that says no.
pub(super) fn run(args: &PromisesBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (home, policy, wall) = morning(&args.on_disk.home)?;
    let dir = TemporaryFolder::new(args.on_disk.on.as_deref())?;
    let sizes = PromiseSizes {
        posts: args.posts,
        mail_mb: args.mail_mb,
        flood: args.flood,
        starts: args.starts,
        people: args.people,
        year: args.year,
    };
    let file = args.on_disk.home.join("home.toml");
    let figures = promises(&file, (&home, &policy, wall), sizes, dir.path()).map_err(|e| no_figures(&e))?;
    if args.on_disk.format.json {
        out.json(&figures)?;
    } else {
        let rows: Vec<[String; 8]> = figures.spans.iter().map(row).collect();
        out.table(
            ["what", "count", "median", "p95", "p99", "min", "max", "promised"],
            &rows,
        )?;
        let flood = figures.flood;
        out.text(&format!(
            "{} notifications in {} ms: {} counted in memory, {} answered 429 or 503{}",
            flood.sent,
            flood.ms,
            flood.counted,
            flood.refused,
            if flood.is_kept() { "" } else { ": not every one" }
        ))?;
    }
    let kept = figures.spans.iter().all(|figure| figure.is_kept) && figures.flood.is_kept();
    Ok(if kept { CommandExit::Ok } else { CommandExit::Bad })
}

fn row(figure: &PromiseFigure) -> [String; 8] {
    let ms = |ms: f64| format!("{ms:.1} ms");
    let (which, below) = figure.promised;
    let (least, most) = figure.min_max_ms;
    let missed = if figure.is_kept { "" } else { " MISSED" };
    [
        figure.what.to_owned(),
        figure.count.to_string(),
        ms(figure.p50_ms),
        ms(figure.p95_ms),
        ms(figure.p99_ms),
        ms(least),
        ms(most),
        format!("{which} < {below:.0} ms{missed}"),
    ]
}
