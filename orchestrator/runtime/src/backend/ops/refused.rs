//! What was refused, for the console.
//!
//! What: the newest lines of the quarantine, and one of them judged anew. Why: the page and `aura quarantine` read the same files and judge
//! by the same gate. Not here: the files (`aura_memory::quarantine`), lines that cannot be read, which the command line shows.

use aura_memory::{
    StoreError,
    quarantine::{
        self, LostEntries, NotReplayable, QuarantineEntry, QuarantineLine, QuarantineReader, replay,
    },
};
use std::{cmp::Reverse, collections::VecDeque, path::Path};
use surfaces_base::backend::console::{
    DryReplayVerdict, REFUSED_MAX, RefusedFilter, RefusedItem, RefusedLine,
};
use toolcall_schema::QuarantineKind;

/// The newest lines that a filter admits, newest first.
pub(super) fn newest(dir: &Path, filter: &RefusedFilter) -> Result<Vec<RefusedItem>, StoreError> {
    let mut newest = Vec::new();
    for kind in QuarantineKind::ALL.iter().copied() {
        if filter.kind.is_some_and(|wanted| wanted != kind) {
            continue;
        }
        let mut lines = QuarantineReader::open(dir, kind)?;
        let mut last = VecDeque::new();
        while let Some((number, line)) = lines.next_line()? {
            let entry = match line {
                QuarantineLine::Entry(entry) => refused(kind, number, *entry),
                QuarantineLine::Lost(lost) => missing(kind, number, lost),
                QuarantineLine::Unreadable { .. } | QuarantineLine::Torn { .. } => continue,
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
    newest.sort_by_key(|entry: &RefusedItem| Reverse(entry.at));
    newest.truncate(REFUSED_MAX);
    Ok(newest)
}

/// What today's gate says of a line, if it is still there.
pub(super) fn replayed(dir: &Path, line: &RefusedLine) -> Result<Option<DryReplayVerdict>, StoreError> {
    let kind = line.kind;
    let found = match quarantine::show(dir, kind, line.number)? {
        Some(QuarantineLine::Entry(entry)) if entry.sha256 == line.sha256 => entry,
        Some(
            QuarantineLine::Entry(_)
            | QuarantineLine::Lost(_)
            | QuarantineLine::Unreadable { .. }
            | QuarantineLine::Torn { .. },
        )
        | None => {
            return Ok(None);
        }
    };
    let verdict = replay(kind, &found);
    let same = verdict.is_as_before(&found);
    Ok(Some(match verdict {
        quarantine::ReplayVerdict::Passes => DryReplayVerdict::Passes,
        quarantine::ReplayVerdict::PassesOtherwise => DryReplayVerdict::PassesOtherwise,
        quarantine::ReplayVerdict::Refused(error) => DryReplayVerdict::Refused {
            code: error.code.to_string(),
            pointer: error.pointer,
            message: error.message,
            same,
        },
        quarantine::ReplayVerdict::NotReplayable(NotReplayable::Redacted) => DryReplayVerdict::Redacted,
        quarantine::ReplayVerdict::NotReplayable(NotReplayable::NoCall) => DryReplayVerdict::NoCall,
        quarantine::ReplayVerdict::NotReplayable(NotReplayable::Cut) => DryReplayVerdict::Cut,
    }))
}

fn refused(kind: QuarantineKind, number: u64, entry: QuarantineEntry) -> RefusedItem {
    // Where the whole of it is kept, it is known where it stops being text.
    let base64 = entry.raw_encoding.map(|_| {
        let bytes = entry.verbatim()?;
        std::str::from_utf8(&bytes).err().map(|error| error.valid_up_to())
    });
    RefusedItem {
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
fn missing(kind: QuarantineKind, number: u64, lost: LostEntries) -> RefusedItem {
    RefusedItem {
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
