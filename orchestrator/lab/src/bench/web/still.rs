//! The same bytes from a server that does nothing else.
//!
//! What: [`StillSite`], which answers from memory what the measured service answered once: pages and all that they name. Why: what a browser needs for these bytes
//! anyway is no fault of ours, and is measured in the same run. Not here: what is compared (`kept`).

use super::{BenchError, HttpClient, is_asset, named};
use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
};

/// Bytes by path and query, each with its type.
type StillFiles = BTreeMap<String, (&'static str, Vec<u8>)>;

/// A running server. Its threads end with the process.
pub(super) struct StillSite {
    address: SocketAddr,
    files: Arc<StillFiles>,
}

impl StillSite {
    /// Takes every page and all that it names from the service.
    pub(super) fn start(http: &HttpClient, pages: &[String]) -> Result<Self, BenchError> {
        let mut files = StillFiles::new();
        for page in pages {
            let body = http.get_bytes(page)?;
            let text = String::from_utf8_lossy(&body).into_owned();
            for asset in named(&text).filter(|address| address.starts_with('/') && is_asset(address)) {
                if !files.contains_key(asset) {
                    files.insert(asset.to_owned(), (media_type(asset), http.get_bytes(asset)?));
                }
            }
            files.insert(page.clone(), ("text/html; charset=utf-8", body));
        }
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let files = Arc::new(files);
        let served = Arc::clone(&files);
        thread::Builder::new().name("still".to_owned()).spawn(move || {
            for stream in listener.incoming().flatten() {
                let served = Arc::clone(&served);
                // Who went away is no concern of the others.
                drop(thread::Builder::new().spawn(move || drop(serve(stream, &served))));
            }
        })?;
        Ok(Self { address, files })
    }

    /// A page's whole address here.
    pub(super) fn address(&self, page: &str) -> String {
        format!("http://{}{page}", self.address)
    }

    /// How many bytes a page has.
    pub(super) fn bytes(&self, page: &str) -> usize {
        self.files.get(page).map_or(0, |(_, bytes)| bytes.len())
    }
}

fn media_type(address: &str) -> &'static str {
    let name = address.split('?').next().unwrap_or(address);
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("webmanifest") => "application/manifest+json",
        Some(_) | None => "application/octet-stream",
    }
}

/// One connection, one request after the other; nothing that is asked has a body.
fn serve(mut stream: TcpStream, files: &StillFiles) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(());
        }
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
        }
        let path = first.split(' ').nth(1).unwrap_or_default();
        let (status, media, body) = match files.get(path) {
            Some((media, bytes)) => ("200 OK", *media, bytes.as_slice()),
            None => ("404 Not Found", "text/plain", &b""[..]),
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body].concat())?;
    }
}
