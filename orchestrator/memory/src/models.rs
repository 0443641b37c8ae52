//! The folder of model files.
//!
//! What: [`ModelFolder`]: what is there, whether a file is the one that was vouched for, and taking one in, whole or not at all. Why: a
//! cut or foreign file must never be found under a model's name. Not here: which models there are (`llm_runtime::manifest`),
//! downloads (`aura_process::models`).
//!
//! ```text
//! models/ 0700                 all files 0600
//!   <file>.gguf                a model, checked by length and SHA-256 before it got this name
//!   <file>.gguf.part           what has come of one so far
//!   <name>.toml                the owner's own manifests
//!   <name>.state/              what the model's process keeps: the evaluation of Aura's own instructions
//! ```

use crate::{
    error::StoreError,
    files::{private_dir, private_file, sync_dir},
};
use sha2::{Digest as _, Sha256};
use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
};

/// Manifests of the owner's that are read; the others are not.
pub const MANIFESTS_MAX: usize = 64;
/// Bytes of a manifest that are read: one more than it may have.
const MANIFEST_READ: u64 = 4097;
/// Bytes that are read at once.
const CHUNK: usize = 1 << 18;

/// What a file must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedFile<'a> {
    /// Its name in the folder.
    pub file: &'a str,
    /// Its length.
    pub bytes: u64,
    /// Of all of it, in hex.
    pub sha256: &'a str,
}

/// Why a file is not taken for a model.
#[derive(Debug, thiserror::Error)]
pub enum ModelFileError {
    /// It has another length.
    #[error(
        "MODEL-003: {file} has {found} bytes, the model has {expected}: it is cut or another file; get it again"
    )]
    Length {
        /// The name it should get, or has.
        file: String,
        /// Bytes it has; of a longer one, how many were looked at.
        found: u64,
        /// Bytes that it must have.
        expected: u64,
    },
    /// It has other bytes.
    #[error(
        "MODEL-003: {file} has another SHA-256 than the model: it is damaged or another file; get it again"
    )]
    Hash {
        /// The name it should get, or has.
        file: String,
    },
    /// It could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The folder of models below a data folder.
#[derive(Debug, Clone)]
pub struct ModelFolder {
    dir: PathBuf,
}

impl ModelFolder {
    /// Of that data folder; it need not be there.
    pub fn below(data: &Path) -> Self {
        Self {
            dir: data.join("models"),
        }
    }

    /// Where a model's file is, or would be.
    pub fn path(&self, file: &str) -> PathBuf {
        self.dir.join(file)
    }

    /// Where a file is while it comes.
    pub fn part(&self, file: &str) -> PathBuf {
        self.dir.join(format!("{file}.part"))
    }

    /// The length of a model's file; `None`: it is not there.
    pub fn length(&self, file: &str) -> Option<u64> {
        length_of(&self.path(file))
    }

    /// How much of a file has come.
    pub fn part_length(&self, file: &str) -> Option<u64> {
        length_of(&self.part(file))
    }

    /// Makes the folder.
    ///
    /// # Errors
    /// `STORE-007`
    pub fn make(&self) -> Result<(), StoreError> {
        private_dir(&self.dir)
    }

    /// Makes the folder that a model's process may write to.
    ///
    /// # Errors
    /// `STORE-007`
    pub fn state(&self, name: &str) -> Result<PathBuf, StoreError> {
        let dir = self.dir.join(format!("{name}.state"));
        private_dir(&dir)?;
        Ok(dir)
    }

    /// The owner's manifests, by name: each with its first 4097 bytes, or why it cannot be read.
    pub fn manifests(&self) -> Vec<(PathBuf, Result<String, StoreError>)> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
            .collect();
        paths.sort();
        paths.truncate(MANIFESTS_MAX);
        let read = |path: &Path| {
            let mut text = String::new();
            let file = File::open(path);
            file.and_then(|file| file.take(MANIFEST_READ).read_to_string(&mut text))
                .map_err(StoreError::file("read", path))?;
            Ok(text)
        };
        paths
            .into_iter()
            .map(|path| {
                let text = read(&path);
                (path, text)
            })
            .collect()
    }

    /// Whether the model's file is what it must be. `seen` is told how many bytes were looked at.
    ///
    /// # Errors
    /// [`ModelFileError`]
    pub fn verify(
        &self,
        expected: &ExpectedFile<'_>,
        seen: &mut dyn FnMut(u64),
    ) -> Result<(), ModelFileError> {
        check(&self.path(expected.file), expected, seen)
    }

    /// Takes a file in from a stream: it gets its name only when it is what it must be. Otherwise nothing of it is kept.
    ///
    /// # Errors
    /// [`ModelFileError`]
    pub fn take_in(
        &self,
        expected: &ExpectedFile<'_>,
        from: &mut dyn Read,
        seen: &mut dyn FnMut(u64),
    ) -> Result<PathBuf, ModelFileError> {
        self.make()?;
        let part = self.part(expected.file);
        let copied = (|| {
            let mut file = private_file()
                .write(true)
                .truncate(true)
                .open(&part)
                .map_err(StoreError::file("create", &part))?;
            // One byte too many is enough to know.
            let mut from = from.take(expected.bytes.saturating_add(1));
            let found = hash_of(&mut from, seen, &mut |bytes| file.write_all(bytes))
                .map_err(StoreError::file("write", &part))?;
            is_it(expected, &found)
        })();
        if let Err(error) = copied {
            let _ = fs::remove_file(&part);
            return Err(error);
        }
        self.name(expected.file)
    }

    /// Takes in what a download left in [`Self::part`]. One that is too short stays, to be gone on with; any other that is not what it
    /// must be is removed.
    ///
    /// # Errors
    /// [`ModelFileError`]
    pub fn take_part(
        &self,
        expected: &ExpectedFile<'_>,
        seen: &mut dyn FnMut(u64),
    ) -> Result<PathBuf, ModelFileError> {
        let part = self.part(expected.file);
        match check(&part, expected, seen) {
            Ok(()) => self.name(expected.file),
            Err(error) => {
                let cut = matches!(&error, ModelFileError::Length { found, .. } if *found < expected.bytes);
                if !cut && !matches!(error, ModelFileError::Store(_)) {
                    let _ = fs::remove_file(&part);
                }
                Err(error)
            }
        }
    }

    /// Gives a checked part its name; it is on the disk then.
    fn name(&self, file: &str) -> Result<PathBuf, ModelFileError> {
        use std::os::unix::fs::PermissionsExt as _;
        let (part, path) = (self.part(file), self.path(file));
        File::open(&part)
            .and_then(|part| {
                // A download has made it, with whatever mode.
                part.set_permissions(fs::Permissions::from_mode(0o600))?;
                part.sync_all()
            })
            .map_err(StoreError::file("sync", &part))?;
        fs::rename(&part, &path).map_err(StoreError::file("name", &path))?;
        sync_dir(&self.dir)?;
        Ok(path)
    }
}

fn length_of(path: &Path) -> Option<u64> {
    fs::metadata(path)
        .ok()
        .filter(fs::Metadata::is_file)
        .map(|meta| meta.len())
}

/// Length and hash of what was read.
struct FileDigest {
    bytes: u64,
    sha256: String,
}

fn is_it(expected: &ExpectedFile<'_>, found: &FileDigest) -> Result<(), ModelFileError> {
    let file = || expected.file.to_owned();
    if found.bytes != expected.bytes {
        return Err(ModelFileError::Length {
            file: file(),
            found: found.bytes,
            expected: expected.bytes,
        });
    }
    if found.sha256 != expected.sha256 {
        return Err(ModelFileError::Hash { file: file() });
    }
    Ok(())
}

fn check(path: &Path, expected: &ExpectedFile<'_>, seen: &mut dyn FnMut(u64)) -> Result<(), ModelFileError> {
    let mut file = File::open(path).map_err(StoreError::file("read", path))?;
    let bytes = file.metadata().map_err(StoreError::file("read", path))?.len();
    if bytes != expected.bytes {
        return Err(ModelFileError::Length {
            file: expected.file.to_owned(),
            found: bytes,
            expected: expected.bytes,
        });
    }
    let found = hash_of(&mut file, seen, &mut |_| Ok(())).map_err(StoreError::file("read", path))?;
    is_it(expected, &found)
}

fn hash_of(
    from: &mut dyn Read,
    seen: &mut dyn FnMut(u64),
    keep: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<FileDigest> {
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; CHUNK]);
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let read = buffer.get(..count).unwrap_or_default();
        hash.update(read);
        keep(read)?;
        bytes += count as u64;
        seen(bytes);
    }
    let mut sha256 = String::new();
    for byte in hash.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(sha256, "{byte:02x}");
    }
    Ok(FileDigest { bytes, sha256 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    /// SHA-256 of "abc", as FIPS 180-2 gives it.
    const ABC: ExpectedFile<'static> = ExpectedFile {
        file: "m.gguf",
        bytes: 3,
        sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    };

    fn names(models: &ModelFolder) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(&models.dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_gets_its_name_only_when_it_is_what_it_must_be() {
        for (bytes, why) in [
            (&b"abc"[..], None),
            (
                b"ab",
                Some(
                    "MODEL-003: m.gguf has 2 bytes, the model has 3: it is cut or another file; get it again",
                ),
            ),
            (
                b"abcdef",
                Some(
                    "MODEL-003: m.gguf has 4 bytes, the model has 3: it is cut or another file; get it again",
                ),
            ),
            (
                b"",
                Some(
                    "MODEL-003: m.gguf has 0 bytes, the model has 3: it is cut or another file; get it again",
                ),
            ),
            (
                b"abd",
                Some(
                    "MODEL-003: m.gguf has another SHA-256 than the model: it is damaged or another file; get it again",
                ),
            ),
        ] {
            let data = tempfile::tempdir().unwrap();
            let models = ModelFolder::below(data.path());
            let mut from = bytes;
            let taken = models.take_in(&ABC, &mut from, &mut |_| {});
            match why {
                None => {
                    assert_eq!(fs::read(taken.unwrap()).unwrap(), b"abc");
                    assert_eq!(names(&models), ["m.gguf"]);
                    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
                    assert_eq!((mode(&models.path("m.gguf")), mode(&models.dir)), (0o600, 0o700));
                    assert!(models.verify(&ABC, &mut |_| {}).is_ok());
                }
                Some(why) => {
                    assert_eq!(taken.unwrap_err().to_string(), why);
                    assert_eq!(names(&models), Vec::<String>::new());
                }
            }
        }
    }

    #[test]
    fn a_download_that_was_cut_stays_and_one_that_is_wrong_goes() {
        for (bytes, good, left) in [
            (&b"abc"[..], true, vec!["m.gguf"]),
            (b"ab", false, vec!["m.gguf.part"]),
            (b"abd", false, vec![]),
            (b"abcd", false, vec![]),
        ] {
            let data = tempfile::tempdir().unwrap();
            let models = ModelFolder::below(data.path());
            models.make().unwrap();
            fs::write(models.part("m.gguf"), bytes).unwrap();
            assert_eq!(models.take_part(&ABC, &mut |_| {}).is_ok(), good, "{bytes:?}");
            assert_eq!(names(&models), left, "{bytes:?}");
        }
    }

    #[test]
    fn a_file_that_is_there_already_stays_when_another_one_is_refused() {
        let data = tempfile::tempdir().unwrap();
        let models = ModelFolder::below(data.path());
        models.take_in(&ABC, &mut &b"abc"[..], &mut |_| {}).unwrap();
        assert!(models.take_in(&ABC, &mut &b"abd"[..], &mut |_| {}).is_err());
        assert_eq!(names(&models), ["m.gguf"]);
        assert!(models.verify(&ABC, &mut |_| {}).is_ok());
    }
}
