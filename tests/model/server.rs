//! A server on the loopback that gives one file, whole or not.
//!
//! What: [`Server`], which answers as many requests as it is told how to. Why: downloads are cut where a test wants it. Not here: what
//! is done with the file.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// How one request is answered.
#[derive(Clone, Copy)]
pub(crate) enum Serves {
    /// What is asked for.
    Whole,
    /// The same, and the connection ends at this byte of the file.
    Until(usize),
    /// From the beginning, whatever is asked for.
    NoRange,
    NotFound,
    /// More than the file has.
    TooMuch,
}

pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<u64>>>,
}

impl Server {
    pub(crate) fn start(file: &[u8], serves: Vec<Serves>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (file, asked) = (file.to_vec(), Arc::new(Mutex::new(Vec::new())));
        let seen = Arc::clone(&asked);
        // Ends with its requests; the port is closed then.
        thread::spawn(move || {
            for how in serves {
                let (stream, _) = listener.accept().unwrap();
                // Noted before it is answered: who got the answer finds it.
                let from = asks(&stream);
                seen.lock().unwrap().push(from);
                answer(&stream, &file, (how, from));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From which byte on each request wanted the file.
    pub(crate) fn asked(&self) -> Vec<u64> {
        self.asked.lock().unwrap().clone()
    }
}

/// Reads one request and says from where it wants the file.
fn asks(stream: &TcpStream) -> u64 {
    let mut from = 0;
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(range) = line.strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse().unwrap();
        }
    }
    from
}

fn answer(mut stream: &TcpStream, file: &[u8], (how, from): (Serves, u64)) {
    let start = usize::try_from(from).unwrap();
    let all = file.len();
    let (head, body) = match how {
        Serves::NotFound => ("404 Not Found\r\nContent-Length: 0".to_owned(), &[][..]),
        Serves::TooMuch => (format!("200 OK\r\nContent-Length: {}", all + 1), file),
        Serves::NoRange => (format!("200 OK\r\nContent-Length: {all}"), file),
        Serves::Whole | Serves::Until(_) if start > 0 => (
            format!(
                "206 Partial Content\r\nContent-Length: {}\r\nContent-Range: bytes {start}-{}/{all}",
                all - start,
                all - 1
            ),
            &file[start..],
        ),
        Serves::Whole => (format!("200 OK\r\nContent-Length: {all}"), file),
        Serves::Until(end) => (format!("200 OK\r\nContent-Length: {all}"), &file[..end]),
    };
    // Whoever asked may be gone already: that is its business.
    let _ = stream.write_all(format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n").as_bytes());
    let _ = stream.write_all(body);
    let _ = stream.shutdown(Shutdown::Write);
}
