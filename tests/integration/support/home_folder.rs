//! An owner's home folder, empty at first.

use std::{path::PathBuf, process::Command};
use tempfile::TempDir;

pub(crate) struct HomeFolder(TempDir);

impl HomeFolder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A file or folder in it.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// A command of this owner's, with nothing else of an environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aura"));
        command.args(args).env_clear().env("HOME", self.0.path());
        command
    }
}
