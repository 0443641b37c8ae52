//! Where what was refused is kept.
//!
//! What: four append-only sets of JSON lines in `errors/`, sealed by size, kept 30 days; one thread writes three of them. Why: a
//! refused call can be looked at and tried again, and keeping it never holds up the tick. Not here: refusing, and hiding
//! private leaves (the gate).
//!
//! ```text
//! errors/quarantine_calls.jsonl          written now: appended to, or renamed when it is full, nothing else
//! errors/quarantine_calls.jsonl.<n>      sealed; the higher n, the younger; purging replaces or removes it whole
//! errors/quarantine_calls.jsonl.torn-<n> the unfinished last line of a crash
//! ```
//!
//! Every step leaves a folder that can be read: a line is one write, sealing one rename, purging a new file and one rename.

mod entry;
mod forget;
mod line_file;
mod messages;
pub(crate) mod mirrored;
mod parts;
mod purge;
mod read;
mod replay;
mod writer;

pub use entry::{LostEntries, QuarantineEntry, RawEncoding};
pub use forget::forget;
pub use messages::{MessageQuarantine, SAID_MAX_BYTES};
pub use mirrored::LineMirror;
pub use parts::{DiskUsage, on_disk};
pub use purge::{PurgeAction, PurgeCounts, SealedPart, purge_stopped};
pub use read::{QuarantineLine, QuarantineReader, list, read, show};
pub use replay::{NotReplayable, ReplayVerdict, replay};
use std::path::{Path, PathBuf};
pub use toolcall_schema::QuarantineKind;
pub use writer::{PurgeAck, QuarantineHealth, QuarantineWriter};

/// How many entries may wait for the disk.
pub const CAPACITY: usize = 1024;

/// The longest line that is written or read, in bytes: the longest result (1.25 MiB) where each byte is escaped as six.
pub const LINE_BYTES_MAX: usize = 8 << 20;

/// The code of a line that says how many entries were lost.
pub const LOST: &str = "QUAR-001";

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuarantineLimits {
    /// A file that would grow past so many bytes is sealed first.
    pub part_bytes: u64,
    /// So many bytes of sealed files are kept per kind; past it the oldest one goes, and the log says so (QUAR-002).
    pub keep_bytes: u64,
    /// Lines older than so many milliseconds are removed.
    pub keep_ms: i64,
}

impl QuarantineLimits {
    /// 16 MiB a file, 256 MiB a kind, 30 days.
    pub const DEFAULT: Self = Self {
        part_bytes: 16 << 20,
        keep_bytes: 256 << 20,
        keep_ms: 30 * 24 * 3_600_000,
    };
}

/// Those that the service alone writes.
const ONE_WRITER: [QuarantineKind; 3] = [
    QuarantineKind::Calls,
    QuarantineKind::Results,
    QuarantineKind::Traces,
];

fn file_name(kind: QuarantineKind) -> &'static str {
    match kind {
        QuarantineKind::Calls => "quarantine_calls.jsonl",
        QuarantineKind::Results => "quarantine_results.jsonl",
        QuarantineKind::Traces => "quarantine_traces.jsonl",
        QuarantineKind::Messages => "quarantine_messages.jsonl",
    }
}

/// The file in a data folder that is written now.
pub fn file_path(kind: QuarantineKind, data_dir: &Path) -> PathBuf {
    folder(data_dir).join(file_name(kind))
}

/// The quarantine's folder in a data folder.
fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("errors")
}
