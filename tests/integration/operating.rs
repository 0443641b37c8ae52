//! What an operator relies on, with the built binary.
//!
//! What: the service manager is told, the monitoring pages answer, logs are JSON when asked for, SIGTERM drains in time, and the
//! unit in the documents says what the program does. Why: what runs for years is watched by programs. Not here: what each
//! figure counts (`aura_platform::metrics`), a kill without warning (`kill.rs`).

use crate::support::{
    token,
    wait::{exit_within, until},
};
use aura_memory::{Store, StoreOptions, Vault};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::net::UnixDatagram,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};
use toolcall_schema::catalogue::lock::{CATALOGUE_LOCK, CatalogueLock};

/// The real service with the environment of a service manager.
struct Service {
    child: Child,
    port: u16,
    token: String,
}

impl Service {
    fn start(dir: &Path, environment: &[(&str, &str)]) -> Self {
        let home = dir.join("home.toml");
        std::fs::write(&home, "zone = \"UTC\"\n").unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["run", "--port", "0", "--json", "--home"])
            .arg(&home)
            .arg("--data")
            .arg(dir.join("data"))
            .env_clear()
            .env("AURA_KEY_FILE", dir.join("key-file"))
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not ready: {line:?}"));
        let page = ready["page"].as_str().unwrap();
        let (_, port) = page.trim_end_matches('/').rsplit_once(':').unwrap();
        Self {
            child,
            port: port.parse().unwrap(),
            token: token::owner_token(&dir.join("data")),
        }
    }

    fn send(&self, line: &str, signed_in: bool, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let bearer = if signed_in {
            format!("Authorization: Bearer {}\r\n", self.token)
        } else {
            String::new()
        };
        write!(
            stream,
            "{line} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{bearer}Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .unwrap();
        stream
    }

    /// Status, head and body.
    fn ask(&self, line: &str, signed_in: bool, body: &str) -> (u16, String, String) {
        let mut answer = String::new();
        self.send(line, signed_in, body)
            .read_to_string(&mut answer)
            .unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_ascii_lowercase(), body.to_owned())
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Waits for its end, at most so long; with all that it logged.
    fn ends_within(mut self, limit: Duration) -> (ExitStatus, String) {
        let stderr = self.child.stderr.take().unwrap();
        let log = thread::spawn(move || {
            let mut text = String::new();
            BufReader::new(stderr).read_to_string(&mut text).unwrap();
            text
        });
        let status = exit_within(&mut self.child, limit);
        (status, log.join().unwrap())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One thing a service manager was told: its lines, without the moment.
fn told(manager: &UnixDatagram) -> Vec<String> {
    let mut bytes = [0; 512];
    let count = manager.recv(&mut bytes).unwrap();
    let text = std::str::from_utf8(&bytes[..count]).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("MONOTONIC_USEC="));
    lines.map(str::to_owned).collect()
}

#[test]
fn the_service_manager_is_told_of_start_life_reload_and_end() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("manager");
    let manager = UnixDatagram::bind(&socket).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let socket = socket.to_str().unwrap();
    // Signs of life every half second.
    let service = Service::start(
        dir.path(),
        &[("NOTIFY_SOCKET", socket), ("WATCHDOG_USEC", "1000000")],
    );
    let next_but_life = || loop {
        let said = told(&manager);
        if said != ["WATCHDOG=1"] {
            return said;
        }
    };
    assert_eq!(next_but_life(), ["READY=1"]);
    assert_eq!(told(&manager), ["WATCHDOG=1"]);
    service.signal(Signal::HUP);
    assert_eq!(next_but_life(), ["RELOADING=1"]);
    assert_eq!(next_but_life(), ["READY=1"]);
    service.signal(Signal::TERM);
    assert_eq!(next_but_life(), ["STOPPING=1"]);
    let (status, _) = service.ends_within(Duration::from_secs(5));
    assert_eq!(status.code(), Some(0));
}

#[test]
fn the_service_manager_is_told_that_a_changed_catalogue_waits_and_gets_signs_of_life_meanwhile() {
    let dir = tempfile::tempdir().unwrap();
    let mut before = CatalogueLock::parse(CATALOGUE_LOCK).unwrap();
    let entry = before.tools.get("comms.classify").unwrap().clone();
    before.tools.insert("comms.shout".to_owned(), entry);
    let vault = Vault::demo(&dir.path().join("data")).unwrap();
    let (store, _) = Store::open(&vault, StoreOptions::default()).unwrap();
    store
        .put_catalogue("before".to_owned(), before.to_text())
        .unwrap();
    drop(store);
    let socket = dir.path().join("manager");
    let manager = UnixDatagram::bind(&socket).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut service = Service::start(
        dir.path(),
        &[
            ("NOTIFY_SOCKET", socket.to_str().unwrap()),
            ("WATCHDOG_USEC", "1000000"),
        ],
    );
    let next_but_life = || loop {
        let said = told(&manager);
        if said != ["WATCHDOG=1"] {
            return said;
        }
    };
    assert_eq!(next_but_life(), ["READY=1"]);
    let status = next_but_life();
    assert!(
        status[0].starts_with("STATUS=") && status[0].contains("CAT-001"),
        "{status:?}"
    );
    for _ in 0..3 {
        assert_eq!(told(&manager), ["WATCHDOG=1"]);
    }
    // No machine is there that would read the settings again: the one that comes does.
    service.signal(Signal::HUP);
    assert_eq!(next_but_life(), ["RELOADING=1"]);
    assert_eq!(next_but_life(), ["READY=1"]);
    assert_eq!(service.ask("POST /v1/catalogue/accept", true, "").0, 204);
    assert_eq!(next_but_life(), ["STATUS="]);
    assert_eq!(next_but_life(), ["READY=1"]);
    assert_eq!(told(&manager), ["WATCHDOG=1"]);
    let mut log = BufReader::new(service.child.stderr.take().unwrap()).lines();
    let is_read = |line: &str| line.contains("SIGHUP: policy and settings were read again");
    assert!(log.any(|line| is_read(&line.unwrap())));
    service.signal(Signal::TERM);
    assert_eq!(next_but_life(), ["STOPPING=1"]);
    let status = exit_within(&mut service.child, Duration::from_secs(5));
    assert_eq!(status.code(), Some(0));
}

/// A load that crosses 70 with all the marks of stress: a card that asks for a confirmation, for up to 60 s.
fn stress() -> Value {
    let at = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let signal = |id: &str, kind: &str, payload: Value| json!({ "id": id, "at": at, "source": "test", "kind": kind, "payload": payload });
    json!([
        signal("h1", "hrv", json!({ "rmssd_ms": 20.0 })),
        signal("s1", "sleep", json!({ "asleep_min": 240 })),
        signal(
            "a1",
            "activity",
            json!({ "typing_entropy": 5.2, "app_switch_rate": 18.0, "notif_dismiss_rate": 0.9, "screen_on_min": 50.0 })
        ),
    ])
}

#[test]
fn sigterm_during_a_tick_ends_within_five_seconds_and_the_tick_goes_on_after_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(dir.path(), &[]);
    let page = service.send("GET /events?surface=phone", true, "");
    // The stream's first bytes: the page is connected.
    (&page).read_exact(&mut [0; 15]).unwrap();
    let (status, _, reply) = service.ask("POST /v1/signals", true, &stress().to_string());
    assert_eq!(status, 202, "{reply}");
    let card = |service: &Service| -> Value {
        let now: Value = serde_json::from_str(&service.ask("GET /v1/now", true, "").2).unwrap();
        now["card"]["card_id"].clone()
    };
    let asked = until("card", || Some(card(&service)).filter(|card| !card.is_null()));
    service.signal(Signal::TERM);
    let (status, log) = service.ends_within(Duration::from_secs(5));
    assert_eq!(status.code(), Some(0), "{log}");
    let service = Service::start(dir.path(), &[]);
    assert_eq!(card(&service), asked, "the same card waits for its answer");
}

#[test]
fn monitoring_asks_whether_it_lives_is_ready_and_how_much_there_was() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(dir.path(), &[]);
    let (status, _, health) = service.ask("GET /healthz", false, "");
    assert_eq!((status, health.contains("\"ok\"")), (200, true), "{health}");
    let (status, _, ready) = service.ask("GET /readyz", false, "");
    assert_eq!((status, ready.contains("\"ready\"")), (200, true), "{ready}");
    // Figures say how the owner's day goes: not for everybody on this machine.
    assert_eq!(service.ask("GET /metrics", false, "").0, 401);

    assert_eq!(service.ask("POST /v1/tick", true, "").0, 202);
    let text = until("tick", || {
        let (status, head, text) = service.ask("GET /metrics", true, "");
        assert_eq!(status, 200);
        assert!(
            head.contains("content-type: application/openmetrics-text; version=1.0.0"),
            "{head}"
        );
        Some(text).filter(|text| text.contains("aura_ticks_total{"))
    });
    for line in [
        "aura_ticks_total{outcome=\"silent\",reason=\"no_candidate\"} 1",
        "aura_state_seconds_count{state=\"Listening\"} 1",
        "aura_state_seconds_count{state=\"Deliberating\"} 1",
        "aura_rationales_total{source=\"template\"} 1",
        "aura_ledger_tokens{tokens=\"free\"} 3",
        "aura_ledger_ceiling 3",
        "aura_journal_up 1",
        "aura_agent_up{agent=\"comms\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "no {line} in\n{text}");
    }
    assert!(text.ends_with("# EOF\n"), "{text}");
}

#[test]
fn logs_are_one_json_object_a_line_when_asked_for_and_name_their_tick() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(dir.path(), &[("AURA_LOG_FORMAT", "json"), ("AURA_LOG", "debug")]);
    assert_eq!(service.ask("POST /v1/tick", true, "").0, 202);
    until("tick", || {
        let (_, _, text) = service.ask("GET /metrics", true, "");
        text.contains("aura_ticks_total{").then_some(())
    });
    service.signal(Signal::TERM);
    let (_, log) = service.ends_within(Duration::from_secs(5));
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect();
    assert!(
        lines.iter().any(|line| line["fields"]["message"] == "SIGTERM"),
        "{log}"
    );
    let in_a_tick = |line: &Value| line["span"]["name"] == "tick" && line["span"]["tick"] == 1;
    assert!(lines.iter().any(in_a_tick), "{log}");
}

#[test]
fn a_form_of_logs_that_does_not_exist_is_said_and_logs_are_text() {
    let done = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["schema", "list"])
        .env_clear()
        .env("AURA_LOG_FORMAT", "yaml")
        .output()
        .unwrap();
    let log = String::from_utf8(done.stderr).unwrap();
    assert!(
        done.status.success() && log.contains("AURA_LOG_FORMAT is neither json nor text: logs are text"),
        "{log}"
    );
}

/// The unit's keys and values by section; a key may stand there more than once.
fn unit() -> BTreeMap<(String, String), Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/aura.service");
    let (mut section, mut found) = (String::new(), BTreeMap::<_, Vec<String>>::new());
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut section);
        } else if !line.is_empty() && !line.starts_with('#') {
            let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("no key: {line}"));
            found
                .entry((section.clone(), key.to_owned()))
                .or_default()
                .push(value.to_owned());
        }
    }
    found
}

#[test]
fn the_unit_fits_the_program() {
    let unit = unit();
    let service = |key: &str| {
        unit.get(&("Service".to_owned(), key.to_owned()))
            .map_or("", |values| values[0].as_str())
    };
    // Told READY and RELOADING, woken by SIGHUP, watched: all of that the program does.
    assert_eq!(service("Type"), "notify");
    assert_eq!(service("ExecReload"), "/bin/sh -c \"kill -HUP $MAINPID\"");
    assert_eq!(service("NotifyAccess"), "main");
    assert!(
        service("WatchdogSec").parse::<u32>().unwrap() >= 10,
        "a slow disk is no hang"
    );
    // Longer than the drain, so that it is never cut.
    assert!(service("TimeoutStopSec").parse::<u32>().unwrap() > 5);
    assert_eq!(service("RestartPreventExitStatus"), "2 3 4");
    // The command line takes it.
    let words: Vec<&str> = service("ExecStart").split(' ').skip(1).collect();
    let help = Command::new(env!("CARGO_BIN_EXE_aura"))
        .args(["run", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert_eq!(words.first(), Some(&"run"));
    for flag in &words[1..] {
        assert!(help.contains(flag), "aura run has no {flag}");
    }
    // Outer walls that the agents' own sandbox can still be built behind.
    let filter = service("SystemCallFilter");
    for call in [
        "landlock_create_ruleset",
        "landlock_add_rule",
        "landlock_restrict_self",
        "seccomp",
    ] {
        assert!(
            filter.split(' ').any(|word| word == call),
            "{call} is filtered away"
        );
    }
    for wall in [
        "NoNewPrivileges",
        "LockPersonality",
        "RestrictRealtime",
        "RestrictSUIDSGID",
    ] {
        assert_eq!(service(wall), "yes", "{wall}");
    }
    // Programs that may reach some hosts are in a network of their own.
    assert_eq!(service("RestrictNamespaces"), "user net");
    assert!(service("RestrictAddressFamilies").ends_with(" AF_NETLINK"));
    assert_eq!(service("LimitCORE"), "0");
    // Programs of the owner's run in here with their manifests' limits, and write files for others to read.
    for bound in ["MemoryMax", "TasksMax", "UMask", "MemoryDenyWriteExecute"] {
        assert_eq!(service(bound), "", "{bound}");
    }
}

#[test]
fn a_service_bounds_its_own_memory_and_not_that_of_its_children() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home.toml");
    std::fs::write(&home, "zone = \"UTC\"\n").unwrap();
    let service = crate::support::Service::start(&home, &dir.path().join("data"));
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", service.pid().as_raw_nonzero())).unwrap();
    let data = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max data size"))
        .unwrap();
    // 2 GiB, which a child may lift again.
    let words: Vec<&str> = data.split_whitespace().collect();
    assert_eq!(words, ["2147483648", "unlimited", "bytes"]);
}
