//! The rows of a CSV file.
//!
//! What: [`CsvRowReader`], one row after the other with the line breaks within its quotes; [`as_utf8`], the same file in UTF-8. Why: reading
//! and recognising cut a file in one way. Not here: what the columns are (`csv`, `recognition`).

use super::lines::{MAX_PIECE, PieceReader};
use crate::code;
use agents_base::shared::SkipCode;
use csv::ByteRecord;
use std::io::{self, BufRead, BufReader, Read};

/// A file that is cut into rows.
pub(super) struct CsvRowReader<R> {
    input: PieceReader<R>,
    piece: Vec<u8>,
    row: Vec<u8>,
    /// On which line the row that was read begins, and whether it comes once more.
    begun: u64,
    again: bool,
    /// Whether no row was read yet.
    is_at_start: bool,
    /// The fields of the row that was split last.
    pub(super) record: ByteRecord,
}

impl<R: BufRead> CsvRowReader<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input: PieceReader::new(input),
            piece: Vec::new(),
            row: Vec::new(),
            begun: 1,
            again: false,
            is_at_start: true,
            record: ByteRecord::new(),
        }
    }

    /// Bytes that were read.
    pub(super) fn bytes(&self) -> u64 {
        self.input.read
    }

    /// The line, from 1, on which the next row begins.
    pub(super) fn line(&self) -> u64 {
        if self.again { self.begun } else { self.input.line }
    }

    /// Has the row that was read come once more.
    pub(super) fn put_back(&mut self) {
        self.again = true;
    }

    /// Reads the next row. False at the end; an error for one that is too long.
    pub(super) fn row(&mut self) -> io::Result<Result<bool, SkipCode>> {
        if std::mem::take(&mut self.again) {
            return Ok(Ok(true));
        }
        if std::mem::take(&mut self.is_at_start) {
            self.input.find_line_end()?;
        }
        self.begun = self.input.line;
        self.row.clear();
        let mut open = false;
        loop {
            let piece = self.input.until(self.input.line_end, &mut self.piece)?;
            if !piece.ended && self.piece.is_empty() {
                return Ok(Ok(!self.row.is_empty()));
            }
            if !piece.whole || self.row.len() + self.piece.len() > MAX_PIECE {
                return Ok(Err(code::ROW_TOO_LONG));
            }
            open ^= memchr::memchr_iter(b'"', &self.piece).count() % 2 == 1;
            self.row.extend_from_slice(&self.piece);
            if !open || !piece.ended {
                return Ok(Ok(true));
            }
            self.row.push(b'\n');
        }
    }

    /// Cuts the row that was read into its fields. False when it has none.
    pub(super) fn split(&mut self, delimiter: char) -> bool {
        let delimiter = u8::try_from(delimiter).unwrap_or(b',');
        let row = self.row.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&self.row);
        csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .buffer_capacity(row.len().max(1))
            .from_reader(row)
            .read_byte_record(&mut self.record)
            .unwrap_or(false)
    }
}

/// Which UTF-16 a file is by its first bytes: its mark, or a 0 beside each of its first letters.
pub(super) fn utf16_of(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    match head {
        [0xFE, 0xFF, ..] => Some(encoding_rs::UTF_16BE),
        [0xFF, 0xFE, ..] => Some(encoding_rs::UTF_16LE),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => Some(encoding_rs::UTF_16BE),
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Some(encoding_rs::UTF_16LE),
        _ => None,
    }
}

/// The file, made UTF-8 piece by piece where it is UTF-16.
///
/// # Errors
/// When it cannot be read.
pub(super) fn as_utf8(mut content: Box<dyn BufRead + Send>) -> io::Result<Box<dyn BufRead + Send>> {
    Ok(match utf16_of(content.fill_buf()?) {
        None => content,
        Some(encoding) => transcode(content, encoding),
    })
}

/// A file in an encoding, made UTF-8 piece by piece.
pub(super) fn transcode(
    content: Box<dyn BufRead + Send>,
    encoding: &'static encoding_rs::Encoding,
) -> Box<dyn BufRead + Send> {
    Box::new(BufReader::new(TranscodingReader {
        input: content,
        decoder: encoding.new_decoder(),
        text: Vec::new(),
        at: 0,
        ended: false,
    }))
}

/// Another encoding that is read as UTF-8.
struct TranscodingReader {
    input: Box<dyn BufRead + Send>,
    decoder: encoding_rs::Decoder,
    text: Vec<u8>,
    at: usize,
    ended: bool,
}

impl Read for TranscodingReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        const ROOM: usize = 16 * 1024;
        while self.at >= self.text.len() {
            if self.ended {
                return Ok(0);
            }
            let chunk = self.input.fill_buf()?;
            let last = chunk.is_empty();
            self.text.resize(ROOM, 0);
            let (result, used, made, _) = self.decoder.decode_to_utf8(chunk, &mut self.text, last);
            self.input.consume(used);
            self.text.truncate(made);
            self.at = 0;
            self.ended = last && result == encoding_rs::CoderResult::InputEmpty;
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let taken = rest.len().min(out.len());
        if let (Some(out), Some(rest)) = (out.get_mut(..taken), rest.get(..taken)) {
            out.copy_from_slice(rest);
        }
        self.at += taken;
        Ok(taken)
    }
}
