//! How the owner's desktop starts Aura.
//!
//! What: [`DesktopEntries`], two files by the Desktop Entry Specification (freedesktop.org, 1.5): one that starts the service at login, one that shows
//! Aura among the programs. Why: nobody should have to type a command after each login. Not here: a system's own units (`docs/aura.service`), the
//! switch (`surfaces`).

use crate::fresh_file::FreshFile;
use aura_memory::vault::KeyPlace;
use aura_platform::user_folders;
use std::{
    env, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// The files' name in their folders.
const NAME: &str = "aura.desktop";

/// Where the two files are, and what they start.
#[derive(Debug, Clone)]
pub(crate) struct DesktopEntries {
    at_login: PathBuf,
    in_menu: PathBuf,
    program: PathBuf,
    /// Which installation.
    arguments: Vec<String>,
    /// A passphrase is asked for in a terminal, which a login has not.
    asks: bool,
}

impl DesktopEntries {
    /// For the configuration and the data folder of an installation; `None` without a home folder, or where a path is no text.
    pub(crate) fn new(home: &Path, data: &Path, key: Option<&KeyPlace>) -> Option<Self> {
        let text = |path: &Path| std::path::absolute(path).ok()?.to_str().map(str::to_owned);
        let mut arguments = vec!["--home".to_owned(), text(home)?, "--data".to_owned(), text(data)?];
        if let Some(KeyPlace::File { path }) = key {
            arguments.extend(["--key-file".to_owned(), text(path)?]);
        }
        Some(Self {
            at_login: user_folders::config()?.join("autostart").join(NAME),
            in_menu: user_folders::data()?.join("applications").join(NAME),
            program: env::current_exe().ok()?,
            arguments,
            asks: matches!(key, Some(KeyPlace::Passphrase { .. })),
        })
    }

    /// Whether Aura starts at login; `None`: it cannot, because its key is asked for.
    pub(crate) fn starts_at_login(&self) -> Option<bool> {
        (!self.asks).then(|| self.at_login.is_file())
    }

    pub(crate) fn is_in_menu(&self) -> bool {
        self.in_menu.is_file()
    }

    /// Has the desktop start the service at login, or not any more.
    ///
    /// # Errors
    /// The disk's.
    pub(crate) fn set_at_login(&self, on: bool) -> io::Result<()> {
        put(&self.at_login, on, &self.entry(&["run", "--detached"]))
    }

    /// Shows Aura among the programs, or not any more.
    ///
    /// # Errors
    /// The disk's.
    pub(crate) fn set_in_menu(&self, on: bool) -> io::Result<()> {
        put(&self.in_menu, on, &self.entry(&["open"]))
    }

    /// Has the entries that are there name the key's place of now. Where it is asked for at each start, none starts at login any more.
    ///
    /// # Errors
    /// The disk's.
    pub(crate) fn renew(&self) -> io::Result<()> {
        if self.at_login.is_file() {
            self.set_at_login(!self.asks)?;
        }
        if self.is_in_menu() {
            self.set_in_menu(true)?;
        }
        Ok(())
    }

    fn entry(&self, command: &[&str]) -> String {
        let program = self.program.to_string_lossy();
        let words = std::iter::once(program.as_ref())
            .chain(command.iter().copied())
            .chain(self.arguments.iter().map(String::as_str));
        let exec: Vec<String> = words.map(quoted).collect();
        format!(
            "[Desktop Entry]\nType=Application\nVersion=1.5\nName=Aura\nComment=A quiet assistant on your own machine\n\
             Exec={}\nTerminal=false\nCategories=Utility;\n",
            exec.join(" ")
        )
    }
}

/// A word of the key `Exec`: in quotation marks, its reserved signs escaped, and once more as any text of such a file; `%` is doubled.
fn quoted(word: &str) -> String {
    let mut out = String::from("\"");
    for c in word.chars() {
        match c {
            '"' | '`' | '$' => out.extend(['\\', '\\', c]),
            '\\' => out.push_str("\\\\\\\\"),
            '%' => out.push_str("%%"),
            // No path of a sensible name has one; a line would end there.
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn put(path: &Path, on: bool, text: &str) -> io::Result<()> {
    if !on {
        return match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let mut fresh = FreshFile::create_in(folder)?;
    fresh.as_file().write_all(text.as_bytes())?;
    fresh.as_file().sync_all()?;
    fresh.replace(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(dir: &Path) -> DesktopEntries {
        DesktopEntries {
            at_login: dir.join("autostart/aura.desktop"),
            in_menu: dir.join("applications/aura.desktop"),
            program: PathBuf::from("/opt/my tools/aura"),
            arguments: vec!["--home".to_owned(), "/home/anna/100% \"$x\\y\".toml".to_owned()],
            asks: false,
        }
    }

    #[test]
    fn entries_that_are_there_name_the_new_place_and_none_starts_what_asks() {
        let dir = tempfile::tempdir().unwrap();
        let before = entries(dir.path());
        before.renew().unwrap();
        assert!(!before.at_login.exists() && !before.in_menu.exists());
        before.set_at_login(true).unwrap();
        before.set_in_menu(true).unwrap();
        let mut after = DesktopEntries {
            arguments: vec!["--key-file".to_owned(), "/media/stick/key".to_owned()],
            ..before
        };
        after.renew().unwrap();
        for file in [&after.at_login, &after.in_menu] {
            assert!(fs::read_to_string(file).unwrap().contains("/media/stick/key"));
        }
        after.asks = true;
        after.renew().unwrap();
        assert!(!after.at_login.exists() && after.in_menu.exists());
    }

    #[test]
    fn both_files_come_and_go_and_start_this_installation() {
        let dir = tempfile::tempdir().unwrap();
        let entries = entries(dir.path());
        assert_eq!(
            (entries.starts_at_login(), entries.is_in_menu()),
            (Some(false), false)
        );
        entries.set_at_login(false).unwrap();
        entries.set_at_login(true).unwrap();
        entries.set_in_menu(true).unwrap();
        assert_eq!(
            (entries.starts_at_login(), entries.is_in_menu()),
            (Some(true), true)
        );
        let text = fs::read_to_string(&entries.at_login).unwrap();
        // By the specification: first the shell-like quoting of Exec, then that of a value of type string.
        let exec = "Exec=\"/opt/my tools/aura\" \"run\" \"--detached\" \"--home\" \"/home/anna/100%% \\\\\"\\\\$x\\\\\\\\y\\\\\".toml\"\n";
        assert!(text.contains(exec), "{text}");
        assert!(
            fs::read_to_string(&entries.in_menu)
                .unwrap()
                .contains("\"open\" \"--home\"")
        );
        entries.set_at_login(false).unwrap();
        assert_eq!(entries.starts_at_login(), Some(false));
    }

    #[test]
    fn who_is_asked_for_a_passphrase_cannot_have_it_started_at_login() {
        let dir = tempfile::tempdir().unwrap();
        let asks = DesktopEntries {
            asks: true,
            ..entries(dir.path())
        };
        assert_eq!(asks.starts_at_login(), None);
    }
}
