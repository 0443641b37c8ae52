//! Reading the quarantine.
//!
//! What: [`read`], what stands on one line, and [`QuarantineReader`], those of all files of a kind in order, now and as they come.
//! Why: what cannot be read is itself something to show, and a reader goes on where it was when files are sealed or purged
//! under it. Not here: writing (`writer`).

use super::{LINE_BYTES_MAX, LOST, LostEntries, QuarantineEntry, QuarantineKind, file_path, parts};
use crate::error::StoreError;
use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, ErrorKind, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};
use toolcall_schema::Timestamp;

/// What stands on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuarantineLine {
    /// What was refused.
    Entry(Box<QuarantineEntry>),
    /// How many entries were lost here.
    Lost(LostEntries),
    /// Not a line of ours, of so many bytes.
    Unreadable {
        /// Its length without the line's end.
        bytes: u64,
    },
    /// The last line has no end: it is being written, or was when the service was killed.
    Torn {
        /// How many bytes of it are there.
        bytes: u64,
    },
}

impl QuarantineLine {
    /// When it was written, as far as it says so.
    pub fn ts(&self) -> Option<Timestamp> {
        match self {
            Self::Entry(entry) => Some(entry.ts),
            Self::Lost(lost) => Some(lost.ts),
            Self::Unreadable { .. } | Self::Torn { .. } => None,
        }
    }
}

/// What stands on a line; a whole one ends with its line end. Total: any bytes are something.
pub fn read(line: &[u8]) -> QuarantineLine {
    let Some(text) = line.strip_suffix(b"\n") else {
        return QuarantineLine::Torn {
            bytes: line.len() as u64,
        };
    };
    // Told apart by trying the summary first: it is closed, so no entry passes for one.
    match serde_json::from_slice::<LostEntries>(text) {
        Ok(lost) if lost.code == LOST => QuarantineLine::Lost(lost),
        Ok(_) | Err(_) => serde_json::from_slice(text).map_or(
            QuarantineLine::Unreadable {
                bytes: text.len() as u64,
            },
            QuarantineLine::Entry,
        ),
    }
}

/// The lines of a kind with their numbers from 1, oldest first, read as they are asked for. Numbers count what is there
/// now: they become smaller when older lines are purged.
pub struct QuarantineReader {
    data_dir: PathBuf,
    kind: QuarantineKind,
    open: Option<OpenPart>,
    /// The number of the last sealed file that is done with.
    done: u64,
    n: u64,
    /// What is read of the next line.
    line: Vec<u8>,
    /// What was passed over of it, being too long.
    passed: u64,
}

struct OpenPart {
    reader: BufReader<File>,
    /// Its number, or the one it will probably get.
    number: u64,
    sealed: bool,
}

impl QuarantineReader {
    /// Begins with the oldest line. No file: no lines.
    ///
    /// # Errors
    /// STORE-004 when there is no such data folder.
    pub fn open(data_dir: &Path, kind: QuarantineKind) -> Result<Self, StoreError> {
        if !data_dir.is_dir() {
            return Err(StoreError::Missing {
                dir: data_dir.to_owned(),
            });
        }
        Ok(Self {
            data_dir: data_dir.to_owned(),
            kind,
            open: None,
            done: 0,
            n: 0,
            line: Vec::new(),
            passed: 0,
        })
    }

    /// The next whole line; `None`: there is none yet, ask again later.
    ///
    /// # Errors
    /// STORE-007 when a file cannot be read.
    pub fn next_line(&mut self) -> Result<Option<(u64, QuarantineLine)>, StoreError> {
        loop {
            let Some(open) = &mut self.open else {
                if self.advance()? {
                    continue;
                }
                return Ok(None);
            };
            let path = file_path(self.kind, &self.data_dir);
            if read_line(&mut open.reader, &mut self.line, &mut self.passed)
                .map_err(StoreError::file("read", &path))?
            {
                return Ok(Some(self.take()));
            }
            if open.sealed {
                self.done = open.number;
                self.open = None;
                // Only a foreign hand leaves such a tail: a file is whole when it is sealed.
                if let Some(torn) = self.torn() {
                    return Ok(Some(torn));
                }
            } else if !self.was_sealed(&path)? {
                return Ok(None);
            }
        }
    }

    /// What is read of a line that has no end yet.
    pub fn torn(&mut self) -> Option<(u64, QuarantineLine)> {
        (self.passed > 0 || !self.line.is_empty()).then(|| self.take())
    }

    fn take(&mut self) -> (u64, QuarantineLine) {
        self.n += 1;
        let line = match std::mem::take(&mut self.passed) {
            0 => read(&self.line),
            passed => {
                let text = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
                let bytes = passed + text.len() as u64;
                QuarantineLine::Unreadable { bytes }
            }
        };
        self.line.clear();
        (self.n, line)
    }

    /// Opens the next file; `false`: there is none.
    fn advance(&mut self) -> Result<bool, StoreError> {
        loop {
            let sealed = parts::sealed(&self.data_dir, self.kind)?;
            if let Some(number) = sealed.iter().copied().find(|number| *number > self.done) {
                let path = parts::sealed_path(&self.data_dir, self.kind, number);
                let Some(file) = open(&path)? else {
                    // Purged meanwhile.
                    self.done = number;
                    continue;
                };
                self.open = Some(OpenPart {
                    reader: BufReader::new(file),
                    number,
                    sealed: true,
                });
                return Ok(true);
            }
            let Some(file) = open(&file_path(self.kind, &self.data_dir))? else {
                return Ok(false);
            };
            // Sealed between the two looks: this file may not be the one that follows.
            let again = parts::sealed(&self.data_dir, self.kind)?;
            let newest = again.last().copied().unwrap_or(0);
            if newest > self.done {
                continue;
            }
            self.open = Some(OpenPart {
                reader: BufReader::new(file),
                number: self.done.max(newest) + 1,
                sealed: false,
            });
            return Ok(true);
        }
    }

    /// Whether the file that was written now is so no longer: then what it has left is to be read, and it ends.
    fn was_sealed(&mut self, path: &Path) -> Result<bool, StoreError> {
        let Some(open) = &mut self.open else {
            return Ok(false);
        };
        let of = |meta: fs::Metadata| (meta.dev(), meta.ino());
        let mine = open
            .reader
            .get_ref()
            .metadata()
            .map(of)
            .map_err(StoreError::file("read", path))?;
        match fs::metadata(path).map(of) {
            Ok(now) if now != mine => {}
            // Between the rename and the new file there is none.
            Ok(_) => return Ok(false),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(StoreError::file("read", path)(error)),
        }
        open.sealed = true;
        for number in parts::sealed(&self.data_dir, self.kind)? {
            let sealed = parts::sealed_path(&self.data_dir, self.kind, number);
            if fs::metadata(sealed).map(of).is_ok_and(|found| found == mine) {
                open.number = number;
            }
        }
        Ok(true)
    }
}

/// `None`: it is not there, or no file.
fn open(path: &Path) -> Result<Option<File>, StoreError> {
    match File::open(path).and_then(|file| Ok((file.metadata()?.is_file(), file))) {
        Ok((true, file)) => Ok(Some(file)),
        // A device has no end.
        Ok((false, _)) => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::file("read", path)(error)),
    }
}

/// Reads on in a line; `true`: it is whole. Of a line above [`LINE_BYTES_MAX`] the beginning is passed over.
fn read_line(reader: &mut BufReader<File>, line: &mut Vec<u8>, passed: &mut u64) -> io::Result<bool> {
    loop {
        let room = LINE_BYTES_MAX.saturating_sub(line.len()) as u64;
        if reader.by_ref().take(room).read_until(b'\n', line)? == 0 && room > 0 {
            return Ok(false);
        }
        if line.last() == Some(&b'\n') {
            return Ok(true);
        }
        if line.len() >= LINE_BYTES_MAX {
            *passed += line.len() as u64;
            line.clear();
        }
    }
}

/// All lines that are there, an unfinished one at the end included.
///
/// # Errors
/// As [`QuarantineReader::open`]; an item as [`QuarantineReader::next_line`], which is then the last.
pub fn list(
    data_dir: &Path,
    kind: QuarantineKind,
) -> Result<impl Iterator<Item = Result<(u64, QuarantineLine), StoreError>> + use<>, StoreError> {
    let mut lines = Some(QuarantineReader::open(data_dir, kind)?);
    Ok(std::iter::from_fn(move || {
        let next = lines.as_mut()?.next_line();
        match next {
            Ok(Some(line)) => Some(Ok(line)),
            Ok(None) => lines.take()?.torn().map(Ok),
            Err(error) => {
                lines = None;
                Some(Err(error))
            }
        }
    }))
}

/// One line by its number from 1; `None` when there are fewer.
///
/// # Errors
/// As [`list`].
pub fn show(data_dir: &Path, kind: QuarantineKind, n: u64) -> Result<Option<QuarantineLine>, StoreError> {
    for line in list(data_dir, kind)? {
        let (number, line) = line?;
        if number == n {
            return Ok(Some(line));
        }
    }
    Ok(None)
}
