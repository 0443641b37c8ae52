//! `aura bench web`.
//!
//! What: how often, and the figures as a table. Why: the pages' figures of `docs/performance.md` come from here. Not here: what is measured
//! (`bench::web`).

use super::{morning, no_figures};
use crate::bench::web::{
    self, WebFigures,
    goals::{WebGoal, goals},
    kept::KeptSizes,
};
use aura_cli::{
    args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput, temporary::TemporaryFolder,
};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `aura bench web`.
#[derive(Debug, Clone, Args)]
pub struct WebBenchArgs {
    /// How many new households, each over HTTP and in a browser.
    #[arg(long, default_value_t = 50)]
    count: usize,
    /// Traces that the invented household has kept, on whose pages paints and clicks are measured; 0: it is left out.
    #[arg(long, default_value_t = 100_000)]
    traces: u64,
    /// Payments that it has kept.
    #[arg(long, default_value_t = 50_000)]
    payments: u64,
    /// How often each of its pages is painted, beside the same bytes from a server that does nothing else.
    #[arg(long, default_value_t = 10)]
    rounds: usize,
    /// The household whose morning the kept traces are like: a folder with home.toml.
    #[arg(long, value_name = "DIR", default_value = "fixtures/home")]
    home: PathBuf,
    /// The disk to measure: a folder in which one is made, and removed again [default: the system's temporary folder]
    #[arg(long, value_name = "DIR")]
    on: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura bench web`: 1 when a goal is missed, or an address leads elsewhere.
///
/// # Errors
/// A service, a browser or a card that does not come.
pub(super) fn run(args: &WebBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = TemporaryFolder::new(args.on.as_deref())?;
    let (home, policy, wall) = morning(&args.home)?;
    let sizes = KeptSizes {
        traces: args.traces,
        payments: args.payments,
        rounds: args.rounds,
    };
    let figures =
        web::web((&home, policy, wall), (args.count, sizes), dir.path()).map_err(|e| no_figures(&e))?;
    let goals = goals(&figures);
    if args.format.json {
        out.json(&serde_json::json!({ "figures": figures, "goals": goals }))?;
    } else {
        tell(&figures, &goals, out)?;
    }
    Ok(
        if figures.foreign.is_empty() && goals.iter().all(|goal| goal.is_kept) {
            CommandExit::Ok
        } else {
            CommandExit::Bad
        },
    )
}

fn tell(figures: &WebFigures, goals: &[WebGoal], out: &mut CommandOutput) -> Result<(), CliError> {
    let ms = |ms: f64| format!("{ms:.2} ms");
    let rows: Vec<[String; 6]> = figures
        .spans
        .iter()
        .map(|span| {
            let (least, most) = span.min_max_ms;
            let [p50, p95, least, most] = [span.p50_ms, span.p95_ms, least, most].map(ms);
            [span.what.clone(), span.count.to_string(), p50, p95, least, most]
        })
        .collect();
    out.table(["what", "count", "median", "p95", "min", "max"], &rows)?;
    let bytes: Vec<[String; 2]> = figures
        .bytes
        .iter()
        .map(|(address, bytes)| [address.clone(), bytes.to_string()])
        .collect();
    out.table(["address", "bytes"], &bytes)?;
    out.text(&format!(
        "{} bytes without the console, {} addresses of elsewhere",
        figures.total_bytes,
        figures.foreign.len()
    ))?;
    let rows: Vec<[String; 3]> = goals
        .iter()
        .map(|goal| {
            let missed = if goal.is_kept { "" } else { " MISSED" };
            [
                goal.what.clone(),
                format!("{}{missed}", goal.goal),
                goal.here.clone(),
            ]
        })
        .collect();
    out.table(["figure", "goal", "here"], &rows)?;
    if let Some(kept) = &figures.kept {
        out.text(&format!(
            "invented household: {} traces, {} payments",
            kept.traces, kept.payments
        ))?;
    }
    out.text(&match &figures.browser {
        Some(name) => format!("in {name}"),
        None => "no chromedriver here: what happens in a browser is not measured".to_owned(),
    })
}
