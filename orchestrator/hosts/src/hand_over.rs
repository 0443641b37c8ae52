//! A connection to an owner whom another host serves.
//!
//! What: [`hand_over`], which passes it on to that host, or says where she is. Why: whoever has a host's address reaches each owner, whichever host has
//! her. Not here: whose connection it is (`surfaces::web::HostDirectory`); what is said on it: bytes are passed on both ways, and none is looked at.

use aura_hosts::HostRecord;
use std::{io, time::Duration};
use surfaces::web::{ElsewhereConnection, answer_and_close};
use tokio::{
    io::{AsyncWriteExt as _, copy_bidirectional},
    net::TcpStream,
    time::timeout,
};

/// How long another host may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(2);

/// What is said where nobody can be handed the connection.
enum HandOverRefusal {
    /// She is served there, and this host hands nobody over to it.
    There(String),
    /// Nobody has her yet, or the one who has does not answer.
    Again,
}

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
    let refusal = match (host.filter(|_| !is_from_host), address) {
        (None, _) => HandOverRefusal::Again,
        (Some(host), None) => HandOverRefusal::There(host.host.clone()),
        (Some(_), Some(address)) => match timeout(CONNECT, TcpStream::connect(address)).await {
            Ok(Ok(other)) => {
                if let Err(error) = splice(stream, &begun, other).await {
                    tracing::debug!(kind = %error.kind(), "a connection that was handed over broke");
                }
                return;
            }
            Ok(Err(_)) | Err(_) => HandOverRefusal::Again,
        },
    };
    answer_and_close(stream, refusal.answer().as_bytes()).await;
}

async fn splice(mut stream: TcpStream, begun: &[u8], mut other: TcpStream) -> io::Result<()> {
    for end in [&stream, &other] {
        // Small answers must not wait for the next packet.
        end.set_nodelay(true)?;
    }
    other.write_all(begun).await?;
    copy_bidirectional(&mut stream, &mut other).await.map(drop)
}

impl HandOverRefusal {
    fn answer(&self) -> String {
        let (status, more, body) = match self {
            HandOverRefusal::There(host) => {
                // Another host said it.
                let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
                let host: String = host.chars().filter(is_plain).take(64).collect();
                let body = format!("WEB-032 the host {host} serves this owner");
                ("421 Misdirected Request", "", body)
            }
            HandOverRefusal::Again => (
                "503 Service Unavailable",
                "retry-after: 1\r\n",
                "WEB-032 another host serves this owner, or will in a moment: ask again".to_owned(),
            ),
        };
        let bytes = body.len();
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {bytes}\r\n{more}\
             cache-control: no-store\r\nx-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n\
             content-security-policy: default-src 'none'\r\nconnection: close\r\n\r\n{body}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_its_own_length_and_no_more_of_a_host_than_its_name() {
        let host = "desk\r\nset-cookie: a=b\r\n\r\n<script>.example".to_owned();
        for (refusal, status, said) in [
            (
                HandOverRefusal::There(host),
                "HTTP/1.1 421 ",
                "deskset-cookieabscript.example",
            ),
            (HandOverRefusal::Again, "HTTP/1.1 503 ", "ask again"),
        ] {
            let answer = refusal.answer();
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with(status), "{head}");
            assert!(
                head.contains(&format!("content-length: {}\r\n", body.len())),
                "{head}"
            );
            assert!(body.starts_with("WEB-032 ") && body.contains(said), "{body}");
        }
    }
}
