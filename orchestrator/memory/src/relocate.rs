//! Moving a data folder to another place.
//!
//! What: [`relocate`], in one step on one disk, else as a copy that is whole before the old folder goes. Why: at each instant at most one folder has the
//! owner's name, and what was interrupted goes on when it is asked for again. Not here: who is served from where (`aura_runtime::host`), copies for safety
//! (`backup`).

use crate::{error::StoreError, files, folder_lock};
use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

/// Ends the name of a folder whose copy has taken its place.
const OLD: &str = "moved";

/// Whether a move of this folder was interrupted when its copy was whole.
pub fn is_interrupted(from: &Path) -> bool {
    !from.exists() && hidden(from, OLD).is_ok_and(|old| old.exists())
}

/// Moves the folder `from`, on which nothing works, to `to`, where nothing is. The key stays where it is kept. One that was interrupted goes on.
///
/// # Errors
/// STORE-001 when something works on it; STORE-007 when there is something at `to`, or a file cannot be moved: then `from` is as it was.
pub fn relocate(from: &Path, to: &Path) -> Result<(), StoreError> {
    let (above, part, old) = (parent(to)?, hidden(to, "moving")?, hidden(from, OLD)?);
    if is_interrupted(from) {
        if to.exists() {
            return remove_all(&old);
        }
        fs::rename(&old, from).map_err(StoreError::file("move back", from))?;
    }
    // Held until all is done; the file that is locked moves with its folder.
    let _alone = folder_lock::lock(from)?;
    files::private_dir(above)?;
    // Onto an empty folder it may go, onto a full one it cannot.
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            // Of an earlier attempt.
            remove_all(&part)?;
            remove_all(&old)?;
            copy_folder(from, &part)?;
            // From here on it is nobody's folder, whatever is left of it.
            fs::rename(from, &old).map_err(StoreError::file("move", from))?;
            files::sync_dir(parent(from)?)?;
            fs::rename(&part, to).map_err(|error| {
                // The first error says more.
                let _ = fs::rename(&old, from);
                StoreError::file("make", to)(error)
            })?;
            files::sync_dir(above)?;
            remove_all(&old)
        }
        moved => {
            moved.map_err(StoreError::file("move", from))?;
            files::sync_dir(above)?;
            files::sync_dir(parent(from)?)
        }
    }
}

/// Folders and files with their modes, on disk when this returns. Sockets of a service that has ended are left out.
fn copy_folder(from: &Path, to: &Path) -> Result<(), StoreError> {
    let copying = || StoreError::file("copy", from);
    DirBuilder::new()
        .mode(0o700)
        .create(to)
        .map_err(StoreError::file("make", to))?;
    for entry in fs::read_dir(from).map_err(copying())? {
        let entry = entry.map_err(copying())?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(copying())?;
        if kind.is_dir() {
            copy_folder(&path, &copy)?;
        } else if kind.is_file() {
            fs::copy(&path, &copy)
                .and_then(|_| File::open(&copy)?.sync_all())
                .map_err(StoreError::file("copy", &path))?;
        }
    }
    files::sync_dir(to)
}

fn remove_all(dir: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::file("remove", dir)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn parent(path: &Path) -> Result<&Path, StoreError> {
    path.parent().ok_or_else(|| unnamed(path))
}

/// A name beside it that no owner has.
fn hidden(path: &Path, why: &str) -> Result<PathBuf, StoreError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| unnamed(path))?;
    Ok(parent(path)?.join(format!(".{name}.{why}")))
}

fn unnamed(path: &Path) -> StoreError {
    StoreError::file("name", path)(io::ErrorKind::InvalidFilename.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    fn folder(dir: &Path) -> PathBuf {
        let from = dir.join("asha");
        fs::create_dir_all(from.join("quarantine")).unwrap();
        fs::write(from.join("store.db"), vec![7; 70_000]).unwrap();
        fs::write(from.join("quarantine/calls"), "one").unwrap();
        fs::set_permissions(from.join("store.db"), fs::Permissions::from_mode(0o600)).unwrap();
        from
    }

    fn is_whole(dir: &Path) -> bool {
        fs::read(dir.join("store.db")).is_ok_and(|bytes| bytes == vec![7; 70_000])
            && fs::read_to_string(dir.join("quarantine/calls")).is_ok_and(|text| text == "one")
            && fs::metadata(dir.join("store.db")).is_ok_and(|meta| meta.permissions().mode() & 0o777 == 0o600)
    }

    #[test]
    fn a_folder_is_moved_on_one_disk_and_to_another_and_nothing_is_left_behind() {
        let home = tempfile::tempdir().unwrap();
        let near = home.path().join("others/asha");
        relocate(&folder(home.path()), &near).unwrap();
        assert!(is_whole(&near) && !home.path().join("asha").exists());
        // Another disk; where there is none, this is the first case again.
        let disk_of = |path: &Path| fs::metadata(path).unwrap().dev();
        let other = ["/dev/shm", "/tmp"].map(Path::new);
        let other = other
            .into_iter()
            .find(|path| path.is_dir() && disk_of(path) != disk_of(home.path()));
        let memory = tempfile::tempdir_in(other.unwrap_or(home.path())).unwrap();
        let far = memory.path().join("asha");
        // What an interrupted attempt left is in nobody's way.
        fs::create_dir(memory.path().join(".asha.moving")).unwrap();
        fs::write(memory.path().join(".asha.moving/store.db"), "half").unwrap();
        relocate(&near, &far).unwrap();
        assert!(is_whole(&far));
        assert_eq!(fs::read_dir(home.path().join("others")).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_in_use_and_a_place_that_is_taken_leave_everything_as_it_was() {
        let home = tempfile::tempdir().unwrap();
        let from = folder(home.path());
        let alone = folder_lock::lock(&from).unwrap();
        let to = home.path().join("others/asha");
        assert!(matches!(relocate(&from, &to), Err(StoreError::Locked { .. })));
        drop(alone);
        fs::create_dir_all(&to).unwrap();
        fs::write(to.join("hers"), "").unwrap();
        assert!(matches!(relocate(&from, &to), Err(StoreError::File { .. })));
        assert!(is_whole(&from) && to.join("hers").exists());
    }
    #[test]
    fn a_move_that_was_interrupted_goes_on_whichever_names_were_given_by_then() {
        let home = tempfile::tempdir().unwrap();
        let (from, to) = (home.path().join("asha"), home.path().join("others/asha"));
        let old = home.path().join(".asha.moved");
        // The old folder has lost its name, the copy has none yet.
        fs::rename(folder(home.path()), &old).unwrap();
        assert!(is_interrupted(&from));
        relocate(&from, &to).unwrap();
        assert!(is_whole(&to) && !from.exists() && !old.exists());
        // The copy has its name, and the old folder is half gone.
        fs::create_dir(&old).unwrap();
        fs::write(old.join("store.db"), "half").unwrap();
        assert!(is_interrupted(&from));
        relocate(&from, &to).unwrap();
        assert!(is_whole(&to) && !from.exists() && !old.exists());
        assert!(!is_interrupted(&from));
    }
}
