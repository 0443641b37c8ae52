//! The worker of an account: its own side.
//!
//! What: [`serve_account`]. Why: it is started, enters its sandbox with nothing but the socket to who started it, and from then on can reach
//! only what is passed to it. Not here: who starts it (the parent module), what it asks a server (`dav`, `calendar_address`, `simplefin`, `imap`, `jmap`).

use super::{
    caldav_change::make_change,
    calendar_address,
    dav::{self, PartSender},
    dav_content::DavContent,
    home_assistant,
    http::HttpSession,
    imap::ImapMailbox,
    jmap::JmapMailbox,
    mail_worker::{MailSupervisor, serve_mailbox},
    simplefin, tls, token_server,
    wire::{
        ACCOUNT_FRAME_MAX, AccountProtocol, AccountRequest, FromAccountWorker, FromAccountWorkerEnvelope,
        LookFailure,
    },
};
use crate::{
    ProcessLimits,
    descriptors::receive_descriptor,
    sandbox::{self, SandboxProfile},
    worker::{WorkerError, more_cpu},
};
use rustls::ClientConfig;
use std::{
    cell::RefCell,
    io::{self, Write as _},
    net::TcpStream,
    os::unix::net::UnixStream,
    sync::Arc,
};
use toolcall_schema::wire::{FrameDecoder, VERSION, decode_frame, encode_frame};

/// Reads the account that its one frame names, and says what it found.
///
/// # Errors
/// [`WorkerError`]: it ends without an answer.
pub fn serve_account(limits: ProcessLimits, mut stream: UnixStream) -> Result<(), WorkerError> {
    let request = FrameDecoder::with_limit(ACCOUNT_FRAME_MAX)
        .read_frame::<_, WorkerError>(&mut stream, |body| {
            decode_frame(body, ACCOUNT_FRAME_MAX, AccountRequest::version)
        })?;
    let Some(request) = request else { return Ok(()) };
    // What is read and made here cannot be any more in the sandbox: the system's certificates, and what the runtime waits by.
    let tls = tls::client_config(&request);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()?;
    let twin = stream.try_clone()?;
    let sandbox = sandbox::enter(&SandboxProfile::Source)?.to_string();
    more_cpu(limits)?;
    let supervisor = Supervisor(RefCell::new(stream));
    supervisor.tell(FromAccountWorker::Ready { sandbox })?;
    if matches!(request.protocol, AccountProtocol::Imap | AccountProtocol::Jmap) {
        return runtime.block_on(serve_mail(limits, &request, tls, supervisor, twin));
    }
    let mut open = || supervisor.connection();
    let mut send = |part| {
        let told = supervisor.tell(FromAccountWorker::Part(part));
        told.map_err(|_| LookFailure::WorkerEnded)
    };
    let mut parts = PartSender(&mut send);
    let mut changing = || {
        let told = supervisor.tell(FromAccountWorker::Changing);
        told.map_err(|_| LookFailure::WorkerEnded)
    };
    let ended = runtime.block_on(async {
        let mut session = HttpSession::new(&request, tls?, &mut open);
        if let Some(change) = &request.change {
            let made = make_change(change, &mut session, &mut changing).await;
            return made.map(FromAccountWorker::Changed);
        }
        if let Some(asked) = &request.token_request {
            let answer = token_server::ask(&request, asked, &mut session).await;
            return answer.map(FromAccountWorker::Token);
        }
        let read = match request.protocol {
            AccountProtocol::CalendarAddress => {
                calendar_address::read(&request, &mut session, &mut parts).await
            }
            AccountProtocol::CalDav => {
                dav::read(DavContent::Calendars, &request, &mut session, &mut parts).await
            }
            AccountProtocol::CardDav => {
                dav::read(DavContent::AddressBooks, &request, &mut session, &mut parts).await
            }
            AccountProtocol::SimpleFin => simplefin::read(&request, &mut session, &mut parts).await,
            AccountProtocol::HomeAssistant => home_assistant::read(&request, &mut session, &mut parts).await,
            AccountProtocol::SimpleFinClaim => simplefin::claim(&request, &mut session, &mut parts).await,
            // It was begun elsewhere.
            AccountProtocol::Imap | AccountProtocol::Jmap | AccountProtocol::TokenServer => {
                Err(LookFailure::Broken)
            }
        };
        read.map(|calendars| FromAccountWorker::Done { calendars })
    });
    supervisor.tell(ended.unwrap_or_else(|failure| FromAccountWorker::Failed { failure }))
}

/// Reads mail until its connection ends: IMAP over the one that it is given first, JMAP over those that it asks for; `twin`: the supervisor's stream once
/// more.
async fn serve_mail(
    limits: ProcessLimits,
    request: &AccountRequest,
    tls: Result<Option<Arc<ClientConfig>>, LookFailure>,
    supervisor: Supervisor,
    twin: UnixStream,
) -> Result<(), WorkerError> {
    let is_imap = request.protocol == AccountProtocol::Imap;
    let connected = is_imap.then(|| supervisor.connection());
    let mut supervisor = MailSupervisor::new(supervisor.0.into_inner())?;
    let opener = supervisor.opener(twin);
    let mut begin_look = || more_cpu(limits).map_err(|_| LookFailure::WorkerEnded);
    let served = async {
        let task = request.mail.as_ref().ok_or(LookFailure::Broken)?;
        let tls = tls?;
        if let Some(connected) = connected {
            let mut reader = ImapMailbox::open(connected?, request, tls, task).await?;
            return serve_mailbox(task, &mut reader, &mut supervisor, &mut begin_look).await;
        }
        let (mut open, mut open_push) = (|| opener.open(), || opener.open());
        let asked = HttpSession::new(request, tls.clone(), &mut open);
        let told = HttpSession::new(request, tls, &mut open_push);
        let mut reader = JmapMailbox::open(asked, told, &request.place, task).await?;
        serve_mailbox(task, &mut reader, &mut supervisor, &mut begin_look).await
    };
    let Err(failure) = served.await;
    // It may be gone: then nobody waits for it.
    let _ = supervisor.tell(FromAccountWorker::Failed { failure }).await;
    Ok(())
}

/// Who started this process.
struct Supervisor(RefCell<UnixStream>);

impl Supervisor {
    fn tell(&self, frame: FromAccountWorker) -> Result<(), WorkerError> {
        let frame = FromAccountWorkerEnvelope { v: VERSION, frame };
        let bytes = encode_frame(&frame, ACCOUNT_FRAME_MAX)?;
        Ok(self.0.borrow_mut().write_all(&bytes)?)
    }

    /// A connection to the one server that the owner configured. Where there is none, this process is ended.
    fn connection(&self) -> Result<TcpStream, LookFailure> {
        self.tell(FromAccountWorker::Connect)
            .map_err(|_| LookFailure::WorkerEnded)?;
        // Over the standard input: the one from which the sandbox lets it come.
        let passed = receive_descriptor(io::stdin()).map_err(|_| LookFailure::WorkerEnded)?;
        Ok(passed.into())
    }
}
