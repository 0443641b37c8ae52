//! Messages over standard input and output, to a server on a plain socket.

use crate::client::within;
use aura_doors::mcp::stdio::{McpService, carry};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, duplex},
    net::{TcpListener, TcpStream},
};

/// One request as it came: its head in lower case, and its body.
async fn heard(stream: &mut TcpStream) -> (String, Value) {
    let mut bytes = Vec::new();
    loop {
        let mut more = [0; 4096];
        let read = stream.read(&mut more).await.unwrap();
        assert!(read > 0, "the request ended early");
        bytes.extend_from_slice(&more[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && let Ok(body) = serde_json::from_str(body)
        {
            return (head.to_ascii_lowercase(), body);
        }
    }
}

fn answer(kind: &str, status: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

async fn service() -> (TcpListener, McpService) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    (
        listener,
        McpService::at_address(&address, "a-token".to_owned()).unwrap(),
    )
}

#[test]
fn a_token_goes_to_this_computer_alone() {
    for (address, good) in [
        ("http://127.0.0.1:7878/mcp", true),
        ("http://localhost:7878/mcp", true),
        ("http://[::1]:7878/mcp", true),
        ("http://aura-abc123.localhost:7878/mcp", true),
        ("http://127.0.0.1/mcp", false),
        ("https://127.0.0.1:7878/mcp", false),
        ("http://192.0.2.1:7878/mcp", false),
        ("http://localhost.example:7878/mcp", false),
        ("http://a@192.0.2.1:7878/mcp", false),
        ("/mcp", false),
        ("", false),
    ] {
        assert_eq!(
            McpService::at_address(address, String::new()).is_ok(),
            good,
            "{address}"
        );
    }
}

#[tokio::test]
async fn each_message_is_posted_with_the_token_and_the_head_that_belongs_to_it() {
    let (listener, service) = service().await;
    let (mut client, input) = duplex(64 * 1024);
    let (output, answers) = duplex(64 * 1024);
    let carrying = tokio::spawn(carry(service, BufReader::new(input), output));
    let mut answers = BufReader::new(answers).lines();
    let mut tell = async |line: &str| client.write_all(format!("{line}\n").as_bytes()).await.unwrap();

    // The older version agrees on one, and every later message names it.
    tell(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#).await;
    let (mut stream, _) = listener.accept().await.unwrap();
    let (head, body) = heard(&mut stream).await;
    assert!(head.starts_with("post /mcp http/1.1"), "{head}");
    assert!(
        head.contains("authorization: bearer a-token") && !head.contains("mcp-"),
        "{head}"
    );
    assert_eq!(body["method"], "initialize");
    let agreed = json!({"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-11-25"}}).to_string();
    stream
        .write_all(answer("application/json", "200 OK", &agreed).as_bytes())
        .await
        .unwrap();
    assert_eq!(within(answers.next_line()).await.unwrap().unwrap(), agreed);

    tell(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    let (mut stream, _) = listener.accept().await.unwrap();
    let (head, _) = heard(&mut stream).await;
    assert!(
        head.contains("mcp-protocol-version: 2025-11-25") && !head.contains("mcp-method"),
        "{head}"
    );
    stream
        .write_all(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n")
        .await
        .unwrap();

    // The newer names it itself, and its head says what it is about.
    let call = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {
        "name": "t\u{e4}st", "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}});
    tell(&call.to_string()).await;
    let (mut stream, _) = listener.accept().await.unwrap();
    let (head, _) = heard(&mut stream).await;
    for line in [
        "mcp-protocol-version: 2026-07-28",
        "mcp-method: tools/call",
        "mcp-name: =?base64?",
    ] {
        assert!(head.contains(line), "{line}: {head}");
    }
    // A stream of events is a line each.
    let events = ": hello\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n\
                  event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}\n\n";
    stream
        .write_all(answer("text/event-stream", "200 OK", events).as_bytes())
        .await
        .unwrap();
    let first = within(answers.next_line()).await.unwrap().unwrap();
    assert!(first.contains("notifications/progress"), "{first}");
    let second = within(answers.next_line()).await.unwrap().unwrap();
    assert!(second.contains("\"id\":\"a\""), "{second}");

    // What the service refuses is told with its code.
    tell(r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#).await;
    let (mut stream, _) = listener.accept().await.unwrap();
    heard(&mut stream).await;
    let refusal = json!({"code": "WEB-003", "message": "not signed in"}).to_string();
    stream
        .write_all(answer("application/json", "401 Unauthorized", &refusal).as_bytes())
        .await
        .unwrap();
    let said: Value = serde_json::from_str(&within(answers.next_line()).await.unwrap().unwrap()).unwrap();
    assert_eq!(
        (&said["id"], &said["error"]["message"]),
        (&json!(3), &json!("WEB-003: not signed in"))
    );

    // What is no message is told so, and nothing is sent.
    for line in ["no json", "[1]", "\u{1b}[2J"] {
        tell(line).await;
        let said: Value = serde_json::from_str(&within(answers.next_line()).await.unwrap().unwrap()).unwrap();
        assert_eq!(said["error"]["code"], -32700, "{line}");
    }
    // A method or a version that no head can carry is the service's to refuse: it is there.
    let odd = json!({"jsonrpc": "2.0", "id": 4, "method": "a\nb",
        "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "1\n2"}}});
    tell(&odd.to_string()).await;
    let (mut stream, _) = within(listener.accept()).await.unwrap();
    let (head, body) = heard(&mut stream).await;
    assert!(
        head.contains("mcp-method: =?base64?") && head.contains("mcp-protocol-version: =?base64?"),
        "{head}"
    );
    assert_eq!(body, odd);
    drop((client, stream));
    within(carrying).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_line_that_is_too_long_is_one_error_and_the_next_one_is_heard() {
    let (_listener, service) = service().await;
    let (mut client, input) = duplex(64 * 1024);
    let (output, answers) = duplex(64 * 1024);
    let carrying = tokio::spawn(carry(service, BufReader::new(input), output));
    let mut answers = BufReader::new(answers).lines();
    // Three times what is taken, and one that the end of the input cuts.
    for end in ["\n", ""] {
        let line = format!("{{\"jsonrpc\":\"{}\"}}{end}", "x".repeat(3 * 96 * 1024));
        client.write_all(line.as_bytes()).await.unwrap();
        if end.is_empty() {
            client.shutdown().await.unwrap();
        }
        let said: Value = serde_json::from_str(&within(answers.next_line()).await.unwrap().unwrap()).unwrap();
        assert_eq!(
            said,
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "this line is longer than 98304 bytes"}})
        );
        if !end.is_empty() {
            client.write_all(b"no json\n").await.unwrap();
            let said = within(answers.next_line()).await.unwrap().unwrap();
            assert!(said.contains("this line is no message"), "{said}");
        }
    }
    within(carrying).await.unwrap().unwrap();
    assert_eq!(within(answers.next_line()).await.unwrap(), None);
}

#[tokio::test]
async fn a_request_that_is_taken_back_closes_its_connection() {
    let (listener, service) = service().await;
    let (mut client, input) = duplex(64 * 1024);
    let (output, answers) = duplex(64 * 1024);
    let carrying = tokio::spawn(carry(service, BufReader::new(input), output));
    client
        .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\"}\n")
        .await
        .unwrap();
    let (mut held, _) = listener.accept().await.unwrap();
    heard(&mut held).await;
    let told = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}\n";
    client.write_all(told).await.unwrap();
    let (mut stream, _) = listener.accept().await.unwrap();
    let (_, body) = heard(&mut stream).await;
    assert_eq!(body["method"], "notifications/cancelled");
    stream
        .write_all(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n")
        .await
        .unwrap();
    within(held.read_to_end(&mut Vec::new())).await.unwrap();
    drop(client);
    within(carrying).await.unwrap().unwrap();
    // A request that was taken back is not answered.
    let mut rest = String::new();
    BufReader::new(answers).read_to_string(&mut rest).await.unwrap();
    assert_eq!(rest, "");
}

#[tokio::test]
async fn a_service_that_is_not_there_is_named() {
    let (listener, service) = service().await;
    drop(listener);
    let (mut client, input) = duplex(1024);
    let (output, answers) = duplex(1024);
    let carrying = tokio::spawn(carry(service, BufReader::new(input), output));
    client
        .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
        .await
        .unwrap();
    let said = within(BufReader::new(answers).lines().next_line())
        .await
        .unwrap()
        .unwrap();
    assert!(
        said.contains("is it running?") && !said.contains("a-token"),
        "{said}"
    );
    drop(client);
    within(carrying).await.unwrap().unwrap();
}
