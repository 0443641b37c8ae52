//! `aura inbox`: what runs want to know of you.
//!
//! What: questions are listed, shown, answered, put away. Why: a run waits for days and costs nothing meanwhile. Not here: what a
//! question is (`orchestrator_machine::workflow`), going on with a run (`workflow`).

use super::{
    args::{DataDir, FormatArgs},
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    runs,
    workflow::{self, OneRunArgs},
};
use aura_platform::clock::Clock;
use aura_workflow::{
    RunHistory,
    inbox::{self, WaitingQuestion},
    protocol::RunRequest,
};
use clap::{Args, Subcommand};
use surfaces_base::language::{say, text};

/// `aura inbox`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum InboxCommand {
    /// The questions that wait for you
    List(InboxListArgs),
    /// One of them
    Show(OneRunArgs),
    /// Answer a question and resume its run
    Answer(AnswerArgs),
    /// Dismiss an announcement; the question stays open
    Dismiss(OneRunArgs),
}

/// `aura inbox list`
#[derive(Debug, Clone, Args)]
pub(crate) struct InboxListArgs {
    #[command(flatten)]
    data: DataDir,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura inbox answer`
#[derive(Debug, Clone, Args)]
pub(crate) struct AnswerArgs {
    #[command(flatten)]
    run: OneRunArgs,
    /// Your answer, at most 1900 bytes
    #[arg(value_name = "TEXT")]
    text: String,
    /// Only write it down: `aura workflow resume` goes on
    #[arg(long)]
    later: bool,
}

/// Runs `aura inbox …`.
///
/// # Errors
/// A run that asks nothing, a data folder that cannot be used.
pub(crate) fn run(command: &InboxCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        InboxCommand::List(args) => {
            let all = match args.data.vault_if_any()? {
                Some(vault) => inbox::questions(&vault, Clock::real(None).wall())?,
                None => Vec::new(),
            };
            if args.format.json {
                for asked in &all {
                    out.json(asked)?;
                }
            } else if all.is_empty() {
                out.text(text("cli-inbox-nothing-waits"))?;
            } else {
                let rows: Vec<[String; 5]> = all.iter().map(|asked| row(asked, out)).collect();
                let head = [
                    text("cli-inbox-column-run"),
                    text("cli-inbox-column-step"),
                    text("cli-inbox-column-feature"),
                    text("cli-inbox-column-until"),
                    "",
                ];
                out.table(head, &rows)?;
            }
            Ok(CommandExit::Ok)
        }
        InboxCommand::Show(args) => {
            let (vault, id, format) = args.find()?;
            let asked = inbox::question(RunHistory::open(&vault, &id)?.run(), Clock::real(None).wall());
            let asked = asked.ok_or_else(|| CliError::NotThere(text("cli-inbox-asks-nothing").to_owned()))?;
            show(&asked, format, out)
        }
        InboxCommand::Answer(args) => {
            let (vault, id, format) = args.run.find()?;
            let request = RunRequest::Answer {
                run: id.clone(),
                text: args.text.clone(),
            };
            workflow::event(&runs::ask_line(&vault, &request)?, format, out)?;
            if args.later {
                return Ok(CommandExit::Ok);
            }
            workflow::resume_run(&vault, &id, false, format, out)
        }
        InboxCommand::Dismiss(args) => {
            let (vault, id, format) = args.find()?;
            workflow::event(
                &runs::ask_line(&vault, &RunRequest::Dismiss { run: id })?,
                format,
                out,
            )?;
            Ok(CommandExit::Ok)
        }
    }
}

fn row(asked: &WaitingQuestion, out: &CommandOutput) -> [String; 5] {
    [
        asked.run.clone(),
        format!("{} {}", asked.workflow, asked.question.step),
        asked.feature.clone().unwrap_or_default(),
        out.instant(asked.question.until),
        workflow::words::one_line(&asked.question.summary),
    ]
}

fn show(
    asked: &WaitingQuestion,
    format: FormatArgs,
    out: &mut CommandOutput,
) -> Result<CommandExit, CliError> {
    if format.json {
        out.json(asked)?;
        return Ok(CommandExit::Ok);
    }
    let question = &asked.question;
    let feature = asked.feature.as_deref().unwrap_or_default();
    out.text(&say!(
        "cli-inbox-question",
        what = format!("{} {feature}", asked.workflow),
        step = &question.step,
        until = question.until.to_string()
    ))?;
    out.text(&question.summary)?;
    for note in &question.notes {
        out.text(&format!("  {note}"))?;
    }
    out.text(&say!("cli-inbox-answers", run = &asked.run))?;
    Ok(CommandExit::Ok)
}
