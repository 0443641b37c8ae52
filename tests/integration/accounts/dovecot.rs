//! Dovecot, a real IMAP server, on the loopback, and a program of the owner's that speaks to it.
//!
//! What: [`Dovecot`], as a test starts it; [`MailProgram`], which puts mail there and marks it. Why: what a server of others says is not what ours would
//! say. Not here: how it is started (`aura_lab::dovecot`), any claim.

use aura_lab::dovecot::DovecotServer;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    ops::Deref,
    sync::Arc,
};

/// The server. It ends when it is dropped.
pub(super) struct Dovecot {
    server: DovecotServer,
    password: String,
}

impl Deref for Dovecot {
    type Target = DovecotServer;

    fn deref(&self) -> &DovecotServer {
        &self.server
    }
}

impl Dovecot {
    /// For one user, with that password.
    pub(super) fn start(user: &str, password: &str) -> Self {
        Self {
            server: DovecotServer::start(user, password, |_| Ok(())).unwrap(),
            password: password.to_owned(),
        }
    }

    /// Nobody answers any more.
    pub(super) fn stop(&mut self) {
        self.server.stop().unwrap();
    }

    /// It answers again, with what it had.
    pub(super) fn go_on(&mut self) {
        self.server.start_again().unwrap();
    }

    /// Gives a folder other numbers, as a server does that lost its own.
    pub(super) fn renumber(&self, user: &str, folder: &str, uid_validity: u32) {
        self.server.renumber(user, folder, uid_validity).unwrap();
    }

    /// A program of the owner's that is logged in.
    pub(super) fn program(&self, user: &str) -> MailProgram {
        let mut roots = RootCertStore::empty();
        let certificate = CertificateDer::from(self.server.certificate.clone());
        roots.add(certificate).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(Arc::new(config), name).unwrap();
        let stream = TcpStream::connect(self.tls_address()).unwrap();
        let mut program = MailProgram(BufReader::new(StreamOwned::new(connection, stream)));
        let mut greeting = String::new();
        program.0.read_line(&mut greeting).unwrap();
        program.ask(&format!("LOGIN {user} \"{}\"", self.password));
        program
    }
}

/// A program that is logged in. It speaks of small mails alone.
pub(super) struct MailProgram(BufReader<StreamOwned<ClientConnection, TcpStream>>);

impl MailProgram {
    /// One command, which goes well, and all that is answered.
    pub(super) fn ask(&mut self, command: &str) -> String {
        write!(self.0.get_mut(), "T {command}\r\n").unwrap();
        let mut all = String::new();
        loop {
            let mut line = Vec::new();
            assert_ne!(
                self.0.read_until(b'\n', &mut line).unwrap(),
                0,
                "{command}: {all}"
            );
            let line = String::from_utf8_lossy(&line).into_owned();
            all.push_str(&line);
            if line.starts_with("T ") {
                assert!(line.starts_with("T OK"), "{command}: {all}");
                return all;
            }
        }
    }

    /// Puts a mail into a folder; `options`: its marks and when it came, with a blank behind.
    pub(super) fn put(&mut self, folder: &str, options: &str, mail: &str) {
        self.ask(&format!("APPEND {folder} {options}{{{}+}}\r\n{mail}", mail.len()));
    }
}
