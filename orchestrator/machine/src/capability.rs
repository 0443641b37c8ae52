//! The one-use right to answer a card.
//!
//! What: HMAC-SHA256 over card, arguments, catalogue, policy, surface and expiry, and its check. Why: it can be computed
//! again after a crash and is never stored; whoever holds it saw exactly this card. Not here: redeeming it once (`answers`).

use crate::env::MachineEnv;
use toolcall_schema::{
    Surface, Timestamp,
    ids::{CardId, SecretKey, hex},
};

/// What a capability is bound to.
#[derive(Debug, Clone, Copy)]
pub struct CapabilityClaims<'a> {
    /// The card.
    pub card_id: &'a CardId,
    /// The hash of the canonical arguments.
    pub args_hash: &'a str,
    /// The surface.
    pub surface: Surface,
    /// The end of its time there (wall clock).
    pub expires_at: Timestamp,
}

/// The capability, 64 hexadecimal digits.
pub fn issue(env: &MachineEnv, bound: CapabilityClaims<'_>) -> String {
    with_claims(env, bound, |key, parts| hex(&key.mac(parts)))
}

/// Whether what was submitted is that capability. Takes the same time whatever differs.
pub fn verify(env: &MachineEnv, bound: CapabilityClaims<'_>, submitted: &str) -> bool {
    with_claims(env, bound, |key, parts| key.verify_hex(parts, submitted))
}

/// With the key, and with all that a capability is bound to.
fn with_claims<T>(
    env: &MachineEnv,
    bound: CapabilityClaims<'_>,
    work: impl FnOnce(&SecretKey, &[&[u8]]) -> T,
) -> T {
    let key = env.seed.key("confirm capability v1");
    work(
        &key,
        &[
            bound.card_id.as_str().as_bytes(),
            bound.args_hash.as_bytes(),
            env.catalogue_hash.as_bytes(),
            env.policy.hash().as_bytes(),
            bound.surface.as_str().as_bytes(),
            &bound.expires_at.ms().to_be_bytes(),
        ],
    )
}
