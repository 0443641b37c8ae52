//! The clock: the only place that reads time.
//!
//! What: the machine's timeline and the wall clock, for real or under the hand of a recorded day. Why: a day of 24 hours
//! replays in milliseconds through the same actors, and a suspended laptop counts as elapsed time. Not here: what is due
//! (`orchestrator_machine::next_due`).

use crate::{
    confirmed_time::{ClockEvidence, Uptime},
    in_flight::{InFlight, InFlightGuard},
    kernel_timer::sleep_through_suspend,
};
use nix::libc;
use rtime_clock::adjtime::{Timex, adjtimex};
use rustix::time::{ClockId, clock_gettime};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::sync::{Notify, oneshot};
use toolcall_schema::Timestamp;

/// Shared by everything that needs the time.
#[derive(Clone)]
pub struct Clock(Arc<ClockSource>);

enum ClockSource {
    /// The timeline starts at `from` and runs with `CLOCK_BOOTTIME`, which counts suspend.
    Real {
        from: Timestamp,
        begun: ClockStart,
        wall: WallSource,
    },
    /// Stands still until it is set.
    Virtual(Mutex<VirtualState>),
}

/// When a clock was let run, by `CLOCK_BOOTTIME`.
struct ClockStart {
    boot_ms: OnceLock<i64>,
    tell: Notify,
}

impl ClockStart {
    fn now() -> Self {
        Self {
            boot_ms: OnceLock::from(boot_ms()),
            tell: Notify::new(),
        }
    }

    fn later() -> Self {
        Self {
            boot_ms: OnceLock::new(),
            tell: Notify::new(),
        }
    }

    /// Milliseconds since; 0 before.
    fn elapsed_ms(&self) -> i64 {
        self.boot_ms.get().map_or(0, |start| boot_ms() - start)
    }

    async fn wait(&self) {
        let told = self.tell.notified();
        if self.boot_ms.get().is_none() {
            told.await;
        }
    }
}

/// Where the wall clock comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WallSource {
    /// The system's.
    System,
    /// The timeline itself: the demo household lives on its own day.
    Timeline,
}

struct VirtualState {
    now: Timestamp,
    /// Wall clock minus timeline.
    wall_offset_ms: i64,
    waiters: BTreeMap<(Timestamp, u64), oneshot::Sender<InFlightGuard>>,
    next: u64,
    busy: InFlight,
}

impl Clock {
    /// The real clock. `last`: the time of the journal's last event and the wall offset then, so that the timeline goes
    /// on and never back.
    pub fn real(last: Option<(Timestamp, i64)>) -> Self {
        let wall = system_wall();
        let from = last.map_or(wall, |(at, offset_ms)| wall.plus_ms(-offset_ms).max(at));
        Self(Arc::new(ClockSource::Real {
            from,
            begun: ClockStart::now(),
            wall: WallSource::System,
        }))
    }

    /// A clock that stands at `from` until [`Clock::begin`] and then runs in real time, for the demo household: its wall
    /// clock is its own day.
    pub fn from_day(from: Timestamp) -> Self {
        Self(Arc::new(ClockSource::Real {
            from,
            begun: ClockStart::later(),
            wall: WallSource::Timeline,
        }))
    }

    /// Lets a clock run that waits for it; does nothing to any other, or twice.
    pub fn begin(&self) {
        if let ClockSource::Real { begun, .. } = &*self.0
            && begun.boot_ms.set(boot_ms()).is_ok()
        {
            begun.tell.notify_waiters();
        }
    }

    /// A clock that stands still until [`Clock::set`].
    pub fn at_rest(now: Timestamp, busy: InFlight) -> Self {
        Self(Arc::new(ClockSource::Virtual(Mutex::new(VirtualState {
            now,
            wall_offset_ms: 0,
            waiters: BTreeMap::new(),
            next: 0,
            busy,
        }))))
    }

    /// Now, on the machine's timeline.
    pub fn at(&self) -> Timestamp {
        match &*self.0 {
            ClockSource::Real { from, begun, .. } => from.plus_ms(begun.elapsed_ms()),
            ClockSource::Virtual(state) => lock(state).now,
        }
    }

    /// When an instant of this machine's life was, on the machine's timeline.
    pub fn timeline_of(&self, instant: BootInstant) -> Timestamp {
        match &*self.0 {
            ClockSource::Real { from, begun, .. } => {
                let start = begun.boot_ms.get().copied();
                from.plus_ms(start.map_or(0, |start| instant.0 - start))
            }
            // Its day goes on beside this machine's life.
            ClockSource::Virtual(state) => lock(state).now,
        }
    }

    /// Now, on the wall.
    pub fn wall(&self) -> Timestamp {
        match &*self.0 {
            ClockSource::Real {
                wall: WallSource::System,
                ..
            } => system_wall(),
            ClockSource::Real {
                wall: WallSource::Timeline,
                ..
            } => self.at(),
            ClockSource::Virtual(state) => {
                let state = lock(state);
                state.now.plus_ms(state.wall_offset_ms)
            }
        }
    }

    /// What the system's clock shows and goes by; `None` for a clock of a day of its own, which nothing has to bear out.
    pub fn evidence(&self) -> Option<ClockEvidence> {
        match &*self.0 {
            ClockSource::Real {
                wall: WallSource::System,
                ..
            } => {}
            ClockSource::Real {
                wall: WallSource::Timeline,
                ..
            }
            | ClockSource::Virtual(_) => return None,
        }
        let kernel = synchronised_time();
        let wall = system_wall();
        Some(ClockEvidence {
            wall,
            synchronised: kernel.is_some_and(|kernel| wall.since(kernel).abs() <= AGREES_MS),
            uptime: Uptime {
                boot: std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
                    .map_or_else(|_| String::new(), |id| id.trim().to_owned()),
                total_ms: boot_ms(),
                awake_ms: ms_of(ClockId::Monotonic),
            },
        })
    }

    /// Waits until the timeline reaches `at`. The ticket keeps a recorded day from going on before the waiter has acted.
    pub async fn sleep_until(&self, at: Timestamp) -> Option<InFlightGuard> {
        match &*self.0 {
            ClockSource::Real { begun, .. } => {
                begun.wait().await;
                loop {
                    let left = at.since(self.at());
                    let Ok(ms) = u64::try_from(left) else {
                        return None;
                    };
                    if ms == 0 {
                        return None;
                    }
                    sleep_ms(ms).await;
                }
            }
            ClockSource::Virtual(state) => {
                let wait = {
                    let mut state = lock(state);
                    if at <= state.now {
                        return Some(state.busy.ticket());
                    }
                    let (tell, wait) = oneshot::channel();
                    let key = (at, state.next);
                    state.next += 1;
                    state.waiters.insert(key, tell);
                    wait
                };
                wait.await.ok()
            }
        }
    }

    /// A virtual clock's next waiter, if anybody waits.
    pub fn next_waiter(&self) -> Option<Timestamp> {
        match &*self.0 {
            ClockSource::Real { .. } => None,
            ClockSource::Virtual(state) => {
                let mut state = lock(state);
                state.waiters.retain(|_, waiter| !waiter.is_closed());
                state.waiters.keys().next().map(|(at, _)| *at)
            }
        }
    }

    /// Sets a virtual clock's wall time. The timeline is unaffected. Does nothing to a real
    /// one.
    pub fn set_wall(&self, wall: Timestamp) {
        if let ClockSource::Virtual(state) = &*self.0 {
            let mut state = lock(state);
            state.wall_offset_ms = wall.since(state.now);
        }
    }

    /// Sets a virtual clock and wakes who waited for it. Does nothing to a real one.
    pub fn set(&self, now: Timestamp) {
        if let ClockSource::Virtual(state) = &*self.0 {
            let mut state = lock(state);
            state.now = state.now.max(now);
            while let Some(entry) = state.waiters.first_entry().filter(|entry| entry.key().0 <= now) {
                let waiter = entry.remove();
                // The receiver may be gone: nobody waits any more.
                let _ = waiter.send(state.busy.ticket());
            }
        }
    }
}

/// Waits for at most so long. Tokio's clock does not count suspend, ours does.
async fn sleep_ms(ms: u64) {
    /// A timer of the kernel's costs a few system calls more than one of tokio's.
    const NEAR_MS: u64 = 5000;
    /// Without timers of the kernel's: in steps.
    const STEP_MS: u64 = 60_000;
    if ms > NEAR_MS {
        match sleep_through_suspend(Duration::from_millis(ms)).await {
            Ok(()) => return,
            Err(error) => tracing::debug!(%error, "no timer of the kernel's: waiting in steps"),
        }
    }
    tokio::time::sleep(Duration::from_millis(ms.min(STEP_MS))).await;
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An instant of this machine's life that counts suspend, whatever the wall clock is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BootInstant(i64);

impl BootInstant {
    pub fn now() -> Self {
        Self(boot_ms())
    }
}

fn boot_ms() -> i64 {
    ms_of(ClockId::Boottime)
}

fn ms_of(clock: ClockId) -> i64 {
    let t = clock_gettime(clock);
    t.tv_sec * 1000 + t.tv_nsec / 1_000_000
}

/// The wall clock agrees with the kernel's own time when it is at most so far from it: one that is faked for this process is not.
const AGREES_MS: i64 = 1000;

/// The kernel's time, when it reports that its clock is synchronised.
fn synchronised_time() -> Option<Timestamp> {
    // Changes nothing: no mode is set.
    let mut kernel = Timex::new();
    let state = adjtimex(&mut kernel).ok()?;
    synchronised(state, &kernel.0)
}

/// What the answer of `adjtimex` says.
fn synchronised(state: i32, kernel: &libc::timex) -> Option<Timestamp> {
    if state == libc::TIME_ERROR || kernel.status & libc::STA_UNSYNC != 0 {
        return None;
    }
    let fraction_ms = if kernel.status & libc::STA_NANO == 0 {
        kernel.time.tv_usec / 1000
    } else {
        kernel.time.tv_usec / 1_000_000
    };
    Some(Timestamp::from_ms(kernel.time.tv_sec * 1000 + fraction_ms))
}

/// Milliseconds since 1970 by the system's clock, with their fractions: what a browser's pages on this machine count from.
pub fn system_ms() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs_f64() * 1000.0
}

/// The system's clock, and what a test adds to it.
pub fn system_wall() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)).plus_ms(test_offset_ms())
}

/// Whether a test sets the clock of this process.
pub fn is_set_by_file() -> bool {
    clock_file().is_some()
}

fn clock_file() -> Option<&'static std::path::Path> {
    static FILE: OnceLock<Option<std::path::PathBuf>> = OnceLock::new();
    FILE.get_or_init(|| std::env::var_os("AURA_TEST_CLOCK").map(Into::into))
        .as_deref()
}

/// How far the clock of this process was set ahead: the number of milliseconds in the file that `AURA_TEST_CLOCK` names, for tests of the
/// program that ships. The kernel's own time does not agree with such a clock, so nothing is erased by it.
fn test_offset_ms() -> i64 {
    let text = clock_file().and_then(|file| std::fs::read_to_string(file).ok());
    text.and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_has_one_place_on_the_timeline_whenever_it_is_asked_for() {
        let clock = Clock::real(None);
        let before = clock.at();
        let instant = BootInstant::now();
        let after = clock.at();
        let at = clock.timeline_of(instant);
        assert!(before <= at && at <= after, "{before:?} {at:?} {after:?}");
        assert_eq!(clock.timeline_of(instant), at);
    }

    #[test]
    fn the_kernels_time_counts_only_where_it_says_that_it_is_synchronised() {
        // adjtimex(2): microseconds, nanoseconds with STA_NANO; TIME_ERROR or STA_UNSYNC: not synchronised.
        for (state, status, fraction, wanted) in [
            (libc::TIME_OK, 0, 250_000, Some(1_700_000_000_250)),
            (libc::TIME_OK, libc::STA_PLL, 999_999, Some(1_700_000_000_999)),
            (
                libc::TIME_OK,
                libc::STA_NANO,
                250_000_000,
                Some(1_700_000_000_250),
            ),
            (libc::TIME_INS, 0, 0, Some(1_700_000_000_000)),
            (libc::TIME_OK, libc::STA_UNSYNC, 250_000, None),
            (libc::TIME_OK, libc::STA_UNSYNC | libc::STA_NANO, 250_000, None),
            (libc::TIME_ERROR, 0, 250_000, None),
        ] {
            let mut kernel = Timex::new().0;
            (kernel.status, kernel.time.tv_sec, kernel.time.tv_usec) = (status, 1_700_000_000, fraction);
            let found = synchronised(state, &kernel).map(Timestamp::ms);
            assert_eq!(found, wanted, "{state} {status} {fraction}");
        }
    }

    #[test]
    fn the_kernels_own_time_is_that_of_the_wall_clock() {
        let mut kernel = Timex::new();
        let state = adjtimex(&mut kernel).unwrap();
        // Whatever it says of itself here, its time is the system's.
        kernel.0.status &= !libc::STA_UNSYNC;
        let state = if state == libc::TIME_ERROR {
            libc::TIME_OK
        } else {
            state
        };
        let found = synchronised(state, &kernel.0).unwrap();
        let apart = system_wall().since(found);
        assert!((0..60_000).contains(&apart), "{apart} ms apart");
    }
}
