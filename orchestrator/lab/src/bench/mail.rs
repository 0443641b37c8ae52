//! Figures of accounts of mail: how long the first look at a large mailbox takes, and what workers need.
//!
//! What: workers as the service starts them, at a real server with invented mails; what they find is counted and dropped. Why: 50,000 heads must not
//! cost minutes or memory, and an account costs something all day. Not here: where mail lies then (the runtime), goals (`cli::mail`).

use super::{BenchError, files};
use crate::dovecot::DovecotServer;
use aura_process::{
    WorkerProgram, kib, resident_kib,
    source::{
        AccountLogin, AccountProtocol, AccountRequest, LookFailure, MailOrders, MailPart, MailboxHost,
        MailboxTask, OrderOutcome, ServerPlace, read_mailbox,
    },
};
use serde::Serialize;
use std::{
    fs::{self, File},
    io,
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::mpsc,
    thread,
    time::{Duration, Instant, SystemTime},
};

/// All mails came within so many days.
const DAYS: u32 = 365;
/// How long a look may take.
const WAIT: Duration = Duration::from_mins(5);
/// Between two readings of the kernel's figures.
const PACE: Duration = Duration::from_millis(20);
const USER: &str = "kim";
const PASSWORD: &str = "invented";

/// What the kernel says of a worker, in KiB.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct WorkerMemory {
    /// Resident, with the pages of the program that it shares with all others.
    pub resident: u64,
    /// Private and written; absent where the kernel does not tell this user.
    pub own: Option<u64>,
}

/// What `aura bench mail` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MailboxFigures {
    pub heads: u64,
    pub texts: u64,
    pub first_look_s: f64,
    /// The most at any time of the first look.
    pub peak: WorkerMemory,
    /// The workers of two accounts while they wait.
    pub waiting: Vec<WorkerMemory>,
}

enum WorkerNews {
    Begun(MailOrders),
    /// A look is done: heads and texts so far.
    Looked(u64, u64),
}

/// Counts what a worker finds.
struct CountingHost {
    at: SocketAddr,
    tell: mpsc::Sender<WorkerNews>,
    heads: u64,
    texts: u64,
}

impl MailboxHost for CountingHost {
    fn connect(&mut self) -> Result<TcpStream, LookFailure> {
        TcpStream::connect(self.at).map_err(|_| LookFailure::Unreachable)
    }

    fn begun(&mut self, orders: MailOrders) {
        // Whoever measures may have gone.
        let _ = self.tell.send(WorkerNews::Begun(orders));
    }

    fn take(&mut self, part: MailPart) -> Result<(), LookFailure> {
        match part {
            MailPart::Mail { .. } => self.texts += 1,
            MailPart::OldHead { .. } => self.heads += 1,
            MailPart::Folder { .. }
            | MailPart::Marks { .. }
            | MailPart::Gone { .. }
            | MailPart::ReadUpTo { .. }
            | MailPart::ReadAll { .. }
            | MailPart::HeadAgain { .. } => {}
        }
        Ok(())
    }

    fn looked(&mut self, _folders: Option<Vec<String>>) -> bool {
        let counted = WorkerNews::Looked(self.heads, self.texts);
        self.tell.send(counted).is_ok()
    }

    fn ordered(&mut self, _number: u64, _outcome: OrderOutcome) {}
}

/// A worker that runs. It ends when it is dropped.
struct MeasuredWorker {
    news: mpsc::Receiver<WorkerNews>,
    orders: MailOrders,
    pid: u32,
    thread: Option<thread::JoinHandle<()>>,
}

impl MeasuredWorker {
    fn start(program: &Path, name: &str, server: &DovecotServer) -> Result<Self, BenchError> {
        let request = request(server).ok_or(BenchError::NoAnswer)?;
        let (tell, news) = mpsc::channel();
        let (program, account) = (WorkerProgram(program.to_owned()), name.to_owned());
        let mut host = CountingHost {
            at: server.tls_address(),
            tell,
            heads: 0,
            texts: 0,
        };
        // The kernel ends the worker with the thread that started it.
        let thread = thread::spawn(move || drop(read_mailbox(&program, &account, &request, &mut host)));
        let Ok(WorkerNews::Begun(orders)) = news.recv_timeout(WAIT) else {
            return Err(BenchError::NoAnswer);
        };
        Ok(Self {
            news,
            orders,
            pid: worker_of(name)?,
            thread: Some(thread),
        })
    }

    /// Waits for the first look, and gives what it found and the most that the worker had of its own.
    fn first_look(&self) -> Result<(u64, u64, Option<u64>), BenchError> {
        let (begun, mut own) = (Instant::now(), None);
        while begun.elapsed() < WAIT {
            own = own.max(own_kib(self.pid));
            match self.news.recv_timeout(PACE) {
                Ok(WorkerNews::Looked(heads, texts)) => return Ok((heads, texts, own)),
                Ok(WorkerNews::Begun(_)) | Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        Err(BenchError::NoAnswer)
    }

    fn memory(&self) -> Result<WorkerMemory, BenchError> {
        Ok(WorkerMemory {
            resident: resident_kib(self.pid).ok_or(BenchError::NoAnswer)?,
            own: own_kib(self.pid),
        })
    }
}

impl Drop for MeasuredWorker {
    fn drop(&mut self) {
        self.orders.end();
        if let Some(thread) = self.thread.take() {
            // It panicked or not: it is over.
            let _ = thread.join();
        }
    }
}

/// Measures, with this program, over so many mails; the workers of two accounts wait for `settle` before they are read.
///
/// # Errors
/// A server or worker that does not start or answer.
pub(crate) fn mail(program: &Path, mails: u64, settle: Duration) -> Result<MailboxFigures, BenchError> {
    let server = DovecotServer::start(USER, PASSWORD, |maildir| invent(maildir, mails))?;
    // Otherwise it lists the mails for the first time, which is none of our work.
    MeasuredWorker::start(program, "warm", &server)?.first_look()?;
    let begun = Instant::now();
    let one = MeasuredWorker::start(program, "one", &server)?;
    let (heads, texts, own) = one.first_look()?;
    let first_look_s = begun.elapsed().as_secs_f64();
    let peak = WorkerMemory {
        resident: peak_kib(one.pid).ok_or(BenchError::NoAnswer)?,
        own,
    };
    let two = MeasuredWorker::start(program, "two", &server)?;
    two.first_look()?;
    thread::sleep(settle);
    Ok(MailboxFigures {
        heads,
        texts,
        first_look_s,
        peak,
        waiting: vec![one.memory()?, two.memory()?],
    })
}

fn request(server: &DovecotServer) -> Option<AccountRequest> {
    let place = ServerPlace::parse_imap(&format!("localhost:{}", server.imaps))?;
    let mut request = AccountRequest::new(AccountProtocol::Imap, place, [String::new(), String::new()]);
    request.pin = Some(server.fingerprint());
    request.login = Some(AccountLogin {
        user: USER.to_owned(),
        password: PASSWORD.to_owned(),
    });
    request.mail = Some(MailboxTask {
        days: DAYS,
        every_s: 900,
        may_be_unsealed: false,
        known: Vec::new(),
        mark: None,
        account: "home".to_owned(),
        wanted: Vec::new(),
    });
    Some(request)
}

/// So many mails that came one after the other in a year, up to now.
fn invent(maildir: &Path, mails: u64) -> io::Result<()> {
    files::maildir(maildir, mails, 1)?;
    let span = Duration::from_secs(u64::from(DAYS - 1) * 24 * 3600);
    let (now, between) = (SystemTime::now(), span.as_secs_f64() / mails.max(1) as f64);
    for (number, file) in fs::read_dir(maildir.join("cur"))?.enumerate() {
        // When a mail came is when its file was changed last.
        let ago = Duration::from_secs_f64(between * number as f64);
        File::open(file?.path())?.set_modified(now - ago)?;
    }
    Ok(())
}

/// The process that reads an account of that name, of those that this one started.
fn worker_of(name: &str) -> Result<u32, BenchError> {
    let wanted = format!("worker\0source\0{name}\0");
    let me = format!("PPid:\t{}\n", std::process::id());
    for entry in fs::read_dir("/proc")?.flatten() {
        let path = entry.path();
        let reads = fs::read_to_string(path.join("cmdline")).is_ok_and(|line| line.contains(&wanted));
        let is_ours = || fs::read_to_string(path.join("status")).is_ok_and(|text| text.contains(&me));
        let id = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some(id) = id.filter(|_| reads && is_ours()) {
            return Ok(id);
        }
    }
    Err(BenchError::NoAnswer)
}

fn peak_kib(pid: u32) -> Option<u64> {
    kib(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "VmHWM:")
}

fn own_kib(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    kib(&text, "Private_Dirty:")
}
