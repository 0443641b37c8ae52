//! `aura bench tick --as-served`.
//!
//! What: the figures as tables, beside their goals; 1 when one is missed. Why: the figures of a tick in `docs/performance.md` that count come from
//! here. Not here: what is measured (`bench::served`).

use super::{DiskBenchArgs, morning, no_figures, row};
use crate::bench::served::{ServedRun, TickPart, served};
use aura_cli::{error::CliError, exit::CommandExit, out::CommandOutput, temporary::TemporaryFolder};

/// CPU of all processes, without commits and page.
const TICK_US: f64 = 200.0;
/// With them: this many times the bare sealed commits more.
const COMMITS: f64 = 1.5;

/// Runs `aura bench tick --as-served`.
///
/// # Errors
/// A service that does not start or tick.
pub(super) fn run(
    count: u64,
    on_disk: &DiskBenchArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let (home, policy, wall) = morning(&on_disk.home)?;
    let dir = TemporaryFolder::new(on_disk.on.as_deref())?;
    let file = on_disk.home.join("home.toml");
    let figures = served(&file, (&home, &policy, wall), count, dir.path()).map_err(|e| no_figures(&e))?;
    let [alone, seen] = &figures.runs;
    let bare = alone.all_us() - alone.part_us(TickPart::Store);
    let all_most = TICK_US + COMMITS * figures.commits_us;
    let is_met = [bare <= TICK_US, seen.all_us() <= all_most];
    if on_disk.format.json {
        out.json(&figures)?;
    } else {
        let us = |us: f64| format!("{us:.0} µs");
        let parts = TickPart::ALL
            .map(|(part, what)| [what.to_owned(), us(alone.part_us(part)), us(seen.part_us(part))]);
        let all = ["all".to_owned(), us(alone.all_us()), us(seen.all_us())];
        out.table(
            ["CPU a tick", "without a page", "with one"],
            &parts.into_iter().chain([all]).collect::<Vec<_>>(),
        )?;
        for run in &figures.runs {
            out.text(&ticks(run))?;
        }
        let [without, with] = is_met.map(|met| if met { "" } else { " MISSED" });
        out.table(
            ["what", "figure", "goal"],
            &[
                [
                    "all processes, without commits and page".to_owned(),
                    us(bare),
                    format!("≤ {TICK_US:.0} µs{without}"),
                ],
                [
                    "all processes, with commits and page".to_owned(),
                    us(seen.all_us()),
                    format!("≤ {all_most:.0} µs{with}"),
                ],
                [
                    "bare sealed commits of a tick".to_owned(),
                    us(figures.commits_us),
                    String::new(),
                ],
            ],
        )?;
        out.table(
            [
                "in this process",
                "count",
                "median",
                "p99",
                "min",
                "max",
                "mean (CPU)",
            ],
            &[row(&figures.in_process)],
        )?;
    }
    Ok(if is_met.iter().all(|met| *met) {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

fn ticks(run: &ServedRun) -> String {
    let outcomes: Vec<String> = run
        .outcomes
        .iter()
        .map(|(outcome, times)| format!("{times} {outcome}"))
        .collect();
    let at = |share: usize| run.ms.get(run.ms.len() * share / 100).copied();
    let spans = at(50).zip(at(95)).map_or_else(String::new, |(p50, p95)| {
        format!("; post to the end of the tick, as the page hears of it: median {p50:.1} ms, p95 {p95:.1} ms")
    });
    let page = if run.page { "with a page" } else { "without a page" };
    format!("{} ticks {page}: {}{spans}", run.ticks, outcomes.join(", "))
}
