//! `aura worker probe`: is the sandbox as tight as the kernel says.
//!
//! What: enters the agents' sandbox and tries, or has a program try in a program's. Why: `aura doctor`, the service and the tests ask
//! it. Not here: what is tried (`process::sandbox::probe`).

use crate::{args::FormatArgs, error::CliError, exit::CommandExit, out::CommandOutput};
use aura_process::{
    ProcessLimits,
    sandbox::{
        self, SandboxProfile,
        limits::bound_service,
        probe::{
            ProbeOutcome, ProbeProgram, ProbeReport, ProbedSandbox,
            attempts::{ProbeTargets, as_program, try_all, try_bounds},
            is_installed, measure,
        },
    },
    worker,
};
use clap::{Args, ValueEnum};
use rustix::process::getppid;
use std::{env, path::PathBuf};

/// Whose sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SandboxKind {
    /// The agents'
    Agent,
    /// That of an account's worker
    Source,
    /// A program's of yours
    Program,
    /// The model's
    Model,
    /// The bounds of the service itself
    Service,
}

/// `aura worker probe`
#[derive(Debug, Clone, Args)]
pub struct ProbeArgs {
    /// Whose sandbox
    #[arg(long, value_enum, default_value_t = SandboxKind::Agent)]
    profile: SandboxKind,
    /// Who tries in a program's sandbox: aura, python, node, or a program by its path
    #[arg(long, value_name = "PROGRAM", default_value = "aura")]
    by: String,
    /// A program's sandbox with the network
    #[arg(long)]
    network: bool,
    /// The agent's input that stays readable: a folder with a file in it, or a file
    #[arg(long, value_name = "PATH")]
    read: Option<PathBuf>,
    /// A file that the agent must not be able to read [default: this program's own]
    #[arg(long, value_name = "FILE")]
    other: Option<PathBuf>,
    /// A process that the agent must not be able to touch [default: the parent]
    #[arg(long, value_name = "PID")]
    process: Option<i32>,
    #[command(flatten)]
    format: FormatArgs,
}

/// `aura worker attempts`
#[derive(Debug, Clone, Args)]
pub struct AttemptsArgs {
    /// A file that is not its own
    other: PathBuf,
    /// A folder that is
    own: PathBuf,
    /// Another process
    process: i32,
    /// What the kernel is said to enforce
    level: String,
}

/// Runs `aura worker attempts`.
pub(super) fn attempts(args: &AttemptsArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let targets = ProbeTargets {
        own: Some(args.own.clone()),
        other: args.other.clone(),
        process: args.process,
    };
    out.json(&as_program(&args.level, &targets))?;
    Ok(CommandExit::Ok)
}

/// Runs `aura worker probe`.
pub(super) fn run(args: &ProbeArgs, out: &mut CommandOutput) -> Result<CommandExit, CliError> {
    let report = match args.profile {
        SandboxKind::Agent | SandboxKind::Source => in_agents(args)?,
        SandboxKind::Program | SandboxKind::Model => in_programs(args)?,
        SandboxKind::Service => {
            bound_service()?;
            try_bounds()?
        }
    };
    if args.format.json {
        out.json(&report)?;
    } else {
        out.text(&report.level.to_string())?;
        for (attempt, came) in &report.tried {
            let wrong = if *came == report.inside.expects(*attempt) {
                ""
            } else {
                "  <- must not be"
            };
            out.text(&format!("{:<42} {}{wrong}", attempt.to_string(), words(*came)))?;
        }
    }
    Ok(if report.surprises().is_empty() {
        CommandExit::Ok
    } else {
        CommandExit::Bad
    })
}

fn in_agents(args: &ProbeArgs) -> Result<ProbeReport, CliError> {
    let targets = ProbeTargets {
        own: args.read.clone(),
        other: match &args.other {
            Some(other) => other.clone(),
            None => env::current_exe()?,
        },
        process: args
            .process
            .or_else(|| getppid().map(|parent| parent.as_raw_nonzero().get()))
            .unwrap_or(1),
    };
    worker::bind(ProcessLimits::AGENT)?;
    let (profile, inside) = match args.profile {
        SandboxKind::Source => (SandboxProfile::Source, ProbedSandbox::Source),
        SandboxKind::Agent | SandboxKind::Program | SandboxKind::Model | SandboxKind::Service => {
            // An agent's process has had this one since before it was forked.
            sandbox::enter(&SandboxProfile::ForkServer)?;
            let read_only = args.read.iter().cloned().collect();
            (SandboxProfile::Agent { read_only }, ProbedSandbox::Agent)
        }
    };
    let level = sandbox::enter(&profile)?;
    Ok(try_all(level, inside, &targets))
}

fn in_programs(args: &ProbeArgs) -> Result<ProbeReport, CliError> {
    let by = match args.by.as_str() {
        "aura" => ProbeProgram::Aura,
        "python" => installed("python3", ProbeProgram::Python)?,
        "node" => installed("node", ProbeProgram::Node)?,
        path => ProbeProgram::File(path.into()),
    };
    let inside = match (args.profile, args.network) {
        (SandboxKind::Model, _) => ProbedSandbox::Model,
        (_, true) => ProbedSandbox::ProgramWithNetwork,
        (_, false) => ProbedSandbox::Program,
    };
    Ok(measure(inside, &by)?)
}

fn installed(name: &str, by: ProbeProgram) -> Result<ProbeProgram, CliError> {
    if is_installed(name) {
        return Ok(by);
    }
    Err(CliError::Usage(format!(
        "{name} is not in /usr/local/bin, /usr/bin or /bin, so it cannot try anything"
    )))
}

fn words(came: ProbeOutcome) -> &'static str {
    match came {
        ProbeOutcome::Denied => "denied",
        ProbeOutcome::NotDenied => "not denied",
    }
}
