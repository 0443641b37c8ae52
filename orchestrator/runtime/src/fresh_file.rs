//! A file that gets its name once it is whole.
//!
//! What: [`FreshFile`], written under a name of its own beside where it belongs. Why: `tempfile` puts the path into each error and thereby hides
//! the system's own, by which a disk that failed just now is told from one that always will. Not here: the files of the data folder's store (`aura_memory`).

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};
use tempfile::{Builder, NamedTempFile};

/// A new file with mode 0600; it is removed where it gets no name.
#[derive(Debug)]
pub struct FreshFile(NamedTempFile<File>);

impl FreshFile {
    /// Makes one in the folder of the name that it will get.
    ///
    /// # Errors
    /// The system's own.
    pub fn create_in(folder: &Path) -> io::Result<Self> {
        let open = |path: &Path| {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(path)
        };
        Builder::new().make_in(folder, open).map(Self)
    }

    /// To be written and synced.
    pub fn as_file(&mut self) -> &mut File {
        self.0.as_file_mut()
    }

    /// Where it is until it gets its name.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Gives it a name, in the place of what has it.
    ///
    /// # Errors
    /// The system's own.
    pub fn replace(self, path: &Path) -> io::Result<()> {
        self.0.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Gives it a name that nothing has.
    ///
    /// # Errors
    /// The system's own; `AlreadyExists` where something has it.
    pub fn name_new(self, path: &Path) -> io::Result<()> {
        self.0.persist_noclobber(path).map_err(|error| error.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;
    use std::{fs, io::Write as _, os::unix::fs::MetadataExt as _};

    #[test]
    fn the_systems_own_error_is_told_by_each_step() {
        let dir = tempfile::tempdir().unwrap();
        let code = |done: io::Result<()>| done.unwrap_err().raw_os_error();
        let absent = FreshFile::create_in(&dir.path().join("absent")).map(drop);
        assert_eq!(code(absent), Some(Errno::NOENT.raw_os_error()));
        // A folder that holds something is not replaced.
        let taken = dir.path().join("taken");
        fs::create_dir_all(taken.join("inside")).unwrap();
        let fresh = || FreshFile::create_in(dir.path()).unwrap();
        assert_eq!(code(fresh().replace(&taken)), Some(Errno::ISDIR.raw_os_error()));
        assert_eq!(code(fresh().name_new(&taken)), Some(Errno::EXIST.raw_os_error()));
        let left = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(left, 1, "what got no name is removed");
    }

    #[test]
    fn a_new_file_is_its_owners_alone_and_takes_a_name_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        for text in ["first", "second"] {
            let mut fresh = FreshFile::create_in(dir.path()).unwrap();
            fresh.as_file().write_all(text.as_bytes()).unwrap();
            fresh.replace(&path).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }
}
