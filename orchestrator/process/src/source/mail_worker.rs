//! A worker that stays with an account of mail: its own side, whatever the server speaks.
//!
//! What: [`serve_mailbox`], which has a [`MailServerSession`] look and wait, and carries out orders meanwhile; [`MailSupervisor`], who is told what is found, and
//! [`ConnectionOpener`], which asks them for connections. Why: what a worker of mail is for does not depend on how its server is spoken to. Not here: speaking to it
//! (`imap`, `jmap`), where what was found lies (the runtime).

use super::{
    mail_wire::{MailOrder, MailPart, MailboxTask, OrderOutcome, WantedMails},
    wire::{ACCOUNT_FRAME_MAX, FromAccountWorker, FromAccountWorkerEnvelope, LookFailure},
};
use crate::descriptors::receive_descriptor_after;
use std::{
    cell::RefCell,
    convert::Infallible,
    io::{self, Write as _},
    net::TcpStream,
    os::unix::net::UnixStream as BlockingStream,
    rc::Rc,
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    time::Instant,
};
use toolcall_schema::{
    catalogue::comms::WAITING_DAYS,
    wire::{FrameDecoder, VERSION, WireError, encode_frame},
};

/// Days of mail whose text is fetched: so long somebody waits for an answer, and dates of servers have no hours.
pub(super) const TEXT_DAYS: u32 = WAITING_DAYS + 1;
/// Between two looks at all folders, at most: servers end a connection that is silent for 29 minutes.
const EVERY_MAX: Duration = Duration::from_mins(28);
/// Between two looks that the server calls for, at least.
const BETWEEN: Duration = Duration::from_secs(1);

/// Hands over what is found, to whoever started this process.
pub(super) trait TakeParts {
    async fn take(&mut self, part: MailPart) -> Result<(), LookFailure>;
}

/// A server of mail, as one that speaks to it sees it. What fails ends the worker.
pub(super) trait MailServerSession {
    /// Looks at all folders, and gives the names of those that there are.
    async fn look_at_all(&mut self, parts: &mut MailSupervisor) -> Result<Vec<String>, LookFailure>;

    /// Looks at what the server told of.
    async fn look_at_news(&mut self, parts: &mut MailSupervisor) -> Result<(), LookFailure>;

    /// Hands over who wrote mails that were read before, as far as they are still there. What they are read by now is for whoever asked to know.
    async fn fetch_again(
        &mut self,
        wanted: &[WantedMails],
        parts: &mut MailSupervisor,
    ) -> Result<(), LookFailure>;

    /// Waits for news, an order or the clock. News that come sooner than `soonest` wait for it.
    async fn wait(
        &mut self,
        supervisor: &mut MailSupervisor,
        until: Instant,
        soonest: Instant,
    ) -> Result<MailboxWake, LookFailure>;

    /// Puts a message into the folder of drafts, unless one of that id lies there. A failure says that it is not known whether it does.
    async fn put_draft(
        &mut self,
        message_id: &str,
        answers: Option<&str>,
        message: &[u8],
    ) -> Result<OrderOutcome, LookFailure>;

    /// Puts another text in the place of a draft of that id and version.
    async fn replace_draft(
        &mut self,
        message_id: &str,
        version: &str,
        message: &[u8],
    ) -> Result<OrderOutcome, LookFailure>;

    /// Takes the message of that id out of the folder of drafts; of a version that one alone.
    async fn remove_draft(
        &mut self,
        message_id: &str,
        version: Option<&str>,
    ) -> Result<OrderOutcome, LookFailure>;
}

/// Why a reader waits no more.
pub(super) enum MailboxWake {
    Clock,
    Server,
    Order(MailOrder),
}

enum NextLook {
    All,
    News,
}

/// Bytes of orders that were read on the way to a connection.
type EarlyBytes = Rc<RefCell<Vec<u8>>>;

/// Who started this process.
pub(super) struct MailSupervisor {
    stream: UnixStream,
    decoder: FrameDecoder,
    early: EarlyBytes,
}

fn frame_bytes(frame: FromAccountWorker) -> Result<Vec<u8>, WireError> {
    encode_frame(
        &FromAccountWorkerEnvelope { v: VERSION, frame },
        ACCOUNT_FRAME_MAX,
    )
}

impl MailSupervisor {
    pub(super) fn new(stream: BlockingStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream: UnixStream::from_std(stream)?,
            decoder: FrameDecoder::with_limit(ACCOUNT_FRAME_MAX),
            early: EarlyBytes::default(),
        })
    }

    /// What asks for connections while this one hears orders; `twin`: the same stream once more.
    pub(super) fn opener(&self, twin: BlockingStream) -> ConnectionOpener {
        ConnectionOpener {
            stream: twin,
            early: Rc::clone(&self.early),
        }
    }

    /// Tells it something.
    ///
    /// # Errors
    /// [`LookFailure::WorkerEnded`]: it is gone.
    pub(super) async fn tell(&mut self, frame: FromAccountWorker) -> Result<(), LookFailure> {
        let bytes = frame_bytes(frame).map_err(|_| LookFailure::AnswerTooLarge)?;
        let told = self.stream.write_all(&bytes).await;
        told.map_err(|_| LookFailure::WorkerEnded)
    }

    /// The next order, however long it takes. Nothing is lost where the waiting is broken off.
    ///
    /// # Errors
    /// [`LookFailure::WorkerEnded`]
    pub(super) async fn next_order(&mut self) -> Result<MailOrder, LookFailure> {
        loop {
            let early = self.early.take();
            self.decoder.push(&early);
            let body = self.decoder.next_body().map_err(|_| LookFailure::WorkerEnded)?;
            if let Some(body) = body {
                return MailOrder::decode(body).map_err(|_| LookFailure::WorkerEnded);
            }
            let mut buffer = [0; 4096];
            match self.stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return Err(LookFailure::WorkerEnded),
                Ok(count) => self.decoder.push(buffer.get(..count).unwrap_or_default()),
            }
        }
    }
}

impl TakeParts for MailSupervisor {
    async fn take(&mut self, part: MailPart) -> Result<(), LookFailure> {
        self.tell(FromAccountWorker::Mail(part)).await
    }
}

/// Asks who started this process for connections to the one server that the owner configured.
pub(super) struct ConnectionOpener {
    stream: BlockingStream,
    early: EarlyBytes,
}

impl ConnectionOpener {
    /// A connection. Nothing else is done meanwhile; where there is none, this process is ended.
    ///
    /// # Errors
    /// [`LookFailure::WorkerEnded`]
    pub(super) fn open(&self) -> Result<TcpStream, LookFailure> {
        let opened = self.ask_for_one();
        opened.map_err(|_| LookFailure::WorkerEnded)
    }

    fn ask_for_one(&self) -> io::Result<TcpStream> {
        let bytes = frame_bytes(FromAccountWorker::Connect).map_err(io::Error::other)?;
        self.stream.set_nonblocking(false)?;
        (&self.stream).write_all(&bytes)?;
        // Over the standard input: the one from which the sandbox lets it come.
        let passed = receive_descriptor_after(io::stdin(), &mut self.early.borrow_mut())?;
        self.stream.set_nonblocking(true)?;
        Ok(passed.into())
    }
}

/// Reads mail until the connection, or who started this process, ends. `begin_look` is called before each look.
///
/// # Errors
/// [`LookFailure`], always: how it ended.
pub(super) async fn serve_mailbox(
    task: &MailboxTask,
    reader: &mut impl MailServerSession,
    supervisor: &mut MailSupervisor,
    begin_look: &mut dyn FnMut() -> Result<(), LookFailure>,
) -> Result<Infallible, LookFailure> {
    if !task.wanted.is_empty() {
        begin_look()?;
        reader.fetch_again(&task.wanted, supervisor).await?;
        tell_outcome(supervisor, 0, Ok(OrderOutcome::FetchedAgain)).await?;
    }
    let every = Duration::from_secs(task.every_s.max(1)).min(EVERY_MAX);
    let mut next = NextLook::All;
    let mut all_at = Instant::now() + every;
    loop {
        begin_look()?;
        let begun = Instant::now();
        let folders = match next {
            NextLook::All => {
                all_at = begun + every;
                Some(reader.look_at_all(supervisor).await?)
            }
            NextLook::News => {
                reader.look_at_news(supervisor).await?;
                None
            }
        };
        supervisor.tell(FromAccountWorker::Looked { folders }).await?;
        next = loop {
            match reader.wait(supervisor, all_at, begun + BETWEEN).await? {
                MailboxWake::Clock | MailboxWake::Order(MailOrder::Look) => break NextLook::All,
                MailboxWake::Server => break NextLook::News,
                MailboxWake::Order(MailOrder::PutDraft {
                    number,
                    message_id,
                    answers,
                    message,
                }) => {
                    let answers = answers.as_deref();
                    let outcome = reader.put_draft(&message_id, answers, &message.0).await;
                    tell_outcome(supervisor, number, outcome).await?;
                }
                MailboxWake::Order(MailOrder::FetchAgain { number, wanted }) => {
                    let fetched = reader.fetch_again(&wanted, supervisor).await;
                    let outcome = fetched.map(|()| OrderOutcome::FetchedAgain);
                    tell_outcome(supervisor, number, outcome).await?;
                }
                MailboxWake::Order(MailOrder::ReplaceDraft {
                    number,
                    message_id,
                    version,
                    message,
                }) => {
                    let outcome = reader.replace_draft(&message_id, &version, &message.0).await;
                    tell_outcome(supervisor, number, outcome).await?;
                }
                MailboxWake::Order(MailOrder::RemoveDraft {
                    number,
                    message_id,
                    version,
                }) => {
                    let outcome = reader.remove_draft(&message_id, version.as_deref()).await;
                    tell_outcome(supervisor, number, outcome).await?;
                }
            }
        };
    }
}

/// Tells what became of an order. After a connection that ended in it, this process ends as well.
async fn tell_outcome(
    supervisor: &mut MailSupervisor,
    number: u64,
    outcome: Result<OrderOutcome, LookFailure>,
) -> Result<(), LookFailure> {
    let (outcome, failure) = match outcome {
        Ok(outcome) => (outcome, None),
        Err(failure) => {
            let failed = failure.clone();
            (OrderOutcome::Unknown { failure: failed }, Some(failure))
        }
    };
    supervisor
        .tell(FromAccountWorker::Ordered { number, outcome })
        .await?;
    failure.map_or(Ok(()), Err)
}
