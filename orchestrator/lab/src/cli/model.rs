//! `aura model bench` and `aura bench model|footprint`.
//!
//! What: which model and which recorded days, and the figures as a table. Why: the model's figures of `docs/performance.md` come from here.
//! Not here: what is measured (`bench::model`, `bench::footprint`).

use super::no_figures;
use crate::bench::{footprint, model};
use aura_cli::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    selftest::day_folders,
    temporary::TemporaryFolder,
};
use aura_process::{
    WorkerProgram,
    llm::{self, ModelLaunch},
    models::{ModelCatalog, ModelError},
};
use clap::Args;
use std::path::PathBuf;
use toolcall_schema::ModelFileStatus;

/// Arguments of `aura model bench` and `aura bench model`.
#[derive(Debug, Clone, Args)]
pub struct ModelBenchArgs {
    /// The model's name
    #[arg(default_value = "smollm2")]
    name: String,
    /// The recorded days whose questions are asked: folders with day.toml
    #[arg(long, value_name = "DIR", default_value = "fixtures/days")]
    days: PathBuf,
    /// How often each question is asked
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// How often the process is killed
    #[arg(long, value_name = "N", default_value_t = 9)]
    kills: u16,
    /// The program that runs the model [default: aura-llm beside aura]
    #[arg(long, value_name = "FILE", env = "AURA_MODEL_WORKER", hide_env_values = true)]
    worker: Option<PathBuf>,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Arguments of `aura bench footprint`.
#[derive(Debug, Clone, Args)]
pub struct FootprintArgs {
    /// A data folder with the model's file; without one that has it, only the service without a model is measured
    #[command(flatten)]
    data: DataDir,
    /// The model's name
    #[arg(long, value_name = "NAME", default_value = "smollm2")]
    model: String,
    /// The household: a folder with home.toml
    #[arg(long, value_name = "DIR", default_value = "fixtures/home")]
    home: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura model bench` and `aura bench model`.
///
/// # Errors
/// No such model or file, no program to run it, a day that cannot be played.
pub fn run(args: &ModelBenchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let data = args.data.path()?;
    let shelf = ModelCatalog::in_folder(&data);
    let manifest = shelf.find(&args.name)?.clone();
    if shelf.standing(&manifest) != ModelFileStatus::There {
        return Err(ModelError::NoFile.into());
    }
    llm::program(args.worker.as_deref())?;
    let scratch = TemporaryFolder::new(None)?;
    let state = scratch.path().join("state");
    std::fs::create_dir(&state)?;
    let figures = model::measure(&model::ModelBench {
        launch: ModelLaunch {
            program: WorkerProgram::default(),
            worker: args.worker.clone(),
            model: shelf.models.path(&manifest.file),
            state: Some(state),
            context: manifest.context,
        },
        manifest,
        days: day_folders(&args.days)?,
        rounds: usize::from(args.rounds),
        kills: usize::from(args.kills),
        scratch: scratch.path().to_owned(),
        data,
    })
    .map_err(|error| no_figures(&error))?;
    if args.format.json {
        out.json(&figures)?;
        return Ok(CommandExit::Ok);
    }
    let times = |times: &model::LatencySummary| {
        format!(
            "p50 {:.0} ms, p95 {:.0} ms, most {:.0} ms ({} times)",
            times.p50_ms, times.p95_ms, times.max_ms, times.count
        )
    };
    let restored = figures.prefix_restored_ms.map_or_else(
        || "not restored".to_owned(),
        |ms| format!("{ms} ms from the disk"),
    );
    let rejected: Vec<String> = figures
        .rejected
        .iter()
        .map(|(why, n)| format!("{n} {why}"))
        .collect();
    let rows = [
        ("model", format!("{}, tier {}", figures.name, figures.tier)),
        ("load", format!("{} ms", figures.load_ms)),
        (
            "prefix",
            format!(
                "{} tokens, {} ms; {restored}",
                figures.prefix_tokens, figures.prefix_ms
            ),
        ),
        ("first token", times(&figures.first_token)),
        (
            "without the kept prefix",
            times(&figures.first_token_without_prefix),
        ),
        ("answer", times(&figures.answer)),
        ("answer, CPU time", times(&figures.answer_cpu)),
        (
            "tokens read",
            format!("{:.0} a second", figures.prompt_tokens_per_s),
        ),
        (
            "tokens written",
            format!("{:.0} a second", figures.output_tokens_per_s),
        ),
        (
            "longest prompt",
            format!(
                "{} tokens of 512; {} of {} above the estimate",
                figures.longest_prompt, figures.underestimated, figures.questions
            ),
        ),
        (
            "accepted",
            format!("{} of {}", figures.accepted, figures.questions),
        ),
        (
            "rejected",
            if rejected.is_empty() {
                "none".to_owned()
            } else {
                rejected.join(", ")
            },
        ),
        ("killed, to its next answer", times(&figures.killed_to_answer)),
    ];
    out.table(
        ["figure", "value"],
        &rows.map(|(what, value)| [what.to_owned(), value]),
    )?;
    Ok(CommandExit::Ok)
}

/// Runs `aura bench footprint`.
///
/// # Errors
/// A household that cannot be read, a service that does not start.
pub(crate) fn footprint(args: &FootprintArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let shelf = ModelCatalog::in_folder(&args.data.path()?);
    let manifest = shelf.find(&args.model)?;
    let there = shelf.standing(manifest) == ModelFileStatus::There && llm::program(None).is_ok();
    let file = there.then(|| shelf.models.path(&manifest.file));
    let scratch = TemporaryFolder::new(None)?;
    let measure = |name: &str, model| {
        footprint::measure(&args.home, &scratch.path().join(name), model).map_err(|error| no_figures(&error))
    };
    let mut all = vec![measure("without", None)?];
    if let Some(file) = &file {
        all.push(measure("with", Some((&args.model, file)))?);
    } else {
        tracing::warn!(
            "the model's file or program is not there: only the service without a model is measured"
        );
    }
    if args.format.json {
        out.json(&all)?;
        return Ok(CommandExit::Ok);
    }
    let mib = |kib: Option<u64>| {
        kib.map_or_else(
            || "not readable".to_owned(),
            |kib| format!("{:.1} MiB", kib as f64 / 1024.0),
        )
    };
    for footprint in &all {
        let model = footprint.model.as_deref().unwrap_or("none");
        out.text(&format!("model: {model}"))?;
        let mut rows: Vec<[String; 4]> = footprint
            .processes
            .iter()
            .map(|process| {
                [
                    process.what.clone(),
                    mib(Some(process.rss_kib)),
                    mib(process.pss_kib),
                    mib(process.own_kib),
                ]
            })
            .collect();
        rows.push([
            "all".to_owned(),
            mib(Some(footprint.rss_kib)),
            mib(footprint.pss_kib),
            mib(footprint.own_kib),
        ]);
        out.table(["process", "resident", "proportional share", "in no file"], &rows)?;
    }
    Ok(CommandExit::Ok)
}
