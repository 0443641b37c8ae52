//! The model's process, seen from whoever starts it.
//!
//! What: where its program is, how it is started, and [`ModelProcess`], one of a command's own. Why: the service and the
//! commands start it in one way. Not here: keeping it alive (`model_supervisor`), its own side (`llm_runtime::native`).

use super::{
    WorkerProgram,
    link::{ExitReason, ProcessLink},
    models::ModelError,
};
use llm_runtime::wire::{self, FromModel, ToModel, WireError};
use std::{
    env,
    error::Error,
    fmt, io,
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};

/// The name of its program, which stands beside `aura`.
pub const PROGRAM: &str = "aura-llm";

/// The program that runs the model: the one that is named, else the one beside this program.
///
/// # Errors
/// [`ModelError::NoWorker`]
pub fn program(named: Option<&Path>) -> Result<PathBuf, ModelError> {
    let beside = || Some(env::current_exe().ok()?.parent()?.join(PROGRAM));
    let path = named
        .map(Path::to_owned)
        .or_else(beside)
        .ok_or(ModelError::NoWorker)?;
    path.canonicalize()
        .ok()
        .filter(|path| path.is_file())
        .ok_or(ModelError::NoWorker)
}

/// The address space that a model of so many bytes may have, in MiB: the file twice, because llama.cpp may lay it out anew, and
/// room for context and program.
pub fn memory_mib(model_bytes: u64) -> u32 {
    let mib = model_bytes.div_ceil(1024 * 1024);
    u32::try_from(mib.saturating_mul(2).saturating_add(1024)).unwrap_or(u32::MAX)
}

/// What the model's process is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelLaunch {
    /// What is run: `aura`, which becomes the model's program.
    pub program: WorkerProgram,
    /// The model's program; the one beside `aura` without.
    pub worker: Option<PathBuf>,
    /// The model's file.
    pub model: PathBuf,
    /// Where the evaluated prefix is kept; nowhere without.
    pub state: Option<PathBuf>,
    /// Tokens of context.
    pub context: u32,
}

impl ModelLaunch {
    /// The command that starts it, and our end of its socket.
    ///
    /// # Errors
    /// As [`WorkerProgram::command`].
    pub(super) fn command(&self) -> io::Result<(Command, UnixStream)> {
        let (mut command, ours) = self.program.command(&["llm"])?;
        command.arg("--model").arg(&self.model);
        command.arg("--context").arg(self.context.to_string());
        for (flag, path) in [("--state", &self.state), ("--worker", &self.worker)] {
            if let Some(path) = path {
                command.arg(flag).arg(path);
            }
        }
        Ok((command, ours))
    }
}

/// Why a command has nothing of the model's process.
#[derive(Debug)]
pub struct ModelProcessError {
    reason: ExitReason,
    /// How it ended, where it did.
    status: Option<ExitStatus>,
}

impl ModelProcessError {
    /// It said what was not its turn.
    pub(super) fn out_of_turn() -> Self {
        WireError::Malformed { line: 0, column: 0 }.into()
    }
}

impl From<ExitReason> for ModelProcessError {
    fn from(reason: ExitReason) -> Self {
        Self { reason, status: None }
    }
}

impl From<WireError> for ModelProcessError {
    fn from(error: WireError) -> Self {
        ExitReason::from(error).into()
    }
}

impl fmt::Display for ModelProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.reason, self.status) {
            (ExitReason::Closed, Some(status)) => write!(f, "the model's process ended ({status})"),
            (reason, _) => write!(f, "the model's process failed: {reason}"),
        }
    }
}

impl Error for ModelProcessError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.reason.source()
    }
}

/// A process of a command's own, which waits where it asks; the process ends with it.
pub struct ModelProcess {
    runtime: Runtime,
    pid: u32,
    /// Until it ended.
    link: Option<ProcessLink>,
}

impl ModelProcess {
    /// Starts the process. What it writes to its standard error goes to ours.
    ///
    /// # Errors
    /// It could not be started.
    pub fn start(launch: &ModelLaunch) -> Result<Self, ModelProcessError> {
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime
            .enable_io()
            .enable_time()
            .build()
            .map_err(ExitReason::Start)?;
        let (mut command, ours) = launch.command().map_err(ExitReason::Start)?;
        command.stderr(Stdio::inherit());
        let entered = runtime.enter();
        let link = ProcessLink::start_unlogged(&mut command, ours, wire::decoder());
        let link = link.map_err(ExitReason::Start)?;
        drop(entered);
        Ok(Self {
            pid: link.pid(),
            runtime,
            link: Some(link),
        })
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Sends one frame.
    ///
    /// # Errors
    /// [`ModelProcessError`]: it was ended.
    pub fn send(&mut self, frame: &ToModel) -> Result<(), ModelProcessError> {
        let bytes = frame.encode()?;
        let link = self.link.as_mut().ok_or(ExitReason::Closed)?;
        let sent = self.runtime.block_on(link.tell(&bytes));
        sent.map_err(|reason| self.end(reason))
    }

    /// The next frame.
    ///
    /// # Errors
    /// [`ModelProcessError`]: it was ended.
    pub fn next(&mut self, within: Duration) -> Result<FromModel, ModelProcessError> {
        let link = self.link.as_mut().ok_or(ExitReason::Closed)?;
        let read = async {
            let frame = timeout(within, link.read(FromModel::decode)).await;
            frame.unwrap_or(Err(ExitReason::Hung("frame")))
        };
        let read = self.runtime.block_on(read);
        read.map_err(|reason| self.end(reason))
    }

    fn end(&mut self, reason: ExitReason) -> ModelProcessError {
        let link = self.link.take();
        let status = link.and_then(|link| self.runtime.block_on(link.end()));
        ModelProcessError { reason, status }
    }
}

impl Drop for ModelProcess {
    fn drop(&mut self) {
        // Waited for: the next one is to find its memory free.
        self.end(ExitReason::Closed);
    }
}
