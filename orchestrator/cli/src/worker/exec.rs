//! `aura worker exec`: a program of the owner's, sandboxed.
//!
//! What: sets limits, enters the profile `program`, becomes the program. Why: programs in any language can be agents, and
//! none of them is trusted. Not here: the profile (`process::sandbox`), speaking with the program and its deadline.

use crate::error::CliError;
use aura_process::{
    sandbox::{self, SandboxError, SandboxProfile, limits::ProgramLimits, own_network},
    worker::die_with,
};
use clap::Args;
use rustix::{fs::Mode, process::umask as umask_of_process};
use std::{
    env,
    ffi::{OsStr, OsString},
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::Command,
};

/// Where programs are looked for.
const SEARCH: &str = "/usr/local/bin:/usr/bin:/bin";

/// `aura worker exec`
#[derive(Debug, Clone, Args)]
pub struct ExecArgs {
    /// A folder or file that it may read and execute from; the system's it may
    #[arg(long, value_name = "PATH")]
    read: Vec<PathBuf>,
    /// A folder or file that it may do everything with; the first folder is HOME and TMPDIR. It makes no device there
    #[arg(long, value_name = "PATH")]
    write: Vec<PathBuf>,
    /// Its working folder, which it may read only as far as --read says [default: HOME]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The process that it dies with: the one that starts it, and of that the thread
    #[arg(long, value_name = "PID")]
    parent: Option<u32>,
    /// It may open sockets
    #[arg(long)]
    network: bool,
    /// In a network of its own: its way out is passed over the standard input to who starts it, and what it reads comes back
    #[arg(long, hide = true, conflicts_with = "network")]
    own_network: bool,
    /// A variable of this command's environment that it is given too; its own is empty otherwise but for PATH, HOME, TMPDIR and LANG
    #[arg(long, value_name = "NAME")]
    env: Vec<String>,
    /// Memory of each of its processes in MiB, files that they map not counted
    #[arg(long, value_name = "MIB", default_value_t = ProgramLimits::default().memory_mib)]
    memory: u32,
    /// Processor time in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = ProgramLimits::default().cpu_seconds)]
    cpu: u32,
    /// The largest file it may write, in MiB
    #[arg(long, value_name = "MIB", default_value_t = ProgramLimits::default().file_mib)]
    file_size: u32,
    /// Descriptors open at once
    #[arg(long, value_name = "N", default_value_t = ProgramLimits::default().open_files)]
    open_files: u32,
    /// Processes and threads, beyond those that you have now
    #[arg(long, value_name = "N", default_value_t = ProgramLimits::default().processes)]
    processes: u32,
    /// Its umask, in octal digits [default: that of this command]
    #[arg(long, value_name = "MODE", value_parser = umask)]
    umask: Option<u32>,
    /// No memory that it wrote becomes code: what compiles as it runs, Node for one, does not start
    #[arg(long)]
    no_new_code: bool,
    /// Do not start it when the kernel enforces less than all of this
    #[arg(long)]
    require_sandbox: bool,
    /// Tell it, as its last argument, what the kernel enforces
    #[arg(long, hide = true)]
    say_level: bool,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

/// What a program is started with.
pub(super) struct ProgramStart<'a> {
    pub(super) program: &'a OsStr,
    pub(super) args: &'a [OsString],
    /// Beside PATH, HOME, TMPDIR and LANG.
    pub(super) env: Vec<(String, OsString)>,
    pub(super) read_only: Vec<PathBuf>,
    pub(super) read_write: Vec<PathBuf>,
    /// The working folder; HOME without.
    pub(super) folder: Option<PathBuf>,
    pub(super) network: bool,
    /// Whether its network is one of its own, with one way out.
    pub(super) own_network: bool,
    /// Whether memory that it wrote may become code.
    pub(super) new_code: bool,
    /// Its umask; this process's without.
    pub(super) umask: Option<u32>,
    pub(super) limits: ProgramLimits,
    pub(super) require_sandbox: bool,
    /// Whether the program is told, as its last argument, what is enforced on it.
    pub(super) say_level: bool,
}

fn umask(text: &str) -> Result<u32, &'static str> {
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777);
    mode.ok_or("three octal digits, for example 022")
}

/// Those of the named variables that there are. Values come this way because a command line can be read by everybody.
fn given(names: &[String]) -> Vec<(String, OsString)> {
    let there = |name: &String| Some((name.clone(), env::var_os(name)?));
    names.iter().filter_map(there).collect()
}

/// Becomes the program; returns only when it cannot.
pub(super) fn run(args: &ExecArgs) -> CliError {
    let Some((program, rest)) = args.command.split_first() else {
        return CliError::Bug("clap let no program pass");
    };
    if let Some(parent) = args.parent
        && let Err(error) = die_with(parent)
    {
        return error.into();
    }
    become_program(ProgramStart {
        program,
        args: rest,
        env: given(&args.env),
        read_only: args.read.clone(),
        read_write: args.write.clone(),
        folder: args.folder.clone(),
        network: args.network || args.own_network,
        own_network: args.own_network,
        new_code: !args.no_new_code,
        umask: args.umask,
        limits: ProgramLimits {
            memory_mib: args.memory,
            cpu_seconds: args.cpu,
            file_mib: args.file_size,
            open_files: args.open_files,
            processes: args.processes,
        },
        require_sandbox: args.require_sandbox,
        say_level: args.say_level,
    })
}

/// Sets limits, enters the sandbox, becomes the program; returns only when it cannot.
pub(super) fn become_program(start: ProgramStart<'_>) -> CliError {
    match prepare(start) {
        Ok(mut command) => SandboxError::Program {
            program: command.get_program().into(),
            source: command.exec(),
        }
        .into(),
        Err(error) => error,
    }
}

fn prepare(start: ProgramStart<'_>) -> Result<Command, CliError> {
    sandbox::close_inherited()?;
    let home = start.read_write.iter().find(|path| path.is_dir()).cloned();
    let home = home.unwrap_or_else(|| PathBuf::from("/"));
    let mut command = Command::new(start.program);
    command
        .args(start.args)
        .env_clear()
        .env("PATH", SEARCH)
        .env("LANG", "C.UTF-8")
        .env("HOME", &home)
        .env("TMPDIR", &home)
        .envs(start.env)
        .current_dir(start.folder.as_ref().unwrap_or(&home));
    if let Some(mode) = start.umask {
        umask_of_process(Mode::from_raw_mode(mode));
    }
    // Before the sandbox, in which nobody else's processes can be counted.
    start.limits.set()?;
    if start.own_network {
        own_network::enter()?;
        command.envs(own_network::PROXY_VARIABLES);
    }
    let level = sandbox::enter(&SandboxProfile::Program {
        read_only: start.read_only,
        read_write: start.read_write,
        network: start.network,
        new_code: start.new_code,
    })?;
    if !level.is_whole() {
        if start.require_sandbox {
            return Err(SandboxError::NotWhole { level }.into());
        }
        tracing::warn!(%level, "the program runs with part of its sandbox");
    }
    if start.say_level {
        command.arg(level.to_string());
    }
    Ok(command)
}
