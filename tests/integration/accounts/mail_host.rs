//! The worker of an account of mail, as a test starts it.
//!
//! What: [`ReadMailbox`], which starts it on a thread of its own and gives what it finds one after the other. Why: claims about what passes to the service
//! are made without one. Not here: any claim.

use crate::support::wait::PATIENCE;
use aura_process::{
    WorkerProgram,
    source::{
        AccountLogin, AccountProtocol, AccountRequest, LookFailure, MailOrder, MailOrders, MailPart,
        MailboxHost, MailboxTask, OrderOutcome, ServerPlace, read_mailbox,
    },
};
use std::{
    net::{SocketAddr, TcpStream},
    sync::mpsc::{self, Receiver, Sender},
    thread::{self, JoinHandle},
};

/// What is asked, of a server that is called so.
pub(super) fn mail_request(address: &str) -> AccountRequest {
    let mut request = AccountRequest::new(
        AccountProtocol::Imap,
        ServerPlace::parse_imap(address).unwrap(),
        [String::new(), String::new()],
    );
    request.login = Some(AccountLogin {
        user: "kim".to_owned(),
        password: super::PASSWORD.to_owned(),
    });
    request.mail = Some(MailboxTask {
        days: 30,
        every_s: 900,
        may_be_unsealed: false,
        known: Vec::new(),
        mark: None,
        account: "home".to_owned(),
        wanted: Vec::new(),
    });
    request
}

/// The number and the text of a mail that passes with its text.
pub(super) fn mail_of(part: &MailPart) -> Option<(u32, String)> {
    match part {
        MailPart::Mail { uid, bytes, .. } => Some((*uid, String::from_utf8(bytes.0.clone()).unwrap())),
        MailPart::Folder { .. }
        | MailPart::OldHead { .. }
        | MailPart::Marks { .. }
        | MailPart::Gone { .. }
        | MailPart::ReadUpTo { .. }
        | MailPart::ReadAll { .. }
        | MailPart::HeadAgain { .. } => None,
    }
}

enum Heard {
    Begun(MailOrders),
    Part(MailPart),
    Looked(Option<Vec<String>>),
    Ordered(u64, OrderOutcome),
}

struct TellingHost {
    at: SocketAddr,
    tell: Sender<Heard>,
}

impl MailboxHost for TellingHost {
    fn connect(&mut self) -> Result<TcpStream, LookFailure> {
        TcpStream::connect(self.at).map_err(|_| LookFailure::Unreachable)
    }

    fn begun(&mut self, orders: MailOrders) {
        let _ = self.tell.send(Heard::Begun(orders));
    }

    fn take(&mut self, part: MailPart) -> Result<(), LookFailure> {
        let told = self.tell.send(Heard::Part(part));
        told.map_err(|_| LookFailure::WorkerEnded)
    }

    fn looked(&mut self, folders: Option<Vec<String>>) -> bool {
        self.tell.send(Heard::Looked(folders)).is_ok()
    }

    fn ordered(&mut self, number: u64, outcome: OrderOutcome) {
        let _ = self.tell.send(Heard::Ordered(number, outcome));
    }
}

/// A worker that runs. It ends when it is dropped.
pub(super) struct ReadMailbox {
    heard: Receiver<Heard>,
    orders: Option<MailOrders>,
    thread: Option<JoinHandle<Option<LookFailure>>>,
}

impl ReadMailbox {
    pub(super) fn start(request: AccountRequest, at: SocketAddr) -> Self {
        let (tell, heard) = mpsc::channel();
        let thread = thread::spawn(move || {
            let program = WorkerProgram(env!("CARGO_BIN_EXE_aura").into());
            read_mailbox(&program, "stand-in", &request, &mut TellingHost { at, tell })
        });
        Self {
            heard,
            orders: None,
            thread: Some(thread),
        }
    }

    fn next(&mut self) -> Option<Heard> {
        let heard = self.heard.recv_timeout(PATIENCE);
        assert_ne!(heard.as_ref().err(), Some(&mpsc::RecvTimeoutError::Timeout));
        heard.ok()
    }

    /// What a look finds, and the folders that there are, where all were looked at.
    pub(super) fn look(&mut self) -> (Vec<MailPart>, Option<Vec<String>>) {
        let mut parts = Vec::new();
        while let Some(heard) = self.next() {
            match heard {
                Heard::Begun(orders) => self.orders = Some(orders),
                Heard::Part(part) => parts.push(part),
                Heard::Looked(folders) => return (parts, folders),
                // Before the first look.
                Heard::Ordered(0, OrderOutcome::FetchedAgain) => {}
                Heard::Ordered(number, outcome) => panic!("{number} {outcome:?}"),
            }
        }
        panic!("it ended: {:?}", self.end());
    }

    /// Looks until what is wanted is found: a server may tell of one thing in pieces.
    pub(super) fn until<T>(&mut self, mut find: impl FnMut(&[MailPart]) -> Option<T>) -> T {
        loop {
            let (parts, _) = self.look();
            if let Some(found) = find(&parts) {
                return found;
            }
        }
    }

    fn send(&self, order: MailOrder) {
        self.orders.as_ref().unwrap().send(order).unwrap();
    }

    /// What becomes of an order.
    pub(super) fn ordered(&mut self, order: MailOrder) -> OrderOutcome {
        self.send(order);
        loop {
            match self.next().unwrap() {
                Heard::Ordered(_, outcome) => return outcome,
                Heard::Begun(_) | Heard::Part(_) | Heard::Looked(_) => {}
            }
        }
    }

    /// What was found until it ended, and how it ended.
    pub(super) fn end(&mut self) -> (Vec<MailPart>, Option<LookFailure>) {
        let mut parts = Vec::new();
        while let Some(heard) = self.next() {
            if let Heard::Part(part) = heard {
                parts.push(part);
            }
        }
        (parts, self.thread.take().unwrap().join().unwrap())
    }
}

impl Drop for ReadMailbox {
    fn drop(&mut self) {
        if let Some(orders) = self.orders.take() {
            orders.end();
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
