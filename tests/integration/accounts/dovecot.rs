//! Dovecot, a real IMAP server, on the loopback, and a program of the owner's that speaks to it.
//!
//! What: [`Dovecot`], installed by `scripts/deps.sh servers`, as a user without rights, with a certificate made for the test; [`MailProgram`], which puts mail
//! there and marks it. Why: what a server of others says is not what ours would say. Not here: any claim.

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
};
use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::{fs::chown, process::CommandExt as _},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
};
use tempfile::TempDir;
use toolcall_schema::ids::sha256_hex;

use crate::support::wait::until;

const PROGRAM: &str = "/usr/sbin/dovecot";
/// Whom it runs as where the tests run as root: it lets nobody read mail as root.
const NOBODY: (u32, u32) = (65_534, 65_534);

/// The server. It ends when it is dropped.
pub(super) struct Dovecot {
    child: Child,
    folder: TempDir,
    /// For TLS from the first byte, and for STARTTLS.
    pub(super) imaps: u16,
    pub(super) imap: u16,
    certificate: CertificateDer<'static>,
    password: String,
}

fn output(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).output().unwrap();
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

fn run(folder: &Path) -> Child {
    let mut command = Command::new(PROGRAM);
    command
        .arg("-F")
        .arg("-c")
        .arg(folder.join("dovecot.conf"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    if rustix::process::getuid().is_root() {
        command.uid(NOBODY.0).gid(NOBODY.1);
    }
    command.spawn().unwrap()
}

fn free_port() -> u16 {
    // Free a moment ago; somebody else would have to be very quick.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

impl Dovecot {
    /// For one user, with that password.
    pub(super) fn start(user: &str, password: &str) -> Self {
        assert!(
            Path::new(PROGRAM).exists(),
            "Dovecot is not there: scripts/deps.sh servers"
        );
        // Not in a folder that root alone may enter; sockets have short paths.
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let path = |name: &str| folder.path().join(name);
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(path("cert.pem"), made.cert.pem()).unwrap();
        fs::write(path("key.pem"), made.signing_key.serialize_pem()).unwrap();
        fs::write(path("users"), format!("{user}:{{PLAIN}}{password}\n")).unwrap();
        let is_root = rustix::process::getuid().is_root();
        let (runs_as, group, (uid, gid)) = if is_root {
            ("nobody".to_owned(), output("id", &["-gn", "nobody"]), NOBODY)
        } else {
            let ids = (
                rustix::process::getuid().as_raw(),
                rustix::process::getgid().as_raw(),
            );
            (output("id", &["-un"]), output("id", &["-gn"]), ids)
        };
        let (imap, imaps) = (free_port(), free_port());
        let dir = folder.path().display();
        let config = format!(
            "base_dir = {dir}/run\nstate_dir = {dir}/state\nlog_path = {dir}/log\nprotocols = imap\nlisten = 127.0.0.1\n\
             default_internal_user = {runs_as}\ndefault_internal_group = {group}\ndefault_login_user = {runs_as}\nfirst_valid_uid = 1\n\
             ssl = yes\nssl_cert = <{dir}/cert.pem\nssl_key = <{dir}/key.pem\nauth_mechanisms = plain\n\
             passdb {{\n  driver = passwd-file\n  args = {dir}/users\n}}\n\
             userdb {{\n  driver = static\n  args = uid={uid} gid={gid} home={dir}/home/%u\n}}\n\
             mail_location = maildir:~/Maildir\n\
             service imap-login {{\n  chroot =\n  inet_listener imap {{\n    port = {imap}\n  }}\n  inet_listener imaps {{\n    port = {imaps}\n    ssl = yes\n  }}\n}}\n\
             service anvil {{\n  chroot =\n}}\nservice stats {{\n  chroot =\n}}\n\
             namespace inbox {{\n  inbox = yes\n  separator = /\n\
             mailbox Bozze {{\n  special_use = \\Drafts\n  auto = create\n  }}\n\
             mailbox Inviata {{\n  special_use = \\Sent\n  auto = create\n  }}\n\
             mailbox Cestino {{\n  special_use = \\Trash\n  auto = create\n  }}\n}}\n"
        );
        fs::write(path("dovecot.conf"), config).unwrap();
        if is_root {
            for name in ["", "cert.pem", "key.pem", "users", "dovecot.conf"] {
                chown(path(name), Some(uid), Some(gid)).unwrap();
            }
        }
        let server = Self {
            child: run(folder.path()),
            imaps,
            imap,
            certificate: made.cert.der().clone(),
            password: password.to_owned(),
            folder,
        };
        server.until_up();
        server
    }

    fn until_up(&self) {
        until("Dovecot", || TcpStream::connect(self.at()).ok());
    }

    /// Nobody answers any more.
    pub(super) fn stop(&mut self) {
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.child.wait();
        // Those that serve a session hear of it later, and would still answer.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        until("its end", || {
            rustix::process::test_kill_process_group(pid)
                .is_err()
                .then_some(())
        });
    }

    /// It answers again, with what it had.
    pub(super) fn go_on(&mut self) {
        self.child = run(self.folder.path());
        self.until_up();
    }

    pub(super) fn at(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.imaps).into()
    }

    pub(super) fn fingerprint(&self) -> String {
        sha256_hex(&self.certificate)
    }

    /// Gives a folder other numbers, as a server does that lost its own.
    pub(super) fn renumber(&self, user: &str, folder: &str, uid_validity: u32) {
        let mut command = Command::new("/usr/bin/doveadm");
        command
            .arg("-c")
            .arg(self.folder.path().join("dovecot.conf"))
            .args(["mailbox", "update", "-u", user, "--uid-validity"])
            .args([&uid_validity.to_string(), folder]);
        if rustix::process::getuid().is_root() {
            command.uid(NOBODY.0).gid(NOBODY.1);
        }
        let done = command.output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    /// A program of the owner's that is logged in.
    pub(super) fn program(&self, user: &str) -> MailProgram {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(Arc::new(config), name).unwrap();
        let stream = TcpStream::connect(self.at()).unwrap();
        let mut program = MailProgram(BufReader::new(StreamOwned::new(connection, stream)));
        let mut greeting = String::new();
        program.0.read_line(&mut greeting).unwrap();
        program.ask(&format!("LOGIN {user} \"{}\"", self.password));
        program
    }
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        self.stop();
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
