//! The folders of whoever runs this.
//!
//! What: [`UserFolders`], by the XDG Base Directory Specification (0.8). Why: sources, the folder picker and the desktop's entries mean the same
//! folders. Not here: the folders of an installation, which commands name (`aura_cli`).

use std::{env, path::PathBuf};

/// The owner's folder, and where programs keep their configuration and their data.
#[derive(Debug, Clone)]
pub(crate) struct UserFolders {
    pub(crate) home: PathBuf,
    pub(crate) config: PathBuf,
    pub(crate) data: PathBuf,
}

impl UserFolders {
    /// As the environment names them; `None` without a home folder.
    pub(crate) fn from_environment() -> Option<Self> {
        let home = absolute("HOME")?;
        Some(Self {
            config: absolute("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            data: absolute("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")),
            home,
        })
    }
}

/// A path that the environment names; one that is not absolute is as good as none.
pub(crate) fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}
