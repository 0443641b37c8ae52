//! Timers that the kernel keeps.
//!
//! What: [`KernelTimer`], which is waited for by a thread; [`sleep_through_suspend`], which counts the time in which the computer was suspended; and
//! [`WallClockWatch`], which is told when somebody sets the wall clock. Why: a timer of tokio's wakes its thread several times on the way to a far
//! deadline and stands still during suspend, and nobody has to look at a clock that tells by itself. Not here: what time it is (`clock`).

use rustix::{
    fd::{AsFd, OwnedFd},
    io::{Errno, read, retry_on_intr},
    time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    },
};
use std::{io, time::Duration};
use tokio::net::unix::pipe;

/// A timer that blocks who waits for it, again and again until it is stopped.
#[derive(Debug)]
pub(crate) struct KernelTimer(OwnedFd);

impl KernelTimer {
    /// One that does not run. Time in which the computer is suspended does not count.
    ///
    /// # Errors
    /// The system gives no descriptor.
    pub(crate) fn unset() -> io::Result<Self> {
        Ok(Self(timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::CLOEXEC,
        )?))
    }

    /// Begins anew; the first time is over after `every`.
    pub(crate) fn start(&self, every: Duration) -> io::Result<()> {
        Ok(set(
            &self.0,
            TimerfdTimerFlags::empty(),
            span(every),
            span(every),
        )?)
    }

    pub(crate) fn stop(&self) -> io::Result<()> {
        self.start(Duration::ZERO)
    }

    /// Waits until a time is over; several that were missed are one. While the timer is stopped, until it is started.
    pub(crate) fn wait(&self) -> io::Result<()> {
        retry_on_intr(|| read(&self.0, &mut [0; COUNT]))?;
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn is_running(&self) -> bool {
        let next = rustix::time::timerfd_gettime(&self.0).unwrap().it_value;
        (next.tv_sec, next.tv_nsec) != (0, 0)
    }
}

/// Bytes that are read of a timer: how often its time was over.
const COUNT: usize = 8;

fn span(long: Duration) -> Timespec {
    Timespec {
        // The kernel's own limit is lower.
        tv_sec: long.as_secs().cast_signed(),
        tv_nsec: long.subsec_nanos().into(),
    }
}

fn set(
    timer: impl AsFd,
    flags: TimerfdTimerFlags,
    it_value: Timespec,
    it_interval: Timespec,
) -> rustix::io::Result<()> {
    timerfd_settime(
        timer,
        flags,
        &Itimerspec {
            it_interval,
            it_value,
        },
    )
    .map(drop)
}

/// Waits for so long, suspended or not, and wakes once. Must be called where tokio's I/O runs.
///
/// # Errors
/// The system gives no timer.
pub(crate) async fn sleep_through_suspend(long: Duration) -> io::Result<()> {
    let timer = timerfd_create(
        TimerfdClockId::Boottime,
        TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK,
    )?;
    // None at all would stop it.
    let long = long.max(Duration::from_nanos(1));
    set(
        &timer,
        TimerfdTimerFlags::empty(),
        span(long),
        span(Duration::ZERO),
    )?;
    readable(timer)?.readable().await
}

/// A timer that does not block as what tokio waits for: it is read as a pipe is. Tokio's own type for other descriptors (`AsyncFd`) takes unsafe code.
fn readable(timer: OwnedFd) -> io::Result<pipe::Receiver> {
    pipe::Receiver::from_owned_fd_unchecked(timer)
}

/// Told when the wall clock is set, or was moved by a suspend.
#[derive(Debug)]
pub struct WallClockWatch(pipe::Receiver);

impl WallClockWatch {
    /// Watches from now on. Must be called where tokio's I/O runs.
    ///
    /// # Errors
    /// The system gives no timer.
    pub fn open() -> io::Result<Self> {
        let timer = timerfd_create(
            TimerfdClockId::Realtime,
            TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK,
        )?;
        arm(&timer)?;
        Ok(Self(readable(timer)?))
    }

    /// Waits until the clock is set. Can be cancelled at any time.
    ///
    /// # Errors
    /// The system does not tell any more.
    pub async fn wait_until_set(&self) -> io::Result<()> {
        loop {
            self.0.readable().await?;
            match self.0.try_read(&mut [0; COUNT]) {
                Ok(_) => arm(&self.0)?,
                Err(error) => match Errno::from_io_error(&error) {
                    Some(Errno::CANCELED) => return Ok(arm(&self.0)?),
                    Some(Errno::AGAIN | Errno::INTR) => {}
                    Some(_) | None => return Err(error),
                },
            }
        }
    }
}

/// Sets a timer of the wall clock to a time that does not come (the year 2200), so that all it tells is that the clock was set.
fn arm(timer: impl AsFd) -> rustix::io::Result<()> {
    let never = span(Duration::from_hours(2_016_144));
    let flags = TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET;
    match set(timer, flags, never, span(Duration::ZERO)) {
        // It was set just now: the timer runs all the same (timerfd_settime(2)).
        Err(Errno::CANCELED) => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[tokio::test]
    async fn a_sleep_lasts_as_long_as_was_asked_for() {
        for long in [Duration::ZERO, Duration::from_millis(20)] {
            let begun = Instant::now();
            sleep_through_suspend(long).await.unwrap();
            assert!(begun.elapsed() >= long);
        }
    }

    #[tokio::test]
    async fn a_clock_that_nobody_sets_tells_nothing() {
        let watch = WallClockWatch::open().unwrap();
        let told = tokio::time::timeout(Duration::from_millis(1), watch.wait_until_set()).await;
        assert!(told.is_err());
        assert_eq!(read(&watch.0, &mut [0; COUNT]), Err(Errno::AGAIN));
    }

    #[test]
    fn a_timer_runs_from_its_start_to_its_stop() {
        let timer = KernelTimer::unset().unwrap();
        assert!(!timer.is_running());
        timer.start(Duration::from_millis(1)).unwrap();
        timer.wait().unwrap();
        timer.wait().unwrap();
        assert!(timer.is_running());
        timer.stop().unwrap();
        assert!(!timer.is_running());
    }
}
