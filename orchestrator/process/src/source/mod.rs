//! An account on a server, read by a process that cannot reach the network.
//!
//! What: [`read_account`], which starts the worker of one account, passes it connections that somebody else opened, and hands out what it
//! found; [`change_account`], which has one change something there; [`serve_account`], the worker's own side. Why: TLS and everything that a server sends are handled where a broken parser holds one
//! stream and nothing else (`docs/adr/0132`). Not here: which addresses may be connected to, when an account is looked at and where its
//! calendars are kept (the runtime).

mod caldav_change;
mod calendar_address;
mod dav;
mod dav_content;
mod event_edit;
mod home_assistant;
mod http;
mod imap;
mod jmap;
mod mail_answer;
mod mail_folders;
mod mail_text;
mod mail_wire;
mod mail_worker;
mod mailbox;
mod multistatus;
mod server_change;
mod server_events;
mod simplefin;
mod tls;
mod token_request;
mod token_server;
mod uid_set;
mod vcard;
mod wire;
mod worker;

use super::{
    ChildProcess, ProcessLimits, WorkerProgram,
    blocking_frames::{BlockingFrames, UntilDeadline},
    descriptors::pass_descriptor,
};
pub use mail_wire::{
    DRAFT_BYTES_MAX, KnownFolder, MailBytes, MailMarks, MailOrder, MailPart, MailboxTask, OrderOutcome,
    WANTED_MAX, WantedMails,
};
pub use mailbox::{MailOrders, MailboxHost, read_mailbox};
pub use server_change::{ChangeEnd, ChangeOutcome, ServerChange, change_account};
use std::{
    io,
    net::TcpStream,
    os::unix::net::UnixStream,
    time::{Duration, Instant},
};
pub use token_request::{
    DeviceCode, IssuedTokens, TokenAnswer, TokenRefusal, TokenRequest, TokenRequestKind, TokenServerMetadata,
    address_with, ask_token_server,
};
use toolcall_schema::wire::{FrameDecoder, decode_frame, encode_frame};
pub use uid_set::UidSet;
use wire::{ACCOUNT_FRAME_MAX, FromAccountWorker, FromAccountWorkerEnvelope};
pub use wire::{
    AccessToken, AccountLogin, AccountPart, AccountProtocol, AccountRequest, KnownCalendar, LookFailure,
    STATEMENT_HEAD, STATEMENT_TAIL, ServerPlace,
};
pub use worker::serve_account;

/// What a worker may use: the largest answer, and what is made of it.
pub const ACCOUNT_LIMITS: ProcessLimits = ProcessLimits {
    memory_mib: 768,
    cpu_s: 30,
};

/// How long one look may take.
pub const LOOK_WITHIN: Duration = Duration::from_secs(90);

/// Connections of one look: some servers close each after one answer.
const CONNECTIONS_MAX: u32 = 512;

/// Bytes of calendars that one look may bring.
pub const LOOK_BYTES_MAX: usize = 32 << 20;

/// Has a worker read an account, on connections that `connect` opens, and hands each part of what it found to `take`; what was handed over
/// counts only when the look ends well. Gives the calendars that there are. Blocks for [`LOOK_WITHIN`] at most, on a thread that must live
/// as long: the kernel ends the process with it.
///
/// # Errors
/// [`LookFailure`]
pub fn read_account(
    program: &WorkerProgram,
    name: &str,
    request: &AccountRequest,
    connect: &mut dyn FnMut() -> Result<TcpStream, LookFailure>,
    take: &mut dyn FnMut(AccountPart),
) -> Result<Vec<String>, LookFailure> {
    let until = Instant::now() + LOOK_WITHIN;
    let worker = AccountWorker::start(program, name)?;
    let mut bytes = 0_usize;
    let ended = worker.converse(request, until, connect, &mut |frame| {
        let FromAccountWorker::Part(part) = frame else {
            return Err(LookFailure::Broken);
        };
        bytes += part.bytes();
        if bytes > LOOK_BYTES_MAX {
            return Err(LookFailure::TooLarge);
        }
        take(part);
        Ok(())
    });
    worker.end(&ended);
    match ended? {
        WorkerEnd::Read(calendars) => Ok(calendars),
        // It was not asked anything else.
        WorkerEnd::Changed(_) | WorkerEnd::Answered(_) => Err(LookFailure::WorkerEnded),
    }
}

/// How a worker ended that did what it was asked.
enum WorkerEnd {
    /// These are the calendars that there are.
    Read(Vec<String>),
    Changed(ChangeOutcome),
    /// What a server said of tokens.
    Answered(TokenAnswer),
}

struct AccountWorker {
    process: ChildProcess,
    stream: UnixStream,
}

impl AccountWorker {
    fn start(program: &WorkerProgram, name: &str) -> Result<Self, LookFailure> {
        Self::spawn(program, name).map_err(|error| {
            tracing::warn!(%error, "the worker of an account could not be started");
            LookFailure::WorkerEnded
        })
    }

    fn spawn(program: &WorkerProgram, name: &str) -> io::Result<Self> {
        // What it would say may be of the server: nobody is told.
        let (mut command, ours) = program.command(&["source", name])?;
        let process = ChildProcess::spawn(&mut command)?;
        drop(command);
        ours.set_write_timeout(Some(LOOK_WITHIN))?;
        Ok(Self {
            process,
            stream: ours,
        })
    }

    /// Ends it; one that ended before its time is told of in the log.
    fn end<T>(mut self, ended: &Result<T, LookFailure>) {
        let status = self.process.end();
        if matches!(ended, Err(LookFailure::WorkerEnded))
            && let Ok(status) = status
        {
            tracing::warn!(
                end = crate::in_words(status),
                "the worker of an account ended before its time"
            );
        }
    }

    /// Asks, opens its connections, and hands what it says before it is done to `take`.
    fn converse(
        &self,
        request: &AccountRequest,
        until: Instant,
        connect: &mut dyn FnMut() -> Result<TcpStream, LookFailure>,
        take: &mut dyn FnMut(FromAccountWorker) -> Result<(), LookFailure>,
    ) -> Result<WorkerEnd, LookFailure> {
        let mut frames = WorkerFrames::begin(&self.stream, request, until)?;
        let mut connections = 0_u32;
        loop {
            match frames.next_frame()? {
                FromAccountWorker::Connect => {
                    connections += 1;
                    if connections > CONNECTIONS_MAX {
                        return Err(LookFailure::Broken);
                    }
                    let connected = connect()?;
                    pass_descriptor(&self.stream, &connected).map_err(of_socket)?;
                }
                frame @ (FromAccountWorker::Part(_) | FromAccountWorker::Changing) => take(frame)?,
                FromAccountWorker::Done { calendars } => return Ok(WorkerEnd::Read(calendars)),
                FromAccountWorker::Changed(outcome) => return Ok(WorkerEnd::Changed(outcome)),
                FromAccountWorker::Token(answer) => return Ok(WorkerEnd::Answered(answer)),
                FromAccountWorker::Failed { failure } => return Err(failure),
                // It is ready already, and was not asked for mail.
                FromAccountWorker::Ready { .. }
                | FromAccountWorker::Mail(_)
                | FromAccountWorker::Looked { .. }
                | FromAccountWorker::Ordered { .. } => return Err(LookFailure::WorkerEnded),
            }
        }
    }
}

/// What a worker says, one frame after the other.
struct WorkerFrames(BlockingFrames<UntilDeadline>);

impl WorkerFrames {
    /// Tells a worker what is asked of it, and hears that it is in its sandbox.
    fn begin(worker: &UnixStream, request: &AccountRequest, until: Instant) -> Result<Self, LookFailure> {
        let bytes = encode_frame(request, ACCOUNT_FRAME_MAX).map_err(|_| LookFailure::TooLarge)?;
        let stream = UntilDeadline {
            stream: worker.try_clone().map_err(of_socket)?,
            until,
        };
        let mut frames = Self(BlockingFrames::new(
            stream,
            FrameDecoder::with_limit(ACCOUNT_FRAME_MAX),
        ));
        frames.0.send(&bytes).map_err(of_socket)?;
        drop(bytes);
        let FromAccountWorker::Ready { sandbox } = frames.next_frame()? else {
            return Err(LookFailure::WorkerEnded);
        };
        tracing::debug!(sandbox, "the worker of an account is in its sandbox");
        Ok(frames)
    }

    fn next_frame(&mut self) -> Result<FromAccountWorker, LookFailure> {
        let frame = self.0.next_frame::<_, FrameFailure>(|body| {
            decode_frame(body, ACCOUNT_FRAME_MAX, |frame: &FromAccountWorkerEnvelope| {
                u64::from(frame.v)
            })
        });
        let frame = frame.map_err(|FrameFailure(failure)| failure)?;
        Ok(frame.ok_or(LookFailure::WorkerEnded)?.frame)
    }
}

/// What an error of the socket to a worker says of it.
fn of_socket(error: io::Error) -> LookFailure {
    FrameFailure::from(error).0
}

/// Why no frame came from a worker.
struct FrameFailure(LookFailure);

impl From<io::Error> for FrameFailure {
    fn from(error: io::Error) -> Self {
        let is_late = matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock);
        Self(if is_late {
            LookFailure::Silent
        } else {
            LookFailure::WorkerEnded
        })
    }
}

impl From<toolcall_schema::wire::WireError> for FrameFailure {
    fn from(error: toolcall_schema::wire::WireError) -> Self {
        tracing::warn!(%error, "the worker of an account said what is no frame");
        Self(LookFailure::WorkerEnded)
    }
}
