//! The door of the real service: a flood of signals, and what its log says of a day.
//!
//! What: ten thousand signals as fast as they are taken, and everything a browser and a program do with the log at its loudest. Why: what
//! was accepted is kept, nothing else suffers, and no secret leaves through a log. Not here: the server's limits over a double
//! (`surfaces/tests/pages/limits.rs`).

use crate::support::{Service, signal};
use aura_memory::{
    ReadSignal, SignalFate, SignalKey, Store, StoreOptions, StoreReader, StoreWrite, Vault, vault::NoPrompt,
};
use aura_runtime::control::{self, ControlReply, ControlRequest};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    thread,
};
use surfaces_base::devices::{DeviceName, DeviceScope};
use toolcall_schema::gate;

/// The most that the service on a folder has had in memory, in KiB.
fn peak_kib(data: &Path) -> u64 {
    let pid = fs::read_to_string(data.join("lock")).unwrap();
    let pid = pid.trim();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// The ids of this test's signals that stand in the journal.
fn journalled(data: &Path) -> BTreeSet<String> {
    let vault = Vault::open(data, &NoPrompt).unwrap();
    let reader = StoreReader::open(&vault).unwrap();
    let events = reader.events_from(0, u32::MAX).unwrap();
    let texts = events.iter().flat_map(|event| event.json.split('"'));
    texts
        .filter(|text| text.starts_with("flood-"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn ten_thousand_signals_are_kept_or_refused_and_the_machine_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);
    let before = peak_kib(&data);

    // 40 requests, 8 at a time.
    let batch = |n: usize| -> Vec<Value> {
        let ids = (n * 250..(n + 1) * 250).map(|id| format!("flood-{id:05}"));
        ids.map(|id| signal(&id, "hrv", &json!({ "rmssd_ms": 42.0 })))
            .collect()
    };
    let (mut accepted, mut refused) = (BTreeSet::new(), 0);
    thread::scope(|scope| {
        let senders: Vec<_> = (0..8)
            .map(|sender| {
                let service = &service;
                scope.spawn(move || {
                    let mut told = Vec::new();
                    for n in (sender..40).step_by(8) {
                        let signals = batch(n);
                        let (status, reply) = service.request("POST", "/v1/signals", Some(&json!(signals)));
                        told.push((signals, status, reply));
                    }
                    told
                })
            })
            .collect();
        // Meanwhile a page is answered.
        assert_eq!(service.request("GET", "/healthz", None).0, 200);
        assert_eq!(service.request("GET", "/", None).0, 200);
        for sender in senders {
            for (signals, status, reply) in sender.join().unwrap() {
                match status {
                    202 => {
                        assert_eq!((&reply["accepted"], &reply["refused"]), (&json!(250), &json!([])));
                        accepted.extend(signals.iter().map(|one| one["id"].as_str().unwrap().to_owned()));
                    }
                    429 | 503 => refused += signals.len(),
                    other => panic!("{other}: {reply}"),
                }
            }
        }
    });
    assert_eq!(accepted.len() + refused, 10_000);
    assert!(!accepted.is_empty());
    // The machine's own timers go on: a tick is asked for, made, and its trace is there.
    assert_eq!(service.request("POST", "/v1/tick", None).0, 202);
    service.until("tick after the flood", |service| {
        let (_, traces) = service.request("GET", "/v1/traces?limit=5", None);
        let traces = traces.as_array()?.clone();
        traces
            .into_iter()
            .find(|trace| trace["decision"]["trigger"]["source"] == "owner")
    });
    let grown = peak_kib(&data).saturating_sub(before);
    assert!(grown < 256 * 1024, "{grown} KiB for 10 000 signals");
    service.kill();
    let lost: Vec<_> = accepted.difference(&journalled(&data)).cloned().collect();
    assert_eq!(lost, Vec::<String>::new(), "accepted, and not in the journal");
}

/// A request as it is; the whole answer.
fn raw(service: &Service, line: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", service.port)).unwrap();
    let length = body.len();
    write!(
        stream,
        "{line} HTTP/1.1\r\n{headers}Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_loudest_log_of_a_day_holds_no_code_cookie_token_name_body_or_file() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data, log) = (
        dir.path().join("home.toml"),
        dir.path().join("data"),
        dir.path().join("log"),
    );
    fs::write(&home, "zone = \"UTC\"\n[sources]\nmail = [\"mail\"]\n").unwrap();
    // Whoever sends a mail can name files and folders.
    let folder = dir.path().join("mail/CANARY-FOLDER");
    fs::create_dir_all(&folder).unwrap();
    let mail = "From: a@example.org\r\nSubject: CANARY-SUBJECT\r\n\r\nCANARY-BODY\r\n";
    fs::write(folder.join("CANARY-FILE.eml"), mail).unwrap();
    let service = Service::start_as(&home, &data, |command| {
        command
            .env("AURA_LOG", "trace")
            .stderr(File::create(&log).unwrap())
    });
    let request = ControlRequest::Pair {
        scope: DeviceScope::Owner,
        name: Some(DeviceName::parse("CANARY-GIVEN").unwrap()),
    };
    let Some(ControlReply::Invitation(invitation)) = control::ask(&data, &request).unwrap() else {
        panic!("no code");
    };
    let name = invitation
        .address
        .text()
        .strip_prefix("http://")
        .unwrap()
        .split('/')
        .next()
        .unwrap();
    let host = format!("Host: {name}\r\nOrigin: http://{name}\r\n");
    let code = invitation.code.text();

    // A wrong try, then the right one; the pages with the cookie; changes with the page's token and without it.
    raw(
        &service,
        "POST /pair",
        &host,
        r#"{"code":"CANAR-YCODE","name":"CANARY-NAME"}"#,
    );
    let paired = raw(
        &service,
        "POST /pair",
        &host,
        &format!(r#"{{"code":"{code}","name":"CANARY-NAME"}}"#),
    );
    let (_, set) = paired.split_once("set-cookie: ").unwrap();
    let cookie = set.split(';').next().unwrap();
    let secret = cookie.split_once('=').unwrap().1;
    let signed = format!("{host}Cookie: {cookie}\r\n");
    let page = raw(&service, "GET /", &signed, "");
    let token = page
        .split_once(r#"name="aura-page" content=""#)
        .unwrap()
        .1
        .split('"')
        .next()
        .unwrap();
    for path in [
        "/watch",
        "/week",
        "/devices",
        "/quarantine",
        "/workflows",
        "/CANARY-PATH?CANARY=1",
        "/v1/now",
    ] {
        raw(&service, &format!("GET {path}"), &signed, "");
    }
    let changing = format!("{signed}X-Aura-Page: {token}\r\n");
    raw(
        &service,
        "POST /v1/rules",
        &changing,
        r#"{"subject":"CANARY-SUBJECT"}"#,
    );
    raw(&service, "POST /v1/pause", &signed, r#"{"for":"CANARY-PAUSE"}"#);
    raw(
        &service,
        "POST /v1/cards/CANARY/answer",
        &changing,
        r#"{"act":"CANARY-ACT"}"#,
    );
    raw(
        &service,
        "GET /",
        "Host: CANARY.example\r\nCookie: CANARY-COOKIE=1\r\n",
        "",
    );
    raw(&service, "CANARY /", &host, "");
    let notified = json!({ "app": "CANARY-APP", "channel": "CANARY-CHAT", "sender": "CANARY-SENDER", "text": "CANARY-TEXT" });
    let signals = json!([
        signal("n1", "notification", &notified),
        signal("h1", "hrv", &json!({ "rmssd_ms": 20.0 }))
    ]);
    service.request("POST", "/v1/signals", Some(&signals));
    fs::write(folder.join("CANARY-NEW.eml"), mail).unwrap();
    assert_eq!(service.request("POST", "/v1/tick", None).0, 202);
    service.until("tick", |service| {
        let (_, traces) = service.request("GET", "/v1/traces", None);
        traces.as_array().filter(|traces| !traces.is_empty()).cloned()
    });
    let bearer = service.token.clone();
    service.kill();

    let said = fs::read_to_string(&log).unwrap();
    // At its loudest only our own crates say more: what others write below INFO holds names and headers.
    let others = |line: &&str| {
        ["notify", "hyper", "rustls", "ureq", "mio"]
            .iter()
            .any(|name| line.contains(&format!(" {name}::")))
    };
    let loud = |line: &&str| line.contains(" TRACE ") || line.contains(" DEBUG ");
    assert_eq!(said.lines().filter(loud).find(others), None);
    assert!(said.contains("a device was let in"), "{said}");
    let typed = code.replace('-', "");
    for private in ["CANAR", code, &typed, secret, token, &bearer] {
        let found = said.lines().find(|line| line.contains(private));
        assert_eq!(found, None, "{private}");
    }
}

/// What ended its agent three times by itself is written down as given up; who sends it again is told so by its place, and what is beside it
/// is read. (That it is given up after the third death: `aura_runtime::delivery`.)
#[test]
fn a_signal_that_was_given_up_is_refused_with_its_code_and_the_others_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let beat = |id: &str| signal(id, "hrv", &json!({ "rmssd_ms": 42.0 }));
    let deadly = beat("deadly");
    Service::start(&home, &data).kill();
    let vault = Vault::open(&data, &NoPrompt).unwrap();
    let admitted = gate::admit_signal(deadly.to_string().as_bytes()).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    let given_up = StoreWrite::Signal(ReadSignal {
        key: SignalKey::from_signal(vault.seed(), admitted.signal()),
        at_ms: admitted.signal().at.ms(),
        fate: SignalFate::Refused,
    });
    store.write(vec![given_up]).unwrap();
    drop(store);
    let service = Service::start(&home, &data);
    for beside in ["one", "two"] {
        let posted = json!([beat(beside), deadly]);
        let (status, reply) = service.request("POST", "/v1/signals", Some(&posted));
        assert_eq!(
            (status, &reply["accepted"], &reply["again"]),
            (202, &json!(1), &Value::Null),
            "{reply}"
        );
        let refused = reply["refused"].as_array().unwrap();
        assert_eq!(refused.len(), 1, "{reply}");
        assert_eq!(
            (&refused[0]["index"], &refused[0]["code"]),
            (&json!(1), &json!("SIGNAL-005"))
        );
    }
}
