//! What the four agents share when they read: the report of an ingest, walking folders, signals of files and of posts.
//!
//! What: [`Report`] with its [`SkipCode`]s, [`files`], [`Changed`], [`Jsonl`], [`Inbox`]. Why: every source is bounded
//! and fails the same way: the bad item is skipped, named and counted, the good ones are kept. Not here: what a signal
//! means (each agent), formats other than JSONL (each agent's `sources`).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::{BTreeMap, VecDeque},
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};
use toolcall_schema::{
    Timestamp,
    ids::sha256_hex,
    result::{ToolEffect, ToolErrorCode},
    signal::{Signal, SignalKind},
    tick::Skip,
};

/// The longest line of a JSONL file, in bytes.
pub const MAX_LINE: usize = 64 * 1024;
/// The largest file of a source, in bytes.
pub const MAX_FILE: u64 = 64 * 1024 * 1024;
/// Files taken from one source folder.
pub const MAX_FILES: usize = 65_536;
/// Folders in a source folder, one in the other.
const MAX_DEPTH: u32 = 8;
/// Signals handed over that may wait for an ingest.
const MAX_WAITING: usize = 1024;
/// Signals of one file that may wait because they are dated after the ingest.
const MAX_PENDING: usize = 4096;
/// Skips that an answer names; the rest is only counted.
const MAX_NAMED: usize = 16;
/// Characters of a file's name in a skip.
const MAX_ITEM: usize = 120;

/// Why an item was skipped: the code of its page in `docs/errors` and the fixed sentence with limit and remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkipCode {
    /// `AGENT-0nn`. 001 to 009 are of all agents, 010 to 019 of Comms and Calendar.
    pub code: &'static str,
    /// Never holds anything that was read.
    pub message: &'static str,
}

/// A file or folder of the configuration is missing or unreadable.
pub const SOURCE_UNREADABLE: SkipCode = SkipCode {
    code: "AGENT-001",
    message: "this file or folder cannot be read: check the path in the configuration and its permissions",
};
/// A file is larger than [`MAX_FILE`].
pub const FILE_TOO_LARGE: SkipCode = SkipCode {
    code: "AGENT-002",
    message: "this file is larger than 64 MiB: split or rotate it",
};
/// A line is longer than [`MAX_LINE`].
pub const LINE_TOO_LONG: SkipCode = SkipCode {
    code: "AGENT-003",
    message: "this line is longer than 64 KiB: one signal a line, without attachments",
};
/// A line is not a signal.
pub const NOT_A_SIGNAL: SkipCode = SkipCode {
    code: "AGENT-004",
    message: "this is not a signal of schema signal.v1: one JSON object a line",
};
/// The payload does not fit the kind, or the kind does not belong to this source.
pub const WRONG_PAYLOAD: SkipCode = SkipCode {
    code: "AGENT-005",
    message: "this signal's payload does not fit its kind, or the kind does not belong to this agent",
};
/// A source folder holds more than is read.
pub const TOO_MANY_FILES: SkipCode = SkipCode {
    code: "AGENT-006",
    message: "this folder has more than 65536 files or is nested deeper than 8: name a smaller folder",
};
/// More signals were handed over than can wait.
pub const INBOX_FULL: SkipCode = SkipCode {
    code: "AGENT-007",
    message: "more than 1024 signals waited for this agent: the oldest were dropped, post fewer at once",
};
/// A parser gave up with a panic; it was caught and only this item is lost.
pub const PARSER_GAVE_UP: SkipCode = SkipCode {
    code: "AGENT-008",
    message: "the parser could not cope with this item: it was left out, please report the code",
};

/// What one ingest read and skipped.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Items read and kept.
    pub read: u32,
    /// Items skipped, all of them.
    pub skipped: u32,
    /// The first 16 of them.
    pub skips: Vec<Skip>,
}

impl Report {
    /// Counts one item as read and kept.
    pub fn keep(&mut self) {
        self.read = self.read.saturating_add(1);
    }

    /// Counts one item as skipped. `item` is the file relative to its source, or the signal id; `line` is from 1.
    pub fn skip(&mut self, code: SkipCode, item: &str, line: Option<u64>) {
        self.skip_many(code, item, line, 1);
    }

    /// Counts `n` items as skipped for one reason and names it once.
    pub fn skip_many(&mut self, code: SkipCode, item: &str, line: Option<u64>, n: u32) {
        self.skipped = self.skipped.saturating_add(n);
        if n > 0 && self.skips.len() < MAX_NAMED {
            self.skips.push(Skip {
                code: code.code.to_owned(),
                item: item.chars().take(MAX_ITEM).collect(),
                line,
                message: code.message.to_owned(),
            });
        }
    }
}

/// One file of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its name relative to its source folder (the plain file name when the source is a file), for skips.
    pub name: String,
    /// A name for the agent's state that holds no text: the first 16 hexadecimal digits of the path's SHA-256.
    pub key: String,
    /// Its size in bytes.
    pub len: u64,
    /// Its modification time in milliseconds since 1970 UTC, 0 where the file system has none.
    pub modified_ms: i64,
}

/// The files of some sources whose names end in one of `extensions` (lower case, without the dot; empty: all), each
/// source in the order of the configuration, within it sorted by path. A missing source is one skip; a file larger
/// than [`MAX_FILE`] one. Folders behind symbolic links are not entered, hidden files are not taken.
pub fn files(sources: &[PathBuf], extensions: &[&str], report: &mut Report) -> Vec<SourceFile> {
    let mut out = Vec::new();
    for source in sources {
        match fs::metadata(source) {
            Ok(meta) if meta.is_dir() => {
                let mut found = Vec::new();
                let whole = walk(source, 0, &mut found, report, source);
                if !whole {
                    report.skip(TOO_MANY_FILES, &shown(source, source), None);
                }
                found.sort();
                for path in found.into_iter().filter(|path| has_extension(path, extensions)) {
                    take(source, path, &mut out, report);
                }
            }
            Ok(_) => take(source, source.clone(), &mut out, report),
            Err(_) => report.skip(SOURCE_UNREADABLE, &shown(source, source), None),
        }
    }
    out
}

/// Collects the regular files below `folder`. False when a limit was reached.
fn walk(folder: &Path, depth: u32, out: &mut Vec<PathBuf>, report: &mut Report, source: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        report.skip(SOURCE_UNREADABLE, &shown(source, folder), None);
        return true;
    };
    let mut whole = true;
    for entry in entries.flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            whole &= depth < MAX_DEPTH && walk(&entry.path(), depth + 1, out, report, source);
        } else if out.len() >= MAX_FILES {
            return false;
        } else {
            out.push(entry.path());
        }
    }
    whole
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    extensions.is_empty()
        || path
            .extension()
            .and_then(|e| e.to_str())
            .is_some_and(|e| extensions.iter().any(|wanted| e.eq_ignore_ascii_case(wanted)))
}

fn take(source: &Path, path: PathBuf, out: &mut Vec<SourceFile>, report: &mut Report) {
    let name = shown(source, &path);
    let Ok(meta) = fs::metadata(&path) else {
        return report.skip(SOURCE_UNREADABLE, &name, None);
    };
    // A pipe or a device would block or never end.
    if !meta.is_file() {
        return report.skip(SOURCE_UNREADABLE, &name, None);
    }
    if meta.len() > MAX_FILE {
        return report.skip(FILE_TOO_LARGE, &name, None);
    }
    let modified_ms = meta
        .modified()
        .ok()
        .and_then(|t| t.duration_since(UNIX_EPOCH).ok())
        .and_then(|d| i64::try_from(d.as_millis()).ok())
        .unwrap_or(0);
    let key = sha256_hex(path.as_os_str().as_encoded_bytes())
        .chars()
        .take(16)
        .collect();
    out.push(SourceFile {
        name,
        key,
        len: meta.len(),
        modified_ms,
        path,
    });
}

/// A path as a skip may show it: relative to its source, never the folders above.
fn shown(source: &Path, path: &Path) -> String {
    let relative = path
        .strip_prefix(source)
        .ok()
        .filter(|rest| !rest.as_os_str().is_empty());
    let name = relative.map_or_else(
        || path.file_name().map(|n| n.to_string_lossy().into_owned()),
        |rest| Some(rest.to_string_lossy().into_owned()),
    );
    // The name may be anything that a file system admits; control characters would spoil a terminal.
    let name: String = name
        .unwrap_or_default()
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    if name.is_empty() {
        "source".to_owned()
    } else {
        name
    }
}

/// Reads a whole file of at most [`MAX_FILE`].
///
/// # Errors
/// The code of the skip: it cannot be read, or it has grown beyond the limit meanwhile.
pub fn read_whole(file: &SourceFile) -> Result<Vec<u8>, SkipCode> {
    let mut bytes = Vec::new();
    File::open(&file.path)
        .and_then(|f| f.take(MAX_FILE + 1).read_to_end(&mut bytes))
        .map_err(|_| SOURCE_UNREADABLE)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(FILE_TOO_LARGE);
    }
    Ok(bytes)
}

/// Remembers which files were read, so that a whole file is read again only when its size or time changed.
/// In memory only: after a restart every file is read once more.
#[derive(Debug, Default)]
pub struct Changed(BTreeMap<PathBuf, (u64, i64)>);

impl Changed {
    /// Whether this file is new or changed since it was last asked about.
    pub fn is(&mut self, file: &SourceFile) -> bool {
        let mark = (file.len, file.modified_ms);
        self.0.insert(file.path.clone(), mark) != Some(mark)
    }

    /// Forgets and returns the files that are not among `present`: they were removed.
    pub fn gone(&mut self, present: &[SourceFile]) -> Vec<PathBuf> {
        let present: std::collections::BTreeSet<&PathBuf> = present.iter().map(|f| &f.path).collect();
        let gone: Vec<PathBuf> = self
            .0
            .keys()
            .filter(|path| !present.contains(path))
            .cloned()
            .collect();
        for path in &gone {
            self.0.remove(path);
        }
        gone
    }
}

/// Where an item came from, for skips.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The file relative to its source, or the signal id.
    pub item: &'a str,
    /// Line from 1, in a file.
    pub line: Option<u64>,
}

/// How far a JSONL file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Bytes.
    pub offset: u64,
    /// Lines.
    pub line: u64,
}

#[derive(Debug, Default)]
struct Cursor {
    mark: Mark,
    /// Signals dated after the ingest that read them, by the mark before their line.
    pending: BTreeMap<u64, (u64, Signal)>,
}

/// Reads JSONL files of signals as they grow: each line once, a torn last line when it is complete.
///
/// A file that became shorter is read from its start; consumers drop repeated signal ids. A line that is no signal is
/// skipped. A signal dated after the ingest waits, at most 4096 a file, then the file is read on later.
#[derive(Debug, Default)]
pub struct Jsonl {
    cursors: BTreeMap<String, Cursor>,
}

impl Jsonl {
    /// Hands each new signal that is not dated after `at` to `each`, with its place.
    pub fn read(
        &mut self,
        sources: &[PathBuf],
        at: Timestamp,
        report: &mut Report,
        each: &mut dyn FnMut(&Signal, Place<'_>, &mut Report),
    ) {
        for file in files(sources, &["jsonl", "ndjson"], report) {
            let cursor = self.cursors.entry(file.key.clone()).or_default();
            if file.len < cursor.mark.offset {
                *cursor = Cursor::default();
            }
            cursor.release(at, &file.name, report, each);
            if file.len == cursor.mark.offset {
                continue;
            }
            if cursor.read_on(&file, at, report, each).is_err() {
                report.skip(SOURCE_UNREADABLE, &file.name, None);
            }
        }
    }

    /// How far each file was read, by the file's key: for the agent's state. A file with waiting signals is marked
    /// before the first of them, so that none is lost by a restart.
    pub fn marks(&self) -> BTreeMap<String, Mark> {
        self.cursors
            .iter()
            .map(|(key, cursor)| {
                let waiting = cursor.pending.first_key_value().map(|(offset, (line, _))| Mark {
                    offset: *offset,
                    line: line.saturating_sub(1),
                });
                (key.clone(), waiting.unwrap_or(cursor.mark))
            })
            .collect()
    }

    /// Goes on where [`Jsonl::marks`] was.
    pub fn restore(&mut self, marks: BTreeMap<String, Mark>) {
        self.cursors = marks
            .into_iter()
            .map(|(key, mark)| {
                (
                    key,
                    Cursor {
                        mark,
                        pending: BTreeMap::new(),
                    },
                )
            })
            .collect();
    }
}

impl Cursor {
    fn release(
        &mut self,
        at: Timestamp,
        name: &str,
        report: &mut Report,
        each: &mut dyn FnMut(&Signal, Place<'_>, &mut Report),
    ) {
        self.pending.retain(|_, (line, signal)| {
            let due = signal.at <= at;
            if due {
                let place = Place {
                    item: name,
                    line: Some(*line),
                };
                each(signal, place, report);
            }
            !due
        });
    }

    fn read_on(
        &mut self,
        file: &SourceFile,
        at: Timestamp,
        report: &mut Report,
        each: &mut dyn FnMut(&Signal, Place<'_>, &mut Report),
    ) -> io::Result<()> {
        let mut input = File::open(&file.path)?;
        input.seek(SeekFrom::Start(self.mark.offset))?;
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        while self.pending.len() < MAX_PENDING {
            line.clear();
            let (bytes, complete) = next_line(&mut input, &mut line)?;
            if !complete {
                break;
            }
            let start = self.mark.offset;
            self.mark.offset += bytes;
            self.mark.line += 1;
            let place = Place {
                item: &file.name,
                line: Some(self.mark.line),
            };
            if bytes > MAX_LINE as u64 {
                report.skip(LINE_TOO_LONG, place.item, place.line);
            } else if !line.iter().all(u8::is_ascii_whitespace) {
                match serde_json::from_slice::<Signal>(&line) {
                    Ok(signal) if signal.at > at => {
                        self.pending.insert(start, (self.mark.line, signal));
                    }
                    Ok(signal) => each(&signal, place, report),
                    Err(_) => report.skip(NOT_A_SIGNAL, place.item, place.line),
                }
            }
        }
        Ok(())
    }
}

/// Reads up to and with the next newline. At most [`MAX_LINE`] bytes of it are kept; the count is of all. False when
/// the input ended before a newline.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<(u64, bool)> {
    let mut bytes = 0;
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            return Ok((bytes, false));
        }
        let newline = chunk.iter().position(|b| *b == b'\n');
        let used = newline.map_or(chunk.len(), |i| i + 1);
        let room = MAX_LINE.saturating_sub(line.len()).min(used);
        line.extend(chunk.iter().take(room));
        input.consume(used);
        bytes += used as u64;
        if newline.is_some() {
            return Ok((bytes, true));
        }
    }
}

/// Signals that were handed over and wait for an ingest, at most 1024: the oldest are dropped and counted.
#[derive(Debug, Default)]
pub struct Inbox {
    waiting: VecDeque<Signal>,
    dropped: u32,
}

impl Inbox {
    /// Takes signals in.
    pub fn accept(&mut self, signals: Vec<Signal>) {
        self.waiting.extend(signals);
        while self.waiting.len() > MAX_WAITING {
            self.waiting.pop_front();
            self.dropped = self.dropped.saturating_add(1);
        }
    }

    /// Takes out those that are not dated after `at`, in the order in which they came. Those of a kind that is not
    /// among `kinds` are skipped.
    pub fn take(&mut self, at: Timestamp, kinds: &[SignalKind], report: &mut Report) -> Vec<Signal> {
        report.skip_many(INBOX_FULL, "inbox", None, std::mem::take(&mut self.dropped));
        let (due, later): (VecDeque<_>, VecDeque<_>) = self.waiting.drain(..).partition(|s| s.at <= at);
        self.waiting = later;
        let (ours, strange): (Vec<_>, Vec<_>) = due.into_iter().partition(|s| kinds.contains(&s.kind));
        for signal in &strange {
            report.skip(WRONG_PAYLOAD, signal.id.as_str(), None);
        }
        ours
    }
}

/// Runs a parser of somebody else's on one item. `None` when it panicked: the item is lost, the agent is not, and the
/// same file does not take it down again at every restart.
pub fn guarded<T>(parse: impl FnOnce() -> T) -> Option<T> {
    // The closure only reads its input and builds a value that is dropped on a panic: nothing half-done is seen.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(parse)).ok()
}

/// A tool's typed result as the value of its envelope.
///
/// # Errors
/// `unavailable` when it cannot be written as JSON; our result types always can.
pub fn answer<T: Serialize>(
    result: &T,
    effects: Vec<ToolEffect>,
) -> Result<(Value, Vec<ToolEffect>), ToolErrorCode> {
    let value = serde_json::to_value(result).map_err(|_| ToolErrorCode::Unavailable)?;
    Ok((value, effects))
}
