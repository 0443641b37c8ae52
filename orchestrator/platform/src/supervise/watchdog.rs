//! An arbiter that is blocked.
//!
//! What: a task that beats on the arbiter, and a thread beside it that listens. Why: a handler that blocks or spins stalls
//! everything on its arbiter and no timer on it can say so; past the limit the process ends with code 70 and is rebuilt
//! from its journal. Not here: a hung process of an agent (`process`), a slow disk (its own thread).

use super::end_process;
use std::{
    io,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// How often the arbiter beats and the thread listens.
pub const EVERY: Duration = Duration::from_secs(1);
/// Without a beat for so many of them (2 s) it is said.
pub const LATE: u32 = 2;
/// Without a beat for so many of them (30 s) the process ends.
pub const END: u32 = 30;

/// What a missed beat means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissedBeat {
    /// Nothing yet.
    Fine,
    /// To be said, once a stall.
    Late,
    /// The process ends.
    End,
}

/// What so many missed beats in a row mean. Counted in the listener's own wakings and not by a clock: a process that was
/// stopped or suspended as a whole has missed none.
pub fn judge(missed: u32) -> MissedBeat {
    match missed {
        LATE => MissedBeat::Late,
        END.. => MissedBeat::End,
        _ => MissedBeat::Fine,
    }
}

/// Watches the arbiter that it is called on, for as long as that lives.
///
/// # Errors
/// When the system gives no thread.
pub fn watch(name: &'static str) -> io::Result<()> {
    watch_every(name, EVERY)
}

fn watch_every(name: &'static str, every: Duration) -> io::Result<()> {
    let beats = Arc::new(AtomicU64::new(0));
    let wait = move || thread::sleep(every);
    listen(name, Arc::downgrade(&beats), wait, end_process)?;
    actix::spawn(async move {
        loop {
            beats.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(every).await;
        }
    });
    Ok(())
}

/// The thread: waits, and looks whether there was a beat meanwhile. It ends with the one that beats.
fn listen(
    name: &'static str,
    beats: Weak<AtomicU64>,
    wait: impl Fn() + Send + 'static,
    end: impl Fn() + Send + 'static,
) -> io::Result<()> {
    let listener = move || {
        let (mut heard, mut missed) = (0, 0_u32);
        loop {
            wait();
            let Some(beats) = beats.upgrade() else { return };
            let now = beats.load(Ordering::Relaxed);
            missed = if now == heard { missed.saturating_add(1) } else { 0 };
            heard = now;
            match judge(missed) {
                MissedBeat::Fine => {}
                MissedBeat::Late => tracing::error!(arbiter = name, missed, "an arbiter is blocked"),
                MissedBeat::End => {
                    tracing::error!(arbiter = name, missed, "an arbiter is blocked for too long");
                    end();
                    return;
                }
            }
        }
    };
    thread::Builder::new()
        .name("watchdog".to_owned())
        .spawn(listener)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, process::Command, sync::mpsc};

    #[test]
    fn two_seconds_are_said_once_and_thirty_end_the_process() {
        // 1 s each.
        for (missed, pulse) in [
            (0, MissedBeat::Fine),
            (1, MissedBeat::Fine),
            (2, MissedBeat::Late),
            (3, MissedBeat::Fine),
            (29, MissedBeat::Fine),
            (30, MissedBeat::End),
            (u32::MAX, MissedBeat::End),
        ] {
            assert_eq!(judge(missed), pulse, "{missed}");
        }
    }

    /// The listener's wakings are handed out one by one: the test decides how often it looks.
    #[test]
    fn an_arbiter_without_a_beat_is_given_up_and_one_with_beats_is_not() {
        let beats = Arc::new(AtomicU64::new(0));
        let (wake, woken) = mpsc::sync_channel::<()>(0);
        let (ended, end) = mpsc::channel();
        let waiting = move || {
            // The test is over.
            let _ = woken.recv();
        };
        listen("test", Arc::downgrade(&beats), waiting, move || {
            ended.send(()).unwrap();
        })
        .unwrap();
        for _ in 0..3 * END {
            beats.fetch_add(1, Ordering::Relaxed);
            // Taken by the listener only when it waits again: it has looked at the beat before.
            wake.send(()).unwrap();
        }
        assert_eq!(end.try_recv(), Err(mpsc::TryRecvError::Empty));
        for _ in 0..=END {
            if wake.send(()).is_err() {
                break;
            }
        }
        assert_eq!(end.recv(), Ok(()));
    }

    /// This very test, run by itself in another process, blocks its arbiter there.
    #[test]
    fn a_process_whose_arbiter_is_blocked_ends_with_70() {
        const BLOCKED: &str = "AURA_TEST_BLOCKED";
        if env::var_os(BLOCKED).is_some() {
            actix::System::new().block_on(async {
                // 30 missed beats are 600 ms then.
                watch_every("test", Duration::from_millis(20)).unwrap();
                loop {
                    std::hint::spin_loop();
                }
            });
        }
        let name = "supervise::watchdog::tests::a_process_whose_arbiter_is_blocked_ends_with_70";
        let status = Command::new(env::current_exe().unwrap())
            .args(["--exact", name])
            .env(BLOCKED, "1")
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(70));
    }
}
