//! A stand-in for a push service, on the loopback, and for a browser that is subscribed to it.
//!
//! What: takes what is pushed over TLS, with a certificate of its own for one host name, and answers as a test says; the browser opens what was sealed for it.
//! Why: no real push service is asked by a test, and a test decides what one says. Not here: any claim.

use data_encoding::BASE64URL_NOPAD;
use p256::{PublicKey, SecretKey, elliptic_curve::sec1::ToSec1Point as _};
use ring::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    hkdf::{HKDF_SHA256, KeyType, Salt},
};
use rustls::{ServerConfig, ServerConnection, StreamOwned, pki_types::PrivatePkcs8KeyDer};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    time::Duration,
};
use surfaces_base::backend::web_push::SubscriptionWish;

/// The host that the stand-in is.
pub(crate) const HOST: &str = "push.example.net";

/// Status and further header lines of an answer.
pub(crate) type Manner = (u16, &'static str);

/// What was pushed.
pub(crate) struct Pushed {
    pub(crate) path: String,
    /// By their names in small letters.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// The stand-in.
pub(crate) struct PushService {
    pub(crate) address: SocketAddr,
    /// Its certificate (DER).
    pub(crate) certificate: Vec<u8>,
    manner: Arc<Mutex<BTreeMap<String, Manner>>>,
    pushed: Receiver<Pushed>,
}

impl PushService {
    pub(crate) fn start() -> Self {
        let made = rcgen::generate_simple_self_signed([HOST.to_owned()]).unwrap();
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key.into())
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let manner: Arc<Mutex<BTreeMap<String, Manner>>> = Arc::default();
        let (tell, pushed) = channel();
        let shared = Arc::clone(&manner);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (config, shared, tell) = (Arc::clone(&config), Arc::clone(&shared), tell.clone());
                std::thread::spawn(move || serve(stream.unwrap(), config, &shared, &tell));
            }
        });
        Self {
            address,
            certificate: made.cert.der().to_vec(),
            manner,
            pushed,
        }
    }

    /// How a browser's address is answered from now on; else with 201.
    pub(crate) fn behave(&self, browser: &StandInBrowser, manner: Manner) {
        self.manner.lock().unwrap().insert(browser.path.clone(), manner);
    }

    /// The next that was pushed.
    pub(crate) fn next(&self) -> Pushed {
        self.pushed.recv_timeout(Duration::from_secs(20)).unwrap()
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.pushed.try_recv().is_err()
    }
}

fn serve(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    manner: &Mutex<BTreeMap<String, Manner>>,
    pushed: &Sender<Pushed>,
) -> Option<()> {
    let connection = ServerConnection::new(config).ok()?;
    let mut reader = BufReader::new(StreamOwned::new(connection, stream));
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut headers = BTreeMap::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim().split_once(": ") else {
                break;
            };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let length = headers
            .get("content-length")
            .map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (status, more) = manner.lock().unwrap().get(&path).copied().unwrap_or((201, ""));
        pushed.send(Pushed { path, headers, body }).ok()?;
        let answer = format!("HTTP/1.1 {status} Said\r\n{more}Content-Length: 0\r\n\r\n");
        reader.get_mut().write_all(answer.as_bytes()).ok()?;
        reader.get_mut().flush().ok()?;
    }
}

/// A browser that is subscribed to the stand-in.
pub(crate) struct StandInBrowser {
    path: String,
    secret: SecretKey,
    auth: [u8; 16],
}

impl StandInBrowser {
    /// One of several, by its number.
    pub(crate) fn new(number: u8) -> Self {
        Self {
            path: format!("/send/browser-{number}"),
            secret: SecretKey::from_slice(&[number + 1; 32]).unwrap(),
            auth: [number; 16],
        }
    }

    /// As the browser's script hands it over.
    pub(crate) fn wish(&self) -> SubscriptionWish {
        SubscriptionWish {
            endpoint: format!("https://{HOST}{}", self.path),
            p256dh: BASE64URL_NOPAD.encode(self.secret.public_key().to_sec1_point(false).as_bytes()),
            auth: BASE64URL_NOPAD.encode(&self.auth),
        }
    }

    pub(crate) fn is_told_by(&self, pushed: &Pushed) -> bool {
        pushed.path == self.path
    }

    /// What its service worker reads, by RFC 8291 as a browser does it.
    pub(crate) fn open(&self, body: &[u8]) -> Value {
        let (salt, rest) = body.split_at(16);
        assert_eq!(
            rest[..5],
            [0, 0, 16, 0, 65],
            "one record of 4096 bytes at most, and a public key"
        );
        let (theirs, sealed) = rest[5..].split_at(65);
        let public = PublicKey::from_sec1_bytes(theirs).unwrap();
        let shared = self.secret.diffie_hellman(&public);
        let own = self.secret.public_key().to_sec1_point(false);
        let info = [b"WebPush: info\0", own.as_bytes(), theirs].concat();
        let secret: [u8; 32] = derive(&self.auth, shared.raw_secret_bytes(), &info);
        let key: [u8; 16] = derive(salt, &secret, b"Content-Encoding: aes128gcm\0");
        let nonce: [u8; 12] = derive(salt, &secret, b"Content-Encoding: nonce\0");
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
        let mut sealed = sealed.to_vec();
        let nonce = Nonce::assume_unique_for_key(nonce);
        let opened = key.open_in_place(nonce, Aad::empty(), &mut sealed).unwrap();
        let (last, message) = opened.split_last().unwrap();
        assert_eq!(*last, 2, "the last record");
        serde_json::from_slice(message).unwrap()
    }
}

fn derive<const N: usize>(salt: &[u8], secret: &[u8], info: &[u8]) -> [u8; N] {
    struct Length(usize);
    impl KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }
    let mut out = [0; N];
    let key = Salt::new(HKDF_SHA256, salt).extract(secret);
    key.expand(&[info], Length(N)).unwrap().fill(&mut out).unwrap();
    out
}
