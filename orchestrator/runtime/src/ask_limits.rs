//! What keeps programs that ask in bounds.
//!
//! What: [`AskLimits`], how often a device reads and asks anew, and how many requests are held back at once. Why: a program that has gone wild learns no
//! more than another, fills no journal, and keeps nobody's connection. Not here: requests a second (`surfaces::web`), how many asks wait
//! (`orchestrator_machine::asks`).

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use surfaces_base::{
    backend::asks::{ASKS_PER_HOUR, READS_PER_HOUR},
    devices::DeviceId,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// An hour.
const HOUR: Duration = Duration::from_hours(1);

/// Requests that are held back until an ask changes, of all devices: a quarter of the connections.
const HELD_MAX: usize = 16;
/// Of them, of one device: none has all places.
const HELD_OF_ONE_MAX: usize = 8;

/// What each device did within the last hour.
#[derive(Default)]
struct HourlyCounts(Mutex<BTreeMap<DeviceId, VecDeque<Instant>>>);

impl HourlyCounts {
    // A poisoned lock still holds a whole table: each change is one call.
    fn table(&self) -> MutexGuard<'_, BTreeMap<DeviceId, VecDeque<Instant>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one more; at most `most` stand there for each device.
    ///
    /// # Errors
    /// After how many seconds there is room again.
    fn count(&self, device: &DeviceId, now: Instant, most: usize) -> Result<(), u64> {
        let mut counts = self.table();
        let own = counts.entry(device.clone()).or_default();
        while own
            .front()
            .is_some_and(|first| now.duration_since(*first) >= HOUR)
        {
            own.pop_front();
        }
        match own.front() {
            Some(first) if own.len() >= most => {
                Err(HOUR.saturating_sub(now.duration_since(*first)).as_secs() + 1)
            }
            Some(_) | None => {
                own.push_back(now);
                Ok(())
            }
        }
    }
}

/// Counts. What a device read before the start is told of by the audit log, at its first read.
pub(crate) struct AskLimits {
    reads: HourlyCounts,
    asks: HourlyCounts,
    held: Arc<Semaphore>,
    /// Of each device that waited; of all programs without one together.
    held_of_one: Mutex<BTreeMap<Option<DeviceId>, Arc<Semaphore>>>,
}

impl Default for AskLimits {
    fn default() -> Self {
        Self {
            reads: HourlyCounts::default(),
            asks: HourlyCounts::default(),
            held: Arc::new(Semaphore::new(HELD_MAX)),
            held_of_one: Mutex::default(),
        }
    }
}

/// A request that is held back, until this is dropped.
pub(crate) struct HeldPermit {
    _of_all: OwnedSemaphorePermit,
    _of_one: OwnedSemaphorePermit,
}

impl AskLimits {
    /// Whether a device has read since the start.
    pub(crate) fn knows(&self, device: &DeviceId) -> bool {
        self.reads.table().contains_key(device)
    }

    /// What a device read before the start, by how long ago that is, oldest first. Counts where it has not read since.
    pub(crate) fn remember(&self, device: &DeviceId, ages: Vec<Duration>, now: Instant) {
        // A machine that has run for less time than that has no such instant: then it counts as of now.
        let at = |age| now.checked_sub(age).unwrap_or(now);
        let mut reads = self.reads.table();
        reads
            .entry(device.clone())
            .or_insert_with(|| ages.into_iter().map(at).collect());
    }

    /// Counts a read.
    ///
    /// # Errors
    /// After how many seconds the device may read again.
    pub(crate) fn count_read(&self, device: &DeviceId, now: Instant) -> Result<(), u64> {
        self.reads.count(device, now, READS_PER_HOUR)
    }

    /// Counts an ask that the machine is told of.
    ///
    /// # Errors
    /// After how many seconds the device may ask anew.
    pub(crate) fn count_ask(&self, device: &DeviceId, now: Instant) -> Result<(), u64> {
        self.asks.count(device, now, ASKS_PER_HOUR)
    }

    /// Room to hold a request of a device back; `None`: it does not wait, or there is none.
    pub(crate) fn hold(&self, device: Option<&DeviceId>, waits: bool) -> Option<HeldPermit> {
        if !waits {
            return None;
        }
        let of_one = {
            let mut devices = self.held_of_one.lock().unwrap_or_else(PoisonError::into_inner);
            let of_one = devices
                .entry(device.cloned())
                .or_insert_with(|| Arc::new(Semaphore::new(HELD_OF_ONE_MAX)));
            Arc::clone(of_one)
        };
        Some(HeldPermit {
            _of_one: of_one.try_acquire_owned().ok()?,
            _of_all: Arc::clone(&self.held).try_acquire_owned().ok()?,
        })
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
    fn a_device_asks_three_hundred_times_within_an_hour() {
        let limits = AskLimits::default();
        let (one, other) = (DeviceId::from_text("dev_one"), DeviceId::from_text("dev_other"));
        let start = Instant::now();
        for n in 0..300 {
            assert_eq!(limits.count_ask(&one, start), Ok(()), "{n}");
        }
        assert_eq!(limits.count_ask(&one, start + Duration::from_secs(10)), Err(3591));
        assert_eq!(limits.count_ask(&other, start), Ok(()));
        assert_eq!(
            limits.count_read(&one, start),
            Ok(()),
            "a read is counted by itself"
        );
        assert_eq!(limits.count_ask(&one, start + HOUR), Ok(()));
    }

    #[test]
    fn so_many_are_held_back_and_the_next_is_answered_at_once() {
        let limits = AskLimits::default();
        let [one, two, three] = ["dev_1", "dev_2", "dev_3"].map(DeviceId::from_text);
        let hold = |device: &DeviceId| limits.hold(Some(device), true);
        let held: Vec<_> = (0..9).filter_map(|_| hold(&one)).collect();
        assert_eq!(held.len(), 8, "one device has half of the places");
        let of_two: Vec<_> = (0..9).filter_map(|_| hold(&two)).collect();
        assert_eq!(of_two.len(), 8);
        assert!(hold(&three).is_none() && limits.hold(None, true).is_none());
        drop(held);
        assert!(hold(&three).is_some() && limits.hold(None, true).is_some());
        assert!(limits.hold(Some(&one), false).is_none());
    }
}
