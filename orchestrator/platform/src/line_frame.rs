//! Line frames: one JSON value a line.
//!
//! What: [`to_line`] for whoever writes; [`read_line`] and [`receive_line`], blocking and not, for whoever reads, with a limit, and
//! [`read_line_skipping`] for whoever reads on behind a line that is too long. Why: the control socket, programs that go on and the answers
//! of a push server are read in one way, and none can make Aura hold more than it allows. Not here: frames of agents and the model, which
//! have their length before them (`toolcall_schema::wire`); the lines of an MCP client (`surfaces/doors/src/mcp/stdio.rs` reads its own,
//! because surfaces know no platform).

use serde::Serialize;
use std::io::{self, BufRead, Read as _};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// How reading a line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// The line is there, with its end.
    Whole,
    /// The stream is over, within the line or before it.
    Torn,
    /// The line is longer than may be; only its beginning was kept.
    TooLong,
}

impl LineEnd {
    fn judge(line: &[u8], limit: usize) -> Self {
        if line.len() > limit {
            LineEnd::TooLong
        } else if line.ends_with(b"\n") {
            LineEnd::Whole
        } else {
            LineEnd::Torn
        }
    }
}

/// A value as JSON with the end of its line.
///
/// # Errors
/// The value is not JSON.
pub fn to_line<T: Serialize>(value: &T) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

/// Reads the next line, of at most `limit` bytes with its end, in place of what `line` holds.
///
/// # Errors
/// The stream's.
pub fn read_line(stream: &mut impl BufRead, limit: usize, line: &mut Vec<u8>) -> io::Result<LineEnd> {
    line.clear();
    stream.take(limit as u64 + 1).read_until(b'\n', line)?;
    Ok(LineEnd::judge(line, limit))
}

/// The same, and passes over the rest of a line that is too long, so that the next call reads the next line. `Torn`: the stream is over
/// within that rest as well.
///
/// # Errors
/// The stream's.
pub fn read_line_skipping(
    stream: &mut impl BufRead,
    limit: usize,
    line: &mut Vec<u8>,
) -> io::Result<LineEnd> {
    let end = read_line(stream, limit, line)?;
    let mut is_at_end = end != LineEnd::TooLong || line.ends_with(b"\n");
    while !is_at_end {
        let rest = match stream.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            rest => rest?,
        };
        if rest.is_empty() {
            return Ok(LineEnd::Torn);
        }
        let newline = rest.iter().position(|byte| *byte == b'\n');
        let used = newline.map_or(rest.len(), |at| at + 1);
        stream.consume(used);
        is_at_end = newline.is_some();
    }
    Ok(end)
}

/// The same as [`read_line`], without blocking. When it is cancelled, what was read is lost.
///
/// # Errors
/// The stream's.
pub async fn receive_line(
    stream: &mut (impl AsyncBufRead + Unpin),
    limit: usize,
    line: &mut Vec<u8>,
) -> io::Result<LineEnd> {
    line.clear();
    stream.take(limit as u64 + 1).read_until(b'\n', line).await?;
    Ok(LineEnd::judge(line, limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use LineEnd::{TooLong, Torn, Whole};

    #[tokio::test]
    async fn a_line_is_whole_torn_or_too_long_and_the_next_one_follows_it() {
        for (stream, limit, lines) in [
            (
                &b"ab\ncd\n"[..],
                3,
                &[(&b"ab\n"[..], Whole), (b"cd\n", Whole), (b"", Torn)][..],
            ),
            (b"ab\ncd", 3, &[(b"ab\n", Whole), (b"cd", Torn)]),
            (b"abc\n", 3, &[(b"abc\n", TooLong)]),
            (b"abc", 3, &[(b"abc", Torn)]),
            (b"\xff\n\n", 2, &[(b"\xff\n", Whole), (b"\n", Whole), (b"", Torn)]),
        ] {
            let (mut blocking, mut waiting, mut line) = (stream, stream, Vec::new());
            for (bytes, end) in lines {
                assert_eq!(read_line(&mut blocking, limit, &mut line).unwrap(), *end);
                assert_eq!(line, *bytes);
                let received = receive_line(&mut waiting, limit, &mut line).await;
                assert_eq!(received.unwrap(), *end);
                assert_eq!(line, *bytes);
            }
        }
        for (stream, lines) in [
            (
                &b"abcdef\ng\n"[..],
                &[(&b"abcd"[..], TooLong), (b"g\n", Whole), (b"", Torn)][..],
            ),
            (b"abc\nabcd", &[(b"abc\n", TooLong), (b"abcd", Torn)]),
        ] {
            // A buffer that is smaller than the rest.
            let (mut skipping, mut line) = (io::BufReader::with_capacity(1, stream), Vec::new());
            for (bytes, end) in lines {
                assert_eq!(read_line_skipping(&mut skipping, 3, &mut line).unwrap(), *end);
                assert_eq!(line, *bytes);
            }
        }
        assert_eq!(to_line(&["a\n"]).unwrap(), b"[\"a\\n\"]\n");
    }
}
