//! `aura selftest chaos` and `aura selftest model-swap`.
//!
//! Not here: what is tried (`chaos`, `model_swap`), `aura selftest crash` (`aura-cli`).

use super::beside;
use crate::{chaos, model_swap};
use aura_cli::{
    args::FormatArgs,
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    selftest::{day_folders, scratch},
    temporary::TemporaryFolder,
};
use aura_days::day::DayScript;
use clap::{Args, Subcommand};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// `aura selftest`
#[derive(Debug, Clone, Subcommand)]
pub enum SelftestCommand {
    /// Hurt every part of a living service under load, its disk and its clock too, and count what was lost
    Chaos(ChaosArgs),
    /// Play recorded days without a model and with scripted, random and hostile ones: only the sentence may differ
    ModelSwap(ModelSwapArgs),
}

/// `aura selftest model-swap`
#[derive(Debug, Clone, Args)]
pub struct ModelSwapArgs {
    /// The recorded days: folders with day.toml
    #[arg(long, value_name = "DIR", default_value = "fixtures/days")]
    days: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura selftest chaos`
#[derive(Debug, Clone, Args)]
pub struct ChaosArgs {
    /// For how many minutes new faults are begun
    #[arg(long, value_name = "N", default_value_t = 5, conflicts_with = "plan", value_parser = clap::value_parser!(u64).range(1..=10_080))]
    minutes: u64,
    /// Decides which, when and in which order they come
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "plan")]
    seed: u64,
    /// Do what an earlier run wrote down when it failed
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// The recorded days whose signals are the load: folders with day.toml
    #[arg(long, value_name = "DIR", default_value = "fixtures/days")]
    days: PathBuf,
    /// `models/` of a data folder: the service has the model in it, and the model's process is hurt as well
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,
    /// The program that runs the model [default: aura-llm beside aura]
    #[arg(
        long,
        value_name = "FILE",
        requires = "models",
        env = "AURA_MODEL_WORKER",
        hide_env_values = true
    )]
    worker: Option<PathBuf>,
    /// Where the household is made, and stays with its log and its data folder [default: a temporary folder, removed]
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura selftest chaos` or `model-swap`. Anything lost or different ends with 1.
///
/// # Errors
/// A folder without recorded days, or that cannot be read or written.
pub fn run(command: &SelftestCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        SelftestCommand::Chaos(args) => chaos(args, out),
        SelftestCommand::ModelSwap(args) => model_swap(args, out),
    }
}

fn model_swap(args: &ModelSwapArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let scratch = scratch(None)?;
    let mut report = model_swap::ModelSwapReport::default();
    for path in day_folders(&args.days)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        model_swap::swap(&mut DayScript::read(&path)?, &name, scratch.path(), &mut report)?;
    }
    if args.format.json {
        out.json(&report)?;
    } else {
        let rows = [
            ("days", report.days),
            ("played with another model", report.plays),
            ("ticks compared", report.ticks),
            ("model asked", report.asked),
            ("sentences picked", report.picked),
            ("answers refused", report.rejected),
            ("differences", report.differences.len() as u64),
        ];
        out.table(["", ""], &rows.map(|(what, n)| [what.to_owned(), n.to_string()]))?;
    }
    for line in &report.differences {
        tracing::error!("{line}");
    }
    let same = report.differences.is_empty();
    Ok(if same { CommandExit::Ok } else { CommandExit::Bad })
}

fn chaos(args: &ChaosArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let temporary;
    let dir = if let Some(dir) = &args.keep {
        // A household that is there already would be hurt in place of a new one.
        std::fs::create_dir(dir)?;
        dir.as_path()
    } else {
        // On a disk: what is slow to write is part of what is tried.
        temporary = TemporaryFolder::new(None)?;
        temporary.path()
    };
    let options = chaos::ChaosOptions {
        program: beside("aura")?,
        days: day_folders(&args.days)?
            .iter()
            .map(|path| Ok(DayScript::read(path)?.day))
            .collect::<Result<_, CliError>>()?,
        model: args.models.clone().map(|folder| chaos::ChaosModel {
            folder,
            worker: args.worker.clone(),
        }),
        course: match &args.plan {
            None => chaos::ChaosCourse::Drawn {
                seed: args.seed,
                length: Duration::from_secs(args.minutes * 60),
            },
            Some(file) => chaos::ChaosCourse::Planned(plan(file)?),
        },
    };
    let report = chaos::run(&options, dir, |line| tracing::info!("{line}"))?;
    if args.format.json {
        out.json(&report)?;
    } else {
        let seconds = |ms: u64| format!("{:.1} s", Duration::from_millis(ms).as_secs_f64());
        let faults: Vec<[String; 3]> = report
            .faults
            .iter()
            .map(|(name, row)| {
                let recovery = match row.injected {
                    0 => "not there".to_owned(),
                    _ => seconds(row.longest_recovery_ms),
                };
                [name.clone(), row.injected.to_string(), recovery]
            })
            .collect();
        out.table(["fault", "injected", "longest recovery"], &faults)?;
        out.text("")?;
        let rows = [
            ("faults injected", report.injected.to_string()),
            ("starts of the service", report.starts.to_string()),
            ("ticks completed", report.completed.to_string()),
            ("ticks lost", report.lost.to_string()),
            ("actions", report.actions.to_string()),
            ("double actions", report.double_actions.to_string()),
            ("cards confirmed", report.confirms.to_string()),
            ("lost confirms", report.lost_confirms.to_string()),
            ("payments said to be in", report.payments.to_string()),
            ("lost payments", report.lost_payments.to_string()),
            ("doubled payments", report.doubled_payments.to_string()),
            ("files imported", report.imports.to_string()),
            ("payments deleted", report.deletions.to_string()),
            ("deleted and there", report.undeleted.to_string()),
            ("lost rules", report.lost_rules.to_string()),
            ("commands refused", report.refused_commands.to_string()),
            ("traces not replayed", report.not_replayed.to_string()),
            ("not recovered", report.not_recovered.to_string()),
            ("longest recovery", seconds(report.longest_recovery_ms)),
            ("longest wait without a fault", seconds(report.undisturbed_ms)),
        ];
        out.table(["", ""], &rows.map(|(what, n)| [what.to_owned(), n]))?;
    }
    for line in &report.wrong {
        tracing::error!("{line}");
    }
    // A plan that was given is there already.
    if let (Some(failing), None) = (&report.failing, &args.plan) {
        let name = format!("chaos-{}.toml", args.seed);
        let file = args
            .keep
            .as_ref()
            .map_or_else(|| PathBuf::from(&name), |dir| dir.join(&name));
        std::fs::write(&file, failing.text())?;
        tracing::error!(
            "the steps up to the first of them are in {0}: `aura selftest chaos --plan {0}` does them again",
            file.display()
        );
    }
    Ok(if report.is_good() {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

fn plan(file: &Path) -> Result<chaos::ChaosPlan, CliError> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| CliError::Usage(format!("{} cannot be read: {error}", file.display())))?;
    chaos::ChaosPlan::parse(&text)
        .map_err(|error| CliError::Usage(format!("{} is no plan: {error}", file.display())))
}
