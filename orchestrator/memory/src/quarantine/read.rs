//! Reading the quarantine.
//!
//! What: [`list`] and [`show`], line by line, beside a running service or on a stopped folder. Why: what cannot be read
//! is itself something to show. Not here: writing (the module above).

use super::{Entry, Kind, LOST, Lost};
use crate::error::StoreError;
use std::{
    fs::File,
    io::{BufRead as _, BufReader, ErrorKind},
    path::Path,
};

/// What stands on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// What was refused.
    Entry(Box<Entry>),
    /// How many entries were lost here.
    Lost(Lost),
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

/// The lines of one file with their numbers from 1, read as they are asked for. No file: no lines.
///
/// # Errors
/// STORE-004 when there is no such data folder; STORE-007, here or in an item, when the file cannot be read.
pub fn list(
    data_dir: &Path,
    kind: Kind,
) -> Result<impl Iterator<Item = Result<(u64, Line), StoreError>> + use<>, StoreError> {
    if !data_dir.is_dir() {
        return Err(StoreError::Missing {
            dir: data_dir.to_owned(),
        });
    }
    let path = kind.path(data_dir);
    let mut file = match File::open(&path) {
        Ok(file) => Some(BufReader::new(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(StoreError::file("read", &path)(error)),
    };
    let mut bytes = Vec::new();
    let lines = std::iter::from_fn(move || {
        let reader = file.as_mut()?;
        bytes.clear();
        match reader.read_until(b'\n', &mut bytes) {
            Ok(0) => None,
            Ok(_) => Some(Ok(read(&bytes))),
            Err(error) => {
                file = None;
                Some(Err(StoreError::file("read", &path)(error)))
            }
        }
    });
    Ok((1..).zip(lines).map(|(n, line)| Ok((n, line?))))
}

/// One line by its number from 1; `None` when there are fewer.
///
/// # Errors
/// As [`list`].
pub fn show(data_dir: &Path, kind: Kind, n: u64) -> Result<Option<Line>, StoreError> {
    for line in list(data_dir, kind)? {
        let (number, line) = line?;
        if number == n {
            return Ok(Some(line));
        }
    }
    Ok(None)
}

fn read(line: &[u8]) -> Line {
    let Some(text) = line.strip_suffix(b"\n") else {
        return Line::Torn {
            bytes: line.len() as u64,
        };
    };
    // Told apart by trying the summary first: it is closed, so no entry passes for one.
    match serde_json::from_slice::<Lost>(text) {
        Ok(lost) if lost.code == LOST => Line::Lost(lost),
        Ok(_) | Err(_) => serde_json::from_slice(text).map_or(
            Line::Unreadable {
                bytes: text.len() as u64,
            },
            Line::Entry,
        ),
    }
}
