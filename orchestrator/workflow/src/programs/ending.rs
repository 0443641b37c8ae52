//! Why a program ended.
//!
//! What: [`StderrLog`], which keeps the last that it wrote to its standard error, and [`sentence`], which makes one sentence of that, of how it
//! ended and of the limit that it likely met. Why: "signal 5" helps nobody. Not here: that it ended (`running`), what becomes of
//! it (`refusal`).

use super::bounds::{ExceededBound, FILES_MAX};
use aura_process::{in_words, lines::BoundedLines};
use std::{
    io::Read,
    os::unix::process::ExitStatusExt as _,
    process::ExitStatus,
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::Duration,
};
use surfaces_base::visible::visible;
use toolcall_schema::protocol::manifest::ResourceLimits;

/// So many of its last lines are told ...
const LAST: usize = 3;
/// ... and so many characters of each.
const LINE_MAX: usize = 160;
/// How long its last lines are waited for once it has ended.
const WAIT: Duration = Duration::from_millis(200);

/// Words by which programs name the limit that they met.
const MEMORY: [&str; 6] = [
    "out of memory",
    "memoryerror",
    "cannot allocate memory",
    "bad_alloc",
    "memory allocation of",
    "allocation failed",
];

/// The last lines of a program.
#[derive(Debug, Default)]
struct LastLines {
    lines: Vec<String>,
    /// The last line that says what went wrong; below it stand often where.
    worst: Option<String>,
    says_memory: bool,
}

impl LastLines {
    fn push(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let small = line.to_lowercase();
        self.says_memory |= MEMORY.iter().any(|words| small.contains(words));
        let line: String = line.trim().chars().take(LINE_MAX).collect();
        let line = visible(&line).into_owned();
        // A numbered line is a place in a stack, whose names hold such words too.
        let is_place = line.starts_with(|c: char| c.is_ascii_digit());
        let names_it = ["error", "fatal", "panicked"]
            .iter()
            .any(|word| small.contains(word));
        if names_it && !is_place {
            self.worst = Some(line.clone());
        }
        self.lines.push(line);
        if self.lines.len() > LAST {
            self.lines.remove(0);
        }
    }

    /// What is told of them.
    fn words(&self) -> Vec<&str> {
        let worst = self.worst.as_ref().filter(|worst| !self.lines.contains(worst));
        worst.into_iter().chain(&self.lines).map(String::as_str).collect()
    }
}

/// What a program writes to its standard error: all of it goes to the log, in lines of bounded length and number.
pub(super) struct StderrLog {
    last: Arc<Mutex<LastLines>>,
    over: mpsc::Receiver<()>,
}

impl StderrLog {
    pub(super) fn read(name: &str, pipe: Option<impl Read + Send + 'static>) -> Self {
        let last = Arc::new(Mutex::new(LastLines::default()));
        let (end, over) = mpsc::channel();
        if let Some(pipe) = pipe {
            let (name, last) = (name.to_owned(), Arc::clone(&last));
            thread::spawn(move || {
                log(&name, pipe, &last);
                // Nobody waits for it, mostly.
                let _ = end.send(());
            });
        }
        Self { last, over }
    }

    /// What is there once it has ended.
    fn last(&self) -> MutexGuard<'_, LastLines> {
        let _ = self.over.recv_timeout(WAIT);
        locked(&self.last)
    }
}

fn locked(last: &Mutex<LastLines>) -> MutexGuard<'_, LastLines> {
    last.lock().unwrap_or_else(PoisonError::into_inner)
}

fn log(name: &str, mut pipe: impl Read, last: &Mutex<LastLines>) {
    let (mut lines, mut bytes) = (BoundedLines::default(), [0; 4096]);
    // The log takes the first lines only, and what matters stands in the last.
    let mut kept = BoundedLines::unbounded();
    let say = |line: String| tracing::info!(agent = name, ?line, "a program says");
    while let Ok(count @ 1..) = pipe.read(&mut bytes) {
        let read = bytes.get(..count).unwrap_or_default();
        lines.push(read).into_iter().for_each(say);
        for line in kept.push(read) {
            locked(last).push(&line);
        }
    }
    lines.end().into_iter().for_each(say);
    if let Some(line) = kept.end() {
        locked(last).push(&line);
    }
}

/// How it ended, its last words, and what limit it likely met.
pub(super) fn sentence(
    status: Option<ExitStatus>,
    exceeded: Option<ExceededBound>,
    holds_too_much: bool,
    errors: &StderrLog,
    limits: ResourceLimits,
) -> String {
    let mut out = describe_end(status, exceeded, &errors.last(), limits);
    if holds_too_much && exceeded.is_none() {
        let limit = format!(
            "; its folder held more than limits.disk_mib = {}",
            limits.disk_mib
        );
        out.push_str(&limit);
    }
    out
}

fn describe_end(
    status: Option<ExitStatus>,
    exceeded: Option<ExceededBound>,
    last: &LastLines,
    limits: ResourceLimits,
) -> String {
    let mut out = how(status, exceeded, limits);
    if exceeded.is_none()
        && let Some(limit) = likely(status, last, limits)
    {
        out.push_str("; ");
        out.push_str(&limit);
    }
    let words = last.words();
    if words.is_empty() {
        out.push_str("; it wrote nothing to its standard error");
    } else {
        out.push_str("; its standard error ended with: ");
        out.push_str(&words.join(" | "));
    }
    out
}

fn how(status: Option<ExitStatus>, exceeded: Option<ExceededBound>, limits: ResourceLimits) -> String {
    match exceeded {
        Some(ExceededBound::Memory) => {
            return format!(
                "it was ended because it used more than limits.memory_mib = {}, with what it had started",
                limits.memory_mib
            );
        }
        Some(ExceededBound::Disk) => {
            return format!(
                "it was ended because its folder held more than limits.disk_mib = {}, or more than {FILES_MAX} files",
                limits.disk_mib
            );
        }
        None => {}
    }
    let Some(status) = status else {
        return "it closed its output and was ended".to_owned();
    };
    let words = in_words(status);
    match status.signal().and_then(name_of) {
        Some(name) => format!("it ended with {words} ({name})"),
        None => format!("it ended with {words}"),
    }
}

fn name_of(signal: i32) -> Option<&'static str> {
    Some(match signal {
        4 => "an illegal instruction",
        5 => "a trap, by which Node and others end themselves",
        6 => "it gave up itself",
        7 => "a bad access to memory",
        9 => "it was killed",
        11 => "a bad access to memory",
        15 => "it was asked to end",
        24 => "too much processor time",
        25 => "too large a file",
        _ => return None,
    })
}

/// The limit that it likely met: the kernel says so, or it does.
fn likely(status: Option<ExitStatus>, last: &LastLines, limits: ResourceLimits) -> Option<String> {
    let signal = status.and_then(|status| {
        // A shell says so of what it started.
        let of_child = status.code().filter(|code| (129..=192).contains(code));
        status.signal().or_else(|| of_child.map(|code| code - 128))
    });
    match signal {
        Some(24) => return Some(format!("limits.cpu_s = {} was likely too little", limits.cpu_s)),
        Some(25) => return Some("it may write no file of more than 256 MiB".to_owned()),
        // Abort, trap and the rest are how a memory that is refused ends.
        Some(4..=7 | 11) => {
            return Some(format!(
                "limits.memory_mib = {} was likely too little",
                limits.memory_mib
            ));
        }
        Some(_) | None => {}
    }
    last.says_memory
        .then(|| format!("limits.memory_mib = {} was likely too little", limits.memory_mib))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(lines: &[&str]) -> LastLines {
        let mut last = LastLines::default();
        for line in lines {
            last.push(line);
        }
        last
    }

    #[test]
    fn an_end_names_the_limit_that_was_likely_met_and_the_last_words() {
        let memory = "limits.memory_mib = 2048 was likely too little";
        let node = [
            "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
            " 1: 0xb7a3e0 node::Abort() [node]",
            " 2: 0xa8d0f4  [node]",
            " 3: 0xd6a2b0 v8::internal::V8::FatalProcessOutOfMemory [node]",
        ];
        // Wait statuses: the exit code is the second byte, a signal the first.
        for (status, exceeded, lines, expected) in [
            (
                Some(5),
                None,
                &node[..],
                format!(
                    "it ended with signal 5 (a trap, by which Node and others end themselves); {memory}; its standard error ended with: {} | {} | {} | {}",
                    node[0],
                    node[1].trim(),
                    node[2].trim(),
                    node[3].trim()
                ),
            ),
            (
                Some(1 << 8),
                None,
                &["Traceback (most recent call last):", "MemoryError"][..],
                format!(
                    "it ended with exit code 1; {memory}; its standard error ended with: Traceback (most recent call last): | MemoryError"
                ),
            ),
            (
                Some(3 << 8),
                None,
                &["no\u{202e}pe"][..],
                "it ended with exit code 3; its standard error ended with: no\\u{202e}pe".to_owned(),
            ),
            (
                Some(24),
                None,
                &[][..],
                "it ended with signal 24 (too much processor time); limits.cpu_s = 60 was likely too little; it wrote nothing to its standard error".to_owned(),
            ),
            // A shell whose child had too much processor time.
            (
                Some((128 + 24) << 8),
                None,
                &[][..],
                "it ended with exit code 152; limits.cpu_s = 60 was likely too little; it wrote nothing to its standard error".to_owned(),
            ),
            (
                Some(9),
                Some(ExceededBound::Disk),
                &[" "][..],
                "it was ended because its folder held more than limits.disk_mib = 1024, or more than 20000 files; it wrote nothing to its standard error".to_owned(),
            ),
            (
                Some(9),
                Some(ExceededBound::Memory),
                &["a"][..],
                "it was ended because it used more than limits.memory_mib = 2048, with what it had started; its standard error ended with: a".to_owned(),
            ),
            (
                None,
                None,
                &["1", "2", "3", "4"][..],
                "it closed its output and was ended; its standard error ended with: 2 | 3 | 4".to_owned(),
            ),
        ] {
            let status = status.map(ExitStatus::from_raw);
            assert_eq!(
                describe_end(status, exceeded, &last(lines), ResourceLimits::default()),
                expected,
                "{lines:?}"
            );
        }
    }

    #[test]
    fn a_long_line_is_cut() {
        let long = "x".repeat(1000);
        assert_eq!(last(&[&long]).words(), ["x".repeat(160)]);
    }
}
