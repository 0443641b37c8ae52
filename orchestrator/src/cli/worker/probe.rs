//! `aura worker probe`: is the sandbox as tight as the kernel says.
//!
//! What: enters the agents' profile and tries. Why: `aura doctor`, the service and the tests ask it. Not here: what is
//! tried (`process::sandbox::probe`).

use crate::{
    cli::{args::Format, error::CliError, exit::Exit, out::Out},
    process::sandbox::{
        self, Profile,
        probe::{Attempt, Came, Targets, try_all},
    },
};
use clap::Args;
use rustix::process::getppid;
use std::{env, path::PathBuf};

/// `aura worker probe`
#[derive(Debug, Clone, Args)]
pub struct ProbeArgs {
    /// The input that stays readable: a folder with a file in it, or a file
    #[arg(long, value_name = "PATH")]
    read: Option<PathBuf>,
    /// A file that must not be readable [default: this program's own]
    #[arg(long, value_name = "FILE")]
    other: Option<PathBuf>,
    /// A process that must not be touched [default: the parent]
    #[arg(long, value_name = "PID")]
    process: Option<i32>,
    #[command(flatten)]
    format: Format,
}

/// Runs `aura worker probe`.
pub(super) fn run(args: &ProbeArgs, out: &mut Out) -> Result<Exit, CliError> {
    let targets = Targets {
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
    sandbox::close_inherited()?;
    let level = sandbox::enter(&Profile::Agent {
        read_only: args.read.iter().cloned().collect(),
    })?;
    let report = try_all(level, &targets);
    if args.format.json {
        out.json(&report)?;
    } else {
        out.text(&report.level.to_string())?;
        for (attempt, came) in &report.tried {
            out.text(&format!("{:<14} {}", name(*attempt), words(*came)))?;
        }
    }
    Ok(if report.surprises().is_empty() {
        Exit::Ok
    } else {
        Exit::Bad
    })
}

fn name(attempt: Attempt) -> &'static str {
    match attempt {
        Attempt::ReadOther => "read another",
        Attempt::ListOther => "list another",
        Attempt::Write => "make a file",
        Attempt::WriteOwn => "write its own",
        Attempt::Tcp => "TCP",
        Attempt::Listen => "listen",
        Attempt::Udp => "UDP",
        Attempt::Unix => "UNIX socket",
        Attempt::Fork => "fork",
        Attempt::Ptrace => "ptrace",
        Attempt::VmRead => "read memory",
        Attempt::Signal => "signal",
        Attempt::Dump => "be dumped",
        Attempt::Inherited => "inherited",
        Attempt::Exec => "exec",
        Attempt::ReadOwn => "read its own",
    }
}

fn words(came: Came) -> &'static str {
    match came {
        Came::Denied => "denied",
        Came::NotDenied => "not denied",
    }
}
