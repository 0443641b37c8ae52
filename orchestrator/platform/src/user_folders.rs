//! The folders of whoever runs this.
//!
//! What: the home folder, and the base folders by the XDG Base Directory Specification (0.8). Why: sources, the folder picker, the desktop's
//! entries, commands and workflows mean the same folders. Not here: the folders of an installation, which commands name (`aura_cli`).

use std::{env, ffi::OsString, path::PathBuf};

/// The owner's own folder.
pub fn home() -> Option<PathBuf> {
    path_in("HOME")
}

/// Where programs keep their configuration.
pub fn config() -> Option<PathBuf> {
    base("XDG_CONFIG_HOME", ".config")
}

/// Where programs keep their data.
pub fn data() -> Option<PathBuf> {
    base("XDG_DATA_HOME", ".local/share")
}

/// Where programs keep logs.
pub fn state() -> Option<PathBuf> {
    base("XDG_STATE_HOME", ".local/state")
}

/// Where programs keep what can be made again.
pub fn cache() -> Option<PathBuf> {
    base("XDG_CACHE_HOME", ".cache")
}

/// A path that the environment names; one that is not absolute is as good as none.
pub fn path_in(variable: &str) -> Option<PathBuf> {
    absolute(env::var_os(variable)?)
}

fn base(variable: &str, under_home: &str) -> Option<PathBuf> {
    base_folder(env::var_os(variable), env::var_os("HOME"), under_home)
}

/// The variable when it is an absolute path (others are to be ignored), else under the home folder.
fn base_folder(xdg: Option<OsString>, home: Option<OsString>, under_home: &str) -> Option<PathBuf> {
    xdg.and_then(absolute)
        .or_else(|| Some(home.and_then(absolute)?.join(under_home)))
}

fn absolute(text: OsString) -> Option<PathBuf> {
    Some(PathBuf::from(text)).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_folder_is_xdg_when_absolute_else_under_home() {
        for (xdg, home, expected) in [
            (Some("/x"), Some("/h"), Some("/x")),
            (Some("/x"), None, Some("/x")),
            (None, Some("/h"), Some("/h/.local/share")),
            (Some(""), Some("/h"), Some("/h/.local/share")),
            (Some("relative"), Some("/h"), Some("/h/.local/share")),
            (None, Some(""), None),
            (None, Some("relative"), None),
            (None, None, None),
        ] {
            let found = base_folder(xdg.map(Into::into), home.map(Into::into), ".local/share");
            assert_eq!(found, expected.map(PathBuf::from), "{xdg:?} {home:?}");
        }
    }
}
