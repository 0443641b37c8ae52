//! The Model Context Protocol, versions 2025-11-25 and 2026-07-28.
//!
//! What: [`McpDoor`], which answers `/mcp`, and [`stdio`], which carries the same over standard input. Why: `rmcp` reads and writes the
//! protocol; here is what each request means for Aura. Every request stands alone, in both versions: there are no sessions. Not here:
//! sampling, roots and logging, which the protocol gives up itself.

mod calls;
mod catalogue;
mod held;
mod prompts;
mod resources;
mod round_trip;
mod server;
pub mod stdio;

use catalogue::ToolDescriptions;
use held::{AskKeys, HeldCalls};
use hyper::body::Bytes;
pub use resources::ResourceBackend;
use rmcp::{
    ServerHandler,
    model::RequestStateCodec,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use round_trip::RoundTrips;
use serde::Deserialize;
use serde_json::Value;
use server::AskServer;
use std::sync::Arc;
use surfaces::web::{ConnectedProgram, DoorBody, ProgramDoor};
use surfaces_base::backend::{BackendFuture, asks::AskBackend};
use toolcall_schema::ids::OwnerSeed;

/// What answers `/mcp`.
pub struct McpDoor {
    rpc: RpcDoor<AskServer>,
    shared: Arc<DoorState>,
}

/// What all requests share.
struct DoorState {
    asks: Arc<dyn AskBackend>,
    resources: Arc<dyn ResourceBackend>,
    trips: RoundTrips,
    keys: AskKeys,
    held: HeldCalls,
    tools: ToolDescriptions,
}

impl McpDoor {
    /// The door of an installation. A `requestState` that was given before a restart is good after it.
    pub fn new(asks: Arc<dyn AskBackend>, resources: Arc<dyn ResourceBackend>, seed: &OwnerSeed) -> Self {
        let key = seed.key("mcp request state v1").mac(&[b"key"]);
        let shared = Arc::new(DoorState {
            asks,
            resources,
            // 32 bytes, as many as are asked for.
            trips: RoundTrips(RequestStateCodec::new_unchecked(key)),
            keys: AskKeys::default(),
            held: HeldCalls::default(),
            tools: ToolDescriptions::default(),
        });
        Self {
            rpc: RpcDoor::new(AskServer(Arc::clone(&shared))),
            shared,
        }
    }
}

impl ProgramDoor for McpDoor {
    fn serve(
        &self,
        program: ConnectedProgram,
        head: http::request::Parts,
        body: Bytes,
    ) -> BackendFuture<http::Response<DoorBody>> {
        if let Some(id) = cancelled_request(&body) {
            self.shared.held.cancel(&program.device, &id);
        }
        self.rpc.serve(program, head, body)
    }
}

/// The protocol's messages over HTTP, without sessions, for whatever answers them. Host, origin and length were checked by the guard.
pub struct RpcDoor<S>(StreamableHttpService<S, NeverSessionManager>);

impl<S: ServerHandler + Clone> RpcDoor<S> {
    /// What `server` answers.
    pub fn new(server: S) -> Self {
        let mut config = StreamableHttpServerConfig::default().disable_allowed_hosts();
        config.legacy_session_mode = false;
        config.json_response = true;
        config.sse_retry = None;
        Self(StreamableHttpService::new(
            move || Ok(server.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        ))
    }
}

impl<S: ServerHandler + Clone> ProgramDoor for RpcDoor<S> {
    fn serve(
        &self,
        program: ConnectedProgram,
        mut head: http::request::Parts,
        body: Bytes,
    ) -> BackendFuture<http::Response<DoorBody>> {
        head.extensions.insert(program);
        let http = self.0.clone();
        Box::pin(async move {
            let request = http::Request::from_parts(head, DoorBody::from(body));
            http.handle(request).await.map(DoorBody::new)
        })
    }
}

/// The request that a notification takes back. Without sessions `rmcp` passes no notification on.
fn cancelled_request(body: &[u8]) -> Option<Value> {
    #[derive(Deserialize)]
    struct Notification<'a> {
        method: &'a str,
        params: CancelledParams,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct CancelledParams {
        request_id: Value,
    }
    let told: Notification<'_> = serde_json::from_slice(body).ok()?;
    (told.method == "notifications/cancelled").then_some(told.params.request_id)
}
