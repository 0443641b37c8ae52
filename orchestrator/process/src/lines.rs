//! What a process writes, line by line.
//!
//! What: cuts what comes out of a pipe into lines of bounded length and number, and logs them. Why: a process that writes
//! without end must fill neither memory nor logs. Not here: frames: they have a socket of their own.

use std::os::fd::OwnedFd;
use tokio::{io::AsyncReadExt as _, net::unix::pipe};

/// The longest line in bytes; the rest of it is left out.
pub const LINE_MAX: usize = 512;
/// The most lines that one process may log; the others are only counted.
pub const LINES_MAX: usize = 100;

/// The line that is being read.
#[derive(Debug)]
pub struct BoundedLines {
    line: Vec<u8>,
    given: usize,
    most: usize,
}

impl Default for BoundedLines {
    /// [`LINES_MAX`] lines.
    fn default() -> Self {
        Self {
            line: vec![],
            given: 0,
            most: LINES_MAX,
        }
    }
}

impl BoundedLines {
    /// As many lines as there are.
    pub fn unbounded() -> Self {
        Self {
            most: usize::MAX,
            ..Self::default()
        }
    }

    /// Takes in what was read, and gives out the lines that are whole now: at most so many in all, and one that says so.
    pub fn push(&mut self, read: &[u8]) -> Vec<String> {
        let mut out = Vec::new();
        for piece in read.split_inclusive(|byte| *byte == b'\n') {
            let text = piece.strip_suffix(b"\n").unwrap_or(piece);
            let room = LINE_MAX.saturating_sub(self.line.len());
            self.line.extend(text.iter().take(room));
            if piece.len() > text.len() {
                out.extend(self.end());
            }
        }
        out
    }

    /// The line that has no end, when the pipe has one.
    pub fn end(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() || self.given > self.most {
            return None;
        }
        self.given = self.given.saturating_add(1);
        if self.given > self.most {
            return Some("it writes too much: no more of it is logged".to_owned());
        }
        Some(String::from_utf8_lossy(&line).into_owned())
    }
}

/// Logs what comes out of a pipe until it is closed.
pub fn log(name: &'static str, from: &'static str, pipe: impl Into<OwnedFd>) {
    let mut pipe = match pipe::Receiver::from_owned_fd(pipe.into()) {
        Ok(pipe) => pipe,
        Err(error) => return tracing::warn!(process = name, %error, "its output is not read"),
    };
    actix::spawn(async move {
        let (mut lines, mut bytes) = (BoundedLines::default(), [0; 4096]);
        // An error is an end like any other: the process's own end is seen on its socket.
        while let Ok(count @ 1..) = pipe.read(&mut bytes).await {
            for line in lines.push(bytes.get(..count).unwrap_or_default()) {
                tracing::warn!(process = name, from, ?line, "a process says");
            }
        }
        if let Some(line) = lines.end() {
            tracing::warn!(process = name, from, ?line, "a process says");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_out_whole_and_bounded_however_they_arrive() {
        let mut lines = BoundedLines::default();
        assert_eq!(lines.push(b"one\ntw"), ["one"]);
        assert_eq!(lines.push(b"o\n\nthree"), ["two"]);
        assert_eq!(lines.end().as_deref(), Some("three"));
        assert_eq!(lines.end(), None);
        let long = [b'x'; 3 * LINE_MAX];
        assert_eq!(lines.push(&long), Vec::<String>::new());
        assert_eq!(lines.push(&long), Vec::<String>::new());
        assert_eq!(lines.push(b"\n"), ["x".repeat(512)]);
        assert_eq!(lines.push(b"\xff\n"), ["\u{fffd}"]);
    }

    #[test]
    fn a_hundred_lines_are_said_and_then_that_there_are_more() {
        let mut lines = BoundedLines::default();
        let said: Vec<String> = (0..200).flat_map(|_| lines.push(b"again\n")).collect();
        assert_eq!(said.len(), 101);
        assert_eq!(said[99], "again");
        assert_eq!(said[100], "it writes too much: no more of it is logged");
    }
}
