//! Where a browser wants to be told, and whether that may be opened.
//!
//! What: [`PushHost`], a push service that the owner accepted; [`PushEndpoint`], an address at one of them. Why: the address comes from a browser, and would
//! otherwise have Aura ask any computer for anything. Pure. Not here: where a name leads (`network`).

use http::{Uri, uri::Scheme};
use std::fmt;
use surfaces_base::backend::web_push::{ENDPOINT_MAX, SubscriptionRefusal};

/// Letters of a host name.
const HOST_MAX: usize = 253;

/// The host of a push service: a name, or `*.` and a name for all hosts below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushHost(String);

impl PushHost {
    /// Checks one.
    ///
    /// # Errors
    /// What would be right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let name = text.strip_prefix("*.").unwrap_or(text);
        let is_label = |label: &str| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        let last = name.rsplit('.').next().unwrap_or_default();
        // What ends in a number is an address.
        let is_name = name.len() <= HOST_MAX
            && name.contains('.')
            && name.split('.').all(is_label)
            && !last.bytes().all(|b| b.is_ascii_digit())
            && !is_local(name);
        if is_name {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!(
                "{:?} is not the name of a push service, such as \"updates.push.services.mozilla.com\"",
                text.chars().take(80).collect::<String>()
            ))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its name, where it is one host.
    pub(super) fn as_one(&self) -> Option<&str> {
        Some(self.as_str()).filter(|name| !name.starts_with('*'))
    }

    fn covers(&self, host: &str) -> bool {
        match self.0.strip_prefix('*') {
            Some(below) => host.len() > below.len() && host.ends_with(below),
            None => host == self.0,
        }
    }
}

/// Names that are there on this computer or in its own network only.
fn is_local(name: &str) -> bool {
    ["localhost", "local", "internal", "lan", "home", "arpa"]
        .iter()
        .any(|own| name == *own || name.strip_suffix(own).is_some_and(|rest| rest.ends_with('.')))
}

/// An address at a service that was accepted. It is a secret between browser, service and Aura: `Debug` prints none of it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PushEndpoint {
    address: String,
    host: String,
}

impl fmt::Debug for PushEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PushEndpoint(..)")
    }
}

impl PushEndpoint {
    /// Checks an address.
    ///
    /// # Errors
    /// PUSH-001 or PUSH-002.
    pub(super) fn parse(address: &str, accepted: &[PushHost]) -> Result<Self, SubscriptionRefusal> {
        if address.len() > ENDPOINT_MAX || address.contains('#') {
            return Err(SubscriptionRefusal::Address);
        }
        let uri: Uri = address.parse().map_err(|_| SubscriptionRefusal::Address)?;
        let authority = uri.authority().ok_or(SubscriptionRefusal::Address)?;
        let host = authority.host();
        let is_plain = uri.scheme() == Some(&Scheme::HTTPS)
            && !authority.as_str().contains('@')
            && authority.port().is_none_or(|port| port.as_str() == "443")
            && PushHost::parse(host).is_ok_and(|host| host.as_one().is_some());
        if !is_plain {
            return Err(SubscriptionRefusal::Address);
        }
        if !accepted.iter().any(|accepted| accepted.covers(host)) {
            return Err(SubscriptionRefusal::Host);
        }
        Ok(Self {
            address: address.to_owned(),
            host: host.to_owned(),
        })
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// As a signature names it.
    pub(super) fn origin(&self) -> String {
        format!("https://{}", self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surfaces_base::backend::web_push::PUSH_SERVICES;

    fn accepted() -> Vec<PushHost> {
        PUSH_SERVICES
            .iter()
            .map(|service| PushHost::parse(service).unwrap())
            .collect()
    }

    #[test]
    fn address_of_an_accepted_service_is_taken_and_any_other_is_not() {
        for good in [
            "https://updates.push.services.mozilla.com/wpush/v2/gAAAAA",
            "https://fcm.googleapis.com/fcm/send/abc:def?x=1",
            "https://fcm.googleapis.com:443/fcm/send/abc",
            "https://web.push.apple.com/QK",
            "https://wns2-par02p.notify.windows.com/w/?token=abc",
        ] {
            let endpoint = PushEndpoint::parse(good, &accepted()).unwrap();
            assert!(good.starts_with(&endpoint.origin()), "{good}");
            assert_eq!(format!("{endpoint:?}"), "PushEndpoint(..)");
        }
        for (bad, refusal) in [
            ("http://fcm.googleapis.com/x", SubscriptionRefusal::Address),
            (
                "https://me:secret@fcm.googleapis.com/x",
                SubscriptionRefusal::Address,
            ),
            (
                "https://fcm.googleapis.com@evil.example/x",
                SubscriptionRefusal::Address,
            ),
            ("https://fcm.googleapis.com:8443/x", SubscriptionRefusal::Address),
            ("https://fcm.googleapis.com/x#y", SubscriptionRefusal::Address),
            ("https://127.0.0.1/x", SubscriptionRefusal::Address),
            ("https://10.0.0.7/x", SubscriptionRefusal::Address),
            ("https://[::1]/x", SubscriptionRefusal::Address),
            ("https://2130706433/x", SubscriptionRefusal::Address),
            ("https://localhost/x", SubscriptionRefusal::Address),
            ("https://router.local/x", SubscriptionRefusal::Address),
            ("https://fcm.googleapis.com./x", SubscriptionRefusal::Address),
            ("file:///etc/passwd", SubscriptionRefusal::Address),
            ("fcm.googleapis.com", SubscriptionRefusal::Address),
            ("", SubscriptionRefusal::Address),
            ("https://notify.windows.com/x", SubscriptionRefusal::Host),
            ("https://evilnotify.windows.com/x", SubscriptionRefusal::Host),
            (
                "https://fcm.googleapis.com.evil.example/x",
                SubscriptionRefusal::Host,
            ),
            (
                "https://evil.example/fcm.googleapis.com",
                SubscriptionRefusal::Host,
            ),
        ] {
            assert_eq!(PushEndpoint::parse(bad, &accepted()), Err(refusal), "{bad}");
        }
        let long = format!("https://fcm.googleapis.com/{}", "x".repeat(5000));
        assert_eq!(
            PushEndpoint::parse(&long, &accepted()),
            Err(SubscriptionRefusal::Address)
        );
        let any = "https://fcm.googleapis.com/x";
        assert_eq!(PushEndpoint::parse(any, &[]), Err(SubscriptionRefusal::Host));
    }

    #[test]
    fn host_is_a_name_of_the_public_net() {
        for good in ["push.example.net", "*.notify.windows.com", "a-1.example"] {
            assert_eq!(PushHost::parse(good).map(|host| host.0), Ok(good.to_owned()));
        }
        for bad in [
            "",
            "localhost",
            "push",
            "*",
            "*.",
            "*.com",
            "*push.example.net",
            "a.*.example.net",
            "127.0.0.1",
            "[::1]",
            "10.0.0.1",
            "Push.example.net",
            "push.example.net:8443",
            "https://push.example.net",
            "push.example.net/x",
            "me@push.example.net",
            "-a.example",
            "a..example",
            "a.example.",
            "printer.local",
            "x.localhost",
            "a b.example",
        ] {
            assert!(PushHost::parse(bad).is_err(), "{bad}");
        }
    }
}
