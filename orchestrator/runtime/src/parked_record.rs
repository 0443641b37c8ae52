//! What stands on disk of an owner who is parked.
//!
//! What: [`ParkedRecords`], until when each owner of a host is parked, with [`FilesState`], by which it is seen whether a file has changed since. Why: a host
//! that starts again need not start every owner to find that nothing of hers is due. Not here: parking (`host`, `service::parking`).

use crate::{fresh_file::FreshFile, host::owner_folders::OwnerName};
use agents::contract::SourcePaths;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::{self, DirBuilder, Metadata},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
};
use toolcall_schema::Timestamp;

/// More files than these are not looked at one by one: such an owner is started with the host.
const FILES_MAX: usize = 2_000;

/// How files stand: their names, sizes, places on the disk and last changes, not what is in them. Nobody has to be kept from making two that are alike: whoever could
/// has the owner's rights. So a hash of the standard library's is enough; one of another build is another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FilesState(u64);

impl FilesState {
    /// Of what an owner's agents read; `None`: one is not there or cannot be looked at, or they are too many.
    pub(crate) fn of_sources(sources: &SourcePaths) -> Option<Self> {
        Self::from_paths(sources.paths().map(PathBuf::as_path), false)
    }

    /// Of everything in her data folder, and of this program.
    fn of_folder(data: &Path) -> Option<Self> {
        let program = std::env::current_exe().ok()?;
        Self::from_paths([program.as_path(), data].into_iter(), true)
    }

    /// `is_below`: of folders that are named only what is in them counts.
    fn from_paths<'a>(paths: impl Iterator<Item = &'a Path>, is_below: bool) -> Option<Self> {
        let mut hasher = DefaultHasher::new();
        let mut left = Vec::new();
        let mut count = 0;
        for path in paths {
            path.hash(&mut hasher);
            let meta = fs::metadata(path).ok()?;
            if !(is_below && meta.is_dir()) {
                note(&meta, &mut hasher);
            }
            if meta.is_dir() {
                left.push(path.to_owned());
            }
        }
        while let Some(folder) = left.pop() {
            let mut entries = fs::read_dir(&folder).ok()?.collect::<io::Result<Vec<_>>>().ok()?;
            count += entries.len();
            if count > FILES_MAX {
                return None;
            }
            entries.sort_unstable_by_key(fs::DirEntry::file_name);
            for entry in entries {
                let meta = entry.metadata().ok()?;
                entry.file_name().hash(&mut hasher);
                note(&meta, &mut hasher);
                if meta.is_dir() {
                    left.push(entry.path());
                }
            }
        }
        Some(Self(hasher.finish()))
    }
}

fn note(meta: &Metadata, hasher: &mut DefaultHasher) {
    (meta.dev(), meta.ino(), meta.len()).hash(hasher);
    // The last change of the file or of what stands about it, which no program sets as it likes.
    (meta.ctime(), meta.ctime_nsec(), meta.is_dir()).hash(hasher);
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordFile {
    /// By the wall clock.
    until: Timestamp,
    sources: FilesState,
    folder: FilesState,
}

/// The records of a host's parked owners, in a folder of the host's own.
pub(crate) struct ParkedRecords {
    folder: PathBuf,
}

impl ParkedRecords {
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn file(&self, owner: &OwnerName) -> PathBuf {
        self.folder.join(owner.as_str())
    }

    /// Notes that she is parked, with how her sources stood before they were watched. Her service has ended. What cannot be written is no harm: she is
    /// started with the host.
    pub(crate) fn write(&self, owner: &OwnerName, data: &Path, until: Timestamp, sources: FilesState) {
        let Some(folder) = FilesState::of_folder(data) else {
            return;
        };
        let record = RecordFile {
            until,
            sources,
            folder,
        };
        let written = serde_json::to_vec(&record)
            .map_err(io::Error::from)
            .and_then(|text| {
                DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(&self.folder)?;
                let mut fresh = FreshFile::create_in(&self.folder)?;
                fresh.as_file().write_all(&text)?;
                fresh.replace(&self.file(owner))
            });
        if let Err(error) = written {
            tracing::debug!(kind = ?error.kind(), "that an owner is parked is not noted");
        }
    }

    /// Until when she is parked, and how her sources stood; `None`: that is not known, or her folder or this program is another since.
    pub(crate) fn read(&self, owner: &OwnerName, data: &Path) -> Option<(Timestamp, FilesState)> {
        let bytes = fs::read(self.file(owner)).ok()?;
        let record: RecordFile = serde_json::from_slice(&bytes).ok()?;
        (FilesState::of_folder(data)? == record.folder).then_some((record.until, record.sources))
    }

    /// She is parked no longer.
    pub(crate) fn remove(&self, owner: &OwnerName) {
        // There may be none.
        let _ = fs::remove_file(self.file(owner));
    }

    /// Removes what is of nobody any more.
    pub(crate) fn keep_only(&self, owners: &[OwnerName]) {
        let owners: BTreeSet<&OsStr> = owners.iter().map(|owner| OsStr::new(owner.as_str())).collect();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            if !owners.contains(entry.file_name().as_os_str()) {
                // It is read only where there is an owner of its name.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> OwnerName {
        OwnerName::parse(name).unwrap()
    }

    #[test]
    fn a_record_holds_until_a_file_of_hers_changes() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("asha");
        fs::create_dir_all(data.join("outbox")).unwrap();
        fs::write(data.join("outbox/draft"), "one").unwrap();
        let inbox = dir.path().join("Inbox");
        fs::write(&inbox, "mail").unwrap();
        let sources = SourcePaths {
            mail: vec![inbox.clone()],
            ..SourcePaths::default()
        };
        let records = ParkedRecords::in_folder(dir.path().join("parked"));
        let (asha, until) = (owner("asha"), Timestamp::from_ms(1_762_137_900_000));
        assert_eq!(records.read(&asha, &data), None);
        let seen = FilesState::of_sources(&sources).unwrap();
        records.write(&asha, &data, until, seen);
        assert_eq!(records.read(&asha, &data), Some((until, seen)));
        assert_eq!(FilesState::of_sources(&sources), Some(seen));
        assert_eq!(records.read(&owner("jonas"), &data), None);

        // As long as before, and with the time of before: it is another file all the same.
        let times = fs::FileTimes::new().set_modified(fs::metadata(&inbox).unwrap().modified().unwrap());
        let fresh = dir.path().join("fresh");
        fs::write(&fresh, "liam").unwrap();
        fs::File::options()
            .write(true)
            .open(&fresh)
            .unwrap()
            .set_times(times)
            .unwrap();
        fs::rename(&fresh, &inbox).unwrap();
        assert_ne!(FilesState::of_sources(&sources), Some(seen));
        fs::remove_file(&inbox).unwrap();
        assert_eq!(FilesState::of_sources(&sources), None);

        fs::write(data.join("outbox/draft"), "three").unwrap();
        assert_eq!(records.read(&asha, &data), None);
        records.write(&asha, &data, until, seen);
        fs::write(data.join("home.toml"), "").unwrap();
        assert_eq!(records.read(&asha, &data), None);
        records.write(&asha, &data, until, seen);
        records.keep_only(std::slice::from_ref(&asha));
        assert_eq!(records.read(&asha, &data), Some((until, seen)));
        records.keep_only(&[owner("jonas")]);
        assert_eq!(records.read(&asha, &data), None);
        records.write(&asha, &data, until, seen);
        records.remove(&asha);
        assert_eq!(records.read(&asha, &data), None);
    }

    #[test]
    fn a_damaged_record_and_a_folder_of_very_many_files_are_none() {
        let dir = tempfile::tempdir().unwrap();
        let (data, mail) = (dir.path().join("asha"), dir.path().join("mail"));
        fs::create_dir(&data).unwrap();
        fs::create_dir(&mail).unwrap();
        let records = ParkedRecords::in_folder(dir.path().join("parked"));
        fs::create_dir(dir.path().join("parked")).unwrap();
        for text in ["", "{", "{\"until\":7}"] {
            fs::write(dir.path().join("parked/asha"), text).unwrap();
            assert_eq!(records.read(&owner("asha"), &data), None, "{text}");
        }
        let sources = SourcePaths {
            mail: vec![mail.clone()],
            ..SourcePaths::default()
        };
        for n in 0..FILES_MAX {
            fs::write(mail.join(n.to_string()), "").unwrap();
        }
        assert!(FilesState::of_sources(&sources).is_some());
        fs::write(mail.join("one more"), "").unwrap();
        assert_eq!(FilesState::of_sources(&sources), None);
    }
}
