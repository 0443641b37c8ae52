//! Detects stalled processes.
//!
//! What: [`StallDetector`] over readings of `/proc/PID/stat`; [`cpu_time`]. Why: reading an archive may take a minute, and a process that was
//! stopped, or waits for what never comes, should not be waited for as long. Not here: what is done about it (`agent_process`).

use std::{fs, path::Path, time::Duration};

/// Readings without any progress after which a process counts as stuck.
const STILL_MAX: u32 = 3;

/// Why nothing more is expected of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stall {
    /// Somebody stopped it: not its own fault.
    Stopped,
    /// It sleeps and waits for nothing that comes.
    Asleep,
}

/// Whether somebody stopped a process (SIGSTOP), or traces it and holds it.
pub(super) fn is_stopped(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| state(&stat).is_some_and(|(state, _)| matches!(state, "T" | "t")))
}

/// The state in a reading (`proc_pid_stat(5)`), and the fields after it. The name before it, in parentheses, may hold anything.
fn state(stat: &str) -> Option<(&str, impl Iterator<Item = &str>)> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    Some((fields.next()?, fields))
}

/// Processor time in clock ticks, of the fields after the state: ten stand before it.
fn clock_ticks<'a>(mut fields: impl Iterator<Item = &'a str>) -> Option<u64> {
    let user: u64 = fields.nth(10)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

/// The kernel tells times of processes in hundredths of a second.
const MS_A_TICK: u64 = 10;

/// What a process or a thread has used of the processor, by its file `stat` in `/proc`; `None`: it has ended.
pub fn cpu_time(stat: &Path) -> Option<Duration> {
    let text = fs::read_to_string(stat).ok()?;
    Some(Duration::from_millis(clock_ticks(state(&text)?.1)? * MS_A_TICK))
}

/// What is known from the readings so far.
#[derive(Debug, Clone, Default)]
pub(super) struct StallDetector {
    /// Processor time at the last reading, in clock ticks.
    spent: Option<u64>,
    /// Readings since the last progress.
    still: u32,
}

impl StallDetector {
    /// Reads about a process once more. Where nothing can be read it is never stuck.
    pub(super) fn look(&mut self, pid: u32) -> Option<Stall> {
        self.take(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// One reading: it gets on when it runs, waits for a disk, or has used the processor since.
    fn take(&mut self, stat: &str) -> Option<Stall> {
        let (state, fields) = state(stat)?;
        let spent = Some(clock_ticks(fields)?);
        let gets_on = matches!(state, "R" | "D") || self.spent != spent;
        self.spent = spent;
        self.still = if gets_on { 0 } else { self.still + 1 };
        (self.still >= STILL_MAX).then_some(match state {
            "T" | "t" => Stall::Stopped,
            _ => Stall::Asleep,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(state: &str, user: u64, system: u64) -> String {
        format!("17 (a b) c) {state} 1 17 17 0 -1 4194560 900 0 0 0 {user} {system} 0 0 20 0 1 0 1")
    }

    #[test]
    fn three_readings_without_progress_are_one_too_many() {
        for (state, stuck) in [("T", Stall::Stopped), ("t", Stall::Stopped), ("S", Stall::Asleep)] {
            let mut idle = StallDetector::default();
            let seen: Vec<_> = (0..5).map(|_| idle.take(&stat(state, 3, 4))).collect();
            // The first one shows nothing: there is none before it.
            assert_eq!(seen, [None, None, None, Some(stuck), Some(stuck)]);
        }
    }

    #[test]
    fn what_runs_waits_for_a_disk_or_used_the_processor_gets_on() {
        for state in ["R", "D"] {
            let mut idle = StallDetector::default();
            assert!((0..9).all(|_| idle.take(&stat(state, 3, 4)).is_none()), "{state}");
        }
        let mut idle = StallDetector::default();
        assert!((0..9).all(|n| idle.take(&stat("S", 3 + n / 3, 4)).is_none()));
        assert!((0..9).all(|n| idle.take(&stat("S", 5, 5 + n / 3)).is_none()));
    }

    #[test]
    fn a_reading_that_is_none_says_nothing() {
        let mut idle = StallDetector::default();
        assert!((0..9).all(|_| idle.take("17 (a) S 1").is_none() && idle.take("").is_none()));
    }
}
