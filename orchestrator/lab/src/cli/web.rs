//! `aura bench web`.
//!
//! What: how often, and the figures as a table. Why: the pages' figures of `docs/performance.md` come from here. Not here: what is measured
//! (`bench::web`).

use super::no_figures;
use crate::bench::web::{self, WebFigures};
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
    /// The disk to measure: a folder in which one is made, and removed again [default: the system's temporary folder]
    #[arg(long, value_name = "DIR")]
    on: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura bench web`.
///
/// # Errors
/// A service, a browser or a card that does not come.
pub(super) fn run(args: &WebBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let dir = TemporaryFolder::new(args.on.as_deref())?;
    let figures = web::web(dir.path(), args.count).map_err(|e| no_figures(&e))?;
    if args.format.json {
        out.json(&figures)?;
    } else {
        tell(&figures, out)?;
    }
    Ok(if figures.foreign.is_empty() {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

fn tell(figures: &WebFigures, out: &mut CommandOutput) -> Result<(), CliError> {
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
        "{} bytes in all, {} addresses of elsewhere",
        figures.total_bytes,
        figures.foreign.len()
    ))?;
    out.text(&match &figures.browser {
        Some(name) => format!("in {name}"),
        None => "no chromedriver here: what happens in a browser is not measured".to_owned(),
    })
}
