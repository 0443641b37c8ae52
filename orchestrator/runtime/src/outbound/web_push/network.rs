//! Which computers a push may reach.
//!
//! What: [`PushNetwork`], whose client follows no redirect, uses no proxy and connects to public addresses alone: looked at when a name was resolved, and once
//! more before a connection is opened. Why: a name can lead anywhere, also to this computer and to the owner's own network. Not here: which names are asked
//! (`endpoint`).

use crate::outbound::ntfy;
use std::{
    fmt, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};
use ureq::{
    Agent, Error,
    config::Config,
    http::Uri,
    tls::RootCerts,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::{ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport},
    },
};

/// What the client may connect to.
#[derive(Clone)]
pub struct PushNetwork {
    reach: Reach,
    roots: RootCerts,
}

impl fmt::Debug for PushNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PushNetwork({:?})", self.reach)
    }
}

#[derive(Debug, Clone, Copy)]
enum Reach {
    Public,
    /// A test's stand-in for every push service.
    #[cfg(debug_assertions)]
    StandIn(SocketAddr),
}

impl Reach {
    fn allows(self, address: SocketAddr) -> bool {
        match self {
            Reach::Public => is_public(address.ip()) && address.port() == 443,
            #[cfg(debug_assertions)]
            Reach::StandIn(only) => address == only,
        }
    }
}

impl PushNetwork {
    /// The public net, with the certificates that this computer trusts.
    pub fn public() -> Self {
        Self {
            reach: Reach::Public,
            roots: RootCerts::PlatformVerifier,
        }
    }

    pub(super) fn agent(&self) -> Agent {
        self.agent_with(DefaultResolver::default())
    }

    fn agent_with(&self, names: impl Resolver) -> Agent {
        let config = ntfy::client_config(self.roots.clone(), true);
        let connector = CheckedConnector {
            reach: self.reach,
            inner: DefaultConnector::new(),
        };
        let reach = self.reach;
        Agent::with_parts(config, connector, CheckedResolver { reach, names })
    }
}

/// Nothing of it is in a build without debug assertions.
#[cfg(debug_assertions)]
pub mod test_support {
    use super::{PushNetwork, Reach};
    use std::net::SocketAddr;
    use ureq::tls::{Certificate, RootCerts};

    /// Every push service is the stand-in at this address, which has this certificate (DER).
    pub fn stand_in(address: SocketAddr, certificate: &[u8]) -> PushNetwork {
        PushNetwork {
            reach: Reach::StandIn(address),
            roots: RootCerts::new_with_certs(&[Certificate::from_der(certificate).to_owned()]),
        }
    }
}

/// What is said of an address that is not connected to. Names no address.
fn refused() -> Error {
    Error::Io(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "its name leads to an address that is not public",
    ))
}

#[derive(Debug)]
struct CheckedResolver<R> {
    reach: Reach,
    names: R,
}

impl<R: Resolver> Resolver for CheckedResolver<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        #[cfg(debug_assertions)]
        if let Reach::StandIn(address) = self.reach {
            let mut addresses = self.empty();
            addresses.push(address);
            return Ok(addresses);
        }
        let addresses = self.names.resolve(uri, config, timeout)?;
        // One that is not public is enough: a service of the public net has none.
        if addresses.iter().all(|address| self.reach.allows(*address)) {
            Ok(addresses)
        } else {
            Err(refused())
        }
    }
}

#[derive(Debug)]
struct CheckedConnector {
    reach: Reach,
    inner: DefaultConnector,
}

impl Connector<()> for CheckedConnector {
    type Out = Box<dyn Transport>;

    fn connect(&self, details: &ConnectionDetails, chained: Option<()>) -> Result<Option<Self::Out>, Error> {
        if details.addrs.iter().all(|address| self.reach.allows(*address)) {
            self.inner.connect(details, chained)
        } else {
            Err(refused())
        }
    }
}

/// Whether an address is one of the public net: by the registries of special addresses (RFC 6890) and what became of them.
pub(crate) fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    !(a == 0
        || ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_documentation()
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b))
        || a >= 224)
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, ..] = ip.segments();
    // All that was given out so far is in 2000::/3; within it these are special: protocols (with Teredo), documentation, 6to4.
    (0x2000..0x4000).contains(&a)
        && !(a == 0x2001 && (b < 0x200 || b == 0x0db8))
        && a != 0x2002
        && !(a == 0x3fff && b < 0x1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_computer_and_of_own_networks_are_not_public() {
        for public in [
            "1.1.1.1",
            "142.250.186.42",
            "172.32.0.1",
            "100.128.0.1",
            "2a00:1450:4001:80b::200a",
            "2606:4700::1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for own in [
            "0.0.0.0",
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.7",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.8",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:1.1.1.1",
            "64:ff9b::7f00:1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
        ] {
            assert!(!is_public(own.parse().unwrap()), "{own}");
        }
    }

    /// Names that lead where a test says.
    #[derive(Debug)]
    struct Fixed(&'static [&'static str]);

    impl Resolver for Fixed {
        fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
            let mut addresses = self.empty();
            for address in self.0 {
                addresses.push(address.parse().unwrap());
            }
            Ok(addresses)
        }
    }

    #[test]
    fn name_that_leads_to_an_address_that_is_not_public_is_not_connected_to() {
        for addresses in [
            &["127.0.0.1:443"][..],
            &["10.1.2.3:443"],
            &["[::1]:443"],
            &["1.1.1.1:443", "192.168.1.1:443"],
            &["1.1.1.1:8443"],
        ] {
            let agent = PushNetwork::public().agent_with(Fixed(addresses));
            let error = agent
                .post("https://push.example.net/x")
                .send(&b"x"[..])
                .unwrap_err();
            assert!(error.to_string().contains("not public"), "{addresses:?}: {error}");
        }
    }

    #[test]
    fn name_that_was_resolved_unchecked_is_looked_at_again_before_it_is_connected_to() {
        let network = PushNetwork::public();
        let connector = CheckedConnector {
            reach: network.reach,
            inner: DefaultConnector::new(),
        };
        let config = ntfy::client_config(network.roots.clone(), true);
        let agent = Agent::with_parts(config, connector, Fixed(&["127.0.0.1:443"]));
        let error = agent
            .post("https://push.example.net/x")
            .send(&b"x"[..])
            .unwrap_err();
        assert!(error.to_string().contains("not public"), "{error}");
    }
}
