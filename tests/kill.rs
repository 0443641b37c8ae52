//! `kill -9` while a prompt is open, through the built binary.
//!
//! What: starts the real service on a data folder, posts real signals over HTTP, kills the process without warning and
//! starts it again. Why: the owner's pending decision survives: the same card, the same deadline, and no action runs
//! twice. Not here: recorded days (`days.rs`).

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A running service.
struct Service {
    child: Child,
    port: u16,
    token: String,
}

impl Service {
    fn start(home: &Path, data: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["run", "--port", "0", "--json", "--home"])
            .arg(home)
            .arg("--data")
            .arg(data)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not ready: {line:?}"));
        let page = ready["page"].as_str().unwrap();
        let (address, token) = page.trim_start_matches("http://").split_once("/?token=").unwrap();
        let port = address.rsplit_once(':').unwrap().1.parse().unwrap();
        Self {
            child,
            port,
            token: token.to_owned(),
        }
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let body = body.map(Value::to_string).unwrap_or_default();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            self.token,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let text = answer.split_once("\r\n\r\n").unwrap().1;
        (status, serde_json::from_str(text).unwrap_or(Value::Null))
    }

    /// A page of a surface: connects its event stream and fetches the fragment, as a browser does.
    fn page(&self) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "GET /events?surface=phone HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
            self.port, self.token
        )
        .unwrap();
        let mut first = [0; 15];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200 OK");
        stream
    }

    fn now(&self) -> Value {
        let (status, now) = self.request("GET", "/v1/now", None);
        assert_eq!(status, 200, "{now}");
        now
    }

    /// Waits for a condition of the service's own answer; a hung service fails the test.
    fn until<T>(&self, what: &str, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            assert!(Instant::now() < end, "no {what} within 20 s: {}", self.now());
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }

    fn kill(mut self) {
        // SIGKILL: nothing of the process runs any more.
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn signal(id: &str, kind: &str, payload: &Value) -> Value {
    let at = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    json!({ "id": id, "at": at, "source": "test", "kind": kind, "payload": payload })
}

/// A load that crosses 70 with all the marks of stress: `BREATHE_478` asks for a confirmation on the phone.
fn stress() -> Value {
    json!([
        signal("h1", "hrv", &json!({ "rmssd_ms": 20.0 })),
        signal("s1", "sleep", &json!({ "asleep_min": 240 })),
        signal(
            "a1",
            "activity",
            &json!({ "typing_entropy": 5.2, "app_switch_rate": 18.0, "notif_dismiss_rate": 0.9, "screen_on_min": 50.0 })
        ),
    ])
}

#[test]
fn a_pending_confirm_survives_kill_9_and_its_action_runs_once() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    std::fs::write(&home, "zone = \"UTC\"\n").unwrap();

    let service = Service::start(&home, &data);
    let page = service.page();
    let (status, reply) = service.request("POST", "/v1/signals", Some(&stress()));
    assert_eq!((status, &reply["accepted"]), (202, &json!(3)), "{reply}");
    let card = service.until("prompt", |s| {
        Some(s.now()["card"].clone()).filter(|card| !card.is_null())
    });
    assert_eq!(card["decision"]["chosen"]["kind"], "BREATHE_478");
    drop(page);
    service.kill();

    let service = Service::start(&home, &data);
    let again = service.now()["card"].clone();
    assert_eq!(again["card_id"], card["card_id"], "the same card");
    assert_eq!(
        again["prompts"], card["prompts"],
        "the same deadline and capability"
    );

    let _page = service.page();
    let prompt = &again["prompts"][0];
    let path = format!("/v1/cards/{}/answer", again["card_id"].as_str().unwrap());
    let answer = json!({ "act": "confirm", "surface": "PHONE_CARD", "capability": prompt["capability"] });
    // The page has to have seen the card; a confirm of an unseen one is refused with CONFIRM-005.
    service.until("accepted confirm", |s| {
        s.request("GET", "/fragment/now?c=1", None);
        let (status, reply) = s.request("POST", &path, Some(&answer));
        (status == 200).then_some(reply)
    });
    let trace = service.until("trace", |s| {
        let (_, traces) = s.request("GET", "/v1/traces?limit=5", None);
        traces.as_array().and_then(|traces| traces.first()).cloned()
    });
    assert_eq!(trace["outcome"], "confirmed", "{trace}");
    service.kill();

    // Killed again after it ended: nothing is asked or run a second time.
    let service = Service::start(&home, &data);
    assert_eq!(service.now()["card"], Value::Null);
    let (_, traces) = service.request("GET", "/v1/traces?limit=5", None);
    let confirmed = traces
        .as_array()
        .unwrap()
        .iter()
        .filter(|t| t["outcome"] == "confirmed")
        .count();
    assert_eq!(confirmed, 1, "{traces}");
    service.kill();
}

#[test]
fn a_second_start_on_the_same_folder_and_a_busy_port_are_refused_with_a_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let (home, data) = (dir.path().join("home.toml"), dir.path().join("data"));
    std::fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = Service::start(&home, &data);

    let start = |data: &Path, port: u16| {
        Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["run", "--port", &port.to_string(), "--home"])
            .arg(&home)
            .arg("--data")
            .arg(data)
            .output()
            .unwrap()
    };
    let second = start(&data, 0);
    assert_eq!(second.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&second.stderr).contains("STORE-001"));

    let other = dir.path().join("other");
    let busy = start(&other, service.port);
    assert_eq!(busy.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&busy.stderr).contains("WEB-002"));
    service.kill();
}
