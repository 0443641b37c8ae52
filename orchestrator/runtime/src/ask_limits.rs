//! What keeps programs that ask in bounds.
//!
//! What: [`AskLimits`], how often a device reads and how many requests are held back at once. Why: a program that has gone wild learns no more
//! than another, and keeps nobody's connection. Not here: requests a second (`surfaces::web`), how many asks wait (`orchestrator_machine::asks`).

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use surfaces::{backend::asks::READS_PER_HOUR, devices::DeviceId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// An hour.
const HOUR: Duration = Duration::from_hours(1);

/// Requests that are held back until an ask changes, of all devices: a quarter of the connections.
const HELD_MAX: usize = 16;

/// Counts. What a device read before the start is told of by the audit log, at its first read.
pub(crate) struct AskLimits {
    /// When each device read within the last hour, oldest first: at most [`READS_PER_HOUR`] each.
    reads: Mutex<BTreeMap<DeviceId, VecDeque<Instant>>>,
    held: Arc<Semaphore>,
}

impl Default for AskLimits {
    fn default() -> Self {
        Self {
            reads: Mutex::default(),
            held: Arc::new(Semaphore::new(HELD_MAX)),
        }
    }
}

impl AskLimits {
    /// Whether a device has read since the start.
    pub(crate) fn knows(&self, device: &DeviceId) -> bool {
        let reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        reads.contains_key(device)
    }

    /// What a device read before the start, by how long ago that is, oldest first. Counts where it has not read since.
    pub(crate) fn remember(&self, device: &DeviceId, ages: Vec<Duration>, now: Instant) {
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        // A machine that has run for less time than that has no such instant: then it counts as of now.
        let at = |age| now.checked_sub(age).unwrap_or(now);
        reads
            .entry(device.clone())
            .or_insert_with(|| ages.into_iter().map(at).collect());
    }

    /// Counts a read.
    ///
    /// # Errors
    /// After how many seconds the device may read again.
    pub(crate) fn count_read(&self, device: &DeviceId, now: Instant) -> Result<(), u64> {
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        let own = reads.entry(device.clone()).or_default();
        while own
            .front()
            .is_some_and(|first| now.duration_since(*first) >= HOUR)
        {
            own.pop_front();
        }
        match own.front() {
            Some(first) if own.len() >= READS_PER_HOUR => {
                Err(HOUR.saturating_sub(now.duration_since(*first)).as_secs() + 1)
            }
            Some(_) | None => {
                own.push_back(now);
                Ok(())
            }
        }
    }

    /// Room to hold a request back; `None`: it does not wait, or there is none.
    pub(crate) fn hold(&self, waits: bool) -> Option<OwnedSemaphorePermit> {
        waits
            .then(|| Arc::clone(&self.held).try_acquire_owned().ok())
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_reads_sixty_times_within_an_hour_and_another_as_often() {
        let limits = AskLimits::default();
        let (one, other) = (DeviceId::from_text("dev_one"), DeviceId::from_text("dev_other"));
        let start = Instant::now();
        let second = |n: u64| start + Duration::from_secs(n);
        for n in 0..60 {
            assert_eq!(limits.count_read(&one, second(n)), Ok(()), "{n}");
        }
        assert_eq!(limits.count_read(&one, second(60)), Err(3541));
        assert_eq!(limits.count_read(&other, second(60)), Ok(()));
        // The first of them is an hour old, and then the second.
        assert_eq!(limits.count_read(&one, second(3600)), Ok(()));
        assert_eq!(limits.count_read(&one, second(3600)), Err(2));
        assert_eq!(limits.count_read(&one, second(3601)), Ok(()));
    }

    #[test]
    fn what_a_device_read_before_the_start_counts_once() {
        let limits = AskLimits::default();
        let one = DeviceId::from_text("dev_one");
        let now = Instant::now() + HOUR;
        assert!(!limits.knows(&one));
        let ages = (0..59).rev().map(|n| Duration::from_secs(10 + n)).collect();
        limits.remember(&one, ages, now);
        assert!(limits.knows(&one));
        assert_eq!(limits.count_read(&one, now), Ok(()));
        // The first of them was 68 s ago.
        assert_eq!(limits.count_read(&one, now), Err(3600 - 68 + 1));
        limits.remember(&one, vec![], now);
        assert!(limits.count_read(&one, now).is_err(), "it is known already");
    }

    #[test]
    fn so_many_are_held_back_and_the_next_is_answered_at_once() {
        let limits = AskLimits::default();
        let held: Vec<_> = (0..HELD_MAX).map(|_| limits.hold(true)).collect();
        assert!(held.iter().all(Option::is_some));
        assert!(limits.hold(true).is_none());
        drop(held);
        assert!(limits.hold(true).is_some() && limits.hold(false).is_none());
    }
}
