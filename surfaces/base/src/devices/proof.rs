//! Which browsers the owner has just shown to be hers.
//!
//! What: [`OwnerProofs`], by device and in memory alone. Why: a cookie says which browser asks, not who sits before it. What adds folders or
//! starts programs asks for more: the browser that was opened from the owner's own session, for half an hour. Not here: how such a browser
//! is opened (`orchestrator`), what asks for a proof (`web`).

use super::device::DeviceId;
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How long a proof is good.
pub const PROOF_LIVES: Duration = Duration::from_mins(30);

/// When each browser was shown to be the owner's. One for the life of a process.
#[derive(Debug, Default)]
pub struct OwnerProofs(Mutex<BTreeMap<DeviceId, Instant>>);

impl OwnerProofs {
    pub(super) fn record(&self, device: DeviceId, now: Instant) {
        let mut proofs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        proofs.retain(|_, at| now.saturating_duration_since(*at) < PROOF_LIVES);
        proofs.insert(device, now);
    }

    /// Whether that browser is proven at this moment.
    pub(super) fn is_fresh(&self, device: &DeviceId, now: Instant) -> bool {
        let proofs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = proofs.get(device);
        at.is_some_and(|at| now.saturating_duration_since(*at) < PROOF_LIVES)
    }

    pub(super) fn withdraw(&self, device: &DeviceId) {
        let mut proofs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        proofs.remove(device);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proof_is_good_for_thirty_minutes_and_for_that_browser_alone() {
        let (proofs, now) = (OwnerProofs::default(), Instant::now());
        let (mine, other) = (DeviceId::from_text("dev_a"), DeviceId::from_text("dev_b"));
        assert!(!proofs.is_fresh(&mine, now));
        proofs.record(mine.clone(), now);
        for (after, fresh) in [(0, true), (1799, true), (1800, false)] {
            assert_eq!(
                proofs.is_fresh(&mine, now + Duration::from_secs(after)),
                fresh,
                "{after} s"
            );
        }
        assert!(!proofs.is_fresh(&other, now));
        proofs.withdraw(&mine);
        assert!(!proofs.is_fresh(&mine, now));
    }
}
