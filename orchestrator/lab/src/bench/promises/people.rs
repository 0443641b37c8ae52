//! Figures about people, after a restart: naming them, listing them, doing something about one, and undoing it.
//!
//! What: a mailbox of 400 people who ask the owner something, read, and the service started again, so that no name is left in memory; the page that
//! lists 32 of them, the pages with the others, and finding one of them by a name; an act on it; the page of all people; a chat muted; and 64 people named at once, the first time after each
//! restart. Why: names are read again where they stand, and an act is answered within the second. Not here: what a sender is
//! promised (`promises`).

use super::{BenchError, LOOK, PACE, PromiseFigure, ShippedService, WAIT, figure, ms, notification, now};
use serde_json::Value;
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    thread,
    time::Instant,
};

/// People who wait.
const PEOPLE: usize = 400;

/// So many of them are listed on a page.
const LISTED: usize = 32;

/// So many are listed on the page of people and chats.
const SHOWN: usize = 50;

/// As many as one call of a `*.describe` tool takes.
const NAMED: usize = 64;

/// Looks for a name that nobody has: all are named, and none is listed.
const FIND_NOBODY: &str = r#"{"kind":"people","name":"nobody at all"}"#;

/// Where an act on somebody's message starts on the page Chats.
const MARK: &str = "data-put-off=\"";

/// A new folder with the mail of so many people, and where the data is to be.
fn household(dir: &Path, people: usize) -> Result<(PathBuf, PathBuf), BenchError> {
    fs::create_dir_all(dir)?;
    let home = dir.join("home.toml");
    fs::write(
        &home,
        "zone = \"UTC\"\nnames = [\"Rohan\"]\naddresses = [\"rohan@example.org\"]\n[sources]\nmail = [\"Inbox\"]\n",
    )?;
    fs::write(dir.join("Inbox"), mailbox(people))?;
    Ok((home, dir.join("data")))
}

/// One request that names 64 people and lists none, the first of each of so many starts, in `dir`, which must be new.
///
/// # Errors
/// [`BenchError`]
pub(super) fn names(dir: &Path, starts: usize) -> Result<PromiseFigure, BenchError> {
    let (home, data) = household(dir, NAMED)?;
    let service = ShippedService::start(&home, &data)?;
    // All are read, and have names.
    let more = format!("{} more. Type more", NAMED - SHOWN);
    service.found_with(r#"{"kind":"people","name":"Person"}"#, &more)?;
    service.stop()?;
    let mut took = Vec::new();
    for _ in 0..starts {
        let service = ShippedService::start(&home, &data)?;
        service.until(|status| status["state"] == "Idle")?;
        let begun = Instant::now();
        let found = service.find(FIND_NOBODY)?;
        took.push(ms(begun));
        // Who could not be named in time is counted in the answer.
        if !found.contains("nothing of that name") || found.contains("no name that I can ask for") {
            return Err(BenchError::NoAnswer);
        }
        service.stop()?;
    }
    Ok(figure(
        "64 people named for the first time after a restart, none listed",
        took,
        ("most", 50.0),
    ))
}

/// How often each is measured, in `dir`, which must be new.
///
/// # Errors
/// [`BenchError`]
pub(super) fn people(dir: &Path, count: usize) -> Result<Vec<PromiseFigure>, BenchError> {
    let (home, data) = household(dir, PEOPLE)?;
    let service = ShippedService::start(&home, &data)?;
    service.page_with_all()?;
    service.stop()?;
    let service = ShippedService::start(&home, &data)?;
    // Whoever is listed has a name on it again.
    let page = service.page_with_all()?;
    let mut pages = Vec::new();
    for _ in 0..count {
        let begun = Instant::now();
        service.http.get("/chats")?;
        pages.push(ms(begun));
        thread::sleep(PACE);
    }
    let (mut others, mut finds) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let begun = Instant::now();
        service.find_waiting("")?;
        others.push(ms(begun));
        let begun = Instant::now();
        let found = service.find_waiting("Person 399")?;
        finds.push(ms(begun));
        if found.matches(MARK).count() != 1 {
            return Err(BenchError::NoAnswer);
        }
        thread::sleep(PACE);
    }
    service.listed_people()?;
    let mut lists = Vec::new();
    for _ in 0..count {
        let begun = Instant::now();
        service.http.get("/people")?;
        lists.push(ms(begun));
        thread::sleep(PACE);
    }
    let (mut acts, mut undone) = (Vec::new(), Vec::new());
    let messages: Vec<&str> = page.split(MARK).skip(1).collect();
    for message in messages.iter().cycle().take(count) {
        let message = message.split('"').next().unwrap_or_default();
        let begun = Instant::now();
        let done = service.act(&format!("/v1/messages/{message}/put-off"))?;
        acts.push(ms(begun));
        let trace = done["trace_id"].as_str().ok_or(BenchError::NoAnswer)?;
        let begun = Instant::now();
        service.act(&format!("/v1/acts/{trace}/undo"))?;
        undone.push(ms(begun));
        thread::sleep(PACE);
    }
    let (muted, unmuted) = service.mutes(count)?;
    Ok(vec![
        figure(
            "the page of 400 people who wait, 32 of them listed, after a restart",
            pages,
            ("p95", 100.0),
        ),
        figure("a page of the list of all 400 of them", others, ("p95", 100.0)),
        figure("one of 400 who wait found by a name", finds, ("p95", 100.0)),
        figure(
            "the page of 400 people and their chats, 50 of them listed, after a restart",
            lists,
            ("p95", 100.0),
        ),
        figure("a message put off, to its answer", acts, ("p95", 150.0)),
        figure("that undone, to its answer", undone, ("most", 1000.0)),
        figure("a chat muted, to its answer", muted, ("p95", 150.0)),
        figure("that mute undone, to its answer", unmuted, ("most", 1000.0)),
    ])
}

impl ShippedService {
    /// The page Chats, once all are counted on it and the listed ones have names.
    fn page_with_all(&self) -> Result<String, BenchError> {
        let end = Instant::now() + WAIT;
        while Instant::now() < end {
            let page = self.http.get("/chats")?;
            let listed = (page.matches("<bdi>Person ").count(), page.matches(MARK).count());
            if listed == (LISTED, LISTED) && page.contains(&format!("{} more wait", PEOPLE - LISTED)) {
                return Ok(page);
            }
            thread::sleep(LOOK);
        }
        Err(BenchError::NoAnswer)
    }

    /// The page of people and chats, once those that it lists have names.
    fn listed_people(&self) -> Result<(), BenchError> {
        let end = Instant::now() + WAIT;
        while Instant::now() < end {
            let page = self.http.get("/people")?;
            // A chat may be among those that are listed.
            if page.matches("<bdi>Person ").count() >= SHOWN - 1 {
                return Ok(());
            }
            thread::sleep(LOOK);
        }
        Err(BenchError::NoAnswer)
    }

    /// What is remembered of that name, as the page Memory lists it.
    fn find(&self, question: &str) -> Result<String, BenchError> {
        match self.http.post_text("/form/memory/find", question)? {
            (200, found) => Ok(found),
            (_, _) => Err(BenchError::NoAnswer),
        }
    }

    /// The same, once its answer says so.
    fn found_with(&self, question: &str, says: &str) -> Result<(), BenchError> {
        let end = Instant::now() + WAIT;
        while Instant::now() < end {
            if self.find(question)?.contains(says) {
                return Ok(());
            }
            thread::sleep(LOOK);
        }
        Err(BenchError::NoAnswer)
    }

    /// Those who wait whose name holds the words.
    fn find_waiting(&self, name: &str) -> Result<String, BenchError> {
        let form = serde_json::json!({ "name": name }).to_string();
        match self.http.post_text("/form/waiting/find", &form)? {
            (200, found) => Ok(found),
            (_, _) => Err(BenchError::NoAnswer),
        }
    }

    /// How long a chat takes to be muted, and to be heard again, so many times.
    fn mutes(&self, count: usize) -> Result<(Vec<f64>, Vec<f64>), BenchError> {
        self.post(&Value::from(vec![notification("mute", "chat")]))?;
        let chat = self.chat()?;
        let (mut muted, mut unmuted) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let begun = Instant::now();
            let done = self.act_with(&format!("/v1/mutes/{chat}"), r#"{"for":"1h"}"#)?;
            muted.push(ms(begun));
            let trace = done["trace_id"].as_str().ok_or(BenchError::NoAnswer)?;
            let begun = Instant::now();
            self.act(&format!("/v1/acts/{trace}/undo"))?;
            unmuted.push(ms(begun));
            thread::sleep(PACE);
        }
        Ok((muted, unmuted))
    }

    /// The id of a chat, once one is listed.
    fn chat(&self) -> Result<String, BenchError> {
        const LINK: &str = "/people/ch_";
        let asked = serde_json::json!({ "name": "", "whom": "chats" }).to_string();
        let end = Instant::now() + WAIT;
        while Instant::now() < end {
            if let (200, found) = self.http.post_text("/form/people/find", &asked)?
                && let Some((_, rest)) = found.split_once(LINK)
                && let Some((hash, _)) = rest.split_once('"')
            {
                return Ok(format!("ch_{hash}"));
            }
            thread::sleep(LOOK);
        }
        Err(BenchError::NoAnswer)
    }

    fn act(&self, path: &str) -> Result<Value, BenchError> {
        self.act_with(path, "")
    }

    fn act_with(&self, path: &str, body: &str) -> Result<Value, BenchError> {
        match self.http.post_any(path, body)? {
            (200, reply) => Ok(reply),
            (_, _) => Err(BenchError::NoAnswer),
        }
    }
}

/// Mail of the last hours, each from somebody else who asks the owner.
fn mailbox(people: usize) -> String {
    let newest = now();
    (1..=people).fold(String::new(), |mut text, n| {
        let at = newest.plus_min(-i64::try_from(n).unwrap_or_default());
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "From - Tue Nov  3 10:00:00 2026\nFrom: Person {n} <person{n}@example.net>\nTo: rohan@example.org\n\
             Message-ID: <m{n}@example.net>\nDate: {}\nSubject: Visit\n\nRohan, can you call me back today?\n\n",
            at.utc().to_rfc2822()
        );
        text
    })
}
