//! A household in which everything has a name: people in a mailbox, a chat, an event, a shop.
//!
//! What: [`NamedHousehold`], and the processes of its agents. Why: that names survive is claimed of the server's answers and of a browser's pages. Not here:
//! the claims.

use super::{Service, afternoon_zone, signal, wait};
use aura_process::fork_server::process_name;
use chrono::{TimeDelta, Utc};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
};
use toolcall_schema::AgentName;

/// The household's folder.
pub(crate) struct NamedHousehold(tempfile::TempDir);

impl NamedHousehold {
    pub(crate) fn new() -> Self {
        let house = Self(tempfile::tempdir().unwrap());
        house.write(
            "home.toml",
            &format!(
                "zone = \"{}\"\nnames = [\"Rohan\"]\naddresses = [\"rohan@example.org\"]\n[sources]\nmail = [\"Inbox\"]\n\
                 notifications = [\"notes.jsonl\"]\ncalendar = [\"home.ics\"]\nfinance = [\"book.journal\"]\n",
                afternoon_zone()
            ),
        );
        let sent = |minutes| (Utc::now() - TimeDelta::minutes(minutes)).to_rfc2822();
        let mail = |who: &str, minutes| {
            format!(
                "From - Tue Nov  3 10:00:00 2026\nFrom: {who} <{minutes}@example.net>\nTo: rohan@example.org\n\
                 Message-ID: <m{minutes}@example.net>\nDate: {}\nSubject: Visit\n\nRohan, can you call me back today?\n\n",
                sent(minutes)
            )
        };
        house.write(
            "Inbox",
            &[mail("Asha Rao", 30), mail("\u{5d0}\u{5e1}\u{5ea}\u{5e8}", 20)].concat(),
        );
        let note = json!({"app": "com.whatsapp", "channel": "Five-a-side", "sender": "Bo", "text": "@Rohan please send the list asap"});
        house.write(
            "notes.jsonl",
            &format!("{}\n", signal("n1", "notification", &note)),
        );
        let start = (Utc::now() + TimeDelta::hours(2)).format("%Y%m%dT%H%M00Z");
        house.write(
            "home.ics",
            &format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:dentist\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:{start}\r\nDURATION:PT1H\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"),
        );
        let day = Utc::now().date_naive();
        house.write(
            "book.journal",
            &format!("{day} Corner Shop\n    expenses:food  12.50 EUR\n    assets:bank\n"),
        );
        house
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    pub(crate) fn start(&self) -> Service {
        Service::start(&self.0.path().join("home.toml"), &self.data())
    }
}

/// The processes of the agents: children of the service that bear their names.
pub(crate) fn agent_processes(service: &Service) -> Vec<Pid> {
    let parent = service.pid().as_raw_nonzero().to_string();
    let of = |pid: &Path| {
        let stat = fs::read_to_string(pid.join("stat")).ok()?;
        let after = stat.rsplit_once(") ")?.1;
        (after.split(' ').nth(1)? == parent).then_some(())?;
        let name = fs::read_to_string(pid.join("comm")).ok()?;
        AgentName::FOUR
            .into_iter()
            .any(|agent| name.trim_end() == process_name(Some(agent)))
            .then_some(())?;
        Pid::from_raw(pid.file_name()?.to_str()?.parse().ok()?)
    };
    let all = fs::read_dir("/proc").unwrap();
    all.filter_map(|entry| of(&entry.unwrap().path())).collect()
}

/// Ends the four agents' processes, and does not wait for the next ones.
pub(crate) fn kill_agents(service: &Service) -> Vec<Pid> {
    // A service that has just started may still be starting them.
    let before = wait::until("four agents", || {
        let now = agent_processes(service);
        (now.len() == 4).then_some(now)
    });
    for pid in &before {
        kill_process(*pid, Signal::KILL).unwrap();
    }
    before
}

/// Kills every agent's process, and waits for four new ones.
pub(crate) fn restart_agents(service: &Service) {
    let before = kill_agents(service);
    wait::until("four new agents", || {
        let now = agent_processes(service);
        (now.len() == 4 && now.iter().all(|pid| !before.contains(pid))).then_some(())
    });
}
