//! Forgetting what was refused.
//!
//! What: [`forget`], which takes lines out of all files of all kinds. Why: what the owner erases must not be left where it was
//! refused. Not here: purging by age (`purge`).

use super::{
    QuarantineKind, folder, messages, parts,
    parts::PartFileName,
    purge,
    read::{QuarantineLine, read},
};
use crate::{error::StoreError, files};
use std::{fs, path::Path};
use toolcall_schema::forget::ErasureScope;

/// Removes the lines that were written in the span or that name a thing, and says how many. Nobody else may have the files of the one
/// writer open; other programs may add messages meanwhile. `dry`: only counts, whoever works on the folder.
///
/// # Errors
/// STORE-007 when a file cannot be read or rewritten; what was removed until then stays removed.
pub fn forget(data_dir: &Path, forget: &ErasureScope, dry: bool) -> Result<u64, StoreError> {
    let mut lines = 0;
    for kind in QuarantineKind::ALL {
        let _held = match kind {
            QuarantineKind::Messages if folder(data_dir).is_dir() => Some(messages::hold(data_dir)?),
            QuarantineKind::Messages
            | QuarantineKind::Calls
            | QuarantineKind::Results
            | QuarantineKind::Traces => None,
        };
        for (name, path) in parts::all(data_dir, *kind)? {
            if name == PartFileName::Torn || name == PartFileName::Unfinished {
                // Half a line says neither when it was nor all that it names.
                lines += 1;
                if !dry {
                    fs::remove_file(&path).map_err(StoreError::file("remove", &path))?;
                }
                continue;
            }
            let goes = |line: &[u8], age| {
                forget.covers_time(age) || (!forget.things.is_empty() && names(line, forget))
            };
            let counted = purge::rewrite(&path, goes, true)?.lines;
            if counted > 0 && !dry {
                purge::rewrite(&path, goes, false)?;
            }
            lines += counted;
        }
    }
    if !dry && folder(data_dir).is_dir() {
        files::sync_dir(&folder(data_dir))?;
    }
    Ok(lines)
}

/// Whether a line names a thing, as text or in bytes that were kept as base64.
fn names(line: &[u8], forget: &ErasureScope) -> bool {
    if forget.mentions_thing(&String::from_utf8_lossy(line)) {
        return true;
    }
    match read(line) {
        QuarantineLine::Entry(entry) => entry
            .verbatim()
            .is_some_and(|raw| forget.mentions_thing(&String::from_utf8_lossy(&raw))),
        QuarantineLine::Lost(_) | QuarantineLine::Unreadable { .. } | QuarantineLine::Torn { .. } => false,
    }
}
