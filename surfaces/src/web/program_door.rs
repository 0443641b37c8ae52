//! The way of a protocol of other people's programs through the guard.
//!
//! What: [`ProgramDoor`], which whoever starts the server may put behind `/mcp`, and the handler that calls it. Why: host, origin, device,
//! scope and rate are checked here once, whatever the protocol. Not here: the protocol (`aura-doors`), what a program may ask
//! ([`surfaces_base::backend::asks`]).

use super::{
    connections::StreamReader,
    error::WebError,
    state::AppState,
    visitor::{self, CredentialKind, RequestIdentity},
};
use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, header, request::Parts},
    response::{IntoResponse, Response},
};
use futures_util::StreamExt;
use std::sync::Arc;
use surfaces_base::{
    backend::BackendFuture,
    devices::{DeviceId, DeviceScope},
};

/// The body of an answer: a document, or a stream of events.
pub use axum::body::Body as DoorBody;

/// Bytes of a request: a call has 64 KiB at most, and a protocol puts some around it.
pub(super) const DOOR_BYTES_MAX: usize = 96 * 1024;

/// A protocol behind the guard.
pub trait ProgramDoor: Send + Sync + 'static {
    /// Answers one request of a program that the guard let in. A body that is a stream is ended by the server when the device is revoked or the
    /// service ends.
    fn serve(
        &self,
        program: ConnectedProgram,
        head: Parts,
        body: Bytes,
    ) -> BackendFuture<axum::http::Response<DoorBody>>;
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedProgram {
    pub device: DeviceId,
    /// [`DeviceScope::Ask`] or [`DeviceScope::Operator`].
    pub scope: DeviceScope,
    /// The owner's own page, where she says yes or no. No secret is in it: it is for a browser of hers.
    pub page: String,
}

/// `/mcp`, whatever the method. A browser's cookie is good for nothing here: a program shows its own token.
pub(super) async fn serve(
    State(app): State<Arc<AppState>>,
    head: Parts,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Result<Response, WebError> {
    let door = app.mcp.as_ref().ok_or(WebError::NotFound)?;
    let Some(RequestIdentity {
        device,
        scope,
        by: CredentialKind::Bearer,
    }) = visitor::visitor()
    else {
        return Err(WebError::SignedOut);
    };
    let body = body.map_err(|_| WebError::TooLarge)?;
    let program = ConnectedProgram {
        device: device.clone(),
        scope,
        page: app.door.hosts.own_address("/"),
    };
    let response = door.serve(program, head, body).await;
    if !is_stream(response.headers()) {
        return Ok(response.into_response());
    }
    let Some(number) = app.connections.add(StreamReader::Program, device.clone()) else {
        return Err(WebError::TooManyStreams);
    };
    let slot = StreamSlot {
        app: Arc::clone(&app),
        number,
    };
    let revoked = app.door.devices.revoked(device);
    let mut stopping = app.stopping.clone();
    let ended = async move {
        tokio::select! {
            () = revoked => {}
            // The sender lives as long as the server.
            _ = stopping.wait_for(|stop| *stop) => {}
        }
        drop(slot);
    };
    let (head, body) = response.into_parts();
    let frames = body.into_data_stream().take_until(Box::pin(ended));
    Ok(Response::from_parts(head, DoorBody::from_stream(frames)))
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/event-stream"))
}

/// A stream's place among those of its device, until it is dropped.
struct StreamSlot {
    app: Arc<AppState>,
    number: u64,
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.app.connections.remove(self.number);
    }
}
