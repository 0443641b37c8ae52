//! A stand-in for an ntfy server, on the loopback.
//!
//! What: takes messages as JSON on `/` and as text on a topic, and streams a topic as JSON lines from a message on, as ntfy does; it can
//! also be told to misbehave. Why: a test decides when a server fails. Not here: any claim.

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        mpsc::{Receiver, Sender, channel},
    },
    time::Duration,
};

/// How it answers who publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// With 200.
    Well,
    /// With another status.
    Status(u16),
    /// Not at all, while the connection lives.
    Hangs,
    /// With half a status line.
    Breaks,
}

struct Shared {
    manner: Manner,
    /// What was published on the answers' topic: id and text.
    answers: Vec<(String, String)>,
    /// Ends of streams that were asked for.
    cut: usize,
    /// Lines that are no messages, for the streams.
    noise: Vec<Vec<u8>>,
}

/// The stand-in.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    shared: Arc<(Mutex<Shared>, Condvar)>,
    /// Each attempt to publish, as it came.
    published: Receiver<(Option<String>, Value)>,
    /// Each stream's `since`.
    streams: Receiver<String>,
}

impl Server {
    pub(crate) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Shared {
            manner,
            answers: vec![],
            cut: 0,
            noise: vec![],
        };
        let shared = Arc::new((Mutex::new(shared), Condvar::new()));
        let (tell_published, published) = channel();
        let (tell_streams, streams) = channel();
        let inner = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (inner, published, streams) =
                    (Arc::clone(&inner), tell_published.clone(), tell_streams.clone());
                // Who went away is no concern of the others.
                std::thread::spawn(move || serve(stream.unwrap(), &inner, &published, &streams));
            }
        });
        Self {
            address,
            shared,
            published,
            streams,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.0.lock().unwrap()
    }

    fn change(&self, change: impl FnOnce(&mut Shared)) {
        change(&mut self.lock());
        self.shared.1.notify_all();
    }

    pub(crate) fn behave(&self, manner: Manner) {
        self.change(|shared| shared.manner = manner);
    }

    /// The next attempt to publish: the `Authorization` and the message.
    pub(crate) fn attempt(&self) -> (Option<String>, Value) {
        self.published.recv_timeout(Duration::from_secs(20)).unwrap()
    }

    /// Whether nobody has tried since.
    pub(crate) fn is_quiet(&self) -> bool {
        self.published.try_recv().is_err()
    }

    /// The next stream's `since`.
    pub(crate) fn stream(&self) -> String {
        self.streams.recv_timeout(Duration::from_secs(20)).unwrap()
    }

    /// Puts a line that is no message into the streams.
    pub(crate) fn noise(&self, line: &[u8]) {
        self.change(|shared| shared.noise.push(line.to_vec()));
    }

    /// Ends every open stream.
    pub(crate) fn cut(&self) {
        self.change(|shared| shared.cut += 1);
    }
}

fn serve(
    mut stream: TcpStream,
    shared: &(Mutex<Shared>, Condvar),
    published: &Sender<(Option<String>, Value)>,
    streams: &Sender<String>,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let (mut first, mut length, mut bearer) = (String::new(), 0, None);
        reader.read_line(&mut first).ok().filter(|read| *read > 0)?;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim().split_once(": ") else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().unwrap(),
                "authorization" => bearer = Some(value.to_owned()),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let mut words = first.split(' ');
        let (method, path) = (words.next()?, words.next()?);
        match (method, path) {
            ("POST", "/") => {
                let manner = shared.0.lock().unwrap().manner;
                published
                    .send((bearer, serde_json::from_slice(&body).unwrap()))
                    .ok()?;
                match manner {
                    Manner::Well => reply(&mut stream, 200)?,
                    Manner::Status(status) => reply(&mut stream, status)?,
                    Manner::Breaks => {
                        stream.write_all(b"HTTP/1.1 2").ok()?;
                        return None;
                    }
                    Manner::Hangs => {
                        // Until the other side gives up.
                        let _ = reader.read(&mut [0]);
                        return None;
                    }
                }
            }
            ("POST", _) => {
                let mut all = shared.0.lock().unwrap();
                let id = format!("answer{}", all.answers.len() + 1);
                all.answers.push((id, String::from_utf8(body).unwrap()));
                shared.1.notify_all();
                drop(all);
                reply(&mut stream, 200)?;
            }
            ("GET", path) => {
                let since = path.split_once("since=")?.1.to_owned();
                streams.send(since.clone()).ok()?;
                return answers(stream, shared, &since);
            }
            _ => return None,
        }
    }
}

fn reply(stream: &mut TcpStream, status: u16) -> Option<()> {
    write!(stream, "HTTP/1.1 {status} Said\r\nContent-Length: 2\r\n\r\n{{}}").ok()
}

/// Streams until cut.
fn answers(mut stream: TcpStream, shared: &(Mutex<Shared>, Condvar), since: &str) -> Option<()> {
    stream
        .write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        .ok()?;
    let mut send = |line: &[u8]| {
        let size = format!("{:x}\r\n", line.len() + 1);
        stream
            .write_all(&[size.as_bytes(), line, b"\n\r\n"].concat())
            .ok()
    };
    send(
        json!({"id": "open1", "time": 1, "event": "open", "topic": "t"})
            .to_string()
            .as_bytes(),
    )?;
    let mut now = shared.0.lock().unwrap();
    let cut = now.cut;
    let mut next = now
        .answers
        .iter()
        .position(|(id, _)| id == since)
        .map_or(0, |at| at + 1);
    let mut noise = 0;
    loop {
        while let Some(line) = now.noise.get(noise) {
            send(line)?;
            noise += 1;
        }
        while let Some((id, text)) = now.answers.get(next) {
            let line = json!({"id": id, "time": 1, "event": "message", "topic": "t", "message": text});
            send(line.to_string().as_bytes())?;
            next += 1;
        }
        if now.cut != cut {
            return None;
        }
        now = shared.1.wait(now).unwrap();
    }
}
