//! A small HTTP client over a plain socket, and a server to talk to.
//!
//! What: one request a connection, answers read to their end. Why: the tests see the very bytes of the wire, also of what
//! a browser would never send. Not here: any claim.

use crate::{
    morning::{self, Double, TOKEN},
    program_door::EchoDoor,
};
use serde_json::Value;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use surfaces::WebConfig;
use surfaces_base::{
    DeviceRegistry,
    devices::{DeviceName, PairingOutcome},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
    task::JoinHandle,
};

/// A running server over a double.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) double: Arc<Double>,
    pub(crate) devices: Arc<DeviceRegistry>,
    pub(crate) stop: oneshot::Sender<()>,
    pub(crate) ended: JoinHandle<std::io::Result<()>>,
}

/// An answer: status, head, body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

pub(crate) async fn server(scene: &str) -> Server {
    server_with(scene, |_| {}).await
}

/// The same with another configuration.
pub(crate) async fn server_with(scene: &str, change: impl FnOnce(&mut WebConfig)) -> Server {
    let listener = surfaces::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let double = Arc::new(Double::of_scene(scene));
    let (stop, stopped) = oneshot::channel();
    let backend: Arc<dyn surfaces_base::Backend> = double.clone();
    let mut config = morning::config();
    config.mcp = Some(Arc::new(EchoDoor));
    change(&mut config);
    let devices = config.devices.clone();
    let ended = tokio::spawn(surfaces::serve(listener, config, backend, async {
        let _ = stopped.await;
    }));
    Server {
        address,
        double,
        devices,
        stop,
        ended,
    }
}

impl Server {
    /// Opens a connection and sends a request with these header lines (each ended by `\n`), Host included; a body is JSON unless they say
    /// otherwise.
    pub(crate) async fn open(&self, line: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let length = if body.is_empty() {
            String::new()
        } else if headers.contains("content-type: ") {
            format!("content-length: {}\n", body.len())
        } else {
            format!("content-type: application/json\ncontent-length: {}\n", body.len())
        };
        let head = format!("{line} HTTP/1.1\n{headers}{length}connection: close\n\n").replace('\n', "\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        stream
    }

    /// A request with exactly these headers.
    pub(crate) async fn raw(&self, line: &str, headers: &str, body: &str) -> Answer {
        let mut stream = self.open(line, headers, body).await;
        let mut bytes = Vec::new();
        within(stream.read_to_end(&mut bytes)).await.unwrap();
        // The typeface is no text.
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_owned(),
            body: if chunked { unchunked(body) } else { body.to_owned() },
        }
    }

    pub(crate) fn host(&self) -> String {
        format!("host: {}:{}\n", morning::NAME, self.address.port())
    }

    /// As a program with the token.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.request_as(TOKEN, &format!("GET {path}"), "").await
    }

    /// As a program with another token.
    pub(crate) async fn request_as(&self, token: &str, line: &str, body: &str) -> Answer {
        let headers = format!("{}authorization: Bearer {token}\n", self.host());
        self.raw(line, &headers, body).await
    }

    /// As a program with the token.
    pub(crate) async fn post(&self, path: &str, body: &str) -> Answer {
        self.request_as(TOKEN, &format!("POST {path}"), body).await
    }

    /// The cookie line of the paired browser.
    pub(crate) fn cookie(&self) -> String {
        format!("cookie: aura_{}={TOKEN}\n", self.address.port())
    }

    /// Waits until the double was called so, in any order with other calls.
    pub(crate) async fn called(&self, line: &str) {
        let mut log = self.double.log.subscribe();
        within(log.wait_for(|log| log.iter().any(|noted| noted == line)))
            .await
            .unwrap();
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.double.log.borrow().clone()
    }
}

/// No test waits longer than this for anything.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(20), future)
        .await
        .unwrap()
}

fn unchunked(body: &str) -> String {
    let (mut out, mut rest) = (String::new(), body);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        out.push_str(&after[..size]);
        rest = &after[size + 2..];
    }
    out
}

/// The cookie of a browser that was opened from the owner's session.
pub(crate) async fn proven_cookie(server: &Server) -> String {
    let code = server.devices.open_for_owner().unwrap();
    let name = DeviceName::parse("Desk").unwrap();
    let paired = server.devices.pair(code.text(), name, None).await.unwrap();
    let PairingOutcome::Added(_, token) = paired else {
        unreachable!("{paired:?}");
    };
    format!("cookie: aura_{}={}\n", server.address.port(), token.text())
}

/// What a page of that browser sends.
pub(crate) async fn send(server: &Server, host: &str, cookie: &str, path: &str, body: &Value) -> Answer {
    let page = server
        .raw("GET /settings", &format!("{}{cookie}", server.host()), "")
        .await;
    let (_, token) = page.body.split_once(r#"name="aura-page" content=""#).unwrap();
    let token = token.split('"').next().unwrap();
    let headers = format!("{host}{cookie}x-aura-page: {token}\n");
    server
        .raw(&format!("POST {path}"), &headers, &body.to_string())
        .await
}
