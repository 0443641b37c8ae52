//! The pairing code that is open.
//!
//! What: [`OpenPairing`], at most one at a time, in memory alone. Why: whoever reads the owner's terminal within ten minutes may bring one
//! device in, and nobody gets far by guessing: five tries at 50 bits. Not here: what a paired device is (`devices`).

use super::{
    device::{DeviceName, DeviceScope},
    secret::PairingCode,
};
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant};

/// How long a code is good.
pub const CODE_LIVES: Duration = Duration::from_mins(10);

/// Wrong tries that end a code.
const TRIES: u8 = 5;

/// A pairing code that was issued and not used yet.
pub(super) struct OpenPairing {
    sha256: [u8; 32],
    until: Instant,
    tries: u8,
    allowed: PairingGrant,
}

/// What a pairing code grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PairingGrant {
    pub(super) scope: DeviceScope,
    /// In place of the name that the device gives itself.
    pub(super) name: Option<DeviceName>,
    /// Whether who shows it is shown to be the owner by it.
    pub(super) proves_owner: bool,
}

fn digest(code: &PairingCode) -> [u8; 32] {
    Sha256::digest(code.text().as_bytes()).into()
}

impl OpenPairing {
    pub(super) fn new(code: &PairingCode, allowed: PairingGrant, now: Instant) -> Self {
        Self {
            sha256: digest(code),
            until: now + CODE_LIVES,
            tries: TRIES,
            allowed,
        }
    }

    /// Tries what was typed. The right code is used up by it; a wrong one leaves one try less. Digests are compared, so that the time
    /// says nothing about the code.
    pub(super) fn attempt(open: &mut Option<Self>, typed: &str, now: Instant) -> Option<PairingGrant> {
        let pairing = open.as_mut()?;
        let right = PairingCode::parse_typed(typed).is_some_and(|code| digest(&code) == pairing.sha256);
        pairing.tries = pairing.tries.saturating_sub(1);
        if now >= pairing.until {
            *open = None;
            return None;
        }
        if right {
            return open.take().map(|pairing| pairing.allowed);
        }
        if pairing.tries == 0 {
            *open = None;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: &str = "ABCDE-FGH12";

    fn opened(now: Instant) -> OpenPairing {
        let code = PairingCode::parse_typed(RIGHT).unwrap();
        let allowed = PairingGrant {
            scope: DeviceScope::Owner,
            name: None,
            proves_owner: false,
        };
        OpenPairing::new(&code, allowed, now)
    }

    #[test]
    fn a_code_is_good_once_and_for_ten_minutes() {
        let now = Instant::now();
        let mut once = Some(opened(now));
        assert!(OpenPairing::attempt(&mut once, "abcdefgh12", now).is_some());
        assert!(OpenPairing::attempt(&mut once, RIGHT, now).is_none());

        let almost = now + Duration::from_secs(599);
        assert!(OpenPairing::attempt(&mut Some(opened(now)), RIGHT, almost).is_some());
        let mut late = Some(opened(now));
        assert!(OpenPairing::attempt(&mut late, RIGHT, now + Duration::from_mins(10)).is_none());
        assert!(late.is_none());
    }

    #[test]
    fn the_fifth_wrong_try_ends_a_code() {
        let now = Instant::now();
        let mut four = Some(opened(now));
        for wrong in ["", "ABCDE-FGH13", "x", "ABCDE-FGH1"] {
            assert!(OpenPairing::attempt(&mut four, wrong, now).is_none());
        }
        assert!(OpenPairing::attempt(&mut four, RIGHT, now).is_some());

        let mut five = Some(opened(now));
        for _ in 0..5 {
            assert!(OpenPairing::attempt(&mut five, "ABCDE-FGH13", now).is_none());
        }
        assert!(OpenPairing::attempt(&mut five, RIGHT, now).is_none());
    }
}
