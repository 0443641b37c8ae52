//! Requests to the measured service.
//!
//! What: [`HttpClient`], one program with the owner's token, and [`EventStream`], its event stream. Why: what pages do over HTTP is measured without a
//! browser too. Not here: what is asked when (`web`).

use super::{BenchError, WAIT};
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Read},
    time::Duration,
};
use ureq::Agent;

/// An agent that reads every status and asks nobody in between.
pub(super) fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(WAIT))
        .proxy(None)
        .build()
        .into()
}

/// A program with the token.
pub(in crate::bench) struct HttpClient {
    agent: Agent,
    origin: String,
    bearer: String,
}

impl HttpClient {
    /// To the service that prints this address.
    pub(in crate::bench) fn of(page: &str, token: &str) -> Result<Self, BenchError> {
        let (_, port) = page
            .trim_end_matches('/')
            .rsplit_once(':')
            .ok_or(BenchError::NoAnswer)?;
        Ok(Self {
            agent: agent(),
            // Programs need no name of its own, which not every resolver knows.
            origin: format!("http://127.0.0.1:{port}"),
            bearer: format!("Bearer {token}"),
        })
    }

    /// Where it asks.
    pub(in crate::bench) fn origin(&self) -> &str {
        &self.origin
    }

    /// The same service, asked by somebody else.
    pub(in crate::bench) fn with_token(&self, token: &str) -> Self {
        Self {
            agent: agent(),
            origin: self.origin.clone(),
            bearer: format!("Bearer {token}"),
        }
    }

    /// A path's whole address.
    fn address(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    /// The body of a page.
    pub(in crate::bench) fn get(&self, path: &str) -> Result<String, BenchError> {
        let request = self
            .agent
            .get(self.address(path))
            .header("authorization", &self.bearer);
        let mut reply = request.call()?;
        if reply.status().as_u16() != 200 {
            return Err(BenchError::NoAnswer);
        }
        Ok(reply.body_mut().read_to_string()?)
    }

    /// The bytes of anything.
    pub(super) fn get_bytes(&self, path: &str) -> Result<Vec<u8>, BenchError> {
        self.get_coded(path, "identity")
    }

    /// How many bytes come over the network, as a browser asks for them: style and script are compressed.
    pub(super) fn transferred(&self, path: &str) -> Result<usize, BenchError> {
        Ok(self.get_coded(path, "gzip")?.len())
    }

    /// The bytes as they come: nothing here undoes the coding.
    fn get_coded(&self, path: &str, coding: &str) -> Result<Vec<u8>, BenchError> {
        let request = self
            .agent
            .get(self.address(path))
            .header("authorization", &self.bearer)
            .header("accept-encoding", coding);
        let mut reply = request.call()?;
        if reply.status().as_u16() != 200 {
            return Err(BenchError::NoAnswer);
        }
        Ok(reply.body_mut().read_to_vec()?)
    }

    /// Posts JSON that is taken.
    pub(in crate::bench) fn post(&self, path: &str, body: &str) -> Result<(), BenchError> {
        match self.post_any(path, body)? {
            (200..=299, _) => Ok(()),
            (_, _) => Err(BenchError::NoAnswer),
        }
    }

    /// Posts JSON: the status, and the JSON of the answer.
    pub(in crate::bench) fn post_any(&self, path: &str, body: &str) -> Result<(u16, Value), BenchError> {
        let (status, text) = self.post_text(path, body)?;
        Ok((status, serde_json::from_str(&text).unwrap_or_default()))
    }

    /// Posts JSON: the status, and the text of the answer.
    pub(in crate::bench) fn post_text(&self, path: &str, body: &str) -> Result<(u16, String), BenchError> {
        let request = self
            .agent
            .post(self.address(path))
            .header("authorization", &self.bearer)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json");
        let mut reply = request.send(body)?;
        let text = reply.body_mut().read_to_string()?;
        Ok((reply.status().as_u16(), text))
    }
}

/// An open event stream.
pub(in crate::bench) struct EventStream(BufReader<Box<dyn Read>>);

impl EventStream {
    /// Opens that of a page, for at most so long.
    pub(in crate::bench) fn open(
        http: &HttpClient,
        surface: &str,
        at_most: Duration,
    ) -> Result<Self, BenchError> {
        let address = http.address(&format!("/events?surface={surface}"));
        let reply = http
            .agent
            .get(address)
            .header("authorization", &http.bearer)
            .config()
            .timeout_global(Some(at_most))
            .build()
            .call()?;
        let body: Box<dyn Read> = Box::new(reply.into_body().into_reader());
        Ok(Self(BufReader::new(body)))
    }

    /// Reads up to an event of that name; its data.
    pub(in crate::bench) fn until(&mut self, name: &str) -> Result<String, BenchError> {
        loop {
            let (event, data) = self.next_event()?;
            if event == name {
                return Ok(data);
            }
        }
    }

    /// The next event's name and data.
    pub(in crate::bench) fn next_event(&mut self) -> Result<(String, String), BenchError> {
        let mut name = String::new();
        let mut line = String::new();
        loop {
            line.clear();
            if self.0.read_line(&mut line)? == 0 {
                return Err(BenchError::NoAnswer);
            }
            let text = line.trim_end();
            if let Some(event) = text.strip_prefix("event:") {
                event.trim().clone_into(&mut name);
            } else if let Some(data) = text.strip_prefix("data:") {
                return Ok((name, data.trim().to_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_of_a_stream_is_told_with_its_name_and_data() {
        let stream = |text: &'static str| EventStream(BufReader::new(Box::new(text.as_bytes())));
        let text = "event: card\nid: 7\ndata: c_1\n\n: still here\n\nevent:tick\ndata:tr_1\n\nevent: closed\ndata: c_1\n\n";
        let mut events = stream(text);
        for expected in [("card", "c_1"), ("tick", "tr_1"), ("closed", "c_1")] {
            let (name, data) = events.next_event().unwrap();
            assert_eq!((name.as_str(), data.as_str()), expected);
        }
        // The stream is over.
        assert!(events.next_event().is_err());
        assert_eq!(stream(text).until("closed").unwrap(), "c_1");
    }
}
