//! A journal and the journals it includes.
//!
//! What: [`InputStack`], the lines of a file with those of the files it names. Why: journals are kept by year or by account. Only
//! files below the folder of the first are opened, each once at a time. Not here: what the lines mean (`journal`,
//! `beancount`).

use super::{
    SourceLocation,
    lines::{PieceReader, text},
};
use crate::code;
use agents_base::shared::SkipCode;
use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

/// Files that may be open one in the other.
const MAX_DEPTH: usize = 8;
/// Files that one journal may include.
const MAX_INCLUDED: usize = 1024;

/// A file to be read.
pub(super) struct JournalInput {
    /// Its content.
    pub(super) content: Box<dyn BufRead + Send>,
    /// Where it is, when includes are to be followed.
    pub(super) path: Option<PathBuf>,
}

struct OpenInput {
    pieces: PieceReader<Box<dyn BufRead + Send>>,
    path: Option<PathBuf>,
    /// Its name below the first one's folder; `None` for the first.
    name: Option<String>,
}

/// The files that are open, the innermost last.
pub(super) struct InputStack {
    open: Vec<OpenInput>,
    piece: Vec<u8>,
    /// The folder that includes must not leave; `None`: they are not followed.
    root: Option<PathBuf>,
    /// Files that were included.
    included: usize,
    /// Bytes of files that are closed.
    closed: u64,
}

impl InputStack {
    /// Before the first line.
    pub(super) fn new(first: JournalInput) -> Self {
        let path = first.path.and_then(|path| path.canonicalize().ok());
        Self {
            root: path.as_deref().and_then(Path::parent).map(Path::to_owned),
            open: vec![OpenInput {
                pieces: PieceReader::new(first.content),
                path,
                name: None,
            }],
            piece: Vec::new(),
            included: 0,
            closed: 0,
        }
    }

    /// Bytes that were read.
    pub(super) fn read(&self) -> u64 {
        let open: u64 = self.open.iter().map(|open| open.pieces.read).sum();
        self.closed.saturating_add(open)
    }

    /// A line of the present file.
    pub(super) fn place(&self, line: u64) -> SourceLocation {
        SourceLocation {
            line,
            name: self.open.last().and_then(|open| open.name.clone()),
        }
    }

    /// The next line of the present file; without its text when it is too long. `None` at the end.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn line(&mut self) -> io::Result<Option<(Option<String>, SourceLocation)>> {
        let Some(open) = self.open.last_mut() else {
            return Ok(None);
        };
        let line = open.pieces.line;
        let read = open.pieces.until(b'\n', &mut self.piece)?;
        if !read.ended && self.piece.is_empty() {
            return Ok(None);
        }
        let whole = text(&self.piece);
        let told = read.whole.then(|| whole.trim_end_matches('\r').to_owned());
        Ok(Some((told, self.place(line))))
    }

    /// Leaves a file that came to its end. False when it was the first.
    pub(super) fn leave(&mut self) -> bool {
        if let Some(open) = self.open.pop() {
            self.closed = self.closed.saturating_add(open.pieces.read);
        }
        !self.open.is_empty()
    }

    /// Goes on in another file.
    ///
    /// # Errors
    /// When it is not below the folder of the first, is open already, or one of too many.
    pub(super) fn include(&mut self, named: &str) -> Result<(), SkipCode> {
        let Some(root) = self.root.clone() else {
            // Of a folder every file is read by itself.
            return Ok(());
        };
        let from = self.open.last().and_then(|open| open.path.as_deref()?.parent());
        let path = from
            .map(|folder| folder.join(named))
            .and_then(|path| path.canonicalize().ok())
            .ok_or(code::INCLUDE)?;
        let open = self.open.iter().any(|open| open.path.as_ref() == Some(&path));
        if !path.starts_with(&root)
            || !path.is_file()
            || open
            || self.open.len() >= MAX_DEPTH
            || self.included >= MAX_INCLUDED
        {
            return Err(code::INCLUDE);
        }
        let content = File::open(&path).map_err(|_| code::INCLUDE)?;
        let name = path.strip_prefix(&root).ok().map(|name| {
            let name = name.to_string_lossy();
            name.chars()
                .map(|c| if c.is_control() { '?' } else { c })
                .collect()
        });
        self.included += 1;
        self.open.push(OpenInput {
            pieces: PieceReader::new(Box::new(BufReader::new(content))),
            path: Some(path),
            name,
        });
        Ok(())
    }

    /// Files that are open, one in the other.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether any file was included.
    pub(super) fn has_included(&self) -> bool {
        self.included > 0
    }
}
