//! Which computers a push may reach.
//!
//! What: [`PushNetwork`], whose client follows no redirect, uses no proxy and connects to public addresses alone: looked at when a name was resolved, and once
//! more before a connection is opened. Why: a name can lead anywhere, also to this computer and to the owner's own network. Not here: which names are asked
//! (`endpoint`).

use crate::outbound::ntfy;
use aura_process::public_addresses::is_public;
use std::{fmt, io, net::SocketAddr};
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

#[cfg(test)]
mod tests {
    use super::*;

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
