//! XML files of any size, in flat memory.
//!
//! What: [`XmlInput`], a file for the reader of XML that lets it take so much of one piece and no more; [`as_utf8_xml`], the same file in UTF-8. Why:
//! that reader holds a whole tag or text, and nothing promises that either ends. Not here: what the elements mean (`camt`).

use super::{
    csv_rows::{transcode, utf16_of},
    lines::MAX_PIECE,
};
use encoding_rs::{Encoding, UTF_8};
use std::io::{self, BufRead, Read};

/// Bytes in which the encoding is named.
const DECLARATION: usize = 256;

/// A file that is read as XML.
pub(super) struct XmlInput<R> {
    input: R,
    /// Bytes that were read.
    pub(super) read: u64,
    /// The line, from 1, of the next byte.
    pub(super) line: u64,
    /// Bytes that the present piece may still take.
    room: usize,
}

impl<R: BufRead> XmlInput<R> {
    /// At the start of a file.
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            read: 0,
            line: 1,
            room: MAX_PIECE,
        }
    }

    /// Begins the next piece.
    pub(super) fn begin_piece(&mut self) {
        self.room = MAX_PIECE;
    }

    /// Whether the present piece took all it may.
    pub(super) fn is_full(&self) -> bool {
        self.room == 0
    }
}

impl<R: BufRead> BufRead for XmlInput<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.room == 0 {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "a piece is too long"));
        }
        let chunk = self.input.fill_buf()?;
        Ok(chunk.get(..self.room).unwrap_or(chunk))
    }

    fn consume(&mut self, used: usize) {
        if let Ok(chunk) = self.input.fill_buf() {
            let lines = memchr::memchr_iter(b'\n', chunk.get(..used).unwrap_or_default()).count();
            self.line = self.line.saturating_add(lines as u64);
        }
        self.read = self.read.saturating_add(used as u64);
        self.room = self.room.saturating_sub(used);
        self.input.consume(used);
    }
}

impl<R: BufRead> Read for XmlInput<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

/// The file in UTF-8, from the encoding that its first bytes or its declaration name. What is none of it becomes a sign that says so.
///
/// # Errors
/// When it cannot be read.
pub(super) fn as_utf8_xml(mut content: Box<dyn BufRead + Send>) -> io::Result<Box<dyn BufRead + Send>> {
    let head = content.fill_buf()?;
    let encoding = utf16_of(head)
        .or_else(|| declared_encoding(head))
        .unwrap_or(UTF_8);
    Ok(transcode(content, encoding))
}

/// The encoding that an XML declaration names.
fn declared_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let head = head.get(..DECLARATION).unwrap_or(head);
    let end = memchr::memmem::find(head, b"?>")?;
    let declaration = head.get(..end)?;
    let named = memchr::memmem::find(declaration, b"encoding")?;
    let mut quoted = declaration
        .get(named..)?
        .split(|byte| matches!(byte, b'"' | b'\''));
    Encoding::for_label(quoted.nth(1)?)
}
