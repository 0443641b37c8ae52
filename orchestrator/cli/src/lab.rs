//! Commands that the program `aura-lab` carries out.
//!
//! Measuring and hurting Aura is no part of the program that people run; `aura bench` and most of `aura selftest` replace this process by the
//! `aura-lab` beside it. Not here: what they do (`aura-lab`).

use super::{error::CliError, exit::CommandExit};
use clap::Args;
use std::{env, ffi::OsString, io, os::unix::process::CommandExt as _, process::Command};
use surfaces_base::language::say;

/// Arguments that `aura-lab` reads.
#[derive(Debug, Clone, Args)]
#[command(disable_help_flag = true)]
pub struct LabArgs {
    /// What to do, and how: `--help` lists it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    args: Vec<OsString>,
}

impl LabArgs {
    /// Becomes `aura-lab` with these commands and arguments; returns only when that is not possible.
    ///
    /// # Errors
    /// There is no `aura-lab` beside this program, or it cannot be started.
    pub fn run(&self, commands: &[&str]) -> Result<CommandExit, CliError> {
        let program = env::current_exe()?.with_file_name("aura-lab");
        let error = Command::new(&program).args(commands).args(&self.args).exec();
        if error.kind() == io::ErrorKind::NotFound {
            return Err(CliError::NotThere(say!(
                "cli-common-no-lab",
                program = program.display().to_string()
            )));
        }
        Err(error.into())
    }
}
