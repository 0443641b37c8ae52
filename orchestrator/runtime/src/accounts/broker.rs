//! The connection to an account's server.
//!
//! What: [`connect`], to the one host and port that the owner configured. Why: a worker that a server broke into can name no other place. Not
//! here: resolving and connecting (`aura_process::broker`), what goes over the connection (`aura_process::source`).

use super::AccountConfig;
use aura_process::{
    broker::connect_to,
    source::{LookFailure, ServerPlace},
};
use rustix::net::sockopt;
use std::{net::TcpStream, time::Duration};

/// After so long without a byte a connection that stays is asked whether it stands, and after so many questions it does not.
const SILENT: Duration = Duration::from_mins(2);
const BETWEEN_QUESTIONS: Duration = Duration::from_secs(30);
const QUESTIONS: u32 = 4;

/// A connection to the server of an account.
///
/// # Errors
/// [`LookFailure`]
pub(super) fn connect(account: &AccountConfig) -> Result<TcpStream, LookFailure> {
    let stream = connect_to_place(&account.place, account.is_private)?;
    if account.kind.is_mail() {
        let _ = ask_whether_it_stands(&stream);
    }
    Ok(stream)
}

/// A connection to a server that the owner accepted. `is_private`: it may be on this computer or in a network of one's own.
///
/// # Errors
/// [`LookFailure`]
pub(super) fn connect_to_place(place: &ServerPlace, is_private: bool) -> Result<TcpStream, LookFailure> {
    connect_to(&place.host, place.port, is_private)
}

/// Has the kernel ask a silent connection whether it still stands, without anybody waking up: a computer that slept finds out.
fn ask_whether_it_stands(stream: &TcpStream) -> rustix::io::Result<()> {
    sockopt::set_tcp_keepidle(stream, SILENT)?;
    sockopt::set_tcp_keepintvl(stream, BETWEEN_QUESTIONS)?;
    sockopt::set_tcp_keepcnt(stream, QUESTIONS)?;
    sockopt::set_socket_keepalive(stream, true)
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
            keep_free: None,
            sign_in: None,
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
    }
}
