//! Waiting for another process.
//!
//! What: [`until`], which looks again and again, less and less often, and [`exit_within`], which is told. Why: where a process prints a line, tells its page or
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

/// Between the first two looks.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// Between two later ones: whoever is looked at needs the processor as well.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The pause after that one: half as long again.
fn pause_after(pause: Duration) -> Duration {
    (pause * 3 / 2).min(LONGEST_PAUSE)
}

/// Looks until it finds something, less often the longer it takes.
pub(crate) fn until<T>(what: impl Display, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "no {what} within {PATIENCE:?}");
        thread::park_timeout(pause);
        pause = pause_after(pause);
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
