//! Dovecot, a real IMAP server, on the loopback.
//!
//! What: [`DovecotServer`], installed by `scripts/deps.sh servers`, as a user without rights, with a certificate made for it. Why: what a server of
//! others says is not what ours would say, in tests and in figures. Not here: a program that speaks to it (the tests), what is measured (`bench::mail`).

use std::{
    fs, io,
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::{fs::chown, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use toolcall_schema::ids::sha256_hex;

const PROGRAM: &str = "/usr/sbin/dovecot";
/// Whom it runs as where root starts it: it lets nobody read mail as root.
const NOBODY: (u32, u32) = (65_534, 65_534);
/// How long it may take to come up, or to end.
const WITHIN: Duration = Duration::from_secs(40);
const PACE: Duration = Duration::from_millis(10);

/// The server. It ends when it is dropped.
pub struct DovecotServer {
    child: Child,
    folder: TempDir,
    /// For TLS from the first byte.
    pub imaps: u16,
    /// For STARTTLS.
    pub imap: u16,
    /// Its certificate, in DER.
    pub certificate: Vec<u8>,
}

fn output(program: &str, args: &[&str]) -> io::Result<String> {
    let out = Command::new(program).args(args).output()?;
    Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

fn run(folder: &Path) -> io::Result<Child> {
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
    command.spawn()
}

fn free_port() -> io::Result<u16> {
    // Free a moment ago; somebody else would have to be very quick.
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn wait_until(is_so: impl Fn() -> bool) -> io::Result<()> {
    let end = Instant::now() + WITHIN;
    while !is_so() {
        if Instant::now() > end {
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::sleep(PACE);
    }
    Ok(())
}

impl DovecotServer {
    /// For one user, with that password; `fill` may put mails into the Maildir that it is given, which does not exist yet.
    ///
    /// # Errors
    /// Dovecot is not installed, or does not come up.
    pub fn start(user: &str, password: &str, fill: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<Self> {
        if !Path::new(PROGRAM).exists() {
            let says = "Dovecot is not there: scripts/deps.sh servers";
            return Err(io::Error::new(io::ErrorKind::NotFound, says));
        }
        // Not in a folder that root alone may enter; sockets have short paths.
        let folder = tempfile::tempdir_in("/tmp")?;
        let path = |name: &str| folder.path().join(name);
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).map_err(io::Error::other)?;
        fs::write(path("cert.pem"), made.cert.pem())?;
        fs::write(path("key.pem"), made.signing_key.serialize_pem())?;
        fs::write(path("users"), format!("{user}:{{PLAIN}}{password}\n"))?;
        let is_root = rustix::process::getuid().is_root();
        let (runs_as, group, (uid, gid)) = if is_root {
            ("nobody".to_owned(), output("id", &["-gn", "nobody"])?, NOBODY)
        } else {
            let ids = (
                rustix::process::getuid().as_raw(),
                rustix::process::getgid().as_raw(),
            );
            (output("id", &["-un"])?, output("id", &["-gn"])?, ids)
        };
        let (imap, imaps) = (free_port()?, free_port()?);
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
        fs::write(path("dovecot.conf"), config)?;
        let home = path("home").join(user);
        fs::create_dir_all(&home)?;
        fill(&home.join("Maildir"))?;
        if is_root {
            give_to(folder.path(), (uid, gid))?;
        }
        let server = Self {
            child: run(folder.path())?,
            imaps,
            imap,
            certificate: made.cert.der().to_vec(),
            folder,
        };
        server.wait_until_up()?;
        Ok(server)
    }

    fn wait_until_up(&self) -> io::Result<()> {
        wait_until(|| TcpStream::connect(self.tls_address()).is_ok())
    }

    /// Nobody answers any more.
    ///
    /// # Errors
    /// Somebody does.
    pub fn stop(&mut self) -> io::Result<()> {
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return Ok(());
        }
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        self.child.wait()?;
        // Those that serve a session hear of it later, and would still answer.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        wait_until(|| rustix::process::test_kill_process_group(pid).is_err())
    }

    /// It answers again, with what it had.
    ///
    /// # Errors
    /// It does not come up.
    pub fn start_again(&mut self) -> io::Result<()> {
        self.child = run(self.folder.path())?;
        self.wait_until_up()
    }

    /// Where it listens for TLS from the first byte.
    pub fn tls_address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.imaps).into()
    }

    /// SHA-256 of its certificate.
    pub fn fingerprint(&self) -> String {
        sha256_hex(&self.certificate)
    }

    /// Gives a folder other numbers, as a server does that lost its own.
    ///
    /// # Errors
    /// It refuses.
    pub fn renumber(&self, user: &str, folder: &str, uid_validity: u32) -> io::Result<()> {
        let mut command = Command::new("/usr/bin/doveadm");
        command
            .arg("-c")
            .arg(self.folder.path().join("dovecot.conf"))
            .args(["mailbox", "update", "-u", user, "--uid-validity"])
            .args([&uid_validity.to_string(), folder]);
        if rustix::process::getuid().is_root() {
            command.uid(NOBODY.0).gid(NOBODY.1);
        }
        let done = command.output()?;
        if done.status.success() {
            Ok(())
        } else {
            let says = String::from_utf8_lossy(&done.stderr).into_owned();
            Err(io::Error::other(says))
        }
    }
}

impl Drop for DovecotServer {
    fn drop(&mut self) {
        // What does not end is not ours any more.
        let _ = self.stop();
    }
}

/// Makes all of a folder theirs.
fn give_to(folder: &Path, (uid, gid): (u32, u32)) -> io::Result<()> {
    let mut left: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        chown(&path, Some(uid), Some(gid))?;
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                left.push(entry?.path());
            }
        }
    }
    Ok(())
}
