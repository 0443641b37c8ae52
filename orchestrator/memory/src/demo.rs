//! The data folder of the demo.
//!
//! What: marks a folder as the demo's, and removes one that is marked. Why: "begin anew" must never reach an owner's data.
//! Not here: the demo itself (`aura_runtime::service`).

use crate::{StoreError, files, folder_lock};
use std::path::Path;

/// The file that marks a folder.
const MARK: &str = "demo";

/// Makes a data folder (0700) and marks it as the demo's.
///
/// # Errors
/// STORE-007 when it cannot be written.
pub fn mark(dir: &Path) -> Result<(), StoreError> {
    files::private_dir(dir)?;
    let text = b"This folder belongs to `aura demo`; `aura demo --fresh` removes it.\n";
    files::write_atomic(dir, MARK, text, files::IfExists::Replace)?;
    Ok(())
}

/// Whether a folder is marked as the demo's.
pub fn is_marked(dir: &Path) -> bool {
    dir.join(MARK).is_file()
}

/// Removes a folder that is marked and that nobody works on. True when nothing is left of it; false, and nothing was
/// touched, when it is not marked.
///
/// # Errors
/// STORE-001 when a service works on it, STORE-007 when it cannot be removed.
pub fn remove(dir: &Path) -> Result<bool, StoreError> {
    if !dir.exists() {
        return Ok(true);
    }
    if !is_marked(dir) {
        return Ok(false);
    }
    // That the lock can be had proves that no service works on the folder.
    let _alone = folder_lock::lock(dir)?;
    std::fs::remove_dir_all(dir).map_err(StoreError::file("remove", dir))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, StoreOptions, Vault};

    #[test]
    fn only_a_marked_and_idle_folder_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (own, demo) = (dir.path().join("own"), dir.path().join("demo"));
        drop(Store::open(&Vault::ephemeral(&own).unwrap(), StoreOptions::default()).unwrap());
        assert!(!remove(&own).unwrap());
        assert!(own.join("aura.db").exists());
        let (store, _) = Store::open(&Vault::demo(&demo).unwrap(), StoreOptions::default()).unwrap();
        assert_eq!(remove(&demo).unwrap_err().code(), "STORE-001");
        drop(store);
        assert!(remove(&demo).unwrap());
        assert!(!demo.exists());
    }
}
