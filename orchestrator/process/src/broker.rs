//! Who opens connections for processes that must not.
//!
//! What: [`connect_to`], a host and a port that the owner named. Why: who holds the connection can name no other place. Not here: which hosts
//! those are (`accounts` of the runtime, the manifests of programs), what goes over the connection.

use crate::{public_addresses::is_public, source::LookFailure};
use std::{
    net::{SocketAddr, TcpStream, ToSocketAddrs as _},
    time::Duration,
};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// Addresses of a name that are tried.
const ADDRESSES_MAX: usize = 4;

/// A connection to a server that the owner accepted. `is_private`: it may be on this computer or in a network of one's own. Blocks, on
/// looking up the name for as long as the system does.
///
/// # Errors
/// [`LookFailure::UnknownHost`], [`LookFailure::NotPublic`], [`LookFailure::Unreachable`]
pub fn connect_to(host: &str, port: u16, is_private: bool) -> Result<TcpStream, LookFailure> {
    let found = (host, port).to_socket_addrs();
    let addresses: Vec<SocketAddr> = found.map_err(|_| LookFailure::UnknownHost)?.collect();
    if !may_connect(is_private, &addresses) {
        return Err(LookFailure::NotPublic);
    }
    let mut last = LookFailure::UnknownHost;
    for address in addresses.iter().take(ADDRESSES_MAX) {
        match TcpStream::connect_timeout(address, CONNECT) {
            Ok(stream) => {
                // A request is small and waits for nothing.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) => {
                tracing::debug!(%error, "no connection");
                last = LookFailure::Unreachable;
            }
        }
    }
    Err(last)
}

/// Whether all addresses of a name are where the owner allowed: one that is not is enough to refuse it.
fn may_connect(is_private: bool, addresses: &[SocketAddr]) -> bool {
    is_private || addresses.iter().all(|address| is_public(address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_that_is_not_public_is_enough_to_refuse_a_name() {
        let named = ["1.1.1.1:443", "169.254.169.254:443"].map(|address| address.parse().unwrap());
        assert!(!may_connect(false, &named));
        assert!(may_connect(false, &named[..1]));
        assert!(may_connect(true, &named));
    }
}
