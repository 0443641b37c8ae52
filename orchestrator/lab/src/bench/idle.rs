//! Figures of a quiet laptop: how often a service wakes that has nothing to do, and what it writes.
//!
//! What: the shipped program on an invented household, once it has read everything; then how often each thread of each of its processes gave
//! the processor back, and when bytes were written, as the kernel counts them. Why: a wake-up a second costs a battery more than a tick an hour. Not
//! here: a page that is open, goals (`docs/performance.md`).

use super::{
    BenchError, files,
    shipped::ShippedService,
    threads::{ThreadCounts, ThreadShare, field, voluntary_switches},
};
use serde::Serialize;
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How often the kernel's figures are read. A thread that lived between two readings is missed.
const EVERY: Duration = Duration::from_secs(1);
/// Mails of the household.
const MAILS: u64 = 300;

/// What `aura bench idle` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct IdleFigures {
    pub seconds: f64,
    /// Of all threads of all processes, a second.
    pub wakeups: f64,
    /// Processes and threads that woke, most often first.
    pub threads: Vec<ThreadShare>,
    /// Bytes that the service wrote; absent: the kernel does not tell this user.
    pub written: Option<u64>,
    /// The longest time in which it wrote nothing, in seconds.
    pub longest_rest_s: u64,
}

/// Measures for so long, `settle` after everything was read, in `dir`, which must be new.
///
/// # Errors
/// A service that does not start or ends.
pub(crate) fn idle(settle: Duration, span: Duration, dir: &Path) -> Result<IdleFigures, BenchError> {
    let home = invent(dir)?;
    let service = ShippedService::start(&home, &dir.join("data"))?;
    service.until(|status| status["state"] == "Idle" && status["in_flight"] == 0)?;
    thread::sleep(settle);
    let processes = service.processes()?;
    let supervisor = processes.first().map_or(0, |(_, pid)| *pid);
    // Asking it was something to do.
    thread::sleep(Duration::from_secs(5));
    let begun = Instant::now();
    let mut counts = ThreadCounts::by_counter(voluntary_switches);
    counts.read(&processes);
    counts.begin();
    let first = bytes_written(supervisor);
    let (mut last, mut rest, mut longest) = (first, 0_u64, 0);
    while begun.elapsed() < span {
        thread::sleep(EVERY);
        counts.read(&processes);
        let now = bytes_written(supervisor);
        rest = if now == last { rest + EVERY.as_secs() } else { 0 };
        (last, longest) = (now, longest.max(rest));
    }
    let seconds = begun.elapsed().as_secs_f64();
    if service.processes()? != processes {
        return Err(BenchError::Child("aura run"));
    }
    let threads = counts.by_thread();
    Ok(IdleFigures {
        seconds,
        wakeups: threads.iter().map(|one| one.count).sum::<u64>() as f64 / seconds,
        threads,
        written: last.zip(first).map(|(last, first)| last - first),
        longest_rest_s: longest,
    })
}

/// A household of which everything lies in the past, but for one appointment a day; the same each time.
fn invent(dir: &Path) -> Result<PathBuf, BenchError> {
    let home = dir.join("home");
    fs::create_dir_all(home.join("calendar"))?;
    files::maildir(&home.join("Maildir"), MAILS, 1)?;
    fs::write(
        home.join("calendar/one.ics"),
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//invented//EN\r\nBEGIN:VEVENT\r\nUID:one@example.org\r\n\
         DTSTAMP:20210101T000000Z\r\nDTSTART:20210101T090000Z\r\nDTEND:20210101T100000Z\r\nRRULE:FREQ=DAILY\r\n\
         SUMMARY:Walk\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
    )?;
    for name in ["notifications.jsonl", "sms.jsonl", "sleep.csv"] {
        fs::write(home.join(name), "")?;
    }
    let file = home.join("home.toml");
    fs::write(
        &file,
        "zone = \"UTC\"\nnames = [\"Rohan\"]\naddresses = [\"rohan@example.org\"]\n[sources]\nmail = [\"Maildir\"]\n\
         calendar = [\"calendar\"]\nnotifications = [\"notifications.jsonl\"]\nsms = [\"sms.jsonl\"]\nwellness = [\"sleep.csv\"]\n",
    )?;
    Ok(file)
}

/// Bytes that a process has had written so far.
fn bytes_written(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    field(&text, "write_bytes:")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invented_household_can_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let home = invent(dir.path()).unwrap();
        aura_runtime::config::HomeConfig::load(&home).unwrap();
    }
}
