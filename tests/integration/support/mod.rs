//! What tests of the running binary share.
//!
//! What: [`Service`], the real `aura run` with HTTP spoken to it by hand, and [`signal`]. Why: one way to start, ask, wait
//! and kill. Not here: any claim.

pub(crate) mod ask_doors;
pub(crate) mod command;
pub(crate) mod home_folder;
pub(crate) mod loud_chat;
pub(crate) mod mailbox_household;
pub(crate) mod meeting_household;
pub(crate) mod named_household;
pub(crate) mod plain_http;
pub(crate) mod test_clock;
pub(crate) mod token;
pub(crate) mod wait;
pub(crate) mod workflows;
pub(crate) mod write_fault;

use aura_days::day::DayScript;
use chrono::{Timelike as _, Utc};
use rustix::process::Pid;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

/// A time zone in which it is one o'clock in the afternoon: past the morning's brief, which would be spoken of first.
pub(crate) fn afternoon_zone() -> String {
    let ahead = 13 - i32::try_from(Utc::now().hour()).unwrap();
    format!("Etc/GMT{:+}", -ahead)
}

/// A data folder as the recorded day of that name leaves it.
pub(crate) fn folder_after(day: &str) -> (TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let days = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/days");
    let script = DayScript::read(&days.join(day)).unwrap();
    script.play(&data).unwrap();
    let data = data.to_str().unwrap().to_owned();
    (dir, data)
}

/// Whether any file below holds these bytes.
pub(crate) fn any_file_holds(folder: &Path, wanted: &str) -> bool {
    let found = Command::new("grep")
        .args(["-r", "-l", "-a", "-F", wanted])
        .arg(folder)
        .output()
        .unwrap();
    !found.stdout.is_empty()
}

/// A calendar with one event each day from 2020 on.
pub(crate) fn daily_event(name: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y//EN\r\nBEGIN:VEVENT\r\nUID:{name}@example.org\r\nDTSTAMP:20200101T000000Z\r\n\
         DTSTART:20200101T090000Z\r\nDTEND:20200101T100000Z\r\nRRULE:FREQ=DAILY\r\nSUMMARY:x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

/// A port that was free a moment ago; somebody else would have to be very quick.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// A bank's message, with the words that it is given.
pub(crate) fn post_bank_message(service: &Service, id: &str, from: &str, body: &str) {
    let signal = json!([signal(id, "bank_sms", &json!({ "from": from, "body": body }))]);
    let (status, reply) = service.request("POST", "/v1/signals", Some(&signal));
    assert_eq!(status, 202, "{reply}");
}

/// The rows of those who wait, on the page of chats.
pub(crate) fn rows_of_who_waits(service: &Service) -> String {
    let page = service.page("/chats");
    let (_, block) = page.split_once(r#"id="waits""#).unwrap();
    block.split_once("</section>").unwrap().0.to_owned()
}

/// A running service.
pub(crate) struct Service {
    /// Its process; absent: one of several owners of a host's.
    child: Option<Child>,
    /// Under which name it is asked.
    host: String,
    /// Where its page is.
    pub(crate) port: u16,
    /// Of a device of the owner's.
    pub(crate) token: String,
}

impl Service {
    /// Starts it on a configuration and a data folder, on a port that the system chooses, and waits until it is ready.
    pub(crate) fn start(home: &Path, data: &Path) -> Self {
        Self::start_with(home, data, &[])
    }

    /// The same, with more on its command line.
    pub(crate) fn start_with(home: &Path, data: &Path, more: &[&str]) -> Self {
        Self::start_as(home, data, |command| command.args(more))
    }

    /// The same, with anything else of its command changed.
    pub(crate) fn start_as(
        home: &Path,
        data: &Path,
        change: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Self {
        Self::spawn("run", 0, home, data, change)
    }

    /// Starts it, for a device that it knows or a new one; `None`: the folder is in use, and may be free later.
    pub(crate) fn try_start(home: &Path, data: &Path, known: Option<&str>) -> Option<Self> {
        Self::try_start_as(home, data, known, |command| command)
    }

    /// The same, with anything else of its command changed.
    pub(crate) fn try_start_as(
        home: &Path,
        data: &Path,
        known: Option<&str>,
        change: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Option<Self> {
        let (child, port) = Self::try_launch("run", 0, home, data, change)?;
        let token = known.map_or_else(|| token::owner_token(data), str::to_owned);
        Some(Self::with_process(child, port, token))
    }

    fn with_process(child: Child, port: u16, token: String) -> Self {
        let host = "127.0.0.1".to_owned();
        Self {
            child: Some(child),
            host,
            port,
            token,
        }
    }

    /// One owner's of a host that runs, by her data folder.
    pub(crate) fn of_owner(host: &str, port: u16, data: &Path) -> Self {
        Self {
            child: None,
            host: host.to_owned(),
            port,
            token: token::owner_token(data),
        }
    }

    /// `aura run` or `aura demo`, on this port.
    pub(crate) fn spawn(
        which: &str,
        port: u16,
        home: &Path,
        data: &Path,
        change: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Self {
        let (child, port) = Self::launch(which, port, home, data, change);
        Self::with_process(child, port, token::owner_token(data))
    }

    /// Kills it without warning and starts it again, for the device that it knows: a folder has 64 at most.
    pub(crate) fn kill_and_start(self, home: &Path, data: &Path) -> Self {
        let token = self.token.clone();
        drop(self);
        let (child, port) = Self::launch("run", 0, home, data, |command| command);
        Self::with_process(child, port, token)
    }

    /// The process, once it is ready, and its port.
    fn launch(
        which: &str,
        port: u16,
        home: &Path,
        data: &Path,
        change: impl FnOnce(&mut Command) -> &mut Command,
    ) -> (Child, u16) {
        Self::try_launch(which, port, home, data, change).unwrap_or_else(|| panic!("the folder is in use"))
    }

    /// The same; `None`: the folder is in use, and may be free later.
    fn try_launch(
        which: &str,
        port: u16,
        home: &Path,
        data: &Path,
        change: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Option<(Child, u16)> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aura"));
        command
            .args([which, "--port", &port.to_string(), "--json", "--home"])
            .arg(home)
            .arg("--data")
            .arg(data)
            // No keyring: beside the folder, and only where it is new.
            .env("AURA_KEY_FILE", data.with_extension("key"))
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let mut child = change(&mut command).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        if line.is_empty() && child.wait().unwrap().code() == Some(75) {
            return None;
        }
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not ready: {line:?}"));
        let page = ready["page"].as_str().unwrap();
        let (_, port) = page.trim_end_matches('/').rsplit_once(':').unwrap();
        Some((child, port.parse().unwrap()))
    }

    /// One request with its token: status, and the JSON body or the page's text.
    pub(crate) fn request(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let body = body.map(Value::to_string).unwrap_or_default();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.host,
            self.port,
            self.token,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let text = answer.split_once("\r\n\r\n").unwrap().1;
        (
            status,
            serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
        )
    }

    /// A page, or a part of one.
    pub(crate) fn page(&self, path: &str) -> String {
        let (status, page) = self.request("GET", path, None);
        assert_eq!(status, 200, "{path}: {page}");
        page.as_str().unwrap().to_owned()
    }

    /// A page, as soon as it says this.
    pub(crate) fn until_says(&self, path: &str, says: &str) -> String {
        self.until(says, |service| {
            let page = service.page(path);
            page.contains(says).then_some(page)
        })
    }

    /// The list of people and chats that a search finds.
    pub(crate) fn find_people(&self, wanted: &Value) -> String {
        let (status, list) = self.request("POST", "/form/people/find", Some(wanted));
        assert_eq!(status, 200, "{list}");
        list.as_str().unwrap().to_owned()
    }

    /// The id of who is called so, as soon as they are listed.
    pub(crate) fn id_of(&self, name: &str) -> String {
        self.id_of_shown(name, name)
    }

    /// The same, as the list calls one of several of that name.
    pub(crate) fn id_of_shown(&self, name: &str, shown: &str) -> String {
        self.until(name, |service| {
            let list = service.find_people(&json!({"name": name}));
            let (before, _) = list.split_once(&format!("<bdi>{shown}</bdi>"))?;
            let (_, id) = before.rsplit_once("href=\"/people/")?;
            Some(id.split_once('"')?.0.to_owned())
        })
    }

    /// What the pages show now.
    pub(crate) fn now(&self) -> Value {
        let (status, now) = self.request("GET", "/v1/now", None);
        assert_eq!(status, 200, "{now}");
        now
    }

    /// Waits for a condition of the service's own answer; a hung service fails the test.
    pub(crate) fn until<T>(&self, what: &str, mut look: impl FnMut(&Self) -> Option<T>) -> T {
        wait::until(what, || look(self))
    }

    /// The process.
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(self.child.as_ref().unwrap())
    }

    /// Waits for its end, at most 30 s, and gives its exit code; `None`: a signal.
    pub(crate) fn end(mut self) -> Option<i32> {
        wait::exit_within(self.child.as_mut().unwrap(), Duration::from_secs(30)).code()
    }

    /// The phone's page, which stays connected for as long as this lives.
    pub(crate) fn phone(&self) -> TcpStream {
        let mut page = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            page,
            "GET /events?surface=phone HTTP/1.1\r\nHost: {}:{}\r\nAuthorization: Bearer {}\r\n\r\n",
            self.host, self.port, self.token
        )
        .unwrap();
        page.read_exact(&mut [0; 15]).unwrap();
        page
    }

    /// Has the service ask its owner for a confirmation: the phone's page and the card.
    pub(crate) fn ask_owner(&self) -> (TcpStream, Value) {
        let page = self.phone();
        let stress = json!([
            signal("h1", "hrv", &json!({ "rmssd_ms": 20.0 })),
            signal("s1", "sleep", &json!({ "asleep_min": 240 })),
            signal(
                "a1",
                "activity",
                &json!({ "typing_entropy": 5.2, "app_switch_rate": 18.0, "notif_dismiss_rate": 0.9, "screen_on_min": 50.0 })
            ),
        ]);
        let (status, reply) = self.request("POST", "/v1/signals", Some(&stress));
        assert_eq!(status, 202, "{reply}");
        (page, self.asked())
    }

    /// The card that asks something, once it is there.
    pub(crate) fn asked(&self) -> Value {
        self.until("prompt", |service| {
            Some(service.now()["card"].clone()).filter(|card| !card.is_null())
        })
    }

    /// The owner looks at the phone.
    pub(crate) fn look(&self, id: &str) {
        let unlock = json!([signal(id, "phone_unlock", &json!({}))]);
        let (status, reply) = self.request("POST", "/v1/signals", Some(&unlock));
        assert_eq!(status, 202, "{reply}");
    }

    /// The card that a program's ask is on: the owner is at her phone, and looks at it until it is there.
    pub(crate) fn look_until_asked(&self) -> Value {
        let mut looks = 0;
        self.until("card", |service| {
            // The ask may reach the machine after a look.
            if looks % 5 == 0 {
                service.look(&format!("u{looks}"));
            }
            looks += 1;
            Some(service.now()["card"].clone()).filter(|card| !card.is_null())
        })
    }

    /// Confirms a card on the phone, which has to be connected.
    pub(crate) fn confirm(&self, card: &Value) {
        let path = format!("/v1/cards/{}/answer", card["card_id"].as_str().unwrap());
        let capability = &card["prompts"][0]["capability"];
        let answer = json!({ "act": "confirm", "surface": "PHONE_CARD", "capability": capability });
        // The page has to have seen the card; a confirm of an unseen one is refused with CONFIRM-005.
        self.until("accepted confirm", |service| {
            service.request("GET", "/fragment/now?c=1", None);
            let (status, _) = service.request("POST", &path, Some(&answer));
            (status == 200).then_some(())
        });
    }

    /// Whether it has ended by itself, or was killed from outside.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.as_mut().unwrap().try_wait().unwrap().is_some()
    }

    /// Kills it without warning, and waits until nothing of it runs.
    pub(crate) fn kill_at_once(&mut self) {
        if let Some(child) = &mut self.child {
            // SIGKILL. It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Kills it without warning.
    pub(crate) fn kill(self) {
        drop(self);
    }
}

/// Also when a test has failed: nothing goes on running behind it.
impl Drop for Service {
    fn drop(&mut self) {
        self.kill_at_once();
    }
}

/// A `signal.v1` of now.
pub(crate) fn signal(id: &str, kind: &str, payload: &Value) -> Value {
    let at = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    json!({ "id": id, "at": at, "source": "test", "kind": kind, "payload": payload })
}
