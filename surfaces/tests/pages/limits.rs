//! Limits: hostile requests and too many of them, over real sockets.
//!
//! What: connections that say little, bodies that are too large or no JSON, requests too often, and an honest visitor meanwhile. Why: who
//! behaves badly keeps nobody else out. Not here: the real machine under ten thousand signals (`/tests/flood.rs`), who may come in
//! (`devices`, `door`).

use crate::{
    client::{Answer, Server, server, within},
    morning::TOKEN,
};
use proptest::prelude::*;
use surfaces_base::devices::{DeviceName, DeviceScope};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

async fn raw_bytes(server: &Server, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // Whoever refuses may close before all is sent.
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
    let mut answer = Vec::new();
    let _ = within(stream.read_to_end(&mut answer)).await;
    answer
}

fn bearer(server: &Server) -> String {
    format!(
        "{}authorization: Bearer {TOKEN}\ncontent-type: application/json\n",
        server.host()
    )
}

#[tokio::test]
async fn two_hundred_connections_that_say_little_keep_nobody_out() {
    let server = server("brief").await;
    let mut slow = Vec::new();
    for n in 0..200 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: aura").await.unwrap();
        slow.push(stream);
        if n % 20 == 19 {
            // Each goes on with a byte, those that were closed meanwhile too.
            for stream in &mut slow {
                let _ = stream.write_all(b"x").await;
            }
            assert_eq!(server.get("/v1/ledger").await.status, 200, "after {n}");
        }
    }
    // An event stream that is open is not closed for them.
    let mut events = server
        .open("GET /events?surface=phone", &bearer(&server), "")
        .await;
    let mut first = [0; 15];
    within(events.read_exact(&mut first)).await.unwrap();
    for _ in 0..200 {
        slow.push(TcpStream::connect(server.address).await.unwrap());
    }
    assert_eq!(server.get("/v1/ledger").await.status, 200);
    assert!(server.log().iter().all(|line| !line.starts_with("disconnected")));
}

#[tokio::test]
async fn a_hundred_bodies_that_do_not_end_keep_nobody_out() {
    let server = server("brief").await;
    let half = format!(
        "POST /v1/signals HTTP/1.1\n{}content-length: 100\n\n[",
        bearer(&server)
    );
    let half = half.replace('\n', "\r\n");
    let mut slow = Vec::new();
    for n in 0..100 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(half.as_bytes()).await.unwrap();
        slow.push(stream);
        if n % 20 == 19 {
            assert_eq!(server.get("/v1/ledger").await.status, 200, "after {n}");
        }
    }
}

#[tokio::test]
async fn five_hundred_requests_at_once_are_all_answered() {
    let server = server("brief").await;
    let asked = format!(
        "GET /v1/ledger HTTP/1.1\r\n{}connection: close\r\n\r\n",
        server.host().replace('\n', "\r\n")
    );
    let all: Vec<_> = (0..500)
        .map(|_| {
            let (address, asked) = (server.address, asked.clone());
            tokio::spawn(async move {
                let mut stream = TcpStream::connect(address).await.unwrap();
                // One that was closed is seen by its answer.
                let _ = stream.write_all(asked.as_bytes()).await;
                let mut answer = Vec::new();
                let _ = within(stream.read_to_end(&mut answer)).await;
                answer.starts_with(b"HTTP/1.1 ")
            })
        })
        .collect();
    let mut answered = 0;
    for one in all {
        answered += usize::from(one.await.unwrap());
    }
    assert_eq!(answered, 500);
}

#[tokio::test]
async fn a_head_that_does_not_end_is_closed() {
    let server = server("brief").await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: ").await.unwrap();
    let mut rest = Vec::new();
    // Without an answer: nothing was asked.
    within(stream.read_to_end(&mut rest)).await.unwrap();
    assert_eq!(rest, b"");
}

#[tokio::test]
async fn a_body_that_does_not_end_is_refused() {
    let server = server("brief").await;
    let head = format!(
        "POST /v1/signals HTTP/1.1\n{}content-length: 100\n\n",
        bearer(&server)
    );
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(head.replace('\n', "\r\n").as_bytes())
        .await
        .unwrap();
    stream.write_all(b"[").await.unwrap();
    let mut answer = vec![0; 12];
    within(stream.read_exact(&mut answer)).await.unwrap();
    assert_eq!(answer, b"HTTP/1.1 504");
}

#[tokio::test]
async fn what_is_too_large_is_refused_however_it_is_sent() {
    let server = server("brief").await;
    let head = bearer(&server).replace('\n', "\r\n");
    let long = "x".repeat(20_000);
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x10000));
    for (case, bytes, status) in [
        (
            "a head",
            format!("GET / HTTP/1.1\r\n{head}x-long: {long}\r\n\r\n"),
            "431",
        ),
        ("a line", format!("GET /{long} HTTP/1.1\r\n{head}\r\n"), "4"),
        (
            "a body with its length",
            format!(
                "POST /v1/signals HTTP/1.1\r\n{head}content-length: 99999999999\r\n\r\n{}",
                " ".repeat(300_000)
            ),
            "413",
        ),
        (
            "a body without its length",
            format!(
                "POST /v1/signals HTTP/1.1\r\n{head}transfer-encoding: chunked\r\n\r\n{}0\r\n\r\n",
                chunk.repeat(5)
            ),
            "413",
        ),
        (
            "another body",
            format!(
                "POST /v1/pause HTTP/1.1\r\n{head}content-length: 5000\r\n\r\n{}",
                " ".repeat(5000)
            ),
            "413",
        ),
        ("no HTTP", "\u{16}\u{3}\u{1}hello".repeat(100), "4"),
    ] {
        let answer = raw_bytes(&server, bytes.as_bytes()).await;
        let text = String::from_utf8_lossy(&answer);
        assert!(
            text.starts_with(&format!("HTTP/1.1 {status}")),
            "{case}: {text:.100}"
        );
        assert_eq!(server.get("/v1/ledger").await.status, 200, "after {case}");
    }
    assert_eq!(server.log(), Vec::<String>::new());
}

#[tokio::test]
async fn hostile_json_is_refused_without_a_word_of_it() {
    let server = server("brief").await;
    let deep = "[".repeat(100_000);
    let text = "{\"for\":\"HOSTILE\u{1b}\u{202e}\"}".to_owned();
    for (path, body) in [
        ("/v1/signals", deep),
        ("/v1/signals", "[{\"id\":\"HOSTILE\"".to_owned()),
        ("/v1/signals", "\u{0}HOSTILE".to_owned()),
        ("/v1/pause", text),
        ("/v1/pause", "{\"for\":\"2h\",\"for\":\"HOSTILE\"}".to_owned()),
        ("/v1/rules", "{\"kind\":\"HOSTILE\"}".to_owned()),
        (
            "/v1/cards/c_morning00001/answer",
            "{\"act\":\"HOSTILE\"}".to_owned(),
        ),
    ] {
        let answer = server.post(path, &body).await;
        assert_eq!(answer.status, 400, "{path} {body:.40}");
        assert!(!answer.body.contains("HOSTILE"), "{path}: {}", answer.body);
    }
}

fn retry_after(answer: &Answer) -> Option<u64> {
    let line = answer
        .head
        .lines()
        .find_map(|line| line.strip_prefix("retry-after: "))?;
    line.parse().ok()
}

#[tokio::test]
async fn who_asks_too_often_is_told_when_to_ask_again_and_the_others_go_on() {
    let server = server("brief").await;
    let name = DeviceName::parse("Wild").unwrap();
    let (_, token) = server.devices.add(name, DeviceScope::Owner).await.unwrap();
    let headers = format!("{}authorization: Bearer {}\n", server.host(), token.text());
    let mut refused = None;
    // 200 at once, and 100 more with each second that this takes.
    for _ in 0..20_000 {
        let answer = server.raw("GET /v1/ledger", &headers, "").await;
        if answer.status != 200 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.unwrap();
    assert_eq!((refused.status, refused.body.contains("WEB-023")), (429, true));
    assert_eq!(retry_after(&refused), Some(1));
    assert_eq!(server.get("/v1/ledger").await.status, 200, "another device");
}

#[tokio::test]
async fn codes_are_tried_five_times_a_minute_whoever_tries() {
    let server = server("brief").await;
    let body = r#"{"code":"AAAAA-AAAAA","name":"x"}"#;
    let mut statuses = Vec::new();
    for _ in 0..7 {
        // A new code each time, so that it is the rate that ends this.
        let code = server.devices.open(DeviceScope::Owner, None).unwrap();
        assert!(!body.contains(code.text()));
        statuses.push(server.raw("POST /pair", &server.host(), body).await.status);
    }
    assert_eq!(statuses, [403, 403, 403, 403, 403, 429, 429]);
}

/// What would be in a line of its own breaks the request; the rest is any byte.
#[tokio::test]
async fn a_line_of_a_head_may_end_with_a_bare_line_feed_and_a_chunk_may_not() {
    let server = server("brief").await;
    let (host, bearer) = (server.host(), bearer(&server));
    let health = format!("GET /healthz HTTP/1.1\n{host}\n");
    let chunked =
        format!("POST /v1/signals HTTP/1.1\n{bearer}transfer-encoding: chunked\n\n").replace('\n', "\r\n");
    for (bytes, status) in [
        (health.replace('\n', "\r\n"), 200),
        // The same head, so the same answer, and the same rules for it.
        (health, 200),
        ("GET /healthz HTTP/1.1\nhost: example.org\n\n".to_owned(), 403),
        (format!("{chunked}2\r\n[]\r\n0\r\n\r\n"), 202),
        (format!("{chunked}2\n[]\n0\n\n"), 400),
    ] {
        let answer = raw_bytes(&server, bytes.as_bytes()).await;
        let text = String::from_utf8_lossy(&answer);
        let line = format!("HTTP/1.1 {status} ");
        assert!(text.starts_with(&line), "{bytes:?}: {text:.200}");
    }
}

fn header_bytes() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(
        any::<u8>().prop_filter("no line end", |byte| !matches!(byte, b'\r' | b'\n')),
        0..80,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_host_origin_cookie_or_bearer_lets_anyone_in_without_a_secret(
        host in header_bytes(),
        origin in proptest::option::of(header_bytes()),
        cookie in header_bytes(),
        bearer in header_bytes(),
        ours in any::<[bool; 3]>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answer = runtime.block_on(async {
            let server = server("brief").await;
            let port = server.address.port();
            let [own_host, own_cookie, own_bearer] = ours;
            let mut bytes = b"GET /v1/now HTTP/1.1\r\nconnection: close\r\nhost: ".to_vec();
            bytes.extend(if own_host { format!("aura-000000.localhost:{port}").into_bytes() } else { host });
            if let Some(origin) = origin {
                bytes.extend(b"\r\norigin: ");
                bytes.extend(origin);
            }
            bytes.extend(b"\r\ncookie: ");
            if own_cookie {
                bytes.extend(format!("aura_{port}=").into_bytes());
            }
            bytes.extend(cookie);
            bytes.extend(b"\r\nauthorization: ");
            if own_bearer {
                bytes.extend(b"Bearer ");
            }
            bytes.extend(bearer);
            bytes.extend(b"\r\n\r\n");
            raw_bytes(&server, &bytes).await
        });
        let text = String::from_utf8_lossy(&answer);
        let status = text.split(' ').nth(1).unwrap_or_default();
        prop_assert!(matches!(status, "400" | "401" | "403"), "{}", text);
    }
}
