//! Listeners and connections.
//!
//! What: [`accept`], which takes connections in and serves HTTP on them within limits of count, time and size. Why: who opens hundreds
//! of connections and says little keeps nobody else out. Not here: what a request may (`guard`), how often (`limits`), the keys of TLS
//! (`tls`).

use super::error::BindError;
use axum::{Router, body::Body};
use hyper::{
    Request,
    body::{Bytes, Frame, Incoming, SizeHint},
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{Notify, watch},
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;

/// Connections at once, over all listeners.
const CONNECTIONS_MAX: usize = 64;

/// How long the handshake of TLS, and then each request's head may take; a connection that is silent for so long is closed.
const HEAD_LIMIT: Duration = Duration::from_secs(5);

/// A connection that was just opened is not closed before its first request, which is on its way.
const FIRST_REQUEST: Duration = Duration::from_millis(250);

/// Bytes of a head: line and headers.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// When the next connection is taken in after one could not be.
const AGAIN: Duration = Duration::from_millis(200);

/// The connections that may be open. A new one is never turned away for one that only waits: the one that has waited longest for a
/// request makes room.
#[derive(Default)]
pub(super) struct Seats(Mutex<Room>);

#[derive(Default)]
struct Room {
    /// Counts seats taken and requests answered: the order of waiting.
    turn: u64,
    taken: BTreeMap<u64, Seat>,
}

struct Seat {
    /// Since which turn it waits for a request; absent while one is answered.
    waits: Option<u64>,
    leave: Arc<Notify>,
}

impl Seats {
    // A poisoned lock still holds a whole room: each change is one call.
    fn with<T>(&self, change: impl FnOnce(&mut Room) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// `None`: all are answering.
    fn take(self: &Arc<Self>) -> Option<Taken> {
        self.with(|room| {
            if room.taken.len() >= CONNECTIONS_MAX {
                let waiting = room
                    .taken
                    .iter()
                    .filter_map(|(number, seat)| Some((seat.waits?, *number)));
                let (_, longest) = waiting.min()?;
                if let Some(seat) = room.taken.remove(&longest) {
                    seat.leave.notify_one();
                }
            }
            room.turn += 1;
            let (number, leave) = (room.turn, Arc::new(Notify::new()));
            let seat = Seat {
                waits: Some(number),
                leave: Arc::clone(&leave),
            };
            room.taken.insert(number, seat);
            Some(Taken {
                seats: Arc::clone(self),
                number,
                leave,
            })
        })
    }
}

/// A connection's seat, as long as this lives.
struct Taken {
    seats: Arc<Seats>,
    number: u64,
    leave: Arc<Notify>,
}

impl Taken {
    fn busy(&self) -> Busy {
        self.seats.with(|room| {
            if let Some(seat) = room.taken.get_mut(&self.number) {
                seat.waits = None;
            }
        });
        Busy {
            seats: Arc::clone(&self.seats),
            number: self.number,
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.seats.with(|room| room.taken.remove(&self.number));
    }
}

/// A request that is being answered, as long as this lives.
struct Busy {
    seats: Arc<Seats>,
    number: u64,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.seats.with(|room| {
            room.turn += 1;
            if let Some(seat) = room.taken.get_mut(&self.number) {
                seat.waits = Some(room.turn);
            }
        });
    }
}

/// The body of an answer: until its end is handed over the connection does not wait. Event streams are such.
struct Held {
    body: Body,
    _busy: Busy,
}

impl hyper::body::Body for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Listens on an address.
pub(super) async fn listen(address: SocketAddr) -> Result<TcpListener, BindError> {
    TcpListener::bind(address).await.map_err(|source| {
        if source.kind() == io::ErrorKind::AddrInUse {
            BindError::Busy { address }
        } else {
            BindError::Io { address, source }
        }
    })
}

/// Takes connections in until `stopping`; then no more requests, and done when the open ones are answered. Dropped, it closes all.
pub(super) async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    seats: Arc<Seats>,
    stopping: watch::Receiver<bool>,
) {
    let mut open = JoinSet::new();
    let mut stop = stopping.clone();
    loop {
        let accepted = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            Some(_) = open.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                // Small answers must not wait for the next packet.
                if stream.set_nodelay(true).is_err() {
                    tracing::debug!("a connection has no TCP_NODELAY");
                }
                let Some(seat) = seats.take() else {
                    tracing::warn!("all connections are in use: one was closed");
                    continue;
                };
                open.spawn(connection(
                    stream,
                    tls.clone(),
                    router.clone(),
                    seat,
                    stopping.clone(),
                ));
            }
            Err(error) => {
                // No more descriptors, most likely: who comes waits in the queue until there are some again.
                tracing::warn!(kind = %error.kind(), "a listener took nobody in");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
    drop(listener);
    while open.join_next().await.is_some() {}
}

async fn connection(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    router: Router,
    seat: Taken,
    stopping: watch::Receiver<bool>,
) {
    let leave = Arc::clone(&seat.leave);
    let served = async move {
        let Some(tls) = tls else {
            return requests(stream, router, seat, stopping).await;
        };
        if let Ok(Ok(stream)) = tokio::time::timeout(HEAD_LIMIT, tls.accept(stream)).await {
            requests(stream, router, seat, stopping).await;
        } else {
            tracing::debug!("a connection without a handshake of TLS");
        }
    };
    tokio::select! {
        () = served => {}
        () = leave.notified() => tracing::debug!("a connection that waited made room"),
    }
}

async fn requests<I>(io: I, router: Router, seat: Taken, mut stopping: watch::Receiver<bool>)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let router = TowerToHyperService::new(router);
    let (opened, asked) = (Instant::now(), AtomicBool::new(false));
    let service = service_fn(|request: Request<Incoming>| {
        asked.store(true, Ordering::Relaxed);
        let (busy, answer) = (seat.busy(), router.call(request));
        async move {
            answer
                .await
                .map(|response| response.map(|body| Held { body, _busy: busy }))
        }
    });
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_LIMIT)
            .max_buf_size(HEAD_BYTES_MAX)
            .serve_connection(TokioIo::new(io), service)
    );
    let stopped = async {
        // The sender lives as long as the server.
        let _ = stopping.wait_for(|stop| *stop).await;
    };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stopped => {
            let fresh = FIRST_REQUEST.saturating_sub(opened.elapsed());
            let first = async {
                if !asked.load(Ordering::Relaxed) {
                    tokio::time::sleep(fresh).await;
                }
            };
            tokio::select! {
                ended = connection.as_mut() => ended,
                () = first => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            }
        }
    };
    if ended.is_err() {
        tracing::debug!("a connection ended before its requests did");
    }
}
