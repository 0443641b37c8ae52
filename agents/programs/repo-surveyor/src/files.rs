//! The files of a repository, as a version control system would count them.
//!
//! What: [`RepositoryTree::read`]: paths in order, without what `.gitignore` leaves out, with text and language. Why: everything else is a
//! function of it. Not here: what the files mean.

use crate::languages;
use ignore::WalkBuilder;
use std::{collections::BTreeMap, fs, io, path::Path};

/// The most files that are looked at.
const MOST_FILES: usize = 20_000;

/// The most that is read of a file.
const MOST_BYTES: u64 = 2 << 20;

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RepositoryFile {
    /// From the repository's folder, with `/`.
    pub(crate) path: String,
    /// What is in it; empty for what is no text or too long.
    pub(crate) text: String,
    /// Its size.
    pub(crate) bytes: u64,
    /// What it is written in.
    pub(crate) language: Option<&'static str>,
}

impl RepositoryFile {
    /// Its name without folders.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Its folder; empty for the repository's own.
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// A repository.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RepositoryTree {
    /// In order of paths.
    pub(crate) files: Vec<RepositoryFile>,
    /// How many more there are.
    pub(crate) left_out: usize,
}

impl RepositoryTree {
    /// Reads what is below a folder.
    ///
    /// # Errors
    /// The folder cannot be read. A file that cannot be read is there with no text.
    pub(crate) fn read(root: &Path) -> io::Result<Self> {
        root.read_dir()?;
        // A repository inside another one is judged by its own rules alone: those above may be out of reach.
        let walk = WalkBuilder::new(root)
            .hidden(true)
            .parents(false)
            .require_git(false)
            .git_global(false)
            .sort_by_file_path(Path::cmp)
            .build();
        let mut tree = Self::default();
        for entry in walk.flatten() {
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let Ok(path) = entry.path().strip_prefix(root) else {
                continue;
            };
            let Some(path) = path.to_str().filter(|_| is_file) else {
                continue;
            };
            if tree.files.len() == MOST_FILES {
                tree.left_out += 1;
                continue;
            }
            let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
            let text = text_of(entry.path(), bytes);
            let first = text.lines().next().unwrap_or_default();
            tree.files.push(RepositoryFile {
                language: languages::language_of(path, first),
                path: path.to_owned(),
                text,
                bytes,
            });
        }
        Ok(tree)
    }

    /// By path.
    pub(crate) fn by_path(&self) -> BTreeMap<&str, &RepositoryFile> {
        self.files.iter().map(|file| (file.path.as_str(), file)).collect()
    }
}

fn text_of(path: &Path, bytes: u64) -> String {
    if bytes > MOST_BYTES {
        return String::new();
    }
    let text = fs::read(path).map(String::from_utf8);
    text.ok()
        .and_then(Result::ok)
        .filter(|text| !text.contains('\0'))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_files_are_left_out_and_binary_ones_have_no_text() {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [
            (".gitignore", &b"*.log\n/out/\n"[..]),
            ("a.py", b"x = 1\n"),
            ("noise.log", b"x"),
            ("picture", b"\x89PNG\0"),
            ("out/b.py", b"x"),
        ] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let tree = RepositoryTree::read(dir.path()).unwrap();
        let seen: Vec<_> = tree
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.text.as_str(), file.language))
            .collect();
        assert_eq!(seen, [("a.py", "x = 1\n", Some("Python")), ("picture", "", None)]);
    }
}
