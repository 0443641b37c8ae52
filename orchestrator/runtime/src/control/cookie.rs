//! The secret that every request on the control socket carries.
//!
//! What: [`ControlCookie`], 32 random bytes in a file of mode 0600 beside the socket, new at each start of a service. Why: the user id of a
//! process says nothing about whether it is sandboxed; a sandboxed one can perhaps connect, but it cannot read this file. Not
//! here: the socket (`control`), what a sandbox lets a process read (`process::sandbox`).

use crate::fresh_file::FreshFile;
use rustix::rand::{GetRandomFlags, getrandom};
use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};
use toolcall_schema::ids::{hex, sha256_hex};

/// The secret of a running service.
#[derive(Debug, Clone)]
pub(super) struct ControlCookie {
    /// Hashes are compared, so the time of a comparison says nothing about the secret.
    sha256: String,
}

impl ControlCookie {
    /// Makes one and writes its file. To be called before the socket can be connected to.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn create(dir: &Path) -> io::Result<Self> {
        let mut bytes = [0; 32];
        // Up to 256 bytes come whole.
        getrandom(&mut bytes[..], GetRandomFlags::empty())?;
        let text = hex(&bytes);
        let mut file = FreshFile::create_in(dir)?;
        file.as_file().write_all(text.as_bytes())?;
        file.replace(&path(dir))?;
        Ok(Self {
            sha256: sha256_hex(text.as_bytes()),
        })
    }

    /// Whether a request carries it.
    pub(super) fn is(&self, given: &str) -> bool {
        sha256_hex(given.as_bytes()) == self.sha256
    }

    /// Removes the file when the service ends, unless another service's secret is in it by then.
    pub(super) fn remove(&self, dir: &Path) {
        if read(dir).is_ok_and(|text| self.is(&text)) {
            // The next start replaces what is left.
            let _ = fs::remove_file(path(dir));
        }
    }
}

/// The secret of the service that runs on a folder. To be read after the connection is made: it is older than the socket.
///
/// # Errors
/// The file cannot be read.
pub(super) fn read(dir: &Path) -> io::Result<String> {
    fs::read_to_string(path(dir))
}

fn path(dir: &Path) -> PathBuf {
    dir.join("aura.cookie")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt as _;

    #[test]
    fn a_cookie_is_new_at_each_start_private_and_gone_at_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let first = ControlCookie::create(dir.path()).unwrap();
        let text = read(dir.path()).unwrap();
        assert_eq!(text.len(), 64);
        let mode = fs::metadata(path(dir.path())).unwrap().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(first.is(&text));
        for other in ["", &text[1..], &text.to_uppercase(), &format!("{text}\n")] {
            assert!(!first.is(other), "{other:?}");
        }
        let second = ControlCookie::create(dir.path()).unwrap();
        assert!(!second.is(&text));
        first.remove(dir.path());
        assert!(second.is(&read(dir.path()).unwrap()), "another one's stays");
        second.remove(dir.path());
        assert_eq!(read(dir.path()).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
