//! Archives that hold what an agent reads.
//!
//! What: [`open_archive`]. Why: banks and phones hand out what they export in a ZIP, whose table of contents is believed to a limit only. Not
//! here: which files in it are read, and how much they may unpack to (the agents).

use std::{
    fs::File,
    io::{self, BufReader, Read as _, Seek as _, SeekFrom},
    path::Path,
};
use zip::ZipArchive;

/// The largest table of contents, in bytes: each entry of it takes memory.
const MAX_CONTENTS: u32 = 16 * 1024 * 1024;
/// The end of an archive says how large that table is: 22 bytes, and a comment of at most 65535 after them.
const END: usize = 22;
const MAX_TAIL: u64 = 65_535 + END as u64;

/// Opens a ZIP. `None`: it is none, is damaged, or has a table of contents of more than 16 MiB.
///
/// # Errors
/// The file cannot be read.
pub fn open_archive(path: &Path) -> io::Result<Option<ZipArchive<BufReader<File>>>> {
    let mut file = File::open(path)?;
    let contents = contents(&mut file)?;
    if contents.is_none_or(|bytes| bytes > MAX_CONTENTS) {
        return Ok(None);
    }
    Ok(ZipArchive::new(BufReader::new(file)).ok())
}

/// How large an archive says that its table of contents is; `None` when it is no archive.
fn contents(file: &mut File) -> io::Result<Option<u32>> {
    let len = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(len.saturating_sub(MAX_TAIL)))?;
    let mut tail = Vec::new();
    (&*file).take(MAX_TAIL).read_to_end(&mut tail)?;
    file.rewind()?;
    let end = memchr::memmem::rfind(&tail, b"PK\x05\x06");
    let size = end.and_then(|at| tail.get(at + 12..at + 16)?.first_chunk());
    Ok(size.map(|size| u32::from_le_bytes(*size)))
}
