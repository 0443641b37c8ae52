//! The program `aura-hosts` as its owner has it: a service with a log, spoken to over HTTP.
//!
//! What: [`OwnerHost`], a folder with a running service, and [`OwnerKey`], the key that all hosts of an owner have. Why: what is claimed of hosts is
//! tested on processes. Not here: any claim.

use aura_hosts::{ENTRIES_MAX, JournalLog, OwnerSubject, open_with};
use aura_memory::{
    LogPage, StoreError, StoreWrite, Vault,
    vault::{KeyPrompt, Passphrase},
};
use rustix::{
    io::retry_on_intr,
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid},
};
use serde_json::{Value, json};
use std::{
    cell::Cell,
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// What an owner's hosts have in common: her key file and her configuration.
pub(crate) struct OwnerKey {
    dir: TempDir,
}

impl KeyPrompt for OwnerKey {
    fn passphrase(&self) -> Result<Option<Passphrase>, StoreError> {
        Ok(None)
    }

    fn key_file(&self) -> Option<&Path> {
        None
    }
}

impl OwnerKey {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        fs::write(dir.path().join("home.toml"), "zone = \"UTC\"\n").unwrap();
        Self { dir }
    }

    /// A folder of hers on another host, with the key box alone.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let (data, made) = (self.dir.path().join(name), self.dir.path().join("made"));
        if !made.exists() {
            let init = command(&["memory", "key", "init"])
                .arg("--file")
                .arg(self.dir.path().join("owner.key"))
                .arg("--data")
                .arg(&made)
                .output()
                .unwrap();
            assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
        }
        fs::create_dir(&data).unwrap();
        fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).unwrap();
        fs::copy(made.join("key"), data.join("key")).unwrap();
        data
    }

    pub(crate) fn vault(&self, data: &Path) -> Vault {
        Vault::open(data, self).unwrap()
    }

    /// All that her log holds after its snapshot, and the position of its first entry.
    pub(crate) fn log_since_cut<L: JournalLog + Send + 'static>(
        &self,
        data: &Path,
        open: impl Fn(&OwnerSubject) -> L + Send + Sync + 'static,
    ) -> (u64, Vec<StoreWrite>) {
        let open = open_with(ENTRIES_MAX, move |owner| Ok(open(owner)));
        let mut log = open(&self.vault(data)).unwrap();
        let snapshot = log.snapshot().unwrap().map_or(0, |snapshot| snapshot.position);
        // The entry that the snapshot ends with is there as well.
        let after = snapshot.saturating_sub(1);
        let LogPage::Entries(entries) = log.read_after(after, 100_000).unwrap() else {
            panic!("cut at {after}");
        };
        let writes = entries.into_iter().flat_map(|entry| entry.writes);
        (after + 1, writes.collect())
    }

    /// All that her log holds, which was never cut.
    pub(crate) fn log_of<L: JournalLog + Send + 'static>(
        &self,
        data: &Path,
        open: impl Fn(&OwnerSubject) -> L + Send + Sync + 'static,
    ) -> Vec<StoreWrite> {
        let (first, writes) = self.log_since_cut(data, open);
        assert_eq!(first, 1, "it was cut");
        writes
    }
}

/// The program that serves an owner with a log.
pub(crate) fn serving(owner: &OwnerKey, data: &Path, log: &[&str]) -> Command {
    let mut serving = command(&["run", "--port", "0", "--json", "--home"]);
    serving
        .arg(owner.dir.path().join("home.toml"))
        .arg("--data")
        .arg(data)
        .args(log)
        .stdout(Stdio::piped());
    serving
}

/// The port that a service names in the line by which it says that it is ready.
pub(crate) fn port_in(line: &str) -> Option<u16> {
    let ready: Value = serde_json::from_str(line).ok()?;
    let page = ready["page"].as_str()?;
    page.trim_end_matches('/').rsplit_once(':')?.1.parse().ok()
}

pub(crate) fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aura-hosts"));
    command.args(words).stdin(Stdio::null());
    command
}

/// A host on which the owner is served.
pub(crate) struct OwnerHost {
    child: Child,
    port: u16,
    pub(crate) token: String,
    /// How often signals were posted: each time they have other ids.
    posts: Cell<u32>,
}

impl OwnerHost {
    /// Serves the owner, for a device that another host let in, or a new one.
    pub(crate) fn start(owner: &OwnerKey, data: &Path, log: &[&str], token: Option<&str>) -> Self {
        let mut child = serving(owner, data, log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let port = port_in(&line).unwrap_or_else(|| panic!("not ready: {line:?}"));
        let token = token.map_or_else(|| new_token(data), str::to_owned);
        Self {
            child,
            port,
            token,
            posts: Cell::new(0),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// One request: status and body; status 0 where the connection ended without an answer.
    pub(crate) fn request(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let asked = HttpRequest {
            port: self.port,
            host: None,
            token: &self.token,
            headers: "",
            patience: PATIENCE,
        };
        asked.send(method, path, body)
    }

    /// Mutes a chat by a key of the owner's choice.
    pub(crate) fn mute_by_key(&self, channel: &str, key: &str) -> (u16, Value) {
        let asked = HttpRequest {
            port: self.port,
            host: None,
            token: &self.token,
            headers: &format!("Idempotency-Key: {key}\r\n"),
            patience: PATIENCE,
        };
        asked.send(
            "POST",
            &format!("/v1/mutes/{channel}"),
            Some(&json!({ "for": "1h" })),
        )
    }

    /// The phone's page, which stays connected for as long as this lives.
    pub(crate) fn phone(&self) -> TcpStream {
        let mut page = self.connect();
        write!(
            page,
            "GET /events?surface=phone HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
            self.port, self.token
        )
        .unwrap();
        page.read_exact(&mut [0; 15]).unwrap();
        page
    }

    /// The card that is shown; null: none.
    pub(crate) fn card(&self) -> Value {
        self.request("GET", "/v1/now", None).1["card"].clone()
    }

    /// Posts signals that have the owner asked on her phone.
    pub(crate) fn post_stress(&self) -> (u16, Value) {
        let post = self.posts.get();
        self.posts.set(post + 1);
        let at = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        let signal = |id: &str, kind: &str, payload: Value| json!({ "id": format!("{id}{post}"), "at": at, "source": "test", "kind": kind, "payload": payload });
        let stress = json!([
            signal("h", "hrv", json!({ "rmssd_ms": 20.0 })),
            signal("s", "sleep", json!({ "asleep_min": 240 })),
            signal(
                "a",
                "activity",
                json!({ "typing_entropy": 5.2, "app_switch_rate": 18.0, "notif_dismiss_rate": 0.9, "screen_on_min": 50.0 })
            ),
        ]);
        self.request("POST", "/v1/signals", Some(&stress))
    }

    /// The card on which the owner is asked, and the phone that it is on.
    pub(crate) fn ask_owner(&self) -> (TcpStream, Value) {
        let phone = self.phone();
        let (status, reply) = self.post_stress();
        assert_eq!(status, 202, "{reply}");
        let card = until("card", || Some(self.card()).filter(|card| !card.is_null()));
        (phone, card)
    }

    /// The owner looks at the page, where it is shown to her.
    pub(crate) fn see_page(&self) -> u16 {
        self.request("GET", "/fragment/now?c=1", None).0
    }

    /// Tries once to confirm a card; the answer's status.
    pub(crate) fn try_confirm(&self, card: &Value) -> u16 {
        // The page has to have seen the card.
        self.see_page();
        self.try_confirm_unseen(card)
    }

    /// The same on a page that was looked at before.
    pub(crate) fn try_confirm_unseen(&self, card: &Value) -> u16 {
        let path = format!("/v1/cards/{}/answer", card["card_id"].as_str().unwrap());
        let capability = &card["prompts"][0]["capability"];
        let answer = json!({ "act": "confirm", "surface": "PHONE_CARD", "capability": capability });
        self.request("POST", &path, Some(&answer)).0
    }

    pub(crate) fn confirm(&self, card: &Value) {
        until("accepted confirm", || {
            (self.try_confirm(card) == 200).then_some(())
        });
    }

    /// How the last traces ended, the newest first.
    pub(crate) fn outcomes(&self) -> Vec<String> {
        let (status, traces) = self.request("GET", "/v1/traces?limit=20", None);
        assert_eq!(status, 200, "{traces}");
        let outcome = |trace: &Value| trace["outcome"].as_str().unwrap().to_owned();
        traces.as_array().unwrap().iter().map(outcome).collect()
    }

    pub(crate) fn wait_until_confirmed(&self) {
        until("confirmed trace", || {
            self.outcomes().contains(&"confirmed".to_owned()).then_some(())
        });
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Stops it where it is, as a machine that hangs; all its threads stand when this returns.
    pub(crate) fn freeze(&self) {
        self.signal(Signal::STOP);
        let child = WaitId::Pid(Pid::from_child(&self.child));
        retry_on_intr(|| waitid(child.clone(), WaitIdOptions::STOPPED)).unwrap();
    }

    pub(crate) fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// `kill -9`
    pub(crate) fn kill(mut self) {
        self.kill_at_once();
    }

    fn kill_at_once(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for its end, and gives its exit code; `None`: a signal.
    pub(crate) fn end(mut self) -> Option<i32> {
        until("end of the process", || self.child.try_wait().unwrap()).code()
    }
}

/// Also when a test has failed: nothing goes on running behind it.
impl Drop for OwnerHost {
    fn drop(&mut self) {
        self.kill_at_once();
    }
}

/// How a service is asked.
pub(crate) struct HttpRequest<'a> {
    pub(crate) port: u16,
    /// Under which name; absent: the loopback's address.
    pub(crate) host: Option<&'a str>,
    pub(crate) token: &'a str,
    /// Whole lines, each with its end.
    pub(crate) headers: &'a str,
    pub(crate) patience: Duration,
}

impl HttpRequest<'_> {
    /// Status and body; status 0 where the connection ended without an answer.
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else {
            return (0, Value::Null);
        };
        stream.set_read_timeout(Some(self.patience)).unwrap();
        let body = body.map(Value::to_string).unwrap_or_default();
        let (token, headers, bytes) = (self.token, self.headers, body.len());
        let host = self
            .host
            .map_or_else(|| format!("127.0.0.1:{}", self.port), str::to_owned);
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n{headers}Content-Type: application/json\r\nContent-Length: {bytes}\r\nConnection: close\r\n\r\n{body}"
        );
        let mut answer = String::new();
        let answered = stream
            .write_all(request.as_bytes())
            .and_then(|()| stream.read_to_string(&mut answer));
        let (Ok(_), Some((head, text))) = (answered, answer.split_once("\r\n\r\n")) else {
            return (0, Value::Null);
        };
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (
            status,
            serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
        )
    }
}

pub(crate) fn new_token(data: &Path) -> String {
    let added = command(&["device", "add", "Tests", "--scope", "owner", "--json", "--data"])
        .arg(data)
        .output()
        .unwrap();
    let added: Value = serde_json::from_slice(&added.stdout)
        .unwrap_or_else(|_| panic!("no token: {}", String::from_utf8_lossy(&added.stderr)));
    added["token"].as_str().unwrap().to_owned()
}

/// Looks until it finds something.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "no {what} within {PATIENCE:?}");
        thread::park_timeout(Duration::from_millis(50));
    }
}
