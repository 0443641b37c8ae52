//! Waiting for another process.
//!
//! What: [`until`], which looks again and again, and [`exit_within`], which is told. Why: where a process prints a line, tells its page or
//! ends, tests wait for that; an answer or a file that just changes sends no signal to whoever asks from outside. Both have a deadline.

use rustix::process::{Pid, Signal, kill_process};
use std::{
    fmt::Display,
    process::{Child, ExitStatus},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(40);

/// Between two looks.
const PACE: Duration = Duration::from_millis(10);

/// Looks until it finds something.
pub(crate) fn until<T>(what: impl Display, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "no {what} within {PATIENCE:?}");
        thread::park_timeout(PACE);
    }
}

/// How a child ended, if it did so by itself within this time; else it is killed.
pub(crate) fn end_or_kill(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let pid = Pid::from_child(child);
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || tell.send(child.wait().unwrap()).unwrap());
        let ended = told.recv_timeout(limit).ok();
        if ended.is_none() {
            // It may have ended just now.
            let _ = kill_process(pid, Signal::KILL);
        }
        ended
    })
}

/// How a child ended; one that goes on past this time fails the test.
pub(crate) fn exit_within(child: &mut Child, limit: Duration) -> ExitStatus {
    let ended = end_or_kill(child, limit);
    ended.unwrap_or_else(|| panic!("it has not ended within {limit:?}"))
}
