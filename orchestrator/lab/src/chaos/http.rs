//! HTTP as far as it is needed: one request a connection.
//!
//! What: [`ask`], and [`listen`] for a stream of events. Why: who uses the service here knows nothing of its insides. Not here: what is said
//! (`load`, `fault`).

use super::house::PageAccess;
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

/// How long a stopped service is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The head of a request.
pub(super) fn head(method: &str, path: &str, door: &PageAccess, bytes: usize) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {bytes}\r\nConnection: close\r\n\r\n",
        door.port, door.token,
    )
}

fn connect(door: &PageAccess) -> Option<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", door.port)).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    Some(stream)
}

/// Status and body; `None`: no whole answer.
pub(super) fn ask(method: &str, path: &str, door: &PageAccess, body: Option<&Value>) -> Option<(u16, Value)> {
    let mut stream = connect(door)?;
    let body = body.map(Value::to_string).unwrap_or_default();
    stream
        .write_all(head(method, path, door, body.len()).as_bytes())
        .ok()?;
    stream.write_all(body.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    Some((status, serde_json::from_str(body).unwrap_or(Value::Null)))
}

/// An open stream of events, and the number that the service knows it by.
pub(super) fn listen(door: &PageAccess, surface: &str) -> Option<(TcpStream, u64)> {
    let mut stream = connect(door)?;
    let head = head("GET", &format!("/events?surface={surface}"), door, 0);
    stream.write_all(head.as_bytes()).ok()?;
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let number = lines.find_map(|line| match line {
        // The number of the connection, and behind it the token that a browser's page goes on with.
        Ok(line) => line
            .strip_prefix("data: ")
            .map(|data| data.split(' ').next().and_then(|number| number.parse().ok())),
        Err(_) => Some(None),
    })??;
    Some((stream, number))
}
