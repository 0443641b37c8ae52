//! Requests to a door, in both versions of the protocol.

use crate::asks_double::AsksDouble;
use aura_doors::mcp::McpDoor;
use hyper::body::{Body as _, Bytes};
use serde_json::{Value, json};
use std::{pin::Pin, sync::Arc, time::Duration};
use surfaces::web::{ConnectedProgram, DoorBody, ProgramDoor};
use surfaces_base::devices::{DeviceId, DeviceScope};
use toolcall_schema::ids::OwnerSeed;

pub(crate) const OLD: &str = "2025-11-25";
pub(crate) const NEW: &str = "2026-07-28";
pub(crate) const PAGE: &str = "http://aura-000000.localhost:7878/";

pub(crate) struct Door {
    pub(crate) double: Arc<AsksDouble>,
    pub(crate) door: Arc<McpDoor>,
}

/// An answer: its status and what it says; of a stream every message.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: u16,
    pub(crate) is_stream: bool,
    pub(crate) messages: Vec<Value>,
}

impl Said {
    pub(crate) fn one(&self) -> &Value {
        assert_eq!(self.messages.len(), 1, "{self:?}");
        &self.messages[0]
    }

    pub(crate) fn result(&self) -> &Value {
        let last = self.messages.last().unwrap();
        assert!(last.get("error").is_none(), "{last}");
        &last["result"]
    }

    pub(crate) fn error_code(&self) -> i64 {
        self.one()["error"]["code"].as_i64().unwrap()
    }
}

pub(crate) fn door() -> Door {
    let double = Arc::new(AsksDouble::default());
    let seed = OwnerSeed::from_bytes([7; 32]);
    let door = Arc::new(McpDoor::new(double.clone(), double.clone(), &seed));
    Door { double, door }
}

pub(crate) fn program(device: &str, scope: DeviceScope) -> ConnectedProgram {
    ConnectedProgram {
        device: DeviceId::from_text(device),
        scope,
        page: PAGE.to_owned(),
    }
}

/// What a client of the newer version sends with each request.
pub(crate) fn meta(abilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": abilities,
    })
}

/// A request in a version, with the head that belongs to it. Of the newer one the abilities go along.
pub(crate) fn request(
    version: &str,
    method: &str,
    params: Value,
    abilities: &Value,
) -> (http::HeaderMap, Value) {
    let mut params = params;
    let mut headers = vec![("mcp-protocol-version", version.to_owned())];
    if version == NEW {
        for (name, value) in meta(abilities).as_object().unwrap() {
            params["_meta"][name] = value.clone();
        }
        headers.push(("mcp-method", method.to_owned()));
        let about = ["name", "uri", "taskId"]
            .iter()
            .find_map(|key| params[*key].as_str());
        if let Some(about) = about {
            headers.push(("mcp-name", about.to_owned()));
        }
    }
    let mut map = http::HeaderMap::new();
    for (name, value) in headers {
        map.insert(name, value.parse().unwrap());
    }
    (
        map,
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}),
    )
}

impl Door {
    /// As the guard hands it over.
    pub(crate) async fn send(
        &self,
        program: ConnectedProgram,
        method: http::Method,
        headers: http::HeaderMap,
        body: &str,
    ) -> http::Response<DoorBody> {
        let mut request = http::Request::builder()
            .method(method)
            .uri("/mcp")
            .body(())
            .unwrap();
        *request.headers_mut() = headers;
        for (name, value) in [
            ("host", "127.0.0.1:7878"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ] {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let (head, ()) = request.into_parts();
        self.door.serve(program, head, Bytes::from(body.to_owned())).await
    }

    pub(crate) async fn post(
        &self,
        program: ConnectedProgram,
        (headers, body): (http::HeaderMap, Value),
    ) -> Said {
        let response = self
            .send(program, http::Method::POST, headers, &body.to_string())
            .await;
        heard(response).await
    }

    /// `method` as a program of scope `ask`.
    pub(crate) async fn ask(&self, version: &str, method: &str, params: Value) -> Said {
        self.able(version, method, params, &json!({})).await
    }

    /// The same by a client that can more.
    pub(crate) async fn able(&self, version: &str, method: &str, params: Value, abilities: &Value) -> Said {
        let program = program("dev_one", DeviceScope::Ask);
        self.post(program, request(version, method, params, abilities))
            .await
    }

    /// `tools/call`
    pub(crate) async fn call(&self, version: &str, tool: &str, arguments: Value) -> Said {
        self.ask(
            version,
            "tools/call",
            json!({"name": tool, "arguments": arguments}),
        )
        .await
    }
}

/// Reads an answer to its end.
pub(crate) async fn heard(response: http::Response<DoorBody>) -> Said {
    let status = response.status().as_u16();
    let kind = response
        .headers()
        .get("content-type")
        .map(|kind| kind.to_str().unwrap().to_owned());
    let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
    let text = within(async {
        let mut body = response.into_body();
        let mut bytes = Vec::new();
        while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            if let Ok(data) = frame.unwrap().into_data() {
                bytes.extend_from_slice(&data);
            }
        }
        String::from_utf8(bytes).unwrap()
    })
    .await;
    let messages = if is_stream {
        let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter(|data| !data.trim().is_empty())
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    } else {
        serde_json::from_str(&text).into_iter().collect()
    };
    Said {
        status,
        is_stream,
        messages,
    }
}

/// A stream of messages that goes on.
pub(crate) struct Listening {
    body: DoorBody,
    rest: String,
}

impl Listening {
    pub(crate) fn new(response: http::Response<DoorBody>) -> Self {
        Self {
            body: response.into_body(),
            rest: String::new(),
        }
    }

    /// The next message.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            if let Some((line, rest)) = self.rest.split_once('\n') {
                let message = line
                    .strip_prefix("data:")
                    .and_then(|data| serde_json::from_str(data).ok());
                let rest = rest.to_owned();
                self.rest = rest;
                if let Some(message) = message {
                    return message;
                }
                continue;
            }
            let body = &mut self.body;
            let frame = within(std::future::poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx))).await;
            let data = frame.unwrap().unwrap().into_data().unwrap();
            self.rest.push_str(std::str::from_utf8(&data).unwrap());
        }
    }
}

/// No test waits longer than this for anything.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(20), future)
        .await
        .unwrap()
}
