//! Looking at workflows and runs.
//!
//! What: lists, where a run stands, its log, its changes. Why: a run can be looked at from anywhere, whoever executes it. Not here:
//! anything that changes a run.

use super::{event, words};
use crate::{args::FormatArgs, error::CliError, exit::CommandExit, names, out::CommandOutput, runs};
use aura_memory::{Vault, workflows::open_runs};
use aura_workflow::{
    ProjectFolder, RunHistory, RunOutcome, WorkflowError, journal::phase, protocol::RunRequest,
};
use orchestrator_machine::workflow::{
    StepOutcome,
    event::FileChange,
    run::{NextAction, PendingWrite, RunPhase, StopReason},
};
use serde::Serialize;
use serde_json::json;
use std::path::Path;
use surfaces_base::language::{say, text};
use toolcall_schema::{Timestamp, protocol::OwnerQuestion, rejection::RefusalReason};

/// Where a run stands.
#[derive(Debug, Serialize)]
struct RunStatus {
    run: String,
    workflow: String,
    feature: Option<String>,
    project: String,
    /// working, waiting, stopped, completed, expired, cancelled or undone.
    phase: &'static str,
    /// The process that executes it.
    process: Option<u32>,
    started: Timestamp,
    last: Timestamp,
    /// Askings so far, of `max_steps`.
    asked: u32,
    max_steps: u32,
    /// The step or group at which it is.
    step: Option<String>,
    steps: Vec<StepStanding>,
    /// Files that it changed.
    changed: Vec<String>,
    /// Files that are to be written next.
    to_write: Vec<String>,
    question: Option<OwnerQuestion>,
    stopped: Option<StopReason>,
}

#[derive(Debug, Serialize)]
struct StepStanding {
    step: String,
    iteration: u16,
    outcome: Option<StepOutcome>,
    refusal: Option<RefusalReason>,
}

fn standing(vault: &Vault, history: &RunHistory) -> Result<RunStatus, CliError> {
    let run = history.run();
    let steps = run.latest.iter().map(|(step, latest)| StepStanding {
        step: step.clone(),
        iteration: latest.iteration,
        outcome: latest.outcome,
        refusal: latest.refusal.clone(),
    });
    let to_write = match run.next_action() {
        NextAction::Write(_, PendingWrite::Artifacts(all)) => all.into_iter().map(|one| one.path).collect(),
        NextAction::Write(_, PendingWrite::Save { path, .. }) => vec![path],
        NextAction::Apply(_, changes) => changes.into_iter().map(|change| change.path).collect(),
        NextAction::Ask(_) | NextAction::Wait(_) | NextAction::Stopped | NextAction::Over(_) => vec![],
    };
    let (question, stopped) = match &run.phase {
        RunPhase::Waiting { question, .. } => (Some(question.clone()), None),
        RunPhase::Stopped { why, .. } => (None, Some(why.clone())),
        RunPhase::Working(_) | RunPhase::Over(_) => (None, None),
    };
    Ok(RunStatus {
        run: run.started.run.clone(),
        workflow: run.definition().name.clone(),
        feature: run.started.feature.clone(),
        project: run.started.project.clone(),
        phase: phase(run),
        process: runs::executed(vault)?.get(&run.started.run).copied(),
        started: run.started_at,
        last: run.last_at,
        asked: run.asked,
        max_steps: run.definition().max_steps,
        step: run.stage().map(|stage| stage.step.clone()),
        steps: steps.collect(),
        changed: run.net_changes().into_iter().map(|change| change.path).collect(),
        to_write,
        question,
        stopped,
    })
}

/// `aura workflow list`
pub(super) fn list(
    project: &ProjectFolder,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let agents = project.agents()?;
    let mut rows = Vec::new();
    for path in project.workflows()? {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let read = project.read(&path, &agents)?;
        let (steps, findings) = match &read {
            Ok(parsed) => (parsed.definition.steps.len(), 0),
            Err(findings) => (0, findings.len()),
        };
        if format.json {
            out.json(&json!({ "workflow": name, "file": path, "steps": steps, "findings": findings }))?;
        } else {
            let how = match findings {
                0 => say!("cli-workflow-steps", count = steps),
                many => say!("cli-workflow-findings", count = many),
            };
            rows.push([name, how]);
        }
    }
    if !format.json {
        out.table([text("cli-workflow-column-workflow"), ""], &rows)?;
    }
    Ok(CommandExit::Ok)
}

/// `aura workflow status` without a run
pub(super) fn latest(
    vault: Option<&Vault>,
    limit: u32,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let mut heads = Vec::new();
    if let Some(vault) = vault {
        let executed = runs::executed(vault)?;
        let reader = open_runs(vault).map_err(WorkflowError::from)?;
        for head in reader
            .map_or(Ok(vec![]), |reader| reader.runs(limit))
            .map_err(WorkflowError::from)?
        {
            let process = executed.get(&head.run).copied();
            heads.push((head, process));
        }
    }
    let mut rows = Vec::new();
    for (head, process) in heads {
        if format.json {
            out.json(&json!({
                "run": head.run,
                "workflow": head.workflow,
                "feature": head.feature,
                "phase": head.phase,
                "process": process,
                "started": Timestamp::from_ms(head.started_ms),
                "last": Timestamp::from_ms(head.last_ms),
                "until": head.until_ms.map(Timestamp::from_ms),
            }))?;
        } else {
            // Working, and nobody works on it: it was interrupted.
            let interrupted = head.phase == "working" && process.is_none();
            rows.push([
                head.run,
                head.workflow,
                head.feature.unwrap_or_default(),
                if interrupted {
                    text("cli-workflow-interrupted").to_owned()
                } else {
                    phase_in_words(&head.phase).to_owned()
                },
                out.instant(Timestamp::from_ms(head.last_ms)),
            ]);
        }
    }
    if !format.json {
        out.table(
            [
                text("cli-workflow-column-run"),
                text("cli-workflow-column-workflow"),
                text("cli-workflow-column-feature"),
                "",
                text("cli-workflow-column-last"),
            ],
            &rows,
        )?;
    }
    Ok(CommandExit::Ok)
}

/// `aura workflow status RUN`
pub(super) fn status(
    vault: &Vault,
    id: &str,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let standing = standing(vault, &RunHistory::open(vault, id)?)?;
    if format.json {
        out.json(&standing)?;
        return Ok(CommandExit::Ok);
    }
    let feature = standing.feature.as_deref().unwrap_or_default();
    out.text(&say!(
        "cli-workflow-run-of",
        run = &standing.run,
        workflow = &standing.workflow,
        feature
    ))?;
    out.text(&say!("cli-workflow-in-project", folder = &standing.project))?;
    let rows: Vec<[String; 3]> = standing
        .steps
        .iter()
        .map(|step| {
            let outcome = step
                .outcome
                .map_or_else(|| text("cli-workflow-asked"), names::step);
            let why = step.refusal.as_ref().map(ToString::to_string);
            [
                step.step.clone(),
                step.iteration.to_string(),
                format!("{outcome} {}", why.unwrap_or_default()),
            ]
        })
        .collect();
    out.table([text("cli-workflow-column-step"), "", ""], &rows)?;
    for refusal in standing.steps.iter().filter_map(|step| step.refusal.as_ref()) {
        out.meaning(&refusal.to_string())?;
    }
    if !standing.changed.is_empty() {
        out.text(&say!("cli-workflow-changed", paths = standing.changed.join(", ")))?;
    }
    words_of(&standing, out)?;
    Ok(CommandExit::Ok)
}

/// Where a run came to, after its events.
pub(super) fn rest(
    vault: &Vault,
    history: &RunHistory,
    came: &RunOutcome,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<(), CliError> {
    let standing = standing(vault, history)?;
    if format.json {
        return out.json(&standing);
    }
    let id = &standing.run;
    match came {
        RunOutcome::Held(changes) => out.text(&say!("cli-workflow-held", paths = words::paths(changes), id)),
        RunOutcome::Interrupted => out.text(&say!("cli-workflow-was-interrupted", id)),
        RunOutcome::Over(_) | RunOutcome::Waiting | RunOutcome::Stopped => words_of(&standing, out),
    }
}

fn words_of(standing: &RunStatus, out: &mut CommandOutput) -> Result<(), CliError> {
    let id = &standing.run;
    match (&standing.question, &standing.stopped, standing.process) {
        (Some(question), ..) => {
            out.text(&say!(
                "cli-workflow-waits",
                until = question.until.to_string(),
                summary = &question.summary
            ))?;
            for note in &question.notes {
                out.text(&format!("  {note}"))?;
            }
            out.text(&say!("cli-workflow-how-to-answer", id))
        }
        (None, Some(StopReason::Outcome { outcome, summary }), _) => {
            let outcome = outcome.to_string();
            out.text(&say!("cli-workflow-stopped-at", outcome, summary))?;
            out.text(&say!("cli-workflow-how-to-ask-again", id))
        }
        (None, Some(StopReason::MaxSteps), _) => out.text(text("cli-workflow-stopped-for-good")),
        (None, None, Some(pid)) => out.text(&say!("cli-workflow-process", pid = pid.to_string())),
        (None, None, None) if standing.phase == "working" => out.text(&say!("cli-workflow-nobody-works", id)),
        (None, None, None) => out.text(phase_in_words(standing.phase)),
    }
}

/// A phase as people read it; JSON has its own word.
fn phase_in_words(phase: &str) -> &str {
    match phase {
        "working" => text("cli-workflow-phase-working"),
        "waiting" => text("cli-workflow-phase-waiting"),
        "stopped" => text("cli-workflow-phase-stopped"),
        "completed" => text("cli-workflow-phase-completed"),
        "expired" => text("cli-workflow-phase-expired"),
        "cancelled" => text("cli-workflow-phase-cancelled"),
        "undone" => text("cli-workflow-phase-undone"),
        other => other,
    }
}

/// `aura workflow log`
pub(super) fn log(
    vault: &Vault,
    id: &str,
    follow: bool,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    if follow {
        let request = RunRequest::Follow {
            run: id.to_owned(),
            from: 0,
        };
        runs::drive(vault, request, &mut |line| event(&line, format, out))?;
    } else {
        for line in RunHistory::open(vault, id)?.lines() {
            event(line, format, out)?;
        }
    }
    Ok(CommandExit::Ok)
}

/// `aura workflow diff`
pub(super) fn diff(
    vault: &Vault,
    id: &str,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    let history = RunHistory::open(vault, id)?;
    let run = history.run();
    let changed = run.net_changes();
    let next: Result<Vec<FileChange>, RefusalReason> = match run.next_action() {
        NextAction::Write(_, writing) => {
            let project = Path::new(&run.started.project);
            aura_workflow::planned(project, run, &writing)
        }
        NextAction::Apply(_, changes) => Ok(changes),
        NextAction::Ask(_) | NextAction::Wait(_) | NextAction::Stopped | NextAction::Over(_) => Ok(vec![]),
    };
    if format.json {
        let (to_write, refusal) = match next {
            Ok(changes) => (changes, None),
            Err(refusal) => (vec![], Some(refusal)),
        };
        out.json(&json!({ "run": id, "changed": changed, "to_write": to_write, "refusal": refusal }))?;
        return Ok(CommandExit::Ok);
    }
    if !changed.is_empty() {
        out.text(&aura_workflow::diff(&changed))?;
    }
    match next {
        Ok(changes) if changes.is_empty() => {}
        Ok(changes) => {
            out.text(text("cli-workflow-to-be-written"))?;
            out.text(&aura_workflow::diff(&changes))?;
        }
        Err(refusal) => out.text(&say!("cli-workflow-next-refused", refusal = refusal.to_string()))?,
    }
    Ok(CommandExit::Ok)
}
