//! What goes when, and how.
//!
//! What: [`what_to_purge`], the decision, and carrying it out on sealed files: a new file with the younger lines, byte for
//! byte, renamed over the old one. Why: nothing is kept longer than was said, and a kill at any moment leaves either the
//! old file or the new one. Not here: the file that is written now (the writer seals it first), when to purge (its caller).

use super::{
    LINE_BYTES_MAX, ONE_WRITER, QuarantineKind, file_path, folder, line_file::LineFile, messages, parts,
    parts::PartFileName, read,
};
use crate::{ageing::ExpiredRanges, error::StoreError, files, folder_lock};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, BufWriter, ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};
use toolcall_schema::Timestamp;

/// A sealed file, as far as its age and size go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealedPart {
    /// Its number: the higher, the younger.
    pub number: u64,
    /// Its size.
    pub bytes: u64,
    /// Its oldest line.
    pub oldest: Timestamp,
    /// Its youngest line.
    pub newest: Timestamp,
}

/// What becomes of a sealed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeAction {
    /// All its lines are young enough.
    Keep,
    /// Some of its lines go.
    Rewrite,
    /// All its lines are too old.
    Remove,
    /// Younger files take all the room there is.
    MakeRoom,
}

/// Decides about each file: lines that were kept long enough go, and of the rest the youngest files of at most `keep_bytes` stay.
pub(crate) fn what_to_purge(
    expired: &ExpiredRanges,
    keep_bytes: u64,
    parts: &[SealedPart],
) -> Vec<(u64, PurgeAction)> {
    let mut youngest_first: Vec<&SealedPart> = parts.iter().collect();
    youngest_first.sort_by_key(|part| std::cmp::Reverse(part.number));
    let mut room = Some(keep_bytes);
    let mut acts: Vec<(u64, PurgeAction)> = youngest_first
        .into_iter()
        .map(|part| {
            let act = if expired.covers(part.oldest, part.newest) {
                PurgeAction::Remove
            } else {
                room = room.and_then(|room| room.checked_sub(part.bytes));
                match room {
                    None => PurgeAction::MakeRoom,
                    Some(_) if expired.overlaps(part.oldest, part.newest) => PurgeAction::Rewrite,
                    Some(_) => PurgeAction::Keep,
                }
            };
            (part.number, act)
        })
        .collect();
    acts.reverse();
    acts
}

/// What was purged, or would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PurgeCounts {
    /// Lines, those that cannot be read included.
    pub lines: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that are gone whole, unfinished lines that were set aside included.
    pub files: u64,
}

impl PurgeCounts {
    pub(super) fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.bytes += other.bytes;
        self.files += other.files;
    }
}

/// One purge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PurgeTask {
    /// What goes, by its dates.
    pub(super) expired: ExpiredRanges,
    /// Of the rest, so many bytes a kind stay.
    pub(super) keep_bytes: u64,
    /// Only count.
    pub(super) dry: bool,
}

impl PurgeTask {
    pub(super) fn new(expired: ExpiredRanges, dry: bool) -> Self {
        Self {
            expired,
            keep_bytes: u64::MAX,
            dry,
        }
    }
}

/// Purges a folder on which no service works, `dry`: only counts, whoever works on it.
///
/// # Errors
/// STORE-001 when a service works on the folder, STORE-004 when there is none, STORE-007 when it cannot be read or
/// written; what was purged until then stays purged.
pub fn purge_stopped(
    data_dir: &Path,
    expired: impl Into<ExpiredRanges>,
    dry: bool,
) -> Result<PurgeCounts, StoreError> {
    if !data_dir.is_dir() {
        return Err(StoreError::Missing {
            dir: data_dir.to_owned(),
        });
    }
    let _lock = if dry {
        None
    } else {
        Some(folder_lock::lock(data_dir)?)
    };
    let task = PurgeTask::new(expired.into(), dry);
    let mut sum = PurgeCounts::default();
    for kind in ONE_WRITER {
        if !dry && current_has_old(data_dir, kind, &task.expired)? {
            let path = file_path(kind, data_dir);
            // Sets an unfinished last line aside: only whole lines are sealed.
            LineFile::open(&path).map_err(StoreError::file("open", &path))?;
            parts::seal(data_dir, kind, 0)?;
        }
        sum.add(sealed_files(data_dir, kind, &task)?);
    }
    sum.add(messages::purge(data_dir, &task)?);
    Ok(sum)
}

/// Removes what a rewriting that was killed has left.
pub(super) fn remove_unfinished(data_dir: &Path) -> Result<(), StoreError> {
    for kind in QuarantineKind::ALL {
        for (name, path) in parts::all(data_dir, *kind)? {
            if name == PartFileName::Unfinished {
                remove(&path)?;
            }
        }
    }
    Ok(())
}

/// Whether the file that is written now has lines that go.
pub(super) fn current_has_old(
    data_dir: &Path,
    kind: QuarantineKind,
    expired: &ExpiredRanges,
) -> Result<bool, StoreError> {
    Ok(span(&file_path(kind, data_dir))?.is_some_and(|span| expired.overlaps(span.oldest, span.newest)))
}

/// Purges the sealed files of a kind and the torn tails beside them. A dry run counts the current file too.
pub(super) fn sealed_files(
    data_dir: &Path,
    kind: QuarantineKind,
    task: &PurgeTask,
) -> Result<PurgeCounts, StoreError> {
    let mut sum = PurgeCounts::default();
    let mut sealed = Vec::new();
    for (name, path) in parts::all(data_dir, kind)? {
        let number = match name {
            PartFileName::Sealed(number) => number,
            // As if it were sealed now, as it would be.
            PartFileName::Current if task.dry => u64::MAX,
            PartFileName::Torn => {
                if modified(&path)?.is_some_and(|written| task.expired.contains(written)) {
                    sum.bytes += fs::metadata(&path).map_or(0, |meta| meta.len());
                    sum.files += 1;
                    if !task.dry {
                        remove(&path)?;
                    }
                }
                continue;
            }
            PartFileName::Current | PartFileName::Unfinished => continue,
        };
        if let Some(FileAges {
            oldest,
            newest,
            bytes,
            ..
        }) = span(&path)?
        {
            sealed.push(SealedPart {
                number,
                bytes,
                oldest,
                newest,
            });
        }
    }
    for (number, act) in what_to_purge(&task.expired, task.keep_bytes, &sealed) {
        let path = if number == u64::MAX {
            file_path(kind, data_dir)
        } else {
            parts::sealed_path(data_dir, kind, number)
        };
        let whole = match act {
            PurgeAction::Keep => continue,
            PurgeAction::Rewrite => false,
            PurgeAction::Remove | PurgeAction::MakeRoom => true,
        };
        let gone = rewrite(
            &path,
            |_, age| whole || task.expired.contains(age),
            task.dry || whole,
        )?;
        sum.lines += gone.lines;
        sum.bytes += gone.bytes;
        sum.files += u64::from(whole);
        if act == PurgeAction::MakeRoom {
            tracing::warn!(code = "QUAR-002", kind = ?kind, lines = gone.lines, "quarantine lines removed to make room");
        }
        if whole && !task.dry {
            remove(&path)?;
        }
    }
    if !task.dry {
        files::sync_dir(&folder(data_dir))?;
    }
    Ok(sum)
}

/// The ages and the size of a file; `None`: it is empty or gone.
struct FileAges {
    oldest: Timestamp,
    newest: Timestamp,
    bytes: u64,
    /// Of the first line that says when it was written; otherwise of the file.
    first: Timestamp,
}

fn span(path: &Path) -> Result<Option<FileAges>, StoreError> {
    let Some(modified) = modified(path)? else {
        return Ok(None);
    };
    let mut found: Option<FileAges> = None;
    let mut bytes = 0;
    pieces(path, |piece| {
        bytes += piece.len() as u64;
        if let Some(ts) = read(piece).ts() {
            let span = found.get_or_insert(FileAges {
                oldest: ts,
                newest: ts,
                bytes: 0,
                first: ts,
            });
            span.oldest = span.oldest.min(ts);
            span.newest = span.newest.max(ts);
        }
        Ok(())
    })
    .map_err(StoreError::file("read", path))?;
    let unreadable = FileAges {
        oldest: modified,
        newest: modified,
        bytes: 0,
        first: modified,
    };
    Ok((bytes > 0).then(|| FileAges {
        bytes,
        ..found.unwrap_or(unreadable)
    }))
}

/// Rewrites a file without the lines that go by their bytes and age, or only counts them. A line that cannot be read is as old as
/// the one before it, the first ones as the first that can be read.
pub(super) fn rewrite(
    path: &Path,
    goes: impl Fn(&[u8], Timestamp) -> bool,
    dry: bool,
) -> Result<PurgeCounts, StoreError> {
    let wrong = |doing: &'static str| StoreError::file(doing, path);
    let Some(span) = span(path)? else {
        return Ok(PurgeCounts::default());
    };
    let temp = temp_of(path);
    let mut kept = if dry {
        None
    } else {
        let file = files::private_file().write(true).truncate(true).open(&temp);
        Some(BufWriter::new(file.map_err(wrong("rewrite"))?))
    };
    let mut gone = PurgeCounts::default();
    let mut age = span.first;
    let copied = pieces(path, |piece| {
        age = read(piece).ts().unwrap_or(age);
        if goes(piece, age) {
            gone.lines += u64::from(piece.ends_with(b"\n"));
            gone.bytes += piece.len() as u64;
            return Ok(());
        }
        kept.as_mut().map_or(Ok(()), |kept| kept.write_all(piece))
    });
    let finish = |kept: BufWriter<File>| -> io::Result<()> {
        kept.into_inner()
            .map_err(io::IntoInnerError::into_error)?
            .sync_all()?;
        fs::rename(&temp, path)
    };
    let done = copied.and_then(|()| kept.take().map_or(Ok(()), finish));
    if done.is_err() && !dry {
        // Nothing may be left of a failed attempt; that it cannot be removed adds nothing to the first error.
        let _ = fs::remove_file(&temp);
    }
    done.map_err(wrong("rewrite"))?;
    Ok(gone)
}

/// `errors/.quarantine_calls.jsonl.3.tmp` for `errors/quarantine_calls.jsonl.3`.
fn temp_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tmp"))
}

/// Each line of a file with its end, in pieces when it is longer than any of ours.
fn pieces(path: &Path, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut piece = Vec::new();
    loop {
        piece.clear();
        let mut bounded = reader.by_ref().take(LINE_BYTES_MAX as u64);
        if bounded.read_until(b'\n', &mut piece)? == 0 {
            return Ok(());
        }
        each(&piece)?;
    }
}

/// When a file was written last, by the system's clock; `None`: it is gone, or no file.
fn modified(path: &Path) -> Result<Option<Timestamp>, StoreError> {
    let time = match fs::metadata(path).and_then(|meta| Ok((meta.is_file(), meta.modified()?))) {
        Ok((true, time)) => time,
        // A device has no end and no age.
        Ok((false, _)) => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::file("read", path)(error)),
    };
    let ms = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    Ok(Some(Timestamp::from_ms(i64::try_from(ms).unwrap_or(i64::MAX))))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::file("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::QuarantineLimits, *};

    fn part(number: u64, bytes: u64, oldest: i64, newest: i64) -> SealedPart {
        SealedPart {
            number,
            bytes,
            oldest: Timestamp::from_ms(oldest),
            newest: Timestamp::from_ms(newest),
        }
    }

    #[test]
    fn old_lines_go_and_then_the_oldest_files_until_the_rest_has_room() {
        use PurgeAction::{Keep, MakeRoom, Remove, Rewrite};
        let parts = [
            part(1, 10, 0, 99),
            part(2, 10, 50, 150),
            part(3, 10, 100, 200),
            part(7, 10, 200, 300),
        ];
        for (before, room, expected) in [
            (0, u64::MAX, [Keep, Keep, Keep, Keep]),
            (100, u64::MAX, [Remove, Rewrite, Keep, Keep]),
            (99, u64::MAX, [Rewrite, Rewrite, Keep, Keep]),
            (301, u64::MAX, [Remove, Remove, Remove, Remove]),
            (100, 30, [Remove, Rewrite, Keep, Keep]),
            (100, 29, [Remove, MakeRoom, Keep, Keep]),
            (0, 20, [MakeRoom, MakeRoom, Keep, Keep]),
            (0, 9, [MakeRoom, MakeRoom, MakeRoom, MakeRoom]),
        ] {
            let acts = what_to_purge(&Timestamp::from_ms(before).into(), room, &parts);
            let expected: Vec<_> = [1, 2, 3, 7].into_iter().zip(expected).collect();
            assert_eq!(acts, expected, "before {before}, {room} bytes");
        }
    }

    #[test]
    fn a_big_young_file_does_not_let_a_small_older_one_outlive_it() {
        let parts = [part(1, 1, 0, 0), part(2, 50, 1, 1)];
        assert_eq!(
            what_to_purge(&Timestamp::from_ms(0).into(), 10, &parts),
            [(1, PurgeAction::MakeRoom), (2, PurgeAction::MakeRoom)]
        );
    }

    #[test]
    fn the_limits_are_those_of_the_manual() {
        assert_eq!(
            QuarantineLimits::DEFAULT,
            QuarantineLimits {
                part_bytes: 16_777_216,
                keep_bytes: 268_435_456,
                keep_ms: 2_592_000_000
            }
        );
    }
}
