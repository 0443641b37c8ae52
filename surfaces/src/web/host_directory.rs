//! One port for the servers of several owners.
//!
//! What: [`HostDirectory`], which server is reached under which host name, and [`route_connections`], which reads the beginning of each
//! connection up to its host and hands it over to that server. Why: the owner is chosen before anything else is looked at, never by a path
//! or another header; each server then judges the whole request by its own names (`hosts`), so that a connection which asks under another
//! owner's name later is refused there. Who is served by another host is handed over to [`ElsewhereConnections`]. Not here: what is served (`net`).

use super::{
    connection_inbox::ConnectionSender,
    hosts::PageNames,
    net::{AGAIN, ConnectionPool, HEAD_BYTES_MAX, HEAD_LIMIT},
};
use std::{
    collections::{BTreeMap, btree_map::Entry},
    net::IpAddr,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// What is answered under a name that nobody here has. It says nothing about who is here.
const NOBODY: &[u8] = b"HTTP/1.1 421 Misdirected Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 43\r\n\
cache-control: no-store\r\nx-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n\
content-security-policy: default-src 'none'\r\nconnection: close\r\n\r\nWEB-030 nobody is served under this address";

/// How long who asked under no name of ours may take to read that.
const LINGER: Duration = Duration::from_secs(1);

/// A connection that was asked for under a name whose owner another host serves.
pub struct ElsewhereConnection {
    pub stream: TcpStream,
    /// What was read of it.
    pub begun: Vec<u8>,
    /// Whether another host has handed it over: it goes no further.
    pub is_from_host: bool,
}

/// Takes the connections to an owner whom another host serves. It is called on a runtime of tokio and must not wait.
pub type ElsewhereConnections = Arc<dyn Fn(ElsewhereConnection) + Send + Sync>;

/// Where the connections under a name go.
#[derive(Clone)]
enum ConnectionTarget {
    Here(ConnectionSender),
    Elsewhere(ElsewhereConnections),
}

/// Which server is reached under which name.
#[derive(Default)]
pub struct HostDirectory(RwLock<DirectoryEntries>);

#[derive(Default)]
struct DirectoryEntries {
    /// The only server: it judges every name itself.
    only: Option<ConnectionSender>,
    /// Who wants which name, by the name without its port, in the order in which they came. None is empty.
    claims: BTreeMap<String, Vec<NameClaim>>,
    servers: BTreeMap<u32, NamedServer>,
}

/// A name that a server wants.
struct NameClaim {
    number: u32,
    /// In small letters, with its port or for any.
    name: String,
}

struct NamedServer {
    target: ConnectionTarget,
    /// Its claims, as they are named.
    names: Vec<String>,
}

/// A host name as the claims have it: in small letters, without the dot of the root.
fn to_claim(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

/// A host name without its port, and without the dot of the root.
fn without_port(host: &str) -> &str {
    let name = match host.rsplit_once(':') {
        // The last colon within an address of IPv6 is followed by its bracket.
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        Some(_) | None => host,
    };
    name.strip_suffix('.').unwrap_or(name)
}

/// Whether a name leads to this machine by itself: then it is only whose it is by its folder.
fn is_local(name: &str) -> bool {
    let address = name
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<IpAddr>();
    name == "localhost" || name.ends_with(".localhost") || address.is_ok_and(|ip| ip.is_loopback())
}

impl HostDirectory {
    /// Of one server alone.
    pub fn of_one(server: ConnectionSender) -> Self {
        Self(RwLock::new(DirectoryEntries {
            only: Some(server),
            ..DirectoryEntries::default()
        }))
    }

    /// From now on a server is reached under these names and no others; how many of them are another server's or nobody's. A name is whose claim
    /// to it is the oldest, whatever port stands with it; a name of this machine alone is only whose own it is.
    pub fn set_names(&self, number: u32, names: &PageNames, server: &ConnectionSender) -> usize {
        self.set_target(number, names, ConnectionTarget::Here(server.clone()))
    }

    /// The same for an owner whom another host serves.
    pub fn set_elsewhere(&self, number: u32, names: &PageNames, takes: ElsewhereConnections) -> usize {
        self.set_target(number, names, ConnectionTarget::Elsewhere(takes))
    }

    fn set_target(&self, number: u32, names: &PageNames, target: ConnectionTarget) -> usize {
        let own = to_claim(&names.own);
        let added = names.added.iter().map(|name| to_claim(name));
        let wanted: Vec<String> = [own.clone()].into_iter().chain(added).collect();
        let is_allowed = |name: &String| !is_local(without_port(name)) || without_port(name) == own;
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let before = entries.servers.remove(&number).map(|server| server.names);
        for name in before.into_iter().flatten().filter(|name| !wanted.contains(name)) {
            entries.withdraw(number, &name);
        }
        let names: Vec<String> = wanted.iter().filter(|name| is_allowed(name)).cloned().collect();
        for name in &names {
            entries.claim(number, name);
        }
        entries.servers.insert(number, NamedServer { target, names });
        let is_refused =
            |name: &&String| !is_allowed(name) || entries.holder(without_port(name)) != Some(number);
        wanted.iter().filter(is_refused).count()
    }

    /// A server is reached no longer. Whoever wanted one of its names has it now.
    pub fn remove(&self, number: u32) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let names = entries.servers.remove(&number).map(|server| server.names);
        for name in names.into_iter().flatten() {
            entries.withdraw(number, &name);
        }
    }

    /// What is reached under a host, as a request names it.
    fn find(&self, host: Option<&str>) -> Option<ConnectionTarget> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(only) = &entries.only {
            return Some(ConnectionTarget::Here(only.clone()));
        }
        let host = to_claim(host?);
        let bare = without_port(&host);
        let claims = entries.claims.get(bare)?;
        let holder = claims.first()?.number;
        let is_meant =
            |claim: &NameClaim| claim.number == holder && (claim.name == host || claim.name == bare);
        if !claims.iter().any(is_meant) {
            return None;
        }
        Some(entries.servers.get(&holder)?.target.clone())
    }
}

impl DirectoryEntries {
    /// Whose a name without a port is.
    fn holder(&self, bare: &str) -> Option<u32> {
        Some(self.claims.get(bare)?.first()?.number)
    }

    /// A claim that is there already keeps its place.
    fn claim(&mut self, number: u32, name: &str) {
        let claims = self.claims.entry(without_port(name).to_owned()).or_default();
        if !claims
            .iter()
            .any(|claim| claim.number == number && claim.name == name)
        {
            let name = name.to_owned();
            claims.push(NameClaim { number, name });
        }
    }

    fn withdraw(&mut self, number: u32, name: &str) {
        if let Entry::Occupied(mut entry) = self.claims.entry(without_port(name).to_owned()) {
            entry
                .get_mut()
                .retain(|claim| claim.number != number || claim.name != name);
            if entry.get().is_empty() {
                entry.remove();
            }
        }
    }
}

/// Takes connections in, and hands each over to the server that its first request names, until it is dropped. `is_from_host`: those of other hosts.
pub async fn route_connections(listener: TcpListener, directory: Arc<HostDirectory>, is_from_host: bool) {
    let (seats, mut open) = (Arc::new(ConnectionPool::default()), JoinSet::new());
    loop {
        let accepted = tokio::select! {
            Some(_) = open.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let Some(seat) = seats.take().await else {
                    tracing::warn!("all connections are in use: one was closed");
                    continue;
                };
                let directory = Arc::clone(&directory);
                open.spawn(async move {
                    tokio::select! {
                        _ = tokio::time::timeout(HEAD_LIMIT, route_connection(stream, &directory, is_from_host)) => {}
                        () = seat.told_to_leave() => tracing::debug!("a connection that waited made room"),
                    }
                });
            }
            Err(error) => {
                // No more descriptors, most likely: who comes waits in the queue until there are some again.
                tracing::warn!(kind = %error.kind(), "a listener could not accept a connection");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

async fn route_connection(mut stream: TcpStream, directory: &HostDirectory, is_from_host: bool) {
    let mut begun = Vec::with_capacity(1024);
    let host = loop {
        match stream.read_buf(&mut begun).await {
            // Who says no whole head is nobody's.
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        match find_host(&begun) {
            HostSearch::Host(host) => break Some(host.to_owned()),
            HostSearch::NoHost => break None,
            HostSearch::Unfinished if begun.len() >= HEAD_BYTES_MAX => break None,
            HostSearch::Unfinished => {}
        }
    };
    match directory.find(host.as_deref()) {
        Some(ConnectionTarget::Here(server)) => server.hand_over(stream, begun),
        Some(ConnectionTarget::Elsewhere(takes)) => takes(ElsewhereConnection {
            stream,
            begun,
            is_from_host,
        }),
        None => answer_and_close(stream, NOBODY).await,
    }
}

/// Answers a connection whose request is not read, and lets them read it.
pub async fn answer_and_close(mut stream: TcpStream, answer: &[u8]) {
    if stream.write_all(answer).await.is_err() || stream.shutdown().await.is_err() {
        return;
    }
    // A close with something unread would take the answer back.
    let mut rest = [0; 1024];
    let drained = async { while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {} };
    let _ = tokio::time::timeout(LINGER, drained).await;
}

/// What the beginning of a request says of its host.
#[derive(Debug, PartialEq, Eq)]
enum HostSearch<'a> {
    Host(&'a str),
    /// The head is whole without one, or none that can be read.
    NoHost,
    /// Not yet.
    Unfinished,
}

/// The first Host of a request's head. Whether it is the only one is judged by the server that it names.
fn find_host(begun: &[u8]) -> HostSearch<'_> {
    let mut lines = begun.split_inclusive(|byte| *byte == b'\n');
    // The request line.
    lines.next();
    for line in lines {
        let Some(line) = line.strip_suffix(b"\n") else {
            return HostSearch::Unfinished;
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return HostSearch::NoHost;
        }
        let mut parts = line.splitn(2, |byte| *byte == b':');
        if let (Some(name), Some(value)) = (parts.next(), parts.next())
            && name.eq_ignore_ascii_case(b"host")
        {
            return std::str::from_utf8(value)
                .map_or(HostSearch::NoHost, |host| HostSearch::Host(host.trim()));
        }
    }
    HostSearch::Unfinished
}

#[cfg(test)]
mod tests {
    use super::{
        super::{connection_inbox::connection_inbox, visits::Visits},
        *,
    };

    #[test]
    fn the_first_host_is_found_once_its_line_is_whole() {
        for (begun, found) in [
            ("", HostSearch::Unfinished),
            ("GET / HTTP/1.1\r\n", HostSearch::Unfinished),
            ("GET / HTTP/1.1\r\nHost: asha.local", HostSearch::Unfinished),
            (
                "GET / HTTP/1.1\r\nHost: asha.localhost:7878\r\n",
                HostSearch::Host("asha.localhost:7878"),
            ),
            (
                "GET / HTTP/1.1\nAccept: */*\nhOST:jonas.localhost\nHost: asha.localhost\n\n",
                HostSearch::Host("jonas.localhost"),
            ),
            (
                "GET /asha HTTP/1.1\r\nX-Host: asha\r\n\r\nHost: asha",
                HostSearch::NoHost,
            ),
        ] {
            assert_eq!(find_host(begun.as_bytes()), found, "{begun:?}");
        }
        assert_eq!(find_host(b"GET / HTTP/1.1\r\nHost: \xff\r\n"), HostSearch::NoHost);
    }

    fn names(own: &str, added: &[&str]) -> PageNames {
        PageNames {
            own: own.to_owned(),
            added: added.iter().map(|name| (*name).to_owned()).collect(),
            is_one_of_several: true,
        }
    }

    /// Which of two servers, 1 or 2, a host leads to.
    fn found(directory: &HostDirectory, servers: [&ConnectionSender; 2], host: &str) -> Option<usize> {
        let Some(ConnectionTarget::Here(found)) = directory.find(Some(host)) else {
            return None;
        };
        servers
            .iter()
            .position(|server| server.is_same(&found))
            .map(|index| index + 1)
    }

    #[test]
    fn a_name_belongs_to_who_had_it_first_until_they_let_go_of_it() {
        let directory = HostDirectory::default();
        let (asha, _asha) = connection_inbox(&Visits::default());
        let (jonas, _jonas) = connection_inbox(&Visits::default());
        let of = |host: &str| found(&directory, [&asha, &jonas], host);
        let ashas = names("Asha.localhost", &["home.example:8443"]);
        assert_eq!(directory.set_names(1, &ashas, &asha), 0);
        // Whatever port stands with it, and however it is written.
        for taken in [
            "home.example:8443",
            "HOME.example",
            "home.example.",
            "home.example:9",
        ] {
            let jonas_names = names("jonas.localhost", &[taken, "[2001:db8::5]"]);
            assert_eq!(directory.set_names(2, &jonas_names, &jonas), 1, "{taken}");
            for (host, server) in [
                ("asha.localhost:7878", Some(1)),
                ("ASHA.localhost", Some(1)),
                ("asha.localhost.:7878", Some(1)),
                ("home.example:8443", Some(1)),
                ("home.example", None),
                ("home.example:9", None),
                ("jonas.localhost:7878", Some(2)),
                ("[2001:db8::5]:7878", Some(2)),
                ("[2001:db8::5]", Some(2)),
                ("127.0.0.1:7878", None),
                ("x.asha.localhost", None),
                ("", None),
            ] {
                assert_eq!(of(host), server, "{host:?}");
            }
        }
        assert!(directory.find(None).is_none());
        // What one lets go of is who asked for it next's, without another word of theirs.
        directory.remove(1);
        assert_eq!(of("asha.localhost"), None);
        assert_eq!(of("home.example:9"), Some(2));
        assert_eq!(of("jonas.localhost"), Some(2));
        assert!(HostDirectory::of_one(asha.clone()).find(None).is_some());
    }

    #[test]
    fn connections_to_an_owner_of_another_host_are_handed_over_until_she_is_here() {
        let directory = HostDirectory::default();
        let (asha, _asha) = connection_inbox(&Visits::default());
        let ashas = names("asha.localhost", &["home.example"]);
        directory.set_elsewhere(1, &ashas, Arc::new(|_| {}));
        for host in ["asha.localhost:7878", "home.example"] {
            assert!(matches!(
                directory.find(Some(host)),
                Some(ConnectionTarget::Elsewhere(_))
            ));
        }
        directory.remove(1);
        directory.set_names(2, &ashas, &asha);
        for host in ["asha.localhost:7878", "home.example"] {
            assert!(matches!(
                directory.find(Some(host)),
                Some(ConnectionTarget::Here(_))
            ));
        }
    }

    #[test]
    fn nobody_takes_a_name_of_this_machine_that_is_not_their_own() {
        for foreign in [
            "jonas.localhost:7878",
            "jonas.localhost",
            "Jonas.LOCALHOST.",
            "localhost",
            "localhost:7878",
            "127.0.0.1:7878",
            "127.1.2.3",
            "[::1]:7878",
        ] {
            let directory = HostDirectory::default();
            let (asha, _asha) = connection_inbox(&Visits::default());
            let (jonas, _jonas) = connection_inbox(&Visits::default());
            let ashas = names("asha.localhost", &[foreign, "asha.localhost:7878"]);
            assert_eq!(directory.set_names(1, &ashas, &asha), 1, "{foreign}");
            let of = |host: &str| found(&directory, [&asha, &jonas], host);
            // Not while Jonas is paused, and not when he comes.
            assert_eq!(of(foreign), None, "{foreign}");
            assert_eq!(directory.set_names(2, &names("jonas.localhost", &[]), &jonas), 0);
            assert_eq!(of("jonas.localhost:7878"), Some(2), "{foreign}");
            assert_eq!(of("asha.localhost:7878"), Some(1), "{foreign}");
        }
    }

    #[test]
    fn a_name_stays_with_its_holder_when_their_settings_are_read_again() {
        let directory = HostDirectory::default();
        let (asha, _asha) = connection_inbox(&Visits::default());
        let (jonas, _jonas) = connection_inbox(&Visits::default());
        let of = |host: &str| found(&directory, [&asha, &jonas], host);
        directory.set_names(2, &names("jonas.localhost", &["home.example"]), &jonas);
        // The lower number is no better claim.
        assert_eq!(
            directory.set_names(1, &names("asha.localhost", &["home.example"]), &asha),
            1
        );
        directory.set_names(
            2,
            &names("jonas.localhost", &["new.example", "home.example"]),
            &jonas,
        );
        assert_eq!((of("home.example"), of("new.example")), (Some(2), Some(2)));
        directory.set_names(2, &names("jonas.localhost", &["new.example"]), &jonas);
        assert_eq!(of("home.example"), Some(1));
    }

    #[test]
    fn the_answer_to_a_strangers_name_says_its_own_length() {
        let text = std::str::from_utf8(NOBODY).unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(text.contains(&format!("content-length: {}\r\n", body.len())));
    }
}
