//! A connection to an owner whom another host serves.
//!
//! What: [`hand_over`], which passes it on to that host, or says where she is. Why: whoever has a host's address reaches each owner, whichever host has
//! her. Not here: whose connection it is (`surfaces::web::HostDirectory`); how it is sealed on its way (`host_link`); what is said on it: bytes are passed
//! on both ways, and none is looked at.

use crate::host_link::HostPeers;
use aura_hosts::HostRecord;
use surfaces::web::{ElsewhereConnection, answer_and_close};

/// What is said where nobody can be handed the connection.
enum HandOverRefusal {
    /// She is served there, and this host hands nobody over to it.
    There(String),
    /// Nobody has her yet, or the one who has does not answer.
    Again,
}

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
    let refusal = match (host, known) {
        (None, _) => HandOverRefusal::Again,
        (Some(host), None) => HandOverRefusal::There(host.host.clone()),
        (Some(_), Some((peers, address))) => match peers.connect(address).await {
            Ok(link) => {
                if let Err(error) = link.join(stream, &begun).await {
                    tracing::debug!(kind = %error.kind(), "a connection that was handed over broke");
                }
                return;
            }
            Err(_) => HandOverRefusal::Again,
        },
    };
    answer_and_close(stream, refusal.answer().as_bytes()).await;
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
