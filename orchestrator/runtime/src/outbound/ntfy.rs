//! The owner's own ntfy server: where it is, and how it is asked.
//!
//! What: `[ntfy]` of the configuration, checked, and the HTTP client for it. Why: the sockets of Aura that leave this computer
//! lead to what the owner named: this one address, and the push services that she accepted (`web_push`). Not here: what is sent (`publish`), what comes back (`listen`).

use crate::reads::RecordedSend;
use serde::Deserialize;
use std::{fmt, net::IpAddr, sync::Arc, time::Duration};
use ureq::{
    Agent,
    config::Config,
    http::Uri,
    tls::{RootCerts, TlsConfig},
};

/// The shortest topic that is taken, in characters: whoever can guess one can read it.
const TOPIC_MIN: usize = 20;
/// The longest that ntfy takes.
const TOPIC_MAX: usize = 64;
/// A connection that takes longer is none.
const CONNECT: Duration = Duration::from_secs(5);

/// `[ntfy]` as it is written.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NtfyFile {
    server: String,
    topic: String,
    answers: String,
    token: Option<String>,
}

/// A checked server with its two topics. `Debug` prints no topic and no token.
#[derive(Clone, PartialEq, Eq)]
pub struct NtfyServer {
    /// Without a slash at its end.
    server: String,
    /// The machine in it, an IPv6 address without its brackets.
    host: String,
    /// Where cards are published.
    pub topic: String,
    /// Where the buttons publish.
    answers: String,
    token: Option<String>,
}

impl fmt::Debug for NtfyServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NtfyServer")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

impl NtfyFile {
    /// Checks it.
    ///
    /// # Errors
    /// What is wrong and what would be right; no topic and no token is quoted.
    pub fn check(self) -> Result<NtfyServer, String> {
        let server = self.server.trim_end_matches('/').to_owned();
        let uri: Uri = server
            .parse()
            .map_err(|_| "server is no address like \"https://ntfy.example.org\"".to_owned())?;
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let plain = uri.path().trim_matches('/').is_empty() && uri.query().is_none() && !server.contains('@');
        match uri.scheme_str() {
            Some("https") if plain && !host.is_empty() => {}
            Some("http") if plain && is_private(host) => {}
            Some("http") if plain => {
                return Err(
                    "server is not on this computer or a private address, so it needs https://".to_owned(),
                );
            }
            _ => {
                return Err(
                    "server is no address like \"https://ntfy.example.org\", without a path".to_owned(),
                );
            }
        }
        for (key, topic) in [("topic", &self.topic), ("answers", &self.answers)] {
            let fits = (TOPIC_MIN..=TOPIC_MAX).contains(&topic.len())
                && topic
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
            if !fits {
                return Err(format!(
                    "{key} must be {TOPIC_MIN} to {TOPIC_MAX} letters, digits, - and _ that nobody can guess; `aura ntfy setup` makes one"
                ));
            }
        }
        if self.topic == self.answers {
            return Err("topic and answers must be two topics; `aura ntfy setup` makes them".to_owned());
        }
        let host = host.to_owned();
        Ok(NtfyServer {
            server,
            host,
            topic: self.topic,
            answers: self.answers,
            token: self.token,
        })
    }
}

/// Whether what is sent there stays on this computer or in a private network: an address by number, or `localhost`.
fn is_private(host: &str) -> bool {
    match host.parse() {
        // 100.64.0.0/10 is what private networks over the internet (Tailscale, say) give out.
        Ok(IpAddr::V4(ip)) => {
            let [first, second, ..] = ip.octets();
            ip.is_loopback() || ip.is_private() || (first == 100 && (64..128).contains(&second))
        }
        Ok(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local(),
        Err(_) => host == "localhost",
    }
}

/// Why the server cannot be used. Says no address, topic or token.
#[derive(Debug, thiserror::Error)]
pub enum NtfyError {
    /// No connection, no answer in time, or a broken one.
    #[error("the server does not answer")]
    Silent(#[source] Box<ureq::Error>),
    /// It answered with something else than 2xx.
    #[error("the server answered {0}")]
    Refused(u16),
    /// What was to be sent cannot be written down.
    #[error("the message cannot be written")]
    Message,
}

impl From<ureq::Error> for NtfyError {
    fn from(error: ureq::Error) -> Self {
        NtfyError::Silent(Box::new(error))
    }
}

/// A client's settings: no redirect is followed, no proxy used, and TLS is rustls with ring.
pub(super) fn client_config(roots: RootCerts, https_only: bool) -> Config {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(roots)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    Agent::config_builder()
        .tls_config(tls)
        .https_only(https_only)
        .proxy(None)
        .max_redirects(0)
        .http_status_as_error(false)
        .timeout_connect(Some(CONNECT))
        .build()
}

impl NtfyServer {
    /// The machine that it is on.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Its address, without a slash at its end.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Whether it is asked with a token.
    pub(crate) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Where the buttons send to.
    pub fn answers(&self) -> String {
        format!("{}/{}", self.server, self.answers)
    }

    /// A client. It follows no redirect, uses no proxy, and trusts whom the system trusts.
    pub fn agent(&self) -> Agent {
        client_config(RootCerts::PlatformVerifier, self.server.starts_with("https://")).into()
    }

    fn bearer(&self) -> String {
        self.token
            .as_ref()
            .map(|token| format!("Bearer {token}"))
            .unwrap_or_default()
    }

    /// Publishes one message within a time.
    ///
    /// # Errors
    /// [`NtfyError`]
    pub fn publish(
        &self,
        agent: &Agent,
        message: &[u8],
        at_most: Duration,
        _recorded: &RecordedSend,
    ) -> Result<(), NtfyError> {
        let request = agent.post(&self.server).content_type("application/json");
        let request = match &self.token {
            Some(_) => request.header("Authorization", self.bearer()),
            None => request,
        };
        let request = request.config().timeout_global(Some(at_most)).build();
        two_hundred(request.send(message)?.status().as_u16())
    }

    /// Opens the stream of answers after a message, or from a time on (`1m`).
    ///
    /// # Errors
    /// [`NtfyError`]
    pub fn stream(
        &self,
        agent: &Agent,
        since: &str,
        silence: Duration,
    ) -> Result<impl std::io::Read + use<>, NtfyError> {
        let request = agent.get(format!("{}/json?since={since}", self.answers()));
        let request = match &self.token {
            Some(_) => request.header("Authorization", self.bearer()),
            None => request,
        };
        let response = request.config().timeout_per_read(Some(silence)).build().call()?;
        two_hundred(response.status().as_u16())?;
        Ok(response.into_body().into_reader())
    }

    /// Whether it answers, for `aura doctor --online`.
    ///
    /// # Errors
    /// [`NtfyError`]
    pub fn health(&self) -> Result<(), NtfyError> {
        let request = self.agent().get(format!("{}/v1/health", self.server));
        let response = request.config().timeout_global(Some(CONNECT)).build().call()?;
        two_hundred(response.status().as_u16())
    }
}

fn two_hundred(status: u16) -> Result<(), NtfyError> {
    if (200..300).contains(&status) {
        Ok(())
    } else {
        Err(NtfyError::Refused(status))
    }
}
