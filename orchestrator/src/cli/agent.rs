//! `aura agent`: programs of the owner's that are agents.
//!
//! What: holds one against the protocol that its manifest names, and prints a report. Why: whoever writes an agent wants to know
//! before a workflow does. Not here: what is tried (`programs::check`).

use super::{args::Format, error::CliError, exit::Exit, out::Out, temporary::Temporary};
use crate::{
    clock::Clock,
    programs::{Agent, check},
};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `aura agent`
#[derive(Debug, Clone, Subcommand)]
pub enum AgentCommand {
    /// Ask a program what its manifest says that it can be asked, and some of what it cannot; 1 when it misbehaves
    Check(AgentCheckArgs),
}

/// `aura agent check`
#[derive(Debug, Clone, Args)]
pub struct AgentCheckArgs {
    /// The manifest: agents.d/NAME.toml
    manifest: PathBuf,
    /// Its working folder, from which the paths in its example go
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// How.
    #[command(flatten)]
    format: Format,
}

/// Runs `aura agent`.
///
/// # Errors
/// [`CliError`]
pub fn run(command: &AgentCommand, out: &mut Out) -> Result<Exit, CliError> {
    let AgentCommand::Check(args) = command;
    let agent = Agent::load(&args.manifest)?;
    let scratch = Temporary::new(None)?;
    let report = check::check(&agent, &args.project, scratch.path(), Clock::real(None).wall())?;
    if args.format.json {
        out.json(&report)?;
    } else {
        let verdict = |holds| if holds { "ok" } else { "FAILS" }.to_owned();
        let rows: Vec<[String; 3]> = report
            .trials
            .iter()
            .map(|trial| [verdict(trial.holds), trial.claim.clone(), trial.detail.clone()])
            .collect();
        out.table(["", "the program", "what it did"], &rows)?;
    }
    Ok(if report.is_good() { Exit::Ok } else { Exit::Bad })
}
