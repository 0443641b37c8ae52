//! Who opens connections to the owner's accounts.
//!
//! What: [`connect`], to the one host and port that she configured. Why: this process alone resolves and connects, and a worker that a server
//! broke into can name no other place. Not here: what goes over the connection (`aura_process::source`).

use super::AccountConfig;
use crate::public_addresses::is_public;
use aura_process::source::{LookFailure, ServerPlace};
use rustix::net::sockopt;
use std::{
    net::{SocketAddr, TcpStream, ToSocketAddrs as _},
    time::Duration,
};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// After so long without a byte a connection that stays is asked whether it stands, and after so many questions it does not.
const SILENT: Duration = Duration::from_mins(2);
const BETWEEN_QUESTIONS: Duration = Duration::from_secs(30);
const QUESTIONS: u32 = 4;
/// Addresses of a name that are tried.
const ADDRESSES_MAX: usize = 4;

/// A connection to the server of an account.
///
/// # Errors
/// [`LookFailure`]
pub(super) fn connect(account: &AccountConfig) -> Result<TcpStream, LookFailure> {
    let stream = connect_to(&account.place, account.is_private)?;
    if account.kind.is_mail() {
        let _ = ask_whether_it_stands(&stream);
    }
    Ok(stream)
}

/// A connection to a server that the owner accepted. `is_private`: it may be on this computer or in a network of one's own.
///
/// # Errors
/// [`LookFailure`]
pub(super) fn connect_to(place: &ServerPlace, is_private: bool) -> Result<TcpStream, LookFailure> {
    let found = (place.host.as_str(), place.port).to_socket_addrs();
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

/// Has the kernel ask a silent connection whether it still stands, without anybody waking up: a computer that slept finds out.
fn ask_whether_it_stands(stream: &TcpStream) -> rustix::io::Result<()> {
    sockopt::set_tcp_keepidle(stream, SILENT)?;
    sockopt::set_tcp_keepintvl(stream, BETWEEN_QUESTIONS)?;
    sockopt::set_tcp_keepcnt(stream, QUESTIONS)?;
    sockopt::set_socket_keepalive(stream, true)
}

/// Whether all addresses of a name are where the owner allowed: one that is not is enough to refuse it.
fn may_connect(is_private: bool, addresses: &[SocketAddr]) -> bool {
    is_private || addresses.iter().all(|address| is_public(address.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::ServerAccountKind;
    use std::net::TcpListener;

    fn account(address: &str, is_private: bool) -> AccountConfig {
        AccountConfig {
            name: "work".to_owned(),
            kind: ServerAccountKind::CalDav,
            place: ServerPlace::parse(address).unwrap(),
            user: None,
            is_private,
            every_min: 15,
            days: 30,
            certificate: None,
            is_paused: false,
            is_writable: false,
        }
    }

    #[test]
    fn this_computer_and_own_networks_are_connected_to_only_where_the_owner_says_so() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("https://127.0.0.1:{}/", listener.local_addr().unwrap().port());
        assert_eq!(
            connect(&account(&address, false)).unwrap_err(),
            LookFailure::NotPublic
        );
        assert!(connect(&account(&address, true)).is_ok());
        drop(listener);
        assert_eq!(
            connect(&account(&address, true)).unwrap_err(),
            LookFailure::Unreachable
        );
        let named = ["1.1.1.1:443", "169.254.169.254:443"].map(|address| address.parse().unwrap());
        assert!(!may_connect(false, &named));
        assert!(may_connect(false, &named[..1]));
    }
}
