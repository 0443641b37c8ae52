//! What the guard lets through to a protocol of other people's programs.
//!
//! What: a table of requests to `/mcp`, with a protocol that only says who came. Why: no protocol checks host, origin, device or scope for
//! itself. Not here: the protocol (`surfaces/doors`).

use crate::{
    client::{Answer, Server, server, within},
    morning::{NAME, TOKEN},
};
use futures_util::{StreamExt, stream};
use std::{
    convert::Infallible,
    future::{pending, ready},
};
use surfaces::web::{ConnectedProgram, DoorBody, ProgramDoor};
use surfaces_base::{
    backend::BackendFuture,
    devices::{DeviceId, DeviceName, DeviceScope},
};
use tokio::io::AsyncReadExt;

/// Says who came and what was sent; to `listen` it answers with a stream that does not end by itself.
pub(crate) struct EchoDoor;

impl ProgramDoor for EchoDoor {
    fn serve(
        &self,
        program: ConnectedProgram,
        head: http::request::Parts,
        body: hyper::body::Bytes,
    ) -> BackendFuture<http::Response<DoorBody>> {
        let answer = if &body[..] == b"listen" {
            http::Response::builder()
                .header("content-type", "text/event-stream")
                .body(stream_of_one_event())
        } else {
            let told = format!(
                "{} {} {} {}",
                head.method,
                program.scope,
                body.len(),
                program.page
            );
            http::Response::builder().body(DoorBody::from(told))
        };
        Box::pin(ready(answer.unwrap()))
    }
}

fn stream_of_one_event() -> DoorBody {
    let first = stream::iter([Ok::<_, Infallible>("data: {}\n\n")]);
    DoorBody::from_stream(first.chain(stream::once(pending())))
}

async fn token(server: &Server, scope: DeviceScope) -> (DeviceId, String) {
    let name = DeviceName::parse("Program").unwrap();
    let (listed, token) = server.devices.add(name, scope).await.unwrap();
    (listed.id, token.text().to_owned())
}

async fn post(server: &Server, headers: &str, body: &str) -> Answer {
    let host = if headers.contains("host: ") {
        String::new()
    } else {
        server.host()
    };
    server.raw("POST /mcp", &format!("{host}{headers}"), body).await
}

#[tokio::test]
async fn only_a_program_with_a_token_of_its_own_reaches_a_protocol() {
    let server = server("brief").await;
    let port = server.address.port();
    let (_, ask) = token(&server, DeviceScope::Ask).await;
    let (_, operator) = token(&server, DeviceScope::Operator).await;
    let (_, signals) = token(&server, DeviceScope::SignalsWrite).await;
    let bearer = |token: &str| format!("authorization: Bearer {token}\n");
    let good = bearer(&ask);
    for (case, headers, status, says) in [
        ("a program", good.clone(), 200, "POST ask 2"),
        ("an operator's", bearer(&operator), 200, "POST operator 2"),
        (
            "the loopback's own name",
            format!("host: 127.0.0.1:{port}\n{good}"),
            200,
            "POST ask 2",
        ),
        (
            "our own origin",
            format!("{good}origin: http://{NAME}:{port}\n"),
            200,
            "POST ask 2",
        ),
        ("nobody", String::new(), 401, "WEB-003"),
        ("another token", bearer("x"), 401, "WEB-003"),
        ("a sender of signals", bearer(&signals), 403, "WEB-020"),
        ("the owner's browser", server.cookie(), 403, "WEB-020"),
        ("the owner's token", bearer(TOKEN), 403, "WEB-020"),
        (
            "a foreign origin",
            format!("{good}origin: https://evil.example\n"),
            403,
            "WEB-004",
        ),
        (
            "a foreign host",
            format!("host: evil.example\n{good}"),
            403,
            "WEB-004",
        ),
        (
            "a rebound host",
            format!("host: evil.example:{port}\n{good}"),
            403,
            "WEB-004",
        ),
        (
            "a form of another page",
            format!("{good}sec-fetch-site: cross-site\n"),
            403,
            "WEB-004",
        ),
    ] {
        let answer = post(&server, &headers, "{}").await;
        assert_eq!(answer.status, status, "{case}: {}", answer.body);
        assert!(answer.body.contains(says), "{case}: {}", answer.body);
        let told_how = answer
            .head
            .to_ascii_lowercase()
            .contains("www-authenticate: bearer");
        assert_eq!(told_how, status == 401, "{case}: {}", answer.head);
    }
    let answer = post(&server, &good, "{}").await;
    assert!(
        answer.body.ends_with(&format!(" http://{NAME}:{port}/")),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn a_body_is_bounded_and_other_methods_reach_the_protocol_too() {
    let server = server("brief").await;
    let (_, ask) = token(&server, DeviceScope::Ask).await;
    let good = format!("authorization: Bearer {ask}\n");
    for (bytes, status) in [(96 * 1024, 200), (96 * 1024 + 1, 413)] {
        let answer = post(&server, &good, &"x".repeat(bytes)).await;
        assert_eq!(answer.status, status, "{bytes}");
    }
    for method in ["GET", "DELETE"] {
        let line = format!("{method} /mcp");
        let answer = server.raw(&line, &format!("{}{good}", server.host()), "").await;
        assert!(
            answer.body.starts_with(&format!("{method} ask 0")),
            "{}",
            answer.body
        );
        let answer = server.raw(&line, &server.host(), "").await;
        assert_eq!(answer.status, 401, "{method}");
    }
    let answer = server
        .raw("PUT /mcp", &format!("{}{good}", server.host()), "")
        .await;
    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn a_stream_ends_when_its_device_is_revoked_and_no_device_has_more_than_eight() {
    let server = server("brief").await;
    let (device, ask) = token(&server, DeviceScope::Ask).await;
    let headers = format!("{}authorization: Bearer {ask}\n", server.host());
    let mut streams = Vec::new();
    for _ in 0..8 {
        let mut stream = server.open("POST /mcp", &headers, "listen").await;
        let mut said = Vec::new();
        within(async {
            while !said.ends_with(b"data: {}\n\n\r\n") {
                let mut bytes = [0; 1024];
                let read = stream.read(&mut bytes).await.unwrap();
                assert!(read > 0);
                said.extend_from_slice(&bytes[..read]);
            }
        })
        .await;
        streams.push(stream);
    }
    let ninth = server.raw("POST /mcp", &headers, "listen").await;
    assert_eq!(
        (ninth.status, ninth.body.contains("WEB-010")),
        (503, true),
        "{}",
        ninth.body
    );
    assert!(server.devices.revoke(&device).await.unwrap());
    for mut stream in streams {
        within(stream.read_to_end(&mut Vec::new())).await.unwrap();
    }
}

#[tokio::test]
async fn programs_hold_half_of_the_streams_and_leave_the_owners_pages_the_others() {
    let server = server("brief").await;
    let mut streams = Vec::new();
    let programs = ("POST /mcp", "listen", DeviceScope::Ask);
    let pages = ("GET /events?surface=phone", "", DeviceScope::Owner);
    // Four programs that take what they can, then two browsers of the owner's; each up to what one device may.
    for ((line, body, scope), status) in [
        (programs, "200"),
        (programs, "200"),
        (programs, "503"),
        (programs, "503"),
        (pages, "200"),
        (pages, "200"),
    ] {
        let (_, token) = token(&server, scope).await;
        let headers = format!("{}authorization: Bearer {token}\n", server.host());
        for _ in 0..8 {
            let mut stream = server.open(line, &headers, body).await;
            let mut said = [0; 12];
            within(stream.read_exact(&mut said)).await.unwrap();
            assert_eq!(
                String::from_utf8_lossy(&said),
                format!("HTTP/1.1 {status}"),
                "{line}"
            );
            streams.push(stream);
        }
    }
}

#[tokio::test]
async fn without_a_protocol_there_is_no_such_route() {
    let server = crate::client::server_with("brief", |config| config.mcp = None).await;
    let (_, ask) = token(&server, DeviceScope::Ask).await;
    let answer = post(&server, &format!("authorization: Bearer {ask}\n"), "{}").await;
    assert_eq!((answer.status, answer.body.contains("WEB-008")), (404, true));
}
