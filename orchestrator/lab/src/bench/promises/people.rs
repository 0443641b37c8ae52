//! Figures about people who wait, after a restart: naming them, doing something about one, and undoing it.
//!
//! What: a mailbox of 400 people who ask the owner something, read, and the service started again, so that no name is left in memory; the page that
//! lists the 32 most urgent of them and counts the others, and acts on it. Why: names are read again where they stand, and an act is answered within the second. Not here: what a sender is
//! promised (`promises`).

use super::{BenchError, LOOK, PACE, PromiseFigure, ShippedService, WAIT, figure, ms, now};
use serde_json::Value;
use std::{fmt::Write as _, fs, path::Path, thread, time::Instant};

/// People who wait.
const PEOPLE: usize = 400;

/// So many of them are listed: `comms.triage_inbox` names no more.
const LISTED: usize = 32;

/// Where an act on somebody's message starts on the page Chats.
const MARK: &str = "data-put-off=\"";

/// How often each is measured, in `dir`, which must be new.
///
/// # Errors
/// [`BenchError`]
pub(super) fn people(dir: &Path, count: usize) -> Result<Vec<PromiseFigure>, BenchError> {
    fs::create_dir_all(dir)?;
    let home = dir.join("home.toml");
    fs::write(
        &home,
        "zone = \"UTC\"\nnames = [\"Rohan\"]\naddresses = [\"rohan@example.org\"]\n[sources]\nmail = [\"Inbox\"]\n",
    )?;
    fs::write(dir.join("Inbox"), mailbox())?;
    let data = dir.join("data");
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
    Ok(vec![
        figure(
            "the page of 400 people who wait, 32 of them listed, after a restart",
            pages,
            ("p95", 100.0),
        ),
        figure("a message put off, to its answer", acts, ("p95", 150.0)),
        figure("that undone, to its answer", undone, ("most", 1000.0)),
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

    fn act(&self, path: &str) -> Result<Value, BenchError> {
        match self.http.post_any(path, "")? {
            (200, reply) => Ok(reply),
            (_, _) => Err(BenchError::NoAnswer),
        }
    }
}

/// Mail of the last hours, each from somebody else who asks the owner.
fn mailbox() -> String {
    let newest = now();
    (1..=PEOPLE).fold(String::new(), |mut text, n| {
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
