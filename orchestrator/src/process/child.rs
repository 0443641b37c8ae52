//! One life of an agent's process, seen from the supervisor.
//!
//! What: starts the process, talks to it in frames with a deadline on every wait, and ends it. Why: whatever it does, the
//! supervisor goes on: a refused frame, silence and a death are all an [`End`]. Not here: starting it again (`place`), its
//! own side (`worker`).
//!
//! The socket's far end is the process's standard input: the one descriptor that every process has, and that nothing
//! prints to. One thing is asked at a time, so neither side ever writes while the other waits to be read.

use super::{
    Limits, Program, lines,
    progress::{Idleness, Stuck},
};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::value::RawValue;
use std::{
    io,
    os::{
        fd::OwnedFd,
        unix::{
            net::UnixStream as StdStream,
            process::{CommandExt as _, ExitStatusExt as _},
        },
    },
    path::PathBuf,
    process::{Child as StdChild, Command, ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    net::UnixStream,
    time::{sleep, timeout},
};
use toolcall_schema::{
    AgentName, gate,
    wire::{Decoder, FromAgent, ToAgent, WireError},
};

/// How long a process may take to say that it is ready.
pub const READY: Duration = Duration::from_secs(10);
/// How long an answer to a ping may take.
pub const PONG: Duration = Duration::from_secs(2);
/// How long one frame may take to be taken.
pub const WRITE: Duration = Duration::from_secs(5);
/// How long a call may take before the process counts as hung. Its caller has stopped waiting long before: reading an
/// archive for the first time takes its time.
pub const CALL: Duration = Duration::from_mins(1);

/// How often a process that was called is looked at: three looks without progress, and it counts as stuck.
const LOOK: Duration = Duration::from_secs(1);

/// The most that a process may say of its sandbox, in bytes of printable ASCII.
const SANDBOX_MAX: usize = 120;

/// What an agent's process is started with.
pub struct Launch {
    /// Which of the four.
    pub agent: AgentName,
    /// What it runs.
    pub program: Program,
    /// `agents::agent::Setup`, for its first frame.
    pub setup: Box<RawValue>,
    /// What it reads: the files and folders of `setup`.
    pub sources: Vec<PathBuf>,
    /// What it may use.
    pub limits: Limits,
}

/// Why a life ended.
#[derive(Debug, thiserror::Error)]
pub enum End {
    /// It could not be started.
    #[error("it could not be started")]
    Start(#[source] io::Error),
    /// The socket failed.
    #[error("its socket failed")]
    Socket(#[source] io::Error),
    /// It closed its socket: it ended by itself, or somebody ended it.
    #[error("it ended")]
    Closed,
    /// It said nothing, or took nothing, for too long.
    #[error("it hung: no {0} in time")]
    Hung(&'static str),
    /// Somebody stopped it (SIGSTOP): it would not go on by itself.
    #[error("it was stopped by somebody")]
    Stopped,
    /// A source of its is another file or folder by now: its sandbox knows only the one from before.
    #[error("one of its sources came or was replaced")]
    Renewed,
    /// It wrote something that is no frame, or not its turn.
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// A process that said it is ready.
pub struct Child {
    process: Process,
    stream: UnixStream,
    decoder: Decoder,
    buffer: Box<[u8]>,
    /// Of the last call or ping.
    n: u64,
    /// What it says of its sandbox.
    pub sandbox: String,
}

/// The process itself. Dropping it kills it and what it may have started.
struct Process(Option<StdChild>);

impl Process {
    fn pid(&self) -> Option<u32> {
        self.0.as_ref().map(StdChild::id)
    }

    fn kill(&self) {
        let pid = self.pid().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        if let Some(pid) = pid {
            // It was not waited for yet, so the number is still its own. It may have ended already.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if let Some(child) = &mut self.0 {
            // Takes it from the process table if it has ended by now; else the system does, when this process ends.
            let _ = child.try_wait();
        }
    }
}

impl Child {
    /// Starts a process and waits until it is ready.
    ///
    /// # Errors
    /// [`End`]
    pub async fn start(launch: &Launch) -> Result<Self, (End, Option<ExitStatus>)> {
        let (process, stream) = spawn(launch).map_err(|error| (End::Start(error), None))?;
        let mut child = Self {
            process,
            stream,
            decoder: Decoder::default(),
            buffer: vec![0; 64 * 1024].into_boxed_slice(),
            n: 0,
            sandbox: String::new(),
        };
        match timeout(READY, child.begin(launch)).await {
            Ok(Ok(())) => Ok(child),
            Ok(Err(end)) => Err((end, child.end().await)),
            Err(_) => Err((End::Hung("`ready`"), child.end().await)),
        }
    }

    async fn begin(&mut self, launch: &Launch) -> Result<(), End> {
        let setup = launch.setup.clone();
        self.write(&ToAgent::Begin { setup }.encode()?).await?;
        let frame = self.read().await?;
        let FromAgent::Ready { catalogue, sandbox } = frame else {
            return Err(unexpected(&frame, "`ready`"));
        };
        if catalogue != gate::catalogue_hash() {
            return Err(WireError::OtherBuild.into());
        }
        let plain = |c: &char| (' '..='~').contains(c);
        self.sandbox = sandbox.chars().filter(plain).take(SANDBOX_MAX).collect();
        Ok(())
    }

    /// Its number.
    pub fn pid(&self) -> Option<u32> {
        self.process.pid()
    }

    /// Sends a frame that has no answer.
    ///
    /// # Errors
    /// [`End`]
    pub async fn tell(&mut self, frame: &ToAgent) -> Result<(), End> {
        let bytes = frame.encode()?;
        self.tell_bytes(&bytes).await
    }

    async fn tell_bytes(&mut self, bytes: &[u8]) -> Result<(), End> {
        timeout(WRITE, self.write(bytes))
            .await
            .unwrap_or(Err(End::Hung("room for a frame")))
    }

    /// The number of the next call.
    pub fn number(&mut self) -> u64 {
        self.n += 1;
        self.n
    }

    /// Sends the frame of a call with the number that [`Child::number`] gave, and waits for its answer: the result's bytes,
    /// or `None` when the agent's own gate refused it.
    ///
    /// # Errors
    /// [`End`]
    pub async fn call(&mut self, frame: &[u8]) -> Result<Option<Vec<u8>>, End> {
        self.tell_bytes(frame).await?;
        let mut idleness = Idleness::default();
        let pid = self.pid();
        let stuck = async {
            loop {
                sleep(LOOK).await;
                if let Some(stuck) = pid.and_then(|pid| idleness.look(pid)) {
                    return stuck;
                }
            }
        };
        let answer = tokio::select! {
            biased;
            answer = timeout(CALL, self.answer()) => answer,
            stuck = stuck => return Err(match stuck {
                Stuck::Stopped => End::Stopped,
                Stuck::Asleep => End::Hung("progress with a call"),
            }),
        };
        match answer {
            Ok(Ok(FromAgent::Result { n, result })) if n == self.n => {
                Ok(Some(result.get().as_bytes().to_vec()))
            }
            Ok(Ok(FromAgent::Refused { n })) if n == self.n => Ok(None),
            Ok(Ok(other)) => Err(unexpected(&other, "the answer to its call")),
            Ok(Err(end)) => Err(end),
            Err(_) => Err(End::Hung("answer to a call")),
        }
    }

    /// Asks whether it is there.
    ///
    /// # Errors
    /// [`End`]
    pub async fn ping(&mut self) -> Result<(), End> {
        let n = self.number();
        self.tell(&ToAgent::Ping { n }).await?;
        match timeout(PONG, self.answer()).await {
            Ok(Ok(FromAgent::Pong { n })) if n == self.n => Ok(()),
            Ok(Ok(other)) => Err(unexpected(&other, "the answer to its ping")),
            Ok(Err(end)) => Err(end),
            Err(_) => Err(End::Hung("answer to a ping")),
        }
    }

    /// Waits for what comes without being asked for: nothing but pokes, until it ends. Can be cancelled at any time.
    pub async fn idle(&mut self) -> End {
        match self.answer().await {
            Ok(other) => unexpected(&other, "nothing, as nothing was asked,"),
            Err(end) => end,
        }
    }

    /// The next frame that is no poke. The folders are looked at by the supervisor as well (`watch`), which is why a poke
    /// says nothing new today.
    async fn answer(&mut self) -> Result<FromAgent, End> {
        loop {
            let frame = self.read().await?;
            if !matches!(frame, FromAgent::Poke) {
                return Ok(frame);
            }
        }
    }

    /// The next frame. Can be cancelled at any time: what was read stays.
    async fn read(&mut self) -> Result<FromAgent, End> {
        loop {
            if let Some(body) = self.decoder.next_body()? {
                return Ok(FromAgent::decode(body)?);
            }
            self.stream.readable().await.map_err(End::Socket)?;
            match self.stream.try_read(&mut self.buffer) {
                Ok(0) => return Err(self.closed()),
                Ok(count) => self.decoder.push(self.buffer.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Err(self.closed()),
                Err(error) => return Err(End::Socket(error)),
            }
        }
    }

    /// The stream is over: after a whole frame, or within one.
    fn closed(&self) -> End {
        match self.decoder.finish() {
            Ok(()) => End::Closed,
            Err(torn) => torn.into(),
        }
    }

    async fn write(&mut self, mut bytes: &[u8]) -> Result<(), End> {
        while !bytes.is_empty() {
            match self.stream.try_write(bytes) {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.stream.writable().await.map_err(End::Socket)?;
                }
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Err(End::Closed),
                Err(error) => return Err(End::Socket(error)),
            }
        }
        Ok(())
    }

    /// Asks it to end, waits for so long, and kills it if it has not.
    pub async fn stop(mut self, grace: Duration) -> Option<ExitStatus> {
        if let Ok(stop) = ToAgent::Stop.encode() {
            let ends = async {
                if self.write(&stop).await.is_ok() {
                    self.idle().await;
                }
            };
            // Whether it did or not, it is killed now.
            let _ = timeout(grace, ends).await;
        }
        self.end().await
    }

    /// Kills it, if it still lives, and says how it ended. What it ended with by itself stays.
    pub async fn end(mut self) -> Option<ExitStatus> {
        self.process.kill();
        let mut child = self.process.0.take()?;
        // It has ended or was just killed: this takes no longer than the kernel needs.
        let waited = tokio::task::spawn_blocking(move || child.wait()).await;
        waited.ok()?.ok()
    }
}

fn unexpected(found: &FromAgent, expected: &'static str) -> End {
    WireError::OutOfOrder {
        found: found.name(),
        expected,
    }
    .into()
}

/// Starts the process: nothing of this one's environment or descriptors goes with it. Must be called on the thread that
/// lives as long as this process, because the kernel ends the child with the thread that started it.
fn spawn(launch: &Launch) -> io::Result<(Process, UnixStream)> {
    let (ours, theirs) = StdStream::pair()?;
    ours.set_nonblocking(true)?;
    let mut child = Command::new(&launch.program.0)
        .arg0("aura")
        .args(["worker", "agent", launch.agent.as_str()])
        .args(["--parent", &std::process::id().to_string()])
        .args(["--memory-mib", &launch.limits.memory_mib.to_string()])
        .args(["--cpu-s", &launch.limits.cpu_s.to_string()])
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    if let Some(pipe) = child.stdout.take() {
        lines::log(launch.agent, "stdout", pipe);
    }
    if let Some(pipe) = child.stderr.take() {
        lines::log(launch.agent, "stderr", pipe);
    }
    let process = Process(Some(child));
    Ok((process, UnixStream::from_std(ours)?))
}

/// How a process ended, in words.
pub fn in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown end".to_owned(),
    }
}

/// Whether a process that ended by itself did so by its own fault: an exit code, an abort, a bad access, too much CPU
/// time, a forbidden system call. A signal that somebody sent (SIGKILL, SIGTERM) says nothing about what it was doing.
pub fn own_fault(status: ExitStatus) -> bool {
    let sent = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT];
    status
        .signal()
        .is_none_or(|signal| sent.iter().all(|sent| sent.as_raw() != signal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_the_processs_own_fault_unless_somebody_sent_a_signal() {
        // Wait statuses: the exit code is the second byte, a signal the first.
        for (raw, words, own) in [
            (0, "exit code 0", true),
            (1 << 8, "exit code 1", true),
            (70 << 8, "exit code 70", true),
            (6, "signal 6", true),
            (11, "signal 11", true),
            (24, "signal 24", true),
            (31, "signal 31", true),
            (9, "signal 9", false),
            (15, "signal 15", false),
        ] {
            let status = ExitStatus::from_raw(raw);
            assert_eq!((in_words(status).as_str(), own_fault(status)), (words, own));
        }
    }
}
