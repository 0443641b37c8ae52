//! Where a browser wants to be told.
//!
//! What: [`PushSubscription`], kept with the device whose browser gave it. Why: what is revoked is told nothing any more, in one step. Its address is a secret
//! between the browser, its push service and Aura, and neither it nor a key is ever printed. Not here: whether the address may be opened (`orchestrator`).

use serde::{Deserialize, Serialize};
use std::fmt;
use toolcall_schema::{Timestamp, ids::sha256_hex};

/// Subscriptions of one device at once.
pub const SUBSCRIPTIONS_MAX: usize = 3;

/// Digits of an id.
const ID: usize = 16;

/// A browser's subscription at its push service.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PushSubscription {
    pub endpoint: String,
    /// The browser's public key, and the secret that goes with it: base64url.
    pub p256dh: String,
    pub auth: String,
    /// Since when (wall clock).
    pub since: Timestamp,
}

impl fmt::Debug for PushSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PushSubscription(..)")
    }
}

impl PushSubscription {
    /// Names it on pages and in requests, and says nothing about its address.
    pub fn id(&self) -> SubscriptionId {
        SubscriptionId(sha256_hex(self.endpoint.as_bytes()).chars().take(ID).collect())
    }

    /// The host of its push service.
    pub fn host(&self) -> &str {
        let rest = self.endpoint.split_once("://").map_or("", |(_, rest)| rest);
        rest.split(['/', ':', '?']).next().unwrap_or_default()
    }
}

/// The name of a subscription.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SubscriptionId(String);

impl SubscriptionId {
    /// One as it was sent; whether there is such a subscription is another question.
    pub fn from_text(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a subscription was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubscriptionConflict {
    /// The limit of this device is reached.
    TooMany,
    /// Another device has it.
    Elsewhere,
    /// The device was revoked.
    NoDevice,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_name_and_its_host_are_shown_and_its_address_never_is() {
        let subscription = PushSubscription {
            endpoint: "https://push.example.net:443/send/secret?x=1".to_owned(),
            p256dh: "BA1H".to_owned(),
            auth: "eW91".to_owned(),
            since: Timestamp::from_ms(0),
        };
        assert_eq!(subscription.host(), "push.example.net");
        assert_eq!(subscription.id().as_str().len(), ID);
        assert_eq!(format!("{subscription:?}"), "PushSubscription(..)");
        let kept = serde_json::to_string(&subscription).unwrap();
        assert_eq!(
            serde_json::from_str::<PushSubscription>(&kept).unwrap(),
            subscription
        );
    }
}
