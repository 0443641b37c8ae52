//! `aura bench idle`.
//!
//! What: for how long, and the figures as tables; 1 when one is past its goal. Why: the figures of a quiet laptop in `docs/performance.md` come
//! from here. Not here: what is measured (`bench::idle`).

use super::no_figures;
use crate::bench::idle;
use aura_cli::{
    args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput, temporary::TemporaryFolder,
};
use clap::Args;
use std::{path::PathBuf, time::Duration};

/// Wake-ups a second of the whole service.
const WAKEUPS: f64 = 1.0;
/// The disk sleeps for so many seconds at least once.
const REST_S: u64 = 120;

/// Arguments of `aura bench idle`.
#[derive(Debug, Clone, Args)]
pub struct IdleBenchArgs {
    /// For how many minutes it is counted.
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// How many seconds after everything was read.
    #[arg(long, default_value_t = 60)]
    settle: u64,
    /// The disk to measure: a folder in which one is made, and removed again [default: the system's temporary folder]
    #[arg(long, value_name = "DIR")]
    on: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura bench idle`.
///
/// # Errors
/// A service that does not start, or ends meanwhile.
pub(super) fn run(args: &IdleBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = TemporaryFolder::new(args.on.as_deref())?;
    let (settle, span) = (
        Duration::from_secs(args.settle),
        Duration::from_secs(args.minutes.saturating_mul(60)),
    );
    let figures = idle::idle(settle, span, dir.path()).map_err(|e| no_figures(&e))?;
    // A shorter count cannot show a longer rest.
    let rest_s = REST_S.min(span.as_secs() / 2);
    let is_met = [figures.wakeups <= WAKEUPS, figures.longest_rest_s >= rest_s];
    if args.format.json {
        out.json(&figures)?;
    } else {
        let seconds = figures.seconds;
        let threads: Vec<[String; 4]> = figures
            .threads
            .iter()
            .map(|one| {
                let a_second = one.count as f64 / seconds;
                [
                    one.process.clone(),
                    one.thread.clone(),
                    one.count.to_string(),
                    format!("{a_second:.3}"),
                ]
            })
            .collect();
        out.table(["process", "thread", "wake-ups", "a second"], &threads)?;
        let missed = |is_met: bool| if is_met { "" } else { " MISSED" };
        let written = figures.written.map_or_else(
            || "not told".to_owned(),
            |bytes| format!("{} KiB in {seconds:.0} s", bytes / 1024),
        );
        let [wakes, rests] = is_met.map(missed);
        out.table(
            ["what", "figure", "goal"],
            &[
                [
                    "wake-ups a second, all threads of all processes".to_owned(),
                    format!("{:.2}", figures.wakeups),
                    format!("≤ {WAKEUPS:.0}{wakes}"),
                ],
                ["written".to_owned(), written, String::new()],
                [
                    "longest time without a write".to_owned(),
                    format!("{} s", figures.longest_rest_s),
                    format!("≥ {rest_s} s{rests}"),
                ],
            ],
        )?;
    }
    Ok(if is_met.iter().all(|met| *met) {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}
