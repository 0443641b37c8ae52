//! Trying from inside what must not work.
//!
//! What: every [`Attempt`], what must come of it in which sandbox, and the [`Report`]; [`measure`] has all made. Why: what a kernel says
//! it enforces and what it does enforce are two things; tests, `aura doctor` and a start that requires the sandbox want the second.
//! Nothing that is tried harms where it is not denied. Not here: making them (`attempts`, and beside it the scripts for Python and
//! Node, which make them from other languages), entering the sandbox.

pub mod attempts;

use super::Level;
use serde::{Deserialize, Serialize};
use std::{
    env, fmt, fs, io,
    path::Path,
    process::{Child, Command, Stdio},
};

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attempt {
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
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Attempt::ReadOther => "read another file",
            Attempt::ListOther => "list another folder",
            Attempt::ReadProcess => "read what another process is",
            Attempt::Write => "make a file",
            Attempt::Truncate => "truncate another file",
            Attempt::WriteOwn => "write its own",
            Attempt::ChangeMode => "change a file's mode",
            Attempt::ChangeOwner => "change a file's owner",
            Attempt::ChangeTimes => "change a file's times",
            Attempt::ChangeAttributes => "change a file's attributes",
            Attempt::ChangeOpenMode => "change the mode of its own open file",
            Attempt::SetUserId => "make its own file set-user-id",
            Attempt::MakeDevice => "make a device",
            Attempt::WatchNames => "watch another folder",
            Attempt::Tcp => "connect by TCP",
            Attempt::Listen => "listen by TCP",
            Attempt::Udp => "open a UDP socket",
            Attempt::Unix => "connect to a UNIX socket",
            Attempt::UnixDatagram => "send to a UNIX socket",
            Attempt::PairOfStreams => "a pair of streams",
            Attempt::PairOfDatagrams => "a pair of datagram sockets",
            Attempt::SharedMemory => "System V shared memory",
            Attempt::Messages => "System V messages",
            Attempt::Semaphores => "System V semaphores",
            Attempt::MessageQueue => "a POSIX message queue",
            Attempt::Fork => "start a process",
            Attempt::Ptrace => "trace another process",
            Attempt::VmRead => "read another process's memory",
            Attempt::Signal => "signal another process",
            Attempt::Limits => "change another process's limits",
            Attempt::Affinity => "change another process's processors",
            Attempt::Priority => "change another process's priority",
            Attempt::IoPriority => "change another process's disk priority",
            Attempt::RealTime => "become a real-time process",
            Attempt::LeaveGroup => "leave its process group",
            Attempt::NameSpace => "a name space of its own",
            Attempt::Capabilities => "keep a capability",
            Attempt::Dump => "be dumped",
            Attempt::Inherited => "use an inherited descriptor",
            Attempt::Exec => "become another program",
            Attempt::ReadOwn => "read its own",
        })
    }
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

/// In which sandbox it is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inside {
    /// An agent's.
    Agent,
    /// A program's without the network.
    Program,
    /// A program's with it.
    ProgramWithNetwork,
}

impl Inside {
    /// What must come of an attempt in there.
    pub fn expects(self, attempt: Attempt) -> Came {
        let works = match attempt {
            Attempt::ReadOwn => true,
            Attempt::WriteOwn
            | Attempt::ChangeOpenMode
            | Attempt::PairOfStreams
            | Attempt::Fork
            | Attempt::Dump
            | Attempt::Exec => self != Inside::Agent,
            Attempt::Tcp | Attempt::Listen | Attempt::Udp => self == Inside::ProgramWithNetwork,
            Attempt::ReadOther
            | Attempt::ListOther
            | Attempt::ReadProcess
            | Attempt::Write
            | Attempt::Truncate
            | Attempt::ChangeMode
            | Attempt::ChangeOwner
            | Attempt::ChangeTimes
            | Attempt::ChangeAttributes
            | Attempt::SetUserId
            | Attempt::MakeDevice
            | Attempt::WatchNames
            | Attempt::Unix
            | Attempt::UnixDatagram
            | Attempt::PairOfDatagrams
            | Attempt::SharedMemory
            | Attempt::Messages
            | Attempt::Semaphores
            | Attempt::MessageQueue
            | Attempt::Ptrace
            | Attempt::VmRead
            | Attempt::Signal
            | Attempt::Limits
            | Attempt::Affinity
            | Attempt::Priority
            | Attempt::IoPriority
            | Attempt::RealTime
            | Attempt::LeaveGroup
            | Attempt::NameSpace
            | Attempt::Capabilities
            | Attempt::Inherited => false,
        };
        if works { Came::NotDenied } else { Came::Denied }
    }
}

/// What was found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub inside: Inside,
    /// What the kernel says it enforces.
    pub level: Level,
    /// What was tried, and what came of it.
    pub tried: Vec<(Attempt, Came)>,
}

impl Report {
    /// What should have been denied and was not, or the other way round.
    pub fn surprises(&self) -> Vec<Attempt> {
        let wrong = |(attempt, came): &&(Attempt, Came)| *came != self.inside.expects(*attempt);
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
pub struct Said {
    /// The level, in words.
    pub level: String,
    /// Sorted or not.
    pub tried: Vec<(Attempt, Came)>,
}

/// Who makes the attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
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
pub fn measure(inside: Inside, by: &By) -> io::Result<Report> {
    match inside {
        Inside::Agent => {
            let done = aura()?.args(["worker", "probe", "--json"]).output()?;
            Ok(serde_json::from_slice(&done.stdout)?)
        }
        Inside::Program | Inside::ProgramWithNetwork => in_program(inside, by),
    }
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

fn in_program(inside: Inside, by: &By) -> io::Result<Report> {
    let house = tempfile::tempdir()?;
    let (own, other) = (house.path().join("own"), house.path().join("other"));
    fs::create_dir(&own)?;
    fs::write(own.join("input"), "its own\n")?;
    fs::write(&other, "somebody else's\n")?;
    let sibling = Sibling::start()?;
    let mut command = aura()?;
    command
        .args(["worker", "exec", "--say-level", "--write"])
        .arg(&own);
    if inside == Inside::ProgramWithNetwork {
        command.arg("--network");
    }
    let exe = env::current_exe()?;
    match by {
        By::Aura => command
            .arg("--read")
            .arg(&exe)
            .arg("--")
            .arg(&exe)
            .args(["worker", "attempts"]),
        By::Python => command.args(["--", "python3", "-c", PYTHON]),
        By::Node => command.args(["--", "node", "-e", NODE]),
        By::File(program) => command.arg("--read").arg(program).arg("--").arg(program),
    };
    let done = command
        .arg(&other)
        .arg(&own)
        .arg(sibling.0.id().to_string())
        .output()?;
    let said: Said = serde_json::from_slice(&done.stdout)?;
    let mut tried = said.tried;
    tried.sort_by_key(|(attempt, _)| *attempt);
    Ok(Report {
        inside,
        level: Level::of_words(&said.level),
        tried,
    })
}

/// A process of the same owner that anybody could trace, were it not for the sandbox.
struct Sibling(Child);

impl Sibling {
    fn start() -> io::Result<Self> {
        let sleeps = Command::new("sleep")
            .arg("60")
            .env_clear()
            .stdin(Stdio::null())
            .spawn();
        Ok(Self(sleeps?))
    }
}

impl Drop for Sibling {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether a program of that name is where programs are looked for: otherwise there is nobody to make its attempts.
pub fn is_installed(name: &str) -> bool {
    ["/usr/local/bin", "/usr/bin", "/bin"]
        .iter()
        .any(|folder| Path::new(folder).join(name).is_file())
}
