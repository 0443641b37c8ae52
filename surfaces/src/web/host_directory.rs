//! One port for the servers of several owners.
//!
//! What: [`HostDirectory`], which server is reached under which host name, and [`route_connections`], which reads the beginning of each
//! connection up to its host and hands it over to that server. Why: the owner is chosen before anything else is looked at, never by a path
//! or another header; each server then judges the whole request by its own names (`hosts`), so that a connection which asks under another
//! owner's name later is refused there. Not here: what is served (`net`).

use super::{
    connection_inbox::ConnectionSender,
    net::{AGAIN, ConnectionPool, HEAD_BYTES_MAX, HEAD_LIMIT},
};
use std::{
    collections::BTreeMap,
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

/// Which server is reached under which name.
#[derive(Default)]
pub struct HostDirectory(RwLock<DirectoryEntries>);

#[derive(Default)]
struct DirectoryEntries {
    /// The only server: it judges every name itself.
    only: Option<ConnectionSender>,
    /// By host name in small letters, with its port or for any.
    by_name: BTreeMap<String, (u32, ConnectionSender)>,
}

impl HostDirectory {
    /// Of one server alone.
    pub fn of_one(server: ConnectionSender) -> Self {
        Self(RwLock::new(DirectoryEntries {
            only: Some(server),
            by_name: BTreeMap::new(),
        }))
    }

    /// From now on a server is reached under these names and no others. Those that another server has stay with that one and are given back.
    pub fn set_names(&self, number: u32, names: &[String], server: &ConnectionSender) -> Vec<String> {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        entries.by_name.retain(|_, (holder, _)| *holder != number);
        let mut taken = Vec::new();
        for name in names {
            let name = name.to_ascii_lowercase();
            if entries
                .by_name
                .get(&name)
                .is_some_and(|(holder, _)| *holder != number)
            {
                taken.push(name);
            } else {
                entries.by_name.insert(name, (number, server.clone()));
            }
        }
        taken
    }

    /// The server that is reached under a host, as a request names it.
    fn find(&self, host: Option<&str>) -> Option<ConnectionSender> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if entries.only.is_some() {
            return entries.only.clone();
        }
        let host = host?.to_ascii_lowercase();
        let without_port = host.rsplit_once(':').map(|(name, _)| name);
        let found = entries.by_name.get(&host);
        let found = found.or_else(|| entries.by_name.get(without_port?));
        found.map(|(_, server)| server.clone())
    }
}

/// Takes connections in, and hands each over to the server that its first request names, until it is dropped.
pub async fn route_connections(listener: TcpListener, directory: Arc<HostDirectory>) {
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
                        _ = tokio::time::timeout(HEAD_LIMIT, route_connection(stream, &directory)) => {}
                        () = seat.told_to_leave() => tracing::debug!("a connection that waited made room"),
                    }
                });
            }
            Err(error) => {
                // No more descriptors, most likely: who comes waits in the queue until there are some again.
                tracing::warn!(kind = %error.kind(), "a listener took nobody in");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

async fn route_connection(mut stream: TcpStream, directory: &HostDirectory) {
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
        Some(server) => server.hand_over(stream, begun),
        None => refuse(stream).await,
    }
}

/// Answers who asks under no name of ours, and lets them read it.
async fn refuse(mut stream: TcpStream) {
    if stream.write_all(NOBODY).await.is_err() || stream.shutdown().await.is_err() {
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
    use super::{super::connection_inbox::connection_inbox, *};

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

    #[test]
    fn a_name_belongs_to_who_had_it_first_until_they_let_go_of_it() {
        let directory = HostDirectory::default();
        let (asha, _asha) = connection_inbox();
        let (jonas, _jonas) = connection_inbox();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(
            directory
                .set_names(1, &names(&["Asha.localhost", "home.example:8443"]), &asha)
                .is_empty()
        );
        assert_eq!(
            directory.set_names(2, &names(&["jonas.localhost", "asha.LOCALHOST"]), &jonas),
            ["asha.localhost"]
        );
        for (host, is_found) in [
            (Some("asha.localhost:7878"), true),
            (Some("ASHA.localhost"), true),
            (Some("home.example:8443"), true),
            (Some("home.example"), false),
            (Some("127.0.0.1:7878"), false),
            (Some("x.asha.localhost"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(directory.find(host).is_some(), is_found, "{host:?}");
        }
        directory.set_names(1, &[], &asha);
        assert!(directory.find(Some("asha.localhost")).is_none());
        assert!(directory.find(Some("jonas.localhost")).is_some());
        assert!(HostDirectory::of_one(asha).find(None).is_some());
    }

    #[test]
    fn the_answer_to_a_strangers_name_says_its_own_length() {
        let text = std::str::from_utf8(NOBODY).unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(text.contains(&format!("content-length: {}\r\n", body.len())));
    }
}
