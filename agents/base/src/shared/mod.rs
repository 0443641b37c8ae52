//! What the four agents share when they read: the report of an ingest, walking folders, signals of files and of posts.
//!
//! What: [`IngestReport`] with its [`SkipCode`]s, [`SignalInbox`], [`guarded`]; [`files()`] and [`ChangeTracker`]; [`JsonlReader`]. Why: every
//! source is bounded and fails the same way: the bad item is skipped, named and counted, the good ones are kept. Not
//! here: what a signal means (each agent), formats other than JSONL (each agent's `sources`).

mod archive;
pub mod database;
mod files;
mod jsonl;
mod locator;

pub use archive::open_archive;
pub use files::{
    ChangeTracker, SourceFile, files, files_where, has_extension, paths_of, read_whole, walk_sources,
};
pub(crate) use files::{display_path, walk_paths};
pub use jsonl::{JsonlReader, ReadMark, read_signal_at};
pub use locator::SourceLocator;

use serde::Serialize;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};
use toolcall_schema::{
    Timestamp,
    catalogue::shared::{DescribeResult, DisplayLabel, LabelledThing, ThingId},
    result::{ToolEffect, ToolErrorCode},
    signal::{Signal, SignalKind},
    tick::{GraphObservation, IngestFact, IngestResult, RESTS_MAX, SkippedItem, SourceRest},
};

/// Signals handed over that may wait for an ingest.
const MAX_WAITING: usize = 1024;
/// Skips that an answer names; the rest is only counted.
const MAX_NAMED: usize = 16;
/// Of them for one reason in one file; the last of these counts the rest and names no line.
const MAX_NAMED_OF_ONE: usize = 8;
/// Characters of a file's name in a skip.
const MAX_ITEM: usize = 120;

/// Why an item was skipped: the code of its page in `docs/errors` and the fixed sentence with limit and remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkipCode {
    /// `AGENT-nnn`. 001 to 009 are of all agents, 010 to 019 of Comms and Calendar, 030 to 039 of Calendar,
    /// 040 to 049 of contacts, 101 to 199 of
    /// Finance, 201 to 299 of Wellness.
    pub code: &'static str,
    /// Never holds anything that was read.
    pub message: &'static str,
}

/// A file or folder of the configuration is missing or unreadable.
pub const SOURCE_UNREADABLE: SkipCode = SkipCode {
    code: "AGENT-001",
    message: "this file or folder cannot be read: check the path in the configuration and its permissions",
};
/// A file is larger than [`files::MAX_FILE`].
pub const FILE_TOO_LARGE: SkipCode = SkipCode {
    code: "AGENT-002",
    message: "this file is larger than 64 MiB: split or rotate it",
};
/// A line is longer than [`jsonl::MAX_LINE`].
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

/// Bytes of files that one ingest reads before it stops between two items; the rest is for the next. At 50 MB/s, the
/// slowest format, that is a fraction of an ingest's deadline of 2 s, and a tick that waits behind it has most of its own.
pub const SLICE: u64 = 4 * 1024 * 1024;
/// Mails that one ingest judges before it stops as well: at 0.4 ms each, the slowest part of reading, a post that waits behind
/// them waits for a tenth of a second.
const MAX_JUDGED: u32 = 200;

/// What one ingest read, skipped and left.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct IngestReport {
    /// Items read and kept.
    pub read: u32,
    /// Items skipped, all of them.
    pub skipped: u32,
    /// The first 16 of them, 8 of a reason in one file.
    pub skips: Vec<SkippedItem>,
    /// Bytes of files that were read.
    pub taken: u64,
    /// Bytes of files that the next ingest has to read.
    pub left: u64,
    /// Of them those of each source that is known.
    rests: BTreeMap<Arc<str>, u64>,
    /// Mails that were judged.
    judged: u32,
    /// There is enough to tell: nothing more is read now.
    closed: bool,
}

impl IngestReport {
    /// Whether this ingest may read another item. A reader asks before each file, and within a large one between two
    /// items; where there is no room it says how much it leaves.
    pub fn has_room(&self) -> bool {
        self.taken < SLICE && self.judged < MAX_JUDGED && !self.closed
    }

    /// Ends the slice before its bytes do: what was found fills the answer, and what an answer does not tell is lost by a
    /// crash.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Counts one mail as judged.
    pub(crate) fn note_judged(&mut self) {
        self.judged = self.judged.saturating_add(1);
    }

    /// Counts bytes of a file as read.
    pub fn take(&mut self, bytes: u64) {
        self.taken = self.taken.saturating_add(bytes);
    }

    /// Leaves bytes of a file to the next ingest, which the orchestrator asks for at once.
    pub fn leave(&mut self, file: &SourceFile, bytes: u64) {
        self.leave_more(bytes);
        if bytes > 0 {
            let rest = self.rests.entry(file.source.clone()).or_default();
            *rest = rest.saturating_add(bytes);
        }
    }

    /// The same, of no source in particular.
    pub fn leave_more(&mut self, bytes: u64) {
        self.left = self.left.saturating_add(bytes);
    }

    /// What an ingest answers: what it learned and saw, how many things the agent holds where that is one number, and its
    /// state where the asker has not got it.
    pub fn into_result(
        self,
        cursor: u64,
        (facts, seen): (Vec<IngestFact>, Vec<GraphObservation>),
        holds: Option<usize>,
        state: Option<Value>,
    ) -> IngestResult {
        let rests = self.rests.into_iter().take(RESTS_MAX);
        IngestResult {
            cursor,
            facts,
            seen,
            rests: rests
                .map(|(source, left)| SourceRest {
                    source: source.to_string(),
                    left,
                })
                .collect(),
            read: self.read,
            skipped: self.skipped,
            skips: self.skips,
            taken: self.taken,
            left: self.left,
            holds: holds.and_then(|held| u32::try_from(held).ok()),
            agent_state: state.unwrap_or_default(),
        }
    }

    /// Adds what an earlier reading of the same files has to tell, but not its bytes.
    pub fn add_told(&mut self, earlier: IngestReport) {
        self.read = self.read.saturating_add(earlier.read);
        self.skipped = self.skipped.saturating_add(earlier.skipped);
        let room = MAX_NAMED.saturating_sub(self.skips.len());
        self.skips.extend(earlier.skips.into_iter().take(room));
    }

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
        if n > 0 {
            self.name(code, item, line, n);
        }
    }

    /// Names something that the owner should know, with nothing skipped.
    pub fn note(&mut self, code: SkipCode, item: &str) {
        self.name(code, item, None, 0);
    }

    fn name(&mut self, code: SkipCode, item: &str, line: Option<u64>, count: u32) {
        let item: String = item.chars().take(MAX_ITEM).collect();
        let is_same = |skip: &&mut SkippedItem| skip.code == code.code && skip.item == item;
        let mut same: Vec<&mut SkippedItem> = self.skips.iter_mut().filter(is_same).collect();
        if same.len() >= MAX_NAMED_OF_ONE
            && let Some(last) = same.pop()
        {
            // One bad file leaves room for the names of others.
            last.count = last.count.saturating_add(count);
            last.line = None;
        } else if self.skips.len() < MAX_NAMED {
            self.skips.push(SkippedItem {
                code: code.code.to_owned(),
                item,
                line,
                count,
                message: code.message.to_owned(),
            });
        }
    }
}

/// Signals that were handed over and wait for an ingest, at most 1024: the oldest are dropped and counted.
#[derive(Debug, Default)]
pub struct SignalInbox {
    waiting: VecDeque<Signal>,
    dropped: u32,
}

impl SignalInbox {
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
    pub fn take(&mut self, at: Timestamp, kinds: &[SignalKind], report: &mut IngestReport) -> Vec<Signal> {
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

/// Runs a third-party parser on one item. `None` when it panicked: the item is lost, the agent is not, and the
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

/// The answer of a `describe`: each id once, with its label where `name` knows a text that can be shown.
pub fn described<'a>(ids: &[ThingId], name: impl Fn(&ThingId) -> Option<&'a str>) -> DescribeResult {
    let mut out = DescribeResult::default();
    for id in ids.iter().collect::<BTreeSet<_>>() {
        match name(id).and_then(DisplayLabel::sanitize) {
            Some(label) => out.labels.push(LabelledThing {
                id: id.clone(),
                label,
            }),
            None => out.unknown.push(id.clone()),
        }
    }
    out
}

#[cfg(test)]
mod tests;
