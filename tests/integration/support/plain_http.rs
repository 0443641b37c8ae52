//! HTTP with a service that may have gone.
//!
//! What: [`http`], and [`object`], the answer in whatever frames it. Why: who is killed meanwhile is no failure of a test. Not here: a service
//! that has to answer ([`super::Service::request`]).

use serde_json::Value;
use std::{
    io::{self, Read as _, Write as _},
    net::TcpStream,
};

/// One HTTP request; an error: the service has gone meanwhile.
pub(crate) fn http(port: u16, line: &str, head: &str, body: &str) -> io::Result<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    write!(
        stream,
        "{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{head}Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let cut = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let (head, text) = answer.split_once("\r\n\r\n").ok_or_else(cut)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Ok((status.ok_or_else(cut)?, text.to_owned()))
}

/// The first JSON object of an answer, whatever frames it.
pub(crate) fn object(text: &str) -> Option<Value> {
    let from = text.find('{')?;
    let mut found = serde_json::Deserializer::from_str(&text[from..]).into_iter::<Value>();
    found.next()?.ok()
}
