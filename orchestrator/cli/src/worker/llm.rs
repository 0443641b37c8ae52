//! `aura worker llm`: the model's own process.
//!
//! What: binds itself to its parent, sets limits, enters the profile `program`, becomes `aura-llm`. Why: llama.cpp reads a file from
//! outside and can end its process; what it can reach is one model, one folder and its parent's socket. Not here: what that program
//! does (`llm_runtime::native`), who starts it (`process::llm`).

use super::exec::{ProgramStart, become_program};
use crate::error::CliError;
use aura_process::{
    llm,
    models::ModelError,
    sandbox::limits::{PRIVATE_UMASK, ProgramLimits},
    worker::die_with,
};
use clap::Args;
use std::{ffi::OsString, fs, path::PathBuf};

/// `aura worker llm`
#[derive(Debug, Clone, Args)]
pub struct WorkerLlmArgs {
    /// The process that it dies with
    #[arg(long, value_name = "PID")]
    parent: u32,
    /// The model's file
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// The folder in which it keeps what it evaluated
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Tokens of context
    #[arg(long, value_name = "N", default_value_t = 1024)]
    context: u32,
    /// The program [default: aura-llm beside aura]
    #[arg(long, value_name = "FILE")]
    worker: Option<PathBuf>,
}

/// Becomes the program; returns only when it cannot.
pub(super) fn run(args: &WorkerLlmArgs) -> CliError {
    match start(args) {
        Ok(never) => never,
        Err(error) => error,
    }
}

fn start(args: &WorkerLlmArgs) -> Result<CliError, CliError> {
    die_with(args.parent)?;
    let program = llm::program(args.worker.as_deref())?;
    // The sandbox knows files, not names, and the program is started in another folder.
    let real = |path: &PathBuf| fs::canonicalize(path).map_err(|_| ModelError::NoFile);
    let model = real(&args.model)?;
    let bytes = fs::metadata(&model).map_err(|_| ModelError::NoFile)?.len();
    let state = args.state.as_ref().map(real).transpose()?;
    let mut rest: Vec<OsString> = vec!["--model".into(), model.clone().into()];
    rest.extend(["--context".into(), args.context.to_string().into()]);
    if let Some(state) = &state {
        rest.extend(["--state".into(), state.clone().into()]);
    }
    rest.push("--sandbox".into());
    Ok(become_program(ProgramStart {
        program: program.as_os_str(),
        args: &rest,
        // A failed assertion prints to the standard output with a debugger's help otherwise.
        env: vec![("GGML_NO_BACKTRACE".to_owned(), "1".into())],
        read_only: vec![model, program.clone()],
        read_write: state.into_iter().collect(),
        folder: None,
        network: false,
        own_network: false,
        new_code: false,
        umask: Some(PRIVATE_UMASK),
        limits: ProgramLimits {
            memory_mib: llm::memory_mib(bytes),
            // It serves for months: its questions have deadlines of their own.
            cpu_seconds: u32::MAX,
            file_mib: 256,
            open_files: 64,
            processes: 8,
        },
        require_sandbox: false,
        say_level: true,
    }))
}
