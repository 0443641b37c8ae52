//! `aura worker`: the processes that Aura starts for itself.
//!
//! What: one hidden command per kind of child. Why: same binary, so that a child is never of another version. Not here:
//! supervising them.

mod exec;
mod probe;

use super::{error::CliError, exit::Exit, out::Out};
use clap::Subcommand;

/// `aura worker`
#[derive(Debug, Clone, Subcommand)]
pub enum WorkerCommand {
    /// Start a program of yours in the sandbox: aura worker exec --write DIR -- PROGRAM ARGS
    Exec(exec::ExecArgs),
    /// Enter the agents' sandbox and try what must not work; 1 when anything of it does
    Probe(probe::ProbeArgs),
}

/// Runs `aura worker`.
///
/// # Errors
/// [`CliError`]
pub fn run(command: &WorkerCommand, out: &mut Out) -> Result<Exit, CliError> {
    match command {
        WorkerCommand::Exec(args) => Err(exec::run(args)),
        WorkerCommand::Probe(args) => probe::run(args, out),
    }
}
