//! What the kernel counts of each thread of a service.
//!
//! What: [`ThreadCounts`], read again and again, by process and name of thread; the counters that are read. Why: a figure of all processes together says
//! where to look only when it is taken apart. Not here: which processes there are (`shipped`).

use serde::Serialize;
use std::{collections::BTreeMap, fs, path::Path};

/// All threads of one name in a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ThreadShare {
    pub process: String,
    pub thread: String,
    pub count: u64,
}

/// A counter of every thread of some processes.
#[derive(Debug)]
pub(super) struct ThreadCounts {
    counter: fn(&Path) -> Option<u64>,
    /// By process and thread, with the process's and the thread's name: at the beginning, and at the last reading.
    threads: BTreeMap<(u32, u32), (String, String, u64, u64)>,
}

impl ThreadCounts {
    /// Of a counter, read in the thread's folder of `/proc`.
    pub(super) fn by_counter(counter: fn(&Path) -> Option<u64>) -> Self {
        Self {
            counter,
            threads: BTreeMap::new(),
        }
    }

    /// Reads all counters. A thread that has ended keeps its last count; one that lived between two readings is missed.
    pub(super) fn read(&mut self, processes: &[(String, u32)]) {
        for (process, pid) in processes {
            let tasks = fs::read_dir(format!("/proc/{pid}/task"))
                .into_iter()
                .flatten()
                .flatten();
            for task in tasks {
                let number = task.file_name().to_str().and_then(|name| name.parse().ok());
                let (Some(number), Some(count)) = (number, (self.counter)(&task.path())) else {
                    continue;
                };
                let name = || fs::read_to_string(task.path().join("comm")).unwrap_or_default();
                self.threads
                    .entry((*pid, number))
                    .or_insert_with(|| (process.clone(), name().trim().to_owned(), 0, 0))
                    .3 = count;
            }
        }
    }

    /// What was counted up to now does not count.
    pub(super) fn begin(&mut self) {
        for (_, _, first, last) in self.threads.values_mut() {
            *first = *last;
        }
    }

    /// What was counted since, most first.
    pub(super) fn by_thread(&self) -> Vec<ThreadShare> {
        let mut sums: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for (process, thread, first, last) in self.threads.values() {
            *sums.entry((process, thread)).or_default() += last.saturating_sub(*first);
        }
        let mut threads: Vec<ThreadShare> = sums
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|((process, thread), count)| ThreadShare {
                process: process.to_owned(),
                thread: thread.to_owned(),
                count,
            })
            .collect();
        threads.sort_by_key(|one| std::cmp::Reverse(one.count));
        threads
    }
}

/// How often a thread gave the processor back by itself.
pub(super) fn voluntary_switches(task: &Path) -> Option<u64> {
    let status = fs::read_to_string(task.join("status")).ok()?;
    field(&status, "voluntary_ctxt_switches:")?.parse().ok()
}

/// Nanoseconds that a thread ran.
pub(super) fn cpu_time(task: &Path) -> Option<u64> {
    let text = fs::read_to_string(task.join("schedstat")).ok()?;
    text.split(' ').next()?.parse().ok()
}

/// A field of `/proc/PID/status` or `io`.
pub(super) fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn only_what_was_counted_since_the_beginning_counts_by_process_and_thread() {
        let mut counts = ThreadCounts::by_counter(voluntary_switches);
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
        let thread = |process: &str, thread: &str, count| ThreadShare {
            process: process.to_owned(),
            thread: thread.to_owned(),
            count,
        };
        assert_eq!(
            counts.by_thread(),
            [thread("supervisor", "aura-watch", 5), thread("comms", "aura", 4)]
        );
    }

    #[test]
    fn a_thread_that_waits_is_counted() {
        let me = [("me".to_owned(), std::process::id())];
        let mut counts = ThreadCounts::by_counter(voluntary_switches);
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
        assert!(counts.by_thread().iter().map(|one| one.count).sum::<u64>() > 0);
    }
}
