//! The key of a data folder is changed beside a running service, with the built binary.
//!
//! What: the process and its port stay; until all is sealed anew everything is answered with 503 and for how long, then it goes on. Why:
//! whoever looks or posts meanwhile is told, and loses nothing. Not here: sealing anew (`aura_memory::vault`), a folder without a service
//! (`vault`).

use crate::support::{Service, command::aura, signal};
use serde_json::{Value, json};
use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::PathBuf,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(TempDir::new().unwrap());
        fs::write(place.at("home.toml"), "zone = \"UTC\"\n").unwrap();
        for (name, words) in [
            ("one", "correct horse battery\n"),
            ("two", "battery staple lamp\n"),
        ] {
            fs::write(place.at(name), words).unwrap();
        }
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.at(name).to_str().unwrap().to_owned()
    }

    fn service(&self) -> Service {
        Service::start(&self.at("home.toml"), &self.at("data"))
    }

    fn aura(&self, args: &[&str]) -> (Option<i32>, String, String) {
        aura(&[args, &["--data", &self.text("data")]].concat(), b"")
    }

    fn ok(&self, args: &[&str]) -> String {
        let (code, out, err) = self.aura(args);
        assert_eq!(code, Some(0), "{args:?}: {out}{err}");
        out
    }
}

/// One request without a token: its head and body.
fn get(port: u16, path: &str, accept: &str) -> (String, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: {accept}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_ascii_lowercase(), body.to_owned())
}

fn status(head: &str) -> u16 {
    head.split(' ').nth(1).unwrap().parse().unwrap()
}

/// The process that works on the folder.
fn pid(place: &Place) -> String {
    fs::read_to_string(place.at("data/lock")).unwrap()
}

#[test]
fn a_change_of_key_answers_503_and_then_goes_on_at_the_same_address() {
    let place = Place::new();
    let service = place.service();
    let (home, before) = (place.text("home.toml"), pid(&place));
    place.ok(&["tick", "--json", "--home", &home]);
    let told = signal("s-1", "notification", &json!({}));
    assert_ne!(service.request("POST", "/v1/signals", Some(&told)).0, 503);
    let done = AtomicBool::new(false);
    let (seen, healthy) = thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut seen = Vec::new();
            while !done.load(Ordering::Relaxed) {
                for (path, accept) in [("/v1/now", "application/json"), ("/", "text/html")] {
                    let (head, body) = get(service.port, path, accept);
                    if status(&head) == 503 {
                        seen.push((path, head, body));
                    }
                }
            }
            seen
        });
        let alive = scope.spawn(|| {
            let mut all = 0;
            while !done.load(Ordering::Relaxed) {
                let begun = Instant::now();
                let (head, _) = get(service.port, "/healthz", "*/*");
                // The machine that is ending or starting may say that it is busy; the change itself does not.
                assert!(begun.elapsed() < Duration::from_secs(3), "{head}");
                all += 1;
            }
            all
        });
        let changed = place.ok(&[
            "memory",
            "key",
            "change",
            "--new-passphrase-file",
            &place.text("one"),
        ]);
        assert_eq!(changed, "Sealed. The key is kept by a passphrase.\n");
        done.store(true, Ordering::Relaxed);
        (watcher.join().unwrap(), alive.join().unwrap())
    });
    assert!(healthy > 0);
    for wanted in ["/v1/now", "/"] {
        let (_, head, body) = seen
            .iter()
            .rev()
            .find(|(path, _, body)| *path == wanted && body.contains("WEB-025"))
            .unwrap_or_else(|| panic!("no 503 at {wanted}: {seen:?}"));
        let after = head.split("retry-after: ").nth(1).unwrap();
        let after: u64 = after.lines().next().unwrap().trim().parse().unwrap();
        assert!((1..60).contains(&after), "{head}");
        assert!(body.contains("sealed anew") && body.contains("second"), "{body}");
    }
    // The same process, the same port, the same device.
    service.until("machine", |service| {
        let (status, _) = service.request("GET", "/v1/now", None);
        (status == 200).then_some(())
    });
    assert_eq!(service.request("POST", "/v1/signals", Some(&told)).0, 202);
    assert_eq!(pid(&place), before);
    place.ok(&["tick", "--json", "--home", &home]);
    let list = place.ok(&["memory", "audit", "list", "--op", "key_change", "--json"]);
    assert_eq!(list.lines().count(), 1, "{list}");
    place.ok(&["memory", "audit", "verify"]);
    // Again, with the key that the service now has.
    let args = [
        "memory",
        "key",
        "change",
        "--new-passphrase-file",
        &place.text("two"),
    ];
    let (code, _, err) = place.aura(&args);
    assert_eq!(code, Some(4), "who changes the key shows the old one: {err}");
    place.ok(&[&args[..], &["--passphrase-file", &place.text("one")]].concat());
    assert_eq!(place.ok(&["trace", "list", "--json"]).lines().count(), 2);
    drop(service);
    let list =
        |words: &str| place.aura(&["trace", "list", "--json", "--passphrase-file", &place.text(words)]);
    assert_eq!(list("one").0, Some(4));
    let (code, out, err) = list("two");
    assert_eq!((code, out.lines().count()), (Some(0), 2), "{err}");
    let (code, out, err) = aura(
        &[
            "replay",
            &place.text("data"),
            "--verify",
            "--json",
            "--passphrase-file",
            &place.text("two"),
        ],
        b"",
    );
    assert_eq!(
        (code, out.contains("\"different\":0")),
        (Some(0), true),
        "{out}{err}"
    );
}

#[test]
fn a_change_of_key_goes_on_without_the_command_that_asked_for_it() {
    let place = Place::new();
    let service = place.service();
    let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args([
            "memory",
            "key",
            "change",
            "--new-passphrase-file",
            &place.text("one"),
            "--data",
            &place.text("data"),
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // As soon as it has begun.
    let begun = Instant::now();
    while !get(service.port, "/v1/now", "*/*").1.contains("WEB-025") {
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    service.until("machine", |service| {
        let (status, _) = service.request("GET", "/v1/now", None);
        (status == 200).then_some(())
    });
    drop(service);
    let (code, _, err) = place.aura(&[
        "memory",
        "audit",
        "verify",
        "--passphrase-file",
        &place.text("one"),
    ]);
    assert_eq!(code, Some(0), "{err}");
}

#[test]
fn a_folder_that_somebody_else_has_open_keeps_its_key_and_the_service_goes_on() {
    let place = Place::new();
    let service = place.service();
    let held = fs::File::open(place.at("data/key")).unwrap();
    held.try_lock_shared().unwrap();
    let (code, _, err) = place.aura(&[
        "memory",
        "key",
        "change",
        "--new-passphrase-file",
        &place.text("one"),
    ]);
    assert_eq!(code, Some(75), "{err}");
    assert!(err.contains("has the folder open"), "{err}");
    service.until("machine", |service| {
        let (status, _) = service.request("GET", "/v1/now", None);
        (status == 200).then_some(())
    });
    drop(held);
    drop(service);
    place.ok(&["memory", "audit", "verify"]);
}

#[test]
fn a_stop_during_a_change_of_key_ends_the_service_when_it_is_done() {
    let place = Place::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args([
            "run",
            "--port",
            "0",
            "--json",
            "--home",
            &place.text("home.toml"),
            "--data",
            &place.text("data"),
        ])
        .env("AURA_KEY_FILE", place.text("data.key"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(child.stdout.take().unwrap()),
        &mut line,
    )
    .unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    let (_, port) = ready["page"]
        .as_str()
        .unwrap()
        .trim_end_matches('/')
        .rsplit_once(':')
        .unwrap();
    let port: u16 = port.parse().unwrap();
    thread::scope(|scope| {
        let change = scope.spawn(|| {
            place.ok(&[
                "memory",
                "key",
                "change",
                "--new-passphrase-file",
                &place.text("one"),
            ]);
        });
        let begun = Instant::now();
        while !get(port, "/v1/now", "*/*").1.contains("WEB-025") {
            assert!(begun.elapsed() < Duration::from_secs(20));
        }
        let (code, _, err) = place.aura(&["status"]);
        assert!(code == Some(75) && err.contains("key"), "{code:?} {err}");
        let killed = Command::new("/bin/kill")
            .args(["-TERM", &child.id().to_string()])
            .status();
        assert!(killed.unwrap().success());
        change.join().unwrap();
    });
    assert_eq!(child.wait().unwrap().code(), Some(0));
    place.ok(&[
        "memory",
        "audit",
        "verify",
        "--passphrase-file",
        &place.text("one"),
    ]);
}
