//! A host with invented owners, for the tests.

use crate::support::{Service, command::aura, wait};
use chrono::Utc;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

/// A host's folder, with what else its owners have.
pub(super) struct Hosted(pub(super) tempfile::TempDir);

/// A host that runs.
pub(super) struct Host {
    pub(super) child: Child,
    pub(super) port: u16,
    pub(super) log: PathBuf,
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Hosted {
    pub(super) fn new() -> Self {
        let hosted = Self(tempfile::tempdir().unwrap());
        fs::create_dir(hosted.owners()).unwrap();
        hosted
    }

    /// Where the folder for temporary files lies in memory, or memory is no disk of its own, it may be the same disk all the same.
    pub(super) fn on_another_disk() -> Self {
        let disk_of = |path: &Path| fs::metadata(path).map(|meta| meta.dev()).ok();
        let ours = disk_of(&std::env::temp_dir());
        let others = ["/dev/shm", "/tmp", "/var/tmp"].map(Path::new);
        let other = others
            .into_iter()
            .find(|path| path.is_dir() && disk_of(path) != ours);
        let hosted = Self(tempfile::tempdir_in(other.unwrap_or(Path::new("/tmp"))).unwrap());
        fs::create_dir(hosted.owners()).unwrap();
        hosted
    }

    pub(super) fn owners(&self) -> PathBuf {
        self.0.path().join("owners")
    }

    pub(super) fn data(&self, owner: &str) -> PathBuf {
        self.owners().join(owner)
    }

    /// `aura owner …` on this host's folder.
    pub(super) fn command(&self, what: &str, owner: &str, more: &[&str]) -> (Option<i32>, String, String) {
        let (owners, key) = (self.owners(), self.0.path().join(format!("{owner}.key")));
        let (owners, key) = (owners.to_str().unwrap(), key.to_str().unwrap());
        let mut args = vec!["owner", what, owner, "--owners", owners];
        args.extend(more);
        if what == "add" && more.is_empty() {
            args.extend(["--key-file", key]);
        }
        aura(&args, b"")
    }

    /// Makes an owner with a mailbox and a calendar of her own, in which her texts stand alone.
    pub(super) fn add(&self, owner: &str) {
        let (code, _, why) = self.command("add", owner, &[]);
        assert_eq!(code, Some(0), "{why}");
        let files = self.0.path().join(format!("{owner}-files"));
        fs::create_dir(&files).unwrap();
        let now = Utc::now();
        fs::write(
            files.join("Inbox"),
            format!(
                "From - Tue Nov  3 10:00:00 2026\nFrom: {} <friend-of-{owner}@example.net>\nTo: {owner}@example.org\n\
                 Message-ID: <m-{owner}@example.net>\nDate: {}\nSubject: {}\nMIME-Version: 1.0\n\
                 Content-Type: text/plain; charset=utf-8\n\n{}: can you call me back today?\n\n",
                only(owner, "Friend"),
                now.to_rfc2822(),
                only(owner, "Subject"),
                only(owner, "Body"),
            ),
        )
        .unwrap();
        let (start, end) = (
            now - chrono::TimeDelta::minutes(5),
            now + chrono::TimeDelta::hours(3),
        );
        fs::create_dir(files.join("calendar")).unwrap();
        fs::write(
            files.join("calendar/own.ics"),
            format!(
                "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\nBEGIN:VEVENT\r\nUID:e-{owner}\r\nDTSTAMP:20261101T000000Z\r\n\
                 DTSTART:{}\r\nDTEND:{}\r\nSUMMARY:{}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
                start.format("%Y%m%dT%H%M%SZ"),
                end.format("%Y%m%dT%H%M%SZ"),
                only(owner, "Meeting"),
            ),
        )
        .unwrap();
        // In one piece: a host that runs may read it at this moment.
        let whole = files.join("home.toml");
        fs::write(
            &whole,
            format!(
                "zone = \"UTC\"\nnames = [\"{owner}\"]\naddresses = [\"{owner}@example.org\"]\n[sources]\nmail = [\"{}\"]\ncalendar = [\"{}\"]\n",
                files.join("Inbox").display(),
                files.join("calendar").display(),
            ),
        )
        .unwrap();
        fs::rename(whole, self.data(owner).join("home.toml")).unwrap();
    }

    pub(super) fn start(&self) -> Host {
        self.start_with(&[], 0)
    }

    /// `park_after`: seconds; 0: never.
    pub(super) fn start_with(&self, environment: &[(&str, &str)], park_after: u32) -> Host {
        self.start_as(environment, park_after, &[])
    }

    /// The same with further arguments.
    pub(super) fn start_as(&self, environment: &[(&str, &str)], park_after: u32, more: &[&str]) -> Host {
        let log = self.0.path().join("log");
        let errors = fs::File::options().append(true).create(true).open(&log).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_aura"))
            .args(["host", "--port", "0", "--json", "--park-after"])
            .arg(park_after.to_string())
            .arg("--owners")
            .arg(self.owners())
            .args(more)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not ready: {line:?}"));
        let port = u16::try_from(ready["port"].as_u64().unwrap()).unwrap();
        Host { child, port, log }
    }

    /// How each owner stands.
    pub(super) fn states(&self) -> Vec<(String, String)> {
        let owners = self.owners();
        let (_, listed, _) = aura(
            &["owner", "list", "--json", "--owners", owners.to_str().unwrap()],
            b"",
        );
        let rows = listed
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        rows.map(|row| (text(&row["name"]), text(&row["state"])))
            .collect()
    }

    pub(super) fn until_state(&self, owner: &str, state: &str) {
        wait::until(format!("{owner} is {state}"), || {
            let found = self
                .states()
                .into_iter()
                .any(|row| row == (owner.to_owned(), state.to_owned()));
            found.then_some(())
        });
    }

    /// Her service, once it serves.
    pub(super) fn service(&self, host: &Host, owner: &str) -> Service {
        self.until_state(owner, "serving");
        Service::of_owner(&format!("{owner}.localhost"), host.port, &self.data(owner))
    }
}

impl Host {
    /// Ends it as a service manager does.
    pub(super) fn end(mut self) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::TERM).unwrap();
        let exit = wait::exit_within(&mut self.child, Duration::from_secs(30));
        assert_eq!(exit.code(), Some(0));
    }
}

/// A mail from somebody who has not written before comes to an owner.
pub(super) fn mail_from(hosted: &Hosted, owner: &str, sender: &str) {
    let inbox = hosted.0.path().join(format!("{owner}-files/Inbox"));
    let mut file = fs::File::options().append(true).open(inbox).unwrap();
    write!(
        file,
        "From - Tue Nov  3 10:00:00 2026\nFrom: {sender} <{sender}@example.net>\nTo: {owner}@example.org\nMessage-ID: <{sender}@example.net>\n\
         Date: {}\nSubject: Keys\n\nDo you have the keys?\n\n",
        Utc::now().to_rfc2822(),
    )
    .unwrap();
}

/// A text that only one owner's files hold.
pub(super) fn only(owner: &str, what: &str) -> String {
    format!("Quokka{what}Of{owner}")
}
