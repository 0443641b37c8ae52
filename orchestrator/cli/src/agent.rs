//! `aura agent`: programs of the owner's that are agents.
//!
//! What: holds one against the protocol that its manifest names, and prints a report. Why: whoever writes an agent wants to know
//! before a workflow does. Not here: what is tried (`programs::check`).

use super::{
    agent_ask::{self, AgentAskArgs},
    agent_new::{self, AgentNewArgs},
    args::FormatArgs,
    error::CliError,
    exit::CommandExit,
    out::CommandOutput,
    temporary::TemporaryFolder,
    workflow::OneRunArgs,
};
use aura_platform::clock::Clock;
use aura_workflow::programs::{
    ProgramAgent,
    check::{ConformanceClaim, TrialDetail, check as conformance},
};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use surfaces_base::language::{say, text};

/// `aura agent`
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum AgentCommand {
    /// Make an agent to begin with: its manifest, a program, a workflow of one step
    New(AgentNewArgs),
    /// Ask a program what its manifest says that it can be asked, and some of what it cannot; 1 when it misbehaves
    Check(AgentCheckArgs),
    /// Ask agents of the base protocol; the response, or of an async request one that is pending and has an id
    Ask(AgentAskArgs),
    /// The response to an id as it is now
    Poll(OneRunArgs),
    /// Each response to an id as it comes, until it is over
    Stream(OneRunArgs),
    /// End what was asked under an id
    Stop(OneRunArgs),
}

/// `aura agent check`
#[derive(Debug, Clone, Args)]
pub(crate) struct AgentCheckArgs {
    /// The manifest: agents.d/NAME.toml
    manifest: PathBuf,
    /// Its working folder, from which the paths in its example go
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
}

/// Runs `aura agent`.
///
/// # Errors
/// [`CliError`]
pub(crate) fn run(command: &AgentCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        AgentCommand::New(args) => agent_new::run(args, out),
        AgentCommand::Check(args) => check(args, out),
        AgentCommand::Ask(args) => agent_ask::ask(args, out),
        AgentCommand::Poll(args) => agent_ask::poll(args, out),
        AgentCommand::Stream(args) => agent_ask::stream(args, out),
        AgentCommand::Stop(args) => agent_ask::stop(args, out),
    }
}

fn claim(claim: &ConformanceClaim) -> String {
    match claim {
        ConformanceClaim::Answers(what) => say!("cli-agent-answers", what),
        ConformanceClaim::KeepsBelowRoot(what) => say!("cli-agent-keeps-below-root", what),
        ConformanceClaim::IgnoresUnknownMembers => text("cli-agent-ignores-unknown-members").to_owned(),
        ConformanceClaim::ClaimsNothingUndone => text("cli-agent-claims-nothing-undone").to_owned(),
        ConformanceClaim::EndsOnHalf => text("cli-agent-ends-on-half").to_owned(),
        ConformanceClaim::EndsOnNothing => text("cli-agent-ends-on-nothing").to_owned(),
        ConformanceClaim::AnswersTwoAtOnce => text("cli-agent-answers-two-at-once").to_owned(),
        ConformanceClaim::GoesOnAfterCancel => text("cli-agent-goes-on-after-cancel").to_owned(),
    }
}

fn did(detail: &TrialDetail) -> String {
    match detail {
        TrialDetail::Nothing => String::new(),
        TrialDetail::Answered { well: true, ms } => say!("cli-agent-did-answer", ms = ms.to_string()),
        TrialDetail::Answered { well: false, ms } => say!("cli-agent-could-not", ms = ms.to_string()),
        TrialDetail::Leaves(index) => say!("cli-agent-leaves-root", index = index.to_string()),
        TrialDetail::Refused(refusal) => refusal.to_string(),
    }
}

fn check(args: &AgentCheckArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let agent = ProgramAgent::load(&args.manifest)?;
    let scratch = TemporaryFolder::new(None)?;
    let report = conformance(&agent, &args.project, scratch.path(), Clock::real(None).wall())?;
    if args.format.json {
        out.json(&report)?;
    } else {
        let verdict = |holds| {
            if holds {
                text("cli-agent-trial-holds")
            } else {
                text("cli-agent-trial-fails")
            }
            .to_owned()
        };
        let rows: Vec<[String; 3]> = report
            .trials
            .iter()
            .map(|trial| [verdict(trial.holds), claim(&trial.claim), did(&trial.detail)])
            .collect();
        let head = ["", text("cli-agent-column-program"), text("cli-agent-column-did")];
        out.table(head, &rows)?;
        for trial in &report.trials {
            if let TrialDetail::Refused(refusal) = &trial.detail {
                out.meaning(&refusal.to_string())?;
            }
        }
    }
    Ok(if report.is_good() {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_table_says_what_the_report_has() {
        let what = || "try".to_owned();
        for one in [
            ConformanceClaim::Answers(what()),
            ConformanceClaim::KeepsBelowRoot(what()),
            ConformanceClaim::IgnoresUnknownMembers,
            ConformanceClaim::ClaimsNothingUndone,
            ConformanceClaim::EndsOnHalf,
            ConformanceClaim::EndsOnNothing,
            ConformanceClaim::AnswersTwoAtOnce,
            ConformanceClaim::GoesOnAfterCancel,
        ] {
            assert_eq!(claim(&one), one.to_string());
        }
        let answered = |well| TrialDetail::Answered { well, ms: 7 };
        for one in [
            answered(true),
            answered(false),
            TrialDetail::Leaves(2),
            TrialDetail::Nothing,
        ] {
            assert_eq!(did(&one), one.to_string());
        }
    }
}
