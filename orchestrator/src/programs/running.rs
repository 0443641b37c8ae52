//! A program that runs.
//!
//! What: [`Running`], which ends with all that it started when it is dropped; [`Scratch`], the folder that it may write to; and the log
//! of what it says to its owner. Why: nothing of a program outlives its asking. Not here: what it is asked (`once`, `long`).

use crate::process::lines::Lines;
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    fs,
    io::{self, Read},
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    process::{Child, ExitStatus},
    thread,
    time::{Duration, Instant},
};

/// A program that runs. Dropping it ends it and all that it started.
pub(super) struct Running(pub(super) Child);

impl Running {
    /// Waits until it has ended; `None`: it has not by then.
    pub(super) fn ended(&mut self, until: Instant) -> Option<ExitStatus> {
        let mut pause = Duration::from_micros(50);
        loop {
            // Its output is closed, so it has ended or is about to; what it started may hold on.
            if let Ok(Some(status)) = self.0.try_wait() {
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
        i32::try_from(self.0.id()).ok().and_then(Pid::from_raw)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = self.group() {
            // The group also when the program itself has ended: what it started goes with it.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.wait();
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
