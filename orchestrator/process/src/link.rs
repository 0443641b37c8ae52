//! A process of ours and the socket to it.
//!
//! What: frames in and out with every way in which that can end ([`ExitReason`]), and the end of the process with all that it started. Why:
//! agents' and the model's processes are spoken to, stopped and killed in one way. Not here: what is said (`agent_process`,
//! `model_session`), when one is started again (`supervisor`).
//!
//! The socket's far end is the process's standard input: the one descriptor that every process has, and that nothing
//! prints to.

use super::{child_process::ChildProcess, lines};
use std::{
    future::poll_fn,
    io,
    os::unix::net::UnixStream as StdStream,
    pin::Pin,
    process::{Command, ExitStatus, Stdio},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead as _, ReadBuf},
    net::UnixStream,
    time::timeout,
};
use toolcall_schema::wire::{FrameDecoder, WireError};

/// How long one frame may take to be taken.
pub(super) const WRITE: Duration = Duration::from_secs(5);

/// Why a life ended.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExitReason {
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
    /// It says that it cannot do its work; a code of ours.
    #[error("it cannot work here: {0}")]
    Refused(&'static str),
    /// It wrote something that is no frame, or not its turn.
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// A process and the socket to it.
pub(super) struct ProcessLink {
    process: ChildProcess,
    stream: UnixStream,
    decoder: FrameDecoder,
}

impl ProcessLink {
    /// Starts a process whose standard input is the far end of `ours`; what it writes is logged under a name. Must be called on the
    /// thread that lives as long as this process, because the kernel ends the child with the thread that started it.
    ///
    /// # Errors
    /// It could not be started.
    pub(super) fn start(
        command: &mut Command,
        ours: StdStream,
        decoder: FrameDecoder,
        name: &'static str,
    ) -> io::Result<Self> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut link = Self::start_unlogged(command, ours, decoder)?;
        if let Some(pipe) = link.process.take_stdout() {
            lines::log(name, "stdout", pipe);
        }
        if let Some(pipe) = link.process.take_stderr() {
            lines::log(name, "stderr", pipe);
        }
        Ok(link)
    }

    /// The same, where what the process writes goes where the command says.
    ///
    /// # Errors
    /// It could not be started.
    pub(super) fn start_unlogged(
        command: &mut Command,
        ours: StdStream,
        decoder: FrameDecoder,
    ) -> io::Result<Self> {
        Self::with_process(ChildProcess::spawn(command)?, ours, decoder)
    }

    /// The same to a process that was started already.
    ///
    /// # Errors
    /// Its socket failed; the process is killed.
    pub(super) fn with_process(
        process: ChildProcess,
        ours: StdStream,
        decoder: FrameDecoder,
    ) -> io::Result<Self> {
        ours.set_nonblocking(true)?;
        Ok(Self {
            process,
            stream: UnixStream::from_std(ours)?,
            decoder,
        })
    }

    /// Its number.
    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Sends a frame's bytes; the process has [`WRITE`] to take them.
    ///
    /// # Errors
    /// [`ExitReason`]
    pub(super) async fn tell(&mut self, bytes: &[u8]) -> Result<(), ExitReason> {
        timeout(WRITE, self.write(bytes))
            .await
            .unwrap_or(Err(ExitReason::Hung("room for a frame")))
    }

    /// The next frame. Can be cancelled at any time: what was read stays.
    ///
    /// # Errors
    /// [`ExitReason`]
    pub(super) async fn read<T>(
        &mut self,
        decode: impl Fn(&[u8]) -> Result<T, WireError>,
    ) -> Result<T, ExitReason> {
        loop {
            if let Some(body) = self.decoder.next_body()? {
                return Ok(decode(body)?);
            }
            match poll_fn(|context| self.poll_take_in(context)).await {
                Ok(true) => {}
                Ok(false) => return Err(self.closed()),
                Err(error) => return Err(ExitReason::Socket(error)),
            }
        }
    }

    /// One read of the stream; `false`: it is over. A read that does not fill its buffer has emptied the socket: the next one waits without asking the kernel.
    fn poll_take_in(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let stream = Pin::new(&mut self.stream);
        let taken = self.decoder.take_in(|buffer| {
            let mut buffer = ReadBuf::new(buffer);
            match stream.poll_read(context, &mut buffer) {
                Poll::Ready(read) => read.map(|()| buffer.filled().len()),
                Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
            }
        });
        match taken {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
            taken => Poll::Ready(taken),
        }
    }

    /// The stream is over: after a whole frame, or within one.
    fn closed(&self) -> ExitReason {
        match self.decoder.finish() {
            Ok(()) => ExitReason::Closed,
            Err(torn) => torn.into(),
        }
    }

    async fn write(&mut self, mut bytes: &[u8]) -> Result<(), ExitReason> {
        while !bytes.is_empty() {
            match self.stream.try_write(bytes) {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.stream.writable().await.map_err(ExitReason::Socket)?;
                }
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Err(ExitReason::Closed),
                Err(error) => return Err(ExitReason::Socket(error)),
            }
        }
        Ok(())
    }

    /// Sends the frame that asks it to end, waits for so long until it has closed its socket, and kills it if it has not.
    pub(super) async fn stop(mut self, stop: &[u8], grace: Duration) -> Option<ExitStatus> {
        let ends = async {
            if self.write(stop).await.is_ok() {
                // What it still says does not matter any more.
                while self.read(|_| Ok(())).await.is_ok() {}
            }
        };
        // Whether it did or not, it is killed now.
        let _ = timeout(grace, ends).await;
        self.end().await
    }

    /// Kills it, if it still lives, and says how it ended. What it ended with by itself stays.
    pub(super) async fn end(self) -> Option<ExitStatus> {
        self.process.end_async().await
    }
}
