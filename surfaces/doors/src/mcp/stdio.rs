//! The same over standard input and output, for clients that start a program.
//!
//! What: [`carry`], which hands each message to the running service's `/mcp` and writes what it answers. Why: this process shows a device's
//! token like any program. It has no key, opens no folder and knows no control socket, so that whoever starts it has what the token has.
//! Not here: where the token comes from (the command line), what a message means (`server`).

use data_encoding::BASE64;
use http::{Method, Request, Response, Uri, header, uri::Authority};
use hyper::{
    body::{Body as _, Bytes, Incoming},
    client::conn::http1,
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fmt, io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    sync::mpsc,
    task::{AbortHandle, JoinSet},
};

/// Bytes of a line: what the service takes.
const LINE_BYTES_MAX: usize = 96 * 1024;
/// The protocol's code for a line that cannot be read.
const NO_MESSAGE: i32 = -32700;
/// Bytes of an answer, or of one event of a stream.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Messages under way.
const UNDER_WAY_MAX: usize = 16;
/// What is still under way when the input ends has so long.
const AFTER_END: Duration = Duration::from_secs(2);

const VERSION: &str = "mcp-protocol-version";
/// Where a message of the newer version says which it is.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// An address that is not the running service's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not an address of this computer such as http://127.0.0.1:7878/mcp: a token is not sent anywhere else"
)]
pub struct NotThisComputer;

/// The running service, and the token that is shown to it.
#[derive(Clone)]
pub struct McpService {
    authority: Authority,
    path: String,
    token: String,
}

impl fmt::Debug for McpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "McpService({})", self.authority)
    }
}

impl McpService {
    /// The service at that address, on this computer alone.
    ///
    /// # Errors
    /// [`NotThisComputer`]
    pub fn at_address(address: &str, token: String) -> Result<Self, NotThisComputer> {
        let uri: Uri = address.parse().map_err(|_| NotThisComputer)?;
        let authority = uri.authority().ok_or(NotThisComputer)?;
        let host = authority.host();
        let is_here = matches!(host, "127.0.0.1" | "localhost" | "[::1]") || host.ends_with(".localhost");
        if uri.scheme_str() != Some("http") || !is_here || authority.port_u16().is_none() {
            return Err(NotThisComputer);
        }
        Ok(Self {
            authority: authority.clone(),
            path: uri.path().to_owned(),
            token,
        })
    }

    /// Posts one message. The connection ends when the answer is dropped.
    async fn post(&self, message: &Value, line: String, version: Option<&str>) -> io::Result<OpenAnswer> {
        let port = self.authority.port_u16().unwrap_or_default();
        let host = if self.authority.host() == "[::1]" {
            "::1"
        } else {
            "127.0.0.1"
        };
        let stream = TcpStream::connect((host, port)).await?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(io::Error::other)?;
        let driver = ConnectionDriver(
            tokio::spawn(async move {
                if connection.await.is_err() {
                    tracing::debug!("a connection to the service ended early");
                }
            })
            .abort_handle(),
        );
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(&self.path)
            .header(header::HOST, self.authority.as_str())
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream");
        if let Some(version) = version {
            request = request.header(VERSION, header_text(version));
        }
        for (name, value) in message_headers(message) {
            request = request.header(name, value);
        }
        let request = request.body(line).map_err(io::Error::other)?;
        let response = sender.send_request(request).await.map_err(io::Error::other)?;
        Ok(OpenAnswer { response, driver })
    }
}

/// What stands in the head of a message of the newer version as well: its method, and what it is about.
fn message_headers(message: &Value) -> Vec<(&'static str, String)> {
    let Some(method) = message.get("method").and_then(Value::as_str) else {
        return vec![];
    };
    if version_of(message).is_none() {
        return vec![];
    }
    let mut headers = vec![("mcp-method", header_text(method))];
    let about = match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    };
    let about = about.and_then(|key| message.get("params")?.get(key)?.as_str());
    if let Some(about) = about {
        headers.push(("mcp-name", header_text(about)));
    }
    headers
}

/// A text as the head of a request can carry it.
fn header_text(text: &str) -> String {
    let plain =
        !text.is_empty() && text.bytes().all(|byte| matches!(byte, 0x21..=0x7e)) && !text.starts_with("=?");
    if plain {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", BASE64.encode(text.as_bytes()))
    }
}

/// The version that a message of the newer kind names itself.
fn version_of(message: &Value) -> Option<&str> {
    message.get("params")?.get("_meta")?.get(META_VERSION)?.as_str()
}

/// Ends its connection when dropped.
struct ConnectionDriver(AbortHandle);

impl Drop for ConnectionDriver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An answer whose body may still come.
struct OpenAnswer {
    response: Response<Incoming>,
    driver: ConnectionDriver,
}

impl OpenAnswer {
    /// Hands over each message of the answer; how many there were.
    async fn tell(self, output: &mpsc::Sender<Vec<u8>>) -> io::Result<AnswerTold> {
        let status = self.response.status();
        let kind = self.response.headers().get(header::CONTENT_TYPE);
        let is_stream = kind
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| kind.starts_with("text/event-stream"));
        let mut body = self.response.into_body();
        let mut events = SseDecoder::default();
        let mut document = Vec::new();
        let mut told = 0;
        while let Some(bytes) = next_bytes(&mut body).await? {
            if is_stream {
                for message in events.push(&bytes)? {
                    told += 1;
                    send(output, message).await?;
                }
            } else if document.len() + bytes.len() > ANSWER_BYTES_MAX {
                return Err(too_long());
            } else {
                document.extend_from_slice(&bytes);
            }
        }
        drop(self.driver);
        if is_stream {
            return Ok(AnswerTold {
                status,
                told,
                said: None,
            });
        }
        let said: Option<Value> = serde_json::from_slice(&document).ok();
        if said.as_ref().is_some_and(|said| said.get("jsonrpc").is_some()) {
            send(output, document).await?;
            return Ok(AnswerTold {
                status,
                told: 1,
                said: None,
            });
        }
        Ok(AnswerTold { status, told, said })
    }
}

/// What came of an answer.
struct AnswerTold {
    status: http::StatusCode,
    told: usize,
    /// A document that is no message: an error of the service itself.
    said: Option<Value>,
}

async fn next_bytes(body: &mut Incoming) -> io::Result<Option<Bytes>> {
    loop {
        let frame = std::future::poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await;
        match frame {
            None => return Ok(None),
            Some(Err(error)) => return Err(io::Error::other(error)),
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    return Ok(Some(bytes));
                }
            }
        }
    }
}

async fn send(output: &mpsc::Sender<Vec<u8>>, message: Vec<u8>) -> io::Result<()> {
    output
        .send(message)
        .await
        .map_err(|_| io::ErrorKind::BrokenPipe.into())
}

fn too_long() -> io::Error {
    io::Error::other("the service's answer is longer than can be passed on")
}

/// Reads server-sent events.
#[derive(Default)]
struct SseDecoder {
    rest: Vec<u8>,
    data: Vec<u8>,
}

impl SseDecoder {
    /// The messages that are whole now.
    fn push(&mut self, bytes: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let mut whole = Vec::new();
        self.rest.extend_from_slice(bytes);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            let line = line.trim_ascii_end();
            if let Some(data) = line.strip_prefix(b"data:") {
                self.data.extend_from_slice(data.trim_ascii_start());
            } else if line.is_empty() && !self.data.is_empty() {
                whole.push(std::mem::take(&mut self.data));
            }
        }
        if self.rest.len() + self.data.len() > ANSWER_BYTES_MAX {
            return Err(too_long());
        }
        Ok(whole)
    }
}

/// Requests that are under way, by their id as JSON.
type UnderWay = Arc<Mutex<BTreeMap<String, AbortHandle>>>;

/// Carries messages, a line each, between a client and the service until the input ends.
///
/// # Errors
/// An input that cannot be read, or an output that cannot be written.
pub async fn carry(
    service: McpService,
    mut input: impl AsyncBufRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let (sender, mut receiver) = mpsc::channel::<Vec<u8>>(UNDER_WAY_MAX);
    let writing = async {
        while let Some(mut message) = receiver.recv().await {
            message.push(b'\n');
            output.write_all(&message).await?;
            output.flush().await?;
        }
        io::Result::Ok(())
    };
    let reading = async {
        let carrier = Carrier {
            service,
            output: sender,
            version: Arc::default(),
            under_way: Arc::default(),
        };
        let mut tasks = JoinSet::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut input)
                .take(LINE_BYTES_MAX as u64 + 1)
                .read_until(b'\n', &mut line)
                .await?;
            if read == 0 {
                break;
            }
            if line.len() > LINE_BYTES_MAX && !line.ends_with(b"\n") {
                skip_line(&mut input).await?;
                let why = format!("this line is longer than {LINE_BYTES_MAX} bytes");
                carrier.tell_error(Value::Null, NO_MESSAGE, &why).await?;
                continue;
            }
            while tasks.try_join_next().is_some() {}
            if tasks.len() >= UNDER_WAY_MAX {
                tasks.join_next().await;
            }
            carrier.begin(&line, &mut tasks).await?;
        }
        // Who asked is gone, or has said all: what is quick is still answered.
        let rest = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(AFTER_END, rest).await.is_err() {
            tracing::debug!("the input ended before everything was answered");
        }
        io::Result::Ok(())
    };
    // The writer ends when all that could tell it something is dropped.
    let (read, written) = tokio::join!(reading, writing);
    read.and(written)
}

/// Passes over the rest of a line.
async fn skip_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf().await?;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let passed = end.map_or(bytes.len(), |end| end + 1);
        input.consume(passed);
        if end.is_some() || passed == 0 {
            return Ok(());
        }
    }
}

/// What the messages of one client share.
#[derive(Clone)]
struct Carrier {
    service: McpService,
    output: mpsc::Sender<Vec<u8>>,
    /// Of the older versions, what was agreed on.
    version: Arc<Mutex<Option<String>>>,
    under_way: UnderWay,
}

impl Carrier {
    async fn begin(&self, line: &[u8], tasks: &mut JoinSet<()>) -> io::Result<()> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        let text = std::str::from_utf8(line).ok();
        let message = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let (Some(text), Some(message @ Value::Object(_))) = (text, message) else {
            return self
                .tell_error(Value::Null, NO_MESSAGE, "this line is no message")
                .await;
        };
        let id = message.get("id").filter(|id| !id.is_null()).map(Value::to_string);
        let method = message.get("method").and_then(Value::as_str);
        let taken_back = (method == Some("notifications/cancelled"))
            .then(|| message.get("params")?.get("requestId").map(Value::to_string))
            .flatten();
        let carrier = self.clone();
        let key = id.clone();
        let text = text.to_owned();
        let is_first = method == Some("initialize");
        let task = async move {
            if is_first {
                carrier.agree(&message, text).await;
            } else {
                carrier.pass_on(&message, text).await;
            }
            let mut under_way = carrier.under_way.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(key) = key {
                under_way.remove(&key);
            }
            if let Some(handle) = taken_back.and_then(|id| under_way.remove(&id)) {
                // The service knows it by now: closing the connection says it once more.
                handle.abort();
            }
        };
        if is_first {
            // What follows names the version that this agrees on.
            task.await;
        } else {
            // Noted under the lock, so that a quick one is not noted after its end.
            let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
            let handle = tasks.spawn(task);
            if let Some(id) = id {
                under_way.insert(id, handle);
            }
        }
        Ok(())
    }

    /// Passes `initialize` on and keeps the version that was agreed on.
    async fn agree(&self, message: &Value, text: String) {
        let (sender, mut receiver) = mpsc::channel(UNDER_WAY_MAX);
        let listening = Self {
            output: sender,
            ..self.clone()
        };
        let hearing = async {
            while let Some(answer) = receiver.recv().await {
                let said: Option<Value> = serde_json::from_slice(&answer).ok();
                let version = said
                    .as_ref()
                    .and_then(|said| said.get("result")?.get("protocolVersion")?.as_str());
                if let Some(version) = version {
                    *self.version.lock().unwrap_or_else(PoisonError::into_inner) = Some(version.to_owned());
                }
                if self.output.send(answer).await.is_err() {
                    break;
                }
            }
        };
        let passing = async move { listening.pass_on(message, text).await };
        tokio::join!(passing, hearing);
    }

    /// Passes a message on, and answers for a service that does not.
    async fn pass_on(&self, message: &Value, text: String) {
        let agreed = self
            .version
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let version = version_of(message).map(str::to_owned).or(agreed);
        let answered = async {
            let answer = self.service.post(message, text, version.as_deref()).await?;
            answer.tell(&self.output).await
        };
        let Some(id) = message.get("id").filter(|id| !id.is_null()).cloned() else {
            if answered.await.is_err() {
                tracing::debug!("a notification was not passed on");
            }
            return;
        };
        let problem = match answered.await {
            Ok(told) if told.told > 0 => return,
            Ok(told) => told.problem(),
            Err(error) => {
                tracing::debug!(%error, "a message was not passed on");
                format!(
                    "Aura does not answer at {}: is it running?",
                    self.service.authority
                )
            }
        };
        // An output that is gone is found by who reads.
        let _ = self.tell_error(id, -32000, &problem).await;
    }

    async fn tell_error(&self, id: Value, code: i32, message: &str) -> io::Result<()> {
        let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
        send(&self.output, error.to_string().into_bytes()).await
    }
}

impl AnswerTold {
    fn problem(&self) -> String {
        let text = |key| self.said.as_ref().and_then(|said| said.get(key)?.as_str());
        match (text("code"), text("message")) {
            (Some(code), Some(message)) => format!("{code}: {message}"),
            _ => format!("the service answered with {}", self.status.as_u16()),
        }
    }
}
