//! How often somebody may ask.
//!
//! What: [`RateLimiter`], a bucket of tokens for each device, one for all strangers, one for each sort of act that is seldom. Why: a program that has gone wild does
//! not keep the others out, and nobody guesses codes quickly. Not here: sizes and times (`net`, `web`).

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use surfaces_base::devices::DeviceId;

/// A rate: one token comes back after each `every`, up to `burst`.
#[derive(Clone, Copy)]
struct RateLimit {
    every: Duration,
    burst: u32,
}

/// 100 requests a second of one device, 200 at once. Signals come in batches: 10 000 a second are 40 requests.
const DEVICE: RateLimit = RateLimit {
    every: Duration::from_millis(10),
    burst: 200,
};

/// The same for all who are not signed in together.
const STRANGERS: RateLimit = DEVICE;

/// Five tries at a code a minute, whoever tries.
const PAIRING: RateLimit = RateLimit {
    every: Duration::from_secs(12),
    burst: 5,
};

/// Five changes or trials of notifications of one device at once, and one more each six seconds: each trial opens an address.
const NOTIFYING: RateLimit = RateLimit {
    every: Duration::from_secs(6),
    burst: 5,
};

/// What is asked for seldom, and has a bucket of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeldomAct {
    /// A try at a pairing code: one bucket for all who try.
    Pairing,
    /// A browser's subscription, and a trial of any way to the owner: one for each device.
    Notifying,
}

/// When it will be full again; absent: it is. All of a bucket in one instant.
#[derive(Default)]
struct TokenBucket(Option<Instant>);

impl TokenBucket {
    /// Takes a token, or says after how long there is one.
    fn take(&mut self, rate: RateLimit, now: Instant) -> Result<(), Duration> {
        let full = self.0.map_or(now, |at| at.max(now)) + rate.every;
        let latest = now + rate.every * rate.burst;
        if full > latest {
            return Err(full - latest);
        }
        self.0 = Some(full);
        Ok(())
    }
}

/// The buckets of a server.
#[derive(Default)]
pub(super) struct RateLimiter(Mutex<BucketTable>);

#[derive(Default)]
struct BucketTable {
    /// As many as devices were let in since the start.
    devices: BTreeMap<DeviceId, DeviceBuckets>,
    strangers: TokenBucket,
    pairing: TokenBucket,
}

#[derive(Default)]
struct DeviceBuckets {
    all: TokenBucket,
    notifying: TokenBucket,
}

impl RateLimiter {
    /// Whether this request may go on; else after how long it may.
    ///
    /// # Errors
    /// How long to wait.
    pub(super) fn take(
        &self,
        device: Option<&DeviceId>,
        act: Option<SeldomAct>,
        now: Instant,
    ) -> Result<(), Duration> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if act == Some(SeldomAct::Pairing) {
            buckets.pairing.take(PAIRING, now)?;
        }
        let Some(device) = device else {
            return buckets.strangers.take(STRANGERS, now);
        };
        let own = match buckets.devices.get_mut(device) {
            Some(own) => own,
            None => buckets.devices.entry(device.clone()).or_default(),
        };
        own.all.take(DEVICE, now)?;
        if act == Some(SeldomAct::Notifying) {
            own.notifying.take(NOTIFYING, now)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_its_burst_at_once_and_then_one_after_each_interval() {
        let (start, rate) = (
            Instant::now(),
            RateLimit {
                every: Duration::from_millis(10),
                burst: 3,
            },
        );
        let mut bucket = TokenBucket::default();
        let at = |ms| start + Duration::from_millis(ms);
        for (ms, expected) in [
            (0, Ok(())),
            (0, Ok(())),
            (0, Ok(())),
            (0, Err(10)),
            (4, Err(6)),
            (10, Ok(())),
            (10, Err(10)),
            (1000, Ok(())),
            (1000, Ok(())),
            (1000, Ok(())),
            (1000, Err(10)),
        ] {
            assert_eq!(
                bucket.take(rate, at(ms)),
                expected.map_err(Duration::from_millis),
                "{ms}"
            );
        }
    }

    #[test]
    fn one_device_that_asks_too_often_costs_the_others_nothing() {
        let (limits, now) = (RateLimiter::default(), Instant::now());
        let (wild, calm) = (DeviceId::from_text("dev_wild"), DeviceId::from_text("dev_calm"));
        let taken = (0..1000)
            .filter(|_| limits.take(Some(&wild), None, now).is_ok())
            .count();
        assert_eq!(taken, 200);
        assert!(limits.take(Some(&calm), None, now).is_ok());
        assert!(limits.take(None, None, now).is_ok());
        let tries = (0..100)
            .filter(|_| limits.take(None, Some(SeldomAct::Pairing), now).is_ok())
            .count();
        assert_eq!(tries, 5);
        // A paired device tries from the same bucket.
        assert!(limits.take(Some(&calm), Some(SeldomAct::Pairing), now).is_err());
        let notifies = |device| limits.take(Some(device), Some(SeldomAct::Notifying), now).is_ok();
        assert_eq!((0..100).filter(|_| notifies(&calm)).count(), 5);
        // Each has its own for notifications.
        assert!(notifies(&DeviceId::from_text("dev_other")));
    }
}
