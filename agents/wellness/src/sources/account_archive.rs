//! The archives in which accounts are handed out.
//!
//! What: [`read_archive`], the files of a zip that hold sleep or heartbeats, each unpacked and read. Why: Google Takeout, Garmin, Whoop, Oura,
//! Polar, Health Connect and Gadgetbridge all give one zip, and nobody should have to unpack it. Not here: what is in the files (`accounts`, `tables`,
//! `gadgetbridge`, `health_connect`), Apple's archive (`archive`).

use super::{
    super::{code, novelty::ReadingNovelty},
    accounts::{self, AccountFile, HEAD_BYTES},
    archive,
    csv::{CsvProgress, TableSink},
    database, gadgetbridge,
    health::ReadingSink,
    health_connect,
    tables::is_health_table,
};
use agents_base::shared::{FILE_TOO_LARGE, SOURCE_UNREADABLE, SkipCode};
use std::{
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};
use toolcall_schema::Timestamp;
use zip::{ZipArchive, read::ZipFile};

/// Files of an archive that are looked at.
const MAX_ENTRIES: usize = 65_536;
/// The largest of them, unpacked.
const MAX_ENTRY: u64 = 64 * 1024 * 1024;
/// A small file that packs well is no danger.
const MAX_RATIO: u64 = 200;
const SMALL: u64 = 1024 * 1024;

/// What a file of an archive may be, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    Json,
    Table,
    Database,
}

impl EntryKind {
    fn from_name(name: &str) -> Option<Self> {
        let name = name.rsplit('/').next()?.to_ascii_lowercase();
        // Gadgetbridge's, which has no ending.
        if name == "gadgetbridge" {
            return Some(Self::Database);
        }
        let (stem, ending) = name.rsplit_once('.')?;
        match ending {
            // Of the thousands of others none is looked at.
            "json" => ["sleep", "healthautoexport"]
                .iter()
                .any(|part| stem.contains(part))
                .then_some(Self::Json),
            "csv" => Some(Self::Table),
            "db" => Some(Self::Database),
            _ => None,
        }
    }
}

/// What of an archive is left to read.
pub(super) struct ArchiveRest {
    /// Files that were looked at.
    pub(super) done: u64,
    /// Bytes of the others, as they are packed; 0 at the end.
    pub(super) left: u64,
}

/// Reads on in an archive behind `done` files, as of `at`, until the slice is full.
///
/// # Errors
/// The code of the skip: it is no archive, is locked with a password, or has nothing that is read.
pub(super) fn read_archive(
    path: &Path,
    done: u64,
    at: Timestamp,
    out: &mut ReadingSink<'_>,
) -> Result<ArchiveRest, SkipCode> {
    let mut archive = archive::open_contents(path)?;
    let wanted: Vec<(usize, EntryKind)> = (0..archive.len().min(MAX_ENTRIES))
        .filter_map(|index| Some((index, EntryKind::from_name(&entry_name(&archive, index)?)?)))
        .collect();
    if wanted.is_empty() {
        return Err(code::NOT_HEALTH);
    }
    let mut rest = ArchiveRest { done, left: 0 };
    let mut known = done > 0;
    let from = usize::try_from(done).unwrap_or(usize::MAX);
    for (index, kind) in wanted.iter().skip(from) {
        if !out.report.has_room() {
            let packed = archive
                .by_index_raw(*index)
                .map_or(0, |entry| entry.compressed_size());
            rest.left = rest.left.saturating_add(packed.max(1));
            continue;
        }
        rest.done += 1;
        match read_entry(&mut archive, *index, *kind, at, out) {
            Ok(is_known) => known |= is_known,
            Err(code) => {
                known = true;
                let name = entry_name(&archive, *index).unwrap_or_default();
                let item = format!("{}: {}", out.name, name.rsplit('/').next().unwrap_or_default());
                let item: String = item.chars().filter(|c| !c.is_control()).collect();
                out.report.skip(code, &item, None);
                if code == code::ZIP {
                    return Ok(rest);
                }
            }
        }
    }
    if known || rest.left > 0 {
        Ok(rest)
    } else {
        Err(code::NOT_HEALTH)
    }
}

fn entry_name(archive: &ZipArchive<BufReader<File>>, index: usize) -> Option<String> {
    Some(archive.name_for_index(index)?.ok()?.into_owned())
}

/// Reads one file of an archive; whether it is one that is known.
fn read_entry(
    archive: &mut ZipArchive<BufReader<File>>,
    index: usize,
    kind: EntryKind,
    at: Timestamp,
    out: &mut ReadingSink<'_>,
) -> Result<bool, SkipCode> {
    // A locked file cannot be opened; its head in the archive can.
    if archive.by_index_raw(index).map_err(|_| code::ZIP)?.encrypted() {
        return Err(code::ZIP);
    }
    let mut entry = archive.by_index(index).map_err(|_| code::ZIP)?;
    let room = entry
        .compressed_size()
        .saturating_mul(MAX_RATIO)
        .saturating_add(SMALL)
        .min(MAX_ENTRY);
    let mut bytes = Vec::new();
    entry
        .by_ref()
        .take(HEAD_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|_| code::ZIP)?;
    out.report.take(bytes.len() as u64 / 4);
    let format = AccountFile::from_head(&bytes);
    let is_known = match kind {
        EntryKind::Json => format.is_some(),
        EntryKind::Table => bytes.starts_with(b"at,") || is_health_table(&bytes),
        EntryKind::Database => bytes.starts_with(database::MAGIC),
    };
    if !is_known {
        return Ok(false);
    }
    let unpacked = unpack(&mut entry, room, &mut bytes);
    if unpacked.is_err() || kind != EntryKind::Table {
        // The reader of tables counts its own.
        out.report.take(bytes.len() as u64);
    }
    unpacked?;
    drop(entry);
    match (kind, format) {
        (EntryKind::Json, Some(format)) => accounts::read_account(&bytes, format, out)?,
        (EntryKind::Json, None) => {}
        (EntryKind::Table, _) => {
            let ReadingSink {
                key,
                name,
                zone,
                report,
                each,
            } = out;
            // The reader of exports keeps what is dated later, and counts.
            let mut each = |reading| {
                each(reading);
                ReadingNovelty::Known
            };
            let mut sink = TableSink {
                key,
                zone: *zone,
                name,
                is_of_account: true,
                report,
                each: &mut each,
            };
            CsvProgress::default().table(&bytes, Timestamp::from_ms(i64::MAX), &mut sink);
        }
        (EntryKind::Database, _) => {
            let database = database::from_bytes(bytes)?;
            return Ok(gadgetbridge::read(&database, at, out)? | health_connect::read(&database, at, out)?);
        }
    }
    Ok(true)
}

/// Unpacks the rest of a file, up to `room` bytes.
fn unpack(entry: &mut ZipFile<'_, BufReader<File>>, room: u64, bytes: &mut Vec<u8>) -> Result<(), SkipCode> {
    let read: io::Result<usize> = entry.take(room).read_to_end(bytes);
    read.map_err(|_| code::ZIP)?;
    let mut more = [0];
    match entry.read(&mut more) {
        Ok(0) => Ok(()),
        Ok(_) => Err(if room == MAX_ENTRY {
            FILE_TOO_LARGE
        } else {
            code::BOMB
        }),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(SOURCE_UNREADABLE),
        Err(_) => Err(code::ZIP),
    }
}
