//! Connections between hosts, sealed.
//!
//! What: [`HostPeers`], the hosts that this one knows, each by its address and key; [`SealedLink`], a connection with one of them; [`take_links`], which
//! lets them in. Why: what is handed over holds requests and tokens, and whoever is not known gets nothing at `--address`. Not here: how it is sealed
//! (`aura_hosts::HostChannel`), what is handed over (`hand_over`).

use aura_hosts::{
    ANSWER_BYTES, ChannelOffer, FRAME_BYTES_MAX, FRAME_SEAL, HostChannel, HostKey, HostPublicKey,
    OFFER_BYTES, answer_offer,
};
use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
    sync::Semaphore,
    time::{sleep, timeout},
};

/// How long another host may take to accept a connection and to say who it is.
const GREET: Duration = Duration::from_secs(2);
/// So many may be about to say who they are.
const GREETED_MAX: usize = 64;
/// How long it rests when no connection can be accepted.
const AGAIN: Duration = Duration::from_millis(100);

/// A host as the command line names it: `HOST:PORT=aura-host-…`.
#[derive(Debug, Clone)]
pub(crate) struct HostPeer {
    address: String,
    key: HostPublicKey,
}

impl HostPeer {
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let (address, key) = text
            .split_once('=')
            .filter(|(address, _)| address.contains(':'))
            .ok_or(
                "a host is given as HOST:PORT=HOST_KEY, with the key that `aura-hosts join` prints there",
            )?;
        let key = HostPublicKey::parse(key).ok_or(
            "what is after the = is no key of a host, or was copied wrongly: `aura-hosts join` prints one",
        )?;
        Ok(Self {
            address: address.to_owned(),
            key,
        })
    }
}

/// What is known of another host.
struct KnownHost {
    key: HostPublicKey,
    /// Whether it was logged that it is not who it should be.
    is_told: AtomicBool,
}

/// This host's key, and the hosts that it hands connections over to and takes them from.
pub(crate) struct HostPeers {
    key: HostKey,
    known: BTreeMap<String, KnownHost>,
}

/// A connection with another host. Nobody else reads what goes over it.
pub(crate) struct SealedLink {
    stream: TcpStream,
    channel: HostChannel,
}

fn broken(why: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

impl HostPeers {
    pub(crate) fn new(key: HostKey, peers: &[HostPeer]) -> Self {
        let known = peers.iter().map(|peer| {
            let known = KnownHost {
                key: peer.key,
                is_told: AtomicBool::new(false),
            };
            (peer.address.clone(), known)
        });
        Self {
            key,
            known: known.collect(),
        }
    }

    /// Whether connections may be handed over to what is at an address.
    pub(crate) fn knows(&self, address: &str) -> bool {
        self.known.contains_key(address)
    }

    /// A connection with the host at an address that is known.
    pub(crate) async fn connect(&self, address: &str) -> io::Result<SealedLink> {
        let known = self.known.get(address);
        let known = known.ok_or_else(|| broken("a host that is not known"))?;
        let mut stream = timeout(GREET, TcpStream::connect(address)).await??;
        stream.set_nodelay(true)?;
        let greeted = timeout(GREET, greet(&mut stream, &self.key, &known.key)).await?;
        let Ok(channel) = greeted else {
            if !known.is_told.swap(true, Ordering::Relaxed) {
                tracing::error!(
                    address,
                    "BUS-004: what is there has not the key that --hosts names for it, or does not know this host by its own"
                );
            }
            return Err(broken("not the host that it should be"));
        };
        known.is_told.store(false, Ordering::Relaxed);
        Ok(SealedLink { stream, channel })
    }

    /// Lets a host in that is known; an error where it is not: it has got nothing.
    async fn admit(&self, mut stream: TcpStream) -> io::Result<SealedLink> {
        stream.set_nodelay(true)?;
        let mut offer = [0; OFFER_BYTES];
        stream.read_exact(&mut offer).await?;
        let is_known = |key: &HostPublicKey| self.known.values().any(|host| host.key == *key);
        let answered = answer_offer(&self.key, &offer, is_known);
        let (channel, answer) = answered.ok_or_else(|| broken("a stranger"))?;
        stream.write_all(&answer).await?;
        Ok(SealedLink { stream, channel })
    }
}

/// Says who this is to the host that has a key, and nobody else.
async fn greet(stream: &mut TcpStream, key: &HostKey, to: &HostPublicKey) -> io::Result<HostChannel> {
    let (offer, said) = ChannelOffer::make(key, to).ok_or_else(|| broken("a key that is none"))?;
    stream.write_all(&said).await?;
    let mut answer = [0; ANSWER_BYTES];
    stream.read_exact(&mut answer).await?;
    let channel = offer.accept(&answer);
    channel.ok_or_else(|| broken("somebody else answered"))
}

impl SealedLink {
    /// Passes on what comes on a connection of this host's, after what was read of it already, and what comes back, until both have ended.
    pub(crate) async fn join(mut self, mut plain: TcpStream, begun: &[u8]) -> io::Result<()> {
        // Small answers must not wait for the next packet.
        plain.set_nodelay(true)?;
        let (from_plain, to_plain) = plain.split();
        let (from_host, to_host) = self.stream.split();
        tokio::try_join!(
            seal_all(&self.channel, begun, from_plain, to_host),
            open_all(&self.channel, from_host, to_plain),
        )
        .map(drop)
    }
}

async fn send_frame(
    channel: &HostChannel,
    to: &mut WriteHalf<'_>,
    number: &mut u64,
    plain: &[u8],
) -> io::Result<()> {
    let sealed = channel.seal_frame(*number, plain);
    let sealed = sealed.ok_or_else(|| broken("more than a frame holds"))?;
    let length = u16::try_from(sealed.len()).map_err(|_| broken("more than a frame holds"))?;
    *number += 1;
    to.write_all(&[&length.to_be_bytes()[..], &sealed].concat()).await
}

async fn seal_all(
    channel: &HostChannel,
    begun: &[u8],
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
) -> io::Result<()> {
    let (mut number, mut plain) = (0, vec![0; FRAME_BYTES_MAX]);
    for part in begun.chunks(FRAME_BYTES_MAX) {
        send_frame(channel, &mut to, &mut number, part).await?;
    }
    loop {
        let read = from.read(&mut plain).await?;
        // The empty one says that nothing more comes, and that nothing was cut off.
        send_frame(channel, &mut to, &mut number, &plain[..read]).await?;
        if read == 0 {
            return to.shutdown().await;
        }
    }
}

async fn open_all(channel: &HostChannel, mut from: ReadHalf<'_>, mut to: WriteHalf<'_>) -> io::Result<()> {
    for number in 0.. {
        let length = usize::from(from.read_u16().await?);
        if length > FRAME_BYTES_MAX + FRAME_SEAL {
            return Err(broken("more than a frame holds"));
        }
        let mut sealed = vec![0; length];
        from.read_exact(&mut sealed).await?;
        let plain = channel.open_frame(number, &sealed);
        let plain = plain.ok_or_else(|| broken("not sealed by the other host"))?;
        if plain.is_empty() {
            break;
        }
        to.write_all(&plain).await?;
    }
    to.shutdown().await
}

/// Lets hosts in that are known, and passes what they hand over on to where this process takes it, until it is dropped.
pub(crate) async fn take_links(listener: TcpListener, peers: Arc<HostPeers>, to: SocketAddr) {
    let greeted = Arc::new(Semaphore::new(GREETED_MAX));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(AGAIN).await;
            continue;
        };
        let Ok(slot) = Arc::clone(&greeted).try_acquire_owned() else {
            tracing::warn!(
                "too many connections of other hosts have not said yet who they are: one was closed"
            );
            continue;
        };
        let peers = Arc::clone(&peers);
        drop(tokio::spawn(async move {
            let admitted = timeout(GREET, peers.admit(stream)).await;
            drop(slot);
            let Ok(Ok(link)) = admitted else {
                tracing::debug!("somebody who is no host that is named by --hosts was sent away");
                return;
            };
            let passed = match TcpStream::connect(to).await {
                Ok(plain) => link.join(plain, &[]).await,
                Err(error) => Err(error),
            };
            if let Err(error) = passed {
                tracing::debug!(kind = %error.kind(), "a connection that was handed over here broke");
            }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    async fn listen() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    fn peer(address: SocketAddr, key: &HostKey) -> HostPeer {
        HostPeer::parse(&format!("{address}={}", key.public())).unwrap()
    }

    #[test]
    fn hosts_are_named_with_an_address_and_a_key() {
        let key = HostKey::generate().unwrap().public();
        let parsed = HostPeer::parse(&format!("10.0.0.1:7979={key}")).unwrap();
        assert_eq!((parsed.address.as_str(), parsed.key), ("10.0.0.1:7979", key));
        for wrong in [
            "10.0.0.1:7979",
            "10.0.0.1:7979=",
            "10.0.0.1:7979=aura-host-00",
            &format!("desk={key}"),
        ] {
            assert!(HostPeer::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[tokio::test]
    async fn what_is_handed_over_comes_whole_both_ways_and_strangers_get_nothing() {
        let [here, there, stranger] = [(); 3].map(|()| HostKey::generate().unwrap());
        let (service, service_at) = listen().await;
        let (links, links_at) = listen().await;
        let to_there = [peer(links_at, &there)];
        let of_there = HostPeers::new(there, &[peer(service_at, &here)]);
        drop(tokio::spawn(take_links(links, Arc::new(of_there), service_at)));

        // More than a frame each way.
        let (asked, answered) = (vec![1; 50_000], vec![2; 70_000]);
        let (expected, sent) = (asked.clone(), answered.clone());
        let serving = tokio::spawn(async move {
            let (mut stream, _) = service.accept().await.unwrap();
            let mut heard = Vec::new();
            stream.read_to_end(&mut heard).await.unwrap();
            assert_eq!(heard, expected);
            stream.write_all(&sent).await.unwrap();
            drop(stream);
            service
        });
        let (front, front_at) = listen().await;
        let here = HostPeers::new(here, &to_there);
        let address = links_at.to_string();
        assert!(here.knows(&address) && !here.knows(&service_at.to_string()));
        let handing = async {
            let (plain, _) = front.accept().await.unwrap();
            let link = here.connect(&address).await.unwrap();
            link.join(plain, &asked[..20_000]).await.unwrap();
        };
        let browser = async {
            let mut stream = TcpStream::connect(front_at).await.unwrap();
            stream.write_all(&asked[20_000..]).await.unwrap();
            stream.shutdown().await.unwrap();
            let mut heard = Vec::new();
            stream.read_to_end(&mut heard).await.unwrap();
            assert_eq!(heard, answered);
        };
        tokio::join!(handing, browser);
        let service = serving.await.unwrap();

        // A stranger that knows the host's key, one that knows nothing, and one that says nothing.
        let of_stranger = HostPeers::new(stranger, &to_there);
        assert!(of_stranger.connect(&address).await.is_err());
        for said in [
            &[b'x'; OFFER_BYTES][..],
            b"GET / HTTP/1.1\r\nHost: asha.localhost\r\n\r\n",
        ] {
            let mut stream = TcpStream::connect(links_at).await.unwrap();
            stream.write_all(said).await.unwrap();
            let mut heard = Vec::new();
            // Ended, or reset: either way without a byte.
            let _ = stream.read_to_end(&mut heard).await;
            assert!(heard.is_empty());
        }
        let reached = timeout(Duration::ZERO, service.accept()).await;
        assert!(reached.is_err(), "nothing of theirs is passed on");
    }
}
