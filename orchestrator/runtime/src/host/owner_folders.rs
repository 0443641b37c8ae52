//! The folders of a host's owners.
//!
//! What: [`OwnerFolders`]: one folder, and in it a data folder for each owner with her `home.toml`. Why: the host and `aura owner` mean the same
//! ones. Not here: what a data folder holds (`aura_memory`), what runs on it (`host`).

use crate::{control::host_folder, control_handler::ReloadFiles};
use aura_memory::vault::{self, KeyPlace, VaultStatus};
use std::{
    fmt,
    fs::{self, DirBuilder, File, TryLockError},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};
use surfaces::web::PageNames;

/// Marks a folder whose owner is paused.
const PAUSED: &str = "paused";

/// The name of an owner's folder: one label of a host name, in small letters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnerName(String);

impl OwnerName {
    /// Letters, digits and hyphens, which stand at neither end; 63 at most.
    pub fn parse(text: &str) -> Option<Self> {
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_good = (1..=63).contains(&text.len())
            && text.chars().all(good)
            && !text.starts_with('-')
            && !text.ends_with('-');
        is_good.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Under which her pages are, where her file names no other.
    pub fn host_name(&self) -> String {
        format!("{}.localhost", self.0)
    }

    /// Every host name of her pages; `added`: those of her file.
    pub(crate) fn page_names(&self, added: Vec<String>) -> PageNames {
        PageNames {
            own: self.host_name(),
            added,
            is_one_of_several: true,
        }
    }
}

impl fmt::Display for OwnerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One host's owners.
#[derive(Debug, Clone)]
pub struct OwnerFolders {
    dir: PathBuf,
}

/// The folder of a host that runs; another one cannot begin on it.
pub struct HostLock {
    _file: File,
}

impl OwnerFolders {
    /// Below that folder; it need not be there.
    ///
    /// # Errors
    /// The path is relative, and there is no working folder.
    pub fn in_folder(dir: &Path) -> io::Result<Self> {
        Ok(Self {
            dir: std::path::absolute(dir)?,
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// An owner's data folder.
    pub fn folder(&self, owner: &OwnerName) -> PathBuf {
        self.dir.join(owner.as_str())
    }

    /// What she configures: `home.toml` and `policy.toml` in her folder.
    pub fn files(&self, owner: &OwnerName) -> ReloadFiles {
        ReloadFiles {
            home: self.folder(owner).join("home.toml"),
            policy: None,
        }
    }

    /// All owners in the order of their names. A folder whose name is none is nobody's.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn names(&self) -> io::Result<Vec<OwnerName>> {
        let entries = match fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry?;
            // A link could be another owner's folder.
            if entry.file_type()?.is_dir()
                && let Some(name) = entry.file_name().to_str().and_then(OwnerName::parse)
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Whether she is one of them, and not a link to another.
    pub fn has(&self, owner: &OwnerName) -> bool {
        fs::symlink_metadata(self.folder(owner)).is_ok_and(|meta| meta.is_dir())
    }

    /// Whether her folder opens only with a passphrase.
    pub(crate) fn needs_passphrase(&self, owner: &OwnerName) -> bool {
        matches!(
            vault::standing(&self.folder(owner)),
            Ok(VaultStatus::Sealed(KeyPlace::Passphrase { .. }))
        )
    }

    pub fn is_paused(&self, owner: &OwnerName) -> bool {
        self.folder(owner).join(PAUSED).exists()
    }

    /// # Errors
    /// The mark cannot be written or removed.
    pub fn set_paused(&self, owner: &OwnerName, paused: bool) -> io::Result<()> {
        let mark = self.folder(owner).join(PAUSED);
        if paused {
            return fs::write(
                mark,
                "A host does not serve this owner; `aura owner resume` takes this away.\n",
            );
        }
        match fs::remove_file(mark) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Takes the folder for this process; `None`: another host has it.
    ///
    /// # Errors
    /// The folder cannot be made, or its lock not be tried.
    pub(super) fn lock(&self) -> io::Result<Option<HostLock>> {
        let folder = host_folder(&self.dir);
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let file = File::create(folder.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(HostLock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owners_name_is_one_label_of_a_host_name() {
        let long = "a".repeat(64);
        for (text, is_name) in [
            ("asha", true),
            ("asha-2", true),
            ("7", true),
            (&long[1..], true),
            (long.as_str(), false),
            ("", false),
            (".host", false),
            ("Asha", false),
            ("asha.jonas", false),
            ("asha/jonas", false),
            ("asha>jonas.*", false),
            ("-asha", false),
            ("asha-", false),
            ("aşa", false),
        ] {
            assert_eq!(OwnerName::parse(text).is_some(), is_name, "{text:?}");
        }
    }

    #[test]
    fn only_folders_with_a_name_are_owners_and_one_host_has_them() {
        let dir = tempfile::tempdir().unwrap();
        let folders = OwnerFolders::in_folder(dir.path()).unwrap();
        for name in ["jonas", "asha", "lost+found", ".host"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("notes"), "").unwrap();
        std::os::unix::fs::symlink(dir.path().join("asha"), dir.path().join("twin")).unwrap();
        let names: Vec<String> = folders.names().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["asha", "jonas"]);
        let asha = OwnerName::parse("asha").unwrap();
        assert!(!folders.is_paused(&asha));
        folders.set_paused(&asha, true).unwrap();
        assert!(folders.is_paused(&asha));
        folders.set_paused(&asha, false).unwrap();
        folders.set_paused(&asha, false).unwrap();
        assert!(!folders.is_paused(&asha));
        let lock = folders.lock().unwrap();
        assert!(lock.is_some());
        assert!(folders.lock().unwrap().is_none());
        drop(lock);
        assert!(folders.lock().unwrap().is_some());
    }
}
