//! What was refused, for the console.
//!
//! What: the newest lines of the quarantine, and one of them judged anew. Why: the page and `aura quarantine` read the same files and judge
//! by the same gate. Not here: the files (`aura_memory::quarantine`), lines that cannot be read, which the command line shows.

use aura_memory::{
    StoreError,
    quarantine::{self, Entry, Line, Lines, Lost, NotReplayable, replay},
};
use std::{cmp::Reverse, collections::VecDeque, path::Path};
use surfaces::backend::ops::{REFUSED_MAX, Refused, RefusedFilter, RefusedKind, RefusedLine, Verdict};

/// The newest lines that a filter admits, newest first.
pub(super) fn newest(dir: &Path, filter: RefusedFilter) -> Result<Vec<Refused>, StoreError> {
    let mut newest = Vec::new();
    for kind in RefusedKind::ALL.iter().copied() {
        if filter.kind.is_some_and(|wanted| wanted != kind) {
            continue;
        }
        let mut lines = Lines::open(dir, file(kind))?;
        let mut last = VecDeque::new();
        while let Some((number, line)) = lines.next_line()? {
            let entry = match line {
                Line::Entry(entry) => refused(kind, number, *entry),
                Line::Lost(lost) => missing(kind, number, lost),
                Line::Unreadable { .. } | Line::Torn { .. } => continue,
            };
            if !filter.admits(&entry) {
                continue;
            }
            if last.len() == REFUSED_MAX {
                last.pop_front();
            }
            last.push_back(entry);
        }
        newest.extend(last);
    }
    newest.sort_by_key(|entry: &Refused| Reverse(entry.at));
    newest.truncate(REFUSED_MAX);
    Ok(newest)
}

/// What today's gate says of a line, if it is still there.
pub(super) fn replayed(dir: &Path, line: &RefusedLine) -> Result<Option<Verdict>, StoreError> {
    let kind = file(line.kind);
    let found = match quarantine::show(dir, kind, line.number)? {
        Some(Line::Entry(entry)) if entry.sha256 == line.sha256 => entry,
        Some(Line::Entry(_) | Line::Lost(_) | Line::Unreadable { .. } | Line::Torn { .. }) | None => {
            return Ok(None);
        }
    };
    let verdict = replay(kind, &found);
    let same = verdict.is_as_before(&found);
    Ok(Some(match verdict {
        quarantine::Verdict::Passes => Verdict::Passes,
        quarantine::Verdict::PassesOtherwise => Verdict::PassesOtherwise,
        quarantine::Verdict::Refused(error) => Verdict::Refused {
            code: error.code.to_string(),
            pointer: error.pointer,
            message: error.message,
            same,
        },
        quarantine::Verdict::NotReplayable(NotReplayable::Redacted) => Verdict::Redacted,
        quarantine::Verdict::NotReplayable(NotReplayable::NoCall) => Verdict::NoCall,
        quarantine::Verdict::NotReplayable(NotReplayable::Cut) => Verdict::Cut,
    }))
}

fn file(kind: RefusedKind) -> quarantine::Kind {
    match kind {
        RefusedKind::Calls => quarantine::Kind::Calls,
        RefusedKind::Results => quarantine::Kind::Results,
        RefusedKind::Messages => quarantine::Kind::Messages,
        RefusedKind::Traces => quarantine::Kind::Traces,
    }
}

fn refused(kind: RefusedKind, number: u64, entry: Entry) -> Refused {
    // Where the whole of it is kept, it is known where it stops being text.
    let base64 = entry.raw_encoding.map(|_| {
        let bytes = entry.verbatim()?;
        std::str::from_utf8(&bytes).err().map(|error| error.valid_up_to())
    });
    Refused {
        line: RefusedLine {
            kind,
            number,
            sha256: entry.sha256,
        },
        at: entry.ts,
        code: entry.code,
        pointer: entry.pointer,
        message: entry.message,
        agent: entry.agent,
        tool: entry.tool,
        program: entry.program,
        trace_id: entry.trace_id,
        bytes: entry.bytes,
        raw: entry.raw,
        base64,
    }
}

/// In the place of entries that could not be kept.
fn missing(kind: RefusedKind, number: u64, lost: Lost) -> Refused {
    Refused {
        line: RefusedLine {
            kind,
            number,
            sha256: String::new(),
        },
        at: lost.ts,
        code: lost.code,
        pointer: String::new(),
        message: format!("{} more were refused and could not be kept", lost.dropped),
        agent: None,
        tool: None,
        program: None,
        trace_id: None,
        bytes: 0,
        raw: String::new(),
        base64: None,
    }
}
