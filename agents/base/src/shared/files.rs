//! The files of the configured sources.
//!
//! What: [`files`] and [`walk_sources`], [`read_whole`], [`ChangeTracker`], [`paths_of`]. Why: folders are walked in one order, within limits, and a missing one
//! is a counted skip. Not here: what is in the files.

use super::{FILE_TOO_LARGE, IngestReport, SOURCE_UNREADABLE, SkipCode, TOO_MANY_FILES};
use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::Read,
    os::unix::fs::{DirEntryExt as _, MetadataExt as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::UNIX_EPOCH,
};
use toolcall_schema::tick::source_key;

/// The largest file of a source, in bytes.
pub(super) const MAX_FILE: u64 = 64 * 1024 * 1024;
/// Files taken from one source folder.
const MAX_FILES: usize = 65_536;
/// Folders in a source folder, one in the other.
const MAX_DEPTH: u32 = 8;

/// One file of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its name relative to its source folder (the plain file name when the source is a file), for skips.
    pub name: String,
    /// A name for the agent's state that holds no text: [`source_key`] of its path.
    pub key: String,
    /// Its source's name, made as its own.
    pub source: Arc<str>,
    /// Its size in bytes.
    pub len: u64,
    /// Its modification time in milliseconds since 1970 UTC, 0 where the file system has none.
    pub modified_ms: i64,
    /// Its number within its file system: the same when it is renamed.
    pub inode: u64,
}

/// The files of some sources whose names end in one of `extensions` (lower case, without the dot; empty: all), each
/// source in the order of the configuration, within it sorted by path. A missing source is one skip; a file larger
/// than [`MAX_FILE`] one. Folders behind symbolic links are not entered, hidden files are not taken.
pub fn files(sources: &[PathBuf], extensions: &[&str], report: &mut IngestReport) -> Vec<SourceFile> {
    files_where(sources, &|path| has_extension(path, extensions), report)
}

/// The files of some sources that are wanted, as [`files`].
pub fn files_where(
    sources: &[PathBuf],
    is_wanted: &dyn Fn(&Path) -> bool,
    report: &mut IngestReport,
) -> Vec<SourceFile> {
    let mut out = Vec::new();
    for source in sources {
        // A file that the owner named is taken, whatever it is called.
        let wanted = |path: &Path| path == source || is_wanted(path);
        for file in walk_sources(source, &wanted, &|_| false, report) {
            if file.len > MAX_FILE {
                report.skip(FILE_TOO_LARGE, &file.name, None);
            } else {
                out.push(file);
            }
        }
    }
    out
}

/// The files of a source that are wanted, sorted by path, of any size. Hidden folders are entered where `hidden` says so.
pub fn walk_sources(
    source: &Path,
    wanted: &dyn Fn(&Path) -> bool,
    hidden: &dyn Fn(&Path) -> bool,
    report: &mut IngestReport,
) -> Vec<SourceFile> {
    let found = walk_paths(source, hidden, report);
    let mut out = Vec::new();
    let key: Arc<str> = source_key(source).into();
    for path in found.into_iter().filter(|path| wanted(path)) {
        take((source, &key), path, &mut out, report);
    }
    out
}

/// The paths of all files of a source, sorted: by names alone, no file is looked at.
pub(crate) fn walk_paths(
    source: &Path,
    hidden: &dyn Fn(&Path) -> bool,
    report: &mut IngestReport,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    match fs::metadata(source) {
        Ok(meta) if meta.is_dir() => {
            if !walk(source, 0, hidden, &mut found, report, source) {
                report.skip(TOO_MANY_FILES, &display_path(source, source), None);
            }
            found.sort();
        }
        Ok(_) => found.push(source.to_owned()),
        Err(_) => report.skip(SOURCE_UNREADABLE, &display_path(source, source), None),
    }
    found
}

/// Where the files of these numbers are in a source now, whatever they are called: by the entries of its folders alone, no file is
/// opened.
pub fn paths_of(
    inodes: &BTreeSet<u64>,
    source: &Path,
    hidden: &dyn Fn(&Path) -> bool,
) -> BTreeMap<u64, PathBuf> {
    let mut found = BTreeMap::new();
    match fs::metadata(source) {
        Ok(meta) if meta.is_dir() => {
            let mut seen = 0;
            find(source, 0, hidden, inodes, &mut seen, &mut found);
        }
        Ok(meta) if inodes.contains(&meta.ino()) => {
            found.insert(meta.ino(), source.to_owned());
        }
        Ok(_) | Err(_) => {}
    }
    found
}

fn find(
    folder: &Path,
    depth: u32,
    hidden: &dyn Fn(&Path) -> bool,
    inodes: &BTreeSet<u64>,
    seen: &mut usize,
    found: &mut BTreeMap<u64, PathBuf>,
) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if found.len() == inodes.len() || *seen >= MAX_FILES {
            return;
        }
        let Ok(kind) = entry.file_type() else { continue };
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if kind.is_dir() {
            if depth < MAX_DEPTH && (!is_hidden || hidden(&entry.path())) {
                find(&entry.path(), depth + 1, hidden, inodes, seen, found);
            }
        } else if !is_hidden {
            *seen += 1;
            // A link has a number of its own.
            let inode = if kind.is_symlink() {
                fs::metadata(entry.path()).map_or(0, |meta| meta.ino())
            } else {
                entry.ino()
            };
            if inodes.contains(&inode) {
                found.insert(inode, entry.path());
            }
        }
    }
}

/// Collects the regular files below `folder`. False when a limit was reached.
fn walk(
    folder: &Path,
    depth: u32,
    hidden: &dyn Fn(&Path) -> bool,
    out: &mut Vec<PathBuf>,
    report: &mut IngestReport,
    source: &Path,
) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        report.skip(SOURCE_UNREADABLE, &display_path(source, folder), None);
        return true;
    };
    let mut whole = true;
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if is_hidden && !(kind.is_dir() && hidden(&entry.path())) {
            continue;
        }
        if kind.is_dir() {
            whole &= depth < MAX_DEPTH && walk(&entry.path(), depth + 1, hidden, out, report, source);
        } else if out.len() >= MAX_FILES {
            return false;
        } else {
            out.push(entry.path());
        }
    }
    whole
}

/// Whether a file's name ends in one of these, in any case; with none of them, always.
pub fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    extensions.is_empty()
        || path
            .extension()
            .and_then(|e| e.to_str())
            .is_some_and(|e| extensions.iter().any(|wanted| e.eq_ignore_ascii_case(wanted)))
}

fn take(
    (source, name_of_source): (&Path, &Arc<str>),
    path: PathBuf,
    out: &mut Vec<SourceFile>,
    report: &mut IngestReport,
) {
    let name = display_path(source, &path);
    let Ok(meta) = fs::metadata(&path) else {
        return report.skip(SOURCE_UNREADABLE, &name, None);
    };
    // A pipe or a device would block or never end.
    if !meta.is_file() {
        return report.skip(SOURCE_UNREADABLE, &name, None);
    }
    let modified_ms = meta
        .modified()
        .ok()
        .and_then(|t| t.duration_since(UNIX_EPOCH).ok())
        .and_then(|d| i64::try_from(d.as_millis()).ok())
        .unwrap_or(0);
    out.push(SourceFile {
        name,
        key: source_key(&path),
        source: name_of_source.clone(),
        len: meta.len(),
        modified_ms,
        inode: meta.ino(),
        path,
    });
}

/// A path as a skip may show it: relative to its source, never the folders above.
pub(crate) fn display_path(source: &Path, path: &Path) -> String {
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
/// By whole names: comparing paths folder by folder is what a look at ten thousand files would mostly do.
#[derive(Debug, Default)]
pub struct ChangeTracker(BTreeMap<OsString, (u64, i64)>);

impl ChangeTracker {
    /// Notes this file and returns whether it is new or changed since it was last noted.
    pub fn note_change(&mut self, file: &SourceFile) -> bool {
        let mark = (file.len, file.modified_ms);
        self.0.insert(file.path.clone().into_os_string(), mark) != Some(mark)
    }

    /// Whether this file has not changed since it was last noted; it stays new for [`ChangeTracker::note_change`] if not.
    pub fn is_unchanged(&self, file: &SourceFile) -> bool {
        self.0.get(file.path.as_os_str()) == Some(&(file.len, file.modified_ms))
    }

    /// Forgets and returns the files that are not among `present`.
    pub fn remove_missing<'a>(&mut self, present: impl IntoIterator<Item = &'a SourceFile>) -> Vec<PathBuf> {
        let present: BTreeSet<&OsStr> = present.into_iter().map(|f| f.path.as_os_str()).collect();
        let gone = self
            .0
            .extract_if(.., |path, _| !present.contains(path.as_os_str()));
        gone.map(|(path, _)| PathBuf::from(path)).collect()
    }
}
