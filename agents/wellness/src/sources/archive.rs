//! The archive that Apple makes of an export.
//!
//! What: [`open`], the export inside of an `export.zip` as a stream. Why: that is the file a phone hands out. Not here: what is in
//! the export (`health`).

use super::super::code;
use agents_base::shared::{SOURCE_UNREADABLE, SkipCode, open_archive};
use flate2::{Crc, read::DeflateDecoder};
use std::{
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::Path,
};
use zip::{CompressionMethod, ZipArchive};

/// A file that packs better than this is no export; those of years come to 40.
const MAX_RATIO: u64 = 200;
/// Below this many bytes the ratio does not matter.
const SMALL: u64 = 1024 * 1024;
/// The export in an archive, unpacked as it is read.
pub(super) struct UnpackedExport {
    bytes: Box<dyn Read + Send>,
    crc: Crc,
    expected: u32,
    /// Bytes that may still come.
    room: u64,
    /// Bytes that the archive says there are.
    pub(super) len: u64,
}

impl Read for UnpackedExport {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.crc.update(buffer.get(..count).unwrap_or_default());
        self.room = self
            .room
            .checked_sub(count as u64)
            .ok_or(io::ErrorKind::FileTooLarge)?;
        if count == 0 && !buffer.is_empty() && self.crc.sum() != self.expected {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(count)
    }
}

/// Opens the export in an archive.
///
/// # Errors
/// The code of the skip.
pub(super) fn open(path: &Path) -> Result<UnpackedExport, SkipCode> {
    let mut archive = open_contents(path)?;
    let name = archive
        .file_names()
        .filter_map(|name| Some(name.ok()?.into_owned()))
        .filter(|name| is_export(name))
        // Of several, the one that is named as Apple names it.
        .min_by_key(|name| (!name.ends_with("/export.xml"), name.len()));
    let index = name.and_then(|name| archive.index_for_name(&name));
    let entry = archive
        .by_index_raw(index.ok_or(code::NOT_HEALTH)?)
        .map_err(|_| code::ZIP)?;
    if entry.encrypted() {
        return Err(code::ZIP);
    }
    let start = entry.data_start().ok_or(code::ZIP)?;
    let (packed, method) = (entry.compressed_size(), entry.compression());
    let (expected, len) = (entry.crc32(), entry.size());
    drop(entry);
    let mut file = archive.into_inner().into_inner();
    file.seek(SeekFrom::Start(start)).map_err(|_| SOURCE_UNREADABLE)?;
    let bytes = BufReader::with_capacity(64 * 1024, file.take(packed));
    let bytes: Box<dyn Read + Send> = if method == CompressionMethod::Stored {
        Box::new(bytes)
    } else if method == CompressionMethod::Deflated {
        Box::new(DeflateDecoder::new(bytes))
    } else {
        return Err(code::ZIP);
    };
    Ok(UnpackedExport {
        bytes,
        crc: Crc::new(),
        expected,
        room: packed.saturating_mul(MAX_RATIO).saturating_add(SMALL),
        len,
    })
}

/// Opens an archive whose table of contents is not too large.
///
/// # Errors
/// The code of the skip.
pub(super) fn open_contents(path: &Path) -> Result<ZipArchive<BufReader<File>>, SkipCode> {
    open_archive(path)
        .map_err(|_| SOURCE_UNREADABLE)?
        .ok_or(code::ZIP)
}

/// Whether an entry can be the export; `export_cda.xml` beside it is the same for physicians. Its name is translated in some languages.
fn is_export(name: &str) -> bool {
    let lower = name.to_lowercase();
    let stem = lower.strip_suffix(".xml");
    stem.is_some_and(|stem| !stem.ends_with("_cda") && stem.matches('/').count() <= 1)
}
