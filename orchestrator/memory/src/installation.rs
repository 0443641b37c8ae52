//! The installation key.
//!
//! What: [`Installation`], 32 random bytes in `key`, made once. Why: ids, keyed hashes and capabilities of an
//! installation come from one secret. Not here: deriving them (`toolcall_schema::ids`).

use crate::{
    error::StoreError,
    files::{self, Existing},
};
use std::{
    fs::File,
    io::{ErrorKind, Read as _},
    os::unix::fs::MetadataExt as _,
    path::Path,
};
use toolcall_schema::ids::OwnerSeed;

const NAME: &str = "key";

/// What makes this installation different from every other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    seed: OwnerSeed,
}

impl Installation {
    /// Reads the key of a data folder, making folder and key when there are none.
    ///
    /// # Errors
    /// STORE-005 when the key has another length than 32 bytes or others may read it, STORE-007 when it cannot be read
    /// or written. A key is never replaced: everything that was derived from it would be lost.
    pub fn load_or_create(dir: &Path) -> Result<Self, StoreError> {
        if let Some(found) = load(dir)? {
            return Ok(found);
        }
        files::private_dir(dir)?;
        files::write_atomic(dir, NAME, &random()?, Existing::Keep)?;
        // Another process may have been faster; its key is then the one.
        load(dir)?.ok_or_else(|| StoreError::file("read", &dir.join(NAME))(ErrorKind::NotFound.into()))
    }

    /// Reads the key of a data folder; `None` when it has none.
    ///
    /// # Errors
    /// As [`Installation::load_or_create`].
    pub fn load(dir: &Path) -> Result<Option<Self>, StoreError> {
        load(dir)
    }

    /// The seed of all derived ids and keys.
    pub fn seed(&self) -> &OwnerSeed {
        &self.seed
    }
}

fn load(dir: &Path) -> Result<Option<Installation>, StoreError> {
    let path = dir.join(NAME);
    let unusable = |what: String| StoreError::Key {
        file: path.clone(),
        what,
    };
    let mut file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::file("read", &path)(error)),
    };
    let meta = file.metadata().map_err(StoreError::file("read", &path))?;
    let mode = meta.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(unusable(format!(
            "its mode is {mode:04o}, not 0600: chmod 600 it"
        )));
    }
    let mut bytes = [0; 32];
    if meta.len() != 32 {
        let len = meta.len();
        return Err(unusable(format!(
            "it has {len} bytes, not 32: restore a copy of it"
        )));
    }
    file.read_exact(&mut bytes)
        .map_err(StoreError::file("read", &path))?;
    Ok(Some(Installation {
        seed: OwnerSeed::from_bytes(bytes),
    }))
}

fn random() -> Result<[u8; 32], StoreError> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; 32];
    File::open(path)
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(StoreError::file("read", path))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs::{self, Permissions},
        os::unix::fs::PermissionsExt as _,
    };
    use tempfile::TempDir;

    #[test]
    fn key_is_made_once_and_private() {
        let dir = TempDir::new().unwrap();
        let home = dir.path().join("aura");
        let made = Installation::load_or_create(&home).unwrap();
        assert_eq!(Installation::load_or_create(&home).unwrap(), made);
        assert_ne!(Installation::load_or_create(dir.path()).unwrap(), made);
        let bytes: [u8; 32] = fs::read(home.join("key")).unwrap().try_into().unwrap();
        assert_eq!(made.seed(), &OwnerSeed::from_bytes(bytes));
        assert_eq!(fs::metadata(home.join("key")).unwrap().mode() & 0o7777, 0o600);
        assert_eq!(fs::read_dir(&home).unwrap().count(), 1);
    }

    #[test]
    fn unusable_key_is_named_with_its_remedy_and_left_alone() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("key");
        for (bytes, mode, what) in [
            (31, 0o600, "it has 31 bytes, not 32: restore a copy of it"),
            (0, 0o600, "it has 0 bytes, not 32: restore a copy of it"),
            (32, 0o640, "its mode is 0640, not 0600: chmod 600 it"),
        ] {
            fs::write(&path, vec![7; bytes]).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let error = Installation::load_or_create(dir.path()).unwrap_err();
            let says = format!(
                "STORE-005: the installation key {} cannot be used: {what}",
                path.display()
            );
            assert_eq!((error.code(), error.to_string()), ("STORE-005", says));
            assert_eq!(fs::read(&path).unwrap(), vec![7; bytes]);
        }
    }
}
