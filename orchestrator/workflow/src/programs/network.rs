//! The network of a program that may reach some hosts and nothing else.
//!
//! What: [`ProgramNetwork`], a proxy (RFC 9110, CONNECT and `http://` requests) at the one address that is in the program's own network. Why:
//! curl, Python, Node and the like ask a proxy without being changed, names are looked up outside, and whom the manifest does not name is not
//! connected to. Not here: that network (`process::sandbox::own_network`), opening connections (`aura_process::broker`).
//!
//! ```text
//! program ──► 127.0.0.1:3128 of its own network ──► here: host named? recorded? public? ──► the host
//! ```

use super::refusal;
use aura_process::{
    broker::connect_to,
    descriptors::{pass_descriptor, receive_descriptor},
    source::LookFailure,
};
use rustix::net::{Shutdown as SocketShutdown, shutdown};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::ChildStdin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};
use toolcall_schema::protocol::manifest::{NetworkHost, ProgramManifest};

/// How long a program may take to come into its network.
const START: Duration = Duration::from_secs(20);
/// How long it may take to say whom it wants, and in how many bytes.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
const HEAD_MAX: usize = 16 << 10;
/// Connections of one program at once.
const OPEN_MAX: usize = 64;

/// Told of each connection of a program before it is made. `false`: it could not be recorded, and is not made.
pub type ConnectionRecorder = Arc<dyn Fn(&NetworkHost) -> bool + Send + Sync>;

/// Lets every connection be made, and tells nobody: for a trial.
pub(super) fn no_recorder() -> ConnectionRecorder {
    Arc::new(|_| true)
}

/// Who connects one program. Dropping it ends its connections.
pub(super) struct ProgramNetwork {
    inner: Arc<NetworkInner>,
    listener: TcpListener,
}

struct NetworkInner {
    program: String,
    hosts: BTreeSet<NetworkHost>,
    is_private: bool,
    record: ConnectionRecorder,
    state: Mutex<NetworkState>,
}

#[derive(Default)]
struct NetworkState {
    is_ended: bool,
    next: u64,
    /// Both ends of each connection.
    open: BTreeMap<u64, Vec<TcpStream>>,
    /// What was refused last.
    refused: Option<String>,
}

/// Why somebody is not connected.
struct ProxyRefusal {
    status: u16,
    why: String,
}

/// What a program asks its proxy for.
struct ProxyRequest {
    host: NetworkHost,
    /// What goes to the host before all else; `None`: all that it hears comes from the program (CONNECT).
    head: Option<Vec<u8>>,
}

impl ProgramNetwork {
    /// Takes the listener of a program that enters its network, and gives it its standard input. `supervised`: the socket that is its standard
    /// input until then.
    ///
    /// # Errors
    /// It ended before (`UnexpectedEof`), or takes too long.
    pub(super) fn begin(
        supervised: &UnixStream,
        manifest: &ProgramManifest,
        record: &ConnectionRecorder,
    ) -> io::Result<(Self, ChildStdin)> {
        supervised.set_read_timeout(Some(START))?;
        let listener = TcpListener::from(receive_descriptor(supervised)?);
        let (reader, writer) = io::pipe()?;
        pass_descriptor(supervised, &reader)?;
        let network = Self::serve(listener, manifest, record)?;
        Ok((network, OwnedFd::from(writer).into()))
    }

    /// Takes connections until it is dropped.
    fn serve(
        listener: TcpListener,
        manifest: &ProgramManifest,
        record: &ConnectionRecorder,
    ) -> io::Result<Self> {
        let inner = Arc::new(NetworkInner {
            program: manifest.name.clone(),
            hosts: manifest.network.hosts().cloned().unwrap_or_default(),
            is_private: manifest.private,
            record: Arc::clone(record),
            state: Mutex::default(),
        });
        let (accepting, accepted) = (listener.try_clone()?, Arc::clone(&inner));
        thread::spawn(move || accepted.accept(&accepting));
        Ok(Self { inner, listener })
    }

    /// What it was refused last, in words that follow others.
    pub(super) fn refused(&self) -> Option<String> {
        self.inner.state().refused.clone()
    }
}

impl Drop for ProgramNetwork {
    fn drop(&mut self) {
        let mut state = self.inner.state();
        state.is_ended = true;
        for stream in state.open.values().flatten() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        // Whoever waits for the next one is woken.
        let _ = shutdown(&self.listener, SocketShutdown::Both);
    }
}

impl NetworkInner {
    fn state(&self) -> MutexGuard<'_, NetworkState> {
        // Each change is one call: a poisoned state is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        loop {
            match listener.accept() {
                Ok((client, _)) => {
                    let inner = Arc::clone(self);
                    thread::spawn(move || inner.converse(&client));
                }
                Err(_) if self.state().is_ended => return,
                Err(error) => {
                    let passes = [io::ErrorKind::Interrupted, io::ErrorKind::ConnectionAborted];
                    if !passes.contains(&error.kind()) {
                        tracing::warn!(agent = self.program, %error, "a program is connected no more");
                        return;
                    }
                }
            }
        }
    }

    fn converse(&self, client: &TcpStream) {
        let Some(id) = self.add(client) else { return };
        if let Err(error) = self.try_converse(id, client) {
            tracing::debug!(agent = self.program, %error, "a program's connection broke");
        }
        self.state().open.remove(&id);
    }

    /// Counts a connection that came. `None`: there are too many, or the program has ended.
    fn add(&self, client: &TcpStream) -> Option<u64> {
        let client = client.try_clone().ok()?;
        let mut state = self.state();
        if state.is_ended || state.open.len() >= OPEN_MAX {
            return None;
        }
        state.next += 1;
        let id = state.next;
        state.open.insert(id, vec![client]);
        Some(id)
    }

    /// Counts the other end of a connection. `false`: the program has ended.
    fn extend(&self, id: u64, server: &TcpStream) -> io::Result<bool> {
        let server = server.try_clone()?;
        let mut state = self.state();
        if let Some(ends) = state.open.get_mut(&id) {
            ends.push(server);
        }
        Ok(!state.is_ended)
    }

    fn try_converse(&self, id: u64, mut client: &TcpStream) -> io::Result<()> {
        client.set_nodelay(true)?;
        client.set_read_timeout(Some(HEAD_WITHIN))?;
        let Some((head, rest)) = read_head(client)? else {
            return Ok(());
        };
        let connected = ProxyRequest::read(&head)
            .ok_or_else(|| ProxyRefusal {
                status: 400,
                why: "this is no request to a proxy".to_owned(),
            })
            .and_then(|request| Ok((self.connect(&request.host)?, request.head)));
        let (mut server, head) = match connected {
            Ok((server, head)) => (server, head),
            Err(refusal) => return client.write_all(&refusal.answer()),
        };
        if !self.extend(id, &server)? {
            return Ok(());
        }
        client.set_read_timeout(None)?;
        match head {
            None => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?,
            Some(head) => server.write_all(&head)?,
        }
        server.write_all(&rest)?;
        tunnel(client, &server);
        Ok(())
    }

    /// A connection to a host, if it is one of those that the owner named.
    fn connect(&self, host: &NetworkHost) -> Result<TcpStream, ProxyRefusal> {
        if !self.hosts.contains(host) {
            return Err(self.refuse(format!(
                "{}: the manifest does not name {host}",
                refusal::NOT_NAMED
            )));
        }
        if !(self.record)(host) {
            let why = format!("{host} is not connected to: that it is could not be recorded");
            return Err(ProxyRefusal { status: 502, why });
        }
        tracing::info!(agent = self.program, %host, "a program is connected");
        connect_to(&host.host, host.port, self.is_private).map_err(|failure| {
            if failure == LookFailure::NotPublic {
                return self.refuse(format!(
                    "{}: {host} is on this computer or in your own network",
                    refusal::NOT_PUBLIC
                ));
            }
            let what = if failure == LookFailure::UnknownHost {
                "has no address"
            } else {
                "does not answer"
            };
            ProxyRefusal {
                status: 502,
                why: format!("{host} {what}"),
            }
        })
    }

    fn refuse(&self, why: String) -> ProxyRefusal {
        tracing::warn!(agent = self.program, why, "a program is not connected");
        self.state().refused = Some(why.clone());
        ProxyRefusal { status: 403, why }
    }
}

impl ProxyRefusal {
    /// As a program hears it. Many show the first line alone.
    fn answer(&self) -> Vec<u8> {
        let Self { status, why } = self;
        format!(
            "HTTP/1.1 {status} {why}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{why}\n",
            why.len() + 1
        )
        .into_bytes()
    }
}

impl ProxyRequest {
    /// Reads a request's head, as far as its empty line.
    fn read(head: &[u8]) -> Option<Self> {
        let head = std::str::from_utf8(head).ok()?;
        let (line, fields) = head.split_once("\r\n")?;
        let mut words = line.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") {
            return None;
        }
        if method == "CONNECT" {
            let host = NetworkHost::parse(target)?;
            return Some(Self { host, head: None });
        }
        let rest = target.strip_prefix("http://")?;
        let path = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(path)?;
        let host =
            NetworkHost::parse(authority).or_else(|| NetworkHost::parse(&format!("{authority}:80")))?;
        let slash = if path.starts_with('/') { "" } else { "/" };
        // One request a connection: the next may be for another host.
        let mut out = format!("{method} {slash}{path} {version}\r\nConnection: close\r\n");
        for field in fields.split("\r\n").filter(|field| !field.is_empty()) {
            let name = field.split(':').next().unwrap_or_default().to_ascii_lowercase();
            if name != "connection" && name != "keep-alive" && !name.starts_with("proxy-") {
                out.push_str(field);
                out.push_str("\r\n");
            }
        }
        out.push_str("\r\n");
        Some(Self {
            host,
            head: Some(out.into_bytes()),
        })
    }
}

/// The head of a request, and what came with it. `None`: it said nothing.
///
/// # Errors
/// It is too long, or does not end in time.
fn read_head(mut client: &TcpStream) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    const END: &[u8] = b"\r\n\r\n";
    let (mut all, mut bytes) = (Vec::new(), [0; 4096]);
    loop {
        if let Some(end) = all.windows(END.len()).position(|window| window == END) {
            let rest = all.split_off(end + END.len());
            return Ok(Some((all, rest)));
        }
        if all.len() > HEAD_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        match client.read(&mut bytes)? {
            0 if all.is_empty() => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => all.extend_from_slice(bytes.get(..count).unwrap_or_default()),
        }
    }
}

/// Carries bytes both ways until both are done. An end that breaks ends its way alone.
fn tunnel(client: &TcpStream, server: &TcpStream) {
    let carry = |mut from: &TcpStream, mut to: &TcpStream| {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    };
    thread::scope(|both| {
        both.spawn(|| carry(client, server));
        carry(server, client);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network as a program has it, on the computer's own loopback, and what was recorded.
    struct TriedNetwork {
        network: ProgramNetwork,
        recorded: Arc<Mutex<Vec<String>>>,
    }

    impl TriedNetwork {
        fn new(hosts: &[&str], private: bool) -> Self {
            let hosts = serde_json::to_string(hosts).unwrap();
            let manifest = format!(
                "name = \"tried\"\nprotocol = \"envelope\"\nskills = [\"agent-protocol\"]\ncommand = [\"sh\"]\n\
                 actions = [\"try\"]\nnetwork = {hosts}\nprivate = {private}\n"
            );
            let manifest = ProgramManifest::parse(&manifest).unwrap();
            let recorded = Arc::new(Mutex::new(Vec::new()));
            let kept = Arc::clone(&recorded);
            let record: ConnectionRecorder = Arc::new(move |host| {
                kept.lock().unwrap().push(host.to_string());
                true
            });
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let network = ProgramNetwork::serve(listener, &manifest, &record).unwrap();
            Self { network, recorded }
        }

        /// All that comes back of what is said.
        fn ask(&self, said: &str) -> String {
            let mut stream = TcpStream::connect(self.network.listener.local_addr().unwrap()).unwrap();
            stream.write_all(said.as_bytes()).unwrap();
            let mut heard = String::new();
            stream.read_to_string(&mut heard).unwrap();
            heard
        }
    }

    /// A server that answers each connection with what it heard first, and ends it.
    fn echo() -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut bytes = [0; 4096];
                let count = stream.read(&mut bytes).unwrap();
                stream.write_all(&bytes[..count]).unwrap();
            }
        });
        port
    }

    #[test]
    fn a_named_host_is_connected_to_and_recorded() {
        let port = echo();
        let named = format!("127.0.0.1:{port}");
        let tried = TriedNetwork::new(&[&named], true);
        let heard = tried.ask(&format!("CONNECT {named} HTTP/1.1\r\nHost: x\r\n\r\nhello"));
        assert_eq!(heard, "HTTP/1.1 200 Connection established\r\n\r\nhello");
        let heard = tried.ask(&format!(
            "GET http://{named}/a?b HTTP/1.1\r\nHost: {named}\r\nProxy-Connection: keep-alive\r\nConnection: keep-alive\r\nA: b\r\n\r\n"
        ));
        assert_eq!(
            heard,
            format!("GET /a?b HTTP/1.1\r\nConnection: close\r\nHost: {named}\r\nA: b\r\n\r\n")
        );
        assert_eq!(*tried.recorded.lock().unwrap(), [named.clone(), named]);
        assert_eq!(tried.network.refused(), None);
    }

    #[test]
    fn nobody_else_is_connected_to_and_own_networks_only_where_the_owner_says_so() {
        let named = format!("127.0.0.1:{}", echo());
        let tried = TriedNetwork::new(&[&named], false);
        for (said, code) in [
            (
                "CONNECT example.org:443 HTTP/1.1\r\n\r\n".to_owned(),
                "PROGRAM-009",
            ),
            ("CONNECT 127.0.0.1:22 HTTP/1.1\r\n\r\n".to_owned(), "PROGRAM-009"),
            (
                "GET http://example.org/ HTTP/1.1\r\n\r\n".to_owned(),
                "PROGRAM-009",
            ),
            (format!("CONNECT {named} HTTP/1.1\r\n\r\n"), "PROGRAM-010"),
        ] {
            let heard = tried.ask(&said);
            assert!(heard.starts_with(&format!("HTTP/1.1 403 {code}")), "{heard}");
            assert!(tried.network.refused().unwrap().starts_with(code));
        }
        for said in ["GET / HTTP/1.1\r\n\r\n", "CONNECT x HTTP/1.1\r\n\r\n", "\r\n\r\n"] {
            let heard = tried.ask(said);
            assert!(heard.starts_with("HTTP/1.1 400 "), "{heard}");
        }
        assert_eq!(*tried.recorded.lock().unwrap(), [named]);
    }

    #[test]
    fn what_is_open_ends_with_the_program() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let named = listener.local_addr().unwrap().to_string();
        let tried = TriedNetwork::new(&[&named], true);
        let mut client = TcpStream::connect(tried.network.listener.local_addr().unwrap()).unwrap();
        write!(client, "CONNECT {named} HTTP/1.1\r\n\r\n").unwrap();
        let (mut server, _) = listener.accept().unwrap();
        let mut line = [0; 12];
        client.read_exact(&mut line).unwrap();
        assert_eq!(&line, b"HTTP/1.1 200");
        drop(tried);
        let mut rest = Vec::new();
        server.read_to_end(&mut rest).unwrap();
        client.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b" Connection established\r\n\r\n");
    }
}
