//! Servers of a log that let in whom they know, over TLS.
//!
//! What: a real server with a password, a token or certificates, the log on it, and the program's words where it is not let in. Why: whoever reaches a
//! server can make a log unusable, and a secret must be seen by nobody. Not here: which addresses and files are taken (`log_access`).

use crate::support::{
    NatsServer,
    hosted::{SharedFolders, SharedHost},
    service::{command, until},
};
use aura_hosts::{
    JournalLog as _, LogAccess, LogError, LogPosition, LogServers, OwnerSubject, SealedEntry,
    jetstream::{BusConnection, BusOptions, JetStreamLog},
};
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Output,
    time::Duration,
};
use tempfile::TempDir;
use toolcall_schema::ids::OwnerSeed;

const PASSWORD: &str = "n0t-on-a-screen";

/// A server that lets in whom it knows, and what its hosts have.
struct GuardedServer {
    server: NatsServer,
    access: PathBuf,
}

/// Writes a new certificate and its key into a folder.
fn certificate(dir: &Path, name: &str) {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    fs::write(dir.join(format!("{name}.pem")), made.cert.pem()).unwrap();
    let key = made.signing_key.serialize_pem();
    fs::write(dir.join(format!("{name}.key")), key).unwrap();
}

fn write_access(file: &Path, text: &str) {
    fs::write(file, text).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
}

impl GuardedServer {
    /// `more`: of its `tls` block; `authorization`: whom it lets in; `access`: what its hosts say.
    fn start(more: &str, authorization: &str, access: &str) -> Self {
        let folder = TempDir::new().unwrap();
        for name in ["server", "host", "other"] {
            certificate(folder.path(), name);
        }
        let dir = folder.path().display();
        let config = format!(
            "tls {{ cert_file: \"{dir}/server.pem\", key_file: \"{dir}/server.key\" {more} }}\n{authorization}\n"
        )
        .replace("DIR", &dir.to_string());
        let file = folder.path().join("access.toml");
        write_access(&file, &format!("roots = \"server.pem\"\n{access}"));
        Self {
            server: NatsServer::start_with(&config, folder),
            access: file,
        }
    }

    fn with_password() -> Self {
        let authorization = format!("authorization {{ user: aura, password: \"{PASSWORD}\" }}");
        let access = format!("user = \"aura\"\npassword = \"{PASSWORD}\"\n");
        Self::start("", &authorization, &access)
    }

    fn address(&self) -> String {
        format!("tls://127.0.0.1:{}", self.server.port)
    }

    fn other_access(&self, text: &str) -> PathBuf {
        let file = self.server.folder().join("other.toml");
        write_access(&file, text);
        file
    }

    fn log(&self, access: &Path) -> Result<JetStreamLog, LogError> {
        let bus = BusConnection::open(BusOptions {
            servers: LogServers::parse(&self.address()).unwrap(),
            access: LogAccess::load(access).unwrap(),
            shards: 4,
            ..BusOptions::default()
        })?;
        JetStreamLog::open(&bus, &OwnerSubject::derive(&OwnerSeed::from_bytes([1; 32])))
    }

    fn status(&self, address: &str, access: &Path) -> Output {
        let mut command = command(&["status", "--log", address, "--log-access"]);
        let command = command.arg(access).arg("--owners").arg(self.server.folder());
        command.output().unwrap()
    }
}

fn append(log: &mut JetStreamLog, after: u64) -> Result<(), aura_hosts::AppendError> {
    let entry = SealedEntry::from_bytes(vec![1]);
    log.append(LogPosition::new(after), &entry).map(drop)
}

fn assert_refused(refused: Result<JetStreamLog, LogError>) {
    let Err(LogError::Refused(error)) = refused else {
        panic!("{refused:?}");
    };
    let said = error.to_string();
    assert!(
        said.starts_with("BUS-003: ") && !said.contains(PASSWORD),
        "{said}"
    );
}

#[test]
fn log_is_kept_by_servers_that_know_a_password_and_goes_on_when_they_come_back() {
    let mut guarded = GuardedServer::with_password();
    let mut log = guarded.log(&guarded.access).unwrap();
    append(&mut log, 0).unwrap();
    guarded.server.kill();
    assert!(append(&mut log, 1).is_err());
    guarded.server.start_again();
    until("log that is back", || append(&mut log, 1).ok());

    let wrong = "roots = \"server.pem\"\nuser = \"aura\"\npassword = \"wrong\"\n";
    assert_refused(guarded.log(&guarded.other_access(wrong)));
    assert_refused(guarded.log(&guarded.other_access("roots = \"server.pem\"\n")));
    // Somebody else in the servers' place is told no password.
    let other = format!("roots = \"other.pem\"\nuser = \"aura\"\npassword = \"{PASSWORD}\"\n");
    assert_refused(guarded.log(&guarded.other_access(&other)));
}

#[test]
fn servers_know_a_host_by_a_token_or_by_its_certificate() {
    let token = format!("authorization {{ token: \"{PASSWORD}\" }}");
    let guarded = GuardedServer::start("", &token, &format!("token = \"{PASSWORD}\"\n"));
    append(&mut guarded.log(&guarded.access).unwrap(), 0).unwrap();
    assert_refused(guarded.log(&guarded.other_access("roots = \"server.pem\"\ntoken = \"wrong\"\n")));

    let guarded = GuardedServer::start(
        ", ca_file: \"DIR/host.pem\", verify: true",
        "",
        "certificate = \"host.pem\"\nkey = \"host.key\"\n",
    );
    append(&mut guarded.log(&guarded.access).unwrap(), 0).unwrap();
    for access in ["", "certificate = \"other.pem\"\nkey = \"other.key\"\n"] {
        let access = guarded.other_access(&format!("roots = \"server.pem\"\n{access}"));
        assert!(guarded.log(&access).is_err());
    }
}

#[test]
fn hosts_serve_over_such_servers_and_the_program_says_no_secret() {
    let guarded = GuardedServer::with_password();
    let (address, access) = (guarded.address(), guarded.access.to_str().unwrap());
    let folders = SharedFolders::new(1);
    folders.add_all(1);
    let more = ["--log", &address, "--log-access", access, "--log-streams", "4"];
    let host = SharedHost::start(&folders.of_host(0), &more);
    let owner = &folders.names[0];
    let token = until("token", || host.new_token(owner));
    let status = until("answer", || {
        let (status, _) = host.request(owner, &token, ("GET", "/v1/now"), None);
        (!matches!(status, 0 | 503)).then_some(status)
    });
    assert_eq!(status, 200);
    let said = guarded.status(&address, &guarded.access);
    assert!(said.status.success(), "{said:?}");

    let port = guarded.server.port;
    let wrong = format!("roots = \"other.pem\"\nuser = \"aura\"\npassword = \"{PASSWORD}\"\n");
    let wrong = guarded.other_access(&wrong);
    let open = guarded.server.folder().join("open.toml");
    fs::write(&open, format!("token = \"{PASSWORD}\"\n")).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o644)).unwrap();
    for (code, address, access) in [
        (
            "BUS-001",
            format!("tls://aura:{PASSWORD}@127.0.0.1:{port}"),
            &guarded.access,
        ),
        ("BUS-001", address.clone(), &open),
        // A network of documentation: nobody is asked.
        ("BUS-002", "nats://192.0.2.1:4222".to_owned(), &guarded.access),
        ("BUS-003", address, &wrong),
    ] {
        let said = guarded.status(&address, access);
        let words = String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned();
        assert!(!said.status.success() && words.contains(code), "{code}: {words}");
        assert!(!words.contains(PASSWORD), "{words}");
    }
}

#[test]
fn host_that_is_not_let_in_says_so_and_does_not_begin() {
    let guarded = GuardedServer::with_password();
    let wrong = guarded.other_access("roots = \"server.pem\"\ntoken = \"wrong\"\n");
    let folders = SharedFolders::new(1);
    folders.add_all(1);
    let began = std::time::Instant::now();
    let said = command(&["host", "--port", "0", "--log", &guarded.address(), "--log-access"])
        .arg(&wrong)
        .arg("--owners")
        .arg(folders.of_host(0))
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(!said.status.success() && words.contains("BUS-003"), "{words}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}
