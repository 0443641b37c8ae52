//! `aura worker`: the processes that the service starts for itself.
//!
//! What: one hidden command per kind of child; each speaks over the socket on its standard input. Why: same binary, so
//! that a child is never of another version; what reads bytes from outside lives apart. Not here: what an agent's process
//! does (`aura_process::worker`), who starts it (`aura_process::agent_process`).

mod answer;
mod exec;
mod llm;
mod probe;

use super::{error::CliError, exit::CommandExit, out::CommandOutput};
use aura_process::{
    ProcessLimits,
    fork_server::serving::serve_forks,
    source::{ACCOUNT_LIMITS, serve_account},
    source_preview::{PREVIEW_LIMITS, serve_preview},
    worker::{self, WorkerError},
};
use clap::{Args, Subcommand};
use std::{
    io,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::net::UnixStream,
    },
};

/// `aura worker`
#[derive(Debug, Clone, Subcommand)]
pub enum WorkerCommand {
    /// What the agents' processes are forked from
    Forks(WorkerForksArgs),
    /// An agent of the envelope protocol that answers each frame with its word, for `aura bench workflow`
    Answer,
    /// Start a program of yours in the sandbox: aura worker exec --write DIR -- PROGRAM ARGS
    Exec(exec::ExecArgs),
    /// The model
    Llm(llm::WorkerLlmArgs),
    /// Look at one source before it is allowed
    #[command(hide = true)]
    Preview(WorkerPreviewArgs),
    /// Read one account on a server, over connections that are passed to it
    #[command(hide = true)]
    Source(WorkerSourceArgs),
    /// Make the attempts of `aura worker probe` in a sandbox that this process was started in
    #[command(hide = true)]
    Attempts(probe::AttemptsArgs),
    /// Enter a sandbox and try what must not work; 1 when anything of it does
    Probe(probe::ProbeArgs),
}

/// `aura worker preview`
#[derive(Debug, Clone, Args)]
pub struct WorkerPreviewArgs {
    /// The process that it dies with
    #[arg(long, value_name = "PID")]
    parent: u32,
}

/// `aura worker source`
#[derive(Debug, Clone, Args)]
pub struct WorkerSourceArgs {
    /// The account's name, for a list of processes
    name: String,
    /// The process that it dies with
    #[arg(long, value_name = "PID")]
    parent: u32,
}

/// `aura worker forks`
#[derive(Debug, Clone, Args)]
pub struct WorkerForksArgs {
    /// The process that it and the agents die with
    #[arg(long, value_name = "PID")]
    parent: u32,
}

/// Runs `aura worker`.
///
/// # Errors
/// [`CliError`]
pub fn run(command: &WorkerCommand, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    match command {
        WorkerCommand::Answer => answer::run(),
        WorkerCommand::Attempts(args) => probe::attempts(args, out),
        WorkerCommand::Exec(args) => Err(exec::run(args)),
        WorkerCommand::Forks(args) => forks(args),
        WorkerCommand::Llm(args) => Err(llm::run(args)),
        WorkerCommand::Preview(args) => preview(args),
        WorkerCommand::Source(args) => source(args),
        WorkerCommand::Probe(args) => probe::run(args, out),
    }
}

fn forks(args: &WorkerForksArgs) -> Result<CommandExit, CliError> {
    worker::confine(args.parent, ProcessLimits::AGENT)?;
    supervisor()?;
    let Some(child) = serve_forks()? else {
        return Ok(CommandExit::Ok);
    };
    // From here on this is an agent's process.
    worker::confine(args.parent, child.limits)?;
    worker::serve(child.agent, child.limits, supervisor()?)?;
    Ok(CommandExit::Ok)
}

fn preview(args: &WorkerPreviewArgs) -> Result<CommandExit, CliError> {
    worker::confine(args.parent, PREVIEW_LIMITS)?;
    serve_preview(PREVIEW_LIMITS, supervisor()?)?;
    Ok(CommandExit::Ok)
}

fn source(args: &WorkerSourceArgs) -> Result<CommandExit, CliError> {
    worker::confine(args.parent, ACCOUNT_LIMITS)?;
    tracing::debug!(name = args.name, "the worker of an account begins");
    serve_account(ACCOUNT_LIMITS, supervisor()?)?;
    Ok(CommandExit::Ok)
}

/// The socket on the standard input.
fn supervisor() -> Result<UnixStream, WorkerError> {
    let fd: OwnedFd = io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map_err(WorkerError::Socket)?;
    let stream = UnixStream::from(fd);
    // What is no connected socket has no peer.
    stream.peer_addr().map_err(|_| WorkerError::Alone)?;
    Ok(stream)
}
