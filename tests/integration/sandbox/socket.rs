//! The control socket and who cannot ask it.
//!
//! What: a request without the service's secret gets nothing, whoever sends it; a program in its sandbox can neither read the secret
//! nor connect. Why: behind the socket are the folder's keys. Not here: what the owner's commands get (`operating.rs`).

use super::{House, program, service};
use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::{fs::MetadataExt as _, net::UnixStream},
    path::Path,
    process::{Child, Stdio},
};

struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn started(dir: &Path) -> Service {
    let mut command = service(dir, &[]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It says where its page is when it can be asked.
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut ready)
        .unwrap();
    Service(child)
}

/// What the service says to a line.
fn said(data: &Path, line: &str) -> String {
    let mut stream = UnixStream::connect(data.join("aura.sock")).unwrap();
    writeln!(stream, "{line}").unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    answer
}

#[test]
fn a_request_without_the_secret_gets_nothing() {
    let house = House::new();
    let data = house.path("data");
    let _service = started(&house.path(""));
    let cookie = fs::read_to_string(data.join("aura.cookie")).unwrap();
    let mode = fs::metadata(data.join("aura.cookie")).unwrap().mode();
    assert_eq!((cookie.len(), mode & 0o777), (64, 0o600));
    let add = r#"{"do":"device_add","name":"x","scope":"owner"}"#;
    let refused =
        "{\"error\":\"not a request of this service's owner; use the command line of the same version\"}\n";
    for request in [
        r#"{"do":"keys"}"#,
        r#"{"do":"status"}"#,
        r#"{"do":"aside"}"#,
        r#"{"do":"stop"}"#,
        add,
    ] {
        for line in [
            request.to_owned(),
            format!(r#"{{"cookie":"","request":{request}}}"#),
            format!(r#"{{"cookie":"{}","request":{request}}}"#, "0".repeat(64)),
            format!(r#"{{"request":{request}}}"#),
        ] {
            assert_eq!(said(&data, &line), refused, "{line}");
        }
    }
    let good = format!(r#"{{"cookie":"{cookie}","request":{{"do":"status"}}}}"#);
    assert!(said(&data, &good).starts_with(r#"{"status":"#));
}

#[test]
fn a_program_with_the_network_reaches_no_socket_of_this_machine_and_no_secret() {
    let house = House::new();
    let _service = started(&house.path(""));
    let (socket, cookie) = (house.text("data/aura.sock"), house.text("data/aura.cookie"));
    let connects =
        format!("python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{socket}\"); print(1)'");
    for line in [format!("cat {cookie}"), connects] {
        let done = program(&house, &["--network"], &line);
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!((done.stdout.as_slice(), done.status.success()), (&b""[..], false));
        if super::kernels_landlock() > 0 || !line.starts_with("cat") {
            assert!(
                err.contains("Permission denied")
                    || err.contains("not permitted")
                    || err.contains("python3: command not found"),
                "{err}"
            );
        }
    }
}
