//! Connections that somebody else took in.
//!
//! What: [`ConnectionInbox`], where a server's connections come in, and [`ConnectionSource`], that or a listener of its own. Why: a host has
//! one port for the servers of several owners, and each of them may go while another takes its place. Not here: whose a connection is
//! (`host_directory`), what is served on it (`net`).

use super::visits::{VisitGuard, VisitQueue, Visits};
use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{Mutex, mpsc},
};

/// How many connections wait for a server at most, e.g. while it starts; one more is closed.
const WAITING_MAX: usize = 64;

/// A connection whose first bytes were read.
struct BegunConnection {
    stream: std::net::TcpStream,
    begun: Vec<u8>,
    visit: VisitGuard,
}

/// The way of connections to one owner's server.
#[derive(Clone)]
pub struct ConnectionSender {
    waiting: mpsc::Sender<BegunConnection>,
    visits: Visits,
}

impl ConnectionSender {
    /// Whether both lead to the same server.
    #[cfg(test)]
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.waiting.same_channel(&other.waiting)
    }

    /// Hands a connection over with what was read of it. One that finds no room is closed.
    pub(super) fn hand_over(&self, stream: TcpStream, begun: Vec<u8>) {
        match stream.into_std() {
            Ok(stream) => {
                let visit = self.visits.begin();
                let connection = BegunConnection { stream, begun, visit };
                if self.waiting.try_send(connection).is_err() {
                    tracing::warn!("a server takes nobody in: a connection was closed");
                }
            }
            Err(error) => tracing::warn!(kind = %error.kind(), "a connection could not be handed over"),
        }
    }
}

/// Where one owner's connections come in. It outlives the server that takes them.
#[derive(Clone)]
pub struct ConnectionInbox {
    address: SocketAddr,
    waiting: Arc<Mutex<VisitQueue<BegunConnection>>>,
}

/// The way to one owner's server and its end, on the port of that address. Each connection is a visit, from when it is handed over until it is closed.
pub fn connection_inbox(visits: &Visits) -> (ConnectionSender, UnboundInbox) {
    let (waiting, receive) = mpsc::channel(WAITING_MAX);
    let visits = visits.clone();
    (
        ConnectionSender { waiting, visits },
        UnboundInbox(Arc::new(Mutex::new(VisitQueue::from(receive)))),
    )
}

/// An inbox before its host listens.
#[derive(Clone)]
pub struct UnboundInbox(Arc<Mutex<VisitQueue<BegunConnection>>>);

impl UnboundInbox {
    /// Lets go of the server that waited last and has ended: what would wake it holds on to its thread's descriptors.
    pub fn forget_server(&self) {
        if let Ok(mut waiting) = self.0.try_lock() {
            waiting.forget_waiter();
        }
    }

    /// The inbox of a host that listens there.
    pub fn listening_at(&self, address: SocketAddr) -> ConnectionInbox {
        ConnectionInbox {
            address,
            waiting: Arc::clone(&self.0),
        }
    }
}

impl ConnectionInbox {
    /// Where its host listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Where a server's connections come from.
pub enum ConnectionSource {
    /// A port of its own.
    Listener(TcpListener),
    /// A host's, by the owner's name.
    Routed(ConnectionInbox),
}

impl From<TcpListener> for ConnectionSource {
    fn from(listener: TcpListener) -> Self {
        ConnectionSource::Listener(listener)
    }
}

impl From<ConnectionInbox> for ConnectionSource {
    fn from(inbox: ConnectionInbox) -> Self {
        ConnectionSource::Routed(inbox)
    }
}

impl ConnectionSource {
    /// On which address.
    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        match self {
            ConnectionSource::Listener(listener) => listener.local_addr(),
            ConnectionSource::Routed(inbox) => Ok(inbox.address),
        }
    }

    /// The next connection. Dropped before its end, it loses none.
    pub(super) async fn accept(&self) -> io::Result<BegunStream> {
        match self {
            ConnectionSource::Listener(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok(BegunStream::new(stream, Vec::new(), None))
            }
            ConnectionSource::Routed(inbox) => {
                let Some(BegunConnection { stream, begun, visit }) = inbox.waiting.lock().await.next().await
                else {
                    // The host has ended, and ends this server too.
                    return std::future::pending().await;
                };
                Ok(BegunStream::new(TcpStream::from_std(stream)?, begun, Some(visit)))
            }
        }
    }
}

/// A connection that gives what was read of it once more, then the rest.
pub(super) struct BegunStream {
    stream: TcpStream,
    begun: Vec<u8>,
    given: usize,
    _visit: Option<VisitGuard>,
}

impl BegunStream {
    fn new(stream: TcpStream, begun: Vec<u8>, visit: Option<VisitGuard>) -> Self {
        Self {
            stream,
            begun,
            given: 0,
            _visit: visit,
        }
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.stream
    }
}

impl AsyncRead for BegunStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let left = self.begun.get(self.given..).unwrap_or_default();
        if left.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, buf);
        }
        let now = left.len().min(buf.remaining());
        buf.put_slice(left.get(..now).unwrap_or_default());
        self.given += now;
        if self.given == self.begun.len() {
            self.begun = Vec::new();
            self.given = 0;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for BegunStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
