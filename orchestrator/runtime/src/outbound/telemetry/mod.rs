//! Ticks and figures, to a collector of the owner's that speaks OpenTelemetry (OTLP over HTTP, in JSON).
//!
//! What: `[telemetry]` of the configuration, checked ([`CollectorAddress`]), and one request to the collector. Why: who operates more than Aura sees it in
//! the same place. Off until an endpoint is named. Not here: what is sent (`otlp_json`), when and how often (`exporter`).

mod exporter;
mod otlp_json;

pub(super) use exporter::start;

use super::{ntfy::client_config, web_push::retry_after};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{fmt, io::Read as _, net::IpAddr, time::Duration};
use toolcall_schema::Timestamp;
use ureq::{Agent, http::Uri, tls::RootCerts};

/// How long the collector may take to answer `aura doctor --online`.
const HEALTH: Duration = Duration::from_secs(5);

/// The longest answer that is looked at, in bytes.
const ANSWER_MAX: u64 = 64 * 1024;

/// `[telemetry]` as it is written.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryFile {
    endpoint: Option<String>,
    token: Option<String>,
}

/// A checked collector. `Debug` prints no token.
#[derive(Clone, PartialEq, Eq)]
pub struct CollectorAddress {
    /// Without a slash at its end.
    endpoint: String,
    /// The machine in it, an IPv6 address without its brackets.
    host: String,
    token: Option<String>,
}

impl fmt::Debug for CollectorAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollectorAddress")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl TelemetryFile {
    /// Checks it; `None`: it is off.
    ///
    /// # Errors
    /// What is wrong and what would be right.
    pub fn check(self) -> Result<Option<CollectorAddress>, String> {
        let Some(endpoint) = self.endpoint else {
            return Ok(None);
        };
        let endpoint = endpoint.trim_end_matches('/').to_owned();
        let wrong = || {
            "endpoint is no address like \"http://127.0.0.1:4318\", to which /v1/traces and /v1/metrics are added"
                .to_owned()
        };
        let uri: Uri = endpoint.parse().map_err(|_| wrong())?;
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let plain = uri.query().is_none() && !endpoint.contains(['@', '#']) && !host.is_empty();
        if !plain || uri.path().ends_with("/v1/traces") || uri.path().ends_with("/v1/metrics") {
            return Err(wrong());
        }
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if is_here(host) => {}
            Some("http") => {
                return Err("endpoint is not on this computer, so it needs https://".to_owned());
            }
            _ => return Err(wrong()),
        }
        let visible = |token: &String| !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic());
        if self.token.as_ref().is_some_and(|token| !visible(token)) {
            return Err("token must be visible characters without a space".to_owned());
        }
        let host = host.to_owned();
        Ok(Some(CollectorAddress {
            endpoint,
            host,
            token: self.token,
        }))
    }
}

/// Whether it is this computer.
fn is_here(host: &str) -> bool {
    host.parse()
        .map_or(host == "localhost", |ip: IpAddr| ip.is_loopback())
}

/// What is sent, each to an address of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TelemetrySignal {
    /// The spans of one tick.
    Traces,
    /// The figures of `/metrics`.
    Metrics,
}

impl TelemetrySignal {
    /// As addresses and figures name it.
    fn as_str(self) -> &'static str {
        match self {
            TelemetrySignal::Traces => "traces",
            TelemetrySignal::Metrics => "metrics",
        }
    }

    /// What the answer calls the number of those that were not taken.
    fn rejected_key(self) -> &'static str {
        match self {
            TelemetrySignal::Traces => "rejectedSpans",
            TelemetrySignal::Metrics => "rejectedDataPoints",
        }
    }
}

/// Why something did not arrive. Says no address and no token.
#[derive(Debug, thiserror::Error)]
pub enum CollectorError {
    /// No connection, no answer in time, or a broken one: it is tried again.
    #[error("the collector does not answer")]
    Silent(#[source] Box<ureq::Error>),
    /// It wants to be asked later (429, 502, 503, 504), not before this time has passed.
    #[error("the collector asked to retry later")]
    Later(Duration),
    /// It answered something else than 2xx, a way to elsewhere included: sent again, the same would come back.
    #[error("the collector answered {0}")]
    Refused(u16),
}

impl CollectorAddress {
    /// The machine that it is on.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether that is this computer.
    pub(crate) fn is_here(&self) -> bool {
        is_here(&self.host)
    }

    /// Its address, without a slash at its end.
    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Whether it is asked with a token.
    pub(crate) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// A client. It follows no redirect, uses no proxy, and trusts whom the system trusts.
    fn agent(&self) -> Agent {
        client_config(RootCerts::PlatformVerifier, self.endpoint.starts_with("https://")).into()
    }

    /// Sends one message within a time: how many of its parts were not taken. Blocks.
    fn send(
        &self,
        agent: &Agent,
        signal: TelemetrySignal,
        message: &[u8],
        at_most: Duration,
    ) -> Result<u64, CollectorError> {
        let request = agent
            .post(format!("{}/v1/{}", self.endpoint, signal.as_str()))
            .content_type("application/json");
        let request = match &self.token {
            Some(token) => request.header("Authorization", format!("Bearer {token}")),
            None => request,
        };
        let request = request.config().timeout_global(Some(at_most)).build();
        let mut response = request.send(message).map_err(|error| {
            if matches!(error, ureq::Error::TooManyRedirects) {
                CollectorError::Refused(302)
            } else {
                CollectorError::Silent(Box::new(error))
            }
        })?;
        match response.status().as_u16() {
            200..300 => {
                let mut answer = Vec::new();
                let body = response.body_mut().as_reader();
                // It has taken the message, whatever is wrong with its answer.
                let _ = body.take(ANSWER_MAX).read_to_end(&mut answer);
                Ok(rejected(&answer, signal))
            }
            429 | 502..=504 => {
                let headers = response.headers();
                let wait = if headers.contains_key("retry-after") {
                    retry_after(headers)
                } else {
                    std::time::Duration::ZERO
                };
                Err(CollectorError::Later(wait))
            }
            other => Err(CollectorError::Refused(other)),
        }
    }

    /// Whether it answers, for `aura doctor --online`: it is sent a message without a span.
    ///
    /// # Errors
    /// [`CollectorError`]
    pub fn health(&self) -> Result<(), CollectorError> {
        let nothing = br#"{"resourceSpans":[]}"#;
        self.send(&self.agent(), TelemetrySignal::Traces, nothing, HEALTH)
            .map(drop)
    }
}

/// How many parts the answer says were not taken: a number, or one in a text as JSON writes 64 bits.
fn rejected(answer: &[u8], signal: TelemetrySignal) -> u64 {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    let count = answer
        .get("partialSuccess")
        .and_then(|partial| partial.get(signal.rejected_key()));
    let number = |count: &Value| count.as_u64().or_else(|| count.as_str()?.parse().ok());
    count.and_then(number).unwrap_or(0)
}

/// How the collector stands, as `aura status` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CollectorReport {
    pub(crate) host: String,
    /// Whether that is another computer.
    pub(crate) is_outside: bool,
    /// When it last took something.
    pub(crate) reached_at: Option<Timestamp>,
    /// Why the last attempt did not arrive; absent: it did, or there was none.
    pub(crate) failing: Option<String>,
    /// Ticks that wait to be sent.
    pub(crate) waiting: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(endpoint: &str) -> Result<Option<CollectorAddress>, String> {
        let (endpoint, token) = (Some(endpoint.to_owned()), None);
        TelemetryFile { endpoint, token }.check()
    }

    #[test]
    fn only_this_computer_is_sent_to_in_plain() {
        assert_eq!(TelemetryFile::default().check(), Ok(None));
        for (endpoint, host, is_here) in [
            ("http://127.0.0.1:4318", "127.0.0.1", true),
            ("http://localhost:4318/", "localhost", true),
            ("http://[::1]:4318", "::1", true),
            ("https://127.0.0.1:4318", "127.0.0.1", true),
            ("https://collector.example:4318/otlp", "collector.example", false),
            ("https://10.0.0.7", "10.0.0.7", false),
        ] {
            let collector = check(endpoint).unwrap().unwrap();
            assert_eq!(
                (collector.host(), collector.is_here()),
                (host, is_here),
                "{endpoint}"
            );
            assert_eq!(collector.endpoint(), endpoint.trim_end_matches('/'));
        }
        for (endpoint, says) in [
            ("http://10.0.0.7:4318", "needs https://"),
            ("http://collector.example:4318", "needs https://"),
            ("http://127.0.0.1.example:4318", "needs https://"),
            ("127.0.0.1:4318", "no address like"),
            ("ftp://127.0.0.1", "no address like"),
            ("http://user@127.0.0.1", "no address like"),
            ("http://127.0.0.1:4318/?a=b", "no address like"),
            ("http://127.0.0.1:4318/v1/traces", "no address like"),
            ("", "no address like"),
        ] {
            let refused = check(endpoint).unwrap_err();
            assert!(refused.contains(says), "{endpoint}: {refused}");
        }
    }

    #[test]
    fn parts_that_were_not_taken_are_counted_as_the_answer_writes_them() {
        for (answer, count) in [
            (
                r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"x"}}"#,
                3,
            ),
            (r#"{"partialSuccess":{"rejectedSpans":2}}"#, 2),
            (r#"{"partialSuccess":{"rejectedDataPoints":"4"}}"#, 0),
            (r#"{"partialSuccess":{"rejectedSpans":"-1"}}"#, 0),
            ("{}", 0),
            ("", 0),
            ("no JSON", 0),
        ] {
            assert_eq!(
                rejected(answer.as_bytes(), TelemetrySignal::Traces),
                count,
                "{answer}"
            );
        }
    }
}
