//! A household with a mailbox of people who ask its owner, where it is early afternoon.
//!
//! What: [`MailboxHousehold`], and the reply that its owner has drafted. Why: who waits, and the draft beside them, are claimed of the server's answers and
//! of a browser's pages. Not here: the claims.

use super::{Service, afternoon_zone, signal};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

/// The household's folder.
pub(crate) struct MailboxHousehold(tempfile::TempDir);

impl MailboxHousehold {
    /// Each of these asked so many minutes ago.
    pub(crate) fn new(people: &[(&str, i64)]) -> Self {
        let house = Self(tempfile::tempdir().unwrap());
        let zone = afternoon_zone();
        house.write(
            "home.toml",
            &format!("zone = \"{zone}\"\nnames = [\"Rohan\"]\naddresses = [\"rohan@example.org\"]\n[sources]\nmail = [\"Inbox\"]\n"),
        );
        let mails = people.iter().enumerate().map(|(n, (who, minutes))| {
            let sent = (Utc::now() - TimeDelta::minutes(*minutes)).to_rfc2822();
            format!(
                "From - Tue Nov  3 10:00:00 2026\nFrom: {who}\nTo: rohan@example.org\nMessage-ID: <m{n}@example.net>\n\
                 Date: {sent}\nSubject: Visit\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n\
                 Rohan, can you call me back today?\n\n"
            )
        });
        house.write("Inbox", &mails.collect::<String>());
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

    /// The page Chats, once everybody who is called so stands on it.
    pub(crate) fn until_waiting(service: &Service, names: &[&str]) -> String {
        service.until("everybody who waits", |service| {
            let (_, page) = service.request("GET", "/chats", None);
            let page = page.as_str()?.to_owned();
            let is_there = |name: &&str| page.contains(&format!("<bdi>{name}</bdi>"));
            names.iter().all(is_there).then_some(page)
        })
    }

    /// Has the owner confirm a reply to whoever is offered first; the message that it answers.
    pub(crate) fn draft_reply(&self, service: &Service) -> String {
        let _phone = service.phone();
        let unlock = json!([signal("u1", "phone_unlock", &json!({}))]);
        let (status, reply) = service.request("POST", "/v1/signals", Some(&unlock));
        assert_eq!(status, 202, "{reply}");
        let card: Value = service.until("the offer of a reply", |service| {
            let card = service.now()["card"].clone();
            (card["decision"]["chosen"]["kind"] == "DRAFT_REPLY").then_some(card)
        });
        service.confirm(&card);
        service.until("the draft", |_| {
            self.drafts().first().map(|(item, _)| item.clone())
        })
    }

    /// The drafts of replies in the outbox: which message each answers, and what it says.
    pub(crate) fn drafts(&self) -> Vec<(String, String)> {
        let Ok(files) = fs::read_dir(self.data().join("outbox")) else {
            return Vec::new();
        };
        let draft = |path: PathBuf| {
            let name = path.file_name()?.to_str()?;
            let item = name.strip_prefix("reply-")?.strip_suffix(".txt")?.to_owned();
            Some((item, fs::read_to_string(&path).ok()?))
        };
        files.filter_map(|file| draft(file.unwrap().path())).collect()
    }
}
