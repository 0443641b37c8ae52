//! An arbiter that is blocked.
//!
//! What: [`watched_system`], a system whose arbiter's thread says when it goes to sleep and when it wakes ([`ArbiterPulse`]), and a thread
//! beside it that looks while it is awake. Why: a handler that blocks or spins stalls everything on its arbiter and no timer on it can say
//! so; past the limit the process ends with code 70 and is rebuilt from its journal. While the arbiter sleeps nobody wakes to look. Not
//! here: a hung process of an agent (`process`), a slow disk (its own thread).

use super::end_process;
use crate::kernel_timer::KernelTimer;
use actix::{ArbiterHandle, System, SystemRunner};
use std::{
    io,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// How often the thread looks at an arbiter that is awake.
pub const EVERY: Duration = Duration::from_secs(1);
/// Blocked at so many looks in a row (2 s) it is said.
pub const LATE: u32 = 2;
/// Blocked at so many looks in a row (30 s) the process ends.
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

/// What an arbiter's thread says of itself.
#[derive(Debug)]
pub struct ArbiterPulse {
    /// Grows by one whenever the thread goes to sleep or wakes: even while it sleeps.
    turns: AtomicU64,
    /// The timer runs. Before anybody watches it counts as running, so that it is not started.
    is_timed: AtomicBool,
    /// The arbiter has ended. This lives on as long as a waker of it is kept anywhere, e.g. in a channel on which it waited last.
    is_over: AtomicBool,
    timer: Arc<KernelTimer>,
    every: Duration,
}

impl ArbiterPulse {
    fn new(every: Duration) -> io::Result<Self> {
        Ok(Self {
            turns: AtomicU64::new(1),
            is_timed: AtomicBool::new(true),
            is_over: AtomicBool::new(false),
            timer: Arc::new(KernelTimer::unset()?),
            every,
        })
    }

    fn sleeps(&self) {
        self.turns.fetch_add(1, Ordering::SeqCst);
    }

    fn wakes(&self) {
        self.turns.fetch_add(1, Ordering::SeqCst);
        self.start_timer();
    }

    fn start_timer(&self) {
        if !self.is_timed.load(Ordering::SeqCst) && !self.is_timed.swap(true, Ordering::SeqCst) {
            self.set_timer();
        }
    }

    fn set_timer(&self) {
        if let Err(error) = self.timer.start(self.every) {
            tracing::error!(%error, "an arbiter is not watched");
        }
    }

    /// No look before the arbiter wakes again.
    fn rest(&self) {
        if let Err(error) = self.timer.stop() {
            tracing::error!(%error, "an arbiter is watched while it sleeps");
        }
        self.is_timed.store(false, Ordering::SeqCst);
        // It may have woken before that line.
        if !is_asleep(self.turns()) {
            self.start_timer();
        }
    }

    fn turns(&self) -> u64 {
        self.turns.load(Ordering::SeqCst)
    }

    /// The arbiter has ended: nobody watches it any more.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        // The listener sees it then.
        self.set_timer();
    }

    /// Watches the arbiter that it is called on, until [`Self::end`] or for as long as that lives.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn watch(self: &Arc<Self>, name: &'static str) -> io::Result<()> {
        let (arbiter, timer) = (System::current().arbiter().clone(), Arc::clone(&self.timer));
        self.set_timer();
        listen(
            name,
            Arc::downgrade(self),
            move || timer.wait(),
            move |pulse| ask(&arbiter, pulse),
            end_process,
        )
    }
}

impl Drop for ArbiterPulse {
    fn drop(&mut self) {
        // The listener finds that there is nothing to listen to any more.
        self.set_timer();
    }
}

fn is_asleep(turns: u64) -> bool {
    turns.is_multiple_of(2)
}

/// Has an arbiter say that it is there: one that always has something to do never sleeps, and is not blocked.
fn ask(arbiter: &ArbiterHandle, pulse: &Arc<ArbiterPulse>) {
    let pulse = Arc::downgrade(pulse);
    // Not taken: the arbiter ends.
    let _ = arbiter.spawn_fn(move || {
        if let Some(pulse) = pulse.upgrade() {
            pulse.turns.fetch_add(2, Ordering::SeqCst);
        }
    });
}

/// A system whose first arbiter can be watched.
///
/// # Errors
/// The system gives no descriptors for it.
pub fn watched_system() -> io::Result<(SystemRunner, Arc<ArbiterPulse>)> {
    watched_system_every(EVERY)
}

fn watched_system_every(every: Duration) -> io::Result<(SystemRunner, Arc<ArbiterPulse>)> {
    let pulse = Arc::new(ArbiterPulse::new(every)?);
    let (sleeps, wakes) = (Arc::clone(&pulse), Arc::clone(&pulse));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_park(move || sleeps.sleeps())
        .on_thread_unpark(move || wakes.wakes())
        .build()?;
    Ok((System::with_tokio_rt(|| runtime), pulse))
}

/// The thread: waits, and looks whether the arbiter slept or did anything meanwhile. It ends with the arbiter.
fn listen(
    name: &'static str,
    pulse: Weak<ArbiterPulse>,
    wait: impl Fn() -> io::Result<()> + Send + 'static,
    ask: impl Fn(&Arc<ArbiterPulse>) + Send + 'static,
    end: impl Fn() + Send + 'static,
) -> io::Result<()> {
    let listener = move || {
        let (mut heard, mut missed) = (0, 0_u32);
        while wait().is_ok() {
            let Some(pulse) = pulse.upgrade() else { return };
            if pulse.is_over.load(Ordering::SeqCst) {
                return;
            }
            let now = pulse.turns();
            if is_asleep(now) {
                missed = 0;
                pulse.rest();
                continue;
            }
            missed = if now == heard { missed.saturating_add(1) } else { 0 };
            heard = now;
            if missed > 0 {
                ask(&pulse);
            }
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
        let pulse = Arc::new(ArbiterPulse::new(EVERY).unwrap());
        let (wake, woken) = mpsc::sync_channel::<()>(0);
        let (ended, end) = mpsc::channel();
        let (asked, asks) = mpsc::channel();
        let waiting = move || woken.recv().map_err(io::Error::other);
        listen(
            "test",
            Arc::downgrade(&pulse),
            waiting,
            move |_| asked.send(()).unwrap(),
            move || ended.send(()).unwrap(),
        )
        .unwrap();
        for _ in 0..3 * END {
            // It slept and woke, or answered.
            pulse.turns.fetch_add(2, Ordering::SeqCst);
            // Taken by the listener only when it waits again: it has looked at the beat before.
            wake.send(()).unwrap();
        }
        // Asleep, for however long.
        pulse.sleeps();
        for _ in 0..3 * END {
            wake.send(()).unwrap();
        }
        assert_eq!(end.try_recv(), Err(mpsc::TryRecvError::Empty));
        // A beat between two lookings may have come before the first of them.
        while asks.try_recv().is_ok() {}
        pulse.wakes();
        for _ in 0..=END + 1 {
            if wake.send(()).is_err() {
                break;
            }
        }
        assert_eq!(end.recv(), Ok(()));
        assert_eq!(u32::try_from(asks.iter().count()), Ok(END));
    }

    #[test]
    fn an_arbiter_that_has_ended_is_watched_no_longer_whoever_keeps_something_of_it() {
        let pulse = Arc::new(ArbiterPulse::new(EVERY).unwrap());
        let (wake, woken) = mpsc::sync_channel::<()>(0);
        let (ended, end) = mpsc::channel();
        let waiting = move || woken.recv().map_err(io::Error::other);
        let ends = move || ended.send(()).unwrap();
        listen("test", Arc::downgrade(&pulse), waiting, |_| {}, ends).unwrap();
        pulse.end();
        wake.send(()).unwrap();
        // The listener is gone, and ended nothing.
        assert!(end.recv().is_err());
        assert!(wake.send(()).is_err());
    }

    #[test]
    fn the_timer_stands_while_the_arbiter_sleeps() {
        let pulse = ArbiterPulse::new(EVERY).unwrap();
        pulse.set_timer();
        pulse.sleeps();
        assert!(pulse.timer.is_running());
        pulse.rest();
        assert!(!pulse.timer.is_running());
        pulse.wakes();
        assert!(pulse.timer.is_running());
        // Awake: there is something to look at.
        pulse.rest();
        assert!(pulse.timer.is_running());
    }

    #[test]
    fn the_thread_of_a_system_sleeps_when_it_has_nothing_to_do() {
        let (system, pulse) = watched_system().unwrap();
        let asleep = Arc::clone(&pulse);
        let turns = system.block_on(async move {
            assert!(!is_asleep(asleep.turns()));
            let before = asleep.turns();
            // Another thread sees it asleep, and wakes it.
            tokio::task::spawn_blocking(move || {
                while !is_asleep(asleep.turns()) {
                    thread::yield_now();
                }
            })
            .await
            .unwrap();
            before
        });
        assert!(pulse.turns() > turns);
    }

    /// This very test, run by itself in another process, blocks its arbiter there.
    #[test]
    fn a_process_whose_arbiter_is_blocked_ends_with_70() {
        const BLOCKED: &str = "AURA_TEST_BLOCKED";
        if env::var_os(BLOCKED).is_some() {
            // 30 missed beats are 600 ms then.
            let (system, pulse) = watched_system_every(Duration::from_millis(20)).unwrap();
            system.block_on(async {
                pulse.watch("test").unwrap();
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
