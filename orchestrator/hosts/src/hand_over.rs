//! A connection to an owner whom another host serves.
//!
//! What: [`hand_over`], which passes it on to that host, or says where she is. Why: whoever has a host's address reaches each owner, whichever host has
//! her. Not here: whose connection it is (`surfaces::web::HostDirectory`); what is said on it: bytes are passed on both ways, and none is looked at.

use aura_hosts::HostRecord;
use std::{io, time::Duration};
use surfaces::web::{ElsewhereConnection, answer_and_close, elsewhere_answer};
use tokio::{
    io::{AsyncWriteExt as _, copy_bidirectional},
    net::TcpStream,
    time::timeout,
};

/// How long another host may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(2);

/// Passes a connection on to the host that has its owner. `address`: where that host takes it, if it may be handed over.
pub(crate) async fn hand_over(
    connection: ElsewhereConnection,
    host: Option<&HostRecord>,
    address: Option<&str>,
) {
    let ElsewhereConnection {
        stream,
        begun,
        is_from_host,
    } = connection;
    // From another host it goes no further: that one looks again.
    let named = match (host.filter(|_| !is_from_host), address) {
        (None, _) => None,
        (Some(host), None) => Some(host.host.as_str()),
        (Some(_), Some(address)) => match timeout(CONNECT, TcpStream::connect(address)).await {
            Ok(Ok(other)) => {
                if let Err(error) = splice(stream, &begun, other).await {
                    tracing::debug!(kind = %error.kind(), "a connection that was handed over broke");
                }
                return;
            }
            Ok(Err(_)) | Err(_) => None,
        },
    };
    answer_and_close(stream, elsewhere_answer(&begun, named).as_bytes()).await;
}

async fn splice(mut stream: TcpStream, begun: &[u8], mut other: TcpStream) -> io::Result<()> {
    for end in [&stream, &other] {
        // Small answers must not wait for the next packet.
        end.set_nodelay(true)?;
    }
    other.write_all(begun).await?;
    copy_bidirectional(&mut stream, &mut other).await.map(drop)
}
