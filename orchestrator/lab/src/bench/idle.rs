//! Figures of a quiet laptop: how often a service wakes that has nothing to do, and what it writes.
//!
//! What: the shipped program on an invented household, once it has read everything; then how often each thread of each of its processes gave
//! the processor back, and when bytes were written, as the kernel counts them. Why: a wake-up a second costs a battery more than a tick an hour. Not
//! here: a page that is open, goals (`docs/performance.md`).

use super::{BenchError, files, shipped::ShippedService};
use serde::Serialize;
use std::{
    collections::BTreeMap,
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
    pub threads: Vec<ThreadWakeups>,
    /// Bytes that the service wrote; absent: the kernel does not tell this user.
    pub written: Option<u64>,
    /// The longest time in which it wrote nothing, in seconds.
    pub longest_rest_s: u64,
}

/// All threads of one name in a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ThreadWakeups {
    pub process: String,
    pub thread: String,
    pub wakeups: u64,
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
    let mut counts = WakeupCounts::default();
    counts.read(&processes);
    counts.begin();
    let first = written(supervisor);
    let (mut last, mut rest, mut longest) = (first, 0_u64, 0);
    while begun.elapsed() < span {
        thread::sleep(EVERY);
        counts.read(&processes);
        let now = written(supervisor);
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
        wakeups: threads.iter().map(|one| one.wakeups).sum::<u64>() as f64 / seconds,
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

/// How often each thread gave the processor back.
#[derive(Debug, Default)]
struct WakeupCounts {
    /// By process and thread, with the process's and the thread's name: at the beginning, and at the last reading.
    threads: BTreeMap<(u32, u32), (String, String, u64, u64)>,
}

impl WakeupCounts {
    fn read(&mut self, processes: &[(String, u32)]) {
        for (process, pid) in processes {
            // A process or thread that ends meanwhile keeps its last count.
            let tasks = fs::read_dir(format!("/proc/{pid}/task"))
                .into_iter()
                .flatten()
                .flatten();
            for task in tasks {
                let number = task.file_name().to_str().and_then(|name| name.parse().ok());
                let status = fs::read_to_string(task.path().join("status")).unwrap_or_default();
                let count = field(&status, "voluntary_ctxt_switches:").and_then(|count| count.parse().ok());
                let (Some(number), Some(count)) = (number, count) else {
                    continue;
                };
                let name = || field(&status, "Name:").unwrap_or_default().to_owned();
                self.threads
                    .entry((*pid, number))
                    .or_insert_with(|| (process.clone(), name(), 0, 0))
                    .3 = count;
            }
        }
    }

    /// What was counted up to now does not count.
    fn begin(&mut self) {
        for (_, _, first, last) in self.threads.values_mut() {
            *first = *last;
        }
    }

    fn by_thread(&self) -> Vec<ThreadWakeups> {
        let mut sums: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for (process, thread, first, last) in self.threads.values() {
            *sums.entry((process, thread)).or_default() += last.saturating_sub(*first);
        }
        let mut threads: Vec<ThreadWakeups> = sums
            .into_iter()
            .filter(|(_, wakeups)| *wakeups > 0)
            .map(|((process, thread), wakeups)| ThreadWakeups {
                process: process.to_owned(),
                thread: thread.to_owned(),
                wakeups,
            })
            .collect();
        threads.sort_by_key(|one| std::cmp::Reverse(one.wakeups));
        threads
    }
}

/// A field of `/proc/PID/status` or `io`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .map(str::trim)
}

/// Bytes that a process has had written so far.
fn written(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    field(&text, "write_bytes:")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_counted_since_the_beginning_counts_by_process_and_thread() {
        let mut counts = WakeupCounts::default();
        let one = |name: &str, thread: &str| (name.to_owned(), thread.to_owned(), 0, 7);
        counts.threads.insert((1, 1), one("supervisor", "aura"));
        counts.threads.insert((1, 2), one("supervisor", "aura-watch"));
        counts.threads.insert((1, 3), one("supervisor", "aura-watch"));
        counts.begin();
        for (thread, last) in [((1, 1), 7), ((1, 2), 9), ((1, 3), 10)] {
            counts.threads.get_mut(&thread).unwrap().3 = last;
        }
        // One that began meanwhile, and has ended since.
        counts
            .threads
            .insert((2, 4), ("comms".to_owned(), "aura".to_owned(), 0, 4));
        let thread = |process: &str, thread: &str, wakeups| ThreadWakeups {
            process: process.to_owned(),
            thread: thread.to_owned(),
            wakeups,
        };
        assert_eq!(
            counts.by_thread(),
            [thread("supervisor", "aura-watch", 5), thread("comms", "aura", 4)]
        );
    }

    #[test]
    fn a_thread_that_waits_is_counted() {
        let me = [("me".to_owned(), std::process::id())];
        let mut counts = WakeupCounts::default();
        counts.read(&me);
        counts.begin();
        let (tell, told) = std::sync::mpsc::channel::<()>();
        let (back, went) = std::sync::mpsc::channel::<()>();
        let waiting = thread::spawn(move || {
            while told.recv().is_ok() {
                back.send(()).unwrap();
            }
        });
        for _ in 0..50 {
            tell.send(()).unwrap();
            went.recv().unwrap();
        }
        counts.read(&me);
        drop(tell);
        waiting.join().unwrap();
        assert!(counts.by_thread().iter().map(|one| one.wakeups).sum::<u64>() > 0);
    }

    #[test]
    fn invented_household_can_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let home = invent(dir.path()).unwrap();
        aura_runtime::config::HomeConfig::load(&home).unwrap();
    }
}
