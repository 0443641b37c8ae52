//! A file that holds whole lines only.
//!
//! What: [`LineFile`], appended to by one write a line and cut back when that fails; at opening an unfinished last line is
//! set aside. Why: no reader ever meets half a line between two others, and nothing that was written is thrown away. Not
//! here: what a line says (the module above).

use crate::files;
use std::{
    fs::File,
    io::{self, ErrorKind, Write as _},
    os::unix::fs::FileExt as _,
    path::Path,
};

/// A file that holds whole lines only.
pub(super) struct LineFile {
    file: File,
    /// A part of a line could not be taken back: the next one starts on a line of its own.
    torn: bool,
}

impl LineFile {
    #[cfg(test)]
    pub(super) fn new(file: File) -> Self {
        Self { file, torn: false }
    }

    /// The disk is free again.
    #[cfg(test)]
    pub(super) fn replace_file(&mut self, file: File) {
        self.file = file;
    }

    /// Opens the file; an unfinished last line is set aside.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = files::private_file().read(true).append(true).open(path)?;
        let end = end_of_last_line(&file)?;
        let len = file.metadata()?.len();
        if end < len {
            let mut tail = vec![0; usize::try_from(len - end).map_err(io::Error::other)?];
            file.read_exact_at(&mut tail, end)?;
            set_aside(path, &tail)?;
            file.set_len(end)?;
            file.sync_all()?;
        }
        Ok(Self { file, torn: false })
    }

    /// Appends a line by one write and waits until it is on disk; on an error nothing of it stays.
    pub(super) fn append(&mut self, line: &str) -> io::Result<()> {
        let bytes = format!("{}{line}\n", if self.torn { "\n" } else { "" });
        let before = self.file.metadata()?.len();
        let written = self.file.write(bytes.as_bytes()).and_then(|n| {
            if n == bytes.len() {
                self.file.sync_data()
            } else {
                Err(ErrorKind::StorageFull.into())
            }
        });
        self.torn = match written {
            Ok(()) => false,
            Err(_) => self.torn || self.file.set_len(before).is_err(),
        };
        written
    }
}

/// Keeps the tail of a file beside it, under the first free number.
fn set_aside(path: &Path, tail: &[u8]) -> io::Result<()> {
    for n in 1_u32.. {
        let name = path.with_extension(format!("jsonl.torn-{n}"));
        match files::private_file().write(true).create_new(true).open(&name) {
            Ok(mut aside) => {
                aside.write_all(tail)?;
                aside.sync_all()?;
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
}
