//! An account of mail, read by a process that stays.
//!
//! What: [`read_mailbox`], which starts the worker of an account of mail, passes it its one connection, and hands out what it finds until it ends;
//! [`MailOrders`], by which it is told something while it waits. Why: a worker that waits for news hears them at once. Not here: its own side
//! (`imap`), where mail lies (the runtime).

use super::{
    ACCOUNT_FRAME_MAX, AccountRequest, AccountWorker, FrameFailure, FromAccountWorker,
    FromAccountWorkerEnvelope, LOOK_WITHIN, LookFailure, MailOrder, MailPart, OrderOutcome, WorkerProgram,
    of_socket, pass,
};
use crate::source_preview::UntilDeadline;
use std::{
    io::Write as _,
    net::{Shutdown, TcpStream},
    os::unix::net::UnixStream,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use toolcall_schema::wire::{FrameDecoder, decode_frame, encode_frame};

/// Who is told what a worker of mail finds.
pub trait MailboxHost {
    /// A connection to the server, once.
    ///
    /// # Errors
    /// [`LookFailure`]
    fn connect(&mut self) -> Result<TcpStream, LookFailure>;

    /// It can be told something from now on.
    fn begun(&mut self, orders: MailOrders);

    /// A piece of what it found.
    ///
    /// # Errors
    /// [`LookFailure`]: it is to end.
    fn take(&mut self, part: MailPart) -> Result<(), LookFailure>;

    /// A look is done; of one at all folders, their names. `false`: it is to end.
    fn looked(&mut self, folders: Option<Vec<String>>) -> bool;

    /// What became of an order.
    fn ordered(&mut self, number: u64, outcome: OrderOutcome);
}

/// The way to a worker of mail.
#[derive(Clone)]
pub struct MailOrders(Arc<Mutex<UnixStream>>);

impl MailOrders {
    /// Tells it something. It hears it while it waits.
    ///
    /// # Errors
    /// [`LookFailure`]: it has ended, or the order is too large.
    pub fn send(&self, order: MailOrder) -> Result<(), LookFailure> {
        let bytes = order.encode().map_err(|_| LookFailure::TooLarge)?;
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(&bytes).map_err(of_socket)
    }

    /// Ends it.
    pub fn end(&self) {
        let stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have ended before.
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// Has a worker read an account of mail, until it ends, and says how it ended. `None`: the host ended it. On a thread that must live as long: the
/// kernel ends the process with it.
pub fn read_mailbox(
    program: &WorkerProgram,
    name: &str,
    request: &AccountRequest,
    host: &mut impl MailboxHost,
) -> Option<LookFailure> {
    let mut worker = match AccountWorker::start(program, name) {
        Ok(worker) => worker,
        Err(error) => {
            tracing::warn!(%error, "the worker of an account could not be started");
            return Some(LookFailure::WorkerEnded);
        }
    };
    let end = converse(&worker.stream, request, host);
    let status = worker.process.end();
    if end == Err(LookFailure::WorkerEnded)
        && let Ok(status) = status
    {
        tracing::warn!(
            end = crate::in_words(status),
            "the worker of an account ended before its time"
        );
    }
    end.err()
}

fn converse(
    ours: &UnixStream,
    request: &AccountRequest,
    host: &mut impl MailboxHost,
) -> Result<(), LookFailure> {
    let every = request.mail.as_ref().map_or(0, |task| task.every_s);
    let bytes = encode_frame(request, ACCOUNT_FRAME_MAX).map_err(|_| LookFailure::TooLarge)?;
    (&*ours).write_all(&bytes).map_err(of_socket)?;
    drop(bytes);
    let mut stream = UntilDeadline {
        stream: ours.try_clone().map_err(of_socket)?,
        until: Instant::now() + LOOK_WITHIN,
    };
    let mut decoder = FrameDecoder::with_limit(ACCOUNT_FRAME_MAX);
    let mut is_connected = false;
    loop {
        let frame = decoder.read_frame::<_, FrameFailure>(&mut stream, |body| {
            decode_frame(body, ACCOUNT_FRAME_MAX, |frame: &FromAccountWorkerEnvelope| {
                u64::from(frame.v)
            })
        });
        let frame = frame.map_err(|FrameFailure(failure)| failure)?;
        // While it reads it says something all the time.
        let mut within = LOOK_WITHIN;
        match frame.ok_or(LookFailure::WorkerEnded)?.frame {
            FromAccountWorker::Ready { sandbox } => {
                tracing::debug!(sandbox, "the worker of an account is in its sandbox");
            }
            FromAccountWorker::Connect if !is_connected => {
                is_connected = true;
                pass(ours, &host.connect()?).map_err(of_socket)?;
                let orders = ours.try_clone().map_err(of_socket)?;
                host.begun(MailOrders(Arc::new(Mutex::new(orders))));
            }
            FromAccountWorker::Mail(part) => host.take(part)?,
            FromAccountWorker::Looked { folders } => {
                if !host.looked(folders) {
                    return Ok(());
                }
                within += Duration::from_secs(every);
            }
            FromAccountWorker::Ordered { number, outcome } => {
                host.ordered(number, outcome);
                within += Duration::from_secs(every);
            }
            FromAccountWorker::Failed { failure } => return Err(failure),
            FromAccountWorker::Connect
            | FromAccountWorker::Part(_)
            | FromAccountWorker::Done { .. }
            | FromAccountWorker::Changing
            | FromAccountWorker::Changed(_) => {
                return Err(LookFailure::WorkerEnded);
            }
        }
        stream.until = Instant::now() + within;
    }
}
