//! One life of an agent's process, seen from the supervisor.
//!
//! What: starts the process, talks to it in frames with a deadline on every wait, and ends it. Why: whatever it does, the
//! supervisor goes on: a refused frame, silence and a death are all an [`ExitReason`]. Not here: socket and process (`link`), starting it
//! again (`supervisor`), its own side (`worker`).
//!
//! One thing is asked at a time, so neither side ever writes while the other waits to be read.

use super::{
    ProcessLimits, WorkerProgram,
    link::{ExitReason, ProcessLink},
    progress::{Stall, StallDetector},
    supervisor::{ChildSession, PONG, plain_sandbox},
};
use serde_json::value::RawValue;
use std::{
    io,
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream as StdStream, process::CommandExt as _},
    },
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};
use tokio::time::{sleep, timeout};
use toolcall_schema::{
    AgentName, gate,
    wire::{FrameDecoder, FromAgent, ToAgent, WireError},
};

/// How long a process may take to say that it is ready.
pub(super) const READY: Duration = Duration::from_secs(10);
/// How long a call may take before the process counts as hung. Its caller has stopped waiting long before: reading an
/// archive for the first time takes its time.
pub(super) const CALL: Duration = Duration::from_mins(1);

/// How often a process that was called is looked at: three looks without progress, and it counts as stuck.
const LOOK: Duration = Duration::from_secs(1);

/// What an agent's process is started with.
pub struct AgentLaunch {
    /// Which of the four.
    pub agent: AgentName,
    /// What it runs.
    pub program: WorkerProgram,
    /// `agents::contract::AgentSetup`, for its first frame.
    pub setup: Box<RawValue>,
    /// What it reads: the files and folders of `setup`.
    pub sources: Vec<PathBuf>,
    /// What it may use.
    pub limits: ProcessLimits,
}

/// A process that said it is ready.
pub(super) struct AgentProcess {
    link: ProcessLink,
    /// Of the last call or ping.
    n: u64,
    /// What it says of its sandbox.
    pub(super) sandbox: String,
}

impl AgentProcess {
    /// Starts a process and waits until it is ready.
    ///
    /// # Errors
    /// [`ExitReason`]
    pub(super) async fn start(launch: &AgentLaunch) -> Result<Self, (ExitReason, Option<ExitStatus>)> {
        let link = spawn(launch).map_err(|error| (ExitReason::Start(error), None))?;
        let mut child = Self {
            link,
            n: 0,
            sandbox: String::new(),
        };
        match timeout(READY, child.begin(launch)).await {
            Ok(Ok(())) => Ok(child),
            Ok(Err(end)) => Err((end, child.end().await)),
            Err(_) => Err((ExitReason::Hung("`ready`"), child.end().await)),
        }
    }

    async fn begin(&mut self, launch: &AgentLaunch) -> Result<(), ExitReason> {
        let setup = launch.setup.clone();
        self.link.tell(&ToAgent::Begin { setup }.encode()?).await?;
        let frame = self.read().await?;
        let FromAgent::Ready { catalogue, sandbox } = frame else {
            return Err(unexpected(&frame, "`ready`"));
        };
        if catalogue != gate::catalogue_hash() {
            return Err(WireError::OtherBuild.into());
        }
        self.sandbox = plain_sandbox(&sandbox);
        Ok(())
    }

    /// Its number.
    pub(super) fn pid(&self) -> u32 {
        self.link.pid()
    }

    /// Sends a frame that has no answer.
    ///
    /// # Errors
    /// [`ExitReason`]
    pub(super) async fn tell(&mut self, frame: &ToAgent) -> Result<(), ExitReason> {
        let bytes = frame.encode()?;
        self.link.tell(&bytes).await
    }

    /// The number of the next call.
    pub(super) fn number(&mut self) -> u64 {
        self.n += 1;
        self.n
    }

    /// Sends the frame of a call with the number that [`AgentProcess::number`] gave, and waits for its answer: the result's bytes,
    /// or `None` when the agent's own gate refused it.
    ///
    /// # Errors
    /// [`ExitReason`]
    pub(super) async fn call(&mut self, frame: &[u8]) -> Result<Option<Vec<u8>>, ExitReason> {
        self.link.tell(frame).await?;
        let mut idleness = StallDetector::default();
        let pid = self.pid();
        let stuck = async {
            loop {
                sleep(LOOK).await;
                if let Some(stuck) = idleness.look(pid) {
                    return stuck;
                }
            }
        };
        let answer = tokio::select! {
            biased;
            answer = timeout(CALL, self.read()) => answer,
            stuck = stuck => return Err(match stuck {
                Stall::Stopped => ExitReason::Stopped,
                Stall::Asleep => ExitReason::Hung("progress with a call"),
            }),
        };
        match answer {
            Ok(Ok(FromAgent::Result { n, result })) if n == self.n => {
                Ok(Some(result.get().as_bytes().to_vec()))
            }
            Ok(Ok(FromAgent::Refused { n })) if n == self.n => Ok(None),
            Ok(Ok(other)) => Err(unexpected(&other, "the answer to its call")),
            Ok(Err(end)) => Err(end),
            Err(_) => Err(ExitReason::Hung("answer to a call")),
        }
    }

    async fn read(&mut self) -> Result<FromAgent, ExitReason> {
        self.link.read(FromAgent::decode).await
    }
}

impl ChildSession for AgentProcess {
    async fn idle(&mut self) -> ExitReason {
        match self.read().await {
            Ok(other) => unexpected(&other, "nothing, as nothing was asked,"),
            Err(end) => end,
        }
    }

    async fn ping(&mut self) -> Result<(), ExitReason> {
        let n = self.number();
        self.tell(&ToAgent::Ping { n }).await?;
        match timeout(PONG, self.read()).await {
            Ok(Ok(FromAgent::Pong { n })) if n == self.n => Ok(()),
            Ok(Ok(other)) => Err(unexpected(&other, "the answer to its ping")),
            Ok(Err(end)) => Err(end),
            Err(_) => Err(ExitReason::Hung("answer to a ping")),
        }
    }

    fn stop_frame() -> Result<Vec<u8>, WireError> {
        ToAgent::Stop.encode()
    }

    fn into_link(self) -> ProcessLink {
        self.link
    }
}

fn unexpected(found: &FromAgent, expected: &'static str) -> ExitReason {
    WireError::OutOfOrder {
        found: found.name(),
        expected,
    }
    .into()
}

/// Starts the process: nothing of this one's environment or descriptors goes with it.
fn spawn(launch: &AgentLaunch) -> io::Result<ProcessLink> {
    let (ours, theirs) = StdStream::pair()?;
    let mut command = Command::new(&launch.program.0);
    command
        .arg0("aura")
        .args(["worker", "agent", launch.agent.as_str()])
        .args(["--parent", &std::process::id().to_string()])
        .args(["--memory-mib", &launch.limits.memory_mib.to_string()])
        .args(["--cpu-s", &launch.limits.cpu_s.to_string()])
        .stdin(Stdio::from(OwnedFd::from(theirs)));
    ProcessLink::start(&mut command, ours, FrameDecoder::default(), launch.agent.as_str())
}
