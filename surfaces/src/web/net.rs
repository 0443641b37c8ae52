//! Listeners and connections.
//!
//! What: [`accept`], which takes connections in and serves HTTP on them within limits of count, time and size. Why: who opens hundreds
//! of connections and says little keeps nobody else out. Not here: what a request may (`guard`), how often (`limits`), the keys of TLS
//! (`tls`).

use super::{
    connection_inbox::{BegunStream, ConnectionSource},
    error::BindError,
};
use axum::{Router, body::Body};
use hyper::{
    Request,
    body::{Body as _, Bytes, Frame, Incoming, SizeHint},
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
    net::TcpListener,
    sync::{Notify, watch},
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;

/// Connections at once, over all listeners.
const CONNECTIONS_MAX: usize = 64;

/// How long the handshake of TLS, and then each request's head may take; a connection that is silent for so long is closed.
pub(super) const HEAD_LIMIT: Duration = Duration::from_secs(5);

/// A connection that was just opened is not closed before its first request, which is on its way.
const FIRST_REQUEST: Duration = Duration::from_millis(250);

/// And so long it makes no room for another one, which waits meanwhile: many that come at once are all heard, and who says nothing is not
/// waited for long.
const FIRST_BYTES: Duration = Duration::from_millis(50);

/// Bytes of a head: line and headers.
pub(super) const HEAD_BYTES_MAX: usize = 16 * 1024;

/// When the next connection is taken in after one could not be.
pub(super) const AGAIN: Duration = Duration::from_millis(200);

/// The pool of open connections. A full pool closes the connection that has been idle longest to admit a new one; where none is, the one
/// whose request has been on its way longest.
#[derive(Default)]
pub(super) struct ConnectionPool {
    state: Mutex<PoolState>,
    /// Told when a connection has ended or was answered.
    room: Notify,
}

#[derive(Default)]
struct PoolState {
    /// Counts seats taken and requests answered: the order of waiting.
    turn: u64,
    taken: BTreeMap<u64, ConnectionSlot>,
}

struct ConnectionSlot {
    /// Since which turn it waits, for a request or the rest of one; absent while one is answered.
    waits: Option<(WaitsFor, u64)>,
    /// Until when its first request may be on its way; absent once that is there.
    fresh_until: Option<Instant>,
    leave: Arc<Notify>,
}

/// What of a request is not there yet. In the order in which who waits makes room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WaitsFor {
    All,
    Body,
}

impl ConnectionPool {
    // A poisoned lock still holds a whole room: each change is one call.
    fn with<T>(&self, change: impl FnOnce(&mut PoolState) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// `None`: all are answering, and go on with it.
    pub(super) async fn take(self: &Arc<Self>) -> Option<SlotGuard> {
        let end = Instant::now() + FIRST_REQUEST;
        loop {
            let now = Instant::now();
            let taken = self.try_take(now);
            if taken.is_some() || now >= end {
                return taken;
            }
            // Some are fresh for as long at most.
            let _ = tokio::time::timeout(FIRST_BYTES, self.room.notified()).await;
        }
    }

    /// `None`: all are answering, or have only just come.
    fn try_take(self: &Arc<Self>, now: Instant) -> Option<SlotGuard> {
        self.with(|room| {
            if room.taken.len() >= CONNECTIONS_MAX {
                let waiting = room
                    .taken
                    .iter()
                    .filter(|(_, seat)| seat.fresh_until.is_none_or(|until| until <= now))
                    .filter_map(|(number, seat)| Some((seat.waits?, *number)));
                let (_, longest) = waiting.min()?;
                if let Some(seat) = room.taken.remove(&longest) {
                    seat.leave.notify_one();
                }
            }
            room.turn += 1;
            let (number, leave) = (room.turn, Arc::new(Notify::new()));
            let seat = ConnectionSlot {
                waits: Some((WaitsFor::All, number)),
                fresh_until: Some(now + FIRST_BYTES),
                leave: Arc::clone(&leave),
            };
            room.taken.insert(number, seat);
            Some(SlotGuard {
                seats: Arc::clone(self),
                number,
                leave,
            })
        })
    }
}

/// Holds a connection's slot until dropped.
pub(super) struct SlotGuard {
    seats: Arc<ConnectionPool>,
    number: u64,
    leave: Arc<Notify>,
}

impl SlotGuard {
    /// Done when another connection needs the room.
    pub(super) async fn told_to_leave(&self) {
        self.leave.notified().await;
    }

    /// A request's head is there, and all of it where it has no body.
    fn begin_request(&self, is_whole: bool) -> Arc<RequestGuard> {
        self.seats.with(|room| {
            room.turn += 1;
            if let Some(seat) = room.taken.get_mut(&self.number) {
                seat.waits = (!is_whole).then_some((WaitsFor::Body, room.turn));
                seat.fresh_until = None;
            }
        });
        Arc::new(RequestGuard {
            seats: Arc::clone(&self.seats),
            number: self.number,
        })
    }
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        self.seats.with(|room| room.taken.remove(&self.number));
        self.seats.room.notify_one();
    }
}

/// A request of a connection, which is idle again once this is dropped.
struct RequestGuard {
    seats: Arc<ConnectionPool>,
    number: u64,
}

impl RequestGuard {
    /// All of it is there.
    fn note_whole(&self) {
        self.seats.with(|room| {
            if let Some(seat) = room.taken.get_mut(&self.number) {
                seat.waits = None;
            }
        });
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.seats.with(|room| {
            room.turn += 1;
            if let Some(seat) = room.taken.get_mut(&self.number) {
                seat.waits = Some((WaitsFor::All, room.turn));
            }
        });
        self.seats.room.notify_one();
    }
}

/// A request body until whose end its connection may have to make room.
struct ArrivingBody {
    body: Incoming,
    request: Arc<RequestGuard>,
}

impl hyper::body::Body for ArrivingBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(polled, Poll::Ready(None)) || self.body.is_end_stream() {
            self.request.note_whole();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A response body that keeps its connection busy until it was sent, as event streams do.
struct GuardedBody {
    body: Body,
    _busy: Arc<RequestGuard>,
}

impl hyper::body::Body for GuardedBody {
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
    source: ConnectionSource,
    tls: Option<TlsAcceptor>,
    router: Router,
    seats: Arc<ConnectionPool>,
    stopping: watch::Receiver<bool>,
) {
    let mut open = JoinSet::new();
    let mut stop = stopping.clone();
    loop {
        let accepted = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            Some(_) = open.join_next() => continue,
            accepted = source.accept() => accepted,
        };
        match accepted {
            Ok(stream) => {
                // Small answers must not wait for the next packet.
                if stream.stream().set_nodelay(true).is_err() {
                    tracing::debug!("a connection has no TCP_NODELAY");
                }
                let Some(seat) = seats.take().await else {
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
                tracing::warn!(kind = %error.kind(), "a listener could not accept a connection");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
    drop(source);
    while open.join_next().await.is_some() {}
}

async fn connection(
    stream: BegunStream,
    tls: Option<TlsAcceptor>,
    router: Router,
    seat: SlotGuard,
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

async fn requests<I>(io: I, router: Router, seat: SlotGuard, mut stopping: watch::Receiver<bool>)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let router = TowerToHyperService::new(router);
    let (opened, asked) = (Instant::now(), AtomicBool::new(false));
    let service = service_fn(|request: Request<Incoming>| {
        asked.store(true, Ordering::Relaxed);
        let busy = seat.begin_request(request.body().is_end_stream());
        let guard = Arc::clone(&busy);
        let answer = router.call(request.map(|body| ArrivingBody { body, request: guard }));
        async move {
            answer
                .await
                .map(|response| response.map(|body| GuardedBody { body, _busy: busy }))
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
