//! Files of statements, piece by piece.
//!
//! What: [`PieceReader`], which reads a file up to the next given byte and counts lines. Why: such files can be gigabytes, and
//! nothing promises that the byte ever comes, so every piece has a limit. Not here: what is in them.

use std::io::{self, BufRead};

/// The longest piece that is kept, in bytes; of a longer one the rest is left out and [`ReadPiece::whole`] is false.
pub(super) const MAX_PIECE: usize = 64 * 1024;

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadPiece {
    /// Whether the byte came; false at the end of the file.
    pub(super) ended: bool,
    /// Whether all of it was kept.
    pub(super) whole: bool,
}

/// A file that is read piece by piece.
pub(super) struct PieceReader<R> {
    input: R,
    /// Bytes that were read.
    pub(super) read: u64,
    /// The line, from 1, on which the next piece begins.
    pub(super) line: u64,
    /// With which byte lines end.
    pub(super) line_end: u8,
}

impl<R: BufRead> PieceReader<R> {
    /// At the start of a file.
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            read: 0,
            line: 1,
            line_end: b'\n',
        }
    }

    /// Looks with which byte lines end, at the start of a file: old programs of the Macintosh, and some of today for them, write a carriage return alone.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn find_line_end(&mut self) -> io::Result<()> {
        let head = self.input.fill_buf()?;
        let has = |byte| memchr::memchr(byte, head).is_some();
        if has(b'\r') && !has(b'\n') {
            self.line_end = b'\r';
        }
        Ok(())
    }

    /// Reads up to and without the next `end`, in place of what `piece` held.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn until(&mut self, end: u8, piece: &mut Vec<u8>) -> io::Result<ReadPiece> {
        piece.clear();
        let mut whole = true;
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                return Ok(ReadPiece { ended: false, whole });
            }
            let found = memchr::memchr(end, chunk);
            let text = chunk.get(..found.unwrap_or(chunk.len())).unwrap_or_default();
            let room = MAX_PIECE.saturating_sub(piece.len());
            whole &= text.len() <= room;
            piece.extend(text.iter().take(room));
            let used = text.len() + usize::from(found.is_some());
            let lines = memchr::memchr_iter(self.line_end, chunk.get(..used).unwrap_or_default()).count();
            self.line = self.line.saturating_add(lines as u64);
            self.read = self.read.saturating_add(used as u64);
            self.input.consume(used);
            if found.is_some() {
                return Ok(ReadPiece { ended: true, whole });
            }
        }
    }
}

/// The text of some bytes: UTF-8 where they are, else the usual encoding of old programs. A byte order mark is left out.
pub(super) fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}
