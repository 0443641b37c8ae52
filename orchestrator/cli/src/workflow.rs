//! `aura workflow`: agents of yours, one after another or side by side.
//!
//! What: workflows are checked and listed, runs begun, resumed, ended and undone. Why: a run is executed by the command that began it,
//! and can be left and taken up again. Not here: looking at runs (`look`), answering them (`inbox`), what follows from what
//! (`orchestrator_machine::workflow`).

mod look;
pub(super) mod words;

use super::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    input::InputFile,
    out::CommandOutput,
    runs,
};
use aura_memory::Vault;
use aura_workflow::{
    ProjectFolder, RunHistory, RunOutcome, WorkflowError,
    journal::{self, JournalLine},
    protocol::{RunReply, RunRequest},
};
use clap::{Args, Subcommand};
use orchestrator_machine::workflow::{
    SHARED_MAX_BYTES,
    definition::{WorkflowDefinition, WorkflowDiagnostic, is_feature},
    event::RunStart,
    run::{RunEnd, RunPhase, WorkflowRun},
};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use surfaces_base::{
    language::{self, say, text},
    visible::shortened,
};

/// `aura workflow`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum WorkflowCommand {
    /// All that is wrong with a workflow, or with every one of the project; 1 when anything is
    Check(WorkflowCheckArgs),
    /// The workflows of a project
    List(WorkflowListArgs),
    /// Run one; its events as they happen; 5 when it waits for you
    Run(WorkflowRunArgs),
    /// Where a run stands; without one, the latest runs
    Status(WorkflowStatusArgs),
    /// Go on with a run: where it was interrupted, or once more where it stopped
    Resume(ResumeArgs),
    /// End a run for good, and the process that executes it
    Cancel(OneRunArgs),
    /// All that happened in a run
    Log(LogArgs),
    /// What a run changed in files, and is about to change
    Diff(OneRunArgs),
    /// Put the files back as they were before a run, where they are still as it left them
    Undo(OneRunArgs),
}

/// Which project.
#[derive(Debug, Clone, Args)]
pub(crate) struct ProjectDir {
    /// The project's folder, which holds agents.d and workflows
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
}

impl ProjectDir {
    /// The project that is meant.
    ///
    /// # Errors
    /// `WORKFLOW-006`
    pub(crate) fn open(&self) -> Result<ProjectFolder, WorkflowError> {
        ProjectFolder::open(&self.project)
    }
}

/// Which run.
#[derive(Debug, Clone, Args)]
pub(crate) struct OneRunArgs {
    /// The run: its id, the beginning of it, or last
    #[arg(value_name = "RUN")]
    run: String,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

impl OneRunArgs {
    /// Folder, whole id and format.
    ///
    /// # Errors
    /// `WORKFLOW-004`
    pub(crate) fn find(&self) -> Result<(Vault, String, FormatArgs), CliError> {
        let (vault, id) = find_run(&self.data, &self.run)?;
        Ok((vault, id, self.format))
    }
}

/// The folder and the run's whole id. A folder that was not made yet has no run.
fn find_run(data: &DataDir, run: &str) -> Result<(Vault, String), CliError> {
    let vault = data.vault_if_any()?.ok_or(WorkflowError::NotOne {
        what: "there is no run yet",
    })?;
    let id = journal::find(&vault, run)?;
    Ok((vault, id))
}

/// `aura workflow check`
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkflowCheckArgs {
    /// Its name in workflows/, or a file; without it every one
    #[arg(value_name = "NAME|FILE")]
    workflow: Option<String>,
    #[command(flatten)]
    project: ProjectDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura workflow list`
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkflowListArgs {
    #[command(flatten)]
    project: ProjectDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura workflow run`
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkflowRunArgs {
    /// Its name in workflows/, or a file
    #[arg(value_name = "NAME|FILE")]
    workflow: String,
    /// What it is to work on: the {feature} of its paths, e.g. 005-user-auth
    #[arg(long, value_name = "ID", value_parser = feature)]
    feature: Option<String>,
    /// A JSON object that all its agents share from the beginning
    #[arg(long, value_name = "FILE")]
    shared: Option<PathBuf>,
    /// What you want, for agents of the base protocol [default: workflow and feature]
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// Stop before anything is written, and show what would be; resume writes it
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    project: ProjectDir,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

fn feature(text: &str) -> Result<String, &'static str> {
    if is_feature(text) {
        Ok(text.to_owned())
    } else {
        Err(language::text("cli-workflow-feature"))
    }
}

/// `aura workflow status`
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkflowStatusArgs {
    /// The run: its id, the beginning of it, or last
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Without a run: at most so many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura workflow resume`
#[derive(Debug, Clone, Args)]
pub(crate) struct ResumeArgs {
    /// Stop before anything more than what was held back is written
    #[arg(long)]
    dry_run: bool,
    /// Leave the terminal's session: for processes that outlive it
    #[arg(long, hide = true)]
    detached: bool,
    #[command(flatten)]
    run: OneRunArgs,
}

/// `aura workflow log`
#[derive(Debug, Clone, Args)]
pub(crate) struct LogArgs {
    /// Go on with what happens, until the run is at rest
    #[arg(long)]
    follow: bool,
    #[command(flatten)]
    run: OneRunArgs,
}

/// Runs `aura workflow …`.
///
/// # Errors
/// A workflow, project, run or data folder that cannot be used.
pub(crate) fn run(command: &WorkflowCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        WorkflowCommand::Check(args) => check(args, out),
        WorkflowCommand::List(args) => look::list(&args.project.open()?, args.format, out),
        WorkflowCommand::Run(args) => begin(args, out),
        WorkflowCommand::Status(args) => match &args.run {
            Some(run) => {
                let (vault, id) = find_run(&args.data, run)?;
                look::status(&vault, &id, args.format, out)
            }
            None => look::latest(args.data.vault_if_any()?.as_ref(), args.limit, args.format, out),
        },
        WorkflowCommand::Resume(args) if args.detached => {
            // Only a leader of a group already leads a session; then nothing is to be left.
            let _ = rustix::process::setsid();
            detached(&runs::handed_over(&args.run.data.path()?)?, &args.run.run, out)
        }
        WorkflowCommand::Resume(args) => {
            let (vault, id, format) = args.run.find()?;
            resume_run(&vault, &id, args.dry_run, format, out)
        }
        WorkflowCommand::Cancel(args) => {
            let (vault, id, format) = args.find()?;
            event(
                &runs::ask_line(&vault, &RunRequest::Cancel { run: id })?,
                format,
                out,
            )?;
            Ok(CommandExit::Ok)
        }
        WorkflowCommand::Log(args) => {
            let (vault, id, format) = args.run.find()?;
            look::log(&vault, &id, args.follow, format, out)
        }
        WorkflowCommand::Diff(args) => {
            let (vault, id, format) = args.find()?;
            look::diff(&vault, &id, format, out)
        }
        WorkflowCommand::Undo(args) => {
            let (vault, id, format) = args.find()?;
            let reply = runs::ask(&vault, &RunRequest::Undo { run: id })?;
            if let RunReply::NotPutBack(refusal) = reply {
                if format.json {
                    out.json(&refusal)?;
                } else {
                    out.text(&say!("cli-workflow-not-put-back", refusal = refusal.to_string()))?;
                }
                return Ok(CommandExit::Bad);
            }
            let RunReply::Done(Some(line)) = reply else {
                return Err(CliError::Bug("an undo is done or refused"));
            };
            event(&line, format, out)?;
            Ok(CommandExit::Ok)
        }
    }
}

/// One event, as a line.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn event(line: &JournalLine, format: FormatArgs, out: &mut CommandOutput) -> Result<(), CliError> {
    if format.json {
        out.json(line)
    } else {
        out.finding(&words::line(line))
    }
}

fn check(args: &WorkflowCheckArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let project = args.project.open()?;
    let agents = project.agents()?;
    let paths = match &args.workflow {
        Some(name) => vec![project.workflow(name)],
        None => project.workflows()?,
    };
    let mut all: Vec<(PathBuf, WorkflowDiagnostic)> = Vec::new();
    for path in &paths {
        let found = project.read(path, &agents)?.err().unwrap_or_default();
        all.extend(found.into_iter().map(|finding| (path.clone(), finding)));
    }
    if args.format.json {
        let findings: Vec<Value> = all
            .iter()
            .map(|(path, finding)| {
                json!({ "file": path, "line": finding.line, "code": "WORKFLOW-001", "message": finding.message })
            })
            .collect();
        out.json(&json!({ "checked": paths, "findings": findings }))?;
    } else {
        for (path, finding) in &all {
            let WorkflowDiagnostic { line, message } = finding;
            let message = shortened(message);
            out.finding(&format!("{}:{line}: WORKFLOW-001: {message}", path.display()))?;
        }
        out.text(&say!(
            "cli-workflow-checked",
            workflows = paths.len(),
            findings = all.len()
        ))?;
    }
    Ok(if all.is_empty() {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

fn begin(args: &WorkflowRunArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let project = args.project.open()?;
    let agents = project.agents()?;
    let path = project.workflow(&args.workflow);
    let definition = project.read(&path, &agents)?.map_err(|findings| {
        let finding = findings.into_iter().min().unwrap_or(WorkflowDiagnostic {
            line: 1,
            message: "it cannot be used".to_owned(),
        });
        WorkflowError::Unusable { path, finding }
    })?;
    let definition: WorkflowDefinition = definition.definition;
    if definition.feature_root.is_some() && args.feature.is_none() {
        return Err(CliError::Usage(text("cli-workflow-no-feature").to_owned()));
    }
    let words = [Some(definition.name.as_str()), args.feature.as_deref()];
    let words: Vec<&str> = words.into_iter().flatten().collect();
    let started = RunStart {
        run: uuid::Uuid::new_v4().to_string(),
        project: project.folder().display().to_string(),
        feature: args.feature.clone(),
        query: args.query.clone().unwrap_or_else(|| words.join(" ")),
        shared: args.shared.as_deref().map_or(Ok(Map::new()), shared)?,
        definition,
    };
    let vault = args.data.vault_or_new()?;
    let id = started.run.clone();
    let request = RunRequest::Begin {
        started: Box::new(started),
        dry_run: args.dry_run,
    };
    drive(&vault, &id, request, args.format, out)
}

/// What all agents share from the beginning.
fn shared(path: &Path) -> Result<Map<String, Value>, CliError> {
    let bytes = InputFile::open(path)?.whole(SHARED_MAX_BYTES)?;
    let read = serde_json::from_slice(&bytes)
        .ok()
        .filter(|_| bytes.len() <= SHARED_MAX_BYTES);
    read.ok_or_else(|| CliError::Usage(say!("cli-workflow-shared", path = path.display().to_string())))
}

/// Executes a run until it is at rest, and says where it stands then.
///
/// # Errors
/// As [`run`].
pub(crate) fn resume_run(
    vault: &Vault,
    id: &str,
    dry_run: bool,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let request = RunRequest::Resume {
        run: id.to_owned(),
        dry_run,
        from: next_event(vault, id)?,
        joins: false,
    };
    drive(vault, id, request, format, out)
}

/// The number of a run's next event.
fn next_event(vault: &Vault, id: &str) -> Result<u64, CliError> {
    Ok(RunHistory::open(vault, id)?.lines().len() as u64)
}

fn drive(
    vault: &Vault,
    id: &str,
    request: RunRequest,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let came = runs::drive(vault, request, &mut |line| event(&line, format, out))?;
    let history = RunHistory::open(vault, id)?;
    // Where it came to rest before we had found who executed it, it says itself what it came to.
    let came = came.unwrap_or_else(|| came_to(history.run()));
    if let (RunOutcome::Held(changes), false) = (&came, format.json) {
        out.text(&aura_workflow::diff(changes))?;
    }
    look::rest(vault, &history, &came, format, out)?;
    Ok(match came {
        RunOutcome::Over(RunEnd::Completed) | RunOutcome::Held(_) => CommandExit::Ok,
        RunOutcome::Waiting => CommandExit::Owner,
        RunOutcome::Over(RunEnd::Expired | RunEnd::Cancelled | RunEnd::Undone)
        | RunOutcome::Stopped
        | RunOutcome::Interrupted => CommandExit::Bad,
    })
}

fn came_to(run: &WorkflowRun) -> RunOutcome {
    match run.phase {
        RunPhase::Working(_) => RunOutcome::Interrupted,
        RunPhase::Waiting { .. } => RunOutcome::Waiting,
        RunPhase::Stopped { .. } => RunOutcome::Stopped,
        RunPhase::Over(how) => RunOutcome::Over(how),
    }
}

/// Executes a run that nobody waits for. Says one line, as soon as it is at it.
fn detached(vault: &Vault, id: &str, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let request = RunRequest::Resume {
        run: id.to_owned(),
        dry_run: false,
        from: 0,
        joins: true,
    };
    let mut is_said = false;
    runs::drive(vault, request, &mut |line| {
        if !is_said {
            is_said = true;
            // Who began it may have gone.
            let _ = out.json(&line);
        }
        Ok(())
    })?;
    Ok(CommandExit::Ok)
}
