//! `aura bench mail`.
//!
//! What: how many mails, and the figures as a table; 1 when one is past its goal. Why: the figures of accounts of mail in `docs/performance.md` come
//! from here. Not here: what is measured (`bench::mail`).

use super::{beside, no_figures};
use crate::bench::mail;
use aura_cli::{args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput};
use clap::Args;
use std::time::Duration;

/// The first look.
const LOOK_S: f64 = 60.0;
/// The most that a worker has of its own in it (private and written: pages of the program are all processes'), in KiB.
const PEAK_KIB: u64 = 40 << 10;
/// What two workers have of their own while they wait, in KiB.
const WAITING_KIB: u64 = 12 << 10;

/// Arguments of `aura bench mail`.
#[derive(Debug, Clone, Args)]
pub struct MailBenchArgs {
    /// Mails of the account.
    #[arg(long, default_value_t = 50_000)]
    mails: u64,
    /// How many seconds the workers wait before their memory is read.
    #[arg(long, default_value_t = 10)]
    settle: u64,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura bench mail`.
///
/// # Errors
/// A server or worker that does not start or answer.
pub(super) fn run(args: &MailBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let settle = Duration::from_secs(args.settle);
    let figures = mail::mail(&beside("aura")?, args.mails, settle).map_err(|e| no_figures(&e))?;
    let waiting: Option<u64> = figures.waiting.iter().map(|worker| worker.own).sum();
    let is_met = [
        figures.first_look_s < LOOK_S,
        figures.peak.own.is_none_or(|kib| kib < PEAK_KIB),
        waiting.is_none_or(|kib| kib <= WAITING_KIB),
    ];
    if args.format.json {
        out.json(&figures)?;
    } else {
        let mib = |kib: u64| format!("{:.1} MiB", kib as f64 / 1024.0);
        let own = |kib: Option<u64>| kib.map_or_else(|| "not told".to_owned(), mib);
        let missed = |is_met: bool| if is_met { "" } else { " MISSED" };
        let [look, peak, wait] = is_met.map(missed);
        let resident: u64 = figures.waiting.iter().map(|worker| worker.resident).sum();
        out.table(
            ["what", "figure", "goal"],
            &[
                [
                    format!("first look: {} heads and {} texts", figures.heads, figures.texts),
                    format!("{:.1} s", figures.first_look_s),
                    format!("< {LOOK_S:.0} s{look}"),
                ],
                [
                    "the most that its worker has of its own in it".to_owned(),
                    own(figures.peak.own),
                    format!("< {}{peak}", mib(PEAK_KIB)),
                ],
                [
                    "the same, resident".to_owned(),
                    mib(figures.peak.resident),
                    String::new(),
                ],
                [
                    "two workers that wait, of their own".to_owned(),
                    own(waiting),
                    format!("≤ {}{wait}", mib(WAITING_KIB)),
                ],
                ["the same, resident".to_owned(), mib(resident), String::new()],
            ],
        )?;
    }
    Ok(if is_met.iter().all(|met| *met) {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}
