//! A program that runs.
//!
//! What: [`RunningProgram`], which ends with all that it started when it is dropped; [`ProcessGroups`], all that run, to be ended at once; [`ScratchFolder`],
//! the folder that it may write to. Why: nothing of a program outlives its asking. Not here: what it is asked (`once`, `long`), why it
//! ended (`ending`), what it may use (`bounds`).

use super::{
    LaunchContext, ProgramAgent,
    bounds::{self, BoundsWatch, ResourceBounds},
    ending::{self, StderrLog},
};
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::{fs::DirBuilderExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, ExitStatus},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
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
    groups: BTreeSet<i32>,
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
        for group in state.groups.iter().copied().filter_map(Pid::from_raw) {
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
    fn add(&self, group: Option<i32>) -> bool {
        let mut state = self.state();
        state.groups.extend(group);
        !state.is_ended
    }
}

/// A program that runs. Dropping it ends it and all that it started.
pub(super) struct RunningProgram {
    pub(super) child: Child,
    groups: ProcessGroups,
    watch: BoundsWatch,
    limits: ResourceLimits,
    errors: StderrLog,
}

impl RunningProgram {
    /// Starts an agent's program, in a process group of its own.
    pub(super) fn start(agent: &ProgramAgent, place: &LaunchContext<'_>) -> io::Result<Self> {
        let ended = || io::Error::new(io::ErrorKind::Interrupted, "the run has ended");
        if place.groups.state().is_ended {
            return Err(ended());
        }
        let mut child = agent.command(place).process_group(0).spawn()?;
        let limits = agent.manifest.limits;
        let bounds = ResourceBounds {
            memory_mib: limits.memory_mib,
            disk_mib: limits.disk_mib,
            folder: place.scratch.to_owned(),
        };
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let errors = StderrLog::read(&agent.manifest.name, child.stderr.take());
        let running = Self {
            child,
            groups: place.groups.clone(),
            watch: bounds::watch(group, bounds),
            limits,
            errors,
        };
        if place.groups.add(running.id()) {
            Ok(running)
        } else {
            // Dropped, and so ended.
            Err(ended())
        }
    }

    /// Why it ended, in one sentence.
    pub(super) fn why(&self, status: Option<ExitStatus>) -> String {
        ending::sentence(
            status,
            self.watch.exceeded(),
            self.watch.holds_too_much(),
            &self.errors,
            self.limits,
        )
    }

    /// Waits until it has ended; `None`: it has not by then.
    pub(super) fn ended(&mut self, until: Instant) -> Option<ExitStatus> {
        let mut pause = Duration::from_micros(50);
        loop {
            // Its output is closed, so it has ended or is about to; what it started may hold on.
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= until {
                return None;
            }
            thread::park_timeout(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }

    /// Its process group.
    pub(super) fn group(&self) -> Option<Pid> {
        self.id().and_then(Pid::from_raw)
    }

    fn id(&self) -> Option<i32> {
        i32::try_from(self.child.id()).ok()
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        if let Some(group) = self.group() {
            // The group also when the program itself has ended: what it started goes with it.
            let _ = kill_process_group(group, Signal::KILL);
        }
        if let Some(id) = self.id() {
            self.groups.state().groups.remove(&id);
        }
        let _ = self.child.wait();
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
