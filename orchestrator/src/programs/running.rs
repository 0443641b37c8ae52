//! A program that runs.
//!
//! What: [`Running`], which ends with all that it started when it is dropped; [`Groups`], all that run, to be ended at once; [`Scratch`],
//! the folder that it may write to; and the log of what it says to its owner. Why: nothing of a program outlives its asking. Not here: what it is asked (`once`, `long`).

use crate::process::lines::Lines;
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    collections::BTreeSet,
    fs,
    io::{self, Read},
    os::unix::{fs::DirBuilderExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// The programs of a host that run.
#[derive(Clone, Default)]
pub(super) struct Groups(Arc<Mutex<BTreeSet<i32>>>);

impl Groups {
    fn all(&self) -> MutexGuard<'_, BTreeSet<i32>> {
        // Each change is one call: a poisoned set is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all of them. Who waits for one is told that it ended.
    pub(super) fn end(&self) {
        for group in self.all().iter().copied().filter_map(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// A program that runs. Dropping it ends it and all that it started.
pub(super) struct Running {
    pub(super) child: Child,
    groups: Groups,
}

impl Running {
    /// Starts it, in a process group of its own.
    pub(super) fn start(command: &mut Command, groups: &Groups) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let running = Self {
            child,
            groups: groups.clone(),
        };
        groups.all().extend(running.id());
        Ok(running)
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

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = self.group() {
            // The group also when the program itself has ended: what it started goes with it.
            let _ = kill_process_group(group, Signal::KILL);
        }
        if let Some(id) = self.id() {
            self.groups.all().remove(&id);
        }
        let _ = self.child.wait();
    }
}

/// A private folder that is removed with all that is in it.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new(path: PathBuf) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
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

/// Logs what it says to its owner, in lines of bounded length and number.
pub(super) fn log(name: &str, mut pipe: impl Read) {
    let (mut lines, mut bytes) = (Lines::default(), [0; 4096]);
    while let Ok(count @ 1..) = pipe.read(&mut bytes) {
        for line in lines.push(bytes.get(..count).unwrap_or_default()) {
            tracing::info!(agent = name, ?line, "a program says");
        }
    }
    if let Some(line) = lines.end() {
        tracing::info!(agent = name, ?line, "a program says");
    }
}
