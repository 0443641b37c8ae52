//! Input that is named on the command line: files, and `-` for the standard input.
//!
//! What: [`InputFile`], read whole or by line, never more than one byte above a limit. Why: whatever a file holds, a command
//! stays small, and who judges the bytes refuses them for their size. Not here: judging.

use super::error::CliError;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
    path::{Path, PathBuf},
};

/// A file or the standard input, opened.
pub(crate) struct InputFile {
    path: PathBuf,
    /// `None`: the standard input.
    name: Option<String>,
    reader: Box<dyn BufRead>,
}

impl InputFile {
    /// Opens it.
    ///
    /// # Errors
    /// [`CliError::Input`] when it cannot be read.
    pub(crate) fn open(path: &Path) -> Result<Self, CliError> {
        let standard = path == Path::new("-");
        let reader: Box<dyn BufRead> = if standard {
            Box::new(BufReader::new(io::stdin()))
        } else {
            Box::new(BufReader::new(File::open(path).map_err(unreadable(path))?))
        };
        Ok(Self {
            path: path.to_owned(),
            name: (!standard).then(|| path.display().to_string()),
            reader,
        })
    }

    /// The file as it was named; `None`: the standard input.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// All that is left, up to one byte above `max`.
    ///
    /// # Errors
    /// [`CliError::Input`]
    pub(crate) fn whole(&mut self, max: usize) -> Result<Vec<u8>, CliError> {
        let mut bytes = Vec::new();
        let mut bounded = self.reader.by_ref().take(max as u64 + 1);
        bounded.read_to_end(&mut bytes).map_err(unreadable(&self.path))?;
        Ok(bytes)
    }

    /// The next line without its end, up to one byte above `max`; what is left of a longer line is passed over.
    ///
    /// # Errors
    /// [`CliError::Input`]
    pub(crate) fn line(&mut self, max: usize) -> Result<Option<Vec<u8>>, CliError> {
        next_line(&mut self.reader, max).map_err(unreadable(&self.path))
    }
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> CliError {
    let path = path.to_owned();
    move |source| CliError::Input { path, source }
}

/// Whether a line holds nothing.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

fn next_line(reader: &mut impl BufRead, max: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut bounded = reader.by_ref().take(max as u64 + 1);
    if bounded.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() > max {
        skip_line(reader)?;
    }
    Ok(Some(bytes))
}

/// Passes over what is left of a line without keeping it.
fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        let (passed, over) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(passed);
        if over {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], max: usize) -> Vec<usize> {
        let mut reader = BufReader::with_capacity(7, text);
        std::iter::from_fn(|| next_line(&mut reader, max).unwrap())
            .map(|line| line.len())
            .collect()
    }

    #[test]
    fn a_line_is_read_up_to_one_byte_above_the_limit_whatever_its_length() {
        let max = 1000;
        for (lengths, expected) in [
            (vec![0, 3], vec![0, 3]),
            (vec![max, 1], vec![max, 1]),
            (vec![max + 1, 1], vec![max + 1, 1]),
            (vec![3 * max, 1], vec![max + 1, 1]),
        ] {
            let text: Vec<Vec<u8>> = lengths.iter().map(|n| vec![b'x'; *n]).collect();
            let mut text = text.join(&b'\n');
            assert_eq!(lines(&text, max), expected, "without a last line end");
            text.push(b'\n');
            assert_eq!(lines(&text, max), expected, "with one");
        }
        assert_eq!(lines(b"", max), Vec::<usize>::new());
    }
}
