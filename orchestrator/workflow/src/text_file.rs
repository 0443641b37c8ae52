//! Files of a project, which anybody may have written.
//!
//! What: [`read_bounded`]. Why: a project may come from elsewhere, and neither a pipe that nobody writes to nor a file without an end may hold up
//! who looks at it. Not here: what the file says.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// Reads a file, up to one byte above `max`: who judges it refuses it for its size.
///
/// # Errors
/// It cannot be read, or is no regular file.
pub(crate) fn read_bounded(path: &Path, max: usize) -> io::Result<Vec<u8>> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file: File = OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
    }
    let mut bytes = Vec::new();
    file.take(max as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same as text.
///
/// # Errors
/// As [`read_bounded`], or it is no UTF-8.
pub(crate) fn read_bounded_text(path: &Path, max: usize) -> io::Result<String> {
    String::from_utf8(read_bounded(path, max)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    #[test]
    fn a_pipe_a_device_and_a_folder_are_no_files_and_a_long_one_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe.toml");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
        for path in [&pipe, Path::new("/dev/zero"), dir.path()] {
            let read = read_bounded(path, 10);
            assert_eq!(
                read.unwrap_err().kind(),
                io::ErrorKind::InvalidInput,
                "{}",
                path.display()
            );
        }
        let long = dir.path().join("long.toml");
        std::fs::write(&long, "x".repeat(100)).unwrap();
        assert_eq!(read_bounded_text(&long, 10).unwrap(), "x".repeat(11));
        std::fs::write(&long, [0xff]).unwrap();
        assert!(read_bounded_text(&long, 10).is_err());
    }
}
