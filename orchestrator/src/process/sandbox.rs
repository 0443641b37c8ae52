//! The sandbox that a child process enters before it touches anything.
//!
//! What: [`enter`] with its two [`Profile`]s, the [`Level`] that is really enforced then, and [`measure`], which lets a
//! child try. Why: a mail or a calendar that breaks its parser must find nothing to read, write, call or start. Not here:
//! starting and supervising children, which system calls there are (`filter`), what a child tries (`probe`).

mod filter;
pub mod limits;
pub mod probe;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
use serde::{Deserialize, Serialize};
use std::{
    env, fmt, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    str::FromStr,
};

/// What a process may do from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Profile {
    /// An agent of ours: reads its input and speaks over the three descriptors it was started with. Nothing else: no other
    /// file, no writing, no socket, no process, no look into another process.
    Agent {
        /// Folders and files. One that is not there now stays unreadable when it comes: who started the agent starts it anew.
        read_only: Vec<PathBuf>,
    },
    /// A program of the owner: reads and executes the system's folders, and has what it is given.
    Program {
        /// Folders and files to read and execute from.
        read_only: Vec<PathBuf>,
        /// Folders and files to do everything with.
        read_write: Vec<PathBuf>,
        /// Whether it may open sockets.
        network: bool,
    },
}

/// What the kernel really enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// On files.
    pub landlock: Landlock,
    /// On system calls.
    pub seccomp: bool,
}

/// How much of the rules on files is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "enforced", rename_all = "snake_case", deny_unknown_fields)]
pub enum Landlock {
    /// All that the profile promises.
    Fully {
        /// The kernel's version of Landlock.
        abi: i32,
    },
    /// Part of it: the kernel is older than the promise.
    Partly {
        /// The kernel's version of Landlock.
        abi: i32,
    },
    /// Nothing: the kernel has no Landlock, or it is switched off.
    No,
}

impl Landlock {
    /// The kernel's version of Landlock; 0: none.
    pub fn abi(self) -> i32 {
        match self {
            Landlock::Fully { abi } | Landlock::Partly { abi } => abi,
            Landlock::No => 0,
        }
    }
}

impl Level {
    /// Nothing at all: an agent in the service's own process, say.
    pub const NONE: Level = Level {
        landlock: Landlock::No,
        seccomp: false,
    };

    /// Whether all that the profile promises is enforced.
    pub fn is_whole(self) -> bool {
        self.seccomp && matches!(self.landlock, Landlock::Fully { .. })
    }
}

impl FromStr for Level {
    type Err = UnknownLevel;

    /// As [`Level`] is displayed.
    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let (landlock, seccomp) = text.split_once(", ").ok_or(UnknownLevel)?;
        let seccomp = match seccomp {
            "seccomp" => true,
            "no seccomp" => false,
            _ => return Err(UnknownLevel),
        };
        let landlock = match landlock
            .strip_prefix("Landlock ABI ")
            .and_then(|rest| rest.split_once(' '))
        {
            Some((abi, how)) => match (abi.parse(), how) {
                (Ok(abi), "fully") => Landlock::Fully { abi },
                (Ok(abi), "partly") => Landlock::Partly { abi },
                (_, _) => return Err(UnknownLevel),
            },
            None if landlock == "no Landlock" => Landlock::No,
            None => return Err(UnknownLevel),
        };
        Ok(Level { landlock, seccomp })
    }
}

/// A text that says no level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it says no level of a sandbox")]
pub struct UnknownLevel;

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.landlock {
            Landlock::Fully { abi } => write!(f, "Landlock ABI {abi} fully")?,
            Landlock::Partly { abi } => write!(f, "Landlock ABI {abi} partly")?,
            Landlock::No => f.write_str("no Landlock")?,
        }
        f.write_str(if self.seccomp { ", seccomp" } else { ", no seccomp" })
    }
}

/// A sandbox that is not as it has to be. The process must end.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// It was required, and not all of it is enforced.
    #[error(
        "SANDBOX-001 the sandbox is required, but what is enforced is: {level}; use a kernel with Landlock and seccomp, \
         or start without --require-sandbox"
    )]
    NotWhole {
        /// What is.
        level: Level,
    },
    /// The process has more than one thread: those that run already would stay outside.
    #[error("SANDBOX-002 the process has {threads} threads before its sandbox; enter it first thing in main")]
    Threads {
        /// So many.
        threads: usize,
    },
    /// The environment is not empty.
    #[error("SANDBOX-002 the process was given {variables} environment variables; start it with none")]
    Environment {
        /// So many.
        variables: usize,
    },
    /// The system refused a step.
    #[error("SANDBOX-002 the sandbox could not be entered: failed to {step}")]
    Step {
        /// Which.
        step: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The program cannot be started in there.
    #[error(
        "SANDBOX-003 the program {program} could not be started in its sandbox: it must lie in a system folder or below a --read"
    )]
    Program {
        /// Which.
        program: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// For `map_err`: the step that failed.
fn step<E: Into<io::Error>>(step: &'static str) -> impl FnOnce(E) -> SandboxError {
    move |source| SandboxError::Step {
        step,
        source: source.into(),
    }
}

/// Landlock's rights on files up to its ABI 9. An older kernel enforces those that it knows.
const NEWEST: ABI = ABI::V9;

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

impl Profile {
    /// From which ABI on Landlock enforces what the profile promises. An agent's filter of system calls has no way to
    /// truncate, send or connect, so reading and opening (ABI 1) is all that is left to Landlock. A program's filter has:
    /// it needs `truncate` (ABI 3).
    fn needs_abi(&self) -> i32 {
        match self {
            Profile::Agent { .. } => 1,
            Profile::Program { .. } => 3,
        }
    }
}

/// Enters the sandbox: before any thread is started and anything from outside is read, after [`close_inherited`]. There is
/// no way back. An agent must be started with an empty environment.
///
/// # Errors
/// [`SandboxError`]: the process must end. A kernel without Landlock or seccomp is no error: the level says so.
pub fn enter(profile: &Profile) -> Result<Level, SandboxError> {
    alone()?;
    rustix::thread::set_no_new_privs(true).map_err(step("give up new privileges"))?;
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none).map_err(step("switch core dumps off"))?;
    match profile {
        Profile::Agent { .. } => {
            let variables = env::vars_os().count();
            if variables > 0 {
                return Err(SandboxError::Environment { variables });
            }
            set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(step("become undumpable"))?;
        }
        // Whether a process can be looked into ends with exec, and so does its environment.
        Profile::Program { .. } => {}
    }
    let status = restrict(profile).map_err(|error| SandboxError::Step {
        step: "restrict files",
        source: io::Error::other(error),
    })?;
    let seccomp = filter::install(profile)?;
    Ok(Level {
        landlock: level_of(
            status.landlock,
            status.ruleset != RulesetStatus::NotEnforced,
            profile.needs_abi(),
        ),
        seccomp,
    })
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

fn restrict(profile: &Profile) -> Result<RestrictionStatus, RulesetError> {
    let read: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
    let all = AccessFs::from_all(NEWEST);
    let rules = Ruleset::default()
        .handle_access(all)?
        .scope(Scope::from_all(NEWEST))?;
    match profile {
        Profile::Agent { read_only } => rules
            .handle_access(AccessNet::from_all(NEWEST))?
            .create()?
            .add_rules(path_beneath_rules(read_only, read))?
            .restrict_self(),
        Profile::Program {
            read_only,
            read_write,
            network,
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
                .add_rules(path_beneath_rules(read_write, all))?
                .restrict_self()
        }
    }
}

/// `enforced`: whether the kernel took any of the rules.
fn level_of(kernel: LandlockStatus, enforced: bool, needs: i32) -> Landlock {
    match kernel {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } if enforced => {
            let abi = kernel_abi.unwrap_or(effective_abi as i32);
            if abi >= needs {
                Landlock::Fully { abi }
            } else {
                Landlock::Partly { abi }
            }
        }
        LandlockStatus::Available { .. } | LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => {
            Landlock::No
        }
    }
}

/// Lets a child of this very program enter the agents' sandbox and try what must not work.
///
/// # Errors
/// When it could not be started, or said nothing: the sandbox cannot be trusted.
pub fn measure() -> io::Result<probe::Report> {
    let done = Command::new(env::current_exe()?)
        .args(["worker", "probe", "--json"])
        .env_clear()
        .current_dir(Path::new("/"))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    Ok(serde_json::from_slice(&done.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_is_full_when_the_kernel_has_what_the_profile_promises() {
        let of = |abi: i32| LandlockStatus::Available {
            effective_abi: ABI::from(abi.min(9)),
            kernel_abi: (abi > 9).then_some(abi),
        };
        for (landlock, enforced, needs, expected) in [
            (LandlockStatus::NotImplemented, false, 1, Landlock::No),
            (LandlockStatus::NotEnabled, false, 1, Landlock::No),
            (of(2), false, 1, Landlock::No),
            (of(1), true, 1, Landlock::Fully { abi: 1 }),
            (of(2), true, 3, Landlock::Partly { abi: 2 }),
            (of(3), true, 3, Landlock::Fully { abi: 3 }),
            (of(11), true, 3, Landlock::Fully { abi: 11 }),
        ] {
            assert_eq!(
                level_of(landlock, enforced, needs),
                expected,
                "{landlock:?} {needs}"
            );
        }
    }

    #[test]
    fn only_a_level_with_both_parts_is_whole_and_each_says_what_it_lacks() {
        let (fully, partly) = (Landlock::Fully { abi: 7 }, Landlock::Partly { abi: 2 });
        for (landlock, seccomp, whole, text) in [
            (fully, true, true, "Landlock ABI 7 fully, seccomp"),
            (partly, true, false, "Landlock ABI 2 partly, seccomp"),
            (fully, false, false, "Landlock ABI 7 fully, no seccomp"),
            (Landlock::No, false, false, "no Landlock, no seccomp"),
        ] {
            let level = Level { landlock, seccomp };
            assert_eq!((level.is_whole(), level.to_string().as_str()), (whole, text));
            assert_eq!(text.parse(), Ok(level));
        }
        for strange in [
            "",
            "none",
            "no Landlock",
            "Landlock ABI x fully, seccomp",
            "no Landlock, perhaps",
        ] {
            assert_eq!(strange.parse::<Level>(), Err(UnknownLevel), "{strange}");
        }
    }
}
