//! The files of one kind.
//!
//! What: their names, which there are, what they take on the disk, and sealing one. Why: order and names are known in one
//! place. Not here: what stands in them (`read`), when one is sealed (`writer`), when one goes (`purge`).

use super::{QuarantineKind, file_name, file_path, folder};
use crate::{error::StoreError, files};
use serde::Serialize;
use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

/// What a name in `errors/` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartFileName {
    /// Written now.
    Current,
    /// Sealed, with its number from 1.
    Sealed(u64),
    /// The unfinished last line of a crash.
    Torn,
    /// A sealed file that was being rewritten when the process was killed.
    Unfinished,
}

impl PartFileName {
    /// What `name` stands for among the files of a kind; `None` for any other.
    fn parse(kind: QuarantineKind, name: &str) -> Option<Self> {
        if let Some(hidden) = name.strip_prefix('.') {
            let rewritten = hidden.strip_suffix(".tmp")?;
            return matches!(Self::parse(kind, rewritten), Some(Self::Sealed(_))).then_some(Self::Unfinished);
        }
        let rest = name.strip_prefix(file_name(kind))?;
        if rest.is_empty() {
            return Some(Self::Current);
        }
        let rest = rest.strip_prefix('.')?;
        if rest.starts_with("torn-") {
            return Some(Self::Torn);
        }
        // `007` and `+7` are not ours.
        let number: u64 = rest.parse().ok()?;
        (number > 0 && number.to_string() == rest).then_some(Self::Sealed(number))
    }
}

/// The path of a sealed file.
pub(super) fn sealed_path(data_dir: &Path, kind: QuarantineKind, number: u64) -> PathBuf {
    folder(data_dir).join(format!("{}.{number}", file_name(kind)))
}

/// All files of a kind. No folder: none.
pub(super) fn all(data_dir: &Path, kind: QuarantineKind) -> Result<Vec<(PartFileName, PathBuf)>, StoreError> {
    let dir = folder(data_dir);
    let look = || -> io::Result<_> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&dir)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            if let Some(name) = name.and_then(|name| PartFileName::parse(kind, name)) {
                found.push((name, path));
            }
        }
        Ok(found)
    };
    match look() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        found => found.map_err(StoreError::file("list", &dir)),
    }
}

/// The numbers of the sealed files, oldest first.
pub(super) fn sealed(data_dir: &Path, kind: QuarantineKind) -> Result<Vec<u64>, StoreError> {
    let mut numbers: Vec<u64> = all(data_dir, kind)?
        .into_iter()
        .filter_map(|(name, _)| match name {
            PartFileName::Sealed(number) => Some(number),
            PartFileName::Current | PartFileName::Torn | PartFileName::Unfinished => None,
        })
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Seals the file that is written now under a number above `last` and all others; returns it. Nobody may write to the file
/// any more.
pub(super) fn seal(data_dir: &Path, kind: QuarantineKind, last: u64) -> Result<u64, StoreError> {
    let newest = sealed(data_dir, kind)?.last().copied().unwrap_or(0);
    let number = newest.max(last) + 1;
    let path = file_path(kind, data_dir);
    files::rename_new(&path, &sealed_path(data_dir, kind, number))
        .map_err(StoreError::file("seal", &path))?;
    files::sync_dir(&folder(data_dir))?;
    Ok(number)
}

/// What a kind takes on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct DiskUsage {
    /// Files with lines, the one that is written now included.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Unfinished last lines that were set aside.
    pub torn_files: u64,
}

/// What a kind takes on the disk.
///
/// # Errors
/// STORE-007 when the folder cannot be read.
pub fn on_disk(data_dir: &Path, kind: QuarantineKind) -> Result<DiskUsage, StoreError> {
    let mut sum = DiskUsage::default();
    for (name, path) in all(data_dir, kind)? {
        match name {
            PartFileName::Current | PartFileName::Sealed(_) => {
                sum.files += 1;
                // One that is gone meanwhile was purged.
                sum.bytes += fs::metadata(&path).map_or(0, |meta| meta.len());
            }
            PartFileName::Torn => sum.torn_files += 1,
            PartFileName::Unfinished => {}
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_ours_are_files_of_a_kind() {
        let calls = |name| PartFileName::parse(QuarantineKind::Calls, name);
        for (name, expected) in [
            ("quarantine_calls.jsonl", Some(PartFileName::Current)),
            ("quarantine_calls.jsonl.1", Some(PartFileName::Sealed(1))),
            ("quarantine_calls.jsonl.10", Some(PartFileName::Sealed(10))),
            ("quarantine_calls.jsonl.0", None),
            ("quarantine_calls.jsonl.01", None),
            ("quarantine_calls.jsonl.+1", None),
            ("quarantine_calls.jsonl.gz", None),
            ("quarantine_calls.jsonl.99999999999999999999", None),
            ("quarantine_calls.jsonl.torn-1", Some(PartFileName::Torn)),
            (".quarantine_calls.jsonl.1.tmp", Some(PartFileName::Unfinished)),
            (".quarantine_calls.jsonl.tmp", None),
            ("quarantine_results.jsonl", None),
        ] {
            assert_eq!(calls(name), expected, "{name}");
        }
    }
}
