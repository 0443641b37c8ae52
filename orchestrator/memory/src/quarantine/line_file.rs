//! A file that holds whole lines only.
//!
//! What: [`LineFile`], appended to by one write a line and cut back when that fails; at opening an unfinished last line is
//! set aside. Why: no reader ever meets half a line between two others, and nothing that was written is thrown away. Not
//! here: what a line says (`entry`), when one is written (`writer`).

use crate::files;
use std::{
    fs::File,
    io::{self, ErrorKind, Write as _},
    os::unix::fs::{FileExt as _, MetadataExt as _},
    path::Path,
};

/// A file that holds whole lines only. After an error it is to be dropped and opened again.
pub(super) struct LineFile {
    file: File,
    len: u64,
    /// Up to here it is on disk.
    synced: u64,
}

impl LineFile {
    /// Opens the file; an unfinished last line is set aside.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = files::private_file().read(true).append(true).open(path)?;
        let mut len = file.metadata()?.len();
        let end = end_of_last_line(&file)?;
        if end < len {
            let mut tail = vec![0; usize::try_from(len - end).map_err(io::Error::other)?];
            file.read_exact_at(&mut tail, end)?;
            set_aside(path, &tail)?;
            file.set_len(end)?;
            file.sync_all()?;
            len = end;
        }
        Ok(Self {
            file,
            len,
            synced: len,
        })
    }

    /// Its length in bytes.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Whether somebody removed the file: what is written now, nobody could read.
    pub(super) fn is_removed(&self) -> bool {
        self.file.metadata().is_ok_and(|meta| meta.nlink() == 0)
    }

    /// Appends a line, without its end, by one write; on an error nothing of it stays.
    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let bytes = [line, b"\n"].concat();
        let written = match self.file.write(&bytes) {
            Ok(n) if n == bytes.len() => Ok(()),
            Ok(_) => Err(ErrorKind::StorageFull.into()),
            Err(error) => Err(error),
        };
        match written {
            Ok(()) => self.len += bytes.len() as u64,
            // What cannot be cut off is set aside when the file is opened again.
            Err(_) => self.cut_back(self.len),
        }
        written
    }

    /// Whether all lines are on disk.
    pub(super) fn is_synced(&self) -> bool {
        self.len == self.synced
    }

    /// Waits until all lines are on disk; on an error those since the last time are taken back.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        let synced = self.file.sync_data();
        match synced {
            Ok(()) => self.synced = self.len,
            Err(_) => self.cut_back(self.synced),
        }
        synced
    }

    fn cut_back(&mut self, len: u64) {
        // Where this fails too, whoever opens the file next meets a torn tail or lines that were counted as lost.
        let _ = self.file.set_len(len);
        self.len = len;
    }
}

/// Keeps the tail of a file beside it, under the first free number.
fn set_aside(path: &Path, tail: &[u8]) -> io::Result<()> {
    for n in 1_u32.. {
        let name = path.with_extension(format!("jsonl.torn-{n}"));
        match files::private_file().write(true).create_new(true).open(&name) {
            Ok(mut aside) => {
                let kept = aside.write_all(tail).and_then(|()| aside.sync_all());
                if kept.is_err() {
                    // The tail still stands where it was; a half of it beside would be a second truth.
                    let _ = std::fs::remove_file(&name);
                }
                kept?;
                return name.parent().map_or(Ok(()), |dir| File::open(dir)?.sync_all());
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Where the last whole line ends, looking backwards from the end.
fn end_of_last_line(file: &File) -> io::Result<u64> {
    const BLOCK: u64 = 64 << 10;
    let mut to = file.metadata()?.len();
    while to > 0 {
        let from = to.saturating_sub(BLOCK);
        let mut block = vec![0; usize::try_from(to - from).map_err(io::Error::other)?];
        file.read_exact_at(&mut block, from)?;
        if let Some(at) = block.iter().rposition(|b| *b == b'\n') {
            return Ok(from + at as u64 + 1);
        }
        to = from;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn end_of_the_last_line_is_found_over_blocks() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("lines");
        for (whole, tail) in [
            (0, 0),
            (0, 70_000),
            (1, 0),
            (10, 65_536),
            (65_536, 1),
            (70_000, 200_000),
        ] {
            let mut bytes = vec![b'a'; whole];
            if let Some(last) = bytes.last_mut() {
                *last = b'\n';
            }
            bytes.extend(vec![b'b'; tail]);
            std::fs::write(&path, bytes).unwrap();
            let end = end_of_last_line(&File::open(&path).unwrap()).unwrap();
            assert_eq!(end, whole as u64, "{whole} and {tail}");
        }
    }

    #[test]
    fn a_file_that_was_removed_is_noticed() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("lines.jsonl");
        let mut file = LineFile::open(&path).unwrap();
        file.append(b"one").unwrap();
        assert_eq!((file.is_removed(), file.len()), (false, 4));
        std::fs::remove_file(&path).unwrap();
        assert!(file.is_removed());
    }
}
