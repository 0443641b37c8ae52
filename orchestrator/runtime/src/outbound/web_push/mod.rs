//! Notifications in the owner's browsers, through the push service of each browser's maker.
//!
//! What: [`WebPush`], which takes a browser's subscription and sends to it; [`WebPushConfig`], `[web_push]` of the configuration. Why: a notification arrives
//! where no server of the owner's is. Off until she accepts a push service. The service cannot read what it carries. Not here: where subscriptions are kept
//! (`surfaces_base::devices`, with the device that each belongs to), which card is pushed and when (`publish`, the machine).

mod channel;
mod encrypt;
mod endpoint;
mod network;
mod vapid;

pub(super) use channel::WebPushChannel;
pub use endpoint::PushHost;
pub use network::PushNetwork;
#[cfg(debug_assertions)]
pub use network::test_support;
pub use vapid::VapidKey;

use crate::reads::RecordedSend;
use data_encoding::{BASE64URL_NOPAD, Encoding};
use encrypt::{BrowserKeys, EncryptError};
use endpoint::PushEndpoint;
use serde::Deserialize;
use std::{sync::Arc, thread, time::Duration};
use surfaces_base::{
    backend::web_push::{HOSTS_MAX, SubscriptionRefusal},
    devices::{DeviceRegistry, PushSubscription},
};
use toolcall_schema::Timestamp;
use ureq::{Agent, http::HeaderMap};

/// As browsers and services write bytes.
const BASE64: Encoding = BASE64URL_NOPAD;

/// Of two messages that wait at a service for one browser, the newer one is brought: RFC 8030, section 5.4.
const TOPIC: &str = "aura-card";

/// How long a service may take to answer `aura doctor --online`.
const HEALTH: Duration = Duration::from_secs(5);

/// How long is waited where a service says "later" and not how long.
const LATER: Duration = Duration::from_mins(1);
/// The longest that a service may put Aura off.
const LATER_MAX: Duration = Duration::from_hours(1);

/// `[web_push]` as it is written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WebPushFile {
    hosts: Vec<String>,
}

/// The push services that the owner accepted; none: it is off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebPushConfig {
    pub hosts: Vec<PushHost>,
}

impl WebPushFile {
    /// Checks it.
    ///
    /// # Errors
    /// What is wrong and what would be right.
    pub(crate) fn check(self) -> Result<WebPushConfig, String> {
        if self.hosts.len() > HOSTS_MAX {
            return Err(format!(
                "hosts names {} services; at most {HOSTS_MAX}",
                self.hosts.len()
            ));
        }
        let mut hosts: Vec<PushHost> = Vec::new();
        for host in &self.hosts {
            let host = PushHost::parse(host).map_err(|problem| format!("hosts: {problem}"))?;
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        Ok(WebPushConfig { hosts })
    }
}

impl WebPushConfig {
    /// Whether each service answers, for `aura doctor --online`. One with many hosts is passed over: which of them serves a browser is not known here.
    ///
    /// # Errors
    /// The first that does not.
    pub fn health(&self) -> Result<(), WebPushError> {
        let agent = PushNetwork::public().agent();
        for host in self.hosts.iter().filter_map(PushHost::as_one) {
            let request = agent.get(format!("https://{host}/")).config();
            // Whatever it says of a request without an address: it is there.
            request.timeout_global(Some(HEALTH)).build().call()?;
        }
        Ok(())
    }
}

/// Why a browser was not told. Says no address and no key.
#[derive(Debug, thiserror::Error)]
pub enum WebPushError {
    /// No connection, no answer in time, or a broken one.
    #[error("the push service does not answer")]
    Silent(#[source] Box<ureq::Error>),
    /// It answered with something else than 2xx.
    #[error("the push service answered {0}")]
    Refused(u16),
    /// It does not know that browser any more (404, 410).
    #[error("the push service does not know this browser any more")]
    Gone,
    /// It wants to be asked later.
    #[error("the push service asked to retry in {} s", .0.as_secs())]
    Later(Duration),
    /// The owner takes its service back, or it never was one.
    #[error("its push service is not accepted any more")]
    NotAccepted,
    /// What was to be sent cannot be written, or for these keys.
    #[error(transparent)]
    Message(#[from] EncryptError),
}

impl From<ureq::Error> for WebPushError {
    fn from(error: ureq::Error) -> Self {
        WebPushError::Silent(Box::new(error))
    }
}

/// The way to the owner's browsers. Cloning it shares it.
#[derive(Debug, Clone)]
pub struct WebPush {
    pub(crate) devices: Arc<DeviceRegistry>,
    pub(crate) hosts: Arc<[PushHost]>,
    pub(crate) key: VapidKey,
    network: PushNetwork,
}

impl WebPush {
    /// Over the services that are accepted, with the installation's key.
    pub fn new(
        devices: Arc<DeviceRegistry>,
        config: &WebPushConfig,
        key: VapidKey,
        network: PushNetwork,
    ) -> Self {
        Self {
            devices,
            hosts: config.hosts.clone().into(),
            key,
            network,
        }
    }

    /// Whether the owner accepted any service.
    pub(crate) fn is_on(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// Checks what a browser says of itself.
    ///
    /// # Errors
    /// PUSH-001, PUSH-002, PUSH-003 or PUSH-006.
    pub(crate) fn check(&self, subscription: &PushSubscription) -> Result<(), SubscriptionRefusal> {
        if !self.is_on() {
            return Err(SubscriptionRefusal::Off);
        }
        PushEndpoint::parse(&subscription.endpoint, &self.hosts)?;
        BrowserKeys::parse(&subscription.p256dh, &subscription.auth).ok_or(SubscriptionRefusal::Keys)?;
        Ok(())
    }

    pub(crate) fn agent(&self) -> Agent {
        self.network.agent()
    }

    /// Sends one message to one browser; the service keeps it for at most `lives`. Blocks for at most `at_most`.
    ///
    /// # Errors
    /// [`WebPushError`]
    fn send(
        &self,
        agent: &Agent,
        to: &PushSubscription,
        message: &[u8],
        (now, lives): (Timestamp, Duration),
        at_most: Duration,
    ) -> Result<(), WebPushError> {
        let endpoint =
            PushEndpoint::parse(&to.endpoint, &self.hosts).map_err(|_| WebPushError::NotAccepted)?;
        let keys = BrowserKeys::parse(&to.p256dh, &to.auth).ok_or(EncryptError::Failed)?;
        let body = encrypt::encrypt(message, &keys)?;
        let authorization = self
            .key
            .authorization(&endpoint.origin(), now)
            .ok_or(EncryptError::Failed)?;
        let request = agent
            .post(endpoint.address())
            .header("Authorization", authorization)
            .header("Content-Encoding", "aes128gcm")
            .header("TTL", lives.as_secs().to_string())
            .header("Topic", TOPIC)
            .header("Urgency", "high")
            .content_type("application/octet-stream");
        let response = request
            .config()
            .timeout_global(Some(at_most))
            .build()
            .send(&body[..])?;
        match response.status().as_u16() {
            200..300 => Ok(()),
            404 | 410 => Err(WebPushError::Gone),
            429 => Err(WebPushError::Later(retry_after(response.headers()))),
            503 if response.headers().contains_key("retry-after") => {
                Err(WebPushError::Later(retry_after(response.headers())))
            }
            other => Err(WebPushError::Refused(other)),
        }
    }
}

impl WebPush {
    /// The same for some browsers at once, so that a service that hangs holds up no other; in their order.
    pub(crate) fn send_all(
        &self,
        agent: &Agent,
        browsers: &[(PushSubscription, RecordedSend)],
        message: &[u8],
        times: (Timestamp, Duration),
        at_most: Duration,
    ) -> Vec<Result<(), WebPushError>> {
        let send = |to: &PushSubscription| self.send(agent, to, message, times, at_most);
        thread::scope(|scope| {
            let sending: Vec<_> = browsers
                .iter()
                .map(|(to, _)| scope.spawn(move || send(to)))
                .collect();
            let failed = |_| Err(WebPushError::Message(EncryptError::Failed));
            let ended = sending.into_iter().map(|sent| sent.join().unwrap_or_else(failed));
            ended.collect()
        })
    }
}

/// How long a service wants to be left alone. A date in place of seconds counts as [`LATER`].
pub(super) fn retry_after(headers: &HeaderMap) -> Duration {
    let seconds = headers.get("retry-after").and_then(|value| value.to_str().ok());
    let seconds = seconds.and_then(|text| text.trim().parse().ok());
    seconds.map_or(LATER, Duration::from_secs).min(LATER_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ureq::http::HeaderValue;

    #[test]
    fn service_that_says_later_is_left_alone_for_so_long_and_an_hour_at_most() {
        let said = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("retry-after", HeaderValue::from_static(text));
            retry_after(&headers).as_secs()
        };
        assert_eq!(said("7"), 7);
        assert_eq!(said(" 120 "), 120);
        assert_eq!(said("99999999"), 3600);
        assert_eq!(said("Wed, 25 Nov 2026 08:00:00 GMT"), 60);
        assert_eq!(said("-1"), 60);
        assert_eq!(retry_after(&HeaderMap::new()).as_secs(), 60);
    }

    #[test]
    fn services_are_checked_and_each_counts_once() {
        let check = |hosts: &[&str]| {
            let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
            WebPushFile { hosts }.check()
        };
        assert_eq!(check(&[]), Ok(WebPushConfig::default()));
        assert_eq!(
            check(&["push.example.net", "push.example.net"])
                .unwrap()
                .hosts
                .len(),
            1
        );
        assert!(check(&["127.0.0.1"]).is_err());
        let many: Vec<String> = (0..=HOSTS_MAX).map(|n| format!("push{n}.example.net")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(check(&many).is_err());
    }
}
