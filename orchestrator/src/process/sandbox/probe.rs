//! Trying from inside what must not work.
//!
//! What: [`try_all`] and its [`Report`]. Why: what a kernel says it enforces and what it does enforce are two things; tests
//! and `aura doctor` want the second. Nothing that is tried harms where it is not denied. Not here: entering the sandbox.

use super::Level;
use nix::{
    sys::{
        ptrace,
        uio::{RemoteIoVec, process_vm_readv},
    },
    unistd::Pid,
};
use rustix::process::DumpableBehavior;
use serde::{Deserialize, Serialize};
use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{self, IoSliceMut},
    net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket},
    os::unix::{net::UnixStream, process::CommandExt as _},
    path::{Path, PathBuf},
    process::Command,
    thread,
};

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attempt {
    /// Read a file that is nobody's input.
    ReadOther,
    /// List a folder that is nobody's input.
    ListOther,
    /// Make a file.
    Write,
    /// Write into a file of its input.
    WriteOwn,
    /// Connect to a TCP port of this machine.
    Tcp,
    /// Listen on one.
    Listen,
    /// Open a UDP socket.
    Udp,
    /// Connect to a UNIX socket.
    Unix,
    /// Start a process.
    Fork,
    /// Trace another process of the same owner.
    Ptrace,
    /// Read another process's memory.
    VmRead,
    /// Ask whether another process could be sent a signal.
    Signal,
    /// Be looked into: leave a core dump, be traced by the same owner.
    Dump,
    /// Use a descriptor above the first three.
    Inherited,
    /// Become another program.
    Exec,
    /// Read its own input, on a thread of its own. The only one that must work.
    ReadOwn,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Came {
    /// It was denied.
    Denied,
    /// It worked, or failed for another reason than that it may not be.
    NotDenied,
}

/// What was found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// What the kernel says it enforces.
    pub level: Level,
    /// What was tried, and what came of it.
    pub tried: Vec<(Attempt, Came)>,
}

impl Report {
    /// What should have been denied and was not, or the other way round.
    pub fn surprises(&self) -> Vec<Attempt> {
        let wrong =
            |(attempt, came): &&(Attempt, Came)| (*came == Came::Denied) == (*attempt == Attempt::ReadOwn);
        self.tried
            .iter()
            .filter(wrong)
            .map(|(attempt, _)| *attempt)
            .collect()
    }
}

/// On what it is tried.
#[derive(Debug, Clone)]
pub struct Targets {
    /// The input: the folder that the sandbox was entered with; none: its own reading is not tried.
    pub own: Option<PathBuf>,
    /// A file that exists, outside the input.
    pub other: PathBuf,
    /// Another process of the same owner.
    pub process: i32,
}

/// Tries everything, in the sandbox that this process has entered.
pub fn try_all(level: Level, targets: &Targets) -> Report {
    let nobody = Pid::from_raw(targets.process);
    let mut tried = vec![
        (Attempt::ReadOther, of(File::open(&targets.other))),
        (Attempt::ListOther, of(fs::read_dir("/"))),
        (Attempt::Write, of(File::create(scratch()))),
    ];
    // Where it was not denied.
    let _ = fs::remove_file(scratch());
    if let Some(own) = &targets.own {
        tried.push((Attempt::WriteOwn, of(append(own))));
        tried.push((Attempt::ReadOwn, of(read_on_a_thread(own))));
    }
    let mut byte = [0];
    let mut local = [IoSliceMut::new(&mut byte)];
    // Nothing is there: where it is not denied it fails for that.
    let remote = [RemoteIoVec { base: 8, len: 1 }];
    tried.extend([
        (Attempt::Tcp, of(TcpStream::connect((Ipv4Addr::LOCALHOST, 9)))),
        (Attempt::Listen, of(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))),
        (Attempt::Udp, of(UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)))),
        (Attempt::Unix, of(UnixStream::connect("/nobody-listens-here"))),
        (Attempt::Fork, of(Command::new("/bin/true").status())),
        (
            Attempt::Ptrace,
            of_nix(ptrace::seize(nobody, ptrace::Options::empty())),
        ),
        (
            Attempt::VmRead,
            of_nix(process_vm_readv(nobody, &mut local, &remote)),
        ),
        (Attempt::Signal, of_nix(signal(targets.process))),
        (Attempt::Dump, dump()),
        (Attempt::Inherited, inherited()),
    ]);
    // Last: where it is not denied, nobody is left to say so. Where nothing is enforced it is not tried.
    let exec = if level == Level::NONE {
        Came::NotDenied
    } else {
        of(Err::<(), _>(Command::new("/bin/true").exec()))
    };
    tried.push((Attempt::Exec, exec));
    tried.sort_by_key(|(attempt, _)| *attempt);
    Report { level, tried }
}

fn of<T>(result: io::Result<T>) -> Came {
    match result {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Came::Denied,
        Ok(_) | Err(_) => Came::NotDenied,
    }
}

fn of_nix<T>(result: nix::Result<T>) -> Came {
    of(result.map_err(io::Error::from))
}

fn scratch() -> PathBuf {
    env::temp_dir().join(format!("aura-probe-{}", std::process::id()))
}

/// Opens the first file of a folder for writing; writes nothing.
fn append(own: &Path) -> io::Result<()> {
    OpenOptions::new().append(true).open(first(own)?).map(drop)
}

fn read_on_a_thread(own: &Path) -> io::Result<()> {
    let path = first(own)?;
    let read = thread::Builder::new().spawn(move || fs::read(path).map(drop))?;
    read.join()
        .map_err(|_| io::Error::other("the reading thread panicked"))?
}

fn first(own: &Path) -> io::Result<PathBuf> {
    if own.is_file() {
        return Ok(own.to_owned());
    }
    let entry = fs::read_dir(own)?.next().ok_or(io::ErrorKind::NotFound)??;
    Ok(entry.path())
}

fn signal(process: i32) -> nix::Result<()> {
    let process = rustix::process::Pid::from_raw(process).ok_or(nix::errno::Errno::ESRCH)?;
    rustix::process::test_kill_process(process)
        .map_err(|error| nix::errno::Errno::from_raw(error.raw_os_error()))
}

fn dump() -> Came {
    match rustix::process::dumpable_behavior() {
        Ok(DumpableBehavior::NotDumpable) => Came::Denied,
        Ok(_) | Err(_) => Came::NotDenied,
    }
}

/// Whether any of the descriptors that people leave open is.
fn inherited() -> Came {
    let open = (3..64).any(|descriptor| nix::unistd::close(descriptor).is_ok());
    if open { Came::NotDenied } else { Came::Denied }
}
