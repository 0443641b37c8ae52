//! A connection to an owner whom another host serves.
//!
//! What: [`hand_over`], which passes it on to that host, or says where she is. Why: whoever has a host's address reaches each owner, whichever host has
//! her. Not here: whose connection it is (`surfaces::web::HostDirectory`); how it is sealed on its way (`host_link`); what is said on it: bytes are passed
//! on both ways, and none is looked at.

use crate::host_link::HostPeers;
use aura_hosts::HostRecord;
use surfaces::web::{ElsewhereConnection, answer_and_close, elsewhere_answer};

/// Passes a connection on, sealed, to the host that has its owner, if that one is known.
pub(crate) async fn hand_over(
    connection: ElsewhereConnection,
    host: Option<&HostRecord>,
    peers: Option<&HostPeers>,
) {
    let ElsewhereConnection {
        stream,
        begun,
        is_from_host,
    } = connection;
    // From another host it goes no further: that one looks again.
    let host = host.filter(|_| !is_from_host);
    let address = host.and_then(|host| host.address.as_deref());
    let known = peers.zip(address).filter(|(peers, address)| peers.knows(address));
    let named = match (host, known) {
        (None, _) => None,
        (Some(host), None) => Some(host.host.as_str()),
        (Some(_), Some((peers, address))) => match peers.connect(address).await {
            Ok(link) => {
                if let Err(error) = link.join(stream, &begun).await {
                    tracing::debug!(kind = %error.kind(), "a connection that was handed over broke");
                }
                return;
            }
            Err(_) => None,
        },
    };
    answer_and_close(stream, elsewhere_answer(&begun, named).as_bytes()).await;
}
