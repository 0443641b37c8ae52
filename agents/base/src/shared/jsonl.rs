//! JSONL files of signals, read as they grow.
//!
//! What: [`JsonlReader`]. Why: other programs append to these files while Aura runs. Not here: the signals' meaning.

use super::{
    IngestReport, LINE_TOO_LONG, NOT_A_SIGNAL, SLICE, SOURCE_UNREADABLE, SourceFile, SourceLocator,
    walk_sources,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Seek, SeekFrom},
    path::{Path, PathBuf},
};
use toolcall_schema::{
    Timestamp, gate,
    signal::{AdmittedSignal, Signal},
};

/// The longest line of a JSONL file, in bytes.
pub(super) const MAX_LINE: usize = 64 * 1024;
/// Signals of one file that may wait because they are dated after the ingest.
const MAX_PENDING: usize = 4096;

/// Where an item came from, for skips.
#[derive(Debug, Clone, Copy)]
pub struct ItemLocation<'a> {
    /// The file relative to its source, or the signal id.
    pub item: &'a str,
    /// Line from 1, in a file.
    pub line: Option<u64>,
    /// Where to find it again, in a file.
    pub locator: Option<SourceLocator>,
}

/// How far a JSONL file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadMark {
    /// Bytes.
    pub offset: u64,
    pub line: u64,
}

#[derive(Debug, Default)]
struct FileCursor {
    mark: ReadMark,
    /// Signals dated after the ingest that read them, by the mark before their line.
    pending: BTreeMap<u64, (u64, Signal)>,
}

/// Reads JSONL files of signals as they grow: each line once, a torn last line when it is complete.
///
/// A file that became shorter is read from its start; consumers drop repeated signal ids. A line that is no signal is
/// skipped. A signal dated after the ingest waits, at most 4096 a file, then the file is read on later.
#[derive(Debug, Default)]
pub struct JsonlReader {
    cursors: BTreeMap<String, FileCursor>,
}

impl JsonlReader {
    /// Hands each new signal that is not dated after `at` to `each`, with its place.
    pub fn read(
        &mut self,
        sources: &[PathBuf],
        at: Timestamp,
        report: &mut IngestReport,
        each: &mut dyn FnMut(&Signal, ItemLocation<'_>, &mut IngestReport),
    ) {
        let mut found = Vec::new();
        for source in sources {
            let wanted = |path: &Path| path == source || is_jsonl(path);
            found.extend(walk_sources(source, &wanted, &|_| false, report));
        }
        for file in found {
            let cursor = self.cursors.entry(file.key.clone()).or_default();
            if file.len < cursor.mark.offset {
                *cursor = FileCursor::default();
            }
            cursor.release(at, &file, report, each);
            if file.len == cursor.mark.offset {
                continue;
            }
            if !report.has_room() {
                report.leave(&file, file.len - cursor.mark.offset);
                continue;
            }
            let begun = cursor.mark.offset;
            if cursor.read_on(&file, at, report, each).is_err() {
                report.skip(SOURCE_UNREADABLE, &file.name, None);
            }
            report.take(cursor.mark.offset - begun);
            // Of what was left, only what can be read at once is asked for again: not a torn line, not behind what waits.
            if !report.has_room() && cursor.pending.len() < MAX_PENDING {
                report.leave(&file, file.len.saturating_sub(cursor.mark.offset));
            }
        }
    }

    /// How far each file was read, by the file's key: for the agent's state. A file with waiting signals is marked
    /// before the first of them, so that none is lost by a restart.
    pub fn marks(&self) -> BTreeMap<String, ReadMark> {
        self.cursors
            .iter()
            .map(|(key, cursor)| {
                let waiting = cursor
                    .pending
                    .first_key_value()
                    .map(|(offset, (line, _))| ReadMark {
                        offset: *offset,
                        line: line.saturating_sub(1),
                    });
                (key.clone(), waiting.unwrap_or(cursor.mark))
            })
            .collect()
    }

    /// Goes on where [`JsonlReader::marks`] was.
    pub fn restore(&mut self, marks: BTreeMap<String, ReadMark>) {
        self.cursors = marks
            .into_iter()
            .map(|(key, mark)| {
                (
                    key,
                    FileCursor {
                        mark,
                        pending: BTreeMap::new(),
                    },
                )
            })
            .collect();
    }
}

impl FileCursor {
    fn release(
        &mut self,
        at: Timestamp,
        file: &SourceFile,
        report: &mut IngestReport,
        each: &mut dyn FnMut(&Signal, ItemLocation<'_>, &mut IngestReport),
    ) {
        self.pending.retain(|offset, (line, signal)| {
            let due = signal.at <= at;
            if due {
                let place = ItemLocation {
                    item: &file.name,
                    line: Some(*line),
                    locator: SourceLocator::new(file.inode, *offset),
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
        report: &mut IngestReport,
        each: &mut dyn FnMut(&Signal, ItemLocation<'_>, &mut IngestReport),
    ) -> io::Result<()> {
        let mut input = File::open(&file.path)?;
        input.seek(SeekFrom::Start(self.mark.offset))?;
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        let end = self
            .mark
            .offset
            .saturating_add(SLICE.saturating_sub(report.taken));
        while self.pending.len() < MAX_PENDING && self.mark.offset < end && report.has_room() {
            line.clear();
            let (bytes, complete) = next_line(&mut input, &mut line)?;
            if !complete {
                break;
            }
            let start = self.mark.offset;
            self.mark.offset += bytes;
            self.mark.line += 1;
            let place = ItemLocation {
                item: &file.name,
                line: Some(self.mark.line),
                locator: SourceLocator::new(file.inode, start),
            };
            if bytes > MAX_LINE as u64 {
                report.skip(LINE_TOO_LONG, place.item, place.line);
            } else if !line.iter().all(u8::is_ascii_whitespace) {
                match gate::admit_signal(&line) {
                    Ok(admitted) if admitted.signal().at > at => {
                        self.pending
                            .insert(start, (self.mark.line, admitted.into_signal()));
                    }
                    Ok(admitted) => each(admitted.signal(), place, report),
                    Err(_) => report.skip(NOT_A_SIGNAL, place.item, place.line),
                }
            }
        }
        Ok(())
    }
}

/// The signal whose line begins at `offset` of a file, if one does.
pub fn read_signal_at(mut file: File, offset: u64) -> Option<Signal> {
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut line = Vec::new();
    let (bytes, complete) = next_line(&mut BufReader::new(file), &mut line).ok()?;
    let whole = complete && bytes <= MAX_LINE as u64;
    whole
        .then(|| gate::admit_signal(&line).ok())?
        .map(AdmittedSignal::into_signal)
}

fn is_jsonl(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| {
        ["jsonl", "ndjson"]
            .iter()
            .any(|own| ending.eq_ignore_ascii_case(own))
    })
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
