//! Cyrus, a real server of mail that speaks JMAP, on the loopback over TLS.
//!
//! What: [`Cyrus`], unpacked by `scripts/deps.sh servers`, as a user without rights, with a certificate made for the test; mail is delivered to it, and it is asked as a
//! program of the owner's asks. Why: what a server of others says is not what ours would say. Not here: any claim.

use crate::support::{free_port, wait::until};
use data_encoding::BASE64;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, ServerName},
};
use serde_json::{Value, json};
use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    os::unix::{fs::chown, net::UnixStream, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
};
use tempfile::TempDir;
use toolcall_schema::ids::sha256_hex;

/// Whom it runs as where root starts it.
const NOBODY: (u32, u32) = (65_534, 65_534);
const PROGRAMS: [&str; 4] = ["master", "httpd", "lmtpd", "ctl_cyrusdb"];

/// The server. It ends when it is dropped.
pub(super) struct Cyrus {
    child: Child,
    folder: TempDir,
    port: u16,
    certificate: CertificateDer<'static>,
    authorization: String,
}

fn unpacked() -> PathBuf {
    let cache = env::var_os("XDG_CACHE_HOME").map_or_else(
        || Path::new(&env::var_os("HOME").unwrap()).join(".cache"),
        PathBuf::from,
    );
    cache.join("aura-tools/cyrus")
}

fn output(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).output().unwrap();
    String::from_utf8_lossy(&out.stdout).trim().to_owned()
}

fn give_to(path: &Path, (user, group): (u32, u32)) {
    chown(path, Some(user), Some(group)).unwrap();
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give_to(&entry.unwrap().path(), (user, group));
        }
    }
}

impl Cyrus {
    /// For one user, with that password, whose folders there are with the first mail. `None`: it could not be had here, as `scripts/deps.sh servers` said.
    #[expect(clippy::print_stderr, reason = "what is not tested is part of the result")]
    pub(super) fn start(user: &str, password: &str) -> Option<Self> {
        let unpacked = unpacked();
        if !unpacked.join("done").exists() {
            eprintln!("skipped: there is no Cyrus, so nothing was read by JMAP from a real server");
            return None;
        }
        // Not in a folder that root alone may enter; sockets have short paths.
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let dir = folder.path();
        let root = unpacked.join("usr");
        for part in [
            "bin",
            "lib",
            "conf/db",
            "conf/proc",
            "conf/socket",
            "conf/log",
            "spool",
            "lock",
        ] {
            fs::create_dir_all(dir.join(part)).unwrap();
        }
        for program in PROGRAMS {
            fs::copy(
                root.join("lib/cyrus/bin").join(program),
                dir.join("bin").join(program),
            )
            .unwrap();
        }
        let architecture = output("gcc", &["-dumpmachine"]);
        for library in fs::read_dir(root.join("lib").join(architecture)).unwrap() {
            let path = library.unwrap().path();
            if path.is_file() {
                fs::copy(&path, dir.join("lib").join(path.file_name().unwrap())).unwrap();
            }
        }
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(dir.join("cert.pem"), made.cert.pem()).unwrap();
        fs::write(dir.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        let is_root = rustix::process::getuid().is_root();
        let name = |flag: &str| {
            if is_root {
                output("id", &[flag, "nobody"])
            } else {
                output("id", &[flag])
            }
        };
        let (runs_as, group, port, at) = (name("-un"), name("-gn"), free_port(), dir.display());
        let config = format!(
            "configdirectory: {at}/conf\npartition-default: {at}/spool\ndefaultpartition: default\ncyrus_user: {runs_as}\n\
             cyrus_group: {group}\nsasl_pwcheck_method: auxprop\nsasl_auxprop_plugin: sasldb\nsasl_sasldb_path: {at}/users\n\
             sasl_mech_list: PLAIN\nhttpmodules: jmap caldav\ncaldav_create_default: yes\nconversations: yes\nsearch_engine: none\nautocreate_quota: 0\n\
             autocreate_post: yes\nautocreate_inbox_folders: Bozze|Inviata|Cestino\nxlist-drafts: Bozze\nxlist-sent: Inviata\n\
             xlist-trash: Cestino\nlmtpsocket: {at}/lmtp\n\
             mboxname_lockpath: {at}/lock\ntls_server_cert: {at}/cert.pem\ntls_server_key: {at}/key.pem\n"
        );
        fs::write(dir.join("imapd.conf"), config).unwrap();
        let services = format!(
            "START {{\n  recover cmd=\"{at}/bin/ctl_cyrusdb -C {at}/imapd.conf -r\"\n}}\nSERVICES {{\n  \
             https cmd=\"{at}/bin/httpd -s -C {at}/imapd.conf\" listen=\"127.0.0.1:{port}\" prefork=1\n  \
             lmtpunix cmd=\"{at}/bin/lmtpd -a -C {at}/imapd.conf\" listen=\"{at}/lmtp\" prefork=1\n}}\nEVENTS {{\n}}\n"
        );
        fs::write(dir.join("cyrus.conf"), services).unwrap();
        let mut keeper = Command::new(root.join("sbin/saslpasswd2"))
            .args(["-p", "-c", "-f"])
            .arg(dir.join("users"))
            .arg(user)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        keeper
            .stdin
            .take()
            .unwrap()
            .write_all(password.as_bytes())
            .unwrap();
        assert!(keeper.wait().unwrap().success());
        if is_root {
            give_to(dir, NOBODY);
        }
        let pair = format!("{user}:{password}");
        let server = Self {
            child: run(dir, &runs_as, is_root),
            port,
            certificate: made.cert.der().clone(),
            authorization: BASE64.encode(pair.as_bytes()),
            folder,
        };
        until("Cyrus", || TcpStream::connect(server.tls_address()).ok());
        until("its delivery", || {
            UnixStream::connect(server.folder.path().join("lmtp")).ok()
        });
        Some(server)
    }

    pub(super) fn tls_address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    pub(super) fn address(&self) -> String {
        format!("https://localhost:{}/", self.port)
    }

    pub(super) fn fingerprint(&self) -> String {
        sha256_hex(&self.certificate)
    }

    /// Delivers a mail to its user (RFC 2033).
    pub(super) fn deliver(&self, mail: &str) {
        let mut stream = UnixStream::connect(self.folder.path().join("lmtp")).unwrap();
        let mut answers = BufReader::new(stream.try_clone().unwrap());
        let text = format!("{}\r\n.\r\n", mail.trim_end());
        let said = [
            "",
            "LHLO test\r\n",
            "MAIL FROM:<a@example.com>\r\n",
            "RCPT TO:<kim>\r\n",
            "DATA\r\n",
            &text,
        ];
        for (say, wanted) in said.into_iter().zip(["220", "250", "250", "250", "354", "250"]) {
            stream.write_all(say.as_bytes()).unwrap();
            let mut line = String::new();
            while !line.starts_with(&format!("{wanted} ")) {
                line.clear();
                assert!(answers.read_line(&mut line).unwrap() > 0, "{say}");
                assert!(line.starts_with(wanted), "{line}");
            }
        }
    }

    /// What a method answers.
    pub(super) fn ask(&self, method: &str, mut arguments: Value) -> Value {
        arguments["accountId"] = json!("kim");
        let using = ["urn:ietf:params:jmap:core", "urn:ietf:params:jmap:mail"];
        let body = json!({ "using": using, "methodCalls": [[method, arguments, "a"]] }).to_string();
        let answer = self.exchange("POST /jmap/", "application/json", &body);
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let answer: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"));
        answer["methodResponses"][0][1].clone()
    }

    /// Puts an event into its user's calendar, which the first who looks makes.
    pub(super) fn put_event(&self, name: &str, event: &str) {
        let line = format!("PUT /dav/calendars/user/kim/Default/{name}");
        let answer = self.exchange(&line, "text/calendar", event);
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }

    /// What it answers, with its head.
    fn exchange(&self, line: &str, kind: &str, body: &str) -> String {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let connection = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = StreamOwned::new(connection, TcpStream::connect(self.tls_address()).unwrap());
        write!(
            stream,
            "{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}\r\n\
             Authorization: Basic {}\r\nContent-Length: {}\r\n\r\n{body}",
            self.authorization,
            body.len()
        )
        .unwrap();
        let mut answer = Vec::new();
        // It may close without a farewell.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    /// The id of a mailbox, by its name.
    pub(super) fn mailbox(&self, name: &str) -> String {
        let all = self.ask("Mailbox/get", json!({ "properties": ["name"] }));
        let mut list = all["list"].as_array().unwrap().iter();
        let found = list
            .find(|one| one["name"] == name)
            .unwrap_or_else(|| panic!("{all}"));
        found["id"].as_str().unwrap().to_owned()
    }

    /// The ids of the mails in a mailbox.
    pub(super) fn mails(&self, mailbox: &str) -> Vec<String> {
        let found = self.ask("Email/query", json!({ "filter": { "inMailbox": mailbox } }));
        let ids = found["ids"].as_array().unwrap().iter();
        ids.map(|id| id.as_str().unwrap().to_owned()).collect()
    }
}

fn run(dir: &Path, runs_as: &str, is_root: bool) -> Child {
    let mut command = Command::new(dir.join("bin/master"));
    command
        .arg("-D")
        .arg("-C")
        .arg(dir.join("imapd.conf"))
        .arg("-M")
        .arg(dir.join("cyrus.conf"))
        .arg("-p")
        .arg(dir.join("master.pid"))
        .env("CYRUS_USER", runs_as)
        .env("LD_LIBRARY_PATH", dir.join("lib"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    if is_root {
        command.uid(NOBODY.0).gid(NOBODY.1);
    }
    command.spawn().unwrap()
}

impl Drop for Cyrus {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        // Those that serve end with it.
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        let _ = self.child.wait();
    }
}
