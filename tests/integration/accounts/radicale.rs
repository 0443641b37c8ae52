//! Radicale, a real CalDAV server, on the loopback over TLS or without.
//!
//! What: [`Radicale`], installed by `scripts/deps.sh servers`, with a certificate made for the test. Why: what a server of others says is not what
//! ours would say. Not here: any claim.

use crate::support::{free_port, wait::until};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
};
use std::{
    env, fs,
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
};
use tempfile::TempDir;
use toolcall_schema::ids::sha256_hex;

/// The server. It ends when it is dropped.
pub(super) struct Radicale {
    child: Child,
    folder: TempDir,
    pub(super) port: u16,
    /// Absent: it speaks no TLS.
    certificate: Option<CertificateDer<'static>>,
    authorization: String,
}

fn python() -> PathBuf {
    let cache = env::var_os("XDG_CACHE_HOME").map_or_else(
        || Path::new(&env::var_os("HOME").unwrap()).join(".cache"),
        PathBuf::from,
    );
    let python = cache.join("aura-tools/radicale-3.9.0/bin/python");
    assert!(python.exists(), "Radicale is not there: scripts/deps.sh servers");
    python
}

/// Where Xandikos is; `None`: it could not be had here, as `scripts/deps.sh servers` said.
fn xandikos() -> Option<PathBuf> {
    let tools = python();
    let program = tools.ancestors().nth(3)?.join("xandikos-0.4.10/bin/xandikos");
    program.exists().then_some(program)
}

fn run(folder: &Path) -> Child {
    let mut radicale = Command::new(python());
    radicale
        .args(["-m", "radicale", "--config"])
        .arg(folder.join("config"));
    spawn(radicale)
}

fn spawn(mut command: Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

impl Radicale {
    /// With one user.
    pub(super) fn start(user: &str, password: &str) -> Self {
        Self::start_as(user, password, true)
    }

    /// The same without TLS, for a proxy of ours before it.
    pub(super) fn start_plain(user: &str, password: &str) -> Self {
        Self::start_as(user, password, false)
    }

    /// Xandikos in its place, without TLS and a login; `None`: it could not be had here.
    #[expect(clippy::print_stderr, reason = "what is not tested is part of the result")]
    pub(super) fn start_xandikos() -> Option<Self> {
        let Some(program) = xandikos() else {
            eprintln!("skipped: there is no Xandikos, so nothing was written to a second calendar server");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let mut command = Command::new(program);
        command
            .args([
                "serve",
                "--autocreate",
                "--no-detect-systemd",
                "--current-user-principal",
                "/kim/",
            ])
            .args(["-l", "127.0.0.1", "-p", &port.to_string(), "-d"])
            .arg(folder.path().join("data"))
            .env("HOME", folder.path());
        let server = Self {
            child: spawn(command),
            port,
            certificate: None,
            authorization: String::new(),
            folder,
        };
        server.until_up();
        Some(server)
    }

    fn start_as(user: &str, password: &str, is_tls: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(path("cert.pem"), made.cert.pem()).unwrap();
        fs::write(path("key.pem"), made.signing_key.serialize_pem()).unwrap();
        fs::write(path("users"), format!("{user}:{password}\n")).unwrap();
        let port = free_port();
        let config = format!(
            "[server]\nhosts = 127.0.0.1:{port}\nssl = {ssl}\ncertificate = {cert}\nkey = {key}\n\
             [auth]\ntype = htpasswd\nhtpasswd_filename = {users}\nhtpasswd_encryption = plain\ndelay = 0\n\
             [storage]\nfilesystem_folder = {data}\n[logging]\nlevel = error\n",
            ssl = if is_tls { "True" } else { "False" },
            cert = path("cert.pem").display(),
            key = path("key.pem").display(),
            users = path("users").display(),
            data = path("data").display(),
        );
        fs::write(path("config"), config).unwrap();
        let pair = format!("{user}:{password}");
        let server = Self {
            child: run(folder.path()),
            port,
            certificate: is_tls.then(|| made.cert.der().clone()),
            authorization: data_encoding::BASE64.encode(pair.as_bytes()),
            folder,
        };
        server.until_up();
        server
    }

    fn until_up(&self) {
        until("Radicale", || TcpStream::connect(("127.0.0.1", self.port)).ok());
    }

    /// Nobody answers any more.
    pub(super) fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The same server again.
    pub(super) fn go_on(&mut self) {
        self.child = run(self.folder.path());
        self.until_up();
    }

    pub(super) fn address(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
    }

    pub(super) fn fingerprint(&self) -> String {
        sha256_hex(self.certificate.as_ref().unwrap())
    }

    /// An object as it is there; `None`: there is none.
    pub(super) fn get(&self, path: &str) -> Option<String> {
        let answer = self.answer("GET", path, "text/plain", "");
        match status_of(&answer) {
            "200" => Some(answer.split_once("\r\n\r\n").unwrap().1.to_owned()),
            "404" => None,
            other => panic!("GET {path}: {other}"),
        }
    }

    /// The names of the objects of a calendar.
    pub(super) fn objects(&self, calendar: &str) -> Vec<String> {
        let body = "<?xml version=\"1.0\"?><propfind xmlns=\"DAV:\"><prop><getetag/></prop></propfind>";
        let answer = self.answer("PROPFIND", calendar, "application/xml", body);
        // With or without a prefix before it.
        let hrefs = answer.split("href>");
        let hrefs = hrefs.map(|rest| rest.split('<').next().unwrap().to_owned());
        hrefs
            .filter(|href| Path::new(href).extension().is_some_and(|ending| ending == "ics"))
            .collect()
    }

    pub(super) fn make_calendar(&self, path: &str) {
        let body = "<?xml version=\"1.0\"?><mkcalendar xmlns=\"urn:ietf:params:xml:ns:caldav\" xmlns:D=\"DAV:\"><D:set><D:prop>\
            <D:displayname>Work</D:displayname></D:prop></D:set></mkcalendar>";
        self.ask("MKCALENDAR", path, "application/xml", body, "201");
    }

    pub(super) fn make_address_book(&self, path: &str) {
        let body = "<?xml version=\"1.0\"?><mkcol xmlns=\"DAV:\" xmlns:A=\"urn:ietf:params:xml:ns:carddav\"><set><prop>\
            <resourcetype><collection/><A:addressbook/></resourcetype><displayname>People</displayname></prop></set></mkcol>";
        self.ask("MKCOL", path, "application/xml", body, "201");
    }

    pub(super) fn put(&self, path: &str, text: &str) {
        let answer = self.answer("PUT", path, "text/calendar", text);
        let status = status_of(&answer);
        assert!(["201", "204"].contains(&status), "PUT {path}: {answer}");
    }

    pub(super) fn delete(&self, path: &str) {
        let answer = self.answer("DELETE", path, "text/plain", "");
        let status = status_of(&answer);
        assert!(["200", "204"].contains(&status), "DELETE {path}: {answer}");
    }

    /// Lets it forget what it told of how far it was.
    pub(super) fn forget_tokens(&self, calendar: &str) {
        let folder = self.folder.path().join("data");
        let found = Command::new("find")
            .arg(&folder)
            .args(["-type", "d", "-name", "sync-token", "-path"])
            .arg(format!("*{calendar}*"))
            .output()
            .unwrap();
        let found = String::from_utf8(found.stdout).unwrap();
        assert!(!found.is_empty(), "it keeps no tokens");
        for tokens in found.lines() {
            fs::remove_dir_all(tokens).unwrap();
        }
    }

    fn ask(&self, method: &str, path: &str, kind: &str, body: &str, wanted: &str) {
        let answer = self.answer(method, path, kind, body);
        assert_eq!(status_of(&answer), wanted, "{method} {path}: {answer}");
    }

    fn answer(&self, method: &str, path: &str, kind: &str, body: &str) -> String {
        let request = format!(
            "{method} {path} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Basic {}\r\nContent-Type: {kind}\r\nDepth: 1\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.authorization,
            body.len()
        );
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let Some(certificate) = &self.certificate else {
            return asked(stream, &request);
        };
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(Arc::new(config), name).unwrap();
        asked(StreamOwned::new(connection, stream), &request)
    }
}

fn asked(mut stream: impl Read + Write, request: &str) -> String {
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // It may close without a farewell.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn status_of(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

impl Drop for Radicale {
    fn drop(&mut self) {
        self.stop();
    }
}
