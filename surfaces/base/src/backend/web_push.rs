//! Notifications in the owner's browsers, as pages turn them on and off.
//!
//! What: [`WebPushBackend`], what crosses it, and the push services that are offered by name. Why: a browser is told only at its own wish, through a service that
//! the owner accepted. Not here: sending (`orchestrator`), where a subscription is kept (`devices`).

use super::{BackendError, BackendFuture, notify::NotifyOutcome};
use crate::devices::{DeviceId, DeviceName, SubscriptionId};
use serde::Deserialize;
use toolcall_schema::Timestamp;

/// Letters of an address at a push service.
pub const ENDPOINT_MAX: usize = 2048;

/// Push services that are accepted at once.
pub const HOSTS_MAX: usize = 16;

/// The key of the owner's file that names the accepted services.
pub const WEB_PUSH_HOSTS: &str = "web_push.hosts";

/// The push services of the makers of browsers: a name, or `*.` and a name for all hosts below it.
pub const PUSH_SERVICES: [&str; 4] = [
    "updates.push.services.mozilla.com",
    "fcm.googleapis.com",
    "web.push.apple.com",
    "*.notify.windows.com",
];

/// What pages need of it from the rest of Aura.
pub trait WebPushBackend: Send + Sync + 'static {
    /// Who is told, and through what; `None`: there is no way.
    fn web_push(&self) -> BackendFuture<Option<WebPushView>>;

    /// Keeps a browser's subscription with its device, in place of the same one. Done when it is on disk.
    fn subscribe(
        &self,
        device: DeviceId,
        wish: SubscriptionWish,
    ) -> BackendFuture<Result<Result<(), SubscriptionRefusal>, BackendError>>;

    /// Forgets a subscription. `false`: there is none of that name.
    fn unsubscribe(&self, id: SubscriptionId) -> BackendFuture<Result<bool, BackendError>>;

    /// Tells the browsers of a device something that says that it is a trial, once.
    fn try_web_push(&self, device: DeviceId) -> BackendFuture<Result<NotifyOutcome, BackendError>>;
}

/// What the page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPushView {
    /// Aura's public key, as a browser is told it.
    pub key: String,
    /// The services that are accepted; none: it is off.
    pub hosts: Vec<String>,
    pub browsers: Vec<ToldBrowserView>,
    pub at: Timestamp,
    pub zone: String,
}

/// A device that is told, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldBrowserView {
    pub device: DeviceId,
    /// What the owner calls it.
    pub name: DeviceName,
    pub state: ToldBrowserState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToldBrowserState {
    Told {
        id: SubscriptionId,
        host: String,
        since: Timestamp,
    },
    /// Its service did not know it any more, so that it is told nothing.
    Ended(Timestamp),
}

/// What a browser says of itself.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubscriptionWish {
    pub endpoint: String,
    pub p256dh: String,
    pub auth: String,
}

/// Why a browser is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubscriptionRefusal {
    /// An address that is not opened: not https, a number, another port, a name in it, too long.
    Address,
    /// A push service that the owner did not accept.
    Host,
    /// No keys.
    Keys,
    /// The limit of this device is reached.
    TooMany,
    /// Another device of hers has it.
    Elsewhere,
    /// No service is accepted.
    Off,
}
