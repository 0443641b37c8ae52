//! HTTP/1.1 on connections that are passed in.
//!
//! What: [`HttpSession`], which asks one server one thing after the other, follows links on that server alone, and bounds what it takes in.
//! Why: no library of ours opens a connection in here, because nothing can. Not here: what is asked (`dav`, `caldav_change`, `calendar_address`, `simplefin`,
//! `token_server`, `jmap`).

use super::{
    server_events::ServerEvents,
    tls::failure_of,
    wire::{AccountRequest, LookFailure, ServerPlace},
};
use data_encoding::BASE64;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::{
    body::{Body as _, Incoming},
    client::conn::http1::{Builder, SendRequest},
};
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, pki_types::ServerName};
use std::{future::poll_fn, pin::Pin, sync::Arc, time::Duration};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::TlsConnector;
use zeroize::Zeroizing;

/// Bytes of one answer.
const ANSWER_MAX: usize = 24 << 20;
/// What an answer is called that goes on.
const EVENT_STREAM: &str = "text/event-stream";
/// Links that are followed one after the other.
const LINKS_MAX: u32 = 5;

/// What opens a connection to the server: asks who started this process for one.
pub(super) type OpenConnection<'a> = &'a mut dyn FnMut() -> Result<std::net::TcpStream, LookFailure>;

/// What is asked.
pub(super) struct ServerRequest<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) headers: &'a [(&'a str, &'a str)],
    pub(super) body: &'a str,
}

/// What is answered.
pub(super) struct ServerAnswer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    /// Where it was found, after links were followed.
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

impl ServerAnswer {
    /// Itself, when it is a good one.
    ///
    /// # Errors
    /// What its status says.
    pub(super) fn good(self) -> Result<Self, LookFailure> {
        match self.failure() {
            None => Ok(self),
            Some(failure) => Err(failure),
        }
    }

    /// What its status says; `None`: it is a good one.
    pub(super) fn failure(&self) -> Option<LookFailure> {
        if self.status.is_success() {
            return None;
        }
        Some(match self.status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => LookFailure::TooOften {
                after_s: self
                    .header(header::RETRY_AFTER)
                    .and_then(|after| after.parse().ok()),
            },
            status => LookFailure::Refused {
                status: status.as_u16(),
            },
        })
    }

    pub(super) fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// One server, asked one thing after the other.
pub(super) struct HttpSession<'a> {
    place: &'a ServerPlace,
    tls: Option<Arc<ClientConfig>>,
    authorization: Option<HeaderValue>,
    within: Duration,
    open: OpenConnection<'a>,
    sender: Option<SendRequest<String>>,
}

impl<'a> HttpSession<'a> {
    pub(super) fn new(
        request: &'a AccountRequest,
        tls: Option<Arc<ClientConfig>>,
        open: OpenConnection<'a>,
    ) -> Self {
        let by_password = || {
            let login = request.login.as_ref()?;
            let pair = Zeroizing::new(format!("{}:{}", login.user, login.password));
            Some(format!("Basic {}", BASE64.encode(pair.as_bytes())))
        };
        let by_token = request
            .token
            .as_ref()
            .map(|token| format!("Bearer {}", token.token));
        let authorization = by_token.or_else(by_password).and_then(|shown| {
            let mut value = HeaderValue::try_from(shown).ok()?;
            value.set_sensitive(true);
            Some(value)
        });
        Self {
            place: &request.place,
            tls,
            authorization,
            within: Duration::from_millis(request.request_ms),
            open,
            sender: None,
        }
    }

    /// The path of a link that stood in what `from` answered.
    ///
    /// # Errors
    /// As [`ServerPlace::follow`].
    pub(super) fn follow(&self, link: &str, from: &str) -> Result<String, LookFailure> {
        self.place.follow(link, from)
    }

    /// Asks, and follows links on the same server.
    ///
    /// # Errors
    /// [`LookFailure`]; an answer that says no is none.
    pub(super) async fn ask(&mut self, request: &ServerRequest<'_>) -> Result<ServerAnswer, LookFailure> {
        self.ask_so(request, true).await
    }

    /// Opens a connection that nothing was asked over, for what changes something: one that was used may be closed while it is asked over.
    ///
    /// # Errors
    /// [`LookFailure`]: nothing was sent.
    pub(super) async fn open_anew(&mut self) -> Result<(), LookFailure> {
        self.sender = None;
        let opened = timeout(self.within, self.connect()).await;
        self.sender = Some(opened.map_err(|_| LookFailure::Silent).flatten()?);
        Ok(())
    }

    /// As [`Self::ask`], for what changes something: it is sent once, whatever becomes of the connection.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub(super) async fn ask_once(
        &mut self,
        request: &ServerRequest<'_>,
    ) -> Result<ServerAnswer, LookFailure> {
        self.ask_so(request, false).await
    }

    async fn ask_so(
        &mut self,
        request: &ServerRequest<'_>,
        is_repeatable: bool,
    ) -> Result<ServerAnswer, LookFailure> {
        let mut path = request.path.to_owned();
        for _ in 0..=LINKS_MAX {
            let answered = timeout(self.within, self.ask_at(request, &path, is_repeatable)).await;
            let answer = answered.map_err(|_| LookFailure::Silent).flatten()?;
            if answer.status == StatusCode::UNAUTHORIZED {
                return Err(if self.authorization.is_some() {
                    LookFailure::LoginRefused
                } else {
                    LookFailure::LoginMissing
                });
            }
            if !answer.status.is_redirection() || answer.status == StatusCode::NOT_MODIFIED {
                return Ok(answer);
            }
            let link = answer.header(header::LOCATION).ok_or(LookFailure::Broken)?;
            path = self.place.follow(link, &path)?;
        }
        Err(LookFailure::Broken)
    }

    async fn ask_at(
        &mut self,
        request: &ServerRequest<'_>,
        path: &str,
        is_repeatable: bool,
    ) -> Result<ServerAnswer, LookFailure> {
        if let Some(mut sender) = self.sender.take()
            && sender.ready().await.is_ok()
        {
            // Where it was closed meanwhile it is asked again, unless that may change something twice.
            match self.ask_over(sender, request, path).await? {
                Some(answer) => return Ok(answer),
                None if is_repeatable => {}
                None => return Err(LookFailure::Broken),
            }
        }
        let sender = self.connect().await?;
        self.ask_over(sender, request, path)
            .await?
            .ok_or(LookFailure::Broken)
    }

    /// Asks for what the server goes on saying as long as both are there (`text/event-stream`), over a connection of its own; `None`: it says nothing so.
    ///
    /// # Errors
    /// [`LookFailure`]
    pub(super) async fn listen(&mut self, path: &str) -> Result<Option<ServerEvents>, LookFailure> {
        let within = self.within;
        self.sender = None;
        let request = ServerRequest {
            method: "GET",
            path,
            headers: &[("Accept", EVENT_STREAM)],
            body: "",
        };
        let begun = async {
            let sender = self.connect().await?;
            self.send_over(sender, &request, path).await
        };
        let answered = timeout(within, begun).await;
        let Some((sender, answer)) = answered.map_err(|_| LookFailure::Silent).flatten()? else {
            return Ok(None);
        };
        if answer.status() == StatusCode::UNAUTHORIZED {
            return Err(LookFailure::LoginRefused);
        }
        let kind = answer.headers().get(header::CONTENT_TYPE);
        let is_stream = kind
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| kind.starts_with(EVENT_STREAM));
        Ok((answer.status() == StatusCode::OK && is_stream)
            .then(|| ServerEvents::new(sender, answer.into_body())))
    }

    /// Asks over one connection; `None`: it ended without an answer.
    async fn ask_over(
        &mut self,
        sender: SendRequest<String>,
        request: &ServerRequest<'_>,
        path: &str,
    ) -> Result<Option<ServerAnswer>, LookFailure> {
        let Some((sender, answer)) = self.send_over(sender, request, path).await? else {
            return Ok(None);
        };
        let (head, body) = answer.into_parts();
        let body = whole(body).await?;
        self.sender = Some(sender);
        Ok(Some(ServerAnswer {
            status: head.status,
            headers: head.headers,
            path: path.to_owned(),
            body,
        }))
    }

    /// Sends over one connection, and gives it back with what begins to come.
    async fn send_over(
        &self,
        mut sender: SendRequest<String>,
        request: &ServerRequest<'_>,
        path: &str,
    ) -> Result<Option<(SendRequest<String>, Response<Incoming>)>, LookFailure> {
        let method: Method = request.method.parse().map_err(|_| LookFailure::Broken)?;
        let mut asked = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.place.authority())
            .header(header::USER_AGENT, "aura")
            .header(header::ACCEPT_ENCODING, "identity");
        for (name, value) in request.headers {
            asked = asked.header(*name, *value);
        }
        if let Some(authorization) = &self.authorization {
            asked = asked.header(header::AUTHORIZATION, authorization.clone());
        }
        let asked = asked
            .body(request.body.to_owned())
            .map_err(|_| LookFailure::Broken)?;
        match sender.send_request(asked).await {
            Ok(answer) => Ok(Some((sender, answer))),
            Err(error) if error.is_canceled() || error.is_closed() || error.is_incomplete_message() => {
                Ok(None)
            }
            Err(error) => Err(of_hyper(&error)),
        }
    }

    async fn connect(&mut self) -> Result<SendRequest<String>, LookFailure> {
        let passed = (self.open)()?;
        passed.set_nonblocking(true).map_err(|_| LookFailure::Broken)?;
        let stream = TcpStream::from_std(passed).map_err(|_| LookFailure::Broken)?;
        let mut builder = Builder::new();
        builder.max_buf_size(64 * 1024);
        let Some(config) = &self.tls else {
            return begun(builder.handshake(TokioIo::new(stream)).await);
        };
        let name = ServerName::try_from(self.place.host.clone()).map_err(|_| LookFailure::OtherName)?;
        let connector = TlsConnector::from(Arc::clone(config));
        let stream = connector
            .connect(name, stream)
            .await
            .map_err(|error| failure_of(&error))?;
        begun(builder.handshake(TokioIo::new(stream)).await)
    }
}

/// Lets the connection go on beside who asks over it.
fn begun<C>(handshake: hyper::Result<(SendRequest<String>, C)>) -> Result<SendRequest<String>, LookFailure>
where
    C: Future<Output = hyper::Result<()>> + Send + 'static,
{
    let (sender, connection) = handshake.map_err(|error| of_hyper(&error))?;
    // How it ends is told to who asks.
    drop(tokio::spawn(connection));
    Ok(sender)
}

/// All of an answer.
async fn whole(mut body: Incoming) -> Result<Vec<u8>, LookFailure> {
    let announced = body.size_hint().lower();
    if announced > ANSWER_MAX as u64 {
        return Err(LookFailure::TooLarge);
    }
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|error| of_hyper(&error))?;
        let Some(data) = frame.data_ref() else { continue };
        if bytes.len() + data.len() > ANSWER_MAX {
            return Err(LookFailure::TooLarge);
        }
        bytes.extend_from_slice(data);
    }
    Ok(bytes)
}

fn of_hyper(error: &hyper::Error) -> LookFailure {
    if error.is_parse_too_large() {
        LookFailure::TooLarge
    } else if error.is_timeout() {
        LookFailure::Silent
    } else {
        LookFailure::Broken
    }
}
