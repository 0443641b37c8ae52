//! An owner's share of the processor.
//!
//! What: [`CpuQuota`], what her thread and her agents' processes ran, held against her share. Why: on a host of several owners whoever has used hers up
//! waits, so that the others do not. Not here: what waits then (`backend`, `watch`), limits of one agent (`aura_process`).

use aura_process::{AgentStatusRegistry, cpu_time};
use rustix::thread::gettid;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// A share counts over so long: an owner who was quiet may take all of it at once.
const SPAN: Duration = Duration::from_mins(1);

/// Readings that are closer than this say nothing new: the kernel counts hundredths of a second.
const READ_AFTER: Duration = Duration::from_millis(200);

/// By how much an owner has used more than her share grants.
#[derive(Debug)]
struct CpuDebt {
    /// Of one processor.
    share: f64,
    used: Duration,
}

impl CpuDebt {
    fn new(percent: u32) -> Self {
        Self {
            share: f64::from(percent.max(1)) / 100.0,
            used: Duration::ZERO,
        }
    }

    /// Notes what was used within a time. How long she has to wait; `None`: she is within her share.
    fn note(&mut self, used: Duration, elapsed: Duration) -> Option<Duration> {
        let granted = SPAN.mul_f64(self.share);
        let used = (self.used + used).saturating_sub(elapsed.mul_f64(self.share));
        // However much it was, it is forgotten within a minute.
        self.used = used.min(granted * 2);
        let over = self.used.saturating_sub(granted);
        (!over.is_zero()).then(|| over.div_f64(self.share))
    }
}

struct CpuReadings {
    at: Instant,
    /// What each thread and process had used by then, by its file in `/proc`.
    used: BTreeMap<PathBuf, Duration>,
    debt: CpuDebt,
    wait: Option<Duration>,
}

/// What one owner's service may use.
pub(crate) struct CpuQuota {
    thread: PathBuf,
    agents: AgentStatusRegistry,
    readings: Mutex<CpuReadings>,
}

impl CpuQuota {
    /// For the owner whose thread this is called on; so many hundredths of one processor.
    pub(crate) fn new(percent: u32, agents: AgentStatusRegistry) -> Self {
        let thread = PathBuf::from(format!("/proc/self/task/{}/stat", gettid().as_raw_nonzero()));
        let readings = CpuReadings {
            at: Instant::now(),
            used: read(std::iter::once(thread.clone())),
            debt: CpuDebt::new(percent),
            wait: None,
        };
        Self {
            thread,
            agents,
            readings: Mutex::new(readings),
        }
    }

    /// How long this owner has to wait until she is within her share; `None`: she is.
    pub(crate) fn wait(&self) -> Option<Duration> {
        let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        let elapsed = readings.at.elapsed();
        if elapsed < READ_AFTER {
            return readings.wait;
        }
        let agents = self.agents.reports();
        let agents = agents.values().filter_map(|agent| agent.pid);
        let agents = agents.map(|pid| PathBuf::from(format!("/proc/{pid}/stat")));
        let now = read(std::iter::once(self.thread.clone()).chain(agents));
        let spent = spent_between(&readings.used, &now);
        let had_to_wait = readings.wait.is_some();
        readings.wait = readings.debt.note(spent, elapsed);
        (readings.at, readings.used) = (Instant::now(), now);
        if readings.wait.is_some() && !had_to_wait {
            tracing::warn!("an owner has used up her share of the processor: what comes for her waits");
        }
        readings.wait
    }
}

/// What was used since the last readings; a process that was not there then has used all of its time since.
fn spent_between(last: &BTreeMap<PathBuf, Duration>, now: &BTreeMap<PathBuf, Duration>) -> Duration {
    now.iter()
        .map(|(of, used)| used.saturating_sub(last.get(of).copied().unwrap_or_default()))
        .sum()
}

/// What has ended has used nothing since.
fn read(files: impl Iterator<Item = PathBuf>) -> BTreeMap<PathBuf, Duration> {
    files
        .filter_map(|file| cpu_time(&file).map(|used| (file, used)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::time::{ClockId, clock_gettime};
    use std::path::Path;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_share_counts_over_a_minute_and_what_was_used_beyond_it_is_waited_for() {
        // A tenth of a processor: 6 s of each minute.
        let mut debt = CpuDebt::new(10);
        assert_eq!(debt.note(5 * SECOND, SECOND), None);
        // 4.9 s are left of the first; 2.1 s more in a second, of which 0.1 are granted, are 6.9 s: 0.9 s too much, which take 9 s.
        let wait = debt.note(Duration::from_millis(2_100), SECOND).unwrap();
        assert!((8.99..9.01).contains(&wait.as_secs_f64()), "{wait:?}");
        assert_eq!(debt.note(Duration::ZERO, 10 * SECOND), None);
        // However much it is, she waits for a minute at most.
        let wait = debt.note(3_600 * SECOND, SECOND).unwrap();
        assert!((59.9..60.1).contains(&wait.as_secs_f64()), "{wait:?}");
        assert_eq!(debt.note(Duration::ZERO, 61 * SECOND), None);
        // And whoever was away for a day has no more than a minute's.
        assert_eq!(debt.note(Duration::ZERO, 86_400 * SECOND), None);
        assert!(debt.note(7 * SECOND, Duration::ZERO).is_some());
    }

    #[test]
    fn processes_that_came_and_went_count_as_long_as_they_were_there() {
        let readings = |all: &[(&str, u64)]| -> BTreeMap<PathBuf, Duration> {
            all.iter()
                .map(|(of, seconds)| (PathBuf::from(of), Duration::from_secs(*seconds)))
                .collect()
        };
        let last = readings(&[("thread", 10), ("gone", 7)]);
        let now = readings(&[("thread", 12), ("new", 3)]);
        assert_eq!(spent_between(&last, &now), 5 * SECOND);
    }

    #[test]
    fn what_this_thread_uses_is_read() {
        let file = PathBuf::from(format!("/proc/self/task/{}/stat", gettid().as_raw_nonzero()));
        let clock = || {
            let used = clock_gettime(ClockId::ThreadCPUTime);
            Duration::new(
                u64::try_from(used.tv_sec).unwrap(),
                u32::try_from(used.tv_nsec).unwrap(),
            )
        };
        let (before, begun) = (cpu_time(&file).unwrap(), clock());
        while clock() < begun + Duration::from_millis(100) {}
        let used = cpu_time(&file).unwrap().saturating_sub(before);
        assert!(
            (80..=200).contains(&used.as_millis()),
            "two readings, each rounded to 10 ms, of what took 100 ms: {used:?}"
        );
        assert_eq!(cpu_time(Path::new("/proc/self/task/0/stat")), None);
    }
}
