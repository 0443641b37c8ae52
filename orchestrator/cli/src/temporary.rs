//! A folder for as long as a command runs.
//!
//! What: [`TemporaryFolder`], made private and new, and removed with all that is in it. Why: a replay and a benchmark write a
//! whole data folder that nobody asked for. Not here: data folders that stay.

use super::error::CliError;
use std::{
    env, fs,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// A new folder in this one; in the system's temporary one where none is named.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new(within: Option<&Path>) -> Result<Self, CliError> {
        let name = format!("aura-{}", uuid::Uuid::new_v4().simple());
        let dir = within.map_or_else(env::temp_dir, Path::to_owned).join(name);
        fs::DirBuilder::new().mode(0o700).create(&dir)?;
        Ok(Self(dir))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, "a temporary folder could not be removed");
        }
    }
}
