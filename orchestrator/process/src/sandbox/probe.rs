//! Trying from inside what must not work.
//!
//! What: every [`ProbeAttempt`], what must come of it in which sandbox, and the [`ProbeReport`]; [`measure`] has all made. Why: what a kernel says
//! it enforces and what it does enforce are two things; tests, `aura doctor` and a start that requires the sandbox want the second.
//! Nothing that is tried harms where it is not denied. Not here: making them (`attempts`, and beside it the scripts for Python and
//! Node, which make them from other languages), entering the sandbox.

pub mod attempts;

use super::SandboxLevel;
use crate::ChildProcess;
use serde::{Deserialize, Serialize};
use std::{
    env, fmt, fs, io,
    path::Path,
    process::{Command, Stdio},
};

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeAttempt {
    ReadOther,
    ListOther,
    ReadProcess,
    Write,
    Truncate,
    WriteOwn,
    ChangeMode,
    ChangeOwner,
    ChangeTimes,
    ChangeAttributes,
    ChangeOpenMode,
    SetUserId,
    MakeDevice,
    WatchNames,
    Tcp,
    Listen,
    Udp,
    Unix,
    UnixDatagram,
    PairOfStreams,
    PairOfDatagrams,
    SharedMemory,
    Messages,
    Semaphores,
    MessageQueue,
    Fork,
    Ptrace,
    VmRead,
    Signal,
    Limits,
    Affinity,
    Priority,
    IoPriority,
    RealTime,
    LeaveGroup,
    NameSpace,
    Capabilities,
    Dump,
    Inherited,
    Exec,
    ReadOwn,
    NewCode,
    MemoryBeyond,
    TasksBeyond,
    OpenToOthers,
}

impl fmt::Display for ProbeAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProbeAttempt::ReadOther => "read another file",
            ProbeAttempt::ListOther => "list another folder",
            ProbeAttempt::ReadProcess => "read what another process is",
            ProbeAttempt::Write => "make a file",
            ProbeAttempt::Truncate => "truncate another file",
            ProbeAttempt::WriteOwn => "write its own",
            ProbeAttempt::ChangeMode => "change a file's mode",
            ProbeAttempt::ChangeOwner => "change a file's owner",
            ProbeAttempt::ChangeTimes => "change a file's times",
            ProbeAttempt::ChangeAttributes => "change a file's attributes",
            ProbeAttempt::ChangeOpenMode => "change the mode of its own open file",
            ProbeAttempt::SetUserId => "make its own file set-user-id",
            ProbeAttempt::MakeDevice => "make a device",
            ProbeAttempt::WatchNames => "watch another folder",
            ProbeAttempt::Tcp => "connect by TCP",
            ProbeAttempt::Listen => "listen by TCP",
            ProbeAttempt::Udp => "open a UDP socket",
            ProbeAttempt::Unix => "connect to a UNIX socket",
            ProbeAttempt::UnixDatagram => "send to a UNIX socket",
            ProbeAttempt::PairOfStreams => "a pair of streams",
            ProbeAttempt::PairOfDatagrams => "a pair of datagram sockets",
            ProbeAttempt::SharedMemory => "System V shared memory",
            ProbeAttempt::Messages => "System V messages",
            ProbeAttempt::Semaphores => "System V semaphores",
            ProbeAttempt::MessageQueue => "a POSIX message queue",
            ProbeAttempt::Fork => "start a process",
            ProbeAttempt::Ptrace => "trace another process",
            ProbeAttempt::VmRead => "read another process's memory",
            ProbeAttempt::Signal => "signal another process",
            ProbeAttempt::Limits => "change another process's limits",
            ProbeAttempt::Affinity => "change another process's processors",
            ProbeAttempt::Priority => "change another process's priority",
            ProbeAttempt::IoPriority => "change another process's disk priority",
            ProbeAttempt::RealTime => "become a real-time process",
            ProbeAttempt::LeaveGroup => "leave its process group",
            ProbeAttempt::NameSpace => "a name space of its own",
            ProbeAttempt::Capabilities => "keep a capability",
            ProbeAttempt::Dump => "be dumped",
            ProbeAttempt::Inherited => "use an inherited descriptor",
            ProbeAttempt::Exec => "become another program",
            ProbeAttempt::ReadOwn => "read its own",
            ProbeAttempt::NewCode => "memory that is written and executed",
            ProbeAttempt::MemoryBeyond => "more memory than its bound",
            ProbeAttempt::TasksBeyond => "more tasks than its bound",
            ProbeAttempt::OpenToOthers => "make a file that others may read",
        })
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeOutcome {
    /// It was denied.
    Denied,
    /// It worked, or failed for another reason than that it may not be.
    NotDenied,
}

/// In which sandbox it is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbedSandbox {
    /// An agent's.
    Agent,
    /// That of an account's worker.
    Source,
    /// A program's without the network.
    Program,
    /// A program's with it.
    ProgramWithNetwork,
    /// The model's: a program's without the network and without new code.
    Model,
    /// No sandbox, but the bounds that the service holds itself to. Only these are tried.
    Service,
}

impl ProbedSandbox {
    /// Whether what may be called is a list, so that it starts, writes and becomes nothing.
    pub(super) fn is_closed(self) -> bool {
        matches!(self, ProbedSandbox::Agent | ProbedSandbox::Source)
    }

    /// What must come of an attempt in there.
    pub fn expects(self, attempt: ProbeAttempt) -> ProbeOutcome {
        let works = match attempt {
            // No file is the worker's own.
            ProbeAttempt::ReadOwn => self != ProbedSandbox::Source,
            ProbeAttempt::NewCode | ProbeAttempt::OpenToOthers => {
                matches!(self, ProbedSandbox::Program | ProbedSandbox::ProgramWithNetwork)
            }
            ProbeAttempt::WriteOwn
            | ProbeAttempt::ChangeOpenMode
            | ProbeAttempt::PairOfStreams
            | ProbeAttempt::Fork
            | ProbeAttempt::Dump
            | ProbeAttempt::Exec => !self.is_closed(),
            ProbeAttempt::Tcp | ProbeAttempt::Listen | ProbeAttempt::Udp => {
                self == ProbedSandbox::ProgramWithNetwork
            }
            ProbeAttempt::ReadOther
            | ProbeAttempt::ListOther
            | ProbeAttempt::ReadProcess
            | ProbeAttempt::Write
            | ProbeAttempt::Truncate
            | ProbeAttempt::ChangeMode
            | ProbeAttempt::ChangeOwner
            | ProbeAttempt::ChangeTimes
            | ProbeAttempt::ChangeAttributes
            | ProbeAttempt::SetUserId
            | ProbeAttempt::MakeDevice
            | ProbeAttempt::WatchNames
            | ProbeAttempt::Unix
            | ProbeAttempt::UnixDatagram
            | ProbeAttempt::PairOfDatagrams
            | ProbeAttempt::SharedMemory
            | ProbeAttempt::Messages
            | ProbeAttempt::Semaphores
            | ProbeAttempt::MessageQueue
            | ProbeAttempt::Ptrace
            | ProbeAttempt::VmRead
            | ProbeAttempt::Signal
            | ProbeAttempt::Limits
            | ProbeAttempt::Affinity
            | ProbeAttempt::Priority
            | ProbeAttempt::IoPriority
            | ProbeAttempt::RealTime
            | ProbeAttempt::LeaveGroup
            | ProbeAttempt::NameSpace
            | ProbeAttempt::Capabilities
            | ProbeAttempt::Inherited
            | ProbeAttempt::MemoryBeyond
            | ProbeAttempt::TasksBeyond => false,
        };
        if works {
            ProbeOutcome::NotDenied
        } else {
            ProbeOutcome::Denied
        }
    }
}

/// What was found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeReport {
    pub inside: ProbedSandbox,
    /// What the kernel says it enforces.
    pub level: SandboxLevel,
    /// What was tried, and what came of it.
    pub tried: Vec<(ProbeAttempt, ProbeOutcome)>,
}

impl ProbeReport {
    /// What should have been denied and was not, or the other way round.
    pub fn surprises(&self) -> Vec<ProbeAttempt> {
        let wrong = |(attempt, came): &&(ProbeAttempt, ProbeOutcome)| *came != self.inside.expects(*attempt);
        self.tried
            .iter()
            .filter(wrong)
            .map(|(attempt, _)| *attempt)
            .collect()
    }

    /// Whether the kernel says that it enforces everything, and does.
    pub fn is_whole(&self) -> bool {
        self.level.is_whole() && !self.tried.is_empty() && self.surprises().is_empty()
    }

    /// The surprises in words, at most four of them.
    pub fn surprises_in_words(&self) -> String {
        let surprises = self.surprises();
        let mut words: Vec<String> = surprises.iter().take(4).map(ToString::to_string).collect();
        if surprises.len() > words.len() {
            words.push(format!("{} more", surprises.len() - words.len()));
        }
        words.join(", ")
    }
}

/// What a program that made the attempts prints. A level that cannot be read says that nothing is enforced.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeOutput {
    /// The level, in words.
    pub level: String,
    /// Sorted or not.
    pub tried: Vec<(ProbeAttempt, ProbeOutcome)>,
}

/// Who makes the attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeProgram {
    /// This very program.
    Aura,
    /// Python 3, as the system has it.
    Python,
    /// Node, as the system has it.
    Node,
    /// A program that takes the same arguments and prints the same.
    File(std::path::PathBuf),
}

const PYTHON: &str = include_str!("probe/attempts.py");
const NODE: &str = include_str!("probe/attempts.js");

/// Lets a child of this very program enter a sandbox and try what must not work.
///
/// # Errors
/// When it could not be started, or said nothing that can be read: the sandbox cannot be trusted.
pub fn measure(inside: ProbedSandbox, by: &ProbeProgram) -> io::Result<ProbeReport> {
    match inside {
        ProbedSandbox::Agent => of_child(&["worker", "probe", "--json"]),
        ProbedSandbox::Source => of_child(&["worker", "probe", "--json", "--profile", "source"]),
        ProbedSandbox::Service => of_child(&["worker", "probe", "--json", "--profile", "service"]),
        ProbedSandbox::Program | ProbedSandbox::ProgramWithNetwork | ProbedSandbox::Model => {
            in_program(inside, by)
        }
    }
}

fn of_child(args: &[&str]) -> io::Result<ProbeReport> {
    let done = aura()?.args(args).output()?;
    Ok(serde_json::from_slice(&done.stdout)?)
}

/// This very program with no environment.
fn aura() -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    Ok(command)
}

fn in_program(inside: ProbedSandbox, by: &ProbeProgram) -> io::Result<ProbeReport> {
    let house = tempfile::tempdir()?;
    let (own, other) = (house.path().join("own"), house.path().join("other"));
    fs::create_dir(&own)?;
    fs::write(own.join("input"), "its own\n")?;
    fs::write(&other, "somebody else's\n")?;
    let sibling = start_sibling()?;
    let mut command = aura()?;
    command
        .args(["worker", "exec", "--say-level", "--write"])
        .arg(&own);
    command.args(match inside {
        ProbedSandbox::ProgramWithNetwork => &["--umask", "022", "--network"][..],
        ProbedSandbox::Model => &["--umask", "077", "--no-new-code"],
        ProbedSandbox::Program | ProbedSandbox::Agent | ProbedSandbox::Source | ProbedSandbox::Service => {
            &["--umask", "022"]
        }
    });
    let exe = env::current_exe()?;
    match by {
        ProbeProgram::Aura => command
            .arg("--read")
            .arg(&exe)
            .arg("--")
            .arg(&exe)
            .args(["worker", "attempts"]),
        ProbeProgram::Python => command.args(["--", "python3", "-c", PYTHON]),
        ProbeProgram::Node => command.args(["--", "node", "-e", NODE]),
        ProbeProgram::File(program) => command.arg("--read").arg(program).arg("--").arg(program),
    };
    let done = command
        .arg(&other)
        .arg(&own)
        .arg(sibling.id().to_string())
        .output()?;
    let said: ProbeOutput = serde_json::from_slice(&done.stdout)?;
    let mut tried = said.tried;
    tried.sort_by_key(|(attempt, _)| *attempt);
    Ok(ProbeReport {
        inside,
        level: SandboxLevel::of_words(&said.level),
        tried,
    })
}

/// A process of the same owner that anybody could trace, were it not for the sandbox.
fn start_sibling() -> io::Result<ChildProcess> {
    let mut command = aura()?;
    // It waits for its input.
    command
        .args(["worker", "answer"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    ChildProcess::spawn(&mut command)
}

/// Whether a program of that name is where programs are looked for: otherwise there is nobody to make its attempts.
pub fn is_installed(name: &str) -> bool {
    ["/usr/local/bin", "/usr/bin", "/bin"]
        .iter()
        .any(|folder| Path::new(folder).join(name).is_file())
}
