//! The model's process, seen from whoever starts it.
//!
//! What: where its program is, how it is started, and a plain conversation with deadlines, for commands. Why: the service and the
//! commands start it in one way. Not here: keeping it alive (`model_supervisor`), its own side (`llm_runtime::native`).

use super::{ChildProcess, WorkerProgram};
use crate::models::ModelError;
use llm_runtime::wire::{self, FrameDecoder, FromModel, ToModel, WireError};
use std::{
    env, io,
    io::{Read as _, Write as _},
    os::{fd::OwnedFd, unix::net::UnixStream},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::{Duration, Instant},
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
    /// The command that starts it as a child of this process, with one end of a socket as its standard input; the other end is ours.
    /// Its output and errors are still to be set, and default to nothing.
    ///
    /// # Errors
    /// No socket could be made.
    pub fn command(&self) -> io::Result<(Command, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&self.program.0);
        command
            .args(["worker", "llm", "--parent"])
            .arg(std::process::id().to_string())
            .arg("--model")
            .arg(&self.model)
            .arg("--context")
            .arg(self.context.to_string());
        for (flag, path) in [("--state", &self.state), ("--worker", &self.worker)] {
            if let Some(path) = path {
                command.arg(flag).arg(path);
            }
        }
        command
            .env_clear()
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Ok((command, ours))
    }
}

/// Why a conversation is over.
#[derive(Debug, thiserror::Error)]
pub enum TalkError {
    /// It could not be started, or its socket failed.
    #[error("the model's process could not be started or spoken to")]
    Io(#[from] io::Error),
    /// It ended.
    #[error("the model's process ended ({0})")]
    Ended(ExitStatus),
    /// It said nothing in time.
    #[error("the model's process said nothing for {} ms", .0.as_millis())]
    Silent(Duration),
    /// It said something that is no frame.
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// A conversation with a process of its own, which ends with it.
#[derive(Debug)]
pub struct ModelConversation {
    child: ChildProcess,
    stream: UnixStream,
    decoder: FrameDecoder,
}

impl ModelConversation {
    /// Starts the process. What it writes to its standard error goes to ours.
    ///
    /// # Errors
    /// [`TalkError::Io`]
    pub fn start(launch: &ModelLaunch) -> Result<Self, TalkError> {
        let (mut command, stream) = launch.command()?;
        let child = ChildProcess::spawn(command.stderr(Stdio::inherit()))?;
        Ok(Self {
            child,
            stream,
            decoder: wire::decoder(),
        })
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends one frame.
    ///
    /// # Errors
    /// [`TalkError`]
    pub fn send(&mut self, frame: &ToModel) -> Result<(), TalkError> {
        let bytes = frame.encode()?;
        match self.stream.write_all(&bytes) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(self.ended()),
            Err(error) => Err(error.into()),
        }
    }

    /// The next frame.
    ///
    /// # Errors
    /// [`TalkError`]
    pub fn next(&mut self, within: Duration) -> Result<FromModel, TalkError> {
        let start = Instant::now();
        loop {
            if let Some(body) = self.decoder.next_body()? {
                return Ok(FromModel::decode(body)?);
            }
            let left = within.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Err(TalkError::Silent(within));
            }
            self.stream.set_read_timeout(Some(left))?;
            let stream = &mut self.stream;
            match self.decoder.take_in(|buffer| stream.read(buffer)) {
                Ok(true) => {}
                Ok(false) => return Err(self.ended()),
                // Time to look at the clock.
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// It closed its socket: it ends, or is made to.
    fn ended(&mut self) -> TalkError {
        match self.child.end() {
            Ok(status) => TalkError::Ended(status),
            Err(error) => TalkError::Io(error),
        }
    }
}

impl Drop for ModelConversation {
    fn drop(&mut self) {
        // Waited for: the next one is to find its memory free.
        let _ = self.child.end();
    }
}
