//! Processes of Aura's own: each agent lives in one.
//!
//! What: a process ([`ChildProcess`]) and the socket to it (`link`, and `blocking_frames` for whoever waits where it asks), the loop that keeps one alive (`supervisor`), and its two configurations: an agent's
//! ([`agent_process`], made by a [`ForkServer`]) and the model's ([`model_supervisor`]); what an agent's process itself does ([`worker`]), a look into a
//! source that is not allowed yet ([`source_preview`]), what reads an account on a server ([`source`]), who connects for one ([`broker`]), freed memory and the mapped program ([`heap`], [`program_text`]), what one may do ([`sandbox`]), and what is known of it ([`AgentStatusRegistry`]). Why: what reads bytes from outside may crash,
//! hang or grow without ending anything else. Not here: frames (`toolcall_schema::wire`), agents (`agents`), how often
//! one is started again (`orchestrator_machine::supervision`).

pub mod agent_process;
mod blocking_frames;
pub mod broker;
mod child_process;
pub mod descriptors;
pub mod fork_server;
pub mod heap;
pub mod lines;
mod link;
pub mod llm;
mod model_session;
pub mod model_supervisor;
pub mod models;
mod poison_list;
mod process_ends;
pub mod program_text;
mod progress;
pub mod public_addresses;
pub mod sandbox;
pub mod source;
mod source_look;
pub mod source_preview;
mod supervisor;
pub mod worker;

pub use agent_process::{AgentLaunch, AgentOrigin};
pub use child_process::{ChildProcess, in_words};
pub use fork_server::ForkServer;
pub use process_ends::{ProcessEnd, ProcessEnds};
pub use progress::cpu_time;
use sandbox::SandboxLevel;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    io,
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::CommandExt as _},
    },
    path::PathBuf,
    process::{Command, Stdio},
};
use tokio::sync::watch;
use toolcall_schema::AgentName;

/// What a process may use. The kernel ends one that uses more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Address space in MiB. An allocation past it aborts the process.
    pub memory_mib: u64,
    /// CPU seconds for one call.
    pub cpu_s: u64,
}

impl ProcessLimits {
    /// Of an agent: an archive of 64 MiB is read and parsed with room to spare.
    pub const AGENT: ProcessLimits = ProcessLimits {
        memory_mib: 1024,
        cpu_s: 30,
    };
}

/// The program that children of this process run: this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerProgram(pub PathBuf);

impl WorkerProgram {
    /// The command that starts `aura worker KIND` as a child of this process, with one end of a socket as its standard input; the other end is
    /// ours. It has nothing of this one's environment, and what it writes goes nowhere, unless that is set. Drop the command once it is
    /// started: until then this process has the far end too, and reading ours does not end with the child.
    ///
    /// # Errors
    /// No socket could be made.
    pub(crate) fn command(&self, kind: &[&str]) -> io::Result<(Command, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        Ok((self.command_on(kind, theirs.into()), ours))
    }

    /// The same with this as its standard input.
    pub(crate) fn command_on(&self, kind: &[&str], stdin: OwnedFd) -> Command {
        let mut command = Command::new(&self.0);
        command
            .arg0("aura")
            .arg("worker")
            .args(kind)
            .args(["--parent", &std::process::id().to_string()])
            .env_clear()
            .stdin(Stdio::from(stdin))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }
}

impl Default for WorkerProgram {
    /// By the kernel's own link: also when the file was replaced since the start, both sides are one build.
    fn default() -> Self {
        Self(PathBuf::from("/proc/self/exe"))
    }
}

/// What is known of an agent's process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AgentProcessReport {
    /// The process; absent while there is none.
    pub pid: Option<u32>,
    /// How often one was started again.
    pub restarts: u64,
    /// Whether it rests after too many failures.
    pub rests: bool,
    /// How the last ones ended.
    #[serde(rename = "last_end")]
    pub ends: ProcessEnds,
    /// What it says of its sandbox.
    pub sandbox: Option<String>,
    /// Ids of calls that it crashed on twice: they are refused.
    pub set_aside: Vec<String>,
    /// Whether it failed and none is ready since.
    #[serde(skip)]
    pub failed: bool,
}

/// The reports of all agents' processes; empty where agents run in this process.
#[derive(Debug, Clone, Default)]
pub struct AgentStatusRegistry(watch::Sender<BTreeMap<AgentName, AgentProcessReport>>);

impl AgentStatusRegistry {
    /// Notes something of one of them.
    pub fn note(&self, agent: AgentName, note: impl FnOnce(&mut AgentProcessReport)) {
        self.0
            .send_modify(|reports| note(reports.entry(agent).or_default()));
    }

    /// As they are now.
    pub fn reports(&self) -> BTreeMap<AgentName, AgentProcessReport> {
        self.0.borrow().clone()
    }

    /// Corrects what the last answers say of who is down: one whose process is ready is not, one whose process failed is. An agent
    /// that runs in this process is as it answered last.
    pub fn correct_down(&self, down: &mut BTreeMap<AgentName, bool>) {
        down.extend(self.failed());
    }

    /// Of each agent with a process, whether it failed and none is ready since.
    pub fn failed(&self) -> BTreeMap<AgentName, bool> {
        let reports = self.0.borrow();
        reports
            .iter()
            .map(|(agent, report)| (*agent, report.failed))
            .collect()
    }

    /// Tells of each change.
    pub fn watch(&self) -> watch::Receiver<BTreeMap<AgentName, AgentProcessReport>> {
        self.0.subscribe()
    }

    /// What is enforced on all of them: the lesser of each part. One that says nothing that can be read has nothing. Nothing, where
    /// agents run in this process.
    pub fn level(&self) -> SandboxLevel {
        let reports = self.reports();
        let said = reports.values().filter_map(|report| report.sandbox.as_deref());
        said.map(SandboxLevel::of_words)
            .reduce(SandboxLevel::and)
            .unwrap_or(SandboxLevel::NONE)
    }
}

/// What a process holds in memory, in KiB; absent where the kernel does not say.
pub fn resident_kib(pid: u32) -> Option<u64> {
    kib(
        &std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?,
        "VmRSS:",
    )
}

/// The figure of a line of the kernel's, by the whole of its name with the colon.
pub fn kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lines_are_read_by_their_whole_name() {
        let text = "Rss:                9000 kB\nPss:                1234 kB\nPss_Dirty:            99 kB\nVmRSS:\t    77 kB\n";
        assert_eq!(kib(text, "Pss:"), Some(1234));
        assert_eq!(kib(text, "VmRSS:"), Some(77));
        assert_eq!(kib(text, "Swap:"), None);
    }

    #[test]
    fn who_is_down_is_known_by_its_process_and_without_one_by_its_last_answer() {
        let registry = AgentStatusRegistry::default();
        let corrected = |answered: &[(AgentName, bool)]| {
            let mut down: BTreeMap<_, _> = answered.iter().map(|(agent, ok)| (*agent, !ok)).collect();
            registry.correct_down(&mut down);
            down
        };
        let (comms, finance) = (AgentName::Comms, AgentName::Finance);
        // In this process: only what it answered is known.
        assert_eq!(corrected(&[(comms, false)]), BTreeMap::from([(comms, true)]));
        // Its process failed while nobody asked it anything.
        registry.note(comms, |report| report.failed = true);
        assert_eq!(corrected(&[]), BTreeMap::from([(comms, true)]));
        assert_eq!(corrected(&[(comms, true)]), BTreeMap::from([(comms, true)]));
        // The next one is ready: the call that ended with the first does not count any more.
        registry.note(comms, |report| report.failed = false);
        assert_eq!(
            corrected(&[(comms, false), (finance, false)]),
            BTreeMap::from([(comms, false), (finance, true)])
        );
    }

    #[test]
    fn an_agent_that_says_nothing_readable_of_its_sandbox_has_none() {
        let whole = "Landlock ABI 7 fully, seccomp";
        for (said, level) in [
            (&[][..], "no Landlock, no seccomp"),
            (&[Some(whole), Some(whole)], whole),
            // One that has not said anything yet does not run yet.
            (&[None, Some(whole)], whole),
            (
                &[Some(whole), Some("Landlock ABI 7 fully")],
                "no Landlock, no seccomp",
            ),
            (&[Some(""), Some(whole)], "no Landlock, no seccomp"),
            (
                &[
                    Some("Landlock ABI 8 fully, no seccomp"),
                    Some("Landlock ABI 2 partly, seccomp"),
                ],
                "Landlock ABI 2 partly, no seccomp",
            ),
        ] {
            let registry = AgentStatusRegistry::default();
            for (agent, said) in AgentName::FOUR.into_iter().zip(said) {
                registry.note(agent, |report| report.sandbox = said.map(str::to_owned));
            }
            assert_eq!(registry.level().to_string(), level, "{said:?}");
        }
    }
}
