//! An account of mail, read by a process that stays.
//!
//! What: [`read_mailbox`], which starts the worker of an account of mail, passes it its connections, and hands out what it finds until it ends;
//! [`MailOrders`], by which it is told something while it waits. Why: a worker that waits for news hears them at once. Not here: its own side
//! (`mail_worker`), where mail lies (the runtime).

use super::{
    AccountRequest, AccountWorker, CONNECTIONS_MAX, FromAccountWorker, LOOK_WITHIN, LookFailure, MailOrder,
    MailPart, OrderOutcome, WorkerFrames, WorkerProgram, of_socket, pass_descriptor,
};
use std::{
    io::Write as _,
    net::{Shutdown, TcpStream},
    os::unix::net::UnixStream,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Who is told what a worker of mail finds.
pub trait MailboxHost {
    /// A connection to the server: by IMAP one, by JMAP each time it wants one.
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
    let ended = AccountWorker::start(program, name).and_then(|worker| {
        let ended = converse(&worker.stream, request, host);
        worker.end(&ended);
        ended
    });
    ended.err()
}

fn converse(
    ours: &UnixStream,
    request: &AccountRequest,
    host: &mut impl MailboxHost,
) -> Result<(), LookFailure> {
    let every = request.mail.as_ref().map_or(0, |task| task.every_s);
    let mut frames = WorkerFrames::begin(ours, request, Instant::now() + LOOK_WITHIN)?;
    let (mut connections, mut is_waiting) = (0, false);
    loop {
        match frames.next_frame()? {
            FromAccountWorker::Connect if connections < CONNECTIONS_MAX => {
                pass_descriptor(ours, &host.connect()?).map_err(of_socket)?;
                if connections == 0 {
                    let orders = ours.try_clone().map_err(of_socket)?;
                    host.begun(MailOrders(Arc::new(Mutex::new(orders))));
                }
                connections += 1;
            }
            FromAccountWorker::Mail(part) => {
                is_waiting = false;
                host.take(part)?;
            }
            FromAccountWorker::Looked { folders } => {
                is_waiting = true;
                if !host.looked(folders) {
                    return Ok(());
                }
            }
            FromAccountWorker::Ordered { number, outcome } => {
                is_waiting = true;
                host.ordered(number, outcome);
            }
            FromAccountWorker::Failed { failure } => return Err(failure),
            FromAccountWorker::Ready { .. }
            | FromAccountWorker::Connect
            | FromAccountWorker::Part(_)
            | FromAccountWorker::Done { .. }
            | FromAccountWorker::Token(_)
            | FromAccountWorker::Changing
            | FromAccountWorker::Changed(_) => {
                return Err(LookFailure::WorkerEnded);
            }
        }
        // While it reads it says something all the time.
        let wait = Duration::from_secs(if is_waiting { every } else { 0 });
        frames.0.wait_until(Instant::now() + LOOK_WITHIN + wait);
    }
}
