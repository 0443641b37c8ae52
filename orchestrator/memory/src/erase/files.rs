//! What goes beside the store: drafts, a damaged store that was set aside, and runs that could not be carried over from an older version.
//!
//! What: [`files_go`], which may be done again after an interruption. Why: a value that left the store must not stay in a file beside
//! it. Not here: lines of the quarantine (`crate::quarantine::forget`), copies that the owner keeps elsewhere.

use super::RemovedCounts;
use crate::{error::StoreError, files, outbox, repair, vault::Vault, workflows::carried};
use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};
use toolcall_schema::{Timestamp, forget::ErasureScope};

/// Removes the drafts of these names and of the span, and stores that were set aside or cannot be read; `dry`: only counts.
///
/// # Errors
/// STORE-003 or STORE-007; what went until then is gone, and the rest goes when it is done again.
pub fn files_go(
    vault: &Vault,
    forget: &ErasureScope,
    outbox: &[String],
    dry: bool,
) -> Result<RemovedCounts, StoreError> {
    let dir = vault.dir();
    let mut removed = RemovedCounts::default();
    for path in drafts(dir, forget, outbox)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // What stands beside a draft is none.
        removed.add("drafts", u64::from(outbox::draft_of(&name) == name));
        if !dry {
            gone(&path)?;
        }
    }
    // They hold what was there then, and cannot be edited.
    let left = carried::files_of(dir);
    let damaged = repair::set_aside(dir)?.len() + usize::from(!left.is_empty());
    removed.add("damaged stores", damaged as u64);
    if !dry {
        repair::forget(dir)?;
        left.iter().try_for_each(|path| files::remove(path))?;
        files::sync_dir(dir)?;
    }
    Ok(removed)
}

/// The drafts that were written in the span, and those of ticks that go.
fn drafts(dir: &Path, forget: &ErasureScope, names: &[String]) -> Result<Vec<PathBuf>, StoreError> {
    let folder = dir.join("outbox");
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::file("list", &folder)(error)),
    };
    let wrong = || StoreError::file("list", &folder);
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(wrong())?;
        let meta = entry.metadata().map_err(wrong())?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let written = meta
            .modified()
            .ok()
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let written = written.and_then(|age| i64::try_from(age.as_millis()).ok());
        let of_span = written.is_some_and(|ms| forget.covers_time(Timestamp::from_ms(ms)));
        let is_named = |draft: &String| same_draft(draft, outbox::draft_of(&name));
        if meta.is_file() && (of_span || names.iter().any(is_named)) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Whether a file is a draft of that name, or one with a number because the name was taken: `reply-2.eml` for `reply.eml`.
fn same_draft(draft: &str, name: &str) -> bool {
    let split = |name: &str| {
        name.rsplit_once('.')
            .map(|(stem, end)| (stem.to_owned(), end.to_owned()))
    };
    let (Some((stem, end)), Some((of, of_end))) = (split(draft), split(name)) else {
        return false;
    };
    let number = of
        .strip_prefix(&stem)
        .map(|rest| rest.strip_prefix('-').unwrap_or(rest));
    end == of_end && number.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

fn gone(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::file("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_and_its_numbered_copies_are_the_same_draft() {
        for (draft, name, same) in [
            ("reply.eml", "reply.eml", true),
            ("reply.eml", "reply-2.eml", true),
            ("reply.eml", "reply-2.ics", false),
            ("reply.eml", "reply-to.eml", false),
            ("reply-2.eml", "reply.eml", false),
        ] {
            assert_eq!(same_draft(draft, name), same, "{draft} {name}");
        }
        // What stands beside a draft goes with it.
        for beside in [
            "reply.eml.sha256",
            ".reply.eml.tmp",
            "reply-2.eml.sha256",
            ".reply.eml.sha256.tmp",
            "reply.eml.discarded",
        ] {
            assert!(same_draft("reply.eml", outbox::draft_of(beside)), "{beside}");
        }
    }
}
