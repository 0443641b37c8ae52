//! `aura bench first-day`.
//!
//! What: how often, and the figures as a table; 1 when one is past its goal. Why: the first day's figures of `docs/performance.md` come from here.
//! Not here: what is measured (`bench::first_day`).

use super::{DiskBenchArgs, beside, morning, no_figures};
use crate::bench::first_day;
use aura_cli::{error::CliError, exit::CommandExit, out::CommandOutput, temporary::TemporaryFolder};
use clap::Args;

/// From `aura` to the first screen, in milliseconds.
const SCREEN_MS: u64 = 1000;
/// A look at fifty thousand mails.
const LOOK_MS: u64 = 2000;

/// Arguments of `aura bench first-day`.
#[derive(Debug, Clone, Args)]
pub struct FirstDayBenchArgs {
    /// How many new home folders, and looks at each mailbox.
    #[arg(long, default_value_t = 5)]
    count: usize,
    /// Mails of the mailboxes.
    #[arg(long, default_value_t = 50_000)]
    mails: u64,
    #[command(flatten)]
    on_disk: DiskBenchArgs,
}

/// Runs `aura bench first-day`.
///
/// # Errors
/// A service or process that does not answer.
pub(super) fn run(args: &FirstDayBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let (home, _, _) = morning(&args.on_disk.home)?;
    let dir = TemporaryFolder::new(args.on_disk.on.as_deref())?;
    let figures = first_day::first_day(&beside("aura")?, &home, (args.mails, args.count), dir.path())
        .map_err(|e| no_figures(&e))?;
    if args.on_disk.format.json {
        out.json(&figures)?;
    } else {
        let row = |what: String, ms: &[u64]| {
            let middle = ms.get(ms.len() / 2).copied().unwrap_or_default();
            let of = |ms: Option<&u64>| format!("{} ms", ms.copied().unwrap_or_default());
            [
                what,
                ms.len().to_string(),
                format!("{middle} ms"),
                of(ms.first()),
                of(ms.last()),
            ]
        };
        let screen = row("aura → first screen".to_owned(), &figures.first_screen_ms);
        let looks = figures.looks.iter().map(|look| {
            let what = format!(
                "look at {} mails, {}, {} MB",
                look.mails,
                look.what,
                look.bytes / 1_000_000
            );
            row(what, &look.ms)
        });
        let rows: Vec<[String; 5]> = std::iter::once(screen).chain(looks).collect();
        out.table(["what", "count", "median", "min", "max"], &rows)?;
    }
    let is_in_time = |ms: &[u64], most| ms.last().is_some_and(|last| *last < most);
    let in_time = is_in_time(&figures.first_screen_ms, SCREEN_MS)
        && figures.looks.iter().all(|look| is_in_time(&look.ms, LOOK_MS));
    Ok(if in_time {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}
