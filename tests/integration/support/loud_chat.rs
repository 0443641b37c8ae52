//! A household in which one chat gets loud, so that Aura shows a digest of it.
//!
//! What: [`LoudChat`]. Why: a digest asks nothing, is about something with a name, and is judged by what was learned: what dismissing it may mean is claimed
//! of the server's answers and of a browser's pages. Not here: the claims.

use super::{Service, signal};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

/// The chat's name, which a file of its messages has, so that it survives a restart.
pub(crate) const CHAT: &str = "Five-a-side";

/// The household's folder. Its clock is half an hour off the others'.
pub(crate) struct LoudChat(tempfile::TempDir);

impl LoudChat {
    pub(crate) fn new() -> Self {
        let house = Self(tempfile::tempdir().unwrap());
        let home =
            "zone = \"Asia/Kolkata\"\nnames = [\"Rohan\"]\n[sources]\nnotifications = [\"notes.jsonl\"]\n";
        fs::write(house.0.path().join("home.toml"), home).unwrap();
        let note = format!("{}\n", message("n0", "see you on Sunday"));
        fs::write(house.0.path().join("notes.jsonl"), note).unwrap();
        house
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    pub(crate) fn start(&self) -> Service {
        Service::start(&self.0.path().join("home.toml"), &self.data())
    }

    /// Thirty-five messages at once, of which one wants an answer. The digest's card.
    pub(crate) fn get_loud(service: &Service) -> Value {
        // In the morning a brief would come first.
        let (status, reply) = service.request("POST", "/v1/rules", Some(&json!({"kind": "SHOW_BRIEF"})));
        assert_eq!(status, 201, "{reply}");
        let all: Vec<Value> = (1..=35)
            .map(|n| match n {
                1 => message("n1", "@Rohan please send the list asap"),
                n => message(&format!("n{n}"), "haha"),
            })
            .collect();
        let (status, reply) = service.request("POST", "/v1/signals", Some(&Value::from(all)));
        assert_eq!(status, 202, "{reply}");
        let card = service.asked();
        assert_eq!(card["decision"]["chosen"]["kind"], "BATCH_DIGEST", "{card}");
        card
    }
}

fn message(id: &str, text: &str) -> Value {
    let payload = json!({"app": "com.whatsapp", "channel": CHAT, "sender": "Bo", "text": text});
    signal(id, "notification", &payload)
}
