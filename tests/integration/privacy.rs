//! The privacy invariants over every recorded day.
//!
//! What: no text of any signal stands in any byte that is kept or in a log (I1, I2), a payment has its six fields and no more (I3), no
//! packet leaves for anywhere (I4), a place is a cell (I8), a name on a page is kept nowhere. Why: what is promised to everybody is tried on everything there is. Not here:
//! I5 (`aura_memory::audit`), I6 (`memory`), I7 (`aura_memory::vault`), I9 and I10 (`orchestrator-machine`, `bad_input`); the table is in
//! docs/memory.md.

use crate::support::{command::aura, token, wait::until};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// Shorter texts stand everywhere by chance.
const TEXT_MIN: usize = 8;

fn days() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
    let mut days: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("day.toml").exists())
        .collect();
    days.sort();
    days
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// The texts from outside in a day's signals, and the lines of the files in its home folder.
fn bodies(day: &Path) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    let signals = fs::read_to_string(day.join("signals.jsonl")).unwrap_or_default();
    for line in signals.lines() {
        let signal: Value = serde_json::from_str(line).unwrap();
        let payload = signal["payload"].as_object().unwrap();
        for name in [
            "app", "channel", "sender", "text", "message", "ics", "body", "from", "merchant",
        ] {
            let field = payload.get(name).and_then(Value::as_str).unwrap_or_default();
            texts.extend(field.lines().map(|line| line.trim().to_owned()));
        }
    }
    let mut folders = vec![day.join("home")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(file) = fs::read_to_string(&path) {
                texts.extend(file.lines().map(|line| line.trim().to_owned()));
            }
        }
    }
    texts.retain(|text| text.len() >= TEXT_MIN && !is_form(text));
    texts
}

/// Lines that are the format's and nobody's.
fn is_form(line: &str) -> bool {
    [
        "BEGIN:",
        "END:",
        "VERSION:",
        "Content-Type:",
        "MIME-Version:",
        "Content-Transfer-Encoding:",
    ]
    .iter()
    .any(|form| line.starts_with(form))
}

#[test]
fn no_text_from_outside_stands_in_any_byte_that_is_kept_or_in_a_log() {
    let mut all = 0;
    for day in days() {
        let texts: Vec<String> = bodies(&day).into_iter().collect();
        all += texts.len();
        let dir = TempDir::new().unwrap();
        let data = dir.path().join("data");
        let done = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["replay", &text(&day), "--keep", &text(&data), "--json"])
            .env_clear()
            .env("AURA_LOG", "trace")
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(0), "{}", day.display());
        // What the owner asked to be written for the owner: drafts. Until it is kept no longer, the event that ordered one
        // holds its text as well, sealed.
        let drafts = data.join("outbox");
        let mut ordered = String::new();
        for draft in fs::read_dir(&drafts).into_iter().flatten() {
            ordered += &fs::read_to_string(draft.unwrap().path()).unwrap();
        }
        let kept: Vec<&str> = texts
            .iter()
            .map(String::as_str)
            .filter(|text| !ordered.contains(text))
            .collect();
        if drafts.exists() {
            fs::remove_dir_all(drafts).unwrap();
        }
        let (logs, traces) = (
            String::from_utf8_lossy(&done.stderr).into_owned(),
            String::from_utf8_lossy(&done.stdout).into_owned(),
        );
        for body in &texts {
            assert!(!logs.contains(body.as_str()), "{}: in a log", day.display());
            assert!(!traces.contains(body.as_str()), "{}: in a trace", day.display());
        }
        if !kept.is_empty() {
            let (code, out, err) = aura(
                &["memory", "scan", "--data", &text(&data)],
                kept.join("\n").as_bytes(),
            );
            assert_eq!(code, Some(0), "{}: {out}{err}", day.display());
        }
    }
    assert!(all > 100, "the days have texts: {all}");
}

/// An event of the bundled household, as its calendar names it.
const NAME: &str = "Review at the lab";

/// One request to a page, as a program with the token.
fn page(port: &str, token: &str, line: &str) -> String {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    let head = format!("{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n");
    write!(stream, "{head}Content-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_name_that_a_page_shows_is_in_no_json_no_log_and_no_byte_that_is_kept() {
    let dir = TempDir::new().unwrap();
    let (data, log) = (dir.path().join("data"), dir.path().join("log"));
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/home/home.toml");
    let command = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aura"));
        command.args(args).args(["--data", &text(&data)]).env_clear();
        command
            .env("AURA_LOG", "trace")
            .env("AURA_KEY_FILE", dir.path().join("key"));
        command
    };
    let mut service = command(&[
        "demo",
        "--headless",
        "--port",
        "0",
        "--json",
        "--home",
        &text(&home),
    ])
    .stdout(Stdio::piped())
    .stderr(fs::File::create(&log).unwrap())
    .spawn()
    .unwrap();
    let mut line = String::new();
    BufReader::new(service.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    let (_, port) = ready["page"]
        .as_str()
        .unwrap()
        .trim_end_matches('/')
        .rsplit_once(':')
        .unwrap();
    let token = &token::owner_token(&data);
    // The morning's card says for what one has to leave.
    page(port, token, "POST /v1/tick");
    until("card that names the event", || {
        page(port, token, "GET /").contains(NAME).then_some(())
    });
    // The watch at rest names the next event, as the pages do.
    for path in ["/v1/now", "/v1/traces", "/v1/ledger", "/metrics", "/memory"] {
        let said = page(port, token, &format!("GET {path}"));
        assert!(
            said.starts_with("HTTP/1.1 200") && !said.contains(NAME),
            "{path}: {said}"
        );
    }
    assert_eq!(command(&["stop"]).output().unwrap().status.code(), Some(0));
    service.wait().unwrap();
    let logged = fs::read_to_string(&log).unwrap();
    assert!(!logged.is_empty() && !logged.contains(NAME));
    let mut scan = command(&["memory", "scan"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    scan.stdin
        .take()
        .unwrap()
        .write_all(format!("{NAME}\n").as_bytes())
        .unwrap();
    let scanned = scan.wait_with_output().unwrap();
    assert_eq!(
        scanned.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&scanned.stdout)
    );
}

#[test]
fn a_payment_is_kept_with_its_six_fields_and_a_place_as_a_cell() {
    let dir = TempDir::new().unwrap();
    let data = dir.path().join("data");
    let day = days()
        .into_iter()
        .find(|day| day.ends_with("spend-mirror"))
        .unwrap();
    assert_eq!(
        aura(&["replay", &text(&day), "--keep", &text(&data)], b"").0,
        Some(0)
    );
    let args = [
        "memory",
        "search",
        "transaction",
        "--type",
        "transaction",
        "--json",
        "--data",
        &text(&data),
    ];
    let (_, out, _) = aura(&args, b"");
    let rows: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!rows.is_empty());
    for row in rows {
        let mut fields: BTreeSet<&str> = row["data"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert!(fields.remove("type"));
        assert!(row["at"].is_string());
        // With the time of the node: six.
        assert_eq!(
            fields,
            BTreeSet::from(["account_last4", "amount", "category", "currency", "merchant"])
        );
    }
}

/// A network of its own with one way out that goes nowhere: whatever is sent there is counted.
#[test]
fn a_whole_day_sends_no_packet_beyond_the_loopback() {
    let dir = TempDir::new().unwrap();
    let script = "
        echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6
        ip link set lo up && ip link add out type veth peer name beyond || exit 99
        ip link set beyond up && ip addr add 10.9.8.7/24 dev out && ip link set out up || exit 99
        ip route add default via 10.9.8.1 dev out && ip neigh add 10.9.8.1 lladdr 02:00:00:00:00:01 dev out || exit 99
        sent() { awk '$1 == \"out:\" { print $11 - 0 }' /proc/net/dev; }
        before=$(sent)
        for day in \"$DAYS\"/*/; do \"$AURA\" replay \"$day\" >/dev/null 2>&1 || exit 98; done
        echo days $(( $(sent) - before ))
        (exec 3<>/dev/udp/192.0.2.1/9 && echo x >&3) 2>/dev/null
        echo canary $(( $(sent) - before ))";
    let days = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
    let done = Command::new("unshare")
        .args([
            "--user",
            "--map-root-user",
            "--net",
            "--mount",
            "bash",
            "-c",
            script,
        ])
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("AURA", env!("CARGO_BIN_EXE_aura"))
        .env("DAYS", days)
        .env("HOME", dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let mut lines = said.lines();
    assert_eq!(
        lines.next(),
        Some("days 0"),
        "{said} {}",
        String::from_utf8_lossy(&done.stderr)
    );
    let canary: u32 = lines
        .next()
        .unwrap()
        .strip_prefix("canary ")
        .unwrap()
        .parse()
        .unwrap();
    assert!(canary > 0, "what is sent is counted");
}
