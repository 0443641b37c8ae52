//! Figures of the first day: from one word to the first screen, and looks at large mailboxes.
//!
//! What: `aura` in empty home folders, each up to the welcome's first screen; fifty thousand mails counted by a process of its own, as the page of
//! sources has them counted. Why: a new owner waits for both. Not here: what she clicks (`tests/browser/first_day.rs`), goals
//! (`docs/performance.md`).

use super::{
    BenchError, files,
    web::{HttpClient, token},
};
use agents::contract::{AgentSetup, SourcePaths};
use aura_process::{WorkerProgram, source_preview::preview_in_child};
use aura_runtime::config::HomeConfig;
use serde::Serialize;
use serde_json::Value;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};
use toolcall_schema::{AgentName, Timestamp, ids::OwnerSeed};

/// What `aura bench first-day` says.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct FirstDayFigures {
    /// From `aura` to the whole first screen, in milliseconds, shortest first.
    pub first_screen_ms: Vec<u64>,
    pub looks: Vec<LookFigures>,
}

/// A look at one mailbox.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LookFigures {
    pub what: &'static str,
    pub mails: u32,
    pub bytes: u64,
    /// Each look, in milliseconds, shortest first: of a new process each.
    pub ms: Vec<u64>,
}

/// Measures both, in a folder that is removed afterwards.
///
/// # Errors
/// A service or a process that does not answer, or a disk that says no.
pub(crate) fn first_day(
    program: &Path,
    home: &HomeConfig,
    (mails, count): (u64, usize),
    dir: &Path,
) -> Result<FirstDayFigures, BenchError> {
    let mut first_screen_ms = Vec::new();
    for n in 0..count {
        first_screen_ms.push(first_screen(program, &dir.join(format!("home-{n}")))?);
    }
    first_screen_ms.sort_unstable();
    let (maildir, mbox) = (dir.join("Maildir"), dir.join("all.mbox"));
    files::maildir(&maildir, mails, 1)?;
    let bytes = fs::read_dir(maildir.join("cur"))?
        .flatten()
        .filter_map(|entry| entry.metadata().ok())
        .map(|meta| meta.len())
        .sum();
    files::mbox(&mbox, bytes, files::ARCHIVE, 1)?;
    let looks = [("Maildir", maildir), ("mbox", mbox)]
        .into_iter()
        .map(|(what, path)| look(what, &path, home, count, bytes))
        .collect::<Result<_, _>>()?;
    Ok(FirstDayFigures {
        first_screen_ms,
        looks,
    })
}

/// Types `aura` where nothing of Aura's is, and waits for the welcome.
fn first_screen(program: &Path, home: &Path) -> Result<u64, BenchError> {
    fs::create_dir_all(home)?;
    let aura = |args: &[&str]| {
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .env("HOME", home)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("AURA_PORT", "0")
            // Where no browser can be opened the address is printed.
            .env("SSH_CONNECTION", "::1 1 ::1 22")
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command.output()
    };
    let begun = Instant::now();
    let told: Value = serde_json::from_slice(&aura(&["open", "--json"])?.stdout).unwrap_or_default();
    let answered = welcome(&told, &home.join(".local/share/aura"));
    let took = begun.elapsed();
    aura(&["stop"])?;
    answered?;
    Ok(u64::try_from(took.as_millis()).unwrap_or(u64::MAX))
}

/// The welcome's first screen is there.
fn welcome(told: &Value, data: &Path) -> Result<(), BenchError> {
    let page = told
        .get("page")
        .and_then(Value::as_str)
        .ok_or(BenchError::NoAnswer)?;
    let screen = HttpClient::of(page, &token(data)?)?.get("/welcome")?;
    if screen.contains("Step 1 of") {
        Ok(())
    } else {
        Err(BenchError::NoAnswer)
    }
}

fn look(
    what: &'static str,
    path: &Path,
    home: &HomeConfig,
    count: usize,
    bytes: u64,
) -> Result<LookFigures, BenchError> {
    let setup = AgentSetup {
        key: OwnerSeed::from_day_seed("bench").key("preview"),
        owner: home.owner.clone(),
        sources: SourcePaths {
            mail: vec![path.to_owned()],
            ..SourcePaths::default()
        },
    };
    let at = Timestamp::parse("2026-11-20T12:00:00Z").map_err(|_| BenchError::NoAnswer)?;
    let (mut ms, mut mails) = (Vec::new(), 0);
    for _ in 0..count {
        let begun = Instant::now();
        let preview = preview_in_child(&WorkerProgram::default(), AgentName::Comms, &setup, at, None);
        let preview = preview.ok().flatten().ok_or(BenchError::NoAnswer)?;
        ms.push(u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX));
        mails = preview.figures.items;
    }
    ms.sort_unstable();
    Ok(LookFigures {
        what,
        mails,
        bytes,
        ms,
    })
}
