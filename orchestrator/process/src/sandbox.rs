//! The sandbox that a child process enters before it touches anything.
//!
//! What: [`enter`] with its four [`SandboxProfile`]s. Why: a mail or a calendar that breaks its parser must find nothing to read, write,
//! call or start. Not here: starting and supervising children, what the kernel enforces of it (`level`), which system calls there
//! are (`filter`), what a child tries (`probe`).

mod filter;
mod level;
pub mod limits;
mod new_code;
pub mod own_network;
pub mod probe;

pub use level::{LandlockLevel, SandboxLevel, UnknownLevel};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, RestrictionStatus, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use level::level_of;
use rustix::{
    process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit},
    thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities},
};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// What a process may do from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxProfile {
    /// An agent of ours: reads its input and speaks over the three descriptors it was started with. Nothing else: no other
    /// file, no writing, no socket, no process, no look into another process.
    Agent {
        /// Folders and files. One that is not there now stays unreadable when it comes: who started the agent starts it anew.
        read_only: Vec<PathBuf>,
    },
    /// What agents' processes are forked from: forks, and may do what they have to do before they enter their own. Opens no file but to read it, and
    /// makes no socket.
    ForkServer,
    /// The worker of an account: reads no file, makes and connects no socket, and may take descriptors that are passed to it over its
    /// standard input. Else as an agent.
    Source,
    /// A program of the owner: reads and executes the system's folders, and has what it is given.
    Program {
        /// Folders and files to read and execute from.
        read_only: Vec<PathBuf>,
        /// Folders and files to read, write and execute; no device can be made in there.
        read_write: Vec<PathBuf>,
        /// Whether it may open sockets.
        network: bool,
        /// Whether memory that it wrote may become code, as Node and others need it.
        new_code: bool,
    },
}

/// A sandbox that is not as it has to be. The process must end.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// It was required, and not all of it is enforced.
    #[error(
        "SANDBOX-001: the sandbox is required, but what is enforced is: {level}; use a kernel with Landlock and seccomp, \
         or start without --require-sandbox"
    )]
    NotWhole {
        /// What is.
        level: SandboxLevel,
    },
    /// It was required, the kernel says that it enforces all of it, and an attempt says otherwise.
    #[error(
        "SANDBOX-001: the sandbox is required, and the kernel says {level}, but it lets a child: {not_held}; do not trust this \
         kernel, and report it"
    )]
    NotHeld {
        /// What the kernel says.
        level: SandboxLevel,
        /// What was not denied.
        not_held: String,
    },
    /// The process has more than one thread: those that run already would stay outside.
    #[error(
        "SANDBOX-002: the process has {threads} threads before its sandbox; enter it first thing in main"
    )]
    Threads {
        /// So many.
        threads: usize,
    },
    /// The environment is not empty.
    #[error("SANDBOX-002: the process was given {variables} environment variables; start it with none")]
    Environment {
        /// So many.
        variables: usize,
    },
    /// The system refused a step.
    #[error("SANDBOX-002: the sandbox could not be entered: failed to {step}")]
    Step {
        step: &'static str,
        #[source]
        source: io::Error,
    },
    /// The kernel gives the process no network of its own.
    #[error(
        "SANDBOX-004: the program cannot be held to the hosts that its manifest names: failed to {step}; allow user namespaces on this \
         computer, or let the program have all of the network or none"
    )]
    OwnNetwork {
        step: &'static str,
        #[source]
        source: io::Error,
    },
    /// The program cannot be started in there.
    #[error(
        "SANDBOX-003: the program {program} could not be started in its sandbox: {}",
        place_for(program)
    )]
    Program {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Where a program must lie that could not be started.
fn place_for(program: &Path) -> &'static str {
    if program.components().count() > 1 {
        "it must lie in a system folder or below a --read"
    } else {
        "it lies neither beside aura nor in /usr/local/bin, /usr/bin or /bin; name it by its path, or build it beside aura (and link aura \
         where you want it in place of copying it)"
    }
}

/// For `map_err`: the step that failed.
fn step<E: Into<io::Error>>(step: &'static str) -> impl FnOnce(E) -> SandboxError {
    move |source| SandboxError::Step {
        step,
        source: source.into(),
    }
}

/// Landlock's rights up to its ABI 10 (Linux 7.2). An older kernel enforces those that it knows.
const NEWEST: ABI = ABI::V10;

/// The system's folders: programs of the owner read and execute there. Those that are not there are passed over.
const SYSTEM: [&str; 8] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt",
];

/// Its devices, to read and write.
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

impl SandboxProfile {
    /// From which ABI on Landlock enforces what the profile promises. An agent's filter of system calls has no way to
    /// truncate, signal or connect, so reading and opening (ABI 1, Linux 5.13) is all that is left to Landlock. A program's
    /// has: it needs `truncate` (ABI 3, Linux 6.2) and signals (ABI 6, Linux 6.12). Sockets are the filter's on every kernel.
    fn needs_abi(&self) -> i32 {
        match self {
            SandboxProfile::Agent { .. } | SandboxProfile::ForkServer | SandboxProfile::Source => 1,
            SandboxProfile::Program { .. } => 6,
        }
    }
}

/// Enters the sandbox: before any thread is started and anything from outside is read, after [`close_inherited`]. There is
/// no way back. An agent and an account's worker must be started with an empty environment.
///
/// # Errors
/// [`SandboxError`]: the process must end. A kernel without Landlock or seccomp is no error: the level says so.
pub fn enter(profile: &SandboxProfile) -> Result<SandboxLevel, SandboxError> {
    alone()?;
    rustix::thread::set_no_new_privs(true).map_err(step("give up new privileges"))?;
    drop_capabilities(profile).map_err(step("give up capabilities"))?;
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none).map_err(step("switch core dumps off"))?;
    match profile {
        SandboxProfile::Agent { .. } | SandboxProfile::ForkServer | SandboxProfile::Source => {
            let variables = env::vars_os().count();
            if variables > 0 {
                return Err(SandboxError::Environment { variables });
            }
            set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(step("become undumpable"))?;
        }
        // Whether a process can be looked into ends with exec, and so does its environment.
        SandboxProfile::Program { .. } => {}
    }
    let status = restrict(profile).map_err(|error| SandboxError::Step {
        step: "restrict files",
        source: io::Error::other(error),
    })?;
    let seccomp = filter::install(profile)?;
    Ok(SandboxLevel {
        landlock: level_of(
            status.landlock,
            status.ruleset != RulesetStatus::NotEnforced,
            profile.needs_abi(),
        ),
        seccomp,
    })
}

/// What root may do beyond an ordinary user, it may not in here: making devices, raising limits, other users' files. With no new
/// privileges it does not come back with exec. An agent of root's keeps reading: the owner's folders may be somebody else's.
fn drop_capabilities(profile: &SandboxProfile) -> rustix::io::Result<()> {
    let kept = match profile {
        SandboxProfile::Agent { .. } | SandboxProfile::ForkServer => {
            capabilities(None)?.effective & CapabilitySet::DAC_READ_SEARCH
        }
        SandboxProfile::Source | SandboxProfile::Program { .. } => CapabilitySet::empty(),
    };
    let sets = CapabilitySets {
        effective: kept,
        permitted: kept,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, sets)
}

/// Landlock holds only for the thread that asks, and for those it starts.
fn alone() -> Result<(), SandboxError> {
    let threads = fs::read_dir("/proc/self/task")
        .map_err(step("list its threads"))?
        .count();
    if threads == 1 {
        Ok(())
    } else {
        Err(SandboxError::Threads { threads })
    }
}

/// Closes every descriptor but the first three: what somebody before us left open. First thing in `main`, when nothing of
/// ours is open yet.
///
/// # Errors
/// They cannot be listed: the process must end.
pub fn close_inherited() -> Result<(), SandboxError> {
    const LIST: &str = "list its descriptors";
    let mut open = Vec::new();
    for entry in fs::read_dir("/proc/self/fd").map_err(step(LIST))? {
        let name = entry.map_err(step(LIST))?.file_name();
        open.extend(name.to_str().and_then(|name| name.parse::<i32>().ok()));
    }
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // The list's own is closed already.
        let _ = nix::unistd::close(descriptor);
    }
    Ok(())
}

fn restrict(profile: &SandboxProfile) -> Result<RestrictionStatus, RulesetError> {
    let read: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
    let all = AccessFs::from_all(NEWEST);
    // In a folder of its own too it makes no device, speaks to none and reaches no socket that somebody else put there.
    let own = all & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev | AccessFs::ResolveUnix);
    // A rule that is not here cannot be added by who is forked: which files may be read is said there.
    let handled = match profile {
        SandboxProfile::ForkServer => all & !read,
        SandboxProfile::Agent { .. } | SandboxProfile::Source | SandboxProfile::Program { .. } => all,
    };
    let rules = Ruleset::default()
        .handle_access(handled)?
        .scope(Scope::from_all(NEWEST))?;
    match profile {
        SandboxProfile::Agent { read_only } => rules
            .handle_access(AccessNet::from_all(NEWEST))?
            .create()?
            .add_rules(path_beneath_rules(read_only, read))?
            .restrict_self(),
        SandboxProfile::ForkServer | SandboxProfile::Source => rules
            .handle_access(AccessNet::from_all(NEWEST))?
            .create()?
            .restrict_self(),
        SandboxProfile::Program {
            read_only,
            read_write,
            network,
            new_code: _,
        } => {
            let rules = if *network {
                rules
            } else {
                rules.handle_access(AccessNet::from_all(NEWEST))?
            };
            rules
                .create()?
                .add_rules(path_beneath_rules(SYSTEM, read | AccessFs::Execute))?
                // Its own entry only: the number stays the same over exec.
                .add_rules(path_beneath_rules(["/proc/self"], read))?
                .add_rules(path_beneath_rules(
                    DEVICES,
                    AccessFs::ReadFile | AccessFs::WriteFile,
                ))?
                .add_rules(path_beneath_rules(read_only, read | AccessFs::Execute))?
                .add_rules(path_beneath_rules(read_write, own))?
                .restrict_self()
        }
    }
}
