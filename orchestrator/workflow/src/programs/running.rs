//! A program that runs.
//!
//! What: [`RunningProgram`], which ends with all that it started when it is dropped; [`ProcessGroups`], all that run, to be ended at once; [`ScratchFolder`],
//! the folder that it may write to. Why: nothing of a program outlives its asking. Not here: what it is asked (`oneshot`, `persistent`), why it
//! ended (`ending`), what it may use (`bounds`).

use super::{
    LaunchContext, ProgramAgent,
    bounds::{self, BoundsWatch, ResourceBounds},
    ending::{self, StderrLog},
    network::ProgramNetwork,
};
use aura_process::ChildProcess;
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    collections::HashSet,
    fs, io,
    os::{
        fd::OwnedFd,
        unix::{fs::DirBuilderExt as _, net::UnixStream},
    },
    path::{Path, PathBuf},
    process::{ChildStdin, ExitStatus},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use toolcall_schema::protocol::manifest::ResourceLimits;

/// The programs of a host that run, until the host ends.
#[derive(Clone, Default)]
pub(super) struct ProcessGroups(Arc<GroupsInner>);

#[derive(Default)]
struct GroupsInner {
    state: Mutex<GroupsState>,
    /// Told when the host ends.
    ended: Condvar,
}

#[derive(Default)]
struct GroupsState {
    groups: HashSet<Pid>,
    is_ended: bool,
}

impl ProcessGroups {
    fn state(&self) -> MutexGuard<'_, GroupsState> {
        // Each change is one call: a poisoned set is whole.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all of them for good: none is started any more, and who waits to start one is woken. Who waits for one is told that it ended.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.is_ended = true;
        for group in state.groups.iter().copied() {
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.0.ended.notify_all();
    }

    /// Waits until then, or until the host ends. `true`: it has ended.
    pub(super) fn ended_by(&self, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        let waited = self
            .0
            .ended
            .wait_timeout_while(self.state(), left, |state| !state.is_ended);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.is_ended
    }

    /// Counts one that was started. `false`: the host has ended meanwhile.
    fn add(&self, group: Pid) -> bool {
        let mut state = self.state();
        state.groups.insert(group);
        !state.is_ended
    }
}

/// A program that runs. Dropping it ends it and all that it started.
pub(super) struct RunningProgram {
    pub(super) child: ChildProcess,
    groups: ProcessGroups,
    watch: BoundsWatch,
    limits: ResourceLimits,
    errors: StderrLog,
    /// Its standard input, where that came by another way than its process.
    stdin: Option<ChildStdin>,
    network: Option<ProgramNetwork>,
}

impl RunningProgram {
    /// Starts an agent's program, in a process group of its own.
    pub(super) fn start(agent: &ProgramAgent, place: &LaunchContext<'_>) -> io::Result<Self> {
        let ended = || io::Error::new(io::ErrorKind::Interrupted, "the run has ended");
        if place.groups.state().is_ended {
            return Err(ended());
        }
        let (mut child, supervised) = spawn(agent, place)?;
        let limits = agent.manifest.limits;
        let bounds = ResourceBounds {
            memory_mib: limits.memory_mib,
            disk_mib: limits.disk_mib,
            folder: place.scratch.to_owned(),
        };
        let errors = StderrLog::read(&agent.manifest.name, child.take_stderr());
        let connected =
            supervised.map(|socket| ProgramNetwork::begin(&socket, &agent.manifest, place.record));
        let (network, stdin) = match connected {
            Some(Ok((network, stdin))) => (Some(network), Some(stdin)),
            // It has ended, and its last words say why.
            Some(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => (None, None),
            Some(Err(error)) => return Err(error),
            None => (None, None),
        };
        let running = Self {
            watch: bounds::watch(child.pid(), bounds),
            child,
            groups: place.groups.clone(),
            limits,
            errors,
            stdin,
            network,
        };
        if place.groups.add(running.child.pid()) {
            Ok(running)
        } else {
            // Dropped, and so ended.
            Err(ended())
        }
    }

    /// Why it ended, in one sentence.
    pub(super) fn why(&self, status: Option<ExitStatus>) -> String {
        let mut why = ending::sentence(
            status,
            self.watch.exceeded(),
            self.watch.holds_too_much(),
            &self.errors,
            self.limits,
        );
        if let Some(refused) = self.network.as_ref().and_then(ProgramNetwork::refused) {
            why.push_str("; it was not connected: ");
            why.push_str(&refused);
        }
        why
    }

    /// Its standard input, once.
    pub(super) fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take().or_else(|| self.child.take_stdin())
    }

    /// Waits until it has ended; `None`: it has not by then.
    pub(super) fn ended(&mut self, until: Instant) -> Option<ExitStatus> {
        self.child.wait_until(until)
    }
}

/// Starts its process. One that may reach some hosts is spoken to over a socket at first, and says over it when it is in its network.
fn spawn(agent: &ProgramAgent, place: &LaunchContext<'_>) -> io::Result<(ChildProcess, Option<UnixStream>)> {
    let mut command = agent.command(place);
    if agent.manifest.network.hosts().is_none() {
        return Ok((ChildProcess::spawn(&mut command)?, None));
    }
    let (ours, theirs) = UnixStream::pair()?;
    // The far end is the process's alone from here on: when it ends, reading does.
    let child = ChildProcess::spawn(command.stdin(OwnedFd::from(theirs)))?;
    Ok((child, Some(ours)))
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        let group = self.child.pid();
        self.child.kill();
        self.groups.state().groups.remove(&group);
        let _ = self.child.end();
    }
}

/// A private folder that is removed with all that is in it.
pub(super) struct ScratchFolder(PathBuf);

impl ScratchFolder {
    pub(super) fn new(path: PathBuf) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        match fs::remove_dir_all(&self.0) {
            // Whoever made the folder around it has removed all of it.
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, "a program's folder could not be removed");
            }
            Ok(()) | Err(_) => {}
        }
    }
}
