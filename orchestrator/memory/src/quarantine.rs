//! Where what was refused is kept.
//!
//! What: three append-only files of JSON lines in `errors/`, each written by one thread. Why: a refused call can be looked
//! at and tried again, and keeping it never holds up the tick. Not here: refusing and hiding private leaves (the gate);
//! rotation and purging. Reading the lines: `read`.

mod line_file;
mod read;

use crate::{error::StoreError, files};
use base64::Engine as _;
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use line_file::LineFile;
pub use read::{Line, list, show};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
};
use toolcall_schema::{
    AgentName, SchemaError, Timestamp,
    ids::{CallId, TraceId, sha256_hex},
};

/// How many entries may wait for the disk.
pub const CAPACITY: usize = 1024;

/// The code of a line that says how many entries were lost.
const LOST: &str = "QUAR-001";

/// What was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A tool call, by the gate.
    Calls,
    /// A tool's result, by its schema.
    Results,
    /// A trace, by `trace.v1`.
    Traces,
}

impl Kind {
    /// Every kind, in declaration order.
    pub const ALL: &'static [Self] = &[Self::Calls, Self::Results, Self::Traces];

    /// Its file in a data folder.
    pub fn path(self, data_dir: &Path) -> PathBuf {
        data_dir.join("errors").join(match self {
            Self::Calls => "quarantine_calls.jsonl",
            Self::Results => "quarantine_results.jsonl",
            Self::Traces => "quarantine_traces.jsonl",
        })
    }
}

/// Which rule was broken, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// A code with a page in `docs/errors`.
    pub code: String,
    /// JSON pointer to the place.
    pub pointer: String,
    /// A plain sentence without a value of what was refused.
    pub message: String,
}

impl From<&SchemaError> for Why {
    fn from(error: &SchemaError) -> Self {
        Self {
            code: error.code.to_string(),
            pointer: error.pointer.clone(),
            message: error.message.clone(),
        }
    }
}

/// How `raw` is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RawEncoding {
    /// The bytes are not UTF-8.
    Base64,
}

/// One line: what was refused and why.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// When it was refused.
    pub ts: Timestamp,
    /// Which rule was broken.
    pub code: String,
    /// Where in the document.
    pub pointer: String,
    /// A plain sentence.
    pub message: String,
    /// Whose it was, as far as known.
    pub agent: Option<AgentName>,
    /// Which tool, as far as known: `mute_channel`.
    pub tool: Option<String>,
    /// Which call, as far as known.
    pub call_id: Option<CallId>,
    /// In which tick.
    pub trace_id: Option<TraceId>,
    /// Under which catalogue.
    pub catalogue_hash: String,
    /// SHA-256 of the bytes that were refused.
    pub sha256: String,
    /// How many they were.
    pub bytes: u64,
    /// The bytes as text, private leaves replaced.
    pub raw: String,
    /// Absent: `raw` is the text itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_encoding: Option<RawEncoding>,
}

/// Without what came from outside: entries may end up in a log.
impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry")
            .field("ts", &self.ts)
            .field("code", &self.code)
            .field("sha256", &self.sha256)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl Entry {
    /// An entry for the refused bytes. Who and which stay open: set the fields that are known.
    pub fn new(ts: Timestamp, why: impl Into<Why>, catalogue_hash: &str, refused: &[u8]) -> Self {
        let why = why.into();
        let blank = Self {
            ts,
            code: why.code,
            pointer: why.pointer,
            message: why.message,
            agent: None,
            tool: None,
            call_id: None,
            trace_id: None,
            catalogue_hash: catalogue_hash.to_owned(),
            sha256: sha256_hex(refused),
            bytes: refused.len() as u64,
            raw: String::new(),
            raw_encoding: None,
        };
        blank.showing(refused)
    }

    /// Replaces what is kept, e.g. by the same with private leaves hidden. Hash and length stay those of what was
    /// refused.
    #[must_use]
    pub fn showing(self, raw: &[u8]) -> Self {
        let (raw, raw_encoding) = match std::str::from_utf8(raw) {
            Ok(text) => (text.to_owned(), None),
            Err(_) => (
                base64::engine::general_purpose::STANDARD.encode(raw),
                Some(RawEncoding::Base64),
            ),
        };
        Self {
            raw,
            raw_encoding,
            ..self
        }
    }
}

/// A line that says how many entries before it were lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lost {
    /// When the last of them was refused.
    pub ts: Timestamp,
    /// `QUAR-001`.
    pub code: String,
    /// How many.
    pub dropped: u64,
}

/// Counters for health, since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuarantineHealth {
    /// Entries on disk.
    pub written: u64,
    /// Entries lost because too many waited.
    pub overflowed: u64,
    /// Entries lost because they could not be written.
    pub failed: u64,
}

enum Message {
    Line(Kind, Box<Entry>),
    Flush(Box<dyn FnOnce() + Send>),
}

#[derive(Default)]
struct Shared {
    written: AtomicU64,
    overflowed: AtomicU64,
    failed: AtomicU64,
    /// What the next line of a file has to say about entries that were lost.
    lost: Mutex<BTreeMap<Kind, (Timestamp, u64)>>,
}

impl Shared {
    fn lose(&self, kind: Kind, ts: Timestamp, count: u64) {
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = lost.entry(kind).or_insert((ts, 0));
        *entry = (entry.0.max(ts), entry.1 + count);
    }
}

/// The quarantine, opened for writing. One per data folder. Dropping it writes what waits.
pub struct Quarantine {
    sender: Option<Sender<Message>>,
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Quarantine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Quarantine").finish_non_exhaustive()
    }
}

impl Quarantine {
    /// Opens the three files of a data folder, making what is missing. A last line that a crash left unfinished is set
    /// aside as `<file>.torn-<n>`.
    ///
    /// # Errors
    /// STORE-007 when they cannot be opened. To be called by the one who holds the folder's lock.
    pub fn open(data_dir: &Path) -> Result<Self, StoreError> {
        let dir = data_dir.join("errors");
        files::private_dir(&dir)?;
        let lines = Kind::ALL
            .iter()
            .map(|kind| {
                let path = kind.path(data_dir);
                let file = LineFile::open(&path).map_err(StoreError::file("open", &path))?;
                Ok((*kind, file))
            })
            .collect::<Result<_, StoreError>>()?;
        files::sync_dir(&dir)?;
        let (sender, queue) = bounded(CAPACITY);
        let shared = Arc::new(Shared::default());
        let thread = Thread {
            queue,
            lines,
            shared: Arc::clone(&shared),
        };
        let writer = std::thread::Builder::new()
            .name("aura-quarantine".to_owned())
            .spawn(move || thread.run())
            .map_err(StoreError::file("start the writer of", &dir))?;
        Ok(Self {
            sender: Some(sender),
            shared,
            writer: Some(writer),
        })
    }

    /// Keeps an entry; never waits. One that finds the queue full is lost, counted, and named by a line `QUAR-001`.
    pub fn record(&self, kind: Kind, entry: Entry) {
        let ts = entry.ts;
        if self.send(Message::Line(kind, Box::new(entry))).is_err() {
            self.shared.overflowed.fetch_add(1, Ordering::Relaxed);
            self.shared.lose(kind, ts, 1);
        }
    }

    /// Calls `ack`, on the writer's thread, when all that was recorded before is on disk or lost.
    ///
    /// # Errors
    /// STORE-006 when the queue is full, STORE-009 when the writer is gone; `ack` is then dropped.
    pub fn flush(&self, ack: Box<dyn FnOnce() + Send>) -> Result<(), StoreError> {
        self.send(Message::Flush(ack))
    }

    /// Counters for health.
    pub fn health(&self) -> QuarantineHealth {
        QuarantineHealth {
            written: self.shared.written.load(Ordering::Relaxed),
            overflowed: self.shared.overflowed.load(Ordering::Relaxed),
            failed: self.shared.failed.load(Ordering::Relaxed),
        }
    }

    fn send(&self, message: Message) -> Result<(), StoreError> {
        let sender = self.sender.as_ref().ok_or(StoreError::Stopped)?;
        sender.try_send(message).map_err(|error| match error {
            TrySendError::Full(_) => StoreError::QueueFull {
                waiting: sender.len(),
                limit: CAPACITY,
            },
            TrySendError::Disconnected(_) => StoreError::Stopped,
        })
    }
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        self.sender = None;
        if self.writer.take().is_some_and(|writer| writer.join().is_err()) {
            tracing::error!(code = "STORE-009", "the quarantine's writer panicked");
        }
    }
}

struct Thread {
    queue: Receiver<Message>,
    lines: BTreeMap<Kind, LineFile>,
    shared: Arc<Shared>,
}

impl Thread {
    fn run(mut self) {
        while let Ok(message) = self.queue.recv() {
            match message {
                Message::Line(kind, entry) => {
                    if self.append(kind, entry.ts, &*entry) {
                        self.shared.written.fetch_add(1, Ordering::Relaxed);
                    } else {
                        self.shared.failed.fetch_add(1, Ordering::Relaxed);
                        self.shared.lose(kind, entry.ts, 1);
                    }
                    // One line for a whole overflow: when what was waiting is through.
                    if self.queue.is_empty() {
                        self.tell_lost();
                    }
                }
                Message::Flush(ack) => {
                    self.tell_lost();
                    ack();
                }
            }
        }
        self.tell_lost();
    }

    fn tell_lost(&mut self) {
        let lost = std::mem::take(&mut *self.shared.lost.lock().unwrap_or_else(PoisonError::into_inner));
        for (kind, (ts, dropped)) in lost {
            let code = LOST.to_owned();
            if !self.append(kind, ts, &Lost { ts, code, dropped }) {
                self.shared.lose(kind, ts, dropped);
            }
        }
    }

    /// Writes one line; `false`: it is not there.
    fn append(&mut self, kind: Kind, ts: Timestamp, line: &impl Serialize) -> bool {
        let written = serde_json::to_string(line)
            .map_err(io::Error::from)
            .and_then(|line| match self.lines.get_mut(&kind) {
                Some(file) => file.append(&line),
                None => Err(ErrorKind::NotFound.into()),
            });
        if let Err(error) = &written {
            tracing::warn!(code = "STORE-007", kind = ?kind, reason = %error.kind(), %ts, "quarantine line lost");
        }
        written.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn full_disk() -> (Thread, Sender<Message>) {
        // Writing to this device fails as on a full disk, and it cannot be cut back either.
        let file = files::private_file().append(true).open("/dev/full").unwrap();
        let (sender, queue) = bounded(1);
        let thread = Thread {
            queue,
            lines: BTreeMap::from([(Kind::Calls, LineFile::new(file))]),
            shared: Arc::default(),
        };
        (thread, sender)
    }

    #[test]
    fn line_that_cannot_be_written_is_counted_and_said_when_the_disk_is_free_again() {
        let dir = TempDir::new().unwrap();
        let (mut thread, _sender) = full_disk();
        let lost = Lost {
            ts: Timestamp::from_ms(5),
            code: LOST.to_owned(),
            dropped: 2,
        };
        thread.shared.lose(Kind::Calls, Timestamp::from_ms(5), 1);
        thread.shared.lose(Kind::Calls, Timestamp::from_ms(4), 1);
        thread.tell_lost();
        let path = dir.path().join("calls.jsonl");
        thread
            .lines
            .get_mut(&Kind::Calls)
            .unwrap()
            .replace_file(files::private_file().append(true).open(&path).unwrap());
        thread.tell_lost();
        thread.tell_lost();
        let text = std::fs::read_to_string(&path).unwrap();
        // What the failed write may have left has a line of its own.
        assert_eq!(text, format!("\n{}\n", serde_json::to_string(&lost).unwrap()));
    }
}
